use throng_account::Target;
use throng_numeric::{Enclosure, Rational};

use crate::{Examples, LearnError, Matrix, Privacy};

/// A part of a target, such that parts of it together are no more than it.
///
/// # Guarantee
/// Epsilons without a delta add up. Any other target is that of one Gaussian release, mu = 1/sigma; a part
/// of it has mu² times that part, rounded down, and squares of mu add up.
pub(super) fn part(privacy: &Privacy, (part, whole): (u32, u32)) -> Result<Privacy, LearnError> {
    let below = |x: &Rational| Enclosure::of_rational(x).lower();
    let target = match privacy.epsilon_if_pure()? {
        Some(epsilon) => {
            let epsilon = below(&(epsilon * Rational::new(part, whole)?));
            Target::Epsilon { epsilon, delta: 0.0 }
        }
        None => {
            let sigma = privacy.gaussian()?.multiplier(part, whole)?;
            Target::Gdp { mu: below(&Rational::ONE.checked_div(&sigma)?) }
        }
    };
    Privacy::new(target, privacy.neighbours())
}

/// Examples whose features can be exchanged for others.
pub trait Featured: Sized {
    /// The features.
    fn features(&self) -> &Matrix<f64>;

    /// The same records with other features.
    ///
    /// # Errors
    /// If there are not as many rows.
    fn with(&self, features: Matrix<f64>) -> Result<Self, LearnError>;

    /// No records, of so many columns.
    ///
    /// # Errors
    /// Never.
    fn empty(columns: usize) -> Result<Self, LearnError>;
}

impl Featured for Matrix<f64> {
    fn features(&self) -> &Matrix<f64> {
        self
    }

    fn with(&self, features: Matrix<f64>) -> Result<Self, LearnError> {
        Ok(features)
    }

    fn empty(columns: usize) -> Result<Self, LearnError> {
        Ok(Self::filled(0, columns, 0.0))
    }
}

impl<Y: Clone> Featured for Examples<Y> {
    fn features(&self) -> &Matrix<f64> {
        self.features()
    }

    fn with(&self, features: Matrix<f64>) -> Result<Self, LearnError> {
        Self::new(features, self.labels().to_vec())
    }

    fn empty(columns: usize) -> Result<Self, LearnError> {
        Self::new(Matrix::filled(0, columns, 0.0), Vec::new())
    }
}
