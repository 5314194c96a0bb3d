//! Questions that are explained and not asked.

use throng_ledger::{Charter, Ledger};

use super::books::Books;
use super::desk::Desk;
use super::{Explanation, charter};
use crate::QueryError;
use crate::catalog::Catalog;
use crate::policy::Policy;
use crate::release::Request;

/// Private tables, their policy and their budget, ready to be explained.
///
/// Nothing is written: where there is no ledger yet, none is made, and the whole budget is left.
pub struct Preview {
    policy: Policy,
    catalog: Catalog,
    charter: Charter,
    ledger: Option<Ledger>,
}

impl Preview {
    /// Opens the tables of a policy, and its ledger if there is one.
    ///
    /// # Errors
    /// As for [`Session::open`](super::Session::open).
    pub fn open(policy: Policy) -> Result<Self, QueryError> {
        let catalog = Catalog::open(&policy)?;
        let charter = charter(&policy);
        let ledger = Ledger::open_if_present(&policy.ledger, &charter)?;
        Ok(Self { policy, catalog, charter, ledger })
    }

    /// The owner's rules.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What a batch of statements would do, cost and leave. Reads schemas only.
    ///
    /// # Errors
    /// As for [`Session::prepare`](super::Session::prepare).
    pub fn explain(
        &self,
        sql: &str,
        request: &Request,
        analyst: Option<&str>,
    ) -> Result<Explanation, QueryError> {
        let books: &dyn Books = match &self.ledger {
            Some(ledger) => ledger,
            None => &self.charter,
        };
        let desk = Desk { policy: &self.policy, catalog: &self.catalog, books };
        Ok(desk.prepare(sql, request, analyst)?.explanation)
    }
}
