//! One part of an expression, made total; its own parts are total already.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{Column, DFSchema, ExprSchema, ScalarValue};
use datafusion::logical_expr::expr::{Like, ScalarFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator, TryCast};

use super::arithmetic::{self, Operation};
use super::{cast, functions, guard, kinds, names};
use crate::QueryError;

const OTHER_ROWS: &str = "it looks at other rows";

/// A part in its total form.
///
/// # Errors
/// If the part is not on the list: everything that is not named here is refused.
#[expect(deprecated, reason = "an old kind of part is refused by name like the rest")]
pub(super) fn total(expr: Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    match expr {
        Expr::Column(column) => of_column(column, schema),
        Expr::Literal(value, metadata) => {
            kinds::plain(&value.data_type())
                .ok_or_else(|| not_plain("a literal", &value.data_type()))?;
            Ok(Expr::Literal(value, metadata))
        }
        Expr::BinaryExpr(binary) => of_binary(binary, schema),
        Expr::Like(like) => of_pattern(like, Expr::Like),
        Expr::SimilarTo(like) => of_pattern(like, Expr::SimilarTo),
        Expr::Negative(inner) => of_negative(*inner, schema),
        Expr::Cast(cast) => of_cast(*cast.expr, cast.field.data_type(), schema),
        Expr::TryCast(cast) => of_cast(*cast.expr, cast.field.data_type(), schema),
        Expr::ScalarFunction(call) => functions::total(call),
        // Whatever their parts give, these give a value or NULL.
        Expr::Alias(_)
        | Expr::Not(_)
        | Expr::IsNotNull(_)
        | Expr::IsNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::Between(_)
        | Expr::Case(_)
        | Expr::InList(_) => Ok(expr),
        Expr::ScalarVariable(..)
        | Expr::AggregateFunction(_)
        | Expr::WindowFunction(_)
        | Expr::Exists(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_)
        | Expr::ScalarSubquery(_)
        | Expr::Wildcard { .. }
        | Expr::GroupingSet(_)
        | Expr::Placeholder(_)
        | Expr::OuterReferenceColumn(..)
        | Expr::Unnest(_)
        | Expr::HigherOrderFunction(_)
        | Expr::Lambda(_)
        | Expr::LambdaVariable(_) => Err(refusal(&expr)),
    }
}

/// Why a kind of part may not stand in an expression on rows at all.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is refused without a story")]
pub(super) fn refusal(expr: &Expr) -> QueryError {
    let (reason, hint) = match expr {
        Expr::AggregateFunction(_) => {
            (OTHER_ROWS, "move the aggregate to the SELECT list of its own query")
        }
        Expr::WindowFunction(_) => (OTHER_ROWS, "use windows on the result of an aggregate"),
        Expr::Exists(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_)
        | Expr::ScalarSubquery(_) => (OTHER_ROWS, "join the tables instead"),
        Expr::OuterReferenceColumn(..) => (OTHER_ROWS, "join the tables instead"),
        Expr::ScalarVariable(..) | Expr::Placeholder(_) => {
            ("its value is not part of the query", "write a literal")
        }
        Expr::Unnest(_) => ("it makes several rows of one", "store one value per row"),
        _ => {
            ("it is not known to give a value on every row", "use arithmetic, comparisons or CASE")
        }
    };
    QueryError::refused(names::of(expr), reason, hint)
}

/// Whether a part is refused whatever is inside it.
pub(super) fn is_refused(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::ScalarVariable(..)
            | Expr::AggregateFunction(_)
            | Expr::WindowFunction(_)
            | Expr::Exists(_)
            | Expr::InSubquery(_)
            | Expr::SetComparison(_)
            | Expr::ScalarSubquery(_)
            | Expr::GroupingSet(_)
            | Expr::Placeholder(_)
            | Expr::OuterReferenceColumn(..)
            | Expr::Unnest(_)
            | Expr::HigherOrderFunction(_)
            | Expr::Lambda(_)
            | Expr::LambdaVariable(_)
    )
}

fn not_plain(what: &str, kind: &DataType) -> QueryError {
    QueryError::refused(
        format!("{what} of type {kind}"),
        "expressions on private rows know numbers, texts, dates and times only",
        "store the parts that you need as columns of such types",
    )
}

/// A column, delivered in a plain type.
fn of_column(column: Column, schema: &DFSchema) -> Result<Expr, QueryError> {
    let kind = schema
        .data_type(&column)
        .map_err(|_| QueryError::invalid(format!("there is no column {column}"), ""))?;
    let plain = kinds::plain(kind).ok_or_else(|| not_plain(&format!("column {column}"), kind))?;
    if plain == *kind {
        return Ok(Expr::Column(column));
    }
    Ok(try_cast(Expr::Column(column), plain))
}

/// A cast, NULL where it fails; of a literal, its result.
fn of_cast(inner: Expr, kind: &DataType, schema: &DFSchema) -> Result<Expr, QueryError> {
    let target = kinds::plain(kind).ok_or_else(|| not_plain("a cast to a value", kind))?;
    if let Expr::Literal(value, _) = &inner {
        let value = value.cast_to(&target).map_err(|_| {
            QueryError::invalid(
                format!("the literal {value} is no {target}"),
                "write another literal",
            )
        })?;
        return Ok(Expr::Literal(value, None));
    }
    let source = kind_of(&inner, schema)?;
    if source == target {
        return Ok(inner);
    }
    let inner = checked_units(inner, &source, &target);
    if cast::is_total(&source, &target) {
        return Ok(try_cast(inner, target));
    }
    let func = cast::total(&target);
    Ok(Expr::ScalarFunction(ScalarFunction { func, args: vec![inner] }))
}

fn try_cast(inner: Expr, target: DataType) -> Expr {
    Expr::TryCast(TryCast::new(Box::new(inner), target))
}

/// A value to cast, in a type from which the engine changes units with a check: it has two casts to
/// a finer unit that wrap around.
fn checked_units(inner: Expr, source: &DataType, target: &DataType) -> Expr {
    match (source, target) {
        (DataType::Date64, DataType::Timestamp(..)) => {
            try_cast(inner, DataType::Timestamp(TimeUnit::Millisecond, None))
        }
        (DataType::Time64(TimeUnit::Microsecond), DataType::Time64(TimeUnit::Nanosecond)) => {
            let micros = try_cast(inner, DataType::Int64);
            let thousand = Expr::Literal(ScalarValue::Int64(Some(1000)), None);
            call(Operation::Multiply, vec![micros, thousand])
        }
        (_, _) => inner,
    }
}

fn kind_of(expr: &Expr, schema: &DFSchema) -> Result<DataType, QueryError> {
    expr.get_type(schema).map_err(|error| {
        QueryError::invalid(format!("{}: {}", names::of(expr), error.strip_backtrace()), "")
    })
}

fn of_negative(inner: Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let kind = kind_of(&inner, schema)?;
    if let Expr::Literal(value, _) = &inner
        && let Ok(value) = value.arithmetic_negate()
    {
        return Ok(Expr::Literal(value, None));
    }
    if kind.is_floating() || kind.is_null() {
        return Ok(Expr::Negative(Box::new(inner)));
    }
    if matches!(kind, DataType::Timestamp(..) | DataType::Date32 | DataType::Date64) {
        return Err(QueryError::refused(
            names::of(&inner),
            "a date has no negative",
            "leave - out",
        ));
    }
    Ok(call(Operation::Negate, vec![inner]))
}

fn call(operation: Operation, args: Vec<Expr>) -> Expr {
    Expr::ScalarFunction(ScalarFunction { func: arithmetic::total(operation), args })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn of_binary(binary: BinaryExpr, schema: &DFSchema) -> Result<Expr, QueryError> {
    match binary.op {
        Operator::Eq
        | Operator::NotEq
        | Operator::Lt
        | Operator::LtEq
        | Operator::Gt
        | Operator::GtEq
        | Operator::IsDistinctFrom
        | Operator::IsNotDistinctFrom
        | Operator::And
        | Operator::Or => Ok(Expr::BinaryExpr(binary)),
        Operator::Plus
        | Operator::Minus
        | Operator::Multiply
        | Operator::Divide
        | Operator::Modulo => of_arithmetic(binary, schema),
        Operator::StringConcat => of_concat(binary, schema),
        Operator::RegexMatch
        | Operator::RegexIMatch
        | Operator::RegexNotMatch
        | Operator::RegexNotIMatch
        | Operator::LikeMatch
        | Operator::ILikeMatch
        | Operator::NotLikeMatch
        | Operator::NotILikeMatch => match *binary.right {
            Expr::Literal(..) => Ok(Expr::BinaryExpr(binary)),
            _ => Err(pattern_from_rows(&binary.right)),
        },
        Operator::BitwiseAnd
        | Operator::BitwiseOr
        | Operator::BitwiseXor
        | Operator::BitwiseShiftRight
        | Operator::BitwiseShiftLeft
        | Operator::AtArrow
        | Operator::ArrowAt
        | Operator::Arrow
        | Operator::LongArrow
        | Operator::HashArrow
        | Operator::HashLongArrow
        | Operator::AtAt
        | Operator::IntegerDivide
        | Operator::HashMinus
        | Operator::AtQuestion
        | Operator::Question
        | Operator::QuestionAnd
        | Operator::QuestionPipe
        | Operator::Colon => Err(QueryError::refused(
            format!("operator {}", binary.op),
            "it is not known to give a value on every row",
            "use + - * / %, ||, comparisons, LIKE or ~ with a literal",
        )),
    }
}

/// Floats and the days between two dates stay with the engine, the rest becomes ours.
fn of_arithmetic(binary: BinaryExpr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let (left, right) = (kind_of(&binary.left, schema)?, kind_of(&binary.right, schema)?);
    let days = matches!(
        (&left, &right),
        (DataType::Date32, DataType::Date32) | (DataType::Date64, DataType::Date64)
    );
    if (left.is_floating() && right.is_floating()) || days {
        return Ok(Expr::BinaryExpr(binary));
    }
    let of_day = |kind: &DataType| matches!(kind, DataType::Time32(_) | DataType::Time64(_));
    if of_day(&left) || of_day(&right) {
        return Err(QueryError::refused(
            names::of(&Expr::BinaryExpr(binary)),
            "arithmetic with the time of day fails on times beyond 24 hours",
            "use timestamps",
        ));
    }
    match Operation::of(binary.op) {
        Some(operation) => Ok(call(operation, vec![*binary.left, *binary.right])),
        None => Ok(Expr::BinaryExpr(binary)),
    }
}

/// Both texts in a row, NULL if one is.
fn of_concat(binary: BinaryExpr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let kind = kind_of(&Expr::BinaryExpr(binary.clone()), schema)?;
    let func = guard::guarded_strictly(datafusion::functions::string::concat());
    let args = vec![*binary.left, *binary.right];
    let joined = Expr::ScalarFunction(ScalarFunction { func, args });
    of_cast(joined, &kind, schema)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn of_pattern(like: Like, kind: fn(Like) -> Expr) -> Result<Expr, QueryError> {
    match like.pattern.as_ref() {
        Expr::Literal(
            ScalarValue::Utf8(_) | ScalarValue::Utf8View(_) | ScalarValue::LargeUtf8(_),
            _,
        ) => Ok(kind(like)),
        pattern => Err(pattern_from_rows(pattern)),
    }
}

fn pattern_from_rows(pattern: &Expr) -> QueryError {
    QueryError::refused(
        names::of(pattern),
        "a pattern that comes from the rows may not compile, which would tell",
        "write the pattern as a literal",
    )
}
