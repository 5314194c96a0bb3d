//! Where an enclosed monotone function crosses a target.

use super::{Tolerance, of_rank, rank};
use crate::{Enclosure, NumericError};

/// Which way a function goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trend {
    /// Never decreasing.
    Rising,
    /// Never increasing.
    Falling,
}

/// The point half-way in rank between two.
fn halfway(a: f64, b: f64) -> f64 {
    of_rank(u64::midpoint(rank(a), rank(b)))
}

/// Two evaluated points with the target between their values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The point to the left; its value is certainly on the near side of the target.
    pub left: f64,
    /// The point to the right; its value is certainly on the far side of the target.
    pub right: f64,
}

/// Finds where an enclosed monotone function crosses a target.
///
/// # Guarantee
/// For a [`Trend::Rising`] function f, the returned points were both evaluated and
/// f(left) <= target <= f(right) is proved; for a falling one, f(left) >= target >= f(right).
/// Hence, if f is continuous, it takes the value between them. This holds for any closure.
/// At most 260 evaluations: every second step halves the interval of ranks (64 halvings at
/// most), and once the enclosure is too wide to decide, each side is bisected on its own.
///
/// # Errors
/// As for [`super::boundary`], when the ends do not enclose the target.
///
/// # Reference
/// M. Dowell and P. Jarratt, "A modified regula falsi method" (the Illinois step), BIT 11 (1971).
///
/// ```
/// use throng_numeric::search::{Tolerance, Trend, solve};
/// use throng_numeric::{Enclosure, NumericError};
/// let cube = |x| Ok::<_, NumericError>(Enclosure::point(x)?.powi(3));
/// let root = solve(0.0, 10.0, 2.0, Trend::Rising, Tolerance::relative(1e-12), cube)?;
/// assert!(root.left <= 2_f64.cbrt() && 2_f64.cbrt() <= root.right);
/// # Ok::<(), NumericError>(())
/// ```
pub fn solve<E: From<NumericError>>(
    left: f64,
    right: f64,
    target: f64,
    trend: Trend,
    tolerance: Tolerance,
    mut function: impl FnMut(f64) -> Result<Enclosure, E>,
) -> Result<Crossing, E> {
    for value in [left, right, target] {
        if !value.is_finite() {
            return Err(NumericError::NotFinite { name: "end or target", value }.into());
        }
    }
    if left > right {
        return Err(NumericError::NotAnInterval { lower: left, upper: right }.into());
    }
    let mut signed = |x| {
        let value = function(x)?;
        Ok::<_, E>(Sighting::of(x, if trend == Trend::Rising { value } else { -value }))
    };
    let target = if trend == Trend::Rising { target } else { -target };
    let mut chase = Chase::between(signed(left)?, signed(right)?, target)?;
    let undecided = chase.run(tolerance, &mut signed)?;
    let Some(middle) = undecided else {
        return Ok(Crossing { left: chase.left.x, right: chase.right.x });
    };
    Ok(Crossing {
        left: close_in(chase.left.x, middle, tolerance, |x| {
            Ok::<_, E>(signed(x)?.value.upper() <= target)
        })?,
        right: close_in(chase.right.x, middle, tolerance, |x| {
            Ok::<_, E>(signed(x)?.value.lower() >= target)
        })?,
    })
}

/// A point and what the function was seen to be there.
#[derive(Clone, Copy)]
struct Sighting {
    x: f64,
    value: Enclosure,
    /// The middle of the value, for choosing where to look next; may be halved by Illinois.
    height: f64,
}

impl Sighting {
    fn of(x: f64, value: Enclosure) -> Self {
        Self { x, value, height: f64::midpoint(value.lower(), value.upper()) }
    }
}

/// The chase of a rising function's crossing. Invariant: `left` was seen to be at most the
/// target and `right` to be at least.
struct Chase {
    left: Sighting,
    right: Sighting,
    target: f64,
}

impl Chase {
    fn between(left: Sighting, right: Sighting, target: f64) -> Result<Self, NumericError> {
        if left.value.upper() <= target && right.value.lower() >= target {
            return Ok(Self { left, right, target });
        }
        Err(NumericError::NotBracketed {
            reason: "the target is not proved to lie between the values at the ends",
        })
    }

    /// Narrows the interval until it is small enough, or until a point cannot be decided, which
    /// is then returned.
    fn run<E>(
        &mut self,
        tolerance: Tolerance,
        function: &mut impl FnMut(f64) -> Result<Sighting, E>,
    ) -> Result<Option<f64>, E> {
        let mut halve = false;
        while rank(self.right.x) - rank(self.left.x) > 1
            && !tolerance.admits(self.left.x, self.right.x)
        {
            let x = if halve { halfway(self.left.x, self.right.x) } else { self.secant() };
            halve = !halve;
            if let Some(undecided) = self.narrow(function(x)?) {
                return Ok(Some(undecided));
            }
        }
        Ok(None)
    }

    /// The chord's crossing, kept strictly inside; half-way if the chord is of no use.
    fn secant(&self) -> f64 {
        let (low, high) = (self.target - self.left.height, self.right.height - self.target);
        let x = self.left.x + (self.right.x - self.left.x) * (low / (low + high));
        if x > self.left.x && x < self.right.x { x } else { halfway(self.left.x, self.right.x) }
    }

    fn narrow(&mut self, seen: Sighting) -> Option<f64> {
        // Illinois: the end that stays put gets half its height, so that the chord cannot keep
        // missing on the same side.
        if seen.value.upper() <= self.target {
            self.left = seen;
            self.right.height = f64::midpoint(self.right.height, self.target);
        } else if seen.value.lower() >= self.target {
            self.right = seen;
            self.left.height = f64::midpoint(self.left.height, self.target);
        } else {
            return Some(seen.x);
        }
        None
    }
}

/// Moves a certified point towards an undecided one by halving ranks; returns the last point
/// that was seen to be certified.
fn close_in<E>(
    certified: f64,
    undecided: f64,
    tolerance: Tolerance,
    mut certain: impl FnMut(f64) -> Result<bool, E>,
) -> Result<f64, E> {
    let (mut certified, mut undecided) = (certified, undecided);
    while rank(certified).abs_diff(rank(undecided)) > 1 && !tolerance.admits(certified, undecided) {
        let middle = halfway(certified, undecided);
        if certain(middle)? { certified = middle } else { undecided = middle }
    }
    Ok(certified)
}
