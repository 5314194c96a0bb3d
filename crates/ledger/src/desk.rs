//! Group commit: whoever gets to the clerk first takes everybody's entries along.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clerk::{Clerk, Entry, Outcome};
use crate::error::{LedgerError, Result};

type Slot = Arc<Mutex<Option<Result<Outcome>>>>;

/// A queue of entries before one clerk.
///
/// A thread puts its entry into the queue and waits for the clerk. When it gets there, either an
/// earlier one has had its entry recorded with others, or it takes the whole queue and has it
/// recorded in one transaction, with one sync of the disk. So while one sync is under way, entries
/// gather for the next.
#[derive(Debug)]
pub(crate) struct Desk {
    queue: Mutex<Vec<(Entry, Slot)>>,
    clerk: Mutex<Clerk>,
}

/// A lock that outlives panics: the clerk knows by itself when it was interrupted.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    pub(crate) fn new(clerk: Clerk) -> Self {
        Self { queue: Mutex::new(Vec::new()), clerk: Mutex::new(clerk) }
    }

    pub(crate) fn clerk(&self) -> MutexGuard<'_, Clerk> {
        lock(&self.clerk)
    }

    /// Has an entry recorded; it is durable when this returns.
    pub(crate) fn submit(&self, entry: Entry) -> Result<Outcome> {
        let slot = Slot::default();
        lock(&self.queue).push((entry, Arc::clone(&slot)));
        let mut clerk = self.clerk();
        if lock(&slot).is_none() {
            let (entries, slots): (Vec<_>, Vec<_>) =
                std::mem::take(&mut *lock(&self.queue)).into_iter().unzip();
            for (outcome, slot) in clerk.record(&entries).into_iter().zip(slots) {
                *lock(&slot) = Some(outcome);
            }
        }
        drop(clerk);
        // Nobody has an outcome for an entry whose transaction was interrupted by a panic.
        lock(&slot).take().unwrap_or_else(|| Err(LedgerError::io("the entry was interrupted")))
    }
}
