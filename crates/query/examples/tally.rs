//! Where the time of a tally goes: 10^7 rows of 921,000 users in 5,037 cities, shuffled.
//!
//! `cargo run --release -p throng-query --example tally [rows]` prints CPU seconds of each part and
//! the peak of memory (Linux only). Rows are made on the fly; that time is shown first.

#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "a measurement")]

use std::error::Error;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray};
use datafusion::arrow::datatypes::DataType;
use throng_mechanism::{Clamp, Grid};
use throng_numeric::Rational;
use throng_query::question::{Domain, Key, Unit};
use throng_query::tally::{Bounding, Layout, Measure, Order, RowBound, Tally};

fn main() -> Result<(), Box<dyn Error>> {
    let rows = std::env::args().nth(1).map_or(Ok(10_000_000), |rows| rows.parse())?;
    let cities: Vec<String> = (0..5037).map(|i| format!("city {i:04}")).collect();
    let users = users(rows);
    let mut last = cpu();
    let mut lap = |what: &str| {
        println!("{what:12} {:6.2} s, peak {}", cpu() - last, peak());
        last = cpu();
    };
    lap("users");
    for chunk in users.chunks(8192) {
        std::hint::black_box(batch(chunk, &cities));
    }
    lap("rows");
    for unit in [by_user(), Unit::Row] {
        let layout = layout(unit.clone());
        let mut tally = Tally::new(&layout, [1, 2])?;
        for chunk in users.chunks(8192) {
            let rows = batch(chunk, &cities);
            let rows = if unit == Unit::Row { rows.project(&[1, 2, 3])? } else { rows };
            tally.update(&rows)?;
        }
        lap("update");
        let totals = tally.finish()?;
        lap("finish");
        let pairs: usize = totals.units().map(|unit| unit.cells().len()).sum();
        println!("{} units, {pairs} pairs", totals.unit_count());
        let norm = RowBound::Norm { order: Order::L2, limit: 10 << 10 };
        for rows in [RowBound::PerCell { rows: 10 }, norm] {
            lap("-");
            let bounding = Bounding { groups: 3, rows, values: 1 };
            let cells = totals.bounded(&bounding, &[10; 4])?;
            lap("bounded");
            std::hint::black_box(totals.key_batch(&cells.keys)?);
        }
    }
    Ok(())
}

fn by_user() -> Unit {
    Unit::Column { name: "user_id".into(), kind: DataType::Int64 }
}

fn layout(unit: Unit) -> Layout {
    let clamp = |upper: i64, exponent| {
        Clamp::new(&Rational::ZERO, &Rational::from(upper), Grid::new(exponent).unwrap()).unwrap()
    };
    let key = Key { name: "city".into(), kind: DataType::Utf8View, domain: Domain::Private };
    let measures = vec![
        Measure::Rows,
        Measure::Sum { input: 0, clamp: clamp(200_000, -3), centre: 800_000 },
        Measure::Present { input: 1 },
        Measure::Sum { input: 1, clamp: clamp(100, -10), centre: 51_200 },
    ];
    Layout { unit, keys: vec![key], inputs: 2, measures }
}

/// A user for each row: 1 to 200 rows per user (the chance of r falls as r^-1.5), shuffled.
fn users(rows: usize) -> Vec<u32> {
    let mut state = 1;
    let weights: Vec<f64> = (1..=200).map(|r| 1.0 / (f64::from(r) * f64::from(r).sqrt())).collect();
    let all: f64 = weights.iter().sum();
    let mut users = Vec::with_capacity(rows + 200);
    for user in 0.. {
        if users.len() >= rows {
            break;
        }
        let mut chance = next(&mut state) as f64 / u64::MAX as f64 * all;
        let count = weights
            .iter()
            .take_while(|weight| {
                chance -= **weight;
                chance > 0.0
            })
            .count();
        users.extend(std::iter::repeat_n(user, count + 1));
    }
    users.truncate(rows);
    for i in (1..rows).rev() {
        users.swap(i, below(&mut state, i + 1));
    }
    users
}

/// Rows of these users: 1 to 8 home cities each, nine in ten of them among 50.
fn batch(users: &[u32], cities: &[String]) -> RecordBatch {
    let mut state = u64::from(users[0]) + 12345;
    let city = users.iter().map(|user| {
        let mut home = u64::from(*user) + 99;
        let homes = 1 + below(&mut home, 8);
        home += below(&mut state, homes) as u64 * 7919;
        let common = below(&mut home, 10) < 9;
        let city = if common { below(&mut home, 50) } else { 50 + below(&mut home, 4987) };
        cities[city].as_str()
    });
    let city = StringViewArray::from_iter_values(city);
    let user = Int64Array::from_iter_values(users.iter().map(|user| i64::from(*user)));
    let income = users.iter().map(|_| below(&mut state, 250_000) as f64);
    let income = Float64Array::from_iter_values(income);
    let age = users.iter().map(|_| i64::try_from(below(&mut state, 100)).unwrap());
    let age = Int64Array::from_iter_values(age);
    let columns: [(&str, ArrayRef); 4] = [
        ("user_id", Arc::new(user)),
        ("city", Arc::new(city)),
        ("income", Arc::new(income)),
        ("age", Arc::new(age)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

fn below(state: &mut u64, n: usize) -> usize {
    usize::try_from((u128::from(next(state)) * n as u128) >> 64).unwrap()
}

/// CPU seconds of this process so far.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_once(':')).map_or_else(String::new, |(_, x)| x.trim().into())
}
