//! The privacy loss distribution on a uniform grid, composed by tilted Fourier transforms.
//!
//! The classical way to compose, certified on both sides. Each pair is put on a grid of losses
//! twice, once from above and once from below; both are composed, and what is true lies between.
//! It is the accountant's second engine: the first is tested against it, and it knows the
//! histogram of losses. Losses are ln dP/dQ under P; for the other direction, swap the pairs.
//!
//! | file | what it holds |
//! |---|---|
//! | `grid` | the grid, the order of laws, and pairs from above: split |
//! | `garble` | pairs from below: merged |
//! | `lattice` | pairs whose losses lie on a lattice already: kept |
//! | `loss` | one end: factors with repetition counts |
//! | `composed` | their composition under one tilt: δ, masses |
//! | `search` | ε from δ |
//! | `aim` | estimates that choose the grid and what to cut off |

mod aim;
mod composed;
mod garble;
mod grid;
mod lattice;
mod loss;
mod search;

pub use aim::Aim;
pub use composed::Composed;
pub use grid::{Grid, MOST_POINTS};
pub use loss::LossGrid;

use throng_numeric::Enclosure;

use crate::pair::discrete::DiscretePair;
use crate::{AccountError, Bracket};
use aim::{Cumulant, Saddle};

/// Which way roundings go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// Reveals no less than the truth: the promise.
    Pessimistic,
    /// Reveals no more than the truth.
    Optimistic,
}

impl End {
    /// This end of an enclosure.
    fn of(self, x: Enclosure) -> f64 {
        match self {
            Self::Pessimistic => x.upper(),
            Self::Optimistic => x.lower(),
        }
    }
}

/// One mechanism of a composition.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// A pair that dominates it.
    pub upper: &'a DiscretePair,
    /// A pair that it dominates.
    pub lower: &'a DiscretePair,
    /// How many times it takes part.
    pub times: u64,
}

impl<'a> Part<'a> {
    /// A mechanism whose pair is known exactly.
    #[must_use]
    pub fn exact(pair: &'a DiscretePair, times: u64) -> Self {
        Self { upper: pair, lower: pair, times }
    }
}

/// A privacy loss distribution of one direction, from both sides.
///
/// # Guarantee
/// δ(ε) of the composed mechanisms is at least that of the optimistic and at most that of the
/// pessimistic end, for every ε.
///
/// # Reference
/// A. Koskela, J. Jälkö, A. Honkela, "Computing tight differential privacy guarantees using
/// FFT", 2020; V. Doroshenko et al., "Connect the dots", 2022, for the split.
#[derive(Debug, Clone, PartialEq)]
pub struct Pld {
    /// Reveals no less than the truth.
    pub pessimistic: LossGrid,
    /// Reveals no more than the truth.
    pub optimistic: LossGrid,
}

/// No more than this many grids are tried.
const ATTEMPTS: usize = 10;

impl Pld {
    /// The distribution on a grid of the given step, in which losses of one step outside
    /// [from, to] are cut off.
    ///
    /// # Errors
    /// As for [`LossGrid::on_grid`].
    pub fn on_grid(
        parts: &[Part],
        grid: &Grid,
        (from, to): (f64, f64),
    ) -> Result<Self, AccountError> {
        let end = |end| LossGrid::on_grid(end, &pairs(parts, end), grid, (from, to));
        Ok(Self { pessimistic: end(End::Pessimistic)?, optimistic: end(End::Optimistic)? })
    }

    /// The distribution on the lattice that all losses have in common, if there is one: then the
    /// two ends differ by rounding only.
    ///
    /// # Errors
    /// As for [`LossGrid::on_lattice`].
    pub fn on_lattice(parts: &[Part]) -> Result<Option<Self>, AccountError> {
        let end = |end| LossGrid::on_lattice(end, &pairs(parts, end));
        let both = end(End::Pessimistic)?.zip(end(End::Optimistic)?);
        Ok(both.map(|(pessimistic, optimistic)| Self { pessimistic, optimistic }))
    }

    /// The distribution on a grid chosen such that the bracket of δ, where the aim is, is at most
    /// `width` wide relative to its upper end; or as near to that as a grid of
    /// [`MOST_POINTS`] points and the gap between the given pairs allow.
    ///
    /// # Errors
    /// If the parts are none, the aim or the width is not a sensible number, or the composition
    /// is too large.
    pub fn of(parts: &[Part], aim: Aim, width: f64) -> Result<Self, AccountError> {
        check(aim, width)?;
        let cumulant =
            Cumulant::of(pairs(parts, End::Pessimistic).into_iter().map(|(pair, times)| {
                let atoms = pair.atoms.iter().map(|atom| (atom.loss.upper(), atom.p.upper()));
                (atoms, times)
            }));
        let saddle = cumulant.saddle(aim);
        let window = cumulant.window(&saddle);
        if let Some(exact) = Self::on_lattice(parts)?
            && window / exact.pessimistic.step().lower() <= most_points()
        {
            return Ok(exact);
        }
        let cut = cumulant.cut(&saddle, 1e-3 * width);
        // Both the step and the composition must fit.
        let finest = (window.max(1.1 * (cut.1 - cut.0)) / most_points()).max(1e-12);
        let first = cumulant.first_step(&saddle, width).max(finest);
        Self::refined(parts, &saddle, width, cut, (first, finest))
    }

    /// Finer and finer grids until the bracket is narrow enough or gets no narrower.
    fn refined(
        parts: &[Part],
        saddle: &Saddle,
        width: f64,
        cut: (f64, f64),
        (first, finest): (f64, f64),
    ) -> Result<Self, AccountError> {
        let mut step = first;
        let mut best = Self::on_grid(parts, &Grid::new(step)?, cut)?;
        let mut gap = best.gap(saddle.epsilon)?;
        for _ in 0..ATTEMPTS {
            if gap <= width || step <= finest {
                break;
            }
            step = (step * (0.7 * (width / gap).sqrt()).clamp(0.1, 0.5)).max(finest);
            let next = Self::on_grid(parts, &Grid::new(step)?, cut)?;
            let narrower = next.gap(saddle.epsilon)?;
            // A wide bracket narrows late; a narrow one that stays has met the gap between
            // the pairs, or the rounding of the transform.
            let stuck = narrower > 0.7 * gap && narrower < 0.5;
            if narrower < gap {
                (best, gap) = (next, narrower);
            }
            if stuck {
                break;
            }
        }
        Ok(best)
    }

    /// The width of the bracket of δ relative to its upper end.
    fn gap(&self, epsilon: f64) -> Result<f64, AccountError> {
        let delta = self.delta(epsilon)?;
        Ok(if delta.upper > 0.0 { delta.width() / delta.upper } else { 0.0 })
    }

    /// δ(ε), for any ε.
    ///
    /// # Errors
    /// If epsilon is not finite or the composition is too large.
    pub fn delta(&self, epsilon: f64) -> Result<Bracket, AccountError> {
        let upper = self.pessimistic.delta(epsilon)?.upper();
        let lower = self.optimistic.delta(epsilon)?.lower().min(upper);
        Ok(Bracket { lower, upper })
    }

    /// The smallest ε >= 0 of which δ(ε) is at most `delta`; infinite, if there is none.
    ///
    /// # Guarantee
    /// At the upper end δ was computed and is certainly at most `delta`; at the lower end, unless
    /// it is 0, certainly above.
    ///
    /// # Errors
    /// If delta is not in [0, 1], or the composition is too large.
    pub fn epsilon(&self, delta: f64) -> Result<Bracket, AccountError> {
        let upper = search::epsilon_above(&self.pessimistic, delta)?;
        let lower = search::epsilon_below(&self.optimistic, delta)?;
        Ok(Bracket { lower: lower.min(upper), upper })
    }

    /// The composed law of the pessimistic end in about `cells` cells: the largest loss of each
    /// cell and its mass. See [`Composed::histogram`].
    ///
    /// # Errors
    /// If the composition is too large.
    pub fn histogram(&self, cells: usize) -> Result<Vec<(f64, Bracket)>, AccountError> {
        let (mean, _) = self.pessimistic.moments();
        let centre = f64::midpoint(mean.lower(), mean.upper());
        Ok(self.pessimistic.composed(centre)?.histogram(cells))
    }
}

fn most_points() -> f64 {
    f64::from(1_u32 << 22)
}

fn pairs<'a>(parts: &[Part<'a>], end: End) -> Vec<(&'a DiscretePair, u64)> {
    let pair = |part: &Part<'a>| match end {
        End::Pessimistic => part.upper,
        End::Optimistic => part.lower,
    };
    parts.iter().map(|part| (pair(part), part.times)).collect()
}

fn check(aim: Aim, width: f64) -> Result<(), AccountError> {
    if !(width > 0.0 && width < 1.0) {
        return Err(AccountError::invalid("width", width, "in (0, 1)"));
    }
    match aim {
        Aim::Epsilon(epsilon) if !epsilon.is_finite() => {
            Err(AccountError::invalid("epsilon", epsilon, "finite"))
        }
        Aim::Delta(delta) if !(delta > 0.0 && delta < 1.0) => {
            Err(AccountError::invalid("delta", delta, "in (0, 1)"))
        }
        Aim::Epsilon(_) | Aim::Delta(_) => Ok(()),
    }
}
