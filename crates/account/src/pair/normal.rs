//! Profiles of normal noise.

use throng_numeric::{Enclosure, NumericError, normal};

use super::{Profile, claimed, one_minus_exp, probability, whole};
use crate::AccountError;

fn half() -> Enclosure {
    Enclosure::ONE / whole(2)
}

pub(super) fn positive(name: &str, x: Enclosure) -> Result<(), AccountError> {
    if x.lower() > 0.0 && x.upper() < f64::INFINITY {
        return Ok(());
    }
    Err(AccountError::invalid(name, x, "above 0 and finite"))
}

/// δ at ε < 0 of a pair that is its own reverse: 1 - e^ε + e^ε δ(-ε), all terms at least 0.
pub(super) fn mirrored(epsilon: f64, delta: impl Fn(f64) -> Enclosure) -> Enclosure {
    if epsilon >= 0.0 {
        return delta(epsilon);
    }
    let Ok(e) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
    probability(one_minus_exp(e) + e.exp() * delta(-epsilon))
}

/// P = N(mu, 1), Q = N(0, 1).
///
/// # Guarantee
/// With a = ε/μ - μ/2, b = ε/μ + μ/2 and the Mills ratio m = (1-Φ)/φ, e^ε φ(b) = φ(a) gives
/// δ(ε) = φ(a) (m(a) - m(b)). For large μ the difference is taken as it is. For small μ it would
/// cancel; but -m' = 1 - x m(x) is convex (m is completely monotone: the Laplace transform of
/// e^(-t²/2)), so its integral over [a, b] is between μ times its value in the middle and μ times
/// the mean of its values at the ends. Both enclosures hold; their intersection is returned.
#[derive(Debug, Clone, Copy)]
pub struct GaussianProfile {
    mu: Enclosure,
}

impl GaussianProfile {
    /// For a shift of `mu` standard deviations.
    ///
    /// # Errors
    /// If mu is not above 0 and finite.
    pub fn new(mu: Enclosure) -> Result<Self, AccountError> {
        positive("mu", mu)?;
        Ok(Self { mu })
    }

    fn at(&self, epsilon: f64) -> Result<Enclosure, NumericError> {
        let ratio = Enclosure::point(epsilon)? / self.mu;
        let (a, b) = (ratio - self.mu * half(), ratio + self.mu * half());
        let density = normal::density(a);
        let difference = if a.upper() < -1.0 {
            return Ok(normal::cdf(-a) - density * mills(b)?);
        } else {
            mills(a)? - mills(b)?
        };
        if self.mu.upper() > 1e-2 {
            return Ok(density * difference);
        }
        let bend = |x: Enclosure| Ok::<_, NumericError>(Enclosure::ONE - x * mills(x)?);
        let least = self.mu * bend(ratio)?;
        let most = self.mu * (bend(a)? + bend(b)?) * half();
        let integral = Enclosure::new(least.lower().min(most.upper()), most.upper())?;
        Ok(density * difference.intersect(integral).unwrap_or(difference))
    }
}

/// (1 - Φ(x))/φ(x) = sqrt(π/2) erfcx(x/√2).
fn mills(x: Enclosure) -> Result<Enclosure, NumericError> {
    let root = whole(2).sqrt()?;
    // φ(0) = 1/sqrt(2π), and sqrt(π/2) = 1/(2 φ(0)).
    let factor = half() / normal::density(Enclosure::ZERO);
    Ok(factor * normal::erfcx(x / root))
}

impl Profile for GaussianProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        mirrored(epsilon, |epsilon| claimed(self.at(epsilon)))
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.delta(epsilon)
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

/// Normal noise conditioned on |x| <= bound, moved by a shift; all in standard deviations.
///
/// # Guarantee
/// The density is log-concave, so the likelihood ratio of two shifts is monotone (infinite
/// where only P reaches, 0 where only Q does), and the full shift dominates smaller ones. The
/// best test rejects beyond x* = s/2 + ε/s, moved into the overlap [s - B, B], and
/// δ(ε) = p_only + (P(x* < x < B) - e^ε Q(x* < x < B)), whose bracket is at least 0.
#[derive(Debug, Clone, Copy)]
pub struct TruncatedGaussianProfile {
    bound: Enclosure,
    shift: Enclosure,
    /// The chance of |x| <= bound.
    kept: Enclosure,
}

impl TruncatedGaussianProfile {
    /// For a bound and a shift in standard deviations.
    ///
    /// # Errors
    /// If one of them is not above 0 and finite.
    pub fn new(bound: Enclosure, shift: Enclosure) -> Result<Self, AccountError> {
        positive("bound", bound)?;
        positive("shift", shift)?;
        let kept = Enclosure::ONE - whole(2) * normal::survival(bound);
        Ok(Self { bound, shift, kept })
    }

    /// The chance of the noise in [a, b], within the bound.
    fn mass(&self, a: Enclosure, b: Enclosure) -> Enclosure {
        let part = if a.lower() > 0.0 {
            normal::survival(a) - normal::survival(b)
        } else {
            normal::cdf(b) - normal::cdf(a)
        };
        probability(part.max(Enclosure::ZERO) / self.kept)
    }

    fn at(&self, epsilon: f64) -> Result<Enclosure, NumericError> {
        let (b, s) = (self.bound, self.shift);
        if s.lower() >= (b + b).upper() {
            return Ok(Enclosure::ONE);
        }
        let p_only = self.mass(b - s, b);
        let e = Enclosure::point(epsilon)?;
        let cut = (s * half() + e / s).max(s - b).min(b);
        let gain = self.mass(cut - s, b - s) - e.exp() * self.mass(cut, b);
        Ok(p_only + gain.max(Enclosure::ZERO))
    }
}

impl Profile for TruncatedGaussianProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        mirrored(epsilon, |epsilon| claimed(self.at(epsilon)))
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.delta(epsilon)
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}
