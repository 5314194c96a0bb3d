//! Which tables, and what their owner allows: a policy, or a few options instead.

use std::path::{Path, PathBuf};

use clap::Args;
use throng_ledger::Ledger;
use throng_mechanism::Neighbours;
use throng_numeric::Rational;
use throng_query::policy::{Amount, Policy, Quick};
use throng_query::question::Limit;
use throng_query::session::{Preview, Session};

use crate::failure::Failure;
use crate::number::{self, Number};
use crate::place::{LEDGER, POLICY};
use crate::{arguments, output};

/// The tables and what is allowed.
#[derive(Debug, Args)]
pub(crate) struct Project {
    /// The owner's policy; `throng.toml` if nothing is said.
    #[arg(long, value_name = "FILE", conflicts_with = "table")]
    policy: Option<PathBuf>,

    #[command(flatten)]
    quick: Spoken,
}

/// What stands for a policy.
#[derive(Debug, Args)]
#[command(next_help_heading = "Without a policy")]
struct Spoken {
    /// A private table: its name in SQL, and a file. The ledger is then `.throng/ledger` here.
    #[arg(long, value_name = "NAME=FILE", value_parser = pair)]
    table: Vec<(String, String)>,

    /// The column that says whose row it is.
    #[arg(long, value_name = "COLUMN", requires = "table")]
    unit: Option<String>,

    /// Each row is a unit of its own: rows are protected, not people.
    #[arg(long, requires = "table", conflicts_with_all = ["unit", "max_groups", "max_rows"])]
    unit_row: bool,

    /// The range of a column that is summed; what is beyond it counts as its end.
    #[arg(long, value_name = "COLUMN=LOW..HIGH", value_parser = bound, requires = "table", allow_hyphen_values = true)]
    bound: Vec<(String, Number, Number)>,

    /// The values of a column that everybody may know: all are shown, and no others.
    #[arg(long, value_name = "COLUMN=A,B,...", value_parser = keys, requires = "table")]
    key: Vec<(String, Vec<String>)>,

    /// Of one unit at most so many groups count; `auto` has it chosen privately.
    #[arg(long, value_name = "N", value_parser = limit, requires = "table")]
    max_groups: Option<Limit>,

    /// Of one unit at most so many rows count in each group; `auto` has it chosen privately.
    #[arg(long, value_name = "N", value_parser = limit, requires = "table")]
    max_rows: Option<Limit>,

    /// What it means that two data sets differ in one unit.
    #[arg(long, value_name = "RELATION", value_parser = arguments::neighbours(), requires = "table")]
    neighbours: Option<Neighbours>,

    /// What all questions together may cost; fixed when the ledger is made.
    #[arg(long, value_name = "EPSILON,DELTA", value_parser = budget, requires = "table")]
    budget: Option<(Number, Number)>,
}

impl Project {
    /// The tables and their budget, opened; what looks unwise is said.
    pub(crate) fn session(&self) -> Result<Session, Failure> {
        let policy = self.spoken()?;
        if !self.quick.table.is_empty()
            && let Some(folder) = policy.ledger.parent()
        {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Session::open(policy)?)
    }

    /// The same to be looked at only: nothing is made.
    pub(crate) fn preview(&self) -> Result<Preview, Failure> {
        Ok(Preview::open(self.spoken()?)?)
    }

    /// The policy, checked; what looks unwise is said.
    fn spoken(&self) -> Result<Policy, Failure> {
        let policy = self.policy()?;
        for warning in &policy.warnings {
            output::talk(&format!("note: {warning}\n"));
        }
        Ok(policy)
    }

    /// The policy, checked.
    fn policy(&self) -> Result<Policy, Failure> {
        match &self.policy {
            Some(path) => Ok(Policy::load(path)?),
            None if !self.quick.table.is_empty() => self.quick.policy(),
            None if Path::new(POLICY).exists() => Ok(Policy::load(Path::new(POLICY))?),
            None => Err(Failure::usage(
                format!("there is no {POLICY} here, and no --table"),
                "make one with `throng init data.parquet`, name one with --policy, or give \
                 --table events=events.parquet --unit user_id",
            )),
        }
    }
}

impl Spoken {
    fn policy(&self) -> Result<Policy, Failure> {
        if self.unit.is_none() && !self.unit_row {
            return Err(Failure::usage(
                "it is not said who is protected",
                "give --unit COLUMN, the column that says whose row it is, or --unit-row if each \
                 row is somebody else's",
            ));
        }
        let exact = |number: &Number| number.exact().clone();
        let bounds =
            self.bound.iter().map(|(name, low, high)| (name.clone(), exact(low), exact(high)));
        let (budget, neighbours) = self.charter()?;
        Ok(Policy::quick(Quick {
            tables: self.table.clone(),
            unit: self.unit.clone(),
            bounds: bounds.collect(),
            keys: self.key.clone(),
            max_groups: self.max_groups.unwrap_or(Limit::Auto),
            max_rows: self.max_rows.unwrap_or(Limit::Auto),
            neighbours,
            budget,
            ledger: PathBuf::from(LEDGER),
        })?)
    }

    /// Budget and relation: those of the ledger here, if there is one and nothing is said.
    fn charter(&self) -> Result<(Amount, Neighbours), Failure> {
        let here = Path::new(LEDGER);
        let own = if here.exists() { Some(Ledger::open(here)?.charter()?) } else { None };
        let said = self.budget.as_ref().map(|(epsilon, delta)| Amount::Approximate {
            epsilon: epsilon.exact().clone(),
            delta: delta.exact().clone(),
        });
        let usual = || Amount::Approximate { epsilon: Rational::from(10_u8), delta: usual_delta() };
        let budget = said.or_else(|| own.as_ref().map(|own| own.capacity.clone()));
        let neighbours = self.neighbours.or_else(|| own.as_ref().map(|own| own.under));
        Ok((budget.unwrap_or_else(usual), neighbours.unwrap_or(Neighbours::AddRemove)))
    }
}

/// 1e-5.
fn usual_delta() -> Rational {
    Rational::ONE.checked_div(&Rational::from(100_000_u32)).unwrap_or(Rational::ZERO)
}

/// Reads `events=events.parquet`.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.trim().is_empty() && !path.is_empty() => {
            Ok((name.trim().to_owned(), path.to_owned()))
        }
        _ => Err("must be like `events=events.parquet`".to_owned()),
    }
}

/// Reads `income=0..200000`.
fn bound(text: &str) -> Result<(String, Number, Number), String> {
    const FORM: &str = "must be like `income=0..200000`";
    let (column, range) = text.split_once('=').ok_or(FORM)?;
    let (low, high) = range.split_once("..").ok_or(FORM)?;
    let (low, high) = (number::any(low)?, number::any(high)?);
    if column.trim().is_empty() {
        return Err(FORM.to_owned());
    }
    if low.exact() >= high.exact() {
        return Err("the lower bound must be below the upper one".to_owned());
    }
    Ok((column.trim().to_owned(), low, high))
}

/// Reads `city=Oslo,Bergen`.
fn keys(text: &str) -> Result<(String, Vec<String>), String> {
    let (column, keys) = text.split_once('=').ok_or("must be like `city=Oslo,Bergen`")?;
    Ok((column.trim().to_owned(), keys.split(',').map(|key| key.trim().to_owned()).collect()))
}

/// Reads a number of at least 1, or `auto`.
fn limit(text: &str) -> Result<Limit, String> {
    match (text.trim(), text.trim().parse::<u32>()) {
        ("auto", _) => Ok(Limit::Auto),
        (_, Ok(most @ 1..)) => Ok(Limit::Fixed(most.into())),
        _ => Err("must be a whole number of at least 1, or `auto`".to_owned()),
    }
}

/// Reads `10,1e-5`.
fn budget(text: &str) -> Result<(Number, Number), String> {
    let (epsilon, delta) = text.split_once(',').ok_or("must be like `10,1e-5`")?;
    Ok((number::positive(epsilon)?, number::open_probability(delta)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let (column, low, high) = bound("x=-1.5..2e3").unwrap();
        assert_eq!((column.as_str(), low.nearest(), high.nearest()), ("x", -1.5, 2000.0));
        for wrong in ["x", "x=1", "x=2..1", "x=1..1", "=1..2", "x=a..b"] {
            assert!(bound(wrong).is_err(), "{wrong}");
        }
        assert_eq!(limit("auto"), Ok(Limit::Auto));
        assert_eq!(limit("3"), Ok(Limit::Fixed(3)));
        assert!(limit("0").is_err() && limit("-1").is_err() && limit("many").is_err());
        assert_eq!(pair("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
        assert!(pair("a=").is_err() && pair("=a").is_err() && pair("a").is_err());
        assert!(budget("10").is_err() && budget("10,0").is_err() && budget("10,1e-5").is_ok());
    }
}
