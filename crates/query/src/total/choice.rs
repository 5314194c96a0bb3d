//! The first value that is not NULL.
//!
//! The engine writes COALESCE as a CASE that names each argument twice, which doubles at every
//! level. Arguments are total here, so that all of them may be computed.

use std::sync::Arc;

use datafusion::arrow::compute::is_not_null;
use datafusion::arrow::compute::kernels::zip::zip;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

#[derive(Debug, PartialEq, Eq, Hash)]
struct First {
    signature: Signature,
}

/// COALESCE of arguments of one type.
pub(super) fn first() -> Arc<ScalarUDF> {
    Arc::new(First { signature: Signature::variadic_any(Volatility::Immutable) }.into())
}

/// Whether a function is this one.
pub(super) fn is_first(function: &ScalarUDF) -> bool {
    function.inner().is::<First>()
}

impl ScalarUDFImpl for First {
    fn name(&self) -> &'static str {
        "total_coalesce"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, kinds: &[DataType]) -> Result<DataType> {
        match kinds {
            [first, rest @ ..] if rest.iter().all(|kind| kind == first) => Ok(first.clone()),
            _ => plan_err!("COALESCE has arguments of several types"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let mut candidates = args.args.iter().rev();
        let mut chosen = match candidates.next() {
            Some(last) => last.to_array(rows)?,
            None => return plan_err!("COALESCE has no arguments"),
        };
        for candidate in candidates {
            let candidate = candidate.to_array(rows)?;
            chosen = zip(&is_not_null(&candidate)?, &candidate, &chosen)?;
        }
        if constant {
            return ScalarValue::try_from_array(&chosen, 0).map(ColumnarValue::Scalar);
        }
        Ok(ColumnarValue::Array(chosen))
    }
}
