//! Which specs are refused, and how the messages name what is wrong.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test")]

use throng_account::{AccountError, Leaf, MechanismSpec};
use throng_numeric::Rational;

fn message(text: &str) -> String {
    match text.parse::<MechanismSpec>() {
        Err(error @ (AccountError::Invalid { .. } | AccountError::TooLarge { .. })) => {
            error.to_string()
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn every_range_is_checked() {
    for (text, start) in [
        ("gaussian(-1)", "gaussian.sigma is -1, but must be at least 0"),
        ("gaussian(1, -1)", "gaussian.sensitivity is -1"),
        ("laplace(-1/3)", "laplace.scale is -1/3"),
        ("laplace(1, -1)", "laplace.sensitivity"),
        ("discrete_gaussian(-1)", "discrete_gaussian.sigma"),
        (
            "discrete_gaussian(1, 1/3)",
            "discrete_gaussian.sensitivity is 1/3, but must be a whole number",
        ),
        ("discrete_laplace(-1)", "discrete_laplace.scale"),
        (
            "discrete_laplace(1, 0.25)",
            "discrete_laplace.sensitivity is 0.25, but must be a whole number",
        ),
        ("staircase(-1, 0)", "staircase.eps"),
        ("staircase(1, 2)", "staircase.gamma is 2, but must be in [0, 1]"),
        ("uniform(-1)", "uniform.width"),
        ("uniform(1, -1)", "uniform.sensitivity"),
        ("truncated_laplace(-1, 1)", "truncated_laplace.scale"),
        ("truncated_laplace(1, -1)", "truncated_laplace.bound"),
        ("truncated_laplace(1, 1, -1)", "truncated_laplace.sensitivity"),
        ("truncated_gaussian(-1, 1)", "truncated_gaussian.sigma"),
        ("truncated_gaussian(1, -1)", "truncated_gaussian.bound"),
        ("truncated_gaussian(1, 1, -1)", "truncated_gaussian.sensitivity"),
        ("rr(1.5)", "randomized_response.p is 1.5"),
        ("rr(0.5, -0.5)", "randomized_response.q is -0.5"),
        ("krr(1, 1)", "kary_response.k is 1, but must be at least 2"),
        ("krr(2, -1)", "kary_response.eps"),
        ("approx_dp(-1, 0)", "approx_dp.eps"),
        ("approx_dp(1, 1.1)", "approx_dp.delta"),
        ("pure(-1)", "pure.eps"),
        ("tv(2)", "tv.delta"),
        ("exponential(-1)", "exponential.eps"),
        ("permute_and_flip(-1)", "permute_and_flip.eps"),
        ("noisy_max(-1)", "noisy_max.eps"),
        ("gdp(-1)", "gdp.mu"),
        ("zcdp(-1)", "zcdp.rho"),
        ("zcdp(1, -1)", "zcdp.xi"),
        ("renyi([])", "renyi.table is empty"),
        ("renyi([(1, 1)])", "renyi.table[0] is (1, 1), but must be of an order above 1"),
        ("renyi([(2, -1)])", "renyi.table[0] is (2, -1), but must be of a divergence at least 0"),
        (
            "renyi([(2, 1), (2, 1)])",
            "renyi.table[1] is (2, 1), but must be in strictly increasing order",
        ),
        ("poisson(-1, 1)", "poisson.mu1"),
        ("poisson(1, -1)", "poisson.mu2"),
        ("id(-1)", "infinitely_divisible.s2"),
        ("id(1, [(1, 1), (1, -1)])", "infinitely_divisible.jumps[1] is (1, -1)"),
        ("tradeoff([])", "tradeoff.knots is empty"),
        (
            "tradeoff([(-0.5, 0.5)])",
            "tradeoff.knots[0] is (-0.5, 0.5), but must be of a false-alarm",
        ),
        ("tradeoff([(0.5, -0.5)])", "tradeoff.knots[0] is (0.5, -0.5), but must be of a miss rate"),
        (
            "tradeoff([(0, 1), (0.5, 0.6)])",
            "tradeoff.knots[1] is (0.5, 0.6), but must be on or below the line",
        ),
        (
            "tradeoff([(0.1, 0.2), (0.1, 0.1)])",
            "tradeoff.knots[1] is (0.1, 0.1), but must be of a larger",
        ),
        (
            "tradeoff([(0.1, 0.2), (0.2, 0.3)])",
            "tradeoff.knots[1] is (0.2, 0.3), but must be of a miss rate no larger",
        ),
        (
            "tradeoff([(0, 0.9), (0.5, 0.5), (1, 0)])",
            "tradeoff.knots[1] is (0.5, 0.5), but must be on or below the line through",
        ),
        ("profile([])", "profile.knots is empty"),
        ("profile([(-1, 0)])", "profile.knots[0]"),
        ("profile([(1, 2)])", "profile.knots[0]"),
        (
            "profile([(1, 0), (1, 0)])",
            "profile.knots[1] is (1, 0), but must be of a larger epsilon",
        ),
        (
            "profile([(1, 0), (2, 0.1)])",
            "profile.knots[1] is (2, 0.1), but must be of a delta no larger",
        ),
        ("discrete([], [])", "discrete.sum(p) is 0, but must be exactly 1"),
        ("discrete([1/2, 1/3], [1, 0])", "discrete.sum(p) is 5/6, but must be exactly 1"),
        ("discrete([1, 0], [3/2, -1/2])", "discrete.q[0] is 1.5, but must be in [0, 1]"),
        ("discrete([1], [1, 0])", "discrete.q is of length 2, but must be of length 1"),
        (
            "quantised(pure(1), [0, 1, 1])",
            "quantised.cuts[2] is 1, but must be larger than the cut before",
        ),
        ("quantised(pure(-1), [])", "pure.eps"),
        ("quantised(quantised(pure(1), [2, 1]), [])", "quantised.cuts[1]"),
        ("composed()", "composed is empty"),
        ("parallel()", "parallel is empty"),
        ("0 * pure(1)", "repeated.times is 0, but must be from 1 to 1000000000"),
        ("1000000001 * pure(1)", "repeated.times is 1000000001"),
        ("sampled(pure(1), 2)", "sampled.rate"),
        ("wor(pure(1), 0, 1)", "without_replacement.batch is 0, but must be from 1 to population"),
        ("wor(pure(1), 2, 1)", "without_replacement.batch is 2"),
        ("shuffled(pure(1), 0)", "shuffled.users"),
        ("allocated(pure(1), 0)", "allocated.steps"),
        ("allocated(pure(1), 2, 3)", "allocated.chosen is 3, but must be from 1 to steps"),
        ("allocated(pure(1), 2, 0)", "allocated.chosen"),
        ("group(pure(1), 0)", "group.size"),
        ("mixed([])", "mixed.sum(parts) is 0, but must be exactly 1"),
        ("mixed([(1/2, pure(1)), (1/3, pure(2))])", "mixed.sum(parts) is 5/6"),
        ("mixed([(-1, pure(1)), (2, pure(2))])", "mixed.parts[0] is -1"),
        ("mixed([(1, pure(-1))])", "pure.eps"),
        ("2 * sampled(parallel(tv(0), tv(2)), 1)", "tv.delta"),
        ("1e9 * (1e9 * (2 * pure(1)))", "the number of repetitions in all is too large"),
    ] {
        let message = message(text);
        assert!(message.starts_with(start), "{text}: {message}");
    }
}

#[test]
fn the_edges_are_allowed() {
    for text in [
        "gaussian(0, 0)",
        "uniform(0)",
        "truncated_laplace(0, 0, 0)",
        "discrete_gaussian(0, 0)",
        "rr(0, 1)",
        "staircase(0, 1)",
        "approx_dp(0, 1)",
        "poisson(0, 0)",
        "id(0)",
        "tv(1)",
        "tradeoff([(0, 1), (1, 0)])",
        "tradeoff([(1/2, 0)])",
        "profile([(0, 1)])",
        "discrete([1], [1])",
        "quantised(nonprivate, [])",
        "sampled(pure(1), 0)",
        "sampled(pure(1), 1)",
        "wor(pure(1), 3, 3)",
        "allocated(pure(1), 3, 3)",
        "1e9 * (1e9 * pure(1))",
        "1e9 * (2 * pure(1)) + 1e9 * (1e9 * pure(2))",
    ] {
        assert!(text.parse::<MechanismSpec>().is_ok(), "{text}");
    }
}

#[test]
fn constructors_validate() {
    let pure = |epsilon: i32| Leaf::Pure { epsilon: Rational::from(epsilon) };
    assert!(MechanismSpec::leaf(pure(-1)).is_err());
    assert!(MechanismSpec::repeated(0, pure(1)).is_err());
    assert!(MechanismSpec::composed(vec![]).is_err());
    assert!(MechanismSpec::sampled(2_u8.into(), pure(1)).is_err());
    let spec = MechanismSpec::repeated(3, MechanismSpec::sampled(1_u8.into(), pure(1)).unwrap());
    assert_eq!(spec.unwrap().to_string(), "3 * sampled(pure(eps=1), rate=1)");
}

/// Chances with many unlike denominators must not cost more than reading them.
#[test]
fn a_huge_common_denominator_is_refused() {
    let unlike: Vec<_> = (0..50_000).map(|i| format!("1/{}", 1_000_003 + 2 * i)).collect();
    let text = format!("discrete([{}], [1])", unlike.join(","));
    assert!(message(&text).starts_with("the number of bits of discrete.sum(p[0..="));
}
