//! Laws of Poisson counts.

use throng_mechanism::poisson::PoissonCounts;
use throng_numeric::{Enclosure, Rational};

use super::law::up_to;
use super::{ExactLaw, Law};
use crate::AuditError;

/// About this chance is left out.
const TAIL: f64 = 1e-15;

/// The law of a Poisson variable.
///
/// # Why this is right
/// From the last k on, chances fall at least by the factor μ/(k+1) < ½, so that all that follow are
/// together at most the last.
///
/// # Errors
/// If the rate is negative or above 10^4.
pub fn poisson_law(rate: &Rational) -> Result<Law<u64>, AuditError> {
    if rate.is_negative() || *rate > Rational::from(10_000) {
        return Err(AuditError::invalid("the rate", rate, "in [0, 10^4] for an exact law"));
    }
    let mu = Enclosure::of_rational(rate);
    let log = if rate.is_zero() { None } else { Some(mu.ln()?) };
    let (mut chances, mut factorial) = (Vec::new(), Enclosure::ZERO);
    for k in 0_u64.. {
        let count = Enclosure::of_rational(&Rational::from(k));
        if k > 0 {
            factorial = factorial + count.ln()?;
        }
        let chance = match log {
            Some(log) => (log * count - mu - factorial).exp(),
            None if k == 0 => Enclosure::ONE,
            None => Enclosure::ZERO,
        };
        chances.push((k, chance));
        if chance.upper() < TAIL && count.lower() >= 2.0 * mu.upper() {
            return Ok(Law::cut(chances, up_to(chance.upper())?));
        }
    }
    Ok(Law::of(chances))
}

impl ExactLaw for PoissonCounts {
    type Input = [i64];
    type Outcome = Vec<u64>;

    fn law(&self, input: &[i64]) -> Result<Law<Vec<u64>>, AuditError> {
        let rate = |count: &i64| self.map().rate(u64::try_from(*count).unwrap_or(0));
        let laws: Result<Vec<_>, _> = input.iter().map(|count| poisson_law(&rate(count))).collect();
        Law::product(laws?)
    }
}
