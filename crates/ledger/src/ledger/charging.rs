//! Charge before run.

use throng_account::MechanismSpec;
use throng_account::filter::{Budget as Amount, Receipt};
use throng_mechanism::Permit;
use throng_numeric::Rational;

use super::{Known, Ledger};
use crate::clerk::Entry;
use crate::desk::lock;
use crate::error::{LedgerError, Result};
use crate::standing::{Priced, written};
use crate::{Authorised, Charge, Ticket, price};

impl Ledger {
    /// What a mechanism costs here; see [`price`](crate::price()).
    ///
    /// # Errors
    /// As there.
    pub fn price(&self, spec: &MechanismSpec, delta: Option<&Rational>) -> Result<Amount> {
        Ok(self.known(spec, delta)?.cost)
    }

    /// What [`Ledger::authorise`] would say now; nothing is recorded.
    ///
    /// # Errors
    /// As there.
    pub fn preview(&self, charge: &Charge) -> Result<Receipt> {
        let priced = self.priced(charge)?;
        self.reading(|connection, standing| Ok(standing.judge(connection, &priced)?.receipt))
    }

    /// Pays for a charge: when this returns, one record of it is on the disk.
    ///
    /// # Guarantee
    /// Check and charge are one step among all threads and processes that use the file. Nothing is
    /// ever given back: a permit that is not used, or lost in a crash, stays paid for.
    ///
    /// Two callers who ask the same question at the same time both pay, unless the first has stored
    /// its answer before the second comes here; see [`Ledger::turn`](crate::Ledger::turn).
    ///
    /// # Errors
    /// [`LedgerError::Exhausted`] and [`LedgerError::AlreadyAnswered`], and what the accountant
    /// refuses: then nothing is recorded. [`LedgerError::Io`] if the disk fails: then it is not known
    /// whether the charge is recorded, nothing may be run, and the ledger must be opened again.
    pub fn authorise(&self, charge: &Charge) -> Result<Authorised> {
        let mut all = self.authorise_all(std::slice::from_ref(charge))?;
        all.pop().ok_or_else(|| LedgerError::io("the charge was lost"))
    }

    /// Pays for several charges: all of them in one durable step, or none.
    ///
    /// # Errors
    /// As for [`Ledger::authorise`].
    pub fn authorise_all(&self, charges: &[Charge]) -> Result<Vec<Authorised>> {
        let priced =
            charges.iter().map(|charge| self.priced(charge)).collect::<Result<Vec<_>>>()?;
        if priced.is_empty() {
            return Ok(Vec::new());
        }
        let outcome = self.submit(Entry::Charges(priced))?;
        if outcome.len() != charges.len() {
            return Err(LedgerError::io("a charge was lost"));
        }
        let authorised = |(charge, (ticket, receipt)): (&Charge, (Ticket, Receipt))| {
            #[expect(clippy::disallowed_methods, reason = "the charge is on the disk")]
            let permit = Permit::issue(charge.spec.clone(), self.under, receipt.cost.clone());
            Authorised { permit, ticket, receipt }
        };
        Ok(charges.iter().zip(outcome).map(authorised).collect())
    }

    /// The price of a charge that can be recorded.
    fn priced(&self, charge: &Charge) -> Result<Priced> {
        Priced::new(charge, || {
            let Known { cost, spec } = self.known(&charge.spec, charge.delta.as_ref())?;
            Ok((spec?, cost))
        })
    }

    /// The price and the text of a mechanism, computed once.
    fn known(&self, spec: &MechanismSpec, delta: Option<&Rational>) -> Result<Known> {
        const MANY: usize = 256;
        let key = (spec.clone(), delta.cloned());
        if let Some(known) = lock(&self.prices).get(&key) {
            return Ok(known.clone());
        }
        let cost = price::price(&self.currency, spec, self.under, delta)?;
        let known = Known { spec: written(spec, &cost), cost };
        let mut prices = lock(&self.prices);
        if prices.len() >= MANY {
            prices.clear();
        }
        prices.insert(key, known.clone());
        Ok(known)
    }
}
