//! What is bought about the features before training: how many records there are, the mean, and
//! how paths and places vary.

use faer::{Accum, Mat, MatMut, MatRef, Par};
use throng_account::MechanismSpec;
use throng_mechanism::{Grid, MechanismError, Noise, Run};
use throng_numeric::Rational;

use super::record::MOST;
use crate::LearnError;
use crate::math::{nearest, number};
use crate::privacy::Gaussian;

/// A table of n records with the same places and paths each, as integers.
#[derive(Debug)]
pub(super) struct Table<'a> {
    pub(super) steps: &'a [i16],
    pub(super) places: usize,
    pub(super) paths: usize,
}

/// Noise for all four.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moments {
    count: Noise,
    mean: Noise,
    second: Noise,
    /// The standard deviation of the noise on second moments, in steps.
    spread: f64,
}

/// What is known: in units of the features, not of the grid.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) records: f64,
    /// places × paths.
    pub(super) mean: Vec<f64>,
    /// Σ over places of (x - mean)(x - mean)', paths × paths; and over paths, places × places.
    pub(super) paths: Mat<f64>,
    pub(super) places: Mat<f64>,
    /// The standard deviation of the noise in an entry of these.
    pub(super) spread: f64,
}

impl Moments {
    /// Each of four releases has a share of part/whole.
    ///
    /// # Guarantee
    /// A record adds 1 to the count, a vector of norm at most 2^15 to the sum, and to each table of second
    /// moments Σ_p x_p x_p', whose norm is at most Σ_p |x_p|² <= 2^30; half of it (it is symmetric) is released. `times`
    /// is 2 if a record can be replaced.
    pub(super) fn new(
        gaussian: &Gaussian,
        share: (u32, u32),
        times: u32,
    ) -> Result<Self, LearnError> {
        let noise = |distance: i64| {
            let distance = Rational::from(distance) * Rational::from(times);
            gaussian.noise(share, &distance, Grid::WHOLE)
        };
        // A count on the whole numbers would be coarser than its noise if epsilon is large.
        let one = Rational::from(times);
        let count = gaussian.noise(share, &one, Grid::new(-20)?)?;
        let multiplier = gaussian.multiplier(share.0, share.1)?.to_f64_nearest();
        let spread = multiplier * number(MOST) * f64::from(times);
        Ok(Self { count, mean: noise(1 << 15)?, second: noise(MOST)?, spread })
    }

    pub(super) fn specs(&self) -> Vec<MechanismSpec> {
        [&self.count, &self.mean, &self.second, &self.second]
            .map(|noise| noise.spec().clone())
            .to_vec()
    }

    pub(super) fn buy(
        &self,
        table: &Table<'_>,
        run: &mut Run<'_>,
    ) -> Result<Known, MechanismError> {
        let Sums { records, mut mean, mut paths, mut places } = Sums::of(table);
        let mut records = [records << 20];
        self.count.add(&mut records, run)?;
        self.mean.add(&mut mean, run)?;
        self.second.add(&mut paths, run)?;
        self.second.add(&mut places, run)?;
        let records = (number(records[0]) / f64::from(1 << 20)).max(1.0);
        let unit = f64::from(1 << 15) * records;
        let mean: Vec<f64> = mean.iter().map(|sum| number(*sum) / unit).collect();
        let means = MatRef::from_row_major_slice(&mean, table.places, table.paths);
        let unit = unit * f64::from(1 << 15);
        Ok(Known {
            records,
            paths: symmetric(&paths, table.paths, unit) - means.transpose() * means,
            places: symmetric(&places, table.places, unit) - means * means.transpose(),
            spread: self.spread / unit,
            mean,
        })
    }
}

/// Exact sums; second moments as upper triangles, row by row.
#[derive(Debug, PartialEq)]
pub(super) struct Sums {
    pub(super) records: i64,
    pub(super) mean: Vec<i64>,
    pub(super) paths: Vec<i64>,
    pub(super) places: Vec<i64>,
}

impl Sums {
    /// Entries of second moments are at most 2^30 for each record: 2^16 records stay below 2^53,
    /// so products in double precision are exact.
    pub(super) fn of(table: &Table<'_>) -> Self {
        let (places, paths) = (table.places, table.paths);
        let width = places * paths;
        let mut sums = Self {
            records: i64::try_from(table.steps.len() / width.max(1)).unwrap_or(i64::MAX),
            mean: vec![0; width],
            paths: vec![0; paths * (paths + 1) / 2],
            places: vec![0; places * (places + 1) / 2],
        };
        let mut one = vec![0.0; width];
        for block in table.steps.chunks(width.max(1) << 16) {
            let mut by_path = Mat::<f64>::zeros(paths, paths);
            let mut by_place = Mat::<f64>::zeros(places, places);
            for record in block.chunks(width) {
                for ((x, steps), sum) in one.iter_mut().zip(record).zip(&mut sums.mean) {
                    *x = f64::from(*steps);
                    *sum += i64::from(*steps);
                }
                let x = MatRef::from_row_major_slice(&one, places, paths);
                add_product(by_path.as_mut(), x.transpose(), x);
                add_product(by_place.as_mut(), x, x.transpose());
            }
            add_triangle(&mut sums.paths, &by_path);
            add_triangle(&mut sums.places, &by_place);
        }
        sums
    }
}

fn add_product(out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    faer::linalg::matmul::matmul(out, Accum::Add, a, b, 1.0, Par::Seq);
}

fn triangle(side: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..side).flat_map(move |row| (row..side).map(move |column| (row, column)))
}

fn add_triangle(sums: &mut [i64], block: &Mat<f64>) {
    for (sum, (row, column)) in sums.iter_mut().zip(triangle(block.nrows())) {
        *sum = sum.saturating_add(nearest(block[(row, column)]));
    }
}

fn symmetric(sums: &[i64], side: usize, unit: f64) -> Mat<f64> {
    let mut out = Mat::zeros(side, side);
    for (sum, (row, column)) in sums.iter().zip(triangle(side)) {
        out[(row, column)] = number(*sum) / unit;
        out[(column, row)] = number(*sum) / unit;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::record::square;

    /// The first record is the one that comes and goes.
    fn steps(places: usize, paths: usize, records: usize, turn: usize) -> Vec<i16> {
        let number = |k: usize| i16::try_from((k * k * 31 + turn * k * 7) % 4001).unwrap() - 2000;
        (0..places * paths * records).map(number).collect()
    }

    #[test]
    fn one_record_moves_each_sum_by_no_more_than_declared() {
        for (places, paths, turn) in [(2, 5, 1), (4, 3, 2), (1, 1, 3), (7, 8, 4)] {
            let all = steps(places, paths, 6, turn);
            let table = |steps| Sums::of(&Table { steps, places, paths });
            let (with, without) = (table(&all), table(&all[places * paths..]));
            let record = square(&all[..places * paths]);
            let distance = |a: &[i64], b: &[i64]| -> i128 {
                a.iter().zip(b).map(|(a, b)| i128::from(a - b) * i128::from(a - b)).sum()
            };
            assert_eq!(with.records - without.records, 1);
            assert_eq!(distance(&with.mean, &without.mean), i128::from(record));
            let most = i128::from(record) * i128::from(record);
            assert!(distance(&with.paths, &without.paths) <= most);
            assert!(distance(&with.places, &without.places) <= most);
            // The bound is met by a record of one place or one path.
            assert!(places * paths > 1 || distance(&with.paths, &without.paths) == most);
        }
    }

    #[test]
    fn sums_are_those_of_the_definition() {
        let (places, paths) = (3, 4);
        let all = steps(places, paths, 5, 9);
        let sums = Sums::of(&Table { steps: &all, places, paths });
        let entry = |record: usize, place: usize, path: usize| {
            i64::from(all[(record * places + place) * paths + path])
        };
        let mut next = sums.paths.iter();
        for (a, b) in triangle(paths) {
            let terms = (0..5).flat_map(|r| (0..places).map(move |p| (r, p)));
            let sum: i64 = terms.map(|(r, p)| entry(r, p, a) * entry(r, p, b)).sum();
            assert_eq!(next.next(), Some(&sum));
        }
        let empty = Sums::of(&Table { steps: &[], places, paths });
        assert_eq!((empty.records, empty.mean), (0, vec![0; 12]));
    }
}
