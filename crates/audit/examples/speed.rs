//! How long the audit of millions of runs takes, against drawing them.
//!
//! `cargo run --release -p throng-audit --example speed`
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a benchmark")]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use throng_audit::{
    AuditError, Claim, Effort, Neighbours, OfMechanism, Options, Orientation, Outcome, Outcomes,
    Target, World, audit,
};
use throng_mechanism::count::{Count, Records};
use throng_sample::{BulkNoise, OsEntropy};

/// Runs of both worlds together.
const RUNS: u64 = 10_000_000;
/// The same for a target that is run one by one, which takes longer.
const FEWER: u64 = 1_000_000;

/// The fastest noise there is: a count with discrete Laplace noise, many at a time.
struct Bulk(BulkNoise);

impl Target for Bulk {
    fn run(&mut self, world: World, n: usize, outcomes: &mut Outcomes) -> Result<(), AuditError> {
        let mut column = vec![0; n];
        self.0.fill(&mut OsEntropy, &mut column).unwrap();
        let count = if world == World::One { 41 } else { 40 };
        column.iter_mut().for_each(|x| *x += count);
        outcomes.append(&Outcomes::Integers(column));
        Ok(())
    }
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Time on the processor, where the system tells: other work on the machine does not count.
fn now() -> Duration {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn drawing(target: &mut dyn Target, runs: u64) -> Duration {
    let since = now();
    for _ in 0..runs >> 17 {
        for world in World::BOTH {
            let mut outcomes = Outcomes::new();
            target.run(world, 1 << 16, &mut outcomes).unwrap();
        }
    }
    now() - since
}

fn auditing(target: &mut dyn Target, runs: u64, bounds: bool) -> Duration {
    let claim =
        Claim::parse("discrete_laplace(scale=2)", Neighbours::AddRemove, Orientation::Either)
            .unwrap();
    let since = now();
    let effort = Effort::Runs(runs / 2);
    let options = Options { bounds, ..Options::default() };
    audit::live(&claim, target, &options, effort, &mut |_| {}).unwrap();
    now() - since
}

fn compare(name: &str, target: &mut dyn Target, runs: u64) -> bool {
    let best = |measure: &mut dyn FnMut() -> Duration| (0..3).map(|_| measure()).min().unwrap();
    let draw = best(&mut || drawing(target, runs)).as_secs_f64();
    let verdict = best(&mut || auditing(target, runs, false)).as_secs_f64() - draw;
    let bounds = best(&mut || auditing(target, runs, true)).as_secs_f64() - draw - verdict;
    let ratio = verdict / draw;
    println!("| {name} | {draw:.2} s | {verdict:.2} s | {ratio:.2} | {bounds:.2} s |");
    ratio <= 2.0
}

fn main() {
    println!("| target | drawing | score and certification | ratio | bounds and curve |");
    println!("|---|---|---|---|---|");
    let count =
        Count::pure(Records::default(), &"1/2".parse().unwrap(), Neighbours::AddRemove).unwrap();
    let worlds = [vec![(); 40], vec![(); 41]];
    let mut runs =
        OfMechanism::new(
            &count,
            worlds,
            OsEntropy,
            |noisy| Outcome::Integer(noisy.value(0) as i64),
        );
    let one = compare("a count, run by run, 10^6", &mut runs, FEWER);
    let scale = "2".parse().unwrap();
    let two = compare("bulk noise, 10^7", &mut Bulk(BulkNoise::laplace(&scale).unwrap()), RUNS);
    println!("\ntarget (at most 2 x the drawing): {}", if one && two { "met" } else { "missed" });
    std::process::exit(i32::from(!(one && two)));
}
