//! Profiles made of profiles: sampling, groups, upper envelopes.
//!
//! Inner profiles are asked at places ε' that are only enclosed; since δ does not increase, its
//! values at the two ends enclose the one meant.

use std::sync::Arc;

use throng_numeric::{Enclosure, NumericError};

use super::normal::mirrored;
use super::{Profile, Swapped, claimed, one_minus_exp, probability, whole};
use crate::AccountError;

/// δ at an enclosed place.
fn at(profile: &dyn Profile, epsilon: Enclosure) -> Enclosure {
    let end = |x: f64, beyond: f64| if x.is_finite() { None } else { Some(beyond) };
    let upper = end(epsilon.lower(), 1.0).unwrap_or_else(|| profile.delta(epsilon.lower()).upper());
    let lower = end(epsilon.upper(), 0.0).unwrap_or_else(|| profile.delta(epsilon.upper()).lower());
    Enclosure::new(lower.min(upper), upper).map_or(Enclosure::UNIT, probability)
}

fn rate_within(rate: Enclosure) -> Result<(), AccountError> {
    if rate.lower() > 0.0 && rate.upper() <= 1.0 {
        return Ok(());
    }
    Err(AccountError::invalid("rate", rate, "in (0, 1]"))
}

/// Poisson sampling, with the unit against without: P' = (1-q)Q + qP against Q.
///
/// # Guarantee
/// P' - γQ = q (P - γ' Q) with γ' = (γ - 1 + q)/q, so H_γ = q H_γ'(P‖Q) for γ > 1 - q, and
/// 1 - γ below. For neighbours that differ by adding or removing a unit and a dominating pair
/// (P, Q) of the inner mechanism in this direction, the pair dominates.
///
/// # Reference
/// Y. Zhu, J. Dong, Y.-X. Wang, "Optimal accounting of differential privacy via characteristic
/// function", 2022, proposition 30.
#[derive(Debug, Clone)]
pub struct Sampled {
    inner: Arc<dyn Profile>,
    rate: Enclosure,
}

impl Sampled {
    /// The inner profile is that of (P, Q).
    ///
    /// # Errors
    /// If the rate is not in (0, 1].
    pub fn new(inner: Arc<dyn Profile>, rate: Enclosure) -> Result<Self, AccountError> {
        rate_within(rate)?;
        Ok(Self { inner, rate })
    }
}

impl Profile for Sampled {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let Ok(e) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
        let least = one_minus_exp(e).max(Enclosure::ZERO);
        // γ' = 1 + (γ - 1)/q; at most 0 where 1 - γ is the answer.
        let excess = e.expm1() / self.rate;
        if excess.upper() <= -1.0 {
            return least;
        }
        let place = excess.max(-Enclosure::ONE).ln_1p().unwrap_or(Enclosure::REAL);
        probability((self.rate * at(self.inner.as_ref(), place)).max(least))
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        let inner = Arc::new(Swapped(Arc::clone(&self.inner)));
        SampledReverse { inner, rate: self.rate }.delta(epsilon)
    }
}

/// Poisson sampling, without the unit against with: Q against P' = (1-q)Q + qP.
///
/// # Guarantee
/// Q - γP' = (1 - γ(1-q)) Q - γq P, so H_γ = (1 - γ(1-q)) H_γ'(Q‖P) with γ' = γq/(1 - γ(1-q)), and
/// 0 where the factor is not positive. 1 - γ(1-q) = q - (1-q)(γ-1).
#[derive(Debug, Clone)]
pub struct SampledReverse {
    inner: Arc<dyn Profile>,
    rate: Enclosure,
}

impl SampledReverse {
    /// The inner profile is that of (Q, P).
    ///
    /// # Errors
    /// If the rate is not in (0, 1].
    pub fn new(inner: Arc<dyn Profile>, rate: Enclosure) -> Result<Self, AccountError> {
        rate_within(rate)?;
        Ok(Self { inner, rate })
    }

    fn at(&self, epsilon: Enclosure) -> Result<Enclosure, NumericError> {
        let factor = self.rate - (Enclosure::ONE - self.rate) * epsilon.expm1();
        if factor.upper() <= 0.0 {
            return Ok(Enclosure::ZERO);
        }
        // ln γ' = ln(1 + (γ-1)/factor), since γq = factor + (γ-1).
        let place = if factor.lower() > 0.0 {
            (epsilon.expm1() / factor).ln_1p()?
        } else {
            Enclosure::new(0.0, f64::INFINITY)?
        };
        Ok(factor.max(Enclosure::ZERO) * at(self.inner.as_ref(), place))
    }
}

impl Profile for SampledReverse {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let Ok(e) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
        claimed(self.at(e)).max(one_minus_exp(e).max(Enclosure::ZERO))
    }
}

/// A uniformly random batch of fixed size, for neighbours that replace one record.
///
/// # Guarantee
/// δ(ε) = q δ_inner(ln(1 + (e^ε - 1)/q)) for ε >= 0 with q = batch/population, both ways.
/// *Proof.* With chance 1-q the record is not in the batch; call the output law then A, the same
/// for both neighbours; with chance q it is, with laws B and B'. For γ >= 1, γ' = 1 + (γ-1)/q
/// and β = γ/γ', (1-q)A + qB - γ((1-q)A + qB') = q (B - γ' ((1-β) A + β B')), by comparing the
/// factors of A and B': q γ' β = γq, and q γ' (1-β) = qγ' - qγ = (γ-1)(1-q). H_γ' is convex in its
/// second argument, so H_γ <= q ((1-β) H_γ'(B‖A) + β H_γ'(B‖B')). Batches of B and B' differ by
/// replacing the record. Couple A with B: draw a batch without the record and replace a
/// uniformly random member by it; that is a uniformly random batch with it. So B and A are
/// mixtures, with the same weights, of laws on batches that differ by replacing one record, and
/// joint convexity bounds both terms by the inner profile under replacement. At γ = 1 this says
/// TV' <= q TV. For ε < 0 both directions give the mirrored form.
///
/// # Reference
/// B. Balle, G. Barthe, M. Gaboardi, "Privacy amplification by subsampling: tight analyses via
/// couplings and divergences", 2018, theorems 2 and 9.
#[derive(Debug, Clone)]
pub struct WithoutReplacement {
    inner: Arc<dyn Profile>,
    rate: Enclosure,
}

impl WithoutReplacement {
    /// The inner profile holds under replacement, in both directions.
    ///
    /// # Errors
    /// If the rate is not in (0, 1].
    pub fn new(inner: Arc<dyn Profile>, rate: Enclosure) -> Result<Self, AccountError> {
        rate_within(rate)?;
        Ok(Self { inner, rate })
    }

    fn at(&self, epsilon: f64) -> Result<Enclosure, NumericError> {
        let place = (Enclosure::point(epsilon)?.expm1() / self.rate).ln_1p()?;
        Ok(self.rate * at(self.inner.as_ref(), place))
    }
}

impl Profile for WithoutReplacement {
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

/// Poisson sampling for neighbours that replace one record, with additive noise.
///
/// # Guarantee
/// With A the law without the record and B, B' those with the two versions, the decomposition
/// is that of [`WithoutReplacement`]: for γ' >= 1 and γ = 1 + (γ'-1)/q, β = γ'/γ, H_γ' <= q ((1-β)
/// H_γ(B‖A) + β H_γ(B‖B')). B and A are noise at distance s, B and B' at distance 2s.
#[derive(Debug, Clone)]
pub struct SampledReplace {
    near: Arc<dyn Profile>,
    far: Arc<dyn Profile>,
    rate: Enclosure,
}

impl SampledReplace {
    /// The inner profiles at the distance of one contribution, and at twice that; symmetric.
    ///
    /// # Errors
    /// If the rate is not in (0, 1].
    pub fn new(
        near: Arc<dyn Profile>,
        far: Arc<dyn Profile>,
        rate: Enclosure,
    ) -> Result<Self, AccountError> {
        rate_within(rate)?;
        Ok(Self { near, far, rate })
    }

    fn at(&self, epsilon: f64) -> Result<Enclosure, NumericError> {
        let e = Enclosure::point(epsilon)?;
        let place = (e.expm1() / self.rate).ln_1p()?;
        let beta = probability((e - place).exp());
        // β = 1 - (1-q)(γ-1)/γ: its complement without cancellation.
        let rest = (Enclosure::ONE - self.rate) * one_minus_exp(-place).max(Enclosure::ZERO);
        let near = at(self.near.as_ref(), place);
        let far = at(self.far.as_ref(), place);
        Ok(self.rate * (rest * near + beta * far))
    }
}

impl Profile for SampledReplace {
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

/// The guarantee for `size` units changed one after the other.
///
/// # Guarantee
/// (ε/k, δ) for one unit, both ways, gives (ε, δ (e^ε - 1)/(e^(ε/k) - 1)) for k: chain the
/// inequality k times and sum the geometric series 1 + e^(ε/k) + ... At ε = 0 the factor is k.
#[derive(Debug, Clone)]
pub struct Group {
    inner: Arc<dyn Profile>,
    size: u64,
}

impl Group {
    /// The inner profile holds in both directions.
    ///
    /// # Errors
    /// If the size is 0.
    pub fn new(inner: Arc<dyn Profile>, size: u64) -> Result<Self, AccountError> {
        if size == 0 {
            return Err(AccountError::invalid("size", size, "at least 1"));
        }
        Ok(Self { inner, size })
    }

    fn at(&self, epsilon: f64) -> Result<Enclosure, NumericError> {
        let e = Enclosure::point(epsilon)?;
        let part = e / whole(self.size);
        let one = at(self.inner.as_ref(), part);
        let factor = if epsilon == 0.0 {
            whole(self.size)
        } else {
            // At least e^ε (1 - e^-ε)/(e^(ε/k) - 1), and out of range together with e^ε.
            e.expm1() / part.expm1()
        };
        Ok(one * factor.max(Enclosure::ONE))
    }
}

impl Profile for Group {
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

/// The upper envelope of several profiles.
///
/// # Guarantee
/// The largest of convex, non-increasing curves is one again: a pair with this curve dominates
/// all of them.
#[derive(Debug, Clone)]
pub struct MaxProfile {
    profiles: Vec<Arc<dyn Profile>>,
}

impl MaxProfile {
    /// The envelope of at least one profile.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(profiles: Vec<Arc<dyn Profile>>) -> Result<Self, AccountError> {
        if profiles.is_empty() {
            return Err(AccountError::invalid("the number of profiles", 0, "at least 1"));
        }
        Ok(Self { profiles })
    }
}

impl Profile for MaxProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        self.profiles
            .iter()
            .map(|profile| profile.delta(epsilon))
            .fold(Enclosure::ZERO, Enclosure::max)
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.profiles
            .iter()
            .map(|profile| profile.reversed(epsilon))
            .fold(Enclosure::ZERO, Enclosure::max)
    }

    fn is_symmetric(&self) -> bool {
        self.profiles.iter().all(|profile| profile.is_symmetric())
    }
}
