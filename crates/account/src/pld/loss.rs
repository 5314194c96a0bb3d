//! One end of a privacy loss distribution: the factors of a composition on one grid.

use throng_numeric::Enclosure;
use throng_numeric::convolution::{Composition, Factor, Window};

use super::aim::Cumulant;
use super::composed::Composed;
use super::grid::{self, Grid, Law, float};
use super::{End, garble, lattice};
use crate::AccountError;
use crate::error::unless_given_up;
use crate::pair::discrete::DiscretePair;

/// The tilted mass that may stay outside the window.
pub(super) const OUTSIDE: f64 = 1e-22;

/// The law of the loss ln dP/dQ under P, of one end, as factors yet to be convolved.
///
/// # Guarantee
/// If `end` is pessimistic, the δ(ε) of the composition is at least that of the composed pairs,
/// at every ε; if optimistic, at most. *Proof*: the finite part of each factor is above (below)
/// that of its pair in the order of `grid`, which convolution keeps. A pair has total 1, so the
/// infinite mass of the composition is 1 - Π (1 - i_k), which grows with each i_k.
#[derive(Debug, Clone, PartialEq)]
pub struct LossGrid {
    pub(super) end: End,
    pub(super) step: Enclosure,
    pub(super) factors: Vec<(Law, u64)>,
}

impl LossGrid {
    /// Pairs with repetition counts on a uniform grid. Losses outside [from, to] are cut off: on
    /// the pessimistic end to infinity, on the optimistic end they are moved down or dropped.
    ///
    /// # Errors
    /// If there are no pairs, a count is 0, or the grid would have too many points.
    pub fn on_grid(
        end: End,
        pairs: &[(&DiscretePair, u64)],
        grid: &Grid,
        (from, to): (f64, f64),
    ) -> Result<Self, AccountError> {
        check(pairs)?;
        let span = grid.span(from, to)?;
        let law = |pair: &DiscretePair| match end {
            End::Pessimistic => grid::split(pair, grid, span),
            End::Optimistic => garble::garble(pair, grid, span),
        };
        let factors: Result<Vec<_>, AccountError> =
            pairs.iter().map(|(pair, times)| Ok((law(pair)?, *times))).collect();
        Ok(Self { end, step: Enclosure::point(grid.step())?, factors: factors? })
    }

    /// Pairs with repetition counts on the lattice that their losses have in common, if any.
    ///
    /// # Errors
    /// If there are no pairs or a count is 0.
    pub fn on_lattice(
        end: End,
        pairs: &[(&DiscretePair, u64)],
    ) -> Result<Option<Self>, AccountError> {
        check(pairs)?;
        let alone: Vec<&DiscretePair> = pairs.iter().map(|(pair, _)| *pair).collect();
        Ok(lattice::laws(&alone, end)?.map(|(step, laws)| {
            let factors = laws.into_iter().zip(pairs.iter().map(|(_, times)| *times)).collect();
            Self { end, step, factors }
        }))
    }

    /// Which end this is.
    #[must_use]
    pub fn end(&self) -> End {
        self.end
    }

    /// The distance of neighbouring losses.
    #[must_use]
    pub fn step(&self) -> Enclosure {
        self.step
    }

    /// The number of points of the longest factor.
    #[must_use]
    pub fn points(&self) -> usize {
        self.factors.iter().map(|(law, _)| law.masses.len()).max().unwrap_or(0)
    }

    /// The chance of infinite loss after composition: 1 - Π (1 - i_k)^times.
    #[must_use]
    pub fn infinite(&self) -> Enclosure {
        if self.factors.iter().any(|(law, _)| law.infinite >= 1.0) {
            return Enclosure::ONE;
        }
        let log = self.factors.iter().try_fold(Enclosure::ZERO, |sum, (law, times)| {
            let one = (-Enclosure::point(law.infinite).ok()?).ln_1p().ok()?;
            Some(if law.infinite == 0.0 { sum } else { sum + count(*times) * one })
        });
        let mass = log.map_or(Enclosure::UNIT, |log| -log.expm1());
        mass.max(Enclosure::ZERO).min(Enclosure::ONE)
    }

    /// The loss at index 0 of the convolution.
    fn base(&self) -> Enclosure {
        let exact: i128 = self
            .factors
            .iter()
            .map(|(law, times)| i128::from(law.first).saturating_mul(i128::from(*times)))
            .fold(0, i128::saturating_add);
        let first = Enclosure::of_rational(&throng_numeric::Rational::from(exact)) * self.step;
        self.factors
            .iter()
            .filter(|(law, _)| law.offset != Enclosure::ZERO)
            .fold(first, |sum, (law, times)| sum + count(*times) * law.offset)
    }

    /// Whether nothing is repeated that changes anything.
    fn once(&self) -> bool {
        self.factors.iter().all(|(law, times)| *times == 1 || idle(law))
    }

    /// The factors that change anything.
    fn essential(&self) -> Result<Vec<Factor<'_>>, AccountError> {
        let some = self.factors.iter().filter(|(law, _)| !idle(law));
        let mut factors = some
            .map(|(law, times)| Factor::new(&law.masses, *times))
            .collect::<Result<Vec<_>, _>>()?;
        if factors.is_empty() {
            factors.push(Factor::new(&[1.0], 1)?);
        }
        Ok(factors)
    }

    /// The composed law, tilted for questions about losses near `epsilon`.
    ///
    /// # Errors
    /// If the composition is too large.
    pub fn composed(&self, epsilon: f64) -> Result<Composed, AccountError> {
        unless_given_up()?;
        let base = self.base();
        let factors = self.essential()?;
        let plain = factors.len() == 1 && self.once();
        let whole = Composition::new(factors)?;
        let law = if plain {
            whole.convolve()?
        } else {
            let place = grid::whole((epsilon - base.lower()) / self.step.lower());
            let saddle = whole.saddle(u64::try_from(place).unwrap_or(0)).unwrap_or(1.0);
            // A tilt towards smaller losses would only hurt the tail.
            let tilted = whole.tilted(saddle.max(1.0))?;
            tilted.within(Window::Covering { outside: OUTSIDE })?.convolve()?
        };
        Ok(Composed::new(law, base, self.step, self.infinite()))
    }

    /// δ(ε) of this end, for any ε.
    ///
    /// # Errors
    /// If epsilon is not finite or the composition too large.
    pub fn delta(&self, epsilon: f64) -> Result<Enclosure, AccountError> {
        self.composed(epsilon)?.delta(epsilon)
    }

    /// Mean and variance of the finite losses of this end.
    #[must_use]
    pub fn moments(&self) -> (Enclosure, Enclosure) {
        let zero = (Enclosure::ZERO, Enclosure::ZERO);
        self.factors.iter().fold(zero, |(mean, variance), (law, times)| {
            let (m, v) = self.moments_of(law);
            (mean + count(*times) * m, variance + count(*times) * v)
        })
    }

    fn moments_of(&self, law: &Law) -> (Enclosure, Enclosure) {
        // Around the middle index, so that little cancels.
        let mut sums = [Enclosure::ZERO; 3];
        let middle = i64::try_from(law.masses.len() / 2).unwrap_or(0);
        for (place, mass) in (0_i64..).zip(&law.masses) {
            let far = number(place - middle);
            let mass = Enclosure::point(*mass).unwrap_or(Enclosure::UNIT);
            let [total, first, second] = sums;
            sums = [total + mass, first + mass * far, second + mass * far.square()];
        }
        let [total, first, second] = sums;
        let far = first / total;
        let variance = (second / total - far.square()).max(Enclosure::ZERO);
        let mean = law.offset + (number(law.first + middle) + far) * self.step;
        (mean, variance * self.step.square())
    }

    /// Estimates of this law's moments, to choose where to look.
    pub(super) fn cumulant(&self) -> Cumulant {
        let step = self.step.upper();
        Cumulant::of(self.factors.iter().map(|(law, times)| {
            let first = law.offset.upper() + float(law.first) * step;
            let losses =
                (0_i64..).zip(&law.masses).map(move |(j, p)| (first + float(j) * step, *p));
            (losses, *times)
        }))
    }
}

/// Whether a law is a single loss of chance 1: then it only moves the base.
fn idle(law: &Law) -> bool {
    law.masses.as_slice() == [1.0]
}

fn check(pairs: &[(&DiscretePair, u64)]) -> Result<(), AccountError> {
    if pairs.is_empty() || pairs.iter().any(|(_, times)| *times == 0) {
        let allowed = "at least one, each at least once";
        return Err(AccountError::invalid("the pairs", "nothing", allowed));
    }
    Ok(())
}

/// An index, exactly.
fn number(index: i64) -> Enclosure {
    Enclosure::point(float(index)).unwrap_or(Enclosure::REAL)
}

/// A count, exactly or between its neighbours.
fn count(times: u64) -> Enclosure {
    Enclosure::of_rational(&throng_numeric::Rational::from(times))
}
