//! A design in the making: shares, prices, thresholds.

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{MechanismError, Noise};
use throng_numeric::Rational;

use super::{By, Design, Planned, Selection, norm_fact};
use crate::QueryError;
use crate::question::Question;
use crate::release::family::{Family, Relative};
use crate::release::measure::Scaled;
use crate::release::plan::{Base, Plan, Rows, open_ranges};
use crate::release::price::{Amount, Bill, Part, number, short};
use crate::release::ranges::{self, Found, Search};
use crate::release::reach::{reach, scores as scores_of};
use crate::release::shares::{bounds_share, needs};
use crate::release::threshold::{SCORE, Threshold, score_of};
use crate::release::{Cost, Request};

/// The share of the cost, once bounds are paid for, that selects private keys.
const KEYS: f64 = 0.3;

/// A design in the making.
pub(super) struct Draft<'a> {
    pub(super) request: &'a Request,
    pub(super) family: Family,
    pub(super) under: Neighbours,
    pub(super) plans: Vec<Plan>,
    searches: Vec<(usize, usize, String)>,
    pub(super) known: Found,
    leak: Option<Rational>,
}

/// Where the shares of a draft go.
struct Shares {
    searches: Vec<f64>,
    contributions: Vec<Option<f64>>,
    selections: Vec<Option<f64>>,
    bases: Vec<Vec<f64>>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        questions: &[Question],
        request: &'a Request,
        facts: &dyn Fn(&str) -> Option<String>,
        family: Family,
        under: Neighbours,
    ) -> Result<Self, QueryError> {
        let mut draft = Self {
            request,
            family,
            under,
            plans: Vec::new(),
            searches: Vec::new(),
            known: Found::new(),
            leak: None,
        };
        for (i, question) in questions.iter().enumerate() {
            let norm = facts(&norm_fact(question, family)).and_then(|text| text.parse().ok());
            let norm = norm.filter(|limit| (1 << 10..=1 << 40).contains(limit));
            draft.plans.push(Plan::new(question, norm)?);
            for (input, column) in open_ranges(question) {
                draft.range_of(i, input, column, facts);
            }
        }
        draft.leak = draft.leak()?;
        Ok(draft)
    }

    fn range_of(
        &mut self,
        question: usize,
        input: usize,
        column: String,
        facts: &dyn Fn(&str) -> Option<String>,
    ) {
        let seen = self.searches.iter().any(|(_, _, name)| *name == column);
        if seen || self.known.contains_key(&column) {
            return;
        }
        match facts(&ranges::fact_name(&column)).as_deref().and_then(ranges::of_text) {
            Some(ends) => {
                self.known.insert(column, ends);
            }
            None => self.searches.push((question, input, column)),
        }
    }

    /// What the threshold of each question with private keys may leak: half of delta is kept for
    /// the noise, where that needs one.
    fn leak(&self) -> Result<Option<Rational>, QueryError> {
        let private = self.plans.iter().filter(|plan| plan.is_private()).count();
        if private == 0 {
            return Ok(None);
        }
        let (delta, kept) = match &self.request.cost {
            Cost::Epsilon { delta, .. } | Cost::Error { delta, .. } => match self.family {
                Family::Gaussian => (delta, 2_u32),
                Family::Laplace => (delta, 1),
            },
            Cost::Zcdp { delta, .. } | Cost::Gdp { delta, .. } => (delta, 1),
        };
        if delta.is_zero() {
            return Err(QueryError::refused(
                "GROUP BY",
                "its keys are private, and without a delta no key can ever be shown",
                "give a delta (such as 1e-6), or list the keys in the policy",
            ));
        }
        let parts = Rational::from(u64::try_from(private).unwrap_or(1)) * Rational::from(kept);
        let each = delta.checked_div(&parts).map_err(MechanismError::from)?;
        Ok(Some(short(each.to_f64_down(), false)?))
    }

    pub(super) fn design(self) -> Result<Design, QueryError> {
        let (shares, t) = self.shares()?;
        let bill = self.bill(&shares);
        let amounts = match t {
            Some(t) => bill.amounts(t)?,
            None => bill.solve(&self.request.cost)?,
        };
        let spec = bill.spec(&amounts)?;
        self.assembled(&shares, amounts, spec)
    }

    /// The parts in the order of [`Draft::assembled`].
    fn bill(&self, shares: &Shares) -> Bill {
        let mut parts: Vec<Part> =
            shares.searches.iter().map(|share| Part::Noise { share: *share }).collect();
        for (i, plan) in self.plans.iter().enumerate() {
            let extra = [shares.contributions.get(i), shares.selections.get(i)];
            let extra = extra.into_iter().flatten().flatten();
            parts.extend(extra.map(|share| Part::Noise { share: *share }));
            for (base, share) in plan.bases.iter().zip(shares.bases.get(i).into_iter().flatten()) {
                parts.push(match base {
                    Base::Quantile { .. } | Base::End { .. } => {
                        Part::Selection { share: *share, cells: plan.few }
                    }
                    Base::Rows
                    | Base::Present { .. }
                    | Base::Units
                    | Base::Distinct { .. }
                    | Base::Sum { .. }
                    | Base::Clipped { .. }
                    | Base::Squares { .. } => Part::Noise { share: *share },
                });
            }
        }
        let private = self.plans.iter().filter(|plan| plan.is_private());
        let leaks = private.filter_map(|_| self.leak.clone()).collect();
        Bill { family: self.family, parts, leaks, under: self.under }
    }

    fn shares(&self) -> Result<(Shares, Option<f64>), QueryError> {
        let open = |plan: &Plan| plan.rows == Rows::Norm(None);
        let chosen = !self.searches.is_empty() || self.plans.iter().any(open);
        let bounds = bounds_share(&self.request.bounds_share, chosen);
        if chosen && bounds <= 0.0 {
            return Err(QueryError::invalid(
                "bounds are to be chosen privately, but no share of the cost is set aside for it",
                "give numbers instead of \"auto\", or a share above 0",
            ));
        }
        // What is chosen weighs five times what is only estimated.
        let weight = |plan: &Plan| {
            if plan.is_by_row() || bounds <= 0.0 {
                None
            } else {
                Some(if open(plan) || !chosen { 5.0 } else { 1.0 })
            }
        };
        let weights: Vec<Option<f64>> = self.plans.iter().map(weight).collect();
        let all = weights.iter().flatten().sum::<f64>()
            + 5.0 * number(u64::try_from(self.searches.len()).unwrap_or(0));
        let spent = if all > 0.0 { bounds } else { 0.0 };
        let unit = if all > 0.0 { bounds / all } else { 0.0 };
        let selecting = |plan: &&Plan| plan.is_private() && rows_decide(plan).is_none();
        let selections =
            number(u64::try_from(self.plans.iter().filter(selecting).count()).unwrap_or(0));
        let keys = if selections > 0.0 { KEYS * (1.0 - spent) } else { 0.0 };
        let (bases, t) = self.base_shares(1.0 - spent - keys)?;
        let shares = Shares {
            searches: self.searches.iter().map(|_| 5.0 * unit).collect(),
            contributions: weights.iter().map(|weight| weight.map(|w| w * unit)).collect(),
            selections: self
                .plans
                .iter()
                .map(|plan| selecting(&plan).then_some(keys / selections))
                .collect(),
            bases,
        };
        Ok((shares, t))
    }

    /// The shares of all bases, which sum to `rest`; and t, if the errors are what is asked for.
    fn base_shares(&self, rest: f64) -> Result<(Vec<Vec<f64>>, Option<f64>), QueryError> {
        let plans = self.plans.iter().enumerate();
        let mut wanted: Vec<Vec<f64>> =
            plans.map(|(i, plan)| needs(i, plan, self.request, self.family)).collect();
        let fixed = match &self.request.cost {
            Cost::Error { targets, .. } => {
                wanted = self.needs_of_targets(&wanted, targets)?;
                true
            }
            Cost::Epsilon { .. } | Cost::Zcdp { .. } | Cost::Gdp { .. } => false,
        };
        let all: f64 = wanted.iter().flatten().sum();
        // At these shares each amount is 1/√need (Gaussian), or 1/need, at this t.
        let t = match self.family {
            Family::Gaussian => (all / rest).sqrt(),
            Family::Laplace => all / rest,
        };
        for share in wanted.iter_mut().flatten() {
            *share *= rest / all;
        }
        Ok((wanted, fixed.then_some(t)))
    }

    fn assembled(
        self,
        shares: &Shares,
        amounts: Vec<Amount>,
        spec: MechanismSpec,
    ) -> Result<Design, QueryError> {
        let mut amounts = amounts.into_iter();
        let mut searches = Vec::new();
        for ((question, input, column), share) in self.searches.iter().zip(&shares.searches) {
            let noise = noise_of(amounts.next())?;
            let (question, input, share) = (*question, *input, *share);
            searches.push(Search { question, input, column: column.clone(), noise, share });
        }
        let mut planned = Vec::new();
        for (i, plan) in self.plans.iter().enumerate() {
            let share = |shares: &[Option<f64>]| shares.get(i).copied().flatten();
            let mut noise = |share: Option<f64>| {
                share
                    .map(|share| Ok::<_, QueryError>((noise_of(amounts.next())?, share)))
                    .transpose()
            };
            let contributions = noise(share(&shares.contributions))?;
            let scores = noise(share(&shares.selections))?;
            let bases = shares.bases.get(i).into_iter().flatten().copied();
            let amounts: Vec<(Amount, f64)> =
                amounts.by_ref().zip(bases).take(plan.bases.len()).collect();
            let selection = self.selection(plan, scores, &amounts)?;
            planned.push(Planned { plan: plan.clone(), amounts, contributions, selection });
        }
        Ok(Design {
            planned,
            searches,
            known: self.known,
            under: self.under,
            family: self.family,
            confidence: self.request.confidence,
            spec,
        })
    }

    fn selection(
        &self,
        plan: &Plan,
        scores: Option<(Relative, f64)>,
        amounts: &[(Amount, f64)],
    ) -> Result<Option<Selection>, QueryError> {
        let (true, Some(leak)) = (plan.is_private(), self.leak.clone()) else { return Ok(None) };
        if let Some((relative, share)) = scores {
            let reach = scores_of(plan, self.family, self.under)?;
            let noise = relative.noise(&reach, self.under)?;
            let threshold = if plan.is_by_row() {
                of_changed_rows(&noise, plan, &leak, SCORE)?
            } else {
                Threshold::lowest(noise.law(), plan.groups, &leak, score_of)?
            };
            return Ok(Some(Selection {
                by: By::Score(relative),
                threshold,
                one: SCORE,
                leak,
                share,
            }));
        }
        let missing = || QueryError::invalid("keys have nothing to be selected by", "");
        let base = rows_decide(plan).ok_or_else(missing)?;
        let Some((Amount::Noise(relative), _)) = amounts.get(base) else { return Err(missing()) };
        let rows = Scaled::of(plan, &Base::Rows, None)?.ok_or_else(missing)?;
        let reach = reach(plan, &Base::Rows, &rows.each, None, self.family, self.under)?;
        let one = i64::try_from(rows.each.ceil()).map_err(|_| missing())?;
        let noise = relative.noise(&reach, self.under)?;
        let threshold = of_changed_rows(&noise, plan, &leak, one)?;
        Ok(Some(Selection { by: By::Base(base), threshold, one, leak, share: 0.0 }))
    }
}

/// Where each row counts by itself: the k rows that one unit changes make at most k keys that no other
/// unit has, each of at most k rows.
fn of_changed_rows(
    noise: &Noise,
    plan: &Plan,
    leak: &Rational,
    one: i64,
) -> Result<Threshold, MechanismError> {
    let changed = plan.changed();
    let most = i64::try_from(changed).unwrap_or(i64::MAX).saturating_mul(one);
    Threshold::lowest(noise.law(), changed, leak, |_| most)
}

/// Where each row is a unit and rows are counted, the count selects keys.
fn rows_decide(plan: &Plan) -> Option<usize> {
    let place = plan.bases.iter().position(|base| *base == Base::Rows)?;
    plan.is_by_row().then_some(place)
}

fn noise_of(amount: Option<Amount>) -> Result<Relative, QueryError> {
    match amount {
        Some(Amount::Noise(relative)) => Ok(relative),
        Some(Amount::Selection { .. }) | None => {
            Err(QueryError::invalid("the parts of a design do not match", ""))
        }
    }
}
