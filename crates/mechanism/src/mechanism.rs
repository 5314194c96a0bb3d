//! Describe, pay, run, hand over.

use std::borrow::Borrow;

use throng_account::{MechanismSpec, Neighbours};
use throng_sample::Entropy;

use crate::replay::Observed;
use crate::{MechanismError, Permit, Release, Sensitive};

/// One paid-for run: the only access to noise that a mechanism has.
pub struct Run<'a> {
    entropy: &'a mut dyn Entropy,
}

impl<'a> Run<'a> {
    /// Starts a run with fresh randomness, so that a machine resumed twice from one snapshot
    /// does not draw the same noise twice.
    pub(crate) fn start(entropy: &'a mut dyn Entropy) -> Result<Self, MechanismError> {
        entropy.refresh()?;
        Ok(Self { entropy })
    }

    /// Reports to an auditor; nothing at all without the feature `replay`.
    #[cfg(feature = "replay")]
    pub(crate) fn observe(&mut self, event: impl FnOnce() -> Observed) {
        self.entropy.observe(&event());
    }

    #[cfg(not(feature = "replay"))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "the auditor's build reports")]
    pub(crate) fn observe(&mut self, _: impl FnOnce() -> Observed) {}

    /// Reports that the inputs of the next primitive belong to these keys.
    #[cfg(feature = "replay")]
    pub(crate) fn observe_keys<K: std::hash::Hash>(&mut self, keys: &[K]) {
        let keys = keys.iter().map(crate::replay::fingerprint).collect();
        self.entropy.observe(&Observed::Keys(keys));
    }

    #[cfg(not(feature = "replay"))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "the auditor's build reports")]
    pub(crate) fn observe_keys<K: std::hash::Hash>(&mut self, _: &[K]) {}

    /// Lets an auditor decide what is handed over; nothing at all without the feature `replay`.
    #[cfg(feature = "replay")]
    pub(crate) fn settle(&mut self, answer: &mut [i64]) {
        self.entropy.settle(answer);
    }

    #[cfg(not(feature = "replay"))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "the auditor's build asks")]
    pub(crate) fn settle(&mut self, _: &mut [i64]) {}

    /// The same for a place in a list.
    pub(crate) fn settled(&mut self, place: usize) -> usize {
        let mut answer = [i64::try_from(place).unwrap_or(i64::MAX)];
        self.settle(&mut answer);
        usize::try_from(answer[0]).unwrap_or(place)
    }

    /// Where the noise comes from.
    pub fn entropy(&mut self) -> &mut dyn Entropy {
        self.entropy
    }
}

/// A randomised algorithm that describes what it costs.
///
/// # Contract
/// Implementors promise that, whatever the input, [`Mechanism::answer`] is at least as private
/// under [`Mechanism::neighbours`] as [`Mechanism::spec`] says; that neither depends on private
/// data; and that whether it fails does not depend on private data either.
pub trait Mechanism {
    /// The private data.
    type Input: ?Sized;
    /// What is released.
    type Output;

    /// What it is worth: its description to the accountant.
    fn spec(&self) -> MechanismSpec;

    /// What "differ in one unit" means for it.
    fn neighbours(&self) -> Neighbours;

    /// Whether the input is a slice of records each of which is a unit: neighbours have one record
    /// more or less, or another in its place, wherever in the slice.
    ///
    /// Not so if entries are cells that several units share, or if a unit has several entries. What
    /// samples or splits records asks this first: a vector of cells that loses one has told that it
    /// did. Implementors say so only where the contract holds for all such slices, of any length.
    fn units_are_records(&self) -> bool {
        false
    }

    /// The randomised answer. Callers use [`Mechanism::run`].
    ///
    /// # Errors
    /// Never for a reason that lies in the data.
    fn answer(
        &self,
        input: &Self::Input,
        run: &mut Run<'_>,
    ) -> Result<Self::Output, MechanismError>;

    /// Runs once, on a permit bought for exactly this mechanism.
    ///
    /// # Guarantee
    /// That of [`Mechanism::spec`] under [`Mechanism::neighbours`].
    ///
    /// # Errors
    /// If the permit is for something else (it is spent all the same) or no noise can be drawn.
    fn run(
        &self,
        input: &Sensitive<Self::Input>,
        permit: Permit,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Self::Output>, MechanismError> {
        #[expect(clippy::disallowed_methods, reason = "paid for, and what leaves is the answer")]
        paid(self, input.expose(), permit, entropy)
    }

    /// Runs once on data that is held in another form: a vector or an array where the input is a
    /// slice.
    ///
    /// # Guarantee
    /// As for [`Mechanism::run`].
    ///
    /// # Errors
    /// As for [`Mechanism::run`].
    fn run_on<D>(
        &self,
        input: &Sensitive<D>,
        permit: Permit,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Self::Output>, MechanismError>
    where
        Self: Sized,
        D: Borrow<Self::Input> + ?Sized,
    {
        #[expect(clippy::disallowed_methods, reason = "paid for, and what leaves is the answer")]
        paid(self, input.expose().borrow(), permit, entropy)
    }
}

fn paid<M: Mechanism + ?Sized>(
    mechanism: &M,
    input: &M::Input,
    permit: Permit,
    entropy: &mut dyn Entropy,
) -> Result<Release<M::Output>, MechanismError> {
    let guarantee = permit.redeem(&mechanism.spec(), mechanism.neighbours())?;
    let mut run = Run::start(entropy)?;
    let value = mechanism.answer(input, &mut run)?;
    Ok(Release::new(value, guarantee))
}
