//! How the cost is divided among what is released.
//!
//! # The rule
//! First a share for what is chosen or estimated privately about contributions and ranges, then three
//! tenths of the rest for the selection of keys if they are private; what remains is divided among measures so that
//! the *relative* errors of all aggregates are expected to be equal, as far as that can be said
//! without data:
//!
//! * a count is compared with the number of rows (units, values) of a cell;
//! * SUM(x) and AVG(x) with x in [l, u] are compared with a typical |x| of half of max(|l|, |u|), times
//!   the rows for the sum; with the centre c and the half width h the centred sum counts with h, the
//!   count with |c| in a sum and with h/2 in a mean (a typical distance of a mean from the centre);
//! * a variance is compared with (h/2)², where squares count with h²/2, the centred sum with h²/2
//!   and the count with h²/4; a deviation is half as sensitive;
//! * a quantile counts as much as a count; each end of its interval gets a fifth of that.
//!
//! If an aggregate is made of parts that count with k_1, k_2, ... then Σ k_i²/w_i is its squared error at
//! shares w_i of a Gaussian cost, which for a given sum of shares is least at w_i in proportion to
//! k_i, and then (Σk)²/Σw: so a part *needs* k_i Σk for an error of 1. A part that several
//! aggregates use gets the largest of its needs. A weight multiplies the needs by its square. With
//! Laplace noise the error falls with w and not with its root, so needs are taken to the root.
//!
//! All of this decides where noise goes, not how much there is in all: privacy does not depend on it.

use throng_numeric::Rational;

use super::Request;
use super::family::Family;
use super::plan::{Plan, Recipe, is_meant, name_of};
use crate::question::Range;

/// h, |c| and max(|l|, |u|) over a typical |x|.
#[derive(Debug, Clone, Copy)]
struct Relation {
    half: f64,
    centre: f64,
    largest: f64,
}

impl Relation {
    /// Of a column that is not known yet: as of one that starts at 0.
    const OPEN: Self = Self { half: 1.0, centre: 1.0, largest: 2.0 };

    fn of(range: Option<&Range>) -> Self {
        let Some(Range::Declared { lower, upper }) = range else { return Self::OPEN };
        let (lower, upper) = (lower.to_f64_nearest(), upper.to_f64_nearest());
        let typical = lower.abs().max(upper.abs()) / 2.0;
        if !(typical > 0.0 && typical.is_finite()) {
            return Self::OPEN;
        }
        let over = |x: f64| x.abs() / typical;
        Self {
            half: over((upper - lower) / 2.0),
            centre: over((upper + lower) / 2.0),
            largest: 2.0,
        }
    }
}

/// What each base of a plan, that of the question of this place, needs relative to the others.
pub(super) fn needs(place: usize, plan: &Plan, request: &Request, family: Family) -> Vec<f64> {
    let mut needs = vec![0.0_f64; plan.bases.len()];
    for (i, recipe) in plan.recipes.iter().enumerate() {
        let weight = weight_of(plan, request, (place, i));
        let parts = importance(plan, i, *recipe);
        let all: f64 = parts.iter().map(|(_, k)| k).sum();
        for (base, k) in parts {
            if let Some(need) = needs.get_mut(base) {
                *need = need.max(k * all * weight * weight).max(1e-6);
            }
        }
    }
    match family {
        Family::Gaussian => needs,
        Family::Laplace => needs.into_iter().map(f64::sqrt).collect(),
    }
}

fn weight_of(plan: &Plan, request: &Request, place: (usize, usize)) -> f64 {
    let name = name_of(&plan.question, place.1);
    let found = request.weights.iter().find(|(asked, _)| is_meant(place, &name, asked));
    found.map_or(1.0, |(_, weight)| weight.clamp(1e-3, 1e3))
}

/// (base, k) for each part of an aggregate.
fn importance(plan: &Plan, aggregate: usize, recipe: Recipe) -> Vec<(usize, f64)> {
    use crate::question::Aggregate as A;
    let input = match plan.question.aggregates.get(aggregate) {
        Some(A::Sum { input } | A::Mean { input }) => Some(*input),
        Some(A::Variance { input, .. } | A::Deviation { input, .. }) => Some(*input),
        Some(A::Rows | A::Units | A::Present { .. } | A::Distinct { .. } | A::Quantile { .. })
        | None => None,
    };
    let range = input.and_then(|i| plan.question.inputs.get(i)).and_then(|x| x.range.as_ref());
    let to = Relation::of(range);
    match recipe {
        Recipe::Count { count } => vec![(count, 1.0)],
        Recipe::Direct { sum } => vec![(sum, to.largest)],
        Recipe::Shifted { sum, count } => vec![(sum, to.half), (count, to.centre)],
        Recipe::Mean { sum, count } => vec![(sum, to.half), (count, to.half / 2.0)],
        Recipe::Variance { sum, squares, count, root, .. } => {
            let less = if root { 0.5 } else { 1.0 };
            vec![(squares, 2.0 * less), (sum, 2.0 * less), (count, less)]
        }
        Recipe::Quantile { place, low, high } => {
            let ends: Vec<(usize, f64)> = low.into_iter().chain(high).map(|i| (i, 0.2)).collect();
            let value = 1.0 - ends.iter().map(|(_, k)| k).sum::<f64>();
            std::iter::once((place, value)).chain(ends).collect()
        }
    }
}

/// The share of the cost for bounds and estimates of bias: all of what is asked for if something is
/// chosen, a fifth of it if only bias is estimated.
pub(super) fn bounds_share(asked: &Rational, chosen: bool) -> f64 {
    let share = asked.to_f64_nearest().clamp(0.0, 0.9);
    if chosen { share } else { share / 5.0 }
}
