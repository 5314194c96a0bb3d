//! The linear map drawn piece by piece.

use throng_numeric::Rational;
use throng_sample::{Entropy, Poisson};

use super::{RateMap, RatePair};
use crate::MechanismError;

/// The linear Poisson mechanism without anybody who holds the data: units draw their own shares,
/// a server adds the floor, and only the sum is seen.
///
/// # Guarantee
/// If unit i contributes c_i <= w and draws Poi(Δ c_i/w), and the server draws Poi(μ1), the sum is
/// Poi(μ1 + Δ g/w) with g = Σ c_i: exactly what [`RateMap::linear`] draws, with its guarantee under
/// add/remove and zero-out. It holds for the *sum*: single shares must stay hidden (by secure
/// aggregation), and the server's share from everyone who sees the sum; a share alone hides
/// nothing, as one above 0 shows a contribution above 0.
///
/// ```
/// use throng_mechanism::poisson::{RatePair, Shares};
/// # use throng_sample::OsEntropy;
/// let shares = Shares::new(RatePair::new(4.into(), 9.into())?, 2)?;
/// let mut sum = shares.of_server(&mut OsEntropy)?;
/// for contribution in [2, 0, 1] {
///     sum += shares.of_unit(contribution, &mut OsEntropy)?; // at each unit
/// }
/// # let _ = sum;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares {
    map: RateMap,
}

impl Shares {
    /// Shares for contributions of at most `distance`.
    ///
    /// # Errors
    /// If the distance is 0.
    pub fn new(pair: RatePair, distance: u64) -> Result<Self, MechanismError> {
        Ok(Self { map: RateMap::linear(pair, distance)? })
    }

    /// The map that the sum is drawn by.
    #[must_use]
    pub const fn map(&self) -> &RateMap {
        &self.map
    }

    /// What a unit adds; contributions above the distance count as the distance.
    ///
    /// # Errors
    /// If no noise can be drawn.
    pub fn of_unit(
        &self,
        contribution: u64,
        entropy: &mut dyn Entropy,
    ) -> Result<u64, MechanismError> {
        let whole = self.map.distance();
        let share = Rational::new(contribution.min(whole), whole)?;
        Ok(Poisson::new(&(self.map.pair().difference() * share))?.draw(entropy)?)
    }

    /// What the server adds, once.
    ///
    /// # Errors
    /// If no noise can be drawn.
    pub fn of_server(&self, entropy: &mut dyn Entropy) -> Result<u64, MechanismError> {
        Ok(Poisson::new(self.map.pair().low())?.draw(entropy)?)
    }
}
