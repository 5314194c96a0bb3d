//! What happens during a run, as it reports itself.

use std::fmt;

use throng_sample::{Entropy, EntropyError};

use super::{Declared, Number, Tape};
use crate::{AuditError, Outcome};

/// How a primitive draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Draws {
    /// Adds Laplace noise to each input.
    Laplace {
        /// Its scale.
        scale: Number,
    },
    /// Adds Gaussian noise to each input.
    Gaussian {
        /// Its standard deviation.
        sigma: Number,
    },
    /// Chooses one of the inputs, which are scores.
    Choice {
        /// How much the logarithm of a weight rises per unit of score.
        rate: Number,
        /// Whether chances are proportional to weights, as in the exponential mechanism: then losses
        /// lie in a range of length ε, which is worth more than ε-privacy.
        ranged: bool,
    },
    /// Compares the input, with Laplace noise, with a threshold; the answer is reported as released,
    /// `above` or `below`.
    Comparison {
        /// The scale of the noise on the input.
        scale: Number,
    },
    /// Some other way.
    Other(String),
}

impl Draws {
    /// Laplace noise.
    pub fn laplace(scale: impl Into<Number>) -> Self {
        Self::Laplace { scale: scale.into() }
    }

    /// Gaussian noise.
    pub fn gaussian(sigma: impl Into<Number>) -> Self {
        Self::Gaussian { sigma: sigma.into() }
    }

    /// The exponential mechanism.
    pub fn exponential(rate: impl Into<Number>) -> Self {
        Self::Choice { rate: rate.into(), ranged: true }
    }

    /// A noisy maximum, or permute-and-flip.
    pub fn noisy_max(rate: impl Into<Number>) -> Self {
        Self::Choice { rate: rate.into(), ranged: false }
    }

    /// A comparison with noise.
    pub fn comparison(scale: impl Into<Number>) -> Self {
        Self::Comparison { scale: scale.into() }
    }

    /// Whether two draw the same way, but for parameters.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Other(a), Self::Other(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// How far a stand-in moves a number.
    fn reach(&self) -> f64 {
        match self {
            Self::Laplace { scale: x }
            | Self::Gaussian { sigma: x }
            | Self::Comparison { scale: x } => x.to_f64(),
            Self::Choice { .. } | Self::Other(_) => 1.0,
        }
    }
}

impl fmt::Display for Draws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Laplace { scale } => write!(f, "Laplace noise of scale {scale}"),
            Self::Gaussian { sigma } => write!(f, "Gaussian noise of sigma {sigma}"),
            Self::Choice { rate, .. } => write!(f, "a choice at rate {rate}"),
            Self::Comparison { scale } => write!(f, "a comparison with noise of scale {scale}"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

/// Something that draws, from what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Primitive {
    /// Which one.
    pub label: String,
    /// How it draws.
    pub draws: Draws,
    /// How far its inputs are said to be apart; `None` if that is not said.
    pub declared: Option<Declared>,
    /// What the inputs belong to, if those of one neighbour may be missing from the other, where
    /// they count as 0.
    pub keys: Option<Vec<String>>,
    /// The inputs.
    pub inputs: Vec<Number>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A primitive drew.
    Primitive(Primitive),
    /// A decision was made.
    Branch {
        /// Which.
        label: String,
        /// Whether it was taken.
        taken: bool,
    },
    /// Something became known to whoever sees the release, so that what follows may depend on it.
    Released(String),
    /// The last primitive handed over the same in both runs, whatever its inputs.
    Settled,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(p) => {
                write!(f, "`{}` ({}, {} inputs)", p.label, p.draws, p.inputs.len())
            }
            Self::Branch { label, taken: true } => write!(f, "branch `{label}`, taken"),
            Self::Branch { label, taken: false } => write!(f, "branch `{label}`, not taken"),
            Self::Released(_) => f.write_str("something released"),
            Self::Settled => f.write_str("an answer put in place"),
        }
    }
}

/// All that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// In order.
    pub events: Vec<Event>,
    /// How many bytes were drawn before the first primitive, and from each primitive on.
    pub drawn: Vec<usize>,
    /// What came out.
    pub outcome: Result<Outcome, String>,
}

/// The source of randomness of a run that is replayed; what runs reports to it.
pub struct Recorder<'a> {
    tape: &'a mut Tape,
    events: Vec<Event>,
    drawn: Vec<usize>,
    /// Those of the next primitive.
    keys: Option<Vec<String>>,
    failure: Option<EntropyError>,
}

impl<'a> Recorder<'a> {
    pub(super) fn on(tape: &'a mut Tape) -> Self {
        Self { tape, events: Vec::new(), drawn: vec![0], keys: None, failure: None }
    }

    pub(super) fn into_trace(self, outcome: Result<Outcome, String>) -> Result<Trace, AuditError> {
        match self.failure {
            Some(failure) => Err(AuditError::target(
                format!("could not be replayed: {failure}"),
                "replay it with a source of randomness that works",
            )),
            None => Ok(Trace { events: self.events, drawn: self.drawn, outcome }),
        }
    }

    /// A primitive is about to draw.
    pub fn primitive(&mut self, mut primitive: Primitive) {
        if let Some(keys) = self.keys.take() {
            primitive.keys = Some(keys);
        }
        self.events.push(Event::Primitive(primitive));
        self.drawn.push(0);
    }

    /// The inputs of the next primitive belong to these keys; missing ones count as 0.
    pub fn keys(&mut self, keys: impl IntoIterator<Item = String>) {
        self.keys = Some(keys.into_iter().collect());
    }

    /// A primitive is about to draw, with numbers as inputs.
    pub fn noise(&mut self, label: &str, draws: Draws, declared: Declared, inputs: &[Number]) {
        let (label, inputs) = (label.to_owned(), inputs.to_vec());
        self.primitive(Primitive { label, draws, declared: Some(declared), keys: None, inputs });
    }

    /// The same, and each input with something random added.
    ///
    /// That is a stand-in, not noise of any law: what is replayed is never released, and the
    /// comparison sees the inputs.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn noisy(
        &mut self,
        label: &str,
        draws: Draws,
        declared: Declared,
        inputs: &[f64],
    ) -> Result<Vec<f64>, String> {
        let reach = draws.reach();
        let exact: Vec<Number> = inputs.iter().map(|x| Number::from(*x)).collect();
        self.noise(label, draws, declared, &exact);
        inputs.iter().map(|x| Ok(x + reach * self.uniform()?)).collect()
    }

    /// A number in [-1, 1).
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn uniform(&mut self) -> Result<f64, String> {
        let mut word = [0; 4];
        self.fill(&mut word).map_err(|error| error.to_string())?;
        Ok(f64::from(i32::from_le_bytes(word)) / 2_147_483_648.0)
    }

    /// A decision was made.
    pub fn branch(&mut self, label: &str, taken: bool) {
        self.events.push(Event::Branch { label: label.to_owned(), taken });
    }

    /// Something became known to whoever sees the release.
    pub fn released(&mut self, what: impl Into<String>) {
        self.events.push(Event::Released(what.into()));
    }
}

impl Entropy for Recorder<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let page = self.drawn.len().saturating_sub(1);
        let from = self.drawn.last().copied().unwrap_or(0);
        let read = self.tape.read(page, from, bytes);
        if let Err(failure) = &read {
            self.failure = Some(failure.clone());
        }
        if let Some(drawn) = self.drawn.last_mut() {
            *drawn += bytes.len();
        }
        read
    }

    #[cfg(feature = "replay")]
    fn observe(&mut self, event: &dyn std::any::Any) {
        super::observed::report(self, event);
    }

    #[cfg(feature = "replay")]
    fn settle(&mut self, answer: &mut [i64]) {
        if self.tape.settle(self.drawn.len().saturating_sub(1), answer) {
            self.events.push(Event::Settled);
        }
    }
}
