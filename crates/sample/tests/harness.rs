//! The judge itself: its proved error probabilities against exact enumeration.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support::judge::{FALSE_ALARM, divergence, first_alarm, miss_probability};
use crate::support::law::{Law, Tally};
use crate::support::laws::{binomial, coin, rational, single};
use throng_numeric::Enclosure;

const SAMPLES: i64 = 2_000;

/// Whether `heads` heads among the samples are taken for the law.
fn accepted(law: &Law, heads: i64) -> bool {
    let mut left = heads;
    let tally = Tally::new(law, u64::try_from(SAMPLES).unwrap(), || {
        left -= 1;
        i64::from(left >= 0)
    });
    first_alarm(law, &tally).is_none()
}

/// P(the number of heads satisfies a condition), bounded above, for heads of probability p.
fn probability(p: &str, condition: impl Fn(i64) -> bool) -> f64 {
    let heads = binomial(SAMPLES, &rational(p), single(0, SAMPLES));
    let cells = heads.cells();
    (0..=SAMPLES)
        .filter(|k| condition(*k))
        .map(|k| cells[usize::try_from(k + 1).unwrap()].upper())
        .sum()
}

fn law(p: &str) -> Law {
    coin(Enclosure::of_rational(&rational(p)))
}

#[test]
fn the_false_alarm_is_what_was_promised() {
    for p in ["1/3", "1/2", "1/1000", "1/1000000", "999/1000"] {
        let alarm = probability(p, |heads| !accepted(&law(p), heads));
        assert!(alarm <= FALSE_ALARM, "p = {p}: {alarm:e}");
    }
}

#[test]
fn the_miss_probability_is_an_upper_bound() {
    for (right, wrong) in [("1/3", "1/2"), ("1/2", "7/20"), ("1/1000", "1/30"), ("9/10", "49/50")] {
        let bound = miss_probability(&law(right), &law(wrong), SAMPLES.unsigned_abs());
        let miss = probability(wrong, |heads| accepted(&law(right), heads));
        assert!(miss <= bound, "{right} against {wrong}: {miss:e} above {bound:e}");
        assert!(bound < 1e-2, "{right} against {wrong}: the bound {bound:e} says nothing");
    }
}

#[test]
fn the_right_law_is_never_called_distinguishable_from_itself() {
    let bound = miss_probability(&law("1/3"), &law("1/3"), 1_000_000);
    assert!(bound >= 1.0, "{bound}");
}

#[test]
fn divergence_has_its_known_values() {
    assert!(divergence(0.3, 0.3).abs() < 1e-15);
    // ln(4/3), and half of it.
    assert!((divergence(0.0, 0.25) - 0.287_682_072_451_780_9).abs() < 1e-15);
    assert!((divergence(0.5, 0.25) - 0.143_841_036_225_890_5).abs() < 1e-15);
    assert!(divergence(1e-3, 0.0).is_infinite());
}

/// Cells, lower ends and middles are what they say.
#[test]
fn events_count_the_values_of_their_cells() {
    let law = binomial(10, &rational("1/2"), single(0, 9));
    let mut values = (0..11).cycle();
    let tally = Tally::new(&law, 1_100, || values.next().unwrap());
    for event in law.events() {
        // Cell 0 holds the negative numbers, cell i + 1 the number i, the last 10 and above.
        let held = event.end - event.first.max(1);
        assert_eq!(tally.of(&event), 100 * held as u64);
    }
}
