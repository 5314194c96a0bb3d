//! The value found reaches its target, and hardly any less private value does.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use throng_account::{
    AccountError, Accuracy, Bracket, Calibration, Neighbours, PrivacyLoss, Target, Template,
    calibrate,
};
use throng_numeric::Rational;

const EPSILON: Target = Target::Epsilon { epsilon: 1.0, delta: 1e-6 };

fn found(text: &str, target: &Target) -> Result<Calibration, AccountError> {
    let template = Template::parse(text)?;
    calibrate(&template, target, Neighbours::AddRemove, Accuracy::default())
}

/// Whether the certified bound of a mechanism meets the target.
fn meets(template: &Template, value: &Rational, target: &Target) -> bool {
    let spec = template.fill(value).unwrap();
    let narrow = Accuracy { width: 1e-8 };
    let loss = PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, narrow).unwrap();
    match *target {
        Target::Epsilon { epsilon, delta } if delta > 0.0 => {
            loss.delta(epsilon).unwrap().upper <= delta
        }
        Target::Epsilon { epsilon, .. } => loss.epsilon(0.0).unwrap().upper <= epsilon,
        Target::Gdp { mu } => loss.gdp().unwrap().upper <= mu,
        Target::Zcdp { rho } => loss.zcdp().unwrap().upper <= rho,
        Target::Detection { false_alarm, found } => {
            (1.0 - loss.miss_rate(false_alarm).unwrap().lower).next_up() <= found
        }
        Target::Advantage { advantage } => loss.total_variation().unwrap().upper <= advantage,
    }
}

/// What the target asks for.
const fn allowed(target: &Target) -> f64 {
    match *target {
        Target::Epsilon { epsilon, .. } => epsilon,
        Target::Gdp { mu } => mu,
        Target::Zcdp { rho } => rho,
        Target::Detection { found, .. } => found,
        Target::Advantage { advantage } => advantage,
    }
}

/// The text is the value, exactly, and so is the number in the spec.
fn check_text(template: &Template, calibration: &Calibration) {
    let read: Rational = calibration.text.parse().unwrap();
    assert_eq!(read, calibration.value, "{}", calibration.text);
    assert_eq!(template.fill(&read).unwrap(), calibration.spec);
    assert_eq!(calibration.spec.to_string().parse(), Ok(calibration.spec.clone()));
}

/// `less_private` is 1 + 1e-5 where larger is less private, else 1 - 1e-5.
fn check_real(text: &str, target: &Target, less_private: &str) {
    let template = Template::parse(text).unwrap();
    let calibration = found(text, target).unwrap();
    check_text(&template, &calibration);
    assert!(meets(&template, &calibration.value, target), "{text}: {}", calibration.text);
    let factor: Rational = less_private.parse().unwrap();
    let beyond = &calibration.value * &factor;
    assert!(!meets(&template, &beyond, target), "{text}: {} is not tight", calibration.text);
    let (Bracket { lower, upper }, most) = (calibration.achieved, allowed(target));
    assert!(lower <= upper && upper <= most, "{text}: [{lower}, {upper}] of {most}");
    assert!(calibration.text.len() <= 16, "{} is no short decimal", calibration.text);
}

fn check_count(text: &str, target: &Target, larger_is_safer: bool) {
    let template = Template::parse(text).unwrap();
    let calibration = found(text, target).unwrap();
    check_text(&template, &calibration);
    assert!(calibration.value.is_integer(), "{}", calibration.text);
    assert!(meets(&template, &calibration.value, target), "{text}: {}", calibration.text);
    let one = Rational::ONE;
    let beyond =
        if larger_is_safer { &calibration.value - &one } else { &calibration.value + &one };
    assert!(!meets(&template, &beyond, target), "{text}: {} is not tight", calibration.text);
}

const MORE: &str = "1.00001";
const LESS: &str = "0.99999";

#[test]
fn noise_for_each_target() {
    for target in [
        EPSILON,
        Target::Gdp { mu: 0.3 },
        Target::Zcdp { rho: 0.05 },
        Target::Advantage { advantage: 0.1 },
    ] {
        check_real("gaussian(sigma=?)", &target, LESS);
    }
    check_real("laplace(scale=?)", &Target::Epsilon { epsilon: 0.7, delta: 0.0 }, LESS);
}

#[test]
fn noise_for_a_rate_of_detection() {
    let target = Target::Detection { false_alarm: 0.05, found: 0.1 };
    check_real("gaussian(sigma=?)", &target, LESS);
}

#[test]
fn noise_of_many_sampled_steps() {
    let text = "14062 * sampled(gaussian(sigma=?), rate=256/60000)";
    check_real(text, &EPSILON, LESS);
}

/// Compositions that are not smooth are looked at closely only near the target: for some steps on large samples this took
/// minutes. The answer is certified all the same, and a thousandth less noise would not do.
#[test]
fn noise_of_few_sampled_steps() {
    let template = Template::parse("512 * sampled(gaussian(sigma=?), rate=1/16)").unwrap();
    let loss = |sigma: &Rational| {
        let spec = template.fill(sigma).unwrap();
        PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy { width: 1e-3 }).unwrap()
    };
    let less: Rational = "0.999".parse().unwrap();

    let target = Target::Epsilon { epsilon: 3.0, delta: 1e-5 };
    let found = calibrate(&template, &target, Neighbours::AddRemove, Accuracy::default()).unwrap();
    assert!(loss(&found.value).delta(3.0).unwrap().upper <= 1e-5 * 1.001, "{}", found.text);
    assert!(loss(&(&found.value * &less)).delta(3.0).unwrap().lower > 1e-5, "{}", found.text);
    assert!(found.achieved.upper <= 3.0);

    let target = Target::Detection { false_alarm: 0.01, found: 0.05 };
    let found = calibrate(&template, &target, Neighbours::AddRemove, Accuracy::default()).unwrap();
    assert!(loss(&found.value).miss_rate(0.01).unwrap().lower >= 0.95, "{}", found.text);
    assert!(loss(&(&found.value * &less)).miss_rate(0.01).unwrap().upper < 0.95, "{}", found.text);
    assert!(found.achieved.upper <= 0.05);
}

#[test]
fn rates_and_stated_guarantees() {
    check_real("sampled(gaussian(sigma=1), rate=?)", &EPSILON, MORE);
    check_real("100 * pure(eps=?)", &EPSILON, MORE);
    check_real("7 * gdp(mu=?)", &EPSILON, MORE);
    check_real("gaussian(sigma=3, sensitivity=?)", &EPSILON, MORE);
    check_real("3 * approx_dp(eps=0.1, delta=?)", &EPSILON, MORE);
}

#[test]
fn counts() {
    check_count("repeated(gaussian(sigma=50), times=?)", &EPSILON, false);
    check_count("repeated(pure(eps=0.01), times=?)", &EPSILON, false);
    check_count("group(gaussian(sigma=50), size=?)", &EPSILON, false);
}

#[test]
fn users_of_a_shuffler() {
    let target = Target::Epsilon { epsilon: 0.5, delta: 1e-6 };
    let template = Template::parse("shuffled(kary_response(k=2, eps=1), users=?)").unwrap();
    let under = Neighbours::Replace;
    let found = calibrate(&template, &target, under, Accuracy::default()).unwrap();
    check_text(&template, &found);
    let delta = |users: &Rational| {
        let spec = template.fill(users).unwrap();
        let loss = PrivacyLoss::of_spec(&spec, under, Accuracy { width: 1e-8 }).unwrap();
        loss.delta(0.5).unwrap().upper
    };
    assert!(delta(&found.value) <= 1e-6, "{}", found.text);
    assert!(delta(&(&found.value - &Rational::ONE)) > 1e-6, "{}", found.text);
}

#[test]
fn what_cannot_be_reached_is_refused() {
    for (text, target) in [
        ("nonprivate + gaussian(sigma=?)", EPSILON),
        ("pure(eps=2) + repeated(pure(eps=1/100), times=?)", EPSILON),
        ("gaussian(sigma=?)", Target::Epsilon { epsilon: 1.0, delta: 0.0 }),
    ] {
        let error = found(text, &target).unwrap_err();
        assert!(matches!(error, AccountError::Refused { .. }), "{text}: {error}");
    }
}

#[test]
fn targets_out_of_range_are_refused() {
    let nan = f64::NAN;
    for target in [
        Target::Epsilon { epsilon: -1.0, delta: 1e-6 },
        Target::Epsilon { epsilon: nan, delta: 1e-6 },
        Target::Epsilon { epsilon: f64::INFINITY, delta: 1e-6 },
        Target::Epsilon { epsilon: 1.0, delta: 1.0 },
        Target::Epsilon { epsilon: 1.0, delta: -1e-9 },
        Target::Epsilon { epsilon: 1.0, delta: nan },
        Target::Epsilon { epsilon: 0.0, delta: 0.0 },
        Target::Gdp { mu: 0.0 },
        Target::Gdp { mu: nan },
        Target::Zcdp { rho: -1.0 },
        Target::Zcdp { rho: f64::INFINITY },
        Target::Detection { false_alarm: 0.1, found: 0.1 },
        Target::Detection { false_alarm: 0.0, found: 0.1 },
        Target::Detection { false_alarm: nan, found: 0.1 },
        Target::Detection { false_alarm: 0.1, found: 1.0 },
        Target::Advantage { advantage: 0.0 },
        Target::Advantage { advantage: 1.5 },
        Target::Advantage { advantage: nan },
    ] {
        let error = found("gaussian(sigma=?)", &target).unwrap_err();
        assert!(matches!(error, AccountError::Invalid { .. }), "{target:?}: {error}");
    }
    for width in [0.0, -1.0, nan, 1.0, f64::INFINITY] {
        let template = Template::parse("gaussian(sigma=?)").unwrap();
        let accuracy = Accuracy { width };
        let found = calibrate(&template, &EPSILON, Neighbours::AddRemove, accuracy);
        assert!(matches!(found, Err(AccountError::Invalid { .. })), "width {width}: {found:?}");
    }
}
