//! Compositions with a closed form, and compositions seen as one profile.

use std::sync::Arc;

use throng_numeric::{Enclosure, Rational};

use crate::AccountError;
use crate::component::{Component, Cut, Ends, Part};
use crate::loss::binomial::Binomial;
use crate::loss::expanded::expand;
use crate::loss::{Accuracy, Direction, PrivacyLoss};
use crate::pair::discrete::DiscretePair;
use crate::pair::laplace::LaplaceProfile;
use crate::pair::normal::GaussianProfile;
use crate::pair::response::tv;
use crate::pair::{Profile, Swapped};

/// The profile of a composition in the direction Remove, for every real epsilon.
pub(crate) fn profile_of(parts: Vec<Part>) -> Result<Arc<dyn Profile>, AccountError> {
    if parts.is_empty() {
        return Ok(Arc::new(DiscretePair::trivial()));
    }
    if let Some(profile) = closed(&parts)? {
        return Ok(profile);
    }
    let accuracy = Accuracy { width: 1e-6 };
    Ok(Arc::new(Inner(PrivacyLoss::of_parts(parts, accuracy)?)))
}

/// A closed form of the composition, in the direction Remove, if there is one.
pub(crate) fn closed(parts: &[Part]) -> Result<Option<Arc<dyn Profile>>, AccountError> {
    let [Part { component, times }] = parts else {
        return Ok(expand(parts).map(|pair| Arc::new(pair) as Arc<dyn Profile>));
    };
    if let Some(binomial) = component.pair().and_then(|pair| Binomial::of(&pair, *times)) {
        return Ok(Some(Arc::new(binomial)));
    }
    if *times == 1 {
        return single(component);
    }
    Ok(expand(parts).map(|pair| Arc::new(pair) as Arc<dyn Profile>))
}

fn single(component: &Component) -> Result<Option<Arc<dyn Profile>>, AccountError> {
    Ok(Some(match component {
        Component::Gaussian(square) => {
            let mu = Enclosure::of_rational(square).sqrt()?;
            if mu.lower() > 0.0 {
                Arc::new(GaussianProfile::new(mu)?)
            } else {
                // Below the range of numbers: the worlds are within mu in total variation.
                let upper = tv(&Rational::from_f64(mu.upper())?)?;
                return single(&Component::between((upper, DiscretePair::trivial())));
            }
        }
        Component::Laplace(ratio) => Arc::new(LaplaceProfile::new(Enclosure::of_rational(ratio))?),
        Component::Discrete(pair) => Arc::clone(pair) as Arc<dyn Profile>,
        Component::Between { remove, add } => {
            Arc::new(TwoFinite { remove: remove.clone(), add: add.clone() })
        }
        Component::Rough(profile) if !profile.is_convex() => {
            return single(&component.cut(Cut { cells: 4096, tilt: 2.0, all: false })?);
        }
        Component::Rough(profile) | Component::Shifted { profile, .. } => Arc::clone(profile),
        Component::Swapped(inner) => match single(inner)? {
            Some(profile) => Arc::new(Swapped(profile)),
            None => return Ok(None),
        },
        Component::Divisible { .. } | Component::Mixed(_) => return Ok(None),
    }))
}

/// A pair between finite ones, in either direction.
#[derive(Debug)]
struct TwoFinite {
    remove: Ends,
    add: Ends,
}

impl Profile for TwoFinite {
    fn delta(&self, epsilon: f64) -> Enclosure {
        between(&self.remove, epsilon)
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        between(&self.add, epsilon)
    }
}

fn between(ends: &Ends, epsilon: f64) -> Enclosure {
    let (lower, upper) = (ends.lower.delta(epsilon).lower(), ends.upper.delta(epsilon).upper());
    Enclosure::new(lower.min(upper), upper).unwrap_or(Enclosure::UNIT)
}

/// A whole composition as a profile, for use inside a combinator.
#[derive(Debug)]
struct Inner(PrivacyLoss);

impl Inner {
    /// No answer is no knowledge, which is always true.
    fn ask(&self, direction: Direction, epsilon: f64) -> Enclosure {
        self.0
            .delta_in(direction, epsilon)
            .ok()
            .and_then(|bracket| Enclosure::new(bracket.lower, bracket.upper).ok())
            .unwrap_or(Enclosure::UNIT)
    }
}

impl Profile for Inner {
    fn delta(&self, epsilon: f64) -> Enclosure {
        self.ask(Direction::Remove, epsilon)
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.ask(Direction::Add, epsilon)
    }
}
