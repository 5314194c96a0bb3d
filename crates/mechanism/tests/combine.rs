//! Mechanisms made of others.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use std::collections::BTreeMap;

use crate::support::exact::{Law, assert_within, hockey_stick, violates};
use crate::support::{answer_slice, audit, loss, rational};
use throng_account::{Accuracy, Leaf, MechanismSpec, PrivacyLoss};
use throng_mechanism::combine::{
    Analyst, Batched, Both, Grouped, Partitioned, Preprocessed, Sampled, Sequence, Transformed,
};
use throng_mechanism::{
    Budget, Grid, L1, L2, Mechanism, MechanismError, Neighbours, Noise, PerCell, Run, Sensitive,
    Sensitivity,
};
use throng_numeric::{Enclosure, Rational};
use throng_sample::{Bernoulli, SeededEntropy};

use Neighbours::{AddRemove, Replace, ZeroOut};

/// The number of records above 0, with noise.
#[derive(Debug, Clone)]
struct Count(Noise);

impl Count {
    fn laplace(scale: &str, under: Neighbours) -> Self {
        let one = Sensitivity::<L1>::of(Rational::ONE, under).unwrap();
        Self(Noise::laplace(&rational(scale), &one, Grid::WHOLE).unwrap())
    }
}

impl Mechanism for Count {
    type Input = [i64];
    type Output = i64;

    fn spec(&self) -> MechanismSpec {
        self.0.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.0.neighbours()
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[i64], run: &mut Run<'_>) -> Result<i64, MechanismError> {
        let count = input.iter().filter(|x| **x > 0).count();
        self.0.added_to(i128::try_from(count).unwrap(), run)
    }
}

/// Shows all records with chance 0.1.
#[derive(Debug, Clone)]
struct Leak;

impl Mechanism for Leak {
    type Input = [i64];
    type Output = Option<Vec<i64>>;

    fn spec(&self) -> MechanismSpec {
        MechanismSpec::leaf(Leaf::TotalVariation { delta: rational("1/10") }).unwrap()
    }

    fn neighbours(&self) -> Neighbours {
        AddRemove
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[i64], run: &mut Run<'_>) -> Result<Option<Vec<i64>>, MechanismError> {
        let shows = Bernoulli::new(&rational("1/10"))?.draw(run.entropy())?;
        Ok(shows.then(|| input.to_vec()))
    }
}

fn point(x: f64) -> Enclosure {
    Enclosure::point(x).unwrap()
}

/// Discrete Laplace noise around a centre.
fn laplace(centre: i64, scale: f64) -> Law<i64> {
    let weight = |k: i64| (-(point(k.abs() as f64) / point(scale))).exp();
    let total = (-400..=400).fold(Enclosure::ZERO, |sum, k| sum + weight(k));
    (-60..=60).map(|k| (centre + k, weight(k) / total)).collect()
}

fn mixture(rate: f64, with: &Law<i64>, without: &Law<i64>) -> Law<i64> {
    let mut law: Law<i64> = BTreeMap::new();
    for (part, share) in [(with, rate), (without, 1.0 - rate)] {
        for (k, p) in part {
            let entry = law.entry(*k).or_insert(Enclosure::ZERO);
            *entry = *entry + *p * point(share);
        }
    }
    law
}

fn product<A: Ord + Clone, B: Ord + Clone>(a: &Law<A>, b: &Law<B>) -> Law<(A, B)> {
    let pairs = a.iter().flat_map(|(x, p)| b.iter().map(move |(y, q)| ((x, y), *p * *q)));
    pairs.map(|((x, y), p)| ((x.clone(), y.clone()), p)).collect()
}

#[test]
fn a_sample_has_the_law_that_is_claimed() {
    let sampled = Sampled::new(rational("1/4"), Count::laplace("1", AddRemove)).unwrap();
    assert_eq!(sampled.spec().to_string(), "sampled(discrete_laplace(scale=1), rate=0.25)");
    let claim = loss(&sampled.spec(), AddRemove);
    let with = mixture(0.25, &laplace(1, 1.0), &laplace(0, 1.0));
    assert_within(&with, &laplace(0, 1.0), &claim, 1e-12);
    // Without sampling it is far more than that, and the claim is tight.
    assert!(violates(&laplace(1, 1.0), &laplace(0, 1.0), &claim));
    let true_delta = hockey_stick(&with, &laplace(0, 1.0), 0.1).upper();
    assert!(claim.delta(0.1).unwrap().upper < true_delta + 1e-9);
    let world = |world: bool, entropy: &mut SeededEntropy| {
        let answer = answer_slice(&sampled, [i64::from(world), 0, 0], entropy);
        answer.clamp(-5, 6)
    };
    assert!(audit::refute(40_000, 3, &claim, world).is_none());
    // A sampler that keeps too much is found: the power against rate 1 for 1/4.
    let whole = Sampled::new(Rational::ONE, Count::laplace("1", AddRemove)).unwrap();
    let world = |world: bool, entropy: &mut SeededEntropy| {
        answer_slice(&whole, [i64::from(world), 0, 0], entropy).clamp(-5, 6)
    };
    assert!(audit::refute(40_000, 4, &claim, world).is_some());
}

#[test]
fn shuffled_batches_claimed_as_poisson_samples_are_refuted() {
    let count = Count::laplace("1/4", AddRemove);
    let sampled = Sampled::new(rational("1/2"), count.clone()).unwrap();
    let twice = Sequence::new(vec![sampled.clone(), sampled]).unwrap();
    let claim = loss(&twice.spec(), AddRemove);
    let bin = |x: i64| x.clamp(-1, 2);
    let found = audit::refute(20_000, 1, &claim, |world, entropy| {
        let answers = answer_slice(&twice, [i64::from(world)], entropy);
        (bin(answers[0]), bin(answers[1]))
    });
    assert!(found.is_none(), "{found:?}");
    let coin = Bernoulli::new(&rational("1/2")).unwrap();
    let found = audit::refute(20_000, 2, &claim, |world, entropy| {
        // The record is in exactly one of the two batches.
        let first = coin.draw(entropy).unwrap();
        let mut batch = |here: bool| bin(answer_slice(&count, [i64::from(world && here)], entropy));
        (batch(first), batch(!first))
    });
    assert!(found.is_some());
}

#[test]
fn coins_are_fair() {
    let entropy = &mut SeededEntropy::new(9);
    let none = Noise::laplace(
        &rational("1/1000"),
        &Sensitivity::<L1>::of(Rational::ONE, AddRemove).unwrap(),
        Grid::WHOLE,
    );
    let count = Count(none.unwrap());
    let kept = |rate: &str, entropy: &mut SeededEntropy| {
        let sampled = Sampled::new(rational(rate), count.clone()).unwrap();
        answer_slice(&sampled, [1; 30_000], entropy)
    };
    assert_eq!((kept("0", entropy), kept("1", entropy)), (0, 30_000));
    for (rate, p) in [("1/3", 1.0 / 3.0), ("1/100", 0.01), ("0.999", 0.999)] {
        let seen = u64::try_from(kept(rate, entropy)).unwrap();
        assert!(audit::lower_bound(seen, 30_000, 1e-10) < p, "{rate} {seen}");
        assert!(audit::upper_bound(seen, 30_000, 1e-10) > p, "{rate} {seen}");
    }
    // 2^-64 and less is a chance too.
    assert_eq!(kept("1/36893488147419103232", entropy), 0);
    for wrong in ["-1/2", "3/2"] {
        assert!(Sampled::new(rational(wrong), count.clone()).is_err());
    }
}

#[test]
fn a_batch_has_the_law_that_is_claimed() {
    let count = Count::laplace("1", Replace);
    let batched = Batched::new(1, 3, count.clone()).unwrap();
    let claim = loss(&batched.spec(), Replace);
    // One record of three is replaced, 0 by 1; the others are 0.
    let with = mixture(1.0 / 3.0, &laplace(1, 1.0), &laplace(0, 1.0));
    assert_within(&with, &laplace(0, 1.0), &claim, 1e-12);
    let found = audit::refute(30_000, 1, &claim, |world, entropy| {
        answer_slice(&batched, [0, i64::from(world), 0], entropy).clamp(-5, 6)
    });
    assert!(found.is_none(), "{found:?}");
    // Always the same batch, claimed as random.
    let found = audit::refute(30_000, 2, &claim, |world, entropy| {
        answer_slice(&count, [i64::from(world)], entropy).clamp(-5, 6)
    });
    assert!(found.is_some());
    assert!(Batched::new(0, 3, count.clone()).is_err());
    assert!(Batched::new(4, 3, count.clone()).is_err());
    assert!(Batched::new(1, 3, Count::laplace("1", AddRemove)).is_err());
    let four = Sensitive::new([0; 4]);
    let run =
        batched.run(four.as_slice(), crate::support::free(&batched), &mut SeededEntropy::new(1));
    assert!(matches!(run, Err(MechanismError::Invalid { .. })));
}

/// Even records are in part 0, odd ones in part 1, others in none.
fn parity(record: &i64) -> usize {
    match record {
        0..=1000 => usize::try_from(record % 2).unwrap(),
        _ => 1000,
    }
}

#[test]
fn under_replace_a_record_may_change_two_parts() {
    let parts = || vec![Count::laplace("2", AddRemove), Count::laplace("3", AddRemove)];
    let both = Partitioned::new(parts(), parity, Replace).unwrap();
    let claim = loss(&both.spec(), Replace);
    // Record 2 (part 0) becomes record 3 (part 1), or stays in its part.
    let at = |a, b| product(&laplace(a, 2.0), &laplace(b, 3.0));
    let worlds = [at(1, 0), at(0, 1), at(0, 0), at(1, 1)];
    let slack = 1e-8;
    for (p, q) in [(0, 1), (1, 0), (2, 0), (2, 1), (3, 0)] {
        assert_within(&worlds[p], &worlds[q], &claim, slack);
    }
    // The worst part alone is too small a claim ...
    let worst = loss(&Count::laplace("2", AddRemove).spec(), AddRemove);
    assert!(violates(&worlds[0], &worlds[1], &worst));
    // ... but right if records come and go.
    let single = Partitioned::new(parts(), parity, AddRemove).unwrap();
    let claim = loss(&single.spec(), AddRemove);
    for (p, q) in [(0, 2), (1, 2), (3, 0), (3, 1)] {
        assert_within(&worlds[p], &worlds[q], &claim, slack);
    }
    let found = audit::refute(30_000, 7, &claim, |world, entropy| {
        let answers = answer_slice(&single, [3, 2 * i64::from(world), 5000, -1], entropy);
        (answers[0].clamp(-6, 6), answers[1].clamp(-1, 2))
    });
    assert!(found.is_none(), "{found:?}");
}

#[test]
fn two_parts_that_each_leak_leak_more_together() {
    let both = Partitioned::new(vec![Leak, Leak], parity, AddRemove).unwrap();
    let claim = loss(&both.spec(), AddRemove);
    // Exactly: each part shows its records with chance 1/10.
    let law = |parts: [&'static str; 2]| -> Law<(&'static str, &'static str)> {
        let one = |shown| -> Law<&'static str> {
            [("", point(0.9)), (shown, point(0.1))].into_iter().collect()
        };
        product(&one(parts[0]), &one(parts[1]))
    };
    // A record comes: 0.1. A record moves from part to part: 0.19.
    assert_within(&law(["2", "-"]), &law(["-", "-"]), &claim, 1e-12);
    let moved = hockey_stick(&law(["2", "-"]), &law(["-", "3"]), 0.0);
    assert!(moved.lower() > 0.18999 && moved.upper() < 0.19001);
    assert!(violates(&law(["2", "-"]), &law(["-", "3"]), &claim));
    // So it is refused under replace, here and by the accountant.
    assert!(Partitioned::new(vec![Leak, Leak], parity, Replace).is_err());
    assert!(PrivacyLoss::of_spec(&both.spec(), Replace, Accuracy::default()).is_err());
}

#[test]
fn parts_without_a_proof_are_refused() {
    let cells = PerCell::of(1, Rational::ONE, AddRemove).unwrap();
    let cells = Count(Noise::gaussian_per_cell(&rational("3"), &cells, Grid::WHOLE).unwrap());
    let norm = Sensitivity::<L2>::of(Rational::ONE, AddRemove).unwrap();
    let norm = Count(Noise::gaussian(&rational("3"), &norm, Grid::WHOLE).unwrap());
    let parts = |count: &Count| vec![count.clone(), count.clone()];
    assert!(Partitioned::new(parts(&cells), parity, AddRemove).is_ok());
    assert!(Partitioned::new(parts(&cells), parity, Replace).is_err());
    assert!(Partitioned::new(parts(&norm), parity, Replace).is_ok());
    assert!(Partitioned::new(parts(&norm), parity, ZeroOut).is_err());
    for under in [Replace, ZeroOut] {
        let part = Count::laplace("1", under);
        assert!(Partitioned::new(parts(&part), parity, AddRemove).is_err());
        assert!(Partitioned::new(parts(&part), parity, under).is_err());
        assert!(Sampled::new(rational("1/2"), part).is_err());
    }
    let mixed = vec![Count::laplace("1", AddRemove), Count::laplace("1", Replace)];
    assert!(Partitioned::new(mixed.clone(), parity, AddRemove).is_err());
    assert!(Sequence::new(mixed).is_err());
    assert!(Sequence::<Count>::new(vec![]).is_err());
    assert!(Partitioned::new(Vec::<Count>::new(), parity, AddRemove).is_err());
    assert!(Both::new(Count::laplace("1", AddRemove), Count::laplace("1", Replace)).is_err());
    assert!(Grouped::new(2, cells.clone()).is_err() && Grouped::new(1, cells).is_ok());
    assert!(Grouped::new(0, norm.clone()).is_err() && Grouped::new(2, norm).is_ok());
    let same = |x: &i64| *x;
    assert!(Preprocessed::new(same, Count::laplace("1", ZeroOut)).is_err());
}

#[test]
fn a_group_has_the_law_that_is_claimed() {
    let pair = Grouped::new(2, Count::laplace("2", AddRemove)).unwrap();
    let claim = loss(&pair.spec(), AddRemove);
    assert_within(&laplace(2, 2.0), &laplace(0, 2.0), &claim, 1e-12);
    let one = loss(&Count::laplace("2", AddRemove).spec(), AddRemove);
    assert!(violates(&laplace(2, 2.0), &laplace(0, 2.0), &one));
    let found = audit::refute(20_000, 1, &claim, |world, entropy| {
        answer_slice(&pair, [i64::from(world); 2], entropy).clamp(-8, 9)
    });
    assert!(found.is_none(), "{found:?}");
}

#[test]
fn both_are_composed_and_maps_come_first() {
    let both = Both::new(Count::laplace("2", AddRemove), Count::laplace("3", AddRemove)).unwrap();
    assert_eq!(both.spec().to_string(), "discrete_laplace(scale=2) + discrete_laplace(scale=3)");
    let claim = loss(&both.spec(), AddRemove);
    let at = |n| product(&laplace(n, 2.0), &laplace(n, 3.0));
    assert_within(&at(1), &at(0), &claim, 1e-8);
    let entropy = &mut SeededEntropy::new(5);
    let (one, two) = answer_slice(&both, [1; 1000], entropy);
    assert!((one - 1000).abs() < 100 && (two - 1000).abs() < 150);
    let negated = Preprocessed::new(|x: &i64| -x, Count::laplace("2", AddRemove)).unwrap();
    assert_eq!(negated.spec(), Count::laplace("2", AddRemove).spec());
    assert!(answer_slice(&negated, [1; 1000], entropy).abs() < 100);
    assert!((answer_slice(&negated, [-1; 1000], entropy) - 1000).abs() < 100);
    let counts = Sensitivity::<L1>::of(Rational::ONE, AddRemove).unwrap();
    let noise = |s: &Sensitivity<L1>| Noise::laplace(&rational("4"), s, Grid::WHOLE);
    let double = |v: &[i64]| v.iter().map(|x| 2 * x).collect();
    let doubled = Transformed::new(double, &rational("2"), &counts, noise).unwrap();
    assert_eq!(doubled.spec().to_string(), "discrete_laplace(scale=4, sensitivity=2)");
    assert!((answer_slice(&doubled, [500], entropy).steps()[0] - 1000).abs() < 200);
    assert!(Transformed::new(double, &rational("-1"), &counts, noise).is_err());
}

#[test]
fn an_analyst_chooses_as_long_as_the_budget_lasts() {
    let mut budget = Budget::pure(rational("2"), AddRemove).unwrap();
    let data = Sensitive::new([1; 100]);
    let entropy = &mut SeededEntropy::new(5);
    let mut analyst = Analyst::new(&mut budget, data.as_slice(), entropy);
    let first = analyst.ask(&Count::laplace("2", AddRemove)).unwrap();
    let next = if *first.value() > 50 { "1" } else { "2" };
    let second = analyst.ask(&Count::laplace(next, AddRemove)).unwrap();
    assert_eq!(analyst.budget().remaining().to_string(), "epsilon = 0.5");
    assert!(analyst.ask(&Count::laplace("1", AddRemove)).is_err());
    assert!(analyst.ask(&Count::laplace("2", Replace)).is_err());
    assert_eq!(analyst.budget().remaining().to_string(), "epsilon = 0.5");
    let joined = first.zip(second).unwrap();
    assert!(joined.guarantee().epsilon(1e-9).unwrap().upper <= 1.5 + 1e-9);
}
