//! Counts in the cells of a table, of any number of columns.
//!
//! Bins are declared column by column ([`Bins`], [`Domain`]); the table has a cell for each combination,
//! and all of them are released, also those without rows. Counts of some columns only, many such
//! tables under one budget: [`crate::marginals`].

mod bins;
mod counts;
mod domain;
mod simplex;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};

use crate::data::check_columns;
use crate::schema::Schema;
use crate::{LearnError, Learner, Matrix, Model, Predict, Predictions, Privacy};
pub use bins::Bins;
pub use counts::{Blur, Counts};
pub(crate) use counts::{gaussian, moved, noise_for, noise_of_counts};
pub use domain::{Coded, Domain};
pub(crate) use simplex::project;

/// The number of rows in each cell of a table, with noise.
///
/// # Guarantee
/// That of the noise. A record is counted in one cell or, with a level that is not declared, in none: so
/// adding or removing it moves one count by 1, and replacing it moves two by 1. Pure epsilon has
/// discrete Laplace noise of scale 1/ε (2/ε if replaced), any other target discrete Gaussian noise.
///
/// # Reference
/// Dwork, McSherry, Nissim, Smith, *Calibrating Noise to Sensitivity in Private Data Analysis* (2006).
///
/// ```
/// use throng_learn::histogram::{Bins, Domain, Histogram};
/// use throng_learn::{Interval, Learner, Matrix, Privacy};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let age = Bins::equal(Interval::new(0.0, 100.0)?, 4)?;
/// let domain = Domain::new(vec![age, Bins::levels(2)?])?;
/// let histogram = Histogram::new(domain, &Privacy::pure(1.0)?)?;
/// let people = Sensitive::new(Matrix::from_rows(&[[39.0, 0.0], [52.0, 1.0], [51.0, 1.0]]));
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let release = histogram.fit(&people, &mut budget, &mut OsEntropy)?;
/// let counts = release.value().counts();
/// println!("{:?}, each ± {}", counts.values(), counts.half_width(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    domain: Domain,
    shape: Vec<usize>,
    noise: Noise,
}

/// How a histogram is made of a schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HistogramOptions {
    /// Bins of each column of numbers.
    pub bins: u32,
}

impl Default for HistogramOptions {
    fn default() -> Self {
        Self { bins: 16 }
    }
}

impl Histogram {
    /// Counts on a domain.
    ///
    /// # Errors
    /// If there are more than 2^24 cells, or the target is out of range.
    pub fn new(domain: Domain, privacy: &Privacy) -> Result<Self, LearnError> {
        let columns: Vec<usize> = (0..domain.columns().len()).collect();
        let shape = domain.shape_of(&columns)?;
        let noise = noise_of_counts(privacy, (1, 1))?;
        privacy.certify(noise.spec())?;
        Ok(Self { domain, shape, noise })
    }

    /// Counts for the columns of a schema, encoded by place.
    ///
    /// # Errors
    /// As for [`Histogram::new`] and [`Domain::of_schema`].
    pub fn of_schema(
        schema: &Schema,
        privacy: &Privacy,
        options: &HistogramOptions,
    ) -> Result<Self, LearnError> {
        Self::new(Domain::of_schema(schema, options.bins)?, privacy)
    }

    /// The number of rows in each cell, without noise: private.
    fn count(&self, rows: &Matrix<f64>) -> Vec<i64> {
        let mut counts = vec![0_i64; self.shape.iter().product()];
        if let [bins] = self.domain.columns() {
            bins.tally(rows.values(), &mut counts);
            return counts;
        }
        for row in rows.iter() {
            if let Some(count) = self.domain.cell(row).and_then(|cell| counts.get_mut(cell)) {
                *count += 1;
            }
        }
        counts
    }
}

impl Mechanism for Histogram {
    type Input = Matrix<f64>;
    type Output = HistogramModel;

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
    ) -> Result<HistogramModel, MechanismError> {
        let counts = Counts::release(self.count(input), self.shape.clone(), &self.noise, run)?;
        Ok(HistogramModel { domain: self.domain.clone(), counts })
    }
}

impl Learner for Histogram {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check_columns(input.columns(), self.domain.columns().len())
    }
}

/// Released counts on a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistogramModel {
    domain: Domain,
    counts: Counts,
}

impl HistogramModel {
    /// The bins of each column.
    #[must_use]
    pub const fn domain(&self) -> &Domain {
        &self.domain
    }

    /// What was released: unbiased counts, some of which may be negative.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How likely each cell is: the nearest table without negative entries that sums to 1.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let total: f64 = self.counts.values().iter().sum::<f64>().max(1.0);
        let mut shares: Vec<f64> = self.counts.values().iter().map(|n| n / total).collect();
        project(&mut shares, 1.0);
        shares
    }
}

impl Model for HistogramModel {
    const KIND: &'static str = "histogram";
}

impl Predict for HistogramModel {
    fn columns(&self) -> usize {
        self.domain.columns().len()
    }

    /// How likely the cell of each row is; 0 for a row that has none.
    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let shares = self.shares();
        let share = |row: &[f64]| self.domain.cell(row).and_then(|cell| shares.get(cell).copied());
        Ok(Predictions::Numbers(features.iter().map(|row| share(row).unwrap_or(0.0)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interval;

    #[test]
    fn a_record_moves_one_count_by_one() {
        let numbers = Bins::equal(Interval::new(-1.0, 1.0).unwrap(), 3).unwrap();
        let domain = Domain::new(vec![numbers, Bins::levels(3).unwrap()]).unwrap();
        let histogram = Histogram::new(domain, &Privacy::pure(1.0).unwrap()).unwrap();
        let hostile = [f64::NAN, f64::INFINITY, -1e300, 0.3, 2.0, 5.0];
        let rows: Vec<[f64; 2]> =
            hostile.iter().flat_map(|a| hostile.iter().map(move |b| [*a, *b])).collect();
        let all = histogram.count(&Matrix::from_rows(&rows));
        for left_out in 0..rows.len() {
            let mut rest = rows.clone();
            rest.remove(left_out);
            let fewer = histogram.count(&Matrix::from_rows(&rest));
            let moved: i64 = all.iter().zip(&fewer).map(|(a, b)| (a - b).abs()).sum();
            assert!(moved <= 1);
        }
        assert_eq!(all.iter().sum::<i64>(), 6); // level 2 only
    }
}
