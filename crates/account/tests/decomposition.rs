//! The decomposition of a pair, exactly; and the small lemmas.
#![allow(
    clippy::disallowed_methods,
    clippy::excessive_precision,
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "tests compare with ordinary arithmetic and stop at the first surprise"
)]

use proptest::prelude::*;
use throng_account::conversion::duality;
use throng_account::decomposition::{Bayesian, decompose, two_sided_weights};
use throng_account::lemma::{
    Attribution, BerryEsseen, Billboard, Moments, PoissonLimit, four_ways, moment_difference,
    moment_difference_simple, poissonised,
};
use throng_account::{Leaf, MechanismSpec};
use throng_numeric::{Enclosure, Rational};

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn e(x: f64) -> Enclosure {
    Enclosure::point(x).unwrap()
}

fn law(text: &str) -> Vec<Rational> {
    text.split(' ').map(r).collect()
}

fn sum(x: &[Rational]) -> Rational {
    x.iter().fold(Rational::ZERO, |s, x| &s + x)
}

fn dot(x: &[Rational], y: &[Rational]) -> Rational {
    x.iter().zip(y).fold(Rational::ZERO, |s, (x, y)| &s + &(x * y))
}

#[test]
fn the_example() {
    let (p, q) = (law("0.6 0.3 0.1"), law("0.2 0.3 0.5"));
    let found = decompose(&p, &q, &r("2")).unwrap();
    assert_eq!(found.delta, r("0.3"));
    let (near, far) = (found.near.unwrap(), found.far.unwrap());
    assert_eq!(near.p, law("3/7 3/7 1/7"));
    assert_eq!(near.q, law("2/7 3/7 2/7"));
    assert_eq!(near.a, law("4/7 3/7 0"));
    assert_eq!(near.b, law("1/7 3/7 3/7"));
    assert_eq!(far.p, law("1 0 0"));
    assert_eq!(far.q, law("0 0 1"));
    let ways = four_ways(&p, &q, &r("2")).unwrap();
    let same = [&ways.over_sets, &ways.by_tails, &ways.by_mean, &ways.by_integral];
    assert!(same.into_iter().all(|x| *x == r("0.2")));
    assert_eq!(ways.tail, r("0.6"));
}

#[test]
fn ends_of_the_range() {
    let apart = decompose(&law("1 0"), &law("0 1"), &r("3")).unwrap();
    assert!(apart.delta == r("1") && apart.near.is_none());
    let equal = decompose(&law("1/2 1/2"), &law("1/2 1/2"), &r("1")).unwrap();
    assert!(equal.delta.is_zero() && equal.far.is_none());
    assert!(decompose(&law("1/2 1/2"), &law("1/2 1/2"), &r("1/2")).is_err());
    assert!(decompose(&law("1/2 1/3"), &law("1/2 1/2"), &r("2")).is_err());
}

fn some_law() -> impl Strategy<Value = Vec<Rational>> {
    let weights = proptest::collection::vec(0_u32..12, 4);
    weights.prop_filter_map("all zero", |weights| {
        let total: u32 = weights.iter().sum();
        (total > 0).then(|| weights.iter().map(|w| Rational::new(*w, total).unwrap()).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn identities(p in some_law(), q in some_law(), g in 10_u32..60) {
        let gamma = Rational::new(g, 10_u32).unwrap();
        let one = Rational::ONE;
        let found = decompose(&p, &q, &gamma).unwrap();
        let ways = (four_ways(&p, &q, &gamma).unwrap(), four_ways(&q, &p, &gamma).unwrap());
        prop_assert_eq!(&found.delta, &ways.0.over_sets.clone().max(ways.1.over_sets.clone()));
        let kept = &one - &found.delta;
        let zero = vec![Rational::ZERO; 4];
        let (near_p, near_q) = found.near.as_ref().map_or((&zero, &zero), |near| (&near.p, &near.q));
        let (far_p, far_q) = found.far.as_ref().map_or((&zero, &zero), |far| (&far.p, &far.q));
        for i in 0..4 {
            prop_assert_eq!(&p[i], &(&(&kept * &near_p[i]) + &(&found.delta * &far_p[i])));
            prop_assert_eq!(&q[i], &(&(&kept * &near_q[i]) + &(&found.delta * &far_q[i])));
            prop_assert!(near_p[i] <= &gamma * &near_q[i] && near_q[i] <= &gamma * &near_p[i]);
            prop_assert!(!far_p[i].is_negative() && !far_q[i].is_negative());
        }
        if let Some(near) = &found.near {
            for law in [&near.p, &near.q, &near.a, &near.b] {
                prop_assert_eq!(sum(law), one.clone());
                prop_assert!(law.iter().all(|x| !x.is_negative()));
            }
            if gamma > one {
                for i in 0..4 {
                    let truthful = &(&gamma * &near.a[i]) + &near.b[i];
                    prop_assert_eq!(truthful, &near.p[i] * &(&gamma + &one));
                }
            }
        }
        // Four ways, one number.
        for ways in [&ways.0, &ways.1] {
            prop_assert_eq!(&ways.over_sets, &ways.by_tails);
            prop_assert_eq!(&ways.over_sets, &ways.by_mean);
            prop_assert_eq!(&ways.over_sets, &ways.by_integral);
            prop_assert!(ways.over_sets <= ways.tail);
        }
    }

    #[test]
    fn bayes(p in some_law(), q in some_law(), g in 10_u32..60, prior in 1_u32..10) {
        let gamma = Rational::new(g, 10_u32).unwrap();
        let event = Bayesian::of(&p, &q, &gamma).unwrap();
        prop_assert_eq!(dot(&p, &event.weights), &Rational::ONE - &event.delta);
        let less = event.delta.checked_div(&gamma).unwrap();
        prop_assert!(dot(&q, &event.weights) >= &Rational::ONE - &less);
        let prior = Rational::new(prior, 10_u32).unwrap();
        let bound = event.posterior_bound(&prior).unwrap();
        for i in 0..4 {
            let joint = &(&prior * &p[i]) * &event.weights[i];
            let seen = &(&prior * &p[i]) + &(&(&Rational::ONE - &prior) * &q[i]);
            prop_assert!(joint <= &bound * &seen);
        }
        let both = two_sided_weights(&p, &q, &gamma).unwrap();
        let delta = event.delta.clone().max(Bayesian::of(&q, &p, &gamma).unwrap().delta);
        let loss = &delta + &delta.checked_div(&gamma).unwrap();
        prop_assert!(dot(&p, &both) >= &Rational::ONE - &loss);
    }

    #[test]
    fn means(p in some_law(), q in some_law(), g in 10_u32..60) {
        // The numbers -1, -1/3, 1/2, 1 on the four outcomes.
        let gamma = Rational::new(g, 10_u32).unwrap();
        let values = law("-1 -1/3 1/2 1");
        let delta = decompose(&p, &q, &gamma).unwrap().delta;
        let above: Vec<_> = values.iter().map(|x| x.clone().max(Rational::ZERO)).collect();
        let below: Vec<_> = values.iter().map(|x| (-x).max(Rational::ZERO)).collect();
        let of = Enclosure::of_rational;
        let epsilon = of(&gamma).ln().unwrap().max(Enclosure::ZERO);
        let (up, down) = (dot(&q, &above), dot(&q, &below));
        let bound = moment_difference(epsilon, of(&delta), Enclosure::ONE, of(&up), of(&down)).unwrap();
        let gap = &dot(&p, &values) - &dot(&q, &values);
        prop_assert!(gap.to_f64_down() <= bound.upper());
        let simple = moment_difference_simple(epsilon, of(&delta), Enclosure::ONE, of(&(&up + &down))).unwrap();
        prop_assert!(bound.lower() <= simple.upper());
    }
}

#[test]
fn attribution() {
    let twelfth = r("1/12");
    let half = Attribution::of(&vec![r("1/2"); 11]).unwrap();
    assert!(half.correlation.is_zero() && half.error == twelfth);
    let mean: Vec<_> = (0..=10_u32).map(|s| Rational::new(s, 10_u32).unwrap()).collect();
    let mean = Attribution::of(&mean).unwrap();
    assert!(mean.correlation == r("1/6") && mean.error.is_zero());
    let odd = Attribution::of(&law("0.1 0.9 0.2 0.6")).unwrap();
    assert!(&odd.correlation + &odd.error >= twelfth);
}

#[test]
fn billboard() {
    let signal = MechanismSpec::Leaf(Leaf::Pure { epsilon: r("1") });
    assert_eq!(Billboard::of(signal.clone()).guarantee_against_others(), &signal);
}

#[test]
fn berry_esseen() {
    let response = Moments::of_response(e(1.0)).unwrap();
    assert!((response.mean.upper() - 0.462_117_157_260_01).abs() < 1e-13);
    assert!((response.cube.upper() - 0.954_395_429_244_608).abs() < 1e-12);
    let limit = BerryEsseen::of(&[(100, Moments::of_response(e(0.1)).unwrap())]).unwrap();
    assert!((limit.mu().upper() - 1.000_416_718_8).abs() < 1e-9);
    assert!((limit.gamma().upper() - 0.056_209_956_3).abs() < 1e-9);
    let refused = BerryEsseen::of(&[(1, Moments::of_response(e(1.0)).unwrap())]);
    assert!(refused.is_err());
    // Against the exact curve of 60 responses at odds 11 to 10.
    let (p, q) = (law("11/21 10/21"), law("10/21 11/21"));
    let limit = BerryEsseen::of(&[(60, Moments::of_pair(&p, &q).unwrap())]).unwrap();
    let (p60, q60) = binomials(60, &r("11/21"));
    let curve = duality::polygon_of_pair(&p60, &q60).unwrap();
    for i in 0..=20 {
        let alpha = f64::from(i) / 20.0;
        let truth = curve.miss_rate(&Rational::from_f64(alpha).unwrap()).unwrap().to_f64_nearest();
        let bracket = limit.miss_rate(alpha).unwrap();
        assert!(bracket.lower <= truth + 1e-15 && truth - 1e-15 <= bracket.upper);
    }
    assert!(Moments::of_pair(&law("0.6 0.3 0.1"), &law("0.2 0.3 0.5")).is_err());
}

/// The number of ones among n bits of chance p, and of chance 1 - p.
fn binomials(n: usize, p: &Rational) -> (Vec<Rational>, Vec<Rational>) {
    let mut row = vec![Rational::ONE];
    let rest = &Rational::ONE - p;
    for _ in 0..n {
        let mut next = vec![Rational::ZERO; row.len() + 1];
        for (k, chance) in row.iter().enumerate() {
            next[k] = &next[k] + &(chance * &rest);
            next[k + 1] = &next[k + 1] + &(chance * p);
        }
        row = next;
    }
    let mirrored = row.iter().rev().cloned().collect();
    (row, mirrored)
}

fn binomial(n: usize, p: &Rational) -> Vec<Rational> {
    binomials(n, p).0
}

#[test]
fn poisson_limit() {
    for (n, e1, e2) in [(10_u32, 0.0632, 0.1729), (100, 0.00632, 0.01729)] {
        let limit = PoissonLimit::of(&r("1"), &r("2"), u64::from(n)).unwrap();
        let (d1, d2) = limit.distances();
        assert!((d1.upper() / e1 - 1.0).abs() < 1e-3 && (d2.upper() / e2 - 1.0).abs() < 1e-3);
        let count = usize::try_from(n).unwrap();
        let (p, q) = (
            binomial(count, &Rational::new(1, n).unwrap()),
            binomial(count, &Rational::new(2, n).unwrap()),
        );
        let curve = duality::polygon_of_pair(&p, &q).unwrap();
        for i in 0..=20 {
            let alpha = f64::from(i) / 20.0;
            let truth = curve.miss_rate(&Rational::from_f64(alpha).unwrap()).unwrap();
            let bracket = limit.miss_rate(alpha).unwrap();
            assert!(bracket.contains(truth.to_f64_nearest()), "{n} {alpha} {bracket}");
            let steepest = if i < 5 { 20.0 } else { 3.0 };
            assert!(bracket.width() <= 2.0 * (steepest * e1 + e2), "{n} {alpha} {bracket}");
        }
    }
    assert!(PoissonLimit::of(&r("2"), &r("1"), 10).is_err());
}

#[test]
fn poissonisation_only_reveals_more() {
    // One bit of chances 1/100 and 2/100, as a stream: the stream's first event tells the bit.
    let Leaf::InfinitelyDivisible { s2, jumps } =
        poissonised(&law("0.99 0.01"), &law("0.98 0.02"), 1).unwrap()
    else {
        unreachable!()
    };
    assert!(s2.is_zero() && jumps.len() == 1);
    let (a, b) = (jumps[0].0.to_f64_nearest(), jumps[0].1.to_f64_nearest());
    assert!((a + 0.99_f64.ln()).abs() < 1e-15 && (b + 0.98_f64.ln()).abs() < 1e-15);
    let happens = |x: &Rational| -(-Enclosure::of_rational(x)).expm1();
    assert!(happens(&jumps[0].0).lower() <= 0.01 && happens(&jumps[0].1).upper() >= 0.02);
    assert!(poissonised(&law("0 1"), &law("1/2 1/2"), 1).is_err());
}
