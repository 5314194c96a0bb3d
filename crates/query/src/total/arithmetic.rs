//! Arithmetic that is NULL where it has no value.
//!
//! The engine's own operators wrap integers around, stop at a zero divisor and at a decimal or a
//! date out of range. Here: an integer, decimal, date, timestamp or interval that does not fit is
//! NULL, and so is a quotient or remainder by zero. Floats need none of this: IEEE 754 has a value
//! for everything, so they stay with the engine.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, AsArray, Datum, PrimitiveArray, Scalar,
};
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Decimal256Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::error::ArrowError;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    ColumnarValue, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::guard::row_by_row;

/// An operation of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
}

impl Operation {
    /// The operation an operator stands for, if it is arithmetic.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not arithmetic")]
    pub(super) fn of(operator: Operator) -> Option<Self> {
        match operator {
            Operator::Plus => Some(Self::Add),
            Operator::Minus => Some(Self::Subtract),
            Operator::Multiply => Some(Self::Multiply),
            Operator::Divide => Some(Self::Divide),
            Operator::Modulo => Some(Self::Remainder),
            _ => None,
        }
    }

    fn operator(self) -> Option<Operator> {
        match self {
            Self::Add => Some(Operator::Plus),
            Self::Subtract => Some(Operator::Minus),
            Self::Multiply => Some(Operator::Multiply),
            Self::Divide => Some(Operator::Divide),
            Self::Remainder => Some(Operator::Modulo),
            Self::Negate => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Add => "total_add",
            Self::Subtract => "total_sub",
            Self::Multiply => "total_mul",
            Self::Divide => "total_div",
            Self::Remainder => "total_rem",
            Self::Negate => "total_neg",
        }
    }

    /// The operation on arrays, which fails if it fails on one row.
    fn checked(self, left: &dyn Datum, right: &dyn Datum) -> Result<ArrayRef, ArrowError> {
        match self {
            Self::Add => numeric::add(left, right),
            Self::Subtract => numeric::sub(left, right),
            Self::Multiply => numeric::mul(left, right),
            Self::Divide => numeric::div(left, right),
            Self::Remainder => numeric::rem(left, right),
            Self::Negate => numeric::neg(left.get().0),
        }
    }

    /// The operation on one pair of integers.
    fn on_integers<N: ArrowNativeTypeOp>(self, left: N, right: N) -> Option<N> {
        match self {
            Self::Add => left.add_checked(right).ok(),
            Self::Subtract => left.sub_checked(right).ok(),
            Self::Multiply => left.mul_checked(right).ok(),
            Self::Divide => left.div_checked(right).ok(),
            Self::Remainder => (!right.is_zero()).then(|| left.mod_wrapping(right)),
            Self::Negate => left.neg_checked().ok(),
        }
    }
}

/// An operation as a function of the engine.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Arithmetic {
    operation: Operation,
    signature: Signature,
}

/// The function that does an operation, NULL where it has no value.
pub(super) fn total(operation: Operation) -> Arc<ScalarUDF> {
    let operands = if operation == Operation::Negate { 1 } else { 2 };
    let signature = Signature::any(operands, Volatility::Immutable);
    Arc::new(Arithmetic { operation, signature }.into())
}

/// The operation that a function does, if it is one of ours.
pub(super) fn operation_of(function: &ScalarUDF) -> Option<Operation> {
    function.inner().downcast_ref::<Arithmetic>().map(|arithmetic| arithmetic.operation)
}

impl ScalarUDFImpl for Arithmetic {
    fn name(&self) -> &str {
        self.operation.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, kinds: &[DataType]) -> Result<DataType> {
        match (self.operation.operator(), kinds) {
            (None, [kind]) => Ok(kind.clone()),
            (Some(operator), [left, right]) => {
                BinaryTypeCoercer::new(left, &operator, right).get_result_type()
            }
            _ => exec_err!("{} has the wrong number of operands", self.name()),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let kind = args.return_type().clone();
        let (left, right) = match args.args.as_slice() {
            [only] => (only, only),
            [left, right] => (left, right),
            _ => return exec_err!("{} has the wrong number of operands", self.name()),
        };
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let value = on_rows(self.operation, &kind, left, right, rows)?;
        if constant {
            return ScalarValue::try_from_array(&value, 0).map(ColumnarValue::Scalar);
        }
        Ok(ColumnarValue::Array(value))
    }
}

/// One side of an operation.
enum Operand {
    Column(ArrayRef),
    Constant(Scalar<ArrayRef>),
}

impl Operand {
    fn of(value: &ColumnarValue, rows: usize) -> Result<Self> {
        match value {
            ColumnarValue::Array(array) => Ok(Self::Column(Arc::clone(array))),
            // One row is one row: with two constants there is nothing to spread over.
            ColumnarValue::Scalar(value) if rows == 1 => Ok(Self::Column(value.to_array()?)),
            ColumnarValue::Scalar(value) => Ok(Self::Constant(value.to_scalar()?)),
        }
    }

    fn slice(&self, start: usize, rows: usize) -> Self {
        match self {
            Self::Column(array) => Self::Column(array.slice(start, rows)),
            Self::Constant(value) => Self::Constant(value.clone()),
        }
    }

    fn datum(&self) -> &dyn Datum {
        match self {
            Self::Column(array) => array,
            Self::Constant(value) => value,
        }
    }
}

fn on_rows(
    operation: Operation,
    kind: &DataType,
    left: &ColumnarValue,
    right: &ColumnarValue,
    rows: usize,
) -> Result<ArrayRef> {
    let (left, right) = (Operand::of(left, rows)?, Operand::of(right, rows)?);
    if kind.is_integer() {
        if let Ok(value) = operation.checked(left.datum(), right.datum()) {
            return Ok(value);
        }
        return on_integers(operation, left.datum(), right.datum(), rows);
    }
    row_by_row(kind, rows, &|start, rows| {
        let (left, right) = (left.slice(start, rows), right.slice(start, rows));
        Ok(within_precision(operation.checked(left.datum(), right.datum())?))
    })
}

/// Decimals that have more digits than their type allows are NULL: later steps take the type's word.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not decimal")]
fn within_precision(array: ArrayRef) -> ArrayRef {
    let kind = array.data_type().clone();
    match kind {
        DataType::Decimal128(digits, _) => {
            let decimals = array.as_primitive::<Decimal128Type>();
            Arc::new(decimals.null_if_overflow_precision(digits).with_data_type(kind))
        }
        DataType::Decimal256(digits, _) => {
            let decimals = array.as_primitive::<Decimal256Type>();
            Arc::new(decimals.null_if_overflow_precision(digits).with_data_type(kind))
        }
        _ => array,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not an integer")]
fn on_integers(
    operation: Operation,
    left: &dyn Datum,
    right: &dyn Datum,
    rows: usize,
) -> Result<ArrayRef> {
    let kind = left.get().0.data_type();
    match kind {
        DataType::Int8 => Ok(each::<Int8Type>(operation, left, right, rows)),
        DataType::Int16 => Ok(each::<Int16Type>(operation, left, right, rows)),
        DataType::Int32 => Ok(each::<Int32Type>(operation, left, right, rows)),
        DataType::Int64 => Ok(each::<Int64Type>(operation, left, right, rows)),
        DataType::UInt8 => Ok(each::<UInt8Type>(operation, left, right, rows)),
        DataType::UInt16 => Ok(each::<UInt16Type>(operation, left, right, rows)),
        DataType::UInt32 => Ok(each::<UInt32Type>(operation, left, right, rows)),
        DataType::UInt64 => Ok(each::<UInt64Type>(operation, left, right, rows)),
        _ => exec_err!("{} is not made for {kind}", operation.name()),
    }
}

fn each<T: ArrowPrimitiveType>(
    operation: Operation,
    left: &dyn Datum,
    right: &dyn Datum,
    rows: usize,
) -> ArrayRef {
    let (left, right) = (values::<T>(left, rows), values::<T>(right, rows));
    let pairs = left.zip(right).map(|pair| match pair {
        (Some(left), Some(right)) => operation.on_integers(left, right),
        (None, _) | (_, None) => None,
    });
    Arc::new(pairs.collect::<PrimitiveArray<T>>())
}

/// The values of an operand, a constant as often as there are rows.
fn values<T: ArrowPrimitiveType>(
    operand: &dyn Datum,
    rows: usize,
) -> Box<dyn Iterator<Item = Option<T::Native>> + '_> {
    let (array, constant) = operand.get();
    let array = array.as_primitive::<T>();
    if constant {
        let value = array.iter().next().flatten();
        return Box::new(std::iter::repeat_n(value, rows));
    }
    Box::new(array.iter())
}
