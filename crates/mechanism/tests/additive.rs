//! Noise added to numbers.
#![allow(clippy::disallowed_methods, reason = "tests compare with plain numbers")]

mod support;

use support::{answer_slice, audit, loss, rational};
use throng_mechanism::{AddNoise, Grid, L1, Mechanism, Neighbours, Noise, Sensitivity};

#[test]
fn an_audit_refutes_half_the_noise_and_accepts_all_of_it() {
    let one = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove).unwrap();
    let two = Sensitivity::<L1>::of(2.into(), Neighbours::AddRemove).unwrap();
    let noise = |s| AddNoise::new(Noise::laplace(&rational("2"), s, Grid::WHOLE).unwrap());
    let (right, wrong) = (noise(&one), noise(&two));
    let claim = loss(&right.spec(), Neighbours::AddRemove);
    let bin = |x: i64| x.clamp(-6, 6);
    let found = audit::refute(40_000, 1, &claim, |world, entropy| {
        bin(answer_slice(&right, [i64::from(world)], entropy).steps()[0])
    });
    assert!(found.is_none(), "{found:?}");
    let found = audit::refute(40_000, 2, &claim, |world, entropy| {
        bin(answer_slice(&wrong, [2 * i64::from(world)], entropy).steps()[0])
    });
    assert!(found.is_some());
}
