//! How much protection, before it is known what is protected.

use throng_account::Target;
use throng_numeric::Rational;

use crate::{Grid, L1, L2, MechanismError, Noise, PerCell, Sensitivity};

/// What a mechanism that knows its own sensitivity is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Protection {
    /// Laplace noise that is epsilon-private.
    Pure {
        /// epsilon.
        epsilon: Rational,
    },
    /// Gaussian noise whose standard deviation is a multiple of the distance in L2.
    Gaussian {
        /// The multiple.
        multiplier: Rational,
    },
    /// The least Gaussian noise that reaches a target.
    Target(Target),
}

impl Protection {
    /// The noise that does it for one value, whose distance in L1 and L2 is known.
    ///
    /// # Errors
    /// As for [`Noise::pure`], [`Noise::gaussian`] and [`Noise::gaussian_for`].
    pub fn noise(
        &self,
        l1: &Sensitivity<L1>,
        l2: &Sensitivity<L2>,
        grid: Grid,
    ) -> Result<Noise, MechanismError> {
        match self {
            Self::Pure { epsilon } => Noise::pure(epsilon, l1, grid),
            Self::Gaussian { multiplier } => Noise::gaussian(&sigma(multiplier, l2)?, l2, grid),
            Self::Target(target) => Noise::gaussian_for(target, l2, grid),
        }
    }

    /// The noise that does it for cells.
    ///
    /// # Errors
    /// As for [`Protection::noise`].
    pub fn noise_per_cell(&self, cells: &PerCell, grid: Grid) -> Result<Noise, MechanismError> {
        match self {
            Self::Pure { epsilon } => Noise::pure(epsilon, &cells.l1()?, grid),
            Self::Gaussian { multiplier } => {
                Noise::gaussian_per_cell(&sigma(multiplier, &cells.l2()?)?, cells, grid)
            }
            Self::Target(target) => Noise::gaussian_per_cell_for(target, cells, grid),
        }
    }
}

/// multiplier times the distance; where nothing can move, the multiplier itself.
fn sigma(multiplier: &Rational, l2: &Sensitivity<L2>) -> Result<Rational, MechanismError> {
    super::law::positive("the multiplier", multiplier)?;
    Ok(if l2.distance().is_zero() { multiplier.clone() } else { multiplier * l2.distance() })
}
