//! Sums of gradients over a batch, chunk by chunk: memory does not grow with the batch.

use throng_mechanism::MechanismError;

use super::alike;
use super::chunk::{Chunk, Gradients};
use super::clip::{Clipped, Group};
use super::grid::ROWS;
use super::layer::Stage;
use super::records::Records;
use super::total::Total;

/// Room for one chunk and for the sums.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) chunk: Chunk,
    pub(super) clipped: Clipped,
    total: Total,
    gradient: Vec<f32>,
}

impl Batch {
    /// With chunks whose heights are multiples of `block`.
    pub(super) fn new(stages: &[Stage], block: usize) -> Self {
        let mut chunk = Chunk::new(stages);
        chunk.block = block;
        Self {
            chunk,
            clipped: Clipped::new(stages),
            total: Total::new(stages),
            gradient: Vec::new(),
        }
    }

    /// Of which number the heights of chunks may be multiples on this machine, so that records are treated
    /// alike wherever they are, and however many: of a small one; or all chunks have the same.
    ///
    /// # Errors
    /// If they are not treated alike even then.
    pub(super) fn alike(stages: &[Stage]) -> Result<usize, MechanismError> {
        let mut chunk = Chunk::new(stages);
        if alike::check(stages, &mut chunk).is_err() {
            chunk.block = ROWS;
            alike::check(stages, &mut chunk)?;
        }
        Ok(chunk.block)
    }

    /// The exact sum of clipped gradients, in steps of the grid.
    pub(super) fn clipped(
        &mut self,
        stages: &[Stage],
        parameters: &[f32],
        records: &Records,
        places: &[usize],
        (groups, clip): (&[Group], f64),
    ) -> &Total {
        self.total.clear();
        for places in evenly(places) {
            self.send(stages, parameters, records, places);
            self.chunk.backward(stages, parameters, Gradients::Each);
            self.clipped.clip(&mut self.chunk, stages, groups, clip);
            self.total.add(&self.chunk, &self.clipped, stages);
        }
        &self.total
    }

    /// The sums that were formed last.
    pub(super) const fn total(&self) -> &Total {
        &self.total
    }

    /// The sum of gradients as they are.
    pub(super) fn plain(
        &mut self,
        stages: &[Stage],
        parameters: &[f32],
        records: &Records,
        places: &[usize],
    ) -> &mut [f32] {
        self.gradient.clear();
        self.gradient.resize(parameters.len(), 0.0);
        for places in evenly(places) {
            self.send(stages, parameters, records, places);
            self.chunk.backward(stages, parameters, Gradients::Sum(&mut self.gradient));
        }
        &mut self.gradient
    }

    fn send(&mut self, stages: &[Stage], parameters: &[f32], records: &Records, places: &[usize]) {
        let outputs = stages.last().map_or(1, |stage| stage.onto.len());
        records.load(places, &mut self.chunk);
        self.chunk.forward(stages, parameters);
        self.chunk.lose(outputs, records.truths(places));
    }
}

/// As few chunks as there can be, of about the same size.
fn evenly(places: &[usize]) -> impl Iterator<Item = &[usize]> {
    let chunks = places.len().div_ceil(ROWS).max(1);
    places.chunks(places.len().div_ceil(chunks).max(1))
}
