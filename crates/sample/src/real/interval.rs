use throng_numeric::{Integer, Natural, Rational};

use crate::SampleError;

/// A real number v by integers around it: `from <= v 2^bits <= to`.
// No Debug: it tells what noise was drawn.
#[derive(Clone, PartialEq, Eq)]
pub struct Interval {
    /// At most v 2^bits.
    pub from: Integer,
    /// At least v 2^bits.
    pub to: Integer,
    /// The unit is 2^-bits.
    pub bits: usize,
}

impl Interval {
    /// The lower end.
    ///
    /// # Errors
    /// Never; the type says so because division could.
    pub fn lower(&self) -> Result<Rational, SampleError> {
        self.in_units(&self.from)
    }

    /// The upper end.
    ///
    /// # Errors
    /// Never; the type says so because division could.
    pub fn upper(&self) -> Result<Rational, SampleError> {
        self.in_units(&self.to)
    }

    fn in_units(&self, end: &Integer) -> Result<Rational, SampleError> {
        Ok(Rational::new(end.clone(), Natural::ONE << self.bits)?)
    }

    /// The unit interval [at, at + 1], or its mirror image.
    pub(crate) fn of_cell(at: Natural, bits: usize, negative: bool) -> Self {
        let from = Integer::from(at);
        let to = &from + Integer::ONE;
        if negative { Self { from: -to, to: -from, bits } } else { Self { from, to, bits } }
    }
}
