//! What a price depends on: answers, facts and totals so far.

use throng_account::filter::{Budget as Amount, Receipt};
use throng_ledger::{Asked, Charge, Charter, Digest, Ledger, LedgerError};

/// What was paid for so far, to be read.
pub(super) trait Books {
    /// Whether a question has an answer already.
    fn ask(&self, question: &Digest) -> Result<Asked, LedgerError>;

    /// The newest value of a fact that an answer has released.
    fn fact(&self, name: &str) -> Option<String>;

    /// What a charge would do now.
    fn preview(&self, charge: &Charge) -> Result<Receipt, LedgerError>;

    /// The whole budget, and what is spent of it.
    fn budget(&self) -> Result<(Amount, Amount), LedgerError>;
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
