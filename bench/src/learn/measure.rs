//! CPU time and memory, as the system counts them.

use std::fs::read_to_string;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Time on the processor of this thread, where the system tells: other work on the machine does not
/// count. Learners run on the thread that calls them.
pub(crate) fn now() -> Duration {
    // The system brings its count up to date when a thread offers to give way.
    std::thread::yield_now();
    let told = read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// What it makes, and how long that takes.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let since = now();
    let made = work();
    (made, (now() - since).as_secs_f64())
}

/// The most memory this process has held, in MiB.
pub(crate) fn peak_mib() -> Option<f64> {
    let status = read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}
