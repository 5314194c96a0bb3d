use serde::{Deserialize, Serialize};

use super::Bins;
use crate::schema::{Column, Schema};
use crate::{Bounds, LearnError, Matrix};

/// The bins of every column of a table.
///
/// A row with a level that is not declared has no place anywhere and is left out.
///
/// ```
/// use throng_learn::histogram::{Bins, Domain};
/// use throng_learn::Interval;
/// let age = Bins::equal(Interval::new(0.0, 100.0)?, 10)?;
/// let domain = Domain::new(vec![age, Bins::levels(2)?])?;
/// assert_eq!(domain.shape(), [10, 2]);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Bins>", into = "Vec<Bins>")]
pub struct Domain {
    columns: Vec<Bins>,
}

/// So many cells one table of counts may have, 2^24.
const MOST_CELLS: usize = 1 << 24;

impl Domain {
    /// The bins of each column.
    ///
    /// # Errors
    /// If there are no columns.
    pub fn new(columns: Vec<Bins>) -> Result<Self, LearnError> {
        if columns.is_empty() {
            return Err(LearnError::invalid("the number of columns", 0, "at least 1"));
        }
        Ok(Self { columns })
    }

    /// So many bins of equal width for each column of numbers.
    ///
    /// # Errors
    /// If there are none, or more than 2^20.
    pub fn of_bounds(bounds: &Bounds, bins: u32) -> Result<Self, LearnError> {
        let equal = bounds.intervals().iter().map(|within| Bins::equal(*within, bins));
        Self::new(equal.collect::<Result<_, _>>()?)
    }

    /// So many bins of equal width for numbers, one for each level of a category; for rows encoded
    /// by place ([`Encoding::Places`](crate::schema::Encoding::Places)).
    ///
    /// # Errors
    /// If there are no bins, or more than 2^20.
    pub fn of_schema(schema: &Schema, bins: u32) -> Result<Self, LearnError> {
        let binned = |column: &Column| match column {
            Column::Number { bounds, .. } => Bins::equal(*bounds, bins),
            Column::Category { levels, .. } => {
                Bins::levels(u32::try_from(levels.len()).unwrap_or(u32::MAX))
            }
        };
        Self::new(schema.columns().iter().map(binned).collect::<Result<_, _>>()?)
    }

    /// Column by column.
    #[must_use]
    pub fn columns(&self) -> &[Bins] {
        &self.columns
    }

    /// How many bins each column has.
    #[must_use]
    pub fn shape(&self) -> Vec<usize> {
        self.columns.iter().map(Bins::count).collect()
    }

    /// How many bins these columns have.
    ///
    /// # Errors
    /// If there are none of them, one does not exist or occurs twice, or they have more than 2^24
    /// cells together.
    pub fn shape_of(&self, columns: &[usize]) -> Result<Vec<usize>, LearnError> {
        let given = || format!("{columns:?}");
        let twice = columns.iter().enumerate().any(|(i, c)| columns.iter().take(i).any(|d| c == d));
        if columns.is_empty() || twice {
            return Err(LearnError::invalid("the columns of a table", given(), "some, each once"));
        }
        let bins = columns.iter().map(|column| self.columns.get(*column).map(Bins::count));
        let shape: Option<Vec<usize>> = bins.collect();
        let shape = shape.ok_or_else(|| {
            let allowed = format!("below {}", self.columns.len());
            LearnError::invalid("a column of a table", given(), allowed)
        })?;
        let cells = shape.iter().try_fold(1_usize, |cells, bins| cells.checked_mul(*bins));
        if cells.is_some_and(|cells| cells <= MOST_CELLS) {
            return Ok(shape);
        }
        Err(LearnError::invalid("the number of cells", format!("{shape:?}"), "at most 2^24"))
    }

    /// The bins of all rows that have a place, column after column.
    #[must_use]
    pub fn code(&self, rows: &Matrix<f64>) -> Coded {
        let mut columns = vec![Vec::with_capacity(rows.rows()); self.columns.len()];
        let mut places = vec![0; self.columns.len()];
        for row in rows.iter() {
            if self.places(row, &mut places) {
                for (column, place) in columns.iter_mut().zip(&places) {
                    column.push(*place);
                }
            }
        }
        Coded { columns }
    }

    /// The cell of a row in the table of all columns, row-major; `None` if it has no place.
    #[must_use]
    pub fn cell(&self, row: &[f64]) -> Option<usize> {
        let mut cell = 0_usize;
        for (bins, x) in self.columns.iter().zip(row) {
            let place = usize::try_from(bins.place(*x)?).ok()?;
            cell = cell.checked_mul(bins.count())?.checked_add(place)?;
        }
        Some(cell)
    }

    /// Whether the row has a place; its bins are then in `places`.
    fn places(&self, row: &[f64], places: &mut [u32]) -> bool {
        let mut all = self.columns.iter().zip(row).zip(places);
        all.all(|((bins, x), place)| {
            bins.place(*x).is_some_and(|found| {
                *place = found;
                true
            })
        })
    }
}

impl TryFrom<Vec<Bins>> for Domain {
    type Error = LearnError;

    fn try_from(columns: Vec<Bins>) -> Result<Self, LearnError> {
        Self::new(columns)
    }
}

impl From<Domain> for Vec<Bins> {
    fn from(domain: Domain) -> Self {
        domain.columns
    }
}

/// Rows as numbers of bins, column after column.
// No Debug: it is private data.
pub struct Coded {
    columns: Vec<Vec<u32>>,
}

impl Coded {
    /// The number of rows in each cell of the table of some columns, of a given shape.
    ///
    /// # Guarantee
    /// A record that has a place is counted in one cell, any other in none.
    #[must_use]
    pub fn counts(&self, columns: &[usize], shape: &[usize]) -> Vec<i64> {
        let mut counts = vec![0_i64; shape.iter().product()];
        let rows = self.columns.first().map_or(0, Vec::len);
        let mut cells = vec![0_u32; rows];
        for (column, bins) in columns.iter().zip(shape) {
            let bins = u32::try_from(*bins).unwrap_or(u32::MAX);
            let places = self.columns.get(*column).map_or(&[][..], Vec::as_slice);
            for (cell, place) in cells.iter_mut().zip(places) {
                *cell = cell.wrapping_mul(bins).wrapping_add(*place); // below 2^24
            }
        }
        for cell in cells {
            if let Some(count) = usize::try_from(cell).ok().and_then(|cell| counts.get_mut(cell)) {
                *count += 1;
            }
        }
        counts
    }
}
