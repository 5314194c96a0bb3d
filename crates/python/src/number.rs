//! Numbers as people write them.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use throng_numeric::Rational;

use crate::error::invalid;

/// A number from Python, exactly: an `int`, a `Fraction`, a `Decimal`, a text such as `"256/60000"`, or a
/// `float`, which means what Python prints for it: `1e-5` is one in a hundred thousand.
///
/// # Guarantee
/// As on the command line, answers are computed at [`Exact::down`] or [`Exact::up`], whichever side keeps
/// the promise true for the exact number.
#[derive(Debug, Clone)]
pub(crate) struct Exact(pub(crate) Rational);

impl Exact {
    /// Not above the number.
    pub(crate) fn down(&self) -> f64 {
        self.0.to_f64_down()
    }

    /// Not below the number.
    pub(crate) fn up(&self) -> f64 {
        self.0.to_f64_up()
    }
}

impl<'py> FromPyObject<'_, 'py> for Exact {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(written(object)?.parse().map_err(|_| not_a_number(object))?))
    }
}

/// The number as text.
fn written(object: Borrowed<'_, '_, PyAny>) -> PyResult<String> {
    if object.is_instance_of::<PyBool>() {
        return Err(not_a_number(object));
    }
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyInt>() {
        return Ok(object.str()?.to_string().trim().to_owned());
    }
    if object.is_instance_of::<PyFloat>() {
        return float(object, object.extract()?);
    }
    // A fraction, or anything else of whole numbers; a decimal; a number of numpy's.
    if let (Ok(above), Ok(below)) = (object.getattr("numerator"), object.getattr("denominator")) {
        return Ok(format!("{}/{}", above.str()?, below.str()?));
    }
    if object.getattr("as_tuple").is_ok() {
        return Ok(object.str()?.to_string());
    }
    let value = object.call_method0("__float__").and_then(|value| value.extract());
    float(object, value.map_err(|_| not_a_number(object))?)
}

/// What Python prints for a float: the shortest decimal that is nearest to it, which Rust finds as well.
fn float(object: Borrowed<'_, '_, PyAny>, value: f64) -> PyResult<String> {
    if value.is_finite() { Ok(format!("{value:e}")) } else { Err(not_a_number(object)) }
}

fn not_a_number(object: Borrowed<'_, '_, PyAny>) -> PyErr {
    let shown = object.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
    let shown: String = shown.chars().take(60).collect();
    invalid(
        format!("{shown} is not a finite number"),
        "give a number such as 0.5, 1e-5, Fraction(1, 3) or '256/60000'",
    )
    .into()
}
