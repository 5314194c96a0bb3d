//! Questions and tables for tests.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{EmptyRelation, LogicalPlan};
use throng_account::Neighbours;
use throng_account::filter::Budget as Amount;
use throng_mechanism::{Mechanism, MechanismError, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::Entropy;

use crate::question::{Aggregate, Domain, Input, Key, Limit, Limits, Question, Range, Unit};
use crate::release::{Answered, Asked, Cost, Design, NoiseChoice, Request, Source};
use crate::tally::{Tally, Totals};

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
        Input {
            name: "income".into(),
            kind: DataType::Float64,
            range: Some(declared(0, 200_000)),
            unit_sum: None,
        },
        Input {
            name: "age".into(),
            kind: DataType::Int64,
            range: Some(declared(0, 120)),
            unit_sum: None,
        },
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

/// One row: user, city, income, age.
pub(super) type Row = (i64, String, Option<f64>, i64);

/// Rows in memory.
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
}

impl Table {
    fn batch(&self, asked: &Asked) -> RecordBatch {
        let schema = asked.rows.schema();
        let column = |field: &Arc<Field>| -> ArrayRef {
            let rows = self.rows.iter();
            match field.name().as_str() {
                "user_id" => Arc::new(rows.map(|row| Some(row.0)).collect::<Int64Array>()),
                "city0" => Arc::new(rows.map(|row| Some(row.1.clone())).collect::<StringArray>()),
                "income" => Arc::new(rows.map(|row| row.2).collect::<Float64Array>()),
                _ => Arc::new(rows.map(|row| Some(row.3)).collect::<Int64Array>()),
            }
        };
        let columns = schema.fields().iter().map(column).collect();
        RecordBatch::try_new(Arc::new(schema.as_arrow().clone()), columns).unwrap()
    }
}

impl Source for Table {
    fn totals(&self, asked: &[Asked]) -> Result<Vec<Totals>, MechanismError> {
        let totals = |asked: &Asked| {
            let mut tally = Tally::new(&asked.layout, asked.hash_key).unwrap();
            tally.update(&self.batch(asked)).unwrap();
            tally.finish().unwrap()
        };
        Ok(asked.iter().map(totals).collect())
    }
}

/// Pays for a design and runs it.
pub(super) fn ask(design: &Design, table: Table, entropy: &mut dyn Entropy) -> Vec<Answered> {
    #[expect(clippy::disallowed_methods, reason = "a test pays with nothing")]
    let permit =
        Permit::issue(design.spec(), design.neighbours(), Amount::Pure { epsilon: Rational::ONE });
    let private: &Sensitive<dyn Source> = &Sensitive::new(table);
    design.run(private, permit, entropy).unwrap().into_parts().0
}
