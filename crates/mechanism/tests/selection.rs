//! Selection: exact laws on all small scores and all neighbours, vectors, hostile scores.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::cast_precision_loss,
    reason = "tests may fail, and compare with plain numbers"
)]

use crate::support::choice::{Claim, by_energy, refuted};
use crate::support::exact::Law;
use crate::support::{answer, answer_slice, audit, loss, rational};
use proptest::prelude::*;
use throng_mechanism::selection::{
    Domain, Exponential, Landscape, NoisyMax, OnLine, PermuteAndFlip, ScoreChange, Top,
};
use throng_mechanism::{Clamp, Grid, Mechanism, MechanismError, Neighbours};
use throng_numeric::{Enclosure, Rational};
use throng_sample::SeededEntropy;

const RELATION: Neighbours = Neighbours::AddRemove;

fn within(kappa: i32) -> ScoreChange {
    ScoreChange::within(&kappa.into(), RELATION).unwrap()
}

fn monotone(kappa: i32) -> ScoreChange {
    ScoreChange::monotone(&kappa.into(), RELATION).unwrap()
}

fn energies(scores: &[i64], rate: &Rational) -> Vec<(usize, Rational)> {
    (0..).zip(scores.iter().map(|s| -(rate * &Rational::from(*s)))).collect()
}

fn exponential(scores: &[i64], rate: &Rational) -> Law<usize> {
    by_energy(energies(scores, rate))
}

/// By the definition: the mean over all orders.
fn permute_and_flip(scores: &[i64], rate: &Rational) -> Law<usize> {
    let best = *scores.iter().max().unwrap();
    let heads = |i: usize| {
        let gap = Rational::from(i128::from(best) - i128::from(scores[i]));
        (-Enclosure::of_rational(&(rate * &gap))).exp()
    };
    let mut law: Law<usize> = (0..scores.len()).map(|i| (i, Enclosure::ZERO)).collect();
    let orders = orders((0..scores.len()).collect());
    let share = Enclosure::ONE / Enclosure::of_rational(&Rational::from(orders.len() as u64));
    for order in orders {
        let mut reached = share;
        for i in order {
            *law.get_mut(&i).unwrap() = law[&i] + reached * heads(i);
            reached = reached * (Enclosure::ONE - heads(i)).max(Enclosure::ZERO);
        }
    }
    law
}

fn orders(left: Vec<usize>) -> Vec<Vec<usize>> {
    if left.is_empty() {
        return vec![vec![]];
    }
    let with = |i: usize| {
        let rest = left.iter().filter(|j| **j != i).copied().collect();
        orders(rest).into_iter().map(move |mut order| {
            order.push(i);
            order
        })
    };
    left.iter().copied().flat_map(with).collect()
}

/// Discrete Laplace noise, first of equals: sum over the winning value; what is beyond 30 scales, a
/// chance below 1e-12, is left out.
fn noisy_max(scores: &[i64], scale: &Rational) -> Law<usize> {
    let far = i64::try_from((scale * &Rational::from(30)).ceil()).unwrap() + 3;
    let fall = (-(Enclosure::ONE / Enclosure::of_rational(scale))).exp();
    let point = (Enclosure::ONE - fall) / (Enclosure::ONE + fall);
    let power = |n: i64| fall.powi(i32::try_from(n).unwrap());
    let pmf = |k: i64| point * power(k.abs());
    // P(Z <= k).
    let upto = |k: i64| {
        if k < 0 {
            power(-k) / (Enclosure::ONE + fall)
        } else {
            Enclosure::ONE - power(k + 1) / (Enclosure::ONE + fall)
        }
    };
    let chance = |i: usize| {
        (-far..=far).fold(Enclosure::ZERO, |sum, v| {
            let others = (0..scores.len()).filter(|j| *j != i);
            let all = others
                .fold(pmf(v - scores[i]), |all, j| all * upto(v - scores[j] - i64::from(j < i)));
            sum + all
        })
    };
    (0..scores.len()).map(|i| (i, chance(i))).collect()
}

/// All score vectors of three in 0..=2.
fn vectors() -> Vec<[i64; 3]> {
    let one = || 0..=2_i64;
    one().flat_map(|a| one().flat_map(move |b| one().map(move |c| [a, b, c]))).collect()
}

/// Whether b can be a neighbour of a.
fn neighbours(a: &[i64; 3], b: &[i64; 3], kappa: i64, monotone: bool) -> bool {
    let change: Vec<_> = a.iter().zip(b).map(|(a, b)| b - a).collect();
    let near = change.iter().all(|d| d.abs() <= kappa);
    let same = change.iter().all(|d| *d >= 0) || change.iter().all(|d| *d <= 0);
    near && (!monotone || same)
}

fn check_all(
    claim: &impl Mechanism,
    kappa: i64,
    monotone: bool,
    law: impl Fn(&[i64]) -> Law<usize>,
) {
    let claim = Claim::of(&claim.spec(), RELATION);
    let laws: Vec<_> = vectors().into_iter().map(|v| (v, law(&v))).collect();
    for (a, p) in &laws {
        for (_, q) in laws.iter().filter(|(b, _)| a < b && neighbours(a, b, kappa, monotone)) {
            assert!(!claim.is_broken(p, q, 1e-9));
        }
    }
}

fn refutes_some(
    claim: &impl Mechanism,
    kappa: i64,
    monotone: bool,
    law: impl Fn(&[i64]) -> Law<usize>,
) -> bool {
    let claim = Claim::of(&claim.spec(), RELATION);
    let laws: Vec<_> = vectors().into_iter().map(|v| (v, law(&v))).collect();
    laws.iter().any(|(a, p)| {
        laws.iter().any(|(b, q)| neighbours(a, b, kappa, monotone) && claim.is_broken(p, q, 0.0))
    })
}

#[test]
fn laws_on_all_small_neighbours_keep_the_claim() {
    for epsilon in ["1/2", "1", "3"].map(rational) {
        for (kappa, one_way) in [(1, false), (1, true), (2, false), (2, true)] {
            let change = if one_way { monotone(kappa) } else { within(kappa) };
            let kappa = i64::from(kappa);
            let m = Exponential::new(3, &epsilon, &change).unwrap();
            check_all(&m, kappa, one_way, |s| exponential(s, m.rate()));
            let m = PermuteAndFlip::new(3, &epsilon, &change).unwrap();
            check_all(&m, kappa, one_way, |s| permute_and_flip(s, m.rate()));
            let m = NoisyMax::new(3, &epsilon, &change).unwrap();
            check_all(&m, kappa, one_way, |s| noisy_max(s, m.scale()));
        }
    }
}

/// A missing factor 2, and a claim that scores move the same way when they do not, are seen.
#[test]
fn a_missing_factor_and_a_wrong_claim_of_monotony_are_caught() {
    let one = rational("1");
    let wrong = Exponential::new(3, &one, &monotone(1)).unwrap();
    assert!(refutes_some(&wrong, 1, false, |s| exponential(s, wrong.rate())));
    assert!(!refutes_some(&wrong, 1, true, |s| exponential(s, wrong.rate())));
    let wrong = PermuteAndFlip::new(3, &one, &monotone(1)).unwrap();
    assert!(refutes_some(&wrong, 1, false, |s| permute_and_flip(s, wrong.rate())));
    let wrong = NoisyMax::new(3, &one, &monotone(1)).unwrap();
    assert!(refutes_some(&wrong, 1, false, |s| noisy_max(s, wrong.scale())));
    let right = Exponential::new(3, &one, &within(1)).unwrap();
    let twice = right.rate() + right.rate();
    assert!(refutes_some(&right, 1, false, |s| exponential(s, &twice)));
    let right = Exponential::new(3, &one, &monotone(1)).unwrap();
    let twice = right.rate() + right.rate();
    assert!(refutes_some(&right, 1, true, |s| exponential(s, &twice)));
}

/// The loss of the exponential mechanism has a range of at most epsilon, and some pair reaches it; that
/// of permute-and-flip has more, so it must not be described as `exponential`.
#[test]
fn permute_and_flip_is_not_of_bounded_range() {
    let range = |p: &Law<usize>, q: &Law<usize>| {
        let losses = p.iter().map(|(i, p)| (*p / q[i]).ln().unwrap());
        let (low, high) = losses
            .fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(z.upper()), high.max(z.lower())));
        high - low
    };
    let m = Exponential::new(3, &1.into(), &within(1)).unwrap();
    let widest = |law: &dyn Fn(&[i64]) -> Law<usize>| {
        let pairs = vectors().into_iter().flat_map(|a| vectors().into_iter().map(move |b| (a, b)));
        let near = pairs.filter(|(a, b)| neighbours(a, b, 1, false));
        near.map(|(a, b)| range(&law(&a), &law(&b))).fold(0.0, f64::max)
    };
    let exponential = widest(&|s| exponential(s, m.rate()));
    assert!((0.999_999..=1.0).contains(&exponential), "{exponential}");
    assert!(widest(&|s| permute_and_flip(s, m.rate())) > 1.05);
}

#[test]
fn known_chances_and_what_is_drawn() {
    let scores = [3, 2, 0];
    let m = Exponential::new(3, &1.into(), &within(1)).unwrap();
    let law = exponential(&scores, m.rate());
    for (i, p) in
        [0.546_549_387_266_18, 0.331_498_960_424_092, 0.121_951_652_309_729].iter().enumerate()
    {
        assert!((law[&i].lower() - p).abs() < 1e-14);
    }
    let entropy = &mut SeededEntropy::new(1);
    let drawn: Vec<_> = (0..40_000).map(|_| answer_slice(&m, scores, entropy)).collect();
    assert!(!refuted(&law, drawn.iter().copied()));
    let pf = PermuteAndFlip::new(3, &1.into(), &within(1)).unwrap();
    let flip = permute_and_flip(&scores, pf.rate());
    for (i, p) in
        [0.630_281_351_148_339, 0.280_709_449_316_881, 0.089_009_199_534_779_5].iter().enumerate()
    {
        assert!((flip[&i].lower() - p).abs() < 1e-14);
    }
    assert!(refuted(&flip, drawn), "the two laws are told apart");
    let drawn: Vec<_> = (0..40_000).map(|_| answer_slice(&pf, scores, entropy)).collect();
    assert!(!refuted(&flip, drawn));
    let noisy = NoisyMax::new(3, &1.into(), &within(1)).unwrap();
    let drawn: Vec<_> = (0..40_000).map(|_| answer_slice(&noisy, [1, 2, 0], entropy)).collect();
    let law = noisy_max(&[1, 2, 0], noisy.scale());
    assert!(!refuted(&law, drawn.iter().copied()));
    // The last of equals, instead of the first, is another law.
    let mut last = noisy_max(&[0, 2, 1], noisy.scale());
    let (first, third) = (last[&2], last[&0]);
    last.extend([(0, first), (2, third)]);
    assert!(refuted(&last, drawn));
}

/// An audit of the whole mechanism by sampling, on the worst neighbours of (1, 1).
#[test]
fn an_audit_accepts_the_rate_and_refutes_twice_of_it() {
    let right = Exponential::new(2, &1.into(), &within(1)).unwrap();
    let wrong = Exponential::new(2, &2.into(), &within(1)).unwrap();
    let claim = loss(&right.spec(), RELATION);
    let scores = |world: bool| if world { [2, 0] } else { [1, 1] };
    let found = audit::refute(40_000, 12, &claim, |w, e| answer_slice(&right, scores(w), e));
    assert!(found.is_none(), "{found:?}");
    let found = audit::refute(40_000, 13, &claim, |w, e| answer_slice(&wrong, scores(w), e));
    assert!(found.is_some());
}

/// The law of peeling.
fn peeled(scores: &[i64], k: usize, rate: &Rational) -> Law<Vec<usize>> {
    let mut law: Law<Vec<usize>> = [(vec![], Enclosure::ONE)].into();
    for _ in 0..k {
        let mut longer = Law::new();
        for (chosen, p) in law {
            let left = energies(scores, rate).into_iter().filter(|(i, _)| !chosen.contains(i));
            for (i, q) in by_energy(left) {
                let mut chosen = chosen.clone();
                chosen.push(i);
                longer.insert(chosen, p * q);
            }
        }
        law = longer;
    }
    law
}

#[test]
fn the_best_two_are_peeled_and_keep_the_claim() {
    let m = Top::new(2, 3, &1.into(), &within(1)).unwrap();
    assert_eq!(m.spec().to_string(), "2 * exponential(eps=0.5)");
    let claim = Claim::of(&m.spec(), RELATION);
    let laws: Vec<_> = vectors().into_iter().map(|v| (v, peeled(&v, 2, m.rate()))).collect();
    let (mut kept, mut caught) = (0, 0);
    for (a, p) in &laws {
        for (b, q) in laws.iter().filter(|(b, _)| neighbours(a, b, 1, false)) {
            assert!(!claim.is_broken(p, q, 0.0));
            kept += 1;
            // With all of epsilon in each round.
            let all = m.rate() + m.rate();
            caught += i32::from(claim.is_broken(&peeled(a, 2, &all), &peeled(b, 2, &all), 0.0));
        }
    }
    assert!(kept > 100 && caught > 0);
    let entropy = &mut SeededEntropy::new(4);
    let scores = [1, 5, 1];
    let drawn = (0..30_000).map(|_| answer_slice(&m, scores, entropy));
    assert!(!refuted(&peeled(&scores, 2, m.rate()), drawn));
}

#[test]
fn gaps_hold_and_are_not_generous() {
    // The worst case: one best and all others just beyond the gap.
    for (candidates, beta) in [(2, 0.3), (10, 0.05), (1000, 1e-6)] {
        let m = Exponential::new(candidates, &1.into(), &within(1)).unwrap();
        let gap = m.gap(1.0 - beta).unwrap();
        let weight = (candidates as f64 - 1.0) * (-gap / 2.0).exp();
        let chance = weight / (1.0 + weight);
        let near = 0.999 * beta..=(1.0 + 1e-9) * beta;
        assert!(near.contains(&chance), "{chance} at {beta}");
        assert!(gap <= 2.0 * ((candidates as f64).ln() - beta.ln()));
        assert!(
            PermuteAndFlip::new(candidates, &1.into(), &within(1))
                .unwrap()
                .gap(1.0 - beta)
                .unwrap()
                <= gap
        );
        assert!(
            Top::new(1, candidates, &1.into(), &within(1)).unwrap().gap(1.0 - beta).unwrap() >= gap
        );
    }
    let alone = Exponential::new(1, &1.into(), &within(1)).unwrap();
    assert!(alone.gap(0.95).unwrap() == 0.0 && alone.gap(1.0).is_err());
    let m = NoisyMax::new(5, &1.into(), &within(1)).unwrap();
    let gap = m.gap(0.9).unwrap();
    let entropy = &mut SeededEntropy::new(5);
    let behind = [100, 99, 98, 97, 0];
    let missed =
        (0..2_000).filter(|_| (100 - behind[answer_slice(&m, behind, entropy)]) as f64 > gap);
    assert!(missed.count() < 300);
}

#[test]
fn hostile_scores_and_parameters() {
    let entropy = &mut SeededEntropy::new(6);
    let extremes = [i64::MIN, i64::MAX, 0, i64::MAX, -1];
    let (one, many) = (rational("1"), rational("1e-30"));
    for epsilon in [&one, &many, &rational("1e6")] {
        let e = Exponential::new(5, epsilon, &within(1)).unwrap();
        let pf = PermuteAndFlip::new(5, epsilon, &within(1)).unwrap();
        let nm = NoisyMax::new(5, epsilon, &within(1)).unwrap();
        let top = Top::new(5, 5, epsilon, &within(1)).unwrap();
        for _ in 0..20 {
            let chosen = [
                answer_slice(&e, extremes, entropy),
                answer_slice(&pf, extremes, entropy),
                answer_slice(&nm, extremes, entropy),
            ];
            assert!(chosen.iter().all(|i| *i < 5 && (epsilon == &many || [1, 3].contains(i))));
            let mut all = answer_slice(&top, extremes, entropy);
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3, 4]);
        }
    }
    let invalid = |r: Result<Exponential, MechanismError>| {
        assert!(matches!(r, Err(MechanismError::Invalid { .. })));
    };
    invalid(Exponential::new(0, &one, &within(1)));
    invalid(Exponential::new(3, &rational("0"), &within(1)));
    invalid(Exponential::new(3, &rational("-1"), &within(1)));
    assert!(Top::new(0, 3, &one, &within(1)).is_err() && Top::new(4, 3, &one, &within(1)).is_err());
    assert!(ScoreChange::within(&0.into(), RELATION).is_err());
    assert!(matches!(
        ScoreChange::monotone(&1.into(), Neighbours::Replace),
        Err(MechanismError::Refused { .. })
    ));
    let long = Rational::from(throng_numeric::Natural::ONE << 5000);
    assert!(ScoreChange::spanning(long, RELATION).is_err());
}

#[test]
fn the_number_of_scores_is_that_of_the_candidates() {
    let m = Exponential::new(3, &1.into(), &within(1)).unwrap();
    let entropy = &mut SeededEntropy::new(7);
    let short = throng_mechanism::Sensitive::new([1, 2]);
    assert!(m.run(short.as_slice(), crate::support::free(&m), entropy).is_err());
}

fn on_line(domain: Domain, change: &ScoreChange) -> OnLine {
    OnLine::new(domain, &1.into(), change).unwrap()
}

#[test]
fn a_score_on_an_interval_is_drawn_by_its_weights() {
    let clamp = Clamp::new(&(-4).into(), &6.into(), Grid::WHOLE).unwrap();
    let m = on_line(Domain::Interval(clamp), &within(1));
    let entropy = &mut SeededEntropy::new(8);
    // Linear from (-9, -7) to (0, 2), steps at 2 and 3, constant beyond.
    let score = Landscape::through([(-9, -7), (0, 2), (1, 5), (2, 5), (3, -1)]);
    let value = |y: i64| match y {
        ..=0 => y + 2,
        1 | 2 => 5,
        _ => -1,
    };
    let law = by_energy((-4..=6).map(|y| (y, -(m.rate() * &Rational::from(value(y))))));
    let drawn: Vec<_> = (0..40_000).map(|_| answer(&m, score.clone(), entropy)).collect();
    assert!(!refuted(&law, drawn.iter().copied()));
    let other = by_energy(
        (-4..=6).map(|y| (y, -(m.rate() * &Rational::from(value(y) - i64::from(y == 2))))),
    );
    assert!(refuted(&other, drawn));
    let flat = by_energy((-4..=6).map(|y| (y, Rational::ZERO)));
    let drawn = (0..20_000).map(|_| answer(&m, Landscape::default(), entropy));
    assert!(!refuted(&flat, drawn));
    assert!(m.gap(0.9).unwrap().is_some());
}

#[test]
fn a_location_on_all_integers_is_discrete_laplace() {
    let m = on_line(Domain::Line { grid: Grid::WHOLE, fall: 1.into() }, &within(1));
    let entropy = &mut SeededEntropy::new(9);
    let law = by_energy((-200..=200).map(|y: i64| (y, m.rate() * &Rational::from((y - 3).abs()))));
    let bin = |y: i64| y.clamp(-5, 11);
    let mut binned: Law<i64> = Law::new();
    for (y, p) in law {
        let sum = binned.entry(bin(y)).or_insert(Enclosure::ZERO);
        *sum = *sum + p;
    }
    let drawn = (0..40_000).map(|_| bin(answer(&m, Landscape::through([(3, 0)]), entropy)));
    assert!(!refuted(&binned, drawn));
    assert!(m.gap(0.9).unwrap().is_none());
    let level = Domain::Line { grid: Grid::WHOLE, fall: 0.into() };
    assert!(OnLine::new(level, &1.into(), &within(1)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Whatever the knots are, a point of the domain is drawn.
    #[test]
    fn any_landscape_has_an_answer(
        knots in proptest::collection::vec((any::<i64>(), any::<i64>()), 0..6),
        near in proptest::collection::vec((-20..20_i64, -20..20_i64), 0..6),
        seed: u64,
    ) {
        let clamp = Clamp::new(&(-5).into(), &9.into(), Grid::WHOLE).unwrap();
        let domains = [Domain::Interval(clamp), Domain::Line { grid: Grid::WHOLE, fall: rational("1/1000") }];
        let entropy = &mut SeededEntropy::new(seed);
        for domain in domains {
            let bounded = matches!(domain, Domain::Interval(_));
            let m = on_line(domain, &within(1));
            let score = Landscape::through(knots.iter().chain(&near).copied());
            let y = answer(&m, score, entropy);
            prop_assert!(!bounded || (-5..=9).contains(&y));
        }
    }
}
