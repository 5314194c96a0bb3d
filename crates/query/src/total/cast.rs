//! Casts between dates, times and texts, NULL where there is no such value.
//!
//! The engine's TRY_CAST gives NULL for most values that it cannot convert, but stops at dates and
//! times that its calendar does not reach, when it turns them into texts or days.

use std::sync::Arc;

use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::format::DEFAULT_FORMAT_OPTIONS;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::guard::row_by_row;

#[derive(Debug, PartialEq, Eq, Hash)]
struct Cast {
    name: String,
    target: DataType,
    signature: Signature,
}

/// Whether the engine's TRY_CAST from one type to another has a value or NULL for everything.
pub(super) fn is_total(source: &DataType, target: &DataType) -> bool {
    target.is_integer() || !(source.is_temporal() || target.is_temporal())
}

/// The function that casts to a type, NULL where that fails.
pub(super) fn total(target: &DataType) -> Arc<ScalarUDF> {
    let signature = Signature::any(1, Volatility::Immutable);
    let name = format!("total_cast_{target}");
    Arc::new(Cast { name, target: target.clone(), signature }.into())
}

/// Whether a function is such a cast.
pub(super) fn is_cast(function: &ScalarUDF) -> bool {
    function.inner().is::<Cast>()
}

impl ScalarUDFImpl for Cast {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.target.clone())
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let options = CastOptions { safe: true, format_options: DEFAULT_FORMAT_OPTIONS };
        let run = |array: &dyn datafusion::arrow::array::Array| {
            row_by_row(&self.target, array.len(), &|start, rows| {
                Ok(cast_with_options(&array.slice(start, rows), &self.target, &options)?)
            })
        };
        match args.args.as_slice() {
            [ColumnarValue::Array(array)] => Ok(ColumnarValue::Array(run(array)?)),
            [ColumnarValue::Scalar(value)] => {
                let cast = run(&value.to_array()?)?;
                ScalarValue::try_from_array(&cast, 0).map(ColumnarValue::Scalar)
            }
            _ => exec_err!("a cast has one argument"),
        }
    }
}
