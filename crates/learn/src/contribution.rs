//! What a record may contribute to a vector of whole numbers, and the noise that hides it.

use throng_account::Neighbours;
use throng_mechanism::{Grid, L1, L2, Noise, Sensitivity};
use throng_numeric::Rational;

use crate::LearnError;
use crate::privacy::Gaussian;

/// How often the contribution of one record comes into the distance of neighbours.
pub(crate) const fn times(under: Neighbours) -> u32 {
    match under {
        Neighbours::AddRemove => 1,
        // One contribution goes, another comes: by the triangle inequality, twice the norm. Zeroing
        // out leaves a row like any other ([`Privacy::new`](crate::Privacy::new) refuses it).
        Neighbours::Replace | Neighbours::ZeroOut => 2,
    }
}

/// Gaussian noise for a sum to which each record adds a vector of integers the sum of whose squares is
/// at most `square`.
pub(crate) fn gaussian(
    all: &Gaussian,
    share: (u32, u32),
    square: u64,
    under: Neighbours,
) -> Result<Noise, LearnError> {
    let each = times(under);
    let square = Rational::from(square) * Rational::from(each * each);
    let distance = Sensitivity::<L2>::of_square(&square, under)?;
    all.noise(share, distance.distance(), Grid::WHOLE)
}

/// Laplace noise for a sum to which each record adds a vector of integers the sum of whose sizes is at
/// most `sum`.
pub(crate) fn laplace(
    epsilon: &Rational,
    sum: u64,
    under: Neighbours,
) -> Result<Noise, LearnError> {
    let distance = Rational::from(sum) * Rational::from(times(under));
    let sensitivity = Sensitivity::<L1>::of(distance.clone(), under)?;
    if sum <= FINE {
        return Ok(Noise::pure(epsilon, &sensitivity, Grid::WHOLE)?);
    }
    // A short number, and enough above distance/epsilon that rounding cannot matter.
    let more = Rational::ONE + Rational::new(1, 1_u32 << 20)?;
    let scale = distance.checked_div(epsilon)? * more;
    Ok(Noise::laplace(&Rational::from(scale.ceil()), &sensitivity, Grid::WHOLE)?)
}

/// Scales for larger distances than this are rounded to whole numbers.
const FINE: u64 = 1024;

/// The standard deviation of a noise, for the arithmetic of models.
pub(crate) fn deviation(noise: &Noise) -> f64 {
    match noise.law() {
        throng_mechanism::NoiseLaw::DiscreteLaplace { scale } => {
            std::f64::consts::SQRT_2 * scale.to_f64_nearest()
        }
        throng_mechanism::NoiseLaw::DiscreteGaussian { sigma } => sigma.to_f64_nearest(),
        throng_mechanism::NoiseLaw::Staircase(_) => 0.0,
    }
}

/// The sum of the squares, if it is below 2^63; for contributions of a few words all is.
pub(crate) fn square(contribution: &[i64]) -> Option<u64> {
    contribution.iter().try_fold(0_u64, |sum, x| {
        let x = x.unsigned_abs();
        x.checked_mul(x).and_then(|square| sum.checked_add(square))
    })
}
