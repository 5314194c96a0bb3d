//! A question asked by a program: the options of the command, said without a command line.

use clap::ValueEnum;
use throng_numeric::Rational;
use throng_query::policy::Policy;
use throng_query::release::Request;

use crate::failure::Failure;
use crate::number::{self, Number};
use crate::setting::{Noise, Setting};
use crate::spend::{self, Spend};

/// How a question is asked: the options of `throng query`, with the same meaning.
#[derive(Debug, Clone, Default)]
pub struct Asking {
    /// At most this epsilon.
    pub epsilon: Option<Said>,
    /// The chance of anything worse.
    pub delta: Option<Said>,
    /// At most this rho of zero-concentrated privacy.
    pub rho: Option<Said>,
    /// At most this mu of Gaussian privacy.
    pub mu: Option<Said>,
    /// As little as gives these errors: `n: 50 @95%`.
    pub error: Vec<String>,
    /// Who asks.
    pub analyst: Option<String>,
    /// The chance that an interval holds the answer before noise.
    pub confidence: Option<Said>,
    /// Which noise.
    pub noise: Option<String>,
    /// How much aggregates matter: `n=2`.
    pub weight: Vec<String>,
}

/// A number as somebody said it, and what it means.
#[derive(Debug, Clone)]
pub struct Said {
    /// As it is shown to whoever said it.
    pub shown: String,
    /// What it means.
    pub exact: Rational,
}

impl Asking {
    /// The policy's defaults, with what was said instead.
    ///
    /// # Errors
    /// As for the command: numbers that are out of range, a price that is said twice or not at all.
    pub fn request(&self, policy: &Policy) -> Result<Request, Failure> {
        self.setting()?.request(policy)
    }

    fn setting(&self) -> Result<Setting, Failure> {
        let spend = Spend {
            epsilon: read("epsilon", self.epsilon.as_ref(), number::positive)?,
            delta: read("delta", self.delta.as_ref(), number::open_probability)?,
            rho: read("rho", self.rho.as_ref(), number::positive)?,
            mu: read("mu", self.mu.as_ref(), number::positive)?,
            error: each("error", &self.error, spend::target)?,
        };
        Ok(Setting {
            spend,
            analyst: self.analyst.clone(),
            confidence: read("confidence", self.confidence.as_ref(), number::open_probability)?,
            noise: self.noise.as_deref().map(noise).transpose()?,
            weight: each("weight", &self.weight, spend::weight)?,
        })
    }
}

type Reader<T> = fn(&str) -> Result<T, String>;

fn read(
    name: &str,
    said: Option<&Said>,
    reader: Reader<Number>,
) -> Result<Option<Number>, Failure> {
    let Some(said) = said else { return Ok(None) };
    reader(&said.exact.to_string()).map(Some).map_err(|why| wrong(name, &said.shown, &why))
}

fn each<T>(name: &str, texts: &[String], reader: Reader<T>) -> Result<Vec<T>, Failure> {
    texts.iter().map(|text| reader(text).map_err(|why| wrong(name, text, &why))).collect()
}

fn noise(text: &str) -> Result<Noise, Failure> {
    Noise::from_str(text, false)
        .map_err(|_| wrong("noise", text, "must be auto, laplace or gaussian"))
}

/// In the words of the command.
fn wrong(name: &str, shown: &str, why: &str) -> Failure {
    let shown: String = shown.chars().take(60).collect();
    Failure::usage(format!("invalid value '{shown}' for '{name}': {why}"), "nothing was spent")
}
