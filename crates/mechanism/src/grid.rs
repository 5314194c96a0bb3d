//! The grid that released numbers lie on.
//!
//! Between data and release there are only integers: counts of grid steps. Data is put on the grid
//! before noise is added, so a sum does not depend on its order, a sensitivity is a number of
//! steps, and no low-order bit of a released number says anything about the data.

use throng_numeric::{Integer, Natural, Rational};

use crate::MechanismError;

/// The largest number of steps that a value on a grid can have, 2^62 - 1; values and releases
/// saturate there.
///
/// # Guarantee
/// Saturation before noise never moves two values further apart, and saturation after noise
/// is post-processing. Noise is drawn in 64 bits and clipped at ±(2^63 - 1); as
/// values have 62 bits, whatever the clip changes has been saturated to the same end anyway.
pub const MOST_STEPS: i64 = (1 << 62) - 1;

/// The numbers k 2^exponent, for integers k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Grid {
    exponent: i32,
}

impl Grid {
    /// The whole numbers.
    pub const WHOLE: Self = Self { exponent: 0 };

    /// The finest and the coarsest exponent.
    pub const EXPONENTS: std::ops::RangeInclusive<i32> = -500..=500;

    /// The grid of step 2^exponent.
    ///
    /// # Errors
    /// If the exponent is not in [`Grid::EXPONENTS`].
    pub fn new(exponent: i32) -> Result<Self, MechanismError> {
        if Self::EXPONENTS.contains(&exponent) {
            return Ok(Self { exponent });
        }
        Err(MechanismError::invalid("the exponent of a grid", exponent, "in -500..=500"))
    }

    /// The coarsest grid whose step is at most `step`.
    ///
    /// # Errors
    /// If `step` is not positive, or beyond the grids there are.
    pub fn at_most(step: &Rational) -> Result<Self, MechanismError> {
        if !step.is_positive() {
            return Err(MechanismError::invalid("a grid step", step, "above 0"));
        }
        let fits = |exponent: &i32| Self { exponent: *exponent }.step() <= *step;
        // Steps double with the exponent, so those that fit come first.
        let (mut low, mut high) = (*Self::EXPONENTS.start() - 1, *Self::EXPONENTS.end());
        while low < high {
            let middle = (low + high + 1).div_euclid(2);
            if fits(&middle) { low = middle } else { high = middle - 1 }
        }
        Self::new(low)
    }

    /// A grid of 2^20 to 2^21 steps per `scale`: too fine to matter beside noise of that scale, and
    /// coarse enough that samples fit into machine words.
    ///
    /// # Errors
    /// As for [`Grid::at_most`].
    pub fn under(scale: &Rational) -> Result<Self, MechanismError> {
        Self::at_most(&(scale * &Rational::new(1, 1_u32 << 20)?))
    }

    /// The exponent of the step.
    #[must_use]
    pub const fn exponent(self) -> i32 {
        self.exponent
    }

    /// The distance of neighbours on the grid.
    #[must_use]
    pub fn step(self) -> Rational {
        let power = Natural::ONE << usize::try_from(self.exponent.unsigned_abs()).unwrap_or(0);
        if self.exponent < 0 {
            Rational::new(Integer::ONE, power).unwrap_or(Rational::ONE)
        } else {
            Rational::from(power)
        }
    }

    /// x in steps, exactly.
    #[must_use]
    pub fn in_steps(self, x: &Rational) -> Rational {
        x.checked_div(&self.step()).unwrap_or(Rational::ZERO)
    }

    /// The number of whole steps in a distance, rounded down; what points of the grid that are
    /// that near can differ by.
    ///
    /// # Errors
    /// If there are more than [`MOST_STEPS`].
    pub fn whole_steps(self, distance: &Rational) -> Result<i64, MechanismError> {
        i64::try_from(self.in_steps(distance).floor())
            .ok()
            .filter(|steps| steps.abs() <= MOST_STEPS)
            .ok_or_else(|| {
                MechanismError::invalid("a distance", distance, "at most 2^62 grid steps")
            })
    }

    /// k steps, exactly.
    #[must_use]
    pub fn at(self, k: i64) -> Rational {
        &Rational::from(k) * &self.step()
    }

    /// The `f64` nearest to k steps.
    #[must_use]
    pub fn to_f64(self, k: i64) -> f64 {
        self.at(k).to_f64_nearest()
    }

    /// 1/step, exactly.
    pub(crate) fn per_unit(self) -> f64 {
        power_of_two(-self.exponent)
    }

    /// The steps nearest to x, ties to even, saturated; `None` for NaN.
    #[must_use]
    pub fn nearest(self, x: f64) -> Option<i64> {
        // 2^±500 is finite, and the product with a power of two is exact unless it overflows
        // (and saturates anyway) or becomes subnormal (and rounds to 0 anyway).
        let scaled = x * self.per_unit();
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and NaN is excluded")]
        let steps = scaled.round_ties_even() as i64;
        (!x.is_nan()).then_some(steps.clamp(-MOST_STEPS, MOST_STEPS))
    }
}

/// 2^e for |e| <= 1022, exactly.
fn power_of_two(e: i32) -> f64 {
    let biased = u64::try_from(i64::from(e) + 1023).unwrap_or(0);
    f64::from_bits(biased << 52)
}

/// An interval on a grid that data is clamped to.
///
/// | data | becomes |
/// |---|---|
/// | below the interval, -∞ | the lower end |
/// | above the interval, +∞ | the upper end |
/// | between two grid points | the nearest (even if halfway) |
/// | NaN | the point of the interval nearest to 0 |
/// | -0, subnormal | as 0, if the interval holds it |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clamp {
    grid: Grid,
    lower: i64,
    upper: i64,
}

impl Clamp {
    /// The grid points of [lower, upper]; ends between grid points move outward.
    ///
    /// # Errors
    /// If lower is above upper, or an end is beyond 2^61 steps of the grid.
    pub fn new(lower: &Rational, upper: &Rational, grid: Grid) -> Result<Self, MechanismError> {
        if lower > upper {
            return Err(MechanismError::invalid(
                "the lower bound",
                lower,
                format!("at most {upper}"),
            ));
        }
        let end = |x: Integer, given: &Rational| {
            let limit = MOST_STEPS / 2;
            i64::try_from(x).ok().filter(|x| x.abs() <= limit).ok_or_else(|| {
                MechanismError::invalid("a bound", given, "at most 2^61 grid steps from 0")
            })
        };
        let (low, high) = (grid.in_steps(lower).floor(), grid.in_steps(upper).ceil());
        Ok(Self { grid, lower: end(low, lower)?, upper: end(high, upper)? })
    }

    /// [lower, upper] on a grid of 2^20 to 2^21 steps for its width (or, if that is 0, for its
    /// distance from 0).
    ///
    /// # Errors
    /// If lower is above upper, or the bounds are beyond the grids there are.
    pub fn between(lower: &Rational, upper: &Rational) -> Result<Self, MechanismError> {
        let width = upper - lower;
        let scale = if width.is_positive() { width } else { upper.abs() };
        let grid = if scale.is_zero() { Grid::WHOLE } else { Grid::under(&scale)? };
        Self::new(lower, upper, grid)
    }

    /// The grid.
    #[must_use]
    pub const fn grid(self) -> Grid {
        self.grid
    }

    /// The lower end, in steps.
    #[must_use]
    pub const fn lower(self) -> i64 {
        self.lower
    }

    /// The upper end, in steps.
    #[must_use]
    pub const fn upper(self) -> i64 {
        self.upper
    }

    /// Upper end minus lower end, in steps.
    #[must_use]
    pub const fn width(self) -> i64 {
        self.upper - self.lower
    }

    /// The largest |x| in the interval, in steps.
    #[must_use]
    pub fn largest(self) -> i64 {
        self.lower.abs().max(self.upper.abs())
    }

    /// The data point in steps, by the table above.
    #[must_use]
    pub fn apply(self, x: f64) -> i64 {
        self.grid.nearest(x).unwrap_or(0).clamp(self.lower, self.upper)
    }

    /// The same for a number of steps.
    #[must_use]
    pub fn clamp(self, steps: i64) -> i64 {
        steps.clamp(self.lower, self.upper)
    }
}
