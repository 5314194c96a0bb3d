//! Defects that once were, each as small as it gets.
#![allow(clippy::unwrap_used, reason = "tests may fail")]
#![allow(clippy::disallowed_methods, reason = "tests compare with plain numbers")]

use throng_account::{Accuracy, Neighbours, PrivacyLoss};

fn loss(text: &str, width: f64) -> PrivacyLoss {
    let spec = text.parse().unwrap();
    PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy { width }).unwrap()
}

/// The answer must not depend on what was asked before: after `epsilon(1e-5)` this works.
#[test]
fn a_fresh_loss_answers_at_a_huge_epsilon() {
    let loss = loss("14062 * sampled(gaussian(sigma=0.8), rate=256/60000)", 1e-4);
    assert!(loss.delta(700.0).unwrap().upper < 1e-30);
}

#[test]
fn a_fresh_loss_has_a_trade_off_curve() {
    let loss = loss("14062 * sampled(gaussian(sigma=0.8), rate=256/60000)", 1e-4);
    assert!(loss.miss_rate(0.1).unwrap().lower > 0.62);
}

/// The table asks epsilon at twice the infinite mass, which is above 1 here.
#[test]
fn who_is_not_protected_is_never_missed() {
    for text in ["nonprivate", "tv(delta=3/4)", "approx_dp(eps=1, delta=2/3)"] {
        assert!(loss(text, 1e-4).miss_rate(0.1).unwrap().lower <= 1.0 / 3.0);
    }
}

/// The loss of this mechanism is at most 10: epsilon(0) is exactly 10.
#[test]
fn the_largest_loss_lies_in_its_bracket() {
    let found = loss("laplace(scale=0.1)", 1e-8).epsilon(0.0).unwrap();
    assert!(found.contains(10.0), "{found}");
}

#[test]
fn a_single_pure_loss_lies_in_its_bracket() {
    let found = loss("pure(eps=700)", 1e-4).epsilon(0.0).unwrap();
    assert!(found.contains(700.0), "{found}");
}

/// About mu^2/2 + 4.75 mu with mu = 1e12.
#[test]
fn hardly_any_noise_is_not_certainly_none() {
    let found = loss("gaussian(sigma=1e-12)", 1e-4).epsilon(1e-6).unwrap();
    assert!(found.lower <= 5.1e23, "{found}");
}

/// The profile of a zCDP statement alone is above its own convex minorant, which composition
/// uses: composing with nothing makes it smaller.
#[test]
fn a_zcdp_statement_composed_with_nothing_stays_what_it_is() {
    let alone = loss("zcdp(rho=1/8)", 1e-3).delta(0.0).unwrap();
    let composed = loss("zcdp(rho=1/8) + pure(eps=0)", 1e-3).delta(0.0).unwrap();
    assert!(alone.lower <= composed.upper, "{alone} and {composed}");
}

/// Overflows: `chosen` and `steps` are added up unchecked.
#[test]
fn as_many_steps_as_there_are_numbers() {
    let text = "allocated(gaussian(sigma=1), steps=18446744073709551615)";
    let spec = text.parse().unwrap();
    let _ = PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default());
}

#[test]
fn small_pure_losses_lie_in_their_bracket() {
    let found = loss("10 * pure(eps=1e-12)", 1e-4).epsilon(0.0).unwrap();
    assert!(found.lower <= 1e-11 * (1.0 + 1e-14), "{found}");
}

#[test]
fn a_large_loss_is_not_an_infinite_one() {
    let found = loss("laplace(scale=1e-12)", 1e-4).epsilon(0.0).unwrap();
    assert!(found.lower <= 1e12 * (1.0 + 1e-14), "{found}");
}

/// mu squared is below all positive floating-point numbers.
#[test]
fn very_much_noise_has_an_answer() {
    assert!(loss("gaussian(sigma=1e300)", 1e-4).epsilon(1e-6).unwrap().upper < 1e-9);
}

/// A combinator whose inner mechanism runs ten times, taken twice, runs it twenty times.
#[test]
fn combinators_seen_again_count_all_their_runs() {
    let exact = loss("20 * pure(eps=0.1)", 1e-6).epsilon(1e-6).unwrap();
    for ten in [
        "sampled(10 * pure(eps=0.1), rate=1)",
        "mixed([(1, 10 * pure(eps=0.1))])",
        "parallel(10 * pure(eps=0.1))",
        "group(10 * pure(eps=0.1), size=1)",
        "group(10 * pure(eps=1/20), size=2)",
    ] {
        let found = loss(&format!("{ten} + {ten}"), 1e-6).epsilon(1e-6).unwrap();
        assert!((found.upper - exact.upper).abs() < 1e-9, "{ten}: {found} is not {exact}");
    }
    let once = loss("10 * allocated(gaussian(sigma=1), steps=1)", 1e-6).epsilon(1e-6).unwrap();
    let part = "allocated(gaussian(sigma=1), steps=5, chosen=5)";
    let twice = loss(&format!("{part} + {part}"), 1e-6).epsilon(1e-6).unwrap();
    assert!((once.upper - twice.upper).abs() < 1e-9, "{once} {twice}");
}

/// Under replace neither neighbour comes first: one run may see (P, Q) and the next (Q, P). With
/// outcomes (a, b) of chances (p_a q_b, q_a p_b), that was once more than was claimed.
#[test]
fn replaced_units_may_move_two_mechanisms_in_opposite_directions() {
    let pairs = [
        ("discrete(p=[9/10, 1/10], q=[1/2, 1/2])", [0.9, 0.1], [0.5, 0.5]),
        ("randomized_response(p=1/10, q=1/2)", [0.9, 0.1], [0.5, 0.5]),
        ("poisson(mu1=1, mu2=2)", [0.0; 2], [0.0; 2]),
        ("infinitely_divisible(s2=1/4, jumps=[(1, 2), (1/2, 3)])", [0.0; 2], [0.0; 2]),
    ];
    for (text, p, q) in pairs {
        let spec = format!("2 * {text}").parse().unwrap();
        let claim = PrivacyLoss::of_spec(&spec, Neighbours::Replace, Accuracy::default()).unwrap();
        for epsilon in [0.0_f64, 0.25, 0.5, 1.0, 1.5, 2.0] {
            let delta = if let Some(name) = text.strip_suffix(")").filter(|_| p[0] == 0.0) {
                let opposite = if name.starts_with("poisson") {
                    "infinitely_divisible(s2=0, jumps=[(1, 2), (2, 1)])"
                } else {
                    "infinitely_divisible(s2=1/2, jumps=[(1, 2), (1/2, 3), (2, 1), (3, 1/2)])"
                };
                loss(opposite, 1e-4).delta(epsilon).unwrap().lower
            } else {
                let cells = [(0, 0), (0, 1), (1, 0), (1, 1)];
                let gain = |(a, b): (usize, usize)| p[a] * q[b] - epsilon.exp() * q[a] * p[b];
                cells.into_iter().map(|cell| gain(cell).max(0.0)).sum::<f64>() - 1e-12
            };
            let claimed = claim.delta(epsilon).unwrap().upper;
            assert!(delta <= claimed, "{text}: delta({epsilon}) is {delta}, claimed {claimed}");
        }
    }
}

/// Alone, a pair costs the same in either order.
#[test]
fn one_run_of_an_asymmetric_pair_costs_what_its_worse_direction_costs() {
    for text in [
        "randomized_response(p=1/10, q=1/2)",
        "discrete(p=[9/10, 1/10, 0], q=[1/2, 1/4, 1/4])",
        "poisson(mu1=4, mu2=9)",
    ] {
        let spec = text.parse().unwrap();
        let replaced =
            PrivacyLoss::of_spec(&spec, Neighbours::Replace, Accuracy::default()).unwrap();
        for epsilon in [0.0, 0.5, 1.0, 2.0] {
            let once = loss(text, 1e-4).delta(epsilon).unwrap();
            let found = replaced.delta(epsilon).unwrap();
            assert!(found.upper >= once.lower, "{text} at {epsilon}: {found} is not {once}");
            assert!(
                found.upper <= once.upper * (1.0 + 1e-3) + 1e-9,
                "{text} at {epsilon}: {found} is not {once}"
            );
        }
    }
}

/// Thousands of outcomes were once written out by recursion, one call for each.
#[test]
fn two_runs_of_many_outcomes_do_not_exhaust_the_stack() {
    for sigma in ["37", "80", "200"] {
        let found = loss(&format!("2 * discrete_gaussian(sigma={sigma})"), 1e-4);
        assert!(found.epsilon(5e-10).unwrap().upper < 0.3);
        assert!(found.delta(0.2).unwrap().upper < 1e-8);
    }
}

/// An everyday query: counts, a selection, a threshold that leaks. Each once took a minute.
#[test]
fn counts_and_a_selection_are_composed() {
    let text = "2 * discrete_laplace(scale=1) + exponential(eps=1)";
    let found = loss(text, 1e-4);
    let epsilon = found.epsilon(1e-6).unwrap();
    assert!(epsilon.width() <= 1e-4 * epsilon.upper && epsilon.upper < 3.0, "{epsilon}");
    let counts = loss("2 * discrete_laplace(scale=1)", 1e-4).delta(1.0).unwrap();
    let pure = loss("2 * discrete_laplace(scale=1) + pure(eps=1)", 1e-4).delta(1.0).unwrap();
    let delta = found.delta(1.0).unwrap();
    assert!(delta.width() <= 1e-4 * delta.upper, "{delta}");
    assert!(counts.lower <= delta.upper && delta.lower <= pure.upper, "{delta}");
    assert!(found.delta(epsilon.upper).unwrap().lower <= 1e-6);
    assert!(found.delta(epsilon.lower).unwrap().upper >= 1e-6);
}

/// The largest losses can come together, so nothing less than their sum will do.
#[test]
fn without_a_delta_selections_cost_their_sum() {
    for (text, sum) in [
        ("2 * exponential(eps=0.5)", 1.0),
        ("3 * exponential(eps=0.5)", 1.5),
        ("2 * discrete_laplace(scale=1) + exponential(eps=1)", 3.0),
        ("2 * laplace(scale=1) + exponential(eps=1)", 3.0),
        ("10 * laplace(scale=5)", 2.0),
    ] {
        let found = loss(text, 1e-4).epsilon(0.0).unwrap();
        assert!(found.lower <= sum && sum <= found.upper, "{text}: {found}");
        assert!(found.width() <= 1e-4 * sum, "{text}: {found}");
    }
}

/// At the sum of the largest finite losses only the statement's own delta is left.
#[test]
fn at_the_largest_loss_only_what_is_infinite_remains() {
    let found = loss("40 * discrete_laplace(scale=40) + approx_dp(eps=1/2, delta=1e-6)", 1e-4);
    let delta = found.delta(1.5).unwrap();
    assert!(delta.contains(1e-6) && delta.width() < 1e-10, "{delta}");
}

/// The same next to noise that is inverted, and without a delta of its own.
#[test]
fn at_the_largest_loss_of_continuous_noise_next_to_nothing_remains() {
    let text = "3 * laplace(scale=2) + exponential(eps=1/2)";
    assert!(loss(text, 1e-4).delta(2.0).unwrap().upper < 1e-12);
    let leaking = loss(&format!("{text} + tv(delta=1e-10)"), 1e-4).delta(2.0).unwrap();
    assert!(leaking.contains(1e-10) && leaking.width() < 1e-13, "{leaking}");
    let unbounded = loss("gaussian(sigma=2) + exponential(eps=1)", 1e-4).delta(1.0).unwrap();
    assert!(unbounded.lower > 0.0 && unbounded.upper < 0.5, "{unbounded}");
}

/// Where delta is below the chance of the largest loss there is hardly anything to search.
#[test]
fn a_tiny_delta_spares_hardly_anything() {
    let text = "4 * laplace(scale=2) + 2 * discrete_laplace(scale=2) + exponential(eps=1/2)";
    let found = loss(text, 1e-4);
    let [pure, tiny, small] = [0.0, 1e-15, 1e-8].map(|delta| found.epsilon(delta).unwrap());
    assert!(tiny.lower <= pure.upper && small.lower <= tiny.upper, "{small} {tiny} {pure}");
    assert!(tiny.upper <= 3.5 + 1e-12 && tiny.lower >= 3.499, "{tiny}");
}
