//! Cells with noisy counts that resemble the data.

use throng_mechanism::{MechanismError, Noise, Run};

use super::KMeansOptions;
use super::model::nearest;
use crate::error::unless_given_up;
use crate::math::{count, number};
use crate::pca::moments::Spectrum;
use crate::{Matrix, contribution};

/// At most so many principal axes are cut.
const MOST_AXES: usize = 12;

/// How many standard deviations from the mean the outermost cells begin to be cut.
const EXTENT: f64 = 3.0;

/// Weighted points along the principal axes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sketch {
    pub(super) points: Matrix<f64>,
    pub(super) weights: Vec<f64>,
}

impl Sketch {
    /// The weighted sum of squared distances from the nearest centre.
    pub(super) fn cost(&self, centres: &Matrix<f64>) -> f64 {
        let each = |(point, weight)| nearest(point, centres).1 * weight;
        self.points.iter().zip(&self.weights).map(each).sum()
    }

    /// The root mean squared distance of points of the data from the nearest centre, about: that of
    /// the sketch, and what the data varies beyond it.
    pub(super) fn distance(&self, centres: &Matrix<f64>, spectrum: &Spectrum) -> f64 {
        let total = self.weights.iter().sum::<f64>().max(1.0);
        let middle = Matrix::filled(1, self.points.columns(), 0.0);
        let beyond = (spectrum.total - self.cost(&middle) / total).max(0.0);
        let square = self.cost(centres) / total + beyond;
        square.clamp(1e-8, 4.0 * count(spectrum.mean.len())).sqrt()
    }

    /// Centres on the axes, back in the space of the data and within its bounds.
    pub(super) fn place(&self, centres: &Matrix<f64>, spectrum: &Spectrum) -> Matrix<f64> {
        let columns = spectrum.mean.len();
        let mut placed = Matrix::filled(centres.rows(), columns, 0.0);
        for (row, centre) in centres.iter().enumerate() {
            let out = placed.row_mut(row);
            out.copy_from_slice(&spectrum.mean);
            for (length, axis) in centre.iter().zip(spectrum.axes.iter()) {
                out.iter_mut().zip(axis).for_each(|(x, a)| *x += length * a);
            }
            out.iter_mut().for_each(|x| *x = x.clamp(-1.0, 1.0));
        }
        placed
    }
}

/// A box along the axes, with the noisy number of points in it.
#[derive(Debug, Clone)]
struct Cell {
    lower: Vec<f64>,
    upper: Vec<f64>,
    weight: f64,
}

/// A cell that is cut: in which directions, where, and which is the first of the cells it becomes.
#[derive(Debug, Clone)]
struct Cut {
    axes: Vec<(usize, f64)>,
    first: usize,
}

/// The sketch, level by level.
pub(super) fn of(
    points: &Matrix<f64>,
    spectrum: &Spectrum,
    options: &KMeansOptions,
    noise: &Noise,
    run: &mut Run<'_>,
) -> Result<Sketch, MechanismError> {
    let axes = spectrum.mean.len().min(MOST_AXES);
    let projected = project(points, spectrum, axes);
    let deviation = contribution::deviation(noise) / number(POINT);
    let mut level = vec![whole(spectrum, axes)];
    let mut homes = vec![0_usize; points.rows()];
    let mut leaves: Vec<Cell> = Vec::new();
    for depth in 0..options.levels {
        unless_given_up()?;
        let least = if depth == 0 { f64::NEG_INFINITY } else { THRESHOLD * deviation };
        let (cuts, next) = cut(&level, options.cuts, least, &mut leaves);
        let mut counts = counts(&projected, &mut homes, &cuts, next.len());
        noise.add(&mut counts, run)?;
        level = weighed(next, &cuts, &level, &counts, options.cuts);
    }
    leaves.append(&mut level);
    leaves.retain(|cell| cell.weight > KEPT * deviation);
    Ok(sketch(&leaves, axes))
}

/// What a point adds to the count of a cell, so that noise is fine enough at any epsilon.
const POINT: i64 = 256;

/// The square of it.
pub(super) const MOST: u64 = 256 * 256;

/// A cell with so many deviations of the noise is cut again.
const THRESHOLD: f64 = 4.0;

/// A cell with fewer deviations of the noise is taken to be empty.
const KEPT: f64 = 1.0;

fn project(points: &Matrix<f64>, spectrum: &Spectrum, axes: usize) -> Matrix<f64> {
    let mut projected = Matrix::filled(points.rows(), axes, 0.0);
    for (row, point) in points.iter().enumerate() {
        for (out, axis) in projected.row_mut(row).iter_mut().zip(spectrum.axes.iter()) {
            let from_mean = point.iter().zip(&spectrum.mean).map(|(x, m)| x - m);
            *out = from_mean.zip(axis).map(|(x, a)| x * a).sum();
        }
    }
    projected
}

/// The cell of everything: its walls are where most points are; those beyond count as in it. Of an axis
/// that noise hides, no more is known than that its variance may be as large as the noise.
fn whole(spectrum: &Spectrum, axes: usize) -> Cell {
    let least = spectrum.noise.clamp(1e-6, 1.0);
    let extent = |variance: &f64| EXTENT * variance.clamp(least, 1.0).sqrt();
    let upper: Vec<f64> = spectrum.variances.iter().take(axes).map(extent).collect();
    Cell { lower: upper.iter().map(|x| -x).collect(), upper, weight: spectrum.records }
}

/// Cuts the cells that are heavy enough in half, several times along what is longest; the others are
/// leaves.
fn cut(
    level: &[Cell],
    cuts: u32,
    least: f64,
    leaves: &mut Vec<Cell>,
) -> (Vec<Option<Cut>>, Vec<Cell>) {
    let mut next: Vec<Cell> = Vec::new();
    let mut made = Vec::with_capacity(level.len());
    for cell in level {
        if cell.weight < least {
            leaves.push(cell.clone());
            made.push(None);
            continue;
        }
        let first = next.len();
        let mut parts = vec![cell.clone()];
        let mut axes = Vec::new();
        for _ in 0..cuts {
            let Some((axis, middle)) = parts.first().and_then(longest) else { break };
            axes.push((axis, middle));
            parts = parts.into_iter().flat_map(|part| halves(part, axis, middle)).collect();
        }
        next.append(&mut parts);
        made.push(Some(Cut { axes, first }));
    }
    (made, next)
}

/// The longest side of a cell and its middle.
fn longest(cell: &Cell) -> Option<(usize, f64)> {
    let sides = cell.lower.iter().zip(&cell.upper).enumerate();
    sides
        .map(|(axis, (a, b))| (axis, b - a, f64::midpoint(*a, *b)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(axis, _, middle)| (axis, middle))
}

fn halves(cell: Cell, axis: usize, middle: f64) -> [Cell; 2] {
    let (mut low, mut high) = (cell.clone(), cell);
    if let (Some(end), Some(start)) = (low.upper.get_mut(axis), high.lower.get_mut(axis)) {
        (*end, *start) = (middle, middle);
    }
    [low, high]
}

/// The counts of new cells, before noise; points go where they are from now on.
fn counts(
    points: &Matrix<f64>,
    homes: &mut [usize],
    cuts: &[Option<Cut>],
    cells: usize,
) -> Vec<i64> {
    let mut counts = vec![0_i64; cells];
    for (home, point) in homes.iter_mut().zip(points.iter()) {
        *home = descend(*home, cuts, point);
        if let Some(cell) = counts.get_mut(*home) {
            *cell = cell.saturating_add(POINT);
        }
    }
    counts
}

/// Where a point goes from its cell; points in leaves are nowhere.
fn descend(home: usize, cuts: &[Option<Cut>], point: &[f64]) -> usize {
    let Some(Some(cut)) = cuts.get(home) else { return usize::MAX };
    let mut part = 0;
    for (axis, middle) in &cut.axes {
        part = 2 * part + usize::from(point.get(*axis).is_some_and(|x| x >= middle));
    }
    cut.first + part
}

/// New cells with their noisy counts, made to agree better with the cell that they are parts of.
fn weighed(
    mut next: Vec<Cell>,
    cuts: &[Option<Cut>],
    level: &[Cell],
    counts: &[i64],
    each: u32,
) -> Vec<Cell> {
    for (cell, count) in next.iter_mut().zip(counts) {
        cell.weight = number(*count) / number(POINT);
    }
    for (cut, whole) in cuts.iter().zip(level).filter_map(|(cut, cell)| Some((cut.as_ref()?, cell)))
    {
        let parts = next.get_mut(cut.first..cut.first + (1 << each)).unwrap_or(&mut []);
        let (sum, parts_count) =
            (parts.iter().map(|part| part.weight).sum::<f64>(), count(parts.len()));
        // The sum of the parts has their number times the variance of the whole.
        let missing = (whole.weight - sum) / (parts_count + 1.0);
        parts.iter_mut().for_each(|part| part.weight += missing);
    }
    next
}

fn sketch(cells: &[Cell], axes: usize) -> Sketch {
    let mut points = Vec::with_capacity(cells.len() * axes);
    let mut weights = Vec::with_capacity(cells.len());
    for cell in cells {
        points.extend(cell.lower.iter().zip(&cell.upper).map(|(a, b)| f64::midpoint(*a, *b)));
        weights.push(cell.weight);
    }
    if weights.is_empty() {
        return Sketch { points: Matrix::filled(1, axes, 0.0), weights: vec![1.0] };
    }
    let rows = weights.len();
    let points =
        Matrix::new(rows, axes, points).unwrap_or_else(|_| Matrix::filled(rows, axes, 0.0));
    Sketch { points, weights }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point is in one new cell or in none.
    #[test]
    fn one_point_more_is_one_count_more() {
        let whole = Cell { lower: vec![-1.0, -3.0], upper: vec![1.0, 3.0], weight: 9.0 };
        let mut leaves = Vec::new();
        let (first, next) = cut(&[whole], 2, f64::NEG_INFINITY, &mut leaves);
        let odd = [0.0, -0.5, 7.0, -1e300, f64::INFINITY, f64::NAN];
        for (a, b) in odd.iter().flat_map(|a| odd.map(|b| (*a, b))) {
            let points = Matrix::from_rows(&[[0.1, 0.2], [a, b]]);
            let mut homes = vec![0; 2];
            let both = counts(&points, &mut homes, &first, next.len());
            let one = counts(&points, &mut [0], &first, next.len());
            let change: Vec<i64> = both.iter().zip(&one).map(|(a, b)| a - b).collect();
            assert_eq!(contribution::square(&change), Some(MOST));
            // Nothing is cut any more: nobody is counted.
            let (none, _) = cut(&next, 2, f64::INFINITY, &mut leaves);
            assert_eq!(counts(&points, &mut homes, &none, 4), [0; 4]);
        }
    }
}
