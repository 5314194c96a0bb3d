//! Sample and aggregate: ordinary k-means on blocks of the data, and the noisy mean of what it finds.

use throng_mechanism::{MechanismError, Noise, Run};

use super::sketch::Sketch;
use super::start;
use crate::Matrix;
use crate::draws::Draws;
use crate::math::{count, nearest, number};

/// Half of the width of a column in whole numbers.
const UNIT: f64 = 4096.0;

/// How many starts a block is given.
const STARTS: u32 = 2;

/// The square of the size of what a block says: a coordinate is at most one unit.
pub(super) fn most(clusters: usize, columns: usize) -> Option<u64> {
    let cells = u64::try_from(clusters.checked_mul(columns)?).ok()?;
    cells.checked_mul(4096 * 4096)
}

/// The mean of the centres of all blocks, with noise.
pub(super) fn centres(
    points: &Matrix<f64>,
    clusters: usize,
    blocks: usize,
    noise: &Noise,
    run: &mut Run<'_>,
) -> Result<Matrix<f64>, MechanismError> {
    let mut sums = said(points, clusters, blocks, &mut Draws::new(run.entropy()))?;
    noise.add(&mut sums, run)?;
    let mean = |sum: &i64| (number(*sum) / UNIT / count(blocks)).clamp(-1.0, 1.0);
    let values = sums.iter().map(mean).collect();
    Ok(Matrix::new(clusters, points.columns(), values)?)
}

/// The sum of what the blocks say, before noise. The block of a record is drawn for it alone, so that
/// one record more or less changes what one block says, and no other.
fn said(
    points: &Matrix<f64>,
    clusters: usize,
    blocks: usize,
    draws: &mut Draws<'_>,
) -> Result<Vec<i64>, MechanismError> {
    let mut members = vec![Vec::new(); blocks];
    for row in 0..points.rows() {
        if let Some(block) = members.get_mut(draws.below(blocks)?) {
            block.push(row);
        }
    }
    let mut sums = vec![0_i64; clusters * points.columns()];
    for rows in members {
        let found = block(&points.select(&rows), clusters, draws)?;
        for (sum, x) in sums.iter_mut().zip(found.values()) {
            *sum = sum.saturating_add(nearest(x.clamp(-1.0, 1.0) * UNIT));
        }
    }
    Ok(sums)
}

/// The centres of one block, in order; the middle of everything if it is empty.
fn block(
    points: &Matrix<f64>,
    clusters: usize,
    draws: &mut Draws<'_>,
) -> Result<Matrix<f64>, MechanismError> {
    if points.rows() == 0 {
        return Ok(Matrix::filled(clusters, points.columns(), 0.0));
    }
    let sketch = Sketch { points: points.clone(), weights: vec![1.0; points.rows()] };
    let found = start::best(&sketch, clusters, STARTS, draws)?;
    let mut order: Vec<usize> = (0..found.rows()).collect();
    let compare = |a: &usize, b: &usize| {
        let pairs = found.row(*a).iter().zip(found.row(*b));
        pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne())
    };
    order.sort_by(|a, b| compare(a, b).unwrap_or(std::cmp::Ordering::Equal));
    Ok(found.select(&order))
}
