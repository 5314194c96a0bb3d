//! From the values of a column to steps of a grid.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float16Type, Float32Type, Float64Type, UInt64Type,
};
use throng_mechanism::Clamp;

use super::column::{each, integers, value_type};
use crate::QueryError;

/// One number of steps per row, as [`Clamp::apply`] has it for fractions; whole numbers are rounded
/// once, from the exact value; FALSE is 0 and TRUE is 1; anything within the clamp where it is
/// NULL.
///
/// # Errors
/// If the column does not hold numbers.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest are integers, or refused there")]
pub(super) fn steps(array: &ArrayRef, clamp: Clamp) -> Result<Vec<i64>, QueryError> {
    let scale = Scale::new(clamp);
    match array.data_type() {
        DataType::Float64 => Ok(scale.all(array.as_primitive::<Float64Type>().values())),
        DataType::Float32 => Ok(each::<Float32Type, _>(array, |x| scale.steps(x.into()))),
        DataType::Float16 => Ok(each::<Float16Type, _>(array, |x| scale.steps(x.to_f64()))),
        DataType::UInt64 => Ok(each::<UInt64Type, _>(array, |x| scale.whole(x.into()))),
        DataType::Decimal128(_, 0) => Ok(each::<Decimal128Type, _>(array, |x| scale.whole(x))),
        DataType::Boolean => {
            let ends = [scale.steps(0.0), scale.steps(1.0)];
            Ok(array.as_boolean().values().iter().map(|x| ends[usize::from(x)]).collect())
        }
        DataType::Null => Ok(vec![clamp.clamp(0); array.len()]),
        DataType::Dictionary(_, _) | DataType::RunEndEncoded(_, _) => {
            steps(&as_type(array, value_type(array.data_type()))?, clamp)
        }
        kind if kind.is_decimal() => steps(&as_type(array, &DataType::Float64)?, clamp),
        _ => Ok(integers(array)?.into_iter().map(|x| scale.integer(x)).collect()),
    }
}

fn as_type(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef, QueryError> {
    cast(array, kind).map_err(|_| QueryError::engine("reading numbers"))
}

/// Up to here whole numbers are exact in an `f64`.
const EXACT: u64 = 1 << 53;

/// Up to here a step count is exact in an `f64` with two bits to spare.
const SMALL: i64 = 1 << 50;

/// 1.5 · 2^52: near it `f64` are the whole numbers.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// A clamp made ready for many values.
///
/// # Guarantee
/// Equal to [`Clamp::apply`]. The factor is a power of two, so the product is exact (or beyond
/// either end, or rounds to 0). Rounding is monotone and leaves the ends alone, so clamping may
/// come first; for |y| <= 2^50 the sum y + 1.5 · 2^52 lies where `f64` are the whole numbers, so the
/// addition rounds to the nearest, ties to even, and its low bits are the result.
#[derive(Clone, Copy)]
struct Scale {
    clamp: Clamp,
    factor: f64,
    lower: f64,
    upper: f64,
    small: bool,
}

impl Scale {
    fn new(clamp: Clamp) -> Self {
        let biased = u64::try_from(1023 - i64::from(clamp.grid().exponent())).unwrap_or(0);
        #[expect(clippy::cast_precision_loss, reason = "used up to 2^50 only, where it is exact")]
        let (lower, upper) = (clamp.lower() as f64, clamp.upper() as f64);
        let factor = f64::from_bits(biased << 52);
        Self { clamp, factor, lower, upper, small: clamp.largest() <= SMALL }
    }

    fn all(self, values: &[f64]) -> Vec<i64> {
        if self.small {
            values.iter().map(|x| self.quick(*x)).collect()
        } else {
            values.iter().map(|x| self.clamp.apply(*x)).collect()
        }
    }

    #[inline]
    fn steps(self, x: f64) -> i64 {
        if self.small { self.quick(x) } else { self.clamp.apply(x) }
    }

    #[inline]
    fn quick(self, x: f64) -> i64 {
        let x = if x.is_nan() { 0.0 } else { x * self.factor };
        let y = x.max(self.lower).min(self.upper);
        (y + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()).cast_signed()
    }

    #[inline]
    fn integer(self, x: i64) -> i64 {
        if x.unsigned_abs() > EXACT {
            return self.whole(x.into());
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 2^53, exactly")]
        let x = x as f64;
        self.steps(x)
    }

    /// The nearest grid point to a whole number, even if halfway.
    fn whole(self, x: i128) -> i64 {
        let exponent = self.clamp.grid().exponent();
        let steps = if exponent <= 0 {
            // What is beyond 2^62 already is beyond any end on a finer grid too.
            let far = 1_i128 << 62;
            x.clamp(-far, far) << exponent.unsigned_abs().min(63)
        } else {
            nearest_multiple(x, exponent.unsigned_abs().min(126))
        };
        let far = i128::from(i64::MAX);
        self.clamp.clamp(i64::try_from(steps.clamp(-far, far)).unwrap_or(0))
    }
}

/// x / 2^e, rounded to the nearest integer, ties to even, for 1 <= e <= 126.
fn nearest_multiple(x: i128, e: u32) -> i128 {
    let floor = x >> e;
    let rest = x - (floor << e);
    let half = 1_i128 << (e - 1);
    let up = rest > half || (rest == half && floor & 1 == 1);
    floor + i128::from(up)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Float64Array, Int64Array, UInt64Array};
    use proptest::prelude::*;
    use throng_mechanism::Grid;
    use throng_mechanism::number::Number;
    use throng_numeric::Rational;

    use super::*;

    fn clamp(lower: i64, width: i64, exponent: i32) -> Clamp {
        let grid = Grid::new(exponent).unwrap();
        Clamp::new(&grid.at(lower), &grid.at(lower + width), grid).unwrap()
    }

    fn any_clamp() -> impl Strategy<Value = Clamp> {
        let exponent = prop_oneof![-70..70_i32, Just(-500), Just(500)];
        let lower = prop_oneof![-5000..5000_i64, -(1 << 60)..(1_i64 << 60)];
        let width = prop_oneof![0..5000_i64, 0..(1_i64 << 60)];
        (lower, width, exponent).prop_map(|(l, w, e)| clamp(l, w, e))
    }

    fn any_f64() -> impl Strategy<Value = f64> {
        let special =
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX];
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            -1e4..1e4_f64,
            (-20_000..20_000_i32).prop_map(|x| f64::from(x) / 2.0),
            proptest::sample::select(special.to_vec()),
        ]
    }

    fn any_i64() -> impl Strategy<Value = i64> {
        prop_oneof![any::<i64>(), -100..100_i64, Just(i64::MIN), Just(i64::MAX)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn fractions_are_clamped_as_the_grid_says(
            clamp in any_clamp(),
            data in proptest::collection::vec(any_f64(), 1..20),
        ) {
            let array: ArrayRef = Arc::new(Float64Array::from(data.clone()));
            let expected: Vec<i64> = data.iter().map(|x| clamp.apply(*x)).collect();
            prop_assert_eq!(steps(&array, clamp).unwrap(), expected);
        }

        #[test]
        fn whole_numbers_are_rounded_once(
            clamp in any_clamp(),
            data in proptest::collection::vec(any_i64(), 1..20),
        ) {
            let array: ArrayRef = Arc::new(Int64Array::from(data.clone()));
            let expected: Vec<i64> = data.iter().map(|x| x.in_steps(clamp)).collect();
            prop_assert_eq!(steps(&array, clamp).unwrap(), expected);
        }
    }

    #[test]
    fn the_largest_whole_numbers_are_exact() {
        let array: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX, 1 << 63, 0]));
        let far = Rational::from(u64::MAX);
        let clamp = Clamp::new(&Rational::ZERO, &far, Grid::new(4).unwrap()).unwrap();
        assert_eq!(steps(&array, clamp).unwrap(), vec![1 << 60, 1 << 59, 0]);
    }
}
