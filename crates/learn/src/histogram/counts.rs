use serde::{Deserialize, Serialize};
use throng_account::{Neighbours, Target};
use throng_mechanism::{Grid, L2, MechanismError, Noise, NoiseLaw, PerCell, Run, Sensitivity};
use throng_numeric::Rational;

use crate::math::number;
use crate::{LearnError, Privacy};

/// The law of the noise on released numbers, as data: with it go their error bars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blur {
    law: Law,
    /// The scale or the standard deviation in steps, rounded up.
    size: f64,
    /// A step is 2^exponent.
    exponent: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Law {
    Laplace,
    Gaussian,
}

impl Blur {
    /// The law of some noise.
    ///
    /// # Errors
    /// If it is neither Laplace nor Gaussian.
    pub fn of(noise: &Noise) -> Result<Self, LearnError> {
        let (law, size) = match noise.law() {
            NoiseLaw::DiscreteLaplace { scale } => (Law::Laplace, scale.to_f64_up()),
            NoiseLaw::DiscreteGaussian { sigma } => (Law::Gaussian, sigma.to_f64_up()),
            NoiseLaw::Staircase(_) => {
                return Err(LearnError::refused("staircase noise", "use Laplace noise"));
            }
        };
        Ok(Self { law, size, exponent: noise.grid().exponent() })
    }

    /// The law, in steps.
    ///
    /// # Errors
    /// If its size is not above 0.
    pub fn law(&self) -> Result<NoiseLaw, LearnError> {
        let size = Rational::from_f64(self.size)?;
        Ok(match self.law {
            Law::Laplace => NoiseLaw::laplace(size)?,
            Law::Gaussian => NoiseLaw::gaussian(size)?,
        })
    }

    /// Whether it is Laplace noise.
    #[must_use]
    pub const fn is_laplace(&self) -> bool {
        matches!(self.law, Law::Laplace)
    }

    /// The grid.
    ///
    /// # Errors
    /// If there is no such grid.
    pub fn grid(&self) -> Result<Grid, LearnError> {
        Ok(Grid::new(self.exponent)?)
    }

    /// The standard deviation, rounded up.
    ///
    /// # Errors
    /// If its size is not above 0.
    pub fn standard_deviation(&self) -> Result<f64, LearnError> {
        let steps = self.law()?.variance()?.sqrt()?.upper();
        Ok((steps * self.step()?).next_up())
    }

    /// Half the width of intervals that cover all of `count` numbers at once, rounded up.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn half_width(&self, count: usize, confidence: f64) -> Result<f64, LearnError> {
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(LearnError::invalid("the confidence", confidence, "above 0 and below 1"));
        }
        let count = u64::try_from(count.max(1)).unwrap_or(u64::MAX);
        let steps = self.law()?.half_width_of_all(count, (1.0 - confidence).next_down())?;
        Ok((&Rational::from(steps) * &self.grid()?.step()).to_f64_up())
    }

    fn step(&self) -> Result<f64, LearnError> {
        Ok(self.grid()?.to_f64(1))
    }
}

/// A table of released counts: unbiased, each with independent noise of one law.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Counts {
    shape: Vec<usize>,
    values: Vec<f64>,
    noise: Blur,
}

/// How counts look in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    shape: Vec<usize>,
    values: Vec<f64>,
    noise: Blur,
}

impl TryFrom<Stored> for Counts {
    type Error = LearnError;

    fn try_from(stored: Stored) -> Result<Self, LearnError> {
        let cells = stored.shape.iter().try_fold(1_usize, |cells, bins| cells.checked_mul(*bins));
        stored.noise.law()?;
        stored.noise.grid()?;
        if cells == Some(stored.values.len()) {
            return Ok(Self { shape: stored.shape, values: stored.values, noise: stored.noise });
        }
        Err(LearnError::malformed("a table of counts has another size than it says"))
    }
}

impl From<Counts> for Stored {
    fn from(counts: Counts) -> Self {
        Self { shape: counts.shape, values: counts.values, noise: counts.noise }
    }
}

impl Counts {
    /// Counts with noise added.
    ///
    /// # Guarantee
    /// That of the noise, if it was made for a record that moves the counts as they do
    /// ([`noise_of_counts`]).
    ///
    /// # Errors
    /// If no noise can be drawn.
    pub(crate) fn release(
        mut counts: Vec<i64>,
        shape: Vec<usize>,
        noise: &Noise,
        run: &mut Run<'_>,
    ) -> Result<Self, MechanismError> {
        // A step is 2^-shift: a count is so many steps.
        let shift = u32::try_from(-noise.grid().exponent()).unwrap_or(0);
        for count in &mut counts {
            *count = count.saturating_mul(1_i64.checked_shl(shift).unwrap_or(i64::MAX));
        }
        Self::release_steps(counts, shape, noise, run)
    }

    /// The same for numbers of steps.
    pub(crate) fn release_steps(
        mut counts: Vec<i64>,
        shape: Vec<usize>,
        noise: &Noise,
        run: &mut Run<'_>,
    ) -> Result<Self, MechanismError> {
        let blur = Blur::of(noise)?;
        noise.add(&mut counts, run)?;
        let step = noise.grid().to_f64(1);
        let values = counts.into_iter().map(|steps| number(steps) * step).collect();
        Ok(Self { shape, values, noise: blur })
    }

    /// How many bins along each column.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The counts, row-major: the last column runs fastest.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The law of the noise on each.
    #[must_use]
    pub const fn noise(&self) -> &Blur {
        &self.noise
    }

    /// Half the width of an interval that covers one count with this confidence.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn half_width(&self, confidence: f64) -> Result<f64, LearnError> {
        self.noise.half_width(1, confidence)
    }

    /// Half the width of intervals that cover all counts at once with this confidence.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn half_width_of_all(&self, confidence: f64) -> Result<f64, LearnError> {
        self.noise.half_width(self.values.len(), confidence)
    }
}

/// Noise for tables of counts of which each record adds 1 to one cell at most, with a share of
/// part/whole of the target.
///
/// # Guarantee
/// Adding or removing a record moves one cell by 1, replacing one moves two by 1 each: √2 in L2. Tables
/// with shares that sum to at most 1 reach the target together: epsilons add, and Gaussian noise
/// composes by squares ([`crate::privacy::Gaussian`]).
///
/// # Errors
/// If the target is out of range or for another relation.
pub(crate) fn noise_of_counts(
    privacy: &Privacy,
    (part, whole): (u32, u32),
) -> Result<Noise, LearnError> {
    let cells = moved(privacy.neighbours())?;
    if let Some(epsilon) = privacy.epsilon_if_pure()? {
        let share = &epsilon * &Rational::new(part, whole)?;
        return Ok(Noise::pure_per_cell(&share, &cells, Grid::WHOLE)?);
    }
    let sigma = privacy.gaussian()?.multiplier(part, whole)?;
    gaussian(&sigma, &cells.l2()?)
}

/// Noise for sums of which a record moves some by a distance, with a share of the target.
///
/// # Guarantee
/// As for [`noise_of_counts`]. A release with all of the target has noise calibrated on the law of the grid
/// itself. A part of it, and mu, need noise that normal noise is known to be hidden in: at least two
/// steps of it.
pub(crate) fn noise_for(
    privacy: &Privacy,
    (part, whole): (u32, u32),
    cells: &PerCell,
    grid: Grid,
) -> Result<Noise, LearnError> {
    if let Some(epsilon) = privacy.epsilon_if_pure()? {
        let share = &epsilon * &Rational::new(part, whole)?;
        return Ok(Noise::pure_per_cell(&share, cells, grid)?);
    }
    if part == whole && !matches!(privacy.target(), Target::Gdp { .. }) {
        return Ok(Noise::gaussian_per_cell_for(privacy.target(), cells, grid)?);
    }
    let distance = cells.l2()?;
    let sigma = &privacy.gaussian()?.multiplier(part, whole)? * distance.distance();
    let least = grid.step() * Rational::from(2);
    Ok(Noise::gaussian_as(&sigma.max(least), &distance, grid)?)
}

/// Gaussian noise of `multiplier` times the distance, on whole numbers if they are fine enough.
pub(crate) fn gaussian(
    multiplier: &Rational,
    distance: &Sensitivity<L2>,
) -> Result<Noise, LearnError> {
    let sigma = multiplier * distance.distance();
    let half = &sigma * &Rational::new(1, 2_u32)?;
    let grid = if half >= Rational::ONE { Grid::WHOLE } else { Grid::at_most(&half)? };
    Ok(Noise::gaussian_as(&sigma, distance, grid)?)
}

/// The cells of a table of counts that one record moves.
pub(crate) fn moved(under: Neighbours) -> Result<PerCell, LearnError> {
    let cells = match under {
        Neighbours::AddRemove => 1,
        Neighbours::Replace => 2,
        Neighbours::ZeroOut => {
            return Err(LearnError::refused(
                "rows of a table are not zeroed out",
                "use add/remove or replace neighbours",
            ));
        }
    };
    Ok(PerCell::of(cells, Rational::ONE, under)?)
}
