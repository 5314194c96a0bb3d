//! What a release promises, in words and as JSON.

use clap::Args;
use serde::Serialize;
use throng_account::filter::cost;
use throng_account::{Accuracy, Bracket, PrivacyLoss, Target};
use throng_mechanism::{Guarantee, MechanismSpec, Neighbours};

use crate::failure::Failure;
use crate::json::Ends;
use crate::number::{self, Number};
use crate::{digits, output};

/// How private a release shall be.
#[derive(Debug, Args)]
pub(crate) struct Privacy {
    /// At most this epsilon; with --delta the noise is Gaussian, without it Laplace.
    #[arg(long, value_name = "E", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Number>,

    /// The chance of anything worse than --epsilon.
    #[arg(long, value_name = "D", value_parser = number::open_probability, allow_hyphen_values = true)]
    pub(crate) delta: Option<Number>,

    /// At most this mu of Gaussian privacy.
    #[arg(long, value_name = "MU", value_parser = number::positive, allow_hyphen_values = true, conflicts_with_all = ["epsilon", "delta"])]
    pub(crate) gdp: Option<Number>,

    /// At most this rho of zero-concentrated privacy.
    #[arg(long, value_name = "RHO", value_parser = number::positive, allow_hyphen_values = true, conflicts_with_all = ["epsilon", "delta", "gdp"])]
    pub(crate) zcdp: Option<Number>,
}

/// What was asked for.
pub(crate) enum Asked<'a> {
    /// Pure epsilon.
    Pure(&'a Number),
    /// Anything that Gaussian noise reaches.
    Gaussian(Target),
}

impl Privacy {
    /// The one thing asked for; every number on its strict side.
    pub(crate) fn asked(&self) -> Result<Asked<'_>, Failure> {
        match (&self.epsilon, &self.delta, &self.gdp, &self.zcdp) {
            (Some(epsilon), None, None, None) => Ok(Asked::Pure(epsilon)),
            (Some(epsilon), Some(delta), None, None) => Ok(Asked::Gaussian(Target::Epsilon {
                epsilon: epsilon.down(),
                delta: delta.down(),
            })),
            (None, None, Some(mu), None) => Ok(Asked::Gaussian(Target::Gdp { mu: mu.down() })),
            (None, None, None, Some(rho)) => Ok(Asked::Gaussian(Target::Zcdp { rho: rho.down() })),
            _ => Err(Failure::usage(
                "it is not clear how private the release shall be",
                "give --epsilon, --epsilon with --delta, --gdp or --zcdp",
            )),
        }
    }
}

/// The guarantee of a release, to be shown.
#[derive(Debug, Serialize)]
pub(crate) struct Promise {
    spec: String,
    neighbours: String,
    delta: f64,
    epsilon: Ends,
    #[serde(skip)]
    bracket: Bracket,
}

/// The delta at which epsilon is shown if none was given and there is no pure epsilon.
const USUAL_DELTA: f64 = 1e-6;

impl Promise {
    /// At the delta asked for; else at 0 if the mechanism is pure; else at 1e-6.
    pub(crate) fn of(guarantee: &Guarantee, delta: Option<&Number>) -> Result<Self, Failure> {
        let (spec, under) = (guarantee.spec(), guarantee.neighbours());
        let pure = delta.is_none() && cost::pure(spec, under).is_ok();
        let delta = if pure { 0.0 } else { delta.map_or(USUAL_DELTA, Number::down) };
        let bracket = epsilon(spec, under, delta)?;
        Ok(Self {
            spec: spec.to_string(),
            neighbours: under.to_string(),
            delta,
            epsilon: bracket.into(),
            bracket,
        })
    }

    /// Says it on stderr, where it does not disturb the data.
    pub(crate) fn say(&self, error_bars: &str) {
        output::talk(&format!(
            "guarantee: {}, neighbours {}\nepsilon at delta {}: {}\n{error_bars}\n",
            self.spec,
            self.neighbours,
            self.delta,
            digits::bracket(self.bracket),
        ));
    }
}

fn epsilon(spec: &MechanismSpec, under: Neighbours, delta: f64) -> Result<Bracket, Failure> {
    Ok(PrivacyLoss::of_spec(spec, under, Accuracy::default())?.epsilon(delta)?)
}
