//! Numbers that data is made of, and their sums.

use crate::Clamp;
use crate::grid::MOST_STEPS;

/// A number of the data, on its way to a grid.
///
/// # Guarantee
/// Total and deterministic: a data point becomes the same grid point wherever it stands.
pub trait Number: Copy + sealed::Sealed {
    /// Whether there is a value that stands for nothing, as NaN does: it is what zero-out leaves in
    /// the place of a record. Where there is none, 0 is left, which is a number like any other.
    const HAS_NOTHING: bool;

    /// The data point in steps of the grid of `clamp`, within its ends.
    fn in_steps(self, clamp: Clamp) -> i64;

    /// Whether it is a number at all, which NaN is not.
    fn is_number(self) -> bool;

    /// The sum of all data points in steps; exact and independent of their order.
    ///
    /// # Guarantee
    /// No overflow: there are at most 2^63 points of at most 2^61 steps.
    #[must_use]
    fn sum(data: &[Self], clamp: Clamp) -> i128 {
        data.iter().map(|x| i128::from(x.in_steps(clamp))).sum()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for i64 {}
}

/// Points summed in one machine word.
const BLOCK: usize = 1 << 11;

/// Up to here a step count is exact in an `f64` with a bit to spare, and BLOCK of them fit into an
/// `i64`: 2^11 · 2^50 = 2^61.
const SMALL: i64 = 1 << 50;

/// 1.5 · 2^52: near it `f64` are the whole numbers.
const SHIFT: f64 = 6_755_399_441_055_744.0;

impl Number for f64 {
    const HAS_NOTHING: bool = true;

    /// By the table of [`Clamp`].
    fn in_steps(self, clamp: Clamp) -> i64 {
        clamp.apply(self)
    }

    fn is_number(self) -> bool {
        !self.is_nan()
    }

    fn sum(data: &[Self], clamp: Clamp) -> i128 {
        if clamp.largest() > SMALL {
            return data.iter().map(|x| i128::from(x.in_steps(clamp))).sum();
        }
        let quick = Quick::new(clamp);
        data.chunks(BLOCK)
            .map(|block| i128::from(block.iter().map(|x| quick.steps(*x)).sum::<i64>()))
            .sum()
    }
}

/// [`Clamp::apply`] for ends of at most 2^50 steps, without calls or branches.
///
/// # Guarantee
/// The same result: rounding is monotone and leaves the ends (whole numbers) alone, so clamping
/// may come first; and for |y| <= 2^50, y + 1.5 · 2^52 lies where `f64` are the whole numbers, so
/// the addition itself rounds to the nearest, ties to even, and the low bits of the sum are
/// the result.
#[derive(Clone, Copy)]
struct Quick {
    factor: f64,
    lower: f64,
    upper: f64,
}

impl Quick {
    fn new(clamp: Clamp) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "at most 2^50, exactly")]
        let (lower, upper) = (clamp.lower() as f64, clamp.upper() as f64);
        Self { factor: clamp.grid().per_unit(), lower, upper }
    }

    #[inline]
    fn steps(self, x: f64) -> i64 {
        let x = if x.is_nan() { 0.0 } else { x * self.factor };
        let y = x.max(self.lower).min(self.upper);
        let bits = (y + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits());
        bits.cast_signed()
    }
}

impl Number for i64 {
    const HAS_NOTHING: bool = false;

    /// The nearest grid point, even if halfway; exact on a grid of whole numbers or finer.
    fn in_steps(self, clamp: Clamp) -> i64 {
        let exponent = clamp.grid().exponent();
        let wide = i128::from(self);
        let steps = if exponent <= 0 {
            // Beyond 2^62 steps anything saturates, and |x| >= 1 is there from 2^63 steps on.
            wide << exponent.unsigned_abs().min(63)
        } else {
            nearest_multiple(wide, exponent.unsigned_abs().min(66))
        };
        let most = i128::from(MOST_STEPS);
        clamp.clamp(i64::try_from(steps.clamp(-most, most)).unwrap_or(0))
    }

    fn is_number(self) -> bool {
        true
    }

    fn sum(data: &[Self], clamp: Clamp) -> i128 {
        if clamp.grid().exponent() != 0 || clamp.largest() > SMALL {
            return data.iter().map(|x| i128::from(x.in_steps(clamp))).sum();
        }
        // Steps are the numbers themselves.
        data.chunks(BLOCK)
            .map(|block| i128::from(block.iter().map(|x| clamp.clamp(*x)).sum::<Self>()))
            .sum()
    }
}

/// x / 2^e, rounded to the nearest integer, ties to even, for |x| <= 2^63 and 1 <= e <= 66.
fn nearest_multiple(x: i128, e: u32) -> i128 {
    let floor = x >> e;
    let rest = x - (floor << e);
    let half = 1_i128 << (e - 1);
    let up = rest > half || (rest == half && floor & 1 == 1);
    floor + i128::from(up)
}
