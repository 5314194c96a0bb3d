//! Two normal laws that differ a little in place and a little in spread.

use throng_numeric::search::{Tolerance, Verdict, boundary};
use throng_numeric::{Enclosure, Rational, normal};

use crate::MechanismError;

/// sup over events E of P(E) - e^ε Q(E), where P is normal of standard deviation 1 and Q the same,
/// moved by at most s.
///
/// Φ(s/2 - ε/s) - e^ε Φ(-s/2 - ε/s), which rises in s.
fn moved(s: Enclosure, epsilon: Enclosure) -> Result<Enclosure, MechanismError> {
    let (half, ratio) = (s * Enclosure::point(0.5)?, epsilon / s);
    Ok(normal::cdf(half - ratio) - epsilon.exp() * normal::cdf(-half - ratio))
}

/// sup over events E of P(E) - e^ε Q(E), where P and Q are centred normal laws whose standard
/// deviations differ by a factor of at most e^β, for ε >= β > 0.
///
/// # Why this is right
/// If Q is the wider by e^v, ln p/q = v - x²(1 - e^(-2v))/2 <= v <= ε: no event counts. If P is the
/// wider, by e^v, take Q standard: p/q rises in |x|, so the best event is |x| > c. For every event
/// of this kind P(E) rises in v, so v = β is the worst. There ln p/q = -β + x²(1 - e^(-2β))/2 > ε
/// iff x² > 2(ε + β)/(1 - e^(-2β)) = (c e^β)² with c² = 2(ε + β)/(e^(2β) - 1), which is
/// P(|N| > c) - e^ε P(|N| > c e^β).
pub(super) fn stretched(beta: Enclosure, epsilon: Enclosure) -> Result<Enclosure, MechanismError> {
    let twice = |x: Enclosure| x + x;
    let c = (twice(epsilon + beta) / twice(beta).expm1()).sqrt()?;
    let (p, q) = (normal::survival(c), normal::survival(c * beta.exp()));
    Ok(twice(p) - epsilon.exp() * twice(q))
}

/// The largest s for which noise of scale S/s, S smooth at rate β, is (ε, δ)-private; or `None` if
/// stretching alone takes all of δ.
///
/// # Why this is right
/// Halve ε. Let M, M' be the laws on neighbours and R that of M moved to the centre of M', by at
/// most s times its standard deviation: M <= e^(ε/2) R + δ₁ and R <= e^(ε/2) M' + δ₂, so that
/// M <= e^ε M' + δ₁ + e^(ε/2) δ₂. Neighbours may change places, as S(x') too is at least the
/// distance of the centres.
pub(super) fn most_shift(
    epsilon: &Rational,
    delta: &Rational,
    beta: &Rational,
) -> Result<Option<f64>, MechanismError> {
    let half = epsilon * &Rational::new(1, 2_u8)?;
    if *beta > half {
        return Ok(None);
    }
    let share = Enclosure::of_rational(&half);
    let lost = share.exp() * stretched(Enclosure::of_rational(beta), share)?;
    let left = (Enclosure::of_rational(delta) - lost).lower();
    if left <= 0.0 {
        return Ok(None);
    }
    let fits = |s: f64| Ok(Verdict::at_most(moved(Enclosure::point(s)?, share)?, left));
    if fits(1e-12)? != Verdict::Holds {
        return Ok(None);
    }
    let found = boundary::<MechanismError>(1e6, 1e-12, Tolerance::relative(1e-12), fits);
    found.map(|found| Some(found.holds))
}

/// The largest β, up to 32, at which stretching takes at most half of δ.
pub(super) fn most_decay(epsilon: &Rational, delta: &Rational) -> Result<f64, MechanismError> {
    let half = Rational::new(1, 2_u8)?;
    let share = Enclosure::of_rational(&(epsilon * &half));
    let limit = Enclosure::of_rational(&(delta * &half)).lower();
    let top = share.lower().min(32.0);
    let fits = |beta: f64| {
        let lost = share.exp() * stretched(Enclosure::point(beta)?, share)?;
        Ok::<_, MechanismError>(Verdict::at_most(lost, limit))
    };
    if fits(top)? == Verdict::Holds {
        return Ok(top);
    }
    Ok(boundary(top, 1e-12, Tolerance::relative(1e-12), fits)?.holds)
}
