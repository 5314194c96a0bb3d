//! A weighted sum of probes, fitted by logistic regression.

use crate::Outcomes;
use crate::probe::Probe;
use crate::score::{Score, Term};

/// Up to how many probes are fitted together; more are weighted one by one.
const TOGETHER: usize = 24;

/// Newton steps of the logistic regression.
const STEPS: usize = 8;

/// Reads a weighted sum.
pub(crate) fn read(terms: &[Term], outcomes: &Outcomes) -> Vec<f64> {
    let mut sums = vec![0.0; outcomes.len()];
    for Term { probe, centre, weight } in terms {
        for (sum, x) in sums.iter_mut().zip(probe.read_all(outcomes)) {
            let part = weight * (x - centre);
            *sum += if part.is_finite() { part } else { 0.0 };
        }
    }
    sums
}

/// Fits a weighted sum to both worlds; columns are probes.
pub(crate) fn fit(probes: &[Probe], zero: &[Vec<f64>], one: &[Vec<f64>]) -> Option<Score> {
    let mut terms = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for ((probe, a), b) in probes.iter().zip(zero).zip(one) {
        let finite: Vec<f64> = a.iter().chain(b).copied().filter(|x| x.is_finite()).collect();
        let n = as_f64(finite.len());
        let centre = finite.iter().sum::<f64>() / n;
        let variance = finite.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>() / n;
        if n < 2.0 || !(variance > 0.0 && variance.is_finite()) {
            continue;
        }
        let scale = variance.sqrt();
        let standard = |x: &f64| if x.is_finite() { (x - centre) / scale } else { 0.0 };
        columns.push(a.iter().chain(b).map(standard).collect());
        terms.push(Term { probe: probe.clone(), centre, weight: 1.0 / scale });
    }
    if terms.is_empty() {
        return None;
    }
    let split = zero.first()?.len();
    let weights = if terms.len() <= TOGETHER {
        logistic(&columns, split)
    } else {
        one_by_one(&columns, split)
    };
    for (term, weight) in terms.iter_mut().zip(weights) {
        term.weight *= weight;
    }
    Some(Score::Linear { terms })
}

/// Differences of means: the best weights of independent probes.
fn one_by_one(columns: &[Vec<f64>], split: usize) -> Vec<f64> {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / as_f64(part.len().max(1));
    columns
        .iter()
        .map(|column| {
            let (zero, one) = column.split_at(split.min(column.len()));
            mean(one) - mean(zero)
        })
        .collect()
}

/// Logistic regression by Newton's method with a small ridge.
#[expect(clippy::disallowed_methods, reason = "a score: no guarantee rests on it")]
fn logistic(columns: &[Vec<f64>], split: usize) -> Vec<f64> {
    let (d, n) = (columns.len(), columns.first().map_or(0, Vec::len));
    let mut beta = vec![0.0; d];
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; d];
        let mut hessian = vec![vec![0.0; d]; d];
        for i in 0..n {
            let x: Vec<f64> = columns.iter().filter_map(|c| c.get(i).copied()).collect();
            let sum: f64 = x.iter().zip(&beta).map(|(x, b)| x * b).sum();
            let p = 1.0 / (1.0 + (-sum).exp());
            let label = if i >= split { 1.0 } else { 0.0 };
            let weight = p * (1.0 - p);
            for (a, xa) in x.iter().enumerate() {
                gradient[a] += (label - p) * xa;
                for (b, xb) in x.iter().enumerate().take(a + 1) {
                    hessian[a][b] += weight * xa * xb;
                }
            }
        }
        let ridge = 1.0 + 1e-6 * as_f64(n);
        for (a, row) in hessian.iter_mut().enumerate() {
            row[a] += ridge;
        }
        let Some(step) = solve(hessian, gradient) else { break };
        beta.iter_mut().zip(step).for_each(|(b, s)| *b += s.clamp(-2.0, 2.0));
    }
    beta
}

/// Solves a symmetric positive system, given its lower triangle, by Cholesky's method.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let d = b.len();
    for i in 0..d {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            let rest = a[i][j] - dot;
            a[i][j] = if i == j { rest.sqrt() } else { rest / a[j][j] };
            if !a[i][j].is_finite() || (i == j && a[i][i] <= 0.0) {
                return None;
            }
        }
    }
    for i in 0..d {
        let dot: f64 = (0..i).map(|k| a[i][k] * b[k]).sum();
        b[i] = (b[i] - dot) / a[i][i];
    }
    for i in (0..d).rev() {
        let dot: f64 = (i + 1..d).map(|k| a[k][i] * b[k]).sum();
        b[i] = (b[i] - dot) / a[i][i];
    }
    Some(b)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of outcomes")]
fn as_f64(n: usize) -> f64 {
    n as f64
}
