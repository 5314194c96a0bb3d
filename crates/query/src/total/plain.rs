//! Floats of which equal ones are the same: no NaN, no negative zero.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// NaN becomes NULL and -0 becomes 0; what is no float stays as it is.
///
/// The engine's MIN and MAX of {NaN, 1} or {-0, 0} depend on which came first, and so on the rows of
/// others; of what this gives they do not.
#[must_use]
pub fn plain_float(expr: Expr) -> Expr {
    ScalarUDF::from(Plain { signature: Signature::any(1, Volatility::Immutable) }).call(vec![expr])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Plain {
    signature: Signature,
}

impl ScalarUDFImpl for Plain {
    fn name(&self) -> &'static str {
        "plain_float"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, kinds: &[DataType]) -> Result<DataType> {
        Ok(kinds.first().cloned().unwrap_or(DataType::Null))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is no float stays as it is")]
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let array = ColumnarValue::values_to_arrays(&args.args)?.remove(0);
        // Adding 0 turns -0 into 0 and nothing else.
        Ok(ColumnarValue::Array(match array.data_type() {
            DataType::Float64 => Arc::new(
                array
                    .as_primitive::<Float64Type>()
                    .unary_opt::<_, Float64Type>(|x| (!x.is_nan()).then_some(x + 0.0)),
            ),
            DataType::Float32 => Arc::new(
                array
                    .as_primitive::<Float32Type>()
                    .unary_opt::<_, Float32Type>(|x| (!x.is_nan()).then_some(x + 0.0)),
            ),
            _ => array,
        }))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, Float64Array};
    use datafusion::arrow::datatypes::Field;
    use datafusion::config::ConfigOptions;

    use super::*;

    #[test]
    fn equal_floats_are_the_same() {
        let plain = Plain { signature: Signature::any(1, Volatility::Immutable) };
        let field = Arc::new(Field::new("x", DataType::Float64, true));
        let values = [Some(f64::NAN), Some(-0.0), Some(-1.5), None, Some(f64::INFINITY)];
        let array: ArrayRef = Arc::new(Float64Array::from(values.to_vec()));
        let args = ScalarFunctionArgs {
            args: vec![ColumnarValue::Array(array)],
            arg_fields: vec![Arc::clone(&field)],
            number_rows: values.len(),
            return_field: field,
            config_options: Arc::new(ConfigOptions::default()),
        };
        let found = plain.invoke_with_args(args).unwrap().to_array(values.len()).unwrap();
        let bits: Vec<Option<u64>> =
            found.as_primitive::<Float64Type>().iter().map(|x| x.map(f64::to_bits)).collect();
        let plain = [None, Some(0.0_f64), Some(-1.5), None, Some(f64::INFINITY)];
        assert_eq!(bits, plain.map(|x| x.map(f64::to_bits)));
    }
}
