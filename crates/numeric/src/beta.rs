//! The regularised incomplete beta function, enclosed.
//!
//! # Guarantee
//! Every result encloses the function of all numbers in the arguments. At points the width is a
//! few ulps relative to the *smaller* of I and 1 - I, also far below 1e-308 with the `ln_`
//! versions; [`crate::widths`] is the table and `crates/oracle` holds it against MPFR.
//!
//! # How
//! With n = a + b, y = 1 - x and the binomial weight w = Γ(n+1) / (Γ(a+1) Γ(b+1)) x^a y^b,
//! Iₓ(a, b) = w b/(n y) (1 + r₁ (1 + r₂ (...))) for rⱼ = (b - j) x / ((a + j) y), from the recurrence
//! Iₓ(a, b) = Iₓ(a + 1, b - 1) + Γ(a+b) / (Γ(a+1) Γ(b)) x^a y^(b-1), as far as b stays positive.
//!
//! # Reference
//! DLMF 8.17.4 (symmetry), 8.17.19 (the recurrence), 8.17.8 (the series for b <= 1).
//!
//! ```
//! use throng_numeric::{Enclosure, beta};
//! let (a, b) = (Enclosure::point(2.0)?, Enclosure::point(3.0)?);
//! let i = beta::regularised(a, b, Enclosure::point(0.5)?)?; // 11/16
//! assert!(i.contains(0.6875) && i.width() < 1e-15);
//! # Ok::<(), throng_numeric::NumericError>(())
//! ```

use crate::ball::Ball;
use crate::gamma::steps_above_zero;
use crate::gamma::stirling::ln_binomial_weight;
use crate::nested::{Ratios, geometric_rest, nested_sum};
use crate::share::{Share, Side};
use crate::wide::Wide;
use crate::{Enclosure, NumericError};

/// Iₓ(a, b) = ∫ t^(a-1) (1-t)^(b-1) dt / B(a, b) from 0 to x: the probability that a beta variable
/// is at most x, and for integers that a binomial variable of a + b - 1 trials is at least a.
///
/// # Errors
/// If no a or no b in its interval is above 0, or no x is in [0, 1].
pub fn regularised(a: Enclosure, b: Enclosure, x: Enclosure) -> Result<Enclosure, NumericError> {
    spread(a, b, x, |a, b, x| share(a, b, x).linear(Side::Lower))
}

/// 1 - Iₓ(a, b), accurate where it is small.
///
/// # Errors
/// As for [`regularised`].
pub fn complement(a: Enclosure, b: Enclosure, x: Enclosure) -> Result<Enclosure, NumericError> {
    Ok(-spread(a, b, x, |a, b, x| -share(a, b, x).linear(Side::Upper))?)
}

/// ln Iₓ(a, b), also where it is no `f64` itself.
///
/// # Errors
/// As for [`regularised`].
pub fn ln_regularised(a: Enclosure, b: Enclosure, x: Enclosure) -> Result<Enclosure, NumericError> {
    spread(a, b, x, |a, b, x| share(a, b, x).logarithm(Side::Lower))
}

/// ln(1 - Iₓ(a, b)), also where it is no `f64` itself.
///
/// # Errors
/// As for [`regularised`].
pub fn ln_complement(a: Enclosure, b: Enclosure, x: Enclosure) -> Result<Enclosure, NumericError> {
    Ok(-spread(a, b, x, |a, b, x| -share(a, b, x).logarithm(Side::Upper))?)
}

/// The image of intervals under a function that decreases in a and increases in b and x.
fn spread(
    a: Enclosure,
    b: Enclosure,
    x: Enclosure,
    at: impl Fn(f64, f64, f64) -> Enclosure,
) -> Result<Enclosure, NumericError> {
    if a.upper() <= 0.0 {
        return Err(NumericError::domain("a", a, "above 0"));
    }
    if b.upper() <= 0.0 {
        return Err(NumericError::domain("b", b, "above 0"));
    }
    if x.upper() < 0.0 || x.lower() > 1.0 {
        return Err(NumericError::domain("x", x, "in [0, 1]"));
    }
    if a.is_exact() && b.is_exact() && x.is_exact() {
        return Ok(at(a.lower(), b.lower(), x.lower()));
    }
    let lower = at(a.upper(), b.lower().max(0.0), x.lower().max(0.0)).lower();
    let upper = at(a.lower().max(0.0), b.upper(), x.upper().min(1.0)).upper();
    Ok(Enclosure::outward(lower, upper))
}

/// The easier side at a point, or the limits at the ends of the domain.
fn share(a: f64, b: f64, x: f64) -> Share {
    // What pushes I to 0, and what pushes it to 1.
    let down = x == 0.0 || a == f64::INFINITY || b == 0.0;
    let up = x == 1.0 || b == f64::INFINITY || a == 0.0;
    match (down, up) {
        (true, true) => Share::UNKNOWN,
        (true, false) => Share { side: Side::Lower, ..Share::NOTHING },
        (false, true) => Share { side: Side::Upper, ..Share::NOTHING },
        (false, false) => interior(a, b, x),
    }
}

/// A series with ratio x takes some 50/(1 - x) terms; with 1 - x below this, that is many.
const NEAR_ONE: f64 = 1.0 / 1024.0;

/// The easier side for finite a, b > 0 and 0 < x < 1.
fn interior(a: f64, b: f64, x: f64) -> Share {
    let (x, y) = (Wide::of(x), Wide::sum(1.0, -x));
    let lower = Beta { a, b, x, y };
    let upper = Beta { a: b, b: a, x: y, y: x };
    if lower.is_preferred_to(&upper) { lower.share(Side::Lower) } else { upper.share(Side::Upper) }
}

/// The parameters of Iₓ(a, b), with y = 1 - x exactly.
#[derive(Debug, Clone, Copy)]
struct Beta {
    a: f64,
    b: f64,
    x: Wide,
    y: Wide,
}

impl Beta {
    /// Which of Iₓ(a, b) and I₁₋ₓ(b, a) = 1 - Iₓ(a, b) to sum. It is only a matter of width and time:
    /// the other will be found as one minus this, so this should be the smaller, or at least
    /// not much larger, and its sum short.
    fn is_preferred_to(&self, other: &Self) -> bool {
        let below_mean = self.x.hi * ((self.a + self.b) + 2.0) <= self.a + 1.0;
        match (self.is_slight(), other.is_slight()) {
            (true, true) => self.b <= self.a,
            (true, false) => true,
            (false, true) => false,
            (false, false) => below_mean && !self.is_stubborn() || other.is_stubborn(),
        }
    }

    /// Whether a small b makes the result small whatever x, at a bearable number of terms.
    fn is_slight(&self) -> bool {
        self.b < 0.1 && self.y.hi > NEAR_ONE
    }

    /// Whether the innermost series would converge slowly though the result is not small.
    fn is_stubborn(&self) -> bool {
        self.b <= 1.0 && self.y.hi <= NEAR_ONE && self.a * self.y.hi < 4.0
    }

    fn share(self, side: Side) -> Share {
        let ln_weight = ln_binomial_weight(self.a, self.b, self.x, self.y);
        if !ln_weight.is_known() || ln_weight.rad > 1.0 && ln_weight.mid.hi > -1e6 {
            return Share::UNKNOWN;
        }
        let n = Ball::exact(Wide::sum(self.a, self.b));
        let scale = Ball::point(self.b) / (n * Ball::exact(self.y));
        let odds = self.x / self.y;
        let factor = scale * nested_sum(&Transfer { beta: self, odds });
        Share { ln_weight, factor, side }
    }
}

/// (b - j) x / ((a + j) y) for j = 1, 2, ... while b - j is above 0.
struct Transfer {
    beta: Beta,
    odds: Wide,
}

impl Ratios for Transfer {
    fn count(&self) -> u32 {
        steps_above_zero(self.beta.b)
    }

    fn plain(&self, j: f64) -> f64 {
        (self.beta.b - j) / (self.beta.a + j) * self.odds.hi
    }

    fn wide(&self, j: f64) -> Wide {
        let (above, below) = (Wide::sum(self.beta.b, -j), Wide::sum(self.beta.a, j));
        let product = if above.lo == 0.0 { self.odds * above.hi } else { self.odds * above };
        if below.lo == 0.0 { product / below.hi } else { product / below }
    }

    /// The ratios decrease as long as b - j is positive, and the innermost value is at most 1,
    /// so the rest is below a geometric series.
    fn rest(&self, j: u32) -> Ball {
        if j == self.count() {
            return self.innermost(f64::from(j));
        }
        geometric_rest(self.plain(f64::from(j) + 1.0).max(0.0))
    }
}

impl Transfer {
    /// With a' = a + m, b' = b - m in (0, 1]: Iₓ(a', b') over x^a' y^(b'-1) Γ(a'+b') / (Γ(a'+1) Γ(b')),
    /// which is y (1 + s₁ (1 + s₂ (...))) with sⱼ = x (a' + b' + j - 1)/(a' + j). For b' = 1 it is 1.
    fn innermost(&self, m: f64) -> Ball {
        let b = Wide::sum(self.beta.b, -m);
        if b == Wide::ONE {
            return Ball::ONE;
        }
        let a = Wide::sum(self.beta.a, m);
        let series = Hypergeometric { a, b, x: self.beta.x, y: self.beta.y };
        Ball::exact(self.beta.y) * nested_sum(&series)
    }
}

/// x (a + b + j - 1)/(a + j) for j = 1, 2, ..., with b <= 1.
struct Hypergeometric {
    a: Wide,
    b: Wide,
    x: Wide,
    y: Wide,
}

impl Ratios for Hypergeometric {
    fn count(&self) -> u32 {
        u32::MAX
    }

    fn plain(&self, j: f64) -> f64 {
        self.x.hi * ((self.a.hi + self.b.hi + (j - 1.0)) / (self.a.hi + j))
    }

    /// Four sums of positive numbers (j >= 1), a quotient and a product: less than 2^-98.5 with
    /// the bounds of [`Wide`], and in fact 2^-100 as each is.
    fn wide(&self, j: f64) -> Wide {
        let above = (self.a + self.b) + (j - 1.0);
        self.x * (above / (self.a + j))
    }

    /// Every ratio is at most x, for b <= 1: the rest is at most 1/(1 - x).
    fn rest(&self, _: u32) -> Ball {
        Ball::between(1.0, (1.0 / self.y.hi).next_up().next_up())
    }
}
