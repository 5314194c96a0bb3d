//! Which cells are shown.

use throng_mechanism::{MechanismError, Run};
#[cfg(any(test, feature = "test-util"))]
use throng_numeric::Rational;

use super::answering::Answering;
#[cfg(any(test, feature = "test-util"))]
use super::broken;
use super::noised::noised;
use crate::release::design::By;
use crate::release::estimate::{NoisyBase, from_steps};
#[cfg(any(test, feature = "test-util"))]
use crate::release::exact::{self, Content};
use crate::release::reach::scores as reach_of_scores;
use crate::tally::Cells;

/// The cells that are shown.
pub(super) struct Shown {
    /// Their places among all cells.
    pub(super) places: Vec<usize>,
    /// Their relative sizes, as far as that is known from what was released.
    pub(super) sizes: Vec<f64>,
    /// The base that selected them, with noise.
    pub(super) base: Option<(usize, NoisyBase)>,
}

impl Answering<'_> {
    /// Which cells are shown.
    pub(super) fn select(&self, cells: &Cells, run: &mut Run<'_>) -> Result<Shown, MechanismError> {
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
                let reach = reach_of_scores(self.plan, self.design.family, self.design.under)?;
                #[cfg(any(test, feature = "test-util"))]
                self.note_scores(self.own(selection.one), &reach, cells, &candidates, &scores);
                (noised(relative, &reach, self.design.under, scores, run)?.0, None)
            }
            By::Base(place) => {
                #[cfg(any(test, feature = "test-util"))]
                self.note_base(*place, self.own(selection.one), cells, &candidates)?;
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

    /// The largest score of a key that one unit alone has.
    #[cfg(any(test, feature = "test-util"))]
    fn own(&self, one: i64) -> i64 {
        let rows = if self.plan.is_by_row() { self.plan.changed() } else { 1 };
        one.saturating_mul(i64::try_from(rows).unwrap_or(i64::MAX))
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
}
