//! Columns as small whole numbers.

use crate::Matrix;
use crate::columns::{Column, Columns, level};
use crate::math::nearest;

/// Numbers are put into so many bins of equal width.
pub(crate) const BINS: u32 = 256;

/// The code of what a cell holds: the bin of a number; the level of a category (from 255 on, some share
/// a code), or one more than the last for none of them.
pub(crate) fn code(column: &Column, x: f64) -> u8 {
    let code = match column {
        Column::Number(interval) => {
            let bin = nearest((interval.fraction(x) * f64::from(BINS)).floor());
            usize::try_from(bin).unwrap_or(0).min(255)
        }
        Column::Category(levels) => level(x, *levels).map_or(other(*levels), |level| level % 255),
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// The code for none of the levels.
fn other(levels: u32) -> usize {
    usize::try_from(levels.min(255)).unwrap_or(255)
}

/// How many codes a column has.
pub(crate) fn codes(column: &Column) -> usize {
    match column {
        Column::Number(_) => 256,
        Column::Category(levels) => other(*levels) + 1,
    }
}

/// A table of codes, column by column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Codes {
    rows: usize,
    codes: Vec<u8>,
}

impl Codes {
    pub(crate) fn of(columns: &Columns, features: &Matrix<f64>) -> Self {
        let rows = features.rows();
        let mut codes = vec![0; rows.saturating_mul(columns.count())];
        for (place, row) in features.iter().enumerate() {
            for (j, (column, x)) in columns.as_slice().iter().zip(row).enumerate() {
                if let Some(out) = codes.get_mut(j * rows + place) {
                    *out = code(column, *x);
                }
            }
        }
        Self { rows, codes }
    }

    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// The codes of one column; none if there is no such column.
    pub(crate) fn column(&self, column: usize) -> &[u8] {
        let start = column.saturating_mul(self.rows);
        self.codes.get(start..start.saturating_add(self.rows)).unwrap_or(&[])
    }
}
