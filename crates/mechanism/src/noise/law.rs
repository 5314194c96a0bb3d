//! Laws of noise on the integers: how large it gets.

use throng_numeric::{Enclosure, Integer, Natural, NumericError, Rational, normal};

use super::sampler::Sampler;
use super::staircase::Staircase;
use crate::MechanismError;

/// A symmetric law on the integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoiseLaw {
    /// P(k) proportional to e^(-|k|/scale).
    DiscreteLaplace {
        /// The scale, above 0.
        scale: Rational,
    },
    /// P(k) proportional to e^(-k^2/(2 sigma^2)).
    DiscreteGaussian {
        /// sigma, above 0.
        sigma: Rational,
    },
    /// Flat in the middle, then stairs.
    Staircase(Staircase),
}

impl NoiseLaw {
    /// Discrete Laplace noise.
    ///
    /// # Errors
    /// If the scale is not above 0.
    pub fn laplace(scale: Rational) -> Result<Self, MechanismError> {
        positive("the scale", &scale)?;
        Ok(Self::DiscreteLaplace { scale })
    }

    /// Discrete Gaussian noise.
    ///
    /// # Errors
    /// If sigma is not above 0.
    pub fn gaussian(sigma: Rational) -> Result<Self, MechanismError> {
        positive("sigma", &sigma)?;
        Ok(Self::DiscreteGaussian { sigma })
    }

    /// A sampler of exactly this law.
    ///
    /// # Errors
    /// As for the samplers.
    pub fn sampler(&self) -> Result<Sampler, MechanismError> {
        Sampler::of(self)
    }

    /// ln P(k) up to a constant, as an ordinary number: for inference from released values.
    #[must_use]
    pub fn ln_weight(&self, k: i64) -> f64 {
        let size = Rational::from(k.unsigned_abs());
        let exponent = match self {
            Self::DiscreteLaplace { scale } => size.checked_div(scale),
            Self::DiscreteGaussian { sigma } => {
                size.square().checked_div(&(sigma.square() + sigma.square()))
            }
            Self::Staircase(law) => Ok(Rational::from(law.level(k)) * law.epsilon().clone()),
        };
        -exponent.map_or(0.0, |x| x.to_f64_nearest())
    }

    /// The variance.
    ///
    /// # Guarantee
    /// Laplace: 2r/(1-r)² with r = e^(-1/scale). Gaussian: never above σ²; by Poisson summation
    /// Var = σ² (1 - 4π²σ² Σ j² q_j / Σ q_j) over all integers j with q_j = e^(-2π²σ²j²), which for
    /// σ >= 2 differs from σ² by less than 1e-30 of it; below that the sum is taken.
    ///
    /// # Errors
    /// Only if the parameter is beyond all numbers.
    pub fn variance(&self) -> Result<Enclosure, NumericError> {
        match self {
            Self::DiscreteLaplace { scale } => {
                let inverse = Enclosure::of_rational(&Rational::ONE.checked_div(scale)?);
                let fall = (-inverse).exp();
                let rest = -(-inverse).expm1();
                Ok((fall + fall) / rest.square())
            }
            Self::DiscreteGaussian { sigma } => match small_gaussian(sigma) {
                Some(weights) => Ok(weights.variance()),
                None => {
                    let square = Enclosure::of_rational(&sigma.square());
                    let low = Enclosure::new(1.0 - f64::EPSILON, 1.0)?;
                    Ok(square * low)
                }
            },
            Self::Staircase(law) => Ok(law.variance()),
        }
    }

    /// The chances of 0, ±1, ..., ±reach.
    ///
    /// # Guarantee
    /// Laplace: r^k (1-r)/(1+r) with r = e^(-1/scale). Gaussian: weights e^(-k²/(2σ²)) over their
    /// sum, which is taken up to 12σ or more. From there on every weight is at most r times the one
    /// before, r = e^(-K/σ²) at the last K, so the rest on one side is at most w r/(1-r).
    ///
    /// # Errors
    /// If the parameter is beyond all numbers, or a sum over 12σ terms is too long.
    pub fn chances(&self, reach: u32) -> Result<Vec<Enclosure>, NumericError> {
        match self {
            Self::DiscreteLaplace { scale } => {
                let inverse = Enclosure::of_rational(&Rational::ONE.checked_div(scale)?);
                let fall = (-inverse).exp();
                let middle = -(-inverse).expm1() / (Enclosure::ONE + fall);
                let size = |k: u32| Enclosure::of_rational(&Rational::from(k));
                Ok((0..=reach).map(|k| middle * (-(inverse * size(k))).exp()).collect())
            }
            Self::DiscreteGaussian { sigma } => gaussian_chances(sigma, reach),
            Self::Staircase(law) => Ok((0..=reach).map(|k| law.chance(i64::from(k))).collect()),
        }
    }

    /// P(|Z| >= t).
    ///
    /// # Guarantee
    /// Laplace: 2r^t/(1+r) for t >= 1. Gaussian of σ >= 2: the chance S_t of Z >= t obeys
    /// Φ(-κ(t-½)/σ) <= S_t <= Φ(-(t-½)/σ) with κ = 1 + 1/(4σ²)
    /// (`throng_account::conversion::grid` has the proof); below that the sum is taken.
    ///
    /// # Errors
    /// Only if the parameter is beyond all numbers.
    pub fn beyond(&self, t: &Natural) -> Result<Enclosure, NumericError> {
        if *t == Natural::ZERO {
            return Ok(Enclosure::ONE);
        }
        match self {
            Self::DiscreteLaplace { scale } => {
                let steps = Rational::from(t.clone()).checked_div(scale)?;
                let fall = (-Enclosure::of_rational(&Rational::ONE.checked_div(scale)?)).exp();
                let tail = (-Enclosure::of_rational(&steps)).exp();
                Ok((tail + tail) / (Enclosure::ONE + fall))
            }
            Self::DiscreteGaussian { sigma } => match small_gaussian(sigma) {
                Some(weights) => Ok(weights.beyond(t)),
                None => gaussian_beyond(sigma, t),
            },
            Self::Staircase(law) => law.beyond(t),
        }
    }

    /// A w such that |Z| <= w with a chance of at least 1 - beta; the smallest or the next.
    ///
    /// # Errors
    /// If beta is not above 0 and below 1.
    pub fn half_width(&self, beta: f64) -> Result<Natural, MechanismError> {
        if !(beta > 0.0 && beta < 1.0) {
            return Err(MechanismError::invalid("beta", beta, "above 0 and below 1"));
        }
        let beta = Enclosure::point(beta)?;
        match self {
            Self::DiscreteLaplace { scale } => {
                let fall = (-Enclosure::of_rational(&Rational::ONE.checked_div(scale)?)).exp();
                let odds = (Enclosure::ONE + Enclosure::ONE) / ((Enclosure::ONE + fall) * beta);
                let steps = Enclosure::of_rational(scale) * odds.ln()?;
                below(steps.upper())
            }
            Self::DiscreteGaussian { sigma } => {
                if let Some(weights) = small_gaussian(sigma) {
                    return Ok(weights.half_width(beta.lower()));
                }
                let half = Enclosure::new(0.5, 0.5)?;
                let quantile = -normal::quantile(beta * half)?;
                let steps = Enclosure::of_rational(sigma) * quantile + half;
                below(steps.upper())
            }
            Self::Staircase(law) => law.half_width(beta.lower()),
        }
    }

    /// A w such that all of `count` independent draws are within ±w with a chance of at least
    /// 1 - beta.
    ///
    /// # Guarantee
    /// Exact up to rounding: each draw gets 1 - (1-beta)^(1/count), which is at least beta/count.
    ///
    /// # Errors
    /// If beta is not above 0 and below 1, or the count is 0.
    pub fn half_width_of_all(&self, count: u64, beta: f64) -> Result<Natural, MechanismError> {
        if count == 0 {
            return Err(MechanismError::invalid("the number of draws", count, "at least 1"));
        }
        if !(beta > 0.0 && beta < 1.0) {
            return Err(MechanismError::invalid("beta", beta, "above 0 and below 1"));
        }
        let log = (-Enclosure::point(beta)?).ln_1p()?;
        let each = -(log / Enclosure::of_rational(&Rational::from(count))).expm1();
        self.half_width(each.lower())
    }
}

/// max(ceil(x), 1) - 1: the largest w that is still below x.
fn below(x: f64) -> Result<Natural, MechanismError> {
    let up = Rational::from_f64(x)?.ceil().max(Integer::ONE);
    Ok(Natural::try_from(up - Integer::ONE).unwrap_or(Natural::ZERO))
}

fn gaussian_beyond(sigma: &Rational, t: &Natural) -> Result<Enclosure, NumericError> {
    let place = Rational::from(t.clone()) - Rational::new(1, 2_u32)?;
    let place = Enclosure::of_rational(&place.checked_div(sigma)?);
    let four = Rational::from(4) * sigma.square();
    let kappa = Enclosure::ONE + Enclosure::ONE / Enclosure::of_rational(&four);
    let (most, least) = (normal::survival(place), normal::survival(place * kappa));
    Enclosure::new(2.0 * least.lower(), 2.0 * most.upper())
}

/// Up to here sums over a Gaussian law are written out.
const LONGEST: u32 = 1 << 20;

fn gaussian_chances(sigma: &Rational, reach: u32) -> Result<Vec<Enclosure>, NumericError> {
    let far = (sigma * &Rational::from(12)).ceil() + Integer::ONE;
    let far = u32::try_from(far).ok().filter(|far| *far <= LONGEST && reach <= LONGEST);
    let far = far.ok_or_else(|| NumericError::TooLarge {
        what: "the terms of a discrete Gaussian law",
        limit: LONGEST.to_string(),
    })?;
    let square = Enclosure::of_rational(&sigma.square());
    let double = square + square;
    let size = |k: u32| Enclosure::of_rational(&Rational::from(k));
    let weights: Vec<Enclosure> =
        (0..=reach.max(far)).map(|k| (-(size(k).square() / double)).exp()).collect();
    let fall = (-(size(far) / square)).exp();
    let last = weights.last().copied().unwrap_or(Enclosure::ONE);
    let rest = (last * fall / (Enclosure::ONE - fall)).hull(Enclosure::ZERO);
    let side = weights.iter().skip(1).fold(rest, |sum, w| sum + *w);
    let total = Enclosure::ONE + side + side;
    let listed = usize::try_from(reach).unwrap_or(usize::MAX).saturating_add(1);
    Ok(weights.into_iter().take(listed).map(|w| w / total).collect())
}

pub(super) fn positive(name: &str, value: &Rational) -> Result<(), MechanismError> {
    if value.is_positive() {
        return Ok(());
    }
    Err(MechanismError::invalid(name, value, "above 0"))
}

/// The chances 0, ±1, ... of a discrete Gaussian of σ < 2.
struct Weights {
    /// The chance of k, for k = 0, 1, ...
    chance: Vec<Enclosure>,
}

/// Far enough: for σ < 2 the weight of 84 is below e^(-880).
const FAR: u32 = 80;

fn small_gaussian(sigma: &Rational) -> Option<Weights> {
    if *sigma >= Rational::from(2) {
        return None;
    }
    let double = sigma.square() + sigma.square();
    let exponent = |k: u32| Rational::from(u64::from(k) * u64::from(k)).checked_div(&double);
    let weight = |k| exponent(k).map_or(Enclosure::UNIT, |x| (-Enclosure::of_rational(&x)).exp());
    let weights: Vec<_> = (0..=FAR).map(weight).collect();
    // Beyond FAR each weight is below half the one before, so all of them are below the last.
    let sides = weights.iter().skip(1).fold(Enclosure::ZERO, |sum, w| sum + *w);
    let rest = Enclosure::new(0.0, f64::MIN_POSITIVE).ok()?;
    let total = Enclosure::ONE + (sides + rest) + (sides + rest);
    Some(Weights { chance: weights.into_iter().map(|w| w / total).collect() })
}

impl Weights {
    fn beyond(&self, t: &Natural) -> Enclosure {
        let from = usize::try_from(t).unwrap_or(usize::MAX);
        let rest = Enclosure::new(0.0, f64::MIN_POSITIVE).unwrap_or(Enclosure::UNIT);
        let one = self.chance.iter().skip(from).fold(rest, |sum, p| sum + *p);
        one + one
    }

    fn half_width(&self, beta: f64) -> Natural {
        let fits = |w: &u32| self.beyond(&Natural::from(w + 1)).upper() <= beta;
        Natural::from((0..FAR).find(fits).unwrap_or(FAR))
    }

    fn variance(&self) -> Enclosure {
        let term = |(k, p): (u32, &Enclosure)| Enclosure::of_rational(&Rational::from(k * k)) * *p;
        // k² falls behind the weights: what is beyond FAR is below the smallest normal number.
        let rest = Enclosure::new(0.0, f64::MIN_POSITIVE).unwrap_or(Enclosure::UNIT);
        let one = (0..).zip(&self.chance).map(term).fold(rest, |sum, x| sum + x);
        one + one
    }
}
