//! The ranges of functions.

use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::ScalarFunction;
use throng_numeric::Rational;

use super::bounds::Bounds;
use super::{Facts, number};
use crate::total::{arithmetic, guard};

/// The bounds of a call, guarded or not.
pub(super) fn of<'a>(facts: &Facts<'a>, call: &'a ScalarFunction) -> Bounds {
    if let Some(operation) = arithmetic::operation_of(&call.func) {
        return match call.args.as_slice() {
            [only] => facts.of_operation(operation, only, only),
            [left, right] => facts.of_operation(operation, left, right),
            _ => Bounds::UNKNOWN,
        };
    }
    let function = guard::behind(&call.func).unwrap_or(&call.func);
    match call.args.split_first() {
        Some((first, rest)) => by_name(facts, function.name(), first, rest),
        None => Bounds::UNKNOWN,
    }
}

fn by_name<'a>(facts: &Facts<'a>, name: &str, first: &'a Expr, rest: &'a [Expr]) -> Bounds {
    let all = || std::iter::once(first).chain(rest);
    match name {
        "abs" => facts.of(first).absolute(),
        "floor" => facts.of(first).floor(),
        "ceil" => facts.of(first).ceil(),
        "round" | "trunc" if keeps_integers(rest) => facts.of(first).to_integers(),
        "sqrt" => root(&facts.of(first)),
        "signum" | "sin" | "cos" | "tanh" => Bounds::integers(-1, 1),
        "coalesce" | "nvl" | "total_coalesce" => facts.hull(all()),
        "nullif" => facts.of(first),
        "least" => least(facts, &all().collect::<Vec<_>>()),
        "greatest" => greatest(facts, &all().collect::<Vec<_>>()),
        "character_length" | "octet_length" | "bit_length" | "ascii" | "strpos" | "find_in_set"
        | "exp" => Bounds::at_least(Rational::ZERO),
        "date_part" => first
            .as_literal()
            .and_then(|unit| unit.try_as_str().flatten())
            .map_or(Bounds::UNKNOWN, |unit| calendar(&unit.to_lowercase())),
        _ => Bounds::UNKNOWN,
    }
}

/// Whether rounding to these digits leaves integers where they are.
fn keeps_integers(digits: &[Expr]) -> bool {
    match digits {
        [] => true,
        [digits] => number(digits).is_some_and(|digits| !digits.is_negative()),
        _ => false,
    }
}

/// Square roots are correctly rounded, so that they keep the order; NaN has no range.
fn root(value: &Bounds) -> Bounds {
    let high = value.high.as_ref().map(|high| high.to_f64_up().max(0.0).sqrt().next_up());
    let high = high.and_then(|high| Rational::from_f64(high).ok());
    Bounds { low: Some(Rational::ZERO), high }
}

/// NULLs are passed over, so that only a literal is sure to be among the candidates.
fn least<'a>(facts: &Facts<'a>, candidates: &[&'a Expr]) -> Bounds {
    let hull = facts.hull(candidates.iter().copied());
    let sure = candidates.iter().filter_map(|candidate| number(candidate)).min();
    hull.and(sure.map_or(Bounds::UNKNOWN, Bounds::at_most))
}

fn greatest<'a>(facts: &Facts<'a>, candidates: &[&'a Expr]) -> Bounds {
    let hull = facts.hull(candidates.iter().copied());
    let sure = candidates.iter().filter_map(|candidate| number(candidate)).max();
    hull.and(sure.map_or(Bounds::UNKNOWN, Bounds::at_least))
}

fn calendar(unit: &str) -> Bounds {
    match unit {
        "month" => Bounds::integers(1, 12),
        "quarter" => Bounds::integers(1, 4),
        "week" => Bounds::integers(1, 53),
        "day" => Bounds::integers(1, 31),
        "doy" => Bounds::integers(1, 366),
        "dow" => Bounds::integers(0, 6),
        "hour" => Bounds::integers(0, 23),
        "minute" => Bounds::integers(0, 59),
        "second" => Bounds::integers(0, 60),
        _ => Bounds::UNKNOWN,
    }
}
