//! Who keeps the budget: what was answered, found and spent so far.

use throng_account::filter::{Budget as Amount, Receipt};
use throng_ledger::{
    Asked, Authorised, Charge, Charter, Digest, Ledger, LedgerError, Line, Selection, Ticket, Turn,
};

/// What was paid for so far, to be read: all that a price depends on.
pub trait Books {
    /// Whether a question has an answer already.
    ///
    /// # Errors
    /// If the books cannot be read.
    fn ask(&self, question: &Digest) -> Result<Asked, LedgerError>;

    /// The newest value of a fact that an answer has released.
    fn fact(&self, name: &str) -> Option<String>;

    /// What a charge would do now.
    ///
    /// # Errors
    /// If the budget does not cover it, or there is no price.
    fn preview(&self, charge: &Charge) -> Result<Receipt, LedgerError>;

    /// The whole budget, and what is spent of it.
    ///
    /// # Errors
    /// If the books cannot be read.
    fn budget(&self) -> Result<(Amount, Amount), LedgerError>;
}

/// Whoever keeps a budget and the answers that were paid from it: a [`Ledger`], for good, or a
/// [`Purse`](super::Purse), as long as the process lives.
///
/// Everything is as for the methods of [`Ledger`] with these names.
pub trait Keeper: Books + Send + Sync {
    /// Waits until nobody else deals with the question.
    fn turn(&self, question: &Digest) -> Turn<'_>;

    /// Pays.
    ///
    /// # Errors
    /// If the budget does not cover it; then nothing is spent.
    fn authorise(&self, charge: &Charge) -> Result<Authorised, LedgerError>;

    /// Keeps the release of a charge.
    ///
    /// # Errors
    /// If there is no such charge, or it cannot be kept.
    fn store(&self, ticket: &Ticket, payload: &[u8]) -> Result<(), LedgerError>;

    /// Keeps something that was released.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn note(&self, kind: &str, name: &str, value: &[u8]) -> Result<(), LedgerError>;

    /// What is left, for everybody or for one.
    ///
    /// # Errors
    /// If the books cannot be read.
    fn remaining(&self, analyst: Option<&str>) -> Result<Amount, LedgerError>;

    /// What was asked, the newest first.
    ///
    /// # Errors
    /// If the books cannot be read.
    fn history(&self, selection: &Selection) -> Result<Vec<Line>, LedgerError>;

    /// What is spent.
    ///
    /// # Errors
    /// If the books cannot be read.
    fn spent(&self) -> Result<Amount, LedgerError> {
        Ok(self.budget()?.1)
    }
}

impl Keeper for Ledger {
    fn turn(&self, question: &Digest) -> Turn<'_> {
        Self::turn(self, question)
    }

    fn authorise(&self, charge: &Charge) -> Result<Authorised, LedgerError> {
        Self::authorise(self, charge)
    }

    fn store(&self, ticket: &Ticket, payload: &[u8]) -> Result<(), LedgerError> {
        Self::store(self, ticket, payload)
    }

    fn note(&self, kind: &str, name: &str, value: &[u8]) -> Result<(), LedgerError> {
        Self::note(self, kind, name, value)
    }

    fn remaining(&self, analyst: Option<&str>) -> Result<Amount, LedgerError> {
        Self::remaining(self, analyst)
    }

    fn history(&self, selection: &Selection) -> Result<Vec<Line>, LedgerError> {
        Self::history(self, selection)
    }
}

impl Books for Ledger {
    fn ask(&self, question: &Digest) -> Result<Asked, LedgerError> {
        Self::ask(self, question)
    }

    fn fact(&self, name: &str) -> Option<String> {
        String::from_utf8(Self::fact(self, name).ok().flatten()?).ok()
    }

    fn preview(&self, charge: &Charge) -> Result<Receipt, LedgerError> {
        Self::preview(self, charge)
    }

    fn budget(&self) -> Result<(Amount, Amount), LedgerError> {
        Ok((self.charter()?.capacity, self.spent()?))
    }
}

/// The ledger that is yet to be made: nothing is asked, known or spent.
impl Books for Charter {
    fn ask(&self, _: &Digest) -> Result<Asked, LedgerError> {
        Ok(Asked::New)
    }

    fn fact(&self, _: &str) -> Option<String> {
        None
    }

    fn preview(&self, charge: &Charge) -> Result<Receipt, LedgerError> {
        Self::preview(self, charge)
    }

    fn budget(&self) -> Result<(Amount, Amount), LedgerError> {
        Ok((self.capacity.clone(), self.capacity.nothing()))
    }
}
