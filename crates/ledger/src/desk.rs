//! Group commit: whoever comes first takes everybody's entries along.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::clerk::{Clerk, Entry, Outcome};
use crate::error::{LedgerError, Result};

/// A queue of entries before one clerk.
///
/// A thread whose entry finds nobody at the desk leads: it hands the whole queue to the clerk, who
/// records it in one transaction with one sync of the disk. Entries that come meanwhile gather; when
/// the leader is done, the first of them leads the next group. So the number of syncs does not grow
/// with the number of threads, and nobody waits for more than two.
#[derive(Debug)]
pub(crate) struct Desk {
    queue: Mutex<Queue>,
    clerk: Mutex<Clerk>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<(Entry, Arc<Slot>)>,
    /// Whether somebody leads, or has been told to.
    led: bool,
}

/// Where a thread waits for its turn or its outcome.
#[derive(Debug, Default)]
struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Waiting,
    Lead,
    Done(Result<Outcome>),
}

/// A lock that outlives panics: the clerk knows by itself when it was interrupted.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    fn set(&self, state: State) {
        *lock(&self.state) = state;
        self.changed.notify_one();
    }

    /// Waits; `None` means that this thread is to lead.
    fn wait(&self) -> Option<Result<Outcome>> {
        let mut state = lock(&self.state);
        loop {
            match std::mem::take(&mut *state) {
                State::Done(outcome) => return Some(outcome),
                State::Lead => return None,
                State::Waiting => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl Desk {
    pub(crate) fn new(clerk: Clerk) -> Self {
        Self { queue: Mutex::default(), clerk: Mutex::new(clerk) }
    }

    pub(crate) fn clerk(&self) -> MutexGuard<'_, Clerk> {
        lock(&self.clerk)
    }

    /// Has an entry recorded; it is durable when this returns.
    pub(crate) fn submit(&self, entry: Entry) -> Result<Outcome> {
        let slot = Arc::new(Slot::default());
        let mut queue = lock(&self.queue);
        queue.waiting.push((entry, Arc::clone(&slot)));
        let leads = !std::mem::replace(&mut queue.led, true);
        drop(queue);
        if !leads && let Some(outcome) = slot.wait() {
            return outcome;
        }
        self.lead();
        slot.wait().unwrap_or_else(|| Err(interrupted()))
    }

    /// Takes everybody's entries to the clerk, and then tells the next to lead.
    fn lead(&self) {
        let (entries, slots) = std::mem::take(&mut lock(&self.queue).waiting).into_iter().unzip();
        let mut group = Group { desk: self, slots };
        let entries: Vec<Entry> = entries;
        let outcomes = self.clerk().record(&entries);
        for (slot, outcome) in std::mem::take(&mut group.slots).into_iter().zip(outcomes) {
            slot.set(State::Done(outcome));
        }
    }
}

/// Those who wait for one leader. However the leader ends, nobody is left waiting.
struct Group<'a> {
    desk: &'a Desk,
    slots: Vec<Arc<Slot>>,
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        for slot in &self.slots {
            slot.set(State::Done(Err(interrupted())));
        }
        let mut queue = lock(&self.desk.queue);
        match queue.waiting.first() {
            None => queue.led = false,
            Some((_, next)) => next.set(State::Lead),
        }
    }
}

fn interrupted() -> LedgerError {
    LedgerError::io("the entry was interrupted; it may or may not be recorded")
}
