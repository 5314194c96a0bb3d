//! The engine's own functions, made total: where one fails on a row, that row is NULL.
//!
//! Every function that may stand here works row by row, so that its value on a row is the value it
//! would give on that row alone. It runs on a whole batch; only if that fails is the batch halved,
//! down to the rows that are to blame. What a row gives therefore depends on that row only; how
//! long a batch takes does not.

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, new_empty_array, new_null_array};
use datafusion::arrow::compute::{concat, nullif};
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};

use super::text;
use crate::quiet;

/// A function of the engine whose failing rows are NULL.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Guard {
    name: String,
    function: Arc<ScalarUDF>,
    /// How many bytes it makes of one byte of text, at most.
    growth: usize,
    /// Whether a row with a NULL argument is NULL although the function says otherwise.
    strict: bool,
}

/// `function`, NULL on rows where it fails.
pub(super) fn guarded(function: Arc<ScalarUDF>, growth: usize) -> Arc<ScalarUDF> {
    let name = format!("total_{}", function.name());
    Arc::new(Guard { name, function, growth, strict: false }.into())
}

/// `function`, NULL on rows where it fails and on rows with a NULL argument.
pub(super) fn guarded_strictly(function: Arc<ScalarUDF>) -> Arc<ScalarUDF> {
    let name = format!("total_strict_{}", function.name());
    Arc::new(Guard { name, function, growth: 1, strict: true }.into())
}

/// The function behind a guard.
pub(super) fn behind(function: &ScalarUDF) -> Option<&Arc<ScalarUDF>> {
    function.inner().downcast_ref::<Guard>().map(|guard| &guard.function)
}

impl ScalarUDFImpl for Guard {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        self.function.signature()
    }

    fn coerce_types(&self, kinds: &[DataType]) -> Result<Vec<DataType>> {
        self.function.coerce_types(kinds)
    }

    fn return_type(&self, kinds: &[DataType]) -> Result<DataType> {
        self.function.return_type(kinds)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let field = self.function.return_field_from_args(args)?;
        Ok(Arc::new(field.as_ref().clone().with_nullable(true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let kind = args.return_type().clone();
        let hidden = self.hidden(&args.args, rows, text::is_text(&kind))?;
        let value = row_by_row(&kind, rows, &|start, rows| {
            let part = slice(&args, start, rows);
            if rows > 1 && text::bytes(&part.args).saturating_mul(self.growth) > text::BATCH {
                return exec_err!("too much at once");
            }
            Ok(text::shortened(self.function.invoke_with_args(part)?.into_array(rows)?))
        })?;
        let value = match hidden {
            Some(hidden) => nullif(value.as_ref(), &hidden)?,
            None => value,
        };
        if constant {
            return ScalarValue::try_from_array(&value, 0).map(ColumnarValue::Scalar);
        }
        Ok(ColumnarValue::Array(value))
    }
}

impl Guard {
    /// The rows that are NULL whatever the function says.
    fn hidden(
        &self,
        args: &[ColumnarValue],
        rows: usize,
        makes_text: bool,
    ) -> Result<Option<BooleanArray>> {
        let absent = if self.strict { text::absent(args, rows)? } else { None };
        let long = if makes_text { text::long(args, rows)? } else { None };
        Ok(match (absent, long) {
            (Some(absent), Some(long)) => Some(datafusion::arrow::compute::or(&absent, &long)?),
            (one, other) => one.or(other),
        })
    }
}

/// The arguments of some of the rows; for a function that makes text, long texts are NULL in them.
fn slice(args: &ScalarFunctionArgs, start: usize, rows: usize) -> ScalarFunctionArgs {
    let makes_text = text::is_text(args.return_type());
    let args_of_rows = args.args.iter().map(|arg| match arg {
        ColumnarValue::Array(array) if makes_text => {
            ColumnarValue::Array(text::shortened(array.slice(start, rows)))
        }
        ColumnarValue::Array(array) => ColumnarValue::Array(array.slice(start, rows)),
        ColumnarValue::Scalar(value) => ColumnarValue::Scalar(value.clone()),
    });
    ScalarFunctionArgs {
        args: args_of_rows.collect(),
        arg_fields: args.arg_fields.clone(),
        number_rows: rows,
        return_field: Arc::clone(&args.return_field),
        config_options: Arc::clone(&args.config_options),
    }
}

/// A computation on some rows: where they start and how many they are.
pub(super) type OnRows<'a> = dyn Fn(usize, usize) -> Result<ArrayRef> + 'a;

/// What a row-wise computation gives on each row, NULL on rows where it fails.
pub(super) fn row_by_row(kind: &DataType, rows: usize, run: &OnRows) -> Result<ArrayRef> {
    let mut parts = Vec::new();
    collect(kind, 0, rows, run, &mut parts);
    match parts.as_slice() {
        [] => Ok(new_empty_array(kind)),
        [whole] => Ok(Arc::clone(whole)),
        _ => {
            let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            Ok(concat(&parts)?)
        }
    }
}

fn collect(kind: &DataType, start: usize, rows: usize, run: &OnRows, parts: &mut Vec<ArrayRef>) {
    if rows == 0 {
        return;
    }
    match attempt(|| run(start, rows)) {
        Ok(values) if values.len() == rows && values.data_type() == kind => parts.push(values),
        Ok(_) | Err(_) if rows == 1 => parts.push(new_null_array(kind, 1)),
        Ok(_) | Err(_) => {
            let half = rows / 2;
            collect(kind, start, half, run, parts);
            collect(kind, start + half, rows - half, run, parts);
        }
    }
}

/// What a computation gives. A panic inside the engine is a failure like any other, and as silent:
/// nothing but the arguments, which are not written to, crosses the border.
pub(crate) fn attempt<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    quiet::caught(run).unwrap_or_else(|quiet::Panicked| exec_err!("the engine panicked"))
}
