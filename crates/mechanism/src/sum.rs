//! Sums of clamped numbers.

use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::estimate::{Noisy, Uncovered};
use crate::noise::Protection;
use crate::number::Number;
use crate::parts::InParts;
use crate::{Clamp, L1, L2, Mechanism, MechanismError, Noise, Run, Sensitivity};

/// The sum of the records of a column, each clamped to public bounds; a record is a unit.
///
/// # Guarantee
/// That of the noise. Records become integers within the bounds ([`Clamp`] says how, NaN and
/// infinities included) before they are added, and integers are added without rounding or
/// overflow, so
///
/// | relation | the sum moves by at most |
/// |---|---|
/// | add or remove a record | the larger of \|lower\| and \|upper\| |
/// | zero out a record (it becomes nothing, NaN, or 0) | the same |
/// | replace a record | upper - lower |
///
/// steps, in whatever order the records stand. (NaN and 0 become the point of the interval nearest
/// to 0, which is no further from any other point than the larger bound.)
///
/// # Error bars
/// Those of the noise. Not covered: clamping, and rounding to the grid, which moves the sum by at
/// most half a step per record. Under add/remove the number of records is private, and so is
/// that bound.
///
/// ```
/// use throng_mechanism::{Budget, Clamp, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{noise::Protection, sum::Sum};
/// # use throng_sample::OsEntropy;
/// let ages = Clamp::between(&0.into(), &100.into())?;
/// let half = Protection::Pure { epsilon: "1/2".parse()? };
/// let total = Sum::new(ages, &half, Neighbours::AddRemove)?;
/// let permit = Budget::pure(1.into(), Neighbours::AddRemove)?.permit(&total)?;
/// let data = Sensitive::new([31.5, 47.0, f64::NAN, 250.0]);
/// let release = total.run(data.as_slice(), permit, &mut OsEntropy)?;
/// println!("{} {}", release.value().value(0), release.value().interval(0, 0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sum<T = f64> {
    clamp: Clamp,
    noise: Noise,
    data: PhantomData<fn(T)>,
}

impl<T: Number> Sum<T> {
    /// A sum with the noise that gives this protection.
    ///
    /// # Errors
    /// If the noise cannot be made: its parameter is not above 0, or the grid is too coarse.
    pub fn new(
        clamp: Clamp,
        protection: &Protection,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let distance = Rational::from(distance(clamp, under)) * clamp.grid().step();
        let l1 = Sensitivity::<L1>::of(distance.clone(), under)?;
        let l2 = Sensitivity::<L2>::of(distance, under)?;
        Ok(Self { clamp, noise: protection.noise(&l1, &l2, clamp.grid())?, data: PhantomData })
    }

    /// The noise.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }

    /// The bounds.
    #[must_use]
    pub const fn clamp(&self) -> Clamp {
        self.clamp
    }
}

/// How far one record moves a clamped sum, in steps.
const fn distance(clamp: Clamp, under: Neighbours) -> i64 {
    let (low, high) = (clamp.lower().abs(), clamp.upper().abs());
    match under {
        Neighbours::AddRemove | Neighbours::ZeroOut => {
            if low > high {
                low
            } else {
                high
            }
        }
        Neighbours::Replace => clamp.width(),
    }
}

impl<T: Number> Mechanism for Sum<T> {
    type Input = [T];
    type Output = Noisy;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<Noisy, MechanismError> {
        self.answer_in_parts(&[input], run)
    }
}

impl<T: Number> InParts for Sum<T> {
    type Record = T;

    fn answer_in_parts(&self, parts: &[&[T]], run: &mut Run<'_>) -> Result<Noisy, MechanismError> {
        // At most 2^63 records of at most 2^61 steps in all parts together: no overflow of 2^127.
        let sum = parts.iter().map(|part| T::sum(part, self.clamp)).sum();
        let sum = self.noise.added_to(sum, run)?;
        Ok(Noisy::new(vec![sum], &self.noise, vec![Uncovered::Clamping, Uncovered::Rounding]))
    }
}
