//! What is certified about the target itself: bounds on epsilon and mu, and a curve.
//!
//! A bound is found by refuting claims. The claims of a family grow weaker along a list that is fixed before
//! the outcomes that certify are looked at; they are tried in this order, up to the first that is not
//! refuted. If the bound is wrong, the first claim of the list that is true was refuted: a chance of at most
//! the level, however many claims were tried.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Rational};

use crate::claim::{Claim, Orientation};
use crate::error::unless_given_up;
use crate::gauge::Tally;
use crate::plan::Plan;
use crate::region::Region;
use crate::test::binomial::real;
use crate::test::curve::{log, quantile};
use crate::test::exact::{EventTest, Rate, lower_bound, upper_bound};
use crate::{AuditError, World};

/// The claim of being (epsilon, delta)-private.
pub(crate) fn approx_claim(epsilon: f64, delta: f64) -> Result<Claim, AuditError> {
    Claim::of_pairs("approx_dp", &[(epsilon, delta)])
}

/// The claim of being mu-Gaussian-private.
pub(crate) fn gaussian_claim(mu: f64) -> Result<Claim, AuditError> {
    let leaf = Leaf::Gdp { mu: Rational::from_f64(mu)? };
    Claim::of_spec(&MechanismSpec::Leaf(leaf), Neighbours::AddRemove, Orientation::Either)
}

/// Claims of a family up to the first that is not refuted: the parameter of the last that was.
pub(crate) fn climb(
    list: &[f64],
    mut refuted: impl FnMut(f64) -> Result<bool, AuditError>,
) -> Result<f64, AuditError> {
    let mut bound = 0.0;
    for parameter in list {
        unless_given_up()?;
        if !refuted(*parameter)? {
            break;
        }
        bound = *parameter;
    }
    Ok(bound)
}

/// Parameters from a small one to somewhat beyond a guess; and one that is to be among them.
pub(crate) fn ladder(guess: f64, among: Option<f64>) -> Vec<f64> {
    let guess = if guess.is_finite() { guess.clamp(1e-3, 40.0) } else { 40.0 };
    let mut list: Vec<f64> = (1..=16).map(|k| guess * f64::from(k) / 20.0).collect();
    list.extend((1..=60).map(|k| guess * (0.8 + f64::from(k) / 200.0)));
    list.extend((1..=10).map(|k| guess * (1.1 + f64::from(k) / 25.0)));
    list.extend(among.filter(|x| *x > 0.0 && x.is_finite()));
    list.sort_by(f64::total_cmp);
    list
}

/// The epsilon of the event that is expected to give the best bound, about.
pub(crate) fn epsilon_guess(seen: &Tally, runs: u64, delta: f64, level: f64) -> f64 {
    let z = quantile(level);
    let mut best = (f64::NEG_INFINITY, 1.0f64);
    for k in 1..seen.cells() {
        for world in World::BOTH {
            let hits = |of: World| match world {
                World::One => seen.from(of, k),
                World::Zero => seen.runs(of) - seen.from(of, k),
            };
            let rate = |of: World| Rate { hits: hits(of), runs: seen.runs(of) }.smoothed();
            let (p, q) = (rate(world.other()), rate(world));
            let spread = |x: f64| z * (x * (1.0 - x) / real(runs).max(1.0)).sqrt();
            let ratio = (q - spread(q) * 0.7 - delta) / (p + spread(p) * 0.7);
            if ratio > best.0 {
                best = (ratio, ((q - delta).max(1e-12) / p).max(1.0));
            }
        }
    }
    log(best.1)
}

/// A lower bound on epsilon at delta.
pub(crate) fn epsilon_lower(
    seen: &Tally,
    list: &[f64],
    tally: &Tally,
    delta: f64,
    level: f64,
) -> Result<f64, AuditError> {
    climb(list, |epsilon| {
        let claim = approx_claim(epsilon, delta)?;
        let plan = Plan::of(&claim, seen, tally.paired(), level);
        crate::judge::refutes(&claim, &plan, tally, level)
    })
}

/// A lower bound on epsilon at delta from one event, which was chosen before.
pub(crate) fn epsilon_of_event(
    (from, to): (Rate, Rate),
    list: &[f64],
    delta: f64,
    level: f64,
) -> Result<f64, AuditError> {
    climb(list, |epsilon| {
        let slope = Enclosure::point(epsilon)?.exp().upper();
        let region = Region::of_lines([(slope, delta)]);
        EventTest::new(&region, from, to)?.refutes(level)
    })
}

/// The distance of two normals as far apart as the events of a tally, about.
pub(crate) fn mu_guess(seen: &Tally) -> f64 {
    let mut most: f64 = 0.0;
    for k in 1..seen.cells() {
        let rate = |of: World| Rate { hits: seen.from(of, k), runs: seen.runs(of) };
        let (zero, one) = (rate(World::Zero), rate(World::One));
        if zero.hits + one.hits >= 20 && zero.hits + one.hits + 20 <= zero.runs + one.runs {
            most = most.max(quantile(zero.smoothed()) - quantile(one.smoothed()));
        }
    }
    most
}

/// A lower bound on mu.
pub(crate) fn mu_lower(
    seen: &Tally,
    list: &[f64],
    tally: &Tally,
    level: f64,
) -> Result<f64, AuditError> {
    climb(list, |mu| {
        let claim = gaussian_claim(mu)?;
        let plan = Plan::of(&claim, seen, tally.paired(), level);
        crate::judge::refutes(&claim, &plan, tally, level)
    })
}

/// Points (false-alarm rate, miss rate) that an attacker reaches at least, all of them together wrong with a
/// chance of at most the level: each rate has an exact bound at its share of the level.
pub(crate) fn curve(tally: &Tally, level: f64) -> Result<Vec<(f64, f64)>, AuditError> {
    let thresholds = tally.cells().saturating_sub(1).max(1);
    let share = level / (2.0 * real(u64::try_from(thresholds).unwrap_or(u64::MAX)));
    let mut points = vec![(0.0, 1.0), (1.0, 0.0)];
    for k in 1..tally.cells() {
        unless_given_up()?;
        let rate = |of: World| Rate { hits: tally.from(of, k), runs: tally.runs(of) };
        let alarm = upper_bound(rate(World::Zero), share)?;
        let found = lower_bound(rate(World::One), share)?;
        points.push((alarm, (1.0 - found).next_up().min(1.0)));
    }
    Ok(hull(points))
}

/// The lower convex hull, from left to right.
pub(crate) fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for point in points {
        if hull.last().is_some_and(|last| last.0 == point.0) {
            continue;
        }
        while let [.., a, b] = hull.as_slice() {
            let turn = (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0);
            if turn > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull
}
