//! Released tables.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StructArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Float64Type, Int64Type, UInt64Type};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use throng_query::answer::{BarOptions, Kind, Table};
use throng_query::session::{self, Explanation};

use crate::budget::amounts;
use crate::error::{Answer, Raised};

type Named = Vec<(String, f64)>;

/// The answer to a batch, and what it cost.
#[pyclass(frozen, module = "throng._native")]
pub(super) struct Reply {
    reply: session::Reply,
    explanation: Explanation,
    #[pyo3(get)]
    confidence: f64,
}

impl Reply {
    pub(super) fn new(reply: session::Reply, explanation: Explanation, confidence: f64) -> Self {
        Self { reply, explanation, confidence }
    }
}

#[pymethods]
impl Reply {
    #[getter]
    fn tables(&self) -> Vec<ReleasedTable> {
        self.reply.tables.iter().cloned().map(ReleasedTable).collect()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.reply.notes.clone()
    }

    #[getter]
    fn fresh(&self) -> bool {
        self.reply.fresh
    }

    #[getter]
    fn receipt(&self) -> Option<String> {
        self.reply.receipt.clone()
    }

    #[getter]
    fn remaining(&self) -> Named {
        amounts(&self.reply.remaining, false)
    }

    /// What was charged; nothing if only public tables were read.
    #[getter]
    fn charged(&self) -> Option<Named> {
        self.reply.cost.as_ref().map(|cost| amounts(&cost.charged, true))
    }

    /// What ran, and epsilon between two ends at a delta.
    #[getter]
    fn promise(&self) -> Option<(String, f64, f64, f64)> {
        let cost = self.reply.cost.as_ref()?;
        Some((cost.spec.clone(), cost.delta, cost.lower, cost.upper))
    }

    /// What bounds on contributions seem to leave out: (share, least, most), question by question.
    #[getter]
    fn clipping(&self) -> Vec<(f64, f64, f64)> {
        let one = |clipping: &throng_query::release::Clipping| {
            (clipping.lost, clipping.low, clipping.high)
        };
        self.reply.clipping.iter().map(one).collect()
    }

    /// What the command says beside the answer.
    fn talk(&self) -> String {
        throng_cli::talk(&self.reply)
    }

    /// How it was planned before it was paid for, as text and as JSON.
    fn explained(&self) -> Answer<(String, String)> {
        let data = throng_cli::explained(&self.explanation);
        let text = self.explanation.to_string().trim_end().to_owned();
        Ok((text, serde_json::to_string(&data)?))
    }
}

/// One released table.
#[pyclass(frozen, module = "throng._native")]
pub(super) struct ReleasedTable(Table);

impl ReleasedTable {
    fn batch(&self, intervals: bool) -> Answer<RecordBatch> {
        self.0.with_ends(intervals).map_err(|_| unreadable())
    }
}

#[pymethods]
impl ReleasedTable {
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// Name, type, whether it is a key, whether it has intervals.
    #[getter]
    fn columns(&self) -> Vec<(String, String, bool, bool)> {
        let columns = self.0.columns.iter().zip(self.0.batch.columns());
        let described = columns.map(|(column, array)| {
            let kind = array.data_type().to_string();
            (column.name.clone(), kind, column.kind == Kind::Key, column.interval())
        });
        described.collect()
    }

    /// Columns as Python values; after a column with intervals come their ends.
    fn values<'py>(
        &self,
        py: Python<'py>,
        intervals: bool,
    ) -> Answer<Vec<(String, String, Vec<Bound<'py, PyAny>>)>> {
        let batch = self.batch(intervals)?;
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let shown = columns.map(|(field, array)| {
            let kind = array.data_type().to_string();
            Ok((field.name().clone(), kind, cells(py, array)?))
        });
        shown.collect()
    }

    /// The ends of the intervals of a column.
    fn ends(&self, column: &str) -> Option<Vec<(Option<f64>, Option<f64>)>> {
        let found = self.0.columns.iter().find(|one| one.name == column)?;
        let ends = found.ends.as_ref()?;
        Some(ends.low.iter().copied().zip(ends.high.iter().copied()).collect())
    }

    /// As on a terminal.
    fn text(&self, intervals: bool) -> String {
        self.0.to_text(intervals)
    }

    /// Bars with intervals.
    fn svg(&self) -> String {
        self.0.bars_svg(&BarOptions::default())
    }

    #[pyo3(signature = (requested_schema=None, intervals=true))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
        intervals: bool,
    ) -> Answer<Bound<'py, PyCapsule>> {
        let batch = self.batch(intervals)?;
        let field = Field::new_struct("", batch.schema().fields().clone(), false);
        let array: ArrayRef = Arc::new(StructArray::from(batch));
        let reader = ArrayIterator::new(vec![Ok(array)], Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(reader), requested_schema).map_err(PyErr::from)?)
    }
}

/// The cells of a released column: numbers, flags, and text for everything else.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is text")]
fn cells<'py>(py: Python<'py>, array: &ArrayRef) -> Answer<Vec<Bound<'py, PyAny>>> {
    fn all<'py, T: IntoPyObject<'py>>(
        py: Python<'py>,
        values: impl Iterator<Item = Option<T>>,
    ) -> Answer<Vec<Bound<'py, PyAny>>> {
        values.map(|value| Ok(value.into_bound_py_any(py)?)).collect()
    }
    let number = |kind| cast(array, &kind).map_err(|_| unreadable());
    match array.data_type() {
        DataType::Boolean => all(py, array.as_boolean().iter()),
        DataType::UInt64 => all(py, number(DataType::UInt64)?.as_primitive::<UInt64Type>().iter()),
        kind if kind.is_integer() => {
            all(py, number(DataType::Int64)?.as_primitive::<Int64Type>().iter())
        }
        kind if kind.is_numeric() => {
            all(py, number(DataType::Float64)?.as_primitive::<Float64Type>().iter())
        }
        _ => {
            let options = FormatOptions::default();
            let shown = ArrayFormatter::try_new(array, &options).map_err(|_| unreadable())?;
            let text = |row| array.is_valid(row).then(|| shown.value(row).to_string());
            all(py, (0..array.len()).map(text))
        }
    }
}

fn unreadable() -> Raised {
    throng_query::QueryError::engine("reading the answer").into()
}
