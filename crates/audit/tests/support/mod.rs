//! Shared by the auditor's tests: dice, and targets whose law is known.
#![allow(dead_code, reason = "each test uses some of it")]
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a test"
)]

use throng_audit::{Claim, FromFn, Neighbours, Orientation, Outcome, Outcomes, Target, World};

/// A small generator, so that each audit has its own.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(0x1234_5678_9abc_def1))
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn uniform(&mut self) -> f64 {
        ((self.word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub fn laplace(&mut self) -> f64 {
        let u = self.uniform() - 0.5;
        -u.signum() * (1.0 - 2.0 * u.abs()).ln()
    }

    /// Two-sided geometric: P(k) proportional to e^(-|k| epsilon).
    pub fn geometric(&mut self, epsilon: f64) -> i64 {
        let one = |dice: &mut Self| (dice.uniform().ln() / -epsilon).floor() as i64;
        one(self) - one(self)
    }
}

/// A number on a public grid: without one, low bits give the worlds away.
pub fn on_grid(x: f64) -> Outcome {
    Outcome::Number((x * 1_048_576.0).round() / 1_048_576.0)
}

/// What is drawn in each world.
pub type Draw = fn(&mut Dice, bool) -> Outcome;

/// Runs of both worlds.
pub fn worlds(draw: impl Fn(&mut Dice, bool) -> Outcome, runs: usize, seed: u64) -> [Outcomes; 2] {
    let mut dice = Dice::new(seed);
    let mut target = FromFn::new(|world: World| draw(&mut dice, world == World::One));
    World::BOTH.map(|world| {
        let mut outcomes = Outcomes::new();
        target.run(world, runs, &mut outcomes).unwrap();
        outcomes
    })
}

/// A claim for add-remove neighbours, both ways round.
pub fn claim(text: &str) -> Claim {
    Claim::parse(text, Neighbours::AddRemove, Orientation::Either).unwrap()
}

pub fn response(epsilon: f64) -> impl Fn(&mut Dice, bool) -> Outcome + Copy {
    move |dice, one| {
        let e = epsilon.exp();
        Outcome::Integer(i64::from((dice.uniform() < e / (1.0 + e)) == one))
    }
}

pub fn laplace(epsilon: f64) -> impl Fn(&mut Dice, bool) -> Outcome + Copy {
    move |dice, one| on_grid(dice.laplace() / epsilon + if one { 1.0 } else { 0.0 })
}

pub fn gaussian(mu: f64) -> impl Fn(&mut Dice, bool) -> Outcome + Copy {
    move |dice, one| on_grid(dice.normal() + if one { mu } else { 0.0 })
}

pub fn geometric(epsilon: f64) -> impl Fn(&mut Dice, bool) -> Outcome + Copy {
    move |dice, one| Outcome::Integer(dice.geometric(epsilon) + i64::from(one))
}
