//! How a key that only one unit has can get past a threshold.

use throng_numeric::{Enclosure, Natural, Rational};

use crate::contribution::Contributions;
use crate::grid::MOST_STEPS;
use crate::{MechanismError, NoiseLaw};

/// A threshold for noisy counts, and the chance that it shows a key of one unit alone.
///
/// # Guarantee
/// A key that only one unit has, with at most l∞ rows, is shown with a chance of at most
/// δ₁ = P(l∞ + Z >= T), exactly that if it has l∞ rows. Noise of different keys is independent, so one
/// of the l0 keys of a unit is shown with a chance of at most 1 - (1 - δ₁)^l0; that, rounded up,
/// is [`Threshold::leak`]. Rows are whole numbers and so is Z: the event is "at least T", and the
/// chance of T itself belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threshold {
    at_least: i64,
    leak: Rational,
}

impl Threshold {
    /// A given threshold.
    ///
    /// # Errors
    /// If it is below 1 or beyond the grid.
    pub(super) fn at(
        at_least: i64,
        law: &NoiseLaw,
        bounds: &Contributions,
    ) -> Result<Self, MechanismError> {
        if !(1..=MOST_STEPS).contains(&at_least) {
            return Err(MechanismError::invalid("the threshold", at_least, "from 1 to 2^62 - 1"));
        }
        let leak = short_above(chance_of_any(at_least, law, bounds)?)?;
        Ok(Self { at_least, leak })
    }

    /// The lowest threshold that leaks at most `delta`.
    ///
    /// # Errors
    /// If delta is not above 0, or there is none on the grid.
    pub(super) fn lowest(
        delta: &Rational,
        law: &NoiseLaw,
        bounds: &Contributions,
    ) -> Result<Self, MechanismError> {
        let fits = |at_least| Ok(Self::at(at_least, law, bounds)?.leak <= *delta);
        let found = lowest(fits)?.ok_or_else(|| {
            MechanismError::invalid("delta", delta, "large enough for some threshold")
        })?;
        Self::at(found, law, bounds)
    }

    /// Counts of at least this are shown.
    #[must_use]
    pub const fn at_least(&self) -> i64 {
        self.at_least
    }

    /// The chance that a key of one unit alone is shown, rounded up to a short number.
    #[must_use]
    pub const fn leak(&self) -> &Rational {
        &self.leak
    }
}

/// The lowest threshold that fits, if those that fit lie above those that do not.
pub(super) fn lowest(
    fits: impl Fn(i64) -> Result<bool, MechanismError>,
) -> Result<Option<i64>, MechanismError> {
    let mut high = 1;
    while !fits(high)? {
        high *= 2;
        if high > MOST_STEPS {
            return Ok(None);
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle)? { high = middle } else { low = middle }
    }
    Ok(Some(high))
}

/// 1 - (1 - δ₁)^l0, rounded up.
fn chance_of_any(
    at_least: i64,
    law: &NoiseLaw,
    bounds: &Contributions,
) -> Result<f64, MechanismError> {
    let one = chance(law, i128::from(at_least) - i128::from(bounds.rows_per_key()))?;
    if bounds.keys() == 1 || one.upper() >= 1.0 {
        return Ok(one.upper().min(1.0));
    }
    let keys = Enclosure::of_rational(&Rational::from(bounds.keys()));
    let any = -(keys * (-one).ln_1p()?).expm1();
    Ok(any.upper().clamp(0.0, 1.0))
}

/// P(Z >= t).
///
/// The law is symmetric: for t >= 1 this is half of P(|Z| >= t), and for t <= 0 it is
/// 1 - P(Z <= t - 1) = 1 - P(Z >= 1 - t), where 1 - t >= 1.
pub(super) fn chance(law: &NoiseLaw, t: i128) -> Result<Enclosure, MechanismError> {
    let half = Enclosure::point(0.5)?;
    let beyond = |t: i128| Ok::<_, MechanismError>(law.beyond(&Natural::from(t.unsigned_abs()))?);
    if t >= 1 {
        return Ok(half * beyond(t)?);
    }
    Ok(Enclosure::ONE - half * beyond(1 - t)?)
}

/// A number of six digits that is at least x, for x in [0, 1]: a delta people can read. Below
/// 1e-300 it is 1e-300.
fn short_above(x: f64) -> Result<Rational, MechanismError> {
    let mut digits = Rational::from_f64(x.max(1e-300))?;
    let mut unit = Natural::ONE;
    while digits < Rational::from(100_000) {
        digits = digits * Rational::from(10);
        unit *= Natural::from(10_u8);
    }
    Ok(Rational::new(digits.ceil(), unit)?)
}
