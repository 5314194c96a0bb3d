//! From an aggregate over private rows to questions.

use datafusion::logical_expr::expr::GroupingSet as Sets;
use datafusion::logical_expr::utils::grouping_set_to_exprlist;
use datafusion::logical_expr::{Aggregate, Expr, ExprSchemable, LogicalPlan, Projection};

use super::context::planned;
use super::domain::domain;
use super::measure::Measures;
use super::outer;
use super::rows::{Owner, Rows};
use super::text::{RESERVED, short};
use super::walk::{Class, Walk};
use super::{GroupingSet, Node};
use crate::QueryError;
use crate::question::{Domain, Key, Limit, Limits, Question, Unit};

/// The most grouping sets of one aggregate.
const MAX_SETS: usize = 64;

/// An aggregate over rows of many units: one question for each grouping set.
pub(super) fn aggregate(
    walk: &mut Walk<'_>,
    plan: &LogicalPlan,
    node: &Aggregate,
    rows: &Rows,
) -> Result<Class, QueryError> {
    let index = match walk.asked.iter().position(|asked| asked == plan) {
        Some(index) => index,
        None => ask(walk, plan, node, rows)?,
    };
    let node_asked =
        walk.nodes.get(index).ok_or_else(|| QueryError::engine("planning an aggregate"))?;
    Ok(Class::Released(outer::answer(node_asked, &node.schema)?))
}

fn ask(
    walk: &mut Walk<'_>,
    plan: &LogicalPlan,
    node: &Aggregate,
    rows: &Rows,
) -> Result<usize, QueryError> {
    let exprs: Vec<Expr> =
        planned(grouping_set_to_exprlist(&node.group_expr))?.into_iter().cloned().collect();
    let keys = keys(node, rows, &exprs)?;
    let measures = Measures::of(&node.aggr_expr, rows)?;
    let sets = sets(&node.group_expr, &exprs)?;
    let mut filled: Vec<GroupingSet> = Vec::new();
    for (set, id) in sets.members {
        let seen = filled.iter().find(|other| other.keys == set).map(|other| other.question);
        let question = match seen {
            Some(question) => question,
            None => {
                let chosen: Vec<_> = set.iter().filter_map(|i| keys.get(*i)).collect();
                walk.questions.push(question(walk, rows, &chosen, &measures)?);
                walk.questions.len() - 1
            }
        };
        filled.push(GroupingSet { question, keys: set, id });
    }
    let index = walk.nodes.len();
    walk.asked.push(plan.clone());
    walk.nodes.push(Node {
        table: format!("{RESERVED}_answer_{index}"),
        schema: outer::cells(&node.schema, exprs.len(), sets.grouping_id),
        sets: filled,
        grouping_id: sets.grouping_id,
        first_aggregate: exprs.len() + usize::from(sets.grouping_id.is_some()),
    });
    Ok(index)
}

/// A key, with the expression that makes it.
fn keys(node: &Aggregate, rows: &Rows, exprs: &[Expr]) -> Result<Vec<(Expr, Key)>, QueryError> {
    let mut keys = Vec::new();
    for (expr, field) in exprs.iter().zip(node.schema.fields()) {
        let total = rows.total(expr)?;
        let kind = planned(total.get_type(rows.plan.schema()))?;
        if kind.is_nested() {
            return Err(QueryError::refused(
                format!("GROUP BY {}", short(&expr.to_string())),
                "groups have keys of simple types",
                "group by the parts of the value",
            ));
        }
        let domain = domain(expr, &total, rows);
        keys.push((total, Key { name: field.name().clone(), kind, domain }));
    }
    Ok(keys)
}

fn question(
    walk: &Walk<'_>,
    rows: &Rows,
    keys: &[&(Expr, Key)],
    measures: &Measures,
) -> Result<Question, QueryError> {
    let unit = match (&rows.owner, rows.unit_kind()) {
        (Owner::Unit(name), Some(kind)) => Unit::Column { name: name.clone(), kind },
        (Owner::Row(_) | Owner::Unit(_), _) => Unit::Row,
    };
    let unit_expr = rows.unit().map(|unit| unit.alias(format!("{RESERVED}_unit")));
    let key_exprs = keys.iter().enumerate().map(|(i, (e, _))| e.clone().alias(format!("k{i}")));
    let inputs = measures.inputs.iter().enumerate();
    let inputs = inputs.map(|(i, (expr, _))| expr.clone().alias(format!("x{i}")));
    let exprs = unit_expr.into_iter().chain(key_exprs).chain(inputs).collect();
    let projection = planned(Projection::try_new(exprs, rows.plan.clone().into()))?;
    let keys: Vec<Key> = keys.iter().map(|(_, key)| key.clone()).collect();
    Ok(Question {
        rows: LogicalPlan::Projection(projection),
        unit,
        limits: limits(rows, &keys),
        keys,
        inputs: measures.inputs.iter().map(|(_, input)| input.clone()).collect(),
        aggregates: measures.aggregates.clone(),
        neighbours: walk.scope.policy.neighbours,
    })
}

/// No unit is in more groups than there are.
fn limits(rows: &Rows, keys: &[Key]) -> Limits {
    let Limits { groups, rows } = rows.limits();
    let possible = keys.iter().try_fold(1_u64, |all, key| match &key.domain {
        Domain::Public(values) => all.checked_mul(u64::try_from(values.len()).ok()?),
        Domain::Private => None,
    });
    let groups = match (groups, possible) {
        (Limit::Fixed(groups), Some(possible)) => Limit::Fixed(groups.min(possible.max(1))),
        (Limit::Auto, Some(0 | 1)) => Limit::Fixed(1),
        (groups, _) => groups,
    };
    Limits { groups, rows }
}

/// The grouping sets: for each the positions of its keys, and what the engine calls it.
struct SetList {
    members: Vec<(Vec<usize>, u64)>,
    grouping_id: Option<usize>,
}

fn sets(group_expr: &[Expr], exprs: &[Expr]) -> Result<SetList, QueryError> {
    let [Expr::GroupingSet(sets)] = group_expr else {
        let all = (0..exprs.len()).collect();
        return Ok(SetList { members: vec![(all, 0)], grouping_id: None });
    };
    let mut members: Vec<(Vec<usize>, u64)> = Vec::new();
    for set in enumerated(sets)? {
        let members_of = |(i, e): (usize, &Expr)| set.contains(e).then_some(i);
        let positions: Vec<usize> = exprs.iter().enumerate().filter_map(members_of).collect();
        let before = members.iter().filter(|(other, _)| *other == positions).count();
        let id = grouping_id(&positions, exprs.len(), before)?;
        members.push((positions, id));
    }
    Ok(SetList { members, grouping_id: Some(exprs.len()) })
}

fn enumerated(sets: &Sets) -> Result<Vec<Vec<Expr>>, QueryError> {
    let too_many = || {
        QueryError::invalid(
            format!("an aggregate has more than {MAX_SETS} grouping sets"),
            "name the sets that matter with GROUPING SETS",
        )
    };
    let list = match sets {
        Sets::GroupingSets(sets) => sets.clone(),
        Sets::Rollup(exprs) => {
            (0..=exprs.len()).rev().map(|n| exprs.iter().take(n).cloned().collect()).collect()
        }
        Sets::Cube(exprs) if exprs.len() > 6 => return Err(too_many()),
        Sets::Cube(exprs) => (0..1_u32 << exprs.len())
            .rev()
            .map(|mask| {
                let chosen = exprs.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                chosen.map(|(_, e)| e.clone()).collect()
            })
            .collect(),
    };
    if list.len() > MAX_SETS { Err(too_many()) } else { Ok(list) }
}

/// As the engine counts: a bit for each key that is not in the set, the last key the lowest; above
/// them how often the same set came before.
fn grouping_id(set: &[usize], keys: usize, before: usize) -> Result<u64, QueryError> {
    let before = u64::try_from(before).ok();
    let id = (0..keys).try_fold(before.unwrap_or(u64::MAX), |id, _| id.checked_mul(2));
    let bits = (0..keys).fold(0_u64, |id, i| id.wrapping_mul(2) | u64::from(!set.contains(&i)));
    match id {
        Some(high) if keys < 64 => Ok(high | bits),
        _ => Err(QueryError::invalid("grouping sets have too many keys", "use fewer keys")),
    }
}
