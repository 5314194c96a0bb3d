//! Specs with one number to be found.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test")]

use crate::support::strategy::{self, ratio};
use proptest::prelude::*;
use throng_account::MechanismSpec;
use throng_account::spec::{HoleKind, Template};
use throng_numeric::Rational;

#[test]
fn a_hole_knows_its_name_and_kind() {
    for (text, name, kind) in [
        ("gaussian(sigma=?)", "sigma", HoleKind::Real),
        ("gaussian(noise_multiplier=?)", "sigma", HoleKind::Real),
        ("rr(eps=?)", "eps", HoleKind::Real),
        ("laplace(?)", "scale", HoleKind::Real),
        ("sampled(gaussian(1), q=?)", "rate", HoleKind::Real),
        ("? * gaussian(1) + pure(1)", "times", HoleKind::Count),
        ("gaussian(1) * ?", "times", HoleKind::Count),
        ("krr(?, 1)", "k", HoleKind::Count),
        ("shuffled(pure(1), n=?)", "users", HoleKind::Count),
        ("allocated(pure(1), ?)", "steps", HoleKind::Count),
        ("allocated(pure(1), 5, ?)", "chosen", HoleKind::Count),
        ("wor(pure(1), ?, 10)", "batch", HoleKind::Count),
        ("wor(pure(1), 1, ?)", "population", HoleKind::Count),
        ("group(pure(1), ?)", "size", HoleKind::Count),
        ("renyi([(2, ?)])", "table", HoleKind::Real),
        ("discrete(p=[1], q=[?])", "q", HoleKind::Real),
        ("mixed([(?, pure(1))])", "chance", HoleKind::Real),
        ("mixed([(1, pure(?))])", "eps", HoleKind::Real),
    ] {
        let template = Template::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((template.hole().name.as_str(), template.hole().kind), (name, kind), "{text}");
        assert_eq!(template.to_string().matches('?').count(), 1);
        assert!(template.fill(&Rational::ONE).is_ok() || kind == HoleKind::Count, "{text}");
        assert!(template.fill(&ratio(-1, 2)).is_err());
        assert_eq!(
            template.fill(&ratio(1, 2)).is_err(),
            kind == HoleKind::Count
                || text.starts_with("discrete")
                || text.starts_with("mixed([(?")
        );
    }
}

#[test]
fn templates_print_canonically() {
    for (text, canonical) in [
        ("?*sampled(gaussian(0.8,1),q=1/3)", "? * sampled(gaussian(sigma=0.8), rate=1/3)"),
        ("rr(?)", "randomized_response(p=?)"),
        ("random_allocation(pure(1), ?, chosen=1)", "allocated(pure(eps=1), steps=?)"),
    ] {
        assert_eq!(Template::parse(text).unwrap().to_string(), canonical);
    }
    let filled = Template::parse("rr(?)").unwrap().fill(&ratio(1, 4)).unwrap();
    assert_eq!(filled.to_string(), "randomized_response(p=0.25)");
}

#[test]
fn exactly_one_hole() {
    let message = |text: &str| Template::parse(text).unwrap_err().to_string();
    assert_eq!(message("pure(1)"), "column 8: nothing to find; write \"?\" in place of one number");
    assert_eq!(
        message("pure(?) + pure(?)"),
        "column 16: a second \"?\"; only one number can be found at a time"
    );
    assert_eq!(
        message("sampled(?, 1/2)"),
        "column 9: inner of sampled is \"?\", but must be a mechanism"
    );
    assert_eq!(message("?"), "column 1: expected a mechanism, found \"?\"");
    assert!(message("pure(?/2)").starts_with("column 7: "));
    assert_eq!(message("? * ?"), "column 3: \"*\" stands between a count and a mechanism");
}

proptest! {
    /// Any number of any spec can be the hole; filling it with that number gives the spec back.
    #[test]
    fn filling_undoes_the_hole(spec in strategy::spec(), pick in any::<prop::sample::Index>()) {
        let text = spec.to_string();
        let numbers = numbers(&text);
        prop_assume!(!numbers.is_empty());
        let (start, end) = numbers[pick.index(numbers.len())];
        let template = Template::parse(&format!("{}?{}", &text[..start], &text[end..])).unwrap();
        let value: Rational = text[start..end].parse().unwrap();
        let filled = template.fill(&value);
        prop_assert_eq!(filled, Ok(spec));
    }

    #[test]
    fn a_spec_is_no_template(spec in strategy::spec()) {
        prop_assert!(Template::parse(&spec.to_string()).is_err());
        prop_assert!(spec.to_string().parse::<MechanismSpec>().is_ok());
    }
}

/// Where the numbers are in a canonical text: they begin after a sign or a space.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let part = |c: char| c.is_ascii_alphanumeric() || "_.-/".contains(c);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(part).map(|skip| at + skip) {
        let end = text[start..].find(|c| !part(c)).map_or(text.len(), |length| start + length);
        if text[start..].starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            found.push((start, end));
        }
        at = end;
    }
    found
}
