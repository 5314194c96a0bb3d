//! A step of k-means with noise.

use throng_mechanism::{MechanismError, Noise, Run};

use super::model::nearest;
use crate::error::unless_given_up;
use crate::math::{count, nearest as whole, number};
use crate::{Matrix, contribution};

/// The radius in whole numbers.
const RADIUS: f64 = 4096.0;

/// What a point adds to the count of its cluster.
const COUNT: i64 = 2048;

/// The square of the most that a point adds: its count, and where it is from its centre, no further
/// than the radius.
pub(super) const MOST: u64 = 2048 * 2048 + 4096 * 4096;

/// The cells before noise: for each cluster, the count and the sum of the ways from its centre.
pub(super) fn sums(points: &Matrix<f64>, centres: &Matrix<f64>, radius: f64) -> Vec<i64> {
    let width = centres.columns() + 1;
    let mut cells = vec![0_i64; centres.rows() * width];
    let mut way = vec![0_i64; width];
    for point in points.iter() {
        let (cluster, square) = nearest(point, centres);
        contribute(point, centres.row(cluster), square, radius, &mut way);
        let own = cells.get_mut(cluster * width..).unwrap_or(&mut []);
        own.iter_mut().zip(&way).for_each(|(cell, x)| *cell = cell.saturating_add(*x));
    }
    cells
}

/// The integers that a point adds to its cluster; within [`MOST`] whatever rounding did.
fn contribute(point: &[f64], centre: &[f64], square: f64, radius: f64, way: &mut [i64]) {
    let scale = RADIUS / square.sqrt().max(radius);
    let Some((first, rest)) = way.split_first_mut() else { return };
    *first = COUNT;
    for ((place, x), c) in rest.iter_mut().zip(point).zip(centre) {
        *place = whole(((x - c) * scale).clamp(-RADIUS, RADIUS).trunc());
    }
    while contribution::square(way).is_none_or(|square| square > MOST) {
        way.iter_mut().for_each(|x| *x -= x.signum() * (1 + x.abs() / 1024));
    }
}

/// Moves each centre to the noisy mean of its points, as far as that is not noise.
///
/// First all centres move together, by the mean of the ways of all points, of which noise hides little;
/// then each by what is left of its own.
pub(super) fn step(
    points: &Matrix<f64>,
    centres: &mut Matrix<f64>,
    radius: f64,
    noise: &Noise,
    run: &mut Run<'_>,
) -> Result<(), MechanismError> {
    unless_given_up()?;
    let mut cells = sums(points, centres, radius);
    noise.add(&mut cells, run)?;
    let deviation = contribution::deviation(noise) / RADIUS;
    let clusters: Vec<Cluster> = cells
        .chunks_exact(centres.columns() + 1)
        .map(|cells| Cluster::of(cells, deviation))
        .collect();
    let all = Cluster::all(&clusters, centres.columns());
    let shift = all.mean(deviation * count(clusters.len()).sqrt());
    for (cluster, own) in clusters.iter().enumerate() {
        let left = own.less(&shift);
        let ways = shift.iter().zip(left.mean(deviation)).map(|(shift, own)| shift + own);
        for (x, way) in centres.row_mut(cluster).iter_mut().zip(ways) {
            *x = (*x + way * radius).clamp(-1.0, 1.0);
        }
    }
    Ok(())
}

/// About how many points a cluster has, and the sum of the ways from its centre, in radii.
struct Cluster {
    size: f64,
    sum: Vec<f64>,
}

impl Cluster {
    /// From noisy cells; a size below its noise is taken for as much.
    fn of(cells: &[i64], deviation: f64) -> Self {
        let (size, sum) = cells.split_first().map_or((0, &[][..]), |(size, sum)| (*size, sum));
        let least = deviation * RADIUS / number(COUNT);
        let size = (number(size) / number(COUNT)).max(least).max(1.0);
        Self { size, sum: sum.iter().map(|x| number(*x) / RADIUS).collect() }
    }

    /// All of them as one.
    fn all(clusters: &[Self], columns: usize) -> Self {
        let mut all = Self { size: 0.0, sum: vec![0.0; columns] };
        for cluster in clusters {
            all.size += cluster.size;
            all.sum.iter_mut().zip(&cluster.sum).for_each(|(sum, x)| *sum += x);
        }
        all
    }

    /// The same counted from where all points are on average.
    fn less(&self, shift: &[f64]) -> Self {
        let sum = self.sum.iter().zip(shift).map(|(x, shift)| x - self.size * shift).collect();
        Self { size: self.size, sum }
    }

    /// The mean way, without the part that noise alone would make of it (James and Stein): where there are
    /// few points there is no way.
    fn mean(&self, deviation: f64) -> Vec<f64> {
        let length: f64 = self.sum.iter().map(|x| x * x).sum();
        let noise = deviation * deviation * count(self.sum.len());
        let kept = (1.0 - noise / length.max(f64::MIN_POSITIVE)).max(0.0);
        self.sum.iter().map(|x| kept * x / self.size.max(1.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_point_moves_the_sums_by_no_more_than_declared() {
        let centres = Matrix::from_rows(&[[0.5, 0.5, -1.0], [-1.0, 1.0, 1.0]]);
        let odd = [0.0, -1.0, 1.0, 0.123_456_789, -1e-300];
        for radius in [1e-9, 0.3, 10.0] {
            let mut largest = 0;
            for i in 0..odd.len().pow(3) {
                let at = |k: u32| odd[i / odd.len().pow(k) % odd.len()];
                let both = Matrix::from_rows(&[[0.1, 0.2, 0.3], [at(0), at(1), at(2)]]);
                let one = both.select(&[0]);
                let (a, b) = (sums(&both, &centres, radius), sums(&one, &centres, radius));
                let change: Vec<i64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
                largest = largest.max(contribution::square(&change).unwrap());
            }
            assert!(largest <= MOST && (radius > 1.0 || largest * 100 > MOST * 99));
        }
    }
}
