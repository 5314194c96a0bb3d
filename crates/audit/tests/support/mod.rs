//! Shared by the auditor's tests: dice, and targets whose law is known.
#![allow(dead_code, reason = "each test uses some of it")]
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a test"
)]

use throng_audit::dice::Dice;
use throng_audit::{Claim, FromFn, Neighbours, Orientation, Outcome, Outcomes, Target, World};

/// A number on a public grid: without one, low bits give the worlds away.
pub(crate) fn on_grid(x: f64) -> Outcome {
    Outcome::Number((x * 1_048_576.0).round() / 1_048_576.0)
}

/// Runs of both worlds.
pub(crate) fn worlds(
    draw: impl Fn(&mut Dice, bool) -> Outcome,
    runs: usize,
    seed: u64,
) -> [Outcomes; 2] {
    let mut dice = Dice::seeded(seed);
    let mut target = FromFn::new(|world: World| draw(&mut dice, world == World::One));
    World::BOTH.map(|world| {
        let mut outcomes = Outcomes::new();
        target.run(world, runs, &mut outcomes).unwrap();
        outcomes
    })
}

/// A claim for add-remove neighbours, both ways round.
pub(crate) fn claim(text: &str) -> Claim {
    Claim::parse(text, Neighbours::AddRemove, Orientation::Either).unwrap()
}

pub(crate) fn response(epsilon: f64) -> impl Fn(&mut Dice, bool) -> Outcome + Copy {
    move |dice, one| {
        let e = epsilon.exp();
        Outcome::Integer(i64::from((dice.uniform() < e / (1.0 + e)) == one))
    }
}

pub(crate) fn laplace(epsilon: f64) -> impl Fn(&mut Dice, bool) -> Outcome + Copy {
    move |dice, one| on_grid(dice.laplace(1.0 / epsilon) + if one { 1.0 } else { 0.0 })
}

pub(crate) fn gaussian(mu: f64) -> impl Fn(&mut Dice, bool) -> Outcome + Copy {
    move |dice, one| on_grid(dice.normal(1.0) + if one { mu } else { 0.0 })
}

pub(crate) fn geometric(epsilon: f64) -> impl Fn(&mut Dice, bool) -> Outcome + Copy {
    move |dice, one| Outcome::Integer(dice.two_sided(1.0 / epsilon) + i64::from(one))
}
