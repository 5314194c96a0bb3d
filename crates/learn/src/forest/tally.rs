//! What falls into the leaves of random trees.

use throng_mechanism::{MechanismError, Noise, Run};

use super::{Asks, ForestOptions, Seen};
use crate::columns::Columns;
use crate::draws::Draws;
use crate::math::{nearest, number};
use crate::tree::Tree;
use crate::tree::codes::Codes;
use crate::tree::shape::Shape;
use crate::{LearnError, Matrix};

/// One record in whole numbers.
pub(super) const UNIT: f64 = 256.0;

/// The most cells of a release.
const MOST_CELLS: usize = 1 << 24;

/// The most nodes of all trees, if each asks its own question.
const MOST_NODES: usize = 1 << 18;

/// What a leaf knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// How many records of each class.
    Class(usize),
    /// How many records, and the sum of their labels, each in [-1, 1].
    Number,
}

impl Label {
    /// How many cells a leaf has.
    const fn cells(self) -> usize {
        match self {
            Self::Class(classes) => classes,
            Self::Number => 2,
        }
    }

    /// The most that a record adds to its leaf, as a sum of sizes.
    pub(super) const fn sum(self) -> u64 {
        match self {
            Self::Class(_) => 256,
            Self::Number => 2 * 256,
        }
    }

    /// The same as a sum of squares.
    pub(super) const fn square(self) -> u64 {
        256 * self.sum()
    }

    /// What a record adds to its leaf.
    fn add(self, label: f64, cells: &mut [i64]) {
        let unit = nearest(UNIT);
        match self {
            Self::Class(_) => {
                let place = usize::try_from(nearest(label)).ok();
                if let Some(cell) = place.and_then(|place| cells.get_mut(place)) {
                    *cell = cell.saturating_add(unit);
                }
            }
            Self::Number => {
                let label = nearest((label * UNIT).trunc()).clamp(-unit, unit);
                for (cell, part) in cells.iter_mut().zip([unit, label]) {
                    *cell = cell.saturating_add(part);
                }
            }
        }
    }
}

/// How trees are drawn and leaves filled.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tally {
    columns: Columns,
    label: Label,
    options: ForestOptions,
}

impl Tally {
    pub(super) fn new(
        columns: Columns,
        label: Label,
        options: ForestOptions,
    ) -> Result<Self, LearnError> {
        let trees = usize::try_from(options.trees).unwrap_or(usize::MAX);
        let cells = trees.saturating_mul(1 << options.depth).saturating_mul(label.cells());
        if cells > MOST_CELLS {
            return Err(LearnError::invalid("the number of cells", cells, "at most 2^24"));
        }
        let nodes = trees.saturating_mul(1 << options.depth);
        if options.asks == Asks::Node && nodes > MOST_NODES {
            return Err(LearnError::invalid("the number of nodes", nodes, "at most 2^18"));
        }
        Ok(Self { columns, label, options })
    }

    pub(super) const fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Trees with noisy leaves.
    pub(super) fn grown(
        &self,
        features: &Matrix<f64>,
        labels: &[Option<f64>],
        noise: &Noise,
        run: &mut Run<'_>,
    ) -> Result<Vec<Tree>, MechanismError> {
        let mut draws = Draws::new(run.entropy());
        let shapes = (0..self.options.trees)
            .map(|_| self.shape(&mut draws))
            .collect::<Result<Vec<_>, _>>()?;
        let owners = self.owners(labels.len(), &mut draws)?;
        let mut cells = self.cells(&shapes, &Codes::of(&self.columns, features), labels, &owners);
        noise.add(&mut cells, run)?;
        let width = self.label.cells();
        let tables = cells.chunks_exact(width << self.options.depth);
        let trees = shapes.into_iter().zip(tables).map(|(shape, table)| {
            let values = table.iter().map(|cell| number(*cell) / UNIT).collect();
            let values = Matrix::new(shape.leaves(), width, values);
            Tree { values: values.unwrap_or_else(|_| Matrix::filled(1, width, 0.0)), shape }
        });
        Ok(trees.collect())
    }

    /// A tree that asks about columns drawn at random.
    fn shape(&self, draws: &mut Draws<'_>) -> Result<Shape, MechanismError> {
        let (columns, depth) = (self.columns.count(), self.options.depth);
        match self.options.asks {
            Asks::Level => {
                let asked = (0..depth).map(|_| draws.below(columns));
                let asked = asked.collect::<Result<Vec<_>, _>>()?;
                Shape::draw(&self.columns, &asked, 2, draws)
            }
            Asks::Node => Shape::draw_nodes(&self.columns, depth, draws),
        }
    }

    /// The tree that each record is in, if it is in one only.
    fn owners(&self, rows: usize, draws: &mut Draws<'_>) -> Result<Vec<usize>, MechanismError> {
        let trees = usize::try_from(self.options.trees).unwrap_or(1);
        match self.options.seen {
            Seen::All => Ok(Vec::new()),
            Seen::Disjoint => (0..rows).map(|_| draws.below(trees)).collect(),
        }
    }

    /// The cells before noise, tree by tree, leaf by leaf.
    fn cells(
        &self,
        shapes: &[Shape],
        codes: &Codes,
        labels: &[Option<f64>],
        owners: &[usize],
    ) -> Vec<i64> {
        let width = self.label.cells();
        let each = width << self.options.depth;
        let mut cells = vec![0_i64; each * shapes.len()];
        let mut leaves = Vec::new();
        for (tree, (shape, cells)) in shapes.iter().zip(cells.chunks_exact_mut(each)).enumerate() {
            shape.leaves_of(codes, &mut leaves);
            for (record, (leaf, label)) in leaves.iter().zip(labels).enumerate() {
                let elsewhere = owners.get(record).is_some_and(|owner| *owner != tree);
                let Some(label) = label.filter(|_| !elsewhere) else { continue };
                let start = usize::from(*leaf) * width;
                self.label.add(label, cells.get_mut(start..start + width).unwrap_or(&mut []));
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use throng_sample::SeededEntropy;

    use super::*;
    use crate::columns::Column;
    use crate::{Interval, contribution};

    /// Removing a record changes the cells by no more than the noise was made for.
    #[test]
    fn a_hostile_record_moves_the_cells_by_no_more_than_declared() {
        let number = Column::Number(Interval::new(-3.0, 7.0).unwrap());
        let columns = Columns::new(vec![number, Column::Category(3)]).unwrap();
        let odd = [-3.0, 7.0, 2.0, f64::NAN, f64::INFINITY, -1e300];
        for (label, seen, asks) in [Label::Class(3), Label::Number].into_iter().flat_map(|label| {
            [(label, Seen::All, Asks::Level), (label, Seen::Disjoint, Asks::Node)]
        }) {
            let options = ForestOptions { trees: 7, depth: 3, seen, asks };
            let tally = Tally::new(columns.clone(), label, options.clone()).unwrap();
            let mut entropy = SeededEntropy::new(5);
            let mut draws = Draws::new(&mut entropy);
            let shapes: Vec<Shape> = (0..7).map(|_| tally.shape(&mut draws).unwrap()).collect();
            let owners = tally.owners(2, &mut draws).unwrap();
            for (a, b) in odd.iter().flat_map(|a| odd.map(|b| (*a, b))) {
                let rows = Matrix::from_rows(&[[1.0, 1.0], [a, b]]);
                let count = |rows: &Matrix<f64>, labels: &[Option<f64>]| {
                    tally.cells(&shapes, &Codes::of(&columns, rows), labels, &owners)
                };
                let both = count(&rows, &[Some(1.0), Some(-0.7)]);
                let one = count(&rows.select(&[0]), &[Some(1.0)]);
                let change: Vec<i64> = both.iter().zip(&one).map(|(a, b)| a - b).collect();
                let times = u64::from(options.touched());
                assert!(contribution::square(&change).unwrap() <= times * label.square());
                let sum: u64 = change.iter().map(|x| x.unsigned_abs()).sum();
                assert!(sum <= times * label.sum());
            }
        }
    }
}
