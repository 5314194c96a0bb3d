//! Bounds that nobody declared, bought with a share of the budget.

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Grid, L1, L2, Mechanism, MechanismError, Noise, Run, Sensitivity};
use throng_numeric::Rational;

use crate::data::check_columns;
use crate::math::count;
use crate::{Interval, LearnError, Learner, Matrix, Privacy, contribution};

/// Magnitudes of each sign, doubling from the resolution on.
const MAGNITUDES: usize = 60;
/// Bins of a column: 0 is in the middle.
const BINS: usize = 2 * MAGNITUDES + 1;

/// How bounds are looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuyBoundsOptions {
    /// The smallest magnitude that is told from 0; the largest is 2^60 times as large.
    pub resolution: f64,
    /// The chance that an end of any bounds is beyond all records.
    pub beta: f64,
}

impl Default for BuyBoundsOptions {
    fn default() -> Self {
        Self { resolution: 1.0 / 1024.0, beta: 1e-3 }
    }
}

/// Bounds of every column, found privately: the outermost powers of two between which many records lie.
///
/// # What is released
/// For each column the histogram of its records over public bins: 0, and for each sign [r, 2r), [2r, 4r),
/// ... for the resolution r, what is beyond in the outermost; with noise on each count. NaN is in
/// no bin. Bounds are the outer ends of the outermost bins whose count is above a threshold that an empty
/// bin passes with a chance of at most beta for all bins and columns together.
///
/// # Guarantee
/// A record is in at most one bin of each of d columns: it adds a vector of L1 norm d and L2 norm √d,
/// of zeros and ones; replaced, it moves 2d cells by one. Noise is made for that.
///
/// ```
/// use throng_learn::bounds::{BuyBounds, BuyBoundsOptions};
/// use throng_learn::{Learner, Matrix, Privacy};
/// # use throng_mechanism::{Budget, Mechanism, Sensitive};
/// # use throng_sample::OsEntropy;
/// let options = BuyBoundsOptions { beta: 1e-12, ..BuyBoundsOptions::default() };
/// let learner = BuyBounds::new(1, &Privacy::pure(0.125)?, options)?;
/// let ages = Matrix::new(5000, 1, (0..5000).map(|i| f64::from(18 + i % 70)).collect())?;
/// let mut budget = Budget::pure("0.125".parse()?, learner.neighbours())?;
/// let found = learner.fit(&Sensitive::new(ages), &mut budget, &mut OsEntropy)?;
/// let ages = found.value()[0].expect("five thousand records show");
/// assert_eq!((ages.lower(), ages.upper()), (16.0, 128.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BuyBounds {
    columns: usize,
    resolution: f64,
    noise: Noise,
    threshold: i64,
}

impl BuyBounds {
    /// For so many columns.
    ///
    /// # Errors
    /// If there are none or more than 65536, an option is out of range, or nothing reaches the target.
    pub fn new(
        columns: usize,
        privacy: &Privacy,
        BuyBoundsOptions { resolution, beta }: BuyBoundsOptions,
    ) -> Result<Self, LearnError> {
        if !(1..=1 << 16).contains(&columns) {
            return Err(LearnError::invalid("the number of columns", columns, "from 1 to 65536"));
        }
        if !(1e-100..=1e100).contains(&resolution) {
            return Err(LearnError::invalid("the resolution", resolution, "in [1e-100, 1e100]"));
        }
        if !(beta > 0.0 && beta < 1.0) {
            return Err(LearnError::invalid("beta", beta, "above 0 and below 1"));
        }
        let noise = noise(columns, privacy)?;
        privacy.certify(noise.spec())?;
        // The law is symmetric, so a bin passes with half the chance of both tails.
        let most = noise.law().half_width((2.0 * beta / count(columns * BINS)).min(0.5))?;
        let threshold = i64::try_from(most).map_err(|_| {
            LearnError::invalid("the noise", noise.spec(), "smaller, for any bin to show")
        })?;
        Ok(Self { columns, resolution, noise, threshold })
    }

    /// The counts of the bins, column by column.
    fn counts(&self, table: &Matrix<f64>) -> Vec<i64> {
        let mut counts = vec![0_i64; self.columns * BINS];
        for row in table.iter() {
            for (bins, x) in counts.chunks_exact_mut(BINS).zip(row) {
                if let Some(count) = bin(*x, self.resolution).and_then(|bin| bins.get_mut(bin)) {
                    *count += 1;
                }
            }
        }
        counts
    }

    /// From the first to the last bin that shows.
    fn shown(&self, bins: &[i64]) -> Option<Interval> {
        let shows = |count: &i64| *count > self.threshold;
        let (first, last) = (bins.iter().position(shows)?, bins.iter().rposition(shows)?);
        let (lower, _) = ends(first, self.resolution);
        let (_, upper) = ends(last, self.resolution);
        Interval::new(lower, upper).ok()
    }
}

fn noise(columns: usize, privacy: &Privacy) -> Result<Noise, LearnError> {
    let under = privacy.neighbours();
    let times = contribution::times(under);
    let d = Rational::from(u64::try_from(columns).unwrap_or(u64::MAX));
    match privacy.epsilon_if_pure()? {
        Some(epsilon) => {
            let distance = Sensitivity::<L1>::of(d * Rational::from(times), under)?;
            Ok(Noise::pure(&epsilon, &distance, Grid::WHOLE)?)
        }
        None => {
            // Every cell changes by 1 at most: d of them, or 2d if one bin of each column loses the
            // record and another gains it.
            let distance = Sensitivity::<L2>::of_square(&(d * Rational::from(times)), under)?;
            privacy.gaussian()?.noise((1, 1), distance.distance(), Grid::new(-4)?)
        }
    }
}

/// The bin of a number; none for NaN.
fn bin(x: f64, resolution: f64) -> Option<usize> {
    if x.is_nan() {
        return None;
    }
    let size = x.abs() / resolution;
    // The exponent of a number that is at least 1, plus 1; 0 below 1. Infinity has the largest.
    let doublings =
        if size < 1.0 { 0 } else { ((size.to_bits() >> 52) & 0x7ff).saturating_sub(1022) };
    let doublings = usize::try_from(doublings).unwrap_or(MAGNITUDES).min(MAGNITUDES);
    Some(if x < 0.0 { MAGNITUDES - doublings } else { MAGNITUDES + doublings })
}

/// Where the numbers of a bin lie.
fn ends(bin: usize, resolution: f64) -> (f64, f64) {
    let doublings = bin.abs_diff(MAGNITUDES);
    let power = |k: usize| (0..k).fold(resolution, |x, _| 2.0 * x);
    match doublings {
        0 => (-resolution, resolution),
        k if bin < MAGNITUDES => (-power(k), -power(k - 1)),
        k => (power(k - 1), power(k)),
    }
}

impl Mechanism for BuyBounds {
    type Input = Matrix<f64>;
    /// The bounds of each column; none where no bin shows, which is a noisy outcome like any other.
    type Output = Vec<Option<Interval>>;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Matrix<f64>,
        run: &mut Run<'_>,
    ) -> Result<Self::Output, MechanismError> {
        let mut counts = self.counts(input);
        // On a finer grid than the counts, so that the noise is described as normal at any size.
        let fine = self.noise.grid().in_steps(&Rational::ONE).floor();
        let fine = i64::try_from(fine).unwrap_or(1);
        for count in &mut counts {
            *count = count.saturating_mul(fine);
        }
        self.noise.add(&mut counts, run)?;
        Ok(counts.chunks_exact(BINS).map(|bins| self.shown(bins)).collect())
    }
}

impl Learner for BuyBounds {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check_columns(input.columns(), self.columns)
    }
}

#[cfg(test)]
mod tests {
    use throng_mechanism::{Budget, Sensitive};
    use throng_sample::SeededEntropy;

    use super::*;

    #[test]
    fn every_number_is_between_the_ends_of_its_bin() {
        for x in [0.0, 1e-9, 0.001, 1.0, 1.5, 2.0, 1e6, -3.0, -0.25, -1e-5] {
            let (lower, upper) = ends(bin(x, 1.0 / 1024.0).unwrap(), 1.0 / 1024.0);
            assert!(lower <= x && x <= upper, "{x}: {lower} {upper}");
        }
        assert_eq!(bin(f64::NAN, 1.0), None);
        assert_eq!(bin(f64::INFINITY, 1.0), Some(BINS - 1));
        assert_eq!(bin(f64::NEG_INFINITY, 1.0), Some(0));
        assert_eq!(bin(1e300, 1.0), Some(BINS - 1));
    }

    #[test]
    fn bounds_are_found_and_the_target_is_kept() {
        let rows = 4000;
        let values = (0..rows).flat_map(|i| [f64::from(i % 90), -50.0, f64::NAN]).collect();
        let table = Matrix::new(4000, 3, values).unwrap();
        for privacy in [Privacy::pure(0.5).unwrap(), Privacy::approximate(0.5, 1e-6).unwrap()] {
            let learner = BuyBounds::new(3, &privacy, BuyBoundsOptions::default()).unwrap();
            privacy.certify(&learner.spec()).unwrap();
            let price = throng_account::filter::Budget::Zcdp {
                rho: Rational::from(10),
                delta: Rational::ZERO,
            };
            let mut budget = Budget::of(price, Neighbours::AddRemove).unwrap();
            let data = Sensitive::new(table.clone());
            let found = learner.fit(&data, &mut budget, &mut SeededEntropy::new(1)).unwrap();
            let [first, second, third] = found.value()[..] else { panic!("three columns") };
            let first = first.unwrap();
            assert!(first.lower() <= 2.0 && first.upper() == 128.0, "{first:?}");
            assert_eq!(second.unwrap(), Interval::new(-64.0, -32.0).unwrap());
            assert_eq!(third, None);
        }
    }

    #[test]
    fn one_record_moves_the_counts_no_further_than_declared() {
        let learner =
            BuyBounds::new(2, &Privacy::pure(1.0).unwrap(), BuyBoundsOptions::default()).unwrap();
        let odd = [f64::NAN, f64::INFINITY, -0.0, 1e308, -1e-308, 7.0];
        for a in odd {
            for b in odd {
                let with = learner.counts(&Matrix::from_rows(&[[1.0, 2.0], [a, b]]));
                let without = learner.counts(&Matrix::from_rows(&[[1.0, 2.0]]));
                let moved: i64 = with.iter().zip(&without).map(|(x, y)| (x - y).abs()).sum();
                assert!(moved <= 2);
            }
        }
    }

    #[test]
    fn thresholds_agree_with_the_vectors() {
        for (arguments, value) in crate::vectors::rows("bound_threshold") {
            let privacy = Privacy::pure(crate::vectors::number(arguments[0])).unwrap();
            let beta = crate::vectors::number(arguments[2]);
            let options = BuyBoundsOptions { beta, ..BuyBoundsOptions::default() };
            let learner = BuyBounds::new(arguments[1].parse().unwrap(), &privacy, options).unwrap();
            // Scales are rounded up a little, and chances down.
            let found = crate::math::number(learner.threshold);
            assert!(found >= value && found <= value + 1.0, "{found} {value}");
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        let privacy = Privacy::pure(1.0).unwrap();
        let with = |resolution, beta| BuyBoundsOptions { resolution, beta };
        assert!(BuyBounds::new(0, &privacy, BuyBoundsOptions::default()).is_err());
        for options in [with(0.0, 0.1), with(f64::NAN, 0.1), with(1.0, 0.0), with(1.0, 1.0)] {
            assert!(BuyBounds::new(1, &privacy, options).is_err());
        }
    }
}
