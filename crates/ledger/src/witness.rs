//! A second, small file that remembers how far the ledger had come.
//!
//! A log of SQLite that is damaged or removed after a crash, and a ledger file that is overwritten
//! with an older copy, look like a sound ledger in which less was spent. So after each durable
//! transaction the anchor is written to a file of its own beside the ledger; a ledger that has not
//! come as far as its witness is refused. The witness needs no sync: it is written after what it
//! witnesses is on the disk, so it is never ahead of an undamaged ledger, and one that is torn or
//! missing is only no help. It is no help either if both files are set back together: an anchor that
//! is kept elsewhere is.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{LedgerError, Result};
use crate::file::beside;
use crate::{Anchor, Digest};

/// Every witness is this long, so that an older one is overwritten whole.
const LENGTH: usize = 192;

/// The file beside the ledger.
#[derive(Debug)]
pub(crate) struct Witness {
    file: Option<File>,
}

fn path_of(ledger: &Path) -> PathBuf {
    beside(ledger, "-witness")
}

fn line(anchor: &Anchor) -> String {
    let text = anchor.to_string();
    let check = Digest::of(text.as_bytes());
    // 15 + 32 + 20 + 64 digits and three spaces fit, and a short check.
    format!("{:<width$}\n", format!("{text} {check:.16}"), width = LENGTH - 1)
}

/// What the witness says; `None` if there is none, or it is torn.
pub(crate) fn read(ledger: &Path) -> Option<Anchor> {
    let written = fs::read_to_string(path_of(ledger)).ok()?;
    let (text, check) = written.trim_end().rsplit_once(' ')?;
    let sound = Digest::of(text.as_bytes()).to_string().get(..16)? == check;
    text.parse().ok().filter(|_| sound)
}

impl Witness {
    /// The witness of a ledger, made if need be. Where it cannot be written, there is none.
    pub(crate) fn of(ledger: &Path) -> Self {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self { file: options.open(path_of(ledger)).ok() }
    }

    /// Remembers where the chain stands.
    pub(crate) fn see(&mut self, anchor: &Anchor) {
        let write = |file: &mut File| {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(line(anchor).as_bytes())
        };
        // A witness that cannot be written any more is dropped: the old one is still true.
        if self.file.as_mut().is_some_and(|file| write(file).is_err()) {
            self.file = None;
        }
    }
}

/// Refuses to make a ledger where another one was.
pub(crate) fn nothing_before(ledger: &Path) -> Result<()> {
    match read(ledger) {
        None => Ok(()),
        Some(anchor) => Err(LedgerError::Corrupt {
            what: format!("ledger {} was here, and is gone", anchor.ledger),
            hint: format!(
                "bring it back; only if its data is gone as well, remove {}",
                path_of(ledger).display()
            ),
        }),
    }
}

/// Refuses a ledger that has not come as far as its witness, or in another way.
pub(crate) fn agrees(
    ledger: &Path,
    witness: Option<Anchor>,
    id: &str,
    digest_of: impl FnOnce(u64) -> Result<Option<Digest>>,
) -> Result<()> {
    let Some(anchor) = witness else { return Ok(()) };
    if anchor.ledger == id && digest_of(anchor.number)? == Some(anchor.digest) {
        return Ok(());
    }
    Err(LedgerError::Corrupt {
        what: format!(
            "record {} of ledger {} was here, and is gone: this is an older copy, another ledger, \
             or its log was lost",
            anchor.number, anchor.ledger
        ),
        hint: format!(
            "bring the newest copy back; {} remembers how far it had come",
            path_of(ledger).display()
        ),
    })
}
