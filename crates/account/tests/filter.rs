//! Costs and budgets.
#![allow(
    clippy::disallowed_methods,
    clippy::excessive_precision,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests compare with ordinary arithmetic and stop at the first surprise"
)]

use proptest::prelude::*;
use throng_account::filter::cost::{self, Concentrated};
use throng_account::filter::{Budget, Currency, Filter, Odometer};
use throng_account::{AccountError, Accuracy, Leaf, MechanismSpec, Neighbours, PrivacyLoss};
use throng_numeric::Rational;

const UNDER: Neighbours = Neighbours::AddRemove;

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn leaf(leaf: Leaf) -> MechanismSpec {
    MechanismSpec::Leaf(leaf)
}

fn pure(epsilon: &str) -> MechanismSpec {
    leaf(Leaf::Pure { epsilon: r(epsilon) })
}

fn gaussian(sigma: &str) -> MechanismSpec {
    leaf(Leaf::Gaussian { sigma: r(sigma), sensitivity: r("1") })
}

/// One leaf of every kind, with parameters that protect something.
fn every_leaf() -> Vec<Leaf> {
    let (half, one, two, quarter) = (r("1/2"), r("1"), r("2"), r("1/4"));
    vec![
        Leaf::Gaussian { sigma: two.clone(), sensitivity: one.clone() },
        Leaf::Laplace { scale: two.clone(), sensitivity: one.clone() },
        Leaf::DiscreteGaussian { sigma: two.clone(), sensitivity: one.clone() },
        Leaf::DiscreteLaplace { scale: two.clone(), sensitivity: one.clone() },
        Leaf::Staircase { epsilon: half.clone(), gamma: half.clone() },
        Leaf::Uniform { width: r("100"), sensitivity: one.clone() },
        Leaf::TruncatedLaplace { scale: two.clone(), bound: r("20"), sensitivity: one.clone() },
        Leaf::TruncatedGaussian { sigma: two.clone(), bound: r("10"), sensitivity: one.clone() },
        Leaf::RandomisedResponse { p: quarter.clone(), q: r("1/3") },
        Leaf::KaryResponse { k: 5, epsilon: half.clone() },
        Leaf::ApproxDp { epsilon: half.clone(), delta: r("1e-6") },
        Leaf::Pure { epsilon: half.clone() },
        Leaf::TotalVariation { delta: r("1/100") },
        Leaf::Exponential { epsilon: half.clone() },
        Leaf::PermuteAndFlip { epsilon: half.clone() },
        Leaf::NoisyMax { epsilon: half.clone() },
        Leaf::Gdp { mu: half.clone() },
        Leaf::Zcdp { rho: quarter.clone(), xi: r("0") },
        Leaf::Renyi { table: vec![(r("2"), half.clone()), (r("8"), two.clone())] },
        Leaf::Poisson { mu1: r("30"), mu2: r("36") },
        Leaf::InfinitelyDivisible { s2: quarter.clone(), jumps: vec![(one.clone(), two.clone())] },
        Leaf::Tradeoff {
            knots: vec![(r("0"), one.clone()), (r("1/3"), r("1/3")), (one.clone(), r("0"))],
        },
        Leaf::Profile { knots: vec![(half.clone(), r("1/100")), (one, r("0"))] },
        Leaf::Discrete { p: vec![r("3/5"), r("2/5")], q: vec![half.clone(), half.clone()] },
        Leaf::Quantised { inner: Box::new(Leaf::Pure { epsilon: half }), cuts: vec![] },
        Leaf::NonPrivate,
    ]
}

/// Specs of every shape around a leaf.
fn every_shape(inner: &Leaf) -> Vec<MechanismSpec> {
    let spec = leaf(inner.clone());
    let boxed = || Box::new(leaf(inner.clone()));
    vec![
        spec.clone(),
        MechanismSpec::Composed(vec![spec.clone(), pure("1/10")]),
        MechanismSpec::Repeated { times: 3, inner: boxed() },
        MechanismSpec::Sampled { rate: r("1/10"), inner: boxed() },
        MechanismSpec::WithoutReplacement { batch: 1, population: 10, inner: boxed() },
        MechanismSpec::Shuffled { users: 100, inner: boxed() },
        MechanismSpec::Allocated { chosen: 2, steps: 5, inner: boxed() },
        MechanismSpec::Group { size: 2, inner: boxed() },
        MechanismSpec::Mixed(vec![(r("1/3"), spec.clone()), (r("2/3"), pure("1/10"))]),
        MechanismSpec::Parallel(vec![spec.clone(), pure("1/10")]),
        MechanismSpec::PostProcessed(boxed()),
    ]
}

#[test]
fn costs_are_total_and_consistent() {
    for under in [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut] {
        for spec in every_leaf().iter().flat_map(every_shape) {
            let (order, zcdp) = (r("3"), cost::zcdp(&spec, under));
            let renyi = cost::renyi(&spec, under, &order);
            for error in [
                cost::pure(&spec, under).err(),
                cost::gdp(&spec, under).err(),
                cost::approximate(&spec, under).err(),
                zcdp.clone().err(),
                renyi.clone().err(),
            ] {
                assert!(matches!(error, None | Some(AccountError::Refused { .. })), "{error:?}");
            }
            if let (Ok(Concentrated { rho, delta }), Ok(renyi)) = (&zcdp, &renyi)
                && delta.is_zero()
            {
                let ratio = renyi.to_f64_up() / (&order * rho).to_f64_down();
                assert!(ratio < 1.0 + 1e-9 || spec_is_mixed(&spec), "{spec:?} {ratio}");
            }
            if cost::pure(&spec, under).is_ok() {
                assert!(
                    zcdp.is_ok() && renyi.is_ok() && cost::gdp(&spec, under).is_ok(),
                    "{spec:?}"
                );
            }
            if let (Ok(gdp), Ok(Concentrated { rho, .. })) = (cost::gdp(&spec, under), &zcdp) {
                // μ²/2 is a ρ, and the direct ρ is at most about that.
                assert!(rho.to_f64_up() <= gdp.to_f64_up() / 2.0 * (1.0 + 1e-9), "{spec:?}");
            }
        }
    }
}

fn spec_is_mixed(spec: &MechanismSpec) -> bool {
    matches!(spec, MechanismSpec::Mixed(_))
}

#[test]
fn nothing_is_free_without_noise() {
    let bare = Leaf::Gaussian { sigma: r("0"), sensitivity: r("1") };
    for leaf_ in [bare, Leaf::NonPrivate, Leaf::Laplace { scale: r("0"), sensitivity: r("1") }] {
        let spec = leaf(leaf_);
        assert!(cost::pure(&spec, UNDER).is_err());
        assert!(cost::zcdp(&spec, UNDER).is_err());
        assert!(cost::gdp(&spec, UNDER).is_err());
        assert!(cost::renyi(&spec, UNDER, &r("2")).is_err());
        assert!(cost::approximate_at(&spec, UNDER, 1e-6).is_err());
    }
}

#[test]
fn known_costs() {
    let half = cost::zcdp(&gaussian("1"), UNDER).unwrap();
    assert_eq!(half, Concentrated { rho: r("1/2"), delta: r("0") });
    assert_eq!(cost::gdp(&gaussian("2"), Neighbours::Replace).unwrap(), r("1"));
    let exponential = leaf(Leaf::Exponential { epsilon: r("1") });
    assert_eq!(cost::zcdp(&exponential, UNDER).unwrap().rho, r("1/8"));
    let rr = cost::zcdp(&pure("1"), UNDER).unwrap().rho.to_f64_up();
    assert!((rr - 0.462_117_157_260_01).abs() < 1e-13);
    // Two thirds and one third: ln 2.
    let response = leaf(Leaf::RandomisedResponse { p: r("1/3"), q: r("1/3") });
    assert!((cost::pure(&response, UNDER).unwrap().to_f64_up() - 2.0_f64.ln()).abs() < 1e-15);
    // The errata's general rule: the logarithm of the largest of the four ratios.
    let uneven = leaf(Leaf::RandomisedResponse { p: r("1/4"), q: r("1/2") });
    assert!((cost::pure(&uneven, UNDER).unwrap().to_f64_up() - 2.0_f64.ln()).abs() < 1e-15);
    // (4, 9): D_2 of a Poisson pair is (μ2-μ1)²/μ1.
    let poisson = leaf(Leaf::Poisson { mu1: r("4"), mu2: r("9") });
    let d2 = cost::renyi(&poisson, UNDER, &r("2")).unwrap().to_f64_up();
    assert!((d2 - 25.0 / 4.0).abs() < 1e-12);
    let table = leaf(Leaf::Renyi { table: vec![(r("2"), r("1")), (r("4"), r("3"))] });
    // (a-1)D: 1 at 2, 9 at 4; the chord at 3 is 5, so D_3 <= 5/2.
    assert_eq!(cost::renyi(&table, UNDER, &r("3")).unwrap(), r("5/2"));
    assert!(cost::renyi(&table, UNDER, &r("5")).is_err());
    let sampled = MechanismSpec::Sampled { rate: r("1/100"), inner: Box::new(gaussian("1")) };
    let d8 = cost::renyi(&sampled, UNDER, &r("8")).unwrap().to_f64_up();
    assert!((d8 / 8.936_439_076_060_4e-4 - 1.0).abs() < 1e-9);
    let replaced = cost::renyi(&sampled, Neighbours::Replace, &r("8")).unwrap();
    assert_eq!(replaced, r("16")); // no amplification is claimed
}

#[test]
fn parallel_parts_under_replace_add() {
    // A unit that moves leaves one part and enters another: two small changes, not one.
    let part = |sigma| gaussian(sigma);
    let parts = MechanismSpec::Parallel(vec![part("1"), part("2"), part("1")]);
    assert_eq!(cost::gdp(&parts, Neighbours::AddRemove).unwrap(), r("1"));
    assert_eq!(cost::gdp(&parts, Neighbours::Replace).unwrap(), r("4")); // staying is worse here
    let laplace = || leaf(Leaf::Laplace { scale: r("1"), sensitivity: r("1") });
    let parts = MechanismSpec::Parallel(vec![laplace(), laplace(), laplace()]);
    assert_eq!(cost::pure(&parts, Neighbours::Replace).unwrap(), r("2"));
    let stated = MechanismSpec::Parallel(vec![pure("1"), pure("1")]);
    assert!(cost::pure(&stated, Neighbours::Replace).is_err());
    assert_eq!(cost::pure(&stated, Neighbours::ZeroOut).unwrap(), r("1"));
}

#[test]
fn sampling_hides_only_what_is_known_when_absent() {
    let sampled = |inner| MechanismSpec::Sampled { rate: r("1/2"), inner: Box::new(inner) };
    let laplace = leaf(Leaf::Laplace { scale: r("2"), sensitivity: r("1") });
    for under in [Neighbours::Replace, Neighbours::ZeroOut] {
        assert_eq!(cost::pure(&sampled(pure("1")), under).unwrap(), r("1"));
        let whole = cost::pure(&laplace, under).unwrap();
        assert!(cost::pure(&sampled(laplace.clone()), under).unwrap() < whole);
    }
    let shuffled = MechanismSpec::Shuffled { users: 9, inner: Box::new(pure("1")) };
    assert!(cost::pure(&shuffled, UNDER).is_err());
    assert_eq!(cost::pure(&shuffled, Neighbours::Replace).unwrap(), r("1"));
}

/// Truncated noise against its shifted self, by summing over small cells.
#[test]
fn truncated_noise_by_brute_force() {
    let cells = 400_000_u32;
    for (shift, bound) in [("1", 5.0), ("7", 5.0), ("3", 4.0), ("12", 5.0)] {
        let moved: f64 = r(shift).to_f64_nearest();
        let width = (2.0 * bound + moved) / f64::from(cells);
        let points = || (0..cells).map(move |i| -bound + (f64::from(i) + 0.5) * width);
        let bound_ = Rational::from_f64(bound).unwrap();
        let laplace: fn(f64) -> f64 = |x| (-x.abs() / 2.0).exp();
        let gaussian: fn(f64) -> f64 = |x| (-x * x / 8.0).exp();
        let leaves = [
            (
                Leaf::TruncatedLaplace {
                    scale: r("2"),
                    bound: bound_.clone(),
                    sensitivity: r(shift),
                },
                laplace,
            ),
            (
                Leaf::TruncatedGaussian { sigma: r("2"), bound: bound_, sensitivity: r(shift) },
                gaussian,
            ),
        ];
        for (leaf_, shape) in leaves {
            let density = |x: f64| if x.abs() <= bound { shape(x) } else { 0.0 };
            let total: f64 = points().map(|x| density(x) * width).sum();
            let cost = cost::approximate(&leaf(leaf_.clone()), UNDER).unwrap();
            let gamma = cost.epsilon.to_f64_up().exp();
            let gap = |x: f64| (density(x) - gamma * density(x - moved)).max(0.0) * width / total;
            let delta: f64 = points().map(gap).sum();
            assert!((delta - cost.delta.to_f64_up()).abs() < 1e-4, "{leaf_:?} {delta} {cost:?}");
            // The divergence on the overlap keeps to ρ.
            let rho = cost::zcdp(&leaf(leaf_), UNDER).unwrap().rho.to_f64_up();
            let overlap = points().filter(|x| x.abs() <= bound && (x - moved).abs() <= bound);
            let both: Vec<_> = overlap.map(|x| (density(x), density(x - moved))).collect();
            let (p, q) = both.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
            for order in [1.5, 2.0, 8.0] {
                let sum: f64 =
                    both.iter().map(|(x, y)| (x / p).powf(order) * (y / q).powf(1.0 - order)).sum();
                assert!(both.is_empty() || sum.ln() / (order - 1.0) <= order * rho + 1e-9);
            }
        }
    }
}

#[test]
fn groups_part_by_part() {
    let group = |inner| MechanismSpec::Group { size: 3, inner: Box::new(inner) };
    assert_eq!(cost::gdp(&group(gaussian("1")), UNDER).unwrap(), r("9"));
    assert_eq!(cost::zcdp(&group(gaussian("1")), UNDER).unwrap().rho, r("9/2"));
    assert_eq!(cost::pure(&group(pure("1/2")), UNDER).unwrap(), r("3/2"));
    let leaky = leaf(Leaf::ApproxDp { epsilon: r("1/2"), delta: r("1e-6") });
    let both = MechanismSpec::Composed(vec![gaussian("1"), leaky.clone()]);
    let cost = cost::zcdp(&group(both), UNDER).unwrap();
    assert!(cost.delta >= r("5.367e-6") && cost.rho > r("9/2"));
    let nested = MechanismSpec::Group { size: 2, inner: Box::new(group(gaussian("1"))) };
    assert_eq!(cost::gdp(&nested, UNDER).unwrap(), r("36"));
    let none = MechanismSpec::Group { size: 0, inner: Box::new(leaf(Leaf::NonPrivate)) };
    assert_eq!(cost::pure(&none, UNDER).unwrap(), r("0"));
    // Three units' Laplace noise costs less at an order than three times epsilon would.
    let laplace = leaf(Leaf::Laplace { scale: r("2"), sensitivity: r("1") });
    let exact = cost::renyi(&group(laplace), UNDER, &r("2")).unwrap();
    assert!(exact < cost::renyi(&pure("3/2"), UNDER, &r("2")).unwrap());
}

#[test]
fn a_filter_can_be_resumed() {
    let one = Budget::Pure { epsilon: r("1") };
    let mut filter =
        Filter::resume(one.clone(), Budget::Pure { epsilon: r("0.9") }, UNDER).unwrap();
    assert!(filter.try_charge(&pure("1/5")).is_err());
    filter.try_charge(&pure("1/10")).unwrap();
    assert!(Filter::resume(one.clone(), Budget::Pure { epsilon: r("2") }, UNDER).is_err());
    assert!(Filter::resume(one, Budget::Gdp { mu_squared: r("0") }, UNDER).is_err());
}

#[test]
fn the_budget_is_filled_exactly() {
    let mut filter = Filter::new(Budget::Pure { epsilon: r("1") }, UNDER).unwrap();
    let charge = pure("1/1000");
    for _ in 0..1000 {
        assert_eq!(filter.preview(&charge), filter.clone().try_charge(&charge));
        filter.try_charge(&charge).unwrap();
    }
    assert_eq!(filter.remaining(), Budget::Pure { epsilon: r("0") });
    let before = filter.clone();
    assert!(matches!(filter.try_charge(&charge), Err(AccountError::Exhausted { .. })));
    assert!(matches!(filter.preview(&charge), Err(AccountError::Exhausted { .. })));
    assert!(matches!(filter.try_charge(&gaussian("1")), Err(AccountError::Refused { .. })));
    assert_eq!(filter, before);
}

#[test]
fn a_budget_of_pairs_is_filled_exactly_in_both_components() {
    let capacity = Budget::Approximate { epsilon: r("1"), delta: r("1e-6") };
    let part = |epsilon, delta| leaf(Leaf::ApproxDp { epsilon: r(epsilon), delta: r(delta) });
    let mut filter = Filter::new(capacity.clone(), UNDER).unwrap();
    for _ in 0..1000 {
        filter.try_charge(&part("1/1000", "1e-9")).unwrap();
    }
    assert_eq!(filter.remaining(), capacity.nothing());
    let before = filter.clone();
    for more in [part("1e-30", "0"), part("0", "1e-30")] {
        assert!(matches!(filter.try_charge(&more), Err(AccountError::Exhausted { .. })));
    }
    filter.try_charge(&part("0", "0")).unwrap();
    assert_eq!(filter, before);
    // One component may be used up before the other.
    let mut filter = Filter::new(capacity.clone(), UNDER).unwrap();
    filter.try_charge(&part("0", "1e-6")).unwrap();
    assert!(filter.preview(&part("1/2", "1e-9")).is_err());
    filter.try_charge(&pure("1")).unwrap();
    assert_eq!(filter.spent(), &capacity);
    let shown = Budget::Approximate { epsilon: r("1"), delta: r("1/4") };
    assert_eq!(shown.to_string(), "epsilon = 1, delta = 0.25");
}

#[test]
fn pairs_say_for_which_delta_they_hold() {
    let pair = Budget::Approximate { epsilon: r("3/2"), delta: r("1e-6") };
    assert_eq!(pair.epsilon_at(1e-3).unwrap(), 1.5);
    for delta in [1e-7, 0.0, -1.0, 1.0, 2.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(pair.epsilon_at(delta).is_err(), "{delta}");
    }
    let make = |e, d| Budget::for_epsilon_delta(&Currency::Approximate, &r(e), &r(d));
    assert_eq!(make("3/2", "1e-6").unwrap(), pair);
    assert!(make("1", "0").is_ok());
    assert!(make("-1", "0").is_err() && make("1", "-1e-9").is_err() && make("1", "1").is_err());
    assert!(Filter::resume(pair.clone(), Budget::Pure { epsilon: r("0") }, UNDER).is_err());
}

/// A pair for every leaf that has one, and for the others a way out.
#[test]
fn every_leaf_in_pairs() {
    for leaf_ in every_leaf() {
        let spec = leaf(leaf_.clone());
        let found = cost::approximate(&spec, UNDER);
        let curve = matches!(
            leaf_,
            Leaf::Gaussian { .. }
                | Leaf::DiscreteGaussian { .. }
                | Leaf::Gdp { .. }
                | Leaf::Zcdp { .. }
                | Leaf::Renyi { .. }
                | Leaf::Poisson { .. }
                | Leaf::InfinitelyDivisible { .. }
        );
        match found {
            Ok(pair) => {
                assert!(!curve, "{spec:?}");
                let Ok(loss) = PrivacyLoss::of_spec(&spec, UNDER, Accuracy::default()) else {
                    assert!(matches!(leaf_, Leaf::Quantised { .. }), "{spec:?}");
                    continue;
                };
                let delta = loss.delta(pair.epsilon.to_f64_up()).unwrap();
                assert!(delta.lower <= pair.delta.to_f64_up() + 1e-15, "{spec:?} {delta:?}");
            }
            Err(AccountError::Refused { .. }) => {
                assert!(curve || matches!(leaf_, Leaf::NonPrivate), "{spec:?}");
            }
            Err(error) => panic!("{spec:?} {error:?}"),
        }
    }
    let hint = cost::approximate(&gaussian("2"), UNDER).unwrap_err().to_string();
    assert!(hint.contains("zCDP or GDP"), "{hint}");
    let knots = vec![(r("1"), r("1/100")), (r("2"), r("1/1000"))];
    let profile = cost::approximate(&leaf(Leaf::Profile { knots }), UNDER).unwrap();
    assert_eq!((profile.epsilon, profile.delta), (r("2"), r("1/1000")));
    for silent in [
        Leaf::Zcdp { rho: r("0"), xi: r("0") },
        Leaf::Gdp { mu: r("0") },
        Leaf::Poisson { mu1: r("2"), mu2: r("2") },
        Leaf::DiscreteGaussian { sigma: r("1"), sensitivity: r("0") },
    ] {
        let pair = cost::approximate(&leaf(silent), UNDER).unwrap();
        assert!(pair.epsilon.is_zero() && pair.delta.is_zero());
    }
}

#[test]
fn discrete_gaussian_noise_has_a_price_in_gdp() {
    let noise = |sigma, by| leaf(Leaf::DiscreteGaussian { sigma: r(sigma), sensitivity: r(by) });
    // (1/(2 - 1/8))² = (8/15)².
    assert_eq!(cost::gdp(&noise("2", "1"), UNDER).unwrap(), r("64/225"));
    assert_eq!(cost::gdp(&noise("2", "1"), Neighbours::Replace).unwrap(), r("256/225"));
    assert_eq!(cost::gdp(&noise("2", "0"), UNDER).unwrap(), r("0"));
    assert!(cost::gdp(&noise("1.99", "1"), UNDER).is_err());
    for sigma in ["2", "3", "10"] {
        let spec = noise(sigma, "1");
        let loss = PrivacyLoss::of_spec(&spec, UNDER, Accuracy::default()).unwrap();
        let price = cost::gdp(&spec, UNDER).unwrap().to_f64_up();
        assert!(loss.gdp().unwrap().lower <= price.sqrt() * (1.0 + 1e-12));
    }
}

#[test]
fn budgets_from_epsilon_and_delta() {
    let currencies = [
        Currency::Zcdp { leak: r("0") },
        Currency::Zcdp { leak: r("1e-10") },
        Currency::Gdp,
        Currency::Renyi { order: r("8") },
        Currency::Pure,
        Currency::Approximate,
    ];
    for currency in currencies {
        for (epsilon, delta) in [("1", 1e-6), ("1/2", 1e-5), ("8", 1e-9)] {
            let delta_ = r(&format!("{delta:e}"));
            let Ok(budget) = Budget::for_epsilon_delta(&currency, &r(epsilon), &delta_) else {
                assert!(matches!(currency, Currency::Renyi { .. }));
                continue;
            };
            let found = budget.epsilon_at(delta_.to_f64_up()).unwrap();
            let wanted = r(epsilon).to_f64_nearest();
            assert!((found / wanted - 1.0).abs() < 1e-9, "{currency:?} {found} {wanted}");
        }
    }
    let gdp = Budget::for_epsilon_delta(&Currency::Gdp, &r("1"), &r("1e-5")).unwrap();
    let Budget::Gdp { mu_squared } = gdp else { panic!("wrong currency") };
    assert!((mu_squared.to_f64_up().sqrt() * 3.730_631_634_815_9 - 1.0).abs() < 1e-10);
    let wrong = Budget::Renyi { orders: vec![(r("4"), r("1")), (r("2"), r("1"))] };
    assert!(Filter::new(wrong, UNDER).is_err());
    assert!(Filter::new(Budget::Pure { epsilon: r("-1") }, UNDER).is_err());
}

#[test]
fn odometer_grows_by_stages() {
    let mut odometer = Odometer::new(r("1/100"), r("1e-6"), UNDER).unwrap();
    assert_eq!(odometer.reading().unwrap().epsilon, 0.0);
    let mut last = 0.0;
    for _ in 0..100 {
        let reading = odometer.charge(&gaussian("10")).unwrap(); // ρ = 1/200
        assert!(reading.epsilon >= last);
        last = reading.epsilon;
    }
    let reading = odometer.reading().unwrap();
    assert_eq!(reading.rho, r("1/2"));
    assert_eq!(reading.stage, 6); // 64/100 covers 1/2
    let leaky = leaf(Leaf::ApproxDp { epsilon: r("1"), delta: r("1e-9") });
    assert!(odometer.charge(&leaky).is_err());
    assert_eq!(odometer.reading().unwrap(), reading);
}

fn some_leaf() -> impl Strategy<Value = Leaf> {
    proptest::sample::select(every_leaf())
}

proptest! {
    #[test]
    fn repeating_is_composing(leaf_ in some_leaf(), n in 0_u64..6, order in 2_u32..20) {
        let inner = leaf(leaf_);
        let repeated = MechanismSpec::Repeated { times: n, inner: Box::new(inner.clone()) };
        let count = usize::try_from(n).unwrap();
        let composed = MechanismSpec::Composed(vec![inner; count]);
        for under in [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut] {
            prop_assert_eq!(cost::pure(&repeated, under), cost::pure(&composed, under));
            prop_assert_eq!(cost::zcdp(&repeated, under), cost::zcdp(&composed, under));
            prop_assert_eq!(cost::gdp(&repeated, under), cost::gdp(&composed, under));
            prop_assert_eq!(cost::approximate(&repeated, under), cost::approximate(&composed, under));
            let order = Rational::from(order);
            prop_assert_eq!(cost::renyi(&repeated, under, &order), cost::renyi(&composed, under, &order));
        }
    }

    #[test]
    fn sampling_never_costs_more(leaf_ in some_leaf(), q in 1_u32..100, order in 2_u32..20) {
        let inner = leaf(leaf_);
        let rate = Rational::new(q, 100_u32).unwrap();
        let sampled = MechanismSpec::Sampled { rate, inner: Box::new(inner.clone()) };
        let order = Rational::from(order);
        for under in [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut] {
            if let Ok(whole) = cost::pure(&inner, under) {
                prop_assert!(cost::pure(&sampled, under).unwrap() <= whole);
            }
            if let Ok(whole) = cost::approximate(&inner, under) {
                let part = cost::approximate(&sampled, under).unwrap();
                prop_assert!(part.epsilon <= whole.epsilon && part.delta <= whole.delta);
            }
            if let Ok(whole) = cost::zcdp(&inner, under) {
                let part = cost::zcdp(&sampled, under).unwrap();
                prop_assert!(part.rho <= whole.rho && part.delta <= whole.delta);
            }
            if let Ok(whole) = cost::renyi(&inner, under, &order) {
                prop_assert!(cost::renyi(&sampled, under, &order).unwrap() <= whole);
            }
        }
    }

    #[test]
    fn charging_is_previewing(leaves in proptest::collection::vec(some_leaf(), 1..12)) {
        let capacities = [
            Budget::Pure { epsilon: r("2") },
            Budget::Approximate { epsilon: r("2"), delta: r("1/50") },
            Budget::Zcdp { rho: r("1"), delta: r("1/50") },
            Budget::Gdp { mu_squared: r("2") },
            Budget::Renyi { orders: vec![(r("2"), r("2")), (r("5/2"), r("3"))] },
        ];
        for capacity in capacities {
            let mut filter = Filter::new(capacity, UNDER).unwrap();
            for leaf_ in &leaves {
                let spec = leaf(leaf_.clone());
                let before = filter.clone();
                let preview = filter.preview(&spec);
                prop_assert_eq!(&filter, &before);
                let charged = filter.try_charge(&spec);
                prop_assert_eq!(&charged, &preview);
                match charged {
                    Ok(receipt) => {
                        prop_assert_eq!(&receipt.spent, filter.spent());
                        prop_assert_eq!(receipt.left, filter.remaining());
                    }
                    Err(_) => prop_assert_eq!(&filter, &before),
                }
            }
        }
    }
}
