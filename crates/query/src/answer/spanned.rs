//! Intervals as cells: 16 bytes each, and the engine's function that computes with them.
//!
//! One column holds both ends, so that the interval of an expression is one expression of the same
//! shape and size. NULL is an interval of which nothing is known.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeBinaryArray, FixedSizeBinaryBuilder, Float64Array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::interval::{Increasing, Interval, Op};

/// The bytes of an interval.
const WIDTH: i32 = 16;

/// The type of a column of intervals.
pub(super) const SPAN: DataType = DataType::FixedSizeBinary(WIDTH);

/// The interval that an operation makes of intervals.
pub(super) fn call(op: Op, parts: Vec<Expr>) -> Expr {
    ScalarUDF::from(Spanned::new(Step::Op(op))).call(parts)
}

/// A function that does not decrease, of an interval.
pub(super) fn increasing(function: Increasing, part: Expr) -> Expr {
    call(Op::Increasing(function), vec![part])
}

/// The interval that holds an exact number alone.
pub(super) fn point(number: Expr) -> Expr {
    ScalarUDF::from(Spanned::new(Step::Point)).call(vec![number])
}

/// An interval of which nothing is known.
pub(super) fn unknown() -> Expr {
    Expr::Literal(ScalarValue::FixedSizeBinary(WIDTH, None), None)
}

/// Intervals from their ends; NULL or NaN is an end that is not known.
pub(super) fn spans(low: &Float64Array, high: &Float64Array) -> Result<ArrayRef> {
    written(low.iter().zip(high).map(|(low, high)| {
        let interval = Interval::of(low.unwrap_or(f64::NAN), high.unwrap_or(f64::NAN));
        (low.is_some() || high.is_some()).then_some(interval)
    }))
}

/// The intervals of a column; none where nothing is known.
pub(super) fn read(array: &dyn Array) -> Vec<Option<Interval>> {
    let Some(cells) = array.as_any().downcast_ref::<FixedSizeBinaryArray>() else {
        return vec![None; array.len()];
    };
    cells.iter().map(|cell| cell.and_then(parsed)).collect()
}

fn parsed(cell: &[u8]) -> Option<Interval> {
    let (low, high) = cell.split_first_chunk::<8>()?;
    let high = high.first_chunk::<8>()?;
    Some(Interval::of(f64::from_le_bytes(*low), f64::from_le_bytes(*high)))
}

fn written(intervals: impl Iterator<Item = Option<Interval>>) -> Result<ArrayRef> {
    let mut cells = FixedSizeBinaryBuilder::new(WIDTH);
    for interval in intervals {
        match interval.filter(|interval| *interval != Interval::ALL) {
            Some(Interval { low, high }) => {
                cells.append_value([low.to_le_bytes(), high.to_le_bytes()].concat())?;
            }
            None => cells.append_null(),
        }
    }
    Ok(Arc::new(cells.finish()))
}

/// What the function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    /// Of a number, the interval around it.
    Point,
    /// Of intervals, an interval.
    Op(Op),
}

/// The engine's function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Spanned {
    step: Step,
    name: String,
    signature: Signature,
}

impl Spanned {
    fn new(step: Step) -> Self {
        let name = format!("__throng_interval_{step:?}").to_lowercase();
        Self { step, name, signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Spanned {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(SPAN)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let array = match (self.step, arrays.as_slice()) {
            (Step::Point, [number]) => points(number)?,
            (Step::Point, _) => return exec_err!("an interval around other than one number"),
            (Step::Op(op), parts) => computed(op, parts)?,
        };
        if args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_))) && array.len() == 1 {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?));
        }
        Ok(ColumnarValue::Array(array))
    }
}

fn points(number: &ArrayRef) -> Result<ArrayRef> {
    let floats = cast(number, &DataType::Float64)?;
    written(floats.as_primitive::<Float64Type>().iter().map(|x| x.map(Interval::point)))
}

fn computed(op: Op, parts: &[ArrayRef]) -> Result<ArrayRef> {
    let columns: Vec<Vec<Option<Interval>>> = parts.iter().map(|part| read(part)).collect();
    let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
    written((0..rows).map(|row| {
        let cells = columns.iter().map(|column| column.get(row).copied().flatten());
        let cells: Vec<Interval> = cells.map(|cell| cell.unwrap_or(Interval::ALL)).collect();
        Some(op.apply(&cells))
    }))
}
