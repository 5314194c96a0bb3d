//! Staircase noise: the least noise that is purely private for one number.

use std::cmp::Ordering;

use throng_account::Leaf;
use throng_numeric::fixed::exp_neg;
use throng_numeric::{Enclosure, Integer, Natural, NumericError, Rational};
use throng_sample::{Entropy, Geometric, Uniform};

use super::{Noise, NoiseLaw, per_cell};
use crate::grid::MOST_STEPS;
use crate::replay::Distance;
use crate::{Grid, MechanismError, PerCell};

/// The law on the integers that is 1 for |k| < inner, e^-ε for the next `period` integers on either
/// side, e^-2ε for the `period` after them, and so on, over its sum.
///
/// # Guarantee
/// It is the staircase law on the line with period D = `period` and step fraction γ = (r - ½)/D,
/// r = `inner`, rounded to the nearest integer: that law is flat on |x| < γD = r - ½ and falls by
/// e^-ε at r - ½, r - ½ + D, ..., and no cell [k - ½, k + ½) crosses a fall. Rounding commutes
/// with integer shifts, so moving a number by up to D steps is post-processing of what
/// `staircase(eps=ε, gamma=γ)` describes.
///
/// # Reference
/// Q. Geng, P. Viswanath, *The optimal mechanism in differential privacy* (2014).
///
/// ```
/// use throng_mechanism::noise::Staircase;
/// use throng_mechanism::{AddNoise, Grid, Mechanism, Neighbours, Noise, PerCell};
/// let law = Staircase::of_least_variance(3.into(), 100)?;
/// let one = PerCell::of(1, 100.into(), Neighbours::AddRemove)?;
/// let mechanism = AddNoise::new(Noise::of_staircase(law, &one, Grid::WHOLE)?);
/// println!("{}", mechanism.spec());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staircase {
    epsilon: Rational,
    period: i64,
    inner: i64,
}

impl Staircase {
    /// The law for epsilon, the distance it hides, and the width of the middle.
    ///
    /// # Errors
    /// If epsilon is not above 0, or not 1 <= inner <= period <= 2^62 - 1.
    pub fn new(epsilon: Rational, period: i64, inner: i64) -> Result<Self, MechanismError> {
        super::law::positive("epsilon", &epsilon)?;
        if !(1..=MOST_STEPS).contains(&period) {
            return Err(MechanismError::invalid("the period", period, "in 1..2^62"));
        }
        if !(1..=period).contains(&inner) {
            let allowed = format!("in 1..={period}");
            return Err(MechanismError::invalid("the inner width", inner, allowed));
        }
        Ok(Self { epsilon, period, inner })
    }

    /// The law with (nearly) the least mean of |k|: γ = 1/(1 + e^(ε/2)).
    ///
    /// # Errors
    /// As for [`Staircase::new`].
    pub fn of_least_error(epsilon: Rational, period: i64) -> Result<Self, MechanismError> {
        let half = Enclosure::of_rational(&(&epsilon * &Rational::new(1, 2_u32)?));
        let gamma = Enclosure::ONE / (Enclosure::ONE + half.exp());
        Self::of_fraction(epsilon, period, gamma.lower())
    }

    /// The law with (nearly) the least variance: with b = e^-ε,
    /// γ = (-b + ((b - 2b² + 2b⁴ - b⁵)/2)^(1/3) / (1-b)) / (1-b).
    ///
    /// # Errors
    /// As for [`Staircase::new`].
    pub fn of_least_variance(epsilon: Rational, period: i64) -> Result<Self, MechanismError> {
        let b = (-Enclosure::of_rational(&epsilon)).exp().lower();
        // b - 2b² + 2b⁴ - b⁵ = b (1-b)³ (1+b).
        let rest = 1.0 - b;
        let root = (b * (1.0 + b) / 2.0).cbrt();
        // The root falls short of b by less than rounding when epsilon is tiny; then γ is near ½.
        let gamma = if rest < 1e-6 { 0.5 } else { (root - b) / rest };
        Self::of_fraction(epsilon, period, gamma)
    }

    fn of_fraction(epsilon: Rational, period: i64, gamma: f64) -> Result<Self, MechanismError> {
        // Any inner width is as private: this touches accuracy only.
        let gamma = Rational::from_f64(gamma)?;
        let middle = gamma * Rational::from(period) + Rational::new(1, 2_u32)?;
        let nearest = (middle + Rational::new(1, 2_u32)?).floor();
        let inner = i64::try_from(nearest).unwrap_or(period);
        Self::new(epsilon, period.max(1), inner.clamp(1, period.max(1)))
    }

    /// epsilon, for shifts of up to the period.
    #[must_use]
    pub const fn epsilon(&self) -> &Rational {
        &self.epsilon
    }

    /// The distance that is hidden, in steps.
    #[must_use]
    pub const fn period(&self) -> i64 {
        self.period
    }

    /// The middle is |k| < inner.
    #[must_use]
    pub const fn inner(&self) -> i64 {
        self.inner
    }

    /// The step fraction (inner - ½)/period of the law on the line.
    ///
    /// # Errors
    /// Never for a value of this type.
    pub fn gamma(&self) -> Result<Rational, MechanismError> {
        let twice = |k: i64| Rational::from(k) + Rational::from(k);
        Ok((twice(self.inner) - Rational::ONE).checked_div(&twice(self.period))?)
    }

    /// How many falls lie between 0 and k.
    #[must_use]
    pub fn level(&self, k: i64) -> u64 {
        let (size, inner) = (k.unsigned_abs(), self.inner.unsigned_abs());
        size.checked_sub(inner).map_or(0, |over| 1 + over / self.period.unsigned_abs())
    }

    /// e^-ε and 1 - e^-ε.
    fn fall(&self) -> (Enclosure, Enclosure) {
        let epsilon = -Enclosure::of_rational(&self.epsilon);
        (epsilon.exp(), -epsilon.expm1())
    }

    /// The sum of the weights, (2r - 1) + 2D b/(1-b).
    fn total(&self) -> Enclosure {
        let (b, rest) = self.fall();
        let middle = whole(self.inner) + whole(self.inner - 1);
        let period = whole(self.period);
        middle + (period + period) * b / rest
    }

    /// The chance of k.
    #[must_use]
    pub fn chance(&self, k: i64) -> Enclosure {
        let fall = Rational::from(self.level(k)) * self.epsilon.clone();
        (-Enclosure::of_rational(&fall)).exp() / self.total()
    }

    /// The variance.
    ///
    /// # Guarantee
    /// The middle has 2 Σ k² = (r-1) r (2r-1)/3. On one side the m-th stair, m = 0, 1, ..., of
    /// weight b^(m+1) has Σ k² = D (s² + s (D-1) + (D-1)(2D-1)/6) with s = r + mD, and Σ b^m,
    /// Σ m b^m, Σ m² b^m are 1/(1-b), b/(1-b)², b(1+b)/(1-b)³. All terms are positive.
    pub(super) fn variance(&self) -> Enclosure {
        let (b, rest) = self.fall();
        let (r, d) = (Rational::from(self.inner), Rational::from(self.period));
        let one = || Rational::ONE;
        let real = Enclosure::of_rational;
        let sixth = Enclosure::ONE / whole(6);
        let middle = real(&((&r - &one()) * r.clone() * (&r + &r - one()))) / whole(3);
        let squares = real(&((&d - &one()) * (&d + &d - one()))) * sixth;
        let flat = real(&(r.square() + &r * &(&d - &one()))) + squares;
        let linear = real(&(&d * &(&r + &r + d.clone() - one())));
        let sums = [Enclosure::ONE / rest, b / rest.square(), {
            b * (Enclosure::ONE + b) / (rest * rest.square())
        }];
        let side = flat * sums[0] + linear * sums[1] + real(&d.square()) * sums[2];
        (middle + (b + b) * real(&d) * side) / self.total()
    }

    /// P(|Z| >= t) for t >= 1.
    pub(super) fn beyond(&self, t: &Natural) -> Result<Enclosure, NumericError> {
        let (b, rest) = self.fall();
        let (t, inner) = (Integer::from(t.clone()), Integer::from(self.inner));
        let period = whole(self.period);
        let all = period * b / rest;
        let side = if t < inner {
            Enclosure::of_rational(&Rational::from(inner - t)) + all
        } else {
            // t = r + mD + u: the rest of a stair of weight b^(m+1), and all that follows.
            let over = Rational::from(t - inner).checked_div(&Rational::from(self.period))?;
            let stairs = Rational::from(over.floor());
            let left = (&stairs + &Rational::ONE - over) * Rational::from(self.period);
            let factor = (-Enclosure::of_rational(&(&stairs * &self.epsilon))).exp();
            factor * b * (Enclosure::of_rational(&left) + all)
        };
        Ok((side + side) / self.total())
    }

    /// The smallest w with P(|Z| > w) <= beta, up to what can be certified.
    pub(super) fn half_width(&self, beta: f64) -> Result<Natural, MechanismError> {
        let fits =
            |w: &Natural| Ok::<_, NumericError>(self.beyond(&(w + Natural::ONE))?.upper() <= beta);
        let farthest = Natural::ONE << FARTHEST;
        let mut high = Natural::ONE;
        while !fits(&high)? {
            if high > farthest {
                return Err(MechanismError::invalid("beta", beta, "not so near 0"));
            }
            high <<= 1;
        }
        let mut low = Natural::ZERO;
        while low < high {
            let middle: Natural = (&low + &high) >> 1;
            if fits(&middle)? { high = middle } else { low = middle + Natural::ONE }
        }
        Ok(high)
    }

    /// One draw, saturated at ±(2^63 - 1).
    ///
    /// # Guarantee
    /// Exactly this law: the middle is chosen with its exact chance, and is uniform; else the
    /// number of stairs below, the place on the stair and the side are independent, geometric and
    /// uniform. The time depends on the value drawn.
    ///
    /// # Errors
    /// If no noise can be drawn.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<i64, MechanismError> {
        if self.is_middle(entropy)? {
            let place = Uniform::below(2 * self.inner.unsigned_abs() - 1)?.draw(entropy)?;
            let shifted = Integer::from(place) - Integer::from(self.inner - 1);
            return Ok(i64::try_from(shifted).unwrap_or(0));
        }
        let stairs = Geometric::new(&Rational::ONE.checked_div(&self.epsilon)?)?.draw(entropy)?;
        let place = Uniform::below(2 * self.period.unsigned_abs())?.draw(entropy)?;
        let (side, place) = (&place & Natural::ONE, place >> 1);
        let period = Natural::from(self.period.unsigned_abs());
        let size = Natural::from(self.inner.unsigned_abs()) + stairs * period + place;
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        Ok(if side == Natural::ONE { -size } else { size })
    }

    /// A coin of chance m(1-b)/(m(1-b) + 2D b), m = 2r - 1: a uniform number is read to as many bits
    /// as it takes to tell it from the chance, which is enclosed as finely.
    fn is_middle(&self, entropy: &mut dyn Entropy) -> Result<bool, MechanismError> {
        let word = Uniform::below(Natural::ONE << WORD)?;
        let mut drawn = Natural::ZERO;
        for words in 1_usize.. {
            let bits = words * WORD;
            drawn = (drawn << WORD) + word.draw(entropy)?;
            let fall = exp_neg(&self.epsilon, bits)?;
            let unit = Natural::ONE << bits;
            // The uniform number lies in [drawn, drawn + 1) units; the chance falls in b.
            let above = self.compare(&drawn, &fall.lower, &unit);
            let below = self.compare(&(&drawn + Natural::ONE), &fall.upper, &unit);
            if above != Ordering::Less {
                return Ok(false);
            }
            if below != Ordering::Greater {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// x against the chance of the middle if e^-ε were b, both in units.
    fn compare(&self, x: &Natural, b: &Natural, unit: &Natural) -> Ordering {
        // e^-ε < 1, though a bound on it may not know.
        let b = b.min(unit);
        let middle = Natural::from(2 * self.inner.unsigned_abs() - 1) * (unit - b);
        let sides = Natural::from(2 * self.period.unsigned_abs()) * b;
        (x * (&middle + sides)).cmp(&(middle * unit))
    }
}

impl Noise {
    /// Staircase noise that is epsilon-private for each cell: of all such noise on one number it
    /// has (nearly) the least mean absolute error.
    ///
    /// # Errors
    /// If epsilon is not above 0 or the distance is beyond the grid.
    pub fn staircase(
        epsilon: &Rational,
        sensitivity: &PerCell,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let period = grid.whole_steps(sensitivity.distance())?.max(1);
        Self::of_staircase(Staircase::of_least_error(epsilon.clone(), period)?, sensitivity, grid)
    }

    /// Staircase noise of a given law.
    ///
    /// # Errors
    /// If the distance is beyond the period of the law.
    pub fn of_staircase(
        law: Staircase,
        sensitivity: &PerCell,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let steps = grid.whole_steps(sensitivity.distance())?;
        if steps > law.period() {
            let allowed = format!("at most the period, {}", law.period());
            return Err(MechanismError::invalid("the distance in steps", steps, allowed));
        }
        let leaf = Leaf::Staircase { epsilon: law.epsilon().clone(), gamma: law.gamma()? };
        let spec = per_cell(sensitivity.cells(), leaf)?;
        let (law, under) = (NoiseLaw::Staircase(law), sensitivity.neighbours());
        Ok(Self::described(law, grid, spec, under, Distance::per_cell(sensitivity, steps)))
    }
}

const WORD: usize = 64;

/// In bits: no tail above the smallest number lies further out.
const FARTHEST: usize = 1 << 13;

fn whole(k: i64) -> Enclosure {
    Enclosure::of_rational(&Rational::from(k))
}
