//! The truth, by MPFR where it has the function at a bearable speed, else by a series of
//! positive terms or a continued fraction in MPFR arithmetic. None of it is clever, and none of
//! it shares a formula's arrangement with the code under test.

use std::cell::RefCell;
use std::collections::VecDeque;

use rug::Float;
use rug::float::Constant;
use rug::ops::Pow;

/// Working precision, where nothing cancels.
pub const BITS: u32 = 256;

/// An `f64` at the working precision.
#[must_use]
pub fn real(x: f64) -> Float {
    Float::with_val(BITS, x)
}

fn pi() -> Float {
    Float::with_val(BITS, Constant::Pi)
}

/// erfc(x) e^(x²) for x >= 4, by Laplace's continued fraction.
fn erfcx_fraction(x: &Float) -> Float {
    let mut value = x.clone();
    let pairs = 40.0 + (9000.0 / (x.to_f64() * x.to_f64())).ceil();
    let mut n = pairs;
    while n > 0.0 {
        value = Float::with_val(BITS, n / 2.0) / value + x;
        n -= 1.0;
    }
    (value * pi().sqrt()).recip()
}

/// erfcx(x) for x >= 0.
#[must_use]
pub fn erfcx(x: &Float) -> Float {
    if *x >= 4 {
        return erfcx_fraction(x);
    }
    let square = Float::with_val(BITS, x.square_ref());
    square.exp() * x.clone().erfc()
}

/// erfc(x).
#[must_use]
pub fn erfc(x: &Float) -> Float {
    if *x < 4 {
        return if *x < -4 { 2 - erfc(&Float::with_val(BITS, -x)) } else { x.clone().erfc() };
    }
    let square = Float::with_val(2 * BITS, x.square_ref());
    Float::with_val(2 * BITS, -square).exp() * erfcx_fraction(x)
}

/// Φ(x).
#[must_use]
pub fn normal_cdf(x: f64) -> Float {
    erfc(&(-real(x) / real(2.0).sqrt())) / 2
}

/// ln Φ(x).
#[must_use]
pub fn ln_normal_cdf(x: f64) -> Float {
    if x > 0.0 {
        return Float::with_val(BITS, -normal_cdf(-x)).ln_1p();
    }
    let square: Float = Float::with_val(2 * BITS, x) * x / 2u32;
    let halved: Float = erfcx(&(-real(x) / real(2.0).sqrt())) / 2u32;
    halved.ln() - square
}

/// The density of the normal distribution.
#[must_use]
pub fn normal_density(x: f64) -> Float {
    let square: Float = real(x) * x / 2u32;
    Float::with_val(BITS, -square).exp() / (pi() * 2u32).sqrt()
}

/// Two complementary probabilities, both to full precision.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The probability below.
    pub lower: Float,
    /// The probability above.
    pub upper: Float,
}

impl Pair {
    /// The logarithm of the probability below.
    #[must_use]
    pub fn ln_lower(&self) -> Float {
        ln_given_complement(&self.lower, &self.upper)
    }

    /// The logarithm of the probability above.
    #[must_use]
    pub fn ln_upper(&self) -> Float {
        ln_given_complement(&self.upper, &self.lower)
    }
}

fn ln_given_complement(p: &Float, q: &Float) -> Float {
    if *p < 0.5 { p.clone().ln() } else { Float::with_val(q.prec(), -q).ln_1p() }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bits")]
fn bits_for(loss: f64) -> u32 {
    BITS + 64 + (loss.clamp(0.0, 60_000.0) as u32).next_multiple_of(64)
}

thread_local! {
    /// MPFR's ln Γ is by far the slowest step, and the tests use each shape several times.
    static RECENT: RefCell<VecDeque<(Float, Float)>> = const { RefCell::new(VecDeque::new()) };
}

/// ln Γ(x), for small integers by way of the factorial, which is fast.
fn ln_gamma(x: &Float) -> Float {
    let factorial =
        x.to_integer().and_then(|n| n.to_u32()).filter(|&n| n > 0 && *x == n && n < 30_000);
    if let Some(n) = factorial {
        return Float::with_val(x.prec(), Float::factorial(n - 1)).ln();
    }
    RECENT.with_borrow_mut(|recent| {
        let known = recent.iter().find(|(at, ln)| at == x && ln.prec() >= x.prec());
        if let Some((_, ln)) = known {
            return ln.clone();
        }
        let ln = x.clone().ln_gamma();
        recent.push_front((x.clone(), ln.clone()));
        recent.truncate(8);
        ln
    })
}

/// P(a, x) and Q(a, x): P by its series of positive terms, Q as one minus that, with as many
/// bits more as the subtraction costs.
#[must_use]
pub fn gamma(a: f64, x: f64) -> Pair {
    let depth = if x > a { (x - a - a * (x / a).ln()) * 1.443 + x.log2().max(0.0) } else { 0.0 };
    let bits = bits_for(depth - a.log2().min(0.0));
    let (a, x) = (Float::with_val(bits, a), Float::with_val(bits, x));
    let mut term = Float::with_val(bits, 1);
    let mut sum = term.clone();
    let mut shape = a.clone();
    loop {
        shape += 1;
        term *= &x;
        term /= &shape;
        sum += &term;
        if shape > x
            && Float::with_val(64, &term / &sum) < Float::with_val(64, 2).pow(-f64::from(bits))
        {
            break;
        }
    }
    let power =
        Float::with_val(bits, x.ln_ref()) * &a - &x - ln_gamma(&Float::with_val(bits, a + 1u32));
    let lower = power.exp() * sum;
    Pair { upper: 1 - lower.clone(), lower }
}

/// Iₓ(a, b) and its complement: the one below the mean by its series of positive terms.
#[must_use]
pub fn beta(a: f64, b: f64, x: f64) -> Pair {
    let bits = bits_for(-a.log2().min(0.0) - b.log2().min(0.0));
    let (p, q) = (Float::with_val(bits, x), 1 - Float::with_val(bits, x));
    if x * (a + b) > a {
        let lower = beta_series(b, a, &q, &p, bits);
        return Pair { upper: lower.clone(), lower: 1 - lower };
    }
    let lower = beta_series(a, b, &p, &q, bits);
    Pair { upper: 1 - lower.clone(), lower }
}

fn beta_series(a: f64, b: f64, x: &Float, y: &Float, bits: u32) -> Float {
    let (a, b) = (Float::with_val(bits, a), Float::with_val(bits, b));
    let n = Float::with_val(bits, &a + &b);
    let (mut above, mut below) = (n.clone(), Float::with_val(bits, &a + 1u32));
    let mut term = Float::with_val(bits, 1);
    let mut sum = term.clone();
    loop {
        let ratio = Float::with_val(bits, &above / &below) * x;
        term *= &ratio;
        sum += &term;
        let rest = Float::with_val(64, &term / &sum) / y;
        if ratio < 1 && rest < Float::with_val(64, 2).pow(-f64::from(BITS)) {
            break;
        }
        above += 1;
        below += 1;
    }
    let ln_beta = ln_gamma(&a) + ln_gamma(&b) - ln_gamma(&n);
    let power =
        Float::with_val(bits, x.ln_ref()) * &a + Float::with_val(bits, y.ln_ref()) * &b - ln_beta;
    power.exp() * sum / a
}
