//! Every mechanism of the crate, once or more, with hostile inputs and neighbouring pairs: the
//! table that the conformance suite and the audit go through.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests may fail, and each uses a part"
)]

mod bayes;
mod choices;
mod combined;
pub mod inputs;
mod keys;
mod local;
mod numbers;
mod randomised;
mod streams;

use std::borrow::Borrow;
use std::fmt::Debug;

use throng_account::MechanismSpec;
use throng_account::filter::Budget as Amount;
use throng_mechanism::{Interval, Mechanism, MechanismError, Neighbours, Noisy, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::Entropy;

/// Which data a case runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// One of the hostile inputs.
    Hostile(usize),
    /// One side of a neighbouring pair; the first pair is a worst case, or near it.
    Side(usize, bool),
    /// One side of a neighbouring pair of the wrong public shape: it must be refused.
    Misfit(usize, bool),
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The release in few values: post-processing, for the audit.
    pub bin: i64,
    /// What is wrong with the release; only looked for if asked.
    pub faults: Vec<String>,
    /// What the mechanism or its session prints after the run.
    pub shown: String,
}

type Runner = Box<dyn Fn(Data, bool, Permit, &mut dyn Entropy) -> Result<Outcome, MechanismError>>;

/// One mechanism with its data.
pub struct Case {
    /// The type that is a mechanism, or that starts sessions.
    pub name: &'static str,
    /// Which of several cases of the type.
    pub variant: &'static str,
    pub under: Neighbours,
    pub hostile: usize,
    pub pairs: usize,
    pub misfits: usize,
    spec: Box<dyn Fn() -> MechanismSpec>,
    run: Runner,
}

impl Case {
    pub fn spec(&self) -> MechanismSpec {
        (self.spec)()
    }

    /// A permit that nobody paid for.
    pub fn permit(&self) -> Permit {
        let nothing = Amount::Pure { epsilon: Rational::ZERO };
        Permit::issue(self.spec(), self.under, nothing)
    }

    /// A run whose release is looked at closely.
    pub fn judged(
        &self,
        data: Data,
        permit: Permit,
        entropy: &mut dyn Entropy,
    ) -> Result<Outcome, MechanismError> {
        (self.run)(data, true, permit, entropy)
    }

    /// The bin of one run.
    pub fn bin(&self, side: bool, entropy: &mut dyn Entropy) -> i64 {
        (self.run)(Data::Side(0, side), false, self.permit(), entropy).unwrap().bin
    }

    /// The same case under another name.
    fn called(self, variant: &'static str) -> Self {
        Self { variant, ..self }
    }
}

/// Hostile inputs, neighbouring pairs, and pairs that must be refused.
pub struct Rows<D> {
    pub hostile: Vec<D>,
    pub pairs: Vec<[D; 2]>,
    pub misfits: Vec<[D; 2]>,
}

impl<D> Rows<D> {
    fn of(hostile: Vec<D>, pairs: Vec<[D; 2]>) -> Self {
        Self { hostile, pairs, misfits: Vec::new() }
    }

    fn with_misfits(self, misfits: Vec<[D; 2]>) -> Self {
        Self { misfits, ..self }
    }

    fn sealed(self) -> Rows<Sensitive<D>> {
        let both = |pairs: Vec<[D; 2]>| pairs.into_iter().map(|p| p.map(Sensitive::new)).collect();
        Rows {
            hostile: self.hostile.into_iter().map(Sensitive::new).collect(),
            pairs: both(self.pairs),
            misfits: both(self.misfits),
        }
    }

    fn at(&self, data: Data) -> &D {
        match data {
            Data::Hostile(i) => &self.hostile[i],
            Data::Side(i, side) => &self.pairs[i][usize::from(side)],
            Data::Misfit(i, side) => &self.misfits[i][usize::from(side)],
        }
    }
}

/// A mechanism with its data; `bin` and `faults` read its releases.
fn case<M, D>(
    name: &'static str,
    mechanism: M,
    rows: Rows<D>,
    bin: impl Fn(&M::Output) -> i64 + 'static,
    faults: impl Fn(&M::Output) -> Vec<String> + 'static,
) -> Case
where
    M: Mechanism + Debug + 'static,
    D: Borrow<M::Input> + 'static,
{
    let (hostile, pairs, misfits) = (rows.hostile.len(), rows.pairs.len(), rows.misfits.len());
    let rows = rows.sealed();
    let mechanism = std::rc::Rc::new(mechanism);
    let under = mechanism.neighbours();
    let own = std::rc::Rc::clone(&mechanism);
    let run: Runner = Box::new(move |data, judged, permit, entropy| {
        let release = mechanism.run_on(rows.at(data), permit, entropy)?;
        let bin = if matches!(data, Data::Side(..)) { bin(release.value()) } else { 0 };
        if !judged {
            return Ok(Outcome { bin, faults: Vec::new(), shown: String::new() });
        }
        let faults = faults(release.value());
        Ok(Outcome { bin, faults, shown: format!("{mechanism:?}") })
    });
    let spec = Box::new(move || own.spec());
    Case { name, variant: "", under, hostile, pairs, misfits, spec, run }
}

/// A session with its data: `run` starts it, feeds it the stream, and reads all its releases.
fn session<S: 'static>(
    name: &'static str,
    (spec, under): (MechanismSpec, Neighbours),
    rows: Rows<Vec<i64>>,
    start: impl Fn(Permit, &mut dyn Entropy) -> Result<S, MechanismError> + 'static,
    feed: impl Fn(&mut S, &[i64], bool, &mut dyn Entropy) -> Result<Outcome, MechanismError> + 'static,
) -> Case {
    let (hostile, pairs, misfits) = (rows.hostile.len(), rows.pairs.len(), rows.misfits.len());
    let run: Runner = Box::new(move |data, judged, permit, entropy| {
        let mut session = start(permit, entropy)?;
        feed(&mut session, rows.at(data), judged, entropy)
    });
    let spec = Box::new(move || spec.clone());
    Case { name, variant: "", under, hostile, pairs, misfits, spec, run }
}

/// The whole table, for mechanisms of strength `epsilon`: each is built so that its cost grows with
/// it.
pub fn table(epsilon: &Rational) -> Vec<Case> {
    let parts = [
        numbers::cases,
        bayes::cases,
        keys::cases,
        choices::cases,
        local::cases,
        randomised::cases,
        streams::cases,
        combined::cases,
    ];
    parts.into_iter().flat_map(|cases| cases(epsilon)).collect()
}

/// A number from text.
fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

/// 1/x.
fn inverse(x: &Rational) -> Rational {
    Rational::ONE.checked_div(x).unwrap()
}

/// What is wrong with a released number.
fn of_number(what: &str, x: f64) -> Vec<String> {
    if x.is_finite() { Vec::new() } else { vec![format!("{what} is {x}")] }
}

/// What is wrong with an interval that should hold `x`.
fn of_interval(interval: Interval, x: f64) -> Vec<String> {
    let (low, high) = (interval.lower, interval.upper);
    let ordered = low <= x && x <= high && low < f64::INFINITY && high > f64::NEG_INFINITY;
    if ordered { Vec::new() } else { vec![format!("{x} is not in [{low}, {high}]")] }
}

/// What is wrong with noisy numbers.
fn of_noisy(noisy: &Noisy) -> Vec<String> {
    let mut faults = Vec::new();
    for x in noisy.values() {
        faults.extend(of_number("a value", x));
    }
    for i in 0..noisy.len().min(3) {
        faults.extend(of_interval(noisy.interval(i, 0.95).unwrap(), noisy.value(i)));
    }
    faults.extend(of_number("a half width", noisy.half_width_of_all(0.9).unwrap()));
    faults.extend(of_number("a deviation", noisy.standard_deviation().unwrap()));
    faults
}

/// The steps of a noisy number, in units and clipped.
fn clipped(noisy: &Noisy, index: usize, unit: i64, most: i64) -> i64 {
    noisy.steps()[index].div_euclid(unit).clamp(-most, most)
}
