//! From exact totals to noisy cells.

use std::collections::BTreeMap;

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::grid::MOST_STEPS;
use throng_mechanism::quantile::Quantile;
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};
use throng_numeric::Rational;

use super::Answered;
use super::contribution::{BINS, Contributions, Second};
use super::design::{By, Design, Planned, norm_fact, one_hot_reach, score_reach};
use super::estimate::{NoisyBase, Precision, from_steps};
#[cfg(any(test, feature = "test-util"))]
use super::exact::{self, Content};
use super::family::Relative;
use super::measure::Scaled;
use super::plan::{Base, Plan, Rows, is_whole};
use super::price::{Amount, number};
use super::ranges::{self, Found};
use super::reach::{Shape, Sign};
use super::source::{Asked, Source};
use super::threshold::SCORE;
use crate::QueryError;
use crate::tally::{Bounding, Cells, Layout, Measure, RowBound, Totals};

impl Mechanism for Design {
    type Input = dyn Source;
    type Output = Vec<Answered>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(
        &self,
        input: &dyn Source,
        run: &mut Run<'_>,
    ) -> Result<Vec<Answered>, MechanismError> {
        let found = self.search(input, run)?;
        let mut asked = Vec::new();
        for (i, planned) in self.planned.iter().enumerate() {
            let measures = self.measures(&planned.plan, &found.ranges).map_err(quiet)?;
            asked.push(self.asked(i, &planned.plan, &measures, run)?);
        }
        let totals = input.totals(&asked)?;
        if totals.len() != self.planned.len() {
            return Err(broken());
        }
        let mut answers = Vec::new();
        for (planned, totals) in self.planned.iter().zip(&totals) {
            let answering = Answering::new(self, planned, totals, &found)?;
            answers.push(answering.answer(run)?);
        }
        Ok(answers)
    }
}

/// What was found about columns.
#[derive(Default)]
struct Searched {
    ranges: Found,
    /// Columns where something was significant: worth keeping.
    facts: Vec<(String, String)>,
    /// For people.
    chosen: Vec<(String, String)>,
}

impl Design {
    /// Finds the ranges of columns.
    fn search(&self, input: &dyn Source, run: &mut Run<'_>) -> Result<Searched, MechanismError> {
        let mut found = Searched::default();
        if self.searches.is_empty() {
            return Ok(found);
        }
        let mut asked = Vec::new();
        for search in &self.searches {
            let planned = self.planned.get(search.question).ok_or_else(broken)?;
            let key = hash_key(run)?;
            asked.push(ranges::asked(search, &planned.plan.question, key).map_err(quiet)?);
        }
        let totals = input.totals(&asked)?;
        if totals.len() != asked.len() {
            return Err(broken());
        }
        let reach = one_hot_reach(self.family, self.under)?;
        for (search, totals) in self.searches.iter().zip(&totals) {
            let one = Bounding { groups: 1, rows: RowBound::PerCell { rows: 1 }, values: 1 };
            let cells = totals.bounded(&one, &[0]).map_err(quiet)?;
            let values = cells.values.first().and_then(|lists| lists.first());
            let counts = ranges::counts(values.map_or(&[], |values| values));
            let counts: Vec<i128> =
                counts.into_iter().map(|n| i128::from(n) * i128::from(SCORE)).collect();
            #[cfg(any(test, feature = "test-util"))]
            self.note_bins(format!("range of {}", search.column), &reach, &counts);
            let (counts, deviation) = counted(&search.noise, &reach, self.under, counts, run)?;
            let ends = ranges::range(&counts, deviation);
            if let Some(ends) = &ends {
                let text = ranges::to_text(ends);
                found.facts.push((ranges::fact_name(&search.column), text));
            }
            let ends = ends.unwrap_or_else(ranges::fallback);
            let text = format!("{} to {}", ends.lower, ends.upper);
            found.chosen.push((format!("range of {}", search.column), text));
            found.ranges.insert(search.column.clone(), ends);
        }
        Ok(found)
    }

    #[cfg(any(test, feature = "test-util"))]
    fn note_bins(&self, part: String, reach: &Rational, counts: &[i128]) {
        let (family, reach, values) = (self.family, reach.clone(), counts.to_vec());
        exact::note(part, exact::numbered(counts.len()), Content::Totals { family, reach, values });
    }

    fn asked(
        &self,
        question: usize,
        plan: &Plan,
        measures: &[Option<Scaled>],
        run: &mut Run<'_>,
    ) -> Result<Asked, MechanismError> {
        let measures = measures.iter().flatten().map(|scaled| scaled.measure.clone()).collect();
        let layout = Layout {
            unit: plan.question.unit.clone(),
            keys: plan.question.keys.clone(),
            inputs: plan.question.inputs.len(),
            measures,
        };
        let rows = plan.question.rows.clone();
        Ok(Asked { question, rows, layout, hash_key: hash_key(run)? })
    }
}

/// Counts kept as multiples of S, with noise: as numbers, and the deviation of each.
fn counted(
    relative: &Relative,
    reach: &Rational,
    under: Neighbours,
    counts: Vec<i128>,
    run: &mut Run<'_>,
) -> Result<(Vec<f64>, f64), MechanismError> {
    let (steps, noise) = noised(relative, reach, under, counts, run)?;
    let unit = 1.0 / number(SCORE.unsigned_abs());
    let values = steps.into_iter().map(|k| from_steps(k, unit)).collect();
    Ok((values, deviation(&noise)? * unit))
}

/// The one place where noise meets totals.
fn noised(
    relative: &Relative,
    reach: &Rational,
    under: Neighbours,
    totals: Vec<i128>,
    run: &mut Run<'_>,
) -> Result<(Vec<i64>, Noise), MechanismError> {
    let noise = relative.noise(reach, under)?;
    #[cfg(test)]
    record::noise(relative, reach, &totals);
    let most = i128::from(MOST_STEPS);
    // Saturation moves no two values further apart.
    let steps = |x: i128| i64::try_from(x.clamp(-most, most)).unwrap_or(0);
    let mut values: Vec<i64> = totals.into_iter().map(steps).collect();
    noise.add(&mut values, run)?;
    Ok((values, noise))
}

fn deviation(noise: &Noise) -> Result<f64, MechanismError> {
    Ok(noise.law().variance()?.upper().sqrt())
}

fn hash_key(run: &mut Run<'_>) -> Result<[u64; 2], MechanismError> {
    let mut bytes = [[0_u8; 8]; 2];
    for word in &mut bytes {
        run.entropy().fill(word)?;
    }
    Ok(bytes.map(u64::from_le_bytes))
}

/// One question on its way to its answer.
struct Answering<'a> {
    design: &'a Design,
    planned: &'a Planned,
    plan: &'a Plan,
    totals: &'a Totals,
    measures: Vec<Option<Scaled>>,
    found: &'a Searched,
}

/// The cells that are shown.
struct Shown {
    /// Their places among all cells.
    places: Vec<usize>,
    /// Their relative sizes, as far as that is known from what was released.
    sizes: Vec<f64>,
    /// The base that selected them, with noise.
    base: Option<(usize, NoisyBase)>,
}

impl<'a> Answering<'a> {
    fn new(
        design: &'a Design,
        planned: &'a Planned,
        totals: &'a Totals,
        found: &'a Searched,
    ) -> Result<Self, MechanismError> {
        let plan = &planned.plan;
        let measures = design.measures(plan, &found.ranges).map_err(quiet)?;
        Ok(Self { design, planned, plan, totals, measures, found })
    }

    fn answer(&self, run: &mut Run<'_>) -> Result<Answered, MechanismError> {
        let contributions = self.contributions(run)?;
        let first = self.bounded(match self.plan.rows {
            Rows::Each(rows) => RowBound::PerCell { rows },
            Rows::Norm(Some(limit)) => self.norm(limit),
            Rows::Norm(None) => RowBound::PerCell { rows: 1 },
        })?;
        let mut shown = self.select(&first, run)?;
        let limit = self.limit(contributions.as_ref(), &shown);
        let cells = match (self.plan.rows, limit) {
            (Rows::Norm(None), Some(limit)) => self.bounded(self.norm(limit))?,
            _ => first,
        };
        let chosen = shown.base.take();
        let mut bases = Vec::new();
        let lists = self.lists(&cells)?;
        for i in 0..self.plan.bases.len() {
            bases.push(match &chosen {
                Some((place, base)) if *place == i => base.clone(),
                _ => self.noisy(i, limit, &cells, lists.as_ref(), &shown.places, run)?,
            });
        }
        self.answered(&cells, &shown, &bases, contributions.as_ref(), limit)
    }

    const fn norm(&self, limit: u64) -> RowBound {
        RowBound::Norm { order: self.design.family.order(), limit }
    }

    fn bounded(&self, rows: RowBound) -> Result<Cells, MechanismError> {
        let bounding = Bounding { groups: self.plan.groups, rows, values: self.plan.values };
        self.totals.bounded(&bounding, &self.bits()).map_err(quiet)
    }

    fn bits(&self) -> Vec<u32> {
        self.measures.iter().flatten().map(|scaled| scaled.bits).collect()
    }

    /// Cells for units, distinct values and quantiles, if they are bounded in another way.
    fn lists(&self, cells: &Cells) -> Result<Option<Cells>, MechanismError> {
        if self.plan.few == self.plan.groups || self.plan.bases.iter().all(Base::is_total) {
            return Ok(None);
        }
        let rows = RowBound::PerCell { rows: 1 };
        let bounding = Bounding { groups: self.plan.few, rows, values: self.plan.values };
        let lists = self.totals.bounded(&bounding, &self.bits()).map_err(quiet)?;
        Ok(Some(aligned(&lists, &cells.keys)))
    }

    /// The noisy histogram of contributions.
    fn contributions(&self, run: &mut Run<'_>) -> Result<Option<Contributions>, MechanismError> {
        let Some((relative, _)) = &self.planned.contributions else { return Ok(None) };
        let second = match self.plan.rows {
            Rows::Each(rows) => Second::Lost { groups: self.plan.groups, rows },
            Rows::Norm(_) => Second::of(self.design.family.order()),
        };
        let mut counts = vec![0_i128; BINS];
        for unit in self.totals.units() {
            if let Some(count) = counts.get_mut(second.bin(&unit)) {
                *count += i128::from(SCORE);
            }
        }
        let reach = one_hot_reach(self.design.family, self.design.under)?;
        #[cfg(any(test, feature = "test-util"))]
        self.design.note_bins("contributions".into(), &reach, &counts);
        let (counts, deviation) = counted(relative, &reach, self.design.under, counts, run)?;
        Ok(Some(Contributions::new(second, &counts, deviation, self.design.family)))
    }

    /// Which cells are shown.
    fn select(&self, cells: &Cells, run: &mut Run<'_>) -> Result<Shown, MechanismError> {
        let all = cells.keys.len();
        let Some(selection) = &self.planned.selection else {
            return Ok(Shown {
                places: (0..all).collect(),
                sizes: vec![1.0; all.max(1)],
                base: None,
            });
        };
        // Only keys that some unit keeps are candidates.
        let candidates: Vec<usize> =
            (0..all).filter(|i| cells.units.get(*i).is_some_and(|units| *units > 0)).collect();
        let (noisy, base) = match &selection.by {
            By::Score(relative) => {
                let score = |i: &usize| i128::from(cells.scores.get(*i).copied().unwrap_or(0));
                let scores: Vec<i128> = candidates.iter().map(score).collect();
                let reach = score_reach(self.plan.groups, self.design.family, self.design.under)?;
                #[cfg(any(test, feature = "test-util"))]
                self.note_scores(selection.one, &reach, cells, &candidates, &scores);
                (noised(relative, &reach, self.design.under, scores, run)?.0, None)
            }
            By::Base(place) => {
                #[cfg(any(test, feature = "test-util"))]
                self.note_base(*place, selection.one, cells, &candidates)?;
                let (steps, base) = self.total(*place, None, cells, &candidates, run)?;
                (steps, Some((*place, base)))
            }
        };
        let passes = |i: &usize| noisy.get(*i).is_some_and(|x| *x >= selection.threshold.at_least);
        let passing: Vec<usize> = (0..candidates.len()).filter(passes).collect();
        let pick =
            |values: &[f64]| passing.iter().filter_map(|i| values.get(*i).copied()).collect();
        Ok(Shown {
            places: passing.iter().filter_map(|i| candidates.get(*i).copied()).collect(),
            sizes: passing
                .iter()
                .filter_map(|i| noisy.get(*i))
                .map(|x| from_steps(*x, 1.0))
                .collect(),
            base: base.map(|(place, base)| {
                let values = pick(&base.values);
                (place, NoisyBase { values, ..base })
            }),
        })
    }

    #[cfg(any(test, feature = "test-util"))]
    fn note_scores(
        &self,
        one: i64,
        reach: &Rational,
        cells: &Cells,
        places: &[usize],
        values: &[i128],
    ) {
        let ids: Vec<u32> = places.iter().filter_map(|i| cells.keys.get(*i).copied()).collect();
        let (family, groups) = (self.design.family, self.plan.groups);
        let (reach, values) = (reach.clone(), values.to_vec());
        let content = Content::Scores { family, reach, groups, one, values };
        exact::note("scores".into(), exact::named(self.totals, &ids), content);
    }

    #[cfg(any(test, feature = "test-util"))]
    fn note_base(
        &self,
        place: usize,
        one: i64,
        cells: &Cells,
        places: &[usize],
    ) -> Result<(), MechanismError> {
        let base = self.plan.bases.get(place).ok_or_else(broken)?;
        let scaled = self.measures.get(place).and_then(Option::as_ref).ok_or_else(broken)?;
        let sums = self.sums(place, cells)?;
        let values: Vec<i128> = places.iter().map(|i| sums.get(*i).copied().unwrap_or(0)).collect();
        let reach = self.design.reach(self.plan, base, &scaled.each, None)?;
        self.note_scores(one, &reach, cells, places, &values);
        Ok(())
    }

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

    /// The limit of the norm of rows, if that is how they are bounded.
    fn limit(&self, contributions: Option<&Contributions>, shown: &Shown) -> Option<u64> {
        match self.plan.rows {
            Rows::Each(_) => None,
            Rows::Norm(Some(limit)) => Some(limit),
            Rows::Norm(None) => {
                contributions.map(|found| found.best_limit(self.noise_of_a_row(), &shown.sizes))
            }
        }
    }

    /// The noise of a count for each row that a unit may have.
    fn noise_of_a_row(&self) -> f64 {
        let count = |base: &Base| matches!(base, Base::Rows | Base::Present { .. });
        let place = self.plan.bases.iter().position(count);
        let place = place.or_else(|| self.plan.bases.iter().position(Base::is_total));
        let amount = place.and_then(|place| self.planned.amounts.get(place));
        let Some((Amount::Noise(relative), _)) = amount else { return 10.0 };
        let sign = Sign { positive: true, single: self.plan.is_single() };
        let reach = Shape::Ball { limit: Rational::ONE };
        let reach = reach.reach(self.design.family, sign, self.design.under);
        relative.median() * reach.map_or(1.0, |reach| reach.to_f64_nearest())
    }

    /// A total with noise, in the cells of these places: in steps, and as numbers.
    fn total(
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

    fn sums<'c>(&self, place: usize, cells: &'c Cells) -> Result<&'c [i128], MechanismError> {
        let measure = self.measures.iter().take(place).flatten().count();
        Ok(cells.sums.get(measure).ok_or_else(broken)?)
    }

    fn noisy(
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
            Base::Quantile { input, fraction } => {
                self.quantiles(place, *input, fraction, lists, places, run)
            }
            Base::Rows | Base::Present { .. } | Base::Sum { .. } | Base::Squares { .. } => {
                Ok(self.total(place, limit, cells, places, run)?.1)
            }
        }
    }

    /// A quantile in each cell.
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
        input: usize,
        fraction: &Rational,
        lists: &Cells,
        places: &[usize],
        run: &mut Run<'_>,
    ) -> Result<NoisyBase, MechanismError> {
        let quantile = self.quantile(place, fraction)?;
        #[cfg(test)]
        if let Some((Amount::Selection { epsilon, .. }, _)) = self.planned.amounts.get(place) {
            record::selection(epsilon, &quantile, places.len());
        }
        let measure = self.measures.iter().take(place).flatten().count();
        let values = lists.values.get(measure).ok_or_else(broken)?;
        #[cfg(any(test, feature = "test-util"))]
        {
            let (most, groups) = (self.plan.values, self.plan.few);
            let content = Content::Lists { most, groups, values: values.clone() };
            let keys = exact::named(self.totals, &lists.keys);
            exact::note(format!("{place} {:?}", self.measures.get(place)), keys, content);
        }
        let scaled = self.measures.get(place).and_then(Option::as_ref).ok_or_else(broken)?;
        let mut found = Vec::with_capacity(places.len());
        for i in places {
            let steps: &[i64] = values.get(*i).map_or(&[], |steps| steps);
            let numbers: Vec<f64> = steps.iter().map(|k| from_steps(*k, scaled.unit)).collect();
            found.push(quantile.answer(&numbers, run)?.value(0));
        }
        let whole = self.plan.question.inputs.get(input).is_some_and(|input| is_whole(&input.kind));
        Ok(NoisyBase { whole, ..NoisyBase::new(found, 0.0, 0.0) })
    }

    fn quantile(&self, place: usize, fraction: &Rational) -> Result<Quantile, MechanismError> {
        let scaled = self.measures.get(place).and_then(Option::as_ref).ok_or_else(broken)?;
        let Measure::Values { clamp, .. } = scaled.measure else { return Err(broken()) };
        let Some((Amount::Selection { epsilon, .. }, _)) = self.planned.amounts.get(place) else {
            return Err(broken());
        };
        quantile(fraction, clamp, epsilon, self.plan.values, self.design.under)
    }

    fn answered(
        &self,
        cells: &Cells,
        shown: &Shown,
        bases: &[NoisyBase],
        contributions: Option<&Contributions>,
        limit: Option<u64>,
    ) -> Result<Answered, MechanismError> {
        let ids: Vec<u32> =
            shown.places.iter().filter_map(|i| cells.keys.get(*i).copied()).collect();
        let keys = self.totals.key_batch(&ids).map_err(quiet)?;
        let precision =
            Precision { family: self.design.family, confidence: self.design.confidence };
        let recipes = self.plan.recipes.iter();
        let columns = recipes.map(|recipe| precision.column(*recipe, bases, ids.len())).collect();
        let limit_rows = limit.map(|limit| number(limit) / 1024.0);
        let clipping =
            contributions.and_then(|found| found.clipping(limit_rows, self.design.confidence));
        let (mut chosen, mut facts) = (Vec::new(), Vec::new());
        if let (Rows::Norm(None), Some(limit)) = (self.plan.rows, limit) {
            let name = format!("rows per unit ({:?} norm)", self.design.family.order());
            chosen.push((name, format!("{:.1}", number(limit) / 1024.0)));
            facts.push((norm_fact(&self.plan.question, self.design.family), limit.to_string()));
        }
        chosen.extend(self.found.chosen.iter().cloned());
        facts.extend(self.found.facts.iter().cloned());
        let threshold = self.planned.selection.as_ref().map(|selection| {
            from_steps(selection.threshold.at_least, 1.0) / from_steps(selection.one, 1.0)
        });
        Ok(Answered { keys, columns, threshold, clipping, chosen, facts })
    }
}

/// The mechanism for a quantile of at most `values` values per unit; see [`Answering::quantiles`].
pub(super) fn quantile(
    fraction: &Rational,
    clamp: throng_mechanism::Clamp,
    epsilon: &Rational,
    values: u64,
    under: Neighbours,
) -> Result<Quantile, MechanismError> {
    let records = match under {
        Neighbours::AddRemove | Neighbours::ZeroOut => values,
        Neighbours::Replace => values.saturating_mul(2),
    };
    let epsilon = epsilon.checked_div(&Rational::from(records.max(1)))?;
    let by_record = Neighbours::AddRemove;
    if fraction.is_zero() {
        return Quantile::minimum(clamp, &epsilon, by_record);
    }
    if *fraction == Rational::ONE {
        return Quantile::maximum(clamp, &epsilon, by_record);
    }
    Quantile::fraction(fraction, clamp, &epsilon, by_record)
}

/// Cells in the order of these keys; those that are missing are empty.
fn aligned(cells: &Cells, keys: &[u32]) -> Cells {
    let place: BTreeMap<u32, usize> = cells.keys.iter().copied().zip(0..).collect();
    let places: Vec<Option<usize>> = keys.iter().map(|key| place.get(key).copied()).collect();
    Cells {
        keys: keys.to_vec(),
        units: picked(&cells.units, &places),
        scores: picked(&cells.scores, &places),
        sums: cells.sums.iter().map(|sums| picked(sums, &places)).collect(),
        values: cells.values.iter().map(|lists| picked(lists, &places)).collect(),
    }
}

fn picked<T: Clone + Default>(all: &[T], places: &[Option<usize>]) -> Vec<T> {
    let at = |place: &Option<usize>| place.and_then(|i| all.get(i)).cloned().unwrap_or_default();
    places.iter().map(at).collect()
}

/// Nothing of the text: it may come from where rows are.
fn quiet(error: QueryError) -> MechanismError {
    match error {
        QueryError::Mechanism(error) => error,
        QueryError::Account(error) => error.into(),
        QueryError::Invalid { .. }
        | QueryError::Refused { .. }
        | QueryError::Ledger(_)
        | QueryError::Engine { .. } => broken(),
    }
}

fn broken() -> MechanismError {
    MechanismError::Refused {
        what: "the totals are not those that were asked for".into(),
        hint: "this is a defect: please report it".into(),
    }
}

/// What was drawn, for tests: noise that is drawn must be the noise that is described.
#[cfg(test)]
pub(super) mod record {
    use std::cell::RefCell;

    use throng_mechanism::quantile::Quantile;
    use throng_numeric::Rational;

    use super::Relative;

    /// One call of a primitive.
    #[derive(Debug, Clone)]
    pub(in crate::release) enum Call {
        /// Noise on these totals.
        Noise { relative: Relative, reach: Rational, totals: Vec<i128> },
        /// A selection of this range for one unit in each cell, at this rate.
        Selection { epsilon: Rational, rate: Rational, cells: usize },
    }

    thread_local! {
        static CALLS: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn noise(relative: &Relative, reach: &Rational, totals: &[i128]) {
        let call = Call::Noise {
            relative: relative.clone(),
            reach: reach.clone(),
            totals: totals.to_vec(),
        };
        CALLS.with_borrow_mut(|calls| calls.push(call));
    }

    pub(super) fn selection(epsilon: &Rational, quantile: &Quantile, cells: usize) {
        let (epsilon, rate) = (epsilon.clone(), quantile.rate().clone());
        CALLS.with_borrow_mut(|calls| calls.push(Call::Selection { epsilon, rate, cells }));
    }

    /// All calls since the last time.
    pub(in crate::release) fn taken() -> Vec<Call> {
        CALLS.take()
    }
}
