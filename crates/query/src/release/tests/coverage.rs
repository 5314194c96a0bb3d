//! Intervals cover as often as they say.

use throng_sample::SeededEntropy;

use super::fixture::*;
use crate::question::{Aggregate, Unit};
use crate::release::estimate::from_steps;
use crate::release::{Design, NoiseChoice, Request};

/// 150 runs of 20 cells give 3000 intervals per aggregate: a deviation of 0.4 %, so a coverage outside
/// 95 % ± 2.5 % happens by chance less than once in 10^9 runs (6.2 deviations).
#[test]
fn intervals_cover() {
    // 2000 rows, 100 in each of 20 cells; ages 30 to 49, incomes from 0 to 99000.
    let rows: Vec<Row> = (0..2000_i32)
        .map(|i| {
            let income = f64::from((i * 37) % 100) * 1000.0;
            (i64::from(i), format!("c{:03}", i % 20), Some(income), i64::from(30 + (i / 20) % 20))
        })
        .collect();
    let aggregates = vec![
        Aggregate::Rows,
        Aggregate::Sum { input: 0 },
        Aggregate::Mean { input: 1 },
        Aggregate::Sum { input: 1 },
    ];
    for noise in [NoiseChoice::Gaussian, NoiseChoice::Laplace] {
        let request = Request { noise, ..request("4", "1e-6") };
        let question = question(Unit::Row, vec![city(public(20))], aggregates.clone(), fixed(1, 1));
        let design = Design::new(&[question], &request, &no_facts).unwrap();
        let mut covered = [0_u32; 4];
        for seed in 0..150 {
            let table = Table { rows: rows.clone() };
            let answer = &ask(&design, table, &mut SeededEntropy::new(seed))[0];
            for cell in 0..20 {
                let of = |row: &&Row| row.1 == format!("c{cell:03}");
                let mine: Vec<&Row> = rows.iter().filter(of).collect();
                let income: f64 = mine.iter().filter_map(|row| row.2).sum();
                let age: f64 = mine.iter().map(|row| from_steps(row.3, 1.0)).sum();
                let truth = [100.0, income, age / 100.0, age];
                for (i, (column, truth)) in answer.columns.iter().zip(truth).enumerate() {
                    let (low, high) = (column.low[cell].unwrap(), column.high[cell].unwrap());
                    covered[i] += u32::from(low <= truth && truth <= high);
                }
            }
        }
        for (i, covered) in covered.iter().enumerate() {
            let share = f64::from(*covered) / 3000.0;
            // Counts are rounded outward.
            let most = if i == 0 { 0.99 } else { 0.975 };
            assert!(share >= 0.925 && share <= most, "{noise:?} {i}: {share}");
        }
    }
}
