//! Threads do not share a stream.

use std::collections::HashSet;
use std::thread;

use throng_sample::{Entropy, EntropyError, OsEntropy};

fn stream(mut entropy: OsEntropy) -> Result<[u8; 32], EntropyError> {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes)?;
    Ok(bytes)
}

/// One handle, copied into several threads, one after another and at the same time. (Streams that
/// are truly independent coincide with probability below 2^-247.)
#[test]
fn threads_draw_different_streams() -> Result<(), EntropyError> {
    let handle = OsEntropy;
    let mut seen = HashSet::from([stream(handle)?]);
    let threads: Vec<_> = (0..8).map(|_| thread::spawn(move || stream(handle))).collect();
    for thread in threads {
        let bytes = thread.join().unwrap_or_else(|_| Err(EntropyError::new("panicked")))?;
        assert!(seen.insert(bytes), "two threads drew the same bytes");
    }
    assert!(seen.insert(stream(handle)?), "this thread's stream went back");
    Ok(())
}
