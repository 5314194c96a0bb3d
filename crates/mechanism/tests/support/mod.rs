//! What the tests of mechanisms share: running them, exact divergences, and an audit by sampling.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    reason = "tests may fail, and each uses a part"
)]

pub mod audit;
pub mod choice;
pub mod exact;

use throng_account::{Accuracy, MechanismSpec, PrivacyLoss};
use throng_mechanism::{Mechanism, Neighbours, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

/// A number from text.
pub fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// A permit that nobody paid for.
pub fn free<M: Mechanism + ?Sized>(mechanism: &M) -> Permit {
    let nothing = throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
    Permit::issue(mechanism.spec(), mechanism.neighbours(), nothing)
}

/// One answer.
pub fn answer<M>(mechanism: &M, input: M::Input, entropy: &mut SeededEntropy) -> M::Output
where
    M: Mechanism,
    M::Input: Sized,
{
    mechanism.run(&Sensitive::new(input), free(mechanism), entropy).unwrap().into_parts().0
}

/// One answer for a slice.
pub fn answer_slice<M, T, const N: usize>(
    mechanism: &M,
    input: [T; N],
    entropy: &mut SeededEntropy,
) -> M::Output
where
    M: Mechanism<Input = [T]>,
{
    let input = Sensitive::new(input);
    mechanism.run(input.as_slice(), free(mechanism), entropy).unwrap().into_parts().0
}

/// Whether a mechanism costs at most this epsilon, exactly.
pub fn costs_at_most<M: Mechanism + ?Sized>(mechanism: &M, epsilon: &str) -> bool {
    let budget = throng_mechanism::Budget::pure(rational(epsilon), mechanism.neighbours());
    budget.unwrap().permit(mechanism).is_ok()
}

/// The privacy loss of a spec.
pub fn loss(spec: &MechanismSpec, under: Neighbours) -> PrivacyLoss {
    PrivacyLoss::of_spec(spec, under, Accuracy::default()).unwrap()
}

/// The privacy loss of a spec in brackets of a twentieth, whose upper ends are as good a promise.
pub fn roughly(spec: &MechanismSpec, under: Neighbours) -> PrivacyLoss {
    PrivacyLoss::of_spec(spec, under, Accuracy { width: 0.05 }).unwrap()
}
