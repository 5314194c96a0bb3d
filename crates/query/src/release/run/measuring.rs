//! Base measures with noise.

use throng_account::Neighbours;
use throng_mechanism::quantile::Quantile;
use throng_mechanism::{Clamp, Mechanism, MechanismError, Run};
use throng_numeric::Rational;

use super::answering::Answering;
use super::broken;
#[cfg(test)]
use super::noised::record;
use super::noised::{deviation, noised};
use crate::release::estimate::{NoisyBase, from_steps};
#[cfg(any(test, feature = "test-util"))]
use crate::release::exact::{self, Content};
use crate::release::plan::{Base, is_whole};
use crate::release::price::{Amount, number};
use crate::release::threshold::SCORE;
use crate::tally::{Cells, Measure};

impl Answering<'_> {
    /// All cells of a base, and what is claimed of them.
    #[cfg(any(test, feature = "test-util"))]
    fn note(
        &self,
        place: usize,
        limit: Option<u64>,
        reach: &Rational,
        cells: &Cells,
        values: Vec<i128>,
    ) {
        let measure = self.measures.get(place).and_then(Option::as_ref).map(|s| &s.measure);
        let part = format!("{place} {:?} {measure:?} {limit:?}", self.plan.bases.get(place));
        let (family, reach) = (self.design.family, reach.clone());
        let keys = exact::named(self.totals, &cells.keys);
        exact::note(part, keys, Content::Totals { family, reach, values });
    }

    /// A total with noise, in the cells of these places: in steps, and as numbers.
    pub(super) fn total(
        &self,
        place: usize,
        limit: Option<u64>,
        cells: &Cells,
        places: &[usize],
        run: &mut Run<'_>,
    ) -> Result<(Vec<i64>, NoisyBase), MechanismError> {
        let base = self.plan.bases.get(place).ok_or_else(broken)?;
        let scaled = self.measures.get(place).and_then(Option::as_ref).ok_or_else(broken)?;
        let sums = self.sums(place, cells)?;
        let totals = places.iter().map(|i| sums.get(*i).copied().unwrap_or(0)).collect();
        let reach = self.design.reach(self.plan, base, &scaled.each, limit)?;
        #[cfg(any(test, feature = "test-util"))]
        self.note(place, limit, &reach, cells, sums.to_vec());
        let (steps, noisy) = self.add(place, &reach, scaled.unit, totals, run)?;
        Ok((steps, noisy.scaled(scaled)))
    }

    fn add(
        &self,
        place: usize,
        reach: &Rational,
        unit: f64,
        totals: Vec<i128>,
        run: &mut Run<'_>,
    ) -> Result<(Vec<i64>, NoisyBase), MechanismError> {
        let Some((Amount::Noise(relative), _)) = self.planned.amounts.get(place) else {
            return Err(broken());
        };
        let (steps, noise) = noised(relative, reach, self.design.under, totals, run)?;
        let values = steps.iter().map(|k| from_steps(*k, unit)).collect();
        let width = noise.law().half_width(1.0 - self.design.confidence)?;
        let width = Rational::from(width).to_f64_up() * unit;
        let noisy = NoisyBase::new(values, deviation(&noise)? * unit, width);
        Ok((steps, noisy))
    }

    pub(super) fn sums<'c>(
        &self,
        place: usize,
        cells: &'c Cells,
    ) -> Result<&'c [i128], MechanismError> {
        let measure = self.measures.iter().take(place).flatten().count();
        Ok(cells.sums.get(measure).ok_or_else(broken)?)
    }

    pub(super) fn noisy(
        &self,
        place: usize,
        limit: Option<u64>,
        cells: &Cells,
        lists: Option<&Cells>,
        places: &[usize],
        run: &mut Run<'_>,
    ) -> Result<NoisyBase, MechanismError> {
        let base = self.plan.bases.get(place).ok_or_else(broken)?;
        let lists = lists.unwrap_or(cells);
        let unit = 1.0 / number(SCORE.unsigned_abs());
        let sizes = |i: &usize| {
            let sums = self.sums(place, lists).ok();
            sums.and_then(|sums| sums.get(*i)).copied().unwrap_or(0)
        };
        let units = |i: &usize| lists.units.get(*i).copied().map_or(0, i128::from);
        let count = |i: &usize| if *base == Base::Units { units(i) } else { sizes(i) };
        match base {
            Base::Units | Base::Distinct { .. } => {
                let counts = places.iter().map(|i| count(i).saturating_mul(i128::from(SCORE)));
                let counts = counts.collect();
                let reach = self.design.reach(self.plan, base, &Rational::ONE, None)?;
                #[cfg(any(test, feature = "test-util"))]
                {
                    let all = 0..lists.keys.len();
                    let all = all.map(|i| count(&i).saturating_mul(i128::from(SCORE)));
                    self.note(place, limit, &reach, lists, all.collect());
                }
                Ok(self.add(place, &reach, unit, counts, run)?.1)
            }
            Base::Quantile { .. } => self.quantiles(place, place, None, lists, places, run),
            Base::End { of, above } => self.quantiles(place, *of, Some(*above), lists, places, run),
            Base::Clipped { .. } => Ok(self.total(place, None, lists, places, run)?.1),
            Base::Rows | Base::Present { .. } | Base::Sum { .. } | Base::Squares { .. } => {
                Ok(self.total(place, limit, cells, places, run)?.1)
            }
        }
    }

    /// A quantile in each cell, or an end of the interval around it.
    ///
    /// # Guarantee
    /// `groups * exponential(eps)`. With the values of one unit in one cell, at most m, the
    /// distances d of ranks change as by m records that come or go, each of which changes d within
    /// an interval of length R ([`Quantile`]): together within one of length m R, so chances
    /// proportional to e^(-ε d/(m R)) have a loss of range at most ε. If a unit is replaced, at most m records
    /// go and m come: 2m R. Then a unit is in at most `groups` cells before and `groups` after; a cell
    /// that it only leaves or only enters has range ε/2, and two of them together have range ε. So
    /// the cells form at most `groups` parts of range ε each.
    fn quantiles(
        &self,
        place: usize,
        of: usize,
        end: Option<bool>,
        lists: &Cells,
        places: &[usize],
        run: &mut Run<'_>,
    ) -> Result<NoisyBase, MechanismError> {
        let quantile = self.quantile(place, of, end)?;
        #[cfg(test)]
        if let Some((Amount::Selection { epsilon, .. }, _)) = self.planned.amounts.get(place) {
            record::selection(epsilon, &quantile, places.len());
        }
        let measure = self.measures.iter().take(of).flatten().count();
        let values = lists.values.get(measure).ok_or_else(broken)?;
        #[cfg(any(test, feature = "test-util"))]
        {
            let (most, groups) = (self.plan.values, self.plan.few);
            let content = Content::Lists { most, groups, values: values.clone() };
            let keys = exact::named(self.totals, &lists.keys);
            exact::note(format!("{place} {:?}", self.measures.get(of)), keys, content);
        }
        let scaled = self.measures.get(of).and_then(Option::as_ref).ok_or_else(broken)?;
        let mut found = Vec::with_capacity(places.len());
        for i in places {
            let steps: &[i64] = values.get(*i).map_or(&[], |steps| steps);
            let numbers: Vec<f64> = steps.iter().map(|k| from_steps(*k, scaled.unit)).collect();
            found.push(quantile.answer(&numbers, run)?.value(0));
        }
        let Some(Base::Quantile { input, .. }) = self.plan.bases.get(of) else {
            return Err(broken());
        };
        let whole = self.plan.question.inputs.get(*input);
        let whole = whole.is_some_and(|input| is_whole(&input.kind));
        let Measure::Values { clamp, .. } = scaled.measure else { return Err(broken()) };
        let ends = (clamp.grid().to_f64(clamp.lower()), clamp.grid().to_f64(clamp.upper()));
        Ok(NoisyBase { whole, ends, ..NoisyBase::new(found, 0.0, 0.0) })
    }

    fn quantile(
        &self,
        place: usize,
        of: usize,
        end: Option<bool>,
    ) -> Result<Quantile, MechanismError> {
        let scaled = self.measures.get(of).and_then(Option::as_ref).ok_or_else(broken)?;
        let Measure::Values { clamp, .. } = scaled.measure else { return Err(broken()) };
        let Some((Amount::Selection { epsilon, .. }, _)) = self.planned.amounts.get(place) else {
            return Err(broken());
        };
        let Some(Base::Quantile { fraction, .. }) = self.plan.bases.get(of) else {
            return Err(broken());
        };
        let (values, under) = (self.plan.values, self.design.under);
        match end {
            None => quantile(fraction, clamp, epsilon, values, under),
            Some(above) => {
                // Each end misses with half the chance that both may.
                let confidence = f64::midpoint(1.0, self.design.confidence);
                end_of(fraction, clamp, &each_record(epsilon, values, under)?, confidence, above)
            }
        }
    }
}

/// The mechanism for a quantile of at most `values` values per unit; see [`Answering::quantiles`].
pub(in crate::release) fn quantile(
    fraction: &Rational,
    clamp: Clamp,
    epsilon: &Rational,
    values: u64,
    under: Neighbours,
) -> Result<Quantile, MechanismError> {
    let epsilon = each_record(epsilon, values, under)?;
    let by_record = Neighbours::AddRemove;
    if fraction.is_zero() {
        return Quantile::minimum(clamp, &epsilon, by_record);
    }
    if *fraction == Rational::ONE {
        return Quantile::maximum(clamp, &epsilon, by_record);
    }
    Quantile::fraction(fraction, clamp, &epsilon, by_record)
}

fn end_of(
    fraction: &Rational,
    clamp: Clamp,
    epsilon: &Rational,
    confidence: f64,
    above: bool,
) -> Result<Quantile, MechanismError> {
    let by_record = Neighbours::AddRemove;
    if above {
        Quantile::above(fraction, clamp, epsilon, by_record, confidence)
    } else {
        Quantile::below(fraction, clamp, epsilon, by_record, confidence)
    }
}

/// What is left of the range for each record of a unit.
fn each_record(
    epsilon: &Rational,
    values: u64,
    under: Neighbours,
) -> Result<Rational, MechanismError> {
    let records = match under {
        Neighbours::AddRemove | Neighbours::ZeroOut => values,
        Neighbours::Replace => values.saturating_mul(2),
    };
    Ok(epsilon.checked_div(&Rational::from(records.max(1)))?)
}
