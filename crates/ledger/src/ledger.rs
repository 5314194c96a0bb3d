//! The ledger as its users see it.

mod answers;
mod audit;
mod budget;
mod charging;
mod opening;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use rusqlite::Connection;
use throng_account::MechanismSpec;
use throng_account::filter::Budget as Amount;
use throng_numeric::Rational;

use crate::clerk::{Entry, Outcome};
use crate::desk::{Desk, lock};
use crate::error::{LedgerError, Result};
use crate::rows::snapshot;
use crate::schema;
use crate::standing::Standing;
use crate::turn::Turns;

/// A durable privacy budget: charge before run, store before reply.
///
/// # Guarantee
/// All mechanisms run with permits of one ledger together have the guarantee of its capacity, under
/// its relation, however each was chosen after seeing the answers of the others; across threads,
/// processes, crashes and restarts, as long as all use this one file and it is not set back to an
/// older state (see [`Anchor`](crate::Anchor)).
///
/// ```
/// use throng_ledger::{Asked, Amount, Charge, Charter, Digest, Ledger, Neighbours};
/// # let folder = std::env::temp_dir().join(format!("throng-ledger-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("ledger.db");
/// let capacity = Amount::Pure { epsilon: "1".parse()? };
/// let ledger = Ledger::open_or_create(&path, &Charter::new(capacity, Neighbours::AddRemove, "demo"))?;
///
/// let question = Digest::of(b"count of users, data of Monday");
/// let charge = Charge::new(question, "SELECT count(*)", "discrete_laplace(scale=4)".parse()?);
/// assert_eq!(ledger.ask(&question)?, Asked::New);
/// let paid = ledger.authorise(&charge)?;   // durable from here on
/// # let answer = { drop(paid.permit); b"42" };
/// // ... run the mechanism with paid.permit ...
/// ledger.store(&paid.ticket, answer)?;     // durable before it is printed
/// assert!(matches!(ledger.ask(&question)?, Asked::Stored(stored) if stored.payload == answer));
/// assert_eq!(ledger.remaining(None)?.to_string(), "epsilon = 0.75");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    id: String,
    under: throng_account::Neighbours,
    /// In this currency all costs are; the amount itself may be amended.
    currency: Amount,
    patience: Duration,
    /// Closed before the desk: the last to close moves the log into the file, and must be able to.
    reader: Mutex<Connection>,
    desk: Desk,
    turns: Turns,
    prices: Mutex<Prices>,
    /// Why nothing is granted any more, if so.
    failed: OnceLock<LedgerError>,
    process: u32,
}

/// Prices that were computed lately: a preview and its charge, the same query on new data.
type Prices = HashMap<(MechanismSpec, Option<Rational>), Known>;

/// What is known of a mechanism that was priced.
#[derive(Debug, Clone)]
struct Known {
    cost: Amount,
    /// Its text, or why it cannot be recorded.
    spec: Result<Arc<str>>,
}

/// How long to wait for other processes by default.
const PATIENCE: Duration = Duration::from_secs(10);

impl Ledger {
    /// Where the ledger is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which ledger this is: 32 hexadecimal digits drawn when it was made.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The relation that costs are computed for.
    #[must_use]
    pub fn neighbours(&self) -> throng_account::Neighbours {
        self.under
    }

    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    fn submit(&self, entry: Entry) -> Result<Outcome> {
        self.usable()?;
        self.observed(self.desk.submit(entry))
    }

    /// Refuses everything after a failure, and in a process that did not open the ledger.
    fn usable(&self) -> Result<()> {
        if self.process != std::process::id() {
            return Err(LedgerError::refused(
                "this ledger was opened by another process",
                "open the ledger after the fork, not before",
            ));
        }
        self.failed.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Reads in one snapshot of the file.
    pub(crate) fn reading<T>(
        &self,
        read: impl FnOnce(&Connection, &mut Standing) -> Result<T>,
    ) -> Result<T> {
        self.usable()?;
        let reader = lock(&self.reader);
        let done =
            snapshot(&reader, |connection| read(connection, &mut Standing::read(connection)?));
        drop(reader);
        self.observed(done)
    }

    /// A connection of its own, for long reads.
    pub(crate) fn long_reader(&self) -> Result<Connection> {
        let connection = schema::reader(&self.path, self.patience)?;
        schema::check(&connection)?;
        Ok(connection)
    }

    /// Damage that is seen stops every further charge.
    pub(crate) fn observed<T>(&self, done: Result<T>) -> Result<T> {
        if let Err(error) = &done
            && error.is_fatal()
        {
            let _first = self.failed.set(error.clone());
        }
        done
    }
}
