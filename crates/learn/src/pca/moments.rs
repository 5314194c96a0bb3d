//! Second moments of bounded rows, with noise.

use faer::Side;
use throng_account::Neighbours;
use throng_mechanism::{MechanismError, Noise, Run};

use crate::math::{count, nearest, number};
use crate::privacy::Gaussian;
use crate::{Bounds, LearnError, Matrix, contribution, exact};

/// Half of the width of a column in whole numbers.
const UNIT: f64 = 512.0;

/// The most columns; a matrix of twice as many does not pay for its noise anyway.
const MOST_COLUMNS: usize = 2048;

/// The number of records, their sum, and the sum of their squares and products: one release.
///
/// A row is put on a grid of integers, each column within ±512 (S), and moved towards the middle until
/// its squared norm is at most B² (`reach`).
///
/// # Guarantee
/// A record adds B² to the first cell; B times its row to the next, a norm of at most B²; and its
/// products to the upper triangle, the sum of whose squares is half of |q|^4 + Σ q_j^4, at most
/// (B⁴ + S²B²)/2. All of it is integer arithmetic.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moments {
    bounds: Bounds,
    /// B², of which B is the root rounded up.
    reach: u64,
    root: u64,
    /// The square of the most that a record adds.
    most: u64,
    noise: Noise,
}

impl Moments {
    /// Rows of at most `reach` times the largest norm.
    pub(crate) fn new(
        bounds: Bounds,
        reach: f64,
        all: &Gaussian,
        share: (u32, u32),
        under: Neighbours,
    ) -> Result<Self, LearnError> {
        if bounds.columns() > MOST_COLUMNS {
            return Err(LearnError::invalid(
                "the number of columns",
                bounds.columns(),
                format!("at most {MOST_COLUMNS} for second moments"),
            ));
        }
        if !(reach > 0.0 && reach <= 1.0) {
            return Err(LearnError::invalid("the reach", reach, "above 0 and at most 1"));
        }
        let square = (count(bounds.columns()) * UNIT * UNIT * reach * reach).max(UNIT * UNIT);
        let whole = |x: f64| u64::try_from(nearest(x.ceil())).unwrap_or(0);
        let (reach, root) = (whole(square), whole(square.sqrt()));
        let unit = whole(UNIT * UNIT);
        let products = (reach * reach + unit * reach).div_ceil(2);
        let most = reach * reach + root * root * reach + products;
        let noise = contribution::gaussian(all, share, most, under)?;
        Ok(Self { bounds, reach, root, most, noise })
    }

    pub(crate) const fn noise(&self) -> &Noise {
        &self.noise
    }

    pub(crate) const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// A row on the grid, within reach.
    fn put(&self, row: &[f64], out: &mut [f64]) {
        for ((out, interval), x) in out.iter_mut().zip(self.bounds.intervals()).zip(row) {
            *out = (interval.symmetric(*x) * UNIT).round_ties_even();
        }
        // Squares of integers, below 2^53: exact.
        let size = |row: &[f64]| row.iter().map(|q| q * q).sum::<f64>();
        let (found, most) = (size(out), number(i64::try_from(self.reach).unwrap_or(0)));
        if found > most {
            let scale = (most / found).sqrt();
            out.iter_mut().for_each(|q| *q = (*q * scale).trunc());
        }
        while size(out) > most {
            out.iter_mut().for_each(|q| *q -= if *q == 0.0 { 0.0 } else { q.signum() });
        }
    }

    /// The cells before noise: the number, the sums, the upper triangle row by row.
    pub(crate) fn sums(&self, rows: &Matrix<f64>) -> Result<Vec<i64>, LearnError> {
        let columns = self.bounds.columns();
        let mut whole = Matrix::filled(rows.rows(), columns, 0.0);
        for (place, row) in rows.iter().enumerate() {
            self.put(row, whole.row_mut(place));
        }
        let products = exact::cross(&whole, &whole, UNIT * UNIT)?;
        let ones = Matrix::filled(rows.rows(), 1, 1.0);
        let first = exact::cross(&ones, &whole, UNIT)?;
        let times = |x: i64, weight: u64| x.saturating_mul(i64::try_from(weight).unwrap_or(0));
        let mut cells = vec![times(i64::try_from(rows.rows()).unwrap_or(i64::MAX), self.reach)];
        cells.extend(first.iter().map(|sum| times(*sum, self.root)));
        for (j, row) in products.chunks_exact(columns).enumerate() {
            cells.extend_from_slice(row.get(j..).unwrap_or(&[]));
        }
        Ok(cells)
    }

    /// The release.
    pub(crate) fn release(
        &self,
        rows: &Matrix<f64>,
        run: &mut Run<'_>,
    ) -> Result<Spectrum, MechanismError> {
        let mut cells = self.sums(rows)?;
        self.noise.add(&mut cells, run)?;
        Ok(self.spectrum(&cells))
    }

    /// Mean and principal axes from noisy cells, in units of half the width of each column.
    fn spectrum(&self, cells: &[i64]) -> Spectrum {
        let columns = self.bounds.columns();
        let cell = |place: usize| cells.get(place).map_or(0.0, |x| number(*x));
        let weight = |x: u64| number(i64::try_from(x).unwrap_or(1));
        let records = (cell(0) / weight(self.reach)).max(1.0);
        let deviation = contribution::deviation(&self.noise);
        let first = weight(self.root) * UNIT * records;
        let mean: Vec<f64> = (0..columns).map(|j| cell(1 + j) / first).collect();
        let mean = shrunk(mean, deviation / first);
        let mut covariance = faer::Mat::<f64>::zeros(columns, columns);
        let mut place = 1 + columns;
        for (i, a) in mean.iter().enumerate() {
            for (j, b) in mean.iter().enumerate().skip(i) {
                let value = cell(place) / (UNIT * UNIT * records) - a * b;
                covariance[(i, j)] = value;
                covariance[(j, i)] = value;
                place += 1;
            }
        }
        let noise = deviation / (UNIT * UNIT * records);
        let total = (0..columns).map(|j| covariance[(j, j)]).sum::<f64>().max(0.0);
        let (axes, mut variances) = principal(&covariance);
        // The largest eigenvalue of a symmetric matrix of nothing but noise.
        let edge = 2.0 * noise * count(columns).sqrt();
        variances.iter_mut().for_each(|variance| *variance = (*variance - edge).max(0.0));
        Spectrum { records, mean, axes, variances, total, noise }
    }
}

/// A mean without the part that noise alone would make of it (James and Stein), within [-1, 1].
fn shrunk(mut mean: Vec<f64>, deviation: f64) -> Vec<f64> {
    let length: f64 = mean.iter().map(|x| x * x).sum();
    let noise = deviation * deviation * count(mean.len());
    let kept = (1.0 - noise / length.max(f64::MIN_POSITIVE)).max(0.0);
    mean.iter_mut().for_each(|x| *x = (*x * kept).clamp(-1.0, 1.0));
    mean
}

/// What is known of a table after a release of its moments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spectrum {
    /// How many records, at least 1.
    pub(crate) records: f64,
    /// Their mean, each column in [-1, 1].
    pub(crate) mean: Vec<f64>,
    /// The principal axes, one in each row, those of the largest variance first.
    pub(crate) axes: Matrix<f64>,
    /// The variances along them, less what noise alone would make them; at least 0.
    pub(crate) variances: Vec<f64>,
    /// The variances of all columns together: noise makes no more of it, on average, and no less.
    pub(crate) total: f64,
    /// The standard deviation of the noise of a variance.
    pub(crate) noise: f64,
}

/// Eigenvectors as rows, and eigenvalues, largest first; the columns themselves if there are none.
fn principal(covariance: &faer::Mat<f64>) -> (Matrix<f64>, Vec<f64>) {
    let columns = covariance.nrows();
    let mut axes = Matrix::filled(columns, columns, 0.0);
    let mut variances = Vec::with_capacity(columns);
    let found = covariance.self_adjoint_eigen(Side::Lower).ok();
    for row in 0..columns {
        // Smallest first there, largest first here.
        let from = columns - 1 - row;
        variances.push(found.as_ref().map_or(covariance[(row, row)], |found| found.S()[from]));
        for (column, place) in axes.row_mut(row).iter_mut().enumerate() {
            let own = if row == column { 1.0 } else { 0.0 };
            *place = found.as_ref().map_or(own, |found| found.U()[(column, from)]);
        }
        fix_sign(axes.row_mut(row));
    }
    (axes, variances)
}

/// An axis has two directions: the one whose largest entry is positive is taken.
fn fix_sign(axis: &mut [f64]) {
    let largest = axis.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    if largest < 0.0 {
        axis.iter_mut().for_each(|x| *x = -*x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Privacy;

    #[test]
    fn a_hostile_row_moves_the_cells_by_no_more_than_declared() {
        let all = Privacy::approximate(1.0, 1e-5).unwrap().gaussian().unwrap();
        let odd = [-3.0, 7.0, 2.0, 1.999, f64::NAN, f64::INFINITY, -1e300, 5e-324];
        for reach in [0.1, 0.5, 0.7, 1.0] {
            let bounds = Bounds::same(4, -3.0, 7.0).unwrap();
            let moments = Moments::new(bounds, reach, &all, (1, 1), Neighbours::AddRemove).unwrap();
            let mut largest = 0;
            for i in 0..odd.len().pow(3) {
                let at = |k: u32| odd[i / odd.len().pow(k) % odd.len()];
                let both =
                    Matrix::from_rows(&[[1.0, 7.0, 0.0, -3.0], [at(0), at(1), at(2), at(0)]]);
                let (a, b) = (moments.sums(&both), moments.sums(&both.select(&[0])));
                let change: Vec<i64> =
                    a.unwrap().iter().zip(&b.unwrap()).map(|(a, b)| a - b).collect();
                largest = largest.max(contribution::square(&change).unwrap());
            }
            assert!(largest <= moments.most && largest * 10 > moments.most * 8);
        }
    }
}
