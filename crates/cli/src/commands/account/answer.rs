//! The answers, as data. Their JSON form is documented in docs/reference/cli-json.md and does
//! not change.

use std::time::Duration;

use serde::Serialize;
use throng_account::{AccountError, Bracket, MechanismSpec, Neighbours, PrivacyLoss, classical};
use throng_numeric::Rational;

use super::Options;
use crate::arguments::Setting;
use crate::failure::Failure;
use crate::json::Real;
use crate::number::Number;

/// Everything that was asked of one mechanism.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) spec: String,
    pub(super) neighbours: String,
    pub(super) epsilon: Vec<AtDelta>,
    pub(super) delta: Vec<AtEpsilon>,
    pub(super) tradeoff: Vec<AtAlpha>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) renyi: Vec<AtOrder>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) attacker: Option<Attacker>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) compare: Vec<Classical>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) against: Option<Against>,
    seconds: f64,
}

/// A row of a table: what was asked, and both ends of the answer. The text of the question is
/// kept for people.
macro_rules! row {
    ($(#[$meta:meta])* $name:ident, $asked:ident) => {
        $(#[$meta])*
        #[derive(Debug, Serialize)]
        pub(super) struct $name {
            #[serde(skip)]
            pub(super) text: String,
            pub(super) $asked: f64,
            #[serde(flatten)]
            ends: crate::json::Ends,
            #[serde(skip)]
            pub(super) bracket: Bracket,
        }

        impl $name {
            fn ask(
                questions: &[Number],
                answer: impl Fn(&Number) -> Result<Bracket, AccountError>,
            ) -> Result<Vec<Self>, Failure> {
                let row = |question: &Number| {
                    let bracket = answer(question)?;
                    let (text, ends) = (question.text().to_owned(), bracket.into());
                    Ok(Self { text, $asked: question.nearest(), ends, bracket })
                };
                questions.iter().map(row).collect()
            }
        }
    };
}

row!(
    /// Epsilon at a delta.
    AtDelta,
    delta
);
row!(
    /// Delta at an epsilon.
    AtEpsilon,
    epsilon
);
row!(
    /// The miss rate at a false-alarm rate.
    AtAlpha,
    alpha
);
row!(
    /// The Renyi divergence of an order.
    AtOrder,
    order
);

/// What an attacker can do who wants to know whether one unit is in the data.
#[derive(Debug, Serialize)]
pub(super) struct Attacker {
    pub(super) false_alarm: f64,
    /// At most this part of the members is found at that false-alarm rate.
    pub(super) found: f64,
    /// Found minus false alarms is at most this, at every false-alarm rate.
    pub(super) advantage: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) posterior: Vec<Posterior>,
}

/// How far a belief can rise.
#[derive(Debug, Serialize)]
pub(super) struct Posterior {
    #[serde(skip)]
    pub(super) prior_text: String,
    #[serde(skip)]
    pub(super) delta_text: String,
    prior: f64,
    delta: f64,
    /// At most this, except with chance delta.
    pub(super) posterior: f64,
}

/// A bound from the literature.
#[derive(Debug, Serialize)]
pub(super) struct Classical {
    pub(super) delta: f64,
    pub(super) name: &'static str,
    /// Nothing where the bound does not apply.
    pub(super) epsilon: Option<Real>,
    pub(super) note: String,
}

/// The comparison with another mechanism.
#[derive(Debug, Serialize)]
pub(super) struct Against {
    pub(super) spec: String,
    pub(super) comparison: String,
}

impl Answer {
    /// Asks `loss` everything in `options`, with these deltas.
    pub(super) fn new(
        spec: &MechanismSpec,
        options: &Options,
        loss: &PrivacyLoss,
        deltas: &[Number],
    ) -> Result<Self, Failure> {
        // Each question is asked on the side of its number that keeps the promise: epsilon and
        // delta fall, so they are asked at or below; the miss rate falls and its lower end is
        // the promise, and the divergence rises, so these are asked at or above.
        Ok(Self {
            spec: spec.to_string(),
            neighbours: options.setting.neighbours.to_string(),
            epsilon: AtDelta::ask(deltas, |delta| loss.epsilon(delta.down()))?,
            delta: AtEpsilon::ask(&options.epsilon, |epsilon| loss.delta(epsilon.down()))?,
            tradeoff: AtAlpha::ask(&options.alpha, |alpha| loss.miss_rate(alpha.up()))?,
            renyi: AtOrder::ask(&options.order, |order| loss.renyi(order.up()))?,
            attacker: Attacker::asked(options, loss, deltas)?,
            compare: Vec::new(),
            against: None,
            seconds: 0.0,
        })
    }

    /// Adds the classical bounds at each delta.
    pub(super) fn compare(
        &mut self,
        spec: &MechanismSpec,
        under: Neighbours,
        deltas: &[Number],
    ) -> Result<(), Failure> {
        for delta in deltas {
            for row in classical::table(spec, under, delta.down())? {
                self.compare.push(Classical {
                    delta: delta.nearest(),
                    name: row.name,
                    epsilon: row.epsilon.map(Real),
                    note: row.note,
                });
            }
        }
        Ok(())
    }

    /// Adds the comparison with another mechanism.
    pub(super) fn set_against(
        &mut self,
        other: &MechanismSpec,
        loss: &PrivacyLoss,
        setting: &Setting,
    ) -> Result<(), Failure> {
        let theirs = PrivacyLoss::of_spec(other, setting.neighbours, setting.accuracy())?;
        let comparison = loss.compare(&theirs)?.to_string();
        self.against = Some(Against { spec: other.to_string(), comparison });
        Ok(())
    }

    /// Notes how long it took.
    pub(super) fn took(&mut self, time: Duration) {
        self.seconds = time.as_secs_f64();
    }
}

impl Attacker {
    /// The false-alarm rate of the sentence everyone reads: one in a hundred. Not below 1/100,
    /// so that the promise covers it.
    pub(super) const FALSE_ALARM: f64 = 0.01;

    /// The attacker's view, where it is asked for or shown to people. Where nobody asked for it,
    /// failing to find it is no failure of the answer.
    fn asked(
        options: &Options,
        loss: &PrivacyLoss,
        deltas: &[Number],
    ) -> Result<Option<Self>, AccountError> {
        if let Some(prior) = &options.prior {
            return Self::of(loss, Some(prior), deltas).map(Some);
        }
        let shown = !options.json || options.asks_nothing();
        Ok(shown.then(|| Self::of(loss, None, deltas).ok()).flatten())
    }

    fn of(
        loss: &PrivacyLoss,
        prior: Option<&Number>,
        deltas: &[Number],
    ) -> Result<Self, AccountError> {
        let missed = loss.miss_rate(Self::FALSE_ALARM)?.lower;
        let found = &Rational::from(1u8) - &Rational::from_f64(missed)?;
        let posterior = |(prior, delta): (&Number, &Number)| {
            Ok(Posterior {
                prior_text: prior.text().to_owned(),
                delta_text: delta.text().to_owned(),
                prior: prior.nearest(),
                delta: delta.nearest(),
                posterior: loss.posterior(prior.up(), delta.down())?,
            })
        };
        let asked = prior.into_iter().flat_map(|prior| deltas.iter().map(move |d| (prior, d)));
        Ok(Self {
            false_alarm: Self::FALSE_ALARM,
            found: found.to_f64_up(),
            advantage: loss.total_variation()?.upper,
            posterior: asked.map(posterior).collect::<Result<_, AccountError>>()?,
        })
    }
}
