//! Compositions with a closed form, and compositions seen as one profile.

use std::sync::Arc;

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::component::{Component, Part};
use crate::loss::binomial::Binomial;
use crate::loss::{Accuracy, Direction, PrivacyLoss};
use crate::pair::Profile;
use crate::pair::discrete::DiscretePair;
use crate::pair::laplace::LaplaceProfile;
use crate::pair::normal::GaussianProfile;

/// The profile of a composition in the direction Remove, for every real epsilon.
pub(crate) fn profile_of(parts: Vec<Part>) -> Result<Arc<dyn Profile>, AccountError> {
    if parts.is_empty() {
        return Ok(Arc::new(Finite(Arc::new(DiscretePair::trivial()))));
    }
    if let Some(profile) = closed(&parts)? {
        return Ok(profile);
    }
    let accuracy = Accuracy { width: 1e-6 };
    Ok(Arc::new(Inner(PrivacyLoss::of_parts(parts, accuracy)?)))
}

/// A closed form of the composition, in the direction Remove, if there is one.
pub(crate) fn closed(parts: &[Part]) -> Result<Option<Arc<dyn Profile>>, AccountError> {
    let [Part { component, times }] = parts else { return Ok(None) };
    if let Some(binomial) = component
        .pair(crate::component::End::Upper)
        .filter(|_| component.is_exact())
        .and_then(|pair| Binomial::of(&pair, *times))
    {
        return Ok(Some(Arc::new(binomial)));
    }
    if *times == 1 { single(component) } else { Ok(None) }
}

fn single(component: &Component) -> Result<Option<Arc<dyn Profile>>, AccountError> {
    Ok(Some(match component {
        Component::Gaussian(square) => {
            Arc::new(GaussianProfile::new(Enclosure::of_rational(square).sqrt()?)?)
        }
        Component::Laplace(ratio) => Arc::new(LaplaceProfile::new(Enclosure::of_rational(ratio))?),
        Component::Discrete(pair) => Arc::new(Finite(Arc::clone(pair))),
        Component::Between { upper, lower } => {
            Arc::new(TwoFinite { upper: Arc::clone(upper), lower: Arc::clone(lower) })
        }
        Component::Rough(profile) => Arc::clone(profile),
        Component::Swapped(inner) => match single(inner)? {
            Some(profile) => Arc::new(Swapped(profile)),
            None => return Ok(None),
        },
        Component::Shifted { .. } | Component::Divisible { .. } | Component::Mixed(_) => {
            return Ok(None);
        }
    }))
}

/// The profile of a finite pair.
#[derive(Debug)]
struct Finite(Arc<DiscretePair>);

impl Profile for Finite {
    fn delta(&self, epsilon: f64) -> Enclosure {
        self.0.delta(epsilon)
    }
}

/// A pair between two finite ones.
#[derive(Debug)]
struct TwoFinite {
    upper: Arc<DiscretePair>,
    lower: Arc<DiscretePair>,
}

impl Profile for TwoFinite {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let (lower, upper) = (self.lower.delta(epsilon), self.upper.delta(epsilon));
        Enclosure::new(lower.lower().min(upper.upper()), upper.upper()).unwrap_or(Enclosure::UNIT)
    }
}

/// (Q, P): H_gamma(Q||P) = 1 - gamma + gamma H_{1/gamma}(P||Q).
#[derive(Debug)]
pub(crate) struct Swapped(pub(crate) Arc<dyn Profile>);

impl Profile for Swapped {
    fn delta(&self, epsilon: f64) -> Enclosure {
        mirrored(epsilon, self.0.delta(-epsilon))
    }
}

/// 1 - e^epsilon + e^epsilon delta, from the delta of the other direction at -epsilon.
pub(crate) fn mirrored(epsilon: f64, other: Enclosure) -> Enclosure {
    let Ok(exponent) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
    let delta = if epsilon <= 0.0 {
        -exponent.expm1() + exponent.exp() * other
    } else {
        // For epsilon > 0 the terms nearly cancel: e^epsilon (delta - (1 - e^-epsilon)).
        exponent.exp() * (other + (-exponent).expm1())
    };
    delta.max(Enclosure::ZERO).min(Enclosure::ONE)
}

/// A whole composition as a profile, for use inside a combinator.
#[derive(Debug)]
struct Inner(PrivacyLoss);

impl Profile for Inner {
    fn delta(&self, epsilon: f64) -> Enclosure {
        // No answer is no knowledge, which is always true.
        self.0
            .delta_in(Direction::Remove, epsilon)
            .ok()
            .and_then(|bracket| Enclosure::new(bracket.lower, bracket.upper).ok())
            .unwrap_or(Enclosure::UNIT)
    }
}
