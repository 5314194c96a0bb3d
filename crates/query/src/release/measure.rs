//! Base measures on grids: how numbers become steps, and how many steps a row contributes.

use throng_mechanism::{Clamp, Grid, MechanismError};
use throng_numeric::Rational;

use super::plan::{Base, Plan, is_whole};
use super::price::number;
use crate::QueryError;
use crate::tally::Measure;

/// A row contributes at least about 2^24 steps at most: too fine to matter beside noise, and
/// coarse enough for 2^37 rows.
const FINE: u32 = 24;

/// The range of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) lower: Rational,
    pub(super) upper: Rational,
}

/// A base measure, ready to be totalled.
#[derive(Debug, Clone)]
pub(super) struct Scaled {
    pub(super) measure: Measure,
    /// Totals are multiplied by 2^bits.
    pub(super) bits: u32,
    /// What one row (of a clipped sum, one unit in one cell) contributes at most, in steps / 2^bits.
    pub(super) each: Rational,
    /// What a step / 2^bits is worth.
    pub(super) unit: f64,
    /// What was subtracted from each number.
    pub(super) centre: f64,
    /// What was subtracted from each square.
    pub(super) offset: f64,
    /// The range of the numbers.
    pub(super) ends: (f64, f64),
}

impl Scaled {
    /// A count.
    fn count(measure: Measure) -> Self {
        Self {
            measure,
            bits: FINE,
            each: Rational::from(1_u64 << FINE),
            unit: 1.0 / number(1 << FINE),
            centre: 0.0,
            offset: 0.0,
            ends: (0.0, 0.0),
        }
    }

    /// The measure of a base; `None` for units and ends, which need none of their own.
    pub(super) fn of(
        plan: &Plan,
        base: &Base,
        ends: Option<&Ends>,
    ) -> Result<Option<Self>, QueryError> {
        Ok(match base {
            Base::Units | Base::End { .. } => None,
            Base::Rows => Some(Self::count(Measure::Rows)),
            Base::Present { input } => Some(Self::count(Measure::Present { input: *input })),
            Base::Distinct { input } => {
                Some(Self { bits: 0, ..Self::count(Measure::Distinct { input: *input }) })
            }
            Base::Sum { input, centred } => {
                Some(Self::sum(*input, clamp(plan, *input, known(ends)?, *centred)?, *centred))
            }
            Base::Clipped { input, .. } => Some(Self::clipped(plan, *input, known(ends)?)?),
            Base::Squares { input } => {
                Some(Self::squares(*input, clamp(plan, *input, known(ends)?, true)?))
            }
            Base::Quantile { input, .. } => {
                let clamp = clamp(plan, *input, known(ends)?, true)?;
                let measure = Measure::Values { input: *input, clamp };
                let unit = clamp.grid().to_f64(1);
                Some(Self { bits: 0, unit, ..Self::count(measure) })
            }
        })
    }

    fn sum(input: usize, clamp: Clamp, centred: bool) -> Self {
        let centre = if centred { middle(clamp) } else { 0 };
        let measure = Measure::Sum { input, clamp, centre };
        let most = measure.reach().max(1);
        let bits = FINE.saturating_sub(most.ilog2());
        let step = clamp.grid().to_f64(1);
        Self {
            measure,
            bits,
            each: Rational::from(most) * Rational::from(1_u64 << bits),
            unit: step / number(1 << bits),
            centre: clamp.grid().to_f64(centre),
            offset: 0.0,
            ends: (clamp.grid().to_f64(clamp.lower()), clamp.grid().to_f64(clamp.upper())),
        }
    }

    /// A sum with a clip: the clip decides about the grid, as it does about the noise.
    fn clipped(plan: &Plan, input: usize, ends: &Ends) -> Result<Self, QueryError> {
        let found = plan.question.inputs.get(input);
        let most = found.and_then(|input| input.unit_sum.clone());
        let most = most.ok_or_else(|| QueryError::invalid("a sum without its clip", ""))?;
        let within = |x: &Rational| x.clone().clamp(-most.clone(), most.clone());
        let whole = found.is_some_and(|input| is_whole(&input.kind));
        let whole = whole && most <= Rational::from(1_i64 << 28);
        let grid = if whole { Grid::WHOLE } else { Grid::under(&most)? };
        let clamp = Clamp::new(&within(&ends.lower), &within(&ends.upper), grid)?;
        let steps = most.checked_div(&grid.step()).map_err(MechanismError::from)?;
        let steps = u64::try_from(steps.floor()).unwrap_or(1).max(1);
        let bits = FINE.saturating_sub(steps.ilog2());
        Ok(Self {
            measure: Measure::Clipped { input, clamp, most: steps },
            bits,
            each: Rational::from(steps) * Rational::from(1_u64 << bits),
            unit: grid.to_f64(1) / number(1 << bits),
            centre: 0.0,
            offset: 0.0,
            ends: (grid.to_f64(clamp.lower()), grid.to_f64(clamp.upper())),
        })
    }

    fn squares(input: usize, clamp: Clamp) -> Self {
        let centre = middle(clamp);
        let most = (clamp.upper() - centre).abs().max((centre - clamp.lower()).abs()).max(1);
        let square = most.saturating_mul(most);
        let offset = square / 2;
        let measure = Measure::Squares { input, clamp, centre, offset };
        let most = measure.reach().max(1);
        let bits = FINE.saturating_sub(most.ilog2());
        let step = clamp.grid().to_f64(1);
        Self {
            measure,
            bits,
            each: Rational::from(most) * Rational::from(1_u64 << bits),
            unit: step * step / number(1 << bits),
            centre: clamp.grid().to_f64(centre),
            offset: clamp.grid().to_f64(offset) * step,
            ends: (clamp.grid().to_f64(clamp.lower()), clamp.grid().to_f64(clamp.upper())),
        }
    }
}

const fn middle(clamp: Clamp) -> i64 {
    clamp.lower() + clamp.width() / 2
}

fn known(ends: Option<&Ends>) -> Result<&Ends, QueryError> {
    ends.ok_or_else(|| QueryError::invalid("the range of an input is not known", ""))
}

/// The grid points that an input is clamped to.
///
/// Whole numbers stay whole; where squares are wanted there are at most 2^15 steps, else about 2^20, over
/// the width if numbers are centred and over the largest number if not.
fn clamp(plan: &Plan, input: usize, ends: &Ends, centred: bool) -> Result<Clamp, QueryError> {
    let Ends { lower, upper } = ends;
    if lower > upper {
        let what = format!("the range of an input is {lower}..{upper}");
        return Err(QueryError::invalid(what, "put the lower end first"));
    }
    let squares = plan.bases.contains(&Base::Squares { input });
    let most: i64 = if squares { 1 << 14 } else { 1 << 28 };
    let width = upper - lower;
    let largest = lower.abs().max(upper.abs());
    let whole = plan.question.inputs.get(input).is_some_and(|input| is_whole(&input.kind));
    let size = if centred { &width } else { &largest };
    if whole && *size <= Rational::from(most) && largest <= Rational::from(1_i64 << 60) {
        return Ok(Clamp::new(lower, upper, Grid::WHOLE)?);
    }
    if size.is_zero() {
        return Ok(Clamp::between(lower, upper)?);
    }
    let grid = if squares && centred {
        Grid::at_most(&(size * &Grid::new(-14)?.step()))?
    } else {
        Grid::under(size)?
    };
    Ok(Clamp::new(lower, upper, grid)?)
}
