//! Durable privacy budgets: charge before run, store before reply, hash-chained.
//!
//! A [`Ledger`] is one file that holds one budget for one privacy unit, across all tables of a
//! policy, all analysts, all processes and all restarts. The life of a question:
//!
//! 1. [`Ledger::ask`]: an identical question that was answered before costs nothing.
//! 2. [`Ledger::preview`]: what it would cost; nothing is recorded.
//! 3. [`Ledger::authorise`]: the charge is on the disk before the [`Permit`] exists, and the permit
//!    before any row is read.
//! 4. The mechanism runs.
//! 5. [`Ledger::store`]: the release is on the disk before it is shown.
//!
//! [`Permit`]: throng_mechanism::Permit
//!
//! # Promised
//! * *Never more than the budget.* Check and charge are one transaction under one lock of the file,
//!   so grants are linearisable among threads and processes. Sums are exact fractions: no floats,
//!   no tolerance ([`price()`] says what is added, and why that is sound for adaptive analysts).
//! * *A crash costs budget, never privacy.* One record per charge, whole or not at all, synced
//!   before anything is run; nothing is ever given back. Answers out <= charges recorded <= budget,
//!   wherever the process is killed.
//! * *One question, one answer.* A stored release is given again, free, after restarts too; see
//!   [`Ledger::turn`] for askers at the same time.
//! * *Damage is seen.* Every record carries the digest of the one before, the total spent so far,
//!   and is never changed. Opening checks the end of the chain and the newest records;
//!   [`Ledger::verify`] reads everything and sums it again: flipped bits, truncation, records that
//!   are missing, swapped, repeated or edited. What is damaged is refused, never repaired by guess.
//! * *When in doubt, no.* After any error of the disk a handle refuses everything until the ledger is
//!   opened again. A record kind or a file version that is not known is refused.
//! * *Refusals tell nothing.* They depend on the question and the ledger only, never on data.
//! * *No clock.* Time stamps are the caller's text, for readers.
//!
//! # Not promised
//! * *Rollback.* Whoever can write the file can put an older copy in its place, or rewrite the whole
//!   chain. The witness (a small file beside the ledger) shows accidents: a restored backup, a lost
//!   log, a deleted ledger. Against intent, keep [`Ledger::anchor`] where the writer of the file cannot
//!   reach it, and give it to [`Ledger::verify`]: it shows every older copy, fork and rewriting.
//! * *Two copies.* A copy that is used on another machine is a second budget for the same people;
//!   only an anchor shows the fork afterwards.
//! * *Restore.* Never an older copy: its charges are missing, its answers are out. If the newest
//!   ledger is lost, the budget is to be taken as spent.
//! * *Network drives.* The lock and the log are SQLite's and need a local file system.
//! * *Secrecy.* The file holds questions and releases, in clear; on Unix only its owner may read it.
//!
//! # Speed
//! A charge looks at the head, one index and the newest record of its analyst, however long the
//! ledger is. Threads that charge at the same time share one sync of the disk; each still returns
//! only when its own record is durable.
//! An audit reads the file once from end to end, beside SQLite's own check of it: a million charges
//! take seconds and some 70 bytes of memory each. `examples/charges.rs` measures.

mod amount;
mod anchor;
mod charge;
mod charter;
mod clerk;
mod desk;
mod digest;
mod error;
mod file;
mod history;
mod ledger;
mod price;
mod record;
mod rows;
mod schema;
mod standing;
mod turn;
mod verify;
mod witness;

pub use anchor::Anchor;
pub use charge::{Asked, Authorised, Charge, Stored, Ticket};
pub use charter::Charter;
pub use digest::Digest;
pub use error::{LedgerError, Whose};
pub use history::{Line, Note, Selection, Summary};
pub use ledger::Ledger;
pub use price::price;
pub use record::{FORMAT, Kind};
pub use throng_account::Neighbours;
pub use throng_account::filter::{Budget as Amount, Receipt};
pub use turn::{Turn, Turns};
pub use verify::{Depth, Verification};
