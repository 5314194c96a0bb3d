//! Where the chain stands, and whether it is sound.

use std::path::Path;

use super::{Ledger, PATIENCE};
use crate::error::Result;
use crate::verify::{self, Depth, Verification};
use crate::{Anchor, file};

impl Ledger {
    /// Where the chain stands: keep it elsewhere, and give it to [`Ledger::verify`] later.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn anchor(&self) -> Result<Anchor> {
        self.reading(|_, standing| {
            let (number, digest) = (standing.head.number, standing.head.digest);
            Ok(Anchor { ledger: self.id.clone(), number, digest })
        })
    }

    /// Reads the whole ledger and checks everything that can be checked; see [`Verification`].
    ///
    /// # Errors
    /// [`LedgerError::Corrupt`](crate::LedgerError::Corrupt) says what was seen first.
    pub fn verify(&self, anchor: Option<&Anchor>, depth: Depth) -> Result<Verification> {
        let done = verify::file(&self.path, anchor, depth, self.patience);
        self.observed(done)
    }

    /// [`Ledger::verify`] of a file that may be too damaged to be opened.
    ///
    /// # Errors
    /// As there.
    pub fn inspect(
        path: impl AsRef<Path>,
        anchor: Option<&Anchor>,
        depth: Depth,
    ) -> Result<Verification> {
        verify::file(&file::real(path.as_ref())?, anchor, depth, PATIENCE)
    }
}
