//! Sample and aggregate: what a unit touches, exact laws of aggregates, and an audit.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use crate::support::exact::{self, Law};
use crate::support::{answer_slice, audit, loss, rational};
use throng_mechanism::sample_and_aggregate::{
    Aggregate, Blockwise, MOST_BLOCKS, Partition, SampleAndAggregate,
};
use throng_mechanism::smooth::SmoothNoise;
use throng_mechanism::{Clamp, Grid, Mechanism, MechanismError, MechanismSpec, Neighbours, Run};
use throng_numeric::Enclosure;
use throng_sample::SeededEntropy;

type Row = (u64, f64);
type OnBlock = fn(&[&Row]) -> f64;
type BoxedOnBlock = Box<dyn Fn(&[&Row]) -> f64>;

fn clamp(lower: i64, upper: i64) -> Clamp {
    Clamp::new(&lower.into(), &upper.into(), Grid::WHOLE).unwrap()
}

fn mean(block: &[&Row]) -> f64 {
    block.iter().map(|row| row.1).sum::<f64>() / block.len() as f64
}

fn by_unit(blocks: u32) -> Partition<Row> {
    Partition::by_unit(blocks, 7, |row: &Row| row.0).unwrap()
}

/// The answers themselves, for tests.
struct Bare(MechanismSpec);

impl Aggregate for Bare {
    type Output = Vec<i64>;
    fn spec(&self) -> &MechanismSpec {
        &self.0
    }
    fn combine(&self, answers: Vec<i64>, _: &mut Run<'_>) -> Result<Vec<i64>, MechanismError> {
        Ok(answers)
    }
}

fn bare(partition: Partition<Row>, under: Neighbours) -> SampleAndAggregate<Row, OnBlock, Bare> {
    let function: OnBlock = mean;
    let blockwise = Blockwise::new(partition, function, clamp(0, 100), under).unwrap();
    SampleAndAggregate::of(blockwise, Bare("nonprivate".parse().unwrap()))
}

fn differing(a: &[i64], b: &[i64]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// The table of what a unit touches, for all ways to change one of few units.
#[test]
fn a_unit_touches_as_many_blocks_as_the_table_says() {
    let mut entropy = SeededEntropy::new(31);
    let whole = [(0, 10.0), (1, 20.0), (2, 30.0), (0, 93.0), (3, 40.0), (4, 50.0)];
    let named = bare(by_unit(4), Neighbours::AddRemove);
    let before = answer_slice(&named, whole, &mut entropy);
    // Unit 0, with both its rows, is gone.
    let without = [whole[1], whole[2], whole[4], whole[5]];
    assert_eq!(differing(&before, &answer_slice(&named, without, &mut entropy)), 1);
    // Unit 1 comes back as another one: two blocks for some names, never three.
    let touched: Vec<usize> = (10..60)
        .map(|name| {
            let mut other = whole;
            other[1] = (name, 77.0);
            differing(&before, &answer_slice(&named, other, &mut entropy))
        })
        .collect();
    assert_eq!(touched.iter().max(), Some(&2));
    // By position: one, whatever the row becomes.
    let placed = bare(Partition::by_position(4).unwrap(), Neighbours::Replace);
    let before = answer_slice(&placed, whole, &mut entropy);
    for i in 0..whole.len() {
        let mut other = whole;
        other[i] = (99, 99.0);
        assert_eq!(differing(&before, &answer_slice(&placed, other, &mut entropy)), 1);
    }
    for (under, expected) in
        [(Neighbours::AddRemove, 1), (Neighbours::Replace, 2), (Neighbours::ZeroOut, 1)]
    {
        assert_eq!(by_unit(4).touched(under).unwrap(), expected);
    }
    let position = Partition::<Row>::by_position(4).unwrap();
    assert!(position.touched(Neighbours::AddRemove).is_err());
    assert_eq!(position.touched(Neighbours::ZeroOut).unwrap(), 1);
}

/// The law of a sum of answers with discrete Laplace noise of a scale, outcomes beyond ±200 lumped.
fn sum_law(sum: i64, scale: f64) -> Law<i64> {
    let r = (-Enclosure::ONE / Enclosure::point(scale).unwrap()).exp();
    let weight = (Enclosure::ONE - r) / (Enclosure::ONE + r);
    let far = i32::try_from(200 - sum).unwrap();
    let mut law: Law<i64> = (-199..=199)
        .map(|k: i64| (k, weight * r.powi(i32::try_from((k - sum).abs()).unwrap())))
        .collect();
    law.insert(200, r.powi(far) / (Enclosure::ONE + r));
    law.insert(-200, r.powi(400 - far) / (Enclosure::ONE + r));
    law
}

/// A replaced unit moves two answers. Noise for one block is caught, noise for two is not.
#[test]
fn replacement_by_name_needs_noise_for_two_blocks() {
    let of = |under| {
        let blocks = Blockwise::new(by_unit(8), mean, clamp(0, 10), under).unwrap();
        blocks.mean_laplace(&rational("1")).unwrap()
    };
    let claim = loss(&of(Neighbours::Replace).spec(), Neighbours::Replace);
    assert_eq!(
        of(Neighbours::Replace).spec().to_string(),
        "discrete_laplace(scale=20, sensitivity=10)"
    );
    assert_eq!(
        of(Neighbours::AddRemove).spec().to_string(),
        "discrete_laplace(scale=10, sensitivity=10)"
    );
    for moved in -20..=20 {
        let laws = (sum_law(40, 20.0), sum_law(40 + moved, 20.0));
        exact::assert_within(&laws.0, &laws.1, &claim, 0.0);
    }
    assert!(exact::violates(&sum_law(40, 10.0), &sum_law(60, 10.0), &claim));
}

/// 10 for an odd number of rows.
fn odd(block: &[&Row]) -> f64 {
    if block.len() % 2 == 1 { 10.0 } else { 0.0 }
}

#[test]
fn an_audit_refutes_replacement_accounted_as_one_block() {
    let of = |under| {
        let blocks = Blockwise::new(by_unit(3), odd, clamp(0, 10), under).unwrap();
        blocks.mean_laplace(&rational("1")).unwrap()
    };
    let (right, wrong) = (of(Neighbours::Replace), of(Neighbours::AddRemove));
    let claim = loss(&right.spec(), Neighbours::Replace);
    let worlds = two_worlds();
    let trial = |mechanism: &_, seed| {
        audit::refute(20_000, seed, &claim, |world, entropy| {
            value(mechanism, worlds[usize::from(world)], entropy).clamp(-20, 40) / 2
        })
    };
    assert!(trial(&right, 32).is_none());
    assert!(trial(&wrong, 33).is_some());
}

fn value<F: Fn(&[&Row]) -> f64>(
    mechanism: &SampleAndAggregate<Row, F, throng_mechanism::sample_and_aggregate::Mean>,
    rows: [Row; 4],
    entropy: &mut SeededEntropy,
) -> i64 {
    answer_slice(mechanism, rows, entropy).sum().steps()[0]
}

/// Two data sets of four units that differ in one unit, whose answers differ by 10 in two blocks, the
/// same way.
fn two_worlds() -> [[Row; 4]; 2] {
    let mut entropy = SeededEntropy::new(34);
    let blockwise = Blockwise::new(by_unit(3), odd, clamp(0, 10), Neighbours::AddRemove).unwrap();
    let answers = SampleAndAggregate::of(blockwise, Bare("nonprivate".parse().unwrap()));
    let rows = |names: [u64; 4]| names.map(|name| (name, 0.0));
    for a in 0..6 {
        for e in 6..12 {
            for [b, c, d] in [[12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23]] {
                let (x, y) = (rows([a, b, c, d]), rows([e, b, c, d]));
                let fx: i64 = answer_slice(&answers, x, &mut entropy).iter().sum();
                let fy: i64 = answer_slice(&answers, y, &mut entropy).iter().sum();
                if (fx - fy).abs() == 20 {
                    return [x, y];
                }
            }
        }
    }
    panic!("there are such data sets")
}

/// The law of the median by its definition: weight e^(ε score/(2c)) on every point.
fn median_law(answers: &[i64], upper: i64, epsilon: f64, touched: f64) -> Law<i64> {
    let half = answers.len() as f64 / 2.0;
    let weight = |y: i64| {
        let below = answers.iter().filter(|z| **z < y).count() as f64;
        let above = answers.iter().filter(|z| **z > y).count() as f64;
        let score = (below.max(above) - half).max(0.0);
        (-Enclosure::point(epsilon * score / (2.0 * touched)).unwrap()).exp()
    };
    let total = (0..=upper).map(weight).fold(Enclosure::ZERO, |sum, w| sum + w);
    (0..=upper).map(|y| (y, weight(y) / total)).collect()
}

/// All answers of three blocks on {0, ..., 4}, all ways to change one (or two): within the claim; all ways
/// to change two, accounted as one: caught.
#[test]
fn the_median_is_private_on_all_answers() {
    let of = |under| {
        let blocks = Blockwise::new(by_unit(3), mean, clamp(0, 4), under).unwrap();
        blocks.median(&rational("1")).unwrap()
    };
    let claim = loss(&of(Neighbours::AddRemove).spec(), Neighbours::AddRemove);
    assert_eq!(
        claim.delta(1.0).unwrap().upper,
        loss(&of(Neighbours::Replace).spec(), Neighbours::Replace).delta(1.0).unwrap().upper
    );
    let all: Vec<[i64; 3]> = (0..125).map(|i| [i / 25, i / 5 % 5, i % 5]).collect();
    let mut caught = false;
    for x in &all {
        for y in &all {
            let changed = differing(x, y);
            if changed == 1 {
                let laws = (median_law(x, 4, 1.0, 1.0), median_law(y, 4, 1.0, 1.0));
                exact::assert_within(&laws.0, &laws.1, &claim, 1e-12);
            } else if changed == 2 {
                let laws = (median_law(x, 4, 1.0, 2.0), median_law(y, 4, 1.0, 2.0));
                exact::assert_within(&laws.0, &laws.1, &claim, 1e-12);
                let laws = (median_law(x, 4, 1.0, 1.0), median_law(y, 4, 1.0, 1.0));
                caught |= exact::violates(&laws.0, &laws.1, &claim);
            }
        }
    }
    assert!(caught);
}

/// The mechanism has the law by definition: frequencies against exact chances, false alarm 1e-9.
#[test]
fn the_median_has_the_law_by_definition() {
    let mut entropy = SeededEntropy::new(35);
    for under in [Neighbours::Replace, Neighbours::ZeroOut] {
        for rows in
            [[(0, 1.0), (0, 5.0), (0, 5.0), (0, 8.0)], [(0, 0.0), (0, 0.0), (0, 9.0), (0, 9.0)]]
        {
            let partition = Partition::by_position(4).unwrap();
            let blocks = Blockwise::new(partition, mean, clamp(0, 9), under).unwrap();
            let mechanism = blocks.median(&rational("2")).unwrap();
            let law = median_law(&rows.map(|row: Row| row.1 as i64), 9, 2.0, 1.0);
            let runs = 20_000_u64;
            let mut counts = [0_u64; 10];
            for _ in 0..runs {
                let drawn = answer_slice(&mechanism, rows, &mut entropy);
                counts[usize::try_from(drawn.steps()).unwrap()] += 1;
            }
            for (y, chance) in law {
                let hits = counts[usize::try_from(y).unwrap()];
                assert!(audit::lower_bound(hits, runs, 2e-11) <= chance.upper(), "{y} {hits}");
                assert!(audit::upper_bound(hits, runs, 2e-11) >= chance.lower(), "{y} {hits}");
            }
        }
    }
}

#[test]
fn rank_errors_cover() {
    let mut entropy = SeededEntropy::new(36);
    let partition = Partition::by_position(101).unwrap();
    let blocks = Blockwise::new(partition, mean, clamp(0, 1000), Neighbours::Replace).unwrap();
    let mechanism = blocks.median(&rational("1")).unwrap();
    let mut rows = [(0, 0.0); 101];
    for (i, row) in rows.iter_mut().enumerate() {
        row.1 = 5.0 * i as f64;
    }
    let misses = (0..2000)
        .filter(|_| {
            let drawn = answer_slice(&mechanism, rows, &mut entropy);
            let below = rows.iter().filter(|row| row.1 < drawn.value()).count() as f64;
            let above = rows.iter().filter(|row| row.1 > drawn.value()).count() as f64;
            below.max(above) - 50.5 > drawn.rank_error(0.9).unwrap()
        })
        .count();
    assert!(audit::lower_bound(misses as u64, 2000, 1e-9) <= 0.1, "{misses}");
}

#[test]
fn an_audit_accepts_the_smooth_median() {
    let partition = Partition::by_position(5).unwrap();
    let blocks = Blockwise::new(partition, mean, clamp(0, 1024), Neighbours::Replace).unwrap();
    let mechanism =
        blocks.smooth_median(SmoothNoise::student_for(&rational("1")).unwrap()).unwrap();
    let claim = loss(&mechanism.spec(), Neighbours::Replace);
    let worlds = [[0.0, 0.0, 0.0, 1024.0, 1024.0], [0.0, 0.0, 1024.0, 1024.0, 1024.0]];
    let found = audit::refute(8000, 37, &claim, |world, entropy| {
        let rows = worlds[usize::from(world)].map(|x| (0, x));
        answer_slice(&mechanism, rows, entropy).steps().clamp(-8000, 8000) / 500
    });
    assert!(found.is_none(), "{found:?}");
}

#[test]
fn hostile_functions_data_and_parameters() {
    let mut entropy = SeededEntropy::new(38);
    for answer in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MAX, 5e-324] {
        let function: BoxedOnBlock = Box::new(move |_| answer);
        let blocks =
            Blockwise::new(by_unit(3), function, clamp(10, 20), Neighbours::AddRemove).unwrap();
        let mechanism = SampleAndAggregate::of(blocks, Bare("nonprivate".parse().unwrap()));
        let middle = answer_slice(&mechanism, [], &mut entropy);
        assert_eq!(middle, [15, 15, 15]);
        let answers = answer_slice(&mechanism, [(1, 1.0)], &mut entropy);
        let expected = if answer.is_nan() {
            15
        } else if answer > 20.0 {
            20
        } else {
            10
        };
        let mut sorted = answers.clone();
        sorted.retain(|x| *x != 15);
        assert!(sorted.is_empty() == (expected == 15) && sorted.iter().all(|x| *x == expected));
    }
    assert!(Partition::<Row>::by_position(0).is_err());
    assert!(Partition::<Row>::by_position(MOST_BLOCKS + 1).is_err());
    let blockwise = |under, interval| Blockwise::new(by_unit(4), mean, interval, under).unwrap();
    assert!(blockwise(Neighbours::AddRemove, clamp(0, 4)).median(&rational("0")).is_err());
    assert!(blockwise(Neighbours::AddRemove, clamp(0, 4)).mean_laplace(&rational("-1")).is_err());
    assert!(blockwise(Neighbours::AddRemove, clamp(0, 4)).mean_gaussian(&rational("0")).is_err());
    let noise = || SmoothNoise::student_for(&rational("1")).unwrap();
    assert!(blockwise(Neighbours::Replace, clamp(0, 4)).smooth_median(noise()).is_err());
    let far = clamp(0, (1 << 61) - 1);
    assert!(blockwise(Neighbours::AddRemove, far).mean_laplace(&rational("1")).is_err());
    let widest = blockwise(Neighbours::AddRemove, far).median(&rational("1")).unwrap();
    answer_slice(&widest, [(1, f64::NAN), (2, f64::MAX)], &mut entropy);
    let widest = blockwise(Neighbours::AddRemove, far).smooth_median(noise()).unwrap();
    answer_slice(&widest, [(1, f64::NAN), (2, f64::MAX)], &mut entropy);
    let point = blockwise(Neighbours::AddRemove, clamp(3, 3)).median(&rational("1")).unwrap();
    assert_eq!(answer_slice(&point, [(1, 0.0)], &mut entropy).steps(), 3);
}
