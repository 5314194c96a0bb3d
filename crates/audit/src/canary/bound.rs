//! The largest chance that a claim allows a number of right guesses.

use super::{certificate, one_run};
use crate::AuditError;
use crate::error::unless_given_up;
use crate::region::Region;

/// So many right guesses, or more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tail {
    /// Canaries.
    pub(super) canaries: usize,
    /// Guesses about them.
    pub(super) made: usize,
    /// Right ones.
    pub(super) right: usize,
}

impl Tail {
    /// An upper bound of the chance of this many right guesses or more.
    ///
    /// # Guarantee
    /// For every run that a region holds for, in both directions: each of the bounds does, and so does
    /// the smallest, since all are about the same event and look at nothing but counts.
    pub(super) fn bound(&self, region: &Region) -> Result<f64, AuditError> {
        let mut best = certificate::bound(self, region);
        for line in one_run::candidates(region) {
            unless_given_up()?;
            best = best.min(certificate::bound_by(self, line));
            best = best.min(one_run::bound(self, line)?);
        }
        Ok(best)
    }
}
