//! Does the time of a draw tell what was drawn?
//!
//! In the manner of dudect (Reparaz, Balasch, Verbauwhede 2017): time single draws, split them
//! by what was drawn (small or large magnitude, negative or not), and compare the mean times of
//! the two classes with Welch's t-test, on all measurements and on those below some
//! percentiles, because interrupts only ever make a measurement longer. |t| < 4.5 is the usual
//! bar: under the null it is exceeded with probability below 1e-5.
//!
//! Takes minutes and wants a quiet machine, so it is not part of `make test`: `make long`.
#![expect(clippy::float_arithmetic, reason = "statistics")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::hint::black_box;
use std::time::Instant;

use throng_numeric::{Integer, Rational};
use throng_sample::{BulkNoise, DiscreteGaussian, DiscreteLaplace, OsEntropy};

const DRAWS: usize = 10_000_000;
const BAR: f64 = 4.5;

/// One timed draw.
#[derive(Clone, Copy)]
struct Timed {
    nanoseconds: u32,
    value: i64,
}

/// Times single draws; what they are is looked at afterwards, outside the measurement.
fn measure(draws: usize, mut draw: impl FnMut() -> i64) -> Vec<Timed> {
    for _ in 0..10_000 {
        black_box(draw());
    }
    (0..draws)
        .map(|_| {
            let start = Instant::now();
            let value = black_box(draw());
            let nanoseconds = u32::try_from(start.elapsed().as_nanos()).unwrap_or(u32::MAX);
            Timed { nanoseconds, value }
        })
        .collect()
}

#[derive(Default)]
struct Moments {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, x: f64) {
        self.n += 1.0;
        let step = x - self.mean;
        self.mean += step / self.n;
        self.squares += step * (x - self.mean);
    }

    fn variance_of_mean(&self) -> f64 {
        self.squares / (self.n - 1.0) / self.n
    }
}

/// Welch's t of the two classes among the measurements up to `most` nanoseconds.
fn welch(timed: &[Timed], class: impl Fn(i64) -> bool, most: u32) -> f64 {
    let mut classes = [Moments::default(), Moments::default()];
    for one in timed.iter().filter(|one| one.nanoseconds <= most) {
        classes[usize::from(class(one.value))].add(f64::from(one.nanoseconds));
    }
    let [a, b] = classes;
    (a.mean - b.mean) / (a.variance_of_mean() + b.variance_of_mean()).sqrt()
}

/// The largest |t| over the whole sample and several percentiles.
fn largest_t(timed: &[Timed], class: impl Fn(i64) -> bool) -> f64 {
    let mut sorted: Vec<u32> = timed.iter().map(|one| one.nanoseconds).collect();
    sorted.sort_unstable();
    let last = sorted.len() - 1;
    let cuts = [last, last / 1000 * 999, last / 100 * 99, last / 100 * 95, last / 10 * 9];
    cuts.into_iter().map(|cut| welch(timed, &class, sorted[cut]).abs()).fold(0.0, f64::max)
}

fn noise(kind: &str, scale: u64) -> BulkNoise {
    let scale = Rational::from(scale);
    match kind {
        "laplace" => BulkNoise::laplace(&scale).unwrap(),
        _ => BulkNoise::gaussian(&scale.square()).unwrap(),
    }
}

#[test]
#[ignore = "takes minutes and wants a quiet machine: make long"]
fn the_time_of_a_bulk_draw_does_not_depend_on_its_value() {
    let mut worst = 0.0_f64;
    for (kind, scale, median) in [
        ("laplace", 1, 1),
        ("laplace", 1000, 693),
        ("laplace", 1_000_000, 693_147),
        ("gaussian", 10, 7),
        ("gaussian", 1000, 674),
        ("gaussian", 1_000_000, 674_490),
    ] {
        let noise = noise(kind, scale);
        assert!(noise.is_constant_time());
        let timed = measure(DRAWS, || noise.draw(&mut OsEntropy).unwrap());
        let magnitude = largest_t(&timed, |x| x.abs() < median);
        let tail = largest_t(&timed, |x| x.abs() < 3 * median);
        let sign = largest_t(&timed, |x| x < 0);
        println!(
            "{kind} {scale}: |t| = {magnitude:.2} (magnitude) {tail:.2} (tail) {sign:.2} (sign)"
        );
        worst = worst.max(magnitude).max(tail).max(sign);
    }
    assert!(worst < BAR, "|t| = {worst:.2}");
}

/// The power of the test above: the scalar samplers, whose loops are as long as the value is
/// large, are found out with a thousandth of the draws.
#[test]
#[ignore = "takes minutes and wants a quiet machine: make long"]
fn the_test_finds_a_sampler_whose_time_tells() {
    let small = |x: Integer| i64::try_from(x).unwrap();
    let laplace = DiscreteLaplace::new(&Rational::from(1)).unwrap();
    let timed = measure(DRAWS / 1000, || small(laplace.draw(&mut OsEntropy).unwrap()));
    let t = largest_t(&timed, |x| x.abs() < 1);
    println!("scalar laplace 1: |t| = {t:.1}");
    assert!(t > BAR);
    let gaussian = DiscreteGaussian::new(&Rational::from(100)).unwrap();
    let timed = measure(DRAWS / 1000, || small(gaussian.draw(&mut OsEntropy).unwrap()));
    let t = largest_t(&timed, |x| x.abs() < 7);
    println!("scalar gaussian 10: |t| = {t:.1}");
    assert!(t > BAR);
}
