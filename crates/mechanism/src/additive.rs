//! Noise added to numbers.

use throng_account::{MechanismSpec, Neighbours};

use crate::estimate::{Noisy, Uncovered};
use crate::noise::Protection;
use crate::{Grid, L1, L2, Mechanism, MechanismError, Noise, PerCell, Run, Sensitivity};

/// Independent noise on each of a vector of integers: steps of the grid of the noise.
///
/// # Guarantee
/// That of the noise, for data whose sensitivity is the one the noise was made for; whether it
/// is, only the caller can know; how many there are is public. Mechanisms that start from records (sums, histograms, ...)
/// bound it themselves.
///
/// Values beyond ±(2^62 - 1) saturate; see [`crate::grid::MOST_STEPS`].
///
/// ```
/// use throng_mechanism::{AddNoise, Budget, Grid, L1, Mechanism, Neighbours, Noise, Sensitive, Sensitivity};
/// # use throng_sample::OsEntropy;
/// let one_person = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove)?;
/// let mechanism = AddNoise::new(Noise::pure(&"1/2".parse()?, &one_person, Grid::WHOLE)?);
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let counts = Sensitive::new([120, 45, 7]);
/// let release = mechanism.run(counts.as_slice(), permit, &mut OsEntropy)?;
/// println!("{:?} ± {}", release.value().values(), release.value().half_width(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddNoise {
    noise: Noise,
}

impl AddNoise {
    /// Adds this noise.
    #[must_use]
    pub const fn new(noise: Noise) -> Self {
        Self { noise }
    }

    /// The noise.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }
}

impl Mechanism for AddNoise {
    type Input = [i64];
    type Output = Noisy;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(&self, input: &[i64], run: &mut Run<'_>) -> Result<Noisy, MechanismError> {
        let mut values = input.to_vec();
        self.noise.add(&mut values, run)?;
        Ok(Noisy::new(values, &self.noise, Vec::new()))
    }
}

/// Independent noise on each of a vector of real numbers that were computed elsewhere, after
/// rounding them to a grid.
///
/// # Guarantee
/// That of the noise, for numbers whose distance (as `f64` that were handed over, with
/// whatever error their computation made) is the one declared. Rounding can add one
/// step to each coordinate's distance ([`Sensitivity::rounded`]); that is accounted for here.
/// In the promise as in the computation NaN is 0, infinities are the ends of the grid at
/// ±(2^62 - 1) steps, and a vector that is too short goes on with 0, one that is too long ends
/// early.
///
/// With [`Grid::under`] the scale of the noise, the release looks continuous: the grid is
/// public, and no bit below it depends on the data.
///
/// ```
/// use throng_mechanism::noise::Protection;
/// use throng_mechanism::{AddNoiseReal, Budget, Grid, L1, L2, Mechanism, Neighbours, Sensitive, Sensitivity};
/// # use throng_sample::OsEntropy;
/// let under = Neighbours::Replace;
/// let (l1, l2) = (Sensitivity::<L1>::of("3".parse()?, under)?, Sensitivity::<L2>::of("2".parse()?, under)?);
/// let pure = Protection::Pure { epsilon: 1.into() };
/// let mechanism = AddNoiseReal::new(&pure, &l1, &l2, 3, Grid::under(&"3".parse()?)?)?;
/// let permit = Budget::pure(1.into(), under)?.permit(&mechanism)?;
/// let weights = Sensitive::new([0.25, -1.5, 3.75]);
/// let release = mechanism.run(weights.as_slice(), permit, &mut OsEntropy)?;
/// assert_eq!(release.value().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddNoiseReal {
    noise: Noise,
    coordinates: usize,
}

impl AddNoiseReal {
    /// Noise for vectors of known distance in L1 and L2; Laplace noise uses the first, Gaussian
    /// noise the second.
    ///
    /// # Errors
    /// If there are no coordinates, or the noise cannot be made.
    pub fn new(
        protection: &Protection,
        l1: &Sensitivity<L1>,
        l2: &Sensitivity<L2>,
        coordinates: usize,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let count = counted(coordinates)?;
        let noise = protection.noise(&l1.rounded(count, grid)?, &l2.rounded(count, grid)?, grid)?;
        Ok(Self { noise, coordinates })
    }

    /// Noise for vectors of which one unit changes few cells.
    ///
    /// # Errors
    /// If there are no coordinates, or the noise cannot be made.
    pub fn per_cell(
        protection: &Protection,
        cells: &PerCell,
        coordinates: usize,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        counted(coordinates)?;
        let noise = protection.noise_per_cell(&cells.rounded(grid)?, grid)?;
        Ok(Self { noise, coordinates })
    }

    /// The noise.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }
}

fn counted(coordinates: usize) -> Result<u64, MechanismError> {
    u64::try_from(coordinates).ok().filter(|count| *count > 0).ok_or_else(|| {
        MechanismError::invalid("the number of coordinates", coordinates, "at least 1")
    })
}

impl Mechanism for AddNoiseReal {
    type Input = [f64];
    type Output = Noisy;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(&self, input: &[f64], run: &mut Run<'_>) -> Result<Noisy, MechanismError> {
        let grid = self.noise.grid();
        let steps = input.iter().map(|x| grid.nearest(*x).unwrap_or(0));
        let mut values: Vec<i64> =
            steps.chain(std::iter::repeat(0)).take(self.coordinates).collect();
        self.noise.add(&mut values, run)?;
        Ok(Noisy::new(values, &self.noise, vec![Uncovered::Rounding]))
    }
}
