//! Whether this machine treats a record alike wherever it is in a chunk: see [`crate::alike`].

use throng_mechanism::MechanismError;

use super::chunk::{Chunk, Gradients};
use super::float::float;
use super::goal::Truth;
use super::grid::ROWS;
use super::layer::Stage;
use crate::alike::{self, Block, made_up};

/// Forward and backward with made-up weights.
///
/// # Errors
/// If it does not.
pub(super) fn check(stages: &[Stage], chunk: &mut Chunk) -> Result<(), MechanismError> {
    let length = stages.iter().map(Stage::parameters).sum();
    let parameters: Vec<f32> = (0..length).map(|at| 3e-4 * fraction(at, 7)).collect();
    alike::check_block(&mut Pass { stages, parameters: &parameters, chunk, backward: true })
}

/// Forward, with these weights.
///
/// # Errors
/// If it does not.
pub(super) fn check_forward(stages: &[Stage], parameters: &[f32]) -> Result<(), MechanismError> {
    let chunk = &mut Chunk::forward_only(stages);
    alike::check_block(&mut Pass { stages, parameters, chunk, backward: false })
}

/// A chunk of made-up records.
struct Pass<'a> {
    stages: &'a [Stage],
    parameters: &'a [f32],
    chunk: &'a mut Chunk,
    backward: bool,
}

impl Block for Pass<'_> {
    type Row = Vec<u32>;

    fn rows(&self) -> usize {
        ROWS
    }

    /// Products are as high as the records of a chunk need.
    fn heights(&self) -> Vec<usize> {
        (self.chunk.block..ROWS).step_by(self.chunk.block).collect()
    }

    fn compute(&mut self, height: usize, salt: &dyn Fn(usize) -> usize) {
        let (Some(first), Some(last)) = (self.stages.first(), self.stages.last()) else { return };
        let (columns, outputs) = (first.from.len(), last.onto.len());
        if let Some(values) = self.chunk.values.first_mut() {
            for (place, row) in values.chunks_exact_mut(columns).enumerate() {
                let salt = salt(place);
                let steps = |at: usize| made_up(at, salt).unsigned_abs() % 64;
                row.iter_mut().enumerate().for_each(|(at, x)| *x = f32::from(steps(at)) / 64.0);
            }
        }
        self.chunk.count = height;
        self.chunk.forward(self.stages, self.parameters);
        if self.backward {
            let truths = (0..ROWS).map(|place| Truth::made_up(outputs, salt(place)));
            self.chunk.lose(outputs, truths);
            self.chunk.backward(self.stages, self.parameters, Gradients::Each);
        }
    }

    /// The bits of all that was computed.
    fn row(&self, place: usize) -> Vec<u32> {
        let tables = self.chunk.values.iter().chain(&self.chunk.deltas).chain(&self.chunk.filters);
        let part = |table: &Vec<f32>| {
            let columns = table.len() / ROWS;
            let own = table.get(place * columns..(place + 1) * columns).unwrap_or(&[]);
            own.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        tables.flat_map(part).collect()
    }
}

/// A number from -490 to 510 without a pattern: the mean of a layer's weights is not 0.
fn fraction(at: usize, salt: usize) -> f32 {
    float(usize::from(made_up(at, salt).unsigned_abs())) - 490.0
}
