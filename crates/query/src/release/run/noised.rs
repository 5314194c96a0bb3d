//! The one place where noise meets totals.

use throng_account::Neighbours;
use throng_mechanism::grid::MOST_STEPS;
use throng_mechanism::{MechanismError, Noise, Run};
use throng_numeric::Rational;

use crate::release::estimate::from_steps;
use crate::release::family::Relative;
use crate::release::price::number;
use crate::release::threshold::SCORE;

/// Counts kept as multiples of S, with noise: as numbers, and the deviation of each.
pub(super) fn counted(
    relative: &Relative,
    reach: &Rational,
    under: Neighbours,
    counts: Vec<i128>,
    run: &mut Run<'_>,
) -> Result<(Vec<f64>, f64), MechanismError> {
    let (steps, noise) = noised(relative, reach, under, counts, run)?;
    let unit = 1.0 / number(SCORE.unsigned_abs());
    let values = steps.into_iter().map(|k| from_steps(k, unit)).collect();
    Ok((values, deviation(&noise)? * unit))
}

/// Totals with noise, and the noise.
pub(super) fn noised(
    relative: &Relative,
    reach: &Rational,
    under: Neighbours,
    totals: Vec<i128>,
    run: &mut Run<'_>,
) -> Result<(Vec<i64>, Noise), MechanismError> {
    let noise = relative.noise(reach, under)?;
    #[cfg(test)]
    record::noise(relative, reach, &totals);
    let most = i128::from(MOST_STEPS);
    // Saturation moves no two values further apart.
    let steps = |x: i128| i64::try_from(x.clamp(-most, most)).unwrap_or(0);
    let mut values: Vec<i64> = totals.into_iter().map(steps).collect();
    noise.add(&mut values, run)?;
    Ok((values, noise))
}

pub(super) fn deviation(noise: &Noise) -> Result<f64, MechanismError> {
    Ok(noise.law().variance()?.upper().sqrt())
}

/// What was drawn, for tests: noise that is drawn must be the noise that is described.
#[cfg(test)]
pub(in crate::release) mod record {
    use std::cell::RefCell;

    use throng_mechanism::quantile::Quantile;
    use throng_numeric::Rational;

    use super::Relative;

    /// One call of a primitive.
    #[derive(Debug, Clone)]
    pub(in crate::release) enum Call {
        /// Noise on these totals.
        Noise { relative: Relative, reach: Rational, totals: Vec<i128> },
        /// A selection of this range for one unit in each cell, at this rate.
        Selection { epsilon: Rational, rate: Rational, cells: usize },
    }

    thread_local! {
        static CALLS: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn noise(relative: &Relative, reach: &Rational, totals: &[i128]) {
        let call = Call::Noise {
            relative: relative.clone(),
            reach: reach.clone(),
            totals: totals.to_vec(),
        };
        CALLS.with_borrow_mut(|calls| calls.push(call));
    }

    pub(in crate::release::run) fn selection(
        epsilon: &Rational,
        quantile: &Quantile,
        cells: usize,
    ) {
        let (epsilon, rate) = (epsilon.clone(), quantile.rate().clone());
        CALLS.with_borrow_mut(|calls| calls.push(Call::Selection { epsilon, rate, cells }));
    }

    /// All calls since the last time.
    pub(in crate::release) fn taken() -> Vec<Call> {
        CALLS.take()
    }
}
