//! Maps from counts to rates, and which rates tell too much.

use proptest::prelude::*;
use throng_mechanism::MechanismError;
use throng_mechanism::poisson::{DegreeSequence, Effect, PoissonCounts, RateMap, RatePair};
use throng_numeric::{Enclosure, Rational, tails};

use crate::poisson::{ADD, law, near, pair};
use crate::support::exact::{EPSILONS, hockey_stick};
use crate::support::rational;

#[test]
fn rates_of_the_slide_and_the_hybrid() {
    let slide = RateMap::slide(pair("4", "9"), 2, 20).unwrap();
    for (n, rate) in [(0, 0.002_706_557_938), (10, 0.156_073_769_242), (18, 4.0), (20, 9.0)] {
        near(slide.rate(n).to_f64_nearest(), rate, 1e-11);
    }
    assert_eq!((slide.rate(20), slide.rate(1000)), (rational("9"), rational("9")));
    let falling = RateMap::decreasing(pair("4", "9"), 2, 20).unwrap();
    assert!((0..=20).all(|n| falling.rate(n) == slide.rate(20 - n)));
    assert!(slide.rises() && !falling.rises());
    let hybrid = RateMap::hybrid(pair("4", "9"), 2, 10).unwrap();
    let rates = [
        (6, 0.790_123_456_790),
        (9, 2.666_666_666_667),
        (10, 4.0),
        (11, 6.0),
        (12, 9.0),
        (15, 16.0),
    ];
    for (n, rate) in rates {
        near(hybrid.rate(n).to_f64_nearest(), rate, 1e-11);
    }
    // Multiples of w from the guess 0 on: the linear map, exactly.
    let hybrid = RateMap::hybrid(pair("4", "9"), 3, 0).unwrap();
    let linear = RateMap::linear(pair("4", "9"), 3).unwrap();
    assert!((0..50).all(|k| hybrid.rate(3 * k) == linear.rate(3 * k)));
}

/// The rows of the table of maps that must not pass, as exact tables.
#[test]
fn maps_that_tell_too_much_are_refused() {
    let refused = |target: &RatePair, w, rates: Vec<Rational>| {
        let outcome = RateMap::stated(target.clone(), w, rates);
        matches!(outcome, Err(MechanismError::Refused { .. }))
    };
    let table = |f: &dyn Fn(u64) -> Rational| (0..=40).map(f).collect::<Vec<_>>();
    let target = pair("1", "2");
    let whole = |n: u64| Rational::from(n);
    // Exponential from the bottom: rates grow.
    assert!(refused(&target, 1, table(&|n| Rational::from(1_u64 << n.min(30)))));
    // No floor.
    assert!(refused(&target, 1, table(&whole)));
    // Square root: (1 + κ n)² with κ = √2 - 1, at first even with a smaller κ.
    let kappa = rational("0.41421");
    let root = |n: u64| (Rational::ONE + &kappa * &whole(n)).square();
    assert!(refused(&target, 1, table(&root)));
    // Linear above and exponential below a guess of 3, w = 3: the ratio of rates 1 and 4 is 4.03,
    // above 27/8.
    let target = pair("8", "27");
    let below = ["64/27", "32/9", "16/3"].map(rational);
    let astride = |n: usize| match below.get(n) {
        Some(rate) => rate.clone(),
        None => rational("8") + rational("19/3") * Rational::from(n as u64 - 3),
    };
    assert!(refused(&target, 3, (0..=9).map(astride).collect()));
    // The hybrid, which is steeper where it may be, passes as a table.
    let hybrid = RateMap::hybrid(target.clone(), 3, 3).unwrap();
    assert!(!refused(&target, 3, (0..=40).map(|n| hybrid.rate(n)).collect()));
    // Rates that rise and fall are refused whatever they tell.
    let zigzag = ["10", "11", "10"].map(rational).to_vec();
    assert!(refused(&target, 1, zigzag));
}

#[test]
fn parameters_are_checked() {
    for (mu1, mu2) in [("0", "1"), ("-1", "1"), ("2", "2"), ("2", "1"), ("1", "1e13")] {
        assert!(RatePair::new(rational(mu1), rational(mu2)).is_err());
    }
    let target = pair("1", "2");
    assert!(RateMap::linear(target.clone(), 0).is_err());
    assert!(RateMap::slide(target.clone(), 0, 3).is_err());
    assert!(RateMap::slide(target.clone(), 1, 1 << 40).is_err());
    assert!(RateMap::hybrid(target.clone(), u64::MAX, 1).is_err());
    assert!(RateMap::stated(target.clone(), 1, Vec::new()).is_err());
    assert!(RateMap::stated(target.clone(), 1, vec![rational("-1")]).is_err());
    assert!(RateMap::stated(target.clone(), 1, vec![rational("1e13")]).is_err());
    let map = RateMap::linear(target.clone(), 1).unwrap();
    assert!(PoissonCounts::new(map, Effect::Rises { cells: 0 }, ADD).is_err());
    assert!(DegreeSequence::of_nodes(3, 0, target).is_err());
}

/// Bounds smaller than the distance, distances of many digits, tiny and huge rates.
#[test]
fn odd_maps_are_maps() {
    for (mu1, mu2) in [("1e-30", "1"), ("1", "1e12"), ("1/3", "1/2"), ("999999999999", "1e12")] {
        for (w, largest) in [(5, 2), (1, 0), (7, 7), (3, 400), (100, 1000)] {
            let target = pair(mu1, mu2);
            let slide = RateMap::slide(target.clone(), w, largest).unwrap();
            assert_eq!(slide.rate(largest), rational(mu2));
            assert!(slide.rate(0).is_positive());
            let hybrid = RateMap::hybrid(target.clone(), w, largest).unwrap();
            let linear = RateMap::linear(target.clone(), w).unwrap();
            for map in [&slide, &hybrid, &linear] {
                let top = map.largest();
                assert!(map.rate(top) <= rational("1e12"));
                for n in [0, largest, top.saturating_sub(w), top] {
                    assert!(target.admits(&map.rate(n), &map.rate(n.saturating_add(w))), "{map:?}");
                    assert!(target.admits(&map.rate(n), &map.rate(n.saturating_add(1))));
                }
            }
        }
    }
}

fn small_rate() -> impl Strategy<Value = Rational> {
    (1_u32..400, 1_u32..40).prop_map(|(n, d)| Rational::new(n, d).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The condition on rates is enough: the laws are nearer than those of the pair.
    #[test]
    fn admitted_rates_are_dominated(
        mu1 in small_rate(), gap in small_rate(), rate in small_rate(), part in 0_u32..=10,
    ) {
        let target = RatePair::new(mu1.clone(), &mu1 + &gap).unwrap();
        // Up to as far as the pair admits, and exactly that far for part = 10.
        let most = target.difference().min((&rate * &gap).checked_div(&mu1).unwrap());
        let other = &rate + &(most * Rational::new(part, 10_u32).unwrap());
        prop_assert!(target.admits(&rate, &other) && target.admits(&other, &rate));
        let last = 1200;
        let [a, b, p, q] = [&rate, &other, target.low(), target.high()].map(|x| law(x, last));
        for epsilon in EPSILONS {
            for ((a, b), (p, q)) in [((&a, &b), (&p, &q)), ((&b, &a), (&q, &p))] {
                let (own, most) = (hockey_stick(a, b, epsilon), hockey_stick(p, q, epsilon));
                prop_assert!(own.lower() <= most.upper() + 1e-12, "{} {}", own, most);
            }
        }
    }

    /// And needed. Rates too far apart show when nothing is counted; a ratio too large shows when
    /// very much is.
    #[test]
    fn rates_that_are_not_admitted_are_not_dominated(
        mu1 in 1_u32..20, gap in 1_u32..20, rate in 1_u32..20, more in 1_u32..10,
    ) {
        let whole = |n: u32| Enclosure::point(f64::from(n)).unwrap();
        let target = RatePair::new(mu1.into(), (mu1 + gap).into()).unwrap();
        let other = rate + gap + more;
        prop_assert!(!target.admits(&rate.into(), &other.into()));
        // P(0) - e^ε Q(0) for ε between the two differences; for the pair it is 0 there, and
        // removing is purely Δ-private.
        let epsilon = whole(gap) + whole(more) * Enclosure::point(0.5).unwrap();
        let shown = (-whole(rate)).exp() - (epsilon - whole(other)).exp();
        prop_assert!(shown.lower() > 0.0);
        // Four times the ratio, with the difference admitted.
        let (mu1, mu2) = (f64::from(mu1), f64::from(mu1 + gap));
        let (small, large) = ((mu2 - mu1) / (4.0 * mu2 / mu1 - 1.0), 4.0 * mu2 / mu1);
        let large = small * large;
        let exact = |x: f64| Rational::from_f64(x).unwrap();
        let target = RatePair::new(exact(mu1), exact(mu2)).unwrap();
        prop_assert!(!target.admits(&exact(small), &exact(large * (1.0 - 1e-9))));
        let point = |x: f64| Enclosure::point(x).unwrap();
        let found = (1..400).any(|step| {
            let epsilon = f64::from(step) / 4.0;
            let reach = |difference: f64, ratio: f64| ((epsilon + difference) / ratio.ln()) as u64;
            let delta = |p: f64, q: f64, k: u64| {
                let (q, p) = (tails::poisson_survival(k, point(q)), tails::poisson_survival(k, point(p)));
                q.unwrap() - point(epsilon).exp() * p.unwrap()
            };
            let own = delta(small, large, reach(large - small, large / small));
            let most = delta(mu1, mu2, reach(mu2 - mu1, mu2 / mu1));
            own.lower() > most.upper()
        });
        prop_assert!(found);
    }

    /// Whatever the parameters, the maps on offer pass the check that refuses tables.
    #[test]
    fn maps_on_offer_pass_as_tables(
        mu1 in small_rate(), gap in small_rate(), w in 1_u64..9, at in 0_u64..40,
    ) {
        let target = RatePair::new(mu1.clone(), &mu1 + &gap).unwrap();
        for map in [
            RateMap::linear(target.clone(), w).unwrap(),
            RateMap::slide(target.clone(), w, at).unwrap(),
            RateMap::decreasing(target.clone(), w, at).unwrap(),
            RateMap::hybrid(target.clone(), w, at).unwrap(),
        ] {
            let rates: Vec<_> = (0..=60).map(|n| map.rate(n)).collect();
            prop_assert!(RateMap::stated(target.clone(), w, rates.clone()).is_ok());
            // All pairs, one by one.
            for (n, a) in rates.iter().enumerate() {
                for b in rates.iter().skip(n).take(usize::try_from(w).unwrap() + 1) {
                    prop_assert!(target.admits(a, b));
                }
            }
        }
    }

    /// The check by windows is the check of all pairs.
    #[test]
    fn windows_find_what_pairs_find(
        steps in prop::collection::vec(0_u32..6, 1..12), w in 1_u64..5,
    ) {
        let target = pair("3", "7");
        let mut sum = 0;
        let rates: Vec<Rational> = steps.iter().map(|step| { sum += step; sum.into() }).collect();
        let all = rates.iter().enumerate().all(|(n, a)| {
            rates.iter().skip(n).take(usize::try_from(w).unwrap() + 1).all(|b| target.admits(a, b))
        });
        prop_assert_eq!(RateMap::stated(target, w, rates).is_ok(), all);
    }
}
