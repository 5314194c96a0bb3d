//! The right to run one mechanism once.

use throng_account::filter::Budget as Amount;
use throng_account::{MechanismSpec, Neighbours};

use crate::{Guarantee, MechanismError};

/// The right to run one described mechanism once; paid for before it exists.
///
/// It cannot be cloned, is consumed by the run, and stays spent if it is dropped or the run
/// fails: a crash may cost budget, never privacy.
///
/// ```compile_fail
/// fn twice(permit: throng_mechanism::Permit) -> [throng_mechanism::Permit; 2] {
///     [permit.clone(), permit]
/// }
/// ```
#[must_use = "it is paid for: without a run it is lost"]
#[derive(Debug)]
pub struct Permit {
    spec: MechanismSpec,
    under: Neighbours,
    cost: Amount,
}

impl Permit {
    /// A permit for a mechanism whose cost has been charged.
    ///
    /// For keepers of budgets only, and only after the charge is recorded as durably as they
    /// promise; a lint refuses it elsewhere.
    pub const fn issue(spec: MechanismSpec, under: Neighbours, cost: Amount) -> Self {
        Self { spec, under, cost }
    }

    /// What was paid for.
    #[must_use]
    pub const fn spec(&self) -> &MechanismSpec {
        &self.spec
    }

    /// Gives the permit up for one run of exactly the mechanism it was bought for.
    ///
    /// # Errors
    /// If the permit is for another mechanism or relation; it is spent all the same.
    pub(crate) fn redeem(
        self,
        spec: &MechanismSpec,
        under: Neighbours,
    ) -> Result<Guarantee, MechanismError> {
        if self.spec == *spec && self.under == under {
            return Ok(Guarantee { spec: self.spec, under, cost: Some(self.cost) });
        }
        Err(MechanismError::refused(
            format!("the permit is for {} under {}", self.spec, self.under),
            format!("buy one for {spec} under {under}"),
        ))
    }
}
