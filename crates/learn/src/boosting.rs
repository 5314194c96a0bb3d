//! Boosted trees: each corrects what those before it got wrong.
mod loss;
mod model;
mod rounds;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};

use crate::columns::Columns;
use crate::data::check_columns;
use crate::{Classes, Classified, Interval, LearnError, Learner, Measured, Privacy, contribution};
use loss::Loss;
pub use model::{BoostedClassifier, BoostedRegressor};

/// How trees are boosted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoostingOptions {
    /// How many trees.
    pub trees: u32,
    /// How many questions each asks.
    pub depth: u32,
    /// Into how many parts a question divides a column.
    pub parts: u32,
    /// How much of what a leaf says is believed.
    pub rate: f64,
    /// What is added to the curvature of a leaf.
    pub ridge: f64,
    /// The same in standard deviations of the noise.
    pub caution: f64,
    /// shrink
    pub shrink: f64,
}

impl Default for BoostingOptions {
    fn default() -> Self {
        Self { trees: 200, depth: 4, parts: 2, rate: 0.3, ridge: 1.0, caution: 1.0, shrink: 0.0 }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Boosting {
    columns: Columns,
    loss: Loss,
    options: BoostingOptions,
    noise: Noise,
    spec: MechanismSpec,
}

impl Boosting {
    fn new(
        columns: Columns,
        loss: Loss,
        privacy: &Privacy,
        options: BoostingOptions,
    ) -> Result<Self, LearnError> {
        let all = privacy.gaussian()?;
        let noise =
            contribution::gaussian(&all, (1, options.trees), loss::MOST, privacy.neighbours())?;
        let spec = MechanismSpec::repeated(u64::from(options.trees), noise.spec().clone())?;
        privacy.certify(&spec)?;
        Ok(Self { columns, loss, options, noise, spec })
    }
}

/// Boosted trees for classes.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostingClassifier(Boosting, Classes);

impl BoostingClassifier {
    /// new
    ///
    /// # Errors
    /// x
    pub fn new(
        columns: Columns,
        classes: Classes,
        privacy: &Privacy,
        options: BoostingOptions,
    ) -> Result<Self, LearnError> {
        let loss = if classes.count() == 2 { Loss::Logistic } else { Loss::Softmax(classes.count()) };
        Ok(Self(Boosting::new(columns, loss, privacy, options)?, classes))
    }
}

impl Mechanism for BoostingClassifier {
    type Input = Classified;
    type Output = BoostedClassifier;

    fn spec(&self) -> MechanismSpec {
        self.0.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.0.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Classified,
        run: &mut Run<'_>,
    ) -> Result<BoostedClassifier, MechanismError> {
        let labels: Vec<Option<f64>> = input
            .labels()
            .iter()
            .map(|label| self.1.place(*label).map(|_| f64::from(*label)))
            .collect();
        let trees = rounds::boosted(&self.0, input.features(), &labels, run)?;
        Ok(BoostedClassifier { columns: self.0.columns.clone(), classes: self.1, trees })
    }
}

impl Learner for BoostingClassifier {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.0.columns.count())
    }
}

/// Boosted trees for numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostingRegressor(Boosting, Interval);

impl BoostingRegressor {
    /// new
    ///
    /// # Errors
    /// x
    pub fn new(
        columns: Columns,
        label: Interval,
        privacy: &Privacy,
        options: BoostingOptions,
    ) -> Result<Self, LearnError> {
        Ok(Self(Boosting::new(columns, Loss::Squared, privacy, options)?, label))
    }
}

impl Mechanism for BoostingRegressor {
    type Input = Measured;
    type Output = BoostedRegressor;

    fn spec(&self) -> MechanismSpec {
        self.0.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.0.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Measured,
        run: &mut Run<'_>,
    ) -> Result<BoostedRegressor, MechanismError> {
        let labels: Vec<Option<f64>> =
            input.labels().iter().map(|label| Some(self.1.symmetric(*label))).collect();
        let trees = rounds::boosted(&self.0, input.features(), &labels, run)?;
        Ok(BoostedRegressor { columns: self.0.columns.clone(), label: self.1, trees })
    }
}

impl Learner for BoostingRegressor {
    fn check(&self, input: &Measured) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.0.columns.count())
    }
}
