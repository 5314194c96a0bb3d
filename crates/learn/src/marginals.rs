//! Counts of several sets of columns under one budget.

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};

use crate::data::check_columns;
use crate::error::unless_given_up;
use crate::histogram::{Counts, Domain, noise_of_counts, project};
use crate::schema::Schema;
use crate::{LearnError, Learner, Matrix, Model, Privacy};

/// So many tables may be asked for, 2^16,
const MOST_TABLES: usize = 1 << 16;

/// of so many cells together, 2^28.
const MOST_CELLS: usize = 1 << 28;

/// One table that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Its columns, in order.
    pub columns: Vec<usize>,
    /// Its share of the budget, relative to the others; at least 1.
    #[serde(default = "one")]
    pub weight: u32,
}

const fn one() -> u32 {
    1
}

impl Query {
    /// A table of some columns, with a share like any other's.
    #[must_use]
    pub const fn of(columns: Vec<usize>) -> Self {
        Self { columns, weight: 1 }
    }

    /// All tables of `order` of so many columns.
    #[must_use]
    pub fn all(columns: usize, order: usize) -> Vec<Self> {
        let mut chosen = vec![Vec::new()];
        for _ in 0..order {
            let longer = |prefix: Vec<usize>| {
                let from = prefix.last().map_or(0, |last| last + 1);
                (from..columns).map(move |next| [prefix.as_slice(), &[next]].concat())
            };
            chosen = chosen.into_iter().flat_map(longer).collect();
        }
        chosen.into_iter().filter(|columns| !columns.is_empty()).map(Self::of).collect()
    }
}

/// The number of rows in each cell of several tables, with noise.
///
/// # Guarantee
/// The composition of the tables. In each a record moves one count by 1 (two if it is
/// replaced). With weights w the tables get shares w/Σw: of epsilon with Laplace noise, of the square
/// of mu with Gaussian noise, whose error for many tables is far smaller.
///
/// ```
/// use throng_learn::histogram::{Bins, Domain};
/// use throng_learn::marginals::{Marginals, Query};
/// use throng_learn::{Learner, Matrix, Privacy};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let domain = Domain::new(vec![Bins::levels(2)?, Bins::levels(3)?, Bins::levels(2)?])?;
/// let privacy = Privacy::approximate(1.0, 1e-6)?;
/// let pairs = Marginals::new(domain, Query::all(3, 2), &privacy)?;
/// let rows = Sensitive::new(Matrix::from_rows(&[[0.0, 2.0, 1.0], [1.0, 2.0, 0.0]]));
/// let mut budget = Budget::zcdp(1.into(), Neighbours::AddRemove)?;
/// let release = pairs.fit(&rows, &mut budget, &mut OsEntropy)?;
/// for table in release.value().tables() {
///     println!("{:?}: {:?}", table.columns(), table.counts().values());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Marginals {
    domain: Domain,
    parts: Vec<Part>,
    spec: MechanismSpec,
    under: Neighbours,
}

#[derive(Debug, Clone, PartialEq)]
struct Part {
    columns: Vec<usize>,
    shape: Vec<usize>,
    noise: Noise,
}

/// How tables are made of a schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarginalsOptions {
    /// Bins of each column of numbers.
    pub bins: u32,
    /// All tables of so many columns, if `tables` names none.
    pub order: u32,
    /// The tables.
    pub tables: Vec<Query>,
}

impl Default for MarginalsOptions {
    fn default() -> Self {
        Self { bins: 16, order: 2, tables: Vec::new() }
    }
}

impl Marginals {
    /// Tables on a domain.
    ///
    /// # Errors
    /// If there are no tables or more than 2^16, a table has no columns, one that does not exist or more
    /// than 2^24 cells, all have more than 2^28, a weight is 0, or the target is out of range.
    pub fn new(domain: Domain, queries: Vec<Query>, privacy: &Privacy) -> Result<Self, LearnError> {
        few_tables(Some(queries.len()))?;
        let whole = total_weight(&queries)?;
        few_cells(&domain, &queries)?;
        let mut made: Vec<(u32, Noise)> = Vec::new();
        let mut parts = Vec::with_capacity(queries.len());
        for Query { columns, weight } in queries {
            let shape = domain.shape_of(&columns)?;
            let known = made.iter().find(|(w, _)| *w == weight).map(|(_, noise)| noise.clone());
            let noise = match known {
                Some(noise) => noise,
                None => {
                    let noise = noise_of_counts(privacy, (weight, whole))?;
                    made.push((weight, noise.clone()));
                    noise
                }
            };
            parts.push(Part { columns, shape, noise });
        }
        let spec = described(parts.iter().map(|part: &Part| &part.noise))?;
        privacy.certify(&spec)?;
        Ok(Self { domain, parts, spec, under: privacy.neighbours() })
    }

    /// Tables for the columns of a schema, encoded by place.
    ///
    /// # Errors
    /// As for [`Marginals::new`] and [`Domain::of_schema`].
    pub fn of_schema(
        schema: &Schema,
        privacy: &Privacy,
        options: &MarginalsOptions,
    ) -> Result<Self, LearnError> {
        let order = usize::try_from(options.order).unwrap_or(usize::MAX);
        let columns = schema.columns().len();
        if options.tables.is_empty() && !(1..=columns.min(4)).contains(&order) {
            let allowed = format!("from 1 to {}", columns.min(4));
            return Err(LearnError::invalid("the order of tables", order, allowed));
        }
        if options.tables.is_empty() {
            few_tables(combinations(columns, order))?;
        }
        let named = (!options.tables.is_empty()).then(|| options.tables.clone());
        let queries = named.unwrap_or_else(|| Query::all(columns, order));
        Self::new(Domain::of_schema(schema, options.bins)?, queries, privacy)
    }
}

/// The composition of releases, equal ones counted.
pub(crate) fn described<'a>(
    noises: impl Iterator<Item = &'a Noise>,
) -> Result<MechanismSpec, LearnError> {
    let mut kinds: Vec<(MechanismSpec, u64)> = Vec::new();
    for noise in noises {
        match kinds.iter_mut().find(|(spec, _)| spec == noise.spec()) {
            Some((_, times)) => *times += 1,
            None => kinds.push((noise.spec().clone(), 1)),
        }
    }
    let repeat = |(spec, times): (MechanismSpec, u64)| match times {
        1 => Ok(spec),
        _ => MechanismSpec::repeated(times, spec),
    };
    let mut parts = kinds.into_iter().map(repeat).collect::<Result<Vec<_>, _>>()?;
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => Ok(only),
        (_, last) => Ok(MechanismSpec::composed(parts.into_iter().chain(last).collect())?),
    }
}

/// How many sets of `order` there are of so many columns, if they can be counted.
fn combinations(columns: usize, order: usize) -> Option<usize> {
    (0..order)
        .try_fold(1_usize, |sets, k| Some(sets.checked_mul(columns.saturating_sub(k))? / (k + 1)))
}

fn few_tables(tables: Option<usize>) -> Result<(), LearnError> {
    if tables.is_some_and(|tables| tables <= MOST_TABLES) {
        return Ok(());
    }
    let given = tables.map_or_else(|| "too large to count".to_owned(), |n| n.to_string());
    Err(LearnError::invalid("the number of tables", given, "at most 65536"))
}

fn few_cells(domain: &Domain, queries: &[Query]) -> Result<(), LearnError> {
    let mut cells = 0_usize;
    for query in queries {
        cells += domain.shape_of(&query.columns)?.iter().product::<usize>();
        if cells > MOST_CELLS {
            return Err(LearnError::invalid(
                "the number of cells of all tables",
                "larger",
                "at most 2^28",
            ));
        }
    }
    Ok(())
}

fn total_weight(queries: &[Query]) -> Result<u32, LearnError> {
    if queries.is_empty() {
        return Err(LearnError::invalid("the number of tables", 0, "at least 1"));
    }
    let add = |sum: u32, query: &Query| sum.checked_add(Some(query.weight).filter(|w| *w > 0)?);
    queries.iter().try_fold(0, add).ok_or_else(|| {
        LearnError::invalid(
            "the weights of tables",
            "0 or too large",
            "above 0, below 2^32 together",
        )
    })
}

impl Mechanism for Marginals {
    type Input = Matrix<f64>;
    type Output = MarginalsModel;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(
        &self,
        input: &Matrix<f64>,
        run: &mut Run<'_>,
    ) -> Result<MarginalsModel, MechanismError> {
        let coded = self.domain.code(input);
        let mut tables = Vec::with_capacity(self.parts.len());
        for Part { columns, shape, noise } in &self.parts {
            unless_given_up()?;
            let counts = coded.counts(columns, shape);
            let counts = Counts::release(counts, shape.clone(), noise, run)?;
            tables.push(Marginal { columns: columns.clone(), counts });
        }
        Ok(MarginalsModel { domain: self.domain.clone(), tables })
    }
}

impl Learner for Marginals {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check_columns(input.columns(), self.domain.columns().len())
    }
}

/// Released counts of some columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marginal {
    pub(crate) columns: Vec<usize>,
    pub(crate) counts: Counts,
}

impl Marginal {
    /// The columns, in the order of the table's.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// What was released.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The variance of the sum of all counts, up to a factor common to tables of one law.
    fn variance_of_sum(&self) -> f64 {
        let deviation = self.counts.noise().standard_deviation().unwrap_or(1.0);
        deviation * deviation * crate::math::count(self.counts.values().len())
    }
}

/// Released tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarginalsModel {
    domain: Domain,
    tables: Vec<Marginal>,
}

impl MarginalsModel {
    /// The bins of each column.
    #[must_use]
    pub const fn domain(&self) -> &Domain {
        &self.domain
    }

    /// What was released, in the order it was asked for: unbiased counts, some of which may be
    /// negative.
    #[must_use]
    pub fn tables(&self) -> &[Marginal] {
        &self.tables
    }

    /// The table of some columns, in that order.
    #[must_use]
    pub fn table(&self, columns: &[usize]) -> Option<&Marginal> {
        self.tables.iter().find(|table| table.columns == columns)
    }

    /// The number of records, as all tables together tell it.
    #[must_use]
    pub fn total(&self) -> f64 {
        total(self.tables.iter())
    }

    /// The counts of each table made plausible: none is negative and all tables have one total, the
    /// given one if the number of records is public.
    ///
    /// Free of charge. Small counts are biased upwards.
    #[must_use]
    pub fn consistent(&self, records: Option<u64>) -> Vec<Vec<f64>> {
        let given = records.and_then(|n| i64::try_from(n).ok()).map(crate::math::number);
        let total = given.unwrap_or_else(|| self.total());
        let projected = |table: &Marginal| {
            let mut values = table.counts.values().to_vec();
            project(&mut values, total);
            values
        };
        self.tables.iter().map(projected).collect()
    }
}

/// The sums of tables, each weighed by one over its variance; not below 0.
pub(crate) fn total<'a>(tables: impl Iterator<Item = &'a Marginal>) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for table in tables {
        let precision = 1.0 / table.variance_of_sum();
        sum += precision * table.counts.values().iter().sum::<f64>();
        weight += precision;
    }
    if weight > 0.0 { (sum / weight).max(0.0) } else { 0.0 }
}

impl Model for MarginalsModel {
    const KIND: &'static str = "marginals";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tables_of_an_order_are_listed_once() {
        let columns: Vec<_> = Query::all(4, 2).into_iter().map(|query| query.columns).collect();
        assert_eq!(columns, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(Query::all(3, 3).len(), 1);
        assert!(Query::all(2, 3).is_empty());
        for (columns, order) in [(4, 2), (3, 3), (2, 3), (9, 4), (5, 1)] {
            assert_eq!(combinations(columns, order), Some(Query::all(columns, order).len()));
        }
        assert_eq!(combinations(usize::MAX, 4), None);
    }

    #[test]
    fn too_many_tables_or_cells_are_refused_before_any_is_made() {
        use crate::Interval;
        let privacy = Privacy::pure(1.0).unwrap();
        let number = |i: usize| crate::schema::Column::Number {
            name: format!("c{i}"),
            bounds: Interval::new(0.0, 1.0).unwrap(),
        };
        let schema = Schema::new((0..2000).map(number).collect(), None).unwrap();
        let options = MarginalsOptions { order: 4, ..Default::default() };
        let refused = Marginals::of_schema(&schema, &privacy, &options).unwrap_err();
        assert!(refused.to_string().contains("the number of tables"), "{refused}");
        let domain = Domain::new(vec![crate::histogram::Bins::levels(4096).unwrap(); 8]).unwrap();
        let refused = Marginals::new(domain, Query::all(8, 2), &privacy).unwrap_err();
        assert!(refused.to_string().contains("of all tables"), "{refused}");
    }
}
