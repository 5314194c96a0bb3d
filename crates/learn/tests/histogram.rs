//! Histograms and marginals.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests say what went wrong by failing")]

use throng_account::{Neighbours, Target};
use throng_learn::histogram::{Bins, Domain, Histogram, HistogramModel, HistogramOptions};
use throng_learn::marginals::{Marginals, MarginalsModel, MarginalsOptions, Query};
use throng_learn::{Interval, Learner, Matrix, Predict, Predictions, Privacy, Saved, Schema};
use throng_mechanism::{Budget, Mechanism, Sensitive};
use throng_sample::SeededEntropy;

fn numbers(count: u32) -> Bins {
    Bins::equal(Interval::new(0.0, 1.0).unwrap(), count).unwrap()
}

fn levels(count: u32) -> Bins {
    Bins::levels(count).unwrap()
}

/// A grid of numbers and a category that depends on them.
fn table(rows: u32) -> Matrix<f64> {
    let row = |i: u32| {
        let x = f64::from(i % 97) / 97.0;
        [x, f64::from(u32::from(x > 0.7)), f64::from(i % 3)]
    };
    Matrix::from_rows(&(0..rows).map(row).collect::<Vec<_>>())
}

fn targets() -> Vec<Privacy> {
    let approximate = Target::Epsilon { epsilon: 1.0, delta: 1e-6 };
    let pure = Target::Epsilon { epsilon: 0.5, delta: 0.0 };
    let mut all = Vec::new();
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        for target in [approximate, pure, Target::Gdp { mu: 3.0 }, Target::Zcdp { rho: 20.0 }] {
            all.push(Privacy::new(target, under).unwrap());
        }
    }
    all
}

/// A budget that covers what is asked for.
fn budget(under: Neighbours) -> Budget {
    Budget::zcdp(1_000_000.into(), under).unwrap()
}

#[test]
fn counts_are_near_the_truth_and_intervals_cover_them() {
    let rows = table(970);
    let domain = Domain::new(vec![numbers(2), levels(2), levels(3)]).unwrap();
    let mut truth = [0.0; 12];
    for row in rows.iter() {
        truth[domain.cell(row).unwrap()] += 1.0;
    }
    for (privacy, seed) in targets().into_iter().zip(0..) {
        let histogram = Histogram::new(domain.clone(), &privacy).unwrap();
        privacy.certify(&histogram.spec()).unwrap();
        let (mut covered, mut all) = (0, 0);
        for repeat in 0..50 {
            let mut entropy = SeededEntropy::new(1000 * seed + repeat);
            let data = Sensitive::new(rows.clone());
            let mut budget = budget(privacy.neighbours());
            let release = histogram.fit(&data, &mut budget, &mut entropy).unwrap();
            let counts = release.value().counts();
            assert_eq!(counts.shape(), [2, 2, 3]);
            let half = counts.half_width(0.9).unwrap();
            let together = counts.half_width_of_all(0.9).unwrap();
            assert!(together > half);
            let off = |(n, t): (&f64, &f64)| (n - t).abs();
            let worst = counts.values().iter().zip(&truth).map(off).fold(0.0, f64::max);
            covered += i32::from(worst <= together);
            all += 1;
        }
        assert!(covered >= all * 8 / 10, "{covered} of {all}");
    }
}

#[test]
fn one_budget_is_shared_by_weight() {
    let domain = Domain::new(vec![numbers(4), levels(2), levels(3)]).unwrap();
    for privacy in targets() {
        let mut queries = Query::all(3, 2);
        queries.push(Query { columns: vec![1], weight: 3 });
        let marginals = Marginals::new(domain.clone(), queries, &privacy).unwrap();
        privacy.certify(&marginals.spec()).unwrap();
        let data = Sensitive::new(table(970));
        let mut budget = budget(privacy.neighbours());
        let release = marginals.fit(&data, &mut budget, &mut SeededEntropy::new(5)).unwrap();
        let model = release.value();
        let width = |columns: &[usize]| model.table(columns).unwrap().counts().half_width(0.95);
        assert!(width(&[1]).unwrap() < width(&[0, 1]).unwrap());
        assert!((model.total() - 970.0).abs() < 100.0);
        let consistent = model.consistent(Some(970));
        for (table, values) in model.tables().iter().zip(&consistent) {
            assert_eq!(values.len(), table.counts().values().len());
            assert!(values.iter().all(|n| *n >= 0.0));
            assert!((values.iter().sum::<f64>() - 970.0).abs() < 1e-6);
        }
        let sums: Vec<f64> = model.consistent(None).iter().map(|t| t.iter().sum()).collect();
        assert!(sums.iter().all(|sum| (sum - sums[0]).abs() < 1e-6));
    }
}

#[test]
fn hostile_rows_are_counted_or_left_out() {
    let domain = Domain::new(vec![numbers(2), levels(2)]).unwrap();
    let nasty = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -0.0, 1.0, 7.5];
    let rows: Vec<[f64; 2]> =
        nasty.iter().flat_map(|a| nasty.iter().map(move |b| [*a, *b])).collect();
    let privacy = Privacy::pure(1000.0).unwrap();
    let histogram = Histogram::new(domain.clone(), &privacy).unwrap();
    let pairs = Marginals::new(domain, Query::all(2, 2), &privacy).unwrap();
    for rows in [Matrix::from_rows(&rows), Matrix::filled(0, 2, 0.0)] {
        let data = Sensitive::new(rows);
        let mut budget = Budget::pure(2000.into(), Neighbours::AddRemove).unwrap();
        let mut entropy = SeededEntropy::new(7);
        let one = histogram.fit(&data, &mut budget, &mut entropy).unwrap();
        let two = pairs.fit(&data, &mut budget, &mut entropy).unwrap();
        // Nearly no noise: both count the same.
        assert_eq!(one.value().counts().values(), two.value().tables()[0].counts().values());
    }
    let narrow = Sensitive::new(Matrix::filled(3, 1, 0.0));
    let mut budget = budget(Neighbours::AddRemove);
    let spent = budget.spent().clone();
    assert!(histogram.fit(&narrow, &mut budget, &mut SeededEntropy::new(1)).is_err());
    assert_eq!(*budget.spent(), spent);
}

#[test]
fn bad_parameters_are_refused() {
    let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
    let domain = Domain::new(vec![numbers(1 << 13), numbers(1 << 13)]).unwrap();
    assert!(Histogram::new(domain.clone(), &privacy).is_err());
    assert!(Domain::new(vec![]).is_err());
    for columns in [vec![], vec![2], vec![0, 0], vec![0, 1]] {
        assert!(Marginals::new(domain.clone(), vec![Query::of(columns)], &privacy).is_err());
    }
    assert!(Marginals::new(domain.clone(), vec![], &privacy).is_err());
    let weightless = Query { columns: vec![0], weight: 0 };
    assert!(Marginals::new(domain.clone(), vec![weightless], &privacy).is_err());
    assert!(Privacy::new(*privacy.target(), Neighbours::ZeroOut).is_err());
}

#[test]
fn schemas_make_domains() {
    let schema: Schema = serde_json::from_str(
        r#"{"columns": [{"name": "age", "bounds": [0, 1]}, {"name": "sex", "levels": ["f", "m"]}]}"#,
    )
    .unwrap();
    let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
    assert!(Histogram::of_schema(&schema, &privacy, &HistogramOptions::default()).is_ok());
    let options: MarginalsOptions = serde_json::from_str(r#"{"order": 1}"#).unwrap();
    assert!(Marginals::of_schema(&schema, &privacy, &options).is_ok());
    let options = MarginalsOptions { order: 3, ..MarginalsOptions::default() };
    assert!(Marginals::of_schema(&schema, &privacy, &options).is_err());
}

#[test]
fn models_are_saved_and_read_again() {
    let domain = Domain::new(vec![numbers(8), levels(2), levels(3)]).unwrap();
    let privacy = Privacy::approximate(30.0, 1e-6).unwrap(); // a fine grid: steps below 1
    let data = Sensitive::new(table(100));
    let mut budget = budget(Neighbours::AddRemove);
    let mut entropy = SeededEntropy::new(3);
    let histogram = Histogram::new(domain.clone(), &privacy).unwrap();
    let saved = Saved::of(histogram.fit(&data, &mut budget, &mut entropy).unwrap());
    let json = Saved::<HistogramModel>::from_json(&saved.to_json().unwrap()).unwrap();
    let tensors = saved.to_safetensors().unwrap();
    assert_eq!(json, saved);
    assert_eq!(Saved::<HistogramModel>::from_safetensors(&tensors).unwrap(), saved);
    assert!(saved.card().epsilon(1e-6).unwrap().upper <= 30.0);
    assert!(Saved::<MarginalsModel>::from_safetensors(&tensors).is_err());
    let Predictions::Numbers(shares) = saved.model().predict(&table(9)).unwrap() else {
        panic!("numbers")
    };
    assert!(shares.iter().all(|p| (0.0..=1.0).contains(p)));
    assert!((saved.model().shares().iter().sum::<f64>() - 1.0).abs() < 1e-9);

    let pairs = Marginals::new(domain, Query::all(3, 2), &privacy).unwrap();
    let saved = Saved::of(pairs.fit(&data, &mut budget, &mut entropy).unwrap());
    let json = Saved::<MarginalsModel>::from_json(&saved.to_json().unwrap()).unwrap();
    let tensors = saved.to_safetensors().unwrap();
    assert_eq!(json, saved);
    assert_eq!(Saved::<MarginalsModel>::from_safetensors(&tensors).unwrap(), saved);
}
