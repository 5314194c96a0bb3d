//! Taking turns: the same question, asked by many at once.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::desk::lock;
use crate::{Digest, Ledger};

/// The questions that somebody is about to answer.
#[derive(Debug, Default)]
pub struct Turns {
    taken: Mutex<HashSet<Digest>>,
    free: Condvar,
}

/// The right to be the only one of this process who deals with a question; ends when dropped.
#[derive(Debug)]
#[must_use = "the turn ends when it is dropped"]
pub struct Turn<'a> {
    turns: &'a Turns,
    question: Digest,
}

impl Turns {
    /// Waits until nobody else who takes turns here deals with the question.
    pub fn turn(&self, question: &Digest) -> Turn<'_> {
        let mut taken = lock(&self.taken);
        while !taken.insert(*question) {
            taken = self.free.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        Turn { turns: self, question: *question }
    }
}

impl Ledger {
    /// Waits until nobody else who uses this handle deals with the question.
    ///
    /// Whoever takes a turn, asks, and pays and stores if there is no answer yet, pays once however
    /// many ask: the others find the stored answer when their turn comes.
    /// Two *processes* may both pay if they ask at the same time, since one cannot know
    /// whether the other is at work or has died; both then give the same answer from then on.
    /// A thread that holds a turn must not wait for another one of the same question.
    pub fn turn(&self, question: &Digest) -> Turn<'_> {
        self.turns().turn(question)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.turns.taken).remove(&self.question);
        self.turns.free.notify_all();
    }
}
