//! How many.

use std::collections::HashSet;
use std::hash::Hash;
use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours, Target};
use throng_numeric::Rational;

use crate::{
    Grid, L1, Mechanism, MechanismError, Noise, Noisy, PerCell, Run, Sensitivity, Uncovered,
};

/// What is counted. Sealed: [`Records`], [`Matches`], [`Units`], [`BoundedRecords`].
pub trait Counted: sealed::Sealed {
    /// One row of data.
    type Row;

    /// How far one unit moves the count.
    ///
    /// # Errors
    /// If the count is public under the relation: there is nothing to hide, and noise would
    /// only pretend there were.
    fn distance(&self, under: Neighbours) -> Result<u64, MechanismError>;

    /// The count.
    fn count(&self, rows: &[Self::Row]) -> usize;

    /// What error bars leave out.
    fn uncovered(&self) -> Vec<Uncovered>;

    /// Whether each row is a unit.
    fn units_are_rows(&self) -> bool;
}

mod sealed {
    pub trait Sealed {}
    impl<R> Sealed for super::Records<R> {}
    impl Sealed for super::Matches {}
    impl<U> Sealed for super::Units<U> {}
    impl<U> Sealed for super::BoundedRecords<U> {}
}

/// All rows of `[R]`, each of which is a unit: moves by 1 if one is added or removed.
///
/// Where one is replaced or zeroed out, the number of rows is public: refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Records<R>(PhantomData<R>);

/// The rows of `[bool]` that say yes, each of which is a unit: moves by 1 under every relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Matches;

/// The different units in `[U]`, the units of the rows: moves by 1 if one is added or removed
/// with all its rows.
///
/// Where one is replaced or zeroed out, the number of units is public: refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units<U>(PhantomData<U>);

/// The rows of `[U]`, the units of the rows, at most `most` of each unit: moves by `most` under
/// every relation. (Replaced, a unit's part of the count goes from one number in 0..=most to
/// another.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundedRecords<U> {
    most: u64,
    unit: PhantomData<U>,
}

impl<R> Default for Records<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<U> Default for Units<U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<U> BoundedRecords<U> {
    /// At most `most` rows of each unit.
    ///
    /// # Errors
    /// If that is 0.
    pub fn of(most: u64) -> Result<Self, MechanismError> {
        if most == 0 {
            return Err(MechanismError::invalid("the rows of a unit", most, "at least 1"));
        }
        Ok(Self { most, unit: PhantomData })
    }
}

impl<R> Counted for Records<R> {
    type Row = R;

    fn distance(&self, under: Neighbours) -> Result<u64, MechanismError> {
        one_unless_public("rows", under)
    }

    fn count(&self, rows: &[R]) -> usize {
        rows.len()
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        Vec::new()
    }

    fn units_are_rows(&self) -> bool {
        true
    }
}

impl Counted for Matches {
    type Row = bool;

    fn distance(&self, under: Neighbours) -> Result<u64, MechanismError> {
        match under {
            Neighbours::AddRemove | Neighbours::Replace | Neighbours::ZeroOut => Ok(1),
        }
    }

    fn count(&self, rows: &[bool]) -> usize {
        rows.iter().filter(|yes| **yes).count()
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        Vec::new()
    }

    fn units_are_rows(&self) -> bool {
        true
    }
}

impl<U: Hash + Eq> Counted for Units<U> {
    type Row = U;

    fn distance(&self, under: Neighbours) -> Result<u64, MechanismError> {
        one_unless_public("units", under)
    }

    fn count(&self, rows: &[U]) -> usize {
        rows.iter().collect::<HashSet<_>>().len()
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        Vec::new()
    }

    fn units_are_rows(&self) -> bool {
        false
    }
}

impl<U: Ord> Counted for BoundedRecords<U> {
    type Row = U;

    fn distance(&self, under: Neighbours) -> Result<u64, MechanismError> {
        match under {
            Neighbours::AddRemove | Neighbours::Replace | Neighbours::ZeroOut => Ok(self.most),
        }
    }

    fn count(&self, rows: &[U]) -> usize {
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        let mut units: Vec<&U> = rows.iter().collect();
        units.sort_unstable();
        units.chunk_by(|a, b| a == b).map(|rows| rows.len().min(most)).sum()
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        vec![Uncovered::ContributionBounding]
    }

    fn units_are_rows(&self) -> bool {
        false
    }
}

fn one_unless_public(what: &str, under: Neighbours) -> Result<u64, MechanismError> {
    match under {
        Neighbours::AddRemove => Ok(1),
        Neighbours::Replace | Neighbours::ZeroOut => Err(MechanismError::refused(
            format!("the number of {what} is public under {under} neighbours"),
            "publish it as it is, or count the rows that match a condition",
        )),
    }
}

/// A count with noise.
///
/// # Guarantee
/// That of the noise at the distance of what is counted: discrete Laplace noise is
/// epsilon-private, discrete Gaussian noise reaches the target it was made for. The count is an
/// integer from the data to the release; counts beyond 2^62 saturate.
///
/// ```
/// use throng_mechanism::count::{Count, Records};
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let patients = Sensitive::new(["ann", "bob", "cid"]);
/// let count = Count::pure(Records::default(), &"1/2".parse()?, Neighbours::AddRemove)?;
/// let permit = Budget::pure(1.into(), Neighbours::AddRemove)?.permit(&count)?;
/// let release = count.run(patients.as_slice(), permit, &mut OsEntropy)?;
/// println!("{} {}", release.value().value(0), release.value().interval(0, 0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Reference
/// Ghosh, Roughgarden, Sundararajan, *Universally Utility-Maximizing Privacy Mechanisms* (2009).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count<Q> {
    what: Q,
    noise: Noise,
}

impl<Q: Counted> Count<Q> {
    /// The count with discrete Laplace noise, epsilon-private.
    ///
    /// # Errors
    /// If epsilon is not above 0, or the count is public under the relation.
    pub fn pure(what: Q, epsilon: &Rational, under: Neighbours) -> Result<Self, MechanismError> {
        let distance = Sensitivity::<L1>::of(what.distance(under)?.into(), under)?;
        let noise = Noise::pure(epsilon, &distance, Grid::WHOLE)?;
        Ok(Self { what, noise })
    }

    /// The count with discrete Gaussian noise of this standard deviation.
    ///
    /// # Errors
    /// If sigma is not above 0, or the count is public under the relation.
    pub fn gaussian(what: Q, sigma: &Rational, under: Neighbours) -> Result<Self, MechanismError> {
        let distance = PerCell::of(1, what.distance(under)?.into(), under)?;
        let noise = Noise::gaussian_per_cell(sigma, &distance, Grid::WHOLE)?;
        Ok(Self { what, noise })
    }

    /// The count with the least discrete Gaussian noise that reaches a target.
    ///
    /// # Errors
    /// If nothing reaches the target, or the count is public under the relation.
    pub fn gaussian_for(
        what: Q,
        target: &Target,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let distance = PerCell::of(1, what.distance(under)?.into(), under)?;
        let noise = Noise::gaussian_per_cell_for(target, &distance, Grid::WHOLE)?;
        Ok(Self { what, noise })
    }

    /// What is counted.
    #[must_use]
    pub const fn what(&self) -> &Q {
        &self.what
    }

    /// The noise.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }
}

impl<Q: Counted> Mechanism for Count<Q> {
    type Input = [Q::Row];
    type Output = Noisy;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn units_are_records(&self) -> bool {
        self.what.units_are_rows()
    }

    fn answer(&self, input: &[Q::Row], run: &mut Run<'_>) -> Result<Noisy, MechanismError> {
        let count = i128::try_from(self.what.count(input)).unwrap_or(i128::MAX);
        let noisy = self.noise.added_to(count, run)?;
        Ok(Noisy::new(vec![noisy], &self.noise, self.what.uncovered()))
    }
}
