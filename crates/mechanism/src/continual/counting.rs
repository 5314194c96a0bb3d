//! What all counters do with a step.

use throng_sample::Entropy;

use super::estimate::Estimate;
use crate::{Guarantee, MechanismError, Release, Run, Sensitive};

/// A counter on its way.
pub(super) trait Counting {
    /// What was paid for.
    fn guarantee(&self) -> &Guarantee;

    /// How many more steps there may be; `None` for any number.
    fn left(&self) -> Option<u64>;

    /// Takes steps and estimates after each.
    fn take(&mut self, values: &[i64], run: &mut Run<'_>) -> Result<Vec<Estimate>, MechanismError>;

    /// Takes steps that were paid for.
    fn several(
        &mut self,
        values: &Sensitive<impl AsRef<[i64]> + ?Sized>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Vec<Estimate>>, MechanismError> {
        #[expect(
            clippy::disallowed_methods,
            reason = "what leaves are estimates, paid at the start"
        )]
        let values = values.expose().as_ref();
        // The number of steps is public.
        let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
        if self.left().is_some_and(|left| count > left) {
            return Err(MechanismError::refused(
                "the counter has taken all the steps it was paid for",
                "start another, or choose a longer horizon",
            ));
        }
        let estimates = self.take(values, &mut Run::start(entropy)?)?;
        Ok(Release::new(estimates, self.guarantee().clone()))
    }

    /// Takes one step that was paid for.
    fn one(
        &mut self,
        value: &Sensitive<i64>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Estimate>, MechanismError> {
        #[expect(
            clippy::disallowed_methods,
            reason = "what leaves is the estimate, paid at the start"
        )]
        let value = Sensitive::new([*value.expose()]);
        let (estimates, guarantee) = self.several(&value, entropy)?.into_parts();
        let last = estimates.last().copied();
        let last = last.ok_or_else(|| MechanismError::refused("no step was taken", "take one"))?;
        Ok(Release::new(last, guarantee))
    }
}
