//! A session of questions.

use std::fmt;
use std::sync::{Arc, OnceLock};

use throng_numeric::{Natural, Rational};
use throng_sample::Entropy;

use super::MOST;
use crate::estimate::miss;
use crate::noise::Sampler;
use crate::replay::{Distance, Drawn, Observed, Primitive};
use crate::{Guarantee, MechanismError, Noise, NoiseLaw, Release, Run, Sensitive};

/// Which side of the noisy threshold a noisy value is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Below it.
    Below,
    /// On it or above.
    Above,
}

/// The answer to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reply {
    /// Which side.
    pub side: Side,
    /// For Above, if values were paid for: the value with noise of its own.
    pub value: Option<i64>,
}

/// Questions to one noisy threshold; ends after the last Above that is paid for.
///
/// It holds the threshold's noise, so it cannot be cloned. Every [`Release`] carries the guarantee
/// of the *whole* session: it is paid once, not per question.
pub struct Session {
    guarantee: Guarantee,
    /// The threshold with its noise.
    threshold: i128,
    noises: Arc<(Sampler, Sampler)>,
    laws: Arc<(NoiseLaw, NoiseLaw)>,
    /// How far a query moves.
    distance: u64,
    value: Option<Arc<Noise>>,
    above: u64,
    questions: Option<u64>,
}

impl fmt::Debug for Session {
    /// Without the noisy threshold, which is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("above", &self.above).finish_non_exhaustive()
    }
}

impl Session {
    pub(super) fn start(
        guarantee: Guarantee,
        threshold: Threshold,
        entropy: &mut dyn Entropy,
    ) -> Result<Self, MechanismError> {
        let mut run = Run::start(entropy)?;
        run.observe(|| compared("threshold", &threshold.laws.0, 0, threshold.at));
        let noise = threshold.noises.0.draw(run.entropy())?;
        Ok(Self {
            guarantee,
            threshold: i128::from(threshold.at) + i128::from(noise),
            noises: threshold.noises,
            laws: threshold.laws,
            distance: threshold.distance,
            value: threshold.value,
            above: threshold.above,
            questions: threshold.questions,
        })
    }

    /// How many more Above can be answered.
    #[must_use]
    pub const fn above_left(&self) -> u64 {
        self.above
    }

    /// How many more questions can be asked; `None` for any number.
    #[must_use]
    pub const fn questions_left(&self) -> Option<u64> {
        self.questions
    }

    /// Whether the session is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.above == 0 || self.questions == Some(0)
    }

    /// Asks whether a value is above the threshold. Values beyond ±2^60 saturate, which moves no
    /// two of them further apart.
    ///
    /// # Guarantee
    /// That of the session, for all its answers together.
    ///
    /// # Errors
    /// If the session is over (which the answers so far tell as well) or no noise can be drawn;
    /// the question counts all the same.
    pub fn ask(
        &mut self,
        value: &Sensitive<i64>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Reply>, MechanismError> {
        if self.is_over() {
            return Err(MechanismError::refused(
                "the session has given all the answers it was paid for",
                "start another with a new permit",
            ));
        }
        self.questions = self.questions.map(|left| left - 1);
        let mut run = Run::start(entropy)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "what leaves is the answer, paid at the start"
        )]
        let value = (*value.expose()).clamp(-MOST, MOST);
        run.observe(|| compared("query", &self.laws.1, self.distance, value));
        let noise = self.noises.1.draw(run.entropy())?;
        // The noise on the value is drawn in either case, so that time does not tell early.
        let noisy = match &self.value {
            Some(noise) => Some(noise.added_to(i128::from(value), &mut run)?),
            None => None,
        };
        let reply = if is_above(value, noise, self.threshold) {
            self.above -= 1;
            Reply { side: Side::Above, value: noisy }
        } else {
            Reply { side: Side::Below, value: None }
        };
        run.observe(|| Observed::Released(format!("{:?}", reply.side)));
        Ok(Release::new(reply, self.guarantee.clone()))
    }
}

/// What an auditor sees of a comparison.
fn compared(what: &'static str, law: &NoiseLaw, distance: u64, value: i64) -> Observed {
    Observed::Primitive(Primitive {
        what,
        law: Drawn::Comparison(law.clone()),
        declared: Some(Distance::PerCell { cells: 1, each: Rational::from(distance) }),
        inputs: vec![i128::from(value)],
    })
}

/// Whether q + N >= T + Z, for noise that was clipped at ±(2^63 - 1).
///
/// Noise on the query of 2^61 or more decides alone. With that the proofs hold for the clipped
/// noise as it is. They need, for κ <= 2^40 and |q|, |T| <= 2^60, that (1) Below stays
/// Below if the threshold's noise rises by κ and q by at most κ, and (2) Above stays Above if
/// the threshold's noise rises by κ, q falls by at most κ and its noise rises by 2κ; where
/// "rises" is meant before the clip. If N decides alone, (1) and (2) are clear. Else
/// |q + N| <= 3 · 2^60. If Z is clipped above, the answer is Below, before and after a rise; so
/// (1) holds, and (2) has nothing to show, nor if Z is within κ of the clip. If Z is clipped
/// below, the answer is Above, and is still Above if Z rises by κ, as T + Z + κ is below
/// -6 · 2^60 then. In between nothing is clipped.
fn is_above(value: i64, noise: i64, threshold: i128) -> bool {
    const ALONE: i64 = 1 << 61;
    if noise.unsigned_abs() >= ALONE.unsigned_abs() {
        return noise > 0;
    }
    i128::from(value) + i128::from(noise) >= threshold
}

/// The laws of the noise on the threshold and on a query, and their samplers: tables take
/// milliseconds to build, so that is done once, when first needed.
#[derive(Debug, Clone)]
pub(super) struct Noises {
    pub(super) threshold: NoiseLaw,
    pub(super) query: NoiseLaw,
    samplers: OnceLock<Arc<(Sampler, Sampler)>>,
}

impl Noises {
    pub(super) const fn new(threshold: NoiseLaw, query: NoiseLaw) -> Self {
        Self { threshold, query, samplers: OnceLock::new() }
    }

    pub(super) fn samplers(&self) -> Result<Arc<(Sampler, Sampler)>, MechanismError> {
        if let Some(samplers) = self.samplers.get() {
            return Ok(Arc::clone(samplers));
        }
        let built = Arc::new((self.threshold.sampler()?, self.query.sampler()?));
        Ok(Arc::clone(self.samplers.get_or_init(|| built)))
    }

    pub(super) fn laws(&self) -> Arc<(NoiseLaw, NoiseLaw)> {
        Arc::new((self.threshold.clone(), self.query.clone()))
    }

    /// |N| + |Z| is at most this for all of so many N, but for a chance of 1 - confidence; and 1
    /// more, as ties are Above.
    pub(super) fn reach(&self, questions: u64, confidence: f64) -> Result<Natural, MechanismError> {
        let half = miss(confidence)? / 2.0;
        let threshold = self.threshold.half_width(half)?;
        Ok(threshold + self.query.half_width_of_all(questions, half)? + Natural::ONE)
    }
}

impl PartialEq for Noises {
    fn eq(&self, other: &Self) -> bool {
        self.threshold == other.threshold && self.query == other.query
    }
}

/// What a session starts from.
pub(super) struct Threshold {
    pub(super) at: i64,
    pub(super) noises: Arc<(Sampler, Sampler)>,
    pub(super) laws: Arc<(NoiseLaw, NoiseLaw)>,
    pub(super) distance: u64,
    pub(super) value: Option<Arc<Noise>>,
    pub(super) above: u64,
    pub(super) questions: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_beyond_all_values_decides_alone() {
        let ends = [-MOST, 0, MOST];
        for value in ends {
            for threshold in ends.map(|t| i128::from(t) + i128::from(i64::MAX)) {
                assert!(is_above(value, i64::MAX, threshold));
                assert!(!is_above(value, 1 << 60, threshold));
            }
            for threshold in ends.map(|t| i128::from(t) - i128::from(i64::MAX)) {
                assert!(!is_above(value, -i64::MAX, threshold));
                assert!(is_above(value, -(1 << 60), threshold));
            }
        }
        assert!(is_above(3, -1, 2) && !is_above(3, -2, 2));
    }
}
