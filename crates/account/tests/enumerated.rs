//! Random small pairs against exact enumeration in rational arithmetic.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use proptest::collection::vec;
use proptest::prelude::*;
use throng_account::{Accuracy, Bracket, Direction, Leaf, MechanismSpec, Neighbours, PrivacyLoss};
use throng_numeric::{Enclosure, Rational};

/// Outcomes with their chances in the two worlds.
type Pair = Vec<(Rational, Rational)>;

fn product(a: &Pair, b: &Pair) -> Pair {
    a.iter().flat_map(|(p, q)| b.iter().map(move |(r, s)| (p * r, q * s))).collect()
}

fn power(pair: &Pair, times: u64) -> Pair {
    (1..times).fold(pair.clone(), |all, _| product(&all, pair))
}

fn swapped(pair: &Pair) -> Pair {
    pair.iter().map(|(p, q)| (q.clone(), p.clone())).collect()
}

/// The public choice between pairs: outcomes are kept apart.
fn mixed(parts: &[(Rational, Pair)]) -> Pair {
    let scaled = |(chance, pair): &(Rational, Pair)| {
        pair.iter().map(|(p, q)| (p * chance, q * chance)).collect::<Pair>()
    };
    parts.iter().flat_map(scaled).collect()
}

/// The unit takes part with chance `rate`: ((1 - rate) Q + rate P, Q).
fn sampled(rate: &Rational, pair: &Pair) -> Pair {
    let rest = &Rational::ONE - rate;
    pair.iter().map(|(p, q)| (&(&rest * q) + &(rate * p), q.clone())).collect()
}

/// Σ (p - γ q)_+.
fn hockey_stick(pair: &Pair, gamma: &Rational) -> Rational {
    pair.iter().fold(Rational::ZERO, |sum, (p, q)| {
        let excess = p - &(gamma * q);
        if excess.is_positive() { &sum + &excess } else { sum }
    })
}

/// The least miss rate of a test with false-alarm rate alpha: reject outcomes of largest p/q
/// first, a part of the last one. Q is the world of false alarms.
fn least_miss_rate(pair: &Pair, alpha: &Rational) -> Rational {
    let mut outcomes = pair.clone();
    // What neither world produces has no likelihood ratio.
    outcomes.retain(|(p, q)| p.is_positive() || q.is_positive());
    outcomes.sort_by(|(p, q), (r, s)| (r * q).cmp(&(p * s)));
    let (mut left, mut miss) = (alpha.clone(), Rational::ONE);
    for (p, q) in &outcomes {
        if q <= &left {
            left = &left - q;
            miss = &miss - p;
        } else {
            let part = left.checked_div(q).unwrap();
            return &miss - &(&part * p);
        }
    }
    miss
}

/// Whether the bracket at ln γ, which is no floating-point number, holds what is exact at γ:
/// from the left of it δ is larger, from the right smaller.
fn check_delta(loss: &PrivacyLoss, direction: Direction, pair: &Pair, gamma: &Rational) {
    let epsilon = Enclosure::of_rational(gamma).ln().unwrap();
    let exact = hockey_stick(pair, gamma);
    let above = loss.delta_in(direction, epsilon.lower()).unwrap();
    let below = loss.delta_in(direction, epsilon.upper()).unwrap();
    let name = format!("{direction:?} at ln {gamma}: {exact} ~ {}", exact.to_f64_nearest());
    assert!(above.lower <= above.upper && below.lower <= below.upper, "{name}: {above} {below}");
    assert!(above.upper >= exact.to_f64_down(), "{name}: {above} is too small");
    assert!(below.lower <= exact.to_f64_up(), "{name}: {below} is too large");
    let slack = 1e-4 * above.upper + 1e-15;
    assert!(above.upper - below.lower <= slack, "{name}: {above} to {below} is wide");
}

/// The worse of both directions is the convex curve below both.
fn check_miss_rate(loss: &PrivacyLoss, pair: &Pair, alpha: &Rational) {
    let worlds = [(Direction::Remove, pair.clone()), (Direction::Add, swapped(pair))];
    let x = alpha.to_f64_nearest();
    let mut least = f64::INFINITY;
    for (direction, pair) in worlds {
        let exact = least_miss_rate(&pair, alpha).to_f64_nearest();
        least = least.min(exact);
        let found = loss.miss_rate_in(direction, x).unwrap();
        let holds = found.lower <= exact + 1e-15 && exact - 1e-15 <= found.upper;
        assert!(holds, "{direction:?} at {alpha}: {found} misses {exact}");
    }
    let both = loss.miss_rate(x).unwrap();
    assert!(both.lower <= least + 1e-15 && both.lower <= both.upper, "at {alpha}: {both} {least}");
}

fn loss(spec: &MechanismSpec) -> PrivacyLoss {
    PrivacyLoss::of_spec(spec, Neighbours::AddRemove, Accuracy { width: 1e-6 }).unwrap()
}

fn leaf(pair: &Pair) -> MechanismSpec {
    let (p, q) = pair.iter().cloned().unzip();
    MechanismSpec::Leaf(Leaf::Discrete { p, q })
}

fn chances(length: usize) -> impl Strategy<Value = Vec<Rational>> {
    let weight = prop_oneof![4 => 1_u64..=12, 1 => Just(0_u64), 1 => 100_u64..=1000];
    (vec(weight, length), 0..length).prop_map(|(mut weights, sure)| {
        weights[sure] += 1;
        let total: u64 = weights.iter().sum();
        weights.into_iter().map(|w| Rational::new(w, total).unwrap()).collect()
    })
}

fn pair() -> impl Strategy<Value = Pair> {
    (2_usize..=4)
        .prop_flat_map(|n| (chances(n), chances(n)))
        .prop_map(|(p, q)| p.into_iter().zip(q).collect())
}

fn gamma() -> impl Strategy<Value = Rational> {
    prop_oneof![
        (1_u64..=40, 1_u64..=20).prop_map(|(n, d)| Rational::new(n, d).unwrap()),
        (1_u64..=5000, 1_u64..=7).prop_map(|(n, d)| Rational::new(n, d).unwrap()),
    ]
}

fn check(spec: &MechanismSpec, pair: &Pair, gammas: &[Rational]) {
    let loss = loss(spec);
    let other = swapped(pair);
    for gamma in gammas {
        check_delta(&loss, Direction::Remove, pair, gamma);
        check_delta(&loss, Direction::Add, &other, gamma);
    }
    let total: Bracket = loss.total_variation().unwrap();
    let exact = hockey_stick(pair, &Rational::ONE);
    assert!(total.lower <= exact.to_f64_up() && exact.to_f64_down() <= total.upper);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn repetitions_of_random_pairs(pair in pair(), times in 1_u64..=5, gammas in vec(gamma(), 3)) {
        let spec = MechanismSpec::Repeated { times, inner: Box::new(leaf(&pair)) };
        check(&spec, &power(&pair, times), &gammas);
    }

    #[test]
    fn compositions_of_different_pairs(
        a in pair(), b in pair(), c in pair(), gammas in vec(gamma(), 3)
    ) {
        let spec = MechanismSpec::Composed(vec![leaf(&a), leaf(&b), leaf(&c)]);
        check(&spec, &product(&product(&a, &b), &c), &gammas);
    }

    #[test]
    fn public_choices_between_pairs(
        a in pair(), b in pair(), chance in 0_u64..=8, times in 1_u64..=3, gammas in vec(gamma(), 3)
    ) {
        let chance = Rational::new(chance, 8_u64).unwrap();
        let rest = &Rational::ONE - &chance;
        let choices = vec![(chance.clone(), leaf(&a)), (rest.clone(), leaf(&b))];
        let inner = Box::new(MechanismSpec::Mixed(choices));
        let spec = MechanismSpec::Repeated { times, inner };
        check(&spec, &power(&mixed(&[(chance, a), (rest, b)]), times), &gammas);
    }

    #[test]
    fn samples(
        pair in pair(), rate in 0_u64..=10, times in 1_u64..=4, gammas in vec(gamma(), 3)
    ) {
        let rate = Rational::new(rate, 10_u64).unwrap();
        let inner = MechanismSpec::Sampled { rate: rate.clone(), inner: Box::new(leaf(&pair)) };
        let spec = MechanismSpec::Repeated { times, inner: Box::new(inner) };
        check(&spec, &power(&sampled(&rate, &pair), times), &gammas);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tests_of_random_pairs(
        pair in pair(), times in 1_u64..=2, alphas in vec(0_u64..=64, 6)
    ) {
        let loss = loss(&MechanismSpec::Repeated { times, inner: Box::new(leaf(&pair)) });
        let pair = power(&pair, times);
        for alpha in alphas {
            check_miss_rate(&loss, &pair, &Rational::new(alpha, 64_u64).unwrap());
        }
    }
}
