//! Ranges hold for values inside the columns' ranges.

use datafusion::arrow::array::{AsArray, Float64Array, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{Field, Float64Type, Schema};
use datafusion::common::DFSchema;
use datafusion::prelude::SessionContext;
use std::sync::Arc;

use super::*;
use crate::total::totalise;

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("age", DataType::Int64, true),
        Field::new("income", DataType::Float64, true),
        Field::new("free", DataType::Float64, true),
    ])
}

/// Ages are 0..120, incomes −1000..200000; nothing is known of the third column.
fn known(column: &Column) -> Option<(Rational, Rational)> {
    match column.name.as_str() {
        "age" => Some((Rational::from(0), Rational::from(120))),
        "income" => Some((Rational::from(-1000), Rational::from(200_000))),
        _ => None,
    }
}

fn range_of(text: &str) -> Option<(Rational, Rational)> {
    let schema = DFSchema::try_from(schema()).unwrap();
    let expr = SessionContext::new().parse_sql_expr(text, &schema).unwrap();
    let total = totalise(expr, &schema).unwrap();
    range(&total, &known)
}

#[test]
fn known_ranges() {
    let cases = [
        ("age", Some((0, 120))),
        ("age + 1", Some((1, 121))),
        ("age - 33", Some((-33, 87))),
        ("-age", Some((-120, 0))),
        ("age * income", Some((-120_000, 24_000_000))),
        ("age / 7", Some((0, 17))),
        ("income / 2", Some((-500, 100_000))),
        ("age / -2", Some((-60, 0))),
        ("age % 10", Some((0, 10))),
        ("income % 10", Some((-10, 10))),
        ("1 / (age - 33)", None),
        ("abs(income)", Some((0, 200_000))),
        ("abs(age - 33)", Some((0, 87))),
        ("free", None),
        ("free + 1", None),
        ("sin(free)", Some((-1, 1))),
        ("least(greatest(free, 0), 100)", Some((0, 100))),
        ("least(free, 100)", None),
        ("greatest(age, 18)", Some((18, 120))),
        ("least(age, income)", Some((-1000, 200_000))),
        ("coalesce(income, 0)", Some((-1000, 200_000))),
        ("coalesce(age, -5)", Some((-5, 120))),
        ("nullif(age, 3)", Some((0, 120))),
        ("CASE WHEN free < 0 THEN 0 WHEN free > 50 THEN 50 ELSE free END", Some((0, 50))),
        ("CASE WHEN 50 < age THEN 50 ELSE age END", Some((0, 50))),
        ("CASE WHEN income > 0.5 THEN 1 ELSE 0 END", Some((0, 1))),
        ("CASE WHEN age > 18 THEN 1 END", Some((1, 1))),
        ("CASE age WHEN 1 THEN 10 WHEN 2 THEN 20 ELSE 30 END", Some((10, 30))),
        ("CASE WHEN age > 18 THEN free ELSE 0 END", None),
        ("CAST(income AS BIGINT)", Some((-1000, 200_000))),
        ("CAST(age > 3 AS INT)", Some((0, 1))),
        ("round(income / 3)", Some((-334, 66_667))),
        ("floor(income / 3)", Some((-334, 66_666))),
        ("ceil(income / 3)", Some((-333, 66_667))),
        ("12", Some((12, 12))),
        ("age > 3", Some((0, 1))),
        ("sqrt(free)", None),
        ("date_part('month', TRY_CAST('2020-01-01' AS TIMESTAMP))", Some((1, 12))),
    ];
    for (text, expected) in cases {
        let expected =
            expected.map(|(low, high): (i64, i64)| (Rational::from(low), Rational::from(high)));
        let found = range_of(text);
        // Doubles between an exact end and the next integer are one step wider.
        let close = match (&found, &expected) {
            (Some(found), Some(expected)) => {
                let near = |a: &Rational, b: &Rational| (a - b).abs() <= Rational::ONE;
                found.0 <= expected.0
                    && found.1 >= expected.1
                    && near(&found.0, &expected.0)
                    && near(&found.1, &expected.1)
            }
            (None, None) => true,
            _ => false,
        };
        assert!(close, "{text}: {found:?} for {expected:?}");
    }
}

#[test]
fn values_lie_in_their_ranges() {
    let rows = 2000_i64;
    let ages: Int64Array = (0..rows).map(|i| (i % 13 != 0).then_some(i % 121)).collect();
    let incomes: Float64Array = (0..rows)
        .map(|i| {
            (i % 17 != 0)
                .then_some(-1000.0 + 201_000.0 * f64::from(i32::try_from(i).unwrap()) / 1999.0)
        })
        .collect();
    let free: Float64Array =
        (0..rows).map(|i| Some(f64::from(i32::try_from(i).unwrap()) * 1e3 - 1e6)).collect();
    let batch = RecordBatch::try_new(
        Arc::new(schema()),
        vec![Arc::new(ages), Arc::new(incomes), Arc::new(free)],
    )
    .unwrap();
    let schema = DFSchema::try_from(schema()).unwrap();
    let context = SessionContext::new();
    for text in [
        "age * income / 3",
        "income / 7 - age",
        "(age - 60) * (income - 5)",
        "abs(income * 0.1) + 0.3",
        "least(greatest(free, -3.5), 40)",
        "CASE WHEN free < -7 THEN -7 WHEN free >= 9.25 THEN 9.25 ELSE free END",
        "round(income / 7, 2)",
        "CAST(income / 3 AS BIGINT) % 17",
        "sqrt(age)",
        "age % 7 - age / 4",
        "CAST(income AS REAL)",
        "CAST(income / 3 AS DECIMAL(20, 2))",
        "greatest(age, 18) * 2.5",
        "coalesce(age, 500)",
        "CASE WHEN age > 18 THEN income ELSE -age END",
        "signum(income)",
    ] {
        let expr = context.parse_sql_expr(text, &schema).unwrap();
        let total = totalise(expr, &schema).unwrap();
        let (low, high) = range(&total, &known).unwrap_or_else(|| panic!("{text} has no range"));
        let physical = context.create_physical_expr(total, &schema).unwrap();
        let values = physical.evaluate(&batch).unwrap().into_array(batch.num_rows()).unwrap();
        let values = datafusion::arrow::compute::cast(&values, &DataType::Float64).unwrap();
        for value in values.as_primitive::<Float64Type>().iter().flatten().filter(|v| !v.is_nan()) {
            let value = Rational::from_f64(value).unwrap();
            assert!(low <= value && value <= high, "{text}: {value} not in {low}..{high}");
        }
    }
}
