//! Describe, check, pay, fit, hand over.

use throng_mechanism::{Budget, Mechanism, Release, Sensitive};
use throng_sample::Entropy;

use crate::LearnError;

/// A mechanism whose input is a table and whose output is a model.
///
/// # Contract
/// As for [`Mechanism`], for neighbours that differ in one record; and whatever passes
/// [`Learner::check`] is fitted without an error.
pub trait Learner: Mechanism {
    /// Whether the table has the shape that the learner was made for.
    ///
    /// It looks at what is the same on all neighbours: the number of columns, not what is in them and
    /// not how many rows there are.
    ///
    /// # Errors
    /// If it has not.
    fn check(&self, input: &Self::Input) -> Result<(), LearnError>;

    /// Checks the shape, pays from a budget, and fits; what fails before it is paid costs nothing.
    ///
    /// # Guarantee
    /// That of [`Mechanism::spec`] under [`Mechanism::neighbours`].
    ///
    /// # Errors
    /// If the shape is wrong or the budget does not cover it, then nothing is spent; or if no noise can
    /// be drawn, or whoever waits gives up ([`throng_numeric::patience`]): what was paid stays paid.
    fn fit(
        &self,
        input: &Sensitive<Self::Input>,
        budget: &mut Budget,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Self::Output>, LearnError> {
        #[expect(clippy::disallowed_methods, reason = "what is looked at is no secret")]
        self.check(input.expose())?;
        let permit = budget.permit(self)?;
        Ok(self.run(input, permit, entropy)?)
    }
}
