//! An answer, as it comes in line by line.

use super::ANSWER;
use super::pipe::shortened;
use crate::json::{self, Line};
use crate::{AuditError, Outcome, Outcomes};

/// The outcomes of one request so far.
pub(super) struct Answer {
    asked: usize,
    got: Vec<Outcome>,
}

impl Answer {
    pub(super) const fn new(asked: usize) -> Self {
        Self { asked, got: Vec::new() }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.got.is_empty()
    }

    pub(super) const fn is_whole(&self) -> bool {
        self.got.len() >= self.asked
    }

    /// How far it is, in words.
    pub(super) fn progress(&self) -> String {
        format!("after {} of {} outcomes", self.got.len(), self.asked)
    }

    /// Takes a line.
    pub(super) fn take(&mut self, line: &[u8], number: u64) -> Result<(), AuditError> {
        let garbage = |what: String| {
            let bytes = line.trim_ascii().len();
            let shown = shortened(line, 60);
            AuditError::target(
                format!("printed garbage: line {number} ({bytes} bytes) {what}: {shown}"),
                ANSWER,
            )
        };
        let text =
            std::str::from_utf8(line).map_err(|_| garbage("is not UTF-8".to_owned()))?.trim();
        match json::line(text).map_err(garbage)? {
            Line::All(outcomes) => self.all(outcomes),
            Line::One(Outcome::List(batch)) if self.is_batch(&batch) => {
                self.got = batch;
                Ok(())
            }
            Line::One(outcome) => {
                self.got.push(outcome);
                Ok(())
            }
        }
    }

    /// A first line with as many items as were asked for is the whole answer.
    fn is_batch(&self, items: &[Outcome]) -> bool {
        self.asked > 1 && self.got.is_empty() && items.len() == self.asked
    }

    fn all(&mut self, outcomes: Vec<Outcome>) -> Result<(), AuditError> {
        let (got, asked) = (outcomes.len() + self.got.len(), self.asked);
        if got != asked {
            return Err(AuditError::target(
                format!("gave {got} outcomes where {asked} were asked for"),
                ANSWER,
            ));
        }
        self.got.extend(outcomes);
        Ok(())
    }

    pub(super) fn hand_over(self, outcomes: &mut Outcomes) {
        self.got.into_iter().for_each(|outcome| outcomes.push(outcome));
    }
}
