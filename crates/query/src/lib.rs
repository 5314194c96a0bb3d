//! SQL on private tables.
//!
//! An owner writes a [`policy`]; an analyst asks SQL. The walk of a question:
//!
//! ```text
//! policy     throng.toml: tables, units, bounds, public keys, budget
//! catalog    the tables as the engine sees them; schemas only until a charge is paid
//! sql        text -> plan -> questions: what is private is found, what would leak is refused
//! total      row expressions that cannot fail on data
//! question   one private aggregate, free of SQL: rows with a unit, keys, inputs, aggregates
//! tally      exact bounded totals per (unit, key), integers only
//! release    the mechanism: noise, key selection, bounds chosen privately, error bars
//! answer     what is computed from released cells: HAVING, ORDER BY, arithmetic, output formats
//! session    the walk itself: explain, pay, run, store, hand over
//! ```

pub mod answer;
pub mod catalog;
mod error;
pub mod example;
pub mod policy;
pub mod question;
mod quiet;
pub mod release;
pub mod session;
pub mod sql;
pub mod tally;
pub mod total;

pub use error::QueryError;
