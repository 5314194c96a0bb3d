//! Sums of amounts, exact, and their one canonical text.
//!
//! A filter in memory keeps one running total; a ledger keeps one per record and checks them
//! against each other, so it needs sums and a text form of its own. Texts are canonical: one amount
//! has one text, so equal texts are equal amounts.

use std::borrow::Cow;

use throng_account::filter::Budget as Amount;
use throng_numeric::Rational;

use crate::error::{LedgerError, Result};

/// The numbers of an amount, in a fixed order.
pub(crate) fn values(amount: &Amount) -> Vec<&Rational> {
    match amount {
        Amount::Pure { epsilon } => vec![epsilon],
        Amount::Approximate { epsilon, delta } => vec![epsilon, delta],
        Amount::Zcdp { rho, delta } => vec![rho, delta],
        Amount::Gdp { mu_squared } => vec![mu_squared],
        Amount::Renyi { orders } => orders.iter().map(|(_, value)| value).collect(),
    }
}

/// The amount of the same currency with other numbers.
pub(crate) fn with_values(like: &Amount, values: Vec<Rational>) -> Option<Amount> {
    let mut values = values.into_iter();
    let mut next = || values.next();
    let amount = match like {
        Amount::Pure { .. } => Amount::Pure { epsilon: next()? },
        Amount::Approximate { .. } => Amount::Approximate { epsilon: next()?, delta: next()? },
        Amount::Zcdp { .. } => Amount::Zcdp { rho: next()?, delta: next()? },
        Amount::Gdp { .. } => Amount::Gdp { mu_squared: next()? },
        Amount::Renyi { orders } => {
            let pair = |(order, _): &(Rational, Rational)| Some((order.clone(), next()?));
            Amount::Renyi { orders: orders.iter().map(pair).collect::<Option<_>>()? }
        }
    };
    Some(amount)
}

/// Whether two amounts are of one currency, with the same orders.
pub(crate) fn same_currency(a: &Amount, b: &Amount) -> bool {
    match (a, b) {
        (Amount::Pure { .. }, Amount::Pure { .. })
        | (Amount::Approximate { .. }, Amount::Approximate { .. })
        | (Amount::Zcdp { .. }, Amount::Zcdp { .. })
        | (Amount::Gdp { .. }, Amount::Gdp { .. }) => true,
        (Amount::Renyi { orders: a }, Amount::Renyi { orders: b }) => {
            a.iter().map(|(order, _)| order).eq(b.iter().map(|(order, _)| order))
        }
        (
            Amount::Pure { .. }
            | Amount::Approximate { .. }
            | Amount::Zcdp { .. }
            | Amount::Gdp { .. }
            | Amount::Renyi { .. },
            _,
        ) => false,
    }
}

/// Combines two amounts of one currency, number by number.
fn zip(a: &Amount, b: &Amount, f: impl Fn(&Rational, &Rational) -> Rational) -> Result<Amount> {
    Ok(match (a, b) {
        (Amount::Pure { epsilon: x }, Amount::Pure { epsilon: y }) => {
            Amount::Pure { epsilon: f(x, y) }
        }
        (Amount::Approximate { epsilon: e, delta: d }, Amount::Approximate { epsilon, delta }) => {
            Amount::Approximate { epsilon: f(e, epsilon), delta: f(d, delta) }
        }
        (Amount::Zcdp { rho: r, delta: d }, Amount::Zcdp { rho, delta }) => {
            Amount::Zcdp { rho: f(r, rho), delta: f(d, delta) }
        }
        (Amount::Gdp { mu_squared: x }, Amount::Gdp { mu_squared: y }) => {
            Amount::Gdp { mu_squared: f(x, y) }
        }
        (Amount::Renyi { orders: x }, Amount::Renyi { orders: y }) if same_currency(a, b) => {
            let pairs = x.iter().zip(y);
            Amount::Renyi { orders: pairs.map(|((o, x), (_, y))| (o.clone(), f(x, y))).collect() }
        }
        (
            Amount::Pure { .. }
            | Amount::Approximate { .. }
            | Amount::Zcdp { .. }
            | Amount::Gdp { .. }
            | Amount::Renyi { .. },
            _,
        ) => return Err(LedgerError::corrupt("amounts of different currencies meet")),
    })
}

/// a + b, exactly.
pub(crate) fn plus(a: &Amount, b: &Amount) -> Result<Amount> {
    zip(a, b, |x, y| x + y)
}

/// a - b, exactly, or 0 where b is more.
pub(crate) fn minus(a: &Amount, b: &Amount) -> Result<Amount> {
    zip(a, b, |x, y| (x - y).max(Rational::ZERO))
}

/// The smaller, number by number.
pub(crate) fn least(a: &Amount, b: &Amount) -> Result<Amount> {
    zip(a, b, |x, y| x.min(y).clone())
}

/// Whether no number of `part` is above that of `whole`.
pub(crate) fn fits(part: &Amount, whole: &Amount) -> bool {
    same_currency(part, whole) && values(part).into_iter().zip(values(whole)).all(|(x, y)| x <= y)
}

/// Whether every number is 0.
pub(crate) fn is_nothing(amount: &Amount) -> bool {
    values(amount).into_iter().all(Rational::is_zero)
}

/// Denominators of running totals stay below 2 to the power of this (plus [`GRID_BITS`]).
const MAX_BITS: usize = 2048;
/// The grid that costs are rounded up to once exact sums would grow without bound.
const GRID_BITS: usize = 128;

/// The cost as it will be recorded: exact, unless the exact sum would have a denominator of more
/// than 2048 bits; then rounded up to a multiple of 2^-128.
///
/// A sum of fractions has the least common multiple of their denominators, which an analyst who
/// picks new primes can make as large as they like: the ledger would slow down with every charge.
/// Rounding up is sound, changes a budget by less than 10^-38 a charge, and is never met by costs
/// whose denominators are powers of 2 and of 10 of ordinary size. After it the denominator of the
/// total divides 2^128 times that before, with exponents of 2 at most 128, so it grows no further.
pub(crate) fn bounded(cost: &Amount, totals: &[&Amount]) -> Result<Amount> {
    let long = |x: &Rational| {
        x.denominator().clone() >> MAX_BITS != Rational::ZERO.magnitude_of_numerator()
    };
    let sums = totals.iter().map(|total| plus(total, cost)).collect::<Result<Vec<_>>>()?;
    if !sums.iter().flat_map(values).any(long) {
        return Ok(cost.clone());
    }
    let unit = Rational::from(1_u32 << 31).square().square() * Rational::from(16_u32);
    let up = |x: &Rational| Rational::new((x * &unit).ceil(), unit.magnitude_of_numerator());
    let rounded = values(cost).into_iter().map(up).collect::<std::result::Result<Vec<_>, _>>()?;
    with_values(cost, rounded).ok_or_else(|| LedgerError::corrupt("an amount lost a number"))
}

const _: () = assert!(GRID_BITS == 4 * 31 + 4);

/// The canonical text: `zcdp(rho=1/2, delta=0)`.
pub(crate) fn text(amount: &Amount) -> String {
    match amount {
        Amount::Pure { epsilon } => format!("pure(epsilon={epsilon})"),
        Amount::Approximate { epsilon, delta } => {
            format!("approximate(epsilon={epsilon}, delta={delta})")
        }
        Amount::Zcdp { rho, delta } => format!("zcdp(rho={rho}, delta={delta})"),
        Amount::Gdp { mu_squared } => format!("gdp(mu_squared={mu_squared})"),
        Amount::Renyi { orders } => {
            let pairs: Vec<_> = orders.iter().map(|(a, d)| format!("{a}={d}")).collect();
            format!("renyi({})", pairs.join(", "))
        }
    }
}

/// What [`text`] has before each number, and after the last.
pub(crate) fn labels(like: &Amount) -> Vec<Cow<'static, str>> {
    let mut labels: Vec<Cow<'static, str>> = match like {
        Amount::Pure { .. } => vec!["pure(epsilon=".into()],
        Amount::Approximate { .. } => vec!["approximate(epsilon=".into(), ", delta=".into()],
        Amount::Zcdp { .. } => vec!["zcdp(rho=".into(), ", delta=".into()],
        Amount::Gdp { .. } => vec!["gdp(mu_squared=".into()],
        Amount::Renyi { orders } => {
            let starts = std::iter::once("renyi(").chain(std::iter::repeat(", "));
            let pairs = starts.zip(orders);
            pairs.map(|(start, (order, _))| format!("{start}{order}=").into()).collect()
        }
    };
    labels.push(")".into());
    labels
}

/// Reads [`text`]; any other spelling, and any negative number, is damage.
pub(crate) fn parse(written: &str) -> Result<Amount> {
    let damage = || LedgerError::corrupt("an amount cannot be read");
    let (name, rest) = written.split_once('(').ok_or_else(damage)?;
    let inner = rest.strip_suffix(')').ok_or_else(damage)?;
    let pairs = inner.split(", ").map(|pair| pair.split_once('='));
    let pairs: Vec<(&str, &str)> = pairs.collect::<Option<_>>().ok_or_else(damage)?;
    let number = |text: &str| text.parse::<Rational>().map_err(|_| damage());
    let amount = match (name, pairs.as_slice()) {
        ("pure", [("epsilon", e)]) => Amount::Pure { epsilon: number(e)? },
        ("approximate", [("epsilon", e), ("delta", d)]) => {
            Amount::Approximate { epsilon: number(e)?, delta: number(d)? }
        }
        ("zcdp", [("rho", r), ("delta", d)]) => Amount::Zcdp { rho: number(r)?, delta: number(d)? },
        ("gdp", [("mu_squared", m)]) => Amount::Gdp { mu_squared: number(m)? },
        ("renyi", pairs) => {
            let pair = |(a, d): &(&str, &str)| Ok((number(a)?, number(d)?));
            Amount::Renyi { orders: pairs.iter().map(pair).collect::<Result<_>>()? }
        }
        _ => return Err(damage()),
    };
    let sound = !values(&amount).into_iter().any(Rational::is_negative);
    if sound && text(&amount) == written { Ok(amount) } else { Err(damage()) }
}

/// Amounts as their text, for serde.
pub(crate) mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use throng_account::filter::Budget as Amount;

    pub(crate) fn serialize<S: Serializer>(amount: &Amount, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::text(amount))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Amount, D::Error> {
        super::parse(&String::deserialize(from)?).map_err(de::Error::custom)
    }
}
