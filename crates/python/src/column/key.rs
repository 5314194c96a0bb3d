//! Rows as keys: what rows are counted by, and whose they are.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

use super::{Column, named, slice};
use crate::error::{Answer, invalid};

/// A key. The order is the one in which keys are shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    /// `None`, null, NaN.
    Nothing,
    Truth(bool),
    /// Whole numbers, also those that came as floats.
    Whole(i64),
    /// Any other number, as integers in the same order.
    Real(u64),
    Text(String),
}

impl Key {
    fn of_real(x: f64) -> Self {
        // 2^63 is the first float beyond, and -2^63 is within.
        const BEYOND: f64 = 9_223_372_036_854_775_808.0;
        if x.is_nan() {
            Self::Nothing
        } else if x.trunc() == x && (-BEYOND..BEYOND).contains(&x) {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within range")]
            Self::Whole(x as i64)
        } else {
            let bits = x.to_bits();
            Self::Real(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
        }
    }

    /// An object: a number, a text, `None`; anything else is the text it prints as.
    pub(crate) fn of_object(item: &Bound<'_, PyAny>) -> PyResult<Self> {
        if item.is_none() {
            return Ok(Self::Nothing);
        }
        if let Ok(text) = item.cast::<PyString>() {
            return Ok(text.to_str().map_or(Self::Nothing, |text| Self::Text(text.to_owned())));
        }
        if item.is_instance_of::<PyBool>() {
            return Ok(Self::Truth(item.extract().unwrap_or(false)));
        }
        if let Ok(number) = item.cast::<PyFloat>() {
            return Ok(Self::of_real(number.value()));
        }
        if !item.is_instance_of::<PyInt>() && item.hasattr("dtype")? {
            // A number of numpy's: its own kind of Python.
            if let Ok(plain) = item.call_method0("item")
                && !plain.hasattr("dtype")?
            {
                return Self::of_object(&plain);
            }
        }
        if let Ok(number) = item.extract::<i64>() {
            return Ok(Self::Whole(number));
        }
        match item.str() {
            Ok(text) => Ok(text.to_str().map_or(Self::Nothing, |text| Self::Text(text.to_owned()))),
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyException>(item.py()) => {
                Ok(Self::Nothing)
            }
            Err(error) => Err(error),
        }
    }

    /// As Python sees it.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Nothing => py.None().into_bound(py),
            Self::Truth(yes) => PyBool::new(py, *yes).to_owned().into_any(),
            Self::Whole(number) => number.into_pyobject(py)?.into_any(),
            Self::Real(key) => {
                let bits = if key >> 63 == 1 { key & !(1 << 63) } else { !key };
                PyFloat::new(py, f64::from_bits(bits)).into_any()
            }
            Self::Text(text) => PyString::new(py, text).into_any(),
        })
    }
}

/// Rows as places in a sorted list of keys.
///
/// # Guarantee
/// Codes rise as keys do, so counting codes and naming those that are released says the same as counting
/// keys: nothing of the order of rows, nothing of keys that are not released.
pub(crate) struct Coded {
    pub(crate) names: Vec<Key>,
    pub(crate) codes: Vec<u32>,
}

impl Coded {
    /// The code of a key.
    pub(crate) fn code(&self, key: &Key) -> Option<u32> {
        self.names.binary_search(key).ok().and_then(|place| u32::try_from(place).ok())
    }
}

/// Gives keys codes in the order in which they come.
#[derive(Default)]
struct Coder {
    names: Vec<Key>,
    texts: HashMap<String, u32>,
    others: HashMap<Key, u32>,
    codes: Vec<u32>,
}

impl Coder {
    fn text(&mut self, text: &str) -> u32 {
        if let Some(code) = self.texts.get(text) {
            return *code;
        }
        let code = self.named(Key::Text(text.to_owned()));
        self.texts.insert(text.to_owned(), code);
        code
    }

    fn key(&mut self, key: Key) -> u32 {
        if let Key::Text(text) = &key {
            return self.text(text);
        }
        if let Some(code) = self.others.get(&key) {
            return *code;
        }
        let code = self.named(key.clone());
        self.others.insert(key, code);
        code
    }

    /// There is no room in memory for 2^32 keys.
    fn named(&mut self, key: Key) -> u32 {
        self.names.push(key);
        u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
    }

    /// Codes that rise as keys do.
    fn sorted(self) -> Coded {
        let Self { names, mut codes, .. } = self;
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_unstable_by(|a, b| names[*a].cmp(&names[*b]));
        let mut place = vec![0_u32; names.len()];
        for (rank, old) in (0_u32..).zip(&order) {
            place[*old] = rank;
        }
        for code in &mut codes {
            *code = place[usize::try_from(*code).unwrap_or(0)];
        }
        let mut names: Vec<Option<Key>> = names.into_iter().map(Some).collect();
        let names = order.into_iter().filter_map(|old| names[old].take()).collect();
        Coded { names, codes }
    }

    fn arrow(&mut self, chunk: &ArrayRef) -> Answer<()> {
        let codes = self.codes_of(chunk)?;
        self.codes.extend(codes);
        Ok(())
    }

    fn codes_of(&mut self, chunk: &ArrayRef) -> Answer<Vec<u32>> {
        let texts = |coder: &mut Self, all: &mut dyn Iterator<Item = Option<&str>>| {
            let code = |text: Option<&str>| match text {
                Some(text) => coder.text(text),
                None => coder.key(Key::Nothing),
            };
            all.map(code).collect::<Vec<u32>>()
        };
        let kind = chunk.data_type();
        Ok(match kind {
            DataType::Utf8 => texts(self, &mut chunk.as_string::<i32>().iter()),
            DataType::LargeUtf8 => texts(self, &mut chunk.as_string::<i64>().iter()),
            DataType::Utf8View => texts(self, &mut chunk.as_string_view().iter()),
            DataType::Boolean => {
                let key = |yes: Option<bool>| yes.map_or(Key::Nothing, Key::Truth);
                chunk.as_boolean().iter().map(|yes| self.key(key(yes))).collect()
            }
            DataType::Null => vec![self.key(Key::Nothing); chunk.len()],
            DataType::Dictionary(_, _) => self.dictionary(chunk)?,
            DataType::UInt64 => {
                // Those beyond 2^63 as they print, as in lists.
                let large = |x: u64| i64::try_from(x).map_or(Key::Text(x.to_string()), Key::Whole);
                let key = |x: Option<u64>| x.map_or(Key::Nothing, large);
                chunk.as_primitive::<UInt64Type>().iter().map(|x| self.key(key(x))).collect()
            }
            kind if kind.is_integer() => {
                let all = self.cast(chunk, &DataType::Int64)?;
                let key = |x: Option<i64>| x.map_or(Key::Nothing, Key::Whole);
                all.as_primitive::<Int64Type>().iter().map(|x| self.key(key(x))).collect()
            }
            kind if kind.is_floating() => {
                let all = self.cast(chunk, &DataType::Float64)?;
                let key = |x: Option<f64>| x.map_or(Key::Nothing, Key::of_real);
                all.as_primitive::<Float64Type>().iter().map(|x| self.key(key(x))).collect()
            }
            // Dates, times, decimals: as they print.
            kind if kind.is_temporal() || kind.is_decimal() => {
                let all = self.cast(chunk, &DataType::Utf8)?;
                texts(self, &mut all.as_string::<i32>().iter())
            }
            _ => return Err(no_keys(kind)),
        })
    }

    #[expect(clippy::unused_self, reason = "reads as a step of the coder")]
    fn cast(&self, chunk: &ArrayRef, kind: &DataType) -> Answer<ArrayRef> {
        cast(chunk, kind).map_err(|_| no_keys(chunk.data_type()))
    }

    /// The codes of the rows are those of the values they point to.
    fn dictionary(&mut self, chunk: &ArrayRef) -> Answer<Vec<u32>> {
        let Some(dictionary) = chunk.as_any_dictionary_opt() else {
            return Err(no_keys(chunk.data_type()));
        };
        let values = self.codes_of(dictionary.values())?;
        let nothing = self.key(Key::Nothing);
        let keys = dictionary.keys();
        if values.is_empty() {
            return Ok(vec![nothing; chunk.len()]);
        }
        let code = |(row, place): (usize, usize)| match keys.is_valid(row) {
            true => values.get(place).copied().unwrap_or(nothing),
            false => nothing,
        };
        Ok(dictionary.normalized_keys().into_iter().enumerate().map(code).collect())
    }
}

fn no_keys(kind: &DataType) -> crate::error::Raised {
    invalid(
        format!("a column of type {} has no keys", named(kind)),
        "give a column of texts, whole numbers or categories",
    )
}

impl Column<'_> {
    /// The rows as keys, beside some keys that have a code whether or not they occur.
    pub(crate) fn coded(&self, listed: &[Key]) -> Answer<Coded> {
        let mut coder = Coder::default();
        for key in listed {
            coder.key(key.clone());
        }
        match self {
            Self::Reals(array) => {
                for x in slice(array)? {
                    let code = coder.key(Key::of_real(*x));
                    coder.codes.push(code);
                }
            }
            Self::Whole(array) => {
                for x in slice(array)? {
                    let code = coder.key(Key::Whole(*x));
                    coder.codes.push(code);
                }
            }
            Self::Truths(array) => {
                for yes in slice(array)? {
                    let code = coder.key(Key::Truth(*yes));
                    coder.codes.push(code);
                }
            }
            Self::Arrow(chunks) => {
                for chunk in chunks {
                    coder.arrow(chunk)?;
                }
            }
            Self::List(list) => {
                for item in list.iter() {
                    let code = match item.cast::<PyString>().ok().and_then(|it| it.to_str().ok()) {
                        Some(text) => coder.text(text),
                        None => coder.key(Key::of_object(&item)?),
                    };
                    coder.codes.push(code);
                }
            }
        }
        Ok(coder.sorted())
    }
}
