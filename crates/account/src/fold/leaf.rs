//! What a leaf is: one total function, with no counts in it.

use std::sync::Arc;

use throng_numeric::{Enclosure, Rational};

use super::amplified;
use super::gather::TAIL;
use crate::component::{Component, Part};
use crate::pair::discrete::DiscretePair;
use crate::pair::{Profile, counts, distance, noise, polygon, quantised, response};
use crate::pair::{laplace, normal, stated};
use crate::{AccountError, Leaf, Neighbours};

/// The pair of a leaf under a relation; None if it says nothing at all.
///
/// # Guarantee
/// Under add/remove and zero-out P is the world with the unit and Q that without it, for all leaves
/// alike, so pairs compose in either direction. Under replace neither neighbour comes first: of two
/// mechanisms on one pair of neighbours one may see (P, Q) and the other (Q, P). A leaf that
/// gives one pair is therefore made to dominate both orders, see [`either_way`].
pub(super) fn component(leaf: &Leaf, under: Neighbours) -> Result<Option<Component>, AccountError> {
    let one_way = one_way(leaf, under)?;
    match under {
        Neighbours::AddRemove | Neighbours::ZeroOut => Ok(one_way),
        Neighbours::Replace => one_way.map(|component| either_way(leaf, component)).transpose(),
    }
}

/// A component that dominates both orders of the two neighbours.
fn either_way(leaf: &Leaf, component: Component) -> Result<Component, AccountError> {
    match leaf {
        Leaf::RandomisedResponse { p, q } if p != q => {
            let one = Rational::ONE;
            let (zero, other) = ([&one - p, p.clone()], [q.clone(), &one - q]);
            finite(polygon::either_way(&zero, &other))
        }
        Leaf::Discrete { p, q } => finite(polygon::either_way(p, q)),
        Leaf::InfinitelyDivisible { jumps, .. } if is_balanced(jumps) => Ok(component),
        Leaf::Poisson { .. } | Leaf::InfinitelyDivisible { .. } | Leaf::Quantised { .. } => {
            let parts = vec![Part { component, times: 1 }];
            Ok(Component::Rough(amplified::symmetric(parts)?))
        }
        // Moved noise is symmetric; statements hold for either order.
        Leaf::Gaussian { .. }
        | Leaf::Laplace { .. }
        | Leaf::DiscreteGaussian { .. }
        | Leaf::DiscreteLaplace { .. }
        | Leaf::Staircase { .. }
        | Leaf::Uniform { .. }
        | Leaf::TruncatedLaplace { .. }
        | Leaf::TruncatedGaussian { .. }
        | Leaf::RandomisedResponse { .. }
        | Leaf::KaryResponse { .. }
        | Leaf::ApproxDp { .. }
        | Leaf::Pure { .. }
        | Leaf::TotalVariation { .. }
        | Leaf::Exponential { .. }
        | Leaf::PermuteAndFlip { .. }
        | Leaf::NoisyMax { .. }
        | Leaf::Gdp { .. }
        | Leaf::Zcdp { .. }
        | Leaf::Renyi { .. }
        | Leaf::Tradeoff { .. }
        | Leaf::Profile { .. }
        | Leaf::NonPrivate => Ok(component),
    }
}

/// Whether streams and streams with their worlds exchanged are the same.
pub(super) fn is_balanced(streams: &[(Rational, Rational)]) -> bool {
    let sorted = |mut streams: Vec<(Rational, Rational)>| {
        streams.sort();
        streams
    };
    let swapped = streams.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
    sorted(streams.to_vec()) == sorted(swapped)
}

fn one_way(leaf: &Leaf, under: Neighbours) -> Result<Option<Component>, AccountError> {
    let pair = match leaf {
        Leaf::Gaussian { sigma, sensitivity } => {
            return noisy(sigma, sensitivity, || {
                let ratio = distance(sensitivity, under).checked_div(sigma)?;
                Ok(Component::Gaussian(ratio.square()))
            });
        }
        Leaf::Laplace { scale, sensitivity } => {
            return noisy(scale, sensitivity, || {
                Ok(Component::Laplace(distance(sensitivity, under).checked_div(scale)?))
            });
        }
        Leaf::DiscreteGaussian { sigma, sensitivity } => {
            return noisy(sigma, sensitivity, || {
                finite(noise::discrete_gaussian(sigma, &distance(sensitivity, under), TAIL))
            });
        }
        Leaf::DiscreteLaplace { scale, sensitivity } => {
            return noisy(scale, sensitivity, || {
                finite(noise::discrete_laplace(scale, &distance(sensitivity, under)))
            });
        }
        Leaf::Uniform { width, sensitivity } => {
            return noisy(width, sensitivity, || {
                finite(response::uniform(width, &distance(sensitivity, under)))
            });
        }
        Leaf::TruncatedLaplace { scale, bound, sensitivity } => {
            return noisy(&smaller(scale, bound), sensitivity, || {
                let [bound, shift] = in_units(scale, bound, &distance(sensitivity, under))?;
                rough(laplace::TruncatedLaplaceProfile::new(bound, shift)?)
            });
        }
        Leaf::TruncatedGaussian { sigma, bound, sensitivity } => {
            return noisy(&smaller(sigma, bound), sensitivity, || {
                let [bound, shift] = in_units(sigma, bound, &distance(sensitivity, under))?;
                rough(normal::TruncatedGaussianProfile::new(bound, shift)?)
            });
        }
        Leaf::Exponential { epsilon } => {
            return stated_unless_zero(epsilon, || {
                rough(stated::ExponentialProfile::new(Enclosure::of_rational(epsilon))?)
            });
        }
        Leaf::Gdp { mu } => {
            return stated_unless_zero(mu, || Ok(Component::Gaussian(mu.square())));
        }
        Leaf::Zcdp { rho, xi } => {
            return zcdp(rho, xi).map(|profile| profile.map(Component::Rough));
        }
        Leaf::Renyi { table } => return rough(stated::RenyiProfile::new(table)?).map(Some),
        Leaf::InfinitelyDivisible { s2, jumps } => {
            return Ok(Some(Component::Divisible { s2: s2.clone(), streams: jumps.clone() }));
        }
        Leaf::Staircase { epsilon, gamma } => response::staircase(epsilon, gamma),
        Leaf::RandomisedResponse { p, q } => response::randomised_response(p, q),
        Leaf::KaryResponse { k, epsilon } => response::kary_response(*k, epsilon),
        Leaf::ApproxDp { epsilon, delta } => response::approx_dp(epsilon, delta),
        Leaf::Pure { epsilon } | Leaf::PermuteAndFlip { epsilon } | Leaf::NoisyMax { epsilon } => {
            response::pure(epsilon)
        }
        Leaf::TotalVariation { delta } => response::tv(delta),
        Leaf::Poisson { mu1, mu2 } => counts::poisson(mu1, mu2, TAIL),
        Leaf::Tradeoff { knots } => polygon::tradeoff(knots),
        Leaf::Profile { knots } => polygon::profile(knots),
        Leaf::Discrete { p, q } => polygon::discrete(p, q),
        Leaf::Quantised { inner, cuts } => quantised::quantised(inner, cuts, under),
        Leaf::NonPrivate => Ok(response::nonprivate()),
    }?;
    Ok(Some(Component::Discrete(Arc::new(pair))))
}

/// Noise of scale 0 protects nothing; a value that nobody moves needs no protection.
fn noisy(
    scale: &Rational,
    sensitivity: &Rational,
    component: impl FnOnce() -> Result<Component, AccountError>,
) -> Result<Option<Component>, AccountError> {
    if sensitivity.is_zero() {
        return Ok(None);
    }
    if scale.is_zero() {
        return Ok(Some(Component::Discrete(Arc::new(response::nonprivate()))));
    }
    component().map(Some)
}

fn stated_unless_zero(
    strength: &Rational,
    component: impl FnOnce() -> Result<Component, AccountError>,
) -> Result<Option<Component>, AccountError> {
    if strength.is_zero() { Ok(None) } else { component().map(Some) }
}

/// A zCDP statement; None if it says that nothing is revealed.
pub(super) fn zcdp(
    rho: &Rational,
    xi: &Rational,
) -> Result<Option<Arc<dyn Profile>>, AccountError> {
    if rho.is_zero() && xi.is_zero() {
        return Ok(None);
    }
    let [rho, xi] = [rho, xi].map(Enclosure::of_rational);
    Ok(Some(Arc::new(stated::ZcdpProfile::new(rho, xi)?)))
}

/// A bound and a shift in units of the noise.
fn in_units(
    unit: &Rational,
    bound: &Rational,
    shift: &Rational,
) -> Result<[Enclosure; 2], AccountError> {
    let [bound, shift] = [bound.checked_div(unit)?, shift.checked_div(unit)?];
    Ok([Enclosure::of_rational(&bound), Enclosure::of_rational(&shift)])
}

fn smaller(a: &Rational, b: &Rational) -> Rational {
    if a < b { a.clone() } else { b.clone() }
}

fn finite(pair: Result<DiscretePair, AccountError>) -> Result<Component, AccountError> {
    Ok(Component::Discrete(Arc::new(pair?)))
}

fn rough(profile: impl Profile + 'static) -> Result<Component, AccountError> {
    Ok(Component::Rough(Arc::new(profile)))
}
