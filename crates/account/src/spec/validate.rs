//! Which specs make sense.

mod leaf;
mod number;

use super::vocabulary::Word;
use super::{Leaf, MechanismSpec, text};
use crate::AccountError;
use number::Check;

/// How deep mechanisms may nest, a leaf counting as 1.
pub const MAX_DEPTH: u32 = 32;
/// How many leaves a spec may have.
pub const MAX_LEAVES: u32 = 100_000;
/// How often a mechanism may be repeated at once.
pub const MAX_TIMES: u64 = 1_000_000_000;
/// How often a mechanism may be repeated in all, by repetitions of repetitions.
pub const MAX_REPETITIONS: u64 = 1_000_000_000_000_000_000;
/// How many bits the numerator and the denominator of a number may have.
pub const MAX_NUMBER_BITS: u32 = 4096;

impl MechanismSpec {
    /// Whether every parameter is in its range and the whole is of a reasonable size.
    ///
    /// Everything that is read is validated; a spec made from its variants is not until this
    /// is called.
    ///
    /// # Guarantee
    /// A valid spec reads back as itself from its text and from its JSON.
    ///
    /// # Errors
    /// [`AccountError::Invalid`] with a name such as `gaussian.sigma`, or
    /// [`AccountError::TooLarge`].
    pub fn validate(&self) -> Result<(), AccountError> {
        Walk { leaves: 0 }.spec(self, Place { depth: 1, repetitions: 1 })?;
        text::check_length(self)
    }
}

/// Where in the tree.
#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    repetitions: u64,
}

impl Place {
    fn below(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

struct Walk {
    leaves: u32,
}

impl Walk {
    fn spec(&mut self, spec: &MechanismSpec, place: Place) -> Result<(), AccountError> {
        check_depth(place)?;
        match spec {
            MechanismSpec::Leaf(leaf) => self.leaf(leaf, place),
            MechanismSpec::Composed(parts) => self.several(Word::Composed, parts, place),
            MechanismSpec::Parallel(parts) => self.several(Word::Parallel, parts, place),
            MechanismSpec::Mixed(parts) => {
                Check::of(Word::Mixed).distribution("parts", parts.iter().map(|part| &part.0))?;
                parts.iter().try_for_each(|(_, part)| self.spec(part, place.below()))
            }
            MechanismSpec::PostProcessed(inner) => self.spec(inner, place.below()),
            MechanismSpec::Repeated { times, inner } => {
                let repetitions = check_times(*times, place)?;
                self.spec(inner, Place { repetitions, ..place.below() })
            }
            MechanismSpec::Sampled { rate, inner } => {
                Check::of(Word::Sampled).chance("rate", rate)?;
                self.spec(inner, place.below())
            }
            MechanismSpec::WithoutReplacement { batch, population, inner } => {
                let check = Check::of(Word::WithoutReplacement);
                check.count("batch", *batch, 1, *population, "from 1 to population")?;
                self.spec(inner, place.below())
            }
            MechanismSpec::Shuffled { users, inner } => {
                Check::of(Word::Shuffled).count("users", *users, 1, u64::MAX, "at least 1")?;
                self.spec(inner, place.below())
            }
            MechanismSpec::Allocated { chosen, steps, inner } => {
                let check = Check::of(Word::Allocated);
                check.count("steps", *steps, 1, u64::MAX, "at least 1")?;
                check.count("chosen", *chosen, 1, *steps, "from 1 to steps")?;
                self.spec(inner, place.below())
            }
            MechanismSpec::Group { size, inner } => {
                Check::of(Word::Group).count("size", *size, 1, u64::MAX, "at least 1")?;
                self.spec(inner, place.below())
            }
        }
    }

    fn several(
        &mut self,
        word: Word,
        parts: &[MechanismSpec],
        place: Place,
    ) -> Result<(), AccountError> {
        if parts.is_empty() {
            return Err(AccountError::invalid(
                word.entry().name,
                "empty",
                "at least one mechanism",
            ));
        }
        parts.iter().try_for_each(|part| self.spec(part, place.below()))
    }

    fn leaf(&mut self, leaf: &Leaf, place: Place) -> Result<(), AccountError> {
        self.leaves += 1;
        if self.leaves > MAX_LEAVES {
            return Err(too_large("the number of leaves", MAX_LEAVES));
        }
        let (mut leaf, mut place) = (leaf, place);
        leaf::check(leaf)?;
        while let Leaf::Quantised { inner, .. } = leaf {
            (leaf, place) = (inner, place.below());
            check_depth(place)?;
            leaf::check(leaf)?;
        }
        Ok(())
    }
}

fn check_depth(place: Place) -> Result<(), AccountError> {
    if place.depth > MAX_DEPTH {
        return Err(too_large("the nesting of mechanisms", MAX_DEPTH));
    }
    Ok(())
}

/// The repetitions in all, of what is below.
fn check_times(times: u64, place: Place) -> Result<u64, AccountError> {
    let allowed = "from 1 to 1000000000";
    Check::of(Word::Repeated).count("times", times, 1, MAX_TIMES, allowed)?;
    match place.repetitions.checked_mul(times) {
        Some(all) if all <= MAX_REPETITIONS => Ok(all),
        Some(_) | None => Err(too_large("the number of repetitions in all", MAX_REPETITIONS)),
    }
}

fn too_large(what: impl Into<String>, limit: impl Into<u64>) -> AccountError {
    AccountError::TooLarge { what: what.into(), limit: limit.into().to_string() }
}
