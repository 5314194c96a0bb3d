//! What stands in the plan where a private aggregate was.

use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchemaRef, TableReference};
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, LogicalTableSource, Projection,
};

use super::Node;
use super::context::{Scope, planned};
use super::rows::named;
use super::text::RESERVED;
use crate::QueryError;

/// The columns of the table of cells for an aggregate of this schema.
pub(super) fn cells(schema: &DFSchemaRef, keys: usize, grouping_id: Option<usize>) -> SchemaRef {
    let name = |i: usize| match grouping_id {
        _ if i < keys => format!("k{i}"),
        Some(id) if i == id => "grouping_id".to_string(),
        Some(id) => format!("a{}", i - id - 1),
        None => format!("a{}", i - keys),
    };
    let fields = schema.fields().iter().enumerate();
    // A total expression may be NULL where the one that was written could not.
    let field = |(i, field): (usize, &Arc<Field>)| {
        Field::new(name(i), field.data_type().clone(), Some(i) != grouping_id)
    };
    Arc::new(Schema::new(fields.map(field).collect::<Vec<_>>()))
}

/// A scan of released cells under the names and types of the aggregate.
pub(super) fn answer(node: &Node, schema: &DFSchemaRef) -> Result<LogicalPlan, QueryError> {
    let source = Arc::new(LogicalTableSource::new(Arc::clone(&node.schema)));
    let scan = LogicalPlanBuilder::scan(node.table.as_str(), source, None);
    let scan = planned(scan.and_then(LogicalPlanBuilder::build))?;
    let columns = scan.schema().columns().into_iter().zip(schema.iter());
    let exprs = columns.map(|(column, (q, f))| named(Expr::Column(column), q, f.name())).collect();
    Ok(LogicalPlan::Projection(planned(Projection::try_new(exprs, Arc::new(scan)))?))
}

/// Makes sure that a plan reads released cells and public tables and nothing else.
pub(super) fn check(plan: &LogicalPlan, scope: &Scope<'_>) -> Result<(), QueryError> {
    let mut private = None;
    planned(plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && !is_open(&scan.table_name, scope)
        {
            private = Some(scan.table_name.to_string());
            return Ok(TreeNodeRecursion::Stop);
        }
        Ok(TreeNodeRecursion::Continue)
    }))?;
    match private {
        Some(table) => Err(QueryError::refused(
            format!("scan of {table}"),
            "a private table would be read outside of an aggregate",
            "aggregate it",
        )),
        None => Ok(()),
    }
}

fn is_open(name: &TableReference, scope: &Scope<'_>) -> bool {
    let table = scope.policy.table(name.table());
    match table {
        Some(table) => table.is_public(),
        None => name.table().starts_with(RESERVED),
    }
}
