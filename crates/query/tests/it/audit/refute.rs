//! Refuting a claim by sampling: exact bounds, at a stated chance of a false alarm.

use throng_numeric::{Enclosure, beta};

/// The chance, for each case, of refuting a true claim.
pub(super) const FALSE_ALARM: f64 = 1e-9;

/// What shows that a claim is refuted with power to spare: at this level each bound lies three deviations
/// further out than at [`FALSE_ALARM`] (9.3 instead of 6.2, or a little more of each), so other
/// randomness would have refuted it too, with a chance above 99.7 %.
pub(super) const WITH_POWER: f64 = 1e-20;

/// Statistics of runs in two worlds that are neighbours.
pub(super) struct Samples {
    pub(super) worlds: [Vec<f64>; 2],
}

impl Samples {
    /// Looks for a violation of pairs (epsilon, delta) at these events (the statistic is at least
    /// this, or below it), in both directions; what is found is false with a chance of at most `alarm`.
    ///
    /// Each comparison uses two bounds, and is wrong only if one of them is: all together with a
    /// chance of at most `alarm`.
    pub(super) fn refute(
        &self,
        events: &[f64],
        claims: &[(f64, f64)],
        alarm: f64,
    ) -> Option<String> {
        let comparisons = 4 * events.len() * claims.len();
        let level = alarm / (2.0 * f64::from(u32::try_from(comparisons).unwrap()));
        for event in events {
            for (a, b) in [(0, 1), (1, 0)] {
                for above in [true, false] {
                    let low = lower(&self.worlds[a], *event, above, level);
                    let high = upper(&self.worlds[b], *event, above, level);
                    for (epsilon, claimed) in claims {
                        let delta = low - exp(*epsilon) * high;
                        if delta > *claimed {
                            return Some(format!(
                                "delta({epsilon}) is at least {delta}, not {claimed}: event {event}"
                            ));
                        }
                    }
                }
            }
        }
        None
    }

    /// The largest of p - e^epsilon q - delta as it was seen: at most 0 if a claim is true, but for chance.
    pub(super) fn above(&self, events: &[f64], claims: &[(f64, f64)]) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for event in events {
            for (a, b) in [(0, 1), (1, 0)] {
                for above in [true, false] {
                    let share = |world: &[f64]| {
                        let (hits, runs) = hits(world, *event, above);
                        number(hits) / number(runs)
                    };
                    let (p, q) = (share(&self.worlds[a]), share(&self.worlds[b]));
                    for (epsilon, claimed) in claims {
                        most = most.max(p - exp(*epsilon) * q - claimed);
                    }
                }
            }
        }
        most
    }
}

fn hits(world: &[f64], event: f64, above: bool) -> (u64, u64) {
    let hits = world.iter().filter(|x| (**x >= event) == above).count();
    (u64::try_from(hits).unwrap(), u64::try_from(world.len()).unwrap())
}

#[expect(clippy::cast_precision_loss, reason = "a number of runs")]
pub(super) fn number(n: u64) -> f64 {
    n as f64
}

#[expect(clippy::disallowed_methods, reason = "known to many more digits than chances are")]
fn exp(x: f64) -> f64 {
    x.exp()
}

/// A lower bound on the chance of an event, wrong with a chance of at most `level`.
pub(super) fn lower(world: &[f64], event: f64, above: bool, level: f64) -> f64 {
    // What is not the event has at most this chance.
    1.0 - upper(world, event, !above, level)
}

/// An upper bound on the chance of an event, wrong with a chance of at most `level` (Clopper and
/// Pearson, 1934).
fn upper(world: &[f64], event: f64, above: bool, level: f64) -> f64 {
    let (hits, runs) = hits(world, event, above);
    if hits == runs {
        return 1.0;
    }
    let point = |x: f64| Enclosure::point(x).unwrap();
    // P(Bin(n, p) <= k) = 1 - I_p(k + 1, n - k) falls in p.
    let (mut low, mut high) = (number(hits) / number(runs), 1.0);
    for _ in 0..40 {
        let p = f64::midpoint(low, high);
        let (a, b) = (point(number(hits) + 1.0), point(number(runs - hits)));
        let tail = beta::complement(a, b, point(p)).unwrap();
        if tail.upper() <= level { high = p } else { low = p }
    }
    high
}
