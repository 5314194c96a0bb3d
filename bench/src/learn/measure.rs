//! CPU time and memory, as the system counts them.

use std::fs::read_to_string;

use cpu_time::ThreadTime;

/// What it makes, and how long that takes on the processor: other work on the machine does not count. Learners
/// run on the thread that calls them.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let since = ThreadTime::now();
    let made = work();
    (made, since.elapsed().as_secs_f64())
}

/// The most memory this process has held, in MiB.
pub(crate) fn peak_mib() -> Option<f64> {
    let status = read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}
