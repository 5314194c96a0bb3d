//! The sums that naive Bayes is made of.

use serde::{Deserialize, Serialize};

use super::NaiveBayesOptions;
use crate::columns::{Column, Columns, level};
use crate::math::{count, nearest};
use crate::{Classes, Classified, LearnError};

/// A weight of 1 in whole numbers.
const UNIT: f64 = 4096.0;

/// The most cells of a release.
const MOST_CELLS: usize = 1 << 24;

/// How the size of a contribution is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Norm {
    /// By the sum of squares, for Gaussian noise.
    Euclidean,
    /// By the sum of sizes, for Laplace noise.
    Sum,
}

/// How rows of numbers are seen: from the middle of their bounds, no further than a reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct View {
    pub(super) columns: Columns,
    norm: Norm,
    /// The largest norm of a row of numbers, each in [-1, 1].
    reach: f64,
}

impl View {
    /// The numbers of a row in [-1, 1], moved towards 0 together if they are too large together;
    /// 0 in the place of a category.
    pub(super) fn numbers(&self, row: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.columns.as_slice().iter().zip(row).map(|(column, x)| match column {
            Column::Number(interval) => interval.symmetric(*x),
            Column::Category(_) => 0.0,
        }));
        let size = match self.norm {
            Norm::Euclidean => out.iter().map(|u| u * u).sum::<f64>().sqrt(),
            Norm::Sum => out.iter().map(|u| u.abs()).sum(),
        };
        if size > self.reach {
            out.iter_mut().for_each(|u| *u *= self.reach / size);
        }
    }
}

/// What is summed: for each class a count, then for each column of numbers a sum and a sum of squares,
/// for each category the counts of its levels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statistics {
    pub(super) view: View,
    pub(super) classes: Classes,
    pub(super) weights: Weights,
    /// Where each column begins among the cells of a class.
    pub(super) starts: Vec<usize>,
    /// How many cells a class has.
    pub(super) width: usize,
    /// The most that the numbers of a record contribute, in the norm.
    most_of_numbers: u64,
    /// The most that a record contributes.
    most: u64,
}

/// What one of each counts for, in whole numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weights {
    pub(super) count: f64,
    pub(super) level: f64,
    pub(super) sum: f64,
    pub(super) square: f64,
}

impl Statistics {
    pub(super) fn new(
        columns: Columns,
        classes: Classes,
        norm: Norm,
        options: &NaiveBayesOptions,
    ) -> Result<Self, LearnError> {
        let weight = |x: f64| (x * UNIT).round();
        let weights = Weights {
            count: weight(options.count_weight),
            level: UNIT,
            sum: UNIT,
            square: weight(options.square_weight),
        };
        let (starts, width) = layout(&columns);
        let cells = width.checked_mul(classes.count()).filter(|cells| *cells <= MOST_CELLS);
        if cells.is_none() {
            return Err(LearnError::invalid("the number of cells", width, "at most 2^24 in all"));
        }
        let numbers = columns.as_slice().iter().filter(|column| is_number(column)).count();
        let categories = columns.count() - numbers;
        let (reach, most_of_numbers, rest) = match norm {
            // Σ u^4 <= Σ u^2 as |u| <= 1, so both parts together are within the weights times it.
            Norm::Euclidean => {
                let square = count(numbers) * options.reach * options.reach;
                let both = weights.sum * weights.sum + weights.square * weights.square;
                let rest = weights.count * weights.count + count(categories) * UNIT * UNIT;
                (square.sqrt(), both * square, rest)
            }
            Norm::Sum => {
                let reach = count(numbers) * options.reach;
                let rest = weights.count + count(categories) * UNIT;
                (reach, (weights.sum + weights.square) * reach, rest)
            }
        };
        let whole = |x: f64| u64::try_from(nearest(x.ceil())).unwrap_or(u64::MAX);
        let (most_of_numbers, rest) = (whole(most_of_numbers), whole(rest));
        let view = View { columns, norm, reach };
        let most = most_of_numbers.saturating_add(rest);
        Ok(Self { view, classes, weights, starts, width, most_of_numbers, most })
    }

    pub(super) const fn columns(&self) -> &Columns {
        &self.view.columns
    }

    /// The most that a record contributes: a sum of squares, or a sum of sizes.
    pub(super) const fn most(&self) -> u64 {
        self.most
    }

    /// The sums, class by class.
    pub(super) fn of(&self, examples: &Classified) -> Vec<i64> {
        let mut sums = vec![0_i64; self.width * self.classes.count()];
        let (mut numbers, mut whole) = (Vec::new(), Vec::new());
        for (row, label) in examples.iter() {
            let place = self.classes.place(*label).map(|class| class * self.width);
            let cells = place.and_then(|start| sums.get_mut(start..start + self.width));
            let Some(cells) = cells else { continue };
            self.view.numbers(row, &mut numbers);
            self.whole_numbers(&numbers, &mut whole);
            self.add_record(row, &whole, cells);
        }
        sums
    }

    /// The integers that a row of numbers contributes, (sum, square) for each column.
    ///
    /// They are within the bound by the time they are returned, whatever rounding did before.
    fn whole_numbers(&self, numbers: &[f64], whole: &mut Vec<i64>) {
        whole.clear();
        for u in numbers {
            whole.push(nearest((u * self.weights.sum).trunc()));
            whole.push(nearest((u * u * self.weights.square).trunc()));
        }
        while self.size(whole) > self.most_of_numbers {
            whole.iter_mut().for_each(|x| *x -= x.signum());
        }
    }

    fn size(&self, whole: &[i64]) -> u64 {
        let each = |x: &i64| match self.view.norm {
            Norm::Euclidean => x.unsigned_abs() * x.unsigned_abs(),
            Norm::Sum => x.unsigned_abs(),
        };
        whole.iter().map(each).sum()
    }

    fn add_record(&self, row: &[f64], whole: &[i64], cells: &mut [i64]) {
        add(cells, 0, nearest(self.weights.count));
        let columns = self.columns().as_slice().iter().zip(&self.starts);
        for (((column, start), x), pair) in columns.zip(row).zip(whole.chunks_exact(2)) {
            match (column, pair) {
                (Column::Number(_), [sum, square]) => {
                    add(cells, *start, *sum);
                    add(cells, start + 1, *square);
                }
                (Column::Number(_), _) => {}
                (Column::Category(levels), _) => {
                    if let Some(level) = level(*x, *levels) {
                        add(cells, start + level, nearest(self.weights.level));
                    }
                }
            }
        }
    }
}

fn add(cells: &mut [i64], place: usize, x: i64) {
    if let Some(cell) = cells.get_mut(place) {
        *cell = cell.saturating_add(x);
    }
}

pub(super) const fn is_number(column: &Column) -> bool {
    matches!(column, Column::Number(_))
}

/// Where each column begins, and how many cells there are for a class.
fn layout(columns: &Columns) -> (Vec<usize>, usize) {
    let mut width = 1_usize;
    let mut starts = Vec::with_capacity(columns.count());
    for column in columns.as_slice() {
        starts.push(width);
        width = width.saturating_add(match column {
            Column::Number(_) => 2,
            Column::Category(levels) => usize::try_from(*levels).unwrap_or(usize::MAX),
        });
    }
    (starts, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interval, Matrix};

    fn statistics(norm: Norm, reach: f64) -> Statistics {
        let number = Column::Number(Interval::new(-3.0, 7.0).unwrap());
        let columns = Columns::new(vec![number, Column::Category(3), number, number]).unwrap();
        let options = NaiveBayesOptions { reach, ..NaiveBayesOptions::default() };
        Statistics::new(columns, Classes::new(3).unwrap(), norm, &options).unwrap()
    }

    /// A record adds no more than it may, in the norm that the noise was made for.
    #[test]
    fn a_hostile_record_moves_the_sums_by_no_more_than_declared() {
        let odd = [-3.0, 7.0, 2.0, 0.1, f64::NAN, f64::INFINITY, -1e300, 5e-324, -0.0];
        for norm in [Norm::Euclidean, Norm::Sum] {
            for reach in [0.1, 0.577, 1.0] {
                let statistics = statistics(norm, reach);
                for i in 0..odd.len().pow(3) {
                    let at = |k: u32| odd[i / odd.len().pow(k) % odd.len()];
                    let rows = [[7.0, 1.0, -3.0, 2.0], [at(0), at(1), at(2), at(0)]];
                    let label = u32::try_from(i % 4).unwrap();
                    let both = Classified::new(Matrix::from_rows(&rows), vec![0, label]).unwrap();
                    let one = Classified::new(Matrix::from_rows(&rows[..1]), vec![0]).unwrap();
                    let (a, b) = (statistics.of(&both), statistics.of(&one));
                    let change: Vec<i64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
                    assert!(statistics.size(&change) <= statistics.most());
                    assert_eq!(label == 3, change.iter().all(|x| *x == 0));
                }
            }
        }
    }

    #[test]
    fn the_bound_is_nearly_reached() {
        let statistics = statistics(Norm::Euclidean, 1.0);
        let rows = Matrix::from_rows(&[[7.0, 1.0, -3.0, 7.0]]);
        let sums = statistics.of(&Classified::new(rows, vec![1]).unwrap());
        assert!(statistics.size(&sums) * 1000 > statistics.most() * 999);
    }
}
