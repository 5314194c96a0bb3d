//! A first look, with noise: how many records there are, around what, how far apart.
//!
//! Gradients of rows that are centred and of size 1 or so are shorter and pull in all directions alike, so
//! the same noise costs less and fewer steps are needed. A small share of the budget buys that.

use throng_account::Neighbours;
use throng_mechanism::{Grid, L2, MechanismError, Noise, Run, Sensitivity};
use throng_numeric::{Integer, Rational};

use super::descent::flush;
use super::rows;
use crate::math::{count, nearest, number};
use crate::privacy::Gaussian;
use crate::{Bounds, LearnError, Matrix, Privacy};

/// Steps from 0 to 1 on the grid of surveys and gradients, 2^11.
pub(crate) const LEVELS: f64 = 2048.0;

/// Records whose sums stay below 2^53: each number is below 2^30.
const BLOCK: usize = 1 << 20;

/// What the first release is made of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Survey {
    bounds: Bounds,
    /// The largest norm of a row, in steps.
    most: i64,
    noise: Noise,
}

/// What it says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// About how many records; at least what noise alone may look like.
    pub(crate) records: f64,
    /// About where the features are on average, each from -1 to 1.
    pub(crate) centre: Vec<f64>,
    /// About how far a record is from there, root mean square.
    pub(crate) radius: f64,
}

impl Survey {
    /// A survey with a share of the budget.
    ///
    /// # Guarantee
    /// With N the largest norm of a row f, a record adds (N, f, ⌊|f|²/N⌋), whose norm is at most √3 N. If
    /// one is replaced, the first number stays, f moves by at most 2N, and the last, from 0 to N, by N:
    /// √5 N.
    pub(crate) fn new(
        bounds: &Bounds,
        privacy: &Privacy,
        gaussian: &Gaussian,
        share: (u32, u32),
    ) -> Result<Self, LearnError> {
        // Features of which many lie at the ends of their bounds are shortened; less noise is worth more.
        let room = 0.75 + 0.25 * count(bounds.columns());
        let most = nearest((room.sqrt() * LEVELS).floor());
        let under = privacy.neighbours();
        let times = match under {
            Neighbours::AddRemove | Neighbours::ZeroOut => 3,
            Neighbours::Replace => 5,
        };
        let square = Rational::from(Integer::from(most).pow(2) * Integer::from(times));
        let moved = Sensitivity::<L2>::of_square(&square, under)?;
        let noise = gaussian.noise(share, moved.distance(), Grid::WHOLE)?;
        Ok(Self { bounds: bounds.clone(), most, noise })
    }

    pub(crate) const fn noise(&self) -> &Noise {
        &self.noise
    }

    /// The sums: N for each record, features, ⌊|f|²/N⌋.
    fn sums<'a>(&self, records: impl Iterator<Item = &'a [f64]>) -> Vec<i64> {
        let mut totals = vec![0_i64; self.bounds.columns().saturating_add(2)];
        // Integers below 2^53 for so many records, so their sums are exact.
        let mut sums = vec![0.0; totals.len()];
        let mut row = vec![0.0; self.bounds.columns()];
        for (place, features) in records.enumerate() {
            for ((cell, x), unit) in row.iter_mut().zip(features).zip(self.bounds.intervals()) {
                *cell = rows::steps(*unit, *x, LEVELS);
            }
            let norm = rows::square(&row).sqrt();
            rows::shrink(&mut row, norm, number(self.most));
            // The square of a shrunk row is an integer of at most N², so the quotient rounds to no
            // more than N.
            let size = (rows::square(&row) / number(self.most)).floor();
            let all = std::iter::once(number(self.most)).chain(row.iter().copied());
            for (sum, x) in sums.iter_mut().zip(all.chain([size])) {
                *sum += x;
            }
            if place % BLOCK == BLOCK - 1 {
                flush(&mut totals, &mut sums);
            }
        }
        flush(&mut totals, &mut sums);
        totals
    }

    /// The noisy sums, read.
    pub(crate) fn release<'a>(
        &self,
        records: impl Iterator<Item = &'a [f64]>,
        run: &mut Run<'_>,
    ) -> Result<Found, MechanismError> {
        let mut sums = self.sums(records);
        self.noise.add(&mut sums, run)?;
        Ok(self.read(&sums))
    }

    fn read(&self, sums: &[i64]) -> Found {
        let most = number(self.most);
        let deviation = self.noise.law().variance().map_or(0.0, |v| v.upper().sqrt());
        let columns = self.bounds.columns();
        let (first, rest) = sums.split_first().map_or((0, sums), |(first, rest)| (*first, rest));
        let records = (number(first) / most).max(deviation / most).max(1.0);
        let features = rest.iter().take(columns);
        let centre: Vec<f64> =
            features.map(|x| (number(*x) / LEVELS / records).clamp(-1.0, 1.0)).collect();
        let size = rest.get(columns).map_or(0.0, |x| number(*x)) * most;
        let square = size / LEVELS / LEVELS / records;
        let of_noise = count(columns) * rows::squared(deviation / LEVELS / records);
        let around = square - rows::square(&centre) + of_noise;
        let least = 0.05 * rows::squared(most / LEVELS);
        Found { records, centre, radius: around.max(least).min(4.0 * count(columns)).sqrt() }
    }
}

/// Rows around a centre, in steps, with a last column for the intercept that is half as far as a typical
/// record is.
pub(crate) fn centred<'a>(
    bounds: &Bounds,
    found: &Found,
    records: impl ExactSizeIterator<Item = &'a [f64]>,
) -> Matrix<f64> {
    let columns = bounds.columns();
    let mut table = Matrix::filled(records.len(), columns + 1, 0.0);
    let intercept = rows::nearest(INTERCEPT * found.radius * LEVELS).max(1.0);
    for (place, features) in records.enumerate() {
        let numbers = features.iter().zip(bounds.intervals()).zip(&found.centre);
        let numbers = numbers
            .map(|((x, unit), middle)| rows::nearest((unit.symmetric(*x) - middle) * LEVELS));
        for (cell, x) in table.row_mut(place).iter_mut().zip(numbers.chain([intercept])) {
            *cell = x;
        }
    }
    table
}

/// The intercept's column, where typical records are 1 from the centre.
pub(crate) const INTERCEPT: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;
    use throng_account::Target;

    #[test]
    fn one_record_adds_no_more_than_its_norm() {
        let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
        let gaussian = privacy.gaussian().unwrap();
        for columns in [1, 2, 9, 40] {
            let bounds = Bounds::same(columns, 0.0, 1.0).unwrap();
            let survey = Survey::new(&bounds, &privacy, &gaussian, (1, 10)).unwrap();
            for value in [0.0, 1.0, f64::NAN, 0.3, 0.999, f64::INFINITY] {
                let row = vec![value; columns];
                let sums = survey.sums(std::iter::once(row.as_slice()));
                let square: i128 = sums.iter().map(|x| i128::from(*x).pow(2)).sum();
                assert!(square <= 3 * i128::from(survey.most).pow(2));
            }
            assert_eq!(survey.noise.neighbours(), Neighbours::AddRemove);
        }
    }

    #[test]
    fn two_records_are_no_further_apart_than_stated() {
        let target = Target::Epsilon { epsilon: 1.0, delta: 1e-5 };
        let privacy = Privacy::new(target, Neighbours::Replace).unwrap();
        let gaussian = privacy.gaussian().unwrap();
        let mut closest = 0.0_f64;
        for columns in [1, 2, 9, 40] {
            let bounds = Bounds::same(columns, 0.0, 1.0).unwrap();
            let survey = Survey::new(&bounds, &privacy, &gaussian, (1, 10)).unwrap();
            let sums = |value: f64| survey.sums(std::iter::once(vec![value; columns].as_slice()));
            for value in [0.0, 1.0, f64::NAN, 0.3, 0.999, f64::INFINITY] {
                for other in [0.0, 1.0, f64::NAN, 0.7] {
                    let pairs = sums(value).into_iter().zip(sums(other));
                    let square: i64 = pairs.map(|(a, b)| (a - b).pow(2)).sum();
                    assert!(square <= 5 * survey.most.pow(2));
                    closest = closest.max(number(square) / number(survey.most.pow(2)));
                }
            }
        }
        assert!(closest > 3.9);
    }

    #[test]
    fn nothing_at_all_is_read_as_something() {
        let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
        let bounds = Bounds::same(3, 0.0, 1.0).unwrap();
        let survey = Survey::new(&bounds, &privacy, &privacy.gaussian().unwrap(), (1, 10)).unwrap();
        for sums in [[0; 5], [i64::MIN; 5], [i64::MAX; 5]] {
            let found = survey.read(&sums);
            assert!(found.records >= 1.0 && found.radius > 0.0 && found.radius.is_finite());
            assert!(found.centre.iter().all(|x| x.abs() <= 1.0));
        }
    }
}
