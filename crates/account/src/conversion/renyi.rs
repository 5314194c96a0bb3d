//! From Renyi divergence to (epsilon, delta), and what else Renyi divergence obeys.
//!
//! All follow from one inequality. For an order a > 1 and every z,
//! (1 - e^(ε-z))_+ <= e^((a-1)(z-ε)) (1/a)(1 - 1/a)^(a-1) (maximise the quotient over z); its mean
//! over the privacy loss z under P is H_(e^ε)(P||Q) <= e^((a-1)(D_a - ε)) (1/a)(1 - 1/a)^(a-1).

use throng_numeric::{Enclosure, elementary};

use super::arithmetic::{exactly, open_chance, order_above_one, probability};
use crate::AccountError;

/// What a conversion found, and at which order of Renyi divergence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conversion {
    /// The order used. Any order is sound; this one is near the best.
    pub order: f64,
    /// The formula at this order. The upper end is the promise.
    pub value: Enclosure,
}

/// ln of (1/a)(1 - 1/a)^(a-1).
fn ln_factor(order: Enclosure) -> Result<Enclosure, AccountError> {
    let above = order - Enclosure::ONE;
    Ok(above * ln_kept(order)? - order.ln()?)
}

/// ln(1 - 1/a).
fn ln_kept(order: Enclosure) -> Result<Enclosure, AccountError> {
    Ok((-(Enclosure::ONE / order)).ln_1p()?)
}

/// δ(ε) from the divergence at one order: e^((a-1)(D - ε)) (1/a)(1 - 1/a)^(a-1).
///
/// # Guarantee
/// The upper end bounds H_(e^ε)(P||Q) whenever D_a(P||Q) is at most `divergence`, for every real
/// epsilon.
///
/// # Errors
/// If the order is not above 1.
///
/// # Reference
/// C. Canonne, G. Kamath, T. Steinke (2020), proposition 12; S. Asoodeh et al. (2020).
pub fn delta(
    order: Enclosure,
    divergence: Enclosure,
    epsilon: Enclosure,
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    if divergence.upper() <= 0.0 {
        return Ok(probability(-epsilon.expm1())); // the two laws are equal
    }
    let exponent = (a - Enclosure::ONE) * (divergence - epsilon) + ln_factor(a)?;
    Ok(probability(exponent.exp()))
}

/// ε(δ) from the divergence at one order: D + ln(1 - 1/a) - (ln δ + ln a)/(a - 1), at least 0.
///
/// # Guarantee
/// The upper end is an epsilon for which (epsilon, delta)-privacy holds.
///
/// # Errors
/// If the order is not above 1 or delta is not above 0 and below 1.
pub fn epsilon(
    order: Enclosure,
    divergence: Enclosure,
    delta: f64,
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    let ln_delta = open_chance("delta", delta)?.ln()?;
    if divergence.upper() <= 0.0 {
        return Ok(Enclosure::ZERO); // the two laws are equal
    }
    let surprise = (ln_delta + a.ln()?) / (a - Enclosure::ONE);
    Ok((divergence + ln_kept(a)? - surprise).max(Enclosure::ZERO))
}

/// The largest divergence at an order whose conversion gives (epsilon, delta); may be negative.
///
/// # Guarantee
/// Use the lower end: with it, [`epsilon()`] is at most the given epsilon up to its own rounding.
///
/// # Errors
/// As for [`epsilon()`].
pub fn largest_divergence(
    order: Enclosure,
    epsilon: Enclosure,
    delta: f64,
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    let ln_delta = open_chance("delta", delta)?.ln()?;
    Ok(epsilon - ln_kept(a)? + (ln_delta + a.ln()?) / (a - Enclosure::ONE))
}

/// The best ε(δ) over a table of (order, divergence).
///
/// # Errors
/// If the table is empty, an order is not above 1, or delta is not above 0 and below 1.
pub fn epsilon_of_table(
    table: &[(Enclosure, Enclosure)],
    delta: f64,
) -> Result<Conversion, AccountError> {
    best(table.iter().map(|(order, d)| Ok((*order, epsilon(*order, *d, delta)?))))
}

/// The best δ(ε) over a table of (order, divergence).
///
/// # Errors
/// If the table is empty or an order is not above 1.
pub fn delta_of_table(
    table: &[(Enclosure, Enclosure)],
    epsilon: Enclosure,
) -> Result<Conversion, AccountError> {
    best(table.iter().map(|(order, d)| Ok((*order, delta(*order, *d, epsilon)?))))
}

fn best(
    found: impl Iterator<Item = Result<(Enclosure, Enclosure), AccountError>>,
) -> Result<Conversion, AccountError> {
    let mut least: Option<Conversion> = None;
    for pair in found {
        let (order, value) = pair?;
        if least.is_none_or(|c| value.upper() < c.value.upper()) {
            least = Some(Conversion { order: order.lower(), value });
        }
    }
    least.ok_or_else(|| AccountError::invalid("the table of orders", "empty", "not empty"))
}

/// The best ε(δ) over all orders of a Renyi curve.
///
/// # Guarantee
/// Every order gives a sound bound; the search only decides how good it is. An order at which the
/// curve is infinite or cannot be computed is passed over.
///
/// # Errors
/// If no order gives a finite bound, or delta is not above 0 and below 1.
pub fn epsilon_of_curve(
    curve: impl Fn(Enclosure) -> Result<Enclosure, AccountError>,
    delta: f64,
) -> Result<Conversion, AccountError> {
    open_chance("delta", delta)?;
    best_order(|a| epsilon(a, curve(a)?, delta))
}

/// The best δ(ε) over all orders of a Renyi curve.
///
/// # Guarantee
/// As for [`epsilon_of_curve`].
///
/// # Errors
/// If no order gives a bound.
pub fn delta_of_curve(
    curve: impl Fn(Enclosure) -> Result<Enclosure, AccountError>,
    epsilon: Enclosure,
) -> Result<Conversion, AccountError> {
    best_order(|a| delta(a, curve(a)?, epsilon))
}

/// A grid of a - 1 in powers of √2 from 2^-10 to 2^40, then golden sections around its best point.
fn best_order(
    value: impl Fn(Enclosure) -> Result<Enclosure, AccountError>,
) -> Result<Conversion, AccountError> {
    let at = |above: f64| {
        let order = 1.0 + above;
        let found = exactly(order).and_then(&value).ok()?;
        found.upper().is_finite().then_some(Conversion { order, value: found })
    };
    let mut least: Option<Conversion> = None;
    let mut above = 1.0 / 1024.0;
    for _ in 0..100 {
        least = smaller(least, at(above));
        above *= std::f64::consts::SQRT_2;
    }
    let middle = least.map_or(1.0, |c| c.order - 1.0);
    let (mut low, mut high) = (middle / 2.0_f64.sqrt(), middle * 2.0_f64.sqrt());
    for _ in 0..60 {
        let (left, right) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        let (at_left, at_right) = (at(left), at(right));
        (low, high) = if upper(at_left) <= upper(at_right) { (low, right) } else { (left, high) };
        least = smaller(smaller(least, at_left), at_right);
    }
    least.ok_or_else(|| {
        AccountError::refused("no order gives a finite bound", "use a curve with a finite order")
    })
}

fn upper(c: Option<Conversion>) -> f64 {
    c.map_or(f64::INFINITY, |c| c.value.upper())
}

fn smaller(a: Option<Conversion>, b: Option<Conversion>) -> Option<Conversion> {
    if upper(b) < upper(a) { b } else { a.or(b) }
}

/// δ̂(ε̂) of a mechanism whose Renyi divergence is bounded up to an event of chance `leak`:
/// leak + (1 - leak) e^(-(a-1)(ε̂ - D)) (1/a)(1 - 1/a)^(a-1).
///
/// # Errors
/// If the order is not above 1 or `leak` may leave [0, 1].
pub fn approximate_delta(
    order: Enclosure,
    divergence: Enclosure,
    leak: Enclosure,
    epsilon: Enclosure,
) -> Result<Enclosure, AccountError> {
    let leak = chance("the leak", leak)?;
    Ok(leak + (Enclosure::ONE - leak) * delta(order, divergence, epsilon)?)
}

/// The δ-approximate divergence of an (epsilon, delta)-private mechanism at order a: that of
/// randomised response, which is at most ½ε²a. The leak is delta.
///
/// # Errors
/// If the order is not above 1 or epsilon may be negative.
pub fn of_approximate_privacy(
    order: Enclosure,
    epsilon: Enclosure,
) -> Result<Enclosure, AccountError> {
    super::divergence::randomised_response(order, epsilon)
}

/// Two approximate bounds together: the divergences add and the leaks join, 1 - (1 - δ1)(1 - δ2).
#[must_use]
pub fn compose_approximate(
    (first, leak1): (Enclosure, Enclosure),
    (second, leak2): (Enclosure, Enclosure),
) -> (Enclosure, Enclosure) {
    (first + second, probability(leak1 + leak2 * (Enclosure::ONE - leak1)))
}

/// Joint quasi-convexity: the divergence of a public mixture,
/// ln((1-s) e^((a-1)D) + s e^((a-1)D'))/(a-1), for any number of parts (chance, divergence).
///
/// # Errors
/// If the order is not above 1 or there is no part.
pub fn mixture(
    order: Enclosure,
    parts: &[(Enclosure, Enclosure)],
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    let above = a - Enclosure::ONE;
    let mut terms = Vec::with_capacity(parts.len());
    for (chance, divergence) in parts {
        if chance.upper() > 0.0 {
            terms.push(chance.ln()? + above * *divergence);
        }
    }
    Ok(elementary::log_sum_exp(&terms)? / above)
}

/// The triangle inequality: D_a(P||R) <= a'/(a'-1) D_b(P||Q) + D_a'(Q||R), where
/// b = a(a'-1)/(a'-a) is the order at which the first divergence must be known.
///
/// # Reference
/// Hoelder's inequality; I. Mironov, "Renyi differential privacy" (2017), for special orders.
///
/// # Errors
/// Unless 1 < a < a'.
pub fn triangle(
    order: Enclosure,
    higher: Enclosure,
    first: impl FnOnce(Enclosure) -> Result<Enclosure, AccountError>,
    second: impl FnOnce(Enclosure) -> Result<Enclosure, AccountError>,
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    if higher.lower() <= a.upper() {
        return Err(AccountError::invalid("the higher order", higher, "above the order"));
    }
    let above = higher - Enclosure::ONE;
    let needed = a * above / (higher - a);
    Ok(higher / above * first(needed)? + second(higher)?)
}

/// D_a <= (a/8) (D_∞(P||Q) + D_∞(Q||P))².
///
/// # Errors
/// If the order is not above 1.
pub fn of_range(
    order: Enclosure,
    forward: Enclosure,
    backward: Enclosure,
) -> Result<Enclosure, AccountError> {
    Ok(order_above_one(order)? / super::arithmetic::small(8) * (forward + backward).square())
}

fn chance(name: &str, value: Enclosure) -> Result<Enclosure, AccountError> {
    if value.lower() >= 0.0 && value.upper() <= 1.0 {
        return Ok(value);
    }
    Err(AccountError::invalid(name, value, "in [0, 1]"))
}
