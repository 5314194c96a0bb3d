//! Records as a network sees them: on a grid between their bounds.

use crate::bounds::Bounds;
use crate::{Examples, Interval, Matrix};

use super::chunk::Chunk;
use super::float::wide;
use super::goal::{Goal, Truth};
use super::grid::INPUT;

/// Steps between the bounds of a column.
const STEPS: f64 = 64.0;

/// The records whose label says something, one byte for each number: 0 at the lower bound, 64 at the
/// upper.
#[derive(Debug)]
pub(super) struct Records {
    columns: usize,
    values: Vec<u8>,
    truths: Vec<Truth>,
    /// The square of the norm of each record, in steps.
    squares: Vec<u64>,
}

impl Records {
    /// Those of a table with as many columns as have bounds.
    pub(super) fn of<G: Goal>(examples: &Examples<G::Label>, bounds: &Bounds, goal: G) -> Self {
        let columns = bounds.columns();
        let known = examples.labels().iter().filter(|label| goal.truth(label).is_some());
        let mut values = Vec::with_capacity(known.count().saturating_mul(columns));
        let mut truths = Vec::new();
        let mut grid = Steps::new(bounds);
        for (row, label) in examples.iter() {
            if let Some(truth) = goal.truth(label) {
                truths.push(truth);
                values.extend_from_slice(grid.of(row));
            }
        }
        Self { columns, squares: squares(&values, columns), values, truths }
    }

    /// Rows without a label.
    pub(super) fn unlabelled(features: &Matrix<f64>, bounds: &Bounds) -> Self {
        let mut values = Vec::with_capacity(features.values().len());
        let mut grid = Steps::new(bounds);
        features.iter().for_each(|row| values.extend_from_slice(grid.of(row)));
        let (columns, truths) = (bounds.columns(), vec![Truth::Class(0); features.rows()]);
        Self { columns, values, truths, squares: Vec::new() }
    }

    /// How many.
    pub(super) const fn len(&self) -> usize {
        self.truths.len()
    }

    /// Puts some of them into a chunk.
    pub(super) fn load(&self, places: &[usize], chunk: &mut Chunk) {
        let Some(values) = chunk.values.first_mut() else { return };
        let mut rows = values.chunks_exact_mut(self.columns);
        chunk.count = 0;
        chunk.squares.clear();
        for (place, row) in places.iter().zip(&mut rows) {
            let start = place * self.columns;
            let values = &self.values[start..start + self.columns];
            wide!({
                for (x, steps) in row.iter_mut().zip(values) {
                    *x = f32::from(*steps) * (1.0 / INPUT);
                }
            });
            chunk.squares.push(self.squares.get(*place).copied().unwrap_or(u64::MAX));
            chunk.count += 1;
        }
    }

    /// What their labels say.
    pub(super) fn truths(&self, places: &[usize]) -> impl Iterator<Item = Truth> {
        places.iter().map(|place| self.truths[*place])
    }
}

/// The grid between bounds.
struct Steps {
    /// For each column: lower and upper end, width and middle.
    ends: [Vec<f64>; 4],
    row: Vec<u8>,
}

impl Steps {
    fn new(bounds: &Bounds) -> Self {
        let each = |end: fn(&Interval) -> f64| bounds.intervals().iter().map(end).collect();
        Self {
            ends: [
                each(|interval| interval.lower()),
                each(|interval| interval.upper()),
                each(|interval| interval.width()),
                each(|interval| interval.clamp(f64::NAN)),
            ],
            row: vec![0; bounds.columns()],
        }
    }

    /// The steps of a row: the nearest (even if halfway) to the way through each interval, which is
    /// (x - lower)/(upper - lower) for x clamped to it, as [`Interval::fraction`] has it; that is at most 1, as
    /// rounding is monotone. A whole number that is added to 1.5 · 2^52 stands in the last bits.
    fn of(&mut self, row: &[f64]) -> &[u8] {
        const SHIFT: f64 = 6_755_399_441_055_744.0;
        let [lower, upper, width, middle] = &self.ends;
        let ends = lower.iter().zip(upper).zip(width.iter().zip(middle));
        let steps = self.row.iter_mut().zip(row).zip(ends);
        wide!({
            for ((step, x), ((lower, upper), (width, middle))) in steps {
                let x = if x.is_nan() { *middle } else { *x };
                let x = if x > *lower { x } else { *lower };
                let x = if x < *upper { x } else { *upper };
                let way = ((x - lower) / width) * STEPS;
                #[expect(clippy::cast_possible_truncation, reason = "the last bits are meant")]
                let whole = (way + SHIFT).to_bits() as u8;
                *step = whole;
            }
        });
        &self.row
    }
}

fn squares(values: &[u8], columns: usize) -> Vec<u64> {
    let square = |row: &[u8]| row.iter().map(|x| u64::from(*x) * u64::from(*x)).sum();
    values.chunks_exact(columns).map(square).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::nearest;

    #[test]
    fn steps_are_the_nearest_to_the_way_through_the_bounds() {
        let ends = [(0.0, 1.0), (-3.0, 5.0), (1e-300, 2e-300), (-1e300, 1e300), (0.1, 0.7)];
        let bounds = Bounds::new(&ends).unwrap();
        let hostile = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e-320, 0.3, 4.99];
        let mut values = hostile.to_vec();
        for (lower, upper) in ends {
            values
                .extend((0..=128).map(|half| lower + (upper - lower) * (f64::from(half) / 128.0)));
        }
        let mut grid = Steps::new(&bounds);
        for x in values {
            let found = grid.of(&[x; 5]).to_vec();
            for (step, interval) in found.iter().zip(bounds.intervals()) {
                assert_eq!(i64::from(*step), nearest(interval.fraction(x) * STEPS), "{x}");
            }
        }
    }
}
