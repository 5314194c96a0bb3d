//! Randomness that is recorded when first asked for, and then the same again.

use std::collections::BTreeMap;

use throng_sample::Entropy;

use super::{Recorder, Trace};
use crate::{AuditError, Outcome};

/// Recorded randomness: a page for what comes before the first primitive, and one from each primitive
/// on.
///
/// So a primitive reads the same bytes in both runs, even if one of them used more randomness before
/// it: what is different after it is not so by accident.
pub struct Tape {
    source: Box<dyn Entropy>,
    pages: Vec<Vec<u8>>,
    /// What primitives handed over when first run, if later runs are to go on from the same.
    answers: Option<BTreeMap<usize, Vec<i64>>>,
}

impl Tape {
    /// A blank tape.
    #[must_use]
    pub const fn new(source: Box<dyn Entropy>) -> Self {
        Self { source, pages: Vec::new(), answers: None }
    }

    /// Wipes it.
    pub fn forget(&mut self) {
        self.pages.clear();
        self.answers = None;
    }

    /// From now on the second run and all later ones go on from the answers of the first: what a primitive
    /// adds to is its own, and what comes out is the same.
    pub fn couple(&mut self) {
        self.answers = Some(BTreeMap::new());
    }

    /// Puts the first answer of a primitive in the place of a later one; whether runs are coupled.
    #[cfg(feature = "replay")]
    pub(super) fn settle(&mut self, page: usize, answer: &mut [i64]) -> bool {
        let Some(answers) = &mut self.answers else { return false };
        let first = answers.entry(page).or_insert_with(|| answer.to_vec());
        if first.len() == answer.len() {
            answer.copy_from_slice(first);
        }
        true
    }

    /// Runs something that reads the tape from its start, and records what it does.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn record(
        &mut self,
        run: impl FnOnce(&mut Recorder<'_>) -> Result<Outcome, String>,
    ) -> Result<Trace, AuditError> {
        let mut recorder = Recorder::on(self);
        let outcome = run(&mut recorder);
        recorder.into_trace(outcome)
    }

    /// Bytes of a page from some place on.
    pub(super) fn read(
        &mut self,
        page: usize,
        from: usize,
        bytes: &mut [u8],
    ) -> Result<(), throng_sample::EntropyError> {
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Vec::new);
        }
        let short = || throng_sample::EntropyError::new("the tape is at its end");
        let written = self.pages.get_mut(page).ok_or_else(short)?;
        let end = from.checked_add(bytes.len()).ok_or_else(short)?;
        let known = written.len();
        if known < end {
            written.resize(end, 0);
            self.source.fill(written.get_mut(known..).ok_or_else(short)?)?;
        }
        bytes.copy_from_slice(written.get(from..end).ok_or_else(short)?);
        Ok(())
    }
}
