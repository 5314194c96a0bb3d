//! Support vector machines, linear or with a Gaussian kernel.
//!
//! The hinge has a bend of some width instead of a corner, which the proofs for output and objective
//! perturbation need. With more than two classes there is one score for each, all learnt together with
//! one gradient and one clip. A kernel is stood in for by random features, which are drawn without a look
//! at the data.

mod kernel;
mod model;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use crate::data::check_columns;
pub use crate::erm::Method;
use crate::erm::descent::USUAL;
use crate::erm::loss::Loss;
use crate::erm::{Minimiser, Settings};
use crate::error::positive;
use crate::{Bounds, Classes, Classified, LearnError, Learner, Privacy};
pub use kernel::{Features, Kernel};
pub use model::SvmModel;

/// What can be chosen about a support vector machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SvmOptions {
    /// How the minimum of the loss is made private.
    pub method: Method,
    /// Half the width of the bend of the hinge.
    pub width: f64,
    /// The kernel; none: linear in the features.
    pub kernel: Option<Kernel>,
    /// `gradient`: how many steps.
    pub steps: u32,
    /// `gradient`: how long steps are, relative to what suits the noise.
    pub pace: f64,
    /// `output`, `objective`: the penalty on the sum of squared weights, where rows are at most 1
    /// long; none: one that suits the noise.
    pub penalty: Option<f64>,
    /// `output`, `objective`: the largest norm of (1, features), where features run from -1 to 1; rows that
    /// are longer are shortened.
    pub norm: Option<f64>,
}

impl Default for SvmOptions {
    fn default() -> Self {
        let (method, kernel) = (Method::default(), None);
        Self { method, width: 0.5, kernel, steps: 60, pace: USUAL, penalty: None, norm: None }
    }
}

impl SvmOptions {
    const fn settings(&self) -> Settings {
        let Self { method, steps, pace, penalty, norm, .. } = *self;
        Settings { method, steps, pace, penalty, norm }
    }
}

/// Learns an [`SvmModel`].
///
/// ```
/// use throng_learn::svm::{Svm, SvmOptions};
/// use throng_learn::{Bounds, Classes, Classified, Learner, Matrix, Predict, Predictions, Privacy};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::SeededEntropy;
///
/// let bounds = Bounds::new(&[(0.0, 10.0)])?;
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let learner = Svm::new(bounds, Classes::new(2)?, &privacy, SvmOptions::default())?;
/// let rows: Vec<[f64; 1]> = (0..5000).map(|i| [f64::from(i % 11)]).collect();
/// let labels = rows.iter().map(|[x]| u32::from(*x > 4.5)).collect();
/// let examples = Sensitive::new(Classified::new(Matrix::from_rows(&rows), labels)?);
/// # let mut entropy = SeededEntropy::new(1);
/// let mut budget = Budget::gdp(&"0.5".parse()?, Neighbours::AddRemove)?;
/// let model = learner.fit(&examples, &mut budget, &mut entropy)?;
/// let said = model.value().predict(&Matrix::from_rows(&[[1.0], [9.0]]))?;
/// assert_eq!(said, Predictions::Classes { chosen: vec![0, 1], probabilities: None });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Guarantee
/// That of the method, for records whose features are random functions of the record alone if there is a
/// kernel. Records whose label is not declared are left out, before anything is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Svm {
    bounds: Bounds,
    classes: Classes,
    kernel: Option<Kernel>,
    minimiser: Minimiser,
    spec: MechanismSpec,
    under: Neighbours,
}

impl Svm {
    /// A model of so many classes of records with features within bounds.
    ///
    /// # Errors
    /// If an option is out of range, or the target cannot be reached by the method.
    #[expect(clippy::needless_pass_by_value, reason = "as all learners are made")]
    pub fn new(
        bounds: Bounds,
        classes: Classes,
        privacy: &Privacy,
        options: SvmOptions,
    ) -> Result<Self, LearnError> {
        let width = positive("the width", options.width)?;
        if !(1e-3..=1e3).contains(&width) {
            return Err(LearnError::invalid("the width", width, "from 0.001 to 1000"));
        }
        let loss = Loss::Hinge { classes: classes.count(), width };
        let seen = match &options.kernel {
            Some(kernel) => {
                let seen = kernel.bounds()?;
                kernel::check_machine(bounds.columns(), seen.columns())?;
                seen
            }
            None => bounds.clone(),
        };
        let minimiser = Minimiser::new(&seen, loss, privacy, &options.settings())?;
        let spec = minimiser.spec()?;
        privacy.certify(&spec)?;
        let (kernel, under) = (options.kernel, privacy.neighbours());
        Ok(Self { bounds, classes, kernel, minimiser, spec, under })
    }
}

impl Mechanism for Svm {
    type Input = Classified;
    type Output = SvmModel;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(&self, input: &Classified, run: &mut Run<'_>) -> Result<SvmModel, MechanismError> {
        let Some(kernel) = self.kernel else {
            let scores = self.minimiser.run(self.classes, input, run)?;
            return Ok(SvmModel::new(scores, self.classes, None));
        };
        let features = kernel.draw(&self.bounds, run.entropy())?;
        let seen = Classified::new(features.of(input.features()), input.labels().to_vec())?;
        let scores = self.minimiser.run(self.classes, &seen, run)?;
        Ok(SvmModel::new(scores, self.classes, Some(features)))
    }
}

impl Learner for Svm {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.bounds.columns())
    }
}
