//! Ranges of columns, found privately.

use throng_mechanism::{MechanismError, Run};
#[cfg(any(test, feature = "test-util"))]
use throng_numeric::Rational;

use super::noised::counted;
use super::{broken, hash_key, quiet};
use crate::release::design::Design;
#[cfg(any(test, feature = "test-util"))]
use crate::release::exact::{self, Content};
use crate::release::ranges::{self, Found};
use crate::release::reach::one_place;
use crate::release::source::Source;
use crate::release::threshold::SCORE;
use crate::tally::{Bounding, RowBound};

/// What was found about columns.
#[derive(Default)]
pub(super) struct Searched {
    pub(super) ranges: Found,
    /// Columns where something was significant: worth keeping.
    pub(super) facts: Vec<(String, String)>,
    /// For people.
    pub(super) chosen: Vec<(String, String)>,
}

impl Design {
    /// Finds the ranges of columns.
    pub(super) fn search(
        &self,
        input: &dyn Source,
        run: &mut Run<'_>,
    ) -> Result<Searched, MechanismError> {
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
        for (search, totals) in self.searches.iter().zip(&totals) {
            let planned = self.planned.get(search.question).ok_or_else(broken)?;
            let reach = one_place(&planned.plan, self.family, self.under)?;
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
    pub(super) fn note_bins(&self, part: String, reach: &Rational, counts: &[i128]) {
        let (family, reach, values) = (self.family, reach.clone(), counts.to_vec());
        exact::note(part, exact::numbered(counts.len()), Content::Totals { family, reach, values });
    }
}
