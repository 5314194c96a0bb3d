//! Durable privacy budgets: charge before run, store before reply, hash-chained.

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
pub use turn::Turn;
pub use verify::{Depth, Verification};
