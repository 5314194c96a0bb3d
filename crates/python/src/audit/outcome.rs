//! What a Python function gives out, as the auditor sees it.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PySet, PyString};
use throng_audit::{Outcome, Outcomes};

use crate::error::{Answer, invalid};

/// Appends a whole list or array of outcomes, and says how many there were.
pub(super) fn many(object: &Bound<'_, PyAny>, outcomes: &mut Outcomes) -> Answer<usize> {
    if object.hasattr("__array_interface__")? {
        if let Ok(array) = object.extract::<PyReadonlyArray1<'_, f64>>() {
            let values = array.as_array();
            values.iter().for_each(|x| outcomes.push(Outcome::Number(*x)));
            return Ok(values.len());
        }
        if let Ok(array) = object.extract::<PyReadonlyArray1<'_, i64>>() {
            let values = array.as_array();
            values.iter().for_each(|x| outcomes.push(Outcome::Integer(*x)));
            return Ok(values.len());
        }
    }
    let mut count = 0;
    for item in object.try_iter()? {
        outcomes.push(one(&item?)?);
        count += 1;
    }
    Ok(count)
}

/// One outcome.
pub(super) fn one(item: &Bound<'_, PyAny>) -> Answer<Outcome> {
    if item.is_none() {
        return Ok(Outcome::Nothing);
    }
    if item.is_instance_of::<PyBool>() {
        return Ok(Outcome::Integer(i64::from(item.extract::<bool>()?)));
    }
    if item.is_instance_of::<PyInt>() {
        // What is beyond 64 bits is told apart by its digits.
        return Ok(match item.extract::<i64>() {
            Ok(number) => Outcome::Integer(number),
            Err(_) => Outcome::Text(item.str()?.to_string()),
        });
    }
    if let Ok(number) = item.cast::<PyFloat>() {
        return Ok(Outcome::Number(number.value()));
    }
    if let Ok(text) = item.cast::<PyString>() {
        return Ok(Outcome::Text(text.to_string_lossy().into_owned()));
    }
    if let Ok(bytes) = item.cast::<PyBytes>() {
        return Ok(Outcome::Text(bytes.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()));
    }
    if let Ok(pairs) = item.cast::<PyDict>() {
        // Its order counts: it shows what was put in first.
        return list(pairs.items().as_any());
    }
    if item.is_instance_of::<PySet>() || item.is_instance_of::<PyFrozenSet>() {
        let Outcome::List(items) = list(item)? else { return Ok(Outcome::Nothing) };
        return Ok(Outcome::Set(items));
    }
    // Arrays and numbers of numpy's.
    if item.hasattr("tolist")? {
        return one(&item.call_method0("tolist")?);
    }
    // What Throng released.
    if item.hasattr("guarantee")? && item.hasattr("value")? {
        return one(&item.getattr("value")?);
    }
    if item.try_iter().is_ok() {
        return list(item);
    }
    let name = item.get_type().name()?.to_string();
    Err(invalid(
        format!("an outcome of type {name} is not understood"),
        "give numbers, texts, booleans, None, or lists, sets, dictionaries and arrays of them",
    ))
}

fn list(items: &Bound<'_, PyAny>) -> Answer<Outcome> {
    let mut all = Vec::new();
    for item in items.try_iter()? {
        all.push(one(&item?)?);
    }
    Ok(Outcome::List(all))
}
