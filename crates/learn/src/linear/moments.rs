//! The second moments of (1, features, label), on the grid.
//!
//! Least squares needs nothing else: the sums over all records of all products of two of these
//! numbers. They leave once, together, with noise.

use throng_account::Neighbours;
use throng_numeric::{Integer, Rational};

use crate::erm::rows::{self, LEVELS, LEVELS_INTEGER};
use crate::math::count;
use crate::{Bounds, Interval, LearnError, Matrix, Measured, exact};

/// Which norm of (1, features) is held.
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
    /// The largest norm of (1, features), in steps.
    most: i64,
    /// Whether products of two different numbers count twice, as in the square of a sum.
    doubled: bool,
}

/// The moments that are released: 128 megabytes of them.
const MOST_MOMENTS: usize = 1 << 24;

impl Moments {
    /// Rows whose (1, features) have a norm of at most `most`, in units: longer ones count for less.
    ///
    /// # Errors
    /// If the norm is below 1, or there are more than 2^24 products of two of the numbers.
    pub(super) fn new(
        bounds: Bounds,
        label: Interval,
        norm: Norm,
        most: f64,
    ) -> Result<Self, LearnError> {
        few(bounds.columns())?;
        let width = count(bounds.columns().saturating_add(1));
        let longest = match norm {
            Norm::Two => width.sqrt(),
            Norm::One => width,
        };
        if !(most >= 1.0 && most.is_finite()) {
            return Err(LearnError::invalid("the norm of a row", most, "finite and at least 1"));
        }
        let most = crate::math::nearest((most.min(longest) * LEVELS).floor());
        Ok(Self { bounds, label, norm, most, doubled: false })
    }

    /// As coefficients of the objective (label - features · parameters)².
    pub(super) fn of_objective(bounds: Bounds, label: Interval) -> Result<Self, LearnError> {
        let longest = count(bounds.columns().saturating_add(1));
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

    /// What one record adds to the moments, at most, in steps squared.
    ///
    /// # Guarantee
    /// A record is a row of integers: u, which is (1, features) times a weight of at most 1, and v, the
    /// label times the same weight. With N the bound on the norm of u ([`rows::shrink`]) and M that
    /// on the size of each number of it and of v (numbers are within M steps and only ever shrink):
    /// * in L2, Σ_{i<=j} u_i² u_j² = (|u|⁴ + Σ u_i⁴)/2 <= (N⁴ + N² M²)/2, as u_i² <= M²;
    ///   Σ u_i² v² = |u|² v² <= N² M²; and v⁴ <= M⁴. Their sum is the square.
    /// * in L1, Σ_{i<=j} |u_i u_j| = (|u|_1² + |u|_2²)/2 <= (N² + N M)/2, as |u|_2² <= M |u|_1;
    ///   Σ |u_i v| <= N M; and v² <= M². If products of different numbers count twice, all of it is
    ///   (|u|_1 + |v|)² <= (N + M)².
    pub(super) fn contribution(&self) -> Result<Rational, LearnError> {
        let (most, largest) = (Integer::from(self.most), Integer::from(LEVELS_INTEGER));
        let (square, product, label) = (&most * &most, &most * &largest, &largest * &largest);
        let half = Rational::new(1, 2_u32)?;
        Ok(match self.norm {
            Norm::Two => {
                let of_features = &square * &square + &square * &label;
                let of_label = &square * &label + &label * &label;
                let sum = Rational::from(of_features) * half + Rational::from(of_label);
                let root = throng_mechanism::Sensitivity::<throng_mechanism::L2>::of_square(
                    &sum,
                    Neighbours::AddRemove,
                )?;
                root.distance().clone()
            }
            Norm::One if self.doubled => {
                let sum = most + largest;
                Rational::from(&sum * &sum)
            }
            Norm::One => {
                let of_features = Rational::from(square + &product) * half;
                of_features + Rational::from(product + label)
            }
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

    /// A record as (1, features, label) on the grid, (1, features) within the norm. One without a label
    /// is a row of zeros, which adds nothing.
    ///
    /// The weight looks at the features only: then the rows are those of a weighted least squares, which has
    /// the coefficients of a model that holds. A weight that saw the label would favour labels
    /// near the middle.
    fn rows(&self, examples: &Measured) -> Matrix<f64> {
        let mut table = Matrix::filled(examples.len(), self.width(), 0.0);
        for (place, (features, label)) in examples.iter().enumerate() {
            if label.is_nan() {
                continue;
            }
            let row = table.row_mut(place);
            self.write(row, features, *label);
            let (_, known) = row.split_last().unwrap_or((&0.0, &[]));
            let norm = match self.norm {
                Norm::Two => rows::square(known).sqrt(),
                Norm::One => rows::size(known),
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

/// That the moments of so many features fit into memory.
fn few(features: usize) -> Result<(), LearnError> {
    let width = features.checked_add(2);
    let moments = width.and_then(|width| width.checked_mul(width.checked_add(1)?));
    if moments.is_some_and(|twice| twice / 2 <= MOST_MOMENTS) {
        return Ok(());
    }
    let allowed = "at most 5790: 2^24 products of two of them";
    Err(LearnError::invalid("the number of features", features, allowed))
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
                assert!(closest > 0.3, "the distance is far from what is reached: {closest}");
            }
        }
    }

    /// Every record on a coarse grid of features and labels, corners included.
    #[test]
    fn no_record_contributes_more_than_the_bound_and_corners_reach_it() {
        let label = Interval::new(-1.0, 1.0).unwrap();
        let bounds = Bounds::same(2, -1.0, 1.0).unwrap();
        let grid = [-1.0, -0.618, -0.1, 0.0, 0.3, 0.999_99, 1.0];
        for (norm, lengths) in [(Norm::Two, [1.0, 1.3, 1.732]), (Norm::One, [1.0, 2.2, 3.0])] {
            for length in lengths {
                let moments = Moments::new(bounds.clone(), label, norm, length).unwrap();
                let most = moments.contribution().unwrap();
                let mut reached = Rational::ZERO;
                for place in 0..grid.len().pow(3) {
                    let at = |k: u32| grid[place / grid.len().pow(k) % grid.len()];
                    let table = Matrix::from_rows(&[[at(0), at(1)]]);
                    let sums = moments.sums(&Measured::new(table, vec![at(2)]).unwrap()).unwrap();
                    let sizes = sums.iter().map(|x| i128::from(*x));
                    let found = match norm {
                        Norm::Two => Rational::from(sizes.map(|x| x * x).sum::<i128>()),
                        Norm::One => Rational::from(sizes.map(i128::abs).sum::<i128>()).square(),
                    };
                    assert!(found <= most.square());
                    reached = reached.max(found);
                }
                // Equal where no row is shrunk: all numbers at their ends.
                let share = (reached.to_f64_nearest() / most.square().to_f64_nearest()).sqrt();
                let least = if length == lengths[2] { 0.999 } else { 0.5 };
                assert!(share > least, "{length}: {share}");
            }
        }
    }

    #[test]
    fn a_record_without_a_label_adds_nothing() {
        let bounds = Bounds::same(2, -1.0, 1.0).unwrap();
        let label = Interval::new(-1.0, 1.0).unwrap();
        for moments in [
            Moments::new(bounds.clone(), label, Norm::Two, 1.5).unwrap(),
            Moments::of_objective(bounds, label).unwrap(),
        ] {
            let table = Matrix::from_rows(&[[1.0, -1.0], [0.5, f64::INFINITY]]);
            let none = Measured::new(table, vec![f64::NAN; 2]).unwrap();
            assert!(moments.sums(&none).unwrap().iter().all(|x| *x == 0));
        }
    }

    #[test]
    fn too_many_moments_are_refused() {
        let label = Interval::new(-1.0, 1.0).unwrap();
        let made = |columns: usize| {
            let bounds = Bounds::same(columns, -1.0, 1.0).unwrap();
            Moments::new(bounds, label, Norm::Two, 1.5)
        };
        assert!(made(5790).is_ok());
        assert!(made(5791).is_err());
    }
}
