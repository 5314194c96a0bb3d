//! Noise for a whole batch, decided before any row is read.

mod draft;
mod targets;

use sha2::{Digest, Sha256};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::MechanismError;
use throng_numeric::Rational;

use super::estimate::from_steps;
use super::family::{Family, Relative};
use super::measure::{Ends, Scaled};
use super::plan::{Base, FEW_GROUPS, Plan, Rows};
use super::price::{Amount, number};
use super::ranges::{Found, Search};
use super::reach::reach;
use super::threshold::Threshold;
use super::{Cost, NoiseChoice, Request};
use crate::QueryError;
use crate::question::{Question, Range};
use draft::Draft;

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
            let groups = if planned.plan.is_by_row() { 1 } else { planned.plan.groups };
            let groups = number(groups.min(match planned.plan.rows {
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
            Base::Rows | Base::Units | Base::End { .. } => None,
            Base::Present { input }
            | Base::Distinct { input }
            | Base::Sum { input, .. }
            | Base::Clipped { input, .. }
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
