//! Verdicts on targets whose law is known: claims that hold are hardly ever refuted, claims that do not are.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::support::{claim, gaussian, geometric, laplace, response, worlds};
use throng_audit::dice::Dice;
use throng_audit::{
    Claim, Effort, FromFn, Options, Outcome, Outcomes, Report, Verdict, World, audit,
};

fn verdict(text: &str, worlds: &[Outcomes; 2], confidence: f64) -> Report {
    judged(&claim(text), worlds, confidence)
}

fn judged(claim: &Claim, worlds: &[Outcomes; 2], confidence: f64) -> Report {
    let options = Options { confidence, bounds: false, ..Options::default() };
    audit::recorded(claim, [&worlds[0], &worlds[1]], &options).unwrap()
}

/// How often a claim that is exactly true is refuted at confidence 99 %.
fn false_alarms(
    text: &str,
    draw: impl Fn(&mut Dice, bool) -> Outcome + Copy,
    audits: u64,
    runs: usize,
) -> u64 {
    let claim = claim(text);
    let refuted = |seed: &u64| {
        let worlds = worlds(draw, runs, *seed);
        judged(&claim, &worlds, 0.99).verdict == Verdict::Violated
    };
    (0..audits).filter(refuted).count() as u64
}

/// With a chance of 1/100 each, more than this many of 10,000 happen with a chance below 1e-6; of
/// 1,500 more than the second.
const MANY: u64 = 150;
const FEW: u64 = 36;

#[test]
fn ten_thousand_audits_of_a_true_claim_raise_no_more_false_alarms_than_stated() {
    let alarms = false_alarms("pure(epsilon=1)", response(1.0), 10_000, 300);
    assert!(alarms <= MANY, "{alarms}");
}

#[test]
fn true_claims_about_numbers_raise_no_more_false_alarms_than_stated() {
    let alarms = false_alarms("laplace(scale=1)", laplace(1.0), 1_500, 400);
    assert!(alarms <= FEW, "laplace: {alarms}");
    let alarms = false_alarms("gdp(mu=1)", gaussian(1.0), 1_500, 400);
    assert!(alarms <= FEW, "gaussian: {alarms}");
    let alarms = false_alarms("discrete_laplace(scale=2)", geometric(0.5), 1_500, 400);
    assert!(alarms <= FEW, "geometric: {alarms}");
}

#[test]
fn an_audit_that_may_stop_at_any_time_keeps_its_level() {
    let text = claim("gdp(mu=1)");
    let options = Options { confidence: 0.95, bounds: false, ..Options::default() };
    let mut alarms = 0;
    for seed in 0..200 {
        let mut dice = Dice::seeded(seed);
        let draw = gaussian(1.0);
        let mut target = FromFn::new(|world: World| draw(&mut dice, world == World::One));
        let effort = Effort::UntilRefuted(4_000);
        let report = audit::live(&text, &mut target, &options, effort, &mut |_| {}).unwrap();
        alarms += u64::from(report.verdict == Verdict::Violated);
    }
    // More than 29 of 200 happen with a chance below 1e-6 if each has 1/20.
    assert!(alarms <= 29, "{alarms}");
}

#[test]
fn claims_that_are_a_little_too_good_are_refuted() {
    for (text, worlds) in [
        ("pure(epsilon=1)", worlds(response(1.15), 30_000, 1)),
        ("pure(epsilon=1)", worlds(laplace(1.15), 30_000, 2)),
        ("gdp(mu=0.9)", worlds(gaussian(1.0), 30_000, 3)),
        ("discrete_laplace(scale=2)", worlds(geometric(0.57), 60_000, 4)),
        ("zcdp(rho=0.5)", worlds(gaussian(1.4), 30_000, 5)),
        ("approx_dp(epsilon=1, delta=1e-3)", worlds(gaussian(1.0), 60_000, 6)),
    ] {
        let report = verdict(text, &worlds, 0.999);
        assert_eq!(report.verdict, Verdict::Violated, "{text}: {report:?}");
    }
}

#[test]
fn a_sequential_audit_stops_early() {
    let options = Options::default();
    let mut dice = Dice::seeded(9);
    let draw = response(2.0);
    let mut target = FromFn::new(|world: World| draw(&mut dice, world == World::One));
    let mut last = 0.0;
    let report = audit::live(
        &claim("pure(epsilon=1)"),
        &mut target,
        &options,
        Effort::UntilRefuted(1_000_000),
        &mut |progress| last = progress.evidence,
    )
    .unwrap();
    assert_eq!(report.verdict, Verdict::Violated);
    assert!(report.samples < 20_000, "{}", report.samples);
    assert_eq!(last, 1.0);
    assert!(report.epsilon_lower > 1.0 && report.epsilon_lower < 2.0, "{report:?}");
}

#[test]
fn bounds_are_below_the_truth_and_near_it() {
    let options = Options { delta: 1e-3, ..Options::default() };
    let both = worlds(gaussian(1.0), 200_000, 12);
    let report = audit::recorded(&claim("gdp(mu=0.5)"), [&both[0], &both[1]], &options).unwrap();
    assert_eq!(report.verdict, Verdict::Violated);
    assert!(report.mu_lower > 0.97 && report.mu_lower < 1.0, "{}", report.mu_lower);
    // epsilon of mu = 1 at delta = 1e-3 is 3.03.
    assert!(report.epsilon_lower > 1.8 && report.epsilon_lower < 3.03, "{}", report.epsilon_lower);
    for (alarm, miss) in &report.curve {
        // Above the true curve: Phi(Phi^-1(1 - alarm) - 1), checked at its fixed point.
        if (*alarm - 0.308_5).abs() < 0.02 {
            assert!(*miss > 0.29 && *miss < 0.36, "{alarm} {miss}");
        }
    }
}

#[test]
fn a_bound_on_epsilon_agrees_with_the_verdict_on_a_claim_of_epsilon() {
    for (seed, epsilon) in [(1, 1.3), (2, 1.1), (3, 1.0), (4, 0.9), (5, 1.2), (6, 1.15)] {
        let both = worlds(response(epsilon), 20_000, seed);
        let options = Options { delta: 0.0, ..Options::default() };
        let report =
            audit::recorded(&claim("pure(epsilon=1)"), [&both[0], &both[1]], &options).unwrap();
        let beyond = report.epsilon_lower >= 1.0;
        assert_eq!(beyond, report.verdict == Verdict::Violated, "{report:?}");
        assert!(report.epsilon_lower < epsilon, "{report:?}");
    }
}

#[test]
fn a_witness_can_be_run_again_on_fresh_outcomes() {
    let text = claim("pure(epsilon=1)");
    let both = worlds(laplace(1.3), 20_000, 21);
    let report = audit::recorded(&text, [&both[0], &both[1]], &Options::default()).unwrap();
    let witness = report.witness.unwrap();
    let json = serde_json::to_string(&witness).unwrap();
    let again: throng_audit::Witness = serde_json::from_str(&json).unwrap();
    assert_eq!(again, witness);
    let fresh = worlds(laplace(1.3), 20_000, 22);
    let confirmed = audit::confirm(
        &text,
        &again.event,
        again.likelier_in,
        [&fresh[0], &fresh[1]],
        &Options::default(),
    )
    .unwrap();
    assert_eq!(confirmed.verdict, Verdict::Violated, "{confirmed:?}");
    assert_eq!(confirmed.explored, 0);
}

#[test]
fn all_kinds_of_outcomes() {
    let text = |dice: &mut Dice, one: bool| {
        let yes = (dice.uniform() < 0.9) == one;
        Outcome::Text(if yes { "yes".into() } else { format!("no{}", dice.bits() % 3) })
    };
    let list = |dice: &mut Dice, one: bool| {
        let n = 1 + dice.bits() % 3 + u64::from(one && dice.uniform() < 0.6);
        Outcome::List((0..n).map(|_| Outcome::Number(dice.uniform())).collect())
    };
    let set = |dice: &mut Dice, one: bool| {
        let mut all = vec![Outcome::Text("a".into()), Outcome::Text("b".into())];
        if (dice.uniform() < 0.8) == one {
            all.push(Outcome::Text("c".into()));
        }
        if dice.uniform() < 0.5 {
            all.reverse();
        }
        Outcome::Set(all)
    };
    let bits = |dice: &mut Dice, one: bool| {
        Outcome::Number(dice.laplace(1.0) + if one { 1.0 } else { 0.0 })
    };
    let far = |dice: &mut Dice, one: bool| {
        let shift = if one { 2.0 } else { 0.0 };
        Outcome::List(
            (0..30).map(|i| on(dice.normal(1.0) + if i == 20 { shift } else { 0.0 })).collect(),
        )
    };
    fn on(x: f64) -> Outcome {
        crate::support::on_grid(x)
    }
    for (name, both) in [
        ("text", worlds(text, 4_000, 1)),
        ("list", worlds(list, 8_000, 2)),
        ("set", worlds(set, 4_000, 3)),
        ("bits", worlds(bits, 4_000, 4)),
        ("long list", worlds(far, 6_000, 5)),
    ] {
        let report = verdict("pure(epsilon=1)", &both, 0.999);
        assert_eq!(report.verdict, Verdict::Violated, "{name}: {report:?}");
        let same = [both[0].clone(), both[0].clone()];
        assert_eq!(
            verdict("pure(epsilon=1)", &same, 0.999).verdict,
            Verdict::NotViolated,
            "{name}"
        );
    }
}

#[test]
fn what_allows_no_verdict_is_refused() {
    let text = claim("pure(epsilon=1)");
    let refused = |zero: Outcomes, one: Outcomes, options: Options| {
        audit::recorded(&text, [&zero, &one], &options).unwrap_err().to_string()
    };
    let numbers = |n: usize| Outcomes::Numbers(vec![1.5; n]);
    let usual = Options::default();
    assert!(refused(numbers(100), numbers(100), usual).contains("the same"));
    assert!(refused(numbers(100), numbers(99), usual).contains("100 and 99"));
    assert!(refused(Outcomes::new(), Outcomes::new(), usual).contains("0 outcomes"));
    let nan = Outcomes::Numbers(vec![f64::NAN; 100]);
    assert!(refused(nan.clone(), numbers(100), usual).contains("NaN"));
    let nan_is_one = Options { nan_is_an_outcome: true, ..usual };
    let report = audit::recorded(&text, [&nan, &numbers(100)], &nan_is_one).unwrap();
    assert_eq!(report.verdict, Verdict::Violated);
    let certain = Options { confidence: 1.0, ..usual };
    assert!(refused(numbers(100), numbers(100), certain).contains("confidence"));
    // Constant in each world, but not the same: that gives everything away.
    let other = Outcomes::Numbers(vec![2.5; 100]);
    let report = audit::recorded(&text, [&numbers(100), &other], &usual).unwrap();
    assert_eq!(report.verdict, Verdict::Violated);
}

#[test]
fn on_a_grid_low_bits_give_nothing_away() {
    // Laplace noise of the textbook: the claim holds but for the representation of floats.
    let textbook = |dice: &mut Dice, one: bool| {
        Outcome::Number(dice.laplace(1.0) + if one { 1.0 } else { 0.0 })
    };
    let both = worlds(textbook, 5_000, 3);
    let plain = Options { bounds: false, ..Options::default() };
    let text = claim("laplace(scale=1)");
    let report = audit::recorded(&text, [&both[0], &both[1]], &plain).unwrap();
    assert_eq!(report.verdict, Verdict::Violated);
    let rounded = Options { grid: Some(1e-6), ..plain };
    let report = audit::recorded(&text, [&both[0], &both[1]], &rounded).unwrap();
    assert_eq!(report.verdict, Verdict::NotViolated);
    let nonsense = Options { grid: Some(0.0), ..plain };
    assert!(audit::recorded(&text, [&both[0], &both[1]], &nonsense).is_err());
}
