//! How a question is asked: what it may cost, for whom, with which noise.

use clap::{Args, ValueEnum};
use throng_query::policy::Policy;
use throng_query::release::{NoiseChoice, Request};
use throng_query::session;

use crate::failure::Failure;
use crate::number::{self, Number};
use crate::spend::{self, Spend};

/// How a question is asked.
#[derive(Debug, Args)]
pub(crate) struct Setting {
    #[command(flatten)]
    pub(crate) spend: Spend,

    /// Who asks, where analysts have quotas.
    #[arg(long, value_name = "NAME")]
    pub(crate) analyst: Option<String>,

    /// The chance that an interval holds the answer before noise.
    #[arg(long, value_name = "C", value_parser = number::open_probability, allow_hyphen_values = true)]
    pub(crate) confidence: Option<Number>,

    /// Which noise; the one with the smaller error if not given.
    #[arg(long, value_enum)]
    pub(crate) noise: Option<Noise>,

    /// How much an aggregate matters beside the others: a column, or a name of `throng explain`.
    #[arg(long, value_name = "NAME=FACTOR", value_parser = spend::weight)]
    pub(crate) weight: Vec<(String, f64)>,
}

/// A law of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Noise {
    /// Whichever has the smaller expected error.
    Auto,
    /// Discrete Laplace.
    Laplace,
    /// Discrete Gaussian.
    Gaussian,
}

impl Setting {
    /// Who asks.
    pub(crate) fn analyst(&self) -> Option<&str> {
        self.analyst.as_deref()
    }

    /// The policy's defaults, with what was said instead.
    pub(crate) fn request(&self, policy: &Policy) -> Result<Request, Failure> {
        let cost = self.spend.cost(policy.defaults.cost.as_ref())?;
        let mut request = session::request(policy, cost)?;
        if let Some(confidence) = &self.confidence {
            request.confidence = confidence.nearest();
        }
        if let Some(noise) = self.noise {
            request.noise = match noise {
                Noise::Auto => NoiseChoice::Auto,
                Noise::Laplace => NoiseChoice::Laplace,
                Noise::Gaussian => NoiseChoice::Gaussian,
            };
        }
        request.weights.extend(self.weight.iter().cloned());
        Ok(request)
    }
}
