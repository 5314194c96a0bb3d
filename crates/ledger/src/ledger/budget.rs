//! What may be spent, and what is.

use throng_account::filter::Budget as Amount;

use super::Ledger;
use crate::Charter;
use crate::clerk::Entry;
use crate::error::Result;

impl Ledger {
    /// The charter in force.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn charter(&self) -> Result<Charter> {
        self.reading(|_, standing| Ok(standing.charter.clone()))
    }

    /// Puts another charter into force, by an owner's record that everybody can see in the chain.
    ///
    /// What is spent stays spent. A capacity that is raised is the guarantee from then on; a decision
    /// to raise it that depends on the answers so far was not made "in advance", and the total that
    /// was released is then guaranteed by the new capacity only.
    ///
    /// # Errors
    /// If the charter is malformed, has another currency or relation, or a capacity below what is
    /// spent.
    pub fn amend(&self, charter: &Charter) -> Result<()> {
        charter.checked()?;
        self.submit(Entry::Amendment(Box::new(charter.clone()))).map(drop)
    }

    /// What everybody together has spent, exactly.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn spent(&self) -> Result<Amount> {
        self.reading(|_, standing| Ok(standing.head.spent.clone()))
    }

    /// What one analyst has spent, exactly.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn spent_by(&self, analyst: &str) -> Result<Amount> {
        self.reading(|connection, standing| standing.own(connection, analyst))
    }

    /// What is left: of the capacity, or for one analyst of whatever is less of capacity and quota.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn remaining(&self, analyst: Option<&str>) -> Result<Amount> {
        self.reading(|connection, standing| standing.left(connection, analyst))
    }
}
