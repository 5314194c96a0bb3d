//! The text form by example: what is read, what is refused, and what the messages say.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test")]

#[path = "../../../fuzz/properties/parse_spec.rs"]
mod parse_spec;

use crate::support::strategy;
use proptest::prelude::*;
use throng_account::spec::vocabulary::Entry;
use throng_account::spec::{MAX_BRACKETS, MAX_TEXT, vocabulary};
use throng_account::{AccountError, MechanismSpec, Neighbours};

fn read(text: &str) -> MechanismSpec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn message(text: &str) -> String {
    text.parse::<MechanismSpec>().expect_err(text).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        parse_spec::check(&text);
    }

    #[test]
    fn anything_like_a_spec_is_read_or_refused(
        text in "((gaussian|rr|pure|mixed|sampled|sigma|eps|p|tv)|[-+*,=()\\[\\]?/ 0-9.e]){0,20}",
    ) {
        parse_spec::check(&text);
    }

    #[test]
    fn a_damaged_spec_is_read_or_refused(
        spec in strategy::spec(),
        place in any::<prop::sample::Index>(),
        put in "[-+*,=()\\[\\]?/0-9.ex]?",
    ) {
        let mut text = spec.to_string();
        let place = place.index(text.len());
        text.replace_range(place..=place, &put);
        parse_spec::check(&text);
    }
}

#[test]
fn different_ways_to_say_the_same() {
    for (text, canonical) in [
        (
            "14062 * sampled(gaussian(0.8), 256/60000)",
            "14062 * sampled(gaussian(sigma=0.8), rate=8/1875)",
        ),
        ("gaussian(standard_deviation=2, sensitivity=1.0)", "gaussian(sigma=2)"),
        ("gaussian(noise_multiplier=1.1)", "gaussian(sigma=1.1)"),
        ("geometric(2, 3)", "discrete_laplace(scale=2, sensitivity=3)"),
        ("rr(1/4)", "randomized_response(p=0.25)"),
        ("randomised_response(p=1/4, q=1/4)", "randomized_response(p=0.25)"),
        ("rr(0.25, 0.5)", "randomized_response(p=0.25, q=0.5)"),
        ("rr(epsilon=1)", "pure(eps=1)"),
        ("krr(k=10, epsilon=2)", "kary_response(k=10, eps=2)"),
        ("leaky_randomized_response(1, 1e-6)", "approx_dp(eps=1, delta=0.000001)"),
        ("bounded_range(1)", "exponential(eps=1)"),
        ("report_noisy_max(1)", "noisy_max(eps=1)"),
        ("zcdp(1/2, xi=0)", "zcdp(rho=0.5)"),
        ("renyi([(2, 1/3),],)", "renyi([(2, 1/3)])"),
        ("renyi(table=[(2, 1)])", "renyi([(2, 1)])"),
        ("id(1)", "infinitely_divisible(s2=1)"),
        ("id(1, [(1, 2)])", "infinitely_divisible(s2=1, jumps=[(1, 2)])"),
        ("quantized(laplace(1), cuts=[-1, 0.5])", "quantised(laplace(scale=1), cuts=[-1, 0.5])"),
        ("nonprivate()", "nonprivate"),
        ("sampled(pure(1), q=1/2)", "sampled(pure(eps=1), rate=0.5)"),
        ("wor(pure(1), 2, 3)", "without_replacement(pure(eps=1), batch=2, population=3)"),
        ("shuffled(pure(1), n=1_000)", "shuffled(pure(eps=1), users=1000)"),
        ("random_allocation(pure(1), 1e2)", "allocated(pure(eps=1), steps=100)"),
        (
            "mixed([(1/3, pure(1)), (2/3, tv(0))])",
            "mixed([(1/3, pure(eps=1)), (2/3, tv(delta=0))])",
        ),
        ("post_processed(pure(1))", "postprocessed(pure(eps=1))"),
        ("repeated(pure(1), times=3)", "3 * pure(eps=1)"),
        ("pure(1) * 3", "3 * pure(eps=1)"),
        ("1e9 * pure(1)", "1000000000 * pure(eps=1)"),
        ("composed(pure(1), pure(2))", "pure(eps=1) + pure(eps=2)"),
        ("composed(pure(1))", "composed(pure(eps=1))"),
        ("((pure(1)))", "pure(eps=1)"),
        (
            "2*(3*pure(1)) + (pure(2)+pure(3))",
            "2 * (3 * pure(eps=1)) + (pure(eps=2) + pure(eps=3))",
        ),
        (
            "parallel(pure(1) + pure(2), 2 * pure(3))",
            "parallel(pure(eps=1) + pure(eps=2), 2 * pure(eps=3))",
        ),
        ("laplace ( scale = 256 / 60000 )", "laplace(scale=8/1875)"),
    ] {
        assert_eq!(read(text).to_string(), canonical, "{text}");
        assert_eq!(read(canonical), read(text));
    }
}

#[test]
fn messages_say_where_what_and_what_else() {
    for (text, expected) in [
        (
            "gaussian(1, scal=2)",
            "column 13: gaussian has no argument \"scal\"; it takes sigma, sensitivity=1",
        ),
        ("gaussian", "column 1: gaussian needs sigma; it takes sigma, sensitivity=1"),
        (
            "gaussian(1, 2, 3)",
            "column 16: gaussian has too many arguments; it takes sigma, sensitivity=1",
        ),
        (
            "gaussian(1, sigma=2)",
            "column 13: sigma of gaussian is given twice; it takes sigma, sensitivity=1",
        ),
        (
            "gaussian(sigma=1, 2)",
            "column 19: an argument without a name cannot follow one with a name; it takes sigma, sensitivity=1",
        ),
        (
            "gaussian(sensitivity=2, noise_multiplier=1)",
            "column 25: gaussian takes \"noise_multiplier\" only alone; otherwise it takes sigma, sensitivity=1",
        ),
        (
            "rr(eps=1, q=1/2)",
            "column 4: randomized_response takes \"eps\" only alone; otherwise it takes p, q=p",
        ),
        (
            "pure(1) + gausian(1)",
            "column 11: there is no mechanism \"gausian\"; did you mean gaussian?",
        ),
        ("nonprivate(1)", "column 12: nonprivate has too many arguments; it takes no arguments"),
        ("pure(gdp(1))", "column 6: eps of pure is the mechanism gdp, but must be a number"),
        (
            "shuffled(pure(1), 1/2)",
            "column 19: users of shuffled is the number 0.5, but must be a whole number",
        ),
        (
            "1/2 * pure(1)",
            "column 1: times of repeated is the number 0.5, but must be a whole number",
        ),
        (
            "quantised(2 * pure(1), [])",
            "column 11: inner of quantised is the mechanism repeated, but must be a mechanism that is not made of others",
        ),
        (
            "renyi([1])",
            "column 8: table of renyi holds the number 1, but must be a list of pairs, such as [(1/2, 3)]",
        ),
        ("composed(1)", "column 10: parts of composed holds the number 1, but must be mechanisms"),
        ("2 * 3", "column 3: \"*\" stands between a count and a mechanism"),
        (
            "2 * pure(1) * 3",
            "column 13: one count per mechanism; write 2 * (3 * a) for a repetition of repetitions",
        ),
        ("3", "column 1: expected a mechanism, found the number 3"),
        ("pure(1) + 3", "column 11: expected a mechanism, found the number 3"),
        ("", "column 1: expected a mechanism or a number, found the end"),
        ("pure(1", "column 7: expected \",\" or \")\", found the end"),
        ("pure(1) pure(2)", "column 9: expected \"+\", \"*\" or the end, found \"pure\""),
        ("pure(σ)", "column 6: unexpected character 'σ'"),
        ("pure(1/0)", "column 8: the denominator is zero"),
        ("pure(1 /  0)", "column 11: the denominator is zero"),
        ("pure(1 / )", "column 10: expected a digit"),
        (
            "pure(1x)",
            "column 7: unexpected character after the number (allowed: 3, -0.8, 1e-6, 256/60000)",
        ),
        ("pure(eps=?)", "column 10: \"?\" stands for a number to be found; give the number"),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
    assert!(message("frobnicate(1)").contains("known are gaussian, laplace,"));
}

#[test]
fn hostile_texts_are_refused_with_an_error() {
    for open in ["(", "[", "sampled(", "mixed([(1, ", "2 * ("] {
        let text = open.repeat(MAX_TEXT / open.len());
        assert!(message(&text).contains(&format!("at most {MAX_BRACKETS} deep")), "{open}");
    }
    let deep = format!("{}pure(1){}", "postprocessed(".repeat(40), ")".repeat(40));
    assert!(matches!(deep.parse::<MechanismSpec>(), Err(AccountError::TooLarge { .. })));
    let long = " ".repeat(MAX_TEXT + 1);
    assert!(matches!(long.parse::<MechanismSpec>(), Err(AccountError::TooLarge { .. })));
    let many = vec!["tv(0)"; 110_000].join("+");
    assert!(matches!(many.parse::<MechanismSpec>(), Err(AccountError::TooLarge { .. })));
    // Short to write, long to print: it could not be read back.
    let growing = vec!["pure(1e1200)"; 2000].join("+");
    assert!(matches!(growing.parse::<MechanismSpec>(), Err(AccountError::TooLarge { .. })));
    assert!(message("pure(1e99999)").contains("too long"));
    assert!(message("pure(1e1300)").contains("number of bits of pure.eps"));
    assert!(message(&"x".repeat(MAX_TEXT)).len() < 1000);
}

#[test]
fn names_are_unique_and_every_entry_explains_itself() {
    let names: Vec<_> = vocabulary().flat_map(Entry::names).collect();
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
    for entry in vocabulary() {
        assert!(!entry.meaning.is_empty());
        assert!(entry.to_string().starts_with(entry.name));
    }
    let shown: Vec<_> = vocabulary().map(ToString::to_string).collect();
    for line in [
        "gaussian(sigma, sensitivity=1)",
        "randomized_response(p, q=p)",
        "nonprivate",
        "infinitely_divisible(s2, jumps=[])",
        "composed(mechanism, ...)",
    ] {
        assert!(shown.iter().any(|shown| shown == line), "{line}");
    }
}

#[test]
fn relations_have_other_spellings() {
    for (text, neighbours) in [
        ("add_remove", Neighbours::AddRemove),
        ("addremove", Neighbours::AddRemove),
        ("replace-one", Neighbours::Replace),
        ("substitution", Neighbours::Replace),
        ("zero_out", Neighbours::ZeroOut),
    ] {
        assert_eq!(text.parse(), Ok(neighbours));
    }
    let error = "swap".parse::<Neighbours>().unwrap_err().to_string();
    assert_eq!(error, "neighbours is \"swap\", but must be add-remove, replace or zero-out");
}
