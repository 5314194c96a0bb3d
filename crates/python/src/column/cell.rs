//! Numbers that were computed elsewhere, exactly: what is promised of their distance must still hold.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use throng_mechanism::Grid;
use throng_mechanism::grid::MOST_STEPS;

use super::{Column, converted, named, real, slice};
use crate::error::{Answer, invalid};

/// A number that no conversion has moved; a missing one is 0. Whole numbers beyond 64 bits saturate, which moves
/// nothing apart.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell {
    Whole(i64),
    Real(f64),
}

impl Cell {
    /// The whole number at or below.
    ///
    /// # Guarantee
    /// Numbers that differ by at most a whole d become numbers that differ by at most d.
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and makes NaN 0")]
    pub(crate) fn below(self) -> i64 {
        match self {
            Self::Whole(x) => x,
            Self::Real(x) => x.floor() as i64,
        }
    }

    /// The nearest point of a grid, in steps.
    ///
    /// # Guarantee
    /// Moves a number by at most half a step, or saturates.
    pub(crate) fn nearest(self, grid: Grid) -> i64 {
        let x = match self {
            Self::Real(x) => return grid.nearest(x).unwrap_or(0),
            Self::Whole(x) => i128::from(x),
        };
        let (exponent, most) = (grid.exponent(), i128::from(MOST_STEPS));
        let steps = if exponent <= 0 {
            // Any but 0 is beyond all steps from 2^63 steps on.
            x << exponent.unsigned_abs().min(63)
        } else {
            let exponent = exponent.unsigned_abs().min(66);
            (x + (1 << (exponent - 1))) >> exponent
        };
        i64::try_from(steps.clamp(-most, most)).unwrap_or(0)
    }
}

impl Column<'_> {
    /// The rows as numbers, exactly.
    pub(crate) fn cells(&self) -> Answer<Vec<Cell>> {
        Ok(match self {
            Self::Reals(array) => slice(array)?.iter().copied().map(Cell::Real).collect(),
            Self::Whole(array) => slice(array)?.iter().copied().map(Cell::Whole).collect(),
            Self::Truths(array) => {
                slice(array)?.iter().map(|yes| Cell::Whole(i64::from(*yes))).collect()
            }
            Self::List(list) => {
                list.iter().map(|item| cell(&item)).collect::<PyResult<Vec<Cell>>>()?
            }
            Self::Arrow(chunks) => {
                let mut all = Vec::with_capacity(self.len()?);
                for chunk in chunks {
                    all.extend(of_chunk(chunk)?);
                }
                all
            }
        })
    }
}

fn of_chunk(chunk: &arrow::array::ArrayRef) -> Answer<Vec<Cell>> {
    let kind = chunk.data_type();
    Ok(match kind {
        DataType::UInt64 => {
            let whole = |x: Option<u64>| i64::try_from(x.unwrap_or(0)).unwrap_or(i64::MAX);
            chunk.as_primitive::<UInt64Type>().iter().map(|x| Cell::Whole(whole(x))).collect()
        }
        kind if kind.is_integer() || *kind == DataType::Boolean => {
            let all = converted(chunk, &DataType::Int64)?;
            let all = all.as_primitive::<Int64Type>();
            all.iter().map(|x| Cell::Whole(x.unwrap_or(0))).collect()
        }
        kind if kind.is_floating() => {
            let all = converted(chunk, &DataType::Float64)?;
            let all = all.as_primitive::<Float64Type>();
            all.iter().map(|x| Cell::Real(x.unwrap_or(0.0))).collect()
        }
        _ => {
            let text = format!("the values are a column of type {}", named(kind));
            return Err(invalid(text, "give integers or floats"));
        }
    })
}

/// An item of a list.
fn cell(item: &Bound<'_, PyAny>) -> PyResult<Cell> {
    if let Ok(number) = item.cast::<PyFloat>() {
        return Ok(Cell::Real(number.value()));
    }
    if let Ok(number) = item.extract::<i64>() {
        return Ok(Cell::Whole(number));
    }
    if item.is_instance_of::<PyInt>() {
        return Ok(Cell::Whole(if item.lt(0)? { i64::MIN } else { i64::MAX }));
    }
    Ok(Cell::Real(real(item)?))
}
