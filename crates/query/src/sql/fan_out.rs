//! Joins in which a row comes from several units, with a declared fan-out.
//!
//! Such a row is nobody's: what one unit does is bounded by how many rows of the join it can
//! change. The fan-out of a column (`max_matches`) is not believed but kept: of each value only so many
//! rows take part, those of smallest keyed hash.
//!
//! # How many rows one unit changes
//! Let A and B be the two sides, each bounded first to a_ rows and b_ rows of one unit (a unit's own rows decide
//! which), then to f rows of A and g rows of B for each value of the column joined on.
//!
//! **Lemma.** If a unit is added, the bounded A changes by at most a_ rows that come and a_ that go: in
//! one order of all possible rows the first f of a set that gains c rows gain at most c, and lose as
//! many at most.
//!
//! **Theorem.** The join changes by at most k = 2 (a_ g + b_ f) rows.
//!
//! *Proof.* Let A, B become A', B'. As multisets with signs, A' ⋈ B' - A ⋈ B = (A' - A) ⋈ B + A' ⋈ (B' - B).
//! A' - A has at most 2 a_ rows, each of which meets at most g rows of B, as an equality of the join fixes
//! the value that B is bounded by; likewise the other part. What else the condition asks for only
//! takes rows away, each by itself. []
//!
//! Of these rows at most half come and half go, so that keys which only one of two neighbours has hold at most k
//! rows together, also if a unit is replaced (it goes, another comes): what a threshold has to hide.
//!
//! Where each row of A is a unit and B is public, B does not change, and the row meets at most g rows: k = a_ g.

use datafusion::common::{Column, DFSchemaRef, JoinType};
use datafusion::functions_window::row_number::row_number;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprFunctionExt, Join, LogicalPlan, LogicalPlanBuilder, Operator, lit,
};

use super::context::planned;
use super::join::{finish, joined_facts, rebuilt, refused};
use super::order::order;
use super::rows::{Facts, Owner, Rows};
use super::walk::{Class, Walk};
use crate::QueryError;
use crate::question::{Limit, Limits};

/// The most rows that one unit may change.
const MOST_ROWS: u64 = 1 << 24;

/// One side of a join: its rows, and what is known of its columns.
struct Side<'a> {
    plan: &'a LogicalPlan,
    facts: &'a [Facts],
    /// How many columns come before those of the facts.
    hidden: usize,
    is_left: bool,
}

/// Private rows with private rows, whoever they belong to.
pub(super) fn private(
    walk: &mut Walk<'_>,
    node: &Join,
    left: &Rows,
    right: &Rows,
) -> Result<Class, QueryError> {
    let (Some((by_left, f)), Some((by_right, g))) =
        (bounded_column(node, &side(left, true)), bounded_column(node, &side(right, false)))
    else {
        return Err(refused(
            node,
            "a row would belong to two units",
            "join on the unit key, or declare one table public; or declare in the policy how many rows \
             of one value may match, for the columns on both sides: max_matches = 4",
        ));
    };
    inner_only(node)?;
    let (first, a) = own_rows(walk, node, left)?;
    let (second, b) = own_rows(walk, node, right)?;
    let first = firsts(walk, &first, &by_left, f)?;
    let second = firsts(walk, &second, &by_right, g)?;
    let changed = a.checked_mul(g).zip(b.checked_mul(f)).and_then(|(x, y)| x.checked_add(y));
    let changed = changed.and_then(|rows| rows.checked_mul(2));
    let name = format!("{} and {}", owner(left), owner(right));
    let plan = rebuilt(node, &first, &second, None)?;
    let facts = joined_facts(node.join_type, left.facts.clone(), right.facts.clone());
    joined(walk, node, name, plan, facts, changed)
}

/// Rows that count by themselves with a public table that may have several for each.
pub(super) fn with_public(
    walk: &mut Walk<'_>,
    node: &Join,
    rows: &Rows,
    (public, known): (LogicalPlan, Vec<Facts>),
    public_is_right: bool,
) -> Result<Class, QueryError> {
    let other = Side { plan: &public, facts: &known, hidden: 0, is_left: !public_is_right };
    let Some((by, g)) = bounded_column(node, &other) else {
        return Err(refused(
            node,
            "each private row is a unit, and the public table could make several of it",
            "join with one row per key: (SELECT key, MIN(x) AS x FROM public GROUP BY key), \
             use WHERE ... IN (SELECT ...), or declare in the policy how many rows of one value may \
             match, for the public column: max_matches = 4",
        ));
    };
    inner_only(node)?;
    let public = firsts(walk, &public, &by, g)?;
    let changed = rows.changed().and_then(|rows| rows.checked_mul(g));
    let ((left, l), (right, r)) = if public_is_right {
        ((&rows.plan, rows.facts.clone()), (&public, known))
    } else {
        ((&public, known), (&rows.plan, rows.facts.clone()))
    };
    let plan = rebuilt(node, left, right, None)?;
    let facts = joined_facts(node.join_type, l, r);
    joined(walk, node, owner(rows), plan, facts, changed)
}

fn side(rows: &Rows, is_left: bool) -> Side<'_> {
    Side { plan: &rows.plan, facts: &rows.facts, hidden: rows.hidden(), is_left }
}

fn owner(rows: &Rows) -> String {
    match &rows.owner {
        Owner::Row(name) | Owner::Unit(name) => name.clone(),
    }
}

fn inner_only(node: &Join) -> Result<(), QueryError> {
    if node.join_type == JoinType::Inner {
        return Ok(());
    }
    Err(refused(
        node,
        "a row without a match would come and go with rows of others",
        "use an inner join",
    ))
}

/// A column of this side that the join fixes and whose fan-out is declared. Not of floats: 0 and -0 are
/// equal to a join and two values to a partition.
fn bounded_column(node: &Join, side: &Side<'_>) -> Option<(Column, u64)> {
    let own = |(l, r): &(Expr, Expr)| if side.is_left { l.clone() } else { r.clone() };
    let mut fixed: Vec<Expr> = node.on.iter().map(own).collect();
    for part in node.filter.iter().flat_map(|filter| split_conjunction(filter)) {
        if let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = part {
            for (one, other) in [(left, right), (right, left)] {
                let foreign = |c: &Column| side.plan.schema().maybe_index_of_column(c).is_none();
                if other.column_refs().into_iter().all(foreign) {
                    fixed.push(one.as_ref().clone());
                }
            }
        }
    }
    fixed.into_iter().find_map(|expr| {
        let Expr::Column(column) = expr else { return None };
        let place = side.plan.schema().maybe_index_of_column(&column)?;
        let facts = side.facts.get(place.checked_sub(side.hidden)?)?;
        let floats = side.plan.schema().field(place).data_type().is_floating();
        Some((column, facts.max_matches.filter(|_| !floats)?))
    })
}

/// The rows of one side, so many of each unit at most; and how many.
fn own_rows(
    walk: &mut Walk<'_>,
    node: &Join,
    rows: &Rows,
) -> Result<(LogicalPlan, u64), QueryError> {
    let changed = rows.changed().ok_or_else(|| {
        refused(
            node,
            "how many rows of one unit take part is not known",
            "give max_groups and max_rows of both tables numbers instead of \"auto\"",
        )
    })?;
    let Some(Expr::Column(unit)) = rows.unit() else { return Ok((rows.plan.clone(), changed)) };
    if rows.unit_kind().is_none_or(|kind| kind.is_floating()) {
        let hint = "store the unit as an integer or as text";
        return Err(refused(node, "units that are floating-point numbers", hint));
    }
    Ok((firsts(walk, &rows.plan, &unit, changed)?, changed))
}

/// Of each value of a column the first rows, in an order that depends on the row and a secret alone.
fn firsts(
    walk: &mut Walk<'_>,
    plan: &LogicalPlan,
    by: &Column,
    most: u64,
) -> Result<LogicalPlan, QueryError> {
    let nested = |schema: &DFSchemaRef| schema.fields().iter().any(|f| f.data_type().is_nested());
    if nested(plan.schema()) {
        return Err(QueryError::refused(
            "JOIN with a fan-out",
            "columns of nested types have no order",
            "leave them out in a sub-query",
        ));
    }
    let columns: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    // Rows of one hash are told apart by what they hold; those that are still equal are the same.
    let mut sorts = vec![order(columns.clone(), walk.fresh()).sort(true, false)];
    sorts.extend(columns.iter().map(|column| column.clone().sort(true, false)));
    let number = row_number().partition_by(vec![Expr::Column(by.clone())]).order_by(sorts);
    let numbered = LogicalPlanBuilder::from(plan.clone()).window(vec![planned(number.build())?]);
    let numbered = planned(numbered.and_then(LogicalPlanBuilder::build))?;
    let place = numbered.schema().columns().into_iter().last();
    let place = place.map(Expr::Column).ok_or_else(|| QueryError::engine("planning a join"))?;
    let kept = LogicalPlanBuilder::from(numbered)
        .filter(place.lt_eq(lit(most)))
        .and_then(|builder| builder.project(columns))
        .and_then(LogicalPlanBuilder::build);
    planned(kept)
}

/// Rows of nobody, of which one unit changes so many.
fn joined(
    walk: &mut Walk<'_>,
    node: &Join,
    name: String,
    plan: LogicalPlan,
    facts: Vec<Facts>,
    changed: Option<u64>,
) -> Result<Class, QueryError> {
    let Some(changed) = changed.filter(|rows| *rows <= MOST_ROWS) else {
        let hint = "declare smaller max_groups, max_rows and max_matches";
        return Err(refused(node, "one unit could change more than 2^24 rows of the join", hint));
    };
    let nobody = |facts: Facts| Facts { is_unit: false, link: None, unit_sum: None, ..facts };
    let facts = facts.into_iter().map(nobody).collect();
    let limit = Limit::Fixed(changed);
    let rows = Rows {
        plan: plan.clone(),
        owner: Owner::Row(name),
        facts: Vec::new(),
        limits: Limits { groups: limit, rows: limit },
        single: false,
    };
    finish(walk, node, &rows, plan, facts, false)
}
