//! P(a, x) and Q(a, x) as sums of positive terms.

use super::stirling::{ln_gamma_1p, ln_poisson_weight};
use crate::ball::Ball;
use crate::elementary::{exp_ball, expm1_ball, logarithm};
use crate::nested::{Ratios, geometric_rest, nested_sum};
use crate::share::{Share, Side};
use crate::wide::{Wide, exp2i};

/// Below it (for a < 1) Q is found from the series at 0, above it from the continued fraction.
const MODEST: f64 = 1.5;

/// The easier side for finite a > 0 and x > 0.
///
/// With the Poisson weight w = x^a e^-x / Γ(a + 1): P = w (1 + x/(a+1) (1 + x/(a+2) (...))) and
/// Q = w a/x (1 + (a-1)/x (1 + (a-2)/x (...))), the latter as far down as a stays positive.
pub(super) fn share(a: f64, x: f64) -> Share {
    if a < 1.0 && x < MODEST {
        return share_near_zero(a, x);
    }
    let ln_weight = ln_poisson_weight(a, x);
    if !ln_weight.is_known() || ln_weight.rad > 1.0 && ln_weight.mid.hi > -1e6 {
        // Nothing could be said of the probability; save the time.
        return Share::UNKNOWN;
    }
    if x < a + 0.5 {
        return Share { ln_weight, factor: nested_sum(&Rising { a, x }), side: Side::Lower };
    }
    let sum = nested_sum(&Falling { a, x });
    Share { ln_weight, factor: Ball::point(a) / Ball::point(x) * sum, side: Side::Upper }
}

/// P(a, x) or Q(a, x), whichever is smaller, for a < 1 and x < 1.5.
///
/// With L = a ln x - ln Γ(1 + a), P = e^L (1 + a A) for A = Σ (-x)^n / (n! (a + n)) over n >= 1, so
/// Q = -(e^L - 1) - a A e^L keeps its relative accuracy as a and Q go to 0 together.
fn share_near_zero(a: f64, x: f64) -> Share {
    let a_ball = Ball::point(a);
    let gamma =
        if a < 0.5 { ln_gamma_1p(a_ball) } else { super::stirling::ln_gamma(Wide::sum(a, 1.0)) };
    let exponent = a_ball * logarithm::ln(Wide::of(x)) - gamma;
    let series = alternating_series(a, x);
    let factor = Ball::ONE + a_ball * series;
    let weight = exp_ball(exponent).ball() * a_ball * series;
    let upper = -(expm1_ball(exponent) + weight);
    if upper.mid.hi < 0.5 {
        Share { ln_weight: Ball::ZERO, factor: upper, side: Side::Upper }
    } else {
        Share { ln_weight: exponent, factor, side: Side::Lower }
    }
}

/// A = Σ (-x)^n / (n! (a + n)) over n >= 1 for 0 < x < 1.5: after n = 40 the terms decrease and
/// alternate, and the next is below 1.5^41 / 41! < 2^-140.
fn alternating_series(a: f64, x: f64) -> Ball {
    let mut power = Ball::ONE;
    let mut sum = Ball::ZERO;
    for n in 1..=40 {
        let n = f64::from(n);
        power = -(power * Ball::point(x)) / Ball::point(n);
        sum = sum + power / Ball::exact(Wide::sum(a, n));
    }
    sum.widened(exp2i(-140))
}

/// x/(a + i) for i = 1, 2, ...
struct Rising {
    a: f64,
    x: f64,
}

impl Ratios for Rising {
    fn count(&self) -> u32 {
        u32::MAX
    }

    fn plain(&self, i: f64) -> f64 {
        self.x / (self.a + i)
    }

    fn wide(&self, i: f64) -> Wide {
        quotient(Wide::of(self.x), Wide::sum(self.a, i))
    }

    /// The ratios decrease, so the rest is below a geometric series.
    fn rest(&self, i: u32) -> Ball {
        geometric_rest(self.plain(f64::from(i) + 1.0))
    }
}

/// (a - i)/x for i = 1, 2, ... while a - i is above 0.
struct Falling {
    a: f64,
    x: f64,
}

impl Ratios for Falling {
    fn count(&self) -> u32 {
        steps_above_zero(self.a)
    }

    fn plain(&self, i: f64) -> f64 {
        (self.a - i) / self.x
    }

    fn wide(&self, i: f64) -> Wide {
        Wide::sum(self.a, -i) / self.x
    }

    /// With b = a - i, the rest is Γ(b, x) / (x^(b-1) e^-x) = ∫ (1 + s/x)^(b-1) e^-s ds over s > 0. For
    /// b > 1 it is between 1 and 1/(1 - (b-1)/x), since ln(1 + s/x) <= s/x; for b = 1 it is 1.
    fn rest(&self, i: u32) -> Ball {
        if i == self.count() {
            let b = Wide::sum(self.a, -f64::from(i));
            return stieltjes(b, self.x);
        }
        geometric_rest(self.plain(f64::from(i) + 1.0).max(0.0))
    }
}

/// A quotient of which the divisor often is a plain `f64`, which is faster.
fn quotient(x: Wide, y: Wide) -> Wide {
    if y.lo == 0.0 { x / y.hi } else { x / y }
}

/// The largest m with a - m > 0, at most 2^32 - 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked, and casts saturate"
)]
pub(crate) fn steps_above_zero(a: f64) -> u32 {
    let m = a.ceil() - 1.0;
    if m > 0.0 { m as u32 } else { 0 }
}

/// x^(1-b) e^x Γ(b, x) for 0 < b <= 1 and x >= 1.5.
///
/// Stieltjes' fraction x/(x + (1-b)/(1 + 1/(x + (2-b)/(1 + 2/(x + ...))))) has positive elements, so
/// consecutive convergents lie on either side of its value.
fn stieltjes(b: Wide, x: f64) -> Ball {
    if b == Wide::ONE {
        return Ball::ONE;
    }
    let pairs = 24 + steps_above_zero(160.0 / x);
    let first = convergent(b, x, pairs, Ball::point(x));
    // One element less: the innermost x with all that hangs below it replaced by infinity.
    let other = convergent(b, x, pairs - 1, Ball::point(x) + pair_numerator(b, pairs));
    let gap = first - other;
    Ball { mid: first.mid, rad: first.rad + other.rad + gap.magnitude_above() }
}

/// n - b, the numerator that opens the n-th pair.
fn pair_numerator(b: Wide, n: u32) -> Ball {
    Ball::point(f64::from(n)) - Ball::exact(b)
}

/// The fraction cut after some pairs (n - b)/(1 + n/(x + ...)), with an innermost value.
fn convergent(b: Wide, x: f64, pairs: u32, innermost: Ball) -> Ball {
    let mut value = innermost;
    for n in (1..=pairs).rev() {
        let lower = Ball::ONE + Ball::point(f64::from(n)) / value;
        value = Ball::point(x) + pair_numerator(b, n) / lower;
    }
    Ball::point(x) / value
}
