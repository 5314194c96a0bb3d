//! Small certified pieces that every formula needs.

use throng_numeric::{Enclosure, Rational};

use crate::AccountError;

/// The exact value of a finite number.
pub(crate) fn exactly(value: f64) -> Result<Enclosure, AccountError> {
    Ok(Enclosure::point(value)?)
}

/// A whole number.
pub(crate) fn whole(n: u64) -> Enclosure {
    Enclosure::of_rational(&Rational::from(n))
}

/// A small whole number, exactly.
pub(crate) fn small(n: u32) -> Enclosure {
    Enclosure::of_rational(&Rational::from(n))
}

/// One half.
pub(crate) fn half() -> Enclosure {
    Enclosure::ONE / small(2)
}

/// tanh(x/2) for x >= 0, accurate near 0: (1 - e^-x)/(1 + e^-x).
pub(crate) fn tanh_half(x: Enclosure) -> Enclosure {
    // Increasing in x, so each end is evaluated on its own.
    let at = |x: Enclosure| -(-x).expm1() / (Enclosure::ONE + (-x).exp());
    let (low, high) = (at(lower_end(x)), at(upper_end(x)));
    low.hull(high).max(Enclosure::ZERO).min(Enclosure::ONE)
}

/// The lower end as a number of its own; nothing is known if it is infinite.
pub(crate) fn lower_end(x: Enclosure) -> Enclosure {
    Enclosure::point(x.lower()).unwrap_or(x)
}

/// The upper end as a number of its own; nothing is known if it is infinite.
pub(crate) fn upper_end(x: Enclosure) -> Enclosure {
    Enclosure::point(x.upper()).unwrap_or(x)
}

/// A quantity known to be a probability.
pub(crate) fn probability(x: Enclosure) -> Enclosure {
    x.max(Enclosure::ZERO).min(Enclosure::ONE)
}

/// A dyadic rational that is certainly not below the quantity.
pub(crate) fn rational_up(x: Enclosure) -> Result<Rational, AccountError> {
    Ok(Rational::from_f64(x.upper())?)
}

/// A dyadic rational that is certainly not above the quantity.
pub(crate) fn rational_down(x: Enclosure) -> Result<Rational, AccountError> {
    Ok(Rational::from_f64(x.lower())?)
}

/// Refuses what is not a chance strictly between 0 and 1.
pub(crate) fn open_chance(name: &str, value: f64) -> Result<Enclosure, AccountError> {
    if value > 0.0 && value < 1.0 {
        return exactly(value);
    }
    Err(AccountError::invalid(name, value, "above 0 and below 1"))
}

/// Refuses an order of Renyi divergence that is not certainly above 1.
pub(crate) fn order_above_one(order: Enclosure) -> Result<Enclosure, AccountError> {
    if order.lower() > 1.0 && order.upper().is_finite() {
        return Ok(order);
    }
    Err(AccountError::invalid("the order", order, "a finite number above 1"))
}

/// Refuses what may be below 0 or is not finite from below.
pub(crate) fn not_negative(name: &str, value: Enclosure) -> Result<Enclosure, AccountError> {
    if value.lower() >= 0.0 && value.lower().is_finite() {
        return Ok(value);
    }
    Err(AccountError::invalid(name, value, "at least 0 and finite"))
}
