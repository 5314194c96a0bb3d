//! Rows in memory, as they are: nothing is copied.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, NullArray, StringArray};
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use pyo3_arrow::input::AnyRecordBatch;
use throng_query::catalog::Frame as Rows;

use crate::error::{Answer, invalid};

/// The rows of a table.
#[pyclass(frozen, module = "throng._native")]
pub(super) struct Frame(pub(super) Rows);

#[pymethods]
impl Frame {
    /// What an object with `__arrow_c_stream__` or `__arrow_c_array__` holds; buffers are shared.
    ///
    /// What went wrong is not said: it could hold values of rows.
    #[staticmethod]
    fn of_arrow(object: &Bound<'_, PyAny>) -> Answer<Self> {
        let read = object.extract::<AnyRecordBatch>().and_then(|any| Ok(any.into_table()?));
        let table = read.map_err(|error| {
            // Ctrl-C and its kin are not about rows.
            if !error.is_instance_of::<PyException>(object.py()) {
                return error.into();
            }
            invalid(
                "the frame cannot be read as Arrow columns",
                "give every column one type that Arrow has: numbers, text, dates, true or false",
            )
        })?;
        let (batches, schema) = table.into_inner();
        Ok(Self(Rows::new(schema, batches)?))
    }

    /// Columns of plain Python values; these are copied.
    #[staticmethod]
    fn of_columns(columns: Vec<(String, Vec<Bound<'_, PyAny>>)>) -> Answer<Self> {
        let rows = columns.first().map_or(0, |(_, values)| values.len());
        let mut fields = Vec::with_capacity(columns.len());
        let mut arrays = Vec::with_capacity(columns.len());
        for (name, values) in &columns {
            if values.len() != rows {
                let hint = "give every column as many values";
                return Err(invalid("the columns of a frame have different lengths", hint));
            }
            let array = column(name, values)?;
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
            .map_err(|_| invalid("the columns do not make a frame", ""))?;
        Ok(Self(Rows::new(schema, vec![batch])?))
    }

    /// Names and types of the columns.
    #[getter]
    fn columns(&self) -> Vec<(String, String)> {
        let fields = self.0.schema().fields().iter();
        fields.map(|field| (field.name().clone(), field.data_type().to_string())).collect()
    }
}

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Nothing,
    Flag,
    Whole,
    Number,
    Text,
}

fn kind(value: &Bound<'_, PyAny>) -> Option<Kind> {
    Some(if value.is_none() {
        Kind::Nothing
    } else if value.is_instance_of::<PyBool>() {
        Kind::Flag
    } else if value.is_instance_of::<PyInt>() {
        Kind::Whole
    } else if value.is_instance_of::<PyFloat>() {
        Kind::Number
    } else if value.is_instance_of::<PyString>() {
        Kind::Text
    } else {
        return None;
    })
}

fn column(name: &str, values: &[Bound<'_, PyAny>]) -> Answer<ArrayRef> {
    // Never the value itself, nor where it is.
    let mixed = || {
        invalid(
            format!("column {name} is not of one type"),
            "give whole numbers, floats, text, or True and False; None where there is no value",
        )
    };
    let mut own = Kind::Nothing;
    for value in values {
        own = match (own, kind(value).ok_or_else(mixed)?) {
            (own, Kind::Nothing) => own,
            (Kind::Nothing, new) => new,
            (own, new) if own == new => own,
            (Kind::Whole, Kind::Number) | (Kind::Number, Kind::Whole) => Kind::Number,
            _ => return Err(mixed()),
        };
    }
    let some = values.iter().map(|value| (!value.is_none()).then_some(value));
    Ok(match own {
        Kind::Nothing => Arc::new(NullArray::new(values.len())),
        Kind::Flag => {
            Arc::new(read::<bool>(some).ok_or_else(mixed)?.into_iter().collect::<BooleanArray>())
        }
        Kind::Whole => {
            Arc::new(read::<i64>(some).ok_or_else(mixed)?.into_iter().collect::<Int64Array>())
        }
        Kind::Number => {
            Arc::new(read::<f64>(some).ok_or_else(mixed)?.into_iter().collect::<Float64Array>())
        }
        Kind::Text => {
            Arc::new(read::<String>(some).ok_or_else(mixed)?.into_iter().collect::<StringArray>())
        }
    })
}

fn read<'a, 'py: 'a, T>(
    values: impl Iterator<Item = Option<&'a Bound<'py, PyAny>>>,
) -> Option<Vec<Option<T>>>
where
    T: for<'b> FromPyObject<'b, 'py>,
{
    values
        .map(|value| {
            value.map(|value| value.extract().ok()).map_or(Some(None), |read| read.map(Some))
        })
        .collect()
}
