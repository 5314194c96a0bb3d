//! Amounts of budgets, in words and as JSON: what is asked is rounded up, what is left down.

use serde_json::{Map, Value, json};
use throng_ledger::Amount;
use throng_numeric::Rational;

use crate::digits::{self, Side};
use crate::terminal;

/// The symbols of the field, or their names where the locale has no such letters.
fn symbols() -> [&'static str; 4] {
    if terminal::speaks_utf8() {
        ["ε", "δ", "ρ", "μ²"]
    } else {
        ["epsilon", "delta", "rho", "mu^2"]
    }
}

/// An amount in words: `ε = 0.5, δ = 1e-6`.
pub(crate) fn words(amount: &Amount, side: Side) -> String {
    let [epsilon, delta, rho, mu] = symbols();
    let pair = |name: &str, first: &Rational, chance: &Rational| {
        let first = format!("{name} = {}", short(first, side));
        if chance.is_zero() {
            return first;
        }
        format!("{first}, {delta} = {}", short(chance, side))
    };
    match amount {
        Amount::Pure { epsilon: loss } => pair(epsilon, loss, &Rational::ZERO),
        Amount::Approximate { epsilon: loss, delta: chance } => pair(epsilon, loss, chance),
        Amount::Zcdp { rho: divergence, delta: chance } => pair(rho, divergence, chance),
        Amount::Gdp { mu_squared } => pair(mu, mu_squared, &Rational::ZERO),
        Amount::Renyi { orders } => {
            let one =
                |(order, loss): &(Rational, Rational)| format!("D_{order} = {}", short(loss, side));
            orders.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

/// `epsilon = 10, delta = 1e-5` as the owner wrote it.
pub(crate) fn stated(epsilon: &Rational, delta: &Rational) -> String {
    let amount = Amount::Approximate { epsilon: epsilon.clone(), delta: delta.clone() };
    words(&amount, Side::Down)
}

/// A few digits on the side that keeps the promise; all of them where they are few.
fn short(value: &Rational, side: Side) -> String {
    let near = value.to_f64_nearest();
    let plain = digits::plain_or_exponent(near);
    if plain.len() <= 10 && plain.parse().ok().as_ref() == Some(value) {
        return plain;
    }
    digits::single(rounded(value, side), side)
}

/// To a side; 0 has no sign.
fn rounded(value: &Rational, side: Side) -> f64 {
    let float = match side {
        Side::Down => value.to_f64_down(),
        Side::Up => value.to_f64_up(),
    };
    if value.is_zero() { 0.0 } else { float }
}

/// An amount as JSON: its numbers by name, rounded to the side that keeps the promise.
pub(crate) fn json(amount: &Amount, side: Side) -> Value {
    let number = |value: &Rational| rounded(value, side);
    match amount {
        Amount::Pure { epsilon } => json!({ "epsilon": number(epsilon), "delta": 0.0 }),
        Amount::Approximate { epsilon, delta } => {
            json!({ "epsilon": number(epsilon), "delta": number(delta) })
        }
        Amount::Zcdp { rho, delta } => json!({ "rho": number(rho), "delta": number(delta) }),
        Amount::Gdp { mu_squared } => json!({ "mu_squared": number(mu_squared) }),
        Amount::Renyi { orders } => {
            let named =
                |(order, loss): &(Rational, Rational)| (order.to_string(), number(loss).into());
            json!({ "renyi": orders.iter().map(named).collect::<Map<_, _>>() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_not_more_and_what_is_asked_not_less() {
        let third = Amount::Pure { epsilon: "1/3".parse().unwrap() };
        let number = |text: String| text.rsplit(' ').next().unwrap().parse::<Rational>().unwrap();
        let exact: Rational = "1/3".parse().unwrap();
        assert!(number(words(&third, Side::Up)) > exact);
        assert!(number(words(&third, Side::Down)) < exact);
        assert!(json(&third, Side::Up)["epsilon"].as_f64().unwrap() > 1.0 / 3.0 - 1e-15);
    }

    #[test]
    fn short_numbers_are_shown_as_they_are() {
        let pair =
            Amount::Approximate { epsilon: "0.5".parse().unwrap(), delta: "1e-6".parse().unwrap() };
        let text = words(&pair, Side::Down);
        assert!(text.contains("= 0.5, ") && text.ends_with("= 1e-6"), "{text}");
        let nothing = Amount::Zcdp { rho: Rational::ZERO, delta: Rational::ZERO };
        assert!(words(&nothing, Side::Up).ends_with("= 0"));
        assert_eq!(json(&nothing, Side::Up).to_string(), r#"{"delta":0.0,"rho":0.0}"#);
    }
}
