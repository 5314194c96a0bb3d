//! ln Γ and the logarithms of Poisson and binomial weights, as balls.

use crate::ball::Ball;
use crate::constants::{LN_SQRT_TAU, ONE_MINUS_EULER, STIRLING, ZETA_TAIL};
use crate::elementary::{ln_1p_ball, ln_ball, logarithm};
use crate::wide::{Wide, exp2i};

/// From here on Stirling's series is used.
const LARGE: f64 = 16.0;

/// From here on its tail is less than 2^-63 and not worth computing.
const REMOTE: f64 = exp2i(60);

/// ln Γ(x) for 0 < x < 2^900.
pub(crate) fn ln_gamma(x: Wide) -> Ball {
    let ball = Ball::exact(x);
    if x.hi < 0.5 {
        ln_gamma_1p(ball) - logarithm::ln(x)
    } else if x.hi < 1.5 {
        ln_gamma_1p(ball - Ball::ONE)
    } else if x.hi < 2.5 {
        ln_gamma_2p(ball - Ball::point(2.0))
    } else if x.hi < LARGE {
        ln_gamma_shifted(x)
    } else {
        let main = (ball - Ball::point(0.5)) * logarithm::ln(x) - ball;
        main + Ball::constant(LN_SQRT_TAU) + stirling_tail(x)
    }
}

/// ln Γ(1 + z) for |z| <= 1/2, to a relative accuracy at z = 0.
pub(crate) fn ln_gamma_1p(z: Ball) -> Ball {
    ln_gamma_2p(z) - ln_1p_ball(z)
}

/// ln Γ(2 + z) for |z| <= 1/2, to a relative accuracy at z = 0:
/// z (1 - γ) + Σ (-1)^k (ζ(k) - 1) z^k / k over k >= 2.
///
/// ζ(k) - 1 < 2^-k (1 + 2/(k - 1)), comparing the sum with an integral from 2 on; so what is left
/// out after k = 41 is below |z| 2^-41 · 1.05 · 2^-42 / 42 · 4/3 < |z| 2^-87.
fn ln_gamma_2p(z: Ball) -> Ball {
    let sum = ZETA_TAIL.iter().rev().fold(Ball::ZERO, |sum, &c| sum * z + Ball::constant(c));
    let series = (sum * z + Ball::constant(ONE_MINUS_EULER)) * z;
    series.widened(z.magnitude_above() * exp2i(-87))
}

/// ln Γ(x) = ln Γ(x + n) - ln(x (x + 1) ... (x + n - 1)).
fn ln_gamma_shifted(x: Wide) -> Ball {
    let (mut product, mut argument) = (Ball::ONE, Ball::exact(x));
    while argument.mid.hi < LARGE {
        product = product * argument;
        argument = argument + Ball::ONE;
    }
    // The shifted argument is off by its radius; the derivative of ln Γ below 20 is below 3.
    ln_gamma(argument.mid).widened(3.0 * argument.rad) - ln_ball(product)
}

/// ln Γ(x) - ((x - 1/2) ln x - x + (ln 2π)/2) for x >= 16.
///
/// The series envelops: the error of a partial sum is less than the first term left out
/// (DLMF 5.11(ii), for real x > 0), here |B₂₈|/(28 · 27 · 16^27) < 2^-92.
fn stirling_tail(x: Wide) -> Ball {
    if x.hi > REMOTE {
        return Ball::ZERO.widened(1.0 / (12.0 * x.hi));
    }
    let inverse = Ball::ONE / Ball::exact(x);
    let square = inverse.square();
    let kept = &STIRLING[..STIRLING.len() - 1];
    let sum = kept.iter().rev().fold(Ball::ZERO, |sum, &c| sum * square + Ball::constant(c));
    (sum * inverse).widened(exp2i(-92))
}

/// g(k) = ln Γ(k + 1) - k ln k + k for k >= 0: the logarithm of k! against (k/e)^k.
pub(crate) fn factorial_excess(k: Wide) -> Ball {
    if k.hi <= 0.0 {
        return Ball::ZERO;
    }
    let ln = logarithm::ln(k);
    if k.hi >= LARGE {
        return ln.times_power(0.5) + Ball::constant(LN_SQRT_TAU) + stirling_tail(k);
    }
    // k + 1 is rounded to 2^-100; the derivative of ln Γ on [1, 17] is below 3 in magnitude.
    let gamma = ln_gamma(k + 1.0).widened(exp2i(-98));
    let k = Ball::exact(k);
    gamma - k * ln + k
}

/// D(a, x) = a ln(a/x) + x - a >= 0 for a, x >= 0 and not both 0: the exponent by which a Poisson
/// weight of mean x at a falls short of its peak.
///
/// With v = (x - a)/(x + a), a = (x + a)(1 - v)/2 and ln(x/a) = 2 artanh v, so that
/// D = (x - a) v (1 - (1 - v) v E(v²)) with E(w) = 1/3 + w/5 + w²/7 + ...: no cancellation near a.
pub(crate) fn deviance(a: Wide, x: Ball) -> Ball {
    let a_ball = Ball::exact(a);
    let gap = x - a_ball;
    if a.hi <= 0.0 {
        return gap;
    }
    let v = gap / (x + a_ball);
    if v.magnitude_above() < 0.1 {
        let bracket = Ball::ONE - (Ball::ONE - v) * v * artanh_remainder(v.square());
        return gap * v * bracket;
    }
    a_ball * ln_of_ratio(a, x) + gap
}

/// E(w) = Σ w^j / (2j + 3) for 0 <= w <= 0.01; twelve terms leave less than w^12/26 < 2^-84.
fn artanh_remainder(w: Ball) -> Ball {
    let sum = (0..12)
        .rev()
        .fold(Ball::ZERO, |sum, j| sum * w + Ball::ONE / Ball::point(f64::from(2 * j + 3)));
    sum.widened(exp2i(-84))
}

/// ln(a/x).
fn ln_of_ratio(a: Wide, x: Ball) -> Ball {
    let moderate = exp2i(-400)..exp2i(400);
    if moderate.contains(&a.hi) && moderate.contains(&x.mid.hi) {
        return ln_ball(Ball::exact(a) / x);
    }
    logarithm::ln(a) - ln_ball(x)
}

/// ln(x^a e^-x / Γ(a + 1)), the logarithm of the Poisson weight of mean x at a.
pub(crate) fn ln_poisson_weight(a: f64, x: f64) -> Ball {
    let a = Wide::of(a);
    -(factorial_excess(a) + deviance(a, Ball::point(x)))
}

/// ln(Γ(n + 1) / (Γ(a + 1) Γ(b + 1)) x^a y^b) for n = a + b, the logarithm of the binomial weight
/// at a of n trials, for x + y = 1.
pub(crate) fn ln_binomial_weight(a: f64, b: f64, x: Wide, y: Wide) -> Ball {
    let n = Wide::sum(a, b);
    let (a, b) = (Wide::of(a), Wide::of(b));
    let excess = factorial_excess(n) - factorial_excess(a) - factorial_excess(b);
    let mean = Ball::exact(n) * Ball::exact(x);
    let other = Ball::exact(n) * Ball::exact(y);
    excess - deviance(a, mean) - deviance(b, other)
}
