//! Budgets, quotas and prices of a policy.

use throng_account::AccountError;
use throng_numeric::Rational;

use super::read::{Fields, Node};
use super::{Amount, Currency};
use crate::QueryError;
use crate::release::Cost;

/// The largest epsilon, rho and mu: beyond it nothing is protected.
const MOST: u32 = 1000;

/// The currency of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Money {
    /// Pure epsilon.
    Pure,
    /// Pairs (epsilon, delta).
    Approximate,
    /// Approximate zCDP.
    Zcdp,
    /// Gaussian privacy.
    Gdp,
}

/// The currency of `[budget]`: what it says, or what the amounts suggest.
pub(super) fn money(section: &Fields<'_>) -> Result<Money, QueryError> {
    if let Some(node) = section.get("currency") {
        return node.choice(&[
            ("pure", Money::Pure),
            ("approximate", Money::Approximate),
            ("zcdp", Money::Zcdp),
            ("gdp", Money::Gdp),
        ]);
    }
    let given = ["epsilon", "delta", "rho", "mu"].map(|field| section.has(field));
    match given {
        [_, _, true, _] => Ok(Money::Zcdp),
        [_, _, _, true] => Ok(Money::Gdp),
        [_, true, _, _] => Ok(Money::Approximate),
        [true, false, false, false] => Ok(Money::Pure),
        [false, false, false, false] => {
            Err(section.error("states no amount", "write epsilon = 1 and delta = 1e-6"))
        }
    }
}

/// The amount of `[budget]`.
pub(super) fn capacity(section: &Fields<'_>, money: Money) -> Result<Amount, QueryError> {
    amount(section, money, false)
}

/// The amount of a quota, in the currency of the budget; a delta of 0 is allowed: such an analyst
/// may ask what costs no delta.
pub(super) fn quota(section: &Fields<'_>, money: Money) -> Result<Amount, QueryError> {
    amount(section, money, true)
}

fn amount(section: &Fields<'_>, money: Money, quota: bool) -> Result<Amount, QueryError> {
    match money {
        Money::Pure => {
            none(section, &["delta", "rho", "mu"], "a budget of pure epsilon has epsilon alone")?;
            Ok(Amount::Pure { epsilon: loss(section, "epsilon")? })
        }
        Money::Approximate => {
            none(section, &["rho", "mu"], "an approximate budget has epsilon and delta")?;
            let epsilon = loss(section, "epsilon")?;
            let node = section.need("delta", "write delta = 1e-6")?;
            let zero = quota && node.number()?.is_zero();
            let delta = if zero { Rational::ZERO } else { inside_unit(&node)? };
            converted(section, &Currency::Approximate, &epsilon, &delta)
        }
        Money::Zcdp if section.has("rho") => {
            none(section, &["epsilon", "mu"], "a zCDP budget has rho, or epsilon and delta")?;
            let delta = section.get("delta").map(|node| inside_unit(&node)).transpose()?;
            let rho = loss(section, "rho")?;
            Ok(Amount::Zcdp { rho, delta: delta.unwrap_or(Rational::ZERO) })
        }
        Money::Zcdp => {
            none(section, &["mu"], "a zCDP budget has rho, or epsilon and delta")?;
            let (epsilon, delta) = pair(section)?;
            let leak = half(&delta);
            converted(section, &Currency::Zcdp { leak }, &epsilon, &delta)
        }
        Money::Gdp if section.has("mu") => {
            none(section, &["epsilon", "delta", "rho"], "a GDP budget has mu alone")?;
            Ok(Amount::Gdp { mu_squared: loss(section, "mu")?.square() })
        }
        Money::Gdp => {
            none(section, &["rho"], "a GDP budget has mu, or epsilon and delta")?;
            let (epsilon, delta) = pair(section)?;
            converted(section, &Currency::Gdp, &epsilon, &delta)
        }
    }
}

fn converted(
    section: &Fields<'_>,
    currency: &Currency,
    epsilon: &Rational,
    delta: &Rational,
) -> Result<Amount, QueryError> {
    let refused = |e: AccountError| section.error(&e.to_string(), "");
    let amount = Amount::for_epsilon_delta(currency, epsilon, delta).map_err(refused)?;
    let worthless = match &amount {
        Amount::Zcdp { rho, .. } => rho.is_zero(),
        Amount::Gdp { mu_squared } => mu_squared.is_zero(),
        Amount::Pure { .. } | Amount::Approximate { .. } | Amount::Renyi { .. } => false,
    };
    if worthless {
        return Err(section.error("buys nothing in this currency", "raise epsilon or delta"));
    }
    Ok(amount)
}

/// What `[query]` lets a query cost.
pub(super) fn cost(section: &Fields<'_>) -> Result<Option<Cost>, QueryError> {
    let delta = match section.get("delta") {
        Some(node) if node.number()?.is_zero() => Rational::ZERO,
        Some(node) => inside_unit(&node)?,
        None => Rational::ZERO,
    };
    let given = ["epsilon", "rho", "mu"].map(|field| section.has(field));
    match given {
        [true, false, false] => {
            Ok(Some(Cost::Epsilon { epsilon: loss(section, "epsilon")?, delta }))
        }
        [false, true, false] => Ok(Some(Cost::Zcdp { rho: loss(section, "rho")?, delta })),
        [false, false, true] => Ok(Some(Cost::Gdp { mu: loss(section, "mu")?, delta })),
        [false, false, false] if delta.is_zero() => Ok(None),
        [false, false, false] => {
            Err(section.error("has delta alone", "add epsilon, rho or mu, or leave delta out"))
        }
        _ => Err(section.error("states its price twice", "keep one of epsilon, rho and mu")),
    }
}

fn pair(section: &Fields<'_>) -> Result<(Rational, Rational), QueryError> {
    let delta = section.need("delta", "write delta = 1e-6")?;
    Ok((loss(section, "epsilon")?, inside_unit(&delta)?))
}

fn loss(section: &Fields<'_>, field: &str) -> Result<Rational, QueryError> {
    let node = section.need(field, &format!("write {field} = 1"))?;
    let value = node.number()?;
    if !value.is_positive() {
        return Err(node.error("must be above 0", ""));
    }
    if value > Rational::from(MOST) {
        return Err(node.error("is so large that nothing is protected", "1 is usual"));
    }
    Ok(value)
}

/// A number above 0 and below 1.
pub(super) fn inside_unit(node: &Node<'_>) -> Result<Rational, QueryError> {
    let value = node.number()?;
    if value.is_positive() && value < Rational::ONE {
        return Ok(value);
    }
    Err(node.error("must be above 0 and below 1", ""))
}

fn none(section: &Fields<'_>, fields: &[&str], hint: &str) -> Result<(), QueryError> {
    let extra = fields.iter().find_map(|field| Some((field, section.get(field)?)));
    let Some((field, node)) = extra else { return Ok(()) };
    Err(node.error(&format!("{field} does not belong here"), hint))
}

fn half(value: &Rational) -> Rational {
    value.checked_div(&Rational::from(2_u32)).unwrap_or(Rational::ZERO)
}
