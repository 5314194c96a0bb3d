//! What a request buys.

use throng_account::filter::cost;
use throng_account::{Accuracy, Neighbours, PrivacyLoss};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

use super::fixture::*;
use crate::question::{Aggregate, Domain, Limit, Question, Range, Unit};
use crate::release::estimate::from_steps;
use crate::release::{Cost, Design, Family, KeyRule, NoiseChoice, Request};

fn private(limits: (Limit, Limit)) -> Question {
    question(user(), vec![city(Domain::Private)], three(), limits)
}

#[test]
fn the_cost_covers_the_spec_and_little_is_left() {
    let zcdp = Cost::Zcdp { rho: "1/50".parse().unwrap(), delta: "1e-6".parse().unwrap() };
    for question in [
        private(fixed(3, 10)),
        private((Limit::Auto, Limit::Auto)),
        Question { neighbours: Neighbours::Replace, ..private(fixed(3, 10)) },
    ] {
        let under = question.neighbours;
        for noise in [NoiseChoice::Gaussian, NoiseChoice::Laplace] {
            let request = Request { noise, ..request("1", "1e-6") };
            let design = Design::new(std::slice::from_ref(&question), &request, &no_facts).unwrap();
            let loss =
                PrivacyLoss::of_spec(design.described(), under, Accuracy::default()).unwrap();
            let epsilon = loss.epsilon(1e-6).unwrap();
            assert!(epsilon.upper <= 1.0 + 1e-9 && epsilon.lower > 0.99, "{epsilon:?}");
        }
        let request = Request { cost: zcdp.clone(), ..request("1", "1e-6") };
        let design = Design::new(std::slice::from_ref(&question), &request, &no_facts).unwrap();
        let price = cost::zcdp(design.described(), under).unwrap();
        assert!(price.rho.to_f64_up() <= 0.02 && price.rho.to_f64_up() > 0.0199);
    }
}

#[test]
fn without_delta_noise_is_laplace_and_keys_are_public() {
    let open = private(fixed(3, 10));
    let error = Design::new(&[open], &request("1", "0"), &no_facts).unwrap_err().to_string();
    assert!(error.contains("delta"), "{error}");
    let listed = question(user(), vec![city(public(5))], three(), fixed(3, 10));
    let design = Design::new(&[listed], &request("1", "0"), &no_facts).unwrap();
    assert_eq!(design.family(), Family::Laplace);
    let epsilon = cost::pure(design.described(), Neighbours::AddRemove).unwrap();
    assert!(epsilon <= Rational::ONE && epsilon.to_f64_down() > 0.9999);
}

#[test]
fn quantiles_are_priced_with_the_rest() {
    let half = Aggregate::Quantile { input: 0, fraction: "1/2".parse().unwrap() };
    let asked = vec![Aggregate::Rows, half];
    let question = question(user(), vec![city(public(5))], asked, fixed(3, 10));
    for noise in [NoiseChoice::Gaussian, NoiseChoice::Laplace] {
        let request = Request { noise, ..request("1", "1e-6") };
        let design = Design::new(std::slice::from_ref(&question), &request, &no_facts).unwrap();
        let under = Neighbours::AddRemove;
        let loss = PrivacyLoss::of_spec(design.described(), under, Accuracy::default()).unwrap();
        let epsilon = loss.epsilon(1e-6).unwrap();
        assert!(epsilon.upper <= 1.0 + 1e-9 && epsilon.lower > 0.75, "{epsilon:?}");
    }
}

#[test]
fn errors_buy_their_cost() {
    let targets = vec![(String::from("count"), 50.0, 0.95)];
    let cost = Cost::Error { targets, delta: "1e-6".parse().unwrap() };
    let request = Request { cost, ..request("1", "1e-6") };
    let listed = question(user(), vec![city(public(5))], three(), fixed(3, 10));
    let design = Design::new(&[listed], &request, &no_facts).unwrap();
    let shown = design.explain().unwrap();
    let width = shown.questions[0].aggregates[0].half_width.unwrap();
    assert!(width <= 50.0 && width > 49.5, "{width}");
    let open = private((Limit::Auto, Limit::Auto));
    assert!(Design::new(&[open], &request, &no_facts).is_err());
}

#[test]
fn weights_move_noise() {
    let listed = || question(user(), vec![city(public(5))], three(), fixed(3, 10));
    let width = |request: &Request| {
        let design = Design::new(&[listed()], request, &no_facts).unwrap();
        design.explain().unwrap().questions[0].aggregates[0].half_width.unwrap()
    };
    let plain = request("1", "1e-6");
    let heavy = Request { weights: vec![("count".into(), 3.0)], ..plain.clone() };
    assert!(width(&heavy) < width(&plain) * 0.9);
}

#[test]
fn unknown_ranges_are_refused() {
    let mut open = private(fixed(3, 10));
    open.inputs[0].range = None;
    let error = Design::new(&[open], &request("1", "1e-6"), &no_facts).unwrap_err().to_string();
    assert!(error.contains("sum(income)"), "{error}");
}

#[test]
fn explanations_say_what_is_drawn() {
    let design = Design::new(&[private(fixed(3, 10))], &request("1", "1e-6"), &no_facts).unwrap();
    let shown = design.explain().unwrap();
    assert_eq!(shown.spec, design.described().to_string());
    let question = &shown.questions[0];
    assert_eq!((question.unit.as_str(), question.groups), ("user_id", 3));
    assert!(matches!(question.keys, KeyRule::Private { threshold, .. } if threshold > 10.0));
    let names: Vec<&str> = question.aggregates.iter().map(|x| x.name.as_str()).collect();
    assert_eq!(names, ["count", "sum(income)", "avg(age)"]);
    let shares: f64 = question.aggregates.iter().map(|x| x.share).sum::<f64>()
        + question.besides.iter().map(|x| x.1).sum::<f64>();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
}

/// What is found is kept, and what is kept is not paid for again.
#[test]
fn found_bounds_are_reused() {
    let mut open = private((Limit::Auto, Limit::Auto));
    open.inputs[0].range = Some(Range::Auto { column: "events.income".into() });
    let rows: Vec<Row> = (0..20_000)
        .map(|i| (i / 4, format!("c{:03}", i % 5), Some(1000.0 + from_steps(i % 100, 1.0)), 40))
        .collect();
    let design = Design::new(&[open.clone()], &request("1", "1e-6"), &no_facts).unwrap();
    let answer = &ask(&design, Table { rows }, &mut SeededEntropy::new(5))[0];
    let facts = answer.facts.clone();
    assert!(facts.contains(&("bounds:events.income".into(), "0 2048".into())), "{facts:?}");
    assert!(facts.iter().any(|(name, _)| name.starts_with("contribution:")));
    let known = |name: &str| facts.iter().find(|(fact, _)| fact == name).map(|fact| fact.1.clone());
    let again = Design::new(&[open], &request("1", "1e-6"), &known).unwrap();
    assert!(again.searches.is_empty());
    assert!(again.planned[0].contributions.as_ref().unwrap().1 < 0.021);
    let width = again.explain().unwrap().questions[0].aggregates[1].half_width;
    assert!(width.is_some_and(|width| width > 0.0));
}

#[test]
fn rows_as_units_need_no_noise_of_their_own_to_select_keys() {
    let question = question(Unit::Row, vec![city(Domain::Private)], three(), fixed(1, 1));
    let design = Design::new(&[question], &request("1", "1e-6"), &no_facts).unwrap();
    assert_eq!(design.described().to_string().matches("scale").count(), 3);
}

#[test]
fn nonsense_is_refused() {
    let good = request("1", "1e-6");
    let listed = question(user(), vec![city(public(5))], three(), fixed(3, 10));
    let bad = [
        Request { confidence: 1.0, ..good.clone() },
        Request { confidence: f64::NAN, ..good.clone() },
        Request { bounds_share: Rational::ONE, ..good.clone() },
        request("0", "1e-6"),
        request("-1", "1e-6"),
        request("1", "1"),
    ];
    for request in bad {
        assert!(Design::new(std::slice::from_ref(&listed), &request, &no_facts).is_err());
    }
    assert!(Design::new(&[], &good, &no_facts).is_err());
    let none = Request { bounds_share: Rational::ZERO, ..good };
    assert!(Design::new(&[private((Limit::Auto, Limit::Auto))], &none, &no_facts).is_err());
    assert!(Design::new(&[listed], &none, &no_facts).is_ok());
}
