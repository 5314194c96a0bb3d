//! The cost in (epsilon, delta), for mechanisms that come with such a pair.

use throng_numeric::{Enclosure, Rational};

use super::leaf::{
    ln_up, not_negative, polygon, ratio, response_pair, shift, stated_polygon, steepness,
    truncated_gaussian_leak, truncated_laplace_leak,
};
use super::pure::amplified;
use super::{Currency, chance, fold, larger, multiple, no_price};
use crate::conversion::arithmetic::{half, rational_up};
use crate::conversion::duality::Polygon;
use crate::conversion::zcdp::Zcdp;
use crate::conversion::{divergence, gaussian, group, renyi, zcdp};
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

/// An (epsilon, delta) guarantee, both rounded up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approximate {
    /// At least the loss.
    pub epsilon: Rational,
    /// At least the chance of anything worse.
    pub delta: Rational,
}

/// The pair (epsilon, delta) that a mechanism comes with, under basic composition.
///
/// # Guarantee
/// The mechanism is (epsilon, delta)-private.
///
/// # Errors
/// [`AccountError::Refused`] if a leaf has a whole curve instead of a pair (Gaussian noise,
/// zCDP, Renyi, Poisson); see [`approximate_at`].
pub fn approximate(spec: &MechanismSpec, under: Neighbours) -> Result<Approximate, AccountError> {
    fold(&Pairs { share: None }, spec, under)
}

/// As [`approximate`], but a leaf with a whole curve is read at delta = `share`, once per run.
///
/// # Errors
/// As for [`approximate`], or if `share` is not above 0 and below 1.
pub fn approximate_at(
    spec: &MechanismSpec,
    under: Neighbours,
    share: f64,
) -> Result<Approximate, AccountError> {
    fold(&Pairs { share: Some(share) }, spec, under)
}

/// The pair of a sample of `inner` in which a unit left out is as good as a neighbour.
pub(super) fn amplified_pair(
    rate: &Rational,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<Approximate, AccountError> {
    Pairs { share: None }.sampled(rate, inner, under, true)
}

struct Pairs {
    share: Option<f64>,
}

const NAME: &str = "(epsilon, delta)";
const GAUSSIAN: &str = "gaussian noise";

impl Currency for Pairs {
    type Cost = Approximate;

    fn nothing(&self) -> Approximate {
        Approximate { epsilon: Rational::ZERO, delta: Rational::ZERO }
    }

    fn leaf(&self, leaf: &Leaf, under: Neighbours) -> Result<Approximate, AccountError> {
        let cost = self.price(leaf, under)?;
        Ok(Approximate { delta: cost.delta.min(Rational::ONE), epsilon: cost.epsilon })
    }

    fn both(&self, a: &Approximate, b: &Approximate) -> Approximate {
        Approximate { epsilon: &a.epsilon + &b.epsilon, delta: &a.delta + &b.delta }
    }

    fn times(&self, n: u64, cost: &Approximate) -> Approximate {
        Approximate { epsilon: multiple(n, &cost.epsilon), delta: multiple(n, &cost.delta) }
    }

    fn either(&self, a: &Approximate, b: &Approximate) -> Approximate {
        Approximate { epsilon: larger(&a.epsilon, &b.epsilon), delta: larger(&a.delta, &b.delta) }
    }

    fn mixed(&self, parts: &[(Rational, Approximate)]) -> Result<Approximate, AccountError> {
        let mut total = self.nothing();
        for (share, cost) in parts {
            total.epsilon = larger(&total.epsilon, &cost.epsilon);
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
    ) -> Result<Approximate, AccountError> {
        let cost = fold(self, inner, under)?;
        let epsilon = if hidden { amplified(rate, &cost.epsilon)? } else { cost.epsilon };
        Ok(Approximate { epsilon, delta: rate * &cost.delta })
    }

    fn group(
        &self,
        size: u64,
        inner: &MechanismSpec,
        under: Neighbours,
    ) -> Result<Approximate, AccountError> {
        let cost = fold(self, inner, under)?;
        let (epsilon, delta) =
            (Enclosure::of_rational(&cost.epsilon), Enclosure::of_rational(&cost.delta));
        let (_, delta) = group::approximate(size, epsilon, delta)?;
        Ok(Approximate { epsilon: multiple(size, &cost.epsilon), delta: rational_up(delta)? })
    }
}

fn exactly(epsilon: Rational) -> Approximate {
    Approximate { epsilon, delta: Rational::ZERO }
}

impl Pairs {
    /// Reads a curve at the share of delta, if there is one.
    fn read(
        &self,
        what: &str,
        hint: &str,
        epsilon: impl FnOnce(f64) -> Result<f64, AccountError>,
    ) -> Result<Approximate, AccountError> {
        let Some(share) = self.share else { return Err(no_price(what, NAME, hint)) };
        let epsilon = Rational::from_f64(epsilon(share)?)?;
        Ok(Approximate { epsilon, delta: Rational::from_f64(share)? })
    }

    fn gaussian(&self, mu: &Rational) -> Result<Approximate, AccountError> {
        let mu = Enclosure::of_rational(not_negative("mu", mu)?);
        if mu.upper() == 0.0 {
            return Ok(self.nothing());
        }
        self.read(GAUSSIAN, "use a zCDP or GDP budget", |delta| {
            Ok(gaussian::epsilon(delta, mu)?.upper)
        })
    }

    fn concentrated(
        &self,
        what: &str,
        hint: &str,
        bound: Zcdp,
    ) -> Result<Approximate, AccountError> {
        if bound.rho.upper() == 0.0 && bound.xi.upper() == 0.0 {
            return Ok(self.nothing());
        }
        self.read(what, hint, |delta| Ok(zcdp::epsilon(bound, delta)?.value.upper()))
    }

    fn price(&self, leaf: &Leaf, under: Neighbours) -> Result<Approximate, AccountError> {
        let without_noise = || no_price("noise of size 0", NAME, "add noise");
        match leaf {
            Leaf::Gaussian { sigma, sensitivity } => {
                self.gaussian(&ratio(sensitivity, sigma, under)?.ok_or_else(without_noise)?)
            }
            Leaf::DiscreteGaussian { sigma, sensitivity } => {
                let ratio = ratio(sensitivity, sigma, under)?.ok_or_else(without_noise)?;
                let rho = Enclosure::of_rational(&ratio.square()) * half();
                let bound = Zcdp { rho, xi: Enclosure::ZERO };
                self.concentrated(GAUSSIAN, "use a zCDP or GDP budget", bound)
            }
            Leaf::Gdp { mu } => self.gaussian(mu),
            Leaf::Zcdp { rho, xi } => {
                let (rho, xi) = (not_negative("rho", rho)?, not_negative("xi", xi)?);
                let bound =
                    Zcdp { rho: Enclosure::of_rational(rho), xi: Enclosure::of_rational(xi) };
                self.concentrated("a bound on divergences", "use a zCDP or Renyi budget", bound)
            }
            Leaf::Renyi { table } => {
                let read = |(a, d): &(Rational, Rational)| {
                    (Enclosure::of_rational(a), Enclosure::of_rational(d))
                };
                let table: Vec<_> = table.iter().map(read).collect();
                self.read("a bound on divergences", "use a Renyi budget", |delta| {
                    Ok(renyi::epsilon_of_table(&table, delta)?.value.upper())
                })
            }
            Leaf::Poisson { mu1, mu2 } => {
                self.events(&Rational::ZERO, &[(mu1.clone(), mu2.clone())])
            }
            Leaf::InfinitelyDivisible { s2, jumps } => self.events(s2, jumps),
            Leaf::Uniform { width, sensitivity } => {
                let delta = ratio(sensitivity, width, under)?.ok_or_else(without_noise)?;
                Ok(Approximate { epsilon: Rational::ZERO, delta })
            }
            Leaf::TruncatedLaplace { scale, bound, sensitivity } => {
                let epsilon = ratio(sensitivity, scale, under)?.ok_or_else(without_noise)?;
                let leak = truncated_laplace_leak(&shift(sensitivity, under)?, scale, bound)?;
                Ok(Approximate { epsilon, delta: rational_up(leak)? })
            }
            Leaf::TruncatedGaussian { sigma, bound, sensitivity } => {
                ratio(sensitivity, sigma, under)?.ok_or_else(without_noise)?;
                let shift = shift(sensitivity, under)?;
                truncated_gaussian(&shift, sigma, bound)
            }
            Leaf::ApproxDp { epsilon, delta } => Ok(Approximate {
                epsilon: not_negative("epsilon", epsilon)?.clone(),
                delta: chance("delta", delta)?.clone(),
            }),
            Leaf::TotalVariation { delta } => {
                Ok(Approximate { epsilon: Rational::ZERO, delta: chance("delta", delta)?.clone() })
            }
            Leaf::RandomisedResponse { p, q } => {
                let (p, q) = response_pair(p, q)?;
                of_polygon(&polygon(&p, &q)?)
            }
            Leaf::Discrete { p, q } => of_polygon(&polygon(p, q)?),
            Leaf::Tradeoff { knots } => of_polygon(&stated_polygon(knots)?),
            Leaf::Profile { knots } => least_leak(knots),
            Leaf::Laplace { .. }
            | Leaf::DiscreteLaplace { .. }
            | Leaf::Staircase { .. }
            | Leaf::KaryResponse { .. }
            | Leaf::Pure { .. }
            | Leaf::Exponential { .. }
            | Leaf::PermuteAndFlip { .. }
            | Leaf::NoisyMax { .. }
            | Leaf::NonPrivate => {
                Ok(exactly(super::pure(&MechanismSpec::Leaf(leaf.clone()), under)?))
            }
            Leaf::Quantised { inner, cuts: _ } => self.price(inner, under),
        }
    }

    /// A Gaussian part and event streams, in the worse direction.
    fn events(
        &self,
        s2: &Rational,
        jumps: &[(Rational, Rational)],
    ) -> Result<Approximate, AccountError> {
        if s2.is_zero() && jumps.iter().all(|(a, b)| a == b) {
            return Ok(self.nothing());
        }
        let swapped: Vec<_> = jumps.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
        self.read("a poisson count", "use a Renyi budget", |delta| {
            let curve = |a| {
                let forward = divergence::infinitely_divisible(a, s2, jumps)?;
                Ok(forward.max(divergence::infinitely_divisible(a, s2, &swapped)?))
            };
            Ok(renyi::epsilon_of_curve(curve, delta)?.value.upper())
        })
    }
}

/// On the overlap of the supports the loss is largest at its edge: Δ(2B - Δ)/(2σ²).
pub(super) fn truncated_gaussian(
    shift: &Rational,
    sigma: &Rational,
    bound: &Rational,
) -> Result<Approximate, AccountError> {
    let leak = truncated_gaussian_leak(shift, sigma, bound)?;
    let edge = shift * &(&(bound + bound) - shift);
    let variance = multiple(2, &sigma.square());
    let epsilon = if shift.is_zero() {
        Rational::ZERO
    } else {
        edge.checked_div(&variance)?.max(Rational::ZERO)
    };
    Ok(Approximate { epsilon, delta: rational_up(leak)? })
}

fn of_polygon(polygon: &Polygon) -> Result<Approximate, AccountError> {
    let steep = steepness(polygon)?;
    Ok(Approximate { epsilon: ln_up(&steep.ratio)?, delta: steep.leak })
}

/// The knot of the smallest delta, and among those the smallest epsilon.
fn least_leak(knots: &[(Rational, Rational)]) -> Result<Approximate, AccountError> {
    let least = knots.iter().min_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
    let (epsilon, delta) =
        least.ok_or_else(|| AccountError::invalid("the profile", "empty", "not empty"))?;
    let epsilon = epsilon.clone().max(Rational::ZERO);
    Ok(Approximate { epsilon, delta: chance("delta", delta)?.clone() })
}
