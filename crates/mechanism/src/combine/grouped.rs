//! The guarantee for several units at once.

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::shape;
use crate::{Mechanism, MechanismError, Run};

/// A mechanism described by what it promises to `size` units together, such as a household.
///
/// # Guarantee
/// That of the mechanism for data sets that differ in up to `size` units: by a chain of neighbours
/// from one to the other, and for noise by the sum of what the units contribute.
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
        let whole = Box::new(as_a_whole(inner.spec()));
        let spec = MechanismSpec::Group { size, inner: whole }.validated()?;
        Ok(Self { inner, spec })
    }
}

/// The same in a form that the accountant does not take apart, unless it may: a choice of one.
fn as_a_whole(spec: MechanismSpec) -> MechanismSpec {
    if shape::is_grouped_by_part(&spec) {
        return spec;
    }
    MechanismSpec::Mixed(vec![(Rational::ONE, spec)])
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
