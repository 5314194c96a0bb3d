//! How long ten million steps of counting take.
#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "an example")]

use std::time::Instant;

use throng_mechanism::continual::{MatrixCounter, Stream, TreeCounter};
use throng_mechanism::{Budget, Neighbours, Sensitive};
use throng_sample::OsEntropy;

const STEPS: usize = 10_000_000;
const SLICE: usize = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = Stream::of_steps(0, 100, Neighbours::AddRemove)?.of_events(1)?;
    let values = Sensitive::new([3; SLICE]);
    let mut budget = Budget::zcdp(1.into(), Neighbours::AddRemove)?;
    let horizon = u64::try_from(STEPS)?;

    let counter = TreeCounter::gaussian(&20.into(), stream, horizon)?;
    let mut session = counter.start(budget.authorise(counter.spec())?)?;
    let start = Instant::now();
    let mut last = None;
    for _ in 0..STEPS / SLICE {
        last = session.steps(values.as_slice(), &mut OsEntropy)?.into_parts().0.pop();
    }
    report("tree, slices", STEPS, start, last.map(|e| e.standard_deviation()));

    for band in [16, 64, 1024] {
        let counter = MatrixCounter::new(&20.into(), stream, horizon, band)?;
        let mut session = counter.start(budget.authorise(counter.spec())?)?;
        let steps = if band > 100 { STEPS / 10 } else { STEPS };
        let start = Instant::now();
        for _ in 0..steps / SLICE {
            last = session.steps(values.as_slice(), &mut OsEntropy)?.into_parts().0.pop();
        }
        report(
            &format!("matrix of band {band}, slices"),
            steps,
            start,
            last.map(|e| e.standard_deviation()),
        );
    }

    let counter = TreeCounter::gaussian(&20.into(), stream, horizon)?;
    let mut session = counter.start(budget.authorise(counter.spec())?)?;
    let (steps, one) = (STEPS / 100, Sensitive::new(3));
    let start = Instant::now();
    for _ in 0..steps {
        last = Some(*session.step(&one, &mut OsEntropy)?.value());
    }
    report("tree, one by one", steps, start, last.map(|e| e.standard_deviation()));
    Ok(())
}

fn report(name: &str, steps: usize, start: Instant, deviation: Option<f64>) {
    let each = start.elapsed().as_secs_f64() / steps as f64;
    println!("{name}: {:.0} ns a step, deviation {:.1}", 1e9 * each, deviation.unwrap_or(0.0));
}
