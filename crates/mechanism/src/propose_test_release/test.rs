//! The test: is the data far from any that is not stable?

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Integer, Rational};

use crate::estimate::miss;
use crate::grid::MOST_STEPS;
use crate::replay::Observed;
use crate::{Grid, L1, MechanismError, Noise, Run, Sensitivity};

/// A noisy test whether a distance is above 0: it passes if d + Z > T, Z discrete Laplace of scale
/// 1/ε, T >= 0 such that P(Z > T) <= δ.
///
/// # Guarantee
/// For distances that differ by at most 1 between neighbours the outcome is ε-private. At d = 0 it
/// passes with a chance of at most δ: P(Z > T) = P(Z >= T + 1) = r^(T+1)/(1+r) with r = e^-ε.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StabilityTest {
    noise: Noise,
    threshold: i64,
    delta: Rational,
}

impl StabilityTest {
    /// The test of least threshold.
    ///
    /// # Errors
    /// If ε is not above 0, δ is not above 0 and below 1, or the threshold is beyond 2^60.
    pub fn new(
        epsilon: &Rational,
        delta: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        if !delta.is_positive() || *delta >= Rational::ONE {
            return Err(MechanismError::invalid("delta", delta, "above 0 and below 1"));
        }
        let one = Sensitivity::<L1>::of(Rational::ONE, under)?;
        let noise = Noise::pure(epsilon, &one, Grid::WHOLE)?;
        // T + 1 >= ln(1/(δ (1+r)))/ε.
        let fall = (-Enclosure::of_rational(epsilon)).exp();
        let odds = Enclosure::of_rational(delta) * (Enclosure::ONE + fall);
        let steps = (-odds.ln()? / Enclosure::of_rational(epsilon)).upper();
        let threshold = Rational::from_f64(steps)?.ceil() - Integer::ONE;
        let threshold = i64::try_from(threshold.max(Integer::ZERO))
            .ok()
            .filter(|threshold| *threshold <= 1 << 60)
            .ok_or_else(|| MechanismError::invalid("epsilon", epsilon, "larger"))?;
        Ok(Self { noise, threshold, delta: delta.clone() })
    }

    /// T.
    #[must_use]
    pub const fn threshold(&self) -> i64 {
        self.threshold
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    /// A distance at which the test passes with at least this confidence.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn sufficient_distance(&self, confidence: f64) -> Result<u64, MechanismError> {
        let width = self.noise.law().half_width(miss(confidence)?)?;
        let distance = Integer::from(width) + Integer::from(self.threshold) + Integer::ONE;
        Ok(u64::try_from(distance).unwrap_or(u64::MAX))
    }

    /// Whether the test passes at a distance; `None` is a distance beyond all numbers.
    pub(super) fn passes(
        &self,
        distance: Option<u64>,
        run: &mut Run<'_>,
    ) -> Result<bool, MechanismError> {
        let distance = distance.map_or(i128::from(MOST_STEPS), i128::from);
        let passes = self.noise.added_to(distance, run)? > self.threshold;
        run.observe(|| Observed::Released(format!("passes: {passes}")));
        Ok(passes)
    }

    /// The test, what follows if it passes, and the δ for passing at distance 0.
    pub(super) fn followed_by(
        &self,
        release: Option<&MechanismSpec>,
    ) -> Result<MechanismSpec, MechanismError> {
        let leak = Leaf::ApproxDp { epsilon: Rational::ZERO, delta: self.delta.clone() };
        let parts = [Some(self.noise.spec()), release].into_iter().flatten().cloned();
        let parts = parts.chain([MechanismSpec::leaf(leak)?]).collect();
        Ok(MechanismSpec::composed(parts)?)
    }
}
