//! Logistic regression, for two classes or more.
//!
//! The log-odds of the classes are linear in the features. With more than two classes there is one softmax
//! with one gradient and one clip, not one model for each class.

mod model;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use crate::data::check_columns;
pub use crate::erm::Method;
use crate::erm::descent::USUAL;
use crate::erm::loss::Loss;
use crate::erm::{Minimiser, Settings};
use crate::{Bounds, Classes, Classified, LearnError, Learner, Privacy};
pub use model::LogisticModel;

/// What can be chosen about a logistic regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogisticOptions {
    /// How the minimum of the loss is made private.
    pub method: Method,
    /// `gradient`: how many steps. More steps go further, each with more noise.
    pub steps: u32,
    /// `gradient`: how long steps are, relative to what suits the noise.
    pub pace: f64,
    /// `output`, `objective`: the penalty on the sum of squared weights, where rows are at most 1
    /// long; none: one that suits the noise.
    pub penalty: Option<f64>,
    /// `output`, `objective`: the largest norm of (1, features), where features run from -1 to 1; rows that
    /// are longer are shortened. None: a value that suits features that do not all lie at the ends of their
    /// bounds.
    pub norm: Option<f64>,
}

impl Default for LogisticOptions {
    fn default() -> Self {
        Self { method: Method::default(), steps: 60, pace: USUAL, penalty: None, norm: None }
    }
}

impl LogisticOptions {
    const fn settings(&self) -> Settings {
        let Self { method, steps, pace, penalty, norm } = *self;
        Settings { method, steps, pace, penalty, norm }
    }
}

/// Learns a [`LogisticModel`].
///
/// ```
/// use throng_learn::logistic::{LogisticOptions, LogisticRegression};
/// use throng_learn::{Bounds, Classes, Classified, Learner, Matrix, Predict, Privacy};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::SeededEntropy;
///
/// let bounds = Bounds::new(&[(0.0, 10.0)])?;
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let learner =
///     LogisticRegression::new(bounds, Classes::new(2)?, &privacy, LogisticOptions::default())?;
/// let rows: Vec<[f64; 1]> = (0..5000).map(|i| [f64::from(i % 11)]).collect();
/// let labels = rows.iter().map(|[x]| u32::from(*x > 4.5)).collect();
/// let examples = Sensitive::new(Classified::new(Matrix::from_rows(&rows), labels)?);
/// # let mut entropy = SeededEntropy::new(1);
/// let mut budget = Budget::gdp(&"0.5".parse()?, Neighbours::AddRemove)?;
/// let model = learner.fit(&examples, &mut budget, &mut entropy)?;
/// assert!(model.value().coefficients().row(0)[0] > 0.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Guarantee
/// That of the method: each states what it releases and how far one record moves that. Records whose label
/// is not declared are left out, before anything is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticRegression {
    classes: Classes,
    columns: usize,
    minimiser: Minimiser,
    spec: MechanismSpec,
    under: Neighbours,
}

impl LogisticRegression {
    /// A model of so many classes of records with features within bounds.
    ///
    /// # Errors
    /// If an option is out of range, or the target cannot be reached by the method.
    #[expect(clippy::needless_pass_by_value, reason = "as all learners are made")]
    pub fn new(
        bounds: Bounds,
        classes: Classes,
        privacy: &Privacy,
        options: LogisticOptions,
    ) -> Result<Self, LearnError> {
        let loss = Loss::Logistic { classes: classes.count() };
        let minimiser = Minimiser::new(&bounds, loss, privacy, &options.settings())?;
        let spec = minimiser.spec()?;
        privacy.certify(&spec)?;
        let (columns, under) = (bounds.columns(), privacy.neighbours());
        Ok(Self { classes, columns, minimiser, spec, under })
    }
}

impl Mechanism for LogisticRegression {
    type Input = Classified;
    type Output = LogisticModel;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(
        &self,
        input: &Classified,
        run: &mut Run<'_>,
    ) -> Result<LogisticModel, MechanismError> {
        let scores = self.minimiser.run(self.classes, input, run)?;
        Ok(LogisticModel::new(scores, self.classes))
    }
}

impl Learner for LogisticRegression {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.columns)
    }
}
