//! Paying: from a ledger, or with a budget of exactly what it costs.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};

use clap::Args;
use throng_account::AccountError;
use throng_account::filter::Budget as Amount;
use throng_ledger::{Asked as Found, Charge, Charter, Digest, Ledger, Ticket};
use throng_mechanism::{Mechanism, Neighbours, Release, Sensitive};
use throng_numeric::Rational;
use throng_sample::OsEntropy;

use super::source::Source;
use crate::digits::Side;
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::{amount, confirm, output, promise};

/// Where it is paid.
#[derive(Debug, Args)]
#[command(next_help_heading = "Paying")]
pub(super) struct Payment {
    /// Pay from this ledger: all that was ever paid from it stays within its budget, and the same
    /// thing from the same file is not paid twice.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,

    /// What everything paid from the ledger may cost together; makes the ledger if there is none.
    #[arg(long, value_name = "EPSILON,DELTA", value_parser = budget, requires = "ledger")]
    budget: Option<(Number, Number)>,

    /// Spend without asking.
    #[arg(long, requires = "ledger")]
    yes: bool,
}

/// Reads `10,1e-5`.
fn budget(text: &str) -> Result<(Number, Number), String> {
    let (epsilon, delta) = text.split_once(',').ok_or("must be like `10,1e-5`")?;
    Ok((number::positive(epsilon)?, number::open_probability(delta)?))
}

/// What is bought, for the books.
pub(super) struct Purchase<'a> {
    /// What a reader of the history sees.
    pub(super) label: String,
    /// What makes it the same question again, besides the mechanism and the rows; all of it is public.
    pub(super) parts: Vec<Vec<u8>>,
    /// Which rows.
    pub(super) source: &'a Source,
    /// The delta that was asked for, if one was.
    pub(super) delta: Option<&'a Number>,
}

impl Purchase<'_> {
    /// The same thing of the same rows with the same parameters is the same question.
    fn question(&self, mechanism: &impl Mechanism) -> Digest {
        let spec = mechanism.spec().to_string();
        let mut parts: Vec<&[u8]> = vec![b"learn/2", spec.as_bytes(), self.source.bytes()];
        parts.extend(self.parts.iter().map(Vec::as_slice));
        Digest::of_parts(&parts)
    }

    /// What is charged. A guarantee without a delta is priced at a tenth of the ledger's, where the
    /// ledger has one.
    fn charge(&self, ledger: &Ledger, mechanism: &impl Mechanism) -> Result<Charge, Failure> {
        let charge = Charge::new(self.question(mechanism), &self.label, mechanism.spec());
        if let Some(delta) = self.delta {
            return Ok(charge.at_delta(delta.exact().clone()));
        }
        let spec = mechanism.spec();
        match ledger.charter()?.capacity {
            Amount::Approximate { delta, .. } if ledger.price(&spec, None).is_err() => {
                let tenth = &delta * &Rational::new(1, 10_u32).map_err(AccountError::from)?;
                let at = tenth.to_f64_nearest();
                output::talk(&format!("note: priced at delta {at:e}, a tenth of the ledger's\n"));
                Ok(charge.at_delta(tenth))
            }
            Amount::Approximate { .. }
            | Amount::Pure { .. }
            | Amount::Zcdp { .. }
            | Amount::Gdp { .. }
            | Amount::Renyi { .. } => Ok(charge),
        }
    }
}

/// What a ledger can keep, so that it is not paid twice.
pub(super) trait Kept: Sized {
    /// As it is kept.
    fn bytes(&self) -> Result<Vec<u8>, Failure>;
    /// As it was kept.
    fn read(bytes: &[u8]) -> Result<Self, Failure>;
}

/// What was bought, with the receipt if a ledger gave one.
pub(super) struct Bought<T> {
    pub(super) thing: T,
    pub(super) receipt: Option<Ticket>,
}

impl Payment {
    /// Pays and runs; or hands over what the ledger has.
    pub(super) fn buy<M, D, T>(
        &self,
        purchase: &Purchase<'_>,
        mechanism: &M,
        data: &Sensitive<D>,
        hand: impl FnOnce(Release<M::Output>) -> T,
    ) -> Result<Bought<T>, Failure>
    where
        M: Mechanism,
        D: Borrow<M::Input>,
        T: Kept,
    {
        let Some(path) = &self.ledger else {
            let thing = hand(promise::release(mechanism, data)?);
            return Ok(Bought { thing, receipt: None });
        };
        let ledger = self.open(path, mechanism.neighbours())?;
        same_relation(ledger.neighbours(), mechanism.neighbours())?;
        let charge = purchase.charge(&ledger, mechanism)?;
        let turn = ledger.turn(&charge.question);
        if let Found::Stored(stored) = ledger.ask(&charge.question)? {
            output::talk("note: this was bought before of the same file: free of charge\n");
            let thing = T::read(&stored.payload)?;
            return Ok(Bought { thing, receipt: Some(stored.ticket) });
        }
        let receipt = ledger.preview(&charge)?;
        if !self.yes {
            confirm::spending(&receipt.cost, &ledger.remaining(None)?)?;
        }
        let paid = ledger.authorise(&charge)?;
        let thing = hand(mechanism.run_on(data, paid.permit, &mut OsEntropy)?);
        ledger.store(&paid.ticket, &thing.bytes()?)?;
        drop(turn);
        let left = amount::words(&ledger.remaining(None)?, Side::Down);
        output::talk(&format!("receipt: {}\nleft in the ledger: {left}\n", paid.ticket));
        Ok(Bought { thing, receipt: Some(paid.ticket) })
    }

    fn open(&self, path: &Path, under: Neighbours) -> Result<Ledger, Failure> {
        let Some((epsilon, delta)) = &self.budget else {
            return Ok(Ledger::open(path)?);
        };
        let capacity =
            Amount::Approximate { epsilon: epsilon.exact().clone(), delta: delta.exact().clone() };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Ledger::open_or_create(path, &Charter::new(capacity, under, "throng learn"))?)
    }
}

fn same_relation(books: Neighbours, fit: Neighbours) -> Result<(), Failure> {
    if books == fit {
        return Ok(());
    }
    Err(Failure::refused(
        format!("the ledger is for {books} and the model for {fit} neighbours"),
        "use one relation throughout",
    ))
}
