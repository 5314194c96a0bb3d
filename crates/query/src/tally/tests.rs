//! Totals and bounds, checked against a model that keeps every row.

mod bounds;
mod order;
mod stream;
mod types;

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::ScalarValue;
use proptest::prelude::*;
use throng_mechanism::{Clamp, Grid};
use throng_numeric::Rational;

use super::*;
use crate::question::Domain;

/// A row: unit, two keys, two inputs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) unit: Option<i64>,
    pub(super) city: Option<&'static str>,
    pub(super) year: Option<i64>,
    pub(super) income: Option<f64>,
    pub(super) age: Option<i64>,
}

pub(super) const KEY: [u64; 2] = [7, 11];

/// In steps of a quarter.
pub(super) const CLIP: i64 = 150;

pub(super) fn income() -> Clamp {
    Clamp::new(&Rational::from(-10_i64), &Rational::from(30_i64), Grid::new(-2).unwrap()).unwrap()
}

pub(super) fn age() -> Clamp {
    Clamp::new(&Rational::ZERO, &Rational::from(100_i64), Grid::WHOLE).unwrap()
}

/// Sums about centres, squares, counts, a set, a list and a clipped sum.
pub(super) fn measures() -> Vec<Measure> {
    vec![
        Measure::Rows,
        Measure::Present { input: 0 },
        Measure::Sum { input: 0, clamp: income(), centre: 40 },
        Measure::Squares { input: 1, clamp: age(), centre: 50, offset: 1250 },
        Measure::Distinct { input: 1 },
        Measure::Values { input: 0, clamp: income() },
        Measure::Sum { input: 1, clamp: age(), centre: 0 },
        Measure::Clipped { input: 0, clamp: income(), most: CLIP.unsigned_abs() },
    ]
}

pub(super) fn layout(unit: Unit, domains: [Domain; 2]) -> Layout {
    let [city, year] = domains;
    let keys = vec![
        Key { name: "city".into(), kind: DataType::Utf8, domain: city },
        Key { name: "year".into(), kind: DataType::Int64, domain: year },
    ];
    Layout { unit, keys, inputs: 2, measures: measures() }
}

pub(super) fn by_user() -> Unit {
    Unit::Column { name: "user".into(), kind: DataType::Int64 }
}

pub(super) fn private() -> [Domain; 2] {
    [Domain::Private, Domain::Private]
}

pub(super) fn listed() -> [Domain; 2] {
    let text = |x: &str| ScalarValue::Utf8(Some(x.into()));
    let cities = vec![text("ü"), text("nowhere"), ScalarValue::Utf8(None), text("a")];
    let years = vec![ScalarValue::Int64(Some(2)), ScalarValue::Int64(Some(i64::MIN))];
    [Domain::Public(cities), Domain::Public(years)]
}

pub(super) fn batch(rows: &[Row], unit: &Unit) -> RecordBatch {
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    if *unit != Unit::Row {
        let units: Int64Array = rows.iter().map(|row| row.unit).collect();
        columns.push(("unit", Arc::new(units)));
    }
    let cities: StringArray = rows.iter().map(|row| row.city).collect();
    columns.push(("city", Arc::new(cities)));
    let years: Int64Array = rows.iter().map(|row| row.year).collect();
    columns.push(("year", Arc::new(years)));
    let incomes: Float64Array = rows.iter().map(|row| row.income).collect();
    columns.push(("income", Arc::new(incomes)));
    let ages: Int64Array = rows.iter().map(|row| row.age).collect();
    columns.push(("age", Arc::new(ages)));
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

pub(super) fn totals(layout: &Layout, rows: &[Row]) -> Totals {
    let mut tally = Tally::new(layout, KEY).unwrap();
    tally.update(&batch(rows, &layout.unit)).unwrap();
    tally.finish().unwrap()
}

pub(super) fn any_row() -> impl Strategy<Value = Row> {
    let unit = proptest::sample::select(vec![None, Some(0), Some(1), Some(-1), Some(i64::MAX)]);
    let city = proptest::sample::select(vec![
        None,
        Some("a"),
        Some("ü"),
        Some(""),
        Some("long, longer, longest"),
    ]);
    let year = proptest::sample::select(vec![None, Some(1), Some(2), Some(i64::MIN)]);
    let special =
        [0.0, -0.0, 30.0, -10.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.125];
    let income = prop_oneof![
        Just(None),
        proptest::sample::select(special.to_vec()).prop_map(Some),
        (-15.0..40.0_f64).prop_map(Some),
    ];
    let age = prop_oneof![
        Just(None),
        (-5..120_i64).prop_map(Some),
        Just(Some(i64::MIN)),
        Just(Some(i64::MAX))
    ];
    (unit, city, year, income, age).prop_map(|(unit, city, year, income, age)| Row {
        unit,
        city,
        year,
        income,
        age,
    })
}

pub(super) fn any_rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(any_row(), 0..most)
}

pub(super) fn any_bounding() -> impl Strategy<Value = Bounding> {
    let norm = |order| (0..5000_u64).prop_map(move |limit| RowBound::Norm { order, limit });
    let rows = prop_oneof![
        (0..4_u64).prop_map(|rows| RowBound::PerCell { rows }),
        norm(Order::L1),
        norm(Order::L2),
        Just(RowBound::PerCell { rows: u64::MAX }),
        Just(RowBound::Norm { order: Order::L2, limit: u64::MAX }),
    ];
    let few = || prop_oneof![0..4_u64, Just(u64::MAX)];
    (few(), rows, few()).prop_map(|(groups, rows, values)| Bounding { groups, rows, values })
}

/// Cells with their keys as text, so that those of different tallies can be compared.
pub(super) fn shown(totals: &Totals, cells: &Cells) -> (Vec<String>, Cells) {
    let batch = totals.key_batch(&cells.keys).unwrap();
    let text = |row: usize| {
        let columns = batch.columns().iter();
        let values = columns.map(|column| ScalarValue::try_from_array(column, row).unwrap());
        format!("{:?}", values.collect::<Vec<_>>())
    };
    let keys = (0..batch.num_rows()).map(text).collect();
    (keys, Cells { keys: Vec::new(), ..cells.clone() })
}
