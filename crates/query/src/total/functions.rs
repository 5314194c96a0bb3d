//! Which functions of the engine may stand in a private query, and in what form.

use std::sync::{Arc, OnceLock};

use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, ScalarUDF};

use super::{arithmetic, cast, choice, guard};
use crate::QueryError;

/// How a function is made total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The engine's own form has a value on every row.
    Native,
    /// The first argument that is not NULL.
    First,
    /// NULL on the rows where the engine's own form fails; texts are bounded.
    Guarded(Growth),
}

/// How many bytes a function makes of each byte of its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// At most this many.
    Fixed(usize),
    /// At most the length of this argument, which is a literal, plus one.
    Length(usize),
    /// At most four times this argument, a literal number (of characters), plus one.
    Number(usize),
}

/// A function that may stand in a private query.
struct Entry {
    name: &'static str,
    form: Form,
    /// Arguments that must be literals: what they say is checked once, before any row is seen.
    literals: &'static [usize],
}

/// The longest literal, and the largest literal number, of a function that makes text longer.
const LARGEST: usize = 1024;

const fn native(name: &'static str) -> Entry {
    Entry { name, form: Form::Native, literals: &[] }
}

const fn guarded(name: &'static str) -> Entry {
    Entry { name, form: Form::Guarded(Growth::Fixed(1)), literals: &[] }
}

const fn with_literals(name: &'static str, literals: &'static [usize]) -> Entry {
    Entry { name, form: Form::Guarded(Growth::Fixed(1)), literals }
}

const fn growing(name: &'static str, growth: Growth, literals: &'static [usize]) -> Entry {
    Entry { name, form: Form::Guarded(growth), literals }
}

/// Every function that may stand in a private query.
///
/// *Native*: a choice among values that are there, or a search in a text that allocates nothing;
/// neither has an error path in the engine for arguments of the right types. *Guarded*: everything
/// else, that is, all with an error path that data can reach (overflow, roots of negative numbers,
/// bad positions, dates out of range) and all that make text.
const TABLE: &[Entry] = &[
    // Choices among given values.
    Entry { name: "coalesce", form: Form::First, literals: &[] },
    native("greatest"),
    native("least"),
    native("nullif"),
    Entry { name: "nvl", form: Form::First, literals: &[] },
    // Elementary functions; some fail outside of their domain, such as sqrt(-1).
    guarded("acos"),
    guarded("acosh"),
    guarded("asin"),
    guarded("asinh"),
    guarded("atan"),
    guarded("atan2"),
    guarded("atanh"),
    guarded("cbrt"),
    guarded("cos"),
    guarded("cosh"),
    guarded("degrees"),
    guarded("exp"),
    guarded("isnan"),
    guarded("ln"),
    guarded("log10"),
    guarded("log2"),
    guarded("pi"),
    guarded("radians"),
    guarded("sin"),
    guarded("sinh"),
    guarded("sqrt"),
    guarded("tan"),
    guarded("tanh"),
    guarded("cot"),
    guarded("iszero"),
    guarded("log"),
    guarded("nanvl"),
    guarded("power"),
    guarded("signum"),
    // Integers and decimals overflow.
    guarded("abs"),
    guarded("ceil"),
    guarded("factorial"),
    guarded("floor"),
    guarded("gcd"),
    guarded("lcm"),
    with_literals("round", &[1]),
    with_literals("trunc", &[1]),
    // Questions about a text.
    guarded("ascii"),
    guarded("bit_length"),
    guarded("character_length"),
    native("contains"),
    native("ends_with"),
    guarded("find_in_set"),
    guarded("octet_length"),
    native("starts_with"),
    guarded("strpos"),
    with_literals("regexp_count", &[1, 2, 3]),
    with_literals("regexp_instr", &[1, 2, 3, 4, 5, 6]),
    with_literals("regexp_like", &[1, 2]),
    // Parts of a text.
    guarded("btrim"),
    guarded("left"),
    guarded("ltrim"),
    guarded("reverse"),
    guarded("right"),
    guarded("rtrim"),
    guarded("split_part"),
    guarded("substr"),
    guarded("substr_index"),
    // New texts. A letter of two bytes has capitals of up to six.
    guarded("chr"),
    guarded("concat"),
    growing("concat_ws", Growth::Length(0), &[0]),
    growing("initcap", Growth::Fixed(3), &[]),
    growing("lower", Growth::Fixed(3), &[]),
    growing("lpad", Growth::Number(1), &[1, 2]),
    growing("overlay", Growth::Fixed(2), &[]),
    growing("regexp_replace", Growth::Length(2), &[1, 2, 3]),
    growing("repeat", Growth::Number(1), &[1]),
    growing("replace", Growth::Length(2), &[2]),
    growing("rpad", Growth::Number(1), &[1, 2]),
    guarded("to_hex"),
    growing("translate", Growth::Fixed(4), &[]),
    growing("upper", Growth::Fixed(3), &[]),
    // Dates and times.
    with_literals("date_bin", &[0, 2]),
    with_literals("date_part", &[0]),
    with_literals("date_trunc", &[0]),
];

const CLOCK: &str = "it depends on when the query runs";
const LITERAL_TIME: &str = "write the date or time as a literal, such as TIMESTAMP '2026-01-31'";
const PARSE: &str = "it fails on values it cannot read";
const CAST_TIME: &str = "write TRY_CAST(x AS DATE) or TRY_CAST(x AS TIMESTAMP)";
const CHANCE: &str = "it draws at random";
const STORAGE: &str = "it depends on where a row is stored";

/// Functions that are asked for and may not stand: name, reason, what to write instead.
const REFUSED: &[(&str, &str, &str)] = &[
    ("arrow_cast", "the type is not part of the query's grammar", "write TRY_CAST(x AS type)"),
    ("current_date", CLOCK, LITERAL_TIME),
    ("current_time", CLOCK, LITERAL_TIME),
    ("now", CLOCK, LITERAL_TIME),
    ("random", CHANCE, "leave it out: the noise is drawn for you"),
    ("uuid", CHANCE, "leave it out: rows have the identity that the policy names"),
    ("input_file_name", STORAGE, "filter on a column of the table"),
    ("file_row_index", STORAGE, "filter on a column of the table"),
    ("from_unixtime", PARSE, "write TRY_CAST(x AS TIMESTAMP)"),
    ("levenshtein", "its time grows with the square of the text", "compare with LIKE"),
    ("make_date", "it fails on days that no calendar has", CAST_TIME),
    ("make_time", "it fails on hours that no clock has", CAST_TIME),
    (
        "nvl2",
        "the engine computes it as another form",
        "write CASE WHEN x IS NOT NULL THEN y ELSE z END",
    ),
    ("regexp_match", "it gives a list", "write regexp_like or regexp_replace"),
    ("to_char", "it fails on dates out of range", "write date_part or date_trunc"),
    ("to_date", PARSE, CAST_TIME),
    ("to_time", PARSE, CAST_TIME),
    ("to_timestamp", PARSE, CAST_TIME),
    ("to_timestamp_seconds", PARSE, CAST_TIME),
    ("to_timestamp_millis", PARSE, CAST_TIME),
    ("to_timestamp_micros", PARSE, CAST_TIME),
    ("to_timestamp_nanos", PARSE, CAST_TIME),
    ("to_local_time", PARSE, CAST_TIME),
    ("to_unixtime", PARSE, "write date_part('epoch', TRY_CAST(x AS TIMESTAMP))"),
];

/// A call in the form that is total.
pub(super) fn total(call: ScalarFunction) -> Result<Expr, QueryError> {
    if ours(&call.func) {
        return Ok(Expr::ScalarFunction(call));
    }
    let entry = entry(&call.func)?;
    let literals = entry.literals.iter().filter_map(|&place| Some((place, call.args.get(place)?)));
    for (place, argument) in literals {
        if !matches!(argument, Expr::Literal(..)) {
            return Err(not_literal(entry.name, place));
        }
    }
    let func = match entry.form {
        Form::Native => Arc::clone(&call.func),
        Form::First => choice::first(),
        Form::Guarded(growth) => {
            guard::guarded(Arc::clone(&call.func), growth.factor(entry.name, &call.args)?)
        }
    };
    Ok(Expr::ScalarFunction(ScalarFunction { func, args: call.args }))
}

/// Whether a function is total because this module made it.
fn ours(function: &ScalarUDF) -> bool {
    guard::behind(function).is_some()
        || arithmetic::operation_of(function).is_some()
        || cast::is_cast(function)
        || choice::is_first(function)
}

/// The entry of a function, if it is the engine's own and not another of the same name.
fn entry(function: &Arc<ScalarUDF>) -> Result<&'static Entry, QueryError> {
    let name = function.name();
    let known = TABLE.iter().find(|entry| entry.name == name);
    match known.filter(|_| engines_own(function)) {
        Some(entry) => Ok(entry),
        None => Err(refusal(name)),
    }
}

fn engines_own(function: &Arc<ScalarUDF>) -> bool {
    static OWN: OnceLock<Vec<Arc<ScalarUDF>>> = OnceLock::new();
    let own = OWN.get_or_init(datafusion::functions::all_default_functions);
    own.iter().any(|one| one.name() == function.name() && one == function)
}

fn refusal(name: &str) -> QueryError {
    let known = REFUSED.iter().find(|(refused, ..)| *refused == name);
    let (reason, hint) = known.map_or(
        (
            "it is not known to give a value on every row",
            "use arithmetic, comparisons, CASE, TRY_CAST or one of the documented functions",
        ),
        |&(_, reason, hint)| (reason, hint),
    );
    QueryError::refused(format!("function {name}"), reason, hint)
}

fn not_literal(name: &str, place: usize) -> QueryError {
    QueryError::refused(
        format!("function {name}"),
        format!("argument {} comes from the rows, so that a bad one would tell", place + 1),
        "write a literal",
    )
}

impl Growth {
    fn factor(self, name: &str, args: &[Expr]) -> Result<usize, QueryError> {
        let factor = match self {
            Self::Fixed(factor) => return Ok(factor),
            Self::Length(place) => literal(args, place).map_or(0, length),
            Self::Number(place) => literal(args, place).map_or(0, number),
        };
        if factor > LARGEST {
            return Err(QueryError::refused(
                format!("function {name}"),
                format!("it makes a text more than {LARGEST} times as long"),
                format!("write a literal of at most {LARGEST}"),
            ));
        }
        let bytes = if matches!(self, Self::Number(_)) { 4 } else { 1 };
        Ok(factor * bytes + 1)
    }
}

fn literal(args: &[Expr], place: usize) -> Option<&ScalarValue> {
    args.get(place)?.as_literal()
}

fn length(value: &ScalarValue) -> usize {
    value.try_as_str().flatten().map_or(0, str::len)
}

/// A literal number; beyond all bounds if it is none, nothing if it is negative or NULL.
fn number(value: &ScalarValue) -> usize {
    if value.is_null() {
        return 0;
    }
    match value.cast_to(&datafusion::arrow::datatypes::DataType::Int64) {
        Ok(ScalarValue::Int64(Some(number))) => {
            usize::try_from(number.max(0)).unwrap_or(usize::MAX)
        }
        Ok(_) | Err(_) => usize::MAX,
    }
}
