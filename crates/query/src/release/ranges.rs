//! Ranges of columns that are found privately.
//!
//! # What is released
//! One value of each unit (chosen by a keyed hash), counted in 123 public bins: 0, and for each sign the
//! octaves of 2^-20 to 2^41. The range is that of the outermost octaves whose noisy count is
//! significant; post-processing, as in [`throng_mechanism::bounds`].
//!
//! # Guarantee
//! That of the noise on contributions of norm 1: a unit is in one bin.

use std::collections::BTreeMap;

use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use throng_mechanism::{Clamp, Grid, MechanismError};
use throng_numeric::Rational;

use super::family::Relative;
use super::measure::Ends;
use super::source::Asked;
use crate::QueryError;
use crate::question::{Question, Unit};
use crate::tally::{Layout, Measure};

/// The finest step that is looked at.
const FINEST: i32 = -20;

/// Magnitudes are 0 and [1, 2), [2, 4), ..., up to 2^61 steps.
const MAGNITUDES: i64 = 61;

/// Bins: each magnitude but 0 has two signs.
pub(super) const BINS: usize = 123;

/// A bin is significant above this many deviations: an empty one passes with a chance of 3e-7 (Gaussian)
/// or 4e-4 (Laplace).
const SIGNIFICANT: f64 = 5.0;

/// A column whose range is to be found.
#[derive(Debug, Clone)]
pub(super) struct Search {
    /// The question whose rows are looked at.
    pub(super) question: usize,
    pub(super) input: usize,
    pub(super) column: String,
    pub(super) noise: Relative,
    /// Its share of the cost.
    pub(super) share: f64,
}

/// What is asked of the source for it: unit and column alone.
pub(super) fn asked(
    search: &Search,
    question: &Question,
    hash_key: [u64; 2],
) -> Result<Asked, QueryError> {
    let layout = Layout {
        unit: question.unit.clone(),
        keys: Vec::new(),
        inputs: 1,
        measures: vec![Measure::Values { input: 0, clamp: widest()? }],
    };
    let rows = columns_of(question, search.input)?;
    Ok(Asked { question: search.question, rows, layout, hash_key })
}

fn columns_of(question: &Question, input: usize) -> Result<LogicalPlan, QueryError> {
    let unit = usize::from(question.unit != Unit::Row);
    let place = unit + question.keys.len() + input;
    let columns = question.rows.schema().columns();
    let missing = || QueryError::invalid("the rows of a question lack an input", "");
    let mut kept: Vec<Expr> = columns.iter().take(unit).cloned().map(Expr::Column).collect();
    kept.push(Expr::Column(columns.get(place).cloned().ok_or_else(missing)?));
    LogicalPlanBuilder::from(question.rows.clone())
        .project(kept)
        .and_then(LogicalPlanBuilder::build)
        .map_err(|_| QueryError::engine("planning the search for the range of a column"))
}

fn widest() -> Result<Clamp, MechanismError> {
    let (grid, most) = (Grid::new(FINEST)?, (1_i64 << MAGNITUDES) - 1);
    Clamp::new(&grid.at(-most), &grid.at(most), grid)
}

/// The counts of the bins.
pub(super) fn counts(values: &[i64]) -> Vec<i64> {
    let mut counts = vec![0_i64; BINS];
    for value in values {
        if let Some(count) = counts.get_mut(bin(*value)) {
            *count += 1;
        }
    }
    counts
}

/// 61 for 0, and further out by one for each doubling.
fn bin(k: i64) -> usize {
    let size = i64::from(u64::BITS - k.unsigned_abs().leading_zeros()).min(MAGNITUDES);
    usize::try_from(MAGNITUDES + size * k.signum()).unwrap_or(0)
}

/// The range that noisy counts show; none if they show nothing.
pub(super) fn range(counts: &[f64], deviation: f64) -> Option<Ends> {
    let shown = |count: &f64| *count > SIGNIFICANT * deviation;
    let (first, last) = (counts.iter().position(shown)?, counts.iter().rposition(shown)?);
    let power = |e: i64| {
        let exponent = i32::try_from(e).unwrap_or(0) + FINEST;
        Grid::new(exponent).map(Grid::step).unwrap_or(Rational::ONE)
    };
    let size = |bin: usize| i64::try_from(bin).unwrap_or(0) - MAGNITUDES;
    // Bin 0 is [0, 0]; bin s > 0 is [2^(s-1), 2^s) steps. Ranges start or end at 0 unless they
    // lie on both sides of it: what is below an octave matters little.
    let lower = if size(first) < 0 { -power(-size(first)) } else { Rational::ZERO };
    let upper = if size(last) > 0 { power(size(last)) } else { Rational::ZERO };
    Some(Ends { lower, upper })
}

/// If nothing shows.
pub(super) fn fallback() -> Ends {
    Ends { lower: Rational::ZERO, upper: Rational::ONE }
}

/// The name of the fact that keeps a found range.
pub(super) fn fact_name(column: &str) -> String {
    format!("bounds:{column}")
}

/// A range as text, and back.
pub(super) fn to_text(ends: &Ends) -> String {
    format!("{} {}", ends.lower, ends.upper)
}

pub(super) fn of_text(text: &str) -> Option<Ends> {
    let (lower, upper) = text.split_once(' ')?;
    let ends = Ends { lower: lower.parse().ok()?, upper: upper.parse().ok()? };
    (ends.lower <= ends.upper).then_some(ends)
}

/// Ranges by column.
pub(super) type Found = BTreeMap<String, Ends>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::estimate::from_steps;

    #[test]
    fn significant_octaves_give_the_range() {
        let steps = 1_i64 << 20;
        let mut values = vec![3 * steps; 1000];
        values.extend(vec![100 * steps; 1000]);
        values.push(-5000 * steps);
        let noisy: Vec<f64> = counts(&values).iter().map(|n| from_steps(*n, 1.0)).collect();
        let ends = range(&noisy, 10.0).unwrap();
        assert_eq!((ends.lower, ends.upper), (Rational::ZERO, Rational::from(128)));
        assert!(range(&[0.0; BINS], 10.0).is_none());
    }

    #[test]
    fn each_value_has_a_bin() {
        for value in [0, 1, -1, i64::MAX, i64::MIN, 1 << 61] {
            assert!(bin(value) < BINS);
            assert_eq!(counts(&[value]).iter().sum::<i64>(), 1);
        }
    }

    #[test]
    fn ranges_survive_as_text() {
        let ends = Ends { lower: "-1/8".parse().unwrap(), upper: Rational::from(128) };
        assert_eq!(of_text(&to_text(&ends)), Some(ends));
        assert_eq!(of_text("2 1"), None);
        assert_eq!(of_text("x"), None);
    }
}
