//! Noise for a value of known sensitivity.
//!
//! Values are integers: steps of a [`Grid`]. What the accountant is told about discrete noise is
//! exact where the noise is coarse, and a proved continuous bound where it is fine:
//!
//! | noise, in steps | sensitivity | described as |
//! |---|---|---|
//! | Laplace of scale b | L1, at most 1024 steps | `discrete_laplace` |
//! | | L1, d steps | `laplace` at distance d + 1/(4b) |
//! | | per cell | either of them, once per cell |
//! | Gaussian of σ <= 32 | per cell, at most 1024 steps | `discrete_gaussian`, once per cell |
//! | Gaussian of σ >= 2 | per cell, or L2 | `gaussian` of σ - 1/(4σ), once per cell or once |
//! | Gaussian of σ < 2 | L2 | `zcdp` |
//! | staircase of period d | per cell | `staircase`, once per cell |
//!
//! Proofs: that one coordinate is the worst case of an L1 distance is in
//! `throng_account::pair::noise`, the two bounds by continuous noise in
//! `throng_account::conversion::grid`; the last row is theorem 14 of Canonne, Kamath, Steinke, *The
//! Discrete Gaussian for Differential Privacy* (2020).

mod law;
mod norm;
mod protection;
mod sampler;
mod staircase;

use std::sync::{Arc, OnceLock};

use throng_account::conversion::grid::{
    discrete_gaussian_as_gaussian, discrete_laplace_as_laplace,
};
use throng_account::{Accuracy, Leaf, MechanismSpec, Neighbours, Target, Template, calibrate};
use throng_numeric::Rational;

use crate::grid::MOST_STEPS;
use crate::replay::{Distance, Drawn, Observed, Primitive};
use crate::{Grid, L1, L2, MechanismError, PerCell, Run, Sensitivity};
pub use law::NoiseLaw;
pub use protection::Protection;
pub use sampler::Sampler;
pub use staircase::Staircase;

/// Up to this distance, in steps, the accountant sees the discrete law itself.
const EXACT: i64 = 1024;

/// Up to this σ, in steps, the accountant sees the discrete Gaussian law itself; beyond, where the
/// law has many outcomes, the normal law that it is hidden in costs less than 1/4000 more.
const EXACT_SIGMA: i64 = 32;

/// Values of a block: few enough for the caches near the processor, many enough for the sampler.
const BLOCK: usize = 1 << 14;

/// Values that are made and used some at a time, in order.
///
/// # Contract
/// What is read does not depend on what was taken.
pub trait InBlocks {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes those from `start` on, in steps: private.
    fn read(&mut self, start: usize, values: &mut [i64]);

    /// Takes those from `start` on, with noise.
    fn take(&mut self, start: usize, noisy: &[i64]);
}

/// Noise of a law on a grid, with its description for values of a known sensitivity.
///
/// # Guarantee
/// Adding independent noise to each coordinate of a value on the grid whose sensitivity is the
/// one given is at least as private as [`Noise::spec`] says, under [`Noise::neighbours`].
#[derive(Debug, Clone)]
pub struct Noise {
    law: NoiseLaw,
    grid: Grid,
    spec: MechanismSpec,
    under: Neighbours,
    /// What it was made for, in steps.
    distance: Distance,
    /// Its tables take milliseconds to build, so that is done once, when first needed.
    sampler: OnceLock<Arc<Sampler>>,
}

impl PartialEq for Noise {
    fn eq(&self, other: &Self) -> bool {
        let parts = |noise: &Self| (noise.grid, noise.under);
        parts(self) == parts(other) && self.law == other.law && self.spec == other.spec
    }
}

impl Eq for Noise {}

impl Noise {
    const fn described(
        law: NoiseLaw,
        grid: Grid,
        spec: MechanismSpec,
        under: Neighbours,
        distance: Distance,
    ) -> Self {
        Self { law, grid, spec, under, distance, sampler: OnceLock::new() }
    }

    /// Laplace noise of a scale.
    ///
    /// # Errors
    /// If the scale is not above 0 or the distance is beyond the grid.
    pub fn laplace(
        scale: &Rational,
        sensitivity: &Sensitivity<L1>,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let law = NoiseLaw::laplace(grid.in_steps(scale))?;
        let under = sensitivity.neighbours();
        let leaf = laplace_leaf(scale, sensitivity.distance(), under, grid)?;
        let distance = Distance::L1(grid.whole_steps(sensitivity.distance())?.into());
        Ok(Self::described(law, grid, MechanismSpec::leaf(leaf)?, under, distance))
    }

    /// Laplace noise of a scale, for cells.
    ///
    /// # Guarantee
    /// The composition of one run per cell that changes. The largest loss is that of the L1
    /// distance, and below it delta is smaller: losses of several cells seldom all point one way.
    ///
    /// # Errors
    /// If the scale is not above 0 or the distance is beyond the grid.
    pub fn laplace_per_cell(
        scale: &Rational,
        sensitivity: &PerCell,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let law = NoiseLaw::laplace(grid.in_steps(scale))?;
        let under = sensitivity.neighbours();
        let leaf = laplace_leaf(scale, sensitivity.distance(), under, grid)?;
        let distance = Distance::per_cell(sensitivity, grid.whole_steps(sensitivity.distance())?);
        let spec = per_cell(sensitivity.cells(), leaf)?;
        Ok(Self::described(law, grid, spec, under, distance))
    }

    /// Laplace noise that is epsilon-private, exactly.
    ///
    /// # Errors
    /// If epsilon is not above 0, or as for [`Noise::laplace`].
    pub fn pure(
        epsilon: &Rational,
        sensitivity: &Sensitivity<L1>,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        Self::laplace(&pure_scale(epsilon, sensitivity.distance(), grid)?, sensitivity, grid)
    }

    /// Laplace noise for cells that is epsilon-private, exactly.
    ///
    /// # Errors
    /// If epsilon is not above 0, or as for [`Noise::laplace_per_cell`].
    pub fn pure_per_cell(
        epsilon: &Rational,
        sensitivity: &PerCell,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let each = epsilon.checked_div(&Rational::from(sensitivity.cells()))?;
        let scale = pure_scale(&each, sensitivity.distance(), grid)?;
        Self::laplace_per_cell(&scale, sensitivity, grid)
    }

    /// Gaussian noise of standard deviation `sigma`, for a distance in L2.
    ///
    /// # Errors
    /// If sigma is not above 0 or the distance is beyond the grid.
    pub fn gaussian(
        sigma: &Rational,
        sensitivity: &Sensitivity<L2>,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let under = sensitivity.neighbours();
        let law = NoiseLaw::gaussian(grid.in_steps(sigma))?;
        grid.whole_steps(sensitivity.distance())?;
        let leaf = match hidden_in(sigma, grid)? {
            Some(sigma) => {
                Leaf::Gaussian { sigma, sensitivity: contribution(sensitivity.distance(), under)? }
            }
            None => {
                let ratio = sensitivity.distance().checked_div(sigma)?.square();
                Leaf::Zcdp { rho: ratio * Rational::new(1, 2_u32)?, xi: Rational::ZERO }
            }
        };
        let distance = Distance::L2(grid.in_steps(sensitivity.distance()));
        Ok(Self::described(law, grid, MechanismSpec::leaf(leaf)?, under, distance))
    }

    /// Gaussian noise of standard deviation `sigma`, for cells.
    ///
    /// # Errors
    /// If sigma is not above 0 or the distance is beyond the grid.
    pub fn gaussian_per_cell(
        sigma: &Rational,
        sensitivity: &PerCell,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let under = sensitivity.neighbours();
        let law = NoiseLaw::gaussian(grid.in_steps(sigma))?;
        let steps = grid.whole_steps(sensitivity.distance())?;
        let distance = Distance::per_cell(sensitivity, steps);
        let steps = Rational::from(steps);
        let coarse = grid.in_steps(sigma) <= Rational::from(EXACT_SIGMA);
        let exact = coarse && steps <= Rational::from(EXACT);
        let leaf = match hidden_in(sigma, grid)? {
            Some(sigma) if !exact => {
                Leaf::Gaussian { sigma, sensitivity: contribution(&(steps * grid.step()), under)? }
            }
            Some(_) | None => Leaf::DiscreteGaussian {
                sigma: grid.in_steps(sigma),
                sensitivity: contribution(&steps, under)?,
            },
        };
        let spec = per_cell(sensitivity.cells(), leaf)?;
        Ok(Self::described(law, grid, spec, under, distance))
    }

    /// The least Gaussian noise that reaches a target, for a distance in L2.
    ///
    /// # Guarantee
    /// The target was certified for the noise returned.
    ///
    /// # Errors
    /// If nothing reaches the target, or the grid is too coarse for the noise that does.
    pub fn gaussian_for(
        target: &Target,
        sensitivity: &Sensitivity<L2>,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let under = sensitivity.neighbours();
        let distance = contribution(sensitivity.distance(), under)?;
        let template = Template::parse(&format!("gaussian(sigma=?, sensitivity={distance})"))?;
        let hidden = calibrate(&template, target, under, Accuracy::default())?.value;
        let found = Self::gaussian_as(&hidden, sensitivity, grid)?;
        let leaf = Leaf::Gaussian { sigma: hidden, sensitivity: distance };
        Ok(Self { spec: MechanismSpec::leaf(leaf)?, ..found })
    }

    /// Gaussian noise on the grid that hides a distance in L2 at least as well as normal noise of
    /// standard deviation `hidden` does, and is described as that, in units of the distance: what the
    /// distance is measured in does not matter, and the numbers are short.
    ///
    /// # Errors
    /// If sigma is below two steps of the grid, or the distance is beyond the grid.
    pub fn gaussian_as(
        hidden: &Rational,
        sensitivity: &Sensitivity<L2>,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        let sigma = hiding(hidden, grid)?.ok_or_else(|| {
            let step = grid.step();
            MechanismError::invalid("the grid step", step, format!("at most half of {hidden}"))
        })?;
        let found = Self::gaussian(&sigma, sensitivity, grid)?;
        // Of the same law, but described by the short number: for σ = e + 1/(4e)
        // σ - 1/(4σ) is above e, as σ is.
        let distance = sensitivity.distance();
        let unit = if distance.is_zero() { &Rational::ONE } else { distance };
        let moved = contribution(&distance.checked_div(unit)?, sensitivity.neighbours())?;
        let leaf = Leaf::Gaussian { sigma: hidden.checked_div(unit)?, sensitivity: moved };
        Ok(Self { spec: MechanismSpec::leaf(leaf)?, ..found })
    }

    /// The least Gaussian noise that reaches a target, for cells; calibrated on the discrete law
    /// where the accountant sees it.
    ///
    /// # Guarantee
    /// The target was certified for the noise returned.
    ///
    /// # Errors
    /// If nothing reaches the target.
    pub fn gaussian_per_cell_for(
        target: &Target,
        sensitivity: &PerCell,
        grid: Grid,
    ) -> Result<Self, MechanismError> {
        if matches!(target, Target::Gdp { .. }) {
            // The discrete law has no finite mu, the normal law it is hidden in does.
            return Self::gaussian_for(target, &sensitivity.l2()?, grid);
        }
        let under = sensitivity.neighbours();
        let steps = Rational::from(grid.whole_steps(sensitivity.distance())?);
        let solve = |name: &str, distance: &Rational| {
            let cells = sensitivity.cells();
            let distance = contribution(distance, under)?;
            let text = format!("{cells} * {name}(sigma=?, sensitivity={distance})");
            let found = calibrate(&Template::parse(&text)?, target, under, Accuracy::default())?;
            Ok::<_, MechanismError>(found.value)
        };
        let hidden = solve("gaussian", &(&steps * &grid.step()))?;
        let most = Rational::from(EXACT_SIGMA);
        let fine = grid.in_steps(&hidden) > most || steps > Rational::from(EXACT);
        let normal = hiding(&hidden, grid)?;
        let discrete = match &normal {
            Some(_) if fine => None,
            Some(_) | None => Some(solve("discrete_gaussian", &steps)?),
        };
        let sigma = match (normal, discrete) {
            // Just above the last σ it would be described as normal, for which it was not certified.
            (Some(normal), discrete) if discrete.as_ref().is_none_or(|sigma| *sigma > most) => {
                normal
            }
            (_, discrete) => {
                let sigma = discrete.unwrap_or(hidden) * grid.step();
                return Self::gaussian_per_cell(&sigma, sensitivity, grid);
            }
        };
        let found = Self::gaussian_per_cell(&sigma, sensitivity, grid)?;
        // As for L2: the short number that was certified.
        let distance = contribution(&(&steps * &grid.step()), under)?;
        let leaf = Leaf::Gaussian { sigma: hidden, sensitivity: distance };
        Ok(Self { spec: per_cell(sensitivity.cells(), leaf)?, ..found })
    }

    /// The law of the noise, in steps.
    #[must_use]
    pub const fn law(&self) -> &NoiseLaw {
        &self.law
    }

    /// The grid.
    #[must_use]
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// What it costs.
    #[must_use]
    pub const fn spec(&self) -> &MechanismSpec {
        &self.spec
    }

    /// The relation of the sensitivity.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// Adds independent noise to each value, in steps; saturates at [`MOST_STEPS`].
    ///
    /// # Errors
    /// If no noise can be drawn; then `values` must not be used.
    pub fn add(&self, values: &mut [i64], run: &mut Run<'_>) -> Result<(), MechanismError> {
        self.add_repeated(values, 1, run)
    }

    /// The same for values that are made and used some at a time, so that they need not all be kept.
    ///
    /// # Guarantee
    /// That of [`Noise::add`] for all values together: the noise is independent from value to value, so it does
    /// not matter how many are drawn at a time. What is done with values that have their noise is
    /// post-processing; the contract of [`InBlocks`] is that it does not change what is read later.
    ///
    /// # Errors
    /// As for [`Noise::add`].
    pub fn add_in_blocks(
        &self,
        values: &mut impl InBlocks,
        run: &mut Run<'_>,
    ) -> Result<(), MechanismError> {
        let length = values.len();
        // An auditor sees all values of a release at once.
        let most = if cfg!(feature = "replay") { length } else { length.min(BLOCK) };
        let mut block = vec![0; most];
        for start in (0..length).step_by(most.max(1)) {
            let block = &mut block[..most.min(length - start)];
            values.read(start, block);
            self.add(block, run)?;
            values.take(start, block);
        }
        Ok(())
    }

    /// The same for values that belong to several runs of this noise, each of which is described.
    pub(crate) fn add_repeated(
        &self,
        values: &mut [i64],
        runs: u32,
        run: &mut Run<'_>,
    ) -> Result<(), MechanismError> {
        let sampler = match self.sampler.get() {
            Some(sampler) => Arc::clone(sampler),
            None => {
                let built = Sampler::shared(&self.law)?;
                Arc::clone(self.sampler.get_or_init(|| built))
            }
        };
        run.observe(|| self.observed(values, runs));
        sampler.add(run.entropy(), values, MOST_STEPS)?;
        run.settle(values);
        Ok(())
    }

    fn observed(&self, values: &[i64], runs: u32) -> Observed {
        let steps = |value: &i64| i128::from((*value).clamp(-MOST_STEPS, MOST_STEPS));
        Observed::Primitive(Primitive {
            what: "noise",
            law: Drawn::Noise(self.law.clone()),
            declared: Some(self.distance.repeated(runs)),
            inputs: values.iter().map(steps).collect(),
        })
    }

    /// One value with noise, in steps; saturates at [`MOST_STEPS`].
    ///
    /// # Errors
    /// If no noise can be drawn.
    pub fn added_to(&self, value: i128, run: &mut Run<'_>) -> Result<i64, MechanismError> {
        let most = i128::from(MOST_STEPS);
        let mut one = [i64::try_from(value.clamp(-most, most)).unwrap_or(MOST_STEPS)];
        self.add(&mut one, run)?;
        Ok(one[0])
    }
}

/// What a unit contributes, in the accountant's sense, if the value moves by `distance`: under
/// replace it counts from the middle, so it contributes half of it.
pub(crate) fn contribution(
    distance: &Rational,
    under: Neighbours,
) -> Result<Rational, MechanismError> {
    Ok(match under {
        Neighbours::AddRemove | Neighbours::ZeroOut => distance.clone(),
        Neighbours::Replace => distance * &Rational::new(1, 2_u32)?,
    })
}

fn laplace_leaf(
    scale: &Rational,
    distance: &Rational,
    under: Neighbours,
    grid: Grid,
) -> Result<Leaf, MechanismError> {
    let steps = grid.whole_steps(distance)?;
    if steps <= EXACT {
        let scale = grid.in_steps(scale);
        let sensitivity = contribution(&Rational::from(steps), under)?;
        return Ok(Leaf::DiscreteLaplace { scale, sensitivity });
    }
    let shift = u64::try_from(steps).unwrap_or(u64::MAX);
    let distance = discrete_laplace_as_laplace(&grid.in_steps(scale), shift)? * grid.step();
    Ok(Leaf::Laplace { scale: scale.clone(), sensitivity: contribution(&distance, under)? })
}

/// The scale at which one number that moves by `distance` is epsilon-private.
fn pure_scale(
    epsilon: &Rational,
    distance: &Rational,
    grid: Grid,
) -> Result<Rational, MechanismError> {
    law::positive("epsilon", epsilon)?;
    let steps = grid.whole_steps(distance)?;
    let distance = Rational::from(steps.max(1));
    // In steps: (d + 1/(4b))/b <= ε for b = d/ε + 1/(4d), as then 1/b <= ε/d.
    let extra = if steps <= EXACT {
        Rational::ZERO
    } else {
        Rational::ONE.checked_div(&(&distance * &Rational::from(4)))?
    };
    Ok((distance.checked_div(epsilon)? + extra) * grid.step())
}

fn per_cell(cells: u64, leaf: Leaf) -> Result<MechanismSpec, MechanismError> {
    if cells == 1 {
        return Ok(MechanismSpec::leaf(leaf)?);
    }
    Ok(MechanismSpec::repeated(cells, MechanismSpec::leaf(leaf)?)?)
}

/// The standard deviation of the normal noise that hides no better than discrete noise of `sigma`,
/// if that is at least 2 steps.
pub(crate) fn hidden_in(sigma: &Rational, grid: Grid) -> Result<Option<Rational>, MechanismError> {
    let sigma = grid.in_steps(sigma);
    if sigma < Rational::from(2) {
        return Ok(None);
    }
    Ok(Some(discrete_gaussian_as_gaussian(&sigma)? * grid.step()))
}

/// The sigma of discrete noise that hides as well as normal noise of standard deviation e >= 2
/// steps: e + 1/(4e), the root of [`throng_account::conversion::grid::variance_for_gaussian`].
fn hiding(sigma: &Rational, grid: Grid) -> Result<Option<Rational>, MechanismError> {
    let sigma = grid.in_steps(sigma);
    if sigma < Rational::from(2) {
        return Ok(None);
    }
    let more = Rational::ONE.checked_div(&(&sigma * &Rational::from(4)))?;
    Ok(Some((sigma + more) * grid.step()))
}
