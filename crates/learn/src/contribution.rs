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
    let each = Rational::from(times(under));
    apart(all, share, &(Rational::from(square) * each.square()), under)
}

/// Gaussian noise for a sum to which each record adds a vector of integers *without negative entries*, the
/// sum of whose squares is at most `square`: one for each cell that a record counts in.
///
/// # Guarantee
/// If v goes and w comes, |v - w|² = |v|² + |w|² - 2⟨v, w⟩ <= 2 `square`, for no product of entries is
/// negative. So a replaced record takes √2 times the noise of an added one, not twice.
pub(crate) fn of_counts(
    all: &Gaussian,
    share: (u32, u32),
    square: u64,
    under: Neighbours,
) -> Result<Noise, LearnError> {
    apart(all, share, &(Rational::from(square) * Rational::from(times(under))), under)
}

/// Gaussian noise for vectors of integers that are on neighbours so far apart: `square` is that of the
/// distance.
pub(crate) fn apart(
    all: &Gaussian,
    share: (u32, u32),
    square: &Rational,
    under: Neighbours,
) -> Result<Noise, LearnError> {
    let distance = Sensitivity::<L2>::of_square(square, under)?;
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
    laplace_of(epsilon, &Sensitivity::<L1>::of(distance, under)?)
}

/// Laplace noise on whole numbers for a distance.
pub(crate) fn laplace_of(
    epsilon: &Rational,
    sensitivity: &Sensitivity<L1>,
) -> Result<Noise, LearnError> {
    if *sensitivity.distance() <= Rational::from(FINE) {
        return Ok(Noise::pure(epsilon, sensitivity, Grid::WHOLE)?);
    }
    let scale = whole_scale(sensitivity.distance(), epsilon)?;
    Ok(Noise::laplace(&scale, sensitivity, Grid::WHOLE)?)
}

/// A whole number of steps a little above distance/epsilon.
///
/// # Guarantee
/// Noise of scale b on a grid is described as noise on the line at a distance of d + 1/(4b), so it costs
/// d/b + 1/(4b²). With b >= d/ε + 1 the first is at most ε - ε/b, and the second at most ε/b, as
/// b > 1/(4ε) for d >= 1. The factor leaves room for the rounding of an accountant.
fn whole_scale(distance: &Rational, epsilon: &Rational) -> Result<Rational, LearnError> {
    let room = Rational::ONE + Rational::new(1, 1_u32 << 30)?;
    let scale = (distance * &room).checked_div(epsilon)?;
    Ok(Rational::from(scale.ceil()) + Rational::ONE)
}

/// Scales for larger distances than this are rounded to whole numbers.
const FINE: u64 = 1024;

/// The standard deviation of a noise, in steps, for the arithmetic of models.
pub(crate) fn deviation(noise: &Noise) -> f64 {
    // Every law that noise is made of has a variance.
    noise.law().variance().map_or(0.0, |variance| variance.upper().sqrt())
}

/// The sum of the squares, if it is below 2^63; for contributions of a few words all is.
pub(crate) fn square(contribution: &[i64]) -> Option<u64> {
    contribution.iter().try_fold(0_u64, |sum, x| {
        let x = x.unsigned_abs();
        x.checked_mul(x).and_then(|square| sum.checked_add(square))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Privacy;
    use throng_account::filter::cost;

    /// Of all pairs of counts of at most that size, none is further apart than the noise was made for, and
    /// some are as far.
    #[test]
    fn counts_that_are_replaced_move_by_the_root_of_two() {
        let target = *Privacy::approximate(1.0, 1e-5).unwrap().target();
        let privacy = Privacy::new(target, Neighbours::Replace).unwrap();
        let all = privacy.gaussian().unwrap();
        // Fine enough that what a grid costs does not show.
        let fine = 9 << 20;
        let counted = of_counts(&all, (1, 1), fine, Neighbours::Replace).unwrap();
        let usual = gaussian(&all, (1, 1), fine, Neighbours::Replace).unwrap();
        assert!((deviation(&usual) / deviation(&counted) - 2_f64.sqrt()).abs() < 1e-6);
        privacy.certify(counted.spec()).unwrap();
        let counts: Vec<Vec<i64>> = (0..64_i64).map(|i| vec![i % 4, i / 4 % 4, i / 16]).collect();
        let within = |v: &&Vec<i64>| square(v).unwrap() <= 9;
        let mut furthest = 0;
        for (v, w) in counts
            .iter()
            .filter(within)
            .flat_map(|v| counts.iter().filter(within).map(move |w| (v, w)))
        {
            let change: Vec<i64> = v.iter().zip(w).map(|(a, b)| a - b).collect();
            furthest = furthest.max(square(&change).unwrap());
        }
        assert_eq!(furthest, 2 * 9);
    }

    #[test]
    fn counts_that_are_added_move_by_their_size() {
        let all = Privacy::approximate(1.0, 1e-5).unwrap().gaussian().unwrap();
        let [counted, usual] = [of_counts, gaussian]
            .map(|noise| noise(&all, (1, 1), 9, Neighbours::AddRemove).unwrap());
        assert_eq!(counted, usual);
    }

    #[test]
    fn laplace_noise_keeps_its_epsilon_exactly_at_any_size() {
        for epsilon in ["0.01", "1", "3.9", "4.1", "7", "20", "500", "10000"] {
            let epsilon: Rational = epsilon.parse().unwrap();
            for sum in [1, 1000, 1024, 1025, 4096, 1_000_003] {
                for under in [Neighbours::AddRemove, Neighbours::Replace] {
                    let noise = laplace(&epsilon, sum, under).unwrap();
                    assert!(cost::pure(noise.spec(), under).unwrap() <= epsilon, "{epsilon} {sum}");
                }
            }
        }
    }
}
