//! Exact sums of clipped contributions.
//!
//! The contributions of a chunk of dense stages are one matrix product of whole numbers, exact in single
//! precision (see [`super::grid`]); chunks are added up in double precision, which is exact for whole
//! numbers below 2^53: so for up to 2^36 records.

use super::chunk::Chunk;
use super::clip::{Clipped, Outcome};
use super::float::rows;
use super::grid::INPUT;
use super::layer::{Kind, Stage};

/// Sums of contributions, in steps of the gradient's grid.
#[derive(Debug)]
pub(super) struct Total {
    sums: Vec<f64>,
    /// Records within the clip norm, less those that were not.
    surplus: i64,
    product: Vec<f32>,
}

impl Total {
    pub(super) fn new(stages: &[Stage]) -> Self {
        let dense = stages.iter().filter(|stage| stage.kind == Kind::Dense);
        let largest = dense.map(Stage::weights).max().unwrap_or(0);
        let parameters = stages.iter().map(Stage::parameters).sum();
        Self { sums: vec![0.0; parameters], surplus: 0, product: vec![0.0; largest] }
    }

    /// Nothing.
    pub(super) fn clear(&mut self) {
        self.sums.fill(0.0);
        self.surplus = 0;
    }

    /// Adds the contributions of a chunk.
    pub(super) fn add(&mut self, chunk: &Chunk, clipped: &Clipped, stages: &[Stage]) {
        for outcome in &clipped.outcomes {
            self.surplus += if *outcome == Outcome::Within { 1 } else { -1 };
        }
        for (at, stage) in stages.iter().enumerate() {
            match stage.kind {
                Kind::Dense => self.add_dense(stage, chunk.on_grid(at), &clipped.deltas[at]),
                Kind::Convolution(_) => {
                    let range = stage.start..stage.start + stage.parameters();
                    let own = chunk.filters[at].chunks_exact(stage.parameters());
                    for filters in own.take(chunk.count) {
                        add(filters, 1.0, &mut self.sums[range.clone()]);
                    }
                }
                Kind::MaxPool(_) | Kind::AveragePool(_) => {}
            }
        }
    }

    fn add_dense(&mut self, stage: &Stage, inputs: &[f32], deltas: &[f32]) {
        let product = &mut self.product[..stage.weights()];
        let (from, onto) = (stage.from.len(), stage.onto.len());
        rows(inputs, from).transposed_times(rows(deltas, onto), product);
        let (weights, biases) = stage.of_mut(&mut self.sums);
        add(product, INPUT, weights);
        for row in deltas.chunks_exact(onto) {
            add(row, INPUT, biases);
        }
    }

    /// The sums as whole numbers, and at the end the surplus times `weight`.
    pub(super) fn write(&self, weight: i64, out: &mut Vec<i64>) {
        out.clear();
        out.extend(self.sums.iter().map(|sum| integer(*sum)));
        out.push(self.surplus.saturating_mul(weight));
    }
}

fn add(values: &[f32], factor: f32, sums: &mut [f64]) {
    for (sum, x) in sums.iter_mut().zip(values) {
        *sum += f64::from(x * factor);
    }
}

/// A whole number below 2^53 in size, as one.
#[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^53 by contract")]
const fn integer(x: f64) -> i64 {
    x as i64
}
