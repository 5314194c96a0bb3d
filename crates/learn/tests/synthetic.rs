//! Synthetic tables.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests say what went wrong by failing"
)]

use throng_account::{Neighbours, Target};
use throng_learn::histogram::{Bins, Domain};
use throng_learn::synthetic::{Synthesis, SynthesisOptions, SyntheticModel, differences};
use throng_learn::{Interval, Learner, Matrix, Privacy, Saved, Schema};
use throng_mechanism::{Budget, Mechanism, Release, Sensitive};
use throng_sample::{OsEntropy, SeededEntropy};

/// Numbers, a level that follows them, a copy of that level with errors, and a column on its own.
fn domain() -> Domain {
    let numbers = Bins::equal(Interval::new(0.0, 1.0).unwrap(), 8).unwrap();
    let levels = |count| Bins::levels(count).unwrap();
    Domain::new(vec![numbers, levels(4), levels(4), levels(3)]).unwrap()
}

fn table(rows: u32) -> Matrix<f64> {
    let row = |i: u32| {
        let mixed = i.wrapping_mul(2_654_435_761) >> 7;
        let x = f64::from(mixed % 1000) / 1000.0;
        let level = (4.0 * x).floor();
        let copied = if mixed.is_multiple_of(10) { f64::from(mixed / 1000 % 4) } else { level };
        [x, level, copied, f64::from(mixed / 4000 % 3)]
    };
    Matrix::from_rows(&(0..rows).map(row).collect::<Vec<_>>())
}

fn targets() -> Vec<Privacy> {
    let approximate = Target::Epsilon { epsilon: 1.0, delta: 1e-6 };
    let pure = Target::Epsilon { epsilon: 2.0, delta: 0.0 };
    let mut all = Vec::new();
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        for target in [approximate, pure, Target::Zcdp { rho: 0.1 }] {
            all.push(Privacy::new(target, under).unwrap());
        }
    }
    all
}

/// Every kind of target, weak and strong.
fn every_target() -> Vec<Target> {
    vec![
        Target::Epsilon { epsilon: 0.1, delta: 1e-9 },
        Target::Epsilon { epsilon: 8.0, delta: 1e-5 },
        Target::Epsilon { epsilon: 0.5, delta: 0.0 },
        Target::Gdp { mu: 2.0 },
        Target::Gdp { mu: 0.2 },
        Target::Zcdp { rho: 0.01 },
        Target::Zcdp { rho: 2.0 },
        Target::Detection { false_alarm: 0.01, found: 0.05 },
        Target::Detection { false_alarm: 0.1, found: 0.8 },
        Target::Advantage { advantage: 0.1 },
        Target::Advantage { advantage: 0.6 },
    ]
}

fn gaussian_sizes(spec: &str) -> Vec<f64> {
    let after = spec.split("gaussian(sigma=").skip(1);
    after.map(|text| text.split([',', ')']).next().unwrap().parse().unwrap()).collect()
}

#[test]
fn every_target_is_reached_under_both_relations() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        for target in every_target() {
            let domain = Domain::new(vec![Bins::levels(3).unwrap(); 3]).unwrap();
            let privacy = Privacy::new(target, under).unwrap();
            let synthesis = Synthesis::new(domain, &privacy, &SynthesisOptions::default());
            let synthesis = synthesis.unwrap_or_else(|e| panic!("{target:?} {under:?}: {e}"));
            privacy.certify(&synthesis.spec()).unwrap();
            let release = fitted(&synthesis, Matrix::filled(20, 3, 1.0), 1);
            assert_eq!(release.value().edges().len(), 2);
        }
    }
}

#[test]
fn a_choice_costs_the_counts_nothing() {
    // Two tables of columns and one of their pair with a third of the square of mu each: sigma of the
    // pair is √3/mu, whatever the choice had to give up.
    let domain = Domain::new(vec![Bins::levels(3).unwrap(); 2]).unwrap();
    let privacy = Privacy::new(Target::Gdp { mu: 1.0 }, Neighbours::AddRemove).unwrap();
    let spec = Synthesis::new(domain, &privacy, &SynthesisOptions::default()).unwrap().spec();
    let sizes = gaussian_sizes(&spec.to_string());
    let least = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((least / 3_f64.sqrt() - 1.0).abs() < 0.01, "{spec}");
}

fn fitted(synthesis: &Synthesis, rows: Matrix<f64>, seed: u64) -> Release<SyntheticModel> {
    let mut budget = Budget::zcdp(1000.into(), synthesis.neighbours()).unwrap();
    let data = Sensitive::new(rows);
    synthesis.fit(&data, &mut budget, &mut SeededEntropy::new(seed)).unwrap()
}

#[test]
fn synthetic_rows_keep_columns_and_the_dependence_of_pairs() {
    let rows = table(10_000);
    for privacy in targets() {
        let options = SynthesisOptions::default();
        let synthesis = Synthesis::new(domain(), &privacy, &options).unwrap();
        privacy.certify(&synthesis.spec()).unwrap();
        let release = fitted(&synthesis, rows.clone(), 11);
        let model = release.value();
        let edges = model.edges();
        assert_eq!(edges.len(), 3);
        assert!(edges.contains(&(0, 1)), "{edges:?}");
        assert!(edges.contains(&(1, 2)) || edges.contains(&(0, 2)), "{edges:?}");
        assert!((model.records() - 10_000.0).abs() < 300.0);
        let drawn = model.sample(10_000, &mut SeededEntropy::new(12)).unwrap();
        let found = differences(&domain(), &drawn, &rows).unwrap();
        assert!(found.mean_of_columns() < 0.05, "{found:?}");
        assert!(found.mean_of_pairs() < 0.1, "{found:?}");
        // Shuffled columns would be far away.
        let apart = found.pairs.iter().find(|(pair, _)| *pair == (0, 1)).unwrap().1;
        assert!(apart < 0.15, "{apart}");
        let follows = drawn.iter().filter(|row| (4.0 * row[0]).floor() == row[1]).count();
        assert!(follows > 8500, "{follows}");
        for row in drawn.iter() {
            assert!(domain().cell(row).is_some());
        }
    }
}

#[test]
fn independence_would_be_seen() {
    // The helper itself: a table against one with a column shifted by a row.
    let rows = table(5000);
    let mut shifted = rows.clone();
    let levels: Vec<f64> = rows.iter().map(|row| row[1]).collect();
    for row in 0..rows.rows() {
        shifted.row_mut(row)[1] = levels[(row + 1) % levels.len()];
    }
    let found = differences(&domain(), &shifted, &rows).unwrap();
    assert!(found.mean_of_columns() < 1e-9);
    assert!(found.pairs.iter().find(|(pair, _)| *pair == (0, 1)).unwrap().1 > 0.5);
    let same = differences(&domain(), &rows, &rows).unwrap();
    assert!(same.mean_of_pairs().abs() < 1e-12);
    assert!(differences(&domain(), &Matrix::filled(1, 2, 0.0), &rows).is_err());
}

#[test]
fn hostile_and_empty_tables_are_modelled() {
    let nasty = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 0.5, 1.0, 77.0];
    let rows: Vec<[f64; 4]> = nasty.iter().map(|x| [*x, 1.0, *x, 2.0]).collect();
    for privacy in targets() {
        let options = SynthesisOptions::default();
        let synthesis = Synthesis::new(domain(), &privacy, &options).unwrap();
        for rows in
            [Matrix::from_rows(&rows), Matrix::filled(0, 4, 0.0), Matrix::filled(30, 4, 1.0)]
        {
            let release = fitted(&synthesis, rows, 3);
            let drawn = release.value().sample(50, &mut SeededEntropy::new(4)).unwrap();
            assert!(drawn.iter().all(|row| domain().cell(row).is_some()));
        }
        let mut budget = Budget::zcdp(1000.into(), privacy.neighbours()).unwrap();
        let narrow = Sensitive::new(Matrix::filled(3, 1, 0.0));
        assert!(synthesis.fit(&narrow, &mut budget, &mut OsEntropy).is_err());
    }
}

#[test]
fn one_column_needs_no_tree() {
    let one = Domain::new(vec![Bins::levels(3).unwrap()]).unwrap();
    for privacy in targets() {
        let synthesis =
            Synthesis::new(one.clone(), &privacy, &SynthesisOptions::default()).unwrap();
        privacy.certify(&synthesis.spec()).unwrap();
        let release = fitted(&synthesis, Matrix::filled(1000, 1, 2.0), 5);
        assert!(release.value().edges().is_empty());
        let drawn = release.value().sample(100, &mut SeededEntropy::new(6)).unwrap();
        assert!(drawn.values().iter().filter(|x| **x == 2.0).count() > 90);
    }
}

#[test]
fn bad_parameters_are_refused() {
    let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
    let options = SynthesisOptions { shares: [1, 0, 1], ..Default::default() };
    assert!(Synthesis::new(domain(), &privacy, &options).is_err());
    let many = Domain::new(vec![Bins::levels(2).unwrap(); 513]).unwrap();
    let refused = Synthesis::new(many, &privacy, &SynthesisOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("the number of columns is 513"), "{refused}");
    let large = Domain::new(vec![Bins::levels(1 << 13).unwrap(); 2]).unwrap();
    assert!(Synthesis::new(large, &privacy, &SynthesisOptions::default()).is_err());
}

#[test]
fn models_are_saved_and_read_again() {
    let schema: Schema = serde_json::from_str(
        r#"{"columns": [{"name": "age", "bounds": [0, 1]}, {"name": "sex", "levels": ["f", "m"]}]}"#,
    )
    .unwrap();
    let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
    let synthesis = Synthesis::of_schema(&schema, &privacy, &SynthesisOptions::default()).unwrap();
    let rows = Matrix::from_rows(&[[0.3, 1.0], [0.9, 0.0], [0.1, 1.0]]);
    let saved = Saved::of(fitted(&synthesis, rows, 8));
    let json = Saved::<SyntheticModel>::from_json(&saved.to_json().unwrap()).unwrap();
    let bytes = saved.to_safetensors().unwrap();
    assert_eq!(json, saved);
    let again = Saved::<SyntheticModel>::from_safetensors(&bytes).unwrap();
    assert_eq!(again, saved);
    assert!(saved.card().epsilon(1e-6).unwrap().upper <= 1.0);
    let refused = saved.model().sample(1 << 28, &mut SeededEntropy::new(1)).unwrap_err();
    assert!(refused.to_string().contains("at most 134217728"), "{refused}");
    let draw = |model: &SyntheticModel| model.sample(20, &mut SeededEntropy::new(1)).unwrap();
    assert_eq!(draw(again.model()), draw(saved.model()));
}
