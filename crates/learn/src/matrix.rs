//! Tables of numbers.

use faer::MatRef;
use serde::{Deserialize, Serialize};

use crate::LearnError;

/// A table of numbers, row by row.
///
/// ```
/// use throng_learn::Matrix;
/// let table = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
/// assert_eq!((table.rows(), table.columns()), (3, 2));
/// assert_eq!(table.row(1), [3.0, 4.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<T>",
    into = "Stored<T>",
    bound(serialize = "T: Clone + Serialize", deserialize = "T: Deserialize<'de>")
)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    values: Vec<T>,
}

/// How a matrix looks in JSON.
#[derive(Serialize, Deserialize)]
struct Stored<T> {
    shape: [usize; 2],
    values: Vec<T>,
}

impl<T> TryFrom<Stored<T>> for Matrix<T> {
    type Error = LearnError;

    fn try_from(stored: Stored<T>) -> Result<Self, LearnError> {
        let [rows, columns] = stored.shape;
        if rows > 0 && columns == 0 {
            // Any number of rows would be without values: nobody makes these, and a loop over them could
            // be without end.
            return Err(LearnError::malformed("a table has rows, but no columns"));
        }
        Self::new(rows, columns, stored.values)
    }
}

impl<T> From<Matrix<T>> for Stored<T> {
    fn from(matrix: Matrix<T>) -> Self {
        Self { shape: [matrix.rows, matrix.columns], values: matrix.values }
    }
}

impl<T> Matrix<T> {
    /// A table of so many rows and columns.
    ///
    /// # Errors
    /// If the number of values is another.
    pub fn new(rows: usize, columns: usize, values: Vec<T>) -> Result<Self, LearnError> {
        if rows.checked_mul(columns) == Some(values.len()) {
            return Ok(Self { rows, columns, values });
        }
        Err(LearnError::invalid(
            "the number of values",
            values.len(),
            format!("{rows} rows of {columns}"),
        ))
    }

    /// How many rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// All values, row by row.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, row by row, to change.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The values of one row; none if there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        let start = row.saturating_mul(self.columns);
        self.values.get(start..start.saturating_add(self.columns)).unwrap_or(&[])
    }

    /// The values of one row, to change; none if there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        let start = row.saturating_mul(self.columns);
        self.values.get_mut(start..start.saturating_add(self.columns)).unwrap_or(&mut [])
    }

    /// Row after row, also of a table without columns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.rows).map(|row| self.row(row))
    }

    /// The same values for matrix arithmetic.
    #[must_use]
    pub fn view(&self) -> MatRef<'_, T> {
        MatRef::from_row_major_slice(&self.values, self.rows, self.columns)
    }
}

impl<T: Clone> Matrix<T> {
    /// The same number everywhere.
    #[must_use]
    pub fn filled(rows: usize, columns: usize, value: T) -> Self {
        Self { rows, columns, values: vec![value; rows.saturating_mul(columns)] }
    }

    /// Rows of equal length.
    #[must_use]
    pub fn from_rows<const N: usize>(rows: &[[T; N]]) -> Self {
        Self { rows: rows.len(), columns: N, values: rows.as_flattened().to_vec() }
    }

    /// The rows with these numbers, in this order; those that do not exist are left out.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let kept = rows.iter().filter(|row| **row < self.rows);
        let mut values = Vec::with_capacity(rows.len().saturating_mul(self.columns));
        let mut count = 0;
        for row in kept {
            values.extend_from_slice(self.row(*row));
            count += 1;
        }
        Self { rows: count, columns: self.columns, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_do_not_fit_are_not_read() {
        for text in [
            r#"{"shape":[18446744073709551615,0],"values":[]}"#,
            r#"{"shape":[1,0],"values":[]}"#,
            r#"{"shape":[2,2],"values":[1.0]}"#,
            r#"{"shape":[4294967296,4294967296],"values":[]}"#,
        ] {
            assert!(serde_json::from_str::<Matrix<f64>>(text).is_err(), "{text}");
        }
        let none: Matrix<f64> = serde_json::from_str(r#"{"shape":[0,3],"values":[]}"#).unwrap();
        assert_eq!((none.rows(), none.columns()), (0, 3));
    }
}
