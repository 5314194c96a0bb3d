//! Whether this machine treats a record alike wherever it is in a chunk.
//!
//! The guarantee needs that what a record contributes depends on nothing but itself and the weights. The
//! library's matrix products choose instructions by machine, so this is looked at on this machine, with
//! these shapes, before data is touched: a row of made-up numbers, with made-up weights, must give the same
//! bits in every place, in chunks of every height, and with any other rows around it.

use throng_mechanism::MechanismError;

use super::chunk::{Chunk, Gradients};
use super::grid::ROWS;
use super::layer::Stage;

/// # Errors
/// If it does not.
pub(super) fn check(stages: &[Stage], chunk: &mut Chunk) -> Result<(), MechanismError> {
    let length = stages.iter().map(Stage::parameters).sum();
    let parameters: Vec<f32> = (0..length).map(|at| 0.3 * (made_up(at, 7) - 0.49)).collect();
    // Once all rows alike, then the same row in a few places among others.
    let alike = pass(stages, &parameters, chunk, ROWS, |_| true);
    let reference = row(chunk, 0);
    let mut same = alike && (1..ROWS).all(|place| row(chunk, place) == reference);
    for phase in 0..4 {
        let kept = |place: usize| place % 4 == phase;
        same &= pass(stages, &parameters, chunk, ROWS, kept);
        same &= (0..ROWS).filter(|place| kept(*place)).all(|place| row(chunk, place) == reference);
    }
    for height in (chunk.block..ROWS).step_by(chunk.block) {
        same &= pass(stages, &parameters, chunk, height, |place| place % 3 == 0);
        same &= (0..height).step_by(3).all(|place| row(chunk, place) == reference);
    }
    if same {
        return Ok(());
    }
    Err(MechanismError::Refused {
        what: "matrix products on this machine depend on the place of a row".to_owned(),
        hint: "train on another machine; please report this one".to_owned(),
    })
}

/// Forward and backward; `false` if there is nothing to send.
fn pass(
    stages: &[Stage],
    parameters: &[f32],
    chunk: &mut Chunk,
    height: usize,
    kept: impl Fn(usize) -> bool,
) -> bool {
    let (Some(first), Some(last)) = (stages.first(), stages.last()) else { return false };
    let (columns, classes) = (first.from.len(), last.onto.len());
    if let Some(values) = chunk.values.first_mut() {
        for (place, row) in values.chunks_exact_mut(columns).enumerate() {
            let salt = if kept(place) { 0 } else { place + 1 };
            row.iter_mut().enumerate().for_each(|(at, x)| *x = made_up(at, salt));
        }
    }
    chunk.count = height;
    chunk.forward(stages, parameters);
    chunk.lose(classes, (0..ROWS).map(|place| if kept(place) { 0 } else { place % classes }));
    chunk.backward(stages, parameters, Gradients::Each);
    true
}

/// A multiple of 1/64 in [0, 1) without a pattern.
fn made_up(at: usize, salt: usize) -> f32 {
    let mixed = (at + 31 * salt + 1).wrapping_mul(2_654_435_761) >> 7;
    super::float::float(mixed % 64) / 64.0
}

/// The bits of all that was computed for the record in a place.
fn row(chunk: &Chunk, place: usize) -> Vec<u32> {
    let tables = chunk.values.iter().chain(&chunk.deltas).chain(&chunk.filters);
    let part = |table: &Vec<f32>| {
        let columns = table.len() / ROWS;
        table[place * columns..(place + 1) * columns]
            .iter()
            .map(|x| x.to_bits())
            .collect::<Vec<_>>()
    };
    tables.flat_map(part).collect()
}
