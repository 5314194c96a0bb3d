//! The smallest ε for a δ, from either side.

use throng_numeric::search::{Tolerance, Verdict, boundary};

use super::aim::Aim;
use super::composed::Composed;
use super::loss::LossGrid;
use crate::AccountError;

/// How near the two points of a search must come, relative to themselves.
const NEAR: Tolerance = Tolerance { absolute: 1e-14, relative: 1e-12 };

/// Beyond this no ε is looked for.
const FARTHEST: f64 = 1e9;

/// Where the crossing lies: two points a little apart, the claim proved at one of them.
enum Place {
    Between(f64, f64),
    AtZero,
    Nowhere,
}

/// Walks from a guess until a claim, which becomes true as ε grows, has changed.
fn place(
    guess: f64,
    mut claim: impl FnMut(f64) -> Result<bool, AccountError>,
) -> Result<Place, AccountError> {
    let guess = guess.clamp(0.0, FARTHEST);
    let mut stride = 1e-3 * guess.max(1e-3);
    let mut at = guess;
    let falling = claim(at)?;
    loop {
        if falling && at == 0.0 {
            return Ok(Place::AtZero);
        }
        if !falling && at >= FARTHEST {
            return Ok(Place::Nowhere);
        }
        let next = if falling { (at - stride).max(0.0) } else { (at + stride).min(FARTHEST) };
        if claim(next)? != falling {
            return Ok(if falling { Place::Between(next, at) } else { Place::Between(at, next) });
        }
        at = next;
        stride *= 2.0;
    }
}

fn check(delta: f64) -> Result<(), AccountError> {
    if (0.0..=1.0).contains(&delta) {
        return Ok(());
    }
    Err(AccountError::invalid("delta", delta, "in [0, 1]"))
}

/// The composed law near the sought ε, and a guess of it.
fn near(grid: &LossGrid, delta: f64) -> Result<(Composed, f64), AccountError> {
    check(delta)?;
    let saddle = grid.cumulant().saddle(Aim::Delta(delta.max(1e-300)));
    let guess = saddle.epsilon.max(0.0);
    Ok((grid.composed(guess)?, guess))
}

/// Where ln δ, which is nearly straight, crosses that of a target: by secants from a guess. Only
/// an estimate, but mostly one so good that a step of nothing certifies it.
#[expect(clippy::disallowed_methods, reason = "an estimate; the caller certifies its answer")]
fn secant(
    guess: f64,
    target: f64,
    value: impl Fn(f64) -> Result<f64, AccountError>,
) -> Result<Option<f64>, AccountError> {
    let height = |epsilon: f64| Ok::<_, AccountError>(value(epsilon)?.ln() - target.ln());
    let (mut last, mut here) = (guess, guess + 1e-3 * guess.max(1e-3));
    let (mut before, mut now) = (height(last)?, height(here)?);
    for _ in 0..12 {
        let next = here - now * (here - last) / (now - before);
        if !(0.0..FARTHEST).contains(&next) {
            return Ok(None);
        }
        (last, before) = (here, now);
        (here, now) = (next, height(next)?);
        if (here - last).abs() <= 1e-10 * here {
            return Ok(Some(here));
        }
    }
    Ok(None)
}

/// The first point from `start` on, in growing strides, at which a claim holds; if it is near.
fn certified(
    start: f64,
    direction: f64,
    claim: impl Fn(f64) -> Result<bool, AccountError>,
) -> Result<Option<f64>, AccountError> {
    let mut stride = 1e-13 * start;
    for _ in 0..6 {
        let at = start + direction * stride;
        if claim(at)? {
            return Ok(Some(at));
        }
        stride *= 8.0;
    }
    Ok(None)
}

/// A point at which δ is certainly at most `delta`, about the smallest.
pub(super) fn epsilon_above(grid: &LossGrid, delta: f64) -> Result<f64, AccountError> {
    let (law, guess) = near(grid, delta)?;
    let holds = |epsilon: f64| Ok::<_, AccountError>(law.delta(epsilon)?.upper() <= delta);
    if law.infinite().upper() > delta {
        return Ok(f64::INFINITY);
    }
    if let Some(start) = secant(guess, delta, |epsilon| Ok(law.delta(epsilon)?.upper()))?
        && let Some(found) = certified(start, 1.0, holds)?
    {
        return Ok(found);
    }
    match place(guess, holds)? {
        Place::AtZero => Ok(0.0),
        Place::Nowhere => Ok(f64::INFINITY),
        Place::Between(left, right) => Ok(boundary(left, right, NEAR, |epsilon| {
            Ok::<_, AccountError>(Verdict::at_most(law.delta(epsilon)?, delta))
        })?
        .holds),
    }
}

/// A point at which δ is certainly above `delta`, about the largest; or 0.
pub(super) fn epsilon_below(grid: &LossGrid, delta: f64) -> Result<f64, AccountError> {
    let (law, guess) = near(grid, delta)?;
    if law.infinite().lower() > delta {
        return Ok(f64::INFINITY);
    }
    let exceeds = |epsilon: f64| Ok::<_, AccountError>(law.delta(epsilon)?.lower() > delta);
    if let Some(start) = secant(guess, delta, |epsilon| Ok(law.delta(epsilon)?.lower()))?
        && let Some(found) = certified(start, -1.0, exceeds)?
    {
        return Ok(found.max(0.0));
    }
    match place(guess, |epsilon| Ok(!exceeds(epsilon)?))? {
        Place::AtZero => Ok(0.0),
        // δ exceeds the limit as far as anyone looks.
        Place::Nowhere => Ok(FARTHEST),
        Place::Between(left, right) => Ok(boundary(right, left, NEAR, |epsilon| {
            let shown = exceeds(epsilon)?;
            Ok::<_, AccountError>(if shown { Verdict::Holds } else { Verdict::Unknown })
        })?
        .holds),
    }
}
