//! In what range an expression lies, from the ranges of its columns.
//!
//! Values are clamped to the range once more before they are added up, so that a range that is too
//! narrow costs accuracy and never privacy. Ends are rounded outwards all the same, by one double
//! at each step: what the engine computes in doubles lies inside. (In single precision it may miss
//! an end by a unit of the last place.) A value that is NULL, NaN or infinite has no range.

mod bounds;
mod functions;
mod literal;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use throng_numeric::Rational;

use super::arithmetic::Operation;
use bounds::Bounds;

/// Deeper parts are not looked at.
const DEEPEST: usize = 128;

/// Bounds of an expression, from the bounds of its columns; `None` if unknown.
///
/// The expression may be one before or after [`totalise`](super::totalise).
///
/// ```
/// use datafusion::prelude::{col, lit};
/// use throng_numeric::Rational;
/// let ages = |_: &_| Some((Rational::from(0), Rational::from(120)));
/// let range = throng_query::total::range(&((col("age") - lit(18_i64)) * lit(2_i64)), &ages);
/// assert_eq!(range, Some((Rational::from(-36), Rational::from(204))));
/// ```
#[must_use]
pub fn range(
    expr: &Expr,
    known: &dyn Fn(&Column) -> Option<(Rational, Rational)>,
) -> Option<(Rational, Rational)> {
    Facts { columns: known, assumed: Vec::new(), depth: 0 }.of(expr).ends()
}

/// What is known when a part of an expression is looked at.
#[derive(Clone)]
pub(super) struct Facts<'a> {
    columns: &'a dyn Fn(&Column) -> Option<(Rational, Rational)>,
    /// What holds where this part is used: the conditions of a CASE on the way to it.
    assumed: Vec<(&'a Expr, Bounds)>,
    depth: usize,
}

impl<'a> Facts<'a> {
    /// The bounds of a part.
    fn of(&self, expr: &'a Expr) -> Bounds {
        if self.depth > DEEPEST {
            return Bounds::UNKNOWN;
        }
        let below = Self { depth: self.depth + 1, ..self.clone() };
        let assumed = self.assumed.iter().filter(|(known, _)| *known == bare(expr));
        assumed.fold(below.by_form(expr), |bounds, (_, assumed)| bounds.and(assumed.clone()))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is unknown")]
    fn by_form(&self, expr: &'a Expr) -> Bounds {
        match expr {
            Expr::Alias(alias) => self.of(&alias.expr),
            Expr::Column(column) => {
                (self.columns)(column).map_or(Bounds::UNKNOWN, |(low, high)| Bounds::new(low, high))
            }
            Expr::Literal(value, _) => literal::number(value)
                .map_or(Bounds::UNKNOWN, |value| Bounds::new(value.clone(), value)),
            Expr::Negative(inner) => self.of(inner).negated(),
            Expr::BinaryExpr(binary) => self.of_binary(binary),
            Expr::Case(case) => self.of_case(case),
            Expr::Cast(cast) => converted(&self.of(&cast.expr), cast.field.data_type()),
            Expr::TryCast(cast) => converted(&self.of(&cast.expr), cast.field.data_type()),
            Expr::ScalarFunction(call) => functions::of(self, call),
            Expr::Not(_)
            | Expr::IsNotNull(_)
            | Expr::IsNull(_)
            | Expr::IsTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNotFalse(_)
            | Expr::IsNotUnknown(_)
            | Expr::Like(_)
            | Expr::SimilarTo(_)
            | Expr::Between(_)
            | Expr::InList(_) => Bounds::integers(0, 1),
            _ => Bounds::UNKNOWN,
        }
    }

    fn of_binary(&self, binary: &'a BinaryExpr) -> Bounds {
        match Operation::of(binary.op) {
            Some(operation) => self.of_operation(operation, &binary.left, &binary.right),
            None if binary.op == Operator::StringConcat => Bounds::UNKNOWN,
            None if binary.op.supports_propagation() || binary.op.is_logic_operator() => {
                Bounds::integers(0, 1)
            }
            None => Bounds::UNKNOWN,
        }
    }

    fn of_operation(&self, operation: Operation, left: &'a Expr, right: &'a Expr) -> Bounds {
        let value = self.of(left);
        let constant = || number(right).filter(|divisor| !divisor.is_zero());
        match operation {
            Operation::Add => value.plus(&self.of(right)),
            Operation::Subtract => value.plus(&self.of(right).negated()),
            Operation::Multiply => value.times(&self.of(right)),
            Operation::Divide => constant().map_or(Bounds::UNKNOWN, |divisor| value.over(&divisor)),
            Operation::Remainder => {
                constant().map_or(Bounds::UNKNOWN, |divisor| value.modulo(&divisor))
            }
            Operation::Negate => value.negated(),
        }
    }

    /// The hull of the branches, each under the conditions that lead to it.
    fn of_case(&self, case: &'a Case) -> Bounds {
        if case.expr.is_some() {
            let branches = case.when_then_expr.iter().map(|(_, then)| then.as_ref());
            return self.hull(branches.chain(case.else_expr.as_deref()));
        }
        let mut here = self.clone();
        let mut all: Option<Bounds> = None;
        for (when, then) in &case.when_then_expr {
            let branch = here.assuming(condition(when, true)).of_branch(then);
            all = joined(all, branch);
            here = here.assuming(condition(when, false));
        }
        let last = case.else_expr.as_deref().and_then(|otherwise| here.of_branch(otherwise));
        joined(all, last).unwrap_or(Bounds::UNKNOWN)
    }

    /// The bounds of a branch; `None` if it is NULL and so has no value at all.
    fn of_branch(&self, branch: &'a Expr) -> Option<Bounds> {
        (!is_null(branch)).then(|| self.of(branch))
    }

    fn hull(&self, parts: impl Iterator<Item = &'a Expr>) -> Bounds {
        let all = parts.map(|part| self.of_branch(part)).fold(None, joined);
        all.unwrap_or(Bounds::UNKNOWN)
    }

    fn assuming(&self, fact: Option<(&'a Expr, Bounds)>) -> Self {
        let mut facts = self.clone();
        facts.assumed.extend(fact);
        facts
    }
}

fn joined(one: Option<Bounds>, other: Option<Bounds>) -> Option<Bounds> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.hull(other)),
        (one, other) => one.or(other),
    }
}

/// A literal's number.
fn number(expr: &Expr) -> Option<Rational> {
    literal::number(bare(expr).as_literal()?)
}

/// An expression without its name and without conversions to doubles, which keep the order.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is bare")]
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => bare(&alias.expr),
        Expr::Cast(cast) if *cast.field.data_type() == DataType::Float64 => bare(&cast.expr),
        Expr::TryCast(cast) if *cast.field.data_type() == DataType::Float64 => bare(&cast.expr),
        _ => expr,
    }
}

fn is_null(expr: &Expr) -> bool {
    expr.as_literal().is_some_and(datafusion::common::ScalarValue::is_null)
}

/// What a comparison with a literal says about the other side where it holds, or does not.
///
/// Where it does not hold, the other side may also be NULL, which has no range anyway.
fn condition(when: &Expr, holds: bool) -> Option<(&Expr, Bounds)> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = when else { return None };
    let (value, op, limit) = match (number(left), number(right)) {
        (None, Some(limit)) => (left, *op, limit),
        (Some(limit), None) => (right, op.swap()?, limit),
        (None, None) | (Some(_), Some(_)) => return None,
    };
    let op = if holds { op } else { op.negate()? };
    let bounds = if matches!(op, Operator::Lt | Operator::LtEq) {
        Bounds::at_most(limit)
    } else if matches!(op, Operator::Gt | Operator::GtEq) {
        Bounds::at_least(limit)
    } else if op == Operator::Eq {
        Bounds::new(limit.clone(), limit)
    } else {
        return None;
    };
    Some((bare(value), bounds))
}

/// A value converted to another type, as far as the type rounds.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named has no numbers")]
fn converted(value: &Bounds, kind: &DataType) -> Bounds {
    match kind {
        DataType::Boolean => Bounds::integers(0, 1),
        DataType::Float64 => value.rounded(),
        DataType::Float32 => {
            let size = value.clone().absolute().high;
            let slack =
                Rational::new(1, 1_u32 << 23).ok().zip(size).map(|(unit, size)| &unit * &size);
            slack.map_or(Bounds::UNKNOWN, |slack| value.wider(&slack))
        }
        DataType::Decimal128(_, scale) => {
            literal::ten_to_minus(*scale).map_or(Bounds::UNKNOWN, |step| value.wider(&step))
        }
        kind if kind.is_integer() => value.to_integers(),
        _ => Bounds::UNKNOWN,
    }
}

#[cfg(test)]
mod tests;
