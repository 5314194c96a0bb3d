//! Private rows that keep their unit.
//!
//! The invariant of this module, from which privacy follows: *each row is computed from rows of its
//! own unit and from public tables alone*. So when a unit comes or goes, only its own rows do, and
//! what it can do to an aggregate is bounded by what it may contribute.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchemaRef, ExprSchema, ScalarValue, TableReference};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, Projection};
use throng_numeric::Rational;

use super::context::planned;
use super::text::RESERVED;
use crate::QueryError;
use crate::question::{Limit, Limits, Range};
use crate::total;

/// Private rows.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Its first column is the unit, unless each row is one; then what the query sees.
    pub(super) plan: LogicalPlan,
    /// Whose rows they are.
    pub(super) owner: Owner,
    /// What is known of each column that the query sees.
    pub(super) facts: Vec<Facts>,
    /// How much one unit may contribute.
    pub(super) limits: Limits,
    /// Whether a unit has one row at most.
    pub(super) single: bool,
}

/// Whose rows they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// Each row counts by itself: one unit changes as many rows of all as the limits say, which is one row of
    /// a table where each row is a unit.
    Row(String),
    /// The unit is in the first column; its identity across tables.
    Unit(String),
}

/// What is known of a column without looking.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Facts {
    /// No number is less.
    pub(super) lower: Option<Rational>,
    /// No number is more.
    pub(super) upper: Option<Rational>,
    /// Where bounds found privately belong, as `table.column`.
    pub(super) auto: Option<String>,
    /// What the sum of one unit in one group is clamped to.
    pub(super) unit_sum: Option<Rational>,
    /// How many rows of one value take part in a join on it.
    pub(super) max_matches: Option<u64>,
    /// All values that count, if they are public.
    pub(super) keys: Option<Vec<ScalarValue>>,
    /// Columns of one link hold the same reference towards the unit.
    pub(super) link: Option<String>,
    /// Whether it always equals the unit.
    pub(super) is_unit: bool,
}

impl Facts {
    /// The range, where both ends are known.
    pub(super) fn bounds(&self) -> Option<(Rational, Rational)> {
        self.lower.clone().zip(self.upper.clone())
    }

    /// What is left when the column may be NULL because a join found nothing.
    pub(super) fn unmatched(mut self) -> Self {
        self.is_unit = false;
        if let Some(keys) = &mut self.keys
            && let Some(null) = keys.first().and_then(|k| ScalarValue::try_from(k.data_type()).ok())
            && !keys.contains(&null)
        {
            keys.push(null);
        }
        self
    }

    /// What holds in both of two tables put one after the other.
    pub(super) fn either(self, other: Self) -> Self {
        let same = |a: Option<String>, b: Option<String>| if a == b { a } else { None };
        Self {
            lower: self.lower.zip(other.lower).map(|(a, b)| a.min(b)),
            upper: self.upper.zip(other.upper).map(|(a, b)| a.max(b)),
            auto: same(self.auto, other.auto),
            unit_sum: self.unit_sum.zip(other.unit_sum).map(|(a, b)| a.max(b)),
            max_matches: self.max_matches.zip(other.max_matches).map(|(a, b)| a.max(b)),
            keys: self.keys.zip(other.keys).map(|(a, b)| united(a, b)),
            link: same(self.link, other.link),
            is_unit: self.is_unit && other.is_unit,
        }
    }

    /// The least value is at least this.
    pub(super) fn at_least(&mut self, value: Rational) {
        self.lower = Some(self.lower.take().map_or(value.clone(), |old| old.max(value)));
    }

    /// The largest value is at most this.
    pub(super) fn at_most(&mut self, value: Rational) {
        self.upper = Some(self.upper.take().map_or(value.clone(), |old| old.min(value)));
    }

    /// Only these values are left.
    pub(super) fn among(&mut self, values: Vec<ScalarValue>) {
        self.keys = Some(match self.keys.take() {
            Some(old) => old.into_iter().filter(|key| values.contains(key)).collect(),
            None => united(values, Vec::new()),
        });
    }

    /// As a question's range.
    pub(super) fn range(&self) -> Option<Range> {
        match (self.bounds(), &self.auto) {
            (Some((lower, upper)), _) => Some(Range::Declared { lower, upper }),
            (None, Some(column)) => Some(Range::Auto { column: column.clone() }),
            (None, None) => None,
        }
    }
}

fn united(a: Vec<ScalarValue>, b: Vec<ScalarValue>) -> Vec<ScalarValue> {
    let mut all: Vec<ScalarValue> = Vec::with_capacity(a.len() + b.len());
    let mut seen = std::collections::HashSet::new();
    for value in a.into_iter().chain(b) {
        if seen.insert(value.clone()) {
            all.push(value);
        }
    }
    all
}

impl Rows {
    /// How many columns come before those that the query sees.
    pub(super) fn hidden(&self) -> usize {
        match self.owner {
            Owner::Row(_) => 0,
            Owner::Unit(_) => 1,
        }
    }

    /// The column of the unit.
    pub(super) fn unit(&self) -> Option<Expr> {
        match self.owner {
            Owner::Row(_) => None,
            Owner::Unit(_) => self.plan.schema().columns().into_iter().next().map(Expr::Column),
        }
    }

    /// The type of the unit.
    pub(super) fn unit_kind(&self) -> Option<DataType> {
        self.unit()?.get_type(self.plan.schema()).ok()
    }

    /// The columns that the query sees.
    pub(super) fn visible(&self) -> Vec<Column> {
        self.plan.schema().columns().into_iter().skip(self.hidden()).collect()
    }

    /// What is known of a column.
    pub(super) fn of_column(&self, column: &Column) -> Option<&Facts> {
        let index = self.plan.schema().maybe_index_of_column(column)?;
        self.facts.get(index.checked_sub(self.hidden())?)
    }

    /// What is known of an expression: all of it for a column, else the range that follows.
    ///
    /// A column that is computed anew keeps nothing by name: its range is derived from its
    /// definition or forgotten.
    pub(super) fn of_expr(&self, expr: &Expr) -> Facts {
        let expr = bare(expr);
        if let Expr::Column(column) = expr {
            return self.of_column(column).cloned().unwrap_or_default();
        }
        let (lower, upper) = total::range(expr, &|column| self.span(column)).unzip();
        // Bounds that say no more than the type does are no bounds.
        let far = Rational::from(1_u64 << 62);
        let lower = lower.filter(|lower| *lower > -far.clone());
        Facts { lower, upper: upper.filter(|upper| *upper < far), ..Facts::default() }
    }

    /// The range of a column; that of its type where it is an integer of which no more is known.
    fn span(&self, column: &Column) -> Option<(Rational, Rational)> {
        let facts = self.of_column(column)?;
        let field = self.plan.schema().field_from_column(column).ok()?;
        if !field.data_type().is_integer() {
            return facts.bounds();
        }
        let lower = facts.lower.clone().unwrap_or_else(|| Rational::from(i64::MIN));
        Some((lower, facts.upper.clone().unwrap_or_else(|| Rational::from(u64::MAX))))
    }

    /// An expression over these rows that cannot fail, of the same type.
    pub(super) fn total(&self, expr: &Expr) -> Result<Expr, QueryError> {
        totalised(expr, self.plan.schema())
    }

    /// How many rows one unit may change, if that is known.
    pub(super) fn changed(&self) -> Option<u64> {
        match (self.owner_is_row(), self.limits()) {
            (true, Limits { rows: Limit::Fixed(rows), .. }) => Some(rows),
            (false, Limits { groups: Limit::Fixed(groups), rows: Limit::Fixed(rows) }) => {
                groups.checked_mul(rows)
            }
            (_, Limits { .. }) => None,
        }
    }

    /// The limits of a question on these rows.
    pub(super) fn limits(&self) -> Limits {
        if self.single {
            Limits { groups: Limit::Fixed(1), rows: Limit::Fixed(1) }
        } else {
            self.limits.clone()
        }
    }
}

/// An expression that cannot fail on data, of the same type; sub-queries and references to an outer
/// query are refused.
pub(super) fn totalised(expr: &Expr, schema: &DFSchemaRef) -> Result<Expr, QueryError> {
    super::expr::check_row_expr(expr)?;
    let kind = planned(expr.get_type(schema))?;
    let total = total::totalise(bare(expr).clone(), schema)?;
    if planned(total.get_type(schema))? == kind {
        Ok(total)
    } else {
        Ok(datafusion::logical_expr::try_cast(total, kind))
    }
}

/// The expression without names given to it.
pub(super) fn bare(expr: &Expr) -> &Expr {
    let mut expr = expr;
    while let Expr::Alias(alias) = expr {
        expr = &alias.expr;
    }
    expr
}

/// An expression under the very name of a column.
#[expect(clippy::wildcard_enum_match_arm, reason = "all else is given the name")]
pub(super) fn named(expr: Expr, relation: Option<&TableReference>, name: &str) -> Expr {
    match &expr {
        Expr::Column(c) if c.relation.as_ref() == relation && c.name == name => expr,
        _ => expr.alias_qualified(relation.cloned(), name),
    }
}

/// A projection of expressions under the names of the columns of a schema, after a unit if there is
/// one.
pub(super) fn projected(
    input: LogicalPlan,
    unit: Option<(Expr, usize)>,
    exprs: Vec<Expr>,
    names: &DFSchemaRef,
) -> Result<LogicalPlan, QueryError> {
    let unit = unit.map(|(expr, fresh)| expr.alias(format!("{RESERVED}_unit_{fresh}")));
    let columns = exprs.into_iter().zip(names.iter());
    let columns = columns.map(|(expr, (relation, field))| named(expr, relation, field.name()));
    let all = unit.into_iter().chain(columns).collect();
    Ok(LogicalPlan::Projection(planned(Projection::try_new(all, input.into()))?))
}
