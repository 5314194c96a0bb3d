//! Profiles of statements: bounded range, zero-concentrated and Rényi privacy.

use throng_numeric::{Enclosure, NumericError, Rational};

use super::normal::{mirrored, positive};
use super::{Profile, claimed, one_minus_exp, real, whole};
use crate::AccountError;

/// Selection of epsilon-bounded range, such as the exponential mechanism.
///
/// # Guarantee
/// The losses of one pair of neighbours lie in [t - ε, t] for some t in [0, ε]. Given t, H_γ is
/// the mean under Q of the convex (r - γ)_+ of a ratio r of mean 1 in [e^(t-ε), e^t], largest
/// when r takes the two ends only. Then p = P(loss = t) solves p e^-t + (1-p) e^(ε-t) = 1, so
/// p = (e^ε - e^t)/(e^ε - 1), and H_γ = p (1 - γ e^-t) for γ between the ends. With x = e^t this
/// is (e^ε + γ - x - γ e^ε/x)/(e^ε - 1), largest at x = √(γ e^ε), which lies in [1, e^ε] for
/// |ln γ| <= ε: there H_γ <= (e^(ε/2) - √γ)²/(e^ε - 1) = (1 - e^((ln γ - ε)/2))²/(1 - e^-ε).
/// Beyond, losses within ±ε give 0 above and 1 - γ below. The bound is the supremum over all
/// such pairs, symmetric, convex, and continuous at both ends.
///
/// # Reference
/// J. Dong, D. Durfee, R. Rogers, "Optimal differential privacy composition for exponential
/// mechanisms", 2020.
#[derive(Debug, Clone, Copy)]
pub struct ExponentialProfile {
    range: Enclosure,
}

impl ExponentialProfile {
    /// For the range epsilon.
    ///
    /// # Errors
    /// If it is not above 0 and finite.
    pub fn new(epsilon: Enclosure) -> Result<Self, AccountError> {
        positive("epsilon", epsilon)?;
        Ok(Self { range: epsilon })
    }
}

impl Profile for ExponentialProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        mirrored(epsilon, |epsilon| {
            let Ok(e) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
            let root = one_minus_exp((e - self.range) / whole(2)).max(Enclosure::ZERO);
            super::probability(root.square() / one_minus_exp(-self.range))
        })
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.delta(epsilon)
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

/// δ(ε) <= e^((a-1)(D - ε)) (1/a) (1 - 1/a)^(a-1) for a Rényi divergence D of order a > 1.
///
/// *Proof.* (1 - γ/r)_+ <= c r^(a-1) with c the value that makes the two touch: r^(a-1) c =
/// 1 - γ/r with equal slopes at r = γ a/(a-1), c = (1/a) (γ a/(a-1))^(1-a); take means under P.
fn renyi_delta(
    order: Enclosure,
    divergence: Enclosure,
    epsilon: Enclosure,
) -> Result<Enclosure, NumericError> {
    let excess = order - Enclosure::ONE;
    let shrink = (-(Enclosure::ONE / order)).ln_1p()?;
    Ok((excess * (divergence - epsilon + shrink)).exp() / order)
}

/// Any mechanism with Rényi divergence at most xi + rho a at every order a > 1, both ways.
///
/// # Guarantee
/// Every order gives a bound; the best of them is the curve. An order close to it is searched
/// for, so the curve is this function's own. It need not be convex to the last digit: that is
/// restored where chords are taken.
#[derive(Debug, Clone, Copy)]
pub struct ZcdpProfile {
    rho: Enclosure,
    xi: Enclosure,
}

impl ZcdpProfile {
    /// For rho > 0 and xi >= 0.
    ///
    /// # Errors
    /// If they are not.
    pub fn new(rho: Enclosure, xi: Enclosure) -> Result<Self, AccountError> {
        positive("rho", rho)?;
        if !(xi.lower() >= 0.0 && xi.upper() < f64::INFINITY) {
            return Err(AccountError::invalid("xi", xi, "at least 0 and finite"));
        }
        Ok(Self { rho, xi })
    }

    fn at(&self, epsilon: f64) -> Result<Enclosure, NumericError> {
        let order = Enclosure::point(best_order(self.rho.upper(), self.xi.upper(), epsilon))?;
        renyi_delta(order, self.xi + order * self.rho, Enclosure::point(epsilon)?)
    }
}

/// The golden section of 1.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// An order near the best, by golden section in ln(a - 1).
#[expect(clippy::disallowed_methods, reason = "any order gives a valid bound")]
fn best_order(rho: f64, xi: f64, epsilon: f64) -> f64 {
    let exponent = |x: f64| {
        let a = 1.0 + x.exp();
        (a - 1.0) * (xi + a * rho - epsilon + (-1.0 / a).ln_1p()) - a.ln()
    };
    let (mut low, mut high) = (-30.0, 30.0);
    for _ in 0..90 {
        let span = GOLDEN * (high - low);
        if exponent(high - span) < exponent(low + span) {
            high = low + span;
        } else {
            low = high - span;
        }
    }
    1.0 + (0.5 * (low + high)).exp()
}

impl Profile for ZcdpProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        mirrored(epsilon, |epsilon| claimed(self.at(epsilon)))
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.delta(epsilon)
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn is_convex(&self) -> bool {
        false
    }
}

/// Any mechanism with the given bounds (order, divergence) on its Rényi divergence, both ways.
///
/// # Guarantee
/// The least of the bounds of all orders, and of 1.
#[derive(Debug, Clone)]
pub struct RenyiProfile {
    table: Vec<(Enclosure, Enclosure)>,
}

impl RenyiProfile {
    /// From pairs (order, divergence).
    ///
    /// # Errors
    /// If there are none, an order is not above 1 or a divergence negative.
    pub fn new(table: &[(Rational, Rational)]) -> Result<Self, AccountError> {
        if table.is_empty() {
            return Err(AccountError::invalid("the number of orders", 0, "at least 1"));
        }
        for (order, divergence) in table {
            if order <= &Rational::ONE {
                return Err(AccountError::invalid("an order", order, "above 1"));
            }
            if divergence.is_negative() {
                return Err(AccountError::invalid("a divergence", divergence, "at least 0"));
            }
        }
        Ok(Self { table: table.iter().map(|(a, d)| (real(a), real(d))).collect() })
    }
}

impl Profile for RenyiProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        mirrored(epsilon, |epsilon| {
            let Ok(e) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
            self.table
                .iter()
                .map(|(order, divergence)| claimed(renyi_delta(*order, *divergence, e)))
                .fold(Enclosure::ONE, Enclosure::min)
        })
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.delta(epsilon)
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn is_convex(&self) -> bool {
        false
    }
}
