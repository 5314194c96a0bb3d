//! Gaussian differential privacy and (epsilon, delta).
//!
//! A mechanism is mu-GDP if telling neighbours apart is at least as hard as telling N(0, 1) from
//! N(mu, 1). Its exact profile is δ(ε; μ) = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ).
//!
//! # Without cancellation
//! Put m = ε/μ, h = μ/2, x = m - h, y = m + h. Then y² - x² = 2ε, so e^ε φ(y) = φ(x), and with the
//! Mills ratio M(t) = Φ(-t)/φ(t) = ∫ e^(-ts - s²/2) ds over s > 0,
//!
//! ```text
//! δ = φ(x) (M(x) - M(y)).
//! ```
//!
//! For x up to 40 and μ >= 2^-7 the difference loses a factor of at most x/μ < 10^4. For smaller μ
//! it is expanded around the middle. (-1)^n times the n-th derivative of M is
//! I_n(t) = ∫ s^n e^(-ts - s²/2) ds > 0, hence
//!
//! ```text
//! M(m - h) - M(m + h) = 2 h I_1(m) (1 + h²/6 · I_3/I_1 + h⁴/120 · I_5/I_1 + ...),
//! I_1 = 1 - m M(m),  I_2 = M(m) - m I_1,  I_3 = 2 I_1 - m I_2,
//! ```
//!
//! all terms positive. I_(2k+1)/I_1 is the mean of s^2k under a density proportional to
//! s e^(-ms - s²/2), which shrinks in m >= 0 (monotone likelihood ratio) and is 2^k k! at m = 0.
//! So I_3/I_1 is in [0, 2], and the terms from h⁴ on are below h⁴/15 + h⁶/105 + ... <=
//! h⁴/15 / (1 - h²), since 2^k k!/(2k+1)! shrinks by 1/(2k+1) from one k to the next.
//!
//! # Reference
//! B. Balle, Y.-X. Wang, "Improving the Gaussian mechanism" (2018); J. Dong, A. Roth, W. Su,
//! "Gaussian differential privacy" (2019).

use throng_numeric::search::{Tolerance, Trend, solve};
use throng_numeric::{Enclosure, normal};

use super::arithmetic::{exactly, half, not_negative, open_chance, probability, small};
use crate::{AccountError, Bracket};

/// Below it the difference of Mills ratios is expanded.
const SMALL_MU: f64 = 0.007_812_5;

/// Beyond it the normal tail is no `f64` but 0 or the smallest.
const TAIL_END: f64 = 40.0;

/// δ(ε; μ), the exact profile of mu-GDP, for every real epsilon.
///
/// # Guarantee
/// For points, the relative width is at most 1e-9 for delta down to 1e-300 and mu from 1e-6 to
/// 1e3 (in practice about 1e-11). For intervals, monotonicity in both arguments is used.
///
/// # Errors
/// If mu may be negative.
///
/// ```
/// use throng_account::conversion::gaussian;
/// use throng_numeric::Enclosure;
/// let delta = gaussian::delta(Enclosure::ONE, Enclosure::ONE)?;
/// assert!((delta.upper() - 0.126_936_737_506_64).abs() < 1e-13);
/// # Ok::<(), throng_account::AccountError>(())
/// ```
pub fn delta(epsilon: Enclosure, mu: Enclosure) -> Result<Enclosure, AccountError> {
    let mu = not_negative("mu", mu)?;
    // Falling in epsilon, rising in mu.
    let lower = profile(epsilon.upper(), mu.lower()).lower();
    let upper = profile(epsilon.lower(), mu.upper()).upper();
    Ok(Enclosure::new(lower, upper)?)
}

/// The profile at a point; the ends may be infinite.
fn profile(epsilon: f64, mu: f64) -> Enclosure {
    if epsilon == f64::INFINITY || mu == f64::INFINITY {
        return Enclosure::UNIT;
    }
    let (Ok(e), Ok(m)) = (Enclosure::point(epsilon), Enclosure::point(mu)) else {
        return Enclosure::UNIT;
    };
    if epsilon < 0.0 {
        // H_γ(P||Q) = 1 - γ + γ H_(1/γ)(Q||P), and the Gaussian pair is symmetric.
        return probability(-e.expm1() + e.exp() * forward(-e, m));
    }
    forward(e, m)
}

/// The profile for epsilon >= 0.
fn forward(epsilon: Enclosure, mu: Enclosure) -> Enclosure {
    if mu.upper() == 0.0 {
        return Enclosure::ZERO;
    }
    let (m, h) = (epsilon / mu, mu * half());
    let (x, y) = (m - h, m + h);
    if x.lower() > TAIL_END {
        // δ <= Φ(-x).
        return Enclosure::ZERO.hull(normal::cdf(-x));
    }
    probability(if mu.upper() < SMALL_MU {
        normal::density(x) * narrow_difference(m, h)
    } else if x.lower() <= 0.0 {
        normal::cdf(-x) - normal::density(x) * mills(y)
    } else {
        normal::density(x) * (mills(x) - mills(y))
    })
}

/// M(m - h) - M(m + h) for m >= 0 and small h.
fn narrow_difference(m: Enclosure, h: Enclosure) -> Enclosure {
    let first = Enclosure::ONE - m * mills(m);
    let second = mills(m) - m * first;
    let third = small(2) * first - m * second;
    let ratio = (third / first).max(Enclosure::ZERO).min(small(2));
    let square = h.square();
    let rest = square.square() / small(15) / (Enclosure::ONE - square);
    let series = Enclosure::ONE + square * ratio / small(6) + Enclosure::ZERO.hull(rest);
    small(2) * h * first * series
}

/// The Mills ratio Φ(-t)/φ(t) = (π/2)^(1/2) erfcx(t/√2) for t not far below 0.
fn mills(t: Enclosure) -> Enclosure {
    root_of_half_pi() * normal::erfcx(t / root_two())
}

fn root_two() -> Enclosure {
    small(2).sqrt().unwrap_or(Enclosure::REAL)
}

fn root_of_half_pi() -> Enclosure {
    let pi = std::f64::consts::PI; // the f64 just below π
    let pi = Enclosure::new(pi, pi.next_up()).unwrap_or(Enclosure::REAL);
    (pi * half()).sqrt().unwrap_or(Enclosure::REAL)
}

/// The least epsilon >= 0 with δ(ε; μ) <= delta.
///
/// # Guarantee
/// At the upper end the claim was evaluated and holds; the true value is in the bracket.
///
/// # Errors
/// If delta is not above 0 and below 1 or mu may be negative.
pub fn epsilon(delta_: f64, mu: Enclosure) -> Result<Bracket, AccountError> {
    open_chance("delta", delta_)?;
    let mu = not_negative("mu", mu)?;
    let low = epsilon_at(delta_, exactly(mu.lower())?)?;
    if mu.is_exact() {
        return Ok(low);
    }
    let high = epsilon_at(delta_, exactly(mu.upper())?)?;
    Ok(Bracket { lower: low.lower, upper: high.upper })
}

fn epsilon_at(delta_: f64, mu: Enclosure) -> Result<Bracket, AccountError> {
    let at_zero = delta(Enclosure::ZERO, mu)?;
    if at_zero.lower() <= delta_ {
        let upper = if at_zero.upper() <= delta_ { 0.0 } else { f64::MIN_POSITIVE };
        if delta(exactly(upper)?, mu)?.upper() <= delta_ {
            return Ok(Bracket { lower: 0.0, upper });
        }
    }
    // By the Chernoff bound of zCDP, δ(ρ + 2√(ρ ln(1/δ))) < δ; a little more is certain.
    let rho = mu.square() * half();
    let reach = rho + small(2) * (rho * -exactly(delta_)?.ln()?).sqrt()?;
    let far = (reach * small(2)).upper().max(f64::MIN_POSITIVE);
    let start = if at_zero.lower() >= delta_ { 0.0 } else { -far };
    let tolerance = Tolerance::relative(1e-15);
    let found = solve(start, far, delta_, Trend::Falling, tolerance, |e| delta(exactly(e)?, mu))?;
    Ok(Bracket { lower: found.left.max(0.0), upper: found.right.max(0.0) })
}

/// The largest mu with δ(ε; μ) <= delta.
///
/// # Guarantee
/// At the *lower* end the claim was evaluated and holds: that is the end to use as a budget.
///
/// # Errors
/// If epsilon is negative or delta is not above 0 and below 1.
pub fn mu(epsilon: Enclosure, delta_: f64) -> Result<Bracket, AccountError> {
    open_chance("delta", delta_)?;
    let epsilon = not_negative("epsilon", epsilon)?;
    let mut far = 1.0;
    while delta(epsilon, exactly(far)?)?.lower() < delta_ {
        far *= 2.0;
    }
    let tolerance = Tolerance::relative(1e-15);
    let found = solve(0.0, far, delta_, Trend::Rising, tolerance, |m| delta(epsilon, exactly(m)?))?;
    Ok(Bracket { lower: found.left, upper: found.right })
}

/// The Gaussian trade-off curve G_μ(α) = Φ(Φ^-1(1 - α) - μ): the least miss rate at false-alarm
/// rate alpha.
///
/// # Errors
/// If alpha holds no probability or mu may be negative.
pub fn miss_rate(alpha: Enclosure, mu: Enclosure) -> Result<Enclosure, AccountError> {
    let mu = not_negative("mu", mu)?;
    if alpha.lower() < 0.0 || alpha.upper() > 1.0 {
        return Err(AccountError::invalid("alpha", alpha, "in [0, 1]"));
    }
    if alpha.upper() == 0.0 {
        return Ok(Enclosure::ONE);
    }
    if alpha.lower() == 1.0 {
        return Ok(Enclosure::ZERO);
    }
    // Φ^-1(1 - α) = -Φ^-1(α).
    Ok(normal::cdf(-normal::quantile(alpha)? - mu))
}

/// The mu of the Gaussian curve through the point (alpha, beta): Φ^-1(1 - α) - Φ^-1(β).
///
/// # Errors
/// If the point is not strictly inside the unit square.
pub fn mu_through(alpha: Enclosure, beta: Enclosure) -> Result<Enclosure, AccountError> {
    Ok(-normal::quantile(alpha)? - normal::quantile(beta)?)
}

/// The mu of an epsilon-private mechanism: μ = -2 Φ^-1(1/(1 + e^ε)).
///
/// # Guarantee
/// Every epsilon-private mechanism is μ-GDP. Randomised response dominates it, and its curve is the
/// polygon (0, 1), (a, a), (1, 0) with a = 1/(1 + e^ε). The corner lies on G_μ by the choice of
/// μ, the ends lie on it too, and G_μ is convex: so its chords, which are the polygon, lie above.
///
/// # Errors
/// If epsilon may be negative.
pub fn mu_of_pure(epsilon: Enclosure) -> Result<Enclosure, AccountError> {
    let epsilon = not_negative("epsilon", epsilon)?;
    let odds = (-epsilon).exp();
    let corner = odds / (Enclosure::ONE + odds);
    Ok((small(2) * -normal::quantile(corner.min(half()))?).max(Enclosure::ZERO))
}
