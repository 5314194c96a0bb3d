//! An order of rows that depends on each row and a secret alone.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, UInt64Array};
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use super::context::planned;
use crate::QueryError;
use crate::tally::row_hashes;

/// The place of a row with these columns; `which` tells orders of one plan apart.
pub(super) fn order(columns: Vec<Expr>, which: usize) -> Expr {
    udf([0, 0], which).call(columns)
}

fn udf(key: [u64; 2], which: usize) -> ScalarUDF {
    let signature = Signature::variadic_any(Volatility::Immutable);
    ScalarUDF::from(Order { signature, key, which })
}

/// The plan with this secret in all its orders.
///
/// # Errors
/// If the engine does not take the plan; never because of rows.
pub(crate) fn keyed(plan: &LogicalPlan, key: [u64; 2]) -> Result<LogicalPlan, QueryError> {
    let secret = |expr: Expr| {
        let Expr::ScalarFunction(call) = &expr else { return Ok(Transformed::no(expr)) };
        match (call.func.inner().as_ref() as &dyn std::any::Any).downcast_ref::<Order>() {
            Some(order) => {
                let which = order.which;
                Ok(Transformed::yes(udf(key, which).call(call.args.clone())))
            }
            None => Ok(Transformed::no(expr)),
        }
    };
    let all = |node: LogicalPlan| node.map_expressions(|expr| expr.transform_down(secret));
    Ok(planned(plan.clone().transform_down(all))?.data)
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Order {
    signature: Signature,
    key: [u64; 2],
    which: usize,
}

impl ScalarUDFImpl for Order {
    fn name(&self) -> &'static str {
        "throng_order"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays: Vec<ArrayRef> =
            args.args.iter().map(|arg| arg.to_array(args.number_rows)).collect::<Result<_>>()?;
        let fields = arrays.iter().map(|array| SortField::new(array.data_type().clone()));
        let rows = RowConverter::new(fields.collect())?.convert_columns(&arrays)?;
        let words = [self.key[0] ^ u64::try_from(self.which).unwrap_or(0), self.key[1]];
        let hashes = row_hashes(words, rows.iter().map(|row| row.data().to_vec()));
        Ok(ColumnarValue::Array(Arc::new(UInt64Array::from(hashes))))
    }
}
