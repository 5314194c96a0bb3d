//! Divergences of enumerated laws.

use std::collections::BTreeMap;

use throng_account::PrivacyLoss;
use throng_numeric::Enclosure;

/// Outcomes with their chances; chances need not be exact.
pub type Law<T> = BTreeMap<T, Enclosure>;

/// An enclosure of the sum of (p - e^epsilon q)_+ over all outcomes.
pub fn hockey_stick<T: Ord>(p: &Law<T>, q: &Law<T>, epsilon: f64) -> Enclosure {
    let factor = Enclosure::point(epsilon).unwrap().exp();
    p.iter().fold(Enclosure::ZERO, |sum, (outcome, p)| {
        let q = q.get(outcome).copied().unwrap_or(Enclosure::ZERO);
        sum + (*p - factor * q).max(Enclosure::ZERO)
    })
}

/// The losses at which claims are checked.
pub const EPSILONS: [f64; 9] = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// Panics if two laws are certainly further apart, in either direction, than is claimed. `slack`
/// is mass that the enumeration left out.
pub fn assert_within<T: Ord>(p: &Law<T>, q: &Law<T>, claim: &PrivacyLoss, slack: f64) {
    for epsilon in EPSILONS {
        let claimed = claim.delta(epsilon).unwrap().upper;
        for (p, q) in [(p, q), (q, p)] {
            let true_delta = hockey_stick(p, q, epsilon);
            assert!(
                true_delta.lower() <= claimed + slack,
                "delta({epsilon}) is at least {}, claimed {claimed}",
                true_delta.lower()
            );
        }
    }
}

/// Whether the claim is certainly violated somewhere; to show that a check has teeth.
pub fn violates<T: Ord>(p: &Law<T>, q: &Law<T>, claim: &PrivacyLoss) -> bool {
    EPSILONS.iter().any(|&epsilon| {
        let claimed = claim.delta(epsilon).unwrap().upper;
        hockey_stick(p, q, epsilon).lower() > claimed
            || hockey_stick(q, p, epsilon).lower() > claimed
    })
}

/// The chance of k under the discrete Laplace law of a scale.
pub fn laplace(k: i64, scale: f64) -> Enclosure {
    let inverse = Enclosure::ONE / Enclosure::point(scale).unwrap();
    let size = Enclosure::point(k.unsigned_abs() as f64).unwrap();
    let fall = (-inverse).exp();
    (-(inverse * size)).exp() * -(-inverse).expm1() / (Enclosure::ONE + fall)
}
