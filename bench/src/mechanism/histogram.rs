//! Counts by unknown keys, with Gaussian noise and a threshold.

use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::hint::black_box;

use throng_mechanism::contribution::Rows;
use throng_mechanism::histogram::ThresholdHistogram;
use throng_mechanism::{Mechanism, Neighbours, Sensitive};
use throng_sample::OsEntropy;

use crate::table::{Line, Table, fastest};
use crate::{ROWS, budget, data};

pub const KEYS: u32 = 10_000;
const MOST: f64 = 1.2;

/// A fast hasher as people write it where nobody chooses keys to collide: a product, then its
/// high bits.
#[derive(Default, Clone)]
pub struct Product(u64);

impl Hasher for Product {
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        self.write_u64(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0 ^ n).wrapping_mul(0xF135_7AEA_2E62_A9C5);
    }
}

type Fast = BuildHasherDefault<Product>;

/// What one would write without privacy.
fn plain<K: Hash + Eq + Copy, H: BuildHasher + Default>(rows: &[K]) -> HashMap<K, i64, H> {
    let mut counts = HashMap::default();
    for key in rows {
        *counts.entry(*key).or_default() += 1;
    }
    counts
}

/// The same, looking a key up before it makes an entry: often faster.
fn plain_lookup<K: Hash + Eq + Copy, H: BuildHasher + Default>(rows: &[K]) -> HashMap<K, i64, H> {
    let mut counts = HashMap::default();
    for key in rows {
        if let Some(count) = counts.get_mut(key) {
            *count += 1;
        } else {
            counts.insert(*key, 1);
        }
    }
    counts
}

pub fn compare(table: &mut Table) {
    let spread = |rank: u32| rank.wrapping_mul(0x9E37_79B1);
    let numbers: Vec<u32> = data::skewed(ROWS, KEYS).into_iter().map(spread).collect();
    compare_keys(table, "u32", numbers);
    let (text, ends) = words();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let words = starts.zip(&ends).map(|(start, end)| &text[start..*end]).collect();
    compare_keys::<&str>(table, "&str", words);
}

/// The rows one after the other, as in a file, and where they end.
fn words() -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut ends = Vec::with_capacity(ROWS);
    for rank in data::skewed(ROWS, KEYS) {
        write!(text, "word-{rank}").expect("memory");
        ends.push(text.len());
    }
    (text, ends)
}

fn compare_keys<K: Ord + Hash + Copy>(table: &mut Table, name: &str, rows: Vec<K>) {
    let copy = rows.clone();
    let rows = Sensitive::new(rows);
    let (epsilon, delta) = ("1".parse().expect("epsilon"), "1e-8".parse().expect("delta"));
    let under = Neighbours::AddRemove;
    let ours = ThresholdHistogram::<K, _>::gaussian(Rows, &epsilon, &delta, under);
    let ours = ours.expect("a histogram");
    let quick = ours.clone().hashed_by(Fast::default());
    let mut purse = budget(under);
    let mut other = budget(under);
    let [std_ours, std_entry, std_lookup, fast_ours, fast_entry, fast_lookup] = fastest([
        &mut || {
            let permit = purse.permit(&ours).expect("a permit");
            drop(black_box(ours.run_on(&rows, permit, &mut OsEntropy).expect("a release")));
        },
        &mut || drop(black_box(plain::<K, RandomState>(&copy))),
        &mut || drop(black_box(plain_lookup::<K, RandomState>(&copy))),
        &mut || {
            let permit = other.permit(&quick).expect("a permit");
            drop(black_box(quick.run_on(&rows, permit, &mut OsEntropy).expect("a release")));
        },
        &mut || drop(black_box(plain::<K, Fast>(&copy))),
        &mut || drop(black_box(plain_lookup::<K, Fast>(&copy))),
    ]);
    let mut push = |hasher: &str, against: &str, ours: f64, theirs: f64| {
        let work = format!("histogram of {name}, {hasher} hasher");
        table.push(&Line { work: &work, against, items: ROWS, ours, theirs, most: Some(MOST) });
    };
    push("default", "plain count, `entry`", std_ours, std_entry);
    push("default", "plain count, `get_mut`", std_ours, std_lookup);
    push("product", "plain count, `entry`", fast_ours, fast_entry);
    push("product", "plain count, `get_mut`", fast_ours, fast_lookup);
}
