//! Which aggregates the names in a request mean.
//!
//! A column of the answer goes first, then a column of a query inside, then the name of an
//! aggregate as it is explained (`sum(income)`), then its function (`sum`, for all sums).

use std::collections::BTreeSet;

use crate::QueryError;
use crate::question::Question;
use crate::release::{Cost, Request, aggregate_name, is_meant, is_named, reference, unqualified};
use crate::sql::{Batch, Named};

/// An aggregate: question and place in it.
type Place = (usize, usize);

/// The names in a batch.
pub(super) struct Names<'a> {
    columns: Vec<(&'a Named, Place)>,
    aggregates: Vec<(String, Place)>,
}

impl<'a> Names<'a> {
    pub(super) fn of(batch: &'a Batch) -> Self {
        let mut columns = Vec::new();
        let mut first = 0;
        for statement in &batch.statements {
            let place = |named: &Named| (first + named.question, named.aggregate);
            columns.extend(statement.names.iter().map(|named| (named, place(named))));
            first += statement.questions.len();
        }
        let places = |(q, question): (usize, &Question)| {
            let name = |a: usize| (aggregate_name(question, a), (q, a));
            (0..question.aggregates.len()).map(name).collect::<Vec<_>>()
        };
        Self { columns, aggregates: batch.questions().enumerate().flat_map(places).collect() }
    }

    /// The columns of the answer that show an aggregate.
    pub(super) fn columns(&self, place: Place) -> Vec<String> {
        let own = self.columns.iter().filter(|(named, at)| named.shown && *at == place);
        own.map(|(named, _)| named.name.clone()).collect()
    }

    /// The request with each name replaced by the aggregates that it means.
    pub(super) fn resolved(&self, request: &Request) -> Result<Request, QueryError> {
        let mut resolved = Request { weights: Vec::new(), ..request.clone() };
        for (name, weight) in &request.weights {
            let places = self.meant(name)?;
            resolved.weights.extend(places.into_iter().map(|place| (place, *weight)));
        }
        if let Cost::Error { targets, .. } = &mut resolved.cost {
            let mut places = Vec::new();
            for (name, error, level) in &*targets {
                places.extend(self.meant(name)?.into_iter().map(|place| (place, *error, *level)));
            }
            *targets = places;
        }
        Ok(resolved)
    }

    fn meant(&self, asked: &str) -> Result<Vec<String>, QueryError> {
        let columns = |shown: bool| {
            let named = self.columns.iter().filter(move |(named, _)| {
                named.shown == shown && named.name.eq_ignore_ascii_case(asked.trim())
            });
            named.map(|(_, place)| *place).collect::<BTreeSet<Place>>()
        };
        let exact = |(name, place): &(String, Place)| is_named(name, asked).then_some(*place);
        let function =
            |(name, place): &(String, Place)| is_meant(*place, name, asked).then_some(*place);
        let found = [
            columns(true),
            columns(false),
            self.aggregates.iter().filter_map(exact).collect(),
            self.aggregates.iter().filter_map(function).collect(),
        ];
        match found.into_iter().find(|places| !places.is_empty()) {
            Some(places) => Ok(places.into_iter().map(reference).collect()),
            None => Err(self.unknown(asked)),
        }
    }

    fn unknown(&self, asked: &str) -> QueryError {
        let shown = self.columns.iter().filter(|(named, _)| named.shown);
        let shown = shown.map(|(named, _)| named.name.clone());
        let aggregates = self.aggregates.iter().map(|(name, _)| unqualified(name));
        let mut names: Vec<String> = Vec::new();
        for name in shown.chain(aggregates) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let what = format!("no column that is an aggregate is called `{}`", asked.trim());
        QueryError::invalid(what, format!("use one of these: {}", names.join(", ")))
    }
}
