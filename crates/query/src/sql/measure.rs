//! What is asked of each group, and of which inputs.

use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Expr, ExprSchemable, try_cast, when};
use throng_numeric::Rational;

use super::constant::{column, number, numeric_column, value, written};
use super::context::planned;
use super::rows::{Facts, Rows, bare};
use super::text::short;
use crate::QueryError;
use crate::question::{Aggregate, Input, Range};

/// The inputs and aggregates of a question.
#[derive(Debug, Default)]
pub(super) struct Measures {
    pub(super) inputs: Vec<(Expr, Input)>,
    pub(super) aggregates: Vec<Aggregate>,
}

impl Measures {
    /// The measures of aggregate expressions over rows.
    pub(super) fn of(exprs: &[Expr], rows: &Rows) -> Result<Self, QueryError> {
        let mut measures = Self::default();
        for expr in exprs {
            let Expr::AggregateFunction(call) = bare(expr) else { return Err(refused(expr)) };
            let aggregate = measures.aggregate(call, expr, rows)?;
            measures.aggregates.push(aggregate);
        }
        Ok(measures)
    }

    fn aggregate(
        &mut self,
        call: &AggregateFunction,
        shown: &Expr,
        rows: &Rows,
    ) -> Result<Aggregate, QueryError> {
        let asked = Asked::new(call, shown)?;
        let name = call.func.name();
        if name == "count" || name == "approx_distinct" {
            return self.count(&asked, name == "approx_distinct", rows);
        }
        if call.params.distinct && !matches!(name, "min" | "max") {
            return Err(QueryError::refused(
                short(&shown.to_string()),
                "whose value a repeated one is cannot be said",
                "use COUNT(DISTINCT ...), or make the values distinct by unit in a sub-query",
            ));
        }
        let of = |input: usize| match name {
            "sum" => Some(Aggregate::Sum { input }),
            "avg" => Some(Aggregate::Mean { input }),
            "var" => Some(Aggregate::Variance { input, sample: true }),
            "var_pop" => Some(Aggregate::Variance { input, sample: false }),
            "stddev" => Some(Aggregate::Deviation { input, sample: true }),
            "stddev_pop" => Some(Aggregate::Deviation { input, sample: false }),
            _ => None,
        };
        match asked.fraction(name)? {
            Some(fraction) => {
                Ok(Aggregate::Quantile { input: self.number(&asked, rows)?, fraction })
            }
            None if of(0).is_none() => Err(refused(shown)),
            None => of(self.number(&asked, rows)?).ok_or_else(|| refused(shown)),
        }
    }

    fn count(
        &mut self,
        asked: &Asked<'_>,
        distinct: bool,
        rows: &Rows,
    ) -> Result<Aggregate, QueryError> {
        let [arg] = asked.call.params.args.as_slice() else { return Err(refused(asked.shown)) };
        let filter = asked.call.params.filter.is_some();
        if distinct || asked.call.params.distinct {
            let facts = column(arg, rows).and_then(|column| rows.of_column(column));
            if facts.is_some_and(|facts| facts.is_unit) && !filter {
                return Ok(Aggregate::Units);
            }
            return Ok(Aggregate::Distinct { input: self.plain(asked, arg, rows)? });
        }
        match value(arg) {
            Some(literal) if !literal.is_null() && !filter => Ok(Aggregate::Rows),
            _ => Ok(Aggregate::Present { input: self.plain(asked, arg, rows)? }),
        }
    }

    /// An input that is only counted or told apart.
    fn plain(&mut self, asked: &Asked<'_>, arg: &Expr, rows: &Rows) -> Result<usize, QueryError> {
        let expr = asked.filtered(rows.total(arg)?, rows)?;
        let kind = planned(expr.get_type(rows.plan.schema()))?;
        if kind.is_nested() {
            return Err(refused(asked.shown));
        }
        let expr = if kind == DataType::Null { try_cast(expr, DataType::Int64) } else { expr };
        self.input(expr, arg, None, rows)
    }

    /// An input that is a number, with its range.
    fn number(&mut self, asked: &Asked<'_>, rows: &Rows) -> Result<usize, QueryError> {
        let Some(arg) = asked.call.params.args.first() else { return Err(refused(asked.shown)) };
        let kind = planned(arg.get_type(rows.plan.schema()))?;
        if !kind.is_numeric() {
            return Err(QueryError::invalid(
                format!("{} needs a number, not {kind}", short(&asked.shown.to_string())),
                "use a numeric column, or CAST(... AS DOUBLE)",
            ));
        }
        let expr = asked.filtered(rows.total(arg)?, rows)?;
        let range = range(arg, rows).ok_or_else(|| no_range(arg, rows))?;
        let small = kind.is_integer() && kind != DataType::UInt64;
        let wide = if small { DataType::Int64 } else { DataType::Float64 };
        let expr = if kind == wide { expr } else { try_cast(expr, wide) };
        let index = self.input(expr, arg, Some(range), rows)?;
        if let Some((_, input)) = self.inputs.get_mut(index) {
            input.unit_sum = facts(arg, rows).unit_sum;
        }
        Ok(index)
    }

    /// The input, once.
    fn input(
        &mut self,
        expr: Expr,
        arg: &Expr,
        range: Option<Range>,
        rows: &Rows,
    ) -> Result<usize, QueryError> {
        if let Some(index) = self.inputs.iter().position(|(old, _)| *old == expr) {
            if let (Some((_, input)), true) = (self.inputs.get_mut(index), range.is_some()) {
                input.range = range;
            }
            return Ok(index);
        }
        let kind = planned(expr.get_type(rows.plan.schema()))?;
        let name = short(&bare(arg).to_string());
        self.inputs.push((expr, Input { name, kind, range, unit_sum: None }));
        Ok(self.inputs.len() - 1)
    }
}

/// One aggregate as the query has it.
struct Asked<'e> {
    call: &'e AggregateFunction,
    shown: &'e Expr,
}

impl<'e> Asked<'e> {
    fn new(call: &'e AggregateFunction, shown: &'e Expr) -> Result<Self, QueryError> {
        let ordered = !call.params.order_by.is_empty() && !is_percentile(call.func.name());
        if ordered || call.params.null_treatment.is_some() {
            return Err(refused(shown));
        }
        Ok(Self { call, shown })
    }

    /// FILTER (WHERE c): NULL where c does not hold.
    fn filtered(&self, expr: Expr, rows: &Rows) -> Result<Expr, QueryError> {
        match &self.call.params.filter {
            Some(filter) => planned(when(rows.total(filter)?, expr).end()),
            None => Ok(expr),
        }
    }

    /// The fraction, if it is a quantile that is asked.
    fn fraction(&self, name: &str) -> Result<Option<Rational>, QueryError> {
        Ok(Some(match name {
            "min" => Rational::ZERO,
            "max" => Rational::ONE,
            "median" | "approx_median" => half(),
            _ if is_percentile(name) => self.written_fraction()?,
            _ => return Ok(None),
        }))
    }

    fn written_fraction(&self) -> Result<Rational, QueryError> {
        let wrong = || {
            QueryError::invalid(
                format!("{} needs a fraction from 0 to 1", short(&self.shown.to_string())),
                "write it as a number, such as 0.9",
            )
        };
        let literal = self.call.params.args.get(1).and_then(value).ok_or_else(wrong)?;
        let fraction = written(&literal).ok_or_else(wrong)?;
        if fraction.is_negative() || fraction > Rational::ONE {
            return Err(wrong());
        }
        let down = self.call.params.order_by.first().is_some_and(|sort| !sort.asc);
        Ok(if down { Rational::ONE - fraction } else { fraction })
    }
}

fn is_percentile(name: &str) -> bool {
    matches!(name, "percentile_cont" | "approx_percentile_cont")
}

fn half() -> Rational {
    Rational::ONE.checked_div(&Rational::from(2_u32)).unwrap_or(Rational::ONE)
}

/// The range of a number: declared, derived, or to be found privately.
fn range(arg: &Expr, rows: &Rows) -> Option<Range> {
    if let Some(literal) = value(arg) {
        let exact = if literal.is_null() { Rational::ZERO } else { number(&literal)? };
        return Some(Range::Declared { lower: exact.clone(), upper: exact });
    }
    let facts = facts(arg, rows);
    match facts.range()? {
        Range::Declared { lower, upper } if lower > upper => {
            Some(Range::Declared { lower: upper, upper: lower })
        }
        range @ (Range::Declared { .. } | Range::Auto { .. }) => Some(range),
    }
}

fn facts(arg: &Expr, rows: &Rows) -> Facts {
    match numeric_column(arg, rows).and_then(|column| rows.of_column(column)) {
        Some(facts) => facts.clone(),
        None => rows.of_expr(arg),
    }
}

fn no_range(arg: &Expr, rows: &Rows) -> QueryError {
    let shown = short(&bare(arg).to_string());
    let half_open = facts(arg, rows);
    let reason = match (half_open.lower.is_some(), half_open.upper.is_some()) {
        (true, false) => "how large it may be is not known, so neither is how much noise it needs",
        (false, true) => "how small it may be is not known, so neither is how much noise it needs",
        _ => "its range is not known, so neither is how much noise it needs",
    };
    QueryError::refused(
        shown.clone(),
        reason,
        format!(
            "declare the range of its columns in the policy, or bound it in the query: \
             LEAST(GREATEST({shown}, 0), 1000)"
        ),
    )
}

fn refused(shown: &Expr) -> QueryError {
    QueryError::refused(
        short(&shown.to_string()),
        "there is no private form of this aggregate",
        "use COUNT, COUNT(DISTINCT), SUM, AVG, VAR, STDDEV, MEDIAN, APPROX_PERCENTILE_CONT, \
         MIN or MAX",
    )
}
