//! What is accepted is total; what is not total is not accepted.

mod corpus;
mod generated;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::prelude::SessionContext;

use super::{hostile, totalise};
use crate::QueryError;

/// Hostile rows in a session.
struct Field {
    context: SessionContext,
    rows: RecordBatch,
    schema: DFSchema,
}

impl Field {
    fn new() -> Self {
        let rows = hostile::batch().unwrap();
        let schema = DFSchema::try_from_qualified_schema("t", &rows.schema()).unwrap();
        let context = SessionContext::new();
        let table = MemTable::try_new(rows.schema(), vec![vec![rows.clone()]]).unwrap();
        context.register_table("t", Arc::new(table)).unwrap();
        Self { context, rows, schema }
    }

    fn parse(&self, text: &str) -> datafusion::common::Result<Expr> {
        self.context.parse_sql_expr(text, &self.schema)
    }

    fn total(&self, text: &str) -> Result<Expr, QueryError> {
        let expr = self.parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        totalise(expr, &self.schema)
    }

    /// Through the whole engine, optimiser included, as the columns x0, x1, … of one query.
    async fn through_engine(&self, exprs: &[Expr]) -> datafusion::common::Result<Vec<ArrayRef>> {
        let named = exprs.iter().enumerate().map(|(i, e)| e.clone().alias(format!("x{i}")));
        let frame = self.context.table("t").await?.select(named.collect::<Vec<_>>())?;
        let batches = frame.collect().await?;
        let schema = batches[0].schema();
        let whole = datafusion::arrow::compute::concat_batches(&schema, &batches)?;
        Ok(whole.columns().to_vec())
    }

    fn physical(&self, expr: Expr) -> datafusion::common::Result<Arc<dyn PhysicalExpr>> {
        self.context.create_physical_expr(expr, &self.schema)
    }

    /// The value on one row alone, whatever happens.
    fn alone(&self, expr: &Arc<dyn PhysicalExpr>, row: usize) -> Result<ScalarValue, String> {
        let one = self.rows.slice(row, 1);
        let value = catch_unwind(AssertUnwindSafe(|| expr.evaluate(&one)?.into_array(1)));
        let value = value.map_err(|_| "panic".to_string())?.map_err(|error| error.to_string())?;
        ScalarValue::try_from_array(&value, 0).map_err(|error| error.to_string())
    }
}

/// Equal, where one NaN is like another and one sign of zero like another.
fn same(one: &ScalarValue, other: &ScalarValue) -> bool {
    match (one, other) {
        (ScalarValue::Float64(Some(a)), ScalarValue::Float64(Some(b))) => {
            a == b || (a.is_nan() && b.is_nan())
        }
        (ScalarValue::Float32(Some(a)), ScalarValue::Float32(Some(b))) => {
            a == b || (a.is_nan() && b.is_nan())
        }
        // The engine takes -3 for an expression where we take it for a literal, and then keeps more
        // digits of round(x, -3).
        (ScalarValue::Decimal128(Some(_), ..), ScalarValue::Decimal128(Some(_), ..))
        | (ScalarValue::Decimal256(Some(_), ..), ScalarValue::Decimal256(Some(_), ..)) => {
            other.cast_to(&one.data_type()).is_ok_and(|other| *one == other)
        }
        _ => one == other || (one.is_null() && other.is_null()),
    }
}

fn at(array: &ArrayRef, row: usize) -> ScalarValue {
    ScalarValue::try_from_array(array, row).unwrap()
}
