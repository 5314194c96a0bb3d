//! The second moments of (1, features, label), on the grid.
//!
//! Least squares needs nothing else: the sums over all records of all products of two of these
//! numbers. They leave once, together, with noise.

use throng_account::Neighbours;
use throng_numeric::{Integer, Rational};

use crate::erm::rows::{self, LEVELS, LEVELS_INTEGER};
use crate::math::count;
use crate::{Bounds, Interval, LearnError, Matrix, Measured, exact};

/// Which norm of a row is held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Norm {
    /// The sum of squares, for Gaussian noise.
    Two,
    /// The sum of sizes, for Laplace noise.
    One,
}

/// How a record becomes a row of integers, and what its products can be.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moments {
    bounds: Bounds,
    label: Interval,
    norm: Norm,
    /// The largest norm of a row (1, features, label), in steps.
    most: i64,
    /// Whether products of two different numbers count twice, as in the square of a sum.
    doubled: bool,
}

impl Moments {
    /// Rows with a norm of at most `most`, in units: rows that are longer count for less.
    pub(super) fn new(
        bounds: Bounds,
        label: Interval,
        norm: Norm,
        most: f64,
    ) -> Result<Self, LearnError> {
        // No row is longer than the sum of the sizes of its numbers.
        let longest = count(bounds.columns().saturating_add(2));
        if !(most >= 1.0 && most.is_finite()) {
            return Err(LearnError::invalid("the norm of a row", most, "finite and at least 1"));
        }
        let most = crate::math::nearest((most.min(longest) * LEVELS).floor());
        Ok(Self { bounds, label, norm, most, doubled: false })
    }

    /// As coefficients of the objective (label - features · parameters)².
    pub(super) fn of_objective(bounds: Bounds, label: Interval) -> Result<Self, LearnError> {
        let longest = count(bounds.columns().saturating_add(2));
        Ok(Self { doubled: true, ..Self::new(bounds, label, Norm::One, longest)? })
    }

    /// How many numbers a row has.
    pub(super) const fn width(&self) -> usize {
        self.bounds.columns() + 2
    }

    /// What each of two different numbers' products is counted.
    pub(super) const fn times(&self) -> i64 {
        if self.doubled { 2 } else { 1 }
    }

    /// How far the moments move between neighbours, in steps squared.
    ///
    /// # Guarantee
    /// One record z contributes z_i z_j for i <= j. With N the bound on its norm and M that on
    /// each of its numbers:
    /// * in L2, the square is Σ_{i<=j} z_i² z_j² = (|z|⁴ + Σ z_i⁴)/2 <= (N⁴ + N² M²)/2;
    /// * in L1, it is Σ_{i<=j} |z_i z_j| = (|z|_1² + |z|_2²)/2 <= (N² + N M)/2, and if products of
    ///   different numbers count twice, |z|_1² <= N².
    pub(super) fn contribution(&self) -> Result<Rational, LearnError> {
        let (most, largest) = (Integer::from(self.most), Integer::from(LEVELS_INTEGER));
        let square = &most * &most;
        let half = Rational::new(1, 2_u32)?;
        Ok(match self.norm {
            Norm::Two => {
                let sum = &square * &square + &square * &largest * &largest;
                let sum = Rational::from(sum) * half;
                let root = throng_mechanism::Sensitivity::<throng_mechanism::L2>::of_square(
                    &sum,
                    Neighbours::AddRemove,
                )?;
                root.distance().clone()
            }
            Norm::One if self.doubled => Rational::from(square),
            Norm::One => Rational::from(square + most * largest) * half,
        })
    }

    /// The sums of z_i z_j for i <= j, row by row, in steps squared.
    pub(super) fn sums(&self, examples: &Measured) -> Result<Vec<i64>, LearnError> {
        let table = self.rows(examples);
        let reach = LEVELS * LEVELS;
        let all = exact::cross(&table, &table, reach)?;
        let all = Matrix::new(self.width(), self.width(), all)?;
        let mut upper = Vec::with_capacity(self.width() * (self.width() + 1) / 2);
        for (place, row) in all.iter().enumerate() {
            let mut products = row.iter().skip(place);
            upper.extend(products.next());
            upper.extend(products.map(|product| product.saturating_mul(self.times())));
        }
        Ok(upper)
    }

    /// A record as (1, features, label) on the grid, within the norm.
    fn rows(&self, examples: &Measured) -> Matrix<f64> {
        let mut table = Matrix::filled(examples.len(), self.width(), 0.0);
        for (place, (features, label)) in examples.iter().enumerate() {
            let row = table.row_mut(place);
            self.write(row, features, *label);
            let norm = match self.norm {
                Norm::Two => rows::square(row).sqrt(),
                Norm::One => rows::size(row),
            };
            rows::shrink(row, norm, crate::math::number(self.most));
        }
        table
    }

    fn write(&self, row: &mut [f64], features: &[f64], label: f64) {
        let numbers = self.bounds.intervals().iter().zip(features);
        let numbers = numbers.map(|(interval, x)| rows::steps(*interval, *x, LEVELS));
        let all = std::iter::once(LEVELS).chain(numbers);
        for (cell, x) in row.iter_mut().zip(all.chain([rows::steps(self.label, label, LEVELS)])) {
            *cell = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_sample::{Entropy, SeededEntropy};

    /// A number in [-1.5, 1.5], now and then none.
    fn hostile(entropy: &mut SeededEntropy) -> f64 {
        let mut bytes = [0; 4];
        entropy.fill(&mut bytes).unwrap();
        let word = i64::from(u32::from_le_bytes(bytes));
        match word % 17 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            3 => 1.0,
            4 => -1.0,
            _ => crate::math::number((word >> 8) % 3001 - 1500) / 1000.0,
        }
    }

    #[test]
    fn neighbours_are_within_the_distance_the_noise_is_made_for() {
        let mut entropy = SeededEntropy::new(7);
        for columns in [1, 3, 8] {
            let bounds = Bounds::same(columns, -1.0, 1.0).unwrap();
            let label = Interval::new(-1.0, 1.0).unwrap();
            let kinds = [
                Moments::new(bounds.clone(), label, Norm::Two, 1.7).unwrap(),
                Moments::new(bounds.clone(), label, Norm::Two, 99.0).unwrap(),
                Moments::new(bounds.clone(), label, Norm::One, 2.3).unwrap(),
                Moments::of_objective(bounds.clone(), label).unwrap(),
            ];
            for moments in kinds {
                let most = moments.contribution().unwrap();
                let mut closest = 0.0_f64;
                for _ in 0..40 {
                    let rows = 4;
                    let values = (0..rows * columns).map(|_| hostile(&mut entropy)).collect();
                    let labels: Vec<f64> = (0..rows).map(|_| hostile(&mut entropy)).collect();
                    let table = Matrix::new(rows, columns, values).unwrap();
                    let fewer = table.select(&[0, 1, 2]);
                    let a = Measured::new(table, labels.clone()).unwrap();
                    let b = Measured::new(fewer, labels[..3].to_vec()).unwrap();
                    let (a, b) = (moments.sums(&a).unwrap(), moments.sums(&b).unwrap());
                    let gaps = a.iter().zip(&b).map(|(a, b)| i128::from(a - b));
                    let found = match moments.norm {
                        Norm::Two => Rational::from(gaps.map(|x| x * x).sum::<i128>()),
                        Norm::One => Rational::from(gaps.map(i128::abs).sum::<i128>()).square(),
                    };
                    assert!(found <= most.square());
                    closest = closest
                        .max((found.to_f64_nearest() / most.square().to_f64_nearest()).sqrt());
                }
                assert!(closest > 0.4, "the distance is far from what is reached: {closest}");
            }
        }
    }
}
