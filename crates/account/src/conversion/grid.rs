//! Noise on the integers, hidden in noise on the line.
//!
//! Exact samplers draw from discrete laws; formulas are simpler for continuous ones. The two theorems
//! here say which continuous noise hides no better than a discrete one, so that whatever is proved
//! for the continuous noise holds for the discrete one too. For vectors with independent noise
//! in each coordinate see below, and [`crate::pair::noise`] for Laplace noise.
//!
//! # Discrete Gaussian noise
//! X has chances P(k) = f(k)/Z on the integers, f(k) = e^(-k²/(2σ²)), σ >= 2; c is an integer.
//!
//! **Theorem.** The trade-off curve of (X, X + c) lies above that of Gaussian privacy with
//! μ = κ|c|/σ, κ = 1 + η, η = 1/(4σ²).
//!
//! Since κ <= 1/(1 - η), normal noise of standard deviation σ(1 - η) = σ - 1/(4σ) hides no better. For
//! independent coordinates and a vector c of integers, squares of μ add: the same with |c| read as
//! the Euclidean length.
//!
//! *Proof.* By reflection c >= 1. Let S_k = P(X >= k) and S_k = Φ(-t_k). The likelihood ratio is
//! monotone, so the curve is the polygon with corners (S_k, 1 - S_(k-c)) = (Φ(-t_k), Φ(t_(k-c))).
//! The Gaussian curve α -> Φ(Φ^-1(1 - α) - μ) is convex, so it is below the polygon as soon as it is
//! below the corners: t_k - t_(k-c) <= μ. It is enough that every step t_(k+1) - t_k is at most
//! h = κ/σ. As S_(1-k) = 1 - S_k, t_(1-k) = -t_k, and only the steps from k >= 0 are needed. Poisson
//! summation gives Z = σ√(2π) (1 + ω), 0 < ω = 2 Σ_(j>=1) e^(-2π²σ²j²) < 3e^(-19σ²).
//!
//! *The step from 0.* t_1 - t_0 = 2 t_1, and the normal mass of [-t_1, t_1] is P(0) = 1/Z <=
//! 1/(σ√(2π)). That of [-h/2, h/2] is at least h(1 - h²/24)/√(2π), and σh(1 - h²/24) =
//! 1 + η - κ³η/6 >= 1. So 2 t_1 <= h.
//!
//! *Lemma: t_k >= x_k = (k - 1/2)/σ for k >= 1.* The ratio of the normal mass m_k of
//! [(k - 1/2)/σ, (k + 1/2)/σ] to P(k) is (1 + ω) ∫ e^(-s²/(2σ²)) cosh(ks/σ²) ds over |s| <= 1/2. It
//! grows with |k|. At k = 0 it is at most (1 + ω)(1 - 1/(24σ²) + 1/(640σ⁴)) <=
//! (1 + ω)(1 - 1/(25σ²)) <= 1. Let d_k = S_k - Φ(-x_k), the sum of P(j) - m_j over j >= k. By symmetry
//! 2 d_1 = m_0 - P(0) <= 0. As d_(k+1) - d_k = m_k - P(k) is first not positive and then not negative,
//! d falls and then rises to its limit 0: d_k <= 0 for all k >= 1.
//!
//! *The step from k >= 1.* It is at most h iff Φ(-t - h)/Φ(-t) <= S_(k+1)/S_k at t = t_k. The left side
//! falls in t (Φ is log-concave), so t = x = x_k is enough. With w(s) = e^(-xs - s²/2) this reads
//!
//! ```text
//! ∫_0^∞ w / ∫_0^h w <= S_k/P(k) = Σ_(i>=0) e^(-ki/σ² - i²/(2σ²)).
//! ```
//!
//! Cutting the line into pieces of length h, the left side is Σ_i e^(-xih - i²h²/2) R_i with
//! R_i = E e^(-ihs), s in [0, h] with density proportional to w. Hoeffding's lemma says
//! ln R_i <= -ih E(s) + i²h⁴/8. On [0, h], w falls no faster than e^(-λs), λ = x + h, so E(s) is at
//! least the mean of that truncated exponential law, h/2 - (h/2)(coth y - 1/y) with y = λh/2, which
//! is at least h/2 - λh²/12 since coth y - 1/y <= y/3. Term by term (those of i = 0 are equal; the
//! logarithms of the others divided by i, times σ²) it is enough that
//!
//! ```text
//! (k - 1/2)(1 - κ + κ³η/3) + ((1 - κ²)/2 + κ⁴η/3) + i((1 - κ²)/2 + κ⁴η/2) <= 0.
//! ```
//!
//! With (1 - κ²)/2 <= 1 - κ = -η and κ⁴ <= (17/16)⁴ < 2 each bracket is at most 0.
//!
//! # Discrete Laplace noise
//! X has chances proportional to e^(-|k|/b) on the integers; the shift s >= 1 is an integer.
//!
//! **Theorem.** (X, X + s) is dominated by Laplace noise of scale b with the shift s + 1/(4b).
//!
//! *Proof.* With r = e^(-1/b) and the world moved by s first, the loss of an outcome is at least
//! (2m - s)/b iff it is at least m, 0 <= m <= s. These have chances 1 - r^(s-m+1)/(1 + r) and
//! r^m/(1 + r), so at γ = e^((2m-s)/b) = r^(s-2m) the divergence is H_γ = 1 - r^(s-m) = 1 - √(γ r^s): what
//! it is for continuous noise. Between two neighbouring such points, γ_1 and γ_2 = γ_1/r², it is linear
//! in γ: √γ is replaced by its chord, which at γ = gγ_1 is √γ (√g + 1/(r√g))/(1 + 1/r), smallest at
//! g = 1/r, where it is √γ/cosh(1/(2b)). And cosh z <= e^(z²/2), so
//! H_γ <= 1 - √(γ r^s) e^(-1/(8b²)): that of continuous noise whose shift is larger by 1/(4b). Beyond the
//! outermost of these points H_γ = max(0, 1 - γ), which no pair is below. The pair is symmetric.

use throng_numeric::{Enclosure, Rational};

use super::arithmetic::rational_down;
use crate::AccountError;

/// A standard deviation of normal noise that hides no better than discrete Gaussian noise with
/// parameter `sigma`, in steps of the grid: σ - 1/(4σ), exactly.
///
/// # Guarantee
/// For every vector of integer shifts, the trade-off curve of the discrete noise lies above
/// that of the normal noise; proof in the module.
///
/// # Errors
/// If sigma is below 2.
///
/// ```
/// use throng_account::conversion::grid;
/// use throng_numeric::Rational;
/// let two: Rational = "2".parse()?;
/// assert_eq!(grid::discrete_gaussian_as_gaussian(&two)?, "15/8".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discrete_gaussian_as_gaussian(sigma: &Rational) -> Result<Rational, AccountError> {
    if *sigma < Rational::from(2_u32) {
        return Err(AccountError::invalid("sigma", sigma, "at least 2"));
    }
    Ok(sigma - &quarter_of_inverse(sigma)?)
}

/// As [`discrete_gaussian_as_gaussian`], from the variance parameter σ², rounded down.
///
/// # Errors
/// If the variance parameter is below 4.
pub fn discrete_gaussian_of_variance(variance: &Rational) -> Result<Rational, AccountError> {
    if *variance < Rational::from(4_u32) {
        return Err(AccountError::invalid("the variance parameter", variance, "at least 4"));
    }
    // σ - 1/(4σ) rises with σ.
    let sigma = rational_down(Enclosure::of_rational(variance).sqrt()?)?;
    let deviation = &sigma - &quarter_of_inverse(&sigma)?;
    Ok(Rational::from_f64(deviation.to_f64_down())?)
}

/// The variance parameter of discrete Gaussian noise that hides at least as well as normal noise
/// of a standard deviation, in steps of the grid: (e + 1/(4e))², exactly.
///
/// # Guarantee
/// With σ = e + 1/(4e) >= e, σ - 1/(4σ) >= e + 1/(4e) - 1/(4e) = e.
///
/// # Errors
/// If the standard deviation is below 2.
pub fn variance_for_gaussian(deviation: &Rational) -> Result<Rational, AccountError> {
    if *deviation < Rational::from(2_u32) {
        return Err(AccountError::invalid("the standard deviation", deviation, "at least 2"));
    }
    Ok((deviation + &quarter_of_inverse(deviation)?).square())
}

/// The shift for which Laplace noise hides no better than discrete Laplace noise of the same scale
/// does at an integer shift s: s + 1/(4 scale), exactly; 0 for s = 0.
///
/// # Guarantee
/// The pair of the discrete noise is dominated by that of the continuous noise, in both
/// directions; proof in the module. For vectors s is the sum of the absolute shifts
/// ([`crate::pair::noise`]): the enlargement is paid once.
///
/// # Errors
/// If the scale is not positive.
///
/// ```
/// use throng_account::conversion::grid;
/// use throng_numeric::Rational;
/// let scale: Rational = "10".parse()?;
/// assert_eq!(grid::discrete_laplace_as_laplace(&scale, 1)?, "41/40".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discrete_laplace_as_laplace(scale: &Rational, shift: u64) -> Result<Rational, AccountError> {
    if !scale.is_positive() {
        return Err(AccountError::invalid("scale", scale, "above 0"));
    }
    if shift == 0 {
        return Ok(Rational::ZERO);
    }
    Ok(&Rational::from(shift) + &quarter_of_inverse(scale)?)
}

/// 1/(4x).
fn quarter_of_inverse(x: &Rational) -> Result<Rational, AccountError> {
    Ok(Rational::ONE.checked_div(&(x * &Rational::from(4_u32)))?)
}
