//! What is known of a number.

use std::fmt;

/// A number known from both sides. There is no "estimate" in between.
///
/// # Guarantee
/// For a privacy loss the *upper* end is the promise: it holds for the mechanism, in floating
/// point too. The lower end bounds the analysis of the dominating pair from below: it shows how
/// much numerical slack there is, not that an attack exists. For a miss rate (trade-off curve)
/// the roles are exchanged: the *lower* end is the promise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket<T = f64> {
    /// Not above the true value.
    pub lower: T,
    /// Not below the true value.
    pub upper: T,
}

impl Bracket<f64> {
    /// The distance of the ends; 0 for equal ends, infinite ones included.
    #[must_use]
    pub fn width(&self) -> f64 {
        if self.lower == self.upper { 0.0 } else { self.upper - self.lower }
    }

    /// Whether `value` lies between the ends.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// The larger of two quantities.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.max(other.upper) }
    }

    /// The smaller of two quantities.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self { lower: self.lower.min(other.lower), upper: self.upper.min(other.upper) }
    }
}

impl fmt::Display for Bracket<f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.lower, self.upper)
    }
}
