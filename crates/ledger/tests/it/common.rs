//! What the tests share.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use throng_ledger::{Amount, Charge, Charter, Digest, Ledger, Neighbours};
use throng_numeric::Rational;

/// A folder that goes away with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("throng-ledger-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.0.join("ledger.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

pub(crate) fn pure(text: &str) -> Amount {
    Amount::Pure { epsilon: rational(text) }
}

/// Room for exactly so many charges of [`charge`].
pub(crate) fn charter(charges: u64) -> Charter {
    let epsilon = Rational::new(charges, 10_u8).unwrap();
    Charter::new(Amount::Pure { epsilon }, Neighbours::AddRemove, "test")
}

/// A charge of 1/10 for a question of its own.
pub(crate) fn charge(name: &str) -> Charge {
    let spec = "discrete_laplace(scale=10)".parse().unwrap();
    Charge::new(Digest::of(name.as_bytes()), format!("SELECT '{name}'"), spec)
}

/// Pays for a question, stores an answer, and gives it.
pub(crate) fn answer(ledger: &Ledger, name: &str) -> Vec<u8> {
    let paid = ledger.authorise(&charge(name)).unwrap();
    let payload = format!("the answer to {name}").into_bytes();
    ledger.store(&paid.ticket, &payload).unwrap();
    payload
}

pub(crate) fn exported(ledger: &Ledger) -> String {
    let mut bytes = Vec::new();
    ledger.export(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A small generator for schedules; not for privacy.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`, by splitmix64.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }

    pub(crate) fn below(&mut self, sides: usize) -> usize {
        usize::try_from(self.roll(u64::try_from(sides).unwrap())).unwrap()
    }
}

/// The path with something appended to its last part.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Copies a ledger with its log and its witness, as they are on the disk now.
pub(crate) fn copy(from: &Path, to: &Path) {
    for suffix in ["", "-wal", "-witness"] {
        let _ = std::fs::remove_file(beside(to, suffix));
        if beside(from, suffix).exists() {
            std::fs::copy(beside(from, suffix), beside(to, suffix)).unwrap();
        }
    }
    let _ = std::fs::remove_file(beside(to, "-shm"));
}
