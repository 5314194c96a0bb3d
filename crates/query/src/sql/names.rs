//! What columns are called that are aggregates as they were released.

use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, Union};

use super::Node;

/// A column that shows an aggregate as it is, cast or renamed at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name of the column.
    pub name: String,
    /// Whether it is a column of the answer, and not only of a query inside.
    pub shown: bool,
    /// Index into [`Statement::questions`](super::Statement::questions).
    pub question: usize,
    /// Index into [`Question::aggregates`](crate::question::Question::aggregates).
    pub aggregate: usize,
}

/// The names in a plan over released cells.
pub(super) fn names(outer: &LogicalPlan, nodes: &[Node]) -> Vec<Named> {
    let mut tracer = Tracer { nodes, found: Vec::new() };
    let origins = tracer.columns(outer);
    for (column, origin) in outer.schema().columns().into_iter().zip(origins) {
        tracer.keep(&column.name, &origin, true);
    }
    tracer.found
}

/// Which aggregates a column is: (node, aggregate); several where tables are put one under another.
type Origin = Vec<(usize, usize)>;

struct Tracer<'a> {
    nodes: &'a [Node],
    found: Vec<Named>,
}

impl Tracer<'_> {
    /// The origin of each column of a plan.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others pass columns on or make new ones"
    )]
    fn columns(&mut self, plan: &LogicalPlan) -> Vec<Origin> {
        match plan {
            LogicalPlan::TableScan(scan) => self.scan(plan, scan.table_name.table()),
            LogicalPlan::Projection(projection) => self.projection(projection),
            LogicalPlan::SubqueryAlias(alias) => self.columns(&alias.input),
            LogicalPlan::Union(union) => self.union(union),
            other => self.passing(other),
        }
    }

    fn scan(&self, plan: &LogicalPlan, table: &str) -> Vec<Origin> {
        let node = self.nodes.iter().position(|node| node.table == table);
        let first = node.and_then(|i| self.nodes.get(i)).map_or(0, |node| node.first_aggregate);
        let origin = |place: usize| match (node, place.checked_sub(first)) {
            (Some(node), Some(aggregate)) => vec![(node, aggregate)],
            _ => Vec::new(),
        };
        (0..plan.schema().fields().len()).map(origin).collect()
    }

    fn projection(&mut self, projection: &Projection) -> Vec<Origin> {
        let input = self.columns(&projection.input);
        let mut origins = Vec::new();
        for (expr, column) in projection.expr.iter().zip(projection.schema.columns()) {
            let origin = self.origin(expr, projection.input.schema(), &input);
            self.keep(&column.name, &origin, false);
            origins.push(origin);
        }
        origins
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is computed is no aggregate")]
    fn origin(&mut self, expr: &Expr, schema: &DFSchema, input: &[Origin]) -> Origin {
        match expr {
            Expr::Alias(alias) => self.origin(&alias.expr, schema, input),
            Expr::Cast(cast) => self.origin(&cast.expr, schema, input),
            Expr::TryCast(cast) => self.origin(&cast.expr, schema, input),
            Expr::Column(column) => {
                let place = schema.maybe_index_of_column(column);
                place.and_then(|place| input.get(place)).cloned().unwrap_or_default()
            }
            Expr::ScalarSubquery(inside) => {
                self.columns(&inside.subquery).into_iter().next().unwrap_or_default()
            }
            _ => Origin::new(),
        }
    }

    fn union(&mut self, union: &Union) -> Vec<Origin> {
        let mut origins = vec![Origin::new(); union.schema.fields().len()];
        for input in &union.inputs {
            for (all, own) in origins.iter_mut().zip(self.columns(input)) {
                all.extend(own);
            }
        }
        origins
    }

    /// Columns that are those of an input have its origin; new ones have none.
    fn passing(&mut self, plan: &LogicalPlan) -> Vec<Origin> {
        let mut known: Vec<(Column, Origin)> = Vec::new();
        for input in plan.inputs() {
            known.extend(input.schema().columns().into_iter().zip(self.columns(input)));
        }
        let of = |column: Column| {
            let same = known.iter().find(|(other, _)| *other == column);
            same.map(|(_, origin)| origin.clone()).unwrap_or_default()
        };
        plan.schema().columns().into_iter().map(of).collect()
    }

    fn keep(&mut self, name: &str, origin: &Origin, shown: bool) {
        for (node, aggregate) in origin {
            let sets = self.nodes.get(*node).map_or(&[][..], |node| &node.sets);
            for set in sets {
                let named = Named {
                    name: name.to_owned(),
                    shown,
                    question: set.question,
                    aggregate: *aggregate,
                };
                if !self.found.contains(&named) {
                    self.found.push(named);
                }
            }
        }
    }
}
