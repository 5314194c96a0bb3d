//! Columns of numbers and of categories, as declared.

use serde::{Deserialize, Serialize};

use crate::math::nearest;
use crate::{Bounds, Interval, LearnError};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Column {
    /// Numbers of an interval; others are clamped to it.
    Number(Interval),
    /// One of so many levels, as 0, 1, ...; anything else is no level at all.
    Category(u32),
}

/// The most levels that a category may have.
const MOST_LEVELS: u32 = 1 << 16;

/// What is declared about every column.
///
/// ```
/// use throng_learn::columns::{Column, Columns};
/// use throng_learn::Interval;
/// let age = Column::Number(Interval::new(17.0, 90.0)?);
/// let columns = Columns::new(vec![age, Column::Category(7)])?;
/// assert_eq!(columns.count(), 2);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Column>", into = "Vec<Column>")]
pub struct Columns {
    columns: Vec<Column>,
}

impl Columns {
    /// Column after column.
    ///
    /// # Errors
    /// If there are none, or a category has no levels or more than 65536.
    pub fn new(columns: Vec<Column>) -> Result<Self, LearnError> {
        if columns.is_empty() {
            return Err(LearnError::invalid("the number of columns", 0, "at least 1"));
        }
        for column in &columns {
            match column {
                Column::Category(levels) if !(1..=MOST_LEVELS).contains(levels) => {
                    return Err(LearnError::invalid("the number of levels", levels, "1 to 65536"));
                }
                Column::Category(_) | Column::Number(_) => {}
            }
        }
        Ok(Self { columns })
    }

    /// How many.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.columns.len()
    }

    /// Column by column.
    #[must_use]
    pub fn as_slice(&self) -> &[Column] {
        &self.columns
    }
}

impl From<Bounds> for Columns {
    fn from(bounds: Bounds) -> Self {
        Self { columns: Vec::from(bounds).into_iter().map(Column::Number).collect() }
    }
}

impl TryFrom<Vec<Column>> for Columns {
    type Error = LearnError;

    fn try_from(columns: Vec<Column>) -> Result<Self, LearnError> {
        Self::new(columns)
    }
}

impl From<Columns> for Vec<Column> {
    fn from(columns: Columns) -> Self {
        columns.columns
    }
}

/// The level that a number stands for, if it is declared.
pub(crate) fn level(x: f64, levels: u32) -> Option<usize> {
    let whole = x.is_finite() && x.fract() == 0.0;
    let level = u32::try_from(nearest(x)).ok().filter(|level| whole && *level < levels)?;
    usize::try_from(level).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declared_levels_are_levels() {
        let found = [0.0, -0.0, 2.0, 3.0, 1.5, -1.0, f64::NAN, f64::INFINITY, 1e300];
        let found = found.map(|x| level(x, 3));
        assert_eq!(found, [Some(0), Some(0), Some(2), None, None, None, None, None, None]);
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        assert!(Columns::new(Vec::new()).is_err());
        assert!(Columns::new(vec![Column::Category(0)]).is_err());
        assert!(Columns::new(vec![Column::Category(MOST_LEVELS + 1)]).is_err());
        let read: Result<Columns, _> = serde_json::from_str(r#"[{"category": 0}]"#);
        assert!(read.is_err());
        let read: Columns = serde_json::from_str(r#"[{"category":3},{"number":[0,1]}]"#).unwrap();
        assert_eq!(read.count(), 2);
    }
}
