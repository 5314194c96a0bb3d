//! A mark of where the ledger stood, to be kept elsewhere.

use std::fmt;
use std::str::FromStr;

use crate::digest::unhex;
use crate::{Digest, LedgerError};

/// Which ledger, and where its chain stood: kept elsewhere, it shows if the ledger is ever set back.
///
/// ```
/// let text = format!("throng-anchor/1 {} 17 {}", "0f".repeat(16), "ab".repeat(32));
/// let anchor: throng_ledger::Anchor = text.parse()?;
/// assert_eq!((anchor.number, anchor.to_string()), (17, text));
/// # Ok::<(), throng_ledger::LedgerError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Anchor {
    /// The ledger: 32 hexadecimal digits drawn when it was made.
    pub ledger: String,
    /// The number of its last record.
    pub number: u64,
    /// The digest of that record, and through it of all before.
    pub digest: Digest,
}

const HEADING: &str = "throng-anchor/1";

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEADING} {} {} {}", self.ledger, self.number, self.digest)
    }
}

impl FromStr for Anchor {
    type Err = LedgerError;

    fn from_str(text: &str) -> Result<Self, LedgerError> {
        let wrong = || {
            LedgerError::invalid(
                "this is not an anchor",
                "an anchor is `throng-anchor/1 <ledger> <number> <digest>`",
            )
        };
        let parts: Vec<&str> = text.trim_end().split(' ').collect();
        let [HEADING, ledger, number, digest] = parts.as_slice() else { return Err(wrong()) };
        if unhex::<16>(ledger).is_none() {
            return Err(wrong());
        }
        let anchor = Self {
            ledger: (*ledger).to_owned(),
            number: number.parse().map_err(|_| wrong())?,
            digest: digest.parse().map_err(|_| wrong())?,
        };
        if anchor.to_string() == text.trim_end() { Ok(anchor) } else { Err(wrong()) }
    }
}
