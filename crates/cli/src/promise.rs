//! How private a release shall be, and what it then promises, in words and as JSON.

use std::borrow::Borrow;
use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;
use throng_account::filter::cost;
use throng_account::{Accuracy, Bracket, PrivacyLoss, Target};
use throng_mechanism::{Budget, Guarantee, Mechanism, Release, Sensitive, Uncovered};
use throng_mechanism::{MechanismSpec, Neighbours};
use throng_numeric::Rational;
use throng_sample::OsEntropy;

use crate::failure::Failure;
use crate::json::{Ends, Real};
use crate::number::{self, Number};
use crate::{digits, output};

/// How private a release shall be.
#[derive(Debug, Args)]
pub(crate) struct Privacy {
    /// At most this epsilon. Alone: pure privacy, by Laplace noise.
    #[arg(long, value_name = "E", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Number>,

    /// The chance of anything worse than --epsilon.
    #[arg(long, value_name = "D", value_parser = number::open_probability, allow_hyphen_values = true)]
    pub(crate) delta: Option<Number>,

    /// At most this mu of Gaussian privacy.
    #[arg(long, value_name = "MU", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) gdp: Option<Number>,

    /// At most this rho of zero-concentrated privacy.
    #[arg(long, value_name = "RHO", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) zcdp: Option<Number>,
}

/// What was asked for.
#[derive(Debug)]
pub(crate) enum Asked<'a> {
    /// Pure epsilon.
    Pure(&'a Number),
    /// Epsilon and delta.
    Approximate(&'a Number, &'a Number),
    /// mu of Gaussian privacy.
    Gdp(&'a Number),
    /// rho of zero-concentrated privacy.
    Zcdp(&'a Number),
}

impl Privacy {
    /// The one thing asked for.
    pub(crate) fn asked(&self) -> Result<Asked<'_>, Failure> {
        match (&self.epsilon, &self.delta, &self.gdp, &self.zcdp) {
            (Some(epsilon), None, None, None) => Ok(Asked::Pure(epsilon)),
            (Some(epsilon), Some(delta), None, None) => Ok(Asked::Approximate(epsilon, delta)),
            (None, None, Some(mu), None) => Ok(Asked::Gdp(mu)),
            (None, None, None, Some(rho)) => Ok(Asked::Zcdp(rho)),
            (None, Some(_), None, None) => {
                Err(Failure::usage("--delta needs --epsilon", "add --epsilon"))
            }
            (None, None, None, None) => {
                Err(Failure::usage("it is not said how private the release shall be", WAYS))
            }
            _ => {
                Err(Failure::usage("it is said in two ways how private the release shall be", WAYS))
            }
        }
    }
}

const WAYS: &str = "give --epsilon, --epsilon with --delta, --gdp or --zcdp";

impl Asked<'_> {
    /// The delta to show epsilon at, if one was given.
    pub(crate) fn delta(&self) -> Option<&Number> {
        match self {
            Self::Approximate(_, delta) => Some(delta),
            Self::Pure(_) | Self::Gdp(_) | Self::Zcdp(_) => None,
        }
    }

    /// The target for Gaussian noise, every number on its strict side; none if pure.
    pub(crate) fn target(&self) -> Option<Target> {
        match self {
            Self::Pure(_) => None,
            Self::Approximate(epsilon, delta) => {
                Some(Target::Epsilon { epsilon: epsilon.down(), delta: delta.down() })
            }
            Self::Gdp(mu) => Some(Target::Gdp { mu: mu.down() }),
            Self::Zcdp(rho) => Some(Target::Zcdp { rho: rho.down() }),
        }
    }
}

/// Runs a mechanism once, with a budget of exactly what it costs.
///
/// A call is one release: whoever makes several adds up what they print.
pub(crate) fn release<M, D>(
    mechanism: &M,
    data: &Sensitive<D>,
) -> Result<Release<M::Output>, Failure>
where
    M: Mechanism,
    D: Borrow<M::Input>,
{
    let permit = Budget::of_one(mechanism)?.permit(mechanism)?;
    Ok(mechanism.run_on(data, permit, &mut OsEntropy)?)
}

/// The guarantee of a release, to be shown.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Promise {
    spec: String,
    neighbours: String,
    delta: Real,
    epsilon: Ends,
    #[serde(skip)]
    bracket: Bracket,
    #[serde(skip)]
    at: String,
}

/// The delta at which epsilon is shown if none was given and there is no pure epsilon.
const USUAL_DELTA: &str = "1e-5";

impl Promise {
    /// At the delta asked for; else at 0 if the mechanism is pure; else at the usual one.
    pub(crate) fn of(guarantee: &Guarantee, asked: &Asked<'_>) -> Result<Self, Failure> {
        Self::stating(guarantee.spec(), guarantee.neighbours(), asked.delta())
    }

    /// What a mechanism promises, at a delta if one is given; else as above.
    pub(crate) fn stating(
        spec: &MechanismSpec,
        under: Neighbours,
        delta: Option<&Number>,
    ) -> Result<Self, Failure> {
        let pure = cost::pure(spec, under).ok();
        let usual = if pure.is_some() { "0" } else { USUAL_DELTA };
        let usual = number::probability(usual).map_err(Failure::bug)?;
        let delta = delta.unwrap_or(&usual);
        let found =
            PrivacyLoss::of_spec(spec, under, Accuracy::default())?.epsilon(delta.down())?;
        let bracket = pure.map_or(found, |pure| least(found, &pure));
        Ok(Self {
            spec: spec.to_string(),
            neighbours: under.to_string(),
            delta: Real(delta.nearest()),
            epsilon: bracket.into(),
            bracket,
            at: delta.text().to_owned(),
        })
    }

    /// In words.
    pub(crate) fn words(&self) -> String {
        let Self { spec, neighbours, at, .. } = self;
        let epsilon = digits::bracket(self.bracket);
        format!("guarantee: {spec}, neighbours {neighbours}\nepsilon at delta {at}: {epsilon}\n")
    }

    /// Says it on stderr, where it does not disturb the data, with what there is to say of errors.
    pub(crate) fn say(&self, errors: &Errors) {
        let mut text = self.words();
        let _ = writeln!(text, "error bars: {}", errors.bars);
        for source in &errors.uncovered {
            let _ = writeln!(text, "not in the error bars: {source}");
        }
        output::talk(&text);
    }
}

/// Two upper bounds, of which the second is exact.
fn least(mut bracket: Bracket, pure: &Rational) -> Bracket {
    bracket.upper = bracket.upper.min(pure.to_f64_up()).max(bracket.lower);
    bracket
}

/// What there is to say of errors.
#[derive(Debug)]
pub(crate) struct Errors {
    bars: String,
    uncovered: Vec<String>,
}

impl Errors {
    /// Error bars in words, and what they leave out.
    pub(crate) fn new(bars: String, uncovered: &[Uncovered]) -> Self {
        Self { bars, uncovered: uncovered.iter().map(ToString::to_string).collect() }
    }

    /// What the bars leave out, in words.
    pub(crate) fn uncovered(&self) -> &[String] {
        &self.uncovered
    }
}
