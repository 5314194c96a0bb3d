//! The cost in Renyi divergence at one order fixed in advance.

use throng_numeric::{Enclosure, Rational};

use super::leaf::{not_negative, ratio, response_pair};
use super::pure::{amplified, pure};
use super::zcdp::zcdp;
use super::{Currency, fold, larger, multiple, no_price};
use crate::conversion::arithmetic::rational_up;
use crate::conversion::duality::check_pair;
use crate::conversion::{divergence, renyi as formulas};
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

/// A bound on the Renyi divergence of a mechanism at an order.
///
/// # Guarantee
/// D_order(M(x)||M(x')) is at most the result for all neighbours x, x', in both directions.
///
/// # Errors
/// [`AccountError::Refused`] if no finite bound is known at this order (anything with a leak);
/// [`AccountError::Invalid`] if the order is not above 1.
pub fn renyi(
    spec: &MechanismSpec,
    under: Neighbours,
    order: &Rational,
) -> Result<Rational, AccountError> {
    if *order <= Rational::ONE {
        return Err(AccountError::invalid("the order", order, "above 1"));
    }
    fold(&AtOrder { order }, spec, under)
}

struct AtOrder<'a> {
    order: &'a Rational,
}

const NAME: &str = "Renyi divergence";
const HINT: &str = "use a zCDP budget with a share of delta";

impl Currency for AtOrder<'_> {
    type Cost = Rational;

    fn nothing(&self) -> Rational {
        Rational::ZERO
    }

    fn leaf(&self, leaf: &Leaf, under: Neighbours) -> Result<Rational, AccountError> {
        self.price(leaf, under)
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
        let most = parts.iter().map(|(_, cost)| cost.clone()).fold(Rational::ZERO, Rational::max);
        let enclosed: Vec<_> = parts
            .iter()
            .map(|(share, cost)| (Enclosure::of_rational(share), Enclosure::of_rational(cost)))
            .collect();
        finite(formulas::mixture(self.enclosed(), &enclosed)?).map(|mean| mean.min(most))
    }

    fn sampled(
        &self,
        rate: &Rational,
        inner: &MechanismSpec,
        under: Neighbours,
        hidden: bool,
    ) -> Result<Rational, AccountError> {
        let mut least = fold(self, inner, under);
        if hidden {
            let epsilon = pure(inner, under).and_then(|e| amplified(rate, &e));
            least = smaller(least, epsilon.and_then(|e| self.of_pure(&e)));
        }
        if hidden && under != Neighbours::Replace {
            least = smaller(least, self.sampled_gaussian(rate, inner, under));
        }
        least
    }

    fn group(
        &self,
        size: u64,
        inner: &MechanismSpec,
        under: Neighbours,
    ) -> Result<Rational, AccountError> {
        let by_pure = pure(inner, under).and_then(|e| self.of_pure(&multiple(size, &e)));
        let by_zcdp = zcdp(inner, under).and_then(|cost| {
            if cost.delta.is_positive() {
                return Err(no_price("a leak", NAME, HINT));
            }
            Ok(self.order * &multiple(size, &multiple(size, &cost.rho)))
        });
        smaller(by_pure, by_zcdp)
    }
}

/// The smaller of two bounds, or the one that there is.
fn smaller(
    a: Result<Rational, AccountError>,
    b: Result<Rational, AccountError>,
) -> Result<Rational, AccountError> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(a.min(b)),
        (Ok(bound), Err(_)) | (Err(_), Ok(bound)) => Ok(bound),
        (Err(error), Err(_)) => Err(error),
    }
}

/// A finite upper bound as a rational.
fn finite(bound: Enclosure) -> Result<Rational, AccountError> {
    if bound.upper().is_finite() {
        return rational_up(bound);
    }
    Err(no_price("a mechanism that shows something with certainty", NAME, HINT))
}

impl AtOrder<'_> {
    fn enclosed(&self) -> Enclosure {
        Enclosure::of_rational(self.order)
    }

    fn of_pure(&self, epsilon: &Rational) -> Result<Rational, AccountError> {
        if epsilon.is_zero() {
            return Ok(Rational::ZERO);
        }
        let bound =
            divergence::randomised_response(self.enclosed(), Enclosure::of_rational(epsilon))?;
        Ok(finite(bound)?.min(epsilon.clone()))
    }

    fn gaussian(&self, mu: &Rational) -> Result<Rational, AccountError> {
        Ok((self.order * &mu.square()).checked_div(&Rational::from(2_u8))?)
    }

    /// The closed form for sampled Gaussian noise at whole orders.
    fn sampled_gaussian(
        &self,
        rate: &Rational,
        inner: &MechanismSpec,
        under: Neighbours,
    ) -> Result<Rational, AccountError> {
        let no_form = || no_price("this sample", NAME, HINT);
        let MechanismSpec::Leaf(Leaf::Gaussian { sigma, sensitivity }) = inner else {
            return Err(no_form());
        };
        let mu = ratio(sensitivity, sigma, under)?.ok_or_else(no_form)?;
        let whole = self.order.is_integer().then(|| u32::try_from(self.order.floor()).ok());
        let order = whole.flatten().filter(|a| *a <= 100_000).ok_or_else(no_form)?;
        finite(divergence::sampled_gaussian(order, rate, Enclosure::of_rational(&mu))?)
    }

    fn pair(&self, p: &[Rational], q: &[Rational]) -> Result<Rational, AccountError> {
        check_pair(p, q)?;
        let forward = divergence::discrete(self.enclosed(), p, q)?;
        finite(forward.max(divergence::discrete(self.enclosed(), q, p)?))
    }

    fn events(
        &self,
        s2: &Rational,
        jumps: &[(Rational, Rational)],
    ) -> Result<Rational, AccountError> {
        let swapped: Vec<_> = jumps.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
        let forward = divergence::infinitely_divisible(self.enclosed(), s2, jumps)?;
        finite(forward.max(divergence::infinitely_divisible(self.enclosed(), s2, &swapped)?))
    }

    /// (a - 1) D_a is convex in a and D_a rises in a: chords of the table and its entries at higher
    /// orders are upper bounds.
    fn table(&self, table: &[(Rational, Rational)]) -> Result<Rational, AccountError> {
        let a = self.order;
        let mut least: Option<Rational> = None;
        for (low, at_low) in table {
            let order_is_known = *low > Rational::ONE && !at_low.is_negative();
            if !order_is_known {
                let entry = format!("({low}, {at_low})");
                return Err(AccountError::invalid(
                    "an entry",
                    entry,
                    "an order above 1, at least 0",
                ));
            }
            if low >= a {
                least = Some(least_of(least, at_low.clone()));
                continue;
            }
            for (high, at_high) in table.iter().filter(|(high, _)| high > a) {
                let chord = chord(a, (low, at_low), (high, at_high))?;
                least = Some(least_of(least, chord));
            }
        }
        least.ok_or_else(|| no_price("a table without an order this high", NAME, "lower the order"))
    }

    fn price(&self, leaf: &Leaf, under: Neighbours) -> Result<Rational, AccountError> {
        let without_noise = || no_price("noise of size 0", NAME, "add noise");
        match leaf {
            Leaf::Gaussian { sigma, sensitivity }
            | Leaf::DiscreteGaussian { sigma, sensitivity } => {
                self.gaussian(&ratio(sensitivity, sigma, under)?.ok_or_else(without_noise)?)
            }
            Leaf::Gdp { mu } => self.gaussian(not_negative("mu", mu)?),
            Leaf::Zcdp { rho, xi } => {
                Ok(not_negative("xi", xi)? + &(not_negative("rho", rho)? * self.order))
            }
            Leaf::Renyi { table } => self.table(table),
            Leaf::Laplace { scale, sensitivity } => {
                let shift = ratio(sensitivity, scale, under)?.ok_or_else(without_noise)?;
                let bound = divergence::laplace(self.enclosed(), Enclosure::of_rational(&shift))?;
                Ok(finite(bound)?.min(self.of_pure(&shift)?))
            }
            Leaf::KaryResponse { k, epsilon } => {
                let epsilon = Enclosure::of_rational(not_negative("epsilon", epsilon)?);
                finite(divergence::kary_response(self.enclosed(), *k, epsilon)?)
            }
            Leaf::Exponential { epsilon } => {
                let square = not_negative("epsilon", epsilon)?.square();
                let range = (self.order * &square).checked_div(&Rational::from(8_u8))?;
                Ok(range.min(self.of_pure(epsilon)?))
            }
            Leaf::RandomisedResponse { p, q } => {
                let (p, q) = response_pair(p, q)?;
                self.pair(&p, &q)
            }
            Leaf::Discrete { p, q } => self.pair(p, q),
            Leaf::Poisson { mu1, mu2 } => {
                self.events(&Rational::ZERO, &[(mu1.clone(), mu2.clone())])
            }
            Leaf::InfinitelyDivisible { s2, jumps } => self.events(s2, jumps),
            Leaf::Quantised { inner, cuts: _ } => self.price(inner, under),
            Leaf::DiscreteLaplace { .. }
            | Leaf::Staircase { .. }
            | Leaf::Uniform { .. }
            | Leaf::TruncatedLaplace { .. }
            | Leaf::TruncatedGaussian { .. }
            | Leaf::ApproxDp { .. }
            | Leaf::Pure { .. }
            | Leaf::TotalVariation { .. }
            | Leaf::PermuteAndFlip { .. }
            | Leaf::NoisyMax { .. }
            | Leaf::Tradeoff { .. }
            | Leaf::Profile { .. }
            | Leaf::NonPrivate => match pure(&MechanismSpec::Leaf(leaf.clone()), under) {
                Ok(epsilon) => self.of_pure(&epsilon),
                Err(AccountError::Refused { .. }) => {
                    Err(no_price("a mechanism without a finite epsilon", NAME, HINT))
                }
                Err(error) => Err(error),
            },
        }
    }
}

fn least_of(least: Option<Rational>, bound: Rational) -> Rational {
    match least {
        Some(least) => least.min(bound),
        None => bound,
    }
}

/// The chord of (a - 1) D_a between two orders, divided by a - 1.
fn chord(
    a: &Rational,
    (low, at_low): (&Rational, &Rational),
    (high, at_high): (&Rational, &Rational),
) -> Result<Rational, AccountError> {
    let one = Rational::ONE;
    let left = &(&(high - a) * &(low - &one)) * at_low;
    let right = &(&(a - low) * &(high - &one)) * at_high;
    Ok((&left + &right).checked_div(&(&(high - low) * &(a - &one)))?)
}
