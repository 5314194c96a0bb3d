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
        Self { rooms: vec![Batch::new(stages, block)], most, block }
    }

    /// As many threads as the machine runs at a time.
    pub(super) fn of_machine(stages: &[Stage], block: usize) -> Self {
        Self::new(stages, thread::available_parallelism().map_or(1, NonZero::get), block)
    }

    /// The sums of clipped gradients and the count, in steps of the grid.
    pub(super) fn clipped(&mut self, task: Task<'_>, places: &[usize], sums: &mut Vec<i64>) {
        let work = places.len().saturating_mul(work(task.stages));
        let threads = self.most.min(places.len() / ROWS).min(work / WORTH).max(1);
        let each = places.len().div_ceil(threads).max(1).next_multiple_of(ROWS);
        while self.rooms.len() < threads {
            self.rooms.push(Batch::new(task.stages, self.block));
        }
        let mut parts = places.chunks(each).zip(&mut self.rooms);
        let Some((own, room)) = parts.next() else {
            sums.clear();
            sums.resize(task.parameters.len() + 1, 0);
            return;
        };
        thread::scope(|scope| {
            let others: Vec<_> = parts
                .map(|(places, room)| {
                    scope.spawn(move || {
                        let mut sums = Vec::new();
                        sum(room, task, places, &mut sums);
                        sums
                    })
                })
                .collect();
            sum(room, task, own, sums);
            for other in others {
                let part = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
            }
        });
    }
}

fn sum(room: &mut Batch, task: Task<'_>, places: &[usize], sums: &mut Vec<i64>) {
    let how = (task.groups, task.clip);
    room.clipped(task.stages, task.parameters, task.records, places, how).write(task.weight, sums);
}

/// About how many operations a record takes.
fn work(stages: &[Stage]) -> usize {
    let each = |stage: &Stage| stage.weights().saturating_mul(stage.onto.height * stage.onto.width);
    stages.iter().map(each).fold(0, usize::saturating_add).saturating_mul(6)
}
