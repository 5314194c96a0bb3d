//! The cost in pure epsilon.

use throng_numeric::{Enclosure, Rational};

use super::leaf::{ln_up, not_negative, polygon, ratio, response_pair, stated_polygon, steepness};
use super::{Currency, fold, larger, multiple, no_price};
use crate::conversion::arithmetic::rational_up;
use crate::conversion::duality::Polygon;
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

struct Pure;

const NAME: &str = "pure epsilon";
const HINT: &str = "use a zCDP budget";

/// An epsilon for which the mechanism is epsilon-private.
///
/// # Guarantee
/// Never below the least such epsilon of the spec's dominating pair.
///
/// # Errors
/// [`AccountError::Refused`] if no finite epsilon is known; [`AccountError::Invalid`] for
/// parameters out of range.
pub fn pure(spec: &MechanismSpec, under: Neighbours) -> Result<Rational, AccountError> {
    fold(&Pure, spec, under)
}

/// ln(1 + q(e^ε - 1)), rounded up.
pub(super) fn amplified(rate: &Rational, epsilon: &Rational) -> Result<Rational, AccountError> {
    if epsilon.is_zero() {
        return Ok(Rational::ZERO);
    }
    let growth = Enclosure::of_rational(epsilon).expm1();
    let shrunk = (Enclosure::of_rational(rate) * growth).ln_1p()?;
    // Rounding must not make sampling cost more than not sampling.
    let rounded = if shrunk.upper().is_finite() { rational_up(shrunk)? } else { epsilon.clone() };
    Ok(rounded.min(epsilon.clone()))
}

impl Currency for Pure {
    type Cost = Rational;

    fn nothing(&self) -> Rational {
        Rational::ZERO
    }

    fn leaf(&self, leaf: &Leaf, under: Neighbours) -> Result<Rational, AccountError> {
        leaf_epsilon(leaf, under)
    }

    fn both(&self, a: &Rational, b: &Rational) -> Rational {
        a + b
    }

    fn times(&self, n: u64, cost: &Rational) -> Rational {
        multiple(n, cost)
    }

    fn either(&self, a: &Rational, b: &Rational) -> Rational {
        larger(a, b)
    }

    fn mixed(&self, parts: &[(Rational, Rational)]) -> Result<Rational, AccountError> {
        Ok(parts.iter().map(|(_, cost)| cost.clone()).fold(Rational::ZERO, Rational::max))
    }

    fn sampled(
        &self,
        rate: &Rational,
        inner: &MechanismSpec,
        under: Neighbours,
        hidden: bool,
    ) -> Result<Rational, AccountError> {
        let epsilon = pure(inner, under)?;
        if hidden { amplified(rate, &epsilon) } else { Ok(epsilon) }
    }

    fn group(
        &self,
        size: u64,
        inner: &MechanismSpec,
        under: Neighbours,
    ) -> Result<Rational, AccountError> {
        Ok(multiple(size, &pure(inner, under)?))
    }
}

fn leaf_epsilon(leaf: &Leaf, under: Neighbours) -> Result<Rational, AccountError> {
    let refused = |what: &str| Err(no_price(what, NAME, HINT));
    match leaf {
        Leaf::Laplace { scale, sensitivity } | Leaf::DiscreteLaplace { scale, sensitivity } => {
            ratio(sensitivity, scale, under)?
                .ok_or_else(|| no_price("laplace noise of scale 0", NAME, HINT))
        }
        Leaf::Gaussian { sigma, sensitivity } | Leaf::DiscreteGaussian { sigma, sensitivity } => {
            free_or(ratio(sensitivity, sigma, under)?, "gaussian noise")
        }
        Leaf::Uniform { width, sensitivity } => {
            free_or(ratio(sensitivity, width, under)?, "uniform noise")
        }
        Leaf::TruncatedLaplace { scale, bound: _, sensitivity } => {
            free_or(ratio(sensitivity, scale, under)?, "truncated noise")
        }
        Leaf::TruncatedGaussian { sigma, bound: _, sensitivity } => {
            free_or(ratio(sensitivity, sigma, under)?, "truncated noise")
        }
        Leaf::Staircase { epsilon, gamma: _ }
        | Leaf::Pure { epsilon }
        | Leaf::Exponential { epsilon }
        | Leaf::PermuteAndFlip { epsilon }
        | Leaf::NoisyMax { epsilon } => Ok(not_negative("epsilon", epsilon)?.clone()),
        Leaf::KaryResponse { k, epsilon } => {
            let epsilon = not_negative("epsilon", epsilon)?;
            Ok(if *k <= 1 { Rational::ZERO } else { epsilon.clone() })
        }
        Leaf::ApproxDp { epsilon, delta } => {
            let epsilon = not_negative("epsilon", epsilon)?;
            if delta.is_zero() { Ok(epsilon.clone()) } else { refused("a leak of chance delta") }
        }
        Leaf::TotalVariation { delta } => free_or(Some(delta.clone()), "total variation"),
        Leaf::RandomisedResponse { p, q } => {
            let (p, q) = response_pair(p, q)?;
            of_polygon(&polygon(&p, &q)?)
        }
        Leaf::Discrete { p, q } => of_polygon(&polygon(p, q)?),
        Leaf::Tradeoff { knots } => of_polygon(&stated_polygon(knots)?),
        Leaf::Profile { knots } => {
            let pure =
                knots.iter().filter(|(_, delta)| delta.is_zero()).map(|(epsilon, _)| epsilon);
            let least =
                pure.min().ok_or_else(|| no_price("a profile without delta = 0", NAME, HINT))?;
            Ok(least.clone().max(Rational::ZERO))
        }
        Leaf::Gdp { mu } => free_or(Some(mu.clone()), "gaussian privacy"),
        Leaf::Zcdp { rho, xi } => free_or(Some(rho + xi), "concentrated privacy"),
        Leaf::Renyi { table: _ } => refused("a bound on Renyi divergence"),
        Leaf::Poisson { mu1, mu2 } => free_or(Some((mu2 - mu1).abs()), "a poisson count"),
        Leaf::InfinitelyDivisible { s2, jumps } => {
            let moves = jumps.iter().any(|(a, b)| a != b);
            free_or(
                Some(if moves { Rational::ONE } else { s2.clone() }),
                "an infinitely divisible pair",
            )
        }
        Leaf::Quantised { inner, cuts: _ } => leaf_epsilon(inner, under),
        Leaf::NonPrivate => refused("a mechanism without privacy"),
    }
}

/// What depends on the data at all is not pure; what does not is free.
fn free_or(distance: Option<Rational>, what: &str) -> Result<Rational, AccountError> {
    match distance {
        Some(distance) if distance.is_zero() => Ok(Rational::ZERO),
        Some(_) | None => Err(no_price(what, NAME, HINT)),
    }
}

fn of_polygon(polygon: &Polygon) -> Result<Rational, AccountError> {
    let steep = steepness(polygon)?;
    if steep.leak.is_positive() {
        return Err(no_price("a curve that shows something with certainty", NAME, HINT));
    }
    ln_up(&steep.ratio)
}
