//! Output perturbation: the certified minimum of a penalised loss, with noise.

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Grid, L1, L2, MechanismError, Noise, Run, Sensitivity};
use throng_numeric::Rational;

use super::loss::Loss;
use super::minimum::Objective;
use super::rows::{LEVELS, bounded};
use super::scores::Scores;
use super::tolerance::Tolerance;
use crate::math::{count, nearest, number};
use crate::{Bounds, LearnError, Matrix, Privacy};

/// The norm of rows and the parameters of the noise.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Output {
    bounds: Bounds,
    loss: Loss,
    /// The largest norm of a row, in steps.
    most: i64,
    penalty: f64,
    tolerance: Tolerance,
    noise: Noise,
}

/// The norm of (features, 1), in steps.
pub(super) fn longest(bounds: &Bounds, norm: Option<f64>) -> Result<i64, LearnError> {
    let columns = count(bounds.columns());
    let norm = norm.unwrap_or((1.0 + 0.25 * columns).sqrt());
    if !(norm >= 1.0 && norm.is_finite()) {
        return Err(LearnError::invalid("the norm of a row", norm, "finite and at least 1"));
    }
    Ok(nearest((norm.min((columns + 1.0).sqrt()) * LEVELS).floor()))
}

impl Output {
    /// # Guarantee
    /// The objective J is Λ-strongly convex, so points with gradients g, h are at most |g - h|/Λ apart. A
    /// record more changes the gradient by at most L, the steepness of the loss, as rows are at most
    /// 1 long; and the points that are found are within γ/Λ of the minimum. So they are at most
    /// (L + 2γ)/Λ apart, with two records exchanged (2L + 2γ)/Λ, and after rounding to the grid
    /// as much more as that moves them.
    pub(crate) fn new(
        bounds: &Bounds,
        loss: Loss,
        privacy: &Privacy,
        penalty: Option<f64>,
        norm: Option<f64>,
    ) -> Result<Self, LearnError> {
        let cells = bounds.columns().saturating_add(1).saturating_mul(loss.outputs());
        let coordinates = u64::try_from(cells).unwrap_or(u64::MAX);
        let penalty = match penalty {
            Some(penalty) => crate::error::positive("the penalty", penalty)?,
            None => usual(privacy, loss, cells)?,
        };
        let most = longest(bounds, norm)?;
        let columns = bounds.columns().saturating_add(1);
        let tolerance = Tolerance::new(loss, columns, number(most), penalty, 0.0)?;
        let under = privacy.neighbours();
        let moved = apart(loss, penalty, tolerance.gamma, under)?;
        let noise = if let Some(epsilon) = privacy.epsilon_if_pure()? {
            let square = moved.square() * Rational::from(coordinates);
            let moved = Sensitivity::<L2>::of_square(&square, under)?;
            let grid = Grid::under(moved.distance())?;
            let moved = Sensitivity::<L1>::of(moved.distance().clone(), under)?;
            Noise::pure(&epsilon, &moved.rounded(coordinates, grid)?, grid)?
        } else {
            let grid = Grid::under(&moved)?;
            let moved = Sensitivity::<L2>::of(moved, under)?.rounded(coordinates, grid)?;
            privacy.gaussian()?.noise((1, 1), moved.distance(), grid)?
        };
        Ok(Self { bounds: bounds.clone(), loss, most, penalty, tolerance, noise })
    }

    pub(crate) fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    pub(crate) fn run(
        &self,
        records: &[&[f64]],
        labels: &[usize],
        run: &mut Run<'_>,
    ) -> Result<Scores, MechanismError> {
        let table = bounded(&self.bounds, records, self.most);
        let (loss, penalty, most) = (self.loss, self.penalty, number(self.most));
        let tolerance = self.tolerance;
        let tilt = vec![0.0; table.columns() * loss.outputs()];
        let objective = Objective { loss, table: &table, labels, most, penalty, tilt, tolerance };
        let found = released(&objective.minimum()?, &self.noise, run)?;
        Ok(finished(&self.bounds, loss, most, found))
    }
}

/// How far apart the points found on neighbours are.
fn apart(loss: Loss, penalty: f64, gamma: f64, under: Neighbours) -> Result<Rational, LearnError> {
    let steep = Sensitivity::<L2>::of_square(&Rational::from(loss.steepness()), under)?;
    let gamma = Rational::from_f64(2.0 * gamma)?;
    let sum = super::rows::distance(steep.distance(), under) + gamma;
    Ok(sum.checked_div(&Rational::from_f64(penalty)?)?)
}

/// A penalty with which the noise is of a norm that does not drown usual weights.
fn usual(privacy: &Privacy, loss: Loss, cells: usize) -> Result<f64, LearnError> {
    let scale = match privacy.epsilon_if_pure()? {
        Some(epsilon) => (2.0 * count(cells)).sqrt() / epsilon.to_f64_nearest(),
        None => privacy.gaussian()?.multiplier(1, 1)?.to_f64_nearest(),
    };
    let steep = count(usize::try_from(loss.steepness()).unwrap_or(usize::MAX)).sqrt();
    Ok(USUAL * scale * steep * count(cells).sqrt())
}

/// One over the norm of the noise, where rows are at most 1 long.
const USUAL: f64 = 0.5;

/// A point on the grid, with noise.
pub(super) fn released(
    point: &[f64],
    noise: &Noise,
    run: &mut Run<'_>,
) -> Result<Vec<f64>, MechanismError> {
    let grid = noise.grid();
    let mut steps: Vec<i64> = point.iter().map(|x| grid.nearest(*x).unwrap_or(0)).collect();
    noise.add(&mut steps, run)?;
    Ok(steps.iter().map(|k| grid.to_f64(*k)).collect())
}

/// Scores of parameters for rows of norm 1.
pub(super) fn finished(bounds: &Bounds, loss: Loss, most: f64, point: Vec<f64>) -> Scores {
    let shape = (bounds.columns() + 1, loss.outputs());
    let mut parameters = Matrix::filled(shape.0, shape.1, 0.0);
    for (cell, x) in parameters.values_mut().iter_mut().zip(point) {
        *cell = x * LEVELS / most;
    }
    Scores::new(bounds, &parameters, &vec![0.0; bounds.columns()])
}
