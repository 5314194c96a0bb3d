//! The law of a privacy loss in one direction, as the inversion sees it.
//!
//! L = ln(dP/dQ) under P, restricted to where it is finite; what is infinite is kept apart. The
//! inversion needs the transform M(z) = E[e^(zL)] on a vertical line Re z = c > 0, that is the
//! characteristic function of the *tilted* law with density e^(cl)/M(c).

pub(crate) mod atoms;
pub(crate) mod bands;
pub(crate) mod blend;
pub(crate) mod divisible;
pub(crate) mod gaussian;
pub(crate) mod laplace;
pub(crate) mod minorant;
pub(crate) mod product;
pub(crate) mod shifted;

use std::fmt::Debug;
use std::sync::Arc;

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::Disc;

/// Where a transform will be evaluated: at u = j * spacing, for u up to `reach`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    /// The real part, not negative.
    pub(crate) c: f64,
    /// The distance of neighbouring nodes.
    pub(crate) spacing: f64,
    /// No node lies beyond this.
    pub(crate) reach: f64,
    /// ln of how many times the law is repeated: its errors are magnified so often.
    pub(crate) log_times: f64,
}

/// The law of a finite privacy loss, possibly of total mass below 1.
pub(crate) trait Law: Debug + Send + Sync {
    /// Estimates of K(c) = ln M(c), K'(c), K''(c); they only steer the choice of the line.
    fn cumulants(&self, c: f64) -> [f64; 3];

    /// No loss is larger than this.
    fn ceiling(&self) -> f64;

    /// A loss, about the largest, that is reached with positive chance, and a lower bound of that
    /// chance; None, if none is known.
    fn attained(&self) -> Option<(f64, f64)> {
        None
    }

    /// ln M(c).
    fn log_moment(&self, c: f64) -> Result<Enclosure, AccountError>;

    /// The law without its largest losses, of total chance at most `budget`, and an upper bound
    /// of what was left out; None if nothing can be.
    fn truncated(&self, _budget: f64) -> Option<(Arc<dyn Law>, f64)> {
        None
    }

    /// The tilted law, ready to be evaluated on a line.
    fn tilt(&self, line: Line) -> Result<Box<dyn Tilted>, AccountError>;
}

/// How many consecutive nodes are computed at once.
pub(crate) const BLOCK: usize = 64;

/// The characteristic function phi(u) = M(c + iu)/M(c) of a tilted law.
pub(crate) trait Tilted: Debug + Send + Sync {
    /// ln M(c).
    fn log_moment(&self) -> Enclosure;

    /// Writes phi(u) - 1 at the nodes `first`, `first + 1`, ... (at most [`BLOCK`] of them).
    fn fill(&self, first: u64, out: &mut [Disc]);

    /// An upper bound of ln |phi(u')| over *all* u' >= u; not above 0, non-increasing in u.
    fn log_decay(&self, u: f64) -> f64;

    /// A distance t such that ln |phi| <= `log_bound` on [u, u + t]; 0 if none is known.
    fn leap(&self, u: f64, log_bound: f64) -> f64;
}
