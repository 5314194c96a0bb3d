//! How records come into batches, and the noise on their sums.

use throng_account::{
    Accuracy, Calibration, MechanismSpec, Neighbours, Target, Template, calibrate,
};
use throng_mechanism::{Grid, L2, Noise, Sensitivity};
use throng_numeric::Rational;

use super::grid::{BITS, BOUND};
use super::options::{NetworkOptions, StepNoise};
use crate::correlated::{Bands, CorrelatedNoise, Ftrl, Participation};
use crate::privacy::Gaussian;
use crate::{LearnError, Privacy};

/// Numbers that correlated noise may remember: bands times parameters.
const MOST_KNOWN: usize = 1 << 26;

/// What is drawn in a step, and what it costs.
#[derive(Debug, Clone)]
pub(super) enum Plan {
    /// Poisson batches, and noise of its own in each step; the spec is that of one step.
    Independent { noise: Noise, each: MechanismSpec },
    /// The same batches in each epoch, and noise that is correlated over all steps.
    Correlated(Ftrl),
}

impl Plan {
    /// Noise of so many times the clip norm, in each step.
    pub(super) fn independent(
        multiplier: &Rational,
        options: &NetworkOptions,
    ) -> Result<Self, LearnError> {
        let sensitivity = Sensitivity::<L2>::of(Rational::ONE, Neighbours::AddRemove)?;
        let grid = Grid::new(-i32::try_from(BITS).unwrap_or(0))?;
        let noise = Noise::gaussian_as(multiplier, &sensitivity, grid)?;
        let each = step(noise.spec().clone(), &rate(options)?)?;
        Ok(Self::Independent { noise, each })
    }

    /// As much as a Gaussian release needs, for all steps together.
    pub(super) fn correlated(
        gaussian: &Gaussian,
        band: u32,
        options: &NetworkOptions,
        parameters: usize,
    ) -> Result<Self, LearnError> {
        let [steps, batches] = [options.steps, batches(options)]
            .map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let participation = Participation::new(steps, steps.div_ceil(batches), batches)?;
        let bands = Bands::best(participation, usize::try_from(band).unwrap_or(usize::MAX))?;
        if bands.len().saturating_mul(parameters) > MOST_KNOWN {
            let found = format!("{} with {parameters} parameters", bands.len());
            return Err(LearnError::invalid("the band", found, "at most 2^26 numbers together"));
        }
        let noise = CorrelatedNoise::within((bands, participation), BOUND, (gaussian, 1, 1))?;
        Ok(Self::Correlated(Ftrl::new(noise)?))
    }

    /// What so many steps cost. Correlated noise is made for all steps together, and any number of them is
    /// described by what all cost.
    pub(super) fn spec(&self, steps: u64) -> MechanismSpec {
        match self {
            Self::Independent { each, .. } => {
                MechanismSpec::Repeated { times: steps, inner: Box::new(each.clone()) }
            }
            Self::Correlated(ftrl) => ftrl.noise().spec().clone(),
        }
    }

    pub(super) const fn neighbours(&self) -> Neighbours {
        match self {
            Self::Independent { .. } => Neighbours::AddRemove,
            Self::Correlated(ftrl) => ftrl.noise().neighbours(),
        }
    }
}

/// The least noise in each step, over the clip norm, that reaches the target; certified by who finds it.
pub(super) fn sigma(
    privacy: &Privacy,
    options: &NetworkOptions,
) -> Result<Calibration, LearnError> {
    check_relation(privacy)?;
    let (steps, rate) = (options.steps, rate(options)?);
    let text = if rate == Rational::ONE {
        format!("{steps} * gaussian(sigma=?)")
    } else {
        format!("{steps} * sampled(gaussian(sigma=?), rate={rate})")
    };
    let (target, under) = (closer(*privacy.target()), privacy.neighbours());
    Ok(calibrate(&Template::parse(&text)?, &target, under, Accuracy::default())?)
}

fn check_relation(privacy: &Privacy) -> Result<(), LearnError> {
    match privacy.neighbours() {
        Neighbours::AddRemove => {}
        Neighbours::Replace | Neighbours::ZeroOut => {
            return Err(LearnError::refused(
                "how many records a network is trained on is private",
                "use neighbours with one record more or less, or correlated noise",
            ));
        }
    }
    if privacy.epsilon_if_pure()?.is_some() {
        return Err(LearnError::refused(
            "Gaussian noise has no epsilon without a delta",
            "give a delta, such as 1e-5",
        ));
    }
    Ok(())
}

/// The chance that a step takes a record.
pub(super) fn rate(options: &NetworkOptions) -> Result<Rational, LearnError> {
    Ok(match (options.batch, options.records) {
        (Some(batch), Some(records)) => Rational::new(batch, records)?,
        _ => Rational::ONE,
    })
}

/// How many batches an epoch has, if they are fixed.
fn batches(options: &NetworkOptions) -> u64 {
    match (options.batch, options.records) {
        (Some(batch), Some(records)) => records.div_ceil(batch.max(1)).max(1),
        _ => 1,
    }
}

/// One step; a sample of all is no sample.
fn step(noise: MechanismSpec, rate: &Rational) -> Result<MechanismSpec, LearnError> {
    if *rate == Rational::ONE {
        return Ok(noise);
    }
    Ok(MechanismSpec::sampled(rate.clone(), noise)?)
}

/// A target closer by a hair than what is asked for, so that the target is met also by a reader who brackets
/// epsilon less closely than the search did.
fn closer(target: Target) -> Target {
    const HAIR: f64 = 1.0 - 1e-5;
    match target {
        Target::Epsilon { epsilon, delta } => Target::Epsilon { epsilon: epsilon * HAIR, delta },
        Target::Advantage { advantage } => Target::Advantage { advantage: advantage * HAIR },
        Target::Detection { false_alarm, found } => {
            Target::Detection { false_alarm, found: false_alarm + (found - false_alarm) * HAIR }
        }
        Target::Gdp { .. } | Target::Zcdp { .. } => target,
    }
}

impl StepNoise {
    /// The plan with noise of so many times what it hides.
    pub(super) fn plan(
        self,
        multiplier: &Rational,
        options: &NetworkOptions,
        parameters: usize,
    ) -> Result<Plan, LearnError> {
        match self {
            Self::Independent => Plan::independent(multiplier, options),
            Self::Correlated { band } => {
                let gaussian = Gaussian::of(multiplier.clone(), Neighbours::AddRemove);
                Plan::correlated(&gaussian, band, options, parameters)
            }
        }
    }
}
