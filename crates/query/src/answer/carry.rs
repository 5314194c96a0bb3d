//! The outer plan, made to take intervals along.
//!
//! Each node is rebuilt over inputs that have more columns than it knows of: those of intervals,
//! with names of their own. What only passes rows on passes them too; a projection computes the
//! intervals of its expressions; what mixes rows (aggregates, DISTINCT ON) drops them.

use std::sync::Arc;

use datafusion::common::{Column, Result};
use datafusion::logical_expr::utils::grouping_set_to_exprlist;
use datafusion::logical_expr::{
    Aggregate, Distinct, DistinctOn, Expr, LogicalPlan, Projection, Union,
};

use super::fill::SPAN_COLUMN;
use super::span::{Carried, Scope};
use super::spanned::{point, unknown};
use super::table::Kind;
use crate::sql::Node;

/// A plan with columns of intervals beside its own.
pub(super) struct Carriage {
    pub(super) plan: LogicalPlan,
    /// The columns that the plan had before, in order.
    pub(super) columns: Vec<Carried>,
}

/// Rewrites plans.
pub(super) struct Carrier<'a> {
    nodes: &'a [Node],
    intervals: bool,
    fresh: usize,
}

impl<'a> Carrier<'a> {
    /// For a plan over the tables of these nodes; without intervals it only tells keys from values.
    pub(super) fn new(nodes: &'a [Node], intervals: bool) -> Self {
        Self { nodes, intervals, fresh: 0 }
    }

    /// The plan with the intervals of its columns, as far as they are known.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named drops intervals")]
    pub(super) fn carry(&mut self, plan: &LogicalPlan) -> Result<Carriage> {
        match plan {
            LogicalPlan::TableScan(scan) => Ok(self.scan(plan, scan.table_name.table())),
            LogicalPlan::Projection(projection) => self.projection(projection),
            LogicalPlan::Union(union) => self.union(union),
            LogicalPlan::Aggregate(aggregate) => self.aggregate(plan, aggregate),
            LogicalPlan::Distinct(Distinct::All(input)) => self.distinct(plan, input),
            LogicalPlan::SubqueryAlias(alias) => self.renamed(plan, &alias.input),
            LogicalPlan::Filter(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::Repartition(_) => self.passing(plan),
            _ => self.dropping(plan),
        }
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("__throng_span_{}", self.fresh)
    }

    /// Public tables have keys only; released cells have their intervals beside them.
    fn scan(&self, plan: &LogicalPlan, table: &str) -> Carriage {
        let node = self.nodes.iter().find(|node| node.table == table);
        let width = node.map_or(plan.schema().fields().len(), |node| node.schema.fields().len());
        let columns = plan.schema().columns().into_iter().take(width).enumerate();
        let columns = columns.map(|(place, column)| {
            let value = node.and_then(|node| place.checked_sub(node.first_aggregate));
            let kind = if value.is_some() { Kind::Value } else { Kind::Key };
            let span = value
                .filter(|_| self.intervals)
                .map(|index| Column::new(column.relation.clone(), format!("{SPAN_COLUMN}{index}")));
            Carried { column, kind, span }
        });
        Carriage { plan: plan.clone(), columns: columns.collect() }
    }

    fn projection(&mut self, projection: &Projection) -> Result<Carriage> {
        let input = self.carry(&projection.input)?;
        let scope = Scope { schema: projection.input.schema(), columns: &input.columns };
        let mut exprs = projection.expr.clone();
        let mut columns = Vec::new();
        for (expr, column) in projection.expr.iter().zip(projection.schema.columns()) {
            let kind = scope.kind(expr);
            let span = if kind == Kind::Value { scope.span(expr) } else { None };
            let span = span.map(|span| {
                let name = self.name();
                exprs.push(span.alias(&name));
                Column::new_unqualified(name)
            });
            columns.push(Carried { column, kind, span });
        }
        let plan = Projection::try_new(exprs, Arc::new(input.plan))?;
        Ok(Carriage { plan: LogicalPlan::Projection(plan), columns })
    }

    /// Nodes whose columns are those of their inputs, perhaps with new ones.
    fn passing(&mut self, plan: &LogicalPlan) -> Result<Carriage> {
        let inputs = self.inputs(plan)?;
        let (plans, known): (Vec<LogicalPlan>, Vec<Vec<Carried>>) =
            inputs.into_iter().map(|input| (input.plan, input.columns)).unzip();
        let known = known.concat();
        let carried = plan.with_new_exprs(plan.expressions(), plans)?;
        let kept = |span: &Column| carried.schema().has_column(span);
        let columns = plan.schema().columns().into_iter().map(|column| {
            match known.iter().find(|known| known.column == column) {
                Some(found) => Carried { span: found.span.clone().filter(kept), ..found.clone() },
                None => Carried { column, kind: Kind::Value, span: None },
            }
        });
        Ok(Carriage { columns: columns.collect(), plan: carried })
    }

    /// The same columns under another qualifier.
    fn renamed(&mut self, plan: &LogicalPlan, input: &LogicalPlan) -> Result<Carriage> {
        let input = self.carry(input)?;
        // In the order of the original first, as an alias goes by place.
        let input = ordered(input)?;
        let carried = plan.with_new_exprs(plan.expressions(), vec![input.plan])?;
        let relation = plan.schema().columns().first().and_then(|first| first.relation.clone());
        let columns = plan.schema().columns().into_iter().zip(input.columns);
        let columns = columns.map(|(column, known)| {
            let span = known.span.map(|span| Column::new(relation.clone(), span.name));
            Carried { column, span, kind: known.kind }
        });
        Ok(Carriage { columns: columns.collect(), plan: carried })
    }

    fn union(&mut self, union: &Union) -> Result<Carriage> {
        let inputs: Vec<Carriage> =
            union.inputs.iter().map(|input| self.carry(input)).collect::<Result<_>>()?;
        let width = union.schema.fields().len();
        let at = |input: &Carriage, place: usize| input.columns.get(place).cloned();
        let spans: Vec<Option<String>> = (0..width)
            .map(|place| {
                let any = inputs.iter().filter_map(|input| at(input, place)?.span).next();
                any.map(|_| self.name())
            })
            .collect();
        let plans: Vec<Arc<LogicalPlan>> =
            inputs.iter().map(|input| aligned(input, &spans)).collect::<Result<_>>()?;
        let plan = LogicalPlan::Union(Union::try_new_with_loose_types(plans)?);
        let all = plan.schema().columns();
        let columns = spans.iter().enumerate().zip(&all).map(|((place, span), column)| {
            let noisy = inputs.iter().filter_map(|input| at(input, place));
            let noisy = noisy.map(|known| known.kind).any(|kind| kind == Kind::Value);
            let span = span.as_ref().and_then(|name| all.iter().find(|other| other.name == *name));
            let kind = if noisy { Kind::Value } else { Kind::Key };
            Carried { column: column.clone(), kind, span: span.cloned() }
        });
        Ok(Carriage { columns: columns.collect(), plan })
    }

    /// DISTINCT looks at the values alone; of rows that are the same, one interval is kept.
    fn distinct(&mut self, plan: &LogicalPlan, input: &LogicalPlan) -> Result<Carriage> {
        let input = self.carry(input)?;
        if input.columns.iter().all(|known| known.span.is_none()) {
            let plan = plan.with_new_exprs(Vec::new(), vec![bare(&input)?])?;
            return Ok(Carriage { columns: input.columns, plan });
        }
        let on = input.columns.iter().map(|known| Expr::Column(known.column.clone())).collect();
        let select = all_columns(&input);
        let distinct = DistinctOn::try_new(on, select, None, Arc::new(input.plan))?;
        let plan = LogicalPlan::Distinct(Distinct::On(distinct));
        Ok(Carriage { columns: input.columns, plan })
    }

    /// What is computed from many cells is noisy, without interval.
    fn aggregate(&mut self, plan: &LogicalPlan, aggregate: &Aggregate) -> Result<Carriage> {
        let input = self.carry(&aggregate.input)?;
        let scope = Scope { schema: aggregate.input.schema(), columns: &input.columns };
        let keys = grouping_set_to_exprlist(&aggregate.group_expr)?;
        let keys: Vec<Kind> = keys.into_iter().map(|key| scope.kind(key)).collect();
        let columns = plan.schema().columns().into_iter().enumerate().map(|(place, column)| {
            let kind = keys.get(place).copied().unwrap_or(Kind::Value);
            Carried { column, kind, span: None }
        });
        let columns = columns.collect();
        let plan = plan.with_new_exprs(plan.expressions(), vec![bare(&input)?])?;
        Ok(Carriage { columns, plan })
    }

    /// Nodes that see the original columns alone.
    fn dropping(&mut self, plan: &LogicalPlan) -> Result<Carriage> {
        let inputs = self.inputs(plan)?;
        let known: Vec<Carried> =
            inputs.iter().flat_map(|input| input.columns.iter().cloned()).collect();
        let columns = plan.schema().columns().into_iter().map(|column| {
            let found = known.iter().find(|known| known.column == column);
            let kind = if inputs.is_empty() { Kind::Key } else { Kind::Value };
            Carried { kind: found.map_or(kind, |found| found.kind), column, span: None }
        });
        let columns = columns.collect();
        if inputs.is_empty() {
            return Ok(Carriage { columns, plan: plan.clone() });
        }
        let bared = inputs.iter().map(bare).collect::<Result<_>>()?;
        let plan = plan.with_new_exprs(plan.expressions(), bared)?;
        Ok(Carriage { columns, plan })
    }

    fn inputs(&mut self, plan: &LogicalPlan) -> Result<Vec<Carriage>> {
        plan.inputs().into_iter().map(|input| self.carry(input)).collect()
    }
}

/// The original columns, then the intervals.
fn all_columns(carriage: &Carriage) -> Vec<Expr> {
    let values = carriage.columns.iter().map(|known| known.column.clone());
    let spans = carriage.columns.iter().filter_map(|known| known.span.clone());
    values.chain(spans).map(Expr::Column).collect()
}

/// The plan with the original columns first.
pub(super) fn ordered(carriage: Carriage) -> Result<Carriage> {
    let exprs = all_columns(&carriage);
    let plan = Projection::try_new(exprs, Arc::new(carriage.plan))?;
    Ok(Carriage { plan: LogicalPlan::Projection(plan), columns: carriage.columns })
}

/// The plan with the original columns alone.
fn bare(carriage: &Carriage) -> Result<LogicalPlan> {
    let exprs = carriage.columns.iter().map(|known| Expr::Column(known.column.clone())).collect();
    let plan = Projection::try_new(exprs, Arc::new(carriage.plan.clone()))?;
    Ok(LogicalPlan::Projection(plan))
}

/// One part of a union: the original columns, then an interval for each name.
fn aligned(input: &Carriage, spans: &[Option<String>]) -> Result<Arc<LogicalPlan>> {
    let mut exprs: Vec<Expr> =
        input.columns.iter().map(|known| Expr::Column(known.column.clone())).collect();
    for (known, name) in input.columns.iter().zip(spans) {
        let Some(name) = name else { continue };
        let span = match (known.kind, &known.span) {
            (_, Some(span)) => Expr::Column(span.clone()),
            (Kind::Key, None) if is_number(input, &known.column) => {
                point(Expr::Column(known.column.clone()))
            }
            (Kind::Key | Kind::Value, None) => unknown(),
        };
        exprs.push(span.alias(name));
    }
    let plan = Projection::try_new(exprs, Arc::new(input.plan.clone()))?;
    Ok(Arc::new(LogicalPlan::Projection(plan)))
}

fn is_number(input: &Carriage, column: &Column) -> bool {
    let field = input.plan.schema().qualified_field_from_column(column);
    field.is_ok_and(|(_, field)| field.data_type().is_numeric())
}
