//! A progress bar for what takes long.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shown on stderr, only if that is a terminal, and only once work has taken a while.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

const PATIENCE: Duration = Duration::from_millis(400);

impl Progress {
    /// Of `steps` steps none is done; `what` they are called.
    pub(crate) fn new(steps: usize, what: &str) -> Self {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
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

    /// Whether somebody can see it.
    pub(crate) fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Words beside the bar.
    pub(crate) fn say(&self, words: String) {
        self.bar.set_message(words);
    }

    /// So many are done.
    pub(crate) fn at(&self, steps: u64) {
        self.step();
        self.bar.set_position(steps);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A sign of life while the end is not known. It shows no numbers: how many rows there are may be
/// private, and screens are photographed.
pub(crate) struct Waiting {
    bar: ProgressBar,
    started: Instant,
    ticks: Cell<u32>,
}

impl Waiting {
    /// Work of this name begins.
    pub(crate) fn new(what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Self { bar, started: Instant::now(), ticks: Cell::new(0) }
    }

    /// Something was done; cheap enough to be called for every row.
    pub(crate) fn tick(&self) {
        const EVERY: u32 = 1 << 12;
        self.ticks.set(self.ticks.get().wrapping_add(1));
        if !self.ticks.get().is_multiple_of(EVERY) {
            return;
        }
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.tick();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How much of the files is read. Their size is no secret, so there is a bar; how many rows there
/// are is, so there is no number but the percentage.
pub(crate) struct Scan {
    bar: ProgressBar,
    started: Instant,
}

impl Scan {
    /// Nothing is read yet.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::hidden());
        let style = "{bar:30} {percent} % of the files read, {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, started: Instant::now() }
    }

    /// This share is read.
    pub(crate) fn at(&self, share: f64) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(percent(share));
        self.bar.tick();
    }

    /// Everything is read.
    pub(crate) fn done(&self) {
        self.bar.finish_and_clear();
    }
}

/// Runs of a target under audit, and how much of the evidence is there. The target is not private
/// data: it was asked to be looked at.
pub(crate) struct Trials {
    bar: ProgressBar,
    started: Instant,
}

impl Trials {
    /// None yet.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let style = "{bar:30} {pos} of at most {len} runs in each world, {msg}{elapsed}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, started: Instant::now() }
    }

    /// So many of so many are done.
    pub(crate) fn at(&self, runs: u64, most: u64, evidence: f64) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_length(most);
        if evidence > 0.0 {
            self.bar.set_message(format!("{} % of the evidence, ", percent(evidence)));
        }
        self.bar.set_position(runs);
    }
}

impl Drop for Trials {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
fn percent(share: f64) -> u64 {
    (100.0 * share.clamp(0.0, 1.0)) as u64
}
