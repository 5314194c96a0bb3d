//! What a private histogram costs beside a plain one: 10^7 rows, 10^4 keys that are not known in
//! advance, Gaussian noise and a threshold, one thread.
//!
//! `cargo run --release -p throng-mechanism --example histogram_speed`
//!
//! Both take turns, and the ratio is that of the fastest turns: on a machine that does other
//! things too, those were disturbed least.
#![allow(clippy::disallowed_methods, reason = "a permit that nobody paid for, for a measurement")]

use std::collections::HashMap;
use std::error::Error;
use std::hash::Hash;
use std::hint::black_box;
use std::time::{Duration, Instant};

use throng_account::filter::Budget as Amount;
use throng_mechanism::contribution::Rows;
use throng_mechanism::histogram::ThresholdHistogram;
use throng_mechanism::{Mechanism, Neighbours, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::OsEntropy;

const ROWS: u32 = 10_000_000;
const KEYS: u32 = 10_000;
const TURNS: u32 = 15;
const UNDER: Neighbours = Neighbours::AddRemove;

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<u32> = (0..ROWS).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) % KEYS).collect();
    let names: Vec<String> = (0..KEYS).map(|i| format!("customer {i}")).collect();
    let name = |key: &u32| names.get(usize::try_from(*key).ok()?).map(String::as_str);
    let words: Vec<&str> = keys.iter().filter_map(name).collect();
    measure("u32, few rows", (0..KEYS).collect())?;
    measure("u32", keys)?;
    measure("&str", words)
}

fn measure<K: Ord + Hash + Clone>(what: &str, rows: Vec<K>) -> Result<(), Box<dyn Error>> {
    let (epsilon, delta) = ("1".parse()?, "1e-6".parse()?);
    let private = ThresholdHistogram::<K, _>::gaussian(Rows, &epsilon, &delta, UNDER)?;
    let rows = Sensitive::new(rows);
    let (mut plain, mut noisy) = (Duration::MAX, Duration::MAX);
    for _ in 0..TURNS {
        let start = Instant::now();
        black_box(count(rows.expose()));
        plain = plain.min(start.elapsed());
        let permit = Permit::issue(private.spec(), UNDER, Amount::Pure { epsilon: Rational::ZERO });
        let start = Instant::now();
        let _ = black_box(private.run_on(&rows, permit, &mut OsEntropy)?);
        noisy = noisy.min(start.elapsed());
    }
    let ratio = noisy.as_secs_f64() / plain.as_secs_f64();
    println!("{what}: plain {plain:?}, private {noisy:?}, ratio {ratio:.3}");
    Ok(())
}

fn count<K: Hash + Eq>(rows: &[K]) -> HashMap<&K, u64> {
    let mut counts = HashMap::new();
    for key in rows {
        *counts.entry(key).or_default() += 1;
    }
    counts
}
