//! How much of files has been read.

use std::fmt;
use std::io::{Read, Result, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use throng_mechanism::Sensitive;

/// Bytes that one query has read of the files that this crate reads itself.
#[derive(Debug, Default)]
pub(crate) struct Meter(AtomicU64);

impl Meter {
    /// So far.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many rows a table has: private, like the rows, so it has no text.
pub(crate) struct RowCount(Sensitive<u64>);

impl fmt::Debug for RowCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowCount")
    }
}

impl RowCount {
    pub(super) const fn new(rows: u64) -> Self {
        Self(Sensitive::new(rows))
    }

    /// The number, for whoever shows no more than how much of it is done.
    #[expect(clippy::disallowed_methods, reason = "its users show a share of it only")]
    pub(crate) const fn for_shares(&self) -> u64 {
        *self.0.expose()
    }
}

/// A source whose bytes are counted, if anybody wants to know.
#[derive(Debug)]
pub(super) struct Metered<R> {
    source: R,
    meter: Option<Arc<Meter>>,
}

impl<R> Metered<R> {
    pub(super) const fn new(source: R, meter: Option<Arc<Meter>>) -> Self {
        Self { source, meter }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.source.read(buffer)?;
        if let Some(meter) = &self.meter {
            meter.0.fetch_add(u64::try_from(read).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        Ok(read)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.source.seek(to)
    }
}
