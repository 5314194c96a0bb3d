//! What is declared about data before it is looked at.

mod bought;

use serde::{Deserialize, Serialize};

use crate::LearnError;
pub use bought::{BuyBounds, BuyBoundsOptions};

/// Where the numbers of a column lie, as declared; others are clamped to it.
///
/// | number | counts as |
/// |---|---|
/// | below, -∞ | the lower end |
/// | above, +∞ | the upper end |
/// | NaN | the middle |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f64; 2]", into = "[f64; 2]")]
pub struct Interval {
    lower: f64,
    upper: f64,
}

impl Interval {
    /// The numbers from `lower` to `upper`.
    ///
    /// # Errors
    /// If an end or the width is not finite, or lower is not below upper.
    pub fn new(lower: f64, upper: f64) -> Result<Self, LearnError> {
        if lower < upper && (upper - lower).is_finite() {
            return Ok(Self { lower, upper });
        }
        let given = format!("[{lower}, {upper}]");
        Err(LearnError::invalid("an interval", given, "finite, with the lower end below the upper"))
    }

    /// The lower end.
    #[must_use]
    pub const fn lower(self) -> f64 {
        self.lower
    }

    /// The upper end.
    #[must_use]
    pub const fn upper(self) -> f64 {
        self.upper
    }

    /// Upper minus lower end.
    #[must_use]
    pub const fn width(self) -> f64 {
        self.upper - self.lower
    }

    /// The number halfway.
    #[must_use]
    pub const fn middle(self) -> f64 {
        self.lower + self.width() / 2.0
    }

    /// A number as it counts, by the table above.
    #[must_use]
    pub const fn clamp(self, x: f64) -> f64 {
        if x.is_nan() {
            self.middle()
        } else if x < self.lower {
            self.lower
        } else if x > self.upper {
            self.upper
        } else {
            x
        }
    }

    /// The number as a fraction of the way from the lower to the upper end, in [0, 1].
    #[must_use]
    pub const fn fraction(self, x: f64) -> f64 {
        ((self.clamp(x) - self.lower) / self.width()).clamp(0.0, 1.0)
    }

    /// The number on the way from -1, the lower end, to 1, the upper.
    #[must_use]
    pub const fn symmetric(self, x: f64) -> f64 {
        2.0 * self.fraction(x) - 1.0
    }

    /// The same; none for NaN, which says nothing.
    pub(crate) fn known(self, x: f64) -> Option<f64> {
        (!x.is_nan()).then(|| self.symmetric(x))
    }
}

impl TryFrom<[f64; 2]> for Interval {
    type Error = LearnError;

    fn try_from([lower, upper]: [f64; 2]) -> Result<Self, LearnError> {
        Self::new(lower, upper)
    }
}

impl From<Interval> for [f64; 2] {
    fn from(interval: Interval) -> Self {
        [interval.lower, interval.upper]
    }
}

/// The interval of every column.
///
/// ```
/// use throng_learn::Bounds;
/// let bounds = Bounds::new(&[(17.0, 90.0), (1.0, 16.0)])?; // age, years of education
/// assert_eq!(bounds.columns(), 2);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Interval>", into = "Vec<Interval>")]
pub struct Bounds {
    intervals: Vec<Interval>,
}

impl Bounds {
    /// (lower, upper) for each column.
    ///
    /// # Errors
    /// If there are none, or one is not an interval.
    pub fn new(ends: &[(f64, f64)]) -> Result<Self, LearnError> {
        ends.iter()
            .map(|(lower, upper)| Interval::new(*lower, *upper))
            .collect::<Result<Vec<_>, _>>()?
            .try_into()
    }

    /// The same for each of some columns.
    ///
    /// # Errors
    /// If there are none, or it is not an interval.
    pub fn same(columns: usize, lower: f64, upper: f64) -> Result<Self, LearnError> {
        vec![Interval::new(lower, upper)?; columns].try_into()
    }

    /// How many columns.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.intervals.len()
    }

    /// Column by column.
    #[must_use]
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }
}

impl TryFrom<Vec<Interval>> for Bounds {
    type Error = LearnError;

    fn try_from(intervals: Vec<Interval>) -> Result<Self, LearnError> {
        if intervals.is_empty() {
            return Err(LearnError::invalid("the number of columns", 0, "at least 1"));
        }
        Ok(Self { intervals })
    }
}

impl From<Bounds> for Vec<Interval> {
    fn from(bounds: Bounds) -> Self {
        bounds.intervals
    }
}

/// How many classes there are, as declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Classes(u32);

impl Classes {
    /// Classes 0, 1, ..., count - 1.
    ///
    /// # Errors
    /// If there are fewer than 2, or more than 65536.
    pub fn new(count: u32) -> Result<Self, LearnError> {
        if (2..=1 << 16).contains(&count) {
            return Ok(Self(count));
        }
        Err(LearnError::invalid("the number of classes", count, "from 2 to 65536"))
    }

    /// How many.
    #[must_use]
    pub fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// The place of a label, if it is declared.
    #[must_use]
    pub fn place(self, label: u32) -> Option<usize> {
        (label < self.0).then(|| usize::try_from(label).ok()).flatten()
    }
}

impl TryFrom<u32> for Classes {
    type Error = LearnError;

    fn try_from(count: u32) -> Result<Self, LearnError> {
        Self::new(count)
    }
}

impl From<Classes> for u32 {
    fn from(classes: Classes) -> Self {
        classes.0
    }
}
