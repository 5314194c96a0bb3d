//! How many runs in each world it takes to refute a claim that is a little too good in nine audits of ten,
//! against the fewest that anybody needs.
//!
//! `cargo run --release -p throng-audit --example power -- [repetitions] [part of a name]`
//!
//! The fewest, at false-alarm chance a: for randomised response and Laplace noise those of the best event,
//! known beforehand, by the normal approximation; for Gaussian noise those of the likelihood ratio of the
//! two Gaussians, known beforehand: 2 (z_a + z_0.1)² / gap².
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a benchmark"
)]

use throng_audit::dice::Dice;
use throng_audit::{
    Claim, Effort, FromFn, Neighbours, Options, Orientation, Outcome, Outcomes, Target, Verdict,
    World, audit,
};

type Draw = fn(&mut Dice, bool) -> Outcome;

struct Case {
    name: &'static str,
    claim: &'static str,
    draw: Draw,
    /// Fewest runs at false-alarm chances of 5 %, 1e-3 and 1e-6.
    fewest: [f64; 3],
}

const CONFIDENCES: [f64; 3] = [0.95, 0.999, 0.999_999];

/// (z_a + z_0.1)² at these false-alarm chances.
const SQUARES: [f64; 3] = [8.564, 19.11, 36.39];

fn main() {
    let repetitions: u32 = std::env::args().nth(1).map_or(200, |n| n.parse().unwrap());
    println!(
        "| what | claimed as | confidence | fewest | ours | ratio | sequential, mean | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut missed = Vec::new();
    let part = std::env::args().nth(2).unwrap_or_default();
    for case in cases().into_iter().filter(|case| case.name.contains(&part)) {
        let claim = Claim::parse(case.claim, Neighbours::AddRemove, Orientation::Either).unwrap();
        for (confidence, fewest) in CONFIDENCES.into_iter().zip(case.fewest) {
            let options = Options { confidence, bounds: false, ..Options::default() };
            let needed = needed(&case, &claim, &options, fewest, repetitions);
            let mean = until_refuted(&case, &claim, &options, fewest, repetitions / 4);
            let ratio = needed.map_or(f64::INFINITY, |runs| runs / fewest);
            println!(
                "| {} | `{}` | {confidence} | {fewest:.0} | {} | {ratio:.2} | {mean:.0} | {:.2} |",
                case.name,
                case.claim,
                needed.map_or("more".to_owned(), |runs| format!("{runs:.0}")),
                mean / fewest
            );
            if ratio > 2.0 {
                missed.push(case.name);
            }
        }
    }
    println!(
        "\ntarget (at most 2 x the fewest): {}",
        if missed.is_empty() { "met" } else { "missed" }
    );
    std::process::exit(i32::from(!missed.is_empty()));
}

fn cases() -> Vec<Case> {
    // Gaps of mu: 0.1; and from sigma 3.731 (epsilon 1 at delta 1e-5) to 3.421 (epsilon 1.1).
    let gaussian = |gap: f64| SQUARES.map(|square| 2.0 * square / (gap * gap));
    let event = |at_five: f64| SQUARES.map(|square| at_five * square / SQUARES[0]);
    vec![
        Case {
            name: "randomised response, 1.1",
            claim: "pure(epsilon=1)",
            draw: |dice, one| {
                let e = 1.1f64.exp();
                Outcome::Integer(i64::from(dice.coin(e / (1.0 + e)) == one))
            },
            fewest: event(2641.0),
        },
        Case {
            name: "Laplace, 1.1",
            claim: "pure(epsilon=1)",
            draw: |dice, one| on_grid(dice.laplace(1.0 / 1.1) + shift(one, 1.0)),
            fewest: event(4715.0),
        },
        Case {
            name: "Gaussian, mu 1",
            claim: "gdp(mu=0.9)",
            draw: |dice, one| on_grid(dice.normal(1.0) + shift(one, 1.0)),
            fewest: gaussian(0.1),
        },
        Case {
            name: "Gaussian, 1.1 at 1e-5",
            claim: "gaussian(sigma=3.731)",
            draw: |dice, one| on_grid(dice.normal(1.0) + shift(one, 1.0 / 3.421)),
            fewest: gaussian(1.0 / 3.421 - 1.0 / 3.731),
        },
    ]
}

fn shift(one: bool, by: f64) -> f64 {
    if one { by } else { 0.0 }
}

/// Without a public grid the low bits would give the worlds away at once.
fn on_grid(x: f64) -> Outcome {
    Outcome::Number((x * 1_048_576.0).round() / 1_048_576.0)
}

fn target(case: &Case, seed: u32) -> FromFn<impl FnMut(World) -> Outcome> {
    let draw = case.draw;
    let mut dice = Dice::seeded(u64::from(seed));
    FromFn::new(move |world: World| draw(&mut dice, world == World::One))
}

/// The first of some numbers of runs with which nine audits of ten refute.
fn needed(case: &Case, claim: &Claim, options: &Options, fewest: f64, n: u32) -> Option<f64> {
    let numbers = (0..=14).map(|k| fewest * (1.0 + f64::from(k) / 10.0));
    numbers.into_iter().find(|runs| {
        let refuted = |seed: &u32| {
            let mut target = target(case, *seed);
            let mut worlds = [Outcomes::new(), Outcomes::new()];
            for (world, outcomes) in World::BOTH.into_iter().zip(&mut worlds) {
                target.run(world, *runs as usize, outcomes).unwrap();
            }
            let report = audit::recorded(claim, [&worlds[0], &worlds[1]], options).unwrap();
            report.verdict == Verdict::Violated
        };
        let hits = (0..n).filter(refuted).count();
        10 * hits >= 9 * n as usize
    })
}

/// How many runs an audit takes that stops as soon as the claim is refuted.
fn until_refuted(case: &Case, claim: &Claim, options: &Options, fewest: f64, n: u32) -> f64 {
    let most = Effort::UntilRefuted((10.0 * fewest) as u64);
    let runs = |seed: u32| {
        let mut target = target(case, 1000 + seed);
        let report = audit::live(claim, &mut target, options, most, &mut |_| {}).unwrap();
        report.samples as f64 / 2.0
    };
    (0..n.max(1)).map(runs).sum::<f64>() / f64::from(n.max(1))
}
