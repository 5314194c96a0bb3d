//! The median.

use throng_numeric::Rational;

use super::decay::{Decay, UNIT};
use super::order::OrderStatistics;
use super::{Local, SmoothBound};
use crate::{Clamp, Grid, MechanismError, Neighbours, Uncovered};

/// The median of clamped data: the ⌈n/2⌉-th value in order, or the lower bound if there is none.
///
/// # Guarantee
/// Its smooth bound is the smallest there is (but for a floor of one step and the rounding of
/// weights, both upward), under every relation. Under replace and zero-out n is public; under
/// add-or-remove it is not, and the rank of the median moves with it. What zero-out leaves of a
/// unit is a value, NaN by convention, which [`Clamp`] puts at the point nearest to 0.
///
/// Time: O(n log n) to sort; then O(K) under add-or-remove and O(K²) at worst, rarely more than
/// O(K), under replace, where K is the smaller of n and ln(width in steps)/β. So time depends on
/// the data.
///
/// # Reference
/// Nissim, Raskhodnikova, Smith, *Smooth Sensitivity and Sampling in Private Data Analysis* (2007),
/// section 3.1, for replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Median {
    clamp: Clamp,
    under: Neighbours,
}

impl Median {
    /// The median of data clamped to an interval.
    #[must_use]
    pub const fn new(clamp: Clamp, under: Neighbours) -> Self {
        Self { clamp, under }
    }

    /// The interval.
    #[must_use]
    pub const fn clamp(&self) -> Clamp {
        self.clamp
    }

    /// The median and its smooth bound, of values in steps.
    ///
    /// # Errors
    /// Never.
    pub(crate) fn of_steps(
        &self,
        values: impl IntoIterator<Item = i64>,
        decay: &Decay,
    ) -> Result<Local, MechanismError> {
        let order = OrderStatistics::of(values, self.clamp, self.under);
        let bound = Rational::new(order.smooth_bound(decay), UNIT)?;
        Ok(Local { value: Rational::from(order.median()), bound })
    }
}

impl SmoothBound for Median {
    type Input = [f64];

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn grid(&self) -> Grid {
        self.clamp.grid()
    }

    fn widest(&self) -> Rational {
        Rational::from(self.clamp.width())
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        vec![Uncovered::Clamping, Uncovered::Rounding]
    }

    fn local(&self, input: &[f64], decay: &Decay) -> Result<Local, MechanismError> {
        self.of_steps(input.iter().map(|x| self.clamp.apply(*x)), decay)
    }
}
