//! Sample and aggregate: ordinary k-means on blocks of the data, and the noisy mean of what it finds.
//!
//! A block without points says nothing, and is not counted: the sum of what the blocks say is divided by
//! the noisy number of those that say something, not by the number of all.

use throng_mechanism::{MechanismError, Noise, Run};

use super::sketch::Sketch;
use super::start;
use crate::draws::Draws;
use crate::math::{count, nearest, number};
use crate::{Matrix, contribution};

/// Half of the width of a column in whole numbers.
const UNIT: i64 = 4096;

/// The square of the furthest that one record more, less or replaced moves the sum of what blocks say.
///
/// # Guarantee
/// A record is in one block, so one block says something else. If it said something before and
/// does after, k d coordinates of at most one unit in size move by at most two: 4 k d. If it had no
/// points before or has none after, they move by one, and the number of blocks by its
/// [`weight`]: k d + w² <= 4 k d. (A replaced record leaves its block with points.)
pub(super) fn furthest(clusters: usize, columns: usize) -> Option<u64> {
    let cells = u64::try_from(clusters.checked_mul(columns)?).ok()?;
    cells.checked_mul(4 * UNIT.unsigned_abs() * UNIT.unsigned_abs())
}

/// What a block that says something adds to their number: w units, with w² <= 3 k d.
const fn weight(cells: usize) -> i64 {
    UNIT.saturating_mul((3 * cells as u64).isqrt().cast_signed())
}

/// The mean of the centres of all blocks, with noise.
pub(super) fn centres(
    points: &Matrix<f64>,
    (clusters, blocks, starts): (usize, usize, u32),
    noise: &Noise,
    run: &mut Run<'_>,
) -> Result<Matrix<f64>, MechanismError> {
    let mut draws = Draws::new(run.entropy());
    let homes = (0..points.rows()).map(|_| draws.below(blocks)).collect::<Result<Vec<_>, _>>()?;
    let mut cells = said(points, (clusters, blocks, starts), &homes, &mut draws)?;
    noise.add(&mut cells, run)?;
    let (told, sums) = cells.split_first().map_or((0, &[][..]), |(told, sums)| (*told, sums));
    let weight = number(weight(sums.len()));
    // Where the noise hides how many are missing, none is.
    let told = (number(told) + contribution::deviation(noise)) / weight;
    let told = told.clamp(1.0, count(blocks));
    let mean = |sum: &i64| (number(*sum) / number(UNIT) / told).clamp(-1.0, 1.0);
    let values = sums.iter().map(mean).collect();
    Ok(Matrix::new(clusters, points.columns(), values)?)
}

/// How many blocks say something, weighted, and the sum of what they say, before noise. The block of a
/// record is drawn for it alone, so that one record more or less changes what one block
/// says, and no other.
fn said(
    points: &Matrix<f64>,
    (clusters, blocks, starts): (usize, usize, u32),
    homes: &[usize],
    draws: &mut Draws<'_>,
) -> Result<Vec<i64>, MechanismError> {
    let mut members = vec![Vec::new(); blocks];
    for (row, home) in homes.iter().enumerate() {
        if let Some(block) = members.get_mut(*home) {
            block.push(row);
        }
    }
    let mut cells = vec![0_i64; 1 + clusters * points.columns()];
    let Some((told, sums)) = cells.split_first_mut() else { return Ok(cells) };
    let weight = weight(sums.len());
    for rows in members.iter().filter(|rows| !rows.is_empty()) {
        *told = told.saturating_add(weight);
        let found = block(&points.select(rows), clusters, starts, draws)?;
        for (sum, x) in sums.iter_mut().zip(found.values()) {
            *sum = sum.saturating_add(nearest(x.clamp(-1.0, 1.0) * number(UNIT)));
        }
    }
    Ok(cells)
}

/// The centres of one block, in order.
fn block(
    points: &Matrix<f64>,
    clusters: usize,
    starts: u32,
    draws: &mut Draws<'_>,
) -> Result<Matrix<f64>, MechanismError> {
    let sketch = Sketch { points: points.clone(), weights: vec![1.0; points.rows()] };
    let found = start::best(&sketch, clusters, starts, draws)?;
    let mut order: Vec<usize> = (0..found.rows()).collect();
    let compare = |a: &usize, b: &usize| {
        let pairs = found.row(*a).iter().zip(found.row(*b));
        pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne())
    };
    order.sort_by(|a, b| compare(a, b).unwrap_or(std::cmp::Ordering::Equal));
    Ok(found.select(&order))
}

#[cfg(test)]
mod tests {
    use throng_sample::{Entropy, EntropyError};

    use super::*;

    /// The same bytes for everybody: what a block draws does not depend on the others.
    struct Same;

    impl Entropy for Same {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            bytes.fill(0x5a);
            Ok(())
        }
    }

    fn cells(points: &Matrix<f64>, homes: &[usize]) -> Vec<i64> {
        said(points, (2, 4, 3), homes, &mut Draws::new(&mut Same)).unwrap()
    }

    /// One record more, in a block with others or in one of its own: each coordinate moves by at
    /// most two units, all of them by no more than declared, and only what that block says.
    #[test]
    fn a_record_moves_what_one_block_says() {
        let rows = [[-0.9, 0.3], [0.8, -1.0], [0.1, 0.1], [-1.0, 1.0], [0.5, 0.5], [0.0, -0.2]];
        let (few, homes) = (Matrix::from_rows(&rows), [0, 0, 1, 1, 2, 2]);
        let alone = |points: &Matrix<f64>, homes: &[usize], block: usize| {
            let own: Vec<usize> = (0..homes.len()).filter(|row| homes[*row] == block).collect();
            cells(&points.select(&own), &vec![block; own.len()])
        };
        let mut largest = 0;
        for (x, y, block) in [-1.0, 0.0, 1.0].into_iter().flat_map(|x| {
            [-1.0, 0.4, 1.0].into_iter().flat_map(move |y| (0..4).map(move |block| (x, y, block)))
        }) {
            let mut more = rows.to_vec();
            more.push([x, y]);
            let more = Matrix::from_rows(&more);
            let others = [homes.as_slice(), &[block]].concat();
            let change: Vec<i64> =
                cells(&more, &others).iter().zip(cells(&few, &homes)).map(|(a, b)| a - b).collect();
            assert!(change[1..].iter().all(|x| x.abs() <= 2 * UNIT));
            let square = contribution::square(&change).unwrap();
            assert!(square <= furthest(2, 2).unwrap());
            largest = largest.max(square);
            let own = alone(&more, &others, block);
            let before = alone(&few, &homes, block);
            let own: Vec<i64> = own.iter().zip(before).map(|(a, b)| a - b).collect();
            assert_eq!(change, own);
            // A block of its own is counted; one with others was before.
            assert_eq!(change[0], if block == 3 { weight(4) } else { 0 });
        }
        assert!(largest * 2 > furthest(2, 2).unwrap());
    }
}
