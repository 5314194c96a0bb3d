//! Dominating pairs (P, Q).
//!
//! The loss is ln(dP/dQ); its law is taken under P. `P` is the world *with* the unit, `Q` the
//! one without; the other direction is the same pair with the roles exchanged.
//!
//! | file | what it holds |
//! |---|---|
//! | [`discrete`] | pairs with finitely many outcomes, and what can be read off them |
//! | [`noise`] | discrete Laplace and discrete Gaussian noise |
//! | [`response`] | randomised response, leaky response, staircase, uniform noise |
//! | [`counts`] | the Poisson mechanism |
//! | [`polygon`] | pairs stated as chances, as trade-off knots, as (ε, δ) knots |
//! | [`quantised`] | any of them seen through cells |
//! | [`discretise`] | a profile between two finite pairs: connect the dots |
//! | [`normal`], [`laplace`] | profiles of additive noise, truncated or not |
//! | [`stated`] | profiles of bounded range, zCDP and Rényi statements |
//! | [`amplified`] | sampling, groups, upper envelopes |
//! | [`shuffled`] | local reports in random order |
//! | [`allocated`] | one random step of many |

pub mod allocated;
pub mod amplified;
pub mod counts;
pub mod discrete;
pub mod discretise;
pub mod laplace;
pub mod noise;
pub mod normal;
pub mod polygon;
pub mod quantised;
pub mod response;
mod sampled;
pub mod shuffled;
pub mod stated;

use std::fmt::Debug;
use std::sync::Arc;

use throng_numeric::{Enclosure, NumericError, Rational};

use crate::Neighbours;

/// A pair known through its hockey-stick divergence only.
///
/// # Guarantee
/// `delta(e)` encloses H_{e^epsilon}(P||Q) = sup_S P(S) - e^epsilon Q(S) for every real
/// epsilon; its upper end bounds the mechanism. The exact function is convex and non-increasing
/// in e^epsilon, at least max(0, 1 - e^epsilon), and at most 1.
pub trait Profile: Debug + Send + Sync {
    /// H_{e^epsilon}(P||Q).
    fn delta(&self, epsilon: f64) -> Enclosure;

    /// H_{e^epsilon}(Q||P), the other direction.
    ///
    /// It follows from `delta` at -epsilon, but with loss of relative accuracy where it is
    /// small; who knows a better form should give it.
    fn reversed(&self, epsilon: f64) -> Enclosure {
        other_direction(epsilon, self.delta(-epsilon))
    }

    /// Whether `delta` is convex in e^epsilon by itself. A bound that is not can be improved to
    /// its convex hull, see [`discretise`].
    fn is_convex(&self) -> bool {
        true
    }

    /// Whether both directions are known to have the same profile.
    fn is_symmetric(&self) -> bool {
        false
    }
}

/// (Q, P) for a pair (P, Q).
#[derive(Debug, Clone)]
pub struct Swapped(pub Arc<dyn Profile>);

impl Profile for Swapped {
    fn delta(&self, epsilon: f64) -> Enclosure {
        self.0.reversed(epsilon)
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.0.delta(epsilon)
    }

    fn is_symmetric(&self) -> bool {
        self.0.is_symmetric()
    }
}

/// H_gamma(Q||P) = 1 - gamma + gamma H_{1/gamma}(P||Q), from the value at 1/gamma.
pub(crate) fn other_direction(epsilon: f64, other: Enclosure) -> Enclosure {
    let Ok(exponent) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
    let delta = if epsilon <= 0.0 {
        -exponent.expm1() + exponent.exp() * other
    } else {
        // The terms nearly cancel: e^epsilon (delta - (1 - e^-epsilon)).
        exponent.exp() * (other + (-exponent).expm1())
    };
    probability(delta)
}

/// How far a value moves between neighbours when one unit contributes at most `sensitivity`.
///
/// Under [`Neighbours::Replace`] one contribution goes and another comes: twice as far.
#[must_use]
pub fn distance(sensitivity: &Rational, under: Neighbours) -> Rational {
    match under {
        Neighbours::AddRemove | Neighbours::ZeroOut => sensitivity.clone(),
        Neighbours::Replace => sensitivity + sensitivity,
    }
}

/// An integer, exactly or between its neighbouring `f64`.
fn whole(n: u64) -> Enclosure {
    let exact = (n <= 1 << 53).then(|| {
        let high = u32::try_from(n >> 32).map_or(0.0, f64::from);
        let low = u32::try_from(n & u64::from(u32::MAX)).map_or(0.0, f64::from);
        Enclosure::point(high * 4_294_967_296.0 + low).ok()
    });
    exact.flatten().unwrap_or_else(|| Enclosure::of_rational(&Rational::from(n)))
}

/// The tightest enclosure of a rational.
fn real(x: &Rational) -> Enclosure {
    Enclosure::of_rational(x)
}

/// A quantity known to be a probability.
fn probability(x: Enclosure) -> Enclosure {
    x.max(Enclosure::ZERO).min(Enclosure::ONE)
}

/// A probability that may not have been computable: then nothing is claimed but that.
fn claimed(x: Result<Enclosure, NumericError>) -> Enclosure {
    x.map_or(Enclosure::UNIT, probability)
}

/// 1 - e^x, accurate relative to itself.
fn one_minus_exp(x: Enclosure) -> Enclosure {
    -x.expm1()
}
