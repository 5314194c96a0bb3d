//! A progress bar for what takes long.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shown on stderr, only if that is a terminal, and only once work has taken a while.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

const PATIENCE: Duration = Duration::from_millis(400);

impl Progress {
    /// Of `steps` steps none is done.
    pub(crate) fn new(steps: usize) -> Self {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} points, {eta} left") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, started: Instant::now() }
    }

    /// One more is done.
    pub(crate) fn step(&self) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
