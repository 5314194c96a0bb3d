//! Certified divergences of laws.

use throng_numeric::{Enclosure, NumericError};

use super::Law;

/// An enclosure of the largest P(E) - e^ε Q(E) over all events E: Σ (p - e^ε q)₊.
///
/// # Guarantee
/// Rounding and what the laws leave out are included.
///
/// # Why this is right
/// Let P = P' + P'' with P' what is listed and P'' what is left out, of mass r_P, and likewise Q. As
/// (a - b)₊ >= a₊ - b₊, the sum is at least Σ (p' - e^ε q')₊ - e^ε r_Q; and as (a + b)₊ <= a₊ + b₊, at
/// most Σ (p' - e^ε q')₊ + r_P.
///
/// # Errors
/// If epsilon is NaN.
pub fn hockey_stick<T: Ord>(
    p: &Law<T>,
    q: &Law<T>,
    epsilon: f64,
) -> Result<Enclosure, NumericError> {
    let factor = Enclosure::point(epsilon)?.exp();
    let sum = p.iter().fold(Enclosure::ZERO, |sum, (outcome, chance)| {
        let other = q.chance(outcome).unwrap_or(Enclosure::ZERO);
        sum + (chance - factor * other).max(Enclosure::ZERO)
    });
    let (low, high) = (sum - factor * q.left_out(), sum + p.left_out());
    let low = low.lower().max(0.0);
    // Chances add up to 1, though a law that was stated wrongly may not.
    Enclosure::new(low, high.upper().max(low))
}

/// The outcomes that the best event at ε certainly has.
pub(super) fn event<T: Ord + Clone>(p: &Law<T>, q: &Law<T>, epsilon: f64) -> Vec<T> {
    let factor = Enclosure::point(epsilon).map_or(Enclosure::ONE, Enclosure::exp);
    let beyond = |outcome: &T, chance: Enclosure| {
        let other = q.chance(outcome).unwrap_or(Enclosure::ZERO);
        (chance - factor * other).lower() > 0.0
    };
    p.iter().filter(|(t, p)| beyond(t, *p)).map(|(t, _)| t.clone()).collect()
}

/// About where the profile of two laws has its corners: the logarithms of the ratios of chances that
/// are above 0. Only places to look at, on which no guarantee rests.
pub(super) fn corners<T: Ord>(p: &Law<T>, q: &Law<T>) -> Vec<f64> {
    let ratio = |(outcome, chance): (&T, Enclosure)| {
        let other = q.chance(outcome)?;
        (chance.lower() > 0.0 && other.lower() > 0.0).then_some(())?;
        (chance / other).ln().ok().map(|log| f64::midpoint(log.lower(), log.upper()))
    };
    let mut all: Vec<f64> = p.iter().filter_map(ratio).filter(|log| log.is_finite()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * b.abs().max(1.0));
    all
}

/// The largest ε that was found such that an event shows that no mechanism with these two laws is
/// (ε, delta)-private; 0 if there is none, infinite if all ε are refuted.
///
/// # Guarantee
/// At the ε returned, if it is not 0, the divergence of one order of the laws is certainly above
/// delta; so it is for every smaller ε.
///
/// # Errors
/// If delta is NaN.
pub fn epsilon_lower<T: Ord>(laws: [&Law<T>; 2], delta: f64) -> Result<f64, NumericError> {
    Enclosure::point(delta)?;
    let [a, b] = laws;
    Ok(one_way(a, b, delta)?.max(one_way(b, a, delta)?))
}

fn one_way<T: Ord>(p: &Law<T>, q: &Law<T>, delta: f64) -> Result<f64, NumericError> {
    if impossible(p, q).lower() > delta {
        return Ok(f64::INFINITY);
    }
    let certain =
        |epsilon: f64| Ok::<_, NumericError>(hockey_stick(p, q, epsilon)?.lower() > delta);
    let top = corners(p, q).last().copied().unwrap_or(0.0).max(0.0);
    if !certain(0.0)? {
        return Ok(0.0);
    }
    let (mut low, mut high) = (0.0, top + 1.0);
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if certain(middle)? { low = middle } else { high = middle }
    }
    Ok(low)
}

/// The chance of what certainly cannot happen under the other law.
fn impossible<T: Ord>(p: &Law<T>, q: &Law<T>) -> Enclosure {
    if q.left_out().upper() > 0.0 {
        return Enclosure::ZERO;
    }
    let never = |outcome: &T| q.chance(outcome).is_none_or(|other| other.upper() == 0.0);
    p.iter().filter(|(t, _)| never(t)).fold(Enclosure::ZERO, |sum, (_, p)| sum + p)
}
