//! A budget in memory, with the answers that were paid from it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use throng_account::AccountError;
use throng_account::filter::{Budget as Amount, Receipt};
use throng_ledger::{
    Asked, Authorised, Charge, Digest, LedgerError, Line, Selection, Stored, Ticket, Turn, Turns,
    Whose, price,
};
use throng_mechanism::{Budget, MechanismError};
use throng_sample::{Entropy, OsEntropy};

use super::books::{Books, Keeper};
use crate::QueryError;

/// A budget in memory, with the answers that were paid from it.
///
/// # Guarantee
/// That of the [`Budget`], for everybody who pays from it, here and elsewhere: a charge is made
/// before a permit exists, and nothing is given back. It ends with the process; what must outlive it
/// is kept in a [`Ledger`](throng_ledger::Ledger).
pub struct Purse {
    budget: Arc<Mutex<Budget>>,
    kept: Mutex<Kept>,
    turns: Turns,
    /// Receipts of two purses differ.
    nonce: [u8; 32],
}

#[derive(Default)]
struct Kept {
    charges: Vec<(Line, Receipt)>,
    answers: HashMap<Digest, Stored>,
    facts: BTreeMap<String, Vec<u8>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Purse {
    /// Answers paid from a budget that others may pay from, too.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn new(budget: Arc<Mutex<Budget>>) -> Result<Self, QueryError> {
        let mut nonce = [0_u8; 32];
        OsEntropy.fill(&mut nonce).map_err(MechanismError::from)?;
        Ok(Self { budget, kept: Mutex::default(), turns: Turns::default(), nonce })
    }

    /// In the words of a ledger.
    fn refused(budget: &Budget, charge: &Charge, error: AccountError) -> LedgerError {
        if !matches!(error, AccountError::Exhausted { .. }) {
            return error.into();
        }
        let asked =
            price(budget.capacity(), &charge.spec, budget.neighbours(), charge.delta.as_ref());
        match asked {
            Ok(asked) => LedgerError::Exhausted {
                asked: Box::new(asked),
                left: Box::new(budget.remaining()),
                whose: Whose::Global,
            },
            Err(error) => error,
        }
    }
}

impl Books for Purse {
    fn ask(&self, question: &Digest) -> Result<Asked, LedgerError> {
        let stored = lock(&self.kept).answers.get(question).cloned();
        Ok(stored.map_or(Asked::New, |stored| Asked::Stored(Box::new(stored))))
    }

    fn fact(&self, name: &str) -> Option<String> {
        String::from_utf8(lock(&self.kept).facts.get(name)?.clone()).ok()
    }

    fn preview(&self, charge: &Charge) -> Result<Receipt, LedgerError> {
        let budget = lock(&self.budget);
        budget
            .preview_at(&charge.spec, charge.delta.as_ref())
            .map_err(|error| Self::refused(&budget, charge, error))
    }

    fn budget(&self) -> Result<(Amount, Amount), LedgerError> {
        let budget = lock(&self.budget);
        Ok((budget.capacity().clone(), budget.spent().clone()))
    }
}

impl Keeper for Purse {
    fn turn(&self, question: &Digest) -> Turn<'_> {
        self.turns.turn(question)
    }

    fn authorise(&self, charge: &Charge) -> Result<Authorised, LedgerError> {
        // One step for all who pay from this budget: the lock is held from the look to the charge.
        let mut budget = lock(&self.budget);
        let receipt = match budget.preview_at(&charge.spec, charge.delta.as_ref()) {
            Ok(receipt) => receipt,
            Err(error) => return Err(Self::refused(&budget, charge, error)),
        };
        let permit = match budget.authorise_at(&charge.spec, charge.delta.as_ref()) {
            Ok(permit) => permit,
            Err(MechanismError::Account(error)) => {
                return Err(Self::refused(&budget, charge, error));
            }
            Err(error) => {
                return Err(LedgerError::Refused { what: error.to_string(), hint: String::new() });
            }
        };
        let spent = budget.spent().clone();
        drop(budget);
        let mut kept = lock(&self.kept);
        let number = u64::try_from(kept.charges.len()).unwrap_or(u64::MAX).saturating_add(1);
        let digest = Digest::of_parts(&[&self.nonce, &number.to_be_bytes()]);
        let ticket = Ticket { number, digest };
        let line = Line {
            ticket,
            question: charge.question,
            label: charge.label.clone(),
            analyst: charge.analyst.clone(),
            spec: charge.spec.to_string(),
            cost: receipt.cost.clone(),
            spent,
            at: charge.at.clone(),
            answered: false,
        };
        kept.charges.push((line, receipt.clone()));
        Ok(Authorised { permit, ticket, receipt })
    }

    fn store(&self, ticket: &Ticket, payload: &[u8]) -> Result<(), LedgerError> {
        let mut kept = lock(&self.kept);
        let Some((line, receipt)) =
            kept.charges.iter_mut().find(|(line, _)| line.ticket == *ticket)
        else {
            return Err(LedgerError::Invalid {
                what: "there is no such charge".to_owned(),
                hint: "store what was paid for here".to_owned(),
            });
        };
        line.answered = true;
        let stored = Stored {
            ticket: *ticket,
            payload: payload.to_vec(),
            receipt: receipt.clone(),
            label: line.label.clone(),
        };
        let question = line.question;
        kept.answers.insert(question, stored);
        Ok(())
    }

    fn note(&self, _: &str, name: &str, value: &[u8]) -> Result<(), LedgerError> {
        lock(&self.kept).facts.insert(name.to_owned(), value.to_vec());
        Ok(())
    }

    fn remaining(&self, _: Option<&str>) -> Result<Amount, LedgerError> {
        Ok(lock(&self.budget).remaining())
    }

    fn history(&self, selection: &Selection) -> Result<Vec<Line>, LedgerError> {
        let kept = lock(&self.kept);
        let wanted =
            |line: &&Line| selection.analyst.is_none() || line.analyst == selection.analyst;
        let before = |line: &&Line| selection.before.is_none_or(|end| line.ticket.number < end);
        let most = usize::try_from(selection.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let lines = kept.charges.iter().rev().map(|(line, _)| line);
        Ok(lines.filter(wanted).filter(before).take(most).cloned().collect())
    }
}
