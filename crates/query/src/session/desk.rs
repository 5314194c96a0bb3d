//! From a text to a price: everything that is decided before anything is paid.

use throng_account::filter::Budget as Amount;
use throng_ledger::{Asked, Charge, Digest, LedgerError};
use throng_mechanism::Mechanism;
use throng_numeric::Rational;

use super::books::Books;
use super::explanation::Explanation;
use super::names::Names;
use super::{Offer, Paid, Prepared};
use crate::QueryError;
use crate::catalog::Catalog;
use crate::policy::Policy;
use crate::question::Question;
use crate::release::{Cost, Design, Request};
use crate::sql::Batch;

/// Where questions are understood and priced; reads schemas only and spends nothing.
pub(super) struct Desk<'a> {
    pub(super) policy: &'a Policy,
    pub(super) catalog: &'a Catalog,
    pub(super) books: &'a dyn Books,
}

impl Desk<'_> {
    /// See [`Session::prepare`](super::Session::prepare).
    pub(super) fn prepare(
        &self,
        sql: &str,
        request: &Request,
        analyst: Option<&str>,
    ) -> Result<Prepared, QueryError> {
        let batch = Batch::plan(sql, self.policy, self.catalog)?;
        let questions: Vec<Question> = batch.questions().cloned().collect();
        let names = Names::of(&batch);
        let paid = match questions.is_empty() {
            true => None,
            false => {
                let request = names.resolved(request)?;
                Some(self.price(&batch, &questions, sql, request, analyst)?)
            }
        };
        let explanation = Explanation::of(&batch, &names, paid.as_ref(), self.books)?;
        Ok(Prepared { batch, paid, analyst: analyst.map(str::to_owned), explanation })
    }

    fn price(
        &self,
        batch: &Batch,
        questions: &[Question],
        sql: &str,
        request: Request,
        analyst: Option<&str>,
    ) -> Result<Paid, QueryError> {
        let key = self.key(batch, questions, &request)?;
        if let Asked::Stored(stored) = self.books.ask(&key)? {
            return Ok(Paid { key, request, stored: Some(stored), offer: None });
        }
        let design = Design::new(questions, &request, &|name| self.books.fact(name))?;
        let mut charge = Charge::new(key, sql, design.spec());
        charge.analyst = analyst.map(str::to_owned);
        charge.delta = self.pricing_delta(&request.cost)?;
        let receipt = match self.books.preview(&charge) {
            Ok(receipt) => Ok(receipt),
            Err(exhausted @ LedgerError::Exhausted { .. }) => Err(exhausted),
            Err(other) => return Err(other.into()),
        };
        let offer = Some(Offer { design, charge, receipt });
        Ok(Paid { key, request, stored: None, offer })
    }

    /// The key of a stored answer: what is asked, of which version of the data, at what price.
    ///
    /// It does not depend on facts found privately by earlier questions, or the same question
    /// would cost again after each of them.
    fn key(
        &self,
        batch: &Batch,
        questions: &[Question],
        request: &Request,
    ) -> Result<Digest, QueryError> {
        let mut text = format!("throng question 1\n{request:?}\n");
        for statement in &batch.statements {
            text.push_str(&statement.canonical);
            for table in statement.tables() {
                text.push_str(&format!("\n{table} {}", self.catalog.fingerprint(table)?));
            }
            text.push('\n');
        }
        for question in questions {
            let Question { unit, keys, inputs, aggregates, limits, neighbours, rows: _ } = question;
            text.push_str(&format!(
                "{unit:?} {keys:?} {inputs:?} {aggregates:?} {limits:?} {neighbours:?}\n"
            ));
        }
        Ok(Digest::of(text.as_bytes()))
    }

    /// Budgets of pairs price a batch by its whole curve, at one delta.
    fn pricing_delta(&self, cost: &Cost) -> Result<Option<Rational>, QueryError> {
        if !matches!(self.policy.budget, Amount::Approximate { .. }) {
            return Ok(None);
        }
        let stated = delta_of(cost);
        if stated.is_positive() || matches!(cost, Cost::Epsilon { .. }) {
            return Ok(Some(stated.clone()));
        }
        match &self.policy.defaults.cost {
            Some(default) if delta_of(default).is_positive() => Ok(Some(delta_of(default).clone())),
            _ => Err(QueryError::invalid(
                "the budget counts pairs (epsilon, delta), and the query states no delta",
                "give --delta",
            )),
        }
    }
}

/// What a query asks for if nothing else is said: the policy's defaults.
///
/// # Errors
/// If the policy states no default cost.
pub fn request(policy: &Policy, cost: Option<Cost>) -> Result<Request, QueryError> {
    let defaults = &policy.defaults;
    let cost = cost.or_else(|| defaults.cost.clone()).ok_or_else(|| {
        QueryError::invalid(
            "the cost of the query is not stated",
            "give --epsilon and --delta (or --rho, --mu, --error), or set them under [query] in \
             the policy",
        )
    })?;
    Ok(Request {
        cost,
        confidence: defaults.confidence,
        noise: defaults.noise,
        weights: Vec::new(),
        bounds_share: defaults.bounds_share.clone(),
    })
}

pub(super) const fn delta_of(cost: &Cost) -> &Rational {
    match cost {
        Cost::Epsilon { delta, .. }
        | Cost::Zcdp { delta, .. }
        | Cost::Gdp { delta, .. }
        | Cost::Error { delta, .. } => delta,
    }
}
