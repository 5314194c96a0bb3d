//! Operating-system entropy, stretched by `ChaCha20`.

use std::cell::RefCell;

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use zeroize::Zeroizing;

use super::wide::{Key, Wide};
use super::{Entropy, EntropyError};

/// The entropy that releases are drawn from: `ChaCha20`, keyed with 256 bits from the
/// operating system, one generator per thread.
///
/// This is a handle; the generator itself lives in the thread that calls [`Entropy::fill`],
/// so the handle may be copied and sent anywhere and no two threads share a stream.
///
/// # Guarantee
/// - **Forks do not share a stream.** Every call compares the process and its parent with
///   those of the last seeding and takes a new key if either changed. Nothing that was
///   generated before a fork is kept outside this check: samplers fetch what they need and
///   throw the rest away.
/// - **The key is short-lived.** A new one is taken from the operating system after
///   [`OsEntropy::RESEED_AFTER`] bytes, which also limits what a copied virtual machine can
///   repeat; [`OsEntropy::reseed`] takes one at once.
/// - **No fallback.** If the operating system gives no randomness the call fails, also when it
///   is only the reseeding that failed.
///
/// ```
/// use throng_sample::{Entropy, OsEntropy};
/// let mut bytes = [0; 32];
/// OsEntropy.fill(&mut bytes)?;
/// # Ok::<(), throng_sample::EntropyError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct OsEntropy;

impl OsEntropy {
    /// How many bytes one key gives before a new one is taken.
    pub const RESEED_AFTER: usize = 1 << 20;

    /// Takes a new key for this thread now, for instance at the start of a release, so that
    /// a machine resumed twice from one snapshot does not draw the same noise.
    ///
    /// # Errors
    /// If the operating system gives no randomness.
    pub fn reseed(&mut self) -> Result<(), EntropyError> {
        on_this_thread(|slot| reseed_from(slot, operating_system))
    }
}

thread_local! {
    static GENERATOR: RefCell<Option<Generator>> = const { RefCell::new(None) };
}

/// Works on the generator of this thread; fails, like any other loss of the source, while the
/// thread is being torn down.
fn on_this_thread(
    work: impl FnOnce(&mut Option<Generator>) -> Result<(), EntropyError>,
) -> Result<(), EntropyError> {
    GENERATOR
        .try_with(|slot| work(&mut slot.borrow_mut()))
        .unwrap_or_else(|_| Err(EntropyError::new("the thread is ending")))
}

impl Entropy for OsEntropy {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        on_this_thread(|slot| fill_from(slot, operating_system, bytes))
    }

    fn refresh(&mut self) -> Result<(), EntropyError> {
        self.reseed()
    }
}

/// Where keys come from; a parameter so that tests can let it fail.
type KeySource = fn(&mut [u8; 32]) -> Result<(), EntropyError>;

fn operating_system(key: &mut [u8; 32]) -> Result<(), EntropyError> {
    getrandom::fill(key).map_err(|error| EntropyError::new(error.to_string()))
}

/// A generator and the circumstances of its seeding. The cipher wipes its state when dropped.
struct Generator {
    stream: ChaCha20Rng,
    process: ProcessStamp,
    left: usize,
}

impl Generator {
    fn seeded_by(source: KeySource) -> Result<Self, EntropyError> {
        let mut key = [0; 32];
        source(&mut key)?;
        let stream = ChaCha20Rng::from_seed(key);
        Ok(Self { stream, process: ProcessStamp::now(), left: OsEntropy::RESEED_AFTER })
    }

    /// Takes `bytes` off the life of the key.
    ///
    /// Many at a time come from a key of their own, drawn from the stream and forgotten after
    /// this request, because a stream that goes on costs more where vectors are wide.
    fn fill(&mut self, bytes: &mut [u8]) {
        let wide = if bytes.len() >= Wide::LEAST { Wide::available() } else { None };
        match wide {
            Some(wide) => {
                let mut key = Zeroizing::new(Key::default());
                self.stream.fill_bytes(&mut *key);
                wide.fill(&key, bytes);
            }
            None => self.stream.fill_bytes(bytes),
        }
        self.left -= bytes.len();
    }

    fn is_current(&self) -> bool {
        self.left > 0 && self.process == ProcessStamp::now()
    }
}

/// Replaces the key. The old one goes first, so that a failing source does not leave it behind.
fn reseed_from(slot: &mut Option<Generator>, source: KeySource) -> Result<(), EntropyError> {
    *slot = None;
    *slot = Some(Generator::seeded_by(source)?);
    Ok(())
}

/// Fills `bytes` in runs of at most the life of a key. A generator that is out of date is
/// dropped *before* the source is asked, so that a failing source leaves no old key behind.
fn fill_from(
    slot: &mut Option<Generator>,
    source: KeySource,
    bytes: &mut [u8],
) -> Result<(), EntropyError> {
    let mut rest = bytes;
    while !rest.is_empty() {
        if !slot.as_ref().is_some_and(Generator::is_current) {
            *slot = None;
        }
        let generator = match slot {
            Some(generator) => generator,
            None => slot.insert(Generator::seeded_by(source)?),
        };
        let (run, later) = rest.split_at_mut(rest.len().min(generator.left));
        generator.fill(run);
        rest = later;
    }
    Ok(())
}

/// Tells a process from a fork of it.
///
/// The parent is part of it because a process number alone can recur: it is reused after its
/// owner died, and starts again at 1 in a new pid namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProcessStamp {
    process: u32,
    parent: u32,
}

impl ProcessStamp {
    #[cfg(unix)]
    fn now() -> Self {
        Self { process: std::process::id(), parent: std::os::unix::process::parent_id() }
    }

    #[cfg(not(unix))]
    fn now() -> Self {
        Self { process: std::process::id(), parent: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(_: &mut [u8; 32]) -> Result<(), EntropyError> {
        Err(EntropyError::new("test"))
    }

    fn constant(key: &mut [u8; 32]) -> Result<(), EntropyError> {
        *key = [7; 32];
        Ok(())
    }

    #[test]
    fn a_failing_source_is_an_error_and_never_a_fallback() {
        let mut slot = None;
        let mut bytes = [0; 8];
        assert!(fill_from(&mut slot, fails, &mut bytes).is_err());
        assert!(fill_from(&mut slot, constant, &mut bytes).is_ok());
        // The key wears out in the middle of a request and cannot be renewed.
        let mut long = vec![0; OsEntropy::RESEED_AFTER];
        assert!(fill_from(&mut slot, fails, &mut long).is_err());
        assert!(slot.is_none(), "an expired key must not survive");
    }

    #[test]
    fn a_generator_of_another_process_is_not_used() {
        let mut slot = None;
        let (mut first, mut second) = ([0; 32], [0; 32]);
        assert!(fill_from(&mut slot, constant, &mut first).is_ok());
        if let Some(generator) = &mut slot {
            generator.process.process ^= 1;
        }
        assert!(fill_from(&mut slot, fails, &mut second).is_err());
        assert!(fill_from(&mut slot, constant, &mut second).is_ok());
        assert_eq!(first, second, "the constant source restarts the same stream");
    }

    #[test]
    fn a_key_gives_reseed_after_bytes_and_no_more() {
        let mut slot = None;
        let mut bytes = vec![0; 2 * OsEntropy::RESEED_AFTER];
        assert!(fill_from(&mut slot, constant, &mut bytes).is_ok());
        let (first, again) = bytes.split_at(OsEntropy::RESEED_AFTER);
        assert!(first == again, "the constant source was asked again exactly at the limit");
    }

    /// A long request has a key of its own, which the stream hands out and passes by.
    #[test]
    fn long_requests_share_no_bytes() {
        let mut slot = None;
        let mut requests = [vec![0; 4096], vec![0; 4096], vec![0; 96]];
        for request in &mut requests {
            assert!(fill_from(&mut slot, constant, request).is_ok());
        }
        let mut words = std::collections::BTreeSet::new();
        let chunks = requests.iter().flat_map(|request| request.as_chunks::<8>().0);
        assert!(chunks.clone().all(|word| words.insert(*word)));
        assert_eq!(slot.map(|slot| slot.left), Some(OsEntropy::RESEED_AFTER - 2 * 4096 - 96));
        if let Some(wide) = Wide::available() {
            let mut stream = ChaCha20Rng::from_seed([7; 32]);
            let mut expected = vec![0; 4096];
            for request in &requests[..2] {
                let mut key = Key::default();
                stream.fill_bytes(&mut key);
                wide.fill(&key, &mut expected);
                assert!(*request == expected);
            }
            stream.fill_bytes(&mut expected[..96]);
            assert!(requests[2] == expected[..96]);
        }
    }

    #[test]
    fn a_refresh_takes_a_new_key_or_fails() {
        let mut slot = None;
        let (mut first, mut second) = ([0; 32], [0; 32]);
        assert!(fill_from(&mut slot, constant, &mut first).is_ok());
        assert!(reseed_from(&mut slot, constant).is_ok());
        assert!(fill_from(&mut slot, fails, &mut second).is_ok());
        assert_eq!(first, second, "the constant source restarts the same stream");
        assert!(reseed_from(&mut slot, fails).is_err());
        assert!(slot.is_none(), "an old key must not survive");
        assert!(OsEntropy.refresh().is_ok());
    }
}
