//! Contributions of bounded norm, in whole numbers.
//!
//! # Guarantee
//! What a record adds to the sums is a vector of whole numbers whose norm is at most the bound of its
//! group: the norm is computed in integers, without any rounding, from the very numbers that are
//! added up, and a contribution that fails is replaced. Nothing rests on how
//! accurate the norms in floating point are that the scale is chosen by.
//!
//! # How the scale is chosen
//! In steps of the grid, let g be a record's gradient, of norm |g|, and B the bound. For a dense stage the
//! gradient is d ⊗ a, for its delta d and its input a (with one more entry, of 1, for the bias), so its norm
//! is |d| |a|, and no gradient of a single record is ever formed (book-keeping). Each of the m entries of d
//! becomes one of the whole numbers next to it, so that small entries do not all become 0 ([`either`]). That
//! adds about |a|/2 at most in the direction of g, and across it on average a square of at most |a|² m/4, and
//! of at most |a|² Σ|d| <= |a| √m |g|. So first a norm t is aimed at, the larger one with
//! t² + |a|² m/4 = b² or t² + |a| √m t = b² for b = B - 3|a|/2, which nearly always passes; then
//! B - |a| √m, which passes by the triangle inequality but for the last digits of floating point, or t/2 if
//! that is more; then t/4; then the record is left out.
//!
//! # Reference
//! Bu, Wang, Zha, Karypis, *Differentially Private Optimization on Large Model at Small Cost* (2023).

use super::chunk::Chunk;
use super::float::{either, whole, wide};
use super::grid::{BOUND, INPUT, MOST_OUTPUT, OUTPUT};
use super::layer::{Kind, Stage};
use crate::math::{count, single};

/// The bias's input, in steps, squared.
const BIAS_SQUARE: u64 = 64 * 64;

/// The largest number of steps of an entry of a convolution's gradient; more than any that passes.
const MOST_ENTRY: f32 = 262_144.0;

/// What floating point may get wrong in a norm without a second attempt.
const SLACK: f64 = 1e-5;

/// Stages that are clipped together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    pub(super) stages: Vec<usize>,
    /// The largest square of the norm, in steps.
    pub(super) square: u64,
}

/// Whether a record's gradient was within the clip norm by itself, if it was used at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Within,
    Scaled,
    Left,
}

/// The whole numbers that one chunk adds.
#[derive(Debug)]
pub(super) struct Clipped {
    /// For each dense stage: deltas in steps, row by row; rows of the chunk without a record are 0.
    pub(super) deltas: Vec<Vec<f32>>,
    /// For each dense stage and row: the square of the norm of its inputs, bias included, in steps.
    squares: Vec<Vec<u64>>,
    /// How each record fared, in the worst of its groups.
    pub(super) outcomes: Vec<Outcome>,
}

impl Clipped {
    pub(super) fn new(stages: &[Stage]) -> Self {
        let dense = |stage: &Stage| match stage.kind {
            Kind::Dense => super::grid::ROWS,
            Kind::Convolution(_) | Kind::MaxPool(_) | Kind::AveragePool(_) => 0,
        };
        Self {
            deltas: stages.iter().map(|s| vec![0.0; dense(s) * s.onto.len()]).collect(),
            squares: stages.iter().map(|s| vec![0; dense(s)]).collect(),
            outcomes: Vec::new(),
        }
    }

    /// Clips the contributions of a chunk that went backward; those of convolutions are changed in place.
    pub(super) fn clip(
        &mut self,
        chunk: &mut Chunk,
        stages: &[Stage],
        groups: &[Group],
        clip: f64,
    ) {
        chunk.round_inputs();
        self.measure_inputs(chunk, stages);
        self.clear_unused(chunk, stages);
        self.outcomes.clear();
        for row in 0..chunk.count {
            let mut outcome = Outcome::Within;
            for group in groups {
                let found = self.clip_row(chunk, stages, group, clip, row);
                outcome = if found == Outcome::Within { outcome } else { found };
            }
            self.outcomes.push(outcome);
        }
    }

    /// Rows without a record add nothing.
    fn clear_unused(&mut self, chunk: &Chunk, stages: &[Stage]) {
        for (stage, deltas) in stages.iter().zip(&mut self.deltas) {
            let unused = chunk.count * stage.onto.len()..chunk.rows() * stage.onto.len();
            if let Some(unused) = deltas.get_mut(unused) {
                unused.fill(0.0);
            }
        }
    }

    /// Inputs on the grid are whole numbers of steps, so this is exact; those of the first stage were
    /// measured with the records.
    fn measure_inputs(&mut self, chunk: &Chunk, stages: &[Stage]) {
        for (at, (stage, squares)) in stages.iter().zip(&mut self.squares).enumerate() {
            if at == 0 {
                let pairs = squares.iter_mut().zip(&chunk.squares);
                pairs.for_each(|(square, own)| *square = own.saturating_add(BIAS_SQUARE));
                continue;
            }
            let rows = chunk.on_grid(at).chunks_exact(stage.from.len());
            for (row, square) in rows.take(chunk.count).zip(squares) {
                *square = square_of(row, |x| x * INPUT).saturating_add(BIAS_SQUARE);
            }
        }
    }

    fn clip_row(
        &mut self,
        chunk: &mut Chunk,
        stages: &[Stage],
        group: &Group,
        clip: f64,
        row: usize,
    ) -> Outcome {
        let measured = self.measure(chunk, stages, group, clip, row);
        let bound = count_of(group.square).sqrt();
        for aim in measured.aims(bound) {
            let aim = aim - SLACK * bound;
            let scale = if measured.norm <= aim { 1.0 } else { aim / measured.norm };
            if !(measured.norm.is_finite() && scale > 0.0) {
                break;
            }
            if self.round(chunk, stages, group, scale / clip, row) <= group.square {
                self.keep(chunk, stages, group, scale / clip, row);
                return if scale < 1.0 { Outcome::Scaled } else { Outcome::Within };
            }
        }
        self.leave(chunk, stages, group, row);
        Outcome::Left
    }

    /// The norm of a record's gradient, and what rounding can add, in steps.
    fn measure(
        &self,
        chunk: &Chunk,
        stages: &[Stage],
        group: &Group,
        clip: f64,
        row: usize,
    ) -> Measured {
        let (mut square, mut inputs, mut entries) = (0.0, 0.0, 0.0);
        for at in group.stages.iter().copied() {
            let stage = &stages[at];
            let (own, input, unit) = match stage.kind {
                Kind::Dense => (
                    nth(&chunk.deltas[at], row, stage.onto.len()),
                    count_of(self.squares[at][row]),
                    OUTPUT,
                ),
                Kind::Convolution(_) => {
                    (nth(&chunk.filters[at], row, stage.parameters()), 1.0, count_of(BOUND))
                }
                Kind::MaxPool(_) | Kind::AveragePool(_) => continue,
            };
            let factor = unit / clip;
            square += sum_of_squares(own, |x| x) * factor * factor * input;
            inputs += input;
            entries += count(own.len()) * input;
        }
        Measured { norm: square.sqrt(), usual: 1.5 * inputs.sqrt(), entries }
    }

    /// Rounds the scaled deltas of dense stages, and returns the exact square of the norm of what would be
    /// added.
    fn round(
        &mut self,
        chunk: &Chunk,
        stages: &[Stage],
        group: &Group,
        scale: f64,
        row: usize,
    ) -> u64 {
        let mut total = 0_u64;
        for at in group.stages.iter().copied() {
            let stage = &stages[at];
            let square = match stage.kind {
                Kind::Dense => {
                    let deltas = nth(&chunk.deltas[at], row, stage.onto.len());
                    let rounded = nth_mut(&mut self.deltas[at], row, stage.onto.len());
                    let factor = single(scale * OUTPUT);
                    let pairs = rounded.iter_mut().zip(deltas);
                    wide!({
                        for (rounded, delta) in pairs {
                            *rounded = either(delta * factor, *delta, MOST_OUTPUT);
                        }
                    });
                    square_of(rounded, |x| x).saturating_mul(self.squares[at][row])
                }
                Kind::Convolution(_) => {
                    let entries = nth(&chunk.filters[at], row, stage.parameters());
                    let factor = entry_factor(scale);
                    square_of(entries, |x| whole(x * factor, MOST_ENTRY))
                }
                Kind::MaxPool(_) | Kind::AveragePool(_) => 0,
            };
            total = total.saturating_add(square);
        }
        total
    }

    /// Puts the gradients of convolutions on the grid, as they were measured.
    fn keep(&self, chunk: &mut Chunk, stages: &[Stage], group: &Group, scale: f64, row: usize) {
        for at in group.stages.iter().copied() {
            if let Kind::Convolution(_) = stages[at].kind {
                let factor = entry_factor(scale);
                for entry in nth_mut(&mut chunk.filters[at], row, stages[at].parameters()) {
                    *entry = whole(*entry * factor, MOST_ENTRY);
                }
            }
        }
    }

    fn leave(&mut self, chunk: &mut Chunk, stages: &[Stage], group: &Group, row: usize) {
        for at in group.stages.iter().copied() {
            let stage = &stages[at];
            match stage.kind {
                Kind::Dense => nth_mut(&mut self.deltas[at], row, stage.onto.len()).fill(0.0),
                Kind::Convolution(_) => {
                    nth_mut(&mut chunk.filters[at], row, stage.parameters()).fill(0.0);
                }
                Kind::MaxPool(_) | Kind::AveragePool(_) => {}
            }
        }
    }
}

struct Measured {
    norm: f64,
    /// Three standard deviations of what rounding adds along the gradient.
    usual: f64,
    /// The square of the most that rounding adds.
    entries: f64,
}

impl Measured {
    /// Norms to scale to, one after the other.
    fn aims(&self, bound: f64) -> [f64; 3] {
        let least = (bound - self.usual).max(0.0);
        let (square, sure) = (least * least, self.entries.sqrt());
        let if_large = (square - self.entries / 4.0).max(0.0).sqrt();
        let if_small = ((self.entries + 4.0 * square).sqrt() - sure) / 2.0;
        let likely = if_large.max(if_small);
        [likely, (bound - sure).max(likely / 2.0), likely / 4.0]
    }
}

fn entry_factor(scale: f64) -> f32 {
    single(scale * count_of(BOUND))
}

/// The sum of the squares of whole numbers.
///
/// # Guarantee
/// Exact, or at least 2^52 if it is: up to there a double holds every partial sum, and sums of squares
/// never fall.
fn square_of(values: &[f32], map: impl Fn(f32) -> f32) -> u64 {
    whole_number(sum_of_squares(values, map))
}

/// In double precision, in eight sums that can be formed side by side.
fn sum_of_squares(values: &[f32], map: impl Fn(f32) -> f32) -> f64 {
    let square = |x: f32| f64::from(map(x)) * f64::from(map(x));
    wide!({
        let (eights, rest) = values.as_chunks::<8>();
        let mut sums = [0.0_f64; 8];
        for eight in eights {
            for (sum, x) in sums.iter_mut().zip(eight) {
                *sum += square(*x);
            }
        }
        sums.iter().sum::<f64>() + rest.iter().map(|x| square(*x)).sum::<f64>()
    })
}

/// A whole number of at least 0, as one; saturates.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
const fn whole_number(x: f64) -> u64 {
    x as u64
}

#[expect(clippy::cast_precision_loss, reason = "it chooses a scale, which is checked")]
const fn count_of(n: u64) -> f64 {
    n as f64
}

fn nth<T>(values: &[T], row: usize, columns: usize) -> &[T] {
    &values[row * columns..(row + 1) * columns]
}

fn nth_mut<T>(values: &mut [T], row: usize, columns: usize) -> &mut [T] {
    &mut values[row * columns..(row + 1) * columns]
}
