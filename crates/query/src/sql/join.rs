//! Joins: private rows with public tables, and rows of a unit with rows of the same unit; other joins
//! are in [`super::fan_out`].

use std::sync::Arc;

use datafusion::common::{Column, DFSchemaRef, JoinType, NullEquality};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Join, LogicalPlan, Operator};

use super::context::planned;
use super::expr::shown;
use super::fan_out;
use super::public::{at_most_one_match, public_facts};
use super::rows::{Facts, Owner, Rows, projected, totalised};
use super::scan::matched;
use super::settled::settled;
use super::walk::{Class, Walk};
use crate::QueryError;
use crate::question::{Limit, Limits};

/// A join with private rows on at least one side.
pub(super) fn join(
    walk: &mut Walk<'_>,
    node: &Join,
    inputs: Vec<Class>,
) -> Result<Class, QueryError> {
    let mut inputs = inputs.into_iter();
    match (inputs.next(), inputs.next()) {
        (Some(Class::Rows(left)), Some(Class::Rows(right))) => private(walk, node, &left, &right),
        (Some(Class::Rows(left)), Some(Class::Public(right))) => {
            with_public(walk, node, &left, &right, Side::Left)
        }
        (Some(Class::Public(left)), Some(Class::Rows(right))) => {
            with_public(walk, node, &right, &left, Side::Right)
        }
        _ => Err(refused(
            node,
            "an answer of this statement would be used on private rows",
            "ask for the aggregate first, then write what it says into the next question",
        )),
    }
}

/// Which side of a join the private rows are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Whether a join keeps rows of one side only, and does not multiply them.
fn selects(kind: JoinType) -> bool {
    match kind {
        JoinType::LeftSemi
        | JoinType::LeftAnti
        | JoinType::LeftMark
        | JoinType::RightSemi
        | JoinType::RightAnti
        | JoinType::RightMark => true,
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => false,
    }
}

/// Whether every row of the join has a row of this side in it.
fn keeps(kind: JoinType, side: Side) -> bool {
    match kind {
        JoinType::Inner => true,
        JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => {
            side == Side::Left
        }
        JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
            side == Side::Right
        }
        JoinType::Full => false,
    }
}

/// Private rows with a public table, on any condition: every row still has its unit. A public table
/// may multiply the rows of a unit, which are bounded afterwards; where each row is a unit nothing
/// is, so there it may not.
fn with_public(
    walk: &mut Walk<'_>,
    node: &Join,
    rows: &Rows,
    public: &LogicalPlan,
    side: Side,
) -> Result<Class, QueryError> {
    if !keeps(node.join_type, side) {
        return Err(refused(
            node,
            "rows of the public table without a match would be rows without a unit",
            "keep the private table's rows: private LEFT JOIN public, or an inner join",
        ));
    }
    let unique = selects(node.join_type) || at_most_one_match(node, public, side == Side::Left);
    let facts = public_facts(walk, public);
    let public = settled(public)?;
    if rows.owner_is_row() && !unique {
        return fan_out::with_public(walk, node, rows, (public, facts), side == Side::Left);
    }
    let single = rows.single && unique;
    let other = (public, facts);
    let (left, right) = match side {
        Side::Left => ((rows.plan.clone(), rows.facts.clone()), other),
        Side::Right => (other, (rows.plan.clone(), rows.facts.clone())),
    };
    let plan = rebuilt(node, &left.0, &right.0, None)?;
    let facts = joined_facts(node.join_type, left.1, right.1);
    finish(walk, node, rows, plan, facts, single)
}

/// Rows of a unit with rows of the same unit.
fn private(
    walk: &mut Walk<'_>,
    node: &Join,
    left: &Rows,
    right: &Rows,
) -> Result<Class, QueryError> {
    let (Owner::Unit(first), Owner::Unit(second)) = (&left.owner, &right.owner) else {
        return fan_out::private(walk, node, left, right);
    };
    if first != second || !on_the_unit(node, left, right) {
        return fan_out::private(walk, node, left, right);
    }
    let side = if keeps(node.join_type, Side::Left) { Side::Left } else { Side::Right };
    if !keeps(node.join_type, side) {
        return Err(refused(
            node,
            "a full join would have to take the unit from either side",
            "use a LEFT JOIN, or UNION ALL of both tables",
        ));
    }
    let units = unit_pair(node, left, right)?;
    let plan = rebuilt(node, &left.plan, &right.plan, Some(units))?;
    let (kept, limits) = match side {
        Side::Left => (left, larger(&left.limits, &right.limits)),
        Side::Right => (right, larger(&right.limits, &left.limits)),
    };
    let single = match (selects(node.join_type), side) {
        (true, _) => kept.single,
        (false, _) => left.single && right.single,
    };
    let facts = joined_facts(node.join_type, left.facts.clone(), right.facts.clone());
    let rows = Rows { limits, ..kept.clone() };
    finish(walk, node, &rows, plan, facts, single)
}

fn unit_pair(node: &Join, left: &Rows, right: &Rows) -> Result<(Expr, Expr), QueryError> {
    let pair = || {
        let (from, to) = (left.unit_kind()?, right.unit_kind()?);
        matched(left.unit()?, &from, right.unit()?, &to)
    };
    pair().ok_or_else(|| {
        refused(node, "the columns of the unit have different types", "store both in one type")
    })
}

/// Whether the condition compares the units, or references that lead to them.
fn on_the_unit(node: &Join, left: &Rows, right: &Rows) -> bool {
    let mut pairs: Vec<(&Expr, &Expr)> = node.on.iter().map(|(l, r)| (l, r)).collect();
    for part in node.filter.iter().flat_map(|filter| split_conjunction(filter)) {
        if let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = part {
            pairs.push((left, right));
            pairs.push((right, left));
        }
    }
    pairs.into_iter().any(|(l, r)| {
        let link = |rows: &Rows, expr| {
            let column = super::constant::column(expr, rows)?;
            rows.of_column(column)?.link.clone()
        };
        matches!((link(left, l), link(right, r)), (Some(a), Some(b)) if a == b)
    })
}

/// The join over the rewritten sides, its conditions total, and the units equal if there are two.
pub(super) fn rebuilt(
    node: &Join,
    left: &LogicalPlan,
    right: &LogicalPlan,
    units: Option<(Expr, Expr)>,
) -> Result<LogicalPlan, QueryError> {
    let pair =
        |(l, r): &(Expr, Expr)| Ok((totalised(l, left.schema())?, totalised(r, right.schema())?));
    let mut on = node.on.iter().map(pair).collect::<Result<Vec<_>, QueryError>>()?;
    // SQL's NOT IN gives nothing at all if one NULL is listed. Between private rows that would let
    // one unit switch off all others, so there it is NOT EXISTS.
    let null_aware = node.null_aware && units.is_none();
    on.extend(units);
    let both = Arc::new(planned(left.schema().join(right.schema()))?);
    let filter = node.filter.as_ref().map(|filter| totalised(filter, &both)).transpose()?;
    let join = Join::try_new(
        Arc::new(left.clone()),
        Arc::new(right.clone()),
        on,
        filter,
        node.join_type,
        node.join_constraint,
        if null_aware { NullEquality::NullEqualsNothing } else { node.null_equality },
        null_aware,
    );
    Ok(LogicalPlan::Join(planned(join)?))
}

pub(super) fn joined_facts(kind: JoinType, left: Vec<Facts>, right: Vec<Facts>) -> Vec<Facts> {
    let open = |facts: Vec<Facts>| facts.into_iter().map(Facts::unmatched).collect::<Vec<_>>();
    let mark = || vec![Facts::default()];
    match kind {
        JoinType::Inner | JoinType::Full => [left, right].concat(),
        JoinType::Left => [left, open(right)].concat(),
        JoinType::Right => [open(left), right].concat(),
        JoinType::LeftSemi | JoinType::LeftAnti => left,
        JoinType::RightSemi | JoinType::RightAnti => right,
        JoinType::LeftMark => [left, mark()].concat(),
        JoinType::RightMark => [right, mark()].concat(),
    }
}

/// The columns that the query sees, after the unit.
pub(super) fn finish(
    walk: &mut Walk<'_>,
    node: &Join,
    rows: &Rows,
    plan: LogicalPlan,
    facts: Vec<Facts>,
    single: bool,
) -> Result<Class, QueryError> {
    let columns = columns_of(&node.schema);
    if columns.len() != facts.len() {
        return Err(QueryError::engine("planning a join"));
    }
    let unit = rows.unit().map(|unit| (unit, walk.fresh()));
    let exprs = columns.into_iter().map(Expr::Column).collect();
    let plan = projected(plan, unit, exprs, &node.schema)?;
    Ok(Class::Rows(Box::new(Rows { plan, facts, single, ..rows.clone() })))
}

fn columns_of(schema: &DFSchemaRef) -> Vec<Column> {
    schema.columns()
}

/// The larger of two limits; `Auto` if one is.
pub(super) fn larger(a: &Limits, b: &Limits) -> Limits {
    let max = |a, b| match (a, b) {
        (Limit::Fixed(a), Limit::Fixed(b)) => Limit::Fixed(a.max(b)),
        (Limit::Auto, _) | (_, Limit::Auto) => Limit::Auto,
    };
    Limits { groups: max(a.groups, b.groups), rows: max(a.rows, b.rows) }
}

pub(super) fn refused(node: &Join, reason: &str, hint: &str) -> QueryError {
    QueryError::refused(shown(&LogicalPlan::Join(node.clone())), reason, hint)
}
