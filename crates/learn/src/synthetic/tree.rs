//! A tree of pairs of columns, fitted to noisy tables.

use serde::{Deserialize, Serialize};

use crate::histogram::{Domain, project};
use crate::marginals::{Marginal, total};
use crate::math::count;
use crate::{LearnError, Matrix};

/// A column given another: one row of chances for each bin of the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Branch {
    pub(super) column: usize,
    pub(super) parent: Option<usize>,
    /// Rows are bins of the parent (one if there is none), columns bins of the column.
    pub(super) chances: Matrix<f64>,
}

/// The largest number of rounds in which a table is fitted to its margins.
const ROUNDS: usize = 200;

/// The branches of the tree that noisy tables describe, parents before children.
///
/// Each column's counts are the mean of what its own table and those of its pairs say, weighed by one
/// over variance; then the pairs are fitted to them.
pub(super) fn fit(
    domain: &Domain,
    singles: &[Marginal],
    pairs: &[Marginal],
) -> Result<Vec<Branch>, LearnError> {
    let all = total(singles.iter().chain(pairs)).max(1.0);
    let margins: Vec<Vec<f64>> = (0..domain.columns().len())
        .map(|column| fused(column, domain, singles.iter().chain(pairs), all))
        .collect();
    let mut branches = Vec::with_capacity(margins.len());
    let mut placed = vec![false; margins.len()];
    for root in 0..margins.len() {
        grow(root, None, pairs, &margins, &mut placed, &mut branches)?;
    }
    Ok(branches)
}

/// The column and, below it, all that hang on it and are not placed yet.
fn grow(
    column: usize,
    parent: Option<usize>,
    pairs: &[Marginal],
    margins: &[Vec<f64>],
    placed: &mut [bool],
    branches: &mut Vec<Branch>,
) -> Result<(), LearnError> {
    let mut waiting = vec![(column, parent)];
    while let Some((column, parent)) = waiting.pop() {
        match placed.get_mut(column) {
            Some(known) if !*known => *known = true,
            Some(_) | None => continue,
        }
        let chances = conditional(column, parent, pairs, margins)?;
        branches.push(Branch { column, parent, chances });
        for pair in pairs {
            match pair.columns() {
                [a, b] if *a == column => waiting.push((*b, Some(column))),
                [a, b] if *b == column => waiting.push((*a, Some(column))),
                _ => {}
            }
        }
    }
    Ok(())
}

/// The counts of one column, as all tables that have it tell them: not negative, with a given sum.
fn fused<'a>(
    column: usize,
    domain: &Domain,
    tables: impl Iterator<Item = &'a Marginal>,
    all: f64,
) -> Vec<f64> {
    let bins = domain.shape().get(column).copied().unwrap_or(1);
    let (mut sums, mut weights) = (vec![0.0; bins], 0.0);
    for table in tables {
        let Some(place) = table.columns().iter().position(|c| *c == column) else { continue };
        let margin = margin(table, place, bins);
        let deviation = table.counts().noise().standard_deviation().unwrap_or(1.0);
        let cells = count(table.counts().values().len()) / count(bins);
        let weight = 1.0 / (deviation * deviation * cells);
        for (sum, n) in sums.iter_mut().zip(margin) {
            *sum += weight * n;
        }
        weights += weight;
    }
    for sum in &mut sums {
        *sum /= f64::max(weights, f64::MIN_POSITIVE);
    }
    project(&mut sums, all);
    sums
}

/// The sums of a table along all columns but the one at a place.
fn margin(table: &Marginal, place: usize, bins: usize) -> Vec<f64> {
    let after: usize = table.counts().shape().iter().skip(place + 1).product();
    let mut sums = vec![0.0; bins];
    for (cell, n) in table.counts().values().iter().enumerate() {
        if let Some(sum) = sums.get_mut(cell / after.max(1) % bins.max(1)) {
            *sum += n;
        }
    }
    sums
}

/// The chances of a column given its parent.
fn conditional(
    column: usize,
    parent: Option<usize>,
    pairs: &[Marginal],
    margins: &[Vec<f64>],
) -> Result<Matrix<f64>, LearnError> {
    let own = margins.get(column).cloned().unwrap_or_default();
    let pair = parent.and_then(|parent| {
        let both =
            |pair: &&Marginal| pair.columns().contains(&parent) && pair.columns().contains(&column);
        Some((pairs.iter().find(both)?, margins.get(parent)?, parent))
    });
    let mut table = match pair {
        None => Matrix::new(1, own.len(), own.clone())?,
        Some((pair, above, parent)) => {
            let mut table = upright(pair, parent, above.len(), own.len())?;
            balance(&mut table, above, &own);
            table
        }
    };
    for row in 0..table.rows() {
        shares(table.row_mut(row), &own);
    }
    Ok(table)
}

/// A pair's counts with the parent in rows, without negative ones.
fn upright(
    pair: &Marginal,
    parent: usize,
    rows: usize,
    columns: usize,
) -> Result<Matrix<f64>, LearnError> {
    let values = pair.counts().values();
    let first = pair.columns().first() == Some(&parent);
    let at = |row: usize, column: usize| {
        let cell = if first { row * columns + column } else { column * rows + row };
        values.get(cell).copied().unwrap_or(0.0)
    };
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| at(row, column)));
    let mut table = Matrix::new(rows, columns, cells.collect())?;
    let sum: f64 = values.iter().sum();
    project(table.values_mut(), sum.max(1.0));
    Ok(table)
}

/// Fits a table to its margins by turns; a little is added to empty cells so that every margin can be
/// reached.
fn balance(table: &mut Matrix<f64>, above: &[f64], own: &[f64]) {
    let all: f64 = own.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for (row, most) in above.iter().enumerate() {
        for (cell, n) in table.row_mut(row).iter_mut().zip(own) {
            *cell += 1e-6 * most * n / all;
        }
    }
    for _ in 0..ROUNDS {
        let mut sums = vec![0.0; own.len()];
        for (row, wanted) in above.iter().enumerate() {
            let cells = table.row_mut(row);
            let sum: f64 = cells.iter().sum();
            let factor = if sum > 0.0 { wanted / sum } else { 0.0 };
            for (cell, sum) in cells.iter_mut().zip(&mut sums) {
                *cell *= factor;
                *sum += *cell;
            }
        }
        let off: f64 = sums.iter().zip(own).map(|(sum, wanted)| (sum - wanted).abs()).sum();
        if off <= 1e-9 * all {
            return;
        }
        let factors: Vec<f64> = sums
            .iter()
            .zip(own)
            .map(|(sum, wanted)| if *sum > 0.0 { wanted / sum } else { 0.0 })
            .collect();
        for row in 0..above.len() {
            for (cell, factor) in table.row_mut(row).iter_mut().zip(&factors) {
                *cell *= factor;
            }
        }
    }
}

/// Counts as chances; of a row without any, those of `otherwise`, or equal ones.
fn shares(row: &mut [f64], otherwise: &[f64]) {
    let sum: f64 = row.iter().sum();
    let rest: f64 = otherwise.iter().sum();
    let equal = 1.0 / count(row.len().max(1));
    for (cell, other) in row.iter_mut().zip(otherwise) {
        *cell = if sum > 0.0 {
            *cell / sum
        } else if rest > 0.0 {
            other / rest
        } else {
            equal
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_fitted_to_their_margins() {
        let mut table = Matrix::from_rows(&[[8.0, 0.0, 1.0], [0.0, 5.0, 0.0]]);
        let (above, own) = ([6.0, 4.0], [5.0, 4.0, 1.0]);
        balance(&mut table, &above, &own);
        for (row, wanted) in above.iter().enumerate() {
            assert!((table.row(row).iter().sum::<f64>() - wanted).abs() < 1e-3);
        }
        for (column, wanted) in own.iter().enumerate() {
            let sum: f64 = (0..2).map(|row| table.row(row)[column]).sum();
            assert!((sum - wanted).abs() < 1e-3);
        }
    }
}
