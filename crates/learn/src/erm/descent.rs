//! Noisy gradient descent over all records.
//!
//! A fixed number of steps; each takes the gradients of all records, clipped, summed exactly, with
//! noise. Everything that steers it (step length, clipping) is a function of the survey, which has been
//! paid for.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use throng_account::MechanismSpec;
use throng_mechanism::{Grid, MechanismError, Noise, Run};
use throng_numeric::Rational;

use super::loss::{BLOCK, Loss};
use super::rows::{self, distance};
use super::scores::Scores;
use super::survey::{Found, INTERCEPT, LEVELS, Survey, centred};
use crate::error::unless_given_up;
use crate::math::{count, nearest, number, powf};
use crate::{Bounds, LearnError, Matrix, Privacy, alike};

/// The largest norm of what one record adds to a sum of gradients, 2^24 steps: noise for it is drawn
/// fast at every usual epsilon.
const MOST: i64 = 1 << 24;

/// Blocks whose sums stay below 2^53: 2^8 records of at most 2^24 in 2^20 blocks are 2^52.
const BLOCKS: usize = 1 << 20;

/// Where a descent goes and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Descent {
    bounds: Bounds,
    loss: Loss,
    survey: Survey,
    noise: Noise,
    steps: u32,
    pace: f64,
    /// Noise over distance, for one step.
    multiplier: f64,
}

impl Descent {
    /// A tenth of the budget is for the survey, the rest for the steps.
    ///
    /// # Errors
    /// If a setting is out of range, or products on this machine depend on the place of a row.
    pub(crate) fn new(
        bounds: &Bounds,
        loss: Loss,
        privacy: &Privacy,
        steps: u32,
        pace: f64,
    ) -> Result<Self, LearnError> {
        if !(1..=10_000).contains(&steps) {
            return Err(LearnError::invalid("the number of steps", steps, "from 1 to 10000"));
        }
        crate::error::positive("the pace", pace)?;
        check_machine(bounds.columns() + 1, loss.outputs())?;
        let gaussian = privacy.gaussian()?;
        let share = (9, steps * 10);
        let most = distance(&Rational::from(MOST), privacy.neighbours());
        Ok(Self {
            survey: Survey::new(bounds, privacy, &gaussian, (1, 10))?,
            noise: gaussian.noise(share, &most, Grid::WHOLE)?,
            multiplier: gaussian.multiplier(share.0, share.1)?.to_f64_nearest()
                * most.to_f64_nearest()
                / number(MOST),
            bounds: bounds.clone(),
            loss,
            steps,
            pace,
        })
    }

    /// The survey, then the steps.
    pub(crate) fn spec(&self) -> Result<MechanismSpec, LearnError> {
        let steps = MechanismSpec::repeated(u64::from(self.steps), self.noise.spec().clone())?;
        Ok(MechanismSpec::composed(vec![self.survey.noise().spec().clone(), steps])?)
    }

    /// Scores from records and the places of their labels.
    ///
    /// # Guarantee
    /// The survey and each step are releases of what their noise was made for: see [`Gradient`].
    pub(crate) fn run(
        &self,
        records: &[&[f64]],
        labels: &[usize],
        run: &mut Run<'_>,
    ) -> Result<Scores, MechanismError> {
        let found = self.survey.release(records.iter().copied(), run)?;
        let table = centred(&self.bounds, &found, records.iter().copied());
        let mut path = Path::new(self, &found);
        let mut gradient = Gradient::new(self.loss, &table, labels, path.clip * path.unit);
        for step in 0..self.steps {
            unless_given_up()?;
            let mut sums = gradient.sums(&path.ahead());
            self.noise.add(&mut sums, run)?;
            path.advance(&sums, step);
        }
        Ok(Scores::new(&self.bounds, &path.end(), &found.centre))
    }
}

/// Nesterov's method with the mean of the later places; post-processing of the noisy sums.
struct Path {
    place: Vec<f64>,
    velocity: Vec<f64>,
    sum: Vec<f64>,
    averaged: f64,
    shape: (usize, usize),
    records: f64,
    /// Steps of the grid per typical distance from the centre.
    unit: f64,
    /// The largest gradient of a record, where records are 1 from the centre.
    clip: f64,
    pace: f64,
    steps: u32,
    radius: f64,
}

/// The usual pace.
pub(crate) const USUAL: f64 = 1.6;

/// How much of the velocity is kept.
const MOMENTUM: f64 = 0.8;

/// The share of the steps whose places are averaged.
const AVERAGED: f64 = 0.7;

/// Beyond it no score changes any more.
const FAR: f64 = 1e6;

impl Path {
    /// Clipping and step length follow q, the noise of one step over the number of records: the more
    /// noise, the shorter both.
    fn new(descent: &Descent, found: &Found) -> Self {
        let shape = (descent.bounds.columns() + 1, descent.loss.outputs());
        let cells = shape.0 * shape.1;
        let q = descent.multiplier * count(cells).sqrt() / found.records;
        Self {
            place: vec![0.0; cells],
            velocity: vec![0.0; cells],
            sum: vec![0.0; cells],
            averaged: 0.0,
            shape,
            records: found.records,
            unit: found.radius * LEVELS,
            clip: (0.3 * powf(q, -0.4)).clamp(0.1, 1.0),
            pace: descent.pace / USUAL * (USUAL * powf(q, -0.35)).clamp(1.5, 8.0),
            steps: descent.steps,
            radius: found.radius,
        }
    }

    /// Where the next gradient is taken, for rows in steps of the grid.
    fn ahead(&self) -> Vec<f64> {
        let places = self.place.iter().zip(&self.velocity);
        places.map(|(w, v)| (w + MOMENTUM * v) / self.unit).collect()
    }

    fn advance(&mut self, sums: &[i64], step: u32) {
        let scale = self.clip / number(MOST) / self.records * self.pace;
        let cells = self.place.iter_mut().zip(&mut self.velocity);
        for ((w, v), sum) in cells.zip(sums) {
            *v = (MOMENTUM * *v - scale * number(*sum)).clamp(-FAR, FAR);
            *w = (*w + *v).clamp(-FAR, FAR);
        }
        if f64::from(step) >= (1.0 - AVERAGED) * f64::from(self.steps) || step + 1 == self.steps {
            self.averaged += 1.0;
            for (sum, w) in self.sum.iter_mut().zip(&self.place) {
                *sum += w;
            }
        }
    }

    /// The parameters for features from -1 to 1 around the centre, the intercept's last.
    fn end(&self) -> Matrix<f64> {
        let mut found = Matrix::filled(self.shape.0, self.shape.1, 0.0);
        for (cell, sum) in found.values_mut().iter_mut().zip(&self.sum) {
            *cell = sum / self.averaged.max(1.0) / self.radius;
        }
        for cell in found.row_mut(self.shape.0 - 1) {
            *cell *= INTERCEPT * self.radius;
        }
        found
    }
}

/// Sums of clipped gradients.
///
/// # Guarantee
/// The gradient of a record is the product of its row x, integers, and its slopes r, which depend on the
/// record and the weights alone ([`crate::alike`]). The slopes
/// are multiplied by at most MOST/(|x| |r|) and rounded towards 0 to integers, so the
/// product of the norms is at most MOST, for the integers as they are: that is the Frobenius norm of
/// what the record adds, and it bounds each of its entries, so sums are exact in blocks.
struct Gradient<'a> {
    loss: Loss,
    /// Blocks of rows, each column by column: products with few columns are fastest so. All have as
    /// many rows, the last filled up with zeros: see [`crate::alike`].
    blocks: Vec<Mat<f64>>,
    columns: usize,
    labels: &'a [usize],
    norms: Vec<f64>,
    /// Slopes are multiplied by this, unless that is too long.
    scale: f64,
    slopes: Vec<f64>,
}

impl<'a> Gradient<'a> {
    /// For rows in steps; gradients of norm `clip` become [`MOST`] steps long.
    fn new(loss: Loss, table: &Matrix<f64>, labels: &'a [usize], clip: f64) -> Self {
        let mut norms: Vec<f64> = table.iter().map(|row| rows::square(row).sqrt()).collect();
        norms.resize(norms.len().next_multiple_of(BLOCK), 1.0);
        let slopes = vec![0.0; BLOCK * loss.outputs()];
        let columns = table.columns();
        let filled_up = |start: usize| {
            let cell = |row: usize, column: usize| table.row(start + row).get(column).copied();
            Mat::from_fn(BLOCK, columns, |row, column| cell(row, column).unwrap_or(0.0))
        };
        let blocks = (0..table.rows()).step_by(BLOCK).map(filled_up).collect();
        Self { loss, blocks, columns, labels, norms, scale: number(MOST) / clip, slopes }
    }

    fn sums(&mut self, weights: &[f64]) -> Vec<i64> {
        let (p, k) = (self.columns, self.loss.outputs());
        let weights = MatRef::from_row_major_slice(weights, p, k);
        let mut totals = vec![0_i64; p * k];
        let mut sums = vec![0.0; p * k];
        let records = self.labels.chunks(BLOCK).zip(self.norms.chunks(BLOCK));
        for (place, (table, (labels, norms))) in self.blocks.iter().zip(records).enumerate() {
            let cells = self.slopes.as_mut_slice();
            scores(table.as_ref(), weights, cells);
            self.loss.slopes_of_block(cells, labels);
            rows::scale_by_output(cells, norms, self.scale, number(MOST));
            for output in cells.chunks_exact_mut(BLOCK) {
                output[labels.len()..].fill(0.0);
            }
            let slopes = MatRef::from_column_major_slice(cells, BLOCK, k);
            let out = MatMut::from_row_major_slice_mut(&mut sums, p, k);
            matmul(out, Accum::Add, table.transpose(), slopes, 1.0, Par::Seq);
            if place % BLOCKS == BLOCKS - 1 {
                flush(&mut totals, &mut sums);
            }
        }
        flush(&mut totals, &mut sums);
        totals
    }
}

/// The scores of a block, output by output.
fn scores(table: MatRef<'_, f64>, weights: MatRef<'_, f64>, cells: &mut [f64]) {
    let scores = MatMut::from_column_major_slice_mut(cells, BLOCK, weights.ncols());
    matmul(scores, Accum::Replace, table, weights, 1.0, Par::Seq);
}

/// Makes sure that this machine gives a row the same scores wherever it is.
fn check_machine(columns: usize, outputs: usize) -> Result<(), MechanismError> {
    let weights: Vec<f64> =
        (0..columns * outputs).map(|at| f64::from(alike::made_up(at, 7)) / 1_234_567.0).collect();
    let weights = MatRef::from_row_major_slice(&weights, columns, outputs);
    alike::check(BLOCK, columns, outputs, |table, cells| {
        let table = MatRef::from_row_major_slice(table, BLOCK, columns).to_owned();
        let mut by_output = vec![0.0; cells.len()];
        scores(table.as_ref(), weights, &mut by_output);
        // Row by row, as they are compared.
        for (row, cells) in cells.chunks_exact_mut(outputs).enumerate() {
            for (cell, output) in cells.iter_mut().zip(by_output.chunks_exact(BLOCK)) {
                *cell = output[row];
            }
        }
    })
}

/// Moves exact sums of blocks to the totals.
pub(super) fn flush(totals: &mut [i64], sums: &mut [f64]) {
    for (total, sum) in totals.iter_mut().zip(sums) {
        *total = total.saturating_add(nearest(*sum));
        *sum = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_sample::{Entropy, SeededEntropy};

    fn word(entropy: &mut SeededEntropy) -> i64 {
        let mut bytes = [0; 4];
        entropy.fill(&mut bytes).unwrap();
        i64::from(u32::from_le_bytes(bytes))
    }

    #[test]
    fn one_record_adds_no_more_than_its_norm_and_clipped_ones_nearly_that() {
        let mut entropy = SeededEntropy::new(3);
        let losses = [
            Loss::Logistic { classes: 2 },
            Loss::Logistic { classes: 5 },
            Loss::Hinge { classes: 2, width: 0.5 },
            Loss::Hinge { classes: 3, width: 0.1 },
        ];
        for loss in losses {
            let mut closest = 0.0_f64;
            for round in 0..60 {
                let columns = 1 + usize::try_from(word(&mut entropy) % 9).unwrap();
                let mut row: Vec<f64> =
                    (0..columns).map(|_| number(word(&mut entropy) % 16_385 - 8192)).collect();
                row[0] = number(1 + word(&mut entropy) % 8192);
                let table = Matrix::new(1, columns, row).unwrap();
                let cells = columns * loss.outputs();
                let weights: Vec<f64> =
                    (0..cells).map(|_| number(word(&mut entropy) % 2001 - 1000) * 1e-6).collect();
                let label = usize::try_from(word(&mut entropy) % 5).unwrap().min(loss.outputs());
                let labels = [label];
                let clip = [1.0, 300.0, 4000.0, 1e9][round % 4];
                let found = Gradient::new(loss, &table, &labels, clip).sums(&weights);
                let square: i128 = found.iter().map(|x| i128::from(*x).pow(2)).sum();
                assert!(square <= i128::from(MOST).pow(2));
                let square: f64 = found.iter().map(|x| rows::squared(number(*x))).sum();
                closest = closest.max(square / rows::squared(number(MOST)));
            }
            assert!(closest > 0.999, "{closest}");
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_order_or_the_blocks() {
        let mut entropy = SeededEntropy::new(4);
        let (rows, columns) = (1000, 3);
        let values = (0..rows * columns).map(|_| number(word(&mut entropy) % 16_385 - 8192));
        let table = Matrix::new(rows, columns, values.collect()).unwrap();
        let labels: Vec<usize> = (0..rows).map(|i| i % 2).collect();
        let order: Vec<usize> = (0..rows).rev().collect();
        let turned = table.select(&order);
        let other: Vec<usize> = order.iter().map(|i| labels[*i]).collect();
        let loss = Loss::Logistic { classes: 2 };
        let weights = [1e-4, -2e-4, 3e-5];
        let a = Gradient::new(loss, &table, &labels, 5000.0).sums(&weights);
        let b = Gradient::new(loss, &turned, &other, 5000.0).sums(&weights);
        assert_eq!(a, b);
    }
}
