//! Records in several places, as columns of tables often are.

use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours};

use crate::{Mechanism, MechanismError, Run};

/// A mechanism on a slice of records that takes them in several slices as well.
///
/// # Contract
/// The answer has the law of [`Mechanism::answer`] on the slices joined to one, in their order.
pub trait InParts: Mechanism<Input = [Self::Record]> {
    /// One record.
    type Record;

    /// The randomised answer. Callers run [`Scattered`].
    ///
    /// # Errors
    /// As for [`Mechanism::answer`].
    fn answer_in_parts(
        &self,
        parts: &[&[Self::Record]],
        run: &mut Run<'_>,
    ) -> Result<Self::Output, MechanismError>;
}

/// A mechanism on records that lie in several slices: nothing is copied to join them.
///
/// # Guarantee
/// That of the mechanism. Where the slices begin and end is not looked at ([`InParts`]), so data sets
/// that are neighbours when joined are neighbours in whatever parts they lie.
///
/// ```
/// use throng_mechanism::{Budget, Clamp, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{noise::Protection, parts::Scattered, sum::Sum};
/// # use throng_sample::OsEntropy;
/// let ages = Clamp::between(&0.into(), &100.into())?;
/// let total = Sum::new(ages, &Protection::Pure { epsilon: 1.into() }, Neighbours::AddRemove)?;
/// let total = Scattered::new(total);
/// let permit = Budget::pure(1.into(), Neighbours::AddRemove)?.permit(&total)?;
/// let (one, two) = ([31.5, 47.0], [12.0]);
/// let data = Sensitive::new([&one[..], &two[..]]);
/// let release = total.run(data.as_slice(), permit, &mut OsEntropy)?;
/// println!("{}", release.value().value(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scattered<'a, M> {
    inner: M,
    data: PhantomData<&'a ()>,
}

impl<M: InParts> Scattered<'_, M> {
    /// The same on several slices.
    #[must_use]
    pub const fn new(inner: M) -> Self {
        Self { inner, data: PhantomData }
    }
}

impl<'a, M: InParts> Mechanism for Scattered<'a, M>
where
    M::Record: 'a,
{
    type Input = [&'a [M::Record]];
    type Output = M::Output;

    fn spec(&self) -> MechanismSpec {
        self.inner.spec()
    }

    fn neighbours(&self) -> Neighbours {
        self.inner.neighbours()
    }

    fn answer(
        &self,
        input: &[&'a [M::Record]],
        run: &mut Run<'_>,
    ) -> Result<M::Output, MechanismError> {
        self.inner.answer_in_parts(input, run)
    }
}

/// All records of all parts.
pub(crate) fn length<T>(parts: &[&[T]]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}
