//! Exact sums of clipped contributions.
//!
//! The contributions of a chunk to a dense stage are one or two matrix products of whole numbers, exact in
//! single precision (see [`super::grid`]); chunks are added up in double precision, which is exact for whole
//! numbers below 2^51: so for up to 2^34 records, more than memory holds.

use super::chunk::Chunk;
use super::clip::{Clipped, Outcome};
use super::float::{Rows, rows, wide};
use super::grid::{HALF, INPUT};
use super::layer::{Kind, Stage};

/// Sums of contributions, in steps of the gradient's grid.
#[derive(Debug)]
pub(super) struct Total {
    sums: Vec<f64>,
    /// Records within the clip norm, less those that were not.
    surplus: i64,
    product: Vec<f32>,
    /// Whether anything was added since the sums were cleared; if not, they hold what was before.
    begun: bool,
}

impl Total {
    pub(super) fn new(stages: &[Stage]) -> Self {
        let dense = stages.iter().filter(|stage| stage.kind == Kind::Dense);
        let largest = dense.map(Stage::weights).max().unwrap_or(0);
        let parameters = stages.iter().map(Stage::parameters).sum();
        Self { sums: vec![0.0; parameters], surplus: 0, product: vec![0.0; largest], begun: true }
    }

    /// Nothing.
    pub(super) fn clear(&mut self) {
        self.begun = false;
        self.surplus = 0;
    }

    /// Adds the contributions of a chunk.
    pub(super) fn add(&mut self, chunk: &Chunk, clipped: &Clipped, stages: &[Stage]) {
        for outcome in &clipped.outcomes {
            self.surplus += if *outcome == Outcome::Within { 1 } else { -1 };
        }
        for (at, stage) in stages.iter().enumerate() {
            match stage.kind {
                Kind::Dense => {
                    // Inputs of the first stage are at most 1: all rows at once stay exact.
                    let most = if at == 0 { chunk.rows() } else { HALF };
                    let inputs = rows(chunk.on_grid(at), stage.from.len());
                    let deltas = rows(&clipped.deltas[at], stage.onto.len());
                    self.add_biases(stage, &clipped.deltas[at][..chunk.count * stage.onto.len()]);
                    for start in (0..chunk.rows()).step_by(most.max(1)) {
                        let part = start..(start + most).min(chunk.rows());
                        let add = self.begun || start > 0;
                        self.add_weights(stage, inputs.part(part.clone()), deltas.part(part), add);
                    }
                }
                Kind::Convolution(_) => {
                    let range = stage.start..stage.start + stage.parameters();
                    let sums = &mut self.sums[range];
                    if !self.begun {
                        sums.fill(0.0);
                    }
                    let own = chunk.filters[at].chunks_exact(stage.parameters());
                    for filters in own.take(chunk.count) {
                        add(filters, 1.0, sums);
                    }
                }
                Kind::MaxPool(_) | Kind::AveragePool(_) => {}
            }
        }
        self.begun = true;
    }

    fn add_weights(&mut self, stage: &Stage, inputs: Rows<'_>, deltas: Rows<'_>, more: bool) {
        let product = &mut self.product[..stage.weights()];
        inputs.transposed_times(deltas, product);
        let (weights, _) = stage.of_mut(&mut self.sums);
        if more {
            return add(product, INPUT, weights);
        }
        wide(|| {
            for (sum, x) in weights.iter_mut().zip(&*product) {
                *sum = f64::from(x * INPUT);
            }
        });
    }

    fn add_biases(&mut self, stage: &Stage, deltas: &[f32]) {
        let (_, biases) = stage.of_mut(&mut self.sums);
        if !self.begun {
            biases.fill(0.0);
        }
        for row in deltas.chunks_exact(stage.onto.len()) {
            add(row, INPUT, biases);
        }
    }

    /// The sums as whole numbers, and at the end the surplus times `weight`.
    pub(super) fn write(&self, weight: i64, out: &mut Vec<i64>) {
        out.resize(self.sums.len(), 0);
        let begun = self.begun;
        wide(|| {
            for (out, sum) in out.iter_mut().zip(&self.sums) {
                *out = if begun { integer(*sum) } else { 0 };
            }
        });
        out.push(self.surplus.saturating_mul(weight));
    }
}

fn add(values: &[f32], factor: f32, sums: &mut [f64]) {
    wide(|| {
        for (sum, x) in sums.iter_mut().zip(values) {
            *sum += f64::from(x * factor);
        }
    });
}

/// A whole number below 2^51 in size, as one: added to 1.5 · 2^52 it stands in the last bits.
#[inline]
const fn integer(x: f64) -> i64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    (x + SHIFT).to_bits().cast_signed() - SHIFT.to_bits().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_stay_what_they_are() {
        for x in [0_i32, 1, -1, 77, -131_072, i32::MAX, i32::MIN] {
            assert_eq!(integer(f64::from(x)), i64::from(x));
            assert_eq!(integer(f64::from(x) * 65_536.0), i64::from(x) * 65_536);
        }
    }
}
