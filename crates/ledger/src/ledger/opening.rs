//! How a ledger comes into being, and is opened again.

use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use super::{Ledger, PATIENCE};
use crate::clerk::Clerk;
use crate::desk::Desk;
use crate::error::{LedgerError, Result};
use crate::turn::Turns;
use crate::{Charter, file, schema, verify, witness};

/// How many of the last records are checked when a ledger is opened.
const CHECKED_AT_OPEN: u64 = 256;

impl Ledger {
    /// Opens a ledger that exists.
    ///
    /// # Errors
    /// If there is none, or it is locked, damaged, or of another version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_within(path, PATIENCE)
    }

    /// Opens a ledger that exists, and waits at most this long for other processes, now and later.
    ///
    /// # Errors
    /// As for [`Ledger::open`].
    pub fn open_within(path: impl AsRef<Path>, patience: Duration) -> Result<Self> {
        let path = file::real(path.as_ref())?;
        let clerk = Clerk::open(&path, patience)?;
        let reader = schema::reader(&path, patience)?;
        verify::recent(&reader, CHECKED_AT_OPEN)?;
        let founding = verify::founding(&reader)?;
        let charter = founding.charter.charter()?;
        Ok(Self {
            path,
            id: founding.ledger,
            under: charter.under,
            currency: charter.capacity.nothing(),
            patience,
            desk: Desk::new(clerk),
            reader: Mutex::new(reader),
            turns: Turns::default(),
            prices: Mutex::default(),
            failed: OnceLock::new(),
            process: std::process::id(),
        })
    }

    /// Makes a ledger where there is none. On Unix only the owner can read it.
    ///
    /// # Errors
    /// If there is a file already, the charter is malformed, or the place cannot be written.
    pub fn create(path: impl AsRef<Path>, charter: &Charter) -> Result<Self> {
        let path = path.as_ref();
        if file::create(path, charter, PATIENCE)? {
            return Self::open(path);
        }
        Err(LedgerError::refused(
            format!("{} exists already", path.display()),
            "open it, or choose another place",
        ))
    }

    /// Opens the ledger of a charter, or makes it if there is no file.
    ///
    /// # Errors
    /// As for [`Ledger::open`] and [`Ledger::create`], and if the ledger was made for another
    /// charter.
    pub fn open_or_create(path: impl AsRef<Path>, charter: &Charter) -> Result<Self> {
        let path = path.as_ref();
        charter.checked()?;
        if !path.exists() {
            file::create(path, charter, PATIENCE)?;
        }
        Self::open(path)?.of(charter)
    }

    /// Opens the ledger of a charter if there is a file; makes none. Where there is none,
    /// [`Charter::preview`] says what a new one would.
    ///
    /// # Errors
    /// As for [`Ledger::open_or_create`], also if a ledger was here and is gone.
    pub fn open_if_present(path: impl AsRef<Path>, charter: &Charter) -> Result<Option<Self>> {
        let path = path.as_ref();
        charter.checked()?;
        if path.exists() {
            return Self::open(path)?.of(charter).map(Some);
        }
        witness::nothing_before(path)?;
        Ok(None)
    }

    /// Itself, if it was made for this charter.
    fn of(self, charter: &Charter) -> Result<Self> {
        let own = self.charter()?;
        if own == *charter {
            return Ok(self);
        }
        Err(LedgerError::refused(
            format!("the ledger was made for another charter: {}", difference(&own, charter)),
            "undo the change of the policy, or record it with `throng ledger amend`",
        ))
    }
}

/// What is different, in the owner's words.
fn difference(own: &Charter, asked: &Charter) -> String {
    if own.under != asked.under {
        return format!("{} and not {} neighbours", own.under, asked.under);
    }
    if own.capacity != asked.capacity {
        return format!("its budget is {} and not {}", own.capacity, asked.capacity);
    }
    if own.policy != asked.policy {
        return format!("its policy is {:?} and not {:?}", own.policy, asked.policy);
    }
    if own.stated != asked.stated {
        return "its stated epsilon and delta are others".into();
    }
    "its quotas are others".into()
}
