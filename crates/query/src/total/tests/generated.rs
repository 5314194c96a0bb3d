//! Many expressions over hostile rows: never an error, no influence of other rows, and the
//! engine's own value where it has one.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;

/// Whether the engine may have a value where the total form is NULL: integers that wrapped around
/// (also as days that are added to a date), decimals with more digits than their type, long texts.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn may_hide(text: &str, native: &ScalarValue) -> bool {
    let wraps = ["+", "-", "*", "/", "%"].iter().any(|sign| text.contains(sign));
    let wrapped = match native {
        ScalarValue::Decimal128(Some(value), digits, _) => 10_u128
            .checked_pow(u32::from(*digits))
            .is_some_and(|limit| value.unsigned_abs() >= limit),
        ScalarValue::Decimal256(..) | ScalarValue::Date32(_) | ScalarValue::Date64(_) => true,
        other => other.data_type().is_integer(),
    };
    // Inside of an expression too many digits turn up as an innocent quotient.
    let inside = text.contains("wide") && native.data_type().is_decimal();
    (wraps && (wrapped || inside)) || text.contains("city")
}

/// The expressions among `texts` that are accepted, checked; the number of them.
fn check(field: &Field, texts: &[String]) -> usize {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut accepted = Vec::new();
    for text in texts {
        let Ok(native) = field.parse(text) else { continue };
        if let Ok(total) = totalise(native.clone(), &field.schema) {
            accepted.push((text, native, total));
        }
    }
    for some in accepted.chunks(40) {
        let exprs: Vec<Expr> = some.iter().map(|(.., total)| total.clone()).collect();
        let together = runtime.block_on(field.through_engine(&exprs)).unwrap_or_else(|error| {
            for (text, _, total) in some {
                if runtime.block_on(field.through_engine(std::slice::from_ref(total))).is_err() {
                    panic!("{text} as {total}: {error}");
                }
            }
            panic!("{error}")
        });
        for ((text, native, total), values) in some.iter().zip(together) {
            compare(field, text, native, total, &values);
        }
    }
    accepted.len()
}

fn compare(field: &Field, text: &str, native: &Expr, total: &Expr, engine: &ArrayRef) {
    let total = field.physical(total.clone()).unwrap();
    let native = field.physical(native.clone()).ok();
    let rows = field.rows.num_rows();
    let values = total.evaluate(&field.rows).unwrap().into_array(rows).unwrap();
    for row in 0..rows {
        let value = at(&values, row);
        let alone =
            field.alone(&total, row).unwrap_or_else(|error| panic!("{text} on row {row}: {error}"));
        assert!(
            same(&value, &alone),
            "{text} on row {row}: {value:?} among others, {alone:?} alone"
        );
        assert!(agree(&at(engine, row), &value), "{text} on row {row}: {value:?} unless optimised");
        if let Some(Ok(own)) = native.as_ref().map(|native| field.alone(native, row)) {
            let hidden = value.is_null() && may_hide(text, &own);
            assert!(hidden || same(&value, &own), "{text} on row {row}: {value:?}, engine {own:?}");
        }
    }
}

/// The optimiser compares `x` with a literal where the query compares a cast of `x` with one: it
/// then knows the answer although the cast of `x` is NULL.
fn agree(optimised: &ScalarValue, value: &ScalarValue) -> bool {
    let truth = matches!(value, ScalarValue::Boolean(None));
    truth || same(optimised, value)
}

fn columns() -> Vec<&'static str> {
    hostile::kinds().into_iter().map(|(name, _)| name).collect()
}

#[test]
fn arithmetic_and_comparison_of_all_pairs() {
    let field = Field::new();
    let mut texts = Vec::new();
    for left in columns() {
        for right in columns() {
            for op in ["+", "-", "*", "/", "%", "<", "=", "IS DISTINCT FROM"] {
                texts.push(format!("{left} {op} {right}_b"));
            }
        }
        texts.push(format!("-{left}"));
        texts.push(format!("{left} BETWEEN {left}_b AND {left}"));
        texts.push(format!("{left} IN ({left}_b, NULL)"));
        texts.push(format!("CASE WHEN {left} > {left}_b THEN {left} ELSE {left}_b END"));
    }
    let accepted = check(&field, &texts);
    assert!(accepted > 1500, "{accepted}");
}

#[test]
fn casts_between_all_types() {
    let field = Field::new();
    let types = [
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INT",
        "BIGINT",
        "TINYINT UNSIGNED",
        "BIGINT UNSIGNED",
        "REAL",
        "DOUBLE",
        "DECIMAL(9, 2)",
        "DECIMAL(38, 0)",
        "DECIMAL(38, 38)",
        "DECIMAL(76, 10)",
        "TEXT",
        "DATE",
        "TIMESTAMP(0)",
        "TIMESTAMP(3)",
        "TIMESTAMP(6)",
        "TIMESTAMP",
        "TIMESTAMP WITH TIME ZONE",
        "TIME",
        "INTERVAL",
        "BYTEA",
    ];
    let mut texts = Vec::new();
    for column in columns() {
        for kind in types {
            texts.push(format!("CAST({column} AS {kind})"));
            texts.push(format!("TRY_CAST({column} AS {kind}) IS NULL"));
        }
    }
    let accepted = check(&field, &texts);
    assert!(accepted > 300, "{accepted}");
}

#[test]
fn every_function_on_every_type() {
    let field = Field::new();
    let calls = [
        "abs({})",
        "ceil({})",
        "floor({})",
        "round({})",
        "round({}, 2)",
        "round({}, -3)",
        "round({}, 400)",
        "round({}, -400)",
        "trunc({})",
        "trunc({}, 2)",
        "trunc({}, -30)",
        "signum({})",
        "sqrt({})",
        "cbrt({})",
        "exp({})",
        "ln({})",
        "log10({})",
        "log2({})",
        "log({})",
        "log(2, {})",
        "log({}, 10)",
        "power({}, 2)",
        "power({}, {}_b)",
        "power(10, {})",
        "sin({})",
        "tan({})",
        "cot({})",
        "acos({})",
        "atan2({}, {}_b)",
        "degrees({})",
        "isnan({})",
        "iszero({})",
        "nanvl({}, 0)",
        "factorial({})",
        "gcd({}, {}_b)",
        "lcm({}, {}_b)",
        "greatest({}, {}_b)",
        "least({}, {}_b)",
        "coalesce({}, {}_b)",
        "nullif({}, {}_b)",
        "nvl({}, {}_b)",
        "lower({})",
        "upper({})",
        "trim({})",
        "btrim({}, 'a')",
        "ltrim({})",
        "rtrim({}, ',')",
        "length({})",
        "octet_length({})",
        "bit_length({})",
        "substr({}, 2)",
        "substr({}, 0, 3)",
        "substr(city, i64, i64_b)",
        "substr(view_city, i64_b, u8)",
        "left({}, 2)",
        "left(city, i64)",
        "right(city, i64)",
        "right({}, -1)",
        "starts_with({}, 'a')",
        "ends_with({}, 'b')",
        "contains({}, ',')",
        "strpos({}, 'c')",
        "strpos(city, city_b)",
        "replace({}, 'a', 'bb')",
        "replace({}, '', 'x')",
        "split_part({}, ',', 2)",
        "split_part(city, ',', i64)",
        "split_part(city, city_b, i64)",
        "concat({}, '-', {}_b)",
        "concat_ws(',', {}, {}_b)",
        "reverse({})",
        "initcap({})",
        "translate({}, 'ab', 'ß')",
        "translate(city, city_b, view_city)",
        "lpad({}, 10)",
        "lpad({}, 5, 'ß')",
        "rpad({}, 300, 'xy')",
        "repeat({}, 3)",
        "repeat({}, -1)",
        "ascii({})",
        "chr({})",
        "to_hex({})",
        "regexp_like({}, '^[a-c]+')",
        "regexp_like({}, 'A', 'i')",
        "regexp_replace({}, '(a|b)', '[\\1\\1]', 'g')",
        "regexp_count({}, 'a')",
        "regexp_instr({}, 'b')",
        "find_in_set({}, 'a,b')",
        "substr_index({}, ',', 1)",
        "substr_index(city, ',', i64)",
        "overlay({} placing 'x' from 2)",
        "{} || '!'",
        "{} || {}_b",
        "{} LIKE 'a%'",
        "{} NOT ILIKE '%B_c\\%'",
        "{} SIMILAR TO 'a+'",
        "{} ~ '^a.*$'",
        "{} !~* 'B'",
        "date_trunc('second', {})",
        "date_trunc('day', {})",
        "date_trunc('week', {})",
        "date_trunc('month', {})",
        "date_trunc('quarter', {})",
        "date_trunc('year', {})",
        "date_part('year', {})",
        "date_part('month', {})",
        "date_part('week', {})",
        "date_part('doy', {})",
        "date_part('epoch', {})",
        "date_part('second', {})",
        "date_part('nanosecond', {})",
        "date_part('isodow', {})",
        "extract(hour from {})",
        "date_bin(INTERVAL '15 minutes', {})",
        "date_bin(INTERVAL '1 month', {})",
        "date_bin(INTERVAL '7 days', {}, TIMESTAMP '2020-01-01')",
        "{} + INTERVAL '1 day'",
        "{} - INTERVAL '1 month'",
        "INTERVAL '100 years' + {}",
        "{} + 1",
        "{} - 33",
        "1 / ({} - 33)",
        "{} % 0",
        "{} / 0",
        "{} * 2",
        "NOT {}",
        "{} IS TRUE",
        "{} IS NOT UNKNOWN",
        "{} IS NULL",
        "{} = 5",
        "{} < 0.5",
        "{} < 'a'",
        "{} > DATE '2020-01-01'",
        "{} IN (1, 2, 3)",
        "{} IN ('a', 'b')",
        "CASE {} WHEN {}_b THEN 1 WHEN NULL THEN 2 END",
        "CASE WHEN {} IS NULL THEN 1 / 0 ELSE 2 END",
    ];
    let mut texts = Vec::new();
    for call in calls {
        for column in columns() {
            texts.push(call.replace("{}", column));
        }
    }
    texts.sort();
    texts.dedup();
    let accepted = check(&field, &texts);
    assert!(accepted > 1200, "{accepted}");
}

/// Expressions of a few levels over the hostile columns.
fn expressions() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(columns()).prop_map(str::to_string),
        prop::sample::select(vec![
            "0",
            "1",
            "-1",
            "33",
            "0.5",
            "9223372036854775807",
            "'a'",
            "NULL",
            "true"
        ])
        .prop_map(str::to_string),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let binary =
            prop::sample::select(vec!["+", "-", "*", "/", "%", "<", "=", "AND", "OR", "||"]);
        let unary = prop::sample::select(vec![
            "abs({})",
            "-({})",
            "floor({})",
            "CAST({} AS INT)",
            "CAST({} AS TEXT)",
            "CAST({} AS DOUBLE)",
            "CAST({} AS DATE)",
            "CAST({} AS DECIMAL(20, 4))",
            "length({})",
            "upper({})",
            "replace({}, 'a', 'aa')",
            "date_trunc('month', {})",
            "date_part('day', {})",
            "NOT ({})",
            "({}) IS NULL",
            "sqrt({})",
            "round({}, 1)",
            "substr({}, 2)",
        ]);
        prop_oneof![
            (inner.clone(), binary, inner.clone())
                .prop_map(|(l, op, r)| format!("({l}) {op} ({r})")),
            (unary, inner.clone()).prop_map(|(call, x)| call.replace("{}", &x)),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(c, x, y)| format!(
                "CASE WHEN ({c}) IS NOT NULL THEN ({x}) ELSE ({y}) END"
            )),
            (inner.clone(), inner).prop_map(|(x, y)| format!("coalesce({x}, {y})")),
        ]
    })
}

#[test]
fn nested_expressions() {
    let field = Field::new();
    let mut runner = TestRunner::deterministic();
    let strategy = expressions();
    let texts: Vec<String> =
        (0..1500).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect();
    // In an expression of several levels a wrapped integer may turn up anywhere above.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut accepted = 0;
    for text in &texts {
        let Ok(native) = field.parse(text) else { continue };
        let Ok(total) = totalise(native, &field.schema) else { continue };
        accepted += 1;
        let values = runtime.block_on(field.through_engine(std::slice::from_ref(&total)));
        let values = values.unwrap_or_else(|error| panic!("{text} as {total}: {error}"));
        let physical = field.physical(total).unwrap();
        let rows = field.rows.num_rows();
        let together = physical.evaluate(&field.rows).unwrap().into_array(rows).unwrap();
        for row in 0..rows {
            let alone =
                field.alone(&physical, row).unwrap_or_else(|error| panic!("{text}: {error}"));
            let value = at(&together, row);
            assert!(same(&value, &alone), "{text} on row {row}: {value:?}, {alone:?} alone");
        }
        assert_eq!(values[0].len(), rows, "{text}");
    }
    assert!(accepted > 200, "{accepted}");
}
