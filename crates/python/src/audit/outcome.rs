//! What a callable gives, as an outcome.

use numpy::PyReadonlyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple,
};
use throng_audit::{Outcome, Outcomes};

use crate::error::invalid;

/// How deep lists may be within lists.
const DEEPEST: usize = 16;

/// One outcome.
pub(super) fn outcome(given: &Bound<'_, PyAny>) -> PyResult<Outcome> {
    within(given, 0)
}

fn within(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Outcome> {
    if depth > DEEPEST {
        return Err(invalid("an outcome has lists in lists in lists", "give it flatter").into());
    }
    let all = |items: Vec<Bound<'_, PyAny>>| {
        items.iter().map(|item| within(item, depth + 1)).collect::<PyResult<Vec<_>>>()
    };
    if let Ok(number) = given.cast::<PyFloat>() {
        return Ok(Outcome::Number(number.value()));
    }
    if given.is_instance_of::<PyBool>() {
        return Ok(Outcome::Integer(i64::from(given.extract::<bool>()?)));
    }
    if given.is_instance_of::<PyInt>() {
        return whole(given);
    }
    if given.is_none() {
        return Ok(Outcome::Nothing);
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Outcome::Text(text.to_string_lossy().into_owned()));
    }
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(Outcome::Text(bytes.as_bytes().iter().copied().map(char::from).collect()));
    }
    if let Ok(list) = given.cast::<PyList>() {
        return Ok(Outcome::List(all(list.iter().collect())?));
    }
    if let Ok(tuple) = given.cast::<PyTuple>() {
        return Ok(Outcome::List(all(tuple.iter().collect())?));
    }
    if given.is_instance_of::<PySet>() || given.is_instance_of::<PyFrozenSet>() {
        return Ok(Outcome::set(all(given.try_iter()?.collect::<PyResult<_>>()?)?));
    }
    if let Ok(pairs) = given.cast::<PyDict>() {
        // A dictionary is what it holds, in whatever order.
        let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok(Outcome::List(vec![within(&key, depth + 1)?, within(&value, depth + 1)?]))
        };
        return Ok(Outcome::set(pairs.iter().map(pair).collect::<PyResult<_>>()?));
    }
    other(given, depth)
}

/// Releases, arrays, numbers of other packages.
fn other(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Outcome> {
    let py = given.py();
    if given.hasattr(intern!(py, "_released"))? {
        return within(&given.getattr(intern!(py, "value"))?, depth + 1);
    }
    for name in [intern!(py, "tolist"), intern!(py, "to_list"), intern!(py, "to_pylist")] {
        if given.hasattr(name)? {
            return within(&given.call_method0(name)?, depth + 1);
        }
    }
    if given.hasattr(intern!(py, "__index__"))? {
        return whole(given);
    }
    if let Ok(number) = given.extract::<f64>() {
        return Ok(Outcome::Number(number));
    }
    let name = given.get_type().name()?.to_string();
    Err(invalid(
        format!("the mechanism gave something of type {name}"),
        "give a number, a text, None, or a list, set, dict or array of them",
    )
    .into())
}

/// Beyond 64 bits the nearest float, as in files.
fn whole(given: &Bound<'_, PyAny>) -> PyResult<Outcome> {
    if let Ok(number) = given.extract::<i64>() {
        return Ok(Outcome::Integer(number));
    }
    let near = given.extract::<f64>();
    let beyond = if given.lt(0)? { f64::NEG_INFINITY } else { f64::INFINITY };
    Ok(Outcome::Number(near.unwrap_or(beyond)))
}

/// Many outcomes: an array of numbers at once, anything else one by one.
pub(super) fn outcomes(given: &Bound<'_, PyAny>, found: &mut Outcomes) -> PyResult<()> {
    if given.hasattr(intern!(given.py(), "__array_interface__"))? {
        if let Ok(array) = given.extract::<PyReadonlyArray1<'_, f64>>() {
            found.append(&Outcomes::Numbers(array.as_array().to_vec()));
            return Ok(());
        }
        if let Ok(array) = given.extract::<PyReadonlyArray1<'_, i64>>() {
            found.append(&Outcomes::Integers(array.as_array().to_vec()));
            return Ok(());
        }
    }
    for one in given.try_iter()? {
        found.push(outcome(&one?)?);
    }
    Ok(())
}
