//! Expressions that tell, each refused or made total.

use super::*;

/// Made total: the engine's own form fails on the hostile rows.
const FAILING: &[&str] = &[
    "1 / (i64 - 33)",
    "i64 / i64_b",
    "i64 % i64_b",
    "u8 / u8_b",
    "money / money_b",
    "wide * wide_b",
    "wide + wide_b * 1000000000",
    "CAST(city AS INT)",
    "CAST(city AS DOUBLE)",
    "CAST(city AS BOOLEAN)",
    "CAST(city AS DATE)",
    "CAST(city AS TIMESTAMP)",
    "CAST(city AS DECIMAL(10, 2))",
    "CAST(f64 AS BIGINT)",
    "CAST(i64 AS TINYINT)",
    "CAST(i64 AS INT UNSIGNED)",
    "CAST(at_s AS TIMESTAMP)",
    "CAST(wide AS DECIMAL(9, 2))",
    "city = 5",
    "city > 1.5",
    "city IN (1, 2)",
    "abs(i64)",
    "abs(i8)",
    "substr(city, 1, i64)",
    "split_part(city, ',', i64)",
    "factorial(i64)",
    "gcd(i64, i64_b)",
    "lcm(i64, i64_b)",
    "chr(i64)",
    "day + INTERVAL '1 month'",
    "at + INTERVAL '300 years'",
    "at - INTERVAL '300 years'",
    "at_s - at_s_b",
    "day + i64",
    "span + span_b",
    "-span",
    "CAST(day AS TEXT)",
    "CAST(at_s AS TEXT)",
    "concat(city, at_ms)",
    "sqrt(f64)",
    "CASE WHEN i64 = 33 THEN 1 / (i64 - 33) ELSE 0 END",
    "coalesce(1 / (i64 - 33), 0)",
    "i64 > 0 AND 1 / (i64 - 33) > 0",
    "power(10, CAST(city AS INT))",
];

/// Made total, though the engine's own form has a value: a wrapped one, NaN or a huge text.
const TAMED: &[&str] = &[
    "i64 + 1",
    "date_bin(INTERVAL '15 minutes', at_s)",
    "money + money_b",
    "money - money_b",
    "money * money_b",
    "money % 2",
    "-money",
    "wide / 3",
    "i64 * i64_b",
    "-i64",
    "u64 - 1",
    "ln(f64)",
    "f64 / 0.0",
    "f64 % 0.0",
    "repeat(city, 1000)",
    "replace(replace(replace(city, 'a', 'aaaaaaaaaaaaaaaaaaaaaaaa'), 'a', 'aaaaaaaaaaaaaaaaaaaaaaaa'), 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa')",
    "lpad(city, 1024, 'ab')",
    "city || city || city",
    "round(f64, 300)",
    "city LIKE '%\\'",
    "power(f64, f64_b)",
    "exp(i64)",
];

/// Refused: a word of the text that says so.
const REFUSED: &[(&str, &str)] = &[
    ("random() < 0.5", "random"),
    ("now() > at_zone", "when the query runs"),
    ("current_date() = day", "when the query runs"),
    ("current_timestamp > at_zone", "when the query runs"),
    ("uuid() = city", "random"),
    ("city ~ city_b", "pattern"),
    ("city LIKE city_b", "pattern"),
    ("city SIMILAR TO city_b", "pattern"),
    ("city ~ '((('", "fails before any row"),
    ("i64 = 33 AND city ~ '[z-a]'", "fails before any row"),
    ("i64 = 33 AND city SIMILAR TO '('", "fails before any row"),
    ("regexp_like(city, city_b)", "literal"),
    ("regexp_like(city, '(')", "fails before any row"),
    ("regexp_like(city, 'a', city_b)", "literal"),
    ("regexp_like(city, 'a', 'zz')", "fails before any row"),
    ("regexp_replace(city, city_b, 'x')", "literal"),
    ("regexp_replace(city, '(', 'x')", "fails before any row"),
    ("regexp_match(city, 'a')", "list"),
    ("repeat(city, i64)", "literal"),
    ("repeat(city, 1000000000)", "times as long"),
    ("lpad(city, i64)", "literal"),
    ("rpad(city, 2000000000, 'x')", "times as long"),
    ("replace(city, 'a', city_b)", "literal"),
    ("to_timestamp(city)", "TRY_CAST"),
    ("to_date(city)", "TRY_CAST"),
    ("to_timestamp_millis(city)", "TRY_CAST"),
    ("to_char(day, '%Y')", "date_part"),
    ("make_date(i64, 1, 1)", "calendar"),
    ("date_trunc('fortnight', at)", "fails before any row"),
    ("date_trunc(city, at)", "literal"),
    ("date_part('aeon', at)", "fails before any row"),
    ("date_bin(span, at)", "literal"),
    ("date_bin(INTERVAL '0 seconds', at)", "fails before any row"),
    ("levenshtein(city, city_b)", "square"),
    ("clock + INTERVAL '1 hour'", "time of day"),
    ("i64 & 1", "operator &"),
    ("i64 << i64_b", "operator <<"),
    ("CAST('abc' AS INT)", "literal abc"),
    ("i64 = 'abc'", "literal abc"),
    ("day = '2023-02-30'", "literal 2023-02-30"),
    ("arrow_cast(city, 'Int64')", "TRY_CAST"),
    ("arrow_typeof(city) = 'x'", "arrow_typeof"),
    ("version() = 'x'", "version"),
    ("named_struct('a', i64)", "named_struct"),
    ("struct(i64)", "struct"),
    ("sum(i64) > 1", "other rows"),
    ("count(*) > 1", "other rows"),
    ("row_number() OVER () = 1", "other rows"),
    ("sum(i64) OVER (PARTITION BY city) > 3", "other rows"),
    ("$1 = i64", "literal"),
];

#[tokio::test]
async fn what_fails_in_the_engine_is_total_here() {
    let field = Field::new();
    for text in FAILING {
        let native = field.physical(field.parse(text).unwrap());
        let fails = native.is_err()
            || (0..field.rows.num_rows())
                .any(|row| field.alone(native.as_ref().unwrap(), row).is_err());
        assert!(fails, "{text} does not fail in the engine");
        let total = field.total(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let values = field.through_engine(std::slice::from_ref(&total)).await;
        let values = values.unwrap_or_else(|error| panic!("{text} as {total}: {error}"));
        assert!(values[0].logical_null_count() < values[0].len(), "{text} is always NULL");
    }
}

#[tokio::test]
async fn what_is_wrong_in_the_engine_is_tamed_here() {
    let field = Field::new();
    for text in TAMED {
        let total = field.total(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let values = field.through_engine(std::slice::from_ref(&total)).await;
        let values = values.unwrap_or_else(|error| panic!("{text} as {total}: {error}"));
        assert!(values[0].logical_null_count() < values[0].len(), "{text} is always NULL");
        for row in 0..values[0].len() {
            let longest = at(&values[0], row).try_as_str().flatten().map_or(0, str::len);
            assert!(longest <= crate::total::text::LONGEST, "{text}: {longest} bytes");
        }
    }
}

#[test]
fn what_cannot_be_total_is_refused_by_name() {
    let field = Field::new();
    for (text, word) in REFUSED {
        let error = match field.parse(text) {
            Ok(expr) => {
                totalise(expr, &field.schema).err().unwrap_or_else(|| panic!("{text} is accepted"))
            }
            Err(error) => panic!("{text}: {error}"),
        };
        let message = error.to_string();
        assert!(message.contains(word), "{text}: {message}");
    }
}

#[test]
fn a_function_of_the_same_name_is_refused() {
    use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};
    let field = Field::new();
    let kind = datafusion::arrow::datatypes::DataType::Float64;
    let own = create_udf(
        "sqrt",
        vec![kind.clone()],
        kind,
        Volatility::Immutable,
        Arc::new(|args: &[ColumnarValue]| Ok(args[0].clone())),
    );
    let expr = own.call(vec![datafusion::prelude::ident("f64")]);
    assert!(totalise(expr, &field.schema).is_err());
}

#[test]
fn the_long_text_is_null_only_where_text_is_made() {
    let field = Field::new();
    let long = (0..field.rows.num_rows())
        .find(|&row| {
            at(field.rows.column_by_name("city").unwrap(), row)
                .try_as_str()
                .flatten()
                .is_some_and(|t| t.len() > 65_536)
        })
        .unwrap();
    let of = |text: &str| {
        field.alone(&field.physical(field.total(text).unwrap()).unwrap(), long).unwrap()
    };
    assert_eq!(of("length(city)"), ScalarValue::Int32(Some(90_000)));
    assert!(of("upper(city)").is_null());
    assert!(of("city || 'a'").is_null());
    assert_eq!(of("city LIKE 'ab,%'"), ScalarValue::Boolean(Some(true)));
}

#[test]
fn huge_expressions_are_refused_and_deep_ones_are_not_deadly() {
    // As texts are planned: on a stack that is large enough, optimised or not.
    let thread = std::thread::Builder::new().stack_size(1 << 28).spawn(huge_and_deep).unwrap();
    thread.join().unwrap();
}

fn huge_and_deep() {
    let field = Field::new();
    let mut expr = datafusion::prelude::ident("i64");
    for _ in 0..150 {
        expr = expr + datafusion::prelude::lit(1_i64);
    }
    assert!(totalise(expr.clone(), &field.schema).is_ok());
    for _ in 0..1000 {
        expr = expr + datafusion::prelude::lit(1_i64);
    }
    assert!(totalise(expr, &field.schema).is_err());
}
