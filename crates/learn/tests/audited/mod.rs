//! Everything that learns, as it is audited: each kind of model by each of its methods, and what else of the
//! crate looks at private tables.

pub mod learners;
pub mod others;
pub mod tables;

use serde_json::Value;
use throng_account::{MechanismSpec, Target};
use throng_learn::any::{Table, Task};
use throng_learn::{LearnError, Privacy};
use throng_mechanism::{Mechanism, Neighbours, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::Entropy;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Epsilon alone.
    Pure,
    /// Epsilon and a delta of 1e-5.
    Approximate,
    /// Gaussian privacy.
    Gaussian,
}

pub const WANTED: [Wanted; 3] = [Wanted::Pure, Wanted::Approximate, Wanted::Gaussian];
pub const RELATIONS: [Neighbours; 2] = [Neighbours::AddRemove, Neighbours::Replace];

impl Wanted {
    /// Of this size, under a relation.
    pub fn privacy(self, size: f64, under: Neighbours) -> Privacy {
        let target = match self {
            Self::Pure => Target::Epsilon { epsilon: size, delta: 0.0 },
            Self::Approximate => Target::Epsilon { epsilon: size, delta: 1e-5 },
            Self::Gaussian => Target::Gdp { mu: size },
        };
        Privacy::new(target, under).unwrap()
    }
}

/// Runs once; what leaves, as JSON.
pub type Running = Box<dyn Fn(&Table, &mut dyn Entropy) -> Result<Value, String>>;

/// Something that looks at private tables.
pub struct Subject {
    /// What it is.
    pub title: String,
    /// What its tables have.
    pub task: Task,
    /// How many columns its tables have, once encoded.
    pub columns: usize,
    /// What it says it costs.
    pub spec: MechanismSpec,
    /// Under which relation.
    pub under: Neighbours,
    pub run: Running,
}

/// A way to make a subject.
pub struct Case {
    /// The kind and the method.
    pub title: &'static str,
    pub make: Making,
}

/// Makes a subject for a guarantee and tables that are wide, or have two columns of numbers.
pub type Making = Box<dyn Fn(&Privacy, bool) -> Result<Subject, LearnError>>;

/// All of them.
pub fn cases() -> Vec<Case> {
    learners::cases().into_iter().chain(others::cases()).collect()
}

/// A permit that nobody paid for.
pub fn free<M: Mechanism + ?Sized>(mechanism: &M) -> Permit {
    let nothing = throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
    Permit::issue(mechanism.spec(), mechanism.neighbours(), nothing)
}

/// Runs a mechanism on a table.
pub fn ran<M: Mechanism + ?Sized>(
    mechanism: &M,
    table: M::Input,
    entropy: &mut dyn Entropy,
) -> Result<M::Output, String>
where
    M::Input: Sized,
{
    let release = mechanism.run(&Sensitive::new(table), free(mechanism), entropy);
    release.map(|release| release.into_parts().0).map_err(|error| error.to_string())
}
