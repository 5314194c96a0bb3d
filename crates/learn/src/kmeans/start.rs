//! Ordinary k-means on weighted points: what is done on a sketch costs nothing.

use throng_mechanism::MechanismError;

use super::model::{nearest, squared_distance};
use super::sketch::Sketch;
use crate::Matrix;
use crate::draws::Draws;
use crate::error::unless_given_up;

/// How many steps a start is given.
const STEPS: usize = 20;

/// The best of some starts.
pub(super) fn best(
    sketch: &Sketch,
    clusters: usize,
    starts: u32,
    draws: &mut Draws<'_>,
) -> Result<Matrix<f64>, MechanismError> {
    let mut best: Option<(f64, Matrix<f64>)> = None;
    for _ in 0..starts {
        let mut centres = spread(sketch, clusters, draws)?;
        for _ in 0..STEPS {
            unless_given_up()?;
            centres = means(sketch, &centres);
        }
        let cost = sketch.cost(&centres);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, centres));
        }
    }
    let none = || Matrix::filled(clusters, sketch.points.columns(), 0.0);
    Ok(best.map_or_else(none, |(_, centres)| centres))
}

/// Each new centre is a point, likelier the further it is from those there are (k-means++).
fn spread(
    sketch: &Sketch,
    clusters: usize,
    draws: &mut Draws<'_>,
) -> Result<Matrix<f64>, MechanismError> {
    let mut far: Vec<f64> = sketch.weights.clone();
    let mut chosen = Vec::with_capacity(clusters);
    let mut least = vec![f64::INFINITY; far.len()];
    for _ in 0..clusters {
        let place = weighted(&far, draws)?;
        chosen.push(place);
        for (((far, least), point), weight) in
            far.iter_mut().zip(&mut least).zip(sketch.points.iter()).zip(&sketch.weights)
        {
            *least = least.min(squared_distance(point, sketch.points.row(place)));
            *far = *least * weight;
        }
    }
    Ok(sketch.points.select(&chosen))
}

/// A place drawn by weight.
fn weighted(weights: &[f64], draws: &mut Draws<'_>) -> Result<usize, MechanismError> {
    let total: f64 = weights.iter().sum();
    let mut left = draws.fraction()? * total;
    for (place, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return Ok(place);
        }
    }
    draws.below(weights.len())
}

/// Each centre at the mean of its points; one without points stays.
fn means(sketch: &Sketch, centres: &Matrix<f64>) -> Matrix<f64> {
    let mut sums = Matrix::filled(centres.rows(), centres.columns(), 0.0);
    let mut sizes = vec![0.0; centres.rows()];
    for (point, weight) in sketch.points.iter().zip(&sketch.weights) {
        let (cluster, _) = nearest(point, centres);
        if let Some(size) = sizes.get_mut(cluster) {
            *size += weight;
        }
        sums.row_mut(cluster).iter_mut().zip(point).for_each(|(sum, x)| *sum += weight * x);
    }
    for (cluster, size) in sizes.iter().enumerate() {
        for (sum, old) in sums.row_mut(cluster).iter_mut().zip(centres.row(cluster)) {
            *sum = if *size > 0.0 { *sum / size } else { *old };
        }
    }
    sums
}
