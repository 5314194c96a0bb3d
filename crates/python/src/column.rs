//! Columns of data from Python, read where they lie.
//!
//! | column | numbers | keys |
//! |---|---|---|
//! | numpy `float64`, `int64`, contiguous | no copy | a code of 4 bytes for each row |
//! | Arrow `float64`, `int64` without nulls, in any number of chunks | no copy | the same |
//! | Arrow numbers of other types, or with nulls | one conversion | the same |
//! | a list | one conversion | the same |
//!
//! Which type a column has is public, what stands in it is not: an error names types only, and every row
//! has a place. A null, NaN, or anything in a list that is no number is *missing*: the number nearest
//! to 0 that is allowed, or left out if that is asked for. As a key it is `None`.

mod cell;
mod key;
mod missing;

use std::borrow::Cow;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use numpy::PyReadonlyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use pyo3_arrow::input::AnyArray;

use crate::error::{Answer, Raised, invalid};
pub(crate) use key::Key;
pub(crate) use missing::Missing;

/// A column.
pub(crate) enum Column<'py> {
    Reals(PyReadonlyArray1<'py, f64>),
    Whole(PyReadonlyArray1<'py, i64>),
    Truths(PyReadonlyArray1<'py, bool>),
    Arrow(Vec<ArrayRef>),
    List(Bound<'py, PyList>),
}

impl<'py> FromPyObject<'_, 'py> for Column<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if let Ok(list) = object.cast::<PyList>() {
            return Ok(Self::List(list.to_owned()));
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return Ok(Self::List(tuple.to_list()));
        }
        // An array of one piece is asked first: it needs no stream.
        if object.hasattr(intern!(py, "__arrow_c_array__"))?
            || object.hasattr(intern!(py, "__arrow_c_stream__"))?
        {
            let chunks = object.extract::<AnyArray>()?.into_chunked_array()?.into_inner().0;
            return Ok(Self::Arrow(chunks));
        }
        // Asked before numpy's own interface, which ends the process's luck where there is no numpy.
        if object.hasattr(intern!(py, "__array_interface__"))? {
            if let Ok(array) = object.extract::<PyReadonlyArray1<'py, f64>>() {
                return Ok(Self::Reals(array));
            }
            if let Ok(array) = object.extract::<PyReadonlyArray1<'py, i64>>() {
                return Ok(Self::Whole(array));
            }
            if let Ok(array) = object.extract::<PyReadonlyArray1<'py, bool>>() {
                return Ok(Self::Truths(array));
            }
        }
        let name = object.get_type().name()?.to_string();
        Err(no_column(&name).into())
    }
}

/// Something that is no column, by the name of its type.
pub(crate) fn no_column(name: &str) -> Raised {
    invalid(
        format!("the data is of type {name}, which is no column"),
        "give one column: a numpy array, a pandas or polars Series, an Arrow array or a list",
    )
}

/// Numbers in one or several places: where they lie, or converted.
pub(crate) enum Numbers<'a> {
    Reals(Vec<Cow<'a, [f64]>>),
    Whole(Vec<Cow<'a, [i64]>>),
}

impl Column<'_> {
    /// How many rows.
    pub(crate) fn len(&self) -> Answer<usize> {
        Ok(match self {
            Self::Reals(array) => slice(array)?.len(),
            Self::Whole(array) => slice(array)?.len(),
            Self::Truths(array) => slice(array)?.len(),
            Self::Arrow(chunks) => chunks.iter().map(Array::len).sum(),
            Self::List(list) => list.len(),
        })
    }

    /// The rows as numbers.
    pub(crate) fn numbers(&self, missing: Missing) -> Answer<Numbers<'_>> {
        Ok(match self {
            Self::Reals(array) => Numbers::Reals(vec![missing.among_reals(slice(array)?)]),
            Self::Whole(array) => Numbers::Whole(vec![Cow::Borrowed(slice(array)?)]),
            Self::Truths(array) => {
                let bits = slice(array)?.iter().map(|yes| i64::from(*yes));
                Numbers::Whole(vec![Cow::Owned(bits.collect())])
            }
            Self::Arrow(chunks) => arrow_numbers(chunks, missing)?,
            Self::List(list) => {
                let all = list.iter().map(|item| real(&item)).collect::<PyResult<Vec<f64>>>()?;
                Numbers::Reals(vec![missing.among_owned(all)])
            }
        })
    }

    /// The rows as yes or no; a null, and in a list what is not true, is a no.
    pub(crate) fn truths(&self) -> Answer<Cow<'_, [bool]>> {
        match self {
            Self::Truths(array) => Ok(Cow::Borrowed(slice(array)?)),
            Self::Arrow(chunks) => {
                let mut all = Vec::with_capacity(self.len()?);
                for chunk in chunks {
                    let yes = chunk.as_boolean_opt().ok_or_else(|| no_truths(chunk.data_type()))?;
                    all.extend(yes.iter().map(|yes| yes == Some(true)));
                }
                Ok(Cow::Owned(all))
            }
            Self::List(list) => {
                // The type of an item is a value: whatever is not `True` is a no.
                let yes = |item: Bound<'_, PyAny>| item.extract::<bool>().unwrap_or(false);
                Ok(Cow::Owned(list.iter().map(yes).collect()))
            }
            Self::Reals(_) => Err(no_truths("float64")),
            Self::Whole(_) => Err(no_truths("int64")),
        }
    }
}

fn no_truths(kind: impl std::fmt::Display) -> Raised {
    let kind = kind.to_string().to_lowercase();
    invalid(
        format!("the condition is a column of type {kind}"),
        "give one of booleans, such as ages > 17",
    )
}

/// A numpy array as a slice.
fn slice<'a, T: numpy::Element>(array: &'a PyReadonlyArray1<'_, T>) -> Answer<&'a [T]> {
    array
        .as_slice()
        .map_err(|_| invalid("the array is not contiguous", "give numpy.ascontiguousarray(values)"))
}

/// Whether numbers of a type are whole numbers of at most 64 bits with a sign, or real ones.
fn arrow_numbers(chunks: &[ArrayRef], missing: Missing) -> Answer<Numbers<'_>> {
    let whole = |kind: &DataType| {
        kind.is_integer() && *kind != DataType::UInt64 || *kind == DataType::Boolean
    };
    let real = |kind: &DataType| {
        kind.is_floating() || *kind == DataType::UInt64 || kind.is_decimal() || kind.is_null()
    };
    let kind = chunks.first().map_or(&DataType::Float64, |chunk| chunk.data_type());
    let of = match kind {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    if whole(of) {
        let part = |chunk| whole_chunk(chunk, missing);
        return Ok(Numbers::Whole(chunks.iter().map(part).collect::<Answer<_>>()?));
    }
    if real(of) {
        let part = |chunk| real_chunk(chunk, missing);
        return Ok(Numbers::Reals(chunks.iter().map(part).collect::<Answer<_>>()?));
    }
    Err(invalid(
        format!("the data is a column of type {}, which has no numbers", named(kind)),
        "give a column of integers, floats, decimals or booleans",
    ))
}

/// The name of a type, without the names of what is inside.
pub(crate) fn named(kind: &DataType) -> String {
    kind.to_string().to_lowercase().chars().take(60).collect()
}

fn whole_chunk(chunk: &ArrayRef, missing: Missing) -> Answer<Cow<'_, [i64]>> {
    if let Some(array) = chunk.as_primitive_opt::<Int64Type>()
        && array.null_count() == 0
    {
        return Ok(Cow::Borrowed(array.values()));
    }
    let array = converted(chunk, &DataType::Int64)?;
    Ok(Cow::Owned(missing.among_whole(array.as_primitive::<Int64Type>())))
}

fn real_chunk(chunk: &ArrayRef, missing: Missing) -> Answer<Cow<'_, [f64]>> {
    if let Some(array) = chunk.as_primitive_opt::<Float64Type>()
        && array.null_count() == 0
    {
        return Ok(missing.among_reals(array.values()));
    }
    let array = converted(chunk, &DataType::Float64)?;
    let all = array.as_primitive::<Float64Type>().iter().map(|x| x.unwrap_or(f64::NAN));
    Ok(missing.among_owned(all.collect()))
}

/// A conversion that every value survives.
fn converted(chunk: &ArrayRef, kind: &DataType) -> Answer<ArrayRef> {
    cast(chunk, kind).map_err(|_| {
        let from = named(chunk.data_type());
        invalid(format!("a column of type {from} has no numbers"), "convert it first")
    })
}

/// An item of a list as a number; NaN if it is none.
fn real(item: &Bound<'_, PyAny>) -> PyResult<f64> {
    match item.extract::<f64>() {
        Ok(number) => Ok(number),
        Err(error) => {
            let py = item.py();
            if !error.is_instance_of::<pyo3::exceptions::PyException>(py) {
                // Ctrl-C, not a property of the item.
                return Err(error);
            }
            if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(py) {
                let negative = item.lt(0).unwrap_or(false);
                return Ok(if negative { f64::NEG_INFINITY } else { f64::INFINITY });
            }
            Ok(f64::NAN)
        }
    }
}

impl<'a> Numbers<'a> {
    /// All as real numbers; beyond 2^53 whole numbers go to the nearest.
    #[expect(clippy::cast_precision_loss, reason = "to the nearest")]
    pub(crate) fn into_reals(self) -> Vec<Cow<'a, [f64]>> {
        match self {
            Self::Reals(parts) => parts,
            Self::Whole(parts) => {
                let real = |part: Cow<'_, [i64]>| {
                    Cow::Owned(part.iter().map(|x| *x as f64).collect::<Vec<f64>>())
                };
                parts.into_iter().map(real).collect()
            }
        }
    }
}

/// The places where numbers lie.
pub(crate) fn places<'a, T: Clone>(parts: &'a [Cow<'_, [T]>]) -> Vec<&'a [T]> {
    parts.iter().map(AsRef::as_ref).collect()
}
