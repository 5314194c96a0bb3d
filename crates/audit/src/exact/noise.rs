//! Laws of numbers with noise.

use throng_mechanism::count::{Count, Counted};
use throng_mechanism::number::Number;
use throng_mechanism::sum::Sum;
use throng_mechanism::{AddNoise, NoiseLaw};
use throng_numeric::Natural;

use super::{ExactLaw, Law};
use crate::AuditError;

/// About this chance is left out of a law on each coordinate.
const TAIL: f64 = 1e-15;

/// Values beyond are near the ends of the grid, where noise saturates.
const MOST: u64 = 1 << 60;

/// The law of a value with noise, in steps.
///
/// # Errors
/// If the noise is so large that its law is not listed, or the value is near the ends of the grid.
pub fn noise_law(noise: &NoiseLaw, value: i64) -> Result<Law<i64>, AuditError> {
    noise_law_within(noise, value, TAIL)
}

/// The same with about so much left out.
pub(super) fn noise_law_within(
    noise: &NoiseLaw,
    value: i64,
    tail: f64,
) -> Result<Law<i64>, AuditError> {
    let wide = || AuditError::invalid("the noise", "wider", "within ±2^20 for an exact law");
    let half_width = noise.half_width(tail)?;
    let reach = u32::try_from(&half_width).ok().filter(|reach| *reach <= 1 << 20);
    let reach = reach.ok_or_else(wide)?;
    if value.unsigned_abs() > MOST {
        return Err(AuditError::invalid("a value", "beyond", "within ±2^60"));
    }
    let chances = noise.chances(reach)?;
    let both = (0_i64..).zip(chances).flat_map(|(k, p)| {
        let mirrored = (k > 0).then_some((value - k, p));
        [Some((value + k, p)), mirrored].into_iter().flatten()
    });
    let beyond = noise.beyond(&Natural::from(u64::from(reach) + 1))?;
    Ok(Law::cut(both, beyond))
}

impl ExactLaw for AddNoise {
    type Input = [i64];
    type Outcome = Vec<i64>;

    fn law(&self, input: &[i64]) -> Result<Law<Vec<i64>>, AuditError> {
        let laws: Result<Vec<_>, _> =
            input.iter().map(|value| noise_law(self.noise().law(), *value)).collect();
        Law::product(laws?)
    }
}

impl<Q: Counted> ExactLaw for Count<Q> {
    type Input = [Q::Row];
    type Outcome = i64;

    fn law(&self, input: &[Q::Row]) -> Result<Law<i64>, AuditError> {
        let count = i64::try_from(self.what().count(input)).unwrap_or(i64::MAX);
        noise_law(self.noise().law(), count)
    }
}

/// In steps of the grid.
impl<T: Number> ExactLaw for Sum<T> {
    type Input = [T];
    type Outcome = i64;

    fn law(&self, input: &[T]) -> Result<Law<i64>, AuditError> {
        let sum = i64::try_from(T::sum(input, self.clamp())).unwrap_or(i64::MAX);
        noise_law(self.noise().law(), sum)
    }
}
