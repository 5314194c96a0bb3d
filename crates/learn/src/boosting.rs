//! Boosted trees: each corrects what those before it got wrong.
//!
//! The shape of each tree is drawn without the data, as for a random forest. What is learnt is what its
//! leaves say. In each round a record has a gradient, which way its score should go, and a
//! curvature, how soon it would be there; their sums in each leaf are released with noise, and the
//! leaf says a part of the Newton step that they suggest. Later rounds undo what noise did in
//! earlier ones, so a budget that all rounds share goes far.
//!
//! By default trees ask one question with many answers: scores are then sums of functions of one
//! column each, which bear noise well. Deeper trees see how columns act together, if there are the
//! records for it.

mod loss;
mod model;
mod rounds;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};

use crate::columns::Columns;
use crate::data::check_columns;
use crate::error::positive;
use crate::tree::shape::MOST_LEAVES;
use crate::{Classes, Classified, Interval, LearnError, Learner, Measured, Privacy, contribution};
use loss::Loss;
pub use model::{BoostedClassifier, BoostedRegressor};

/// How trees are boosted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoostingOptions {
    /// How many trees; by default 16 for each column, but from 200 to 300.
    pub trees: Option<u32>,
    /// How many questions each asks.
    pub depth: u32,
    /// Into how many parts a question divides a column.
    pub parts: u32,
    /// Which part of a Newton step a leaf says.
    pub rate: f64,
    /// What is added to the curvature of a leaf: as many records whose labels are not known.
    pub ridge: f64,
    /// What is added to it more, in standard deviations of the noise of a gradient: the larger the
    /// noise, the smaller the steps.
    pub caution: f64,
    /// The largest residual that counts, for numbers, as a fraction of half the width of their
    /// interval. Less means less noise.
    pub residual: f64,
}

impl Default for BoostingOptions {
    fn default() -> Self {
        Self { trees: None, depth: 1, parts: 8, rate: 0.3, ridge: 1.0, caution: 3.0, residual: 0.5 }
    }
}

/// The most scores of a record: each takes memory for every record.
const MOST_OUTPUTS: usize = 256;

/// The most numbers in the leaves of all trees.
const MOST_CELLS: usize = 1 << 24;

/// Checked options.
#[derive(Debug, Clone, PartialEq)]
struct Plan {
    trees: u32,
    depth: usize,
    parts: usize,
    rate: f64,
    ridge: f64,
    caution: f64,
}

/// Makes sure that what the leaves of all trees say fits into memory.
fn check_size(trees: u32, (parts, depth): (usize, u32), outputs: usize) -> Result<(), LearnError> {
    let leaves = parts.checked_pow(depth).filter(|leaves| *leaves <= MOST_LEAVES);
    let Some(leaves) = leaves else {
        let given = format!("{parts} to the power of {depth}");
        return Err(LearnError::invalid("the number of leaves", given, "at most 16384"));
    };
    if outputs > MOST_OUTPUTS {
        return Err(LearnError::invalid("the number of classes", outputs, "at most 256 here"));
    }
    let trees = usize::try_from(trees).unwrap_or(usize::MAX);
    let cells = trees.saturating_mul(leaves).saturating_mul(outputs);
    if cells > MOST_CELLS {
        let name = "the number of trees times leaves times classes";
        return Err(LearnError::invalid(name, cells, "at most 2^24"));
    }
    Ok(())
}

impl Plan {
    fn new(options: &BoostingOptions, columns: usize, outputs: usize) -> Result<Self, LearnError> {
        let usual = u32::try_from(columns.saturating_mul(16).clamp(200, 300)).unwrap_or(300);
        let trees = options.trees.unwrap_or(usual);
        if !(1..=100_000).contains(&trees) {
            return Err(LearnError::invalid("the number of trees", trees, "from 1 to 100000"));
        }
        if !(1..=14).contains(&options.depth) {
            return Err(LearnError::invalid("the depth", options.depth, "from 1 to 14"));
        }
        if !(2..=256).contains(&options.parts) {
            return Err(LearnError::invalid("the number of parts", options.parts, "from 2 to 256"));
        }
        let parts = usize::try_from(options.parts).unwrap_or(2);
        check_size(trees, (parts, options.depth), outputs)?;
        positive("the rate", options.rate)?;
        positive("the ridge", options.ridge)?;
        if !(options.caution >= 0.0 && options.caution.is_finite()) {
            return Err(LearnError::invalid("the caution", options.caution, "at least 0, finite"));
        }
        if !(0.001..=2.0).contains(&options.residual) {
            let allowed = "in [0.001, 2]";
            return Err(LearnError::invalid("the largest residual", options.residual, allowed));
        }
        Ok(Self {
            trees,
            depth: usize::try_from(options.depth).unwrap_or(1),
            parts,
            rate: options.rate,
            ridge: options.ridge,
            caution: options.caution,
        })
    }
}

/// What both kinds of boosting are.
#[derive(Debug, Clone, PartialEq)]
struct Boosting {
    columns: Columns,
    loss: Loss,
    plan: Plan,
    noise: Noise,
    spec: MechanismSpec,
}

impl Boosting {
    fn new(
        columns: Columns,
        loss: Loss,
        privacy: &Privacy,
        options: &BoostingOptions,
    ) -> Result<Self, LearnError> {
        let plan = Plan::new(options, columns.count(), loss.outputs())?;
        let (all, under) = (privacy.gaussian()?, privacy.neighbours());
        let noise = contribution::gaussian(&all, (1, plan.trees), loss::MOST, under)?;
        let spec = MechanismSpec::repeated(u64::from(plan.trees), noise.spec().clone())?;
        privacy.certify(&spec)?;
        Ok(Self { columns, loss, plan, noise, spec })
    }
}

/// Boosted trees that learn classes.
///
/// A record whose label is not declared is left out.
///
/// # Guarantee
/// A round depends on the data through one Gaussian release only: the sums, in each leaf, of gradients
/// and curvatures as integers. A record is in one leaf, and its own integers are checked to
/// have squares that sum to no more than the noise was made for, whatever earlier rounds released.
/// How many rounds there are is fixed; they share one budget.
///
/// # Reference
/// Nori, Caruana, Bu, Shen, Kulkarni, *Accuracy, Interpretability, and Differential Privacy via
/// Explainable Boosting* (2021), for rounds that share one Gaussian budget; Maddock, Cormode, Wang,
/// Maple, Jha, *Federated Boosted Decision Trees with Differential Privacy* (2022), for random
/// shapes with Newton leaves.
///
/// ```
/// use throng_learn::boosting::{BoostingClassifier, BoostingOptions};
/// use throng_learn::{Bounds, Classes, Privacy};
/// let columns = Bounds::same(5, 0.0, 1.0)?.into();
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let learner =
///     BoostingClassifier::new(columns, Classes::new(2)?, &privacy, BoostingOptions::default())?;
/// # drop(learner);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BoostingClassifier {
    boosting: Boosting,
    classes: Classes,
}

impl BoostingClassifier {
    /// Boosting for these columns and classes.
    ///
    /// # Errors
    /// If an option is out of range, there are more than 256 classes or more than 2^24 numbers in all
    /// leaves, the target is pure epsilon, or nothing reaches it.
    #[expect(clippy::needless_pass_by_value, reason = "as all learners do")]
    pub fn new(
        columns: Columns,
        classes: Classes,
        privacy: &Privacy,
        options: BoostingOptions,
    ) -> Result<Self, LearnError> {
        let loss = Loss::of_classes(classes);
        Ok(Self { boosting: Boosting::new(columns, loss, privacy, &options)?, classes })
    }
}

impl Mechanism for BoostingClassifier {
    type Input = Classified;
    type Output = BoostedClassifier;

    fn spec(&self) -> MechanismSpec {
        self.boosting.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.boosting.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Classified,
        run: &mut Run<'_>,
    ) -> Result<BoostedClassifier, MechanismError> {
        self.check(input)?;
        let declared = |label: &u32| self.classes.place(*label).map(|_| f64::from(*label));
        let labels: Vec<Option<f64>> = input.labels().iter().map(declared).collect();
        let trees = self.boosting.trees(input.features(), &labels, run)?;
        let columns = self.boosting.columns.clone();
        Ok(BoostedClassifier { columns, classes: self.classes, trees })
    }
}

impl Learner for BoostingClassifier {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.boosting.columns.count())
    }
}

/// Boosted trees that learn numbers.
///
/// A record whose label is NaN is left out.
///
/// # Guarantee
/// As for [`BoostingClassifier`]; the gradient is the residual, clamped, the curvature 1.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostingRegressor {
    boosting: Boosting,
    label: Interval,
}

impl BoostingRegressor {
    /// Boosting for these columns and labels of an interval.
    ///
    /// # Errors
    /// As for [`BoostingClassifier::new`].
    #[expect(clippy::needless_pass_by_value, reason = "as all learners do")]
    pub fn new(
        columns: Columns,
        label: Interval,
        privacy: &Privacy,
        options: BoostingOptions,
    ) -> Result<Self, LearnError> {
        let loss = Loss::Squared(options.residual);
        Ok(Self { boosting: Boosting::new(columns, loss, privacy, &options)?, label })
    }
}

impl Mechanism for BoostingRegressor {
    type Input = Measured;
    type Output = BoostedRegressor;

    fn spec(&self) -> MechanismSpec {
        self.boosting.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.boosting.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Measured,
        run: &mut Run<'_>,
    ) -> Result<BoostedRegressor, MechanismError> {
        self.check(input)?;
        let scaled = |label: &f64| self.label.known(*label);
        let labels: Vec<Option<f64>> = input.labels().iter().map(scaled).collect();
        let trees = self.boosting.trees(input.features(), &labels, run)?;
        let columns = self.boosting.columns.clone();
        Ok(BoostedRegressor { columns, label: self.label, trees })
    }
}

impl Learner for BoostingRegressor {
    fn check(&self, input: &Measured) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.boosting.columns.count())
    }
}
