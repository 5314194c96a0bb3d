//! Round after round: a shape, noisy sums, leaves.

use throng_mechanism::{MechanismError, Run};

use super::Boosting;
use crate::draws::Draws;
use crate::error::unless_given_up;
use crate::math::number;
use crate::tree::Tree;
use crate::tree::codes::Codes;
use crate::tree::shape::Shape;
use crate::{Matrix, contribution};

/// No leaf moves a score by more than this at once.
const LARGEST: f64 = 2.0;

/// The records of a fit: what they look like, what they are, and what the trees so far say of them.
pub(super) struct Records<'a> {
    codes: Codes,
    labels: &'a [Option<f64>],
    /// A row of scores for each record.
    scores: Vec<f64>,
    /// The leaf of each record in the tree of the round.
    leaves: Vec<u16>,
}

impl Boosting {
    /// All trees; a record without a label is left out.
    pub(super) fn trees(
        &self,
        features: &Matrix<f64>,
        labels: &[Option<f64>],
        run: &mut Run<'_>,
    ) -> Result<Vec<Tree>, MechanismError> {
        let codes = Codes::of(&self.columns, features);
        let scores = vec![0.0; codes.rows() * self.loss.outputs()];
        let mut records = Records { codes, labels, scores, leaves: Vec::new() };
        let shapes = self.shapes(&mut Draws::new(run.entropy()))?;
        let mut trees = Vec::with_capacity(shapes.len());
        for shape in shapes {
            unless_given_up()?;
            let mut sums = self.sums(&shape, &mut records);
            self.noise.add(&mut sums, run)?;
            let tree = Tree { values: self.values(&sums), shape };
            self.follow(&tree, &mut records);
            trees.push(tree);
        }
        Ok(trees)
    }

    /// The shapes of all trees; the first asks nothing, so that the others need not learn how frequent
    /// classes are. Columns come in turns, in a new random order each time.
    fn shapes(&self, draws: &mut Draws<'_>) -> Result<Vec<Shape>, MechanismError> {
        let mut shapes = vec![Shape::root()];
        let mut turn = Vec::new();
        for _ in 1..self.plan.trees {
            let mut asked = Vec::with_capacity(self.plan.depth);
            for _ in 0..self.plan.depth {
                if turn.is_empty() {
                    turn = draws.order(self.columns.count())?;
                }
                asked.extend(turn.pop());
            }
            shapes.push(Shape::draw(&self.columns, &asked, self.plan.parts, draws)?);
        }
        Ok(shapes)
    }

    /// The sums of gradients and curvatures in each leaf, before noise.
    pub(super) fn sums(&self, shape: &Shape, records: &mut Records<'_>) -> Vec<i64> {
        let outputs = self.loss.outputs();
        let (mut work, mut part) = (vec![0.0; outputs], vec![0_i64; 2 * outputs]);
        let mut sums = vec![0_i64; shape.leaves() * 2 * outputs];
        shape.leaves_of(&records.codes, &mut records.leaves);
        let known = records.leaves.iter().zip(records.labels);
        for ((leaf, label), scores) in known.zip(records.scores.chunks_exact(outputs)) {
            let Some(label) = label else { continue };
            self.loss.contribute(*label, scores, &mut work, &mut part);
            let start = usize::from(*leaf) * 2 * outputs;
            let cells = sums.get_mut(start..start + 2 * outputs).unwrap_or(&mut []);
            cells.iter_mut().zip(&part).for_each(|(cell, x)| *cell = cell.saturating_add(*x));
        }
        sums
    }

    /// What each leaf says: a part of a Newton step, a smaller part where the noise of the gradient is
    /// large beside the curvature.
    fn values(&self, sums: &[i64]) -> Matrix<f64> {
        let (outputs, units) = (self.loss.outputs(), self.loss.units());
        let doubt = contribution::deviation(&self.noise) / units.gradient;
        let ridge = self.plan.ridge + self.plan.caution * doubt;
        let mut values = Matrix::filled(sums.len() / (2 * outputs), outputs, 0.0);
        for (leaf, cells) in sums.chunks_exact(2 * outputs).enumerate() {
            let (gradients, curvatures) = cells.split_at(outputs);
            let cells = gradients.iter().zip(curvatures);
            for (out, (gradient, curvature)) in values.row_mut(leaf).iter_mut().zip(cells) {
                let gradient = number(*gradient) / units.gradient;
                let curvature = (number(*curvature) / units.curvature).max(0.0);
                let step = self.plan.rate * gradient / (curvature + ridge);
                *out = step.clamp(-LARGEST, LARGEST);
            }
        }
        values
    }

    /// Adds what a tree says to the scores of the records.
    fn follow(&self, tree: &Tree, records: &mut Records<'_>) {
        let rows = records.scores.chunks_exact_mut(self.loss.outputs());
        for (leaf, scores) in records.leaves.iter().zip(rows) {
            let said = tree.values.row(usize::from(*leaf));
            scores.iter_mut().zip(said).for_each(|(score, x)| *score += x);
        }
    }
}

#[cfg(test)]
mod tests {
    use throng_sample::SeededEntropy;

    use super::super::{Boosting, BoostingOptions, loss};
    use super::*;
    use crate::boosting::loss::Loss;
    use crate::columns::{Column, Columns};
    use crate::{Interval, Privacy};

    /// With and without a record, whatever the scores so far, sums differ by no more than declared.
    #[test]
    fn a_hostile_record_moves_the_sums_by_no_more_than_declared() {
        let number = Column::Number(Interval::new(-3.0, 7.0).unwrap());
        let columns =
            Columns::new(vec![number, Column::Category(3), Column::Category(900)]).unwrap();
        let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
        let odd = [-3.0, 7.0, 2.0, f64::NAN, f64::INFINITY, -1e300, 899.0];
        for loss in [Loss::Logistic, Loss::Softmax(3), Loss::Squared(0.5)] {
            let options = BoostingOptions { depth: 2, ..Default::default() };
            let learner = Boosting::new(columns.clone(), loss, &privacy, &options).unwrap();
            let mut entropy = SeededEntropy::new(5);
            let shapes = learner.shapes(&mut Draws::new(&mut entropy)).unwrap();
            for (a, b) in odd.iter().flat_map(|a| odd.map(|b| (*a, b))) {
                let rows = Matrix::from_rows(&[[1.0, 1.0, 3.0], [a, b, a]]);
                let sums = |rows: &Matrix<f64>, labels: &[Option<f64>]| {
                    let codes = Codes::of(&learner.columns, rows);
                    let width = loss.outputs();
                    let scores =
                        [0.3, -2.0, 1.0, 9.0, -30.0, 2.0].iter().copied().take(rows.rows() * width);
                    let scores = scores.collect();
                    let mut records = Records { codes, labels, scores, leaves: Vec::new() };
                    learner.sums(&shapes[3], &mut records)
                };
                let both = sums(&rows, &[Some(1.0), Some(0.0)]);
                let one = sums(&rows.select(&[0]), &[Some(1.0)]);
                let change: Vec<i64> = both.iter().zip(&one).map(|(a, b)| a - b).collect();
                assert!(contribution::square(&change).unwrap() <= loss::MOST);
                assert_eq!(sums(&rows, &[Some(1.0), None]), one);
            }
        }
    }
}
