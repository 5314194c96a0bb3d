//! Search among settings, and evaluation.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests say what went wrong by failing")]

use std::cell::Cell;
use std::rc::Rc;

use throng_account::{Accuracy as Fine, MechanismSpec, Neighbours, PrivacyLoss, Target};
use throng_learn::any::{AnyLearner, AnyModel, Table};
use throng_learn::evaluate::{self, Accuracy, AccuracyOptions, AccuracyReport, Fit, FitReport};
use throng_learn::histogram::Blur;
use throng_learn::tuning::{
    Candidate, HeldOutAccuracy, HeldOutFit, Judge, PublicAccuracy, PublicFit, Runs, Search,
};
use throng_learn::{
    Classes, Classified, Interval, LearnError, Learner, Matrix, Measured, Predict, Predictions,
    Privacy, Saved, Schema,
};
use throng_mechanism::{Budget, Grid, Mechanism, MechanismError, Noise, PerCell, Run, Sensitive};
use throng_sample::SeededEntropy;

/// Says for each sign of one column which class is more frequent.
#[derive(Debug, Clone, PartialEq)]
struct Stump {
    column: usize,
    votes: [bool; 2],
}

impl Predict for Stump {
    fn columns(&self) -> usize {
        3
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        let class = |row: &[f64]| u32::from(self.votes[usize::from(row[self.column] > 0.0)]);
        let chosen = features.iter().map(class).collect();
        Ok(Predictions::Classes { chosen, probabilities: None })
    }
}

/// Learns a stump on a column from four noisy counts.
struct Stumps {
    column: usize,
    noise: Noise,
    fits: Rc<Cell<u32>>,
}

impl Mechanism for Stumps {
    type Input = Classified;
    type Output = Stump;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(&self, input: &Classified, run: &mut Run<'_>) -> Result<Stump, MechanismError> {
        self.fits.set(self.fits.get() + 1);
        let mut counts = vec![0; 4];
        for (row, label) in input.iter() {
            counts[2 * usize::from(row[self.column] > 0.0) + usize::from(*label == 1)] += 1;
        }
        self.noise.add(&mut counts, run)?;
        Ok(Stump { column: self.column, votes: [counts[1] > counts[0], counts[3] > counts[2]] })
    }
}

impl Learner for Stumps {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        throng_learn::data::check_columns(input.features().columns(), 3)
    }
}

fn stumps(
    sigma: i64,
    under: Neighbours,
    fits: &Rc<Cell<u32>>,
) -> Vec<Candidate<Classified, Stump>> {
    let cells =
        PerCell::of(if under == Neighbours::Replace { 2 } else { 1 }, 1.into(), under).unwrap();
    let noise = Noise::gaussian_per_cell(&sigma.into(), &cells, Grid::WHOLE).unwrap();
    let one = |column| -> Candidate<_, _> {
        Box::new(Stumps { column, noise: noise.clone(), fits: Rc::clone(fits) })
    };
    (0..3).map(one).collect()
}

/// Only the second column tells the class.
fn examples(records: u32) -> Classified {
    let row = |i: u32| [f64::from(i % 7) - 3.0, f64::from(i % 2) - 0.5, f64::from(i % 5) - 2.0];
    let rows: Vec<_> = (0..records).map(row).collect();
    let labels = (0..records).map(|i| i % 2).collect();
    Classified::new(Matrix::from_rows(&rows), labels).unwrap()
}

fn laws() -> Vec<Runs> {
    vec![
        Runs::geometric(10).unwrap(),
        Runs::logarithmic("1/50".parse().unwrap()).unwrap(),
        Runs::negative_binomial("-1/2".parse().unwrap(), "1/100".parse().unwrap()).unwrap(),
        Runs::poisson(10.into()).unwrap(),
    ]
}

fn epsilon(spec: &MechanismSpec, under: Neighbours) -> f64 {
    PrivacyLoss::of_spec(spec, under, Fine::default()).unwrap().epsilon(1e-6).unwrap().upper
}

#[test]
fn the_best_setting_is_found_under_both_relations() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        for runs in laws() {
            let privacy = Privacy::new(Target::Gdp { mu: 0.25 }, under).unwrap();
            let judge = HeldOutAccuracy::new(Classes::new(2).unwrap(), &privacy).unwrap();
            let fits = Rc::new(Cell::new(0));
            let search =
                Search::new(stumps(10, under, &fits), Box::new(judge), runs.clone()).unwrap();
            let data = Sensitive::new(examples(2000));
            let (mut right, mut found) = (0, 0);
            for seed in 0..40 {
                let permit = renyi_budget(under).permit(&search).unwrap();
                let release = search.run(&data, permit, &mut SeededEntropy::new(seed)).unwrap();
                if let Some(best) = release.value() {
                    found += 1;
                    right += u32::from(best.candidate == 1);
                }
            }
            // One of three without a search; the laws that often run once find it less often.
            assert!(found >= 39 && right * 5 > found * 2, "{runs:?}: {right} of {found}");
        }
    }
}

#[test]
fn a_search_costs_about_two_or_three_runs_whatever_their_number() {
    let under = Neighbours::AddRemove;
    let fits = Rc::new(Cell::new(0));
    let privacy = Privacy::new(Target::Gdp { mu: 0.1 }, under).unwrap();
    let judge = || Box::new(HeldOutAccuracy::new(Classes::new(2).unwrap(), &privacy).unwrap());
    let one = epsilon(&stumps(10, under, &fits)[0].spec(), under);
    for mean in [10, 100, 1000] {
        let runs = Runs::geometric(mean).unwrap();
        let search = Search::new(stumps(10, under, &fits), judge(), runs).unwrap();
        let cost = epsilon(&search.spec(), under);
        assert!(cost > one && cost < 5.0 * one, "{mean}: {cost} {one}");
    }
    // Each try paid for: a hundred of them cost ten times as much.
    let all = MechanismSpec::repeated(100, stumps(10, under, &fits)[0].spec()).unwrap();
    assert!(epsilon(&all, under) > 8.0 * one);
}

#[test]
fn the_number_of_runs_is_random_and_all_settings_are_tried() {
    let under = Neighbours::AddRemove;
    let fits = Rc::new(Cell::new(0));
    let judge = PublicAccuracy::new(examples(50), Classes::new(2).unwrap());
    let runs = Runs::geometric(5).unwrap();
    let search = Search::new(stumps(3, under, &fits), Box::new(judge), runs).unwrap();
    assert!(search.holding_out("1/2".parse().unwrap()).is_err());
    let judge = PublicAccuracy::new(examples(50), Classes::new(2).unwrap());
    let runs = Runs::geometric(5).unwrap();
    let search = Search::new(stumps(3, under, &fits), Box::new(judge), runs).unwrap();
    let data = Sensitive::new(examples(100));
    let mut numbers = Vec::new();
    for seed in 0..200 {
        fits.set(0);
        let mut budget = renyi_budget(under);
        let release = search.fit(&data, &mut budget, &mut SeededEntropy::new(seed)).unwrap();
        let best = release.value().as_ref().unwrap();
        assert!((0.0..=1.0).contains(&best.score));
        numbers.push(fits.get());
    }
    let mean = f64::from(numbers.iter().sum::<u32>()) / 200.0;
    assert!((mean - 5.0).abs() < 1.2, "{mean}");
    assert!(numbers.contains(&1) && numbers.iter().any(|n| *n > 10));
}

fn renyi_budget(under: Neighbours) -> Budget {
    let currency = throng_account::filter::Currency::Renyi { order: 8.into() };
    Budget::converted(&currency, &1000.into(), &"1e-6".parse().unwrap(), under).unwrap()
}

#[test]
fn unfit_searches_are_refused_before_anything_is_paid() {
    let fits = Rc::new(Cell::new(0));
    let runs = || Runs::geometric(5).unwrap();
    let public = || Box::new(PublicAccuracy::new(examples(5), Classes::new(2).unwrap()));
    assert!(Search::<Classified, Stump>::new(vec![], public(), runs()).is_err());
    let mut mixed = stumps(3, Neighbours::AddRemove, &fits);
    mixed.extend(stumps(3, Neighbours::Replace, &fits));
    assert!(Search::new(mixed, public(), runs()).is_err());
    let privacy = Privacy::new(Target::Gdp { mu: 1.0 }, Neighbours::Replace).unwrap();
    let judge = Box::new(HeldOutAccuracy::new(Classes::new(2).unwrap(), &privacy).unwrap());
    let candidates = stumps(3, Neighbours::AddRemove, &fits);
    assert!(Search::new(candidates, judge, runs()).is_err());
    let candidates = stumps(3, Neighbours::AddRemove, &fits);
    let search = Search::new(candidates, public(), runs()).unwrap();
    let narrow = Classified::new(Matrix::filled(2, 1, 0.0), vec![0, 1]).unwrap();
    let mut budget = renyi_budget(Neighbours::AddRemove);
    let spent = budget.spent().clone();
    let data = Sensitive::new(narrow);
    assert!(search.fit(&data, &mut budget, &mut SeededEntropy::new(1)).is_err());
    assert_eq!(*budget.spent(), spent);
}

#[test]
fn hostile_examples_are_searched_and_evaluated() {
    let fits = Rc::new(Cell::new(0));
    let nasty = [[f64::NAN; 3], [f64::INFINITY; 3], [-1e300; 3]];
    let odd = Classified::new(Matrix::from_rows(&nasty), vec![0, 77, u32::MAX]).unwrap();
    let none = Classified::new(Matrix::filled(0, 3, 0.0), vec![]).unwrap();
    let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
    let classes = Classes::new(2).unwrap();
    for data in [odd, none] {
        let data = Sensitive::new(data);
        let judge = Box::new(HeldOutAccuracy::new(classes, &privacy).unwrap());
        let candidates = stumps(3, Neighbours::AddRemove, &fits);
        let search = Search::new(candidates, judge, Runs::geometric(3).unwrap()).unwrap();
        let mut budget = renyi_budget(Neighbours::AddRemove);
        assert!(search.fit(&data, &mut budget, &mut SeededEntropy::new(1)).is_ok());
        let stump = Stump { column: 0, votes: [false, true] };
        let options = AccuracyOptions { confusion: true };
        let accuracy = Accuracy::new(stump, classes, &privacy, &options).unwrap();
        let mut budget = Budget::zcdp(10.into(), Neighbours::AddRemove).unwrap();
        let report = accuracy.fit(&data, &mut budget, &mut SeededEntropy::new(1)).unwrap();
        let found = report.value().accuracy(0.95).unwrap();
        assert!(0.0 <= found.lower && found.lower <= found.value && found.upper <= 1.0);
    }
}

#[test]
fn accuracies_are_covered_under_both_relations() {
    let stump = Stump { column: 2, votes: [false, true] };
    let data = examples(500);
    let classes = Classes::new(2).unwrap();
    let truth = evaluate::classification(&stump, &data, classes).unwrap();
    assert_eq!(truth.records, 500);
    assert_eq!(truth.confusion.iter().flatten().sum::<u64>(), 500);
    for target in [
        Target::Epsilon { epsilon: 0.5, delta: 1e-6 },
        Target::Epsilon { epsilon: 0.5, delta: 0.0 },
    ] {
        for under in [Neighbours::AddRemove, Neighbours::Replace] {
            for confusion in [false, true] {
                let privacy = Privacy::new(target, under).unwrap();
                let options = AccuracyOptions { confusion };
                let accuracy = Accuracy::new(stump.clone(), classes, &privacy, &options).unwrap();
                privacy.certify(&accuracy.spec()).unwrap();
                let mut covered = 0;
                for seed in 0..50 {
                    let mut budget = Budget::zcdp(100.into(), under).unwrap();
                    let sensitive = Sensitive::new(data.clone());
                    let mut entropy = SeededEntropy::new(seed);
                    let report = accuracy.fit(&sensitive, &mut budget, &mut entropy).unwrap();
                    let found = report.value().accuracy(0.9).unwrap();
                    covered +=
                        i32::from(found.lower <= truth.accuracy && truth.accuracy <= found.upper);
                    if seed == 0 {
                        let saved = Saved::of(report);
                        let again = Saved::<AccuracyReport>::from_json(&saved.to_json().unwrap());
                        assert_eq!(again.unwrap(), saved);
                    }
                }
                assert!(covered >= 42, "{covered}");
            }
        }
    }
}

/// Says twice the first column.
#[derive(Debug, Clone, PartialEq)]
struct Twice;

impl Predict for Twice {
    fn columns(&self) -> usize {
        1
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        Ok(Predictions::Numbers(features.iter().map(|row| 2.0 * row[0]).collect()))
    }
}

#[test]
fn squared_errors_are_covered_and_r_squared_is_near() {
    let x = |i: u32| f64::from(i % 101) / 101.0;
    let rows: Vec<_> = (0..50_000).map(|i| [x(i)]).collect();
    let noise = |i: u32| f64::from(i % 13) / 13.0 - 0.5;
    let labels = (0..50_000).map(|i| 2.0 * x(i) + noise(i)).collect();
    let data = Measured::new(Matrix::from_rows(&rows), labels).unwrap();
    let truth = evaluate::regression(&Twice, &data).unwrap();
    let range = Interval::new(-1.0, 3.0).unwrap();
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let privacy = Privacy::new(Target::Epsilon { epsilon: 1.0, delta: 1e-6 }, under).unwrap();
        let fit = Fit::new(Twice, range, &privacy).unwrap();
        privacy.certify(&fit.spec()).unwrap();
        let mut covered = 0;
        for seed in 0..50 {
            let mut budget = Budget::zcdp(100.into(), under).unwrap();
            let sensitive = Sensitive::new(data.clone());
            let report = fit.fit(&sensitive, &mut budget, &mut SeededEntropy::new(seed)).unwrap();
            let found = report.value().mean_squared_error(0.9).unwrap();
            let error = truth.mean_squared_error;
            covered += i32::from(found.lower <= error && error <= found.upper);
            assert!((report.value().r_squared() - truth.r_squared).abs() < 0.05);
            if seed == 0 {
                let saved = Saved::of(report);
                let bytes = saved.to_safetensors().unwrap();
                assert_eq!(Saved::<FitReport>::from_safetensors(&bytes).unwrap(), saved);
            }
        }
        assert!(covered >= 42, "{covered}");
    }
}

/// Fits nothing: its model is known, or it fails.
struct Ready<M>(Option<M>, Noise);

impl<M: Clone> Mechanism for Ready<M> {
    type Input = Measured;
    type Output = M;

    fn spec(&self) -> MechanismSpec {
        self.1.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.1.neighbours()
    }

    fn answer(&self, _: &Measured, _: &mut Run<'_>) -> Result<M, MechanismError> {
        self.0.clone().ok_or_else(|| MechanismError::Refused {
            what: "nothing is ready".to_owned(),
            hint: "none".to_owned(),
        })
    }
}

impl<M: Clone> Learner for Ready<M> {
    fn check(&self, _: &Measured) -> Result<(), LearnError> {
        Ok(())
    }
}

/// Says the first column times a number.
#[derive(Debug, Clone, PartialEq)]
struct Times(f64);

impl Predict for Times {
    fn columns(&self) -> usize {
        1
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        Ok(Predictions::Numbers(features.iter().map(|row| self.0 * row[0]).collect()))
    }
}

fn ready(models: &[Option<Times>]) -> Vec<Candidate<Measured, Times>> {
    let cells = PerCell::of(1, 1.into(), Neighbours::AddRemove).unwrap();
    let noise = Noise::gaussian_per_cell(&3.into(), &cells, Grid::WHOLE).unwrap();
    let one = |model: &Option<Times>| -> Candidate<_, _> {
        Box::new(Ready(model.clone(), noise.clone()))
    };
    models.iter().map(one).collect()
}

fn lines() -> Measured {
    let x = |i: u32| f64::from(i % 101) / 101.0;
    let rows: Vec<_> = (0..5000).map(|i| [x(i)]).collect();
    Measured::new(Matrix::from_rows(&rows), (0..5000).map(|i| 2.0 * x(i)).collect()).unwrap()
}

#[test]
fn what_fits_numbers_best_is_found_by_private_and_public_judges() {
    let range = Interval::new(-1.0, 3.0).unwrap();
    let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
    let judges: [Box<dyn Judge<Measured, Times>>; 2] =
        [Box::new(HeldOutFit::new(range, &privacy).unwrap()), Box::new(PublicFit::new(lines()))];
    for judge in judges {
        let candidates = ready(&[Some(Times(-1.0)), Some(Times(2.0)), Some(Times(0.5))]);
        let search = Search::new(candidates, judge, Runs::geometric(30).unwrap()).unwrap();
        let mut right = 0;
        for seed in 0..60 {
            let mut budget = renyi_budget(Neighbours::AddRemove);
            let data = Sensitive::new(lines());
            let release = search.fit(&data, &mut budget, &mut SeededEntropy::new(seed)).unwrap();
            let best = release.value().as_ref().unwrap();
            right += i32::from(best.candidate == 1 && best.model == Times(2.0));
        }
        // A search does not try the best of three with a chance of 1/16.
        assert!(right >= 48, "{right}");
    }
}

#[test]
fn a_candidate_that_fails_makes_the_search_fail() {
    let judge = Box::new(PublicFit::new(lines()));
    let search = Search::new(ready(&[None]), judge, Runs::geometric(2).unwrap()).unwrap();
    let mut budget = renyi_budget(Neighbours::AddRemove);
    let found = search.fit(&Sensitive::new(lines()), &mut budget, &mut SeededEntropy::new(1));
    assert!(matches!(found, Err(LearnError::Mechanism(MechanismError::Refused { .. }))));
}

/// Remembers how many records it saw, and the sum of a column that names them.
struct Watch {
    noise: Noise,
    seen: Rc<Cell<(usize, f64)>>,
}

impl Mechanism for Watch {
    type Input = Measured;
    type Output = Times;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(&self, input: &Measured, _: &mut Run<'_>) -> Result<Times, MechanismError> {
        self.seen.set((input.len(), input.labels().iter().sum()));
        Ok(Times(1.0))
    }
}

impl Learner for Watch {
    fn check(&self, _: &Measured) -> Result<(), LearnError> {
        Ok(())
    }
}

impl Judge<Measured, Times> for Watch {
    fn spec(&self) -> Option<(MechanismSpec, Neighbours)> {
        Some((self.noise.spec().clone(), self.noise.neighbours()))
    }

    fn score(&self, _: &Times, held: &Measured, _: &mut Run<'_>) -> Result<f64, MechanismError> {
        self.seen.set((held.len(), held.labels().iter().sum()));
        Ok(0.0)
    }
}

#[test]
fn a_private_judge_sees_the_records_held_out_and_candidates_the_others() {
    let cells = PerCell::of(1, 1.into(), Neighbours::AddRemove).unwrap();
    let noise = Noise::gaussian_per_cell(&3.into(), &cells, Grid::WHOLE).unwrap();
    let [fitted, scored] = [(); 2].map(|()| Rc::new(Cell::new((0, 0.0))));
    let watch = |seen: &Rc<Cell<(usize, f64)>>| {
        Box::new(Watch { noise: noise.clone(), seen: Rc::clone(seen) })
    };
    // Powers of two: a sum says which records are in it.
    let rows = vec![[0.0]; 32];
    let labels: Vec<f64> = (0..32).map(|i| f64::from(1_u32 << i)).collect();
    let data = Measured::new(Matrix::from_rows(&rows), labels).unwrap();
    let mut shares = 0;
    for seed in 0..40 {
        let candidate: Candidate<Measured, Times> = watch(&fitted);
        let search =
            Search::new(vec![candidate], watch(&scored), Runs::geometric(2).unwrap()).unwrap();
        let mut budget = renyi_budget(Neighbours::AddRemove);
        let sensitive = Sensitive::new(data.clone());
        let release = search.fit(&sensitive, &mut budget, &mut SeededEntropy::new(seed)).unwrap();
        assert_eq!(release.value().as_ref().unwrap().candidate, 0);
        let ((others, first), (held, second)) = (fitted.get(), scored.get());
        assert_eq!(others + held, 32);
        assert_eq!(first + second, f64::from(u32::MAX));
        shares += held;
    }
    // A fifth of 1280, within five deviations.
    assert!(shares.abs_diff(256) < 72, "{shares}");
}

#[test]
fn learners_by_name_are_searched() {
    let schema: Schema = serde_json::from_str(
        r#"{
            "columns": [
                {"name": "a", "bounds": [-3, 3]},
                {"name": "b", "bounds": [-1, 1]},
                {"name": "c", "bounds": [-2, 2]}
            ],
            "label": {"name": "y", "classes": ["no", "yes"]}
        }"#,
    )
    .unwrap();
    let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
    let candidate = |steps: u32| -> Candidate<Table, AnyModel> {
        let mut options = serde_json::Map::new();
        options.insert("steps".to_owned(), steps.into());
        Box::new(AnyLearner::new("logistic", &schema, &privacy, &options).unwrap())
    };
    let judge = HeldOutAccuracy::new(Classes::new(2).unwrap(), &privacy).unwrap();
    let candidates = vec![candidate(5), candidate(40)];
    let search = Search::new(candidates, Box::new(judge), Runs::geometric(3).unwrap()).unwrap();
    let data = Sensitive::new(Table::Classified(examples(2000)));
    let mut budget = renyi_budget(Neighbours::AddRemove);
    let release = search.fit(&data, &mut budget, &mut SeededEntropy::new(1)).unwrap();
    let best = release.value().as_ref().unwrap();
    let truth = evaluate::classification(&best.model, &examples(500), Classes::new(2).unwrap());
    assert!(truth.unwrap().accuracy > 0.95 && best.score > 300.0);
}

#[test]
fn released_noise_knows_its_width() {
    let cells = PerCell::of(1, 1.into(), Neighbours::AddRemove).unwrap();
    let noise = Noise::gaussian_per_cell(&10.into(), &cells, Grid::WHOLE).unwrap();
    let blur = Blur::of(&noise).unwrap();
    assert!((blur.standard_deviation().unwrap() - 10.0).abs() < 1e-6);
    assert!(blur.half_width(1, 1.0).is_err() && blur.half_width(1, 0.95).unwrap() >= 19.0);
}
