//! Exact sums of clipped contributions.
//!
//! The contributions of a chunk to a dense stage are one or two matrix products of whole numbers, exact in
//! single precision (see [`super::grid`]); chunks are added up in double precision, which is exact for whole
//! numbers below 2^51: so for up to 2^34 records, more than memory holds. The products of the first stage, nearly
//! always the largest by far, are kept as they are for some chunks, and added up when they are read or when
//! there is no room for another.

use super::chunk::Chunk;
use super::clip::{Clipped, Outcome};
use super::float::{Rows, rows, wide};
use super::grid::{ENOUGH, HALF, INPUT, ROWS, SURE};
use super::layer::{Kind, Stage};

/// Products of the first stage that are kept.
const KEPT: usize = 4;

/// Numbers that are worked on at a time: they stay in the first-level cache.
const PART: usize = 1 << 10;

/// Sums of contributions, in steps of the gradient's grid.
#[derive(Debug)]
pub(super) struct Total {
    sums: Vec<f64>,
    /// Records within the clip norm, less those that were not.
    surplus: i64,
    product: Vec<f32>,
    /// How many weights the first stage has, if it is dense: they come first.
    first: usize,
    /// Products for those, of so many chunks; the others hold what was before.
    kept: Vec<Vec<f32>>,
    waiting: usize,
    /// Whether any of them were added to the sums since these were cleared; if not, those of the first
    /// weights hold what was before.
    flushed: bool,
    /// Whether anything was added since the sums were cleared; if not, all others hold what was before.
    begun: bool,
}

impl Total {
    pub(super) fn new(stages: &[Stage]) -> Self {
        let dense = |stage: &&Stage| stage.kind == Kind::Dense;
        let others = stages.iter().skip(1).filter(dense);
        let largest = others.map(Stage::weights).max().unwrap_or(0);
        let parameters = stages.iter().map(Stage::parameters).sum();
        let first = stages.first().filter(dense);
        Self {
            sums: vec![0.0; parameters],
            surplus: 0,
            product: vec![0.0; largest],
            first: first.map_or(0, Stage::weights),
            kept: Vec::new(),
            waiting: 0,
            flushed: false,
            begun: false,
        }
    }

    /// Nothing.
    pub(super) fn clear(&mut self) {
        self.begun = false;
        self.flushed = false;
        self.waiting = 0;
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
                    let inputs = rows(chunk.on_grid(at), stage.from.len());
                    let deltas = rows(&clipped.deltas[at], stage.onto.len());
                    self.add_biases(stage, &clipped.deltas[at][..chunk.count * stage.onto.len()]);
                    if at == 0 {
                        let used = &clipped.deltas[at][..chunk.rows() * stage.onto.len()];
                        let exact = chunk.rows() <= SURE || are_small(used, stage.onto.len());
                        let most = if exact { ROWS } else { SURE };
                        for start in (0..chunk.rows()).step_by(most) {
                            let part = start..(start + most).min(chunk.rows());
                            let (inputs, deltas) = (inputs.part(part.clone()), deltas.part(part));
                            inputs.transposed_times(deltas, self.place());
                        }
                        continue;
                    }
                    for start in (0..chunk.rows()).step_by(HALF) {
                        let part = start..(start + HALF).min(chunk.rows());
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

    /// A place for another product of the first stage.
    fn place(&mut self) -> &mut [f32] {
        if self.waiting == KEPT {
            self.flush();
        }
        if self.waiting == self.kept.len() {
            self.kept.push(vec![0.0; self.first]);
        }
        self.waiting += 1;
        &mut self.kept[self.waiting - 1]
    }

    /// Adds the products that are kept to the sums.
    fn flush(&mut self) {
        for (number, sums) in self.sums[..self.first].chunks_mut(PART).enumerate() {
            if !self.flushed {
                sums.fill(0.0);
            }
            for product in &self.kept[..self.waiting] {
                add(&product[number * PART..][..sums.len()], INPUT, sums);
            }
        }
        self.flushed = true;
        self.waiting = 0;
    }

    fn add_weights(&mut self, stage: &Stage, inputs: Rows<'_>, deltas: Rows<'_>, more: bool) {
        let product = &mut self.product[..stage.weights()];
        inputs.transposed_times(deltas, product);
        let (weights, _) = stage.of_mut(&mut self.sums);
        if more {
            return add(product, INPUT, weights);
        }
        wide!({
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

    /// Records within the clip norm, less those that were not.
    pub(super) const fn surplus(&self) -> i64 {
        self.surplus
    }

    /// Adds the sums from `start` on to whole numbers.
    pub(super) fn add_to(&self, start: usize, out: &mut [i64]) {
        let first = self.first.clamp(start, start + out.len()) - start;
        let (weights, others) = out.split_at_mut(first);
        for (number, out) in weights.chunks_mut(PART).enumerate() {
            let range = start + number * PART..start + number * PART + out.len();
            if self.flushed {
                add_whole(&self.sums[range.clone()], out);
            }
            for product in &self.kept[..self.waiting] {
                add_product(&product[range.clone()], out);
            }
        }
        if self.begun {
            let from = start + first;
            add_whole(&self.sums[from..from + others.len()], others);
        }
    }

    /// The sums as whole numbers, and at the end the surplus times `weight`.
    #[cfg(test)]
    pub(super) fn write(&self, weight: i64, out: &mut Vec<i64>) {
        out.clear();
        out.resize(self.sums.len(), 0);
        self.add_to(0, out);
        out.push(self.surplus.saturating_mul(weight));
    }
}

/// Whether the sums of the sizes of deltas, output by output, are at most [`ENOUGH`]: see [`super::grid`].
fn are_small(deltas: &[f32], outputs: usize) -> bool {
    let mut sums = vec![0.0; outputs];
    let sizes = sums.as_mut_slice();
    wide!({
        for row in deltas.chunks_exact(outputs.max(1)) {
            sizes.iter_mut().zip(row).for_each(|(sum, x)| *sum += x.abs());
        }
        // A NaN, which there is none of, would not do.
        sizes.iter().all(|sum| *sum <= ENOUGH)
    })
}

fn add_whole(sums: &[f64], out: &mut [i64]) {
    wide!({
        for (out, sum) in out.iter_mut().zip(sums) {
            *out += integer(*sum);
        }
    });
}

fn add_product(product: &[f32], out: &mut [i64]) {
    wide!({
        for (out, x) in out.iter_mut().zip(product) {
            *out += integer(f64::from(x * INPUT));
        }
    });
}

fn add(values: &[f32], factor: f32, sums: &mut [f64]) {
    wide!({
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

    /// At the limit that is allowed, and in the worst order, sums in single precision are exact; beyond it they
    /// need not be.
    #[test]
    fn sums_of_small_deltas_are_exact() {
        assert!(are_small(&[1000.0; 262 * 3], 3) && !are_small(&[1001.0; 262 * 3], 3));
        assert!(!are_small(&[f32::NAN; 3], 3) && are_small(&[], 3));
        // Inputs of 63/64 and 1/64, deltas that sum to 2^18.
        for (large, small) in [(4096.0_f32, 1.0_f32), (2047.0, 3.0)] {
            let (mut sum, mut left, mut exact) = (0.0_f32, ENOUGH, 0.0_f64);
            while left > 0.0 {
                for (delta, input) in [(large, 63.0 / 64.0), (small, 1.0 / 64.0)] {
                    let delta = delta.min(left);
                    left -= delta;
                    sum += delta * input;
                    exact += f64::from(delta) * f64::from(input);
                }
            }
            assert_eq!(f64::from(sum), exact);
        }
    }

    #[test]
    fn whole_numbers_stay_what_they_are() {
        for x in [0_i32, 1, -1, 77, -131_072, i32::MAX, i32::MIN] {
            assert_eq!(integer(f64::from(x)), i64::from(x));
            assert_eq!(integer(f64::from(x) * 65_536.0), i64::from(x) * 65_536);
        }
    }
}
