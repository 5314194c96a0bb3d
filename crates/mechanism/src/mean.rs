//! Means of clamped numbers.

use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::estimate::{Interval, Noisy, Uncovered, miss};
use crate::noise::Protection;
use crate::number::Number;
use crate::parts::{InParts, length};
use crate::{Clamp, L1, L2, Mechanism, MechanismError, Noise, Run, Sensitivity};

/// The mean of the records of a column, each clamped to public bounds; a record is a unit.
///
/// # What is released
/// *The number of records is private* (add/remove): A = Σ (x - lower) and B = Σ (upper - x), in
/// grid steps, each with noise. The mean is lower + W A/(A+B), W = upper - lower, and the number
/// of records (A+B)/W.
///
/// *It is public* (replace, zero out): A alone, over the n that is given.
///
/// # Guarantee
/// That of the noise. A record adds a to A and b to B with a, b >= 0 and a + b = W exactly,
/// so adding or removing it moves (A, B) by W in L1 and at most W in L2: both statistics for the
/// price of one. Replacing a record moves A by at most W. Zeroing one out makes it NaN (0, if
/// it is an integer), which [`Clamp`] reads as the point z of the interval nearest to 0: A moves by
/// at most max(upper - z, z - lower). If n is given and the data has another length, the result is off but
/// no less private: the length is the same for all neighbours.
///
/// # Why this pair
/// Splitting ε between a centred sum, moved by W/2, and a count needs scales W/ε and 2/ε; the mean m
/// then has variance 2(W/ε)² (1 + (2m'/W)²)/n² for m' = m - middle, and (A, B) has half
/// that for every m. For Gaussian noise all pairs (Σ(x - middle), c n) are open, moved by
/// √(W²/4 + c²); the variance is proportional to (W²/4 + c²)(1 + m'²/c²), which is least at
/// c² = W|m'|/2. For the worst mean, at an end, that is c = W/2: then the pair is (A, B) turned by
/// 45° and scaled, to which Gaussian noise is indifferent.
///
/// # Error bars
/// [`MeanEstimate::interval`] covers the mean of the clamped records with at least the stated
/// confidence. Not covered: clamping, rounding to the grid (at most half a step); and the value
/// itself, if it is a ratio, is biased.
///
/// ```
/// use throng_mechanism::{Budget, Clamp, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{mean::Mean, noise::Protection};
/// # use throng_sample::OsEntropy;
/// let bounds = Clamp::between(&0.into(), &100.into())?;
/// let pure = Protection::Pure { epsilon: 1.into() };
/// let mean = Mean::new(bounds, &pure)?;
/// let permit = Budget::pure(1.into(), Neighbours::AddRemove)?.permit(&mean)?;
/// let ages = Sensitive::new([31.5, 47.0, 12.0, 25.0]);
/// let release = mean.run(ages.as_slice(), permit, &mut OsEntropy)?;
/// println!("{} {}", release.value().value(), release.value().interval(0.9)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mean<T = f64> {
    clamp: Clamp,
    noise: Noise,
    records: Option<u64>,
    data: PhantomData<fn(T)>,
}

impl<T: Number> Mean<T> {
    /// The mean of a private number of records, under add/remove.
    ///
    /// # Errors
    /// If the bounds are equal, or the noise cannot be made.
    pub fn new(clamp: Clamp, protection: &Protection) -> Result<Self, MechanismError> {
        Self::build(clamp, protection, clamp.width(), None, Neighbours::AddRemove)
    }

    /// The mean of a public number of records, under replace or zero-out.
    ///
    /// # Errors
    /// If the relation is add/remove, under which the number of records is private; if the bounds
    /// are equal, or the noise cannot be made.
    pub fn of_public_count(
        clamp: Clamp,
        protection: &Protection,
        records: u64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let distance = match under {
            Neighbours::AddRemove => {
                return Err(MechanismError::refused(
                    "under add/remove the number of records is private",
                    "use Mean::new, which releases it too",
                ));
            }
            Neighbours::Replace => clamp.width(),
            Neighbours::ZeroOut => {
                let nothing = clamp.clamp(0);
                (clamp.upper() - nothing).max(nothing - clamp.lower())
            }
        };
        Self::build(clamp, protection, distance, Some(records), under)
    }

    fn build(
        clamp: Clamp,
        protection: &Protection,
        steps: i64,
        records: Option<u64>,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        if clamp.width() == 0 {
            return Err(MechanismError::invalid("upper - lower", 0, "above 0"));
        }
        let distance = Rational::from(steps) * clamp.grid().step();
        let l1 = Sensitivity::<L1>::of(distance.clone(), under)?;
        let l2 = Sensitivity::<L2>::of(distance, under)?;
        let noise = protection.noise(&l1, &l2, clamp.grid())?;
        Ok(Self { clamp, noise, records, data: PhantomData })
    }

    /// The noise on each released number.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }
}

impl<T: Number> Mechanism for Mean<T> {
    type Input = [T];
    type Output = MeanEstimate;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<MeanEstimate, MechanismError> {
        self.answer_in_parts(&[input], run)
    }
}

impl<T: Number> InParts for Mean<T> {
    type Record = T;

    fn answer_in_parts(
        &self,
        parts: &[&[T]],
        run: &mut Run<'_>,
    ) -> Result<MeanEstimate, MechanismError> {
        // At most 2^63 records of at most 2^61 steps: no overflow of 2^127.
        let sum: i128 = parts.iter().map(|part| T::sum(part, self.clamp)).sum();
        let count = wide(length(parts));
        let above = sum - count * i128::from(self.clamp.lower());
        let below = count * i128::from(self.clamp.upper()) - sum;
        let mut parts = vec![self.noise.added_to(above, run)?];
        if self.records.is_none() {
            parts.push(self.noise.added_to(below, run)?);
        }
        let mut uncovered = vec![Uncovered::Clamping, Uncovered::Rounding];
        if self.records.is_none() {
            uncovered.push(Uncovered::Ratio);
        }
        let parts = Noisy::new(parts, &self.noise, uncovered);
        Ok(MeanEstimate { parts, clamp: self.clamp, records: self.records })
    }
}

fn wide(length: usize) -> i128 {
    i128::try_from(length).unwrap_or(i128::MAX >> 64)
}

/// A released mean.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanEstimate {
    parts: Noisy,
    clamp: Clamp,
    records: Option<u64>,
}

impl MeanEstimate {
    /// What was released: A and B, or A alone if the number of records is public.
    #[must_use]
    pub const fn parts(&self) -> &Noisy {
        &self.parts
    }

    /// The mean, within the bounds; their middle if the number of records is not (or does not seem)
    /// above 0.
    #[must_use]
    pub fn value(&self) -> f64 {
        let (above, total) = self.share();
        let width = Rational::from(self.clamp.width());
        let share = if total.is_positive() {
            (above * width.clone()).checked_div(&total).unwrap_or(Rational::ZERO)
        } else {
            &width * &middle()
        };
        self.at(share.max(Rational::ZERO).min(width)).to_f64_nearest()
    }

    /// The number of records: given, or as released with A and B.
    #[must_use]
    pub fn records(&self) -> f64 {
        let (_, total) = self.share();
        let width = Rational::from(self.clamp.width());
        total.checked_div(&width).map_or(0.0, |count| count.to_f64_nearest())
    }

    /// An interval for the mean of the clamped records, within the bounds.
    ///
    /// # Guarantee
    /// A and B are within reach of what was released, both at once, with at least the confidence;
    /// A/(A+B) rises in A and falls in B, so its ends are at two corners. If there are no records,
    /// there is no mean to cover.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn interval(&self, confidence: f64) -> Result<Interval, MechanismError> {
        let draws = if self.records.is_some() { 1 } else { 2 };
        let law = self.parts.law();
        let half = Rational::from(law.half_width_of_all(draws, miss(confidence)?)?);
        let (low, high) = match self.records {
            Some(count) => self.over_public_count(count, &half),
            None => self.over_private_count(&half),
        };
        Ok(Interval {
            lower: self.at(low).to_f64_down(),
            upper: self.at(high).to_f64_up(),
            confidence,
        })
    }

    /// What the interval leaves out.
    #[must_use]
    pub fn uncovered(&self) -> &[Uncovered] {
        self.parts.uncovered()
    }

    fn over_public_count(&self, count: u64, half: &Rational) -> (Rational, Rational) {
        let width = Rational::from(self.clamp.width());
        let per_record = |sum: Option<Rational>, otherwise: &Rational| {
            sum.and_then(|sum| sum.checked_div(&Rational::from(count)).ok())
                .unwrap_or_else(|| otherwise.clone())
                .max(Rational::ZERO)
                .min(width.clone())
        };
        let (low, high) = self.parts.reach(0, half);
        (per_record(low, &Rational::ZERO), per_record(high, &width))
    }

    fn over_private_count(&self, half: &Rational) -> (Rational, Rational) {
        let (above, below) = (self.parts.reach(0, half), self.parts.reach(1, half));
        let width = Rational::from(self.clamp.width());
        let low = share(above.0, below.1).unwrap_or(Rational::ZERO);
        let high = share(below.0, above.1).map_or(Rational::ONE, |rest| Rational::ONE - rest);
        (&low * &width, &high * &width)
    }

    /// A and W times the number of records.
    fn share(&self) -> (Rational, Rational) {
        let part = |i: usize| Rational::from(self.parts.steps().get(i).copied().unwrap_or(0));
        let total = match self.records {
            Some(count) => Rational::from(count) * Rational::from(self.clamp.width()),
            None => part(0) + part(1),
        };
        (part(0), total)
    }

    /// lower + x, for x in steps.
    fn at(&self, x: Rational) -> Rational {
        (Rational::from(self.clamp.lower()) + x) * self.clamp.grid().step()
    }
}

/// The least a/(a+b) for a at least `a` (or 0) and b at most `b`; none if nothing is known.
fn share(a: Option<Rational>, b: Option<Rational>) -> Option<Rational> {
    let (a, b) = (a?.max(Rational::ZERO), b?.max(Rational::ZERO));
    a.checked_div(&(&a + &b)).ok()
}

fn middle() -> Rational {
    Rational::new(1, 2_u32).unwrap_or(Rational::ZERO)
}

/// A noisy sum over a noisy count: the mean from two releases that exist already, kept within
/// the bounds of the data.
///
/// [`Mean`] gets more from the same budget.
///
/// # Guarantee
/// The interval covers the quotient of the true sum and count with at least the confidence: each
/// of the two is covered with half the chance of a miss, and the quotient of two intervals with
/// a positive count has its ends at corners. The value is the middle of the bounds if the noisy count is
/// not above 0.
///
/// # Errors
/// If the confidence is not above 0 and below 1, or lower is above upper.
pub fn quotient(
    sum: &Noisy,
    count: &Noisy,
    (lower, upper): (f64, f64),
    confidence: f64,
) -> Result<(f64, Interval), MechanismError> {
    if lower > upper || lower.is_nan() || upper.is_nan() {
        return Err(MechanismError::invalid("the lower bound", lower, format!("at most {upper}")));
    }
    let each = 1.0 - miss(confidence)?.next_down() / 2.0;
    let (s, n) = (sum.interval(0, each.next_up())?, count.interval(0, each.next_up())?);
    let mut interval = Interval { lower, upper, confidence };
    if n.lower > 0.0 {
        let corner = |s: f64, n: f64| if n.is_finite() { s / n } else { 0.0 };
        let low = corner(s.lower, if s.lower > 0.0 { n.upper } else { n.lower });
        let high = corner(s.upper, if s.upper > 0.0 { n.lower } else { n.upper });
        interval.lower = low.next_down().clamp(lower, upper);
        interval.upper = high.next_up().clamp(lower, upper);
    }
    let noisy = sum.value(0) / count.value(0);
    let value = if count.value(0) > 0.0 { noisy } else { f64::midpoint(lower, upper) };
    Ok((value.clamp(lower, upper), interval))
}
