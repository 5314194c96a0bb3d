//! What is released for a question: base measures, and how aggregates are computed from them.
//!
//! | aggregate | from |
//! |---|---|
//! | COUNT(*) | rows |
//! | COUNT(x) | rows where x is present; rows if x is never NULL |
//! | COUNT(DISTINCT unit), COUNT(DISTINCT x) | units, distinct values |
//! | SUM(x) | the sum of x; or centre · count + the sum of x - centre, if that count is released anyway |
//! | SUM(x) with a clip on the unit's sum | the sum over units of their clipped sums |
//! | AVG(x) | centre + the sum of x - centre over the count |
//! | VAR(x), STDDEV(x) | the sums of x - centre and of its squares, and the count |
//! | quantiles | the exponential mechanism on values, and once more for each end of the interval |
//!
//! # Why a sum goes by its centre where it can
//! For x in [l, u], h = (u - l)/2 and c = (l + u)/2, a direct sum has noise in proportion to
//! max(|l|, |u|) = h + |c|. By the centre its error is that of the centred sum, in proportion to h, and that
//! of the count, in proportion to |c|. With Gaussian noise of shares w and v of the cost that is
//! h²/w + c²/v, at best (h + |c|)²/(w + v): the same as directly, but the count is paid
//! for in it.

use datafusion::arrow::datatypes::DataType;
use throng_numeric::Rational;

use crate::QueryError;
use crate::question::{Aggregate, Domain, Limit, Question, Range, Unit};

/// The number of groups of one unit if the policy leaves it open and rows are bounded by a norm: it costs
/// only in the logarithm of the threshold.
pub(super) const OPEN_GROUPS: u64 = 64;

/// The number of groups if the policy leaves it open and each group counts by itself: counts of
/// units, of distinct values, quantiles, or rows under a fixed bound for each group.
pub(super) const FEW_GROUPS: u64 = 8;

/// The number of values of one unit in one group, if the policy leaves it open.
pub(super) const FEW_VALUES: u64 = 4;

/// The rows of one question, bounded, and what is released of them.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) question: Question,
    /// For sums and for the selection of keys.
    pub(super) groups: u64,
    /// For units, distinct values and quantiles.
    pub(super) few: u64,
    /// Values of one unit in one group.
    pub(super) values: u64,
    pub(super) rows: Rows,
    pub(super) bases: Vec<Base>,
    pub(super) recipes: Vec<Recipe>,
}

/// How the rows of a unit are bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// In each group.
    Each(u64),
    /// By a norm over all groups: known (in 2^-10 rows), or to be chosen.
    Norm(Option<u64>),
}

/// What is released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Base {
    Rows,
    Present {
        input: usize,
    },
    Units,
    Distinct {
        input: usize,
    },
    Sum {
        input: usize,
        centred: bool,
    },
    /// A sum in which what one unit adds to a cell is clamped; whether no number is negative.
    Clipped {
        input: usize,
        positive: bool,
    },
    Squares {
        input: usize,
    },
    Quantile {
        input: usize,
        fraction: Rational,
    },
    /// An end of the interval around the quantile at this place.
    End {
        of: usize,
        above: bool,
    },
}

impl Base {
    /// Whether it is one noisy number per cell, bounded as rows are.
    pub(super) const fn is_total(&self) -> bool {
        match self {
            Self::Rows | Self::Present { .. } | Self::Sum { .. } | Self::Squares { .. } => true,
            Self::Units
            | Self::Distinct { .. }
            | Self::Clipped { .. }
            | Self::Quantile { .. }
            | Self::End { .. } => false,
        }
    }

    /// Whether contributions are never negative.
    pub(super) const fn is_positive(&self) -> bool {
        match self {
            Self::Rows | Self::Present { .. } | Self::Units | Self::Distinct { .. } => true,
            Self::Clipped { positive, .. } => *positive,
            Self::Sum { .. } | Self::Squares { .. } | Self::Quantile { .. } | Self::End { .. } => {
                false
            }
        }
    }
}

/// How an aggregate is computed; numbers are places in [`Plan::bases`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recipe {
    /// As it is, a whole number.
    Count { count: usize },
    /// As it is.
    Direct { sum: usize },
    /// centre · count + centred sum.
    Shifted { sum: usize, count: usize },
    /// centre + centred sum / count.
    Mean { sum: usize, count: usize },
    /// From both centred sums.
    Variance { sum: usize, squares: usize, count: usize, sample: bool, root: bool },
    /// As it is, between its ends; one that is missing is that of the range.
    Quantile { place: usize, low: Option<usize>, high: Option<usize> },
}

impl Recipe {
    /// What it is made of.
    pub(super) fn parts(self) -> Vec<usize> {
        match self {
            Self::Count { count } => vec![count],
            Self::Direct { sum } => vec![sum],
            Self::Shifted { sum, count } | Self::Mean { sum, count } => vec![sum, count],
            Self::Variance { sum, squares, count, .. } => vec![sum, squares, count],
            Self::Quantile { place, low, high } => {
                std::iter::once(place).chain(low).chain(high).collect()
            }
        }
    }
}

impl Plan {
    /// The plan for a question; `known` is a norm that was chosen privately before.
    pub(super) fn new(question: &Question, known: Option<u64>) -> Result<Self, QueryError> {
        check(question)?;
        let (groups, few, values, rows) = limits(question, known);
        let mut plan = Self {
            question: question.clone(),
            groups,
            few,
            values,
            rows,
            bases: Vec::new(),
            recipes: Vec::new(),
        };
        // Counts first, so that sums know whether there is one.
        for aggregate in &question.aggregates {
            plan.count_for(aggregate);
        }
        for aggregate in &question.aggregates {
            let recipe = plan.recipe(aggregate);
            plan.recipes.push(recipe);
        }
        Ok(plan)
    }

    /// Whether there is only one cell.
    pub(super) fn is_single(&self) -> bool {
        self.question.keys.is_empty()
    }

    /// Whether keys are to be selected.
    pub(super) fn is_private(&self) -> bool {
        self.question.keys.iter().any(|key| matches!(key.domain, Domain::Private))
    }

    /// Whether each row counts by itself.
    pub(super) fn is_by_row(&self) -> bool {
        self.question.unit == Unit::Row
    }

    /// How many rows one unit changes, where each row counts by itself.
    pub(super) const fn changed(&self) -> u64 {
        match self.rows {
            Rows::Each(rows) => rows,
            Rows::Norm(_) => 1,
        }
    }

    /// The number of public keys, if all are.
    pub(super) fn public_keys(&self) -> Option<u64> {
        let mut product = 1_u64;
        for key in &self.question.keys {
            let Domain::Public(values) = &key.domain else { return None };
            product = product.saturating_mul(u64::try_from(values.len()).unwrap_or(u64::MAX));
        }
        Some(product)
    }

    fn place(&mut self, base: Base) -> usize {
        if let Some(found) = self.bases.iter().position(|known| *known == base) {
            return found;
        }
        self.bases.push(base);
        self.bases.len() - 1
    }

    /// The count of rows where an input is present.
    fn count_of(&self, input: usize) -> Base {
        let unit = usize::from(!self.is_by_row());
        let place = unit + self.question.keys.len() + input;
        let fields = self.question.rows.schema().fields();
        if fields.get(place).is_some_and(|field| !field.is_nullable()) {
            Base::Rows
        } else {
            Base::Present { input }
        }
    }

    fn count_for(&mut self, aggregate: &Aggregate) {
        match *aggregate {
            Aggregate::Rows => {
                self.place(Base::Rows);
            }
            Aggregate::Present { input }
            | Aggregate::Mean { input }
            | Aggregate::Variance { input, .. }
            | Aggregate::Deviation { input, .. } => {
                let count = self.count_of(input);
                self.place(count);
            }
            Aggregate::Units
            | Aggregate::Distinct { .. }
            | Aggregate::Sum { .. }
            | Aggregate::Quantile { .. } => {}
        }
    }

    fn recipe(&mut self, aggregate: &Aggregate) -> Recipe {
        match aggregate {
            Aggregate::Rows => Recipe::Count { count: self.place(Base::Rows) },
            Aggregate::Present { input } => {
                let count = self.count_of(*input);
                Recipe::Count { count: self.place(count) }
            }
            Aggregate::Units if self.is_by_row() => Recipe::Count { count: self.place(Base::Rows) },
            Aggregate::Units => Recipe::Count { count: self.place(Base::Units) },
            Aggregate::Distinct { input } => {
                Recipe::Count { count: self.place(Base::Distinct { input: *input }) }
            }
            Aggregate::Sum { input } => self.sum(*input),
            Aggregate::Mean { input } => {
                let count = self.count_of(*input);
                let sum = self.place(Base::Sum { input: *input, centred: true });
                Recipe::Mean { sum, count: self.place(count) }
            }
            Aggregate::Variance { input, sample } => self.spread(*input, *sample, false),
            Aggregate::Deviation { input, sample } => self.spread(*input, *sample, true),
            Aggregate::Quantile { input, fraction } => {
                let (least, most) = (fraction.is_zero(), *fraction == Rational::ONE);
                let fraction = fraction.clone();
                let place = self.place(Base::Quantile { input: *input, fraction });
                let mut end = |above| self.place(Base::End { of: place, above });
                let low = (!least).then(|| end(false));
                Recipe::Quantile { place, low, high: (!most).then(|| end(true)) }
            }
        }
    }

    fn sum(&mut self, input: usize) -> Recipe {
        let found = self.question.inputs.get(input);
        if !self.is_by_row() && found.is_some_and(|input| input.unit_sum.is_some()) {
            let range = found.and_then(|input| input.range.as_ref());
            let positive = matches!(
                range, Some(Range::Declared { lower, .. }) if !lower.is_negative()
            );
            return Recipe::Direct { sum: self.place(Base::Clipped { input, positive }) };
        }
        let count = self.count_of(input);
        match self.bases.iter().position(|known| *known == count) {
            Some(count) => {
                Recipe::Shifted { sum: self.place(Base::Sum { input, centred: true }), count }
            }
            None => Recipe::Direct { sum: self.place(Base::Sum { input, centred: false }) },
        }
    }

    fn spread(&mut self, input: usize, sample: bool, root: bool) -> Recipe {
        let count = self.count_of(input);
        let sum = self.place(Base::Sum { input, centred: true });
        let squares = self.place(Base::Squares { input });
        Recipe::Variance { sum, squares, count: self.place(count), sample, root }
    }
}

/// Groups for sums, groups for lists, values, rows.
fn limits(question: &Question, known: Option<u64>) -> (u64, u64, u64, Rows) {
    let single = question.keys.is_empty();
    let fixed = |limit: Limit| match limit {
        Limit::Fixed(n) => Some(n.max(1)),
        Limit::Auto => None,
    };
    if question.unit == Unit::Row {
        let rows = fixed(question.limits.rows).unwrap_or(1);
        let groups =
            if single { 1 } else { fixed(question.limits.groups).unwrap_or(rows).min(rows) };
        return (groups, groups, rows, Rows::Each(rows));
    }
    let groups = if single { Some(1) } else { fixed(question.limits.groups) };
    let few = groups.unwrap_or(FEW_GROUPS);
    match fixed(question.limits.rows) {
        Some(rows) => (few, few, rows, Rows::Each(rows)),
        None => (groups.unwrap_or(OPEN_GROUPS), few, FEW_VALUES, Rows::Norm(known)),
    }
}

fn check(question: &Question) -> Result<(), QueryError> {
    for (i, aggregate) in question.aggregates.iter().enumerate() {
        let (input, numeric) = match *aggregate {
            Aggregate::Rows | Aggregate::Units => continue,
            Aggregate::Present { input } | Aggregate::Distinct { input } => (input, false),
            Aggregate::Sum { input }
            | Aggregate::Mean { input }
            | Aggregate::Variance { input, .. }
            | Aggregate::Deviation { input, .. }
            | Aggregate::Quantile { input, .. } => (input, true),
        };
        let found = question.inputs.get(input);
        let known = found.is_some_and(|input| !numeric || input.range.is_some());
        if !known {
            let name = name_of(question, i);
            return Err(QueryError::refused(
                name,
                "the range of its input is not known, so nothing bounds what one unit may add",
                "give the column bounds in the policy (or \"auto\"), or clamp it: \
                 SUM(LEAST(GREATEST(x, 0), 100))",
            ));
        }
    }
    Ok(())
}

/// An aggregate's name, e.g. `sum(income)`: what weights and error targets call it.
pub(crate) fn name_of(question: &Question, aggregate: usize) -> String {
    let input = |i: usize| question.inputs.get(i).map_or("?", |input| input.name.as_str());
    match question.aggregates.get(aggregate) {
        None => String::from("?"),
        Some(Aggregate::Rows) => String::from("count"),
        Some(Aggregate::Present { input: i }) => format!("count({})", input(*i)),
        Some(Aggregate::Units) => String::from("units"),
        Some(Aggregate::Distinct { input: i }) => format!("distinct({})", input(*i)),
        Some(Aggregate::Sum { input: i }) => format!("sum({})", input(*i)),
        Some(Aggregate::Mean { input: i }) => format!("avg({})", input(*i)),
        Some(Aggregate::Variance { input: i, .. }) => format!("var({})", input(*i)),
        Some(Aggregate::Deviation { input: i, .. }) => format!("stddev({})", input(*i)),
        Some(Aggregate::Quantile { input: i, fraction }) => {
            format!("quantile({}, {fraction})", input(*i))
        }
    }
}

/// An aggregate of a batch by its place: `2.1` is the first of the second question.
pub(crate) fn reference((question, aggregate): (usize, usize)) -> String {
    format!("{}.{}", question.saturating_add(1), aggregate.saturating_add(1))
}

/// Whether a name in a request means the aggregate of this place and name: `sum(income)`, `sum` for
/// all sums, or its [`reference`].
pub(crate) fn is_meant(place: (usize, usize), name: &str, asked: &str) -> bool {
    let asked = asked.trim();
    let function = name.split('(').next().unwrap_or(name);
    asked == reference(place) || is_named(name, asked) || function.eq_ignore_ascii_case(asked)
}

/// Whether a name in a request is this name, without regard to letter case, spaces and the names of
/// tables: `SUM(income)` is `sum(people.income)`, and `count(*)` is `count`.
pub(crate) fn is_named(name: &str, asked: &str) -> bool {
    let simple = |text: &str| {
        let text = unqualified(text).to_lowercase().replace(' ', "");
        if text == "count(*)" { String::from("count") } else { text }
    };
    simple(name) == simple(asked)
}

/// A name without the names of tables: what stands before a dot and is no number.
pub(crate) fn unqualified(name: &str) -> String {
    let (mut text, mut word) = (String::new(), String::new());
    for letter in name.chars() {
        match letter {
            '.' if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => word.clear(),
            _ if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            _ => {
                text.push_str(&word);
                text.push(letter);
                word.clear();
            }
        }
    }
    text + &word
}

/// Whether a column holds whole numbers.
pub(super) fn is_whole(kind: &DataType) -> bool {
    kind.is_integer()
}

/// The columns whose range is to be found: (input, name of the column).
pub(super) fn open_ranges(question: &Question) -> Vec<(usize, String)> {
    let open = |(i, input): (usize, &crate::question::Input)| match &input.range {
        Some(Range::Auto { column }) => Some((i, column.clone())),
        Some(Range::Declared { .. }) | None => None,
    };
    question.inputs.iter().enumerate().filter_map(open).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_meant_as_people_write_them() {
        for (name, asked) in [
            ("sum(people.income)", "SUM( income )"),
            ("sum(people.income)", "sum(people.income)"),
            ("sum(people.income)", " sum "),
            ("count", "count(*)"),
            ("quantile(a.b.x, 1/2)", "quantile(x, 1/2)"),
            ("sum(t.a + 0.5)", "sum(a+0.5)"),
            ("count", "2.1"),
        ] {
            assert!(is_meant((1, 0), name, asked), "{asked} is {name}");
        }
        for (name, asked) in [
            ("sum(people.income)", "sum(outcome)"),
            ("count(people.x)", "count(*)"),
            ("count", "1.2"),
            ("sum(t.a + 0.5)", "sum(a+5)"),
            ("count", ""),
        ] {
            assert!(!is_meant((1, 0), name, asked), "{asked} is not {name}");
        }
        assert_eq!(unqualified("sum(a.b_c * 1.5 + .x)"), "sum(b_c * 1.5 + .x)");
    }
}
