//! Numbers as they reach a primitive, and how far they are apart: exactly.

use std::fmt;

use throng_mechanism::replay::Distance;
use throng_numeric::{Enclosure, Rational};

/// A number, exactly; or none: NaN or an infinity.
#[derive(Debug, Clone)]
pub enum Number {
    /// A number.
    Exact(Rational),
    /// NaN or an infinity.
    Strange(f64),
}

impl PartialEq for Number {
    /// All NaN are one.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => a == b,
            (Self::Strange(a), Self::Strange(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Self::Exact(_), Self::Strange(_)) | (Self::Strange(_), Self::Exact(_)) => false,
        }
    }
}

impl Eq for Number {}

impl From<f64> for Number {
    fn from(x: f64) -> Self {
        Rational::from_f64(x).map_or(Self::Strange(x), Self::Exact)
    }
}

impl From<i32> for Number {
    fn from(k: i32) -> Self {
        Self::Exact(Rational::from(k))
    }
}

impl From<i64> for Number {
    fn from(k: i64) -> Self {
        Self::Exact(Rational::from(k))
    }
}

impl From<i128> for Number {
    fn from(k: i128) -> Self {
        Self::Exact(Rational::from(k))
    }
}

impl From<Rational> for Number {
    fn from(x: Rational) -> Self {
        Self::Exact(x)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // In 17 digits, which tell any two floats apart.
            Self::Exact(x) => write!(f, "{:?}", x.to_f64_nearest()),
            Self::Strange(x) => write!(f, "{x}"),
        }
    }
}

impl Number {
    /// 0.
    pub const ZERO: Self = Self::Exact(Rational::ZERO);

    /// Beyond all numbers.
    pub const INFINITE: Self = Self::Strange(f64::INFINITY);

    /// As an ordinary number, nearest.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Exact(x) => x.to_f64_nearest(),
            Self::Strange(x) => *x,
        }
    }

    /// How much `other` is larger; infinite if one of them is not a number and the other is another.
    fn change(&self, other: &Self) -> Option<Rational> {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Some(b - a),
            _ if self == other => Some(Rational::ZERO),
            _ => None,
        }
    }

    /// Whether it is certainly more than another: not so for NaN.
    pub(super) fn exceeds(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => a > b,
            (Self::Strange(a), Self::Exact(_)) => *a == f64::INFINITY,
            (Self::Exact(_), Self::Strange(b)) => *b == f64::NEG_INFINITY,
            (Self::Strange(a), Self::Strange(b)) => a > b,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Self::Exact(a + b),
            _ => Self::INFINITE,
        }
    }

    /// Their ratio; 0/0 is 0, and what is over 0 or over no number is infinite.
    pub(super) fn over(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Exact(a), _) if a.is_zero() => Self::ZERO,
            (Self::Exact(a), Self::Exact(b)) => {
                a.checked_div(b).map_or(Self::INFINITE, Self::Exact)
            }
            _ => Self::INFINITE,
        }
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Self::Exact(a * b),
            _ => Self::INFINITE,
        }
    }
}

/// How a distance is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// The sum of the distances of all inputs.
    L1,
    /// The root of the sum of their squares.
    L2,
    /// The largest of them, if at most so many differ; else infinite.
    Cells(u64),
    /// The length of the interval that all changes lie in.
    Span,
}

impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::L1 => f.write_str("in L1"),
            Self::L2 => f.write_str("in L2"),
            Self::Cells(u64::MAX) => f.write_str("each"),
            Self::Cells(cells) => write!(f, "in each of at most {cells} cells"),
            Self::Span => f.write_str("between the changes"),
        }
    }
}

/// How far the inputs of a primitive are said to be apart on neighbours, at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// How that is measured.
    pub norm: Norm,
    /// The distance.
    pub distance: Number,
}

impl Declared {
    /// In L1.
    pub fn l1(distance: impl Into<Number>) -> Self {
        Self { norm: Norm::L1, distance: distance.into() }
    }

    /// In L2.
    pub fn l2(distance: impl Into<Number>) -> Self {
        Self { norm: Norm::L2, distance: distance.into() }
    }

    /// Each of at most so many inputs.
    pub fn cells(cells: u64, each: impl Into<Number>) -> Self {
        Self { norm: Norm::Cells(cells), distance: each.into() }
    }

    /// Each input.
    pub fn each(distance: impl Into<Number>) -> Self {
        Self::cells(u64::MAX, distance)
    }

    /// All changes lie in an interval of this length.
    pub fn span(distance: impl Into<Number>) -> Self {
        Self { norm: Norm::Span, distance: distance.into() }
    }

    /// Whether inputs are certainly further apart.
    pub(super) fn is_broken_by(&self, inputs: [&[Number]; 2]) -> bool {
        if matches!(self.distance, Number::Strange(x) if x.is_nan()) {
            // No number bounds anything.
            return inputs[0] != inputs[1];
        }
        match self.norm {
            // Squares are exact, and roots are not.
            Norm::L2 => squared(inputs).exceeds(&self.distance.times(&self.distance)),
            Norm::L1 | Norm::Cells(_) | Norm::Span => {
                measured(self.norm, inputs).exceeds(&self.distance)
            }
        }
    }
}

impl From<&Distance> for Declared {
    fn from(distance: &Distance) -> Self {
        match distance {
            Distance::L1(x) => Self::l1(x.clone()),
            Distance::L2(x) => Self::l2(x.clone()),
            Distance::PerCell { cells, each } => Self::cells(*cells, each.clone()),
            Distance::Span(x) => Self::span(x.clone()),
        }
    }
}

/// The changes of all inputs; none if one is beyond all numbers.
fn changes([zero, one]: [&[Number]; 2]) -> Option<Vec<Rational>> {
    zero.iter().zip(one).map(|(a, b)| a.change(b)).collect()
}

/// How far two vectors are apart; that in L2 is rounded down.
pub(super) fn measured(norm: Norm, inputs: [&[Number]; 2]) -> Number {
    let Some(changes) = changes(inputs) else { return Number::INFINITE };
    let sizes = || changes.iter().map(Rational::abs);
    match norm {
        Norm::L1 => sizes().fold(Rational::ZERO, |sum, x| sum + x).into(),
        Norm::L2 => match squared(inputs) {
            Number::Exact(square) => Enclosure::of_rational(&square)
                .sqrt()
                .map_or(Number::INFINITE, |root| root.lower().into()),
            infinite @ Number::Strange(_) => infinite,
        },
        Norm::Cells(most) => {
            let differ = changes.iter().filter(|x| !x.is_zero()).count();
            if u64::try_from(differ).unwrap_or(u64::MAX) > most {
                return Number::INFINITE;
            }
            sizes().max().unwrap_or(Rational::ZERO).into()
        }
        Norm::Span => match (changes.iter().max(), changes.iter().min()) {
            (Some(most), Some(least)) => (most - least).into(),
            _ => Number::ZERO,
        },
    }
}

/// The square of the distance in L2.
pub(super) fn squared(inputs: [&[Number]; 2]) -> Number {
    match changes(inputs) {
        Some(changes) => {
            changes.iter().map(Rational::square).fold(Rational::ZERO, |sum, x| sum + x).into()
        }
        None => Number::INFINITE,
    }
}
