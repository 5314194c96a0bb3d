//! Sample and aggregate: any function, made private.
//!
//! The rows are split into blocks, the function runs on each block, and the answers, of which one
//! unit touches one or two, are put together privately. Nothing need be known about the
//! function. What it costs is accuracy: the function sees blocks instead of all the data.
//!
//! | aggregate | released | good if |
//! |---|---|---|
//! | [`Blockwise::mean_laplace`], [`Blockwise::mean_gaussian`] | mean with noise of W/m a block touched | the interval is tight |
//! | [`Blockwise::median`] | a point near the median | the interval is wide |
//! | [`Blockwise::smooth_median`] | median with noise scaled to smooth sensitivity | most answers agree |
//!
//! # Reference
//! Nissim, Raskhodnikova, Smith, *Smooth Sensitivity and Sampling in Private Data Analysis* (2007),
//! section 4; Smith, *Privacy-preserving Statistical Estimation with Optimal Convergence Rates*
//! (2011).

mod aggregate;
mod partition;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::grid::MOST_STEPS;
use crate::smooth::{Median, SmoothNoise};
use crate::{Clamp, L1, L2, Mechanism, MechanismError, Noise, Run, Sensitivity};
pub use aggregate::{Aggregate, BlockMean, BlockMedian, Mean, NoisyMedian, SmoothMedian};
pub use partition::{MOST_BLOCKS, Partition};

/// A function run on each block of the data.
///
/// | the function | counts as |
/// |---|---|
/// | is not run, because the block is empty | the middle of the interval |
/// | returns NaN | the middle of the interval |
/// | returns anything else | that, clamped to the interval and put on its grid |
///
/// # Guarantee
/// Between neighbours at most [`Partition::touched`] of the answers differ, each by anything up to
/// the width of the interval, provided that the function looks at nothing but the block it is given:
/// what it prints, sends, counts, or how long it takes is outside this guarantee, and so is a
/// panic.
pub struct Blockwise<T, F> {
    partition: Partition<T>,
    function: F,
    clamp: Clamp,
    under: Neighbours,
    touched: u32,
}

impl<T, F: Fn(&[&T]) -> f64> Blockwise<T, F> {
    /// The function on each block of the partition, its answers clamped.
    ///
    /// # Errors
    /// If the partition is by position and a unit can be added or removed.
    pub fn new(
        partition: Partition<T>,
        function: F,
        clamp: Clamp,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let touched = partition.touched(under)?;
        Ok(Self { partition, function, clamp, under, touched })
    }

    /// The mean of the answers, with Laplace noise: ε-private.
    ///
    /// # Errors
    /// If ε is not above 0, or the sum of the answers is beyond the grid.
    pub fn mean_laplace(
        self,
        epsilon: &Rational,
    ) -> Result<SampleAndAggregate<T, F, Mean>, MechanismError> {
        let sensitivity = Sensitivity::<L1>::of(self.reach()?, self.under)?;
        let noise = Noise::pure(epsilon, &sensitivity, self.clamp.grid())?;
        self.mean(noise)
    }

    /// The mean of the answers, with Gaussian noise of standard deviation σ on *their sum*.
    ///
    /// # Errors
    /// If σ is not above 0, or the sum of the answers is beyond the grid.
    pub fn mean_gaussian(
        self,
        sigma: &Rational,
    ) -> Result<SampleAndAggregate<T, F, Mean>, MechanismError> {
        let sensitivity = Sensitivity::<L2>::of(self.reach()?, self.under)?;
        let noise = Noise::gaussian(sigma, &sensitivity, self.clamp.grid())?;
        self.mean(noise)
    }

    /// How far the sum of the answers can move.
    fn reach(&self) -> Result<Rational, MechanismError> {
        let blocks = i128::from(self.partition.blocks());
        if i128::from(self.clamp.largest()) * blocks > i128::from(MOST_STEPS) {
            return Err(MechanismError::invalid(
                "the sum of the answers",
                "longer",
                "at most 2^62 grid steps: take a coarser grid",
            ));
        }
        let touched = Rational::from(self.touched.min(self.partition.blocks()));
        Ok(touched * self.clamp.grid().at(self.clamp.width()))
    }

    fn mean(self, noise: Noise) -> Result<SampleAndAggregate<T, F, Mean>, MechanismError> {
        let blocks = self.partition.blocks();
        Ok(SampleAndAggregate { blockwise: self, aggregate: Mean { noise, blocks } })
    }

    /// A point near the median of the answers: see [`NoisyMedian`].
    ///
    /// # Errors
    /// If ε is not above 0.
    pub fn median(
        self,
        epsilon: &Rational,
    ) -> Result<SampleAndAggregate<T, F, NoisyMedian>, MechanismError> {
        let aggregate = NoisyMedian::new(epsilon, self.touched, self.clamp)?;
        Ok(SampleAndAggregate { blockwise: self, aggregate })
    }

    /// The median of the answers, with noise scaled to its smooth sensitivity.
    ///
    /// # Guarantee
    /// Neighbours have answers that differ in one place, which are replace neighbours of the median.
    ///
    /// # Errors
    /// If a unit can touch two blocks.
    pub fn smooth_median(
        self,
        noise: SmoothNoise,
    ) -> Result<SampleAndAggregate<T, F, SmoothMedian>, MechanismError> {
        if self.touched > 1 {
            return Err(MechanismError::refused(
                "a unit that is replaced can touch two blocks, and the smooth bound is for one",
                "assign rows to blocks by position, or use add-or-remove neighbours",
            ));
        }
        let median = Median::new(self.clamp, Neighbours::Replace);
        Ok(SampleAndAggregate { blockwise: self, aggregate: SmoothMedian { median, noise } })
    }

    /// The answers of all blocks, in steps.
    fn answers(&self, rows: &[T]) -> Vec<i64> {
        let middle = self.clamp.lower() + self.clamp.width() / 2;
        let answer = |block: Vec<&T>| {
            let value = if block.is_empty() { f64::NAN } else { (self.function)(&block) };
            if value.is_nan() { middle } else { self.clamp.apply(value) }
        };
        self.partition.split(rows).into_iter().map(answer).collect()
    }
}

/// A function on blocks, and an aggregate of its answers.
///
/// # Guarantee
/// [`Aggregate::spec`] under the relation of the blocks.
///
/// ```
/// use throng_mechanism::sample_and_aggregate::{Blockwise, Partition};
/// use throng_mechanism::{Budget, Clamp, Grid, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// // Rows (unit, value); the share of large values in each of 20 blocks.
/// let blocks = Partition::by_unit(20, 7, |row: &(u64, f64)| row.0)?;
/// let share = |block: &[&(u64, f64)]| {
///     block.iter().filter(|row| row.1 > 0.5).count() as f64 / block.len() as f64
/// };
/// let unit = Clamp::new(&0.into(), &1.into(), Grid::at_most(&"1e-6".parse()?)?)?;
/// let mechanism = Blockwise::new(blocks, share, unit, Neighbours::AddRemove)?.mean_laplace(&1.into())?;
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let data = Sensitive::new([(1, 0.3), (2, 0.9), (3, 0.7)]);
/// let release = mechanism.run(data.as_slice(), permit, &mut OsEntropy)?;
/// println!("{} ± {}", release.value().value(), release.value().half_width(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SampleAndAggregate<T, F, A> {
    blockwise: Blockwise<T, F>,
    aggregate: A,
}

impl<T, F: Fn(&[&T]) -> f64, A: Aggregate> SampleAndAggregate<T, F, A> {
    /// An aggregate of one's own.
    ///
    /// # Guarantee
    /// The caller's: the aggregate must be made for answers of which neighbours change
    /// [`Partition::touched`].
    pub const fn of(blockwise: Blockwise<T, F>, aggregate: A) -> Self {
        Self { blockwise, aggregate }
    }
}

impl<T, F: Fn(&[&T]) -> f64, A: Aggregate> Mechanism for SampleAndAggregate<T, F, A> {
    type Input = [T];
    type Output = A::Output;

    fn spec(&self) -> MechanismSpec {
        self.aggregate.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.blockwise.under
    }

    fn units_are_records(&self) -> bool {
        self.blockwise.partition.units_are_rows()
    }

    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<A::Output, MechanismError> {
        self.aggregate.combine(self.blockwise.answers(input), run)
    }
}
