//! Statements over cells that are made up here.

mod forms;
mod outer;
mod roll_up;
mod store;

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::logical_expr::GroupingSet as Sets;
use datafusion::logical_expr::logical_plan::LogicalTableSource;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, LogicalPlanBuilder, Projection, col};
use datafusion::prelude::SessionContext;

use super::{Table, finish};
use crate::QueryError;
use crate::release::{Answered, NoisyColumn};
use crate::sql::{GroupingSet, Node};

/// Noisy cells: (value, low, high).
pub(super) type Cells = Vec<(f64, f64, f64)>;

pub(super) fn noisy(cells: &[(f64, f64, f64)], whole: bool) -> NoisyColumn {
    let known = |x: f64| Some(x).filter(|x| !x.is_nan());
    NoisyColumn {
        values: cells.iter().map(|cell| known(cell.0)).collect(),
        low: cells.iter().map(|cell| known(cell.1)).collect(),
        high: cells.iter().map(|cell| known(cell.2)).collect(),
        whole,
    }
}

pub(super) fn answered(keys: Vec<(&str, ArrayRef)>, columns: Vec<NoisyColumn>) -> Answered {
    let rows = columns.first().map_or(0, |column| column.values.len());
    let fields: Vec<Field> =
        keys.iter().map(|(name, key)| Field::new(*name, key.data_type().clone(), true)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let keys = RecordBatch::try_new_with_options(
        Arc::new(Schema::new(fields)),
        keys.into_iter().map(|(_, key)| key).collect(),
        &options,
    )
    .unwrap();
    let (chosen, facts) = (Vec::new(), Vec::new());
    Answered { keys, columns, threshold: None, clipping: None, chosen, facts }
}

pub(super) fn cities(names: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(names.to_vec()))
}

pub(super) fn ages(ages: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(ages.to_vec()))
}

/// What the analysis leaves of a statement over `t(city, age, income)`: every aggregate over it
/// replaced by a placeholder; the i-th grouping set of all is answered by the i-th question.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
pub(super) async fn analysed(sql: &str) -> (LogicalPlan, Vec<Node>) {
    let context = SessionContext::new();
    let schema = Arc::new(Schema::new(vec![
        Field::new("city", DataType::Utf8, true),
        Field::new("age", DataType::Int64, true),
        Field::new("income", DataType::Float64, true),
    ]));
    let empty = MemTable::try_new(schema, vec![vec![]]).unwrap();
    context.register_table("t", Arc::new(empty)).unwrap();
    let plan = context.state().create_logical_plan(sql).await.unwrap();
    let mut nodes: Vec<Node> = Vec::new();
    let outer = plan
        .transform_up_with_subqueries(|plan| match plan {
            LogicalPlan::Aggregate(aggregate) if private(&aggregate.input) => {
                let (node, plan) = placeholder(&aggregate, &nodes);
                nodes.push(node);
                Ok(Transformed::yes(plan))
            }
            other => Ok(Transformed::no(other)),
        })
        .unwrap();
    (outer.data, nodes)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn private(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(scan) => scan.table_name.table() == "t",
        LogicalPlan::Filter(filter) => private(&filter.input),
        _ => false,
    }
}

fn placeholder(aggregate: &Aggregate, nodes: &[Node]) -> (Node, LogicalPlan) {
    let table = format!("__throng_answer_{}", nodes.len());
    let fields = aggregate.schema.fields().iter().enumerate();
    let fields = fields.map(|(i, f)| Field::new(format!("c{i}"), f.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let first: usize = nodes.iter().map(|node| node.sets.len()).sum();
    let keys = aggregate.group_expr_len().unwrap();
    let sets: Vec<Vec<usize>> = match aggregate.group_expr.as_slice() {
        [Expr::GroupingSet(sets)] => {
            let all: HashMap<&Expr, usize> =
                sets.distinct_expr().into_iter().enumerate().map(|(i, e)| (e, i)).collect();
            let lists: Vec<Vec<Expr>> = match sets {
                Sets::Rollup(keys) => {
                    (0..=keys.len()).rev().map(|count| keys[..count].to_vec()).collect()
                }
                Sets::Cube(keys) => (0..1usize << keys.len())
                    .map(|mask| {
                        let kept = keys.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                        kept.map(|(_, key)| key.clone()).collect()
                    })
                    .collect(),
                Sets::GroupingSets(lists) => lists.clone(),
            };
            lists.iter().map(|list| list.iter().map(|e| all[e]).collect()).collect()
        }
        _ => vec![(0..keys).collect()],
    };
    let grouping = matches!(aggregate.group_expr.as_slice(), [Expr::GroupingSet(_)]);
    let plain = keys - usize::from(grouping);
    let sets = sets.into_iter().enumerate().map(|(i, list)| GroupingSet {
        question: first + i,
        id: (0..plain).fold(0, |id, key| id * 2 + u64::from(!list.contains(&key))),
        keys: list,
    });
    let node = Node {
        table: table.clone(),
        schema: Arc::clone(&schema),
        sets: sets.collect(),
        grouping_id: grouping.then_some(plain),
        first_aggregate: keys,
    };
    let source = Arc::new(LogicalTableSource::new(schema));
    let scan = LogicalPlanBuilder::scan(table.clone(), source, None).unwrap().build().unwrap();
    let exprs = aggregate.schema.iter().enumerate().map(|(i, (qualifier, field))| {
        col(format!("{table}.c{i}")).alias_qualified(qualifier.cloned(), field.name())
    });
    let plan = Projection::try_new(exprs.collect(), Arc::new(scan)).unwrap();
    (node, LogicalPlan::Projection(plan))
}

/// Runs a future to its end on this thread.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// The answer to a statement with these cells.
pub(super) fn asked(sql: &str, answers: &[Answered]) -> Result<Table, QueryError> {
    now(async {
        let (outer, nodes) = analysed(sql).await;
        finish(&outer, &nodes, answers).await
    })
}

/// A statement joined with a public table `p(city, people)`.
pub(super) fn with_public(plan: LogicalPlan) -> LogicalPlan {
    let schema = Schema::new(vec![
        Field::new("city", DataType::Utf8, true),
        Field::new("people", DataType::Int64, true),
    ]);
    let batch = RecordBatch::try_new(
        Arc::new(schema.clone()),
        vec![cities(&["Berlin", "Paris"]), ages(&[1000, 2000])],
    )
    .unwrap();
    let table = MemTable::try_new(Arc::new(schema), vec![vec![batch]]).unwrap();
    let public = LogicalPlanBuilder::scan("p", provider_as_source(Arc::new(table)), None).unwrap();
    LogicalPlanBuilder::from(plan)
        .join(
            public.build().unwrap(),
            datafusion::common::JoinType::Left,
            (vec!["t.city"], vec!["p.city"]),
            None,
        )
        .unwrap()
        .build()
        .unwrap()
}
