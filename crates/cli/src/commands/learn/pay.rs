//! Paying for a fit: from a ledger, or with a budget of exactly what it costs.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, Value};
use throng_account::filter::Budget as Amount;
use throng_learn::any::{AnyLearner, AnyModel, Table};
use throng_learn::{Card, Schema};
use throng_ledger::{Asked as Found, Charge, Charter, Digest, Ledger};
use throng_mechanism::{Mechanism, Neighbours, Sensitive};
use throng_numeric::Rational;
use throng_sample::OsEntropy;

use crate::digits::Side;
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::{amount, confirm, output, promise};

/// Where the fit is paid.
#[derive(Debug, Args)]
#[command(next_help_heading = "Paying")]
pub(super) struct Payment {
    /// Pay from this ledger: all that was ever paid from it stays within its budget, and the same fit
    /// on the same data is not paid twice.
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

/// What is fitted, for the books.
pub(super) struct Purchase<'a> {
    pub(super) kind: &'a str,
    pub(super) schema: &'a Schema,
    pub(super) options: &'a Map<String, Value>,
    pub(super) delta: Option<&'a Number>,
}

/// A model and its card.
type Fitted = (Card, AnyModel);

impl Payment {
    /// Pays and fits.
    pub(super) fn fit(
        &self,
        purchase: &Purchase<'_>,
        learner: &AnyLearner,
        table: Sensitive<Table>,
        digest: Digest,
    ) -> Result<Fitted, Failure> {
        match &self.ledger {
            None => {
                let release = promise::release(learner, &table)?;
                let (model, guarantee) = release.into_parts();
                Ok((Card::of(&guarantee), model))
            }
            Some(path) => {
                let ledger = self.open(path, learner.neighbours())?;
                self.from_ledger(&ledger, purchase, learner, &table, digest)
            }
        }
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

    fn from_ledger(
        &self,
        ledger: &Ledger,
        purchase: &Purchase<'_>,
        learner: &AnyLearner,
        table: &Sensitive<Table>,
        digest: Digest,
    ) -> Result<Fitted, Failure> {
        same_relation(ledger.neighbours(), learner.neighbours())?;
        let question = purchase.question(learner, digest)?;
        let turn = ledger.turn(&question);
        if let Found::Stored(stored) = ledger.ask(&question)? {
            output::talk(
                "note: this was fitted before on the same data: the stored model, free of charge\n",
            );
            return Ok(AnyModel::load(&stored.payload)?);
        }
        let label = format!("learn fit {}", purchase.kind);
        let mut charge = Charge::new(question, label, learner.spec());
        if let Some(delta) = purchase.delta {
            charge = charge.at_delta(delta_of(delta));
        }
        let receipt = ledger.preview(&charge)?;
        if !self.yes {
            confirm::spending(&receipt.cost, &ledger.remaining(None)?)?;
        }
        let paid = ledger.authorise(&charge)?;
        let release = learner.run(table, paid.permit, &mut OsEntropy)?;
        let (model, guarantee) = release.into_parts();
        let card = Card::of(&guarantee);
        ledger.store(&paid.ticket, model.to_json(&card)?.as_bytes())?;
        drop(turn);
        let left = amount::words(&ledger.remaining(None)?, Side::Down);
        output::talk(&format!("receipt: {}\nleft in the ledger: {left}\n", paid.ticket));
        Ok((card, model))
    }
}

fn delta_of(delta: &Number) -> Rational {
    delta.exact().clone()
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

impl Purchase<'_> {
    /// The same model of the same data with the same parameters is the same question.
    fn question(&self, learner: &AnyLearner, data: Digest) -> Result<Digest, Failure> {
        let options = serde_json::to_vec(self.options)?;
        let schema = serde_json::to_vec(self.schema)?;
        let spec = learner.spec().to_string();
        Ok(Digest::of_parts(&[
            b"learn fit/1",
            self.kind.as_bytes(),
            &options,
            &schema,
            spec.as_bytes(),
            data.to_string().as_bytes(),
        ]))
    }
}

/// The key of a table's content.
pub(super) fn digest(table: &Table) -> Digest {
    let (features, labels) = match table {
        Table::Classified(examples) => {
            (examples.features(), bytes(examples.labels().iter().map(|label| f64::from(*label))))
        }
        Table::Measured(examples) => {
            (examples.features(), bytes(examples.labels().iter().copied()))
        }
        Table::Plain(features) => (features, Vec::new()),
    };
    let shape = format!("{} x {}", features.rows(), features.columns());
    let blocks = features.values().chunks(1 << 16).map(|block| bytes(block.iter().copied()));
    let chain =
        |last: Digest, block: Vec<u8>| Digest::of_parts(&[last.to_string().as_bytes(), &block]);
    chain(blocks.fold(Digest::of(shape.as_bytes()), chain), labels)
}

fn bytes(numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    numbers.flat_map(f64::to_le_bytes).collect()
}
