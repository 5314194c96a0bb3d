//! The interval of an expression, as an expression.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::logical_expr::expr::{BinaryExpr, Case, ScalarFunction};
use datafusion::logical_expr::{Expr, ExprSchemable, Operator};

use super::interval::{Increasing, Op};
use super::spanned::{call, increasing, point};
use super::table::Kind;

/// What is known of a column of a plan.
#[derive(Debug, Clone)]
pub(super) struct Carried {
    pub(super) column: Column,
    pub(super) kind: Kind,
    /// The column of its intervals.
    pub(super) span: Option<Column>,
}

/// The columns that an expression sees: `columns` in the order of `schema`.
pub(super) struct Scope<'a> {
    pub(super) schema: &'a DFSchema,
    pub(super) columns: &'a [Carried],
}

impl Scope<'_> {
    fn find(&self, column: &Column) -> Option<&Carried> {
        self.columns.get(self.schema.maybe_index_of_column(column)?)
    }

    /// Whether an expression is made of keys and constants alone.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named has parts that are")]
    pub(super) fn kind(&self, expr: &Expr) -> Kind {
        let mut kind = Kind::Key;
        let walked = expr.apply(|part| {
            let noisy = match part {
                Expr::Column(column) => {
                    self.find(column).is_none_or(|found| found.kind == Kind::Value)
                }
                Expr::ScalarSubquery(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::SetComparison(_)
                | Expr::OuterReferenceColumn(_, _)
                | Expr::AggregateFunction(_)
                | Expr::WindowFunction(_) => true,
                _ => false,
            };
            if noisy {
                kind = Kind::Value;
                return Ok(TreeNodeRecursion::Stop);
            }
            Ok(TreeNodeRecursion::Continue)
        });
        walked.map_or(Kind::Value, |_| kind)
    }

    /// The interval of an expression; `None` if there is no simple one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named has no interval")]
    pub(super) fn span(&self, expr: &Expr) -> Option<Expr> {
        if self.kind(expr) == Kind::Key {
            return self.exact(expr);
        }
        match expr {
            Expr::Column(column) => self.find(column)?.span.clone().map(Expr::Column),
            Expr::Alias(alias) => self.span(&alias.expr),
            Expr::Cast(cast) => self.cast(&cast.expr, cast.field.data_type()),
            Expr::TryCast(cast) => self.cast(&cast.expr, cast.field.data_type()),
            Expr::Negative(inner) => Some(call(Op::Negate, vec![self.span(inner)?])),
            Expr::BinaryExpr(binary) => self.binary(expr, binary),
            Expr::Case(case) => self.case(case),
            Expr::ScalarFunction(function) => self.function(function),
            _ => None,
        }
    }

    fn kind_of_data(&self, expr: &Expr) -> Option<DataType> {
        expr.get_type(self.schema).ok()
    }

    /// What is made of keys alone is exact, if it is a number.
    fn exact(&self, expr: &Expr) -> Option<Expr> {
        let kind = self.kind_of_data(expr)?;
        (kind.is_numeric() || kind.is_null()).then(|| point(expr.clone().unalias()))
    }

    /// Conversions among numbers; to whole numbers they cut towards zero.
    fn cast(&self, expr: &Expr, to: &DataType) -> Option<Expr> {
        if !self.kind_of_data(expr)?.is_numeric() || !to.is_numeric() {
            return None;
        }
        let span = self.span(expr)?;
        Some(converted(span, to))
    }

    fn binary(&self, expr: &Expr, binary: &BinaryExpr) -> Option<Expr> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named has no interval")]
        let op = match binary.op {
            Operator::Plus => Op::Add,
            Operator::Minus => Op::Subtract,
            Operator::Multiply => Op::Multiply,
            Operator::Divide => Op::Divide,
            _ => return None,
        };
        let kind = self.kind_of_data(expr)?;
        if !kind.is_numeric() {
            return None;
        }
        let span = call(op, vec![self.span(&binary.left)?, self.span(&binary.right)?]);
        Some(if op == Op::Divide { converted(span, &kind) } else { span })
    }

    /// The branch is known where it depends on keys alone; else any may be the right one.
    fn case(&self, case: &Case) -> Option<Expr> {
        let conditions = case.when_then_expr.iter().map(|(when, _)| when.as_ref());
        let mut conditions = conditions.chain(case.expr.as_deref());
        if conditions.all(|condition| self.kind(condition) == Kind::Key) {
            return self.same_branch(case);
        }
        let branches = case.when_then_expr.iter().map(|(_, then)| then.as_ref());
        let branches = branches.chain(case.else_expr.as_deref()).filter(|branch| !is_null(branch));
        Some(call(Op::Hull, branches.map(|branch| self.span(branch)).collect::<Option<_>>()?))
    }

    fn same_branch(&self, case: &Case) -> Option<Expr> {
        let branches = case
            .when_then_expr
            .iter()
            .map(|(when, then)| Some((when.clone(), Box::new(self.span(then)?))));
        let otherwise = match &case.else_expr {
            Some(otherwise) => Some(Box::new(self.span(otherwise)?)),
            None => None,
        };
        let branches = branches.collect::<Option<_>>()?;
        Some(Expr::Case(Case::new(case.expr.clone(), branches, otherwise)))
    }

    fn function(&self, function: &ScalarFunction) -> Option<Expr> {
        let args = function.args.as_slice();
        if let (Some(simple), [arg]) = (named(function.name()), args) {
            return Some(increasing(simple, self.span(arg)?));
        }
        match (function.name(), args) {
            ("abs", [arg]) => Some(call(Op::Abs, vec![self.span(arg)?])),
            ("round", [arg, places]) => {
                let places = i32::try_from(whole(places)?).ok()?;
                Some(increasing(Increasing::Round(places), self.span(arg)?))
            }
            ("power" | "pow", [arg, exponent]) => {
                let exponent = u32::try_from(whole(exponent)?).ok().filter(|&n| n > 0)?;
                Some(call(Op::Power(exponent), vec![self.span(arg)?]))
            }
            // NULL in, NULL out otherwise: a row without value has no interval.
            ("nullif", [arg, _]) => self.span(arg),
            ("coalesce", _) => self.first(args),
            ("least", _) => self.all(Op::Least, args),
            ("greatest", _) => self.all(Op::Greatest, args),
            _ => None,
        }
    }

    /// The interval of the argument that is taken; that the others have no value is released.
    fn first(&self, args: &[Expr]) -> Option<Expr> {
        let branches = args
            .iter()
            .map(|arg| Some((Box::new(arg.clone().is_not_null()), Box::new(self.span(arg)?))));
        Some(Expr::Case(Case::new(None, branches.collect::<Option<_>>()?, None)))
    }

    fn all(&self, op: Op, args: &[Expr]) -> Option<Expr> {
        Some(call(op, args.iter().map(|arg| self.span(arg)).collect::<Option<_>>()?))
    }
}

fn converted(span: Expr, to: &DataType) -> Expr {
    if to.is_integer() { increasing(Increasing::Truncate, span) } else { span }
}

fn named(function: &str) -> Option<Increasing> {
    Some(match function {
        "floor" => Increasing::Floor,
        "ceil" => Increasing::Ceil,
        "trunc" => Increasing::Truncate,
        "round" => Increasing::Round(0),
        "signum" => Increasing::Sign,
        "sqrt" => Increasing::SquareRoot,
        "cbrt" => Increasing::CubeRoot,
        "exp" => Increasing::Exp,
        "ln" => Increasing::Ln,
        "log2" => Increasing::Log2,
        "log10" => Increasing::Log10,
        _ => return None,
    })
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(value, _) if value.is_null())
}

/// A whole number that is written in the query.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not written there")]
fn whole(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Literal(value, _) => match value.cast_to(&DataType::Int64).ok()? {
            ScalarValue::Int64(Some(number)) if same(value, number) => Some(number),
            _ => None,
        },
        Expr::Negative(inner) => whole(inner).and_then(i64::checked_neg),
        Expr::Cast(cast) => whole(&cast.expr),
        _ => None,
    }
}

/// Whether a conversion to a whole number has lost nothing.
fn same(value: &ScalarValue, number: i64) -> bool {
    ScalarValue::Int64(Some(number)).cast_to(&value.data_type()).is_ok_and(|back| back == *value)
}
