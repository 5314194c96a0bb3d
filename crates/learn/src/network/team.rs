//! A batch divided among threads.
//!
//! What threads compute are sums of whole numbers, which are the same however the records are
//! divided; noise is drawn by the one thread that called.

use std::num::NonZero;
use std::thread;

use super::batch::Batch;
use super::clip::Group;
use super::grid::ROWS;
use super::layer::Stage;
use super::records::Records;

/// A thread is worth its start from this many operations on.
const WORTH: usize = 1 << 24;

/// Room for each thread.
#[derive(Debug)]
pub(super) struct Team {
    rooms: Vec<Batch>,
    most: usize,
    block: usize,
    /// How many rooms hold a part of the sums.
    used: usize,
    /// How many sums there are beside the count.
    parameters: usize,
    /// What a record adds to the count.
    weight: i64,
}

/// What a batch is summed with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) stages: &'a [Stage],
    pub(super) parameters: &'a [f32],
    pub(super) records: &'a Records,
    pub(super) groups: &'a [Group],
    pub(super) clip: f64,
    /// What a record adds to the count.
    pub(super) weight: i64,
}

impl Team {
    /// At most so many threads, whose chunks have heights that are multiples of `block`
    /// ([`Batch::alike`]).
    pub(super) fn new(stages: &[Stage], most: usize, block: usize) -> Self {
        let rooms = vec![Batch::new(stages, block)];
        Self { rooms, most, block, used: 0, parameters: 0, weight: 0 }
    }

    /// As many threads as the machine runs at a time.
    pub(super) fn of_machine(stages: &[Stage], block: usize) -> Self {
        Self::new(stages, thread::available_parallelism().map_or(1, NonZero::get), block)
    }

    /// Sums up the clipped gradients of records, and counts them; then they can be read.
    pub(super) fn clipped(&mut self, task: Task<'_>, places: &[usize]) {
        let work = places.len().saturating_mul(work(task.stages));
        let threads = self.most.min(places.len() / ROWS).min(work / WORTH).max(1);
        let each = places.len().div_ceil(threads).max(1).next_multiple_of(ROWS);
        while self.rooms.len() < threads {
            self.rooms.push(Batch::new(task.stages, self.block));
        }
        self.used = places.chunks(each).len();
        (self.parameters, self.weight) = (task.parameters.len(), task.weight);
        let mut parts = places.chunks(each).zip(&mut self.rooms);
        let Some((own, room)) = parts.next() else { return };
        thread::scope(|scope| {
            for (places, room) in parts {
                scope.spawn(move || sum(room, task, places));
            }
            sum(room, task, own);
        });
    }

    /// The sums from `start` on, in steps of the grid; behind those for all parameters comes the count.
    pub(super) fn read(&self, start: usize, sums: &mut [i64]) {
        sums.fill(0);
        let end = self.parameters.clamp(start, start + sums.len());
        let (sums, count) = sums.split_at_mut(end - start);
        for room in &self.rooms[..self.used] {
            room.total().add_to(start, sums);
            for count in count.iter_mut().take(1) {
                *count += room.total().surplus().saturating_mul(self.weight);
            }
        }
    }
}

fn sum(room: &mut Batch, task: Task<'_>, places: &[usize]) {
    let how = (task.groups, task.clip);
    room.clipped(task.stages, task.parameters, task.records, places, how);
}

/// About how many operations a record takes.
fn work(stages: &[Stage]) -> usize {
    let each = |stage: &Stage| stage.weights().saturating_mul(stage.onto.height * stage.onto.width);
    stages.iter().map(each).fold(0, usize::saturating_add).saturating_mul(6)
}
