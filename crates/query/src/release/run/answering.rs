//! One question on its way to its answer.

use std::collections::BTreeMap;

use throng_mechanism::{MechanismError, Run};
use throng_numeric::Rational;

use super::noised::counted;
use super::quiet;
use super::search::Searched;
use super::selecting::Shown;
use crate::release::Answered;
use crate::release::contribution::{BINS, Contributions, Second};
use crate::release::design::{Design, Planned, norm_fact};
use crate::release::estimate::{NoisyBase, Precision, from_steps};
use crate::release::measure::Scaled;
use crate::release::plan::{Base, Plan, Rows};
use crate::release::price::{Amount, number};
use crate::release::reach::{Shape, Sign, one_place};
use crate::release::threshold::SCORE;
use crate::tally::{Bounding, Cells, RowBound, Totals};

/// One question on its way to its answer.
pub(super) struct Answering<'a> {
    pub(super) design: &'a Design,
    pub(super) planned: &'a Planned,
    pub(super) plan: &'a Plan,
    pub(super) totals: &'a Totals,
    pub(super) measures: Vec<Option<Scaled>>,
    found: &'a Searched,
}

impl<'a> Answering<'a> {
    pub(super) fn new(
        design: &'a Design,
        planned: &'a Planned,
        totals: &'a Totals,
        found: &'a Searched,
    ) -> Result<Self, MechanismError> {
        let plan = &planned.plan;
        let measures = design.measures(plan, &found.ranges).map_err(quiet)?;
        Ok(Self { design, planned, plan, totals, measures, found })
    }

    pub(super) fn answer(&self, run: &mut Run<'_>) -> Result<Answered, MechanismError> {
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
        let reach = one_place(self.plan, self.design.family, self.design.under)?;
        #[cfg(any(test, feature = "test-util"))]
        self.design.note_bins("contributions".into(), &reach, &counts);
        let (counts, deviation) = counted(relative, &reach, self.design.under, counts, run)?;
        Ok(Some(Contributions::new(second, &counts, deviation, self.design.family)))
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
