//! The guarantee for several units at once.

use throng_account::{MechanismSpec, Neighbours};

use super::shape;
use crate::{Mechanism, MechanismError, Run};

/// A mechanism described by what it promises to `size` units together, such as a household.
///
/// # Guarantee
/// That of the mechanism for data sets that differ in up to `size` units.
///
/// Discrete Gaussian noise told to the accountant as such is refused: several units may move several cells
/// by a little where one unit moves one, and that one cell that moves by the sum is the worst
/// case is proved for Laplace noise and for normal noise only.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped<M> {
    inner: M,
    spec: MechanismSpec,
}

impl<M: Mechanism> Grouped<M> {
    /// The guarantee for `size` units.
    ///
    /// # Errors
    /// If the size is 0, or there is no proof for the mechanism.
    pub fn new(size: u64, inner: M) -> Result<Self, MechanismError> {
        if size > 1 && !shape::is_known_for_groups(&inner.spec()) {
            return Err(MechanismError::refused(
                "discrete Gaussian noise on cells has no proved guarantee for groups",
                "make the noise for a distance in L2 (Noise::gaussian)",
            ));
        }
        let spec = MechanismSpec::Group { size, inner: Box::new(inner.spec()) }.validated()?;
        Ok(Self { inner, spec })
    }
}

impl<M: Mechanism> Mechanism for Grouped<M> {
    type Input = M::Input;
    type Output = M::Output;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.inner.neighbours()
    }

    fn answer(&self, input: &M::Input, run: &mut Run<'_>) -> Result<M::Output, MechanismError> {
        self.inner.answer(input, run)
    }
}
