//! How exactly a minimum is told.
//!
//! Output and objective perturbation need a point within γ/Λ of the exact minimum, for *every* table: if
//! some table had none, that a fit fails would tell about the data. So γ is chosen, before anything is
//! paid, from what is public, such that rounding stays far below it for all tables of up to 2^30 records.
//!
//! # Points are sums of two parts, scores are exact
//! The minimum is no longer than R: with J(0) = n l₀ and losses of at least 0, J(θ) <= J(0) says
//! Λ|θ|²/2 - |b||θ| <= n l₀. A weight is a multiple of a coarse step plus a multiple, less than half a
//! coarse step in size, of a fine one. Rows are integers of norm N, so the product of a row and
//! either part is a sum of multiples of one step that all stay below 2^53 of them: exact in any order, with or
//! without fused operations.
//!
//! # What rounding may hide in a gradient
//! With u = 2^-53, n records, p columns, k scores, L the steepness and M = βn + Λ the largest curvature:
//! * the weights are on the fine grid: M √(pk) fine/2 for those who look for a point;
//! * slopes are known within intervals from exact scores: n u times [`Loss::fuzz`];
//! * sums of [`BLOCK`] products of rows and slopes, each of norm L at most: n (`BLOCK` + 2) u L;
//! * a weight is released as one number, not two: Λ u R.
//!
//! γ is at least four times their sum, with the first counted 16 times, for n = 2^30.

use super::loss::Loss;
use crate::LearnError;
use crate::math::count;

/// The most records that the proof covers.
pub(crate) const RECORDS: f64 = 1_073_741_824.0;

/// Records whose gradients are summed in ordinary numbers.
pub(crate) const BLOCK: usize = 128;

/// γ, if rounding does not ask for more.
const GAMMA: f64 = 1.0 / 8192.0;

/// The largest γ: beyond it noise grows by more than an eighth.
const MOST: f64 = 1.0 / 16.0;

/// 2^52: sums of two integers up to it are exact.
const EXACT: f64 = 4_503_599_627_370_496.0;

/// Half the distance from 1 to the next number.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// γ and the steps of both parts of a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tolerance {
    pub(crate) gamma: f64,
    pub(crate) coarse: f64,
    pub(crate) fine: f64,
}

impl Tolerance {
    /// For rows of so many columns and norm N, a penalty Λ, and a tilt b no longer than `tilt`.
    ///
    /// # Errors
    /// If the penalty is so small or so large that the proof does not cover it.
    pub(crate) fn new(
        loss: Loss,
        columns: usize,
        most: f64,
        penalty: f64,
        tilt: f64,
    ) -> Result<Self, LearnError> {
        let penalty = crate::error::positive("the penalty", penalty)?;
        let (p, cells) = (count(columns), count(columns.saturating_mul(loss.outputs())));
        let curved = loss.curvature() * RECORDS;
        // Below it the matrix of second derivatives is not known to be positive after rounding.
        let least = 2.0 * (p + 2.0 * count(BLOCK)) * UNIT * curved;
        if !(penalty >= least && penalty <= LARGEST) {
            let allowed = format!("from {least:e} to {LARGEST:e} for this loss and these columns");
            return Err(LearnError::invalid("the penalty", penalty, allowed));
        }
        let steep = count(usize::try_from(loss.steepness()).unwrap_or(usize::MAX)).sqrt();
        let radius = (2.0 * RECORDS * loss.start() / penalty).sqrt().min(RECORDS * steep / penalty)
            + 2.0 * tilt / penalty;
        let coarse = power_above(most * radius) / (EXACT / 2.0);
        let fine = coarse * power_above(most * p.sqrt()) / EXACT;
        let on_the_grid = (curved + penalty) * cells.sqrt() * fine / 2.0;
        let slopes = RECORDS * UNIT * loss.fuzz();
        let sums = RECORDS * UNIT * (count(BLOCK) + 2.0) * steep;
        let released = penalty * UNIT * radius;
        let floor = 16.0 * on_the_grid + slopes + sums + released;
        let gamma = power_above(4.0 * floor).max(GAMMA);
        if gamma > MOST {
            return Err(LearnError::refused(
                format!(
                    "with a penalty of {penalty} and {columns} columns no minimum can be told exactly enough"
                ),
                "raise the penalty, widen the bend of the hinge, or use the method `gradient`",
            ));
        }
        Ok(Self { gamma, coarse, fine })
    }
}

/// The largest penalty: nothing is left of a loss long before.
const LARGEST: f64 = 1e12;

/// A power of two that is not smaller, and less than four times as large.
fn power_above(x: f64) -> f64 {
    // The significand's bits are dropped: what is left is more than x/2.
    let below = f64::from_bits(x.to_bits() & (0x7ff << 52));
    if below >= x { below } else { 2.0 * below }
}

/// Weights as sums of two parts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    pub(super) high: Vec<f64>,
    pub(super) low: Vec<f64>,
}

impl Point {
    pub(super) fn origin(cells: usize) -> Self {
        Self { high: vec![0.0; cells], low: vec![0.0; cells] }
    }

    /// Each weight as one number, the nearest or the one beside it.
    pub(super) fn weights(&self) -> Vec<f64> {
        self.high.iter().zip(&self.low).map(|(high, low)| high + low).collect()
    }

    /// The point `times` · `way` further, on the grid.
    pub(super) fn moved(&self, way: &[f64], times: f64, grid: &Tolerance) -> Self {
        let mut found = self.clone();
        let cells = found.high.iter_mut().zip(&mut found.low);
        for ((high, low), step) in cells.zip(way) {
            let sum = *low + times * step;
            let carry = super::rows::nearest(sum / grid.coarse) * grid.coarse;
            *high += carry;
            *low = super::rows::nearest((sum - carry) / grid.fine) * grid.fine;
        }
        found
    }

    /// Whether products of rows of norm `most` with either part are exact.
    ///
    /// # Guarantee
    /// Each part of each weight is a multiple of its step, as quotients by a power of two and integers up
    /// to 2^53 are exact; and by Cauchy's inequality no partial sum is beyond 2^52 steps, and no
    /// difference of two sums beyond 2^53.
    pub(super) fn is_exact(&self, scores: usize, most: f64, grid: &Tolerance) -> bool {
        let below = |part: &[f64], step: f64| {
            (0..scores).all(|c| {
                let column = part.iter().skip(c).step_by(scores);
                let whole = column.clone().all(|x| (x / step).fract() == 0.0);
                let square: f64 = column.map(|x| x * x).sum();
                whole && 1.000_001 * square.sqrt() * most <= EXACT * step
            })
        };
        below(&self.high, grid.coarse) && below(&self.low, grid.fine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_not_smaller() {
        for x in [1.0, 1.5, 2.0, 3.0, 1e-7, 1e9, 0.1] {
            let found = power_above(x);
            assert!(found >= x && found < 4.0 * x && (found.to_bits() << 12) == 0);
        }
    }

    #[test]
    fn usual_parameters_are_told_to_the_same_and_hopeless_ones_refused() {
        let logistic = Loss::Logistic { classes: 2 };
        let of = |loss, columns, penalty| {
            let most = 8192.0 * count(columns).sqrt();
            Tolerance::new(loss, columns, most, penalty, 100.0)
        };
        for (columns, penalty) in [(2, 1.0), (4, 1e-4), (101, 18.0)] {
            assert_eq!(of(logistic, columns, penalty).unwrap().gamma, GAMMA);
        }
        assert!(of(logistic, 101, 0.01).unwrap().gamma <= 1.0 / 1024.0);
        assert!(of(logistic, 1001, 60.0).unwrap().gamma <= 1.0 / 1024.0);
        assert!(of(logistic, 10_001, 186.0).unwrap().gamma <= MOST);
        assert!(of(Loss::Hinge { classes: 2, width: 1e-3 }, 4, 1.0).unwrap().gamma <= MOST);
        for penalty in [1e-12, 0.0, -1.0, f64::NAN, f64::INFINITY, 1e13] {
            assert!(of(logistic, 4, penalty).is_err());
        }
        assert!(of(Loss::Hinge { classes: 3, width: 1e-3 }, 1001, 0.5).is_err());
    }

    #[test]
    fn points_move_on_their_grid() {
        let grid = Tolerance::new(Loss::Logistic { classes: 2 }, 3, 1e4, 1.0, 0.0).unwrap();
        let mut point = Point::origin(3);
        let mut sum = [0.0_f64; 3];
        for round in 1..50 {
            let way = [1.0, -0.3, 1e-9].map(|x| x / f64::from(round));
            point = point.moved(&way, 0.7, &grid);
            for (sum, x) in sum.iter_mut().zip(way) {
                *sum += 0.7 * x;
            }
            assert!(point.is_exact(1, 1e4, &grid));
        }
        for (x, sum) in point.weights().iter().zip(sum) {
            assert!((x - sum).abs() <= 1e-14, "{x} {sum}");
        }
        let far = point.moved(&[1e30, 0.0, 0.0], 1.0, &grid);
        assert!(!far.is_exact(1, 1e4, &grid));
    }
}
