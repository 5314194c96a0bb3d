//! The composed law of losses, under one tilt.

use throng_numeric::Enclosure;
use throng_numeric::convolution::Convolved;
use throng_numeric::rounding::add_up;

use super::grid::{float, whole};
use crate::error::unless_given_up;
use crate::{AccountError, Bracket};

/// So many cells next to epsilon get their weight 1 - e^(epsilon - loss) to full relative
/// accuracy; farther cells, whose weights are no longer small, from a table.
const NEAR: u64 = 64;

/// Entries of each half of the table of e^(-j step).
const TABLE: u64 = 1 << 11;

/// The composed law on its grid. Its numbers are right under any tilt, and accurate relative to
/// themselves near the loss for which it was tilted.
#[derive(Debug, Clone)]
pub struct Composed {
    law: Convolved,
    /// The loss of index 0.
    base: Enclosure,
    step: Enclosure,
    infinite: Enclosure,
    /// e^(-j step) and e^(-j TABLE step), for j < TABLE.
    decay: (Vec<Enclosure>, Vec<Enclosure>),
}

impl Composed {
    pub(super) fn new(
        law: Convolved,
        base: Enclosure,
        step: Enclosure,
        infinite: Enclosure,
    ) -> Self {
        let powers = |stride: u64| {
            (0..TABLE).map(|j| (-(step * number(j * stride))).exp()).collect::<Vec<_>>()
        };
        let decay = (powers(1), powers(TABLE));
        Self { law, base, step, infinite, decay }
    }

    /// The loss of an entry.
    fn loss(&self, index: u64) -> Enclosure {
        self.base + number(index) * self.step
    }

    /// An index below which no loss exceeds epsilon.
    fn beyond(&self, epsilon: f64) -> u64 {
        let distance = (epsilon - self.base.upper()) / self.step.upper();
        let mut index = u64::try_from(whole(distance)).unwrap_or(0).min(self.law.window().end);
        // The quotient is rounded; step back until the claim is proved.
        while index > 0 && self.loss(index - 1).upper() > epsilon {
            index -= 1;
        }
        index
    }

    /// δ(ε) = Σ p_j (1 - e^(ε - l_j))_+ + the infinite mass, of this law.
    ///
    /// # Errors
    /// If epsilon is not finite.
    pub fn delta(&self, epsilon: f64) -> Result<Enclosure, AccountError> {
        unless_given_up()?;
        let first = self.beyond(epsilon);
        let anchor = self.law.window().start.max(first);
        let epsilon = Enclosure::point(epsilon)?;
        let scale = (epsilon - self.loss(anchor)).exp();
        let weight = |index: u64| {
            let far = index.wrapping_sub(anchor);
            let weight = match self.decayed(far) {
                Some(decay) if far >= NEAR => Enclosure::ONE - scale * decay,
                _ => -(epsilon - self.loss(index)).expm1(),
            };
            weight.max(Enclosure::ZERO).min(Enclosure::ONE)
        };
        let finite = self.law.sum(first..u64::MAX, weight)?;
        Ok((finite + self.infinite).min(Enclosure::ONE))
    }

    /// e^(-j step), if the table reaches so far.
    fn decayed(&self, j: u64) -> Option<Enclosure> {
        let high = self.decay.1.get(usize::try_from(j / TABLE).ok()?)?;
        let low = self.decay.0.get(usize::try_from(j % TABLE).ok()?)?;
        Some(*high * *low)
    }

    /// The mass of infinite loss.
    #[must_use]
    pub fn infinite(&self) -> Enclosure {
        self.infinite
    }

    /// Masses of finite loss, in about `cells` cells of neighbouring grid points: the largest
    /// loss of each cell and its mass.
    ///
    /// # Guarantee
    /// Each mass is that of this law; the order in which laws are compared does not bound the
    /// true law cell by cell, unless the grid is the lattice of the losses.
    #[must_use]
    pub fn histogram(&self, cells: usize) -> Vec<(f64, Bracket)> {
        let window = self.law.window();
        let cells = u64::try_from(cells.max(1)).unwrap_or(u64::MAX);
        let stride = (window.end - window.start).div_ceil(cells).max(1);
        let mut table = Vec::new();
        let mut from = window.start;
        while from < window.end {
            let to = (from + stride).min(window.end);
            let sum = self.law.sum(from..to, |_| Enclosure::ONE).unwrap_or(Enclosure::UNIT);
            let loss = self.loss(to - 1);
            let bracket = Bracket { lower: sum.lower(), upper: sum.upper() };
            table.push((f64::midpoint(loss.lower(), loss.upper()), bracket));
            from = to;
        }
        table
    }

    /// At least the mass under the tilt that was not computed, and the error of any entry.
    #[must_use]
    pub fn error(&self) -> f64 {
        add_up(self.law.outside(), self.law.error().0)
    }
}

/// An index as a number; indices are at most 2^48.
fn number(index: u64) -> Enclosure {
    let index = float(i64::try_from(index).unwrap_or(i64::MAX));
    Enclosure::point(index).unwrap_or(Enclosure::REAL)
}
