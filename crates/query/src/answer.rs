//! What is computed from released cells, and how it is shown.
//!
//! No private data comes here: everything below is post-processing of noisy cells and costs nothing.
//!
//! ```text
//! consistency  optional: non-negative counts, roll-ups that equal the sums of their parts
//! fill         released cells as the batch that an Aggregate node would have given
//! carry        the outer plan, made to take the ends of intervals along (span: their arithmetic)
//! mend         … and to give NULL where it would fail
//! finish       runs that plan: HAVING, ORDER BY, LIMIT, arithmetic, windows
//! table        the answer; csv, json, text, plot: the ways to show it
//! stored       answers as bytes for the ledger
//! ```

mod carry;
mod cell;
mod consistency;
mod digits;
mod fill;
mod finish;
mod interval;
mod json;
mod mend;
mod plot;
mod span;
mod spanned;
mod stored;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod write;

pub use consistency::{Consistency, consistent};
pub use fill::fill;
pub use finish::finish;
pub use plot::BarOptions;
pub use stored::{decode, encode};
pub use table::{Ends, Kind, Table, TableColumn};
pub use write::Format;
