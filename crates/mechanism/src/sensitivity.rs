//! How far one unit can move a value.

use std::marker::PhantomData;

use throng_numeric::{Enclosure, Rational};

use crate::{Grid, MechanismError, Neighbours};

/// A way to measure how far two vectors are apart.
pub trait Norm: sealed::Sealed {}

/// The sum of the distances of the coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum L1 {}

/// The root of the sum of their squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum L2 {}

impl Norm for L1 {}
impl Norm for L2 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::L1 {}
    impl Sealed for super::L2 {}
}

/// The largest distance, in a norm, of the values of a function on two neighbours.
///
/// A number without its relation means nothing: the mean of n values in [0, 1] moves by 1/n if
/// one of them is replaced, but a sum moves by 1 if one is added. So the relation travels
/// with the number, and sensitivities of different relations do not add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sensitivity<N> {
    distance: Rational,
    under: Neighbours,
    norm: PhantomData<N>,
}

impl<N: Norm> Sensitivity<N> {
    /// The largest distance under a relation.
    ///
    /// # Errors
    /// If it is negative.
    pub fn of(distance: Rational, under: Neighbours) -> Result<Self, MechanismError> {
        if distance.is_negative() {
            return Err(MechanismError::invalid("a sensitivity", distance, "at least 0"));
        }
        Ok(Self { distance, under, norm: PhantomData })
    }

    /// The distance.
    #[must_use]
    pub const fn distance(&self) -> &Rational {
        &self.distance
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// After a map that moves two points at most `lipschitz` times as far apart.
    ///
    /// # Errors
    /// If the constant is negative.
    pub fn stretched(&self, lipschitz: &Rational) -> Result<Self, MechanismError> {
        if lipschitz.is_negative() {
            return Err(MechanismError::invalid("a Lipschitz constant", lipschitz, "at least 0"));
        }
        Self::of(&self.distance * lipschitz, self.under)
    }
}

impl Sensitivity<L1> {
    /// After rounding each of `coordinates` real numbers to the grid.
    ///
    /// # Guarantee
    /// A number moves by at most half a step, so the two ends of a distance together by at most
    /// one: in L1 that is one step per coordinate.
    ///
    /// # Errors
    /// Never for a value of this type.
    pub fn rounded(&self, coordinates: u64, grid: Grid) -> Result<Self, MechanismError> {
        let more = grid.step() * Rational::from(coordinates);
        Self::of(&self.distance + &more, self.under)
    }
}

impl Sensitivity<L2> {
    /// After rounding each of `coordinates` real numbers to the grid: √coordinates steps more,
    /// rounded up, by the triangle inequality.
    ///
    /// # Errors
    /// If the result is beyond all numbers.
    pub fn rounded(&self, coordinates: u64, grid: Grid) -> Result<Self, MechanismError> {
        let square = grid.step().square() * Rational::from(coordinates);
        let more = Self::of_square(&square, self.under)?;
        Self::of(&self.distance + &more.distance, self.under)
    }

    /// The distance whose square is given, rounded up to a number.
    ///
    /// # Errors
    /// If the square is negative or beyond all numbers.
    pub fn of_square(square: &Rational, under: Neighbours) -> Result<Self, MechanismError> {
        let root = Enclosure::of_rational(square).sqrt()?;
        let exact = Rational::from_f64(root.lower()).ok().filter(|low| low.square() == *square);
        let distance = exact.map_or_else(|| Rational::from_f64(root.upper()), Ok)?;
        Self::of(distance, under)
    }
}

/// A vector of cells of which one unit changes at most `cells`, each by at most `distance`.
///
/// # Guarantee
/// More precise than a norm: noise that is independent in each cell hides it as the composition
/// of `cells` runs on one number of that sensitivity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerCell {
    cells: u64,
    distance: Rational,
    under: Neighbours,
}

impl PerCell {
    /// At most `cells` cells, each by at most `distance`.
    ///
    /// # Errors
    /// If there are no cells or the distance is negative.
    pub fn of(cells: u64, distance: Rational, under: Neighbours) -> Result<Self, MechanismError> {
        if cells == 0 {
            return Err(MechanismError::invalid("the number of cells", cells, "at least 1"));
        }
        Sensitivity::<L1>::of(distance.clone(), under)?;
        Ok(Self { cells, distance, under })
    }

    /// How many cells change.
    #[must_use]
    pub const fn cells(&self) -> u64 {
        self.cells
    }

    /// By how much each.
    #[must_use]
    pub const fn distance(&self) -> &Rational {
        &self.distance
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// After rounding real cells to the grid: one step more for each cell that changes.
    ///
    /// # Errors
    /// Never for a value of this type.
    pub fn rounded(&self, grid: Grid) -> Result<Self, MechanismError> {
        Self::of(self.cells, &self.distance + &grid.step(), self.under)
    }

    /// The distance in L1.
    ///
    /// # Errors
    /// Never for a value of this type.
    pub fn l1(&self) -> Result<Sensitivity<L1>, MechanismError> {
        Sensitivity::of(&self.distance * &Rational::from(self.cells), self.under)
    }

    /// The distance in L2, rounded up.
    ///
    /// # Errors
    /// If it is beyond all numbers.
    pub fn l2(&self) -> Result<Sensitivity<L2>, MechanismError> {
        let square = self.distance.square() * Rational::from(self.cells);
        Sensitivity::of_square(&square, self.under)
    }
}
