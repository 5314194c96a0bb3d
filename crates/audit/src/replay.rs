//! Grey-box replay: a mechanism on two neighbouring inputs with the *same* randomness.
//!
//! Everything that goes on inside is compared: which primitives ask for noise, with which parameters,
//! how far their inputs are apart and how far they were said to be, which branches were taken, how much
//! randomness was used, and what came out: errors, kinds, lengths, order. A run costs microseconds and a
//! wrong sensitivity shows in a single one, which would take a black box thousands of samples, or
//! millions.
//!
//! What is run reports to a [`Recorder`], which is also its source of randomness. Throng's own
//! mechanisms do so by themselves, under the feature `replay`; any other code calls it:
//!
//! ```
//! use throng_audit::replay::{Declared, Draws, Recorder, Tape, Watch, replay};
//! use throng_audit::{AuditError, Outcome};
//! use throng_sample::OsEntropy;
//!
//! /// A sum of numbers in [0, 10], with noise for a distance of 10.
//! fn sum(rows: &Vec<f64>, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
//!     let sum: f64 = rows.iter().map(|x| x.clamp(0.0, 10.0)).sum();
//!     let noisy = recorder.noisy("sum", Draws::laplace(10.0), Declared::l1(10.0), &[sum])?;
//!     Ok(Outcome::Number(noisy[0]))
//! }
//!
//! let mut tape = Tape::new(Box::new(OsEntropy));
//! let found = replay(&sum, [&vec![1.0], &vec![1.0, 99.0]], &mut tape, &Watch::default())?;
//! assert!(found.is_empty());
//! // clamp lets NaN pass.
//! let found = replay(&sum, [&vec![1.0], &vec![1.0, f64::NAN]], &mut tape, &Watch::default())?;
//! assert!(found[0].to_string().contains("sum"));
//! # Ok::<(), AuditError>(())
//! ```
//!
//! # Adaptive mechanisms
//! Where later primitives look at data through earlier answers (steps of a descent), two runs soon do
//! different things for a good reason. [`Watch::coupled`] hands the second run the answers of the first: then
//! each primitive must have inputs as close as declared *given* all answers before it, which is what
//! adaptive composition asks for, and the releases must be equal to the last bit, as they are functions of
//! the answers.
//!
//! # What a finding is worth
//! Inputs that are further apart than declared, on neighbours, are a wrong declaration, whatever the
//! noise; so are noise or flow that depend on data where nothing released explains it. Not every finding
//! is an attack: it is what has to be explained before the claim is believed. No finding is no proof.
//!
//! Queries of the project are replayed where the engine is at hand, with the numbers behind each release
//! in place of a recorder: `crates/query/tests/it/neighbours.rs`.
//!
//! # Reference
//! T. Cebere, D. Erb, D. Desfontaines, A. Bellet, J. Fitzsimons (2026), on testing libraries this way.

mod compare;
mod cost;
mod finding;
pub mod fuzz;
mod number;
#[cfg(feature = "replay")]
mod observed;
mod recorder;
mod tape;

pub use compare::{Watch, compare};
pub use cost::Claimed;
pub use finding::Finding;
pub use number::{Declared, Norm, Number};
pub use recorder::{Draws, Event, Primitive, Recorder, Trace};
pub use tape::Tape;

use crate::error::unless_given_up;
use crate::{AuditError, Outcome};

/// Anything that can be run on data with a recorder.
pub trait Replayed<D: ?Sized> {
    /// Runs once.
    ///
    /// # Errors
    /// Whatever the caller of the real thing would see, in words.
    fn run(&self, data: &D, recorder: &mut Recorder<'_>) -> Result<Outcome, String>;
}

impl<D: ?Sized, F> Replayed<D> for F
where
    F: Fn(&D, &mut Recorder<'_>) -> Result<Outcome, String>,
{
    fn run(&self, data: &D, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
        self(data, recorder)
    }
}

/// Runs a target on two neighbours with the same randomness, and compares.
///
/// # Errors
/// If there is no randomness; a target that fails is not an error, but may be a finding.
pub fn replay<D: ?Sized>(
    target: &(impl Replayed<D> + ?Sized),
    neighbours: [&D; 2],
    tape: &mut Tape,
    watch: &Watch,
) -> Result<Vec<Finding>, AuditError> {
    unless_given_up()?;
    tape.forget();
    if watch.coupled {
        tape.couple();
    }
    let [zero, one] = neighbours;
    let zero = tape.record(|recorder| target.run(zero, recorder))?;
    let one = tape.record(|recorder| target.run(one, recorder))?;
    Ok(compare([&zero, &one], watch))
}
