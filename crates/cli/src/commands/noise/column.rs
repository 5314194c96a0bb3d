//! What the numbers of the column are: how far a unit moves them, on which grid they lie.

use throng_mechanism::{Clamp, Grid, Neighbours, Noise, PerCell, Uncovered};
use throng_numeric::Rational;

use super::Options;
use crate::cell;
use crate::failure::Failure;
use crate::promise::Asked;

/// How cells become steps of a grid, and how far a unit moves them.
#[derive(Debug)]
pub(super) struct Column {
    grid: Grid,
    reading: Reading,
    moves: PerCell,
}

/// How a cell becomes a number of steps.
#[derive(Debug)]
enum Reading {
    /// Counts: the whole number below.
    Whole,
    /// The nearest grid point.
    Nearest,
    /// The nearest grid point, clamped.
    Clamped(Clamp),
}

impl Column {
    /// As the options say.
    pub(super) fn of(options: &Options, asked: &Asked<'_>) -> Result<Self, Failure> {
        if let Some(bounds) = &options.bounds {
            let (lower, upper) = (bounds.lower(), bounds.upper());
            let grid = grid_for(options, asked, &(upper - lower))?;
            let clamp = Clamp::new(lower, upper, grid)?;
            let moves = PerCell::of(1, grid.at(clamp.width()), Neighbours::Replace)?;
            return Ok(Self { grid, reading: Reading::Clamped(clamp), moves });
        }
        let distance = match &options.sensitivity {
            Some(distance) => distance.exact().clone(),
            None => Rational::ONE,
        };
        let under = options.neighbours.unwrap_or(Neighbours::AddRemove);
        let moves = PerCell::of(options.rows, distance, under)?;
        let real = options.reals || options.grid.is_some();
        match (moves.distance().is_integer(), real) {
            (true, false) => Ok(Self { grid: Grid::WHOLE, reading: Reading::Whole, moves }),
            (false, false) if options.integers => Err(Failure::usage(
                "whole numbers differ by whole numbers, but --sensitivity is none",
                "give a whole --sensitivity, or leave --integers out",
            )),
            (true | false, _) => {
                let grid = grid_for(options, asked, moves.distance())?;
                let moves = moves.rounded(grid)?;
                Ok(Self { grid, reading: Reading::Nearest, moves })
            }
        }
    }

    /// The noise that hides a unit.
    pub(super) fn noise(&self, asked: &Asked<'_>) -> Result<Noise, Failure> {
        Ok(match (asked, asked.target()) {
            (_, Some(target)) => Noise::gaussian_per_cell_for(&target, &self.moves, self.grid)?,
            (Asked::Pure(epsilon), None) => {
                Noise::pure_per_cell(epsilon.exact(), &self.moves, self.grid)?
            }
            (_, None) => return Err(Failure::bug("a target without noise")),
        })
    }

    /// A cell in steps of the grid.
    pub(super) fn steps(&self, cell: &[u8]) -> i64 {
        match &self.reading {
            Reading::Whole => cell::whole(cell),
            Reading::Nearest => cell::steps(cell, self.grid),
            Reading::Clamped(clamp) => clamp.clamp(cell::steps(cell, self.grid)),
        }
    }

    /// What intervals leave out.
    pub(super) fn uncovered(&self) -> Vec<Uncovered> {
        match self.reading {
            Reading::Whole => Vec::new(),
            Reading::Nearest => vec![Uncovered::Rounding],
            Reading::Clamped(_) => vec![Uncovered::Clamping, Uncovered::Rounding],
        }
    }
}

/// The grid asked for, or one that is fine beside the noise. Which one it is matters to accuracy
/// only, so the scale of the noise is guessed.
fn grid_for(options: &Options, asked: &Asked<'_>, distance: &Rational) -> Result<Grid, Failure> {
    if options.integers {
        return Ok(Grid::WHOLE);
    }
    if let Some(grid) = options.grid {
        return Ok(grid);
    }
    let strength = match asked {
        Asked::Pure(epsilon) | Asked::Approximate(epsilon, _) => epsilon.nearest(),
        Asked::Gdp(mu) => mu.nearest(),
        Asked::Zcdp(rho) => (2.0 * rho.nearest()).sqrt(),
    };
    let strength = Rational::from_f64(strength.clamp(1e-30, 1e30)).unwrap_or(Rational::ONE);
    Ok(Grid::under(&distance.checked_div(&strength).unwrap_or(Rational::ONE))?)
}
