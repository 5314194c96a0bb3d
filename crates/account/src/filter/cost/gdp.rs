//! The cost in Gaussian privacy: μ², which adds.

use throng_numeric::{Enclosure, Rational};

use super::leaf::{not_negative, polygon, ratio, response_pair, stated_polygon};
use super::pure::{amplified, pure};
use super::{Currency, fold, larger, multiple, no_price};
use crate::conversion::arithmetic::rational_up;
use crate::conversion::duality::Polygon;
use crate::conversion::gaussian::{mu_of_pure, mu_through};
use crate::conversion::grid;
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

/// The μ² of a mechanism.
///
/// # Guarantee
/// The mechanism is μ-GDP. A polygon lies above the Gaussian curve, which is convex, as soon as its
/// corners do; so a pair on finitely many outcomes costs the largest Φ^-1(1 - α) - Φ^-1(β) over the
/// corners of its trade-off curve, and a pure mechanism that of randomised response.
///
/// # Errors
/// [`AccountError::Refused`] for what is not Gaussian-private or not known to be: anything with a
/// leak, zCDP, Renyi bounds, Poisson counts, truncated Gaussian noise, and discrete Gaussian noise
/// with sigma below 2 (from there on it is hidden in normal noise, [`grid`]).
pub fn gdp(spec: &MechanismSpec, under: Neighbours) -> Result<Rational, AccountError> {
    fold(&SquaredMu, spec, under)
}

struct SquaredMu;

const NAME: &str = "GDP";
const HINT: &str = "use a zCDP or Renyi budget";

impl Currency for SquaredMu {
    type Cost = Rational;

    fn nothing(&self) -> Rational {
        Rational::ZERO
    }

    fn leaf(&self, leaf: &Leaf, under: Neighbours) -> Result<Rational, AccountError> {
        price(leaf, under)
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
        // H of a public mixture is the mixture of the H, each below that of the largest μ.
        Ok(parts.iter().map(|(_, cost)| cost.clone()).fold(Rational::ZERO, Rational::max))
    }

    fn sampled(
        &self,
        rate: &Rational,
        inner: &MechanismSpec,
        under: Neighbours,
        hidden: bool,
    ) -> Result<Rational, AccountError> {
        let whole = gdp(inner, under)?;
        if !hidden {
            return Ok(whole);
        }
        let Ok(epsilon) = pure(inner, under).and_then(|e| amplified(rate, &e)) else {
            return Ok(whole);
        };
        Ok(of_pure(&epsilon)?.min(whole))
    }

    fn group(
        &self,
        size: u64,
        inner: &MechanismSpec,
        under: Neighbours,
    ) -> Result<Rational, AccountError> {
        Ok(multiple(size, &multiple(size, &gdp(inner, under)?)))
    }
}

fn of_pure(epsilon: &Rational) -> Result<Rational, AccountError> {
    if epsilon.is_zero() {
        return Ok(Rational::ZERO);
    }
    rational_up(mu_of_pure(Enclosure::of_rational(epsilon))?.square())
}

fn of_polygon(polygon: &Polygon) -> Result<Rational, AccountError> {
    let leaks = |(a, b): &(Rational, Rational)| {
        (a.is_zero() && *b < Rational::ONE) || (b.is_zero() && *a < Rational::ONE)
    };
    if polygon.corners().iter().any(leaks) {
        return Err(no_price("a curve that shows something with certainty", NAME, HINT));
    }
    let mut most = Enclosure::ZERO;
    for (a, b) in polygon.corners().iter().filter(|(a, b)| a.is_positive() && b.is_positive()) {
        most = most.max(mu_through(Enclosure::of_rational(a), Enclosure::of_rational(b))?);
    }
    rational_up(most.square())
}

fn price(leaf: &Leaf, under: Neighbours) -> Result<Rational, AccountError> {
    let refused = |what: &str| Err(no_price(what, NAME, HINT));
    match leaf {
        Leaf::Gaussian { sigma, sensitivity } => {
            let mu = ratio(sensitivity, sigma, under)?;
            Ok(mu.ok_or_else(|| no_price("noise of size 0", NAME, "add noise"))?.square())
        }
        Leaf::DiscreteGaussian { sigma, sensitivity } if *sigma >= Rational::from(2_u32) => {
            let deviation = grid::discrete_gaussian_as_gaussian(sigma)?;
            let mu = ratio(sensitivity, &deviation, under)?;
            Ok(mu.ok_or_else(|| no_price("noise of size 0", NAME, "add noise"))?.square())
        }
        Leaf::Gdp { mu } => Ok(not_negative("mu", mu)?.square()),
        Leaf::InfinitelyDivisible { s2, jumps } => {
            if jumps.iter().any(|(a, b)| a != b) {
                return refused("a poisson part");
            }
            Ok(not_negative("s2", s2)?.clone())
        }
        Leaf::RandomisedResponse { p, q } => {
            let (p, q) = response_pair(p, q)?;
            of_polygon(&polygon(&p, &q)?)
        }
        Leaf::Discrete { p, q } => of_polygon(&polygon(p, q)?),
        Leaf::Tradeoff { knots } => of_polygon(&stated_polygon(knots)?),
        Leaf::Quantised { inner, cuts: _ } => price(inner, under),
        // A finite epsilon is enough; without one there is a leak, or no proof.
        Leaf::Laplace { .. }
        | Leaf::DiscreteGaussian { .. }
        | Leaf::DiscreteLaplace { .. }
        | Leaf::Staircase { .. }
        | Leaf::Uniform { .. }
        | Leaf::TruncatedLaplace { .. }
        | Leaf::TruncatedGaussian { .. }
        | Leaf::KaryResponse { .. }
        | Leaf::ApproxDp { .. }
        | Leaf::Pure { .. }
        | Leaf::TotalVariation { .. }
        | Leaf::Exponential { .. }
        | Leaf::PermuteAndFlip { .. }
        | Leaf::NoisyMax { .. }
        | Leaf::Zcdp { .. }
        | Leaf::Renyi { .. }
        | Leaf::Poisson { .. }
        | Leaf::Profile { .. }
        | Leaf::NonPrivate => match pure(&MechanismSpec::Leaf(leaf.clone()), under) {
            Ok(epsilon) => of_pure(&epsilon),
            Err(AccountError::Refused { .. }) => refused("a mechanism without a finite epsilon"),
            Err(error) => Err(error),
        },
    }
}
