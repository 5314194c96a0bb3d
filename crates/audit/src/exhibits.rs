//! The zoo: mechanisms that do not keep what they promise, and their mended twins.
//!
//! Every exhibit re-creates a mistake that was published or shipped: what it claims is what its author
//! would claim. Two neighbouring inputs on which the mistake shows are part of it, so that an auditor
//! needs nothing else to refute the claim. The twin makes the same promise on the same two inputs, and
//! keeps it: an auditor that refutes a twin raises a false alarm.
//!
//! Exhibits are simulations, never releases: they draw from a small seeded generator that anybody can
//! predict, and use floating-point arithmetic as their authors did.
//!
//! Twins give whole numbers, or multiples of a public step: whole noise is added to whole values, so
//! that rounding shows nothing. Where the noise is a rounded real number, it is the rounding of the real
//! mechanism's answer, since `x + round(z) = round(x + z)` for whole `x`.

mod composition;
mod floats;
mod integers;
mod keys;
mod local;
mod sampling;
mod scale;
mod selection;
mod sensitivity;
mod side_channels;
mod sparse;
#[cfg(test)]
mod tests;

use crate::dice::Dice;
use crate::{FromFn, Neighbours, Outcome, Target, World};

/// What runs once in a world.
type Mechanism = fn(&mut Dice, World) -> Outcome;

/// A broken mechanism with its claim, and a twin that keeps it.
///
/// ```
/// use throng_audit::exhibits::{exhibit, exhibits};
/// use throng_audit::{Outcomes, World};
/// let zoo = exhibits();
/// assert!(zoo.len() >= 36);
/// let max = exhibit("noisy-max-quiet-arm").ok_or("not in the zoo")?;
/// let mut outcomes = Outcomes::new();
/// max.broken(7).run(World::One, 100, &mut outcomes)?;
/// assert_eq!(outcomes.len(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Exhibit {
    /// What it is called: lower-case words with hyphens.
    pub name: &'static str,
    /// What it pretends to be.
    pub title: &'static str,
    /// What is wrong with it.
    pub flaw: &'static str,
    /// What the twin does instead.
    pub cure: &'static str,
    /// Where the mistake, or the right way, is described.
    pub reference: &'static str,
    /// What its author claims, as a spec expression.
    pub claim: &'static str,
    /// What "neighbouring" means in the claim.
    pub neighbours: Neighbours,
    /// With this many runs in each world a good auditor refutes the claim at confidence 0.999.
    pub runs: u64,
    broken: Mechanism,
    mended: Option<Mechanism>,
}

impl Exhibit {
    /// The broken mechanism on its two inputs.
    #[must_use]
    pub fn broken(&self, seed: u64) -> Box<dyn Target + Send> {
        target(self.broken, seed)
    }

    /// The twin on the same two inputs, if there is one.
    #[must_use]
    pub fn mended(&self, seed: u64) -> Option<Box<dyn Target + Send>> {
        self.mended.map(|mechanism| target(mechanism, seed))
    }

    /// Whether NaN is among its outcomes, which an audit must be told to accept.
    #[must_use]
    pub fn gives_nan(&self) -> bool {
        self.name == "nan-in-clamped-sum"
    }
}

fn target(mechanism: Mechanism, seed: u64) -> Box<dyn Target + Send> {
    let mut dice = Dice::seeded(seed);
    Box::new(FromFn::new(move |world| mechanism(&mut dice, world)))
}

/// All of them, grouped by idea.
#[must_use]
pub fn exhibits() -> Vec<Exhibit> {
    [
        sparse::EXHIBITS,
        floats::EXHIBITS,
        selection::EXHIBITS,
        scale::EXHIBITS,
        sensitivity::EXHIBITS,
        keys::EXHIBITS,
        sampling::EXHIBITS,
        integers::EXHIBITS,
        composition::EXHIBITS,
        local::EXHIBITS,
        side_channels::EXHIBITS,
    ]
    .concat()
}

/// The one of this name.
#[must_use]
pub fn exhibit(name: &str) -> Option<Exhibit> {
    exhibits().into_iter().find(|exhibit| exhibit.name == name)
}

/// One of two things, by world.
fn by<T>(world: World, zero: T, one: T) -> T {
    match world {
        World::Zero => zero,
        World::One => one,
    }
}

/// A list of whole numbers.
fn list(numbers: impl IntoIterator<Item = i64>) -> Outcome {
    Outcome::List(numbers.into_iter().map(Outcome::Integer).collect())
}

/// A text.
fn text(word: &str) -> Outcome {
    Outcome::Text(word.to_owned())
}
