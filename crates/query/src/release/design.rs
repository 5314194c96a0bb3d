//! Noise for a whole batch, decided before any row is read.

use sha2::{Digest, Sha256};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{L2, MechanismError, Sensitivity};
use throng_numeric::Rational;

use super::contribution::normal_half_width;
use super::estimate::from_steps;
use super::family::{Family, Relative};
use super::measure::{Ends, Scaled};
use super::plan::{Base, FEW_GROUPS, Plan, Recipe, Rows, is_meant, name_of, open_ranges};
use super::price::{Amount, Bill, Part, number};
use super::ranges::{self, Found, Search};
use super::reach::{Shape, Sign};
use super::shares::{bounds_share, needs};
use super::threshold::{SCORE, Threshold, score_of};
use super::{Cost, NoiseChoice, Request};
use crate::QueryError;
use crate::question::{Question, Range};

/// The mechanism that answers a batch of questions: which noise, on what, at which price.
///
/// # Guarantee
/// [`Design::described`] is fixed by the questions, the request and facts that have been released; it
/// describes everything that [`throng_mechanism::Mechanism::answer`] draws, whatever the data is and
/// whichever bounds are chosen along the way (`family.rs` has the proof). If the cost of the
/// request is a budget, it covers the spec; that was certified by the accountant.
#[derive(Debug, Clone)]
pub struct Design {
    pub(super) planned: Vec<Planned>,
    pub(super) searches: Vec<Search>,
    pub(super) known: Found,
    pub(super) under: Neighbours,
    pub(super) family: Family,
    pub(super) confidence: f64,
    pub(super) spec: MechanismSpec,
}

/// One question with its noise.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    pub(super) plan: Plan,
    /// One per base, with its share of the cost.
    pub(super) amounts: Vec<(Amount, f64)>,
    /// On the histogram of contributions.
    pub(super) contributions: Option<(Relative, f64)>,
    pub(super) selection: Option<Selection>,
}

/// How private keys are selected.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    pub(super) by: By,
    pub(super) threshold: Threshold,
    /// The score of a unit that has one key.
    pub(super) one: i64,
    pub(super) leak: Rational,
    pub(super) share: f64,
}

/// What decides about a key.
#[derive(Debug, Clone)]
pub(super) enum By {
    /// Scores with noise of their own.
    Score(Relative),
    /// A base, the number of rows where each row is a unit.
    Base(usize),
}

impl Design {
    /// The design for a batch. `facts` knows what earlier answers have released.
    ///
    /// # Errors
    /// If a question cannot be answered privately, or not at this cost.
    pub fn new(
        questions: &[Question],
        request: &Request,
        facts: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, QueryError> {
        let under = relation(questions)?;
        check(request)?;
        let draft = |family| Draft::new(questions, request, facts, family, under)?.design();
        match (families(request), request.noise) {
            ([Some(one), None] | [None, Some(one)], _) => draft(one),
            ([Some(Family::Gaussian), _], NoiseChoice::Gaussian) => draft(Family::Gaussian),
            ([_, Some(Family::Laplace)], NoiseChoice::Laplace) => draft(Family::Laplace),
            _ => {
                let (gaussian, laplace) = (draft(Family::Gaussian)?, draft(Family::Laplace)?);
                let better = laplace.expected_error() < gaussian.expected_error();
                Ok(if better { laplace } else { gaussian })
            }
        }
    }

    /// What it is worth, before any data is seen.
    #[must_use]
    pub const fn described(&self) -> &MechanismSpec {
        &self.spec
    }

    /// Which noise.
    #[must_use]
    pub const fn family(&self) -> Family {
        self.family
    }

    /// The confidence of its intervals.
    #[must_use]
    pub const fn confidence(&self) -> f64 {
        self.confidence
    }

    /// The mean over bases of the median noise (over keys, of a quarter of the threshold), relative to what one unit with all its
    /// rows in one cell contributes; groups that are left open count as a few.
    fn expected_error(&self) -> f64 {
        let mut errors = Vec::new();
        for planned in &self.planned {
            let groups = number(planned.plan.groups.min(match planned.plan.rows {
                Rows::Each(_) => u64::MAX,
                Rows::Norm(_) => FEW_GROUPS,
            }));
            let factor = match self.family {
                Family::Gaussian => groups.sqrt(),
                Family::Laplace => groups,
            };
            for (amount, _) in &planned.amounts {
                errors.push(match amount {
                    Amount::Noise(relative) => relative.median() * factor,
                    Amount::Selection { epsilon, .. } => 4.0 / epsilon.to_f64_nearest(),
                });
            }
            if let Some(selection) = &planned.selection {
                // A key that is not shown is worse than one with noise, and tails decide about it.
                let threshold = from_steps(selection.threshold.at_least, 1.0);
                errors.push(threshold / from_steps(selection.one, 1.0) / 4.0);
            }
        }
        errors.iter().sum::<f64>() / number(u64::try_from(errors.len().max(1)).unwrap_or(1))
    }

    /// The range of an input: declared, known, or found.
    pub(super) fn ends(&self, plan: &Plan, input: usize, found: &Found) -> Option<Ends> {
        match plan.question.inputs.get(input)?.range.as_ref()? {
            Range::Declared { lower, upper } => {
                Some(Ends { lower: lower.clone(), upper: upper.clone() })
            }
            Range::Auto { column } => found.get(column).or_else(|| self.known.get(column)).cloned(),
        }
    }

    /// The measures of a question's bases.
    pub(super) fn measures(
        &self,
        plan: &Plan,
        found: &Found,
    ) -> Result<Vec<Option<Scaled>>, QueryError> {
        let input_of = |base: &Base| match base {
            Base::Rows | Base::Units => None,
            Base::Present { input }
            | Base::Distinct { input }
            | Base::Sum { input, .. }
            | Base::Squares { input }
            | Base::Quantile { input, .. } => Some(*input),
        };
        let measure = |base: &Base| {
            let ends = input_of(base).and_then(|input| self.ends(plan, input, found));
            Scaled::of(plan, base, ends.as_ref())
        };
        plan.bases.iter().map(measure).collect()
    }

    /// The reach of a base, in the steps its cells are kept in; `limit` is that of the norm.
    pub(super) fn reach(
        &self,
        plan: &Plan,
        base: &Base,
        each: &Rational,
        limit: Option<u64>,
    ) -> Result<Rational, MechanismError> {
        reach(plan, base, each, limit, self.family, self.under)
    }
}

/// See [`Design::reach`].
fn reach(
    plan: &Plan,
    base: &Base,
    each: &Rational,
    limit: Option<u64>,
    family: Family,
    under: Neighbours,
) -> Result<Rational, MechanismError> {
    let cells = |groups: u64, each: Rational| Shape::Box { groups, each };
    let shape = match (base, plan.rows) {
        (Base::Units, _) => cells(plan.few, Rational::from(SCORE)),
        (Base::Distinct { .. } | Base::Quantile { .. }, _) => {
            cells(plan.few, Rational::from(SCORE) * Rational::from(plan.values))
        }
        (_, Rows::Each(rows)) => cells(plan.groups, each * &Rational::from(rows)),
        (_, Rows::Norm(known)) => {
            let limit = limit.or(known).unwrap_or(1 << 10);
            Shape::Ball { limit: each * &Rational::new(limit, 1_u32 << 10)? }
        }
    };
    let sign = Sign { positive: base.is_positive(), single: plan.is_single() };
    shape.reach(family, sign, under)
}

/// The reach of scores: S in L2, √groups S in L1.
pub(super) fn score_reach(
    groups: u64,
    family: Family,
    under: Neighbours,
) -> Result<Rational, MechanismError> {
    let square = Rational::from(SCORE).square();
    let square = match family {
        Family::Gaussian => square,
        Family::Laplace => square * Rational::from(groups),
    };
    let limit = Sensitivity::<L2>::of_square(&square, under)?.distance().clone();
    Shape::Ball { limit }.reach(family, Sign { positive: true, single: false }, under)
}

/// The reach of a histogram in which a unit has one place, where 1 is kept as S.
pub(super) fn one_hot_reach(family: Family, under: Neighbours) -> Result<Rational, MechanismError> {
    score_reach(1, family, under)
}

fn relation(questions: &[Question]) -> Result<Neighbours, QueryError> {
    let nothing = || QueryError::invalid("there is no private aggregate", "");
    let first = questions.first().ok_or_else(nothing)?.neighbours;
    if questions.iter().all(|question| question.neighbours == first) {
        return Ok(first);
    }
    Err(QueryError::invalid("questions of one batch differ in their neighbours", ""))
}

fn check(request: &Request) -> Result<(), QueryError> {
    let chance = request.confidence > 0.0 && request.confidence < 1.0;
    if !chance {
        let what = format!("the confidence is {}", request.confidence);
        return Err(QueryError::invalid(what, "use a number between 0 and 1, such as 0.95"));
    }
    let share = &request.bounds_share;
    if share.is_negative() || *share >= Rational::ONE {
        let what = format!("the share for bounds is {share}");
        return Err(QueryError::invalid(what, "use a number from 0 to below 1, such as 0.1"));
    }
    let (amount, delta) = match &request.cost {
        Cost::Epsilon { epsilon, delta } => (epsilon, delta),
        Cost::Zcdp { rho, delta } => (rho, delta),
        Cost::Gdp { mu, delta } => (mu, delta),
        Cost::Error { delta, .. } => (&Rational::ONE, delta),
    };
    if !amount.is_positive() || delta.is_negative() || *delta >= Rational::ONE {
        return Err(QueryError::invalid(
            "a cost must be above 0, and its delta at least 0 and below 1",
            "for example epsilon 1, delta 1e-6",
        ));
    }
    Ok(())
}

/// The laws that a cost allows.
fn families(request: &Request) -> [Option<Family>; 2] {
    let (gaussian, laplace) = (Some(Family::Gaussian), Some(Family::Laplace));
    match &request.cost {
        Cost::Epsilon { delta, .. } | Cost::Error { delta, .. } if delta.is_zero() => {
            [None, laplace]
        }
        Cost::Epsilon { .. } => [gaussian, laplace],
        Cost::Zcdp { .. } | Cost::Gdp { .. } => [gaussian, None],
        Cost::Error { .. } => match request.noise {
            NoiseChoice::Laplace => [None, laplace],
            NoiseChoice::Auto | NoiseChoice::Gaussian => [gaussian, None],
        },
    }
}

/// The name of the fact that keeps a norm chosen privately.
pub(super) fn norm_fact(question: &Question, family: Family) -> String {
    let mut digest = Sha256::new();
    digest.update(question.rows.display_indent().to_string());
    for key in &question.keys {
        digest.update(format!("{key:?}"));
    }
    digest.update(format!("{:?} {:?}", question.unit, family.order()));
    let short: Vec<String> =
        digest.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
    format!("contribution:{}", short.concat())
}

/// The share of the cost, once bounds are paid for, that selects private keys.
const KEYS: f64 = 0.3;

/// A design in the making.
struct Draft<'a> {
    request: &'a Request,
    family: Family,
    under: Neighbours,
    plans: Vec<Plan>,
    searches: Vec<(usize, usize, String)>,
    known: Found,
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
    fn new(
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
        Ok(Some(super::price::short(each.to_f64_down(), false)?))
    }

    fn design(self) -> Result<Design, QueryError> {
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
                    Base::Quantile { .. } => Part::Selection { share: *share, cells: plan.few },
                    Base::Rows
                    | Base::Present { .. }
                    | Base::Units
                    | Base::Distinct { .. }
                    | Base::Sum { .. }
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

    /// Needs that give the half widths that are asked for; what is not asked for gets the relative error of
    /// the least precise target.
    fn needs_of_targets(
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
            let Base::Sum { input, .. } = base else { return None };
            match plan.question.inputs.get(*input)?.range.as_ref()? {
                Range::Declared { lower, upper } => {
                    Some(Ends { lower: lower.clone(), upper: upper.clone() })
                }
                Range::Auto { column } => self.known.get(column).cloned(),
            }
        };
        let scaled = |base: &Base| match (base, ends(base)) {
            (Base::Sum { .. }, None) => Err(unknown()),
            (_, ends) => Scaled::of(plan, base, ends.as_ref()),
        };
        let own = scaled(base)?;
        let each = own.as_ref().map_or_else(|| Rational::from(SCORE), |own| own.each.clone());
        let unit = match (&own, base) {
            (Some(own), base) if base.is_total() => own.unit,
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
            let reach = score_reach(plan.groups, self.family, self.under)?;
            let noise = relative.noise(&reach, self.under)?;
            let threshold = Threshold::lowest(noise.law(), plan.groups, &leak, score_of)?;
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
        let threshold = Threshold::lowest(noise.law(), 1, &leak, |_| one)?;
        Ok(Some(Selection { by: By::Base(base), threshold, one, leak, share: 0.0 }))
    }
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

/// x with P(|X| > x) = 1 - confidence for Laplace noise of scale 1.
#[expect(clippy::disallowed_methods, reason = "an error bar, not a guarantee of privacy")]
fn laplace_half_width(confidence: f64) -> f64 {
    -(1.0 - confidence).ln()
}
