//! Monotone search whose safe end is certified.
//!
//! Calibration asks questions such as "the smallest noise for which delta is *certainly* at
//! most 1e-6". The answer must be a point at which the claim was evaluated and found to hold,
//! never one between two evaluations. Every search here keeps that promise without trusting
//! the function it is given: monotonicity only decides *how good* the answer is (how near to
//! the true boundary), never whether it is certified.
//!
//! # Why it always ends
//! The finite `f64`, sorted, are numbered by integers of 64 bits ([`rank`]). Halving an interval
//! of ranks takes at most 64 steps whatever the ends are: from the smallest subnormal to the
//! largest number, or across zero. No tolerance is needed to end, only to end sooner.

mod crossing;

pub use crossing::{Crossing, Trend, solve};

use crate::{Enclosure, NumericError};

/// What is known of a claim at one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The claim is proved here.
    Holds,
    /// The claim is disproved here.
    Fails,
    /// Neither is proved; a search treats this like [`Verdict::Fails`].
    Unknown,
}

impl Verdict {
    /// Whether a quantity is at most `limit`, as far as its enclosure tells.
    #[must_use]
    pub fn at_most(quantity: Enclosure, limit: f64) -> Self {
        if quantity.upper() <= limit {
            Self::Holds
        } else if quantity.lower() > limit {
            Self::Fails
        } else {
            Self::Unknown
        }
    }

    /// Whether a quantity is at least `limit`, as far as its enclosure tells.
    #[must_use]
    pub fn at_least(quantity: Enclosure, limit: f64) -> Self {
        Self::at_most(-quantity, -limit)
    }
}

/// When two points are near enough for a search to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// A distance that is near enough.
    pub absolute: f64,
    /// A distance, divided by the larger magnitude of the two points, that is near enough.
    pub relative: f64,
}

impl Tolerance {
    /// Search until the two points are neighbouring numbers.
    pub const NONE: Self = Self { absolute: 0.0, relative: 0.0 };

    /// Near enough when the distance is a given fraction of the points.
    #[must_use]
    pub fn relative(relative: f64) -> Self {
        Self { absolute: 0.0, relative }
    }

    /// A NaN in the tolerance, or an infinite distance, compares false: the search goes on.
    fn admits(self, a: f64, b: f64) -> bool {
        let distance = (a - b).abs();
        distance <= self.absolute || distance <= self.relative * a.abs().max(b.abs())
    }
}

/// Two evaluated points: at one the claim was proved, at the other it was not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boundary<T = f64> {
    /// Where the claim was evaluated and found to hold: the safe end.
    pub holds: T,
    /// Where the claim was evaluated and not shown to hold.
    pub not_shown: T,
    /// What was found at `not_shown`: that the claim fails, or that nothing is known.
    pub verdict: Verdict,
}

/// The place of a finite `f64` among all `f64` in order; -0 comes just before 0.
#[must_use]
pub fn rank(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The `f64` with this [`rank`].
#[must_use]
pub fn of_rank(rank: u64) -> f64 {
    f64::from_bits(if rank >> 63 == 1 { rank & !(1 << 63) } else { !rank })
}

/// Finds where a monotone claim about `f64` begins to hold.
///
/// `not_shown` and `holds` are the two ends of the range, in either order, so the claim may hold
/// above or below the boundary. Both ends are evaluated first.
///
/// # Guarantee
/// At the returned `holds` the claim was evaluated and was [`Verdict::Holds`]; at the returned
/// `not_shown` it was evaluated and was not. That is so for *any* closure, monotone or not.
/// At most 66 evaluations. If the claim is monotone, the true boundary of what the closure can
/// certify lies between the two points.
///
/// # Errors
/// [`NumericError::NotBracketed`] if the claim is not proved at the end given as `holds`, or is
/// proved at the end given as `not_shown`; [`NumericError::NotFinite`] for an end that is not
/// a number; whatever the closure returns as an error.
///
/// ```
/// use throng_numeric::search::{Tolerance, Verdict, boundary};
/// use throng_numeric::{Enclosure, NumericError};
/// // The smallest x with x^2 >= 2, certainly.
/// let root = boundary(0.0, 2.0, Tolerance::NONE, |x| {
///     Ok::<_, NumericError>(Verdict::at_least(Enclosure::point(x)?.square(), 2.0))
/// })?;
/// assert_eq!(root.not_shown.next_up(), root.holds);
/// # Ok::<(), NumericError>(())
/// ```
pub fn boundary<E: From<NumericError>>(
    not_shown: f64,
    holds: f64,
    tolerance: Tolerance,
    mut claim: impl FnMut(f64) -> Result<Verdict, E>,
) -> Result<Boundary, E> {
    for value in [not_shown, holds] {
        if !value.is_finite() {
            return Err(NumericError::NotFinite { name: "end of the range", value }.into());
        }
    }
    let found = bisect(
        rank(not_shown),
        rank(holds),
        |a, b| tolerance.admits(of_rank(a), of_rank(b)),
        |at| claim(of_rank(at)),
    )?;
    Ok(Boundary {
        holds: of_rank(found.holds),
        not_shown: of_rank(found.not_shown),
        verdict: found.verdict,
    })
}

/// Finds where a monotone claim about whole numbers begins to hold, exactly.
///
/// # Guarantee
/// As for [`boundary`]; the two points returned are neighbours.
///
/// # Errors
/// As for [`boundary`].
///
/// ```
/// use throng_numeric::search::{Verdict, boundary_of_count};
/// use throng_numeric::NumericError;
/// // The most queries at cost 7 that a budget of 100 allows.
/// let queries = boundary_of_count(u64::MAX, 0, |n| {
///     let affordable = n.checked_mul(7).is_some_and(|cost| cost <= 100);
///     Ok::<_, NumericError>(if affordable { Verdict::Holds } else { Verdict::Fails })
/// })?;
/// assert_eq!(queries.holds, 14);
/// # Ok::<(), NumericError>(())
/// ```
pub fn boundary_of_count<E: From<NumericError>>(
    not_shown: u64,
    holds: u64,
    claim: impl FnMut(u64) -> Result<Verdict, E>,
) -> Result<Boundary<u64>, E> {
    bisect(not_shown, holds, |_, _| false, claim)
}

/// Halves the integers between the ends. The loop keeps the invariant "`holds` was seen to hold,
/// `not_shown` was seen not to", which is the whole guarantee.
fn bisect<E: From<NumericError>>(
    not_shown: u64,
    holds: u64,
    near_enough: impl Fn(u64, u64) -> bool,
    mut claim: impl FnMut(u64) -> Result<Verdict, E>,
) -> Result<Boundary<u64>, E> {
    if claim(holds)? != Verdict::Holds {
        return Err(NumericError::NotBracketed {
            reason: "the claim is not proved at the end where it should hold",
        }
        .into());
    }
    let mut found = Boundary { holds, not_shown, verdict: claim(not_shown)? };
    if found.verdict == Verdict::Holds {
        return Err(NumericError::NotBracketed {
            reason: "the claim already holds at the end where it should not",
        }
        .into());
    }
    while found.holds.abs_diff(found.not_shown) > 1 && !near_enough(found.holds, found.not_shown) {
        let middle = u64::midpoint(found.holds, found.not_shown);
        match claim(middle)? {
            Verdict::Holds => found.holds = middle,
            verdict @ (Verdict::Fails | Verdict::Unknown) => {
                found.not_shown = middle;
                found.verdict = verdict;
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
