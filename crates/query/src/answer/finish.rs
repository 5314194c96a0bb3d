//! What is computed from released cells.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Schema};
use datafusion::common::Result as EngineResult;
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, Projection};
use datafusion::prelude::{SessionConfig, SessionContext};

use super::carry::{Carriage, Carrier, ordered};
use super::fill::{SPAN_COLUMN, fill};
use super::interval::Interval;
use super::mend::mended;
use super::spanned;
use super::table::{Ends, Kind, Names, Table, TableColumn};
use crate::QueryError;
use crate::release::Answered;
use crate::sql::Node;

/// Runs what is left of a statement over its released cells: HAVING, ORDER BY, LIMIT, arithmetic,
/// windows, joins with public tables.
///
/// Intervals go along: a value that is computed from cells by arithmetic and functions that keep
/// order has an interval that holds it whenever the cells' intervals hold the cells. (If those have
/// confidence 95 % each, an expression of two cells has at least 90 %.) Without ORDER BY, rows are
/// sorted by key, NULL last.
///
/// # Errors
/// [`QueryError::Invalid`] if the answers are not those of the nodes; [`QueryError::Engine`] if
/// the engine cannot run the plan. Neither loses anything: the release is stored.
pub async fn finish(
    outer: &LogicalPlan,
    nodes: &[Node],
    answers: &[Answered],
) -> Result<Table, QueryError> {
    let mut tables = HashMap::new();
    for node in nodes {
        let cells = with_spans(node, &fill(node, answers)?).map_err(|_| lost())?;
        tables.insert(node.table.clone(), Arc::new(cells));
    }
    // A plan that the engine cannot run with intervals is still worth its values.
    let table = match computed(outer, nodes, &tables, true).await {
        Ok(table) => table,
        Err(_) => computed(outer, nodes, &tables, false).await.map_err(|_| lost())?,
    };
    if has_order(outer) { Ok(table) } else { table.sorted().map_err(|_| lost()) }
}

async fn computed(
    outer: &LogicalPlan,
    nodes: &[Node],
    tables: &HashMap<String, Arc<MemTable>>,
    intervals: bool,
) -> EngineResult<Table> {
    let carriage = prepared(outer, nodes, tables, intervals)?;
    let batch = run(carriage.plan.clone()).await?;
    split(&carriage, &batch)
}

/// The engine's words are dropped: they would add nothing that the analyst could act on.
fn lost() -> QueryError {
    QueryError::Engine {
        doing: "computing the answer from released cells".to_owned(),
        hint: "nothing is lost: the release is stored, and asking for it again, also with other \
               HAVING, ORDER BY or arithmetic, is free"
            .to_owned(),
    }
}

/// The cells of a node as a table in memory, with one column of intervals for each aggregate in
/// place of two of ends.
fn with_spans(node: &Node, filled: &RecordBatch) -> EngineResult<MemTable> {
    let width = node.schema.fields().len();
    let schema = filled.schema();
    let mut fields: Vec<Field> =
        schema.fields().iter().take(width).map(|field| field.as_ref().clone()).collect();
    let mut arrays: Vec<ArrayRef> = filled.columns().iter().take(width).cloned().collect();
    let ends: Vec<&ArrayRef> = filled.columns().iter().skip(width).collect();
    for (index, pair) in ends.chunks_exact(2).enumerate() {
        let [low, high] = pair else { continue };
        fields.push(Field::new(format!("{SPAN_COLUMN}{index}"), spanned::SPAN, true));
        arrays.push(spanned::spans(
            low.as_primitive::<Float64Type>(),
            high.as_primitive::<Float64Type>(),
        )?);
    }
    let schema = Arc::new(Schema::new(fields));
    let options = RecordBatchOptions::new().with_row_count(Some(filled.num_rows()));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)?;
    MemTable::try_new(schema, vec![vec![batch]])
}

/// The outer plan over the tables of cells, with intervals.
fn prepared(
    outer: &LogicalPlan,
    nodes: &[Node],
    tables: &HashMap<String, Arc<MemTable>>,
    intervals: bool,
) -> EngineResult<Carriage> {
    let placed = outer.clone().transform_up_with_subqueries(|plan| place(plan, tables))?.data;
    let carriage = ordered(Carrier::new(nodes, intervals).carry(&placed)?)?;
    Ok(Carriage { plan: mended(carriage.plan)?, columns: carriage.columns })
}

/// Puts cells in their place; what is above may now hold NULL where it could not before.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named keeps its shape")]
fn place(
    plan: LogicalPlan,
    tables: &HashMap<String, Arc<MemTable>>,
) -> EngineResult<Transformed<LogicalPlan>> {
    let plan = match plan {
        LogicalPlan::TableScan(scan) => match tables.get(scan.table_name.table()) {
            Some(cells) => {
                let source = provider_as_source(Arc::clone(cells) as _);
                LogicalPlanBuilder::scan(scan.table_name.clone(), source, None)?.build()?
            }
            None => LogicalPlan::TableScan(scan),
        },
        LogicalPlan::Projection(projection) => LogicalPlan::Projection(renamed(projection)?),
        other => other.recompute_schema()?,
    };
    Ok(Transformed::yes(plan))
}

/// The projection with its schema computed anew and the names it had.
fn renamed(projection: Projection) -> EngineResult<Projection> {
    let named = projection.expr.into_iter().zip(projection.schema.iter());
    let exprs = named.map(|(expr, (qualifier, field))| {
        let (relation, name) = expr.qualified_name();
        if relation.as_ref() == qualifier && name == *field.name() {
            expr
        } else {
            expr.unalias().alias_qualified(qualifier.cloned(), field.name())
        }
    });
    Projection::try_new(exprs.collect(), projection.input)
}

/// Runs a plan in one partition, so that rows come in an order that does not depend on threads.
async fn run(plan: LogicalPlan) -> EngineResult<RecordBatch> {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    let frame = context.execute_logical_plan(plan).await?;
    let schema = Arc::clone(frame.schema().inner());
    let batches = frame.collect().await?;
    let schema = batches.first().map_or(schema, RecordBatch::schema);
    Ok(concat_batches(&schema, &batches)?)
}

/// Takes values and intervals apart.
fn split(carriage: &Carriage, batch: &RecordBatch) -> EngineResult<Table> {
    let width = carriage.columns.len();
    let mut spans = batch.columns().iter().skip(width);
    let mut names = Names::default();
    let mut columns = Vec::new();
    for (known, array) in carriage.columns.iter().zip(batch.columns()) {
        let span = known.span.as_ref().and_then(|_| spans.next());
        let ends = span.map(|span| ends(array, &spanned::read(span)));
        columns.push(TableColumn {
            name: names.unique(&known.column.name),
            kind: known.kind,
            ends: ends.filter(|_| known.kind == Kind::Value),
        });
    }
    let arrays: Vec<ArrayRef> = batch.columns().iter().take(width).cloned().collect();
    let fields = columns.iter().zip(&arrays);
    let fields =
        fields.map(|(column, array)| Field::new(&column.name, array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(Table { columns, batch: RecordBatch::try_new_with_options(schema, arrays, &options)? })
}

/// The finite ends of intervals; none where there is no value. Values are never outside: decimals
/// are rounded where ends are not.
fn ends(values: &dyn Array, spans: &[Option<Interval>]) -> Ends {
    let floats = cast(values, &DataType::Float64).ok();
    let floats = floats.as_ref().and_then(|array| array.as_any().downcast_ref::<Float64Array>());
    let mut ends = Ends::default();
    for (row, span) in spans.iter().enumerate() {
        let value = floats.filter(|floats| row < floats.len() && floats.is_valid(row));
        let value = value.map(|floats| floats.value(row)).filter(|x| x.is_finite());
        let both = value.zip(*span);
        let finite = |end: f64| Some(end).filter(|end| end.is_finite());
        ends.low.push(both.and_then(|(value, span)| finite(span.low.min(value))));
        ends.high.push(both.and_then(|(value, span)| finite(span.high.max(value))));
    }
    ends
}

/// Whether the statement says in which order rows come.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named does not keep order")]
fn has_order(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Sort(_) => true,
        LogicalPlan::Projection(projection) => has_order(&projection.input),
        LogicalPlan::Limit(limit) => has_order(&limit.input),
        LogicalPlan::SubqueryAlias(alias) => has_order(&alias.input),
        _ => false,
    }
}
