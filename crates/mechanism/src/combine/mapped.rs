//! Something done to the data first.

use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::estimate::Noisy;
use crate::sensitivity::Norm;
use crate::{AddNoise, Mechanism, MechanismError, Noise, Run, Sensitivity};

/// A mechanism on records that are mapped one by one first.
///
/// # Guarantee
/// That of the mechanism: a record becomes one record, so records that differ in one unit are
/// mapped to records that do. [`Neighbours::ZeroOut`] is refused: what the mechanism takes for
/// "nothing" would have to come from nothing.
///
/// ```
/// use throng_mechanism::combine::Preprocessed;
/// use throng_mechanism::{AddNoise, Grid, L1, Mechanism, Neighbours, Noise, Sensitivity};
/// let distance = Sensitivity::<L1>::of(2.into(), Neighbours::Replace)?;
/// let noise = AddNoise::new(Noise::pure(&"1".parse()?, &distance, Grid::WHOLE)?);
/// // Each record is a bit after the map, whatever it was.
/// let adults = Preprocessed::new(|age: &u32| i64::from(*age >= 18), noise)?;
/// assert_eq!(adults.spec().to_string(), "discrete_laplace(scale=2)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Preprocessed<U, F, M> {
    map: F,
    inner: M,
    record: PhantomData<fn(&U)>,
}

impl<U, T, F, M> Preprocessed<U, F, M>
where
    F: Fn(&U) -> T,
    M: Mechanism<Input = [T]>,
{
    /// Maps each record, then runs the mechanism.
    ///
    /// # Errors
    /// If the mechanism is for zero-out neighbours.
    pub fn new(map: F, inner: M) -> Result<Self, MechanismError> {
        match inner.neighbours() {
            Neighbours::AddRemove | Neighbours::Replace => {
                Ok(Self { map, inner, record: PhantomData })
            }
            Neighbours::ZeroOut => Err(MechanismError::refused(
                "a map may make something of a unit that contributes nothing",
                "use add-remove or replace neighbours",
            )),
        }
    }
}

impl<U, T, F, M> Mechanism for Preprocessed<U, F, M>
where
    F: Fn(&U) -> T,
    M: Mechanism<Input = [T]>,
{
    type Input = [U];
    type Output = M::Output;

    fn spec(&self) -> MechanismSpec {
        self.inner.spec()
    }

    fn neighbours(&self) -> Neighbours {
        self.inner.neighbours()
    }

    fn units_are_records(&self) -> bool {
        self.inner.units_are_records()
    }

    fn answer(&self, input: &[U], run: &mut Run<'_>) -> Result<M::Output, MechanismError> {
        let mapped: Vec<T> = input.iter().map(&self.map).collect();
        self.inner.answer(&mapped, run)
    }
}

/// Noise on the image of a vector of integers under a map that moves two of them at most so many
/// times as far apart.
///
/// # Guarantee
/// That of the noise, which is made for the stretched distance; whether the map is Lipschitz in
/// the norm, only the caller can know.
///
/// ```
/// use throng_mechanism::combine::Transformed;
/// use throng_mechanism::{Grid, L1, Mechanism, Neighbours, Noise, Sensitivity};
/// let counts = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove)?;
/// let sums = |counts: &[i64]| counts.iter().scan(0, |sum, n| { *sum += n; Some(*sum) }).collect();
/// let five_sums = Transformed::new(sums, &5.into(), &counts, |stretched| {
///     Noise::laplace(&10.into(), stretched, Grid::WHOLE)
/// })?;
/// assert_eq!(five_sums.spec().to_string(), "discrete_laplace(scale=10, sensitivity=5)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Transformed<F> {
    map: F,
    inner: AddNoise,
}

impl<F: Fn(&[i64]) -> Vec<i64>> Transformed<F> {
    /// Applies the map, then adds the noise that `noise` makes for the stretched sensitivity.
    ///
    /// # Errors
    /// If the constant is negative or the noise cannot be made.
    pub fn new<N: Norm>(
        map: F,
        lipschitz: &Rational,
        sensitivity: &Sensitivity<N>,
        noise: impl FnOnce(&Sensitivity<N>) -> Result<Noise, MechanismError>,
    ) -> Result<Self, MechanismError> {
        let noise = noise(&sensitivity.stretched(lipschitz)?)?;
        Ok(Self { map, inner: AddNoise::new(noise) })
    }
}

impl<F: Fn(&[i64]) -> Vec<i64>> Mechanism for Transformed<F> {
    type Input = [i64];
    type Output = Noisy;

    fn spec(&self) -> MechanismSpec {
        self.inner.spec()
    }

    fn neighbours(&self) -> Neighbours {
        self.inner.neighbours()
    }

    fn answer(&self, input: &[i64], run: &mut Run<'_>) -> Result<Noisy, MechanismError> {
        self.inner.answer(&(self.map)(input), run)
    }
}
