//! The other way round: from the errors that are asked for to shares of a cost.

use throng_numeric::Rational;

use super::draft::Draft;
use crate::QueryError;
use crate::question::Range;
use crate::release::contribution::normal_half_width;
use crate::release::family::Family;
use crate::release::measure::{Ends, Scaled};
use crate::release::plan::{Base, Plan, Recipe, Rows, is_meant, name_of};
use crate::release::price::number;
use crate::release::reach::reach;
use crate::release::threshold::SCORE;

impl Draft<'_> {
    /// Needs that give the half widths that are asked for; what is not asked for gets the relative error of
    /// the least precise target.
    pub(super) fn needs_of_targets(
        &self,
        usual: &[Vec<f64>],
        targets: &[(String, f64, f64)],
    ) -> Result<Vec<Vec<f64>>, QueryError> {
        let mut asked: Vec<Vec<Option<f64>>> =
            usual.iter().map(|needs| vec![None; needs.len()]).collect();
        for (name, width, confidence) in targets {
            let mut met = false;
            for (place, (plan, asked)) in self.plans.iter().zip(&mut asked).enumerate() {
                for (i, recipe) in plan.recipes.iter().enumerate() {
                    if is_meant((place, i), &name_of(&plan.question, i), name) {
                        self.need_of_target(plan, *recipe, *width, *confidence, asked)?;
                        met = true;
                    }
                }
            }
            if !met {
                let what = format!("no aggregate is called `{name}`");
                return Err(QueryError::invalid(what, "use count, units, sum(x), ..."));
            }
        }
        let pairs = asked.iter().flatten().zip(usual.iter().flatten());
        let ratios = pairs.filter_map(|(asked, usual)| asked.map(|asked| asked / usual));
        let least = ratios.fold(f64::INFINITY, f64::min);
        let fill = |(asked, usual): (Option<f64>, &f64)| asked.unwrap_or(usual * least);
        let rows = asked.into_iter().zip(usual);
        Ok(rows.map(|(asked, usual)| asked.into_iter().zip(usual).map(fill).collect()).collect())
    }

    fn need_of_target(
        &self,
        plan: &Plan,
        recipe: Recipe,
        width: f64,
        confidence: f64,
        asked: &mut [Option<f64>],
    ) -> Result<(), QueryError> {
        if !(width > 0.0 && width.is_finite() && confidence > 0.0 && confidence < 1.0) {
            let what = "an error needs a half width above 0 and a confidence between 0 and 1";
            return Err(QueryError::invalid(what, "for example: count: 50 @95%"));
        }
        let parts: Vec<usize> = match recipe {
            Recipe::Count { count } => vec![count],
            Recipe::Direct { sum } => vec![sum],
            Recipe::Shifted { sum, count } => vec![sum, count],
            Recipe::Mean { .. } | Recipe::Variance { .. } | Recipe::Quantile { .. } => {
                return Err(QueryError::invalid(
                    "the error of a mean, a variance or a quantile depends on the data",
                    "ask for the error of a count or a sum instead",
                ));
            }
        };
        if plan.rows == Rows::Norm(None) {
            return Err(QueryError::invalid(
                "an error can be asked for only if all bounds are fixed",
                "give max_groups and max_rows numbers",
            ));
        }
        // Of several parts each gets its part of the variance.
        let share = number(u64::try_from(parts.len()).unwrap_or(1)).sqrt();
        for part in parts {
            let reach = self.natural_reach(plan, part, recipe)?;
            let amount = match self.family {
                Family::Gaussian => width / (normal_half_width(confidence) * reach * share),
                Family::Laplace => width / (laplace_half_width(confidence) * reach * share),
            };
            // Amounts are rounded up.
            let amount = amount * 0.9999;
            let need = match self.family {
                Family::Gaussian => 1.0 / (amount * amount),
                Family::Laplace => 1.0 / amount,
            };
            if let Some(place) = asked.get_mut(part) {
                *place = Some(place.map_or(need, |known| known.max(need)));
            }
        }
        Ok(())
    }

    /// The reach of a part in the units of the aggregate.
    fn natural_reach(&self, plan: &Plan, part: usize, recipe: Recipe) -> Result<f64, QueryError> {
        let unknown =
            || QueryError::invalid("an error can be asked for only if all ranges are known", "");
        let base = plan.bases.get(part).ok_or_else(unknown)?;
        let ends = |base: &Base| {
            let (Base::Sum { input, .. } | Base::Clipped { input, .. }) = base else { return None };
            match plan.question.inputs.get(*input)?.range.as_ref()? {
                Range::Declared { lower, upper } => {
                    Some(Ends { lower: lower.clone(), upper: upper.clone() })
                }
                Range::Auto { column } => self.known.get(column).cloned(),
            }
        };
        let scaled = |base: &Base| match (base, ends(base)) {
            (Base::Sum { .. } | Base::Clipped { .. }, None) => Err(unknown()),
            (_, ends) => Scaled::of(plan, base, ends.as_ref()),
        };
        let own = scaled(base)?;
        let each = own.as_ref().map_or_else(|| Rational::from(SCORE), |own| own.each.clone());
        let unit = match (&own, base) {
            (Some(own), base) if base.is_total() || matches!(base, Base::Clipped { .. }) => {
                own.unit
            }
            _ => 1.0 / number(SCORE.unsigned_abs()),
        };
        let reach = reach(plan, base, &each, None, self.family, self.under)?.to_f64_up() * unit;
        // A count in a sum weighs as much as the centre.
        let mut factor = 1.0;
        if let Recipe::Shifted { sum, count } = recipe
            && part == count
        {
            let sum = plan.bases.get(sum).ok_or_else(unknown)?;
            factor = scaled(sum)?.map_or(1.0, |sum| sum.centre.abs());
        }
        Ok((reach * factor).max(f64::MIN_POSITIVE))
    }
}

/// x with P(|X| > x) = 1 - confidence for Laplace noise of scale 1.
#[expect(clippy::disallowed_methods, reason = "an error bar, not a guarantee of privacy")]
fn laplace_half_width(confidence: f64) -> f64 {
    -(1.0 - confidence).ln()
}
