//! Questions and tables for tests.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{EmptyRelation, LogicalPlan};
use throng_account::Neighbours;
use throng_numeric::Rational;

use crate::question::{
    Aggregate, Domain, Input, Key, Limit, Limits, Question, Range, Unit,
};
use crate::release::{Cost, NoiseChoice, Request};

/// `user_id, city, income, age`; numbers may be NULL.
pub(super) fn rows(unit: bool, keys: usize) -> LogicalPlan {
    let mut fields = Vec::new();
    if unit {
        fields.push(Field::new("user_id", DataType::Int64, false));
    }
    for i in 0..keys {
        fields.push(Field::new(format!("city{i}"), DataType::Utf8, true));
    }
    fields.push(Field::new("income", DataType::Float64, true));
    fields.push(Field::new("age", DataType::Int64, false));
    let schema = DFSchema::try_from(Schema::new(fields)).unwrap();
    LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema: Arc::new(schema) })
}

pub(super) fn declared(lower: i64, upper: i64) -> Range {
    Range::Declared { lower: Rational::from(lower), upper: Rational::from(upper) }
}

pub(super) fn inputs() -> Vec<Input> {
    vec![
        Input { name: "income".into(), kind: DataType::Float64, range: Some(declared(0, 200_000)) },
        Input { name: "age".into(), kind: DataType::Int64, range: Some(declared(0, 120)) },
    ]
}

pub(super) fn user() -> Unit {
    Unit::Column { name: "user_id".into(), kind: DataType::Int64 }
}

pub(super) fn city(domain: Domain) -> Key {
    Key { name: "city0".into(), kind: DataType::Utf8, domain }
}

pub(super) fn public(n: usize) -> Domain {
    Domain::Public((0..n).map(|i| ScalarValue::Utf8(Some(format!("c{i:03}")))).collect())
}

/// COUNT(*), SUM(income), AVG(age).
pub(super) fn three() -> Vec<Aggregate> {
    vec![Aggregate::Rows, Aggregate::Sum { input: 0 }, Aggregate::Mean { input: 1 }]
}

pub(super) fn question(
    unit: Unit,
    keys: Vec<Key>,
    aggregates: Vec<Aggregate>,
    limits: (Limit, Limit),
) -> Question {
    Question {
        rows: rows(unit != Unit::Row, keys.len()),
        unit,
        keys,
        inputs: inputs(),
        aggregates,
        limits: Limits { groups: limits.0, rows: limits.1 },
        neighbours: Neighbours::AddRemove,
    }
}

pub(super) fn fixed(groups: u64, rows: u64) -> (Limit, Limit) {
    (Limit::Fixed(groups), Limit::Fixed(rows))
}

pub(super) fn request(epsilon: &str, delta: &str) -> Request {
    let (epsilon, delta) = (epsilon.parse().unwrap(), delta.parse().unwrap());
    Request {
        cost: Cost::Epsilon { epsilon, delta },
        confidence: 0.95,
        noise: NoiseChoice::Auto,
        weights: Vec::new(),
        bounds_share: "1/10".parse().unwrap(),
    }
}

pub(super) fn no_facts(_: &str) -> Option<String> {
    None
}
