//! A step of k-means with noise.

use throng_mechanism::{MechanismError, Noise, Run};

use super::model::nearest;
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
pub(super) fn step(
    points: &Matrix<f64>,
    centres: &mut Matrix<f64>,
    radius: f64,
    noise: &Noise,
    run: &mut Run<'_>,
) -> Result<(), MechanismError> {
    let mut cells = sums(points, centres, radius);
    noise.add(&mut cells, run)?;
    let deviation = contribution::deviation(noise);
    for (cluster, cells) in cells.chunks_exact(centres.columns() + 1).enumerate() {
        move_centre(centres.row_mut(cluster), cells, radius, deviation);
    }
    Ok(())
}

/// The sum is shrunk by what noise alone would be (James and Stein), so a centre with few points stays
/// about where it is.
fn move_centre(centre: &mut [f64], cells: &[i64], radius: f64, deviation: f64) {
    let Some((size, sum)) = cells.split_first() else { return };
    let least = deviation / number(COUNT);
    let size = (number(*size) / number(COUNT)).max(least).max(1.0);
    let length: f64 = sum.iter().map(|x| number(*x) * number(*x)).sum();
    let noise = deviation * deviation * count(sum.len());
    let kept = (1.0 - noise / length.max(1.0)).max(0.0);
    for (x, way) in centre.iter_mut().zip(sum) {
        *x = (*x + kept * number(*way) / RADIUS * radius / size).clamp(-1.0, 1.0);
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
