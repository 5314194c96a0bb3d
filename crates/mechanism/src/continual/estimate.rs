//! An estimate of a sum, with its error bars.

use throng_numeric::{Enclosure, Rational};

use crate::estimate::miss;
use crate::{Grid, Interval, MechanismError, NoiseLaw, Uncovered};

/// How large the noise is: numbers that every estimate of a session shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// The variance of one noise.
    variance: f64,
    /// v such that E e^(sZ) <= e^(s² v / (2 (1 - s² r²))) for |s| < 1/r.
    proxy: f64,
    /// r, or 0.
    reach: f64,
}

impl Spread {
    /// # Guarantee
    /// The discrete Gaussian is sub-Gaussian with its parameter (Canonne, Kamath, Steinke 2020,
    /// corollary 17): v = σ², r = 0. Discrete Laplace of scale b has, with x = 1/b,
    /// E e^(sZ) = (cosh x - 1)/(cosh x - cosh s) <= x²/(x² - s²) for |s| < x, because
    /// (cosh u - 1)/u² grows with u; and -ln(1 - u) <= u/(1 - u), so v = 2b², r = b.
    pub(super) fn of(law: &NoiseLaw, grid: Grid) -> Result<Self, MechanismError> {
        let step = grid.step();
        let (proxy, reach) = match law {
            NoiseLaw::DiscreteLaplace { scale } => {
                let scale = scale * &step;
                (Rational::from(2) * scale.square(), scale)
            }
            NoiseLaw::DiscreteGaussian { sigma } => ((sigma * &step).square(), Rational::ZERO),
            NoiseLaw::Staircase(_) => {
                return Err(MechanismError::refused(
                    "sums of staircase noise have no error bars here",
                    "use Laplace or Gaussian noise",
                ));
            }
        };
        let variance = law.variance()? * Enclosure::of_rational(&step.square());
        let (proxy, reach) = (proxy.to_f64_up(), reach.to_f64_up());
        Ok(Self { variance: variance.upper(), proxy, reach })
    }
}

/// An estimate of the sum of some steps of a stream: the sum as it was clamped, plus a
/// weighted sum of independent noises of mean 0, with weights of at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    steps: u64,
    value: f64,
    weight: f64,
    spread: Spread,
}

impl Estimate {
    /// `weight` is the sum of the squares of the weights of the noises.
    pub(super) const fn new(steps: u64, value: f64, weight: f64, spread: Spread) -> Self {
        Self { steps, value, weight, spread }
    }

    /// After which step, counted from 1.
    #[must_use]
    pub const fn step(&self) -> u64 {
        self.steps
    }

    /// The estimate; unbiased.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Its variance, exactly but for the rounding of `f64`.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.weight * self.spread.variance
    }

    /// Its standard deviation.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.variance().sqrt()
    }

    /// What the error bars leave out.
    #[must_use]
    pub const fn uncovered(&self) -> &'static [Uncovered] {
        &[Uncovered::Clamping]
    }

    /// An interval for the sum.
    ///
    /// # Guarantee
    /// Covers the sum of the clamped values with at least the confidence, over the noise, but for
    /// the rounding of `f64`. By Chernoff, for every s, the error X obeys
    /// P(|X| >= t) <= 2 e^(s² w v/(2 (1 - s² r²)) - s t); the interval takes a good s. For
    /// Gaussian noise it is √(2 ln(2/β)) standard deviations, 2.72 at 95 %.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn interval(&self, confidence: f64) -> Result<Interval, MechanismError> {
        let odds = (Enclosure::ONE + Enclosure::ONE) / Enclosure::point(miss(confidence)?)?;
        let half = self.half_width(odds.ln()?)?;
        let (lower, upper) = ((self.value - half).next_down(), (self.value + half).next_up());
        Ok(Interval { lower, upper, confidence })
    }

    /// The least t over several s.
    fn half_width(&self, log: Enclosure) -> Result<f64, MechanismError> {
        let (proxy, reach) = (self.weight * self.spread.proxy, self.spread.reach);
        let best = (2.0 * log.upper() / proxy).sqrt();
        // Where r = 0 this is the minimum; else s must stay below 1/r, and the best is before.
        let scales = (0..=40).map(|k| f64::from(k) / 40.0).map(|share| {
            let most = 0.999 / reach;
            if reach == 0.0 { best } else { (best.min(most)) * (1.0 - 0.95 * share) }
        });
        let mut least = f64::INFINITY;
        for s in scales {
            let (s, proxy) = (Enclosure::point(s)?, Enclosure::point(proxy)?);
            let rest = Enclosure::ONE - (s * Enclosure::point(reach)?).square();
            let cost = s.square() * proxy / ((rest + rest).max(Enclosure::ZERO));
            least = least.min(((log + cost) / s).upper());
        }
        Ok(least)
    }
}
