//! Principal components: the directions in which a table varies most.
//!
//! The number of rows, their sum and all sums of products are released together; what is computed from
//! them, mean, axes and variances, costs nothing more.

pub(crate) mod moments;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use crate::data::check_columns;
use crate::pipeline::{Transform, Transformer};
use crate::{Bounds, Interval, LearnError, Learner, Matrix, Model, Predict, Predictions, Privacy};
use moments::Moments;

/// How principal components are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PcaOptions {
    /// How many components are kept; all, if there are not so many columns.
    pub components: u32,
    /// How far from the middle of the bounds a row counts, as a fraction of the largest distance there
    /// is; rows further out are moved towards the middle. Less means less noise.
    pub reach: f64,
}

impl Default for PcaOptions {
    fn default() -> Self {
        Self { components: 2, reach: 0.5 }
    }
}

/// Principal components of noisy second moments.
///
/// # Guarantee
/// One Gaussian release of a vector of integers: a record adds a weight to a count, its row to a sum and
/// its products to the upper triangle of a matrix, and rows are moved towards the middle, as
/// integers, until the sum of all squares is within what the noise was made for.
///
/// # Reference
/// Dwork, Talwar, Thakurta, Zhang, *Analyze Gauss: optimal bounds for privacy-preserving principal
/// component analysis* (2014).
///
/// ```
/// use throng_learn::pca::{Pca, PcaOptions};
/// use throng_learn::{Bounds, Privacy};
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let learner = Pca::new(Bounds::same(9, 0.0, 1.0)?, &privacy, PcaOptions::default())?;
/// # drop(learner);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pca {
    moments: Moments,
    components: usize,
}

impl Pca {
    /// Components of rows within bounds.
    ///
    /// # Errors
    /// If no component is asked for, the reach is not in (0, 1], there are more than 2048 columns, the
    /// target is pure epsilon, or nothing reaches it.
    #[expect(clippy::needless_pass_by_value, reason = "as all learners do")]
    pub fn new(bounds: Bounds, privacy: &Privacy, options: PcaOptions) -> Result<Self, LearnError> {
        let components = usize::try_from(options.components).unwrap_or(usize::MAX);
        if components == 0 {
            return Err(LearnError::invalid("the number of components", 0, "at least 1"));
        }
        let (all, under) = (privacy.gaussian()?, privacy.neighbours());
        let moments = Moments::new(bounds, options.reach, &all, (1, 1), under)?;
        privacy.certify(moments.noise().spec())?;
        Ok(Self { moments, components })
    }
}

impl Mechanism for Pca {
    type Input = Matrix<f64>;
    type Output = PcaModel;

    fn spec(&self) -> MechanismSpec {
        self.moments.noise().spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.moments.noise().neighbours()
    }

    fn answer(&self, input: &Matrix<f64>, run: &mut Run<'_>) -> Result<PcaModel, MechanismError> {
        self.check(input)?;
        let found = self.moments.release(input, run)?;
        let kept: Vec<usize> = (0..self.components.min(found.axes.rows())).collect();
        let variances = found.variances.into_iter().take(kept.len()).collect();
        let components = found.axes.select(&kept);
        let bounds = self.moments.bounds().clone();
        Ok(PcaModel { bounds, mean: found.mean, components, variances, noise: found.noise })
    }
}

impl Learner for Pca {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check_columns(input.columns(), self.moments.bounds().columns())
    }
}

impl Transformer for Pca {
    fn outputs(&self) -> usize {
        self.components.min(self.moments.bounds().columns())
    }
}

/// Principal components; it says how far along each a row is from the mean.
///
/// Columns are measured in half-widths of their bounds, from the middle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct PcaModel {
    bounds: Bounds,
    mean: Vec<f64>,
    components: Matrix<f64>,
    variances: Vec<f64>,
    /// The standard deviation of the noise of a variance.
    noise: f64,
}

/// What a file says.
#[derive(Deserialize)]
struct Stored {
    bounds: Bounds,
    mean: Vec<f64>,
    components: Matrix<f64>,
    variances: Vec<f64>,
    noise: f64,
}

impl TryFrom<Stored> for PcaModel {
    type Error = LearnError;

    fn try_from(stored: Stored) -> Result<Self, LearnError> {
        let Stored { bounds, mean, components, variances, noise } = stored;
        let columns = bounds.columns();
        let shaped = mean.len() == columns
            && components.columns() == columns
            && (1..=columns).contains(&components.rows())
            && variances.len() == components.rows();
        let sizes = variances.iter().chain([&noise]).all(|x| *x >= 0.0 && x.is_finite());
        let within = mean.iter().chain(components.values()).all(|x| x.abs() <= 1.0 + ROUNDING);
        if !(shaped && sizes && within) {
            return Err(LearnError::malformed("its components are not of its columns"));
        }
        let model = Self { bounds, mean, components, variances, noise };
        model.output_bounds()?;
        Ok(model)
    }
}

/// How much an entry of a component of length 1 may be above 1.
const ROUNDING: f64 = 1e-9;

impl PcaModel {
    /// The noisy mean, each column in [-1, 1].
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The components, one in each row, of length 1.
    #[must_use]
    pub const fn components(&self) -> &Matrix<f64> {
        &self.components
    }

    /// The variances along the components, less what noise would make of nothing, at least 0.
    #[must_use]
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }
}

impl Model for PcaModel {
    const KIND: &'static str = "pca";
}

impl Predict for PcaModel {
    fn columns(&self) -> usize {
        self.bounds.columns()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let mut found = Matrix::filled(features.rows(), self.components.rows(), 0.0);
        for (place, row) in features.iter().enumerate() {
            for (out, component) in found.row_mut(place).iter_mut().zip(self.components.iter()) {
                let row = row.iter().zip(self.bounds.intervals()).zip(&self.mean);
                let from_mean = row.map(|((x, interval), mean)| interval.symmetric(*x) - mean);
                *out = along(from_mean.zip(component).map(|(x, c)| x * c));
            }
        }
        Ok(Predictions::Features(found))
    }
}

/// The sum, from the first to the last: bounds are added in the same order.
fn along(parts: impl Iterator<Item = f64>) -> f64 {
    parts.fold(0.0, |sum, part| sum + part)
}

impl Transform for PcaModel {
    /// # Guarantee
    /// A column is at most r = max(|-1 - m|, |1 - m|) from its mean m, and a component has no more of it
    /// than r |c|. These are added in the order in which rows are; rounding keeps what is larger
    /// larger and is the same for both signs, so no rounded sum of a row is above that of the sizes.
    fn output_bounds(&self) -> Result<Bounds, LearnError> {
        let far = |m: &f64| (-1.0 - m).abs().max((1.0 - m).abs());
        let end = |component: &[f64]| {
            along(self.mean.iter().zip(component).map(|(m, c)| far(m) * c.abs()))
        };
        let ends = self.components.iter().map(end).map(|end| Interval::new(-end, end));
        ends.collect::<Result<Vec<_>, _>>()?.try_into()
    }

    fn spreads(&self) -> Vec<f64> {
        self.variances.iter().map(|variance| (variance + self.noise).sqrt()).collect()
    }
}
