//! Whether samples may come from a law: a test with a proved false alarm and a proved power.
//!
//! # False alarm: at most [`FALSE_ALARM`]
//! Let C be the count of an event of probability p among n independent samples. Chernoff's bound
//! says P(C/n >= a) <= exp(-n KL(a, p)) for a >= p, and likewise below p, where KL(a, p) =
//! a ln(a/p) + (1-a) ln((1-a)/(1-p)). KL grows with the distance of a from p; so on each side the
//! counts with n KL(C/n, p) > t are those beyond some c with n KL(c/n, p) > t, and have
//! probability at most e^-t. Both sides and all events together: 2 events e^-t = `FALSE_ALARM`
//! for t = ln(2 events / `FALSE_ALARM`). A p known only by bounds counts with the end nearer to
//! C/n, which only lowers KL.
//!
//! # Power: [`miss_probability`]
//! The test accepts only if every event's count lies in its interval. If under a wrong law an
//! event has a probability q beyond the upper end h of its interval, the test accepts with
//! probability at most P(C/n <= h) <= exp(-n KL(h, q)); the same below. The smallest of these
//! over the events bounds the probability to miss the wrong law.
//!
//! The logarithms are those of f64. Their error in n KL is below 10^-8 for n <= 10^7 (a few units
//! of 2^-53 times n), and [`SLACK`] is added to t, so it cannot produce a false alarm.

use throng_numeric::Enclosure;
use throng_sample::{SampleError, SeededEntropy};

use super::law::{Event, Law, Tally};

/// The probability that a test rejects a right sampler, at most.
pub(crate) const FALSE_ALARM: f64 = 1e-9;
/// The probability that a test accepts the wrong law it is meant to catch, at most.
pub(crate) const MISS: f64 = 1e-6;
/// Far more than rounding can do.
const SLACK: f64 = 1e-3;

/// One sampler under test: its law, how often it is drawn, and the seed.
pub(crate) struct Experiment<'a> {
    pub(crate) law: &'a Law,
    pub(crate) samples: u64,
    pub(crate) seed: u64,
}

impl Experiment<'_> {
    /// Fails unless the samples look like the law.
    pub(crate) fn accepts(&self, draw: impl FnMut(&mut SeededEntropy) -> Result<i64, SampleError>) {
        if let Some(alarm) = first_alarm(self.law, &self.tally(draw)) {
            panic!("a right sampler was rejected: {alarm}");
        }
    }

    /// Fails unless a wrong sampler with the law `wrong` is caught, here and with probability
    /// at least 1 - [`MISS`] for a random seed.
    pub(crate) fn rejects(
        &self,
        wrong: &Law,
        draw: impl FnMut(&mut SeededEntropy) -> Result<i64, SampleError>,
    ) {
        let miss = miss_probability(self.law, wrong, self.samples);
        assert!(miss <= MISS, "{} samples miss it with probability {miss:e}", self.samples);
        println!("{} samples; missed with probability at most {miss:.1e}", self.samples);
        let alarm = first_alarm(self.law, &self.tally(draw));
        assert!(alarm.is_some(), "a wrong sampler was accepted (miss {miss:e})");
    }

    fn tally(&self, mut draw: impl FnMut(&mut SeededEntropy) -> Result<i64, SampleError>) -> Tally {
        let mut entropy = SeededEntropy::new(self.seed);
        Tally::new(self.law, self.samples, || draw(&mut entropy).unwrap())
    }
}

/// t for a number of events.
fn threshold(events: usize) -> f64 {
    (2.0 * events as f64 / FALSE_ALARM).ln() + SLACK
}

/// The first event whose count is too far off, in words.
pub(crate) fn first_alarm(law: &Law, tally: &Tally) -> Option<String> {
    let events = law.events();
    let limit = threshold(events.len());
    let off = |event: &&Event| surprise(tally.of(event), tally.samples, event.probability) > limit;
    let event = events.iter().find(off)?;
    let share = tally.of(event) as f64 / tally.samples as f64;
    Some(format!(
        "cells {}..{}: share {share} instead of {}",
        event.first, event.end, event.probability
    ))
}

/// An upper bound of the probability that `samples` values of the law `wrong` are accepted as
/// values of `law`.
pub(crate) fn miss_probability(law: &Law, wrong: &Law, samples: u64) -> f64 {
    let (events, elsewhere) = (law.events(), wrong.events());
    assert_eq!(events.len(), elsewhere.len(), "both laws need the same cells");
    let limit = threshold(events.len());
    let miss = |(event, under_wrong): (&Event, &Event)| {
        miss_of_event(event.probability, under_wrong.probability, samples, limit)
    };
    events.iter().zip(&elsewhere).map(miss).fold(1.0, f64::min)
}

fn miss_of_event(right: Enclosure, wrong: Enclosure, samples: u64, limit: f64) -> f64 {
    let n = samples as f64;
    let accepted = |count: u64| surprise(count, samples, right) <= limit;
    if wrong.lower() > right.upper() {
        let start = (n * right.upper()).ceil().min(n) as u64;
        let highest = last_true(start, samples, accepted) as f64 / n;
        if wrong.lower() > highest { (-n * divergence(highest, wrong.lower())).exp() } else { 1.0 }
    } else if wrong.upper() < right.lower() {
        let start = samples - (n * right.lower()).floor() as u64;
        let most_failures = last_true(start, samples, |failures| accepted(samples - failures));
        let lowest = (samples - most_failures) as f64 / n;
        if wrong.upper() < lowest { (-n * divergence(lowest, wrong.upper())).exp() } else { 1.0 }
    } else {
        1.0
    }
}

/// The largest count in start..=end with a property that once lost stays lost (or `start`).
fn last_true(start: u64, end: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (start, end);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// n KL(count/n, p) for the p between its bounds that explains the count best.
fn surprise(count: u64, samples: u64, p: Enclosure) -> f64 {
    let share = count as f64 / samples as f64;
    samples as f64 * divergence(share, share.clamp(p.lower(), p.upper()))
}

/// KL(a, b) of two coins.
pub(crate) fn divergence(a: f64, b: f64) -> f64 {
    let part = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * (a / b).ln() };
    part(a, b) + part(1.0 - a, 1.0 - b)
}
