//! Round after round: a shape, noisy sums, leaves.

use throng_mechanism::{MechanismError, Run};

use super::Boosting;
use super::loss::{CURVATURE, GRADIENT};
use super::model::Tree;
use crate::draws::Draws;
use crate::math::{count, number};
use crate::tree::codes::Codes;
use crate::tree::shape::Shape;
use crate::{Matrix, contribution};

pub(super) fn boosted(
    learner: &Boosting,
    features: &Matrix<f64>,
    labels: &[Option<f64>],
    run: &mut Run<'_>,
) -> Result<Vec<Tree>, MechanismError> {
    let codes = Codes::of(&learner.columns, features);
    let outputs = learner.loss.outputs();
    let mut scores = vec![0.0; codes.rows() * outputs];
    let mut trees = Vec::new();
    let mut leaves = Vec::new();
    let (mut work, mut part) = (vec![0.0; outputs], vec![0_i64; 2 * outputs]);
    let o = &learner.options;
    for round in 0..o.trees {
        let shape = if round == 0 {
            Shape::root()
        } else {
            Shape::draw(&learner.columns, o.depth as usize, o.parts as usize, &mut Draws::new(run.entropy()))?
        };
        shape.leaves_of(&codes, &mut leaves);
        let mut sums = vec![0_i64; shape.leaves() * 2 * outputs];
        for ((leaf, label), scores) in leaves.iter().zip(labels).zip(scores.chunks_exact(outputs)) {
            let Some(label) = label else { continue };
            learner.loss.contribute(*label, scores, &mut work, &mut part);
            let start = usize::from(*leaf) * 2 * outputs;
            let cells = sums.get_mut(start..start + 2 * outputs).unwrap_or(&mut []);
            cells.iter_mut().zip(&part).for_each(|(cell, x)| *cell += x);
        }
        learner.noise.add(&mut sums, run)?;
        let tree = Tree { values: values(learner, &sums), shape };
        for (leaf, scores) in leaves.iter().zip(scores.chunks_exact_mut(outputs)) {
            let said = tree.values.row(usize::from(*leaf));
            scores.iter_mut().zip(said).for_each(|(score, x)| *score += x);
        }
        trees.push(tree);
    }
    Ok(trees)
}

fn values(learner: &Boosting, sums: &[i64]) -> Matrix<f64> {
    let outputs = learner.loss.outputs();
    let leaves = sums.len() / (2 * outputs);
    let o = &learner.options;
    let deviation = contribution::deviation(&learner.noise);
    let (on_gradient, on_curvature) = (deviation / GRADIENT, deviation / CURVATURE);
    let mut values = Matrix::filled(leaves, outputs, 0.0);
    let mut length = 0.0;
    for (leaf, cells) in sums.chunks_exact(2 * outputs).enumerate() {
        let (g, h) = cells.split_at(outputs);
        for ((out, g), h) in values.row_mut(leaf).iter_mut().zip(g).zip(h) {
            let (g, h) = (number(*g) / GRADIENT, number(*h) / CURVATURE);
            length += g * g;
            let h = h.max(0.0) + o.ridge + o.caution * on_curvature;
            let kept = (1.0 - o.shrink * on_gradient * on_gradient / (g * g).max(1e-12)).max(0.0);
            *out = (o.rate * kept * g / h).clamp(-1.0, 1.0);
        }
    }
    let _ = (length, count(leaves));
    values
}
