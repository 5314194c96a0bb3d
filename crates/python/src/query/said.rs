//! What people write in Python, as the crates below read it.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use throng_cli::{Asking, Said};
use throng_numeric::Rational;
use throng_query::catalog::Frame as Rows;
use throng_query::policy::{Held, Policy, Privacy, Table as Rules, UnitRule, Value};
use throng_query::question::Limit;

use super::frame::Frame;
use crate::error::invalid;
use crate::number::Exact;

/// A table: its name, its rows, and whose they are: "column" with its name, "row" or "public".
pub(super) struct Table {
    pub(super) name: String,
    pub(super) frame: Rows,
    unit: Option<UnitRule>,
}

impl Table {
    pub(super) fn held(self) -> Held {
        let schema = self.frame.schema().clone();
        Held { name: self.name, unit: self.unit, schema }
    }
}

impl<'py> FromPyObject<'_, 'py> for Table {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (name, frame, whose, column): (String, PyRef<'_, Frame>, String, Option<String>) =
            object.extract()?;
        let unit = match (whose.as_str(), column) {
            // The same column name in all tables holds the same units.
            ("column", Some(column)) => {
                Some(UnitRule::Column { name: Some(column.clone()), column })
            }
            ("row", None) => Some(UnitRule::Row),
            _ => None,
        };
        Ok(Self { name, frame: frame.0.clone(), unit })
    }
}

/// Whose the rows of a table are, in words.
pub(super) fn whose(policy: &Policy, table: &Rules) -> String {
    match &table.privacy {
        Privacy::Public => "public".to_owned(),
        Privacy::Private { unit: UnitRule::Row, .. } => "each row".to_owned(),
        Privacy::Private { .. } => policy.unit_of(&table.name).unwrap_or_default(),
    }
}

/// A column and its range, or nothing if one is to be chosen privately.
pub(super) struct Bound(pub(super) (String, Option<(Rational, Rational)>));

impl<'py> FromPyObject<'_, 'py> for Bound {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (column, range): (String, Option<(Exact, Exact)>) = object.extract()?;
        Ok(Self((column, range.map(|(low, high)| (low.0, high.0)))))
    }
}

/// A column and its public keys.
pub(super) struct Column(pub(super) (String, Vec<Value>));

impl<'py> FromPyObject<'_, 'py> for Column {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (column, keys): (String, Vec<pyo3::Bound<'py, PyAny>>) = object.extract()?;
        let keys = keys.iter().map(|key| value(&column, key)).collect::<PyResult<_>>()?;
        Ok(Self((column, keys)))
    }
}

fn value(column: &str, key: &pyo3::Bound<'_, PyAny>) -> PyResult<Value> {
    if key.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(key.extract()?));
    }
    if key.is_instance_of::<PyString>() {
        return Ok(Value::Text(key.extract()?));
    }
    if let Ok(moment) = key.call_method0("isoformat") {
        return Ok(Value::Moment(moment.extract()?));
    }
    let number: Result<Exact, PyErr> = key.extract();
    number.map(|number| Value::Number(number.0)).map_err(|_| {
        invalid(
            format!("a key of {column} is not a value that a column can have"),
            "keys are text, numbers, dates, or True and False",
        )
        .into()
    })
}

/// A number of at least 1; nothing if it is to be chosen privately.
pub(super) struct Limited(pub(super) Limit);

impl<'py> FromPyObject<'_, 'py> for Limited {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(Self(Limit::Auto));
        }
        let most =
            (!object.is_instance_of::<PyBool>()).then(|| object.extract::<u64>().ok()).flatten();
        most.map(|most| Self(Limit::Fixed(most))).ok_or_else(|| {
            invalid(
                "a limit on contributions must be a whole number of at least 1",
                "leave it out to have it chosen privately",
            )
            .into()
        })
    }
}

/// How a question is asked, as a dictionary.
pub(super) struct Asked(pub(super) Asking);

impl<'py> FromPyObject<'_, 'py> for Asked {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let item = |name: &str| -> PyResult<Option<pyo3::Bound<'py, PyAny>>> {
            let value = object.call_method1("get", (name,))?;
            Ok((!value.is_none()).then_some(value))
        };
        let number = |name: &str| -> PyResult<Option<Said>> {
            let Some(value) = item(name)? else { return Ok(None) };
            let exact: Exact = value.extract()?;
            Ok(Some(Said { shown: value.str()?.to_string(), exact: exact.0 }))
        };
        let text = |name: &str| -> PyResult<Option<String>> {
            item(name)?.map(|value| value.extract()).transpose()
        };
        let texts = |name: &str| -> PyResult<Vec<String>> {
            Ok(item(name)?.map(|value| value.extract()).transpose()?.unwrap_or_default())
        };
        Ok(Self(Asking {
            epsilon: number("epsilon")?,
            delta: number("delta")?,
            rho: number("rho")?,
            mu: number("mu")?,
            error: texts("error")?,
            analyst: text("analyst")?,
            confidence: number("confidence")?,
            noise: text("noise")?,
            weight: texts("weight")?,
        }))
    }
}
