//! Linear regression from noisy second moments.
//!
//! The label is modelled as an intercept plus a weighted sum of the features. Everything that least squares
//! needs are the sums of all products of two of (1, features, label); they leave once, with noise, and all
//! else is computed from them: centring, a penalty that follows the noise, standard errors.

mod intervals;
mod model;
mod moments;
mod solve;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours, Target};
use throng_mechanism::{Grid, L1, Mechanism, MechanismError, Noise, Run, Sensitivity};
use throng_numeric::Rational;

use crate::data::check_columns;
use crate::erm::rows::distance;
use crate::error::positive;
use crate::math::count;
use crate::{Bounds, Interval, LearnError, Learner, Measured, Privacy, contribution};
pub use model::LinearModel;
use moments::{Moments, Norm};
use solve::{Penalty, Statistics};

/// How a private linear regression is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinearMethod {
    /// Noisy second moments of rows whose norm is held, with a penalty that follows the noise.
    /// Gaussian noise for (epsilon, delta), Laplace noise for epsilon alone.
    #[default]
    Moments,
    /// The functional mechanism: Laplace noise on the coefficients of the objective, a fixed penalty of
    /// four standard deviations and directions without curvature left out. Epsilon alone; for
    /// comparison, the default is better.
    Functional,
}

/// What can be chosen about a linear regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinearOptions {
    /// How it is made.
    pub method: LinearMethod,
    /// A fixed penalty on the sum of squared coefficients, where features and label run from -1 to
    /// 1; none: it follows the noise.
    pub ridge: Option<f64>,
    /// The largest norm of (1, features), where each of them runs from -1 to 1 (of squares, or of
    /// sizes if there is no delta). Longer rows count for less, whatever their label is: they are a weighted
    /// regression's rows, so the coefficients of a model that holds are not biased. None: a
    /// value that suits features that do not all lie at the ends of their bounds. Not for the
    /// functional mechanism, which has no such norm.
    pub norm: Option<f64>,
    /// How strongly the penalty follows the noise.
    pub caution: f64,
}

impl Default for LinearOptions {
    fn default() -> Self {
        Self { method: LinearMethod::default(), ridge: None, norm: None, caution: 0.7 }
    }
}

/// Learns a [`LinearModel`].
///
/// ```
/// use throng_learn::linear::{LinearOptions, LinearRegression};
/// use throng_learn::{Bounds, Interval, Learner, Matrix, Measured, Privacy};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::SeededEntropy;
///
/// let bounds = Bounds::new(&[(0.0, 10.0)])?;
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let learner =
///     LinearRegression::new(bounds, Interval::new(0.0, 100.0)?, &privacy, LinearOptions::default())?;
/// let rows: Vec<[f64; 1]> = (0..5000).map(|i| [f64::from(i % 11)]).collect();
/// let labels = rows.iter().map(|[x]| 20.0 + 5.0 * x).collect();
/// let examples = Sensitive::new(Measured::new(Matrix::from_rows(&rows), labels)?);
/// # let mut entropy = SeededEntropy::new(1);
/// let mut budget = Budget::gdp(&"0.5".parse()?, Neighbours::AddRemove)?;
/// let model = learner.fit(&examples, &mut budget, &mut entropy)?;
/// assert!((model.value().coefficients()[0] - 5.0).abs() < 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Guarantee
/// One release of the upper triangle of Σ z z', z = (1, features, label) on a grid of integers, with noise
/// for the distance that a row whose (1, features) is within its norm can move it (the proof is at the
/// sums). The model is computed from that release alone. A record whose label is NaN is left out.
///
/// # Reference
/// Y.-X. Wang, "Revisiting differentially private linear regression" (2018); J. Zhang et al.,
/// "Functional mechanism" (2012).
#[derive(Debug, Clone, PartialEq)]
pub struct LinearRegression {
    bounds: Bounds,
    label: Interval,
    options: LinearOptions,
    moments: Moments,
    noise: Noise,
    under: Neighbours,
}

impl LinearRegression {
    /// A regression of a label within an interval on features within bounds.
    ///
    /// # Errors
    /// If an option is out of range, or the target cannot be reached in that way.
    pub fn new(
        bounds: Bounds,
        label: Interval,
        privacy: &Privacy,
        options: LinearOptions,
    ) -> Result<Self, LearnError> {
        positive("the caution", options.caution)?;
        options.ridge.map(|ridge| positive("the ridge", ridge)).transpose()?;
        if options.norm.is_some() && options.method == LinearMethod::Functional {
            return Err(LearnError::refused(
                "the functional mechanism takes rows as they are, without a norm",
                "leave `norm` out, or use the method `moments`",
            ));
        }
        let (moments, noise) = described(&bounds, label, privacy, &options)?;
        privacy.certify(noise.spec())?;
        let under = privacy.neighbours();
        Ok(Self { bounds, label, options, moments, noise, under })
    }

    fn penalty(&self) -> Penalty {
        match (self.options.ridge, self.options.method) {
            (Some(ridge), _) => Penalty::Fixed(ridge),
            (None, LinearMethod::Functional) => Penalty::Trimmed,
            (None, LinearMethod::Moments) => Penalty::Noise(self.options.caution),
        }
    }
}

/// What is summed and the noise it leaves with.
fn described(
    bounds: &Bounds,
    label: Interval,
    privacy: &Privacy,
    options: &LinearOptions,
) -> Result<(Moments, Noise), LearnError> {
    let under = privacy.neighbours();
    let others = count(bounds.columns());
    let alone = match (options.method, privacy.target()) {
        (LinearMethod::Functional, Target::Epsilon { epsilon, .. }) => {
            Some(Rational::from_f64(*epsilon)?)
        }
        (
            LinearMethod::Functional,
            Target::Gdp { .. }
            | Target::Zcdp { .. }
            | Target::Detection { .. }
            | Target::Advantage { .. },
        ) => {
            return Err(LearnError::refused(
                "the functional mechanism is made for epsilon",
                "give an epsilon, or use the method `moments`",
            ));
        }
        (LinearMethod::Moments, _) => privacy.epsilon_if_pure()?,
    };
    let moments = match (options.method, &alone) {
        (LinearMethod::Functional, _) => Moments::of_objective(bounds.clone(), label)?,
        (LinearMethod::Moments, Some(_)) => {
            let most = options.norm.unwrap_or(1.0 + LAPLACE_ROOM * others);
            Moments::new(bounds.clone(), label, Norm::One, most)?
        }
        (LinearMethod::Moments, None) => {
            let most = options.norm.unwrap_or((1.0 + GAUSSIAN_ROOM * others).sqrt());
            Moments::new(bounds.clone(), label, Norm::Two, most)?
        }
    };
    let distance = distance(&moments.contribution()?, under);
    let noise = match alone {
        Some(epsilon) => {
            let distance = Sensitivity::<L1>::of(distance, under)?;
            contribution::laplace_of(&epsilon, &distance)?
        }
        None => privacy.gaussian()?.noise((1, 1), &distance, Grid::WHOLE)?,
    };
    Ok((moments, noise))
}

/// What is expected of the square of a feature that runs from -1 to 1.
const GAUSSIAN_ROOM: f64 = 0.2;

/// What is expected of the size of a feature that runs from -1 to 1.
const LAPLACE_ROOM: f64 = 0.35;

impl Mechanism for LinearRegression {
    type Input = Measured;
    type Output = LinearModel;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(&self, input: &Measured, run: &mut Run<'_>) -> Result<LinearModel, MechanismError> {
        let mut sums = self.moments.sums(input)?;
        self.noise.add(&mut sums, run)?;
        let deviation = contribution::deviation(&self.noise);
        let statistics =
            Statistics::new(self.moments.width(), &sums, deviation, self.moments.times());
        Ok(LinearModel::of(&statistics, self.penalty(), &self.bounds, self.label))
    }
}

impl Learner for LinearRegression {
    fn check(&self, input: &Measured) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.bounds.columns())
    }
}
