//! The exact layer: mechanisms whose probabilities are known are held against their claim without
//! sampling.
//!
//! An [`ExactLaw`] says how likely each of its outcomes is, as certified enclosures. Two laws have a
//! certified [`hockey_stick`] divergence, and [`refute`] finds an ε at which it is above what a claim
//! allows. What is refuted here is refuted for sure: there is no false alarm to state.
//!
//! [`check`] does so for all pairs of neighbours it is given; [`neighbouring`] lists all small ones.
//!
//! ```
//! use throng_audit::exact::{check, neighbouring};
//! use throng_account::{Accuracy, PrivacyLoss};
//! use throng_mechanism::count::{Count, Matches};
//! use throng_mechanism::{Mechanism, Neighbours};
//! let under = Neighbours::Replace;
//! let count = Count::pure(Matches, &1.into(), under)?;
//! let own = PrivacyLoss::of_spec(&count.spec(), under, Accuracy::default())?;
//! let pairs = neighbouring(under, &[false, true], 2);
//! assert!(check(&count, &own, &pairs)?.is_none());
//! let less = PrivacyLoss::of_spec(&"pure(eps=0.999999)".parse()?, under, Accuracy::default())?;
//! let found = check(&count, &less, &pairs)?;
//! assert!(found.is_some_and(|found| found.witness.delta > found.witness.claimed));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choice;
mod divergence;
mod keys;
mod law;
mod noise;
mod pairs;
mod poisson;
mod refute;
mod response;
mod sparse_vector;

use crate::AuditError;

pub use choice::{by_energy, exponential_law, noisy_max_law, permute_and_flip_law};
pub use divergence::{epsilon_lower, hockey_stick};
pub use keys::threshold_law;
pub use law::Law;
pub use noise::noise_law;
pub use pairs::{Pair, neighbouring, sequences};
pub use poisson::poisson_law;
pub use refute::{Curve, ExactWitness, Found, check, refute};
pub use sparse_vector::above_threshold_law;

/// A mechanism that knows how likely each of its outcomes is.
pub trait ExactLaw {
    /// The data.
    type Input: ?Sized;
    /// What is released.
    type Outcome: Ord + Clone;

    /// The law of the outcome on some data.
    ///
    /// # Guarantee
    /// The law is what is listed, each chance within its enclosure, plus a measure whose mass is
    /// within [`Law::left_out`].
    ///
    /// # Errors
    /// If there are too many outcomes to list, or the data does not fit the mechanism.
    fn law(&self, input: &Self::Input) -> Result<Law<Self::Outcome>, AuditError>;
}

/// Laws given by a function: any law that is known, of a mechanism or of a mutant of it.
impl<D: ?Sized, T: Ord + Clone> ExactLaw for Box<dyn Fn(&D) -> Result<Law<T>, AuditError>> {
    type Input = D;
    type Outcome = T;

    fn law(&self, input: &D) -> Result<Law<T>, AuditError> {
        self(input)
    }
}
