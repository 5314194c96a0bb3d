//! What a policy may not say, and what it should not.

use throng_numeric::Rational;

use super::{Amount, Policy, Privacy};
use crate::release::Cost;

/// The largest number of groups or rows that a policy may allow a unit.
pub(super) const MOST_CONTRIBUTIONS: u64 = 1 << 31;

/// The longest name of a table.
const MOST_LETTERS: usize = 128;

/// Words that SQL keeps for itself where a table's name would stand.
const KEYWORDS: &[&str] = &[
    "all",
    "and",
    "any",
    "as",
    "between",
    "by",
    "case",
    "cast",
    "cross",
    "distinct",
    "else",
    "end",
    "except",
    "exists",
    "false",
    "fetch",
    "for",
    "from",
    "full",
    "group",
    "having",
    "in",
    "inner",
    "intersect",
    "interval",
    "into",
    "is",
    "join",
    "lateral",
    "left",
    "like",
    "limit",
    "natural",
    "not",
    "null",
    "offset",
    "on",
    "or",
    "order",
    "outer",
    "over",
    "partition",
    "qualify",
    "right",
    "select",
    "set",
    "table",
    "then",
    "true",
    "union",
    "unnest",
    "using",
    "values",
    "when",
    "where",
    "window",
    "with",
];

/// A name that can be written in SQL without quotes; otherwise what is wrong, and a hint.
pub(super) fn table_name(name: &str) -> Result<(), (String, String)> {
    let mut letters = name.chars();
    let starts = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let goes_on = letters.all(|c| c.is_alphabetic() || c == '_' || c.is_ascii_digit());
    let shown = super::read::shown(name);
    if !starts || !goes_on || name.chars().count() > MOST_LETTERS {
        let hint = "letters, digits and _, not starting with a digit";
        return Err((format!("{shown} cannot be the name of a table in SQL"), hint.into()));
    }
    if name.chars().any(char::is_uppercase) {
        let hint = format!("write [tables.{}]: SQL lowers names", name.to_lowercase());
        return Err((format!("the name of table {shown} is not in lower case"), hint));
    }
    if KEYWORDS.contains(&name) || name.starts_with("__throng") || name == "information_schema" {
        let hint = format!("call it {name}_table, say");
        return Err((format!("{shown} is a word of SQL, not a name for a table"), hint));
    }
    Ok(())
}

/// What is allowed but looks unwise.
pub(super) fn warnings(policy: &Policy) -> Vec<String> {
    let mut warnings = Vec::new();
    budget(policy, &mut warnings);
    query(policy, &mut warnings);
    for table in &policy.tables {
        if let Privacy::Private { .. } = table.privacy {
            continue;
        }
        if table.columns.values().any(|rule| rule.keys.is_some()) {
            let name = &table.name;
            warnings.push(format!("table {name} is public: its keys are known without a list"));
        }
    }
    for (analyst, quota) in &policy.analysts {
        if !within(quota, &policy.budget) {
            warnings
                .push(format!("the quota of {analyst} is above the budget, which is the limit"));
        }
    }
    warnings
}

fn budget(policy: &Policy, warnings: &mut Vec<String>) {
    let large = |epsilon: &Rational| *epsilon > Rational::from(10_u32);
    let likely = |delta: &Rational| *delta > thousandth();
    let (loss, chance) = match &policy.budget {
        Amount::Pure { epsilon } => (large(epsilon), false),
        Amount::Approximate { epsilon, delta } => (large(epsilon), likely(delta)),
        // ρ = 5 and μ = 3 are about ε = 20 at δ = 1e-6.
        Amount::Zcdp { rho, delta } => (*rho > Rational::from(5_u32), likely(delta)),
        Amount::Gdp { mu_squared } => (*mu_squared > Rational::from(9_u32), false),
        Amount::Renyi { .. } => (false, false),
    };
    if loss {
        warnings.push(
            "the budget is so large that it protects little: epsilon is usually 1 to 10".into(),
        );
    }
    if chance {
        warnings.push(
            "delta is above 1/1000: it should be well below one over the number of units".into(),
        );
    }
    let no_delta = match &policy.budget {
        Amount::Pure { .. } | Amount::Gdp { .. } => true,
        Amount::Approximate { delta, .. } | Amount::Zcdp { delta, .. } => delta.is_zero(),
        Amount::Renyi { .. } => false,
    };
    if no_delta {
        warnings.push("the budget has no delta to spend: keys of groups have to be public".into());
    }
}

fn query(policy: &Policy, warnings: &mut Vec<String>) {
    let Some(Cost::Epsilon { epsilon, delta }) = &policy.defaults.cost else { return };
    let (most, chance) = match &policy.budget {
        Amount::Pure { epsilon } => (epsilon, None),
        Amount::Approximate { epsilon, delta } => (epsilon, Some(delta)),
        Amount::Zcdp { .. } | Amount::Gdp { .. } | Amount::Renyi { .. } => return,
    };
    if epsilon > most || chance.is_some_and(|most| delta > most) {
        warnings.push("a query with the defaults of [query] costs more than the budget".into());
    }
}

/// Whether an amount is inside another of the same currency, in every part.
fn within(amount: &Amount, limit: &Amount) -> bool {
    match (amount, limit) {
        (Amount::Pure { epsilon: a }, Amount::Pure { epsilon: b }) => a <= b,
        (
            Amount::Approximate { epsilon: a, delta: c },
            Amount::Approximate { epsilon: b, delta: d },
        )
        | (Amount::Zcdp { rho: a, delta: c }, Amount::Zcdp { rho: b, delta: d }) => {
            a <= b && c <= d
        }
        (Amount::Gdp { mu_squared: a }, Amount::Gdp { mu_squared: b }) => a <= b,
        (
            Amount::Pure { .. }
            | Amount::Approximate { .. }
            | Amount::Zcdp { .. }
            | Amount::Gdp { .. }
            | Amount::Renyi { .. },
            _,
        ) => false,
    }
}

fn thousandth() -> Rational {
    Rational::ONE.checked_div(&Rational::from(1000_u32)).unwrap_or(Rational::ONE)
}
