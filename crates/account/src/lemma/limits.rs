//! Limit theorems with their constants: brackets, not approximations.

use throng_numeric::{Enclosure, Rational, tails};

use crate::conversion::arithmetic::{
    half, lower_end, not_negative, probability, rational_down, rational_up, small, tanh_half,
    upper_end, whole,
};
use crate::conversion::duality::polygon_of_pair;
use crate::conversion::gaussian;
use crate::{AccountError, Bracket, Leaf};

/// Moments of the loss of a symmetric pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// κ1, the mean of ln(p/q) under P.
    pub mean: Enclosure,
    /// κ2, the mean of its square.
    pub square: Enclosure,
    /// κ̄3, the mean of |ln(p/q) - κ1|³.
    pub cube: Enclosure,
}

fn cube(x: Enclosure) -> Enclosure {
    let x = x.abs();
    x.square() * x
}

impl Moments {
    /// Randomised response at epsilon.
    ///
    /// # Errors
    /// If epsilon may be negative.
    pub fn of_response(epsilon: Enclosure) -> Result<Self, AccountError> {
        let epsilon = not_negative("epsilon", epsilon)?;
        let mean = epsilon * tanh_half(epsilon);
        let lie = (-epsilon).exp() / (Enclosure::ONE + (-epsilon).exp());
        let cube = (Enclosure::ONE - lie) * cube(epsilon - mean) + lie * cube(epsilon + mean);
        Ok(Self { mean, square: epsilon.square(), cube })
    }

    /// A pair on finitely many outcomes.
    ///
    /// # Errors
    /// If its trade-off curve is not symmetric, or an outcome is possible in one world only.
    pub fn of_pair(p: &[Rational], q: &[Rational]) -> Result<Self, AccountError> {
        let curve = polygon_of_pair(p, q)?;
        if curve.inverse()? != curve {
            return Err(AccountError::refused(
                "the bound is for symmetric curves only",
                "compose each direction numerically",
            ));
        }
        let mut losses = Vec::new();
        for (p, q) in p.iter().zip(q).filter(|(p, q)| p.is_positive() || q.is_positive()) {
            if p.is_zero() || q.is_zero() {
                return Err(AccountError::refused("a loss is infinite", "compose numerically"));
            }
            let excess = &p.checked_div(q)? - &Rational::ONE;
            losses.push((Enclosure::of_rational(p), Enclosure::of_rational(&excess).ln_1p()?));
        }
        let mean_of = |f: &dyn Fn(Enclosure) -> Enclosure| {
            losses.iter().fold(Enclosure::ZERO, |sum, (p, loss)| sum + *p * f(*loss))
        };
        let mean = mean_of(&|loss| loss).max(Enclosure::ZERO);
        let square = mean_of(&Enclosure::square);
        Ok(Self { mean, square, cube: mean_of(&|loss| cube(loss - mean)) })
    }
}

/// The central limit theorem as a bracket: for α in [γ, 1-γ],
/// G_μ(α+γ) - γ <= f(α) <= G_μ(α-γ) + γ.
///
/// # Guarantee
/// The bracket holds for the composition; G_μ itself is *no* guarantee and is not offered as one.
///
/// # Reference
/// J. Dong, A. Roth, W. Su (2019), theorem 5, with the Berry-Esseen constant 0.56.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BerryEsseen {
    mu: Enclosure,
    gamma: Enclosure,
}

impl BerryEsseen {
    /// The bracket of a composition of symmetric pairs, each with how often it occurs.
    ///
    /// # Errors
    /// [`AccountError::Refused`] if γ may reach ½: then nothing is said.
    pub fn of(parts: &[(u64, Moments)]) -> Result<Self, AccountError> {
        let zero = Enclosure::ZERO;
        let (mut mean, mut variance, mut cube) = (zero, zero, zero);
        for (times, part) in parts {
            let times = whole(*times);
            mean = mean + times * part.mean;
            variance = variance + times * (part.square - part.mean.square());
            cube = cube + times * part.cube;
        }
        let refused =
            || AccountError::refused("the central limit is not near enough", "compose numerically");
        if variance.lower() <= 0.0 {
            return Err(refused());
        }
        let spread = variance.sqrt()?;
        let constant = small(56) / small(100);
        let gamma = constant * cube / (variance * spread);
        if gamma.upper() >= 0.5 {
            return Err(refused());
        }
        Ok(Self { mu: small(2) * mean / spread, gamma })
    }

    /// The μ of the limit: an estimate, not a guarantee.
    #[must_use]
    pub fn mu(&self) -> Enclosure {
        self.mu
    }

    /// The distance γ to the limit.
    #[must_use]
    pub fn gamma(&self) -> Enclosure {
        self.gamma
    }

    /// The miss rate at a false-alarm rate; outside [γ, 1-γ] only 0 <= f <= 1-α is known.
    ///
    /// # Errors
    /// If alpha is not in [0, 1].
    pub fn miss_rate(&self, alpha: f64) -> Result<Bracket, AccountError> {
        let at = chance(alpha)?;
        let plain = Bracket { lower: 0.0, upper: (Enclosure::ONE - at).upper() };
        let gamma = upper_end(self.gamma);
        if alpha < gamma.upper() || (at + gamma).upper() > 1.0 {
            return Ok(plain);
        }
        let below = gaussian::miss_rate(probability(at + gamma), self.mu)? - gamma;
        let above = gaussian::miss_rate(probability(at - gamma), self.mu)? + gamma;
        Ok(Bracket { lower: below.lower().max(0.0), upper: above.upper().min(plain.upper) })
    }
}

fn chance(alpha: f64) -> Result<Enclosure, AccountError> {
    if (0.0..=1.0).contains(&alpha) {
        return Ok(Enclosure::point(alpha)?);
    }
    Err(AccountError::invalid("alpha", alpha, "in [0, 1]"))
}

/// n rare events against Poisson counts: for f_n the curve of n bits of chances λ1/n and λ2/n and
/// f that of Poisson counts of rates λ1 < λ2, f(α+e1) - e2 <= f_n(α) <= f(α-e1) + e2 with
/// e_i = (1 - e^(-λ_i)) λ_i/n, the distance of a binomial law from its Poisson limit.
///
/// # Reference
/// A. Barbour, P. Hall (1984).
#[derive(Debug, Clone, PartialEq)]
pub struct PoissonLimit {
    rates: (Enclosure, Enclosure),
    distances: (Enclosure, Enclosure),
}

impl PoissonLimit {
    /// The limit for n bits.
    ///
    /// # Errors
    /// Unless 0 < λ1 < λ2 <= n.
    pub fn of(rate1: &Rational, rate2: &Rational, n: u64) -> Result<Self, AccountError> {
        if !rate1.is_positive() || rate1 >= rate2 || *rate2 > Rational::from(n) {
            let rates = format!("({rate1}, {rate2})");
            return Err(AccountError::invalid("the rates", rates, "0 < rate1 < rate2 <= n"));
        }
        let rates = (Enclosure::of_rational(rate1), Enclosure::of_rational(rate2));
        let distance = |rate: Enclosure| -(-rate).expm1() * rate / whole(n);
        Ok(Self { rates, distances: (distance(rates.0), distance(rates.1)) })
    }

    /// (e1, e2).
    #[must_use]
    pub fn distances(&self) -> (Enclosure, Enclosure) {
        self.distances
    }

    /// The miss rate of the n bits at a false-alarm rate.
    ///
    /// # Errors
    /// If alpha is not in [0, 1].
    pub fn miss_rate(&self, alpha: f64) -> Result<Bracket, AccountError> {
        let at = chance(alpha)?;
        let (e1, e2) = (upper_end(self.distances.0), upper_end(self.distances.1));
        let below = self.limit(probability(at + e1))? - e2;
        let above = self.limit(probability(at - e1))? + e2;
        let most = (Enclosure::ONE - at).upper();
        Ok(Bracket { lower: below.lower().max(0.0), upper: above.upper().min(most) })
    }

    /// T(Poi λ1, Poi λ2) at α. The curve is the largest of the lines through its vertices
    /// (P(N >= k+1), Q(N <= k)) with slopes -q_k/p_k = -ρ^k e^-Δ, k = 0, 1, ..., and the largest
    /// one at α is that of the k with P(N >= k+1) <= α <= P(N >= k).
    fn limit(&self, alpha: Enclosure) -> Result<Enclosure, AccountError> {
        let low = self.limit_at(upper_end(alpha))?;
        let high = self.limit_at(lower_end(alpha))?;
        Ok(Enclosure::new(low.lower(), high.upper())?)
    }

    fn limit_at(&self, alpha: Enclosure) -> Result<Enclosure, AccountError> {
        if alpha.upper() <= 0.0 {
            return Ok(Enclosure::ONE);
        }
        let (s, t) = self.rates;
        let (ln_ratio, gap) = ((t / s).ln()?, t - s);
        let mut most = Enclosure::ZERO;
        for k in 0..MOST_EVENTS {
            let beyond = tails::poisson_survival(k, s)?;
            let slope = (whole(k) * ln_ratio - gap).exp();
            most = most.max(tails::poisson_cdf(k, t)? - (alpha - beyond) * slope);
            if beyond.upper() <= alpha.lower() {
                return Ok(probability(most));
            }
        }
        Ok(Enclosure::UNIT) // α is too small for this many events: nothing is claimed
    }
}

/// Counts beyond this are not looked at.
const MOST_EVENTS: u64 = 100_000;

/// n runs of a pair whose outcome 0 is "nothing happened", as event streams.
///
/// # Guarantee
/// The n-fold composition is at most as revealing as the returned leaf: T(p, q)^n >= the curve of
/// streams with rates a_j = -n ln(p_0) p_j/(1-p_0) and b_j likewise, since "which event came
/// first, if any" is post-processing of the streams. Rates are rounded so that each stream only gets
/// more revealing: a pair of Poisson rates is dominated by any pair of larger ratio and larger
/// difference, that is, by lowering the smaller and raising the larger. If rounding leaves open which
/// is larger, both choices are kept.
///
/// # Errors
/// If p and q are not laws on the same outcomes, or outcome 0 is not possible in both worlds.
pub fn poissonised(p: &[Rational], q: &[Rational], n: u64) -> Result<Leaf, AccountError> {
    crate::conversion::duality::check_pair(p, q)?;
    let (Some((p0, ps)), Some((q0, qs))) = (p.split_first(), q.split_first()) else {
        return Err(AccountError::invalid("the outcomes", 0, "at least 1"));
    };
    if p0.is_zero() || q0.is_zero() {
        return Err(AccountError::invalid("the chance of outcome 0", 0, "above 0 in both worlds"));
    }
    let (scale_p, scale_q) = (rate_per_chance(p0, n)?, rate_per_chance(q0, n)?);
    let mut jumps = Vec::new();
    for (p, q) in ps.iter().zip(qs) {
        let a = scale_p * Enclosure::of_rational(p);
        let b = scale_q * Enclosure::of_rational(q);
        if a.lower() <= b.upper() && b.upper() > 0.0 {
            jumps.push((rational_down(a)?, rational_up(b)?));
        }
        if b.lower() <= a.upper() && a.upper() > 0.0 {
            jumps.push((rational_up(a)?, rational_down(b)?));
        }
    }
    Ok(Leaf::InfinitelyDivisible { s2: Rational::ZERO, jumps })
}

/// -n ln(p_0)/(1 - p_0), which is n for p_0 = 1.
fn rate_per_chance(p0: &Rational, n: u64) -> Result<Enclosure, AccountError> {
    let happens = &Rational::ONE - p0;
    if happens.is_zero() {
        return Ok(whole(n));
    }
    let happens = Enclosure::of_rational(&happens);
    Ok((whole(n) * -(-happens).ln_1p()? / happens).max(whole(n) * half()))
}
