//! Intervals around noisy numbers.

use serde_json::Value;
use throng_mechanism::{Grid, MechanismError, Noisy};
use throng_numeric::Rational;

/// Intervals of one confidence: the half width is the same for all, so it is computed once.
#[derive(Debug)]
pub(crate) struct Intervals<'a> {
    noisy: &'a Noisy,
    half_width: f64,
    reach: Rational,
}

impl<'a> Intervals<'a> {
    /// Around each of the numbers.
    pub(crate) fn new(noisy: &'a Noisy, confidence: f64) -> Result<Self, MechanismError> {
        let half_width = noisy.half_width(confidence)?;
        Ok(Self { noisy, half_width, reach: Rational::from_f64(half_width)? })
    }

    /// How far they reach to both sides.
    pub(crate) fn half_width(&self) -> f64 {
        self.half_width
    }

    /// The number at a place and the ends of its interval, rounded outward; without a point where
    /// numbers are whole.
    pub(crate) fn at(&self, index: usize) -> [Value; 3] {
        let grid = self.noisy.grid();
        let steps = self.noisy.steps().get(index).copied().unwrap_or(0);
        let centre = grid.at(steps);
        let (low, high) = (&centre - &self.reach, &centre + &self.reach);
        if grid == Grid::WHOLE {
            let whole = |x: &Rational| i64::try_from(x.floor()).map(Value::from).ok();
            // A whole half width, so the ends are whole.
            if let (Some(low), Some(high)) = (whole(&low), whole(&high)) {
                return [Value::from(steps), low, high];
            }
        }
        [grid.to_f64(steps), low.to_f64_down(), high.to_f64_up()].map(Value::from)
    }
}
