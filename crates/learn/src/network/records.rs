//! Records as a network sees them: on a grid between their bounds.

use crate::bounds::Bounds;
use crate::math::nearest;
use crate::{Examples, Matrix};

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
        for (row, label) in examples.iter() {
            if let Some(truth) = goal.truth(label) {
                truths.push(truth);
                values.extend(steps(row, bounds));
            }
        }
        Self { columns, squares: squares(&values, columns), values, truths }
    }

    /// Rows without a label.
    pub(super) fn unlabelled(features: &Matrix<f64>, bounds: &Bounds) -> Self {
        let values = features.iter().flat_map(|row| steps(row, bounds)).collect();
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
            wide(|| {
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

fn steps(row: &[f64], bounds: &Bounds) -> impl Iterator<Item = u8> {
    let step = |(x, interval): (&f64, &crate::Interval)| {
        u8::try_from(nearest(interval.fraction(*x) * STEPS)).unwrap_or(0)
    };
    row.iter().zip(bounds.intervals()).map(step)
}

fn squares(values: &[u8], columns: usize) -> Vec<u64> {
    let square = |row: &[u8]| row.iter().map(|x| u64::from(*x) * u64::from(*x)).sum();
    values.chunks_exact(columns).map(square).collect()
}
