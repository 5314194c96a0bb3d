//! The answer to a statement.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, Float64Array, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::{SortColumn, SortOptions, lexsort_to_indices, take};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::error::ArrowError;

/// The answer to a statement: values, what they are, and how sure they are.
#[derive(Debug, Clone)]
pub struct Table {
    /// One per column of `batch`, in its order; names are all different.
    pub columns: Vec<TableColumn>,
    /// The values.
    pub batch: RecordBatch,
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The ends of its intervals, where there are any.
    pub ends: Option<Ends>,
}

/// What a column of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Made of keys and public data alone: exact.
    Key,
    /// Made of noisy cells.
    Value,
}

/// The ends of the intervals of one column; `None` where there is no finite end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ends {
    /// The lower ends, one per row.
    pub low: Vec<Option<f64>>,
    /// The upper ends, one per row.
    pub high: Vec<Option<f64>>,
}

impl TableColumn {
    /// Whether the column has intervals.
    pub fn interval(&self) -> bool {
        self.ends.is_some()
    }
}

impl Table {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The values as one batch together with the ends of intervals: after a column `x` with
    /// intervals come `x_low` and `x_high`.
    ///
    /// # Errors
    /// [`ArrowError`] if the parts of the table do not fit together.
    pub fn with_ends(&self, intervals: bool) -> Result<RecordBatch, ArrowError> {
        let mut names = Names::default();
        for column in &self.columns {
            names.unique(&column.name);
        }
        let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
        for (column, array) in self.columns.iter().zip(self.batch.columns()) {
            fields.push(Field::new(&column.name, array.data_type().clone(), true));
            arrays.push(Arc::clone(array));
            for (end, suffix) in column.ends.iter().filter(|_| intervals).flat_map(Ends::both) {
                let name = names.unique(&format!("{}_{suffix}", column.name));
                fields.push(Field::new(name, DataType::Float64, true));
                arrays.push(Arc::new(Float64Array::from(end.clone())));
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
    }

    /// The rows in the order of the key columns, NULL last; rows with the same keys stay as they
    /// are. Keys of types without an order are left out of account.
    pub(super) fn sorted(self) -> Result<Self, ArrowError> {
        let keys = self.columns.iter().zip(self.batch.columns());
        let keys = keys
            .filter(|(column, array)| column.kind == Kind::Key && !array.data_type().is_nested());
        let options = Some(SortOptions { descending: false, nulls_first: false });
        let mut sort: Vec<SortColumn> =
            keys.map(|(_, values)| SortColumn { values: Arc::clone(values), options }).collect();
        if sort.is_empty() {
            return Ok(self);
        }
        let rows = u64::try_from(self.rows()).unwrap_or(u64::MAX);
        let place: datafusion::arrow::array::UInt64Array = (0..rows).collect::<Vec<_>>().into();
        sort.push(SortColumn { values: Arc::new(place), options });
        let order = lexsort_to_indices(&sort, None)?;
        let arrays = self.batch.columns().iter().map(|array| take(array, &order, None));
        let batch = RecordBatch::try_new(self.batch.schema(), arrays.collect::<Result<_, _>>()?)?;
        let order: Vec<usize> =
            order.values().iter().filter_map(|&row| usize::try_from(row).ok()).collect();
        let columns = self.columns.into_iter().map(|column| TableColumn {
            ends: column.ends.map(|ends| ends.taken(&order)),
            ..column
        });
        Ok(Self { columns: columns.collect(), batch })
    }
}

impl Ends {
    /// Both ends with the suffix of their names.
    pub(super) fn both(&self) -> [(&Vec<Option<f64>>, &'static str); 2] {
        [(&self.low, "low"), (&self.high, "high")]
    }

    /// The ends of one row.
    pub(super) fn at(&self, row: usize) -> (Option<f64>, Option<f64>) {
        let end = |ends: &[Option<f64>]| ends.get(row).copied().flatten();
        (end(&self.low), end(&self.high))
    }

    fn taken(&self, order: &[usize]) -> Self {
        let (low, high) = order.iter().map(|&row| self.at(row)).unzip();
        Self { low, high }
    }
}

/// Names that are all different: what comes again gets a number.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// The name itself if it is new, else the first of `name_2`, `name_3`, … that is.
    pub(super) fn unique(&mut self, name: &str) -> String {
        let numbered = (2u64..).map(|number| format!("{name}_{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        let found = candidates.find(|candidate| !self.0.contains(candidate)).unwrap_or_default();
        self.0.insert(found.clone());
        found
    }
}
