//! Valid specs of every variant.

use proptest::collection::vec;
use proptest::prelude::*;
use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;

/// n/d.
pub(crate) fn ratio(n: i64, d: u64) -> Rational {
    Rational::new(n, d).unwrap()
}

/// Any of the three relations.
pub(crate) fn neighbours() -> impl Strategy<Value = Neighbours> {
    prop_oneof![Just(Neighbours::AddRemove), Just(Neighbours::Replace), Just(Neighbours::ZeroOut)]
}

/// A number at least 0: often a default, sometimes tiny, huge, or the exact value of a float.
pub(crate) fn magnitude() -> impl Strategy<Value = Rational> {
    prop_oneof![
        3 => (0_i64..=40, prop_oneof![Just(1_u64), Just(10), Just(16), 1_u64..=30])
            .prop_map(|(n, d)| ratio(n, d)),
        1 => (1_i64..1000, 0_u32..=18).prop_map(|(n, places)| ratio(n, 10_u64.pow(places))),
        1 => (0_i64.., 1_u64..).prop_map(|(n, d)| ratio(n, d)),
        1 => (0.0..1e300_f64).prop_map(|x| Rational::from_f64(x).unwrap()),
        1 => (0.0..1e-300_f64).prop_map(|x| Rational::from_f64(x).unwrap()),
    ]
}

/// A number of either sign.
pub(crate) fn real() -> impl Strategy<Value = Rational> {
    (magnitude(), any::<bool>()).prop_map(|(x, negative)| if negative { -x } else { x })
}

/// A number in [0, 1].
pub(crate) fn chance() -> impl Strategy<Value = Rational> {
    prop_oneof![
        1 => Just(Rational::ZERO),
        1 => Just(Rational::ONE),
        4 => (any::<u32>(), any::<u32>())
            .prop_map(|(a, b)| ratio(i64::from(a.min(b)), u64::from(a.max(b)).max(1))),
        2 => (1_i64..=999, 3_u32..=15).prop_map(|(n, places)| ratio(n, 10_u64.pow(places))),
    ]
}

/// Chances of sum exactly 1.
pub(crate) fn distribution(length: usize) -> impl Strategy<Value = Vec<Rational>> {
    (vec(0_i64..=20, length), 0..length).prop_map(|(mut weights, sure)| {
        weights[sure] += 1;
        let total = u64::try_from(weights.iter().sum::<i64>()).unwrap();
        weights.into_iter().map(|weight| ratio(weight, total)).collect()
    })
}

/// Strictly increasing numbers.
fn increasing(
    items: impl Strategy<Value = Rational>,
    lengths: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<Rational>> {
    vec(items, lengths).prop_map(|mut items| {
        items.sort();
        items.dedup();
        items
    })
}

/// Points of a convex curve on or below beta = 1 - alpha: on (1 - alpha)^2 times a chance.
fn tradeoff_knots() -> impl Strategy<Value = Vec<(Rational, Rational)>> {
    (increasing(chance(), 1..5), chance()).prop_map(|(alphas, height)| {
        let beta = |alpha: &Rational| &(&Rational::ONE - alpha).square() * &height;
        alphas.iter().map(|alpha| (alpha.clone(), beta(alpha))).collect()
    })
}

fn profile_knots() -> impl Strategy<Value = Vec<(Rational, Rational)>> {
    (increasing(magnitude(), 1..5), vec(chance(), 4)).prop_map(|(epsilons, mut deltas)| {
        deltas.sort_by(|a, b| b.cmp(a));
        epsilons.into_iter().zip(deltas).collect()
    })
}

fn renyi_table() -> impl Strategy<Value = Vec<(Rational, Rational)>> {
    let order = magnitude().prop_map(|x| {
        let order = &x + &Rational::ONE;
        if order == Rational::ONE { ratio(2, 1) } else { order }
    });
    (increasing(order, 1..5), vec(magnitude(), 4))
        .prop_map(|(orders, divergences)| orders.into_iter().zip(divergences).collect())
}

fn noise_leaf() -> BoxedStrategy<Leaf> {
    let noise = || (magnitude(), prop_oneof![Just(Rational::ONE), magnitude()]);
    let whole = || (magnitude(), (0_u64..=5).prop_map(Rational::from));
    let truncated = || (magnitude(), magnitude(), magnitude());
    prop_oneof![
        noise().prop_map(|(sigma, sensitivity)| Leaf::Gaussian { sigma, sensitivity }),
        noise().prop_map(|(scale, sensitivity)| Leaf::Laplace { scale, sensitivity }),
        whole().prop_map(|(sigma, sensitivity)| Leaf::DiscreteGaussian { sigma, sensitivity }),
        whole().prop_map(|(scale, sensitivity)| Leaf::DiscreteLaplace { scale, sensitivity }),
        (magnitude(), chance()).prop_map(|(epsilon, gamma)| Leaf::Staircase { epsilon, gamma }),
        noise().prop_map(|(width, sensitivity)| Leaf::Uniform { width, sensitivity }),
        truncated().prop_map(|(scale, bound, sensitivity)| Leaf::TruncatedLaplace {
            scale,
            bound,
            sensitivity
        }),
        truncated().prop_map(|(sigma, bound, sensitivity)| Leaf::TruncatedGaussian {
            sigma,
            bound,
            sensitivity
        }),
    ]
    .boxed()
}

fn stated_leaf() -> BoxedStrategy<Leaf> {
    let answers = prop_oneof![2_u64..=10, Just(u64::MAX)];
    prop_oneof![
        (answers, magnitude()).prop_map(|(k, epsilon)| Leaf::KaryResponse { k, epsilon }),
        (magnitude(), chance()).prop_map(|(epsilon, delta)| Leaf::ApproxDp { epsilon, delta }),
        magnitude().prop_map(|epsilon| Leaf::Pure { epsilon }),
        chance().prop_map(|delta| Leaf::TotalVariation { delta }),
        magnitude().prop_map(|epsilon| Leaf::Exponential { epsilon }),
        magnitude().prop_map(|epsilon| Leaf::PermuteAndFlip { epsilon }),
        magnitude().prop_map(|epsilon| Leaf::NoisyMax { epsilon }),
        magnitude().prop_map(|mu| Leaf::Gdp { mu }),
        (magnitude(), magnitude()).prop_map(|(rho, xi)| Leaf::Zcdp { rho, xi }),
        (magnitude(), magnitude()).prop_map(|(mu1, mu2)| Leaf::Poisson { mu1, mu2 }),
    ]
    .boxed()
}

fn listed_leaf() -> BoxedStrategy<Leaf> {
    let response = prop_oneof![chance().prop_map(|p| (p.clone(), p)), (chance(), chance())];
    let laws = (1_usize..5).prop_flat_map(|n| (distribution(n), distribution(n)));
    prop_oneof![
        response.prop_map(|(p, q)| Leaf::RandomisedResponse { p, q }),
        renyi_table().prop_map(|table| Leaf::Renyi { table }),
        (magnitude(), vec((magnitude(), magnitude()), 0..4))
            .prop_map(|(s2, jumps)| Leaf::InfinitelyDivisible { s2, jumps }),
        tradeoff_knots().prop_map(|knots| Leaf::Tradeoff { knots }),
        profile_knots().prop_map(|knots| Leaf::Profile { knots }),
        laws.prop_map(|(p, q)| Leaf::Discrete { p, q }),
        Just(Leaf::NonPrivate),
    ]
    .boxed()
}

/// Any valid leaf.
pub(crate) fn leaf() -> BoxedStrategy<Leaf> {
    let plain = prop_oneof![8 => noise_leaf(), 10 => stated_leaf(), 7 => listed_leaf()];
    plain
        .prop_recursive(2, 2, 1, |inner| {
            (inner, increasing(real(), 0..4))
                .prop_map(|(inner, cuts)| Leaf::Quantised { inner: Box::new(inner), cuts })
        })
        .boxed()
}

/// Any valid spec, of every variant and some levels deep.
pub(crate) fn spec() -> BoxedStrategy<MechanismSpec> {
    leaf().prop_map(MechanismSpec::Leaf).prop_recursive(4, 12, 3, |inner| combined(&inner)).boxed()
}

/// What can be made of valid specs.
fn combined(inner: &BoxedStrategy<MechanismSpec>) -> BoxedStrategy<MechanismSpec> {
    let boxed = || inner.clone().prop_map(Box::new);
    let several = || vec(inner.clone(), 1..4);
    let part_of = || {
        prop_oneof![(1_u64..=9, 0_u64..=9), (1_u64..=1 << 40, 0_u64..=1 << 40)]
            .prop_map(|(part, rest)| (part, part + rest))
    };
    let mixed = (1_usize..4).prop_flat_map({
        let inner = inner.clone();
        move |n| (distribution(n), vec(inner.clone(), n))
    });
    // Four levels of these stay below the limit on repetitions in all.
    let times = prop_oneof![1_u64..=9, 1_u64..=20_000];
    prop_oneof![
        several().prop_map(MechanismSpec::Composed),
        (times, boxed()).prop_map(|(times, inner)| MechanismSpec::Repeated { times, inner }),
        (chance(), boxed()).prop_map(|(rate, inner)| MechanismSpec::Sampled { rate, inner }),
        (part_of(), boxed()).prop_map(|((batch, population), inner)| {
            MechanismSpec::WithoutReplacement { batch, population, inner }
        }),
        (1_u64.., boxed()).prop_map(|(users, inner)| MechanismSpec::Shuffled { users, inner }),
        (part_of(), boxed()).prop_map(|((chosen, steps), inner)| MechanismSpec::Allocated {
            chosen,
            steps,
            inner
        }),
        (1_u64..=100, boxed()).prop_map(|(size, inner)| MechanismSpec::Group { size, inner }),
        mixed.prop_map(|(chances, parts)| {
            MechanismSpec::Mixed(chances.into_iter().zip(parts).collect())
        }),
        several().prop_map(MechanismSpec::Parallel),
        boxed().prop_map(MechanismSpec::PostProcessed),
    ]
    .boxed()
}
