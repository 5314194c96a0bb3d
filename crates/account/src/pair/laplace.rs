//! Profiles of Laplace noise.
//!
//! For vectors with independent noise, the shift is the sum of the absolute shifts; the proof is in
//! [`super::noise`].

use throng_numeric::{Enclosure, NumericError};

use super::normal::{mirrored, positive};
use super::{Profile, claimed, one_minus_exp, whole};
use crate::AccountError;

/// P = Laplace noise moved by `shift` scales, Q = the same not moved.
///
/// # Guarantee
/// δ(ε) = 1 - e^((ε - t)/2) for |ε| <= t = shift, 0 above, 1 - e^ε below. Both outer forms are
/// bounds everywhere (δ >= 0 and δ >= 1 - e^ε), and the middle one is the largest of the three
/// where it applies.
#[derive(Debug, Clone, Copy)]
pub struct LaplaceProfile {
    shift: Enclosure,
}

impl LaplaceProfile {
    /// For a shift in units of the scale.
    ///
    /// # Errors
    /// If the shift is not above 0 and finite.
    pub fn new(shift: Enclosure) -> Result<Self, AccountError> {
        positive("shift", shift)?;
        Ok(Self { shift })
    }
}

impl Profile for LaplaceProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        mirrored(epsilon, |epsilon| {
            let Ok(e) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
            one_minus_exp((e - self.shift) / whole(2)).max(Enclosure::ZERO)
        })
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.delta(epsilon)
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

/// Laplace noise conditioned on |x| <= bound, moved by a shift; both in units of the scale.
///
/// # Guarantee
/// As for truncated normal noise, the full shift s dominates and the best test is a threshold,
/// x* = (s + ε)/2 within the overlap [s - B, B]. With c = 1/(2(1 - e^-B)) and h = e^((ε-s)/2),
/// integration gives, as sums of non-negative terms, for ε >= 0:
/// - s <= B: p_only = c e^-B (e^s - 1), and for ε < s the rest of δ is
///   c ((1-h)² + (1 - e^(s-B)) (1 - h²)): the parts of the overlap before and after s;
/// - B < s < 2B: p_only = 1 - c (e^(B-s) - e^-B), and for ε < 2B - s the rest is
///   c (e^((B-s)/2) - e^((ε-B)/2))².
///
/// In both cases the rest is 0 from there on.
#[derive(Debug, Clone, Copy)]
pub struct TruncatedLaplaceProfile {
    bound: Enclosure,
    shift: Enclosure,
}

impl TruncatedLaplaceProfile {
    /// For a bound and a shift in units of the scale.
    ///
    /// # Errors
    /// If one of them is not above 0 and finite.
    pub fn new(bound: Enclosure, shift: Enclosure) -> Result<Self, AccountError> {
        positive("bound", bound)?;
        positive("shift", shift)?;
        Ok(Self { bound, shift })
    }

    fn at(&self, epsilon: f64) -> Result<Enclosure, NumericError> {
        let (b, s) = (self.bound, self.shift);
        let e = Enclosure::point(epsilon)?;
        let c = Enclosure::ONE / (whole(2) * one_minus_exp(-b));
        let zero = Enclosure::ZERO;
        let near = || {
            let excess = one_minus_exp((e - s) / whole(2)).max(zero); // 1 - h
            let h = Enclosure::ONE - excess;
            let p_only = c * (-b).exp() * s.expm1();
            let after = one_minus_exp(s - b).max(zero) * excess * (Enclosure::ONE + h);
            p_only + c * (excess.square() + after)
        };
        let far = || {
            let p_only = Enclosure::ONE - c * ((b - s).exp() - (-b).exp());
            let (x, y) = ((b - s) / whole(2), (e - b) / whole(2));
            let root = (x.exp() * one_minus_exp(y - x)).max(zero);
            p_only + c * root.square()
        };
        // Where the order of shift and bound is not certain, either may be true.
        Ok(if s.upper() <= b.lower() {
            near()
        } else if s.lower() >= (b + b).upper() {
            Enclosure::ONE
        } else if s.lower() > b.upper() && s.upper() < (b + b).lower() {
            far()
        } else if s.upper() < (b + b).lower() {
            near().hull(far())
        } else {
            far().hull(Enclosure::ONE)
        })
    }
}

impl Profile for TruncatedLaplaceProfile {
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
