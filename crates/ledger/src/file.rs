//! The file itself: how it comes into being, and which one it is.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::charter::CharterBody;
use crate::digest::hex;
use crate::error::{LedgerError, Result};
use crate::record::{Body, FORMAT, Founding, genesis};
use crate::rows::{self, Head};
use crate::{Charter, schema, standing, witness};

/// Which file a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity(u64, u64);

impl Identity {
    /// The device and the node of the file, where there is such a thing.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let found = fs::metadata(path).map_err(|error| unreachable(path, &error))?;
        if !found.is_file() {
            return Err(LedgerError::io(format!("{} is not a file", path.display())));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Ok(Self(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        Ok(Self(0, 0))
    }
}

fn unreachable(path: &Path, error: &std::io::Error) -> LedgerError {
    if error.kind() == ErrorKind::NotFound {
        return LedgerError::io(format!("there is no {}", path.display()));
    }
    LedgerError::io(format!("{}: {error}", path.display()))
}

/// The file that a path names, whatever links lead there: its log and its witness are beside it.
pub(crate) fn real(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).map_err(|error| unreachable(path, &error))
}

/// The path with something appended to its last part.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Makes a ledger at a path where there is nothing; the charter is record 0.
///
/// It is made under another name and then linked, so that it exists whole or not at all, and only
/// one of several creators succeeds.
///
/// # Errors
/// `Ok(false)` if there is something already.
pub(crate) fn create(path: &Path, charter: &Charter, patience: Duration) -> Result<bool> {
    charter.checked()?;
    for suffix in ["-wal", "-journal"] {
        if beside(path, suffix).exists() && !path.exists() {
            return Err(LedgerError::corrupt("its log is there but the ledger itself is missing"));
        }
    }
    if !path.exists() {
        witness::nothing_before(path)?;
    }
    let draft = draft_of(path)?;
    let made = found(&draft, charter, patience).and_then(|()| publish(&draft, path));
    let removed = fs::remove_file(&draft);
    let made = made?;
    removed?;
    sync_directory(path)?;
    Ok(made)
}

/// A new empty file beside the path, readable by the owner only.
fn draft_of(path: &Path) -> Result<PathBuf> {
    let fail = |error: std::io::Error| LedgerError::io(format!("{}: {error}", path.display()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut attempt = 0_u32;
    loop {
        let draft = beside(path, &format!("-new-{}-{attempt}", std::process::id()));
        match options.open(&draft) {
            Ok(_) => return Ok(draft),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 1000 => {
                attempt += 1;
            }
            Err(error) => return Err(fail(error)),
        }
    }
}

fn found(draft: &Path, charter: &Charter, patience: Duration) -> Result<()> {
    let connection = schema::blank(draft, patience)?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    schema::found(&connection)?;
    let id: Vec<u8> = connection.query_row("SELECT randomblob(16)", [], |row| row.get(0))?;
    let founding = Founding { format: FORMAT, ledger: hex(&id), charter: CharterBody::of(charter) };
    let spent = charter.capacity.nothing();
    let record = standing::link(&genesis(), 0, &Body::Charter(founding), Vec::new(), &spent)?;
    rows::insert(&connection, &record)?;
    rows::first_head(&connection, &Head { number: 0, digest: record.digest, spent })?;
    connection.execute_batch("COMMIT")?;
    // Closing the last connection moves everything from the log to the file and removes the log.
    connection.close().map_err(|(_, error)| LedgerError::from(error))?;
    if beside(draft, "-wal").exists() {
        return Err(LedgerError::io("the new ledger could not be completed"));
    }
    File::open(draft)?.sync_all()?;
    Ok(())
}

fn publish(draft: &Path, path: &Path) -> Result<bool> {
    match fs::hard_link(draft, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(LedgerError::io(format!("{}: {error}", path.display()))),
    }
}

/// Makes the name durable, not only the content.
fn sync_directory(path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if cfg!(unix) {
        File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
