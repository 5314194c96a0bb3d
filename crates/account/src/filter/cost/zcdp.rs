//! The cost in approximate zCDP.

use throng_numeric::{Enclosure, Rational};

use super::approximate::{Approximate, amplified_pair, approximate, truncated_gaussian};
use super::leaf::{not_negative, ratio, shift};
use super::{Currency, fold, larger, multiple, no_price};
use crate::conversion::arithmetic::rational_up;
use crate::conversion::zcdp::rho_of_pure;
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

/// A guarantee of δ-approximate ρ-zCDP, both rounded up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concentrated {
    /// The Renyi divergence at order a is at most ρa ...
    pub rho: Rational,
    /// ... up to events of this chance.
    pub delta: Rational,
}

/// The ρ and δ of a mechanism.
///
/// # Guarantee
/// The mechanism is delta-approximately rho-zCDP. A pure or (epsilon, delta) leaf costs ε tanh(ε/2)
/// and δ, bounded range costs ε²/8, Gaussian noise its own ρ. Sampling costs at most what it
/// samples from, since divergences are quasi-convex, and at most what its amplified epsilon says.
///
/// # Errors
/// [`AccountError::Refused`] for what is not approximately zCDP, such as Poisson counts.
pub fn zcdp(spec: &MechanismSpec, under: Neighbours) -> Result<Concentrated, AccountError> {
    fold(&Divergence, spec, under)
}

struct Divergence;

const NAME: &str = "zCDP";
const HINT: &str = "use a Renyi budget";

impl Currency for Divergence {
    type Cost = Concentrated;

    fn nothing(&self) -> Concentrated {
        Concentrated { rho: Rational::ZERO, delta: Rational::ZERO }
    }

    fn leaf(&self, leaf: &Leaf, under: Neighbours) -> Result<Concentrated, AccountError> {
        let price = price(leaf, under)?;
        Ok(Concentrated { delta: price.delta.min(Rational::ONE), rho: price.rho })
    }

    fn both(&self, a: &Concentrated, b: &Concentrated) -> Concentrated {
        Concentrated { rho: &a.rho + &b.rho, delta: &a.delta + &b.delta }
    }

    fn times(&self, n: u64, cost: &Concentrated) -> Concentrated {
        Concentrated { rho: multiple(n, &cost.rho), delta: multiple(n, &cost.delta) }
    }

    fn either(&self, a: &Concentrated, b: &Concentrated) -> Concentrated {
        Concentrated { rho: larger(&a.rho, &b.rho), delta: larger(&a.delta, &b.delta) }
    }

    fn mixed(&self, parts: &[(Rational, Concentrated)]) -> Result<Concentrated, AccountError> {
        let mut total = self.nothing();
        for (share, cost) in parts {
            total.rho = larger(&total.rho, &cost.rho);
            total.delta = &total.delta + &(share * &cost.delta);
        }
        Ok(total)
    }

    fn sampled(
        &self,
        rate: &Rational,
        inner: &MechanismSpec,
        under: Neighbours,
        hidden: bool,
    ) -> Result<Concentrated, AccountError> {
        let whole = zcdp(inner, under)?;
        let whole = Concentrated { delta: rate * &whole.delta, rho: whole.rho };
        if !hidden {
            return Ok(whole);
        }
        let Ok(amplified) = amplified_pair(rate, inner, under).and_then(of_pair) else {
            return Ok(whole);
        };
        let better = amplified.rho < whole.rho && amplified.delta <= whole.delta;
        Ok(if better { amplified } else { whole })
    }

    fn group(
        &self,
        size: u64,
        inner: &MechanismSpec,
        under: Neighbours,
    ) -> Result<Concentrated, AccountError> {
        let one = zcdp(inner, under)?;
        let grown =
            Concentrated { rho: multiple(size, &multiple(size, &one.rho)), delta: one.delta };
        let group = MechanismSpec::Group { size, inner: Box::new(inner.clone()) };
        let by_pair = approximate(&group, under).and_then(of_pair);
        match by_pair {
            Ok(pair) if grown.delta.is_positive() => Ok(pair),
            Ok(pair) if pair.delta.is_zero() && pair.rho < grown.rho => Ok(pair),
            Ok(_) => Ok(grown),
            Err(_) if grown.delta.is_zero() => Ok(grown),
            Err(_) => Err(no_price("a group with a leak", NAME, "put the group around each leaf")),
        }
    }
}

/// A pure part costs ε tanh(ε/2), and what leaks stays.
fn of_pair(pair: Approximate) -> Result<Concentrated, AccountError> {
    let rho = rational_up(rho_of_pure(Enclosure::of_rational(&pair.epsilon))?)?;
    Ok(Concentrated { rho, delta: pair.delta })
}

/// Half the square of a noise ratio or of a mu.
fn half_square(mu: &Rational) -> Result<Concentrated, AccountError> {
    let rho = mu.square().checked_div(&Rational::from(2_u8))?;
    Ok(Concentrated { rho, delta: Rational::ZERO })
}

fn price(leaf: &Leaf, under: Neighbours) -> Result<Concentrated, AccountError> {
    let plain = |rho: Rational| Concentrated { rho, delta: Rational::ZERO };
    let without_noise = || no_price("noise of size 0", NAME, "add noise");
    match leaf {
        Leaf::Gaussian { sigma, sensitivity } | Leaf::DiscreteGaussian { sigma, sensitivity } => {
            half_square(&ratio(sensitivity, sigma, under)?.ok_or_else(without_noise)?)
        }
        Leaf::Gdp { mu } => half_square(not_negative("mu", mu)?),
        // ξ <= ξa for every order a > 1.
        Leaf::Zcdp { rho, xi } => Ok(plain(not_negative("rho", rho)? + not_negative("xi", xi)?)),
        Leaf::TruncatedGaussian { sigma, bound, sensitivity } => {
            let mu = ratio(sensitivity, sigma, under)?.ok_or_else(without_noise)?;
            let pair = truncated_gaussian(&shift(sensitivity, under)?, sigma, bound)?;
            // On the overlap both laws are tilts of one law that is log-concave at least as strongly
            // as the normal one; its variance under every tilt is at most σ² (Brascamp-Lieb), so
            // the divergence at order a is at most that of the untruncated noise.
            let (tilt, pure) = (half_square(&mu)?, of_pair(pair)?);
            Ok(Concentrated { rho: tilt.rho.min(pure.rho), delta: pure.delta })
        }
        Leaf::Exponential { epsilon } => {
            let range =
                not_negative("epsilon", epsilon)?.square().checked_div(&Rational::from(8_u8))?;
            let pure = of_pair(of_leaf(leaf, under)?)?;
            Ok(plain(range.min(pure.rho)))
        }
        Leaf::InfinitelyDivisible { s2, jumps } => {
            if jumps.iter().any(|(a, b)| a != b) {
                return Err(no_price("a poisson part", NAME, HINT));
            }
            Ok(plain(not_negative("s2", s2)?.checked_div(&Rational::from(2_u8))?))
        }
        Leaf::Poisson { mu1, mu2 } => {
            if mu1 != mu2 {
                return Err(no_price("a poisson count", NAME, HINT));
            }
            Ok(plain(Rational::ZERO))
        }
        Leaf::Renyi { table: _ } => Err(no_price("a bound at some orders", NAME, HINT)),
        Leaf::Quantised { inner, cuts: _ } => price(inner, under),
        Leaf::Laplace { .. }
        | Leaf::DiscreteLaplace { .. }
        | Leaf::Staircase { .. }
        | Leaf::Uniform { .. }
        | Leaf::TruncatedLaplace { .. }
        | Leaf::RandomisedResponse { .. }
        | Leaf::KaryResponse { .. }
        | Leaf::ApproxDp { .. }
        | Leaf::Pure { .. }
        | Leaf::TotalVariation { .. }
        | Leaf::PermuteAndFlip { .. }
        | Leaf::NoisyMax { .. }
        | Leaf::Tradeoff { .. }
        | Leaf::Profile { .. }
        | Leaf::Discrete { .. }
        | Leaf::NonPrivate => of_pair(of_leaf(leaf, under)?),
    }
}

fn of_leaf(leaf: &Leaf, under: Neighbours) -> Result<Approximate, AccountError> {
    approximate(&MechanismSpec::Leaf(leaf.clone()), under)
}
