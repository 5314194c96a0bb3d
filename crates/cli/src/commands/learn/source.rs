//! Which rows something was bought of, for the books.

use std::path::Path;
use std::time::UNIX_EPOCH;

use throng_ledger::Digest;
use throng_sample::{Entropy, OsEntropy};

use crate::failure::Failure;

/// The name of some rows, never made of what is in them.
///
/// It goes into receipts, exports and anchors, which are shown to others. A digest of the rows would let
/// whoever knows all rows but one confirm a guess at the last, and so would the length of the file: with
/// the row it is another than without. So a file is named by where it is and when it was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source(Digest);

impl Source {
    /// A file; `-` is stdin, which is new every time: nothing of it is ever found in the books.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            let mut fresh = [0; 32];
            OsEntropy
                .fill(&mut fresh)
                .map_err(|error| Failure::bug(format!("no randomness: {error}")))?;
            return Ok(Self(Digest::of_parts(&[b"stdin", &fresh])));
        }
        let (real, facts) = std::fs::canonicalize(path)
            .and_then(|real| std::fs::metadata(&real).map(|facts| (real, facts)))
            .map_err(|error| super::rows::unreadable(path, &error))?;
        let changed = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let (seconds, nanos) = changed.map_or((0, 0), |t| (t.as_secs(), t.subsec_nanos()));
        Ok(Self(Digest::of_parts(&[
            b"file",
            real.as_os_str().as_encoded_bytes(),
            format!("{seconds}.{nanos:09}").as_bytes(),
        ])))
    }

    /// As it goes into a question.
    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
