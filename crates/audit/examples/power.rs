//! How many runs it takes to refute a claim that is a little too good, against the fewest possible.
//!
//! `cargo run --release -p throng-audit --example power -- [repetitions]`
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a benchmark")]

use throng_audit::{
    Claim, FromFn, Neighbours, Options, Orientation, Outcome, Outcomes, Target, Verdict, World,
    audit,
};

struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((z >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
    fn laplace(&mut self) -> f64 {
        let u = self.uniform() - 0.5;
        -u.signum() * (1.0 - 2.0 * u.abs()).ln()
    }
}

/// Without a public grid the low bits would give the worlds away at once.
fn on_grid(x: f64) -> Outcome {
    Outcome::Number((x * 1048576.0).round() / 1048576.0)
}

type Draw = fn(&mut Dice, bool) -> Outcome;

struct Case {
    name: &'static str,
    claim: &'static str,
    draw: Draw,
    confidence: f64,
    runs: u64,
    optimal: u64,
}

fn main() {
    let reps: u32 = std::env::args().nth(1).map_or(40, |x| x.parse().unwrap());
    let rr: Draw = |d, one| {
        let e = 1.1f64.exp();
        let truth = d.uniform() < e / (1.0 + e);
        Outcome::Integer(i64::from(truth == one))
    };
    let lap: Draw = |d, one| on_grid(d.laplace() / 1.1 + if one { 1.0 } else { 0.0 });
    let g1: Draw = |d, one| on_grid(d.normal() + if one { 1.0 } else { 0.0 });
    let gs: Draw = |d, one| on_grid(d.normal() + if one { 1.0 / 3.421 } else { 0.0 });
    let cases = [
        Case {
            name: "randomised response 1.1 as 1",
            claim: "pure(epsilon=1)",
            draw: rr,
            confidence: 0.95,
            runs: 5282,
            optimal: 2641,
        },
        Case {
            name: "Laplace 1.1 as 1",
            claim: "pure(epsilon=1)",
            draw: lap,
            confidence: 0.95,
            runs: 9430,
            optimal: 4715,
        },
        Case {
            name: "Laplace 1.1 as laplace(1)",
            claim: "laplace(scale=1)",
            draw: lap,
            confidence: 0.95,
            runs: 9430,
            optimal: 4715,
        },
        Case {
            name: "Gaussian 1 as 0.9",
            claim: "gdp(mu=0.9)",
            draw: g1,
            confidence: 0.95,
            runs: 3426,
            optimal: 1713,
        },
        Case {
            name: "Gaussian 1.1 as 1 at 1e-5",
            claim: "gaussian(sigma=3.731)",
            draw: gs,
            confidence: 0.95,
            runs: 60_000,
            optimal: 29_000,
        },
        Case {
            name: "randomised response 1.1 as 1",
            claim: "pure(epsilon=1)",
            draw: rr,
            confidence: 0.999999,
            runs: 22_462,
            optimal: 11_231,
        },
        Case {
            name: "Laplace 1.1 as 1",
            claim: "pure(epsilon=1)",
            draw: lap,
            confidence: 0.999999,
            runs: 40_104,
            optimal: 20_052,
        },
        Case {
            name: "Gaussian 1 as 0.9",
            claim: "gdp(mu=0.9)",
            draw: g1,
            confidence: 0.999,
            runs: 7640,
            optimal: 3820,
        },
        Case {
            name: "Gaussian 1 as 0.9",
            claim: "gdp(mu=0.9)",
            draw: g1,
            confidence: 0.999999,
            runs: 14560,
            optimal: 7280,
        },
    ];
    for case in &cases {
        let claim = Claim::parse(case.claim, Neighbours::AddRemove, Orientation::Either).unwrap();
        let options = Options { confidence: case.confidence, bounds: false, ..Options::default() };
        let mut hits = 0;
        let mut methods = std::collections::BTreeMap::<String, u32>::new();
        let start = std::time::Instant::now();
        let mut ps = vec![];
        for seed in 0..reps {
            let mut dice = Dice(u64::from(seed) * 7919 + 17);
            let mut target = FromFn::new(|w: World| (case.draw)(&mut dice, w == World::One));
            let mut worlds = [Outcomes::new(), Outcomes::new()];
            for (w, o) in World::BOTH.into_iter().zip(&mut worlds) {
                target.run(w, usize::try_from(case.runs).unwrap(), o).unwrap();
            }
            let report = audit::recorded(&claim, [&worlds[0], &worlds[1]], &options).unwrap();
            hits += u32::from(report.verdict == Verdict::Violated);
            ps.push(report.p_value);
            if report.verdict == Verdict::Violated {
                continue;
            }
            *methods
                .entry(
                    report.method
                        + " | "
                        + &report
                            .witness
                            .map(|w| format!("{:.60}", w.text))
                            .unwrap_or_default()
                            .chars()
                            .filter(|c| c.is_alphabetic() || *c == ' ')
                            .collect::<String>(),
                )
                .or_default() += 1;
        }
        ps.sort_by(f64::total_cmp);
        println!(
            "{} [{}] at {}: {} runs = {:.2} x optimal: power {:.2}; median p {:.2e}; {:.1} ms each",
            case.name,
            case.claim,
            case.confidence,
            case.runs,
            case.runs as f64 / case.optimal as f64,
            f64::from(hits) / f64::from(reps),
            ps[ps.len() / 2],
            start.elapsed().as_secs_f64() * 1e3 / f64::from(reps)
        );
        for (m, n) in methods {
            println!("    {n} x {m}");
        }
    }
}
