//! Newton's method for penalised losses. Nothing here is proved, as what it finds is.
//!
//! The direction solves the equations of second order: by a factor of the matrix of second derivatives for
//! each score where scores do not touch each other, else by conjugate gradients with products by
//! the table. How far to go is found by halving on the slope along the line, which rises, as the
//! objective is convex; the scores of both ends are computed once, so a trial is cheap.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, MatMut, MatRef, Par, Scale, Side};

use super::exponential::softmax;
use super::minimum::Objective;
use super::tolerance::Point;

/// Trials along a line.
const TRIALS: u32 = 60;

/// How much of the slope along a line may be left.
const FLAT: f64 = 0.1;

/// Conjugate gradients stop when this much of the residual is left, or after so many rounds.
const SOLVED: f64 = 0.01;
const ROUNDS: u32 = 200;

pub(super) struct Newton<'a, 'b> {
    objective: &'b Objective<'a>,
    /// Of β X'X + Λ, for conjugate gradients.
    factor: Option<Llt<f64>>,
}

impl<'a, 'b> Newton<'a, 'b> {
    pub(super) const fn new(objective: &'b Objective<'a>) -> Self {
        Self { objective, factor: None }
    }

    /// The next point; none if there is no way down.
    pub(super) fn step(&mut self, point: &Point, gradient: &[f64]) -> Option<Point> {
        let weights = point.weights();
        let scores = self.scores(&weights);
        let way = self.direction(&scores, gradient)?;
        let turn = self.scores(&way);
        let pace = self.pace((&weights, &scores), (&way, &turn))?;
        Some(point.moved(&way, pace, &self.objective.tolerance))
    }

    /// X times weights.
    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let (p, k) = self.objective.shape();
        let table = self.objective.table.view();
        let mut cells = vec![0.0; table.nrows() * k];
        let out = MatMut::from_row_major_slice_mut(&mut cells, table.nrows(), k);
        let weights = MatRef::from_row_major_slice(weights, p, k);
        matmul(out, Accum::Replace, table, weights, 1.0 / self.objective.most, Par::Seq);
        cells
    }

    /// X' times numbers of records.
    fn collected(&self, of_records: &[f64]) -> Vec<f64> {
        let (p, k) = self.objective.shape();
        let table = self.objective.table.view();
        let mut cells = vec![0.0; p * k];
        let out = MatMut::from_row_major_slice_mut(&mut cells, p, k);
        let of_records = MatRef::from_row_major_slice(of_records, table.nrows(), k);
        let scale = 1.0 / self.objective.most;
        matmul(out, Accum::Replace, table.transpose(), of_records, scale, Par::Seq);
        cells
    }

    /// Minus the gradient over the second derivatives.
    fn direction(&mut self, scores: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
        let objective = self.objective;
        let (_, k) = objective.shape();
        if !objective.loss.is_separate() {
            return self.by_conjugate_gradients(scores, gradient);
        }
        let mut way = vec![0.0; gradient.len()];
        for c in 0..k {
            let labels = objective.labels.iter();
            let own = scores.iter().skip(c).step_by(k).zip(labels);
            let bends: Vec<f64> =
                own.map(|(score, label)| objective.loss.bend(*score, c, *label)).collect();
            let factor = self.factor_of(|row| bends.get(row).copied().unwrap_or(0.0))?;
            let mut column: Vec<f64> = gradient.iter().skip(c).step_by(k).map(|g| -g).collect();
            solve(&factor, &mut column, 1);
            way.iter_mut().skip(c).step_by(k).zip(&column).for_each(|(cell, x)| *cell = *x);
        }
        Some(way)
    }

    /// The factor of Σ w xx' + Λ for weights w of records.
    fn factor_of(&self, weight: impl Fn(usize) -> f64) -> Option<Llt<f64>> {
        let Objective { table, most, penalty, .. } = self.objective;
        let p = table.columns();
        let mut found = Mat::<f64>::identity(p, p) * Scale(*penalty);
        for (start, rows) in self.objective.blocks() {
            let block = table.view().subrows(start, rows);
            if (start..start + rows).all(|row| weight(row) == 0.0) {
                continue;
            }
            let weighted = Mat::from_fn(rows, p, |i, j| block[(i, j)] * weight(start + i));
            let scale = 1.0 / (most * most);
            matmul(&mut found, Accum::Add, block.transpose(), &weighted, scale, Par::Seq);
        }
        found.llt(Side::Lower).ok()
    }

    /// For the softmax.
    fn by_conjugate_gradients(&mut self, scores: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
        let (loss, k) = (self.objective.loss, self.objective.shape().1);
        if self.factor.is_none() {
            self.factor = self.factor_of(|_| loss.curvature());
        }
        let factor = self.factor.as_ref()?;
        let mut shares = scores.to_vec();
        shares.chunks_mut(k).for_each(softmax);
        let curved = |way: &[f64]| -> Vec<f64> {
            let mut turn = self.scores(way);
            for (turn, shares) in turn.chunks_mut(k).zip(shares.chunks(k)) {
                let mean = dot(turn, shares);
                turn.iter_mut().zip(shares).for_each(|(x, share)| *x = share * (*x - mean));
            }
            let mut found = self.collected(&turn);
            found.iter_mut().zip(way).for_each(|(x, w)| *x += self.objective.penalty * w);
            found
        };
        let mut way = vec![0.0; gradient.len()];
        let mut rest: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut softened = rest.clone();
        solve(factor, &mut softened, k);
        let mut aim = softened.clone();
        let mut size = dot(&rest, &softened);
        let enough = SOLVED * SOLVED * size;
        for _ in 0..ROUNDS {
            let bent = curved(&aim);
            let pace = size / dot(&aim, &bent);
            add(&mut way, &aim, pace);
            add(&mut rest, &bent, -pace);
            softened.clone_from(&rest);
            solve(factor, &mut softened, k);
            let next = dot(&rest, &softened);
            if next <= enough || !next.is_finite() {
                break;
            }
            aim.iter_mut().zip(&softened).for_each(|(a, s)| *a = s + next / size * *a);
            size = next;
        }
        way.iter().all(|x| x.is_finite()).then_some(way)
    }

    /// How far along a way the slope is flat; none if it does not go down.
    fn pace(&self, here: (&[f64], &[f64]), way: (&[f64], &[f64])) -> Option<f64> {
        let first = self.slope(here, way, 0.0);
        if first >= 0.0 || first.is_nan() {
            return None;
        }
        let (mut short, mut long, mut pace) = (0.0, None, 1.0);
        for _ in 0..TRIALS {
            let slope = self.slope(here, way, pace);
            if slope.abs() <= FLAT * first.abs() {
                return Some(pace);
            }
            if slope < 0.0 {
                short = pace;
            } else {
                long = Some(pace);
            }
            pace = long.map_or(2.0 * pace, |long| f64::midpoint(short, long));
        }
        (short > 0.0).then_some(short)
    }

    /// The derivative along a way after `pace` of it.
    fn slope(&self, here: (&[f64], &[f64]), way: (&[f64], &[f64]), pace: f64) -> f64 {
        let Objective { loss, labels, penalty, tilt, .. } = self.objective;
        let k = loss.outputs();
        let ((weights, scores), (way, turn)) = (here, way);
        let mut at = vec![0.0; k];
        let mut sum = 0.0;
        for ((scores, turn), label) in scores.chunks(k).zip(turn.chunks(k)).zip(*labels) {
            for ((at, score), turn) in at.iter_mut().zip(scores).zip(turn) {
                *at = score + pace * turn;
            }
            loss.slopes(&mut at, *label);
            sum += dot(&at, turn);
        }
        sum + penalty * (dot(weights, way) + pace * dot(way, way)) + dot(tilt, way)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(sum: &mut [f64], way: &[f64], times: f64) {
    sum.iter_mut().zip(way).for_each(|(sum, x)| *sum += times * x);
}

/// Solves for columns that lie side by side.
fn solve(factor: &Llt<f64>, columns: &mut [f64], k: usize) {
    let rows = columns.len() / k.max(1);
    factor.solve_in_place(MatMut::from_row_major_slice_mut(columns, rows, k));
}
