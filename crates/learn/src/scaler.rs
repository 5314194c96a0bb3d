//! Standardisation: columns of mean 0 and variance 1, with noise.

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};

use crate::data::check_columns;
use crate::math::{nearest, number};
use crate::pipeline::{Transform, Transformer};
use crate::{
    Bounds, Interval, LearnError, Learner, Matrix, Model, Predict, Predictions, Privacy,
    contribution,
};

/// How columns are standardised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScalerOptions {
    /// The least standard deviation, as a fraction of half the width of the bounds; from 1e-6 to 1.
    pub least: f64,
}

impl Default for ScalerOptions {
    fn default() -> Self {
        Self { least: 0.01 }
    }
}

/// One record, or half of the width of a column, in whole numbers.
const UNIT: f64 = 4096.0;

/// The same as an integer.
const ONE: u64 = 4096;

/// The smallest of the least deviations, far above what rounding makes of 0.
const LEAST: f64 = 1e-6;

/// The mean and the variance of every column, with noise.
///
/// # Guarantee
/// A record adds one unit to a count and, for each of d columns, at most one unit in size to a
/// sum and to a sum of squares, each an integer: at most 1 + 2d units in L1, of which the squares
/// sum to 1 + 2d. One release hides that.
///
/// ```
/// use throng_learn::scaler::{Scaler, ScalerOptions};
/// use throng_learn::{Bounds, Privacy};
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let learner = Scaler::new(Bounds::same(9, 0.0, 1.0)?, &privacy, ScalerOptions::default())?;
/// # drop(learner);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Scaler {
    bounds: Bounds,
    noise: Noise,
    options: ScalerOptions,
}

impl Scaler {
    /// Standardisation of columns within bounds.
    ///
    /// # Errors
    /// If the least deviation is not from 1e-6 to 1, or nothing reaches the target.
    pub fn new(
        bounds: Bounds,
        privacy: &Privacy,
        options: ScalerOptions,
    ) -> Result<Self, LearnError> {
        if !(LEAST..=1.0).contains(&options.least) {
            return Err(LearnError::invalid(
                "the least deviation",
                options.least,
                "from 1e-6 to 1",
            ));
        }
        let cells = u64::try_from(bounds.columns()).unwrap_or(u64::MAX).saturating_mul(2) + 1;
        let under = privacy.neighbours();
        let noise = match privacy.epsilon_if_pure()? {
            Some(epsilon) => contribution::laplace(&epsilon, cells.saturating_mul(ONE), under)?,
            None => {
                let square = cells.saturating_mul(ONE * ONE);
                contribution::gaussian(&privacy.gaussian()?, (1, 1), square, under)?
            }
        };
        privacy.certify(noise.spec())?;
        Ok(Self { bounds, noise, options })
    }

    /// The cells before noise: a count, then a sum and a sum of squares for each column.
    fn sums(&self, rows: &Matrix<f64>) -> Vec<i64> {
        let mut cells = vec![0_i64; 1 + 2 * self.bounds.columns()];
        let unit = nearest(UNIT);
        for row in rows.iter() {
            let Some((records, rest)) = cells.split_first_mut() else { continue };
            *records = records.saturating_add(unit);
            let columns = row.iter().zip(self.bounds.intervals());
            for ((x, interval), pair) in columns.zip(rest.chunks_exact_mut(2)) {
                let u = interval.symmetric(*x);
                for (cell, part) in pair.iter_mut().zip([u, u * u]) {
                    *cell = cell.saturating_add(nearest((part * UNIT).trunc()).clamp(-unit, unit));
                }
            }
        }
        cells
    }

    /// Mean and deviation of each column from noisy cells.
    fn model(&self, cells: &[i64]) -> ScalerModel {
        let noise = contribution::deviation(&self.noise) / UNIT;
        let value = |cell: &i64| number(*cell) / UNIT;
        let records = cells.first().map_or(1.0, value).max(noise).max(1.0);
        let (mut means, mut deviations) = (Vec::new(), Vec::new());
        let columns = cells.get(1..).unwrap_or(&[]).chunks_exact(2);
        for (pair, interval) in columns.zip(self.bounds.intervals()) {
            let sums: Vec<f64> = pair.iter().map(|cell| value(cell) / records).collect();
            let mean = sums.first().copied().unwrap_or(0.0).clamp(-1.0, 1.0);
            let square = sums.get(1).copied().unwrap_or(1.0);
            let error = noise / records;
            let least = self.options.least * self.options.least;
            let variance = (square - mean * mean + error * error).clamp(least, 1.0);
            let half = interval.width() / 2.0;
            means.push(interval.clamp(interval.middle() + mean * half));
            deviations.push((half * variance.sqrt()).max(f64::MIN_POSITIVE));
        }
        ScalerModel { bounds: self.bounds.clone(), means, deviations }
    }
}

impl Mechanism for Scaler {
    type Input = Matrix<f64>;
    type Output = ScalerModel;

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
    ) -> Result<ScalerModel, MechanismError> {
        self.check(input)?;
        let mut cells = self.sums(input);
        self.noise.add(&mut cells, run)?;
        Ok(self.model(&cells))
    }
}

impl Learner for Scaler {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check_columns(input.columns(), self.bounds.columns())
    }
}

impl Transformer for Scaler {
    fn outputs(&self) -> usize {
        self.bounds.columns()
    }
}

/// Noisy means and standard deviations; it standardises rows with them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct ScalerModel {
    bounds: Bounds,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

/// What a file says.
#[derive(Deserialize)]
struct Stored {
    bounds: Bounds,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl TryFrom<Stored> for ScalerModel {
    type Error = LearnError;

    fn try_from(stored: Stored) -> Result<Self, LearnError> {
        let Stored { bounds, means, deviations } = stored;
        let columns = bounds.columns();
        let means_within = means
            .iter()
            .zip(bounds.intervals())
            .all(|(mean, within)| (within.lower()..=within.upper()).contains(mean));
        let above = deviations.iter().all(|deviation| *deviation > 0.0 && deviation.is_finite());
        if means.len() != columns || deviations.len() != columns || !means_within || !above {
            return Err(LearnError::malformed("it has no mean and deviation for each column"));
        }
        let model = Self { bounds, means, deviations };
        model.output_bounds()?;
        Ok(model)
    }
}

impl ScalerModel {
    /// The mean of each column.
    #[must_use]
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The standard deviation of each column, above 0.
    #[must_use]
    pub fn deviations(&self) -> &[f64] {
        &self.deviations
    }
}

impl Model for ScalerModel {
    const KIND: &'static str = "scaler";
}

impl Predict for ScalerModel {
    fn columns(&self) -> usize {
        self.bounds.columns()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let mut scaled = features.clone();
        for row in scaled.values_mut().chunks_exact_mut(self.columns().max(1)) {
            let columns = self.bounds.intervals().iter().zip(&self.means).zip(&self.deviations);
            for (x, ((interval, mean), deviation)) in row.iter_mut().zip(columns) {
                *x = (interval.clamp(*x) - mean) / deviation;
            }
        }
        Ok(Predictions::Features(scaled))
    }
}

impl Transform for ScalerModel {
    /// # Guarantee
    /// Subtraction and division by a number above 0 are rounded, but what was larger before is not
    /// smaller after. So the scores of the ends of an interval enclose those of all that is clamped to it.
    fn output_bounds(&self) -> Result<Bounds, LearnError> {
        let columns = self.bounds.intervals().iter().zip(&self.means).zip(&self.deviations);
        let score = |((interval, mean), deviation): ((&Interval, &f64), &f64)| {
            let end = |end: f64| (end - mean) / deviation;
            Interval::new(end(interval.lower()), end(interval.upper()))
        };
        columns.map(score).collect::<Result<Vec<_>, _>>()?.try_into()
    }

    fn spreads(&self) -> Vec<f64> {
        vec![1.0; self.columns()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_record_moves_the_sums_by_no_more_than_declared() {
        let bounds = Bounds::new(&[(-3.0, 7.0), (0.0, 0.1)]).unwrap();
        let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
        let learner = Scaler::new(bounds, &privacy, ScalerOptions::default()).unwrap();
        let odd = [-3.0, 7.0, 0.1, f64::NAN, f64::INFINITY, -1e300, 5e-324];
        for (a, b) in odd.iter().flat_map(|a| odd.map(|b| (*a, b))) {
            let both = learner.sums(&Matrix::from_rows(&[[1.0, 0.05], [a, b]]));
            let one = learner.sums(&Matrix::from_rows(&[[1.0, 0.05]]));
            let change: Vec<i64> = both.iter().zip(&one).map(|(a, b)| a - b).collect();
            assert!(contribution::square(&change).unwrap() <= 5 * ONE * ONE);
            assert!(change.iter().map(|x| x.unsigned_abs()).sum::<u64>() <= 5 * ONE);
        }
    }
}
