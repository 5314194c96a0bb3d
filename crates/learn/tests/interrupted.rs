//! Fits that somebody waits for can be given up: soon, with an error that says so, and paid for all the same.
//! Fits that nobody gives up are the same to the last bit.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    dead_code,
    unreachable_pub,
    reason = "tests may fail, issue permits that nobody paid for, and share what not all of them use"
)]

use std::cell::Cell;

use crate::audited::tables::{company, table};
use crate::audited::{Subject, Wanted, cases};
use throng_account::Target;
use throng_learn::network::{NetworkOptions, Training};
use throng_learn::synthetic::{Synthesis, SynthesisOptions};
use throng_learn::{
    Bounds, Classes, Classified, Interval, LearnError, Learner, Matrix, Privacy, Schema,
};
use throng_mechanism::{Budget, MechanismError, Neighbours, Sensitive};
use throng_numeric::patience::watched;
use throng_sample::SeededEntropy;

thread_local! {
    static PATIENCE: Cell<u32> = const { Cell::new(0) };
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

fn stop() -> bool {
    ASKED.set(ASKED.get() + 1);
    ASKED.get() > PATIENCE.get()
}

/// Work under a watcher that gives up when it is asked for the (patience + 1)-st time; and how often it was.
fn under<T>(patience: u32, work: impl FnOnce() -> T) -> (T, u32) {
    PATIENCE.set(patience);
    ASKED.set(0);
    (watched(stop, work), ASKED.get())
}

/// What goes step by step, or round by round.
fn has_steps(title: &str) -> bool {
    let steps = ["logistic", "svm", "boosting", "network", "k-means", "image", "marginals"];
    let others = ["synthetic", "search", "segment", "descent"];
    steps.iter().chain(&others).any(|word| title.starts_with(word))
}

fn run(subject: &Subject) -> Result<serde_json::Value, String> {
    let records = company(subject.columns).into_iter().last().unwrap();
    let records: Vec<_> = records.into_iter().cycle().take(40).collect();
    let table = table(subject.task, subject.columns, &records);
    (subject.run)(&table, &mut SeededEntropy::new(4))
}

#[test]
fn whatever_goes_step_by_step_can_be_given_up() {
    let privacy = Wanted::Approximate.privacy(4.0, Neighbours::AddRemove);
    for case in cases() {
        let subject = (case.make)(&privacy, true).unwrap();
        let (given_up, asked) = under(0, || run(&subject));
        if has_steps(case.title) {
            assert_eq!(given_up.unwrap_err(), "interrupted", "{}", case.title);
            assert_eq!(asked, 1, "{}", case.title);
        }
        // To be watched changes nothing, and what was given up leaves nothing behind.
        let (patient, _) = under(u32::MAX, || run(&subject));
        assert_eq!(patient.unwrap(), run(&subject).unwrap(), "{}", case.title);
    }
}

#[test]
fn a_long_training_ends_when_somebody_gives_up_and_is_paid_for() {
    let steps = 1_000_000;
    let options = NetworkOptions { records: Some(64), steps, ..NetworkOptions::default() };
    let privacy = Privacy::new(Target::Gdp { mu: 3.0 }, Neighbours::AddRemove).unwrap();
    let bounds = Bounds::same(2, 0.0, 1.0).unwrap();
    let training = Training::new(bounds, Classes::new(2).unwrap(), &privacy, options).unwrap();
    let rows: Vec<[f64; 2]> = (0..64).map(|i| [f64::from(i % 8), f64::from(i % 3)]).collect();
    let labels = (0..64).map(|i| i % 2).collect();
    let data = Sensitive::new(Classified::new(Matrix::from_rows(&rows), labels).unwrap());
    let mut budget = Budget::gdp(&"3.01".parse().unwrap(), Neighbours::AddRemove).unwrap();
    let mut fit = || training.fit(&data, &mut budget, &mut SeededEntropy::new(1));
    let (found, asked) = under(3, &mut fit);
    let error = found.unwrap_err();
    assert!(error.is_interruption());
    assert_eq!(error, LearnError::Mechanism(MechanismError::Interrupted));
    assert_eq!((error.to_string().as_str(), asked), ("interrupted", 4));
    // The steps that were not taken were paid for: there is nothing left for another fit.
    let again = fit().unwrap_err();
    assert!(!again.is_interruption(), "{again}");
}

#[test]
fn learners_are_described_in_full_or_not_at_all() {
    // Its share of a choice is searched for by asking which ones reach the target: to give up is no answer.
    let columns = (0..4).map(|column| throng_learn::schema::Column::Number {
        name: format!("c{column}"),
        bounds: Interval::new(0.0, 1.0).unwrap(),
    });
    let schema = Schema::new(columns.collect(), None).unwrap();
    let privacy = Privacy::new(Target::Gdp { mu: 1.0 }, Neighbours::AddRemove).unwrap();
    let options = SynthesisOptions::default();
    let made = || Synthesis::of_schema(&schema, &privacy, &options);
    let (found, _) = under(0, made);
    assert!(found.unwrap_err().is_interruption());
}
