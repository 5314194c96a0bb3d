//! Concentrated privacy: Renyi divergence at most ξ + ρa at every order a > 1.

use throng_numeric::search::{Tolerance, Verdict, boundary};
use throng_numeric::{Enclosure, Rational};

use super::arithmetic::{
    exactly, half, not_negative, open_chance, rational_down, small, tanh_half,
};
use super::renyi::{self, Conversion};
use crate::AccountError;

/// A bound ξ + ρa on the Renyi divergence at every order a.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zcdp {
    /// The slope ρ >= 0.
    pub rho: Enclosure,
    /// The offset ξ >= 0; almost always 0.
    pub xi: Enclosure,
}

impl Zcdp {
    /// Plain ρ-zCDP.
    ///
    /// # Errors
    /// If rho may be negative.
    pub fn of_rho(rho: Enclosure) -> Result<Self, AccountError> {
        Ok(Self { rho: not_negative("rho", rho)?, xi: Enclosure::ZERO })
    }

    /// The bound at an order.
    #[must_use]
    pub fn at(self, order: Enclosure) -> Enclosure {
        self.xi + self.rho * order
    }

    /// The bound of two such mechanisms together, adaptively chosen.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { rho: self.rho + other.rho, xi: self.xi + other.xi }
    }
}

/// The least δ(ε) that concentrated privacy promises: inf over a > 1 of
/// e^((a-1)(ξ + aρ - ε)) (1 - 1/a)^a / (a - 1).
///
/// # Guarantee
/// Any order gives a valid bound, so the order is sought by estimates and the formula is then
/// enclosed there. The upper end holds for every mechanism with this bound.
///
/// # Errors
/// If a parameter may be negative.
///
/// # Reference
/// C. Canonne, G. Kamath, T. Steinke, "The discrete Gaussian for differential privacy" (2020).
pub fn delta(bound: Zcdp, epsilon: Enclosure) -> Result<Conversion, AccountError> {
    let (rho, xi) = checked(bound)?;
    // The logarithm has derivative (2a - 1)ρ + ξ - ε + ln(1 - 1/a), which rises in a.
    let order = rising_root(|a| (2.0 * a - 1.0) * rho + xi - epsilon.lower() + ln_of_share_kept(a));
    let a = exactly(order)?;
    renyi::delta(a, bound.at(a), epsilon).map(|value| Conversion { order, value })
}

/// The least ε >= 0 at a given delta that concentrated privacy promises.
///
/// # Guarantee
/// As for [`delta()`].
///
/// # Errors
/// If a parameter may be negative or delta is not above 0 and below 1.
pub fn epsilon(bound: Zcdp, delta: f64) -> Result<Conversion, AccountError> {
    let (rho, _) = checked(bound)?;
    let ln_delta = open_chance("delta", delta)?.ln()?.lower();
    // ε(a) has derivative ρ + (ln δ + ln a)/(a-1)², of the sign of ρ(a-1)² + ln δ + ln a.
    let order = rising_root(|a| rho * (a - 1.0) * (a - 1.0) + ln_delta + estimate_ln(a));
    let a = exactly(order)?;
    let value = renyi::epsilon(a, bound.at(a), delta)?;
    Ok(Conversion { order, value })
}

/// The older conversion ρ + 2 (ρ ln(1/δ))^(1/2), for comparison.
///
/// # Errors
/// If rho may be negative or delta is not above 0 and below 1.
///
/// # Reference
/// M. Bun, T. Steinke, "Concentrated differential privacy" (2016).
pub fn classical_epsilon(rho: Enclosure, delta: f64) -> Result<Enclosure, AccountError> {
    let rho = not_negative("rho", rho)?;
    let surprise = -open_chance("delta", delta)?.ln()?;
    Ok(rho + small(2) * (rho * surprise).sqrt()?)
}

/// The ρ of an epsilon-private mechanism: ε tanh(ε/2), the least possible.
///
/// # Guarantee
/// Randomised response dominates, with D_a = ln(cosh((a-½)ε)/cosh(ε/2))/(a-1). As a function of
/// s = (a-½)², ln cosh(ε√s) is concave; its tangent at s = ¼ gives D_a <= a ε tanh(ε/2).
///
/// # Errors
/// If epsilon may be negative.
pub fn rho_of_pure(epsilon: Enclosure) -> Result<Enclosure, AccountError> {
    let epsilon = not_negative("epsilon", epsilon)?;
    Ok(epsilon * tanh_half(epsilon))
}

/// The ρ of a mechanism of epsilon-bounded range, such as the exponential mechanism: ε²/8.
///
/// # Errors
/// If epsilon may be negative.
pub fn rho_of_bounded_range(epsilon: Enclosure) -> Result<Enclosure, AccountError> {
    Ok(not_negative("epsilon", epsilon)?.square() / small(8))
}

/// The ρ of a mu-GDP mechanism: μ²/2.
///
/// # Errors
/// If mu may be negative.
pub fn rho_of_gdp(mu: Enclosure) -> Result<Enclosure, AccountError> {
    Ok(not_negative("mu", mu)?.square() * half())
}

/// The largest ρ, as a rational, whose certified conversion gives (epsilon, delta).
///
/// # Guarantee
/// ρ-zCDP with the returned ρ implies (epsilon, delta)-privacy: the conversion was evaluated there.
///
/// # Errors
/// If epsilon is not above 0 or delta is not above 0 and below 1.
pub fn largest_rho(epsilon: &Rational, delta_: f64) -> Result<Rational, AccountError> {
    open_chance("delta", delta_)?;
    let target = not_negative("epsilon", Enclosure::of_rational(epsilon))?;
    let claim = |rho: f64| {
        let bound = Zcdp::of_rho(exactly(rho)?)?;
        Ok::<_, AccountError>(Verdict::at_most(delta(bound, target)?.value, delta_))
    };
    let mut far = target.upper().max(1.0);
    while claim(far)? == Verdict::Holds {
        far *= 2.0;
    }
    if claim(0.0)? != Verdict::Holds {
        return Ok(Rational::ZERO);
    }
    let found = boundary(far, 0.0, Tolerance::relative(1e-14), claim)?;
    rational_down(exactly(found.holds)?)
}

fn checked(bound: Zcdp) -> Result<(f64, f64), AccountError> {
    let rho = not_negative("rho", bound.rho)?;
    let xi = not_negative("xi", bound.xi)?;
    Ok((rho.upper(), xi.upper()))
}

/// The orders that are looked at: a - 1 from 1e-9 to 1e12.
const NEAREST_ORDER: f64 = 1e-9;
const FARTHEST_ORDER: f64 = 1e12;

/// Where a rising function of the order changes sign, roughly: only a good place to evaluate.
fn rising_root(slope: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (NEAREST_ORDER, FARTHEST_ORDER);
    for _ in 0..120 {
        let middle = (low * high).sqrt();
        if slope(1.0 + middle) < 0.0 { low = middle } else { high = middle }
    }
    1.0 + (low * high).sqrt()
}

#[expect(clippy::disallowed_methods, reason = "an estimate; the formula is enclosed afterwards")]
fn ln_of_share_kept(a: f64) -> f64 {
    (-1.0 / a).ln_1p()
}

#[expect(clippy::disallowed_methods, reason = "an estimate; the formula is enclosed afterwards")]
fn estimate_ln(a: f64) -> f64 {
    a.ln()
}
