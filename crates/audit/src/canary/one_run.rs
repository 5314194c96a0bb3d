//! The bound for (ε, δ).
//!
//! # Reference
//! Steinke, Nasr, Jagielski 2023, theorem 5.2: with W binomial of r trials and chance
//! e^ε / (1 + e^ε),
//!
//! P\[at least v right\] <= P\[W >= v\] + 2 m δ max over i = 1..m of P\[v > W >= v - i\] / i.

use throng_numeric::{Enclosure, tails};

use super::bound::Tail;
use super::real;
use crate::AuditError;
use crate::region::{Line, Region};

/// How many lines of a curve are tried.
const TRIED: usize = 8;

/// Lines of a region that are a pair (ε, δ) with ε >= 0; all, or evenly some of them.
pub(super) fn candidates(region: &Region) -> Vec<Line> {
    let useful = |line: &Line| line.slope >= 1.0 && line.intercept < 0.5;
    let mut lines: Vec<Line> = region.corners().map(|(p, _)| region.tangent(p)).collect();
    lines.dedup();
    lines.retain(useful);
    let stride = lines.len().div_ceil(TRIED).max(1);
    lines.into_iter().step_by(stride).collect()
}

/// An upper bound of the chance of so many right guesses or more.
pub(super) fn bound(tail: &Tail, line: Line) -> Result<f64, AuditError> {
    let Some(below) = tail.right.checked_sub(1) else {
        return Ok(1.0);
    };
    let slope = Enclosure::point(line.slope)?;
    let chance = slope / (slope + Enclosure::ONE);
    let beyond = tails::binomial_survival(count(below), count(tail.made), chance)?.upper();
    if line.intercept <= 0.0 {
        return Ok(beyond.min(1.0));
    }
    let delta = (2.0 * real(tail.canaries) * line.intercept).next_up();
    let leak = (delta * densest(tail, below, chance, slope)?).next_up();
    Ok((beyond + leak).next_up().min(1.0))
}

/// An upper bound of the largest mean of the binomial masses of `below` and so many counts under it.
///
/// From one mass to the next lower: P\[W = k - 1\] = P\[W = k\] k / ((r - k + 1) e^ε). All factors are
/// positive, so rounding every step up keeps the bound one.
fn densest(
    tail: &Tail,
    below: usize,
    chance: Enclosure,
    slope: Enclosure,
) -> Result<f64, AuditError> {
    let at_most = |k: usize| tails::binomial_cdf(count(k), count(tail.made), chance);
    let mut mass = match below.checked_sub(1) {
        Some(next) => (at_most(below)? - at_most(next)?).upper(),
        None => at_most(below)?.upper(),
    };
    let (mut sum, mut densest) = (0.0f64, 0.0f64);
    for (i, k) in (0..=below).rev().enumerate().take(tail.canaries) {
        sum = (sum + mass).next_up();
        densest = densest.max((sum / real(i + 1)).next_up());
        let step = (real(k) / (real(tail.made - k + 1) * slope.lower()).next_down()).next_up();
        mass = (mass * step).next_up();
    }
    Ok(densest)
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
