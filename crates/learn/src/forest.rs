//! Random trees: shapes drawn without the data, leaves that count.
//!
//! Each tree asks a few random questions; each leaf knows, with noise, how many records of each
//! class fell into it, or how many there were and the sum of their labels. A row is judged by how likely
//! its leaves hold each class, or by the sum of what they know. It takes no rounds, so it has pure
//! epsilon too; boosted trees ([`crate::boosting`]) use the same budget far better. A single
//! decision tree is a forest of one ([`TreeOptions`]).

mod model;
mod tally;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};

use crate::columns::Columns;
use crate::data::check_columns;
use crate::{Classes, Classified, Interval, LearnError, Learner, Measured, Privacy, contribution};
pub use model::{ForestClassifierModel, ForestRegressorModel};
use tally::{Label, Tally};

pub use crate::tree::shape::Asks;

/// Which records a tree sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// All: a record is in every tree.
    All,
    /// Some: each record is in one tree, drawn for it alone, so that another record more or less does
    /// not change where it is.
    Disjoint,
}

/// How a forest is grown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForestOptions {
    /// How many trees.
    pub trees: u32,
    /// How many questions each asks.
    pub depth: u32,
    /// Which records each sees.
    pub seen: Seen,
    /// Who is asked the same question: all rows of a level, or those of a node.
    pub asks: Asks,
}

impl Default for ForestOptions {
    fn default() -> Self {
        Self { trees: 20, depth: 5, seen: Seen::All, asks: Asks::Level }
    }
}

impl ForestOptions {
    fn check(&self) -> Result<(), LearnError> {
        if !(1..=10_000).contains(&self.trees) {
            return Err(LearnError::invalid("the number of trees", self.trees, "1 to 10000"));
        }
        if !(1..=14).contains(&self.depth) {
            return Err(LearnError::invalid("the depth", self.depth, "from 1 to 14"));
        }
        Ok(())
    }

    /// How many trees a record is in.
    const fn touched(&self) -> u32 {
        match self.seen {
            Seen::All => self.trees,
            Seen::Disjoint => 1,
        }
    }
}

/// What both kinds of forest are.
#[derive(Debug, Clone, PartialEq)]
struct Forest {
    tally: Tally,
    noise: Noise,
}

impl Forest {
    fn new(
        columns: Columns,
        label: Label,
        privacy: &Privacy,
        options: ForestOptions,
    ) -> Result<Self, LearnError> {
        options.check()?;
        let touched = u64::from(options.touched());
        let tally = Tally::new(columns, label, options)?;
        let under = privacy.neighbours();
        let noise = match privacy.epsilon_if_pure()? {
            Some(epsilon) => contribution::laplace(&epsilon, touched * label.sum(), under)?,
            None => {
                let (all, square) = (privacy.gaussian()?, touched * label.square());
                match label {
                    Label::Class(_) => contribution::of_counts(&all, (1, 1), square, under)?,
                    Label::Number => contribution::gaussian(&all, (1, 1), square, under)?,
                }
            }
        };
        privacy.certify(noise.spec())?;
        Ok(Self { tally, noise })
    }

    /// A standard deviation of the noise of a count, at least one record.
    fn doubt(&self) -> f64 {
        (contribution::deviation(&self.noise) / tally::UNIT).max(1.0)
    }
}

/// How a decision tree is grown: a forest of one whose nodes each ask their own question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeOptions {
    /// How many questions a row is asked.
    pub depth: u32,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self { depth: 8 }
    }
}

impl From<TreeOptions> for ForestOptions {
    fn from(options: TreeOptions) -> Self {
        Self { trees: 1, depth: options.depth, seen: Seen::All, asks: Asks::Node }
    }
}

/// Random trees for classes.
///
/// A record whose label is not declared is left out.
///
/// # Guarantee
/// Shapes are drawn from the entropy alone. In each tree that it is in a record adds one unit to one
/// cell, that of its leaf and class: with all m trees, √m units in L2 and m in L1; with disjoint
/// records one unit in one tree, drawn for that record and no other. A record that replaces another takes
/// as much away elsewhere: √(2m) in L2, for nothing it adds is negative. All cells are
/// one release. Negative counts count as 0 only after the noise.
///
/// # Reference
/// Jagannathan, Pillaipakkamnatt, Wright, *A Practical Differentially Private Random Decision Tree
/// Classifier* (2009), with [`Asks::Node`]; usually all rows of a level are asked the same question.
///
/// ```
/// use throng_learn::forest::{ForestClassifier, ForestOptions};
/// use throng_learn::{Bounds, Classes, Privacy};
/// let columns = Bounds::same(5, 0.0, 1.0)?.into();
/// let privacy = Privacy::pure(1.0)?;
/// let learner = ForestClassifier::new(columns, Classes::new(2)?, &privacy, ForestOptions::default())?;
/// # drop(learner);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ForestClassifier {
    forest: Forest,
    classes: Classes,
}

impl ForestClassifier {
    /// A forest for these columns and classes.
    ///
    /// # Errors
    /// If an option is out of range, there are more than 2^24 cells, or more than 2^18 nodes that ask, or
    /// nothing reaches the target.
    pub fn new(
        columns: Columns,
        classes: Classes,
        privacy: &Privacy,
        options: ForestOptions,
    ) -> Result<Self, LearnError> {
        let label = Label::Class(classes.count());
        Ok(Self { forest: Forest::new(columns, label, privacy, options)?, classes })
    }
}

impl Mechanism for ForestClassifier {
    type Input = Classified;
    type Output = ForestClassifierModel;

    fn spec(&self) -> MechanismSpec {
        self.forest.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.forest.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Classified,
        run: &mut Run<'_>,
    ) -> Result<ForestClassifierModel, MechanismError> {
        self.check(input)?;
        let labels = input.labels().iter();
        let labels: Vec<Option<f64>> =
            labels.map(|label| self.classes.place(*label).map(|_| f64::from(*label))).collect();
        let trees = self.forest.tally.grown(input.features(), &labels, &self.forest.noise, run)?;
        let columns = self.forest.tally.columns().clone();
        Ok(ForestClassifierModel { columns, trees, doubt: self.forest.doubt() })
    }
}

impl Learner for ForestClassifier {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.forest.tally.columns().count())
    }
}

/// Random trees for numbers.
///
/// # Guarantee
/// As for [`ForestClassifier`], but that a record adds one unit to the count of its leaf and its label,
/// clamped to its interval and at most one unit in size, to the sum of its leaf: √2 units in L2 and 2
/// in L1 for each tree that it is in. A record whose label is NaN is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestRegressor {
    forest: Forest,
    label: Interval,
}

impl ForestRegressor {
    /// A forest for these columns and labels of an interval.
    ///
    /// # Errors
    /// As for [`ForestClassifier::new`].
    pub fn new(
        columns: Columns,
        label: Interval,
        privacy: &Privacy,
        options: ForestOptions,
    ) -> Result<Self, LearnError> {
        Ok(Self { forest: Forest::new(columns, Label::Number, privacy, options)?, label })
    }
}

impl Mechanism for ForestRegressor {
    type Input = Measured;
    type Output = ForestRegressorModel;

    fn spec(&self) -> MechanismSpec {
        self.forest.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.forest.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Measured,
        run: &mut Run<'_>,
    ) -> Result<ForestRegressorModel, MechanismError> {
        self.check(input)?;
        let labels = input.labels().iter().map(|label| self.label.known(*label)).collect();
        let labels: Vec<Option<f64>> = labels;
        let trees = self.forest.tally.grown(input.features(), &labels, &self.forest.noise, run)?;
        let columns = self.forest.tally.columns().clone();
        Ok(ForestRegressorModel { columns, label: self.label, trees, least: self.forest.doubt() })
    }
}

impl Learner for ForestRegressor {
    fn check(&self, input: &Measured) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.forest.tally.columns().count())
    }
}
