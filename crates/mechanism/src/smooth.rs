//! Noise scaled to smooth sensitivity.
//!
//! The median of a crowd hardly moves when one person leaves it, but there are data sets in which
//! it moves across the whole interval; noise for the worst of them drowns the answer. Noise scaled
//! to how far *this* data set can move (its local sensitivity LS) is not private, for the scale
//! itself gives the data away. A *smooth* bound S >= LS is one that changes by a factor of
//! at most e^β between neighbours, and noise scaled to it is private if its law hides being
//! stretched by e^β as well as being moved by S: see [`SmoothNoise`].
//!
//! | function | relation | the bound |
//! |---|---|---|
//! | [`Median`] | all | the smallest; much below the global one if the data is dense near the median |
//! | [`Variance`] | replace, zero out | at best a quarter of the global one |
//! | sum | | not offered: nothing is gained |
//!
//! *Sums.* Under add-or-remove, adding the largest value is always possible, so the local
//! sensitivity is the global one everywhere. Under replace it is max over i of max(xᵢ - lo, hi - xᵢ),
//! but one unit away there is a data set with a value at an end, where it is W = hi - lo: a smooth
//! bound is at least e^-β W. Use [`crate::AddNoise`].

mod decay;
mod law;
mod median;
mod noise;
mod normal;
mod order;
mod variance;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::estimate::miss;
use crate::{Grid, Mechanism, MechanismError, Run, Uncovered};
pub use decay::Decay;
pub use law::SmoothLaw;
pub use median::Median;
pub use noise::SmoothNoise;
pub(crate) use order::OrderStatistics;
pub use variance::Variance;

/// What a function says about one data set, in steps of its grid: private.
// No Debug: private data.
#[derive(Clone, PartialEq, Eq)]
pub struct Local {
    /// The value.
    pub value: Rational,
    /// A smooth bound on how far one unit moves it; values below one step count as one.
    pub bound: Rational,
}

/// A function with a smooth bound on its local sensitivity.
///
/// # Contract
/// For all neighbours x, x' under [`SmoothBound::neighbours`], and every decay of rate β:
/// |value(x) - value(x')| <= max(1, bound(x)) and max(1, bound(x)) <= e^β max(1, bound(x')).
/// Numerator and denominator of a bound are below 2^900 (longer ones the samplers may refuse, and
/// that would depend on the data), and whether [`SmoothBound::local`] fails does not depend on
/// private data.
pub trait SmoothBound {
    /// The private data.
    type Input: ?Sized;

    /// What "differ in one unit" means for it.
    fn neighbours(&self) -> Neighbours;

    /// As for [`Mechanism::units_are_records`].
    fn units_are_records(&self) -> bool {
        false
    }

    /// The grid whose steps values are counted in.
    fn grid(&self) -> Grid;

    /// What no bound exceeds, in steps, whatever the data.
    fn widest(&self) -> Rational;

    /// What error bars on the value leave out.
    fn uncovered(&self) -> Vec<Uncovered>;

    /// Value and bound, exactly.
    ///
    /// # Errors
    /// Never for a reason that lies in the data.
    fn local(&self, input: &Self::Input, decay: &Decay) -> Result<Local, MechanismError>;
}

/// A function with noise scaled to its smooth sensitivity.
///
/// # Guarantee
/// That of [`SmoothNoise::spec`] under the relation of the function.
///
/// ```
/// use throng_mechanism::smooth::{Median, Smooth, SmoothNoise};
/// use throng_mechanism::{Budget, Clamp, Grid, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let ages = Clamp::new(&0.into(), &120.into(), Grid::at_most(&"1/16".parse()?)?)?;
/// let median = Median::new(ages, Neighbours::AddRemove);
/// let mechanism = Smooth::new(median, SmoothNoise::student_for(&1.into())?);
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let data = Sensitive::new([31.0, 47.0, 35.5, 52.0, 28.0]);
/// let release = mechanism.run(data.as_slice(), permit, &mut OsEntropy)?;
/// println!("{}", release.value().value());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Smooth<F> {
    function: F,
    noise: SmoothNoise,
}

impl<F: SmoothBound> Smooth<F> {
    /// This function with this noise.
    #[must_use]
    pub const fn new(function: F, noise: SmoothNoise) -> Self {
        Self { function, noise }
    }

    /// The function.
    #[must_use]
    pub const fn function(&self) -> &F {
        &self.function
    }

    /// The noise.
    #[must_use]
    pub const fn noise(&self) -> &SmoothNoise {
        &self.noise
    }
}

impl<F: SmoothBound> Mechanism for Smooth<F> {
    type Input = F::Input;
    type Output = Smoothed;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.function.neighbours()
    }

    fn units_are_records(&self) -> bool {
        self.function.units_are_records()
    }

    fn answer(&self, input: &F::Input, run: &mut Run<'_>) -> Result<Smoothed, MechanismError> {
        let local = self.function.local(input, self.noise.decay())?;
        let steps = self.noise.added_to(&local, run)?;
        let (grid, widest) = (self.function.grid(), self.function.widest());
        Ok(Smoothed::new(steps, grid, &self.noise, widest, self.function.uncovered()))
    }
}

/// A number with noise whose scale is private.
///
/// There are no error bars for this number: its noise has a known law, but a scale that depends on
/// the data, and to publish the scale is to publish something about the data. What can be said
/// without looking at the data is how far off the answer is at worst
/// ([`Smoothed::worst_half_width`]), which is usually far more than it is. Whoever needs to
/// know the scale can buy it: ln S changes by at most β between neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Smoothed {
    steps: i64,
    grid: Grid,
    law: SmoothLaw,
    /// The largest scale, in steps.
    widest: Rational,
    uncovered: Vec<Uncovered>,
}

impl Smoothed {
    pub(crate) fn new(
        steps: i64,
        grid: Grid,
        noise: &SmoothNoise,
        widest: Rational,
        uncovered: Vec<Uncovered>,
    ) -> Self {
        let scale = widest.max(Rational::ONE).checked_div(noise.shift());
        let widest = scale.unwrap_or(Rational::ONE);
        Self { steps, grid, law: noise.law().clone(), widest, uncovered }
    }

    /// The number in steps, exactly.
    #[must_use]
    pub const fn steps(&self) -> i64 {
        self.steps
    }

    /// The grid.
    #[must_use]
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// The number.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.grid.to_f64(self.steps)
    }

    /// The law of the noise, of unknown scale.
    #[must_use]
    pub const fn law(&self) -> &SmoothLaw {
        &self.law
    }

    /// What [`Smoothed::worst_half_width`] leaves out.
    #[must_use]
    pub fn uncovered(&self) -> &[Uncovered] {
        &self.uncovered
    }

    /// The half width of an interval that covers the value before noise *on every data set*: that of
    /// the noise of the largest scale, and half a step for rounding; rounded up.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn worst_half_width(&self, confidence: f64) -> Result<f64, MechanismError> {
        let t = Rational::from_f64(self.law.half_width(miss(confidence)?)?)?;
        let steps = t * self.widest.clone() + Rational::new(1, 2_u8)?;
        Ok((steps * self.grid.step()).to_f64_up())
    }
}
