//! K-means as a user sees it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss, reason = "a test")]

use crate::trees::shared::{Dice, budget, hostile, read_after, refused};
use serde_json::json;
use throng_learn::kmeans::{KMeans, KMeansModel, KMeansOptions, Method};
use throng_learn::{Bounds, LearnError, Learner, Matrix, Predict, Predictions, Privacy, Saved};
use throng_mechanism::{Neighbours, Sensitive};
use throng_sample::SeededEntropy;

/// Four heaps of points.
const HEAPS: [[f64; 2]; 4] = [[-8.0, 1.0], [-6.0, 9.0], [5.0, 2.0], [7.0, 7.0]];

fn points(rows: usize, seed: u64) -> Matrix<f64> {
    let mut dice = Dice::new(seed);
    let mut values = Vec::new();
    for _ in 0..rows {
        let heap = HEAPS[dice.below(4)];
        values.extend(heap.map(|x| x + 2.0 * (dice.fraction() - 0.5)));
    }
    Matrix::new(rows, 2, values).unwrap()
}

fn learner(privacy: &Privacy, options: KMeansOptions) -> KMeans {
    KMeans::new(Bounds::new(&[(-10.0, 10.0), (0.0, 10.0)]).unwrap(), 4, privacy, options).unwrap()
}

fn privacy() -> Privacy {
    Privacy::approximate(1.0, 1e-5).unwrap()
}

fn fitted(learner: &KMeans, points: Matrix<f64>) -> Saved<KMeansModel> {
    let mut entropy = SeededEntropy::new(3);
    Saved::of(learner.fit(&Sensitive::new(points), &mut budget(learner), &mut entropy).unwrap())
}

#[test]
fn heaps_are_found_under_both_relations() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let privacy = Privacy::new(*privacy().target(), under).unwrap();
        let learner = learner(&privacy, KMeansOptions::default());
        let saved = fitted(&learner, points(4000, 1));
        let centres = saved.model().centres();
        for heap in HEAPS {
            let far = |c: &[f64]| (c[0] - heap[0]).hypot(c[1] - heap[1]);
            let nearest = centres.iter().map(far).fold(f64::INFINITY, f64::min);
            assert!(nearest < 0.4, "{heap:?}: {nearest}");
        }
        let held = points(200, 2);
        let Predictions::Clusters(clusters) = saved.model().predict(&held).unwrap() else {
            panic!("not clusters")
        };
        for (row, cluster) in held.iter().zip(clusters) {
            let centre = centres.row(usize::try_from(cluster).unwrap());
            assert!((row[0] - centre[0]).hypot(row[1] - centre[1]) < 2.0);
        }
    }
}

#[test]
fn blocks_find_heaps_too() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let privacy = Privacy::new(*privacy().target(), under).unwrap();
        let method = Method::SampleAndAggregate;
        let options = KMeansOptions { method, blocks: 400, ..Default::default() };
        let saved = fitted(&learner(&privacy, options), points(20_000, 1));
        for heap in HEAPS {
            let far = |c: &[f64]| (c[0] - heap[0]).hypot(c[1] - heap[1]);
            let centres = saved.model().centres();
            let nearest = centres.iter().map(far).fold(f64::INFINITY, f64::min);
            assert!(nearest < 2.0, "{heap:?}: {nearest}");
        }
        let found = saved.card().epsilon(1e-5).unwrap();
        assert!(found.upper <= 1.0 && found.lower > 0.99, "{found:?}");
    }
}

#[test]
fn it_reaches_its_target() {
    for (epsilon, steps) in [(0.1, 1), (1.0, 3), (10.0, 7)] {
        let privacy = Privacy::approximate(epsilon, 1e-5).unwrap();
        let options = KMeansOptions { steps, ..Default::default() };
        let saved = fitted(&learner(&privacy, options), points(10, 1));
        let found = saved.card().epsilon(1e-5).unwrap();
        assert!(found.upper <= epsilon && found.lower > 0.99 * epsilon, "{found:?}");
    }
}

#[test]
fn both_formats_give_the_model_back() {
    let saved = fitted(&learner(&privacy(), KMeansOptions::default()), points(300, 1));
    assert_eq!(Saved::from_json(&saved.to_json().unwrap()).unwrap(), saved);
    assert_eq!(Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
}

#[test]
fn hostile_tables_are_fitted_all_the_same() {
    for columns in [2, 60] {
        let bounds = Bounds::same(columns, -1.0, 1.0).unwrap();
        for method in [Method::Sketch, Method::SampleAndAggregate] {
            let options = KMeansOptions { method, ..Default::default() };
            let learner = KMeans::new(bounds.clone(), 5, &privacy(), options).unwrap();
            for (rows, _) in hostile(columns) {
                let saved = fitted(&learner, rows.clone());
                assert_eq!(saved.model().centres().rows(), 5);
                assert!(saved.model().centres().values().iter().all(|x| x.abs() <= 1.0));
                saved.model().predict(&rows).unwrap();
            }
        }
    }
}

#[test]
fn what_is_wrong_is_refused_before_it_is_paid() {
    let bounds = Bounds::same(2, 0.0, 1.0).unwrap();
    let usual = KMeansOptions::default;
    for options in [
        KMeansOptions { steps: 0, ..usual() },
        KMeansOptions { levels: 21, ..usual() },
        KMeansOptions { cuts: 0, ..usual() },
        KMeansOptions { levels: 7, cuts: 3, ..usual() },
        KMeansOptions { starts: 0, ..usual() },
        KMeansOptions { blocks: 0, ..usual() },
        KMeansOptions { share_of_moments: 0.0, ..usual() },
        KMeansOptions { share_of_sketch: 0.95, ..usual() },
        KMeansOptions { reach: f64::NAN, ..usual() },
        KMeansOptions { radius: -1.0, ..usual() },
    ] {
        assert!(KMeans::new(bounds.clone(), 3, &privacy(), options).is_err());
    }
    assert!(KMeans::new(bounds.clone(), 0, &privacy(), usual()).is_err());
    let pure = KMeans::new(bounds, 3, &Privacy::pure(1.0).unwrap(), usual());
    assert!(matches!(pure, Err(LearnError::Refused { .. })));
    let learner = learner(&privacy(), usual());
    let mut budget = budget(&learner);
    let before = budget.remaining();
    let mut entropy = SeededEntropy::new(3);
    let wide = Sensitive::new(Matrix::filled(2, 3, 0.0));
    assert!(learner.fit(&wide, &mut budget, &mut entropy).is_err());
    assert_eq!(budget.remaining(), before);
    drop(learner.fit(&Sensitive::new(points(9, 1)), &mut budget, &mut entropy).unwrap());
    assert!(learner.fit(&Sensitive::new(points(9, 1)), &mut budget, &mut entropy).is_err());
}

/// A permit does not look at the table; the learner does.
#[test]
fn a_table_of_another_width_is_refused_on_a_permit_too() {
    for method in [Method::Sketch, Method::SampleAndAggregate] {
        let options = KMeansOptions { method, ..Default::default() };
        let learner = learner(&privacy(), options);
        for columns in [0, 1, 3, 4] {
            let hostile = Matrix::filled(5, columns, f64::NEG_INFINITY);
            assert!(refused(&learner, hostile), "{columns}");
        }
        assert!(!refused(&learner, points(5, 1)));
    }
}

/// Few points in many blocks: those without points do not pull the centres to the middle.
#[test]
fn blocks_without_points_are_left_out() {
    let privacy = Privacy::approximate(50.0, 1e-5).unwrap();
    let method = Method::SampleAndAggregate;
    let options = KMeansOptions { method, blocks: 4000, ..Default::default() };
    let bounds = Bounds::same(1, -1.0, 1.0).unwrap();
    let learner = KMeans::new(bounds, 1, &privacy, options).unwrap();
    let saved = fitted(&learner, Matrix::filled(1000, 1, 0.9));
    let centre = saved.model().centres().row(0)[0];
    assert!((centre - 0.9).abs() < 0.05, "{centre}");
}

#[test]
fn a_file_that_is_no_model_is_not_read() {
    let saved = fitted(&learner(&privacy(), KMeansOptions::default()), points(300, 1));
    assert!(read_after(&saved, |_| {}));
    assert!(!read_after(&saved, |model| model["centres"]["values"][0] = json!(1.5)));
    assert!(!read_after(&saved, |model| model["centres"]["values"][0] = json!(null)));
    assert!(!read_after(&saved, |model| model["centres"]["shape"] = json!([8, 1])));
    assert!(!read_after(&saved, |model| model["centres"] = json!({"shape": [0, 2], "values": []})));
    assert!(!read_after(&saved, |model| model["bounds"] = json!([[0, 1], [0, 1], [0, 1]])));
}

/// Few points of many columns, where noise hides every axis: clusters are still far better than one centre
/// for all.
#[test]
fn many_columns_that_noise_hides_are_clustered() {
    const COLUMNS: usize = 64;
    let mut dice = Dice::new(4);
    let heaps: Vec<f64> =
        (0..10 * COLUMNS).map(|_| if dice.below(4) == 0 { 0.6 } else { -0.8 }).collect();
    let mut values = Vec::new();
    for _ in 0..1300 {
        let start = dice.below(10) * COLUMNS;
        let near = |x: &f64| (x + 1.2 * (dice.fraction() - 0.5)).clamp(-1.0, 1.0);
        values.extend(heaps[start..start + COLUMNS].iter().map(near));
    }
    let rows = Matrix::new(1300, COLUMNS, values).unwrap();
    let square =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let inertia = |centres: &Matrix<f64>| -> f64 {
        let nearest = |row| centres.iter().map(|c| square(c, row)).fold(f64::INFINITY, f64::min);
        rows.iter().map(nearest).sum()
    };
    let mut mean = Matrix::filled(1, COLUMNS, 0.0);
    for row in rows.iter() {
        mean.row_mut(0).iter_mut().zip(row).for_each(|(sum, x)| *sum += x / 1300.0);
    }
    let bounds = Bounds::same(COLUMNS, -1.0, 1.0).unwrap();
    let learner = KMeans::new(bounds, 10, &privacy(), KMeansOptions::default()).unwrap();
    let found = inertia(&fitted(&learner, rows.clone()).model().centres());
    assert!(found < 0.6 * inertia(&mean), "{found} {}", inertia(&mean));
}
