use serde::{Deserialize, Serialize};
use throng_sample::Entropy;

use super::tree::{Branch, fit};
use crate::data::check_columns;
use crate::draws::Draws;
use crate::histogram::{Coded, Domain};
use crate::marginals::{Marginal, total};
use crate::math::count;
use crate::{LearnError, Matrix, Model};

/// So many cells are drawn at a time, 2^28.
const MOST_DRAWN: usize = 1 << 28;

/// A model of a table: each column's law, given that of its parent in a tree.
///
/// It keeps what was released, the noisy counts of columns and chosen pairs, and the chances that
/// were fitted to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyntheticModel {
    domain: Domain,
    singles: Vec<Marginal>,
    pairs: Vec<Marginal>,
    branches: Vec<Branch>,
}

impl SyntheticModel {
    pub(super) fn new(
        domain: Domain,
        singles: Vec<Marginal>,
        pairs: Vec<Marginal>,
    ) -> Result<Self, LearnError> {
        let branches = fit(&domain, &singles, &pairs)?;
        Ok(Self { domain, singles, pairs, branches })
    }

    /// The bins of each column.
    #[must_use]
    pub const fn domain(&self) -> &Domain {
        &self.domain
    }

    /// What was released of columns.
    #[must_use]
    pub fn singles(&self) -> &[Marginal] {
        &self.singles
    }

    /// What was released of pairs.
    #[must_use]
    pub fn pairs(&self) -> &[Marginal] {
        &self.pairs
    }

    /// The pairs of columns whose dependence is modelled.
    #[must_use]
    pub fn edges(&self) -> Vec<(usize, usize)> {
        let edge = |pair: &Marginal| match pair.columns() {
            [a, b] => Some((*a, *b)),
            _ => None,
        };
        self.pairs.iter().filter_map(edge).collect()
    }

    /// The number of records, as all released counts together tell it.
    #[must_use]
    pub fn records(&self) -> f64 {
        total(self.singles.iter().chain(&self.pairs))
    }

    /// Rows drawn from the model: the place of a level, or a number within its bin.
    ///
    /// Post-processing, so as many as one likes.
    ///
    /// # Errors
    /// If they have more than 2^28 cells together, or no randomness can be drawn.
    pub fn sample(
        &self,
        rows: usize,
        entropy: &mut dyn Entropy,
    ) -> Result<Matrix<f64>, LearnError> {
        let columns = self.domain.columns().len();
        let cells = rows.checked_mul(columns).filter(|cells| *cells <= MOST_DRAWN);
        let cells = cells.ok_or_else(|| {
            let most = MOST_DRAWN / columns.max(1);
            let allowed = format!("at most {most} at a time: 2^28 cells of {columns} columns");
            LearnError::invalid("the number of rows", rows, allowed)
        })?;
        let sums: Vec<Matrix<f64>> = self.branches.iter().map(|b| summed(&b.chances)).collect();
        let mut values = Vec::with_capacity(cells);
        let mut draws = Draws::new(entropy);
        let mut bins = vec![0_usize; columns];
        for _ in 0..rows {
            for (branch, sums) in self.branches.iter().zip(&sums) {
                let row = branch.parent.and_then(|parent| bins.get(parent).copied()).unwrap_or(0);
                let chances = sums.row(row);
                let u = draws.fraction()?;
                let bin =
                    chances.partition_point(|sum| *sum <= u).min(chances.len().saturating_sub(1));
                if let Some(place) = bins.get_mut(branch.column) {
                    *place = bin;
                }
            }
            for (column, bin) in self.domain.columns().iter().zip(&bins) {
                let (low, high) = column.ends(*bin).unwrap_or((0.0, 0.0));
                let within = if low < high { draws.fraction()? } else { 0.0 };
                values.push(low + (high - low) * within);
            }
        }
        Matrix::new(rows, columns, values)
    }
}

impl Model for SyntheticModel {
    const KIND: &'static str = "synthetic";
}

/// Chances added up along each row.
fn summed(chances: &Matrix<f64>) -> Matrix<f64> {
    let mut sums = chances.clone();
    for row in 0..sums.rows() {
        let mut sum = 0.0;
        for cell in sums.row_mut(row) {
            sum += *cell;
            *cell = sum;
        }
    }
    sums
}

/// How far two tables are apart, as total variation distances of the laws of their columns and pairs of
/// columns, each between 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Differences {
    /// Of each column.
    pub columns: Vec<f64>,
    /// Of each pair of columns.
    pub pairs: Vec<((usize, usize), f64)>,
}

impl Differences {
    /// The mean over columns.
    #[must_use]
    pub fn mean_of_columns(&self) -> f64 {
        self.columns.iter().sum::<f64>() / count(self.columns.len().max(1))
    }

    /// The mean over pairs.
    #[must_use]
    pub fn mean_of_pairs(&self) -> f64 {
        self.pairs.iter().map(|(_, d)| d).sum::<f64>() / count(self.pairs.len().max(1))
    }
}

/// How far a synthetic table is from another. The other must be public: nothing here has noise.
///
/// # Errors
/// If a table has another number of columns than the domain, or a pair too many cells.
pub fn differences(
    domain: &Domain,
    synthetic: &Matrix<f64>,
    public: &Matrix<f64>,
) -> Result<Differences, LearnError> {
    let columns = domain.columns().len();
    check_columns(synthetic.columns(), columns)?;
    check_columns(public.columns(), columns)?;
    let (one, other) = (domain.code(synthetic), domain.code(public));
    let apart = |of: &[usize]| -> Result<f64, LearnError> {
        let shape = domain.shape_of(of)?;
        let law = |coded: &Coded| {
            let counts = coded.counts(of, &shape);
            let total = counts.iter().sum::<i64>().max(1);
            counts.into_iter().map(move |n| crate::math::number(n) / crate::math::number(total))
        };
        Ok(law(&one).zip(law(&other)).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0)
    };
    let mut found = Differences { columns: Vec::new(), pairs: Vec::new() };
    for a in 0..columns {
        found.columns.push(apart(&[a])?);
        for b in a + 1..columns {
            found.pairs.push(((a, b), apart(&[a, b])?));
        }
    }
    Ok(found)
}
