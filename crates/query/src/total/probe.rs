//! A rehearsal: each part of an expression runs over hostile rows before any real row is seen.
//!
//! What fails on a rehearsal is refused. This catches literals that can never work (a pattern that
//! does not compile, a unit that no calendar has), whose error would otherwise come only when some
//! row reaches them, and thereby tell that it does. It is a second line behind the list of what is
//! total, not a proof.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, UInt32Array,
};
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DataFusionError, Result};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{ColumnarValue, Expr, ExprSchemable, ScalarFunctionArgs};
use datafusion::physical_expr::create_physical_expr;

use super::{guard, hostile, kinds, names};
use crate::QueryError;

/// The rows of a rehearsal.
const ROWS: usize = 32;

/// Runs every part of an expression that may fail over hostile rows.
pub(super) fn rehearse(expr: &Expr, schema: &DFSchema) -> Result<(), QueryError> {
    let stage =
        Stage::new(expr, schema).map_err(|_| QueryError::engine("preparing an expression"))?;
    let mut refused = None;
    let walk = expr.apply(|part| {
        refused = stage.refusal(part);
        Ok(if refused.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    match (refused, walk) {
        (Some(refused), _) => Err(refused),
        (None, Err(_)) => Err(QueryError::engine("preparing an expression")),
        (None, Ok(_)) => Ok(()),
    }
}

/// Hostile rows for the columns that an expression reads.
struct Stage {
    schema: DFSchema,
    rows: RecordBatch,
}

impl Stage {
    fn new(expr: &Expr, schema: &DFSchema) -> Result<Self> {
        let mut columns: Vec<&Column> = expr.column_refs().into_iter().collect();
        columns.sort();
        let fields = columns.into_iter().map(|column| {
            let (relation, field) = schema.qualified_field_from_column(column)?;
            Ok((relation.cloned(), Arc::new(field.as_ref().clone().with_nullable(true))))
        });
        let schema =
            DFSchema::new_with_metadata(fields.collect::<Result<_>>()?, Default::default())?;
        let columns = schema.fields().iter().enumerate().map(|(place, field)| {
            let values = cycled(&values(field.data_type())?, place)?;
            Ok(cast(&values, field.data_type())?)
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(ROWS));
        let rows =
            RecordBatch::try_new_with_options(Arc::clone(schema.inner()), columns, &options)?;
        Ok(Self { schema, rows })
    }

    /// Why a part may not stand, if it fails.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
    fn refusal(&self, part: &Expr) -> Option<QueryError> {
        let may_fail = matches!(
            part,
            Expr::ScalarFunction(_)
                | Expr::Like(_)
                | Expr::SimilarTo(_)
                | Expr::BinaryExpr(_)
                | Expr::InList(_)
                | Expr::Case(_)
                | Expr::TryCast(_)
                | Expr::Between(_)
        );
        if !may_fail {
            return None;
        }
        if let Err(error) = self.run(part) {
            return Some(failure(part, &error));
        }
        match part {
            Expr::ScalarFunction(call) => self.never_works(call).map(|error| failure(part, &error)),
            _ => None,
        }
    }

    fn run(&self, part: &Expr) -> Result<ArrayRef> {
        let props = ExecutionProps::new();
        let context = PhysicalPlanningContext::default();
        let physical = create_physical_expr(part, &self.schema, &props, &context)?;
        guard::attempt(|| physical.evaluate(&self.rows)?.into_array(ROWS))
    }

    /// The error of a guarded function that fails on every row: its literals are to blame.
    fn never_works(&self, call: &ScalarFunction) -> Option<DataFusionError> {
        let function = guard::behind(&call.func)?;
        let mut last = None;
        for row in 0..ROWS {
            let Ok(args) = self.arguments(call, row) else { return None };
            match guard::attempt(|| function.invoke_with_args(args)) {
                Ok(_) => return None,
                Err(error) => last = Some(error),
            }
        }
        last
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
    fn arguments(&self, call: &ScalarFunction, row: usize) -> Result<ScalarFunctionArgs> {
        let args = call.args.iter().map(|arg| match arg {
            Expr::Literal(value, _) => Ok(ColumnarValue::Scalar(value.clone())),
            _ => Ok(ColumnarValue::Array(self.run(arg)?.slice(row, 1))),
        });
        let fields = call.args.iter().map(|arg| Ok(arg.to_field(&self.schema)?.1));
        let whole = Expr::ScalarFunction(call.clone());
        Ok(ScalarFunctionArgs {
            args: args.collect::<Result<_>>()?,
            arg_fields: fields.collect::<Result<_>>()?,
            number_rows: 1,
            return_field: whole.to_field(&self.schema)?.1,
            config_options: Arc::new(ConfigOptions::default()),
        })
    }
}

fn failure(part: &Expr, error: &DataFusionError) -> QueryError {
    QueryError::refused(
        names::of(part),
        format!("it fails before any row is seen: {}", error.strip_backtrace()),
        "check the literals in it",
    )
}

/// Hostile values of a plain type; of dates and times, ordinary ones: in a build with checks for
/// overflow the engine's calendar panics at the ends of time, which its guard holds but not without
/// noise.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn values(kind: &DataType) -> Result<ArrayRef> {
    let kind = kinds::plain(kind).unwrap_or_else(|| kind.clone());
    let ordinary = Int64Array::from(vec![Some(0), Some(1), Some(-1), Some(19_782), None]);
    match kind {
        DataType::Date64 | DataType::Timestamp(..) => Ok(cast(&ordinary, &kind)?),
        DataType::Date32 => Ok(cast(&cast(&ordinary, &DataType::Int32)?, &kind)?),
        _ => hostile::column(&kind)
            .ok_or_else(|| DataFusionError::Plan(format!("no hostile values of type {kind}"))),
    }
}

/// The values again and again, in another order for each place.
fn cycled(values: &ArrayRef, place: usize) -> Result<ArrayRef> {
    let length = values.len().max(1);
    let steps = [1, 7, 5, 11, 3, 13];
    let step = steps.get(place % steps.len()).copied().unwrap_or(1);
    let order = (0..ROWS).map(|row| u32::try_from((row * step + place) % length).unwrap_or(0));
    Ok(take(values, &order.collect::<UInt32Array>(), None)?)
}
