//! The variance.

use throng_numeric::{Integer, Natural, Rational};

use super::decay::{Decay, UNIT};
use super::{Local, SmoothBound};
use crate::grid::MOST_STEPS;
use crate::{Clamp, Grid, MechanismError, Neighbours, Uncovered};

/// The variance of clamped data, (Σ x²)/n - (Σ x/n)², where n is public; 0 if there is no data.
///
/// The gain over global sensitivity is a constant: at most a factor of 4, for data whose mean is in
/// the middle of the interval.
///
/// # Guarantee
/// The bound is smooth and at least the local sensitivity under replace (and zero-out), but not the
/// smallest such: it looks at the mean only.
///
/// # Why this is right
/// Let N = n Σ x² - (Σ x)², so that the variance is N/n². If a becomes b and the others have the
/// mean μ', N changes by (n-1)((b - μ')² - (a - μ')²), at most (n-1) D² where D is the distance from
/// μ' to the farther end of [lo, hi]. With H = n hi - Σ x and L = Σ x - n lo, (n-1)(hi - μ') <= H and
/// (n-1)(μ' - lo) <= L, since the value left out lies in [lo, hi]; both are at most (n-1) W, W = hi -
/// lo. So N changes by at most M²/(n-1), M = min(max(H, L), (n-1) W). A replacement changes Σ x by
/// at most W, so after k of them M is at most min(max(H, L) + k W, (n-1) W) =: M_k, and
/// M_k(x) <= M_(k+1)(x'): then max over k of w_k M_k²/(n-1) is smooth (see the median).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variance {
    clamp: Clamp,
    grid: Grid,
    under: Neighbours,
}

impl Variance {
    /// The variance of data clamped to an interval; released on the grid of the square of its step.
    ///
    /// # Errors
    /// If n is private ([`Neighbours::AddRemove`]), the interval is wider than 2^31 steps, or the
    /// square of the step is no step of a grid.
    pub fn new(clamp: Clamp, under: Neighbours) -> Result<Self, MechanismError> {
        match under {
            Neighbours::Replace | Neighbours::ZeroOut => {}
            Neighbours::AddRemove => {
                return Err(MechanismError::refused(
                    "the smooth bound of a variance is for a public number of units",
                    "use replace neighbours, or release noisy count, sum and sum of squares",
                ));
            }
        }
        if i128::from(clamp.width()).pow(2) > i128::from(MOST_STEPS) {
            return Err(MechanismError::invalid(
                "the width of the interval in steps",
                clamp.width(),
                "at most 2^31: take a coarser grid",
            ));
        }
        let grid = Grid::new(2 * clamp.grid().exponent())?;
        Ok(Self { clamp, grid, under })
    }

    /// The largest w_k M_k², in units of 2^-62.
    fn largest(&self, n: u64, farther: &Natural, decay: &Decay) -> Natural {
        let width = Natural::from(self.clamp.width().unsigned_abs());
        let cap = &width * Natural::from(n.saturating_sub(1));
        let most = &cap * &cap;
        let (mut best, mut reach) = (Natural::ZERO, farther.clone());
        for weight in decay.weights() {
            let weight = Natural::from(weight);
            let within = (&reach).min(&cap);
            best = best.max(&weight * within * within);
            // What follows is no larger: neither weight nor M grows, or not even the cap beats it.
            if reach >= cap || &weight * &most <= best {
                break;
            }
            reach += &width;
        }
        best
    }
}

impl SmoothBound for Variance {
    type Input = [f64];

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn grid(&self) -> Grid {
        self.grid
    }

    /// (n-1) W²/n² is at most W²/4.
    fn widest(&self) -> Rational {
        let width = Rational::from(self.clamp.width());
        width.square() * Rational::new(1, 4_u8).unwrap_or(Rational::ONE)
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        vec![Uncovered::Clamping, Uncovered::Rounding]
    }

    fn local(&self, input: &[f64], decay: &Decay) -> Result<Local, MechanismError> {
        let n = u64::try_from(input.len()).unwrap_or(u64::MAX);
        if n < 2 {
            return Ok(Local { value: Rational::ZERO, bound: Rational::ONE });
        }
        let (mut above, mut squares) = (Natural::ZERO, Natural::ZERO);
        for x in input {
            // x - lo: variances do not depend on where lo is.
            let x = Natural::from((self.clamp.apply(*x) - self.clamp.lower()).unsigned_abs());
            squares += &x * &x;
            above += x;
        }
        let width = Natural::from(self.clamp.width().unsigned_abs());
        let count = Natural::from(n);
        // Never negative: n Σ x² >= (Σ x)², and no x - lo exceeds W.
        let numerator = Integer::from(&count * squares) - Integer::from(&above * &above);
        let below = Natural::try_from(Integer::from(&count * width) - Integer::from(above.clone()))
            .unwrap_or(Natural::ZERO);
        let largest = self.largest(n, &above.max(below), decay);
        let square = &count * &count;
        let rest = &square * Natural::from(n - 1) * Natural::from(UNIT);
        Ok(Local {
            value: Rational::new(numerator, square)?,
            bound: Rational::new(largest, rest)?.max(Rational::ONE),
        })
    }
}
