use super::*;
use crate::math::number;

fn objective<'a>(
    loss: Loss,
    (table, labels): &'a (Matrix<f64>, Vec<usize>),
    most: f64,
    penalty: f64,
    tilt: Vec<f64>,
) -> Objective<'a> {
    let longest = rows::square(&tilt).sqrt();
    let tolerance = Tolerance::new(loss, table.columns(), most, penalty, longest).unwrap();
    Objective { loss, table, labels, most, penalty, tilt, tolerance }
}

fn example(loss: Loss, rows: usize) -> (Matrix<f64>, Vec<usize>) {
    let value = |i: usize| number(i64::try_from(i * 7919 % 4001).unwrap() - 2000);
    let table = Matrix::new(rows, 3, (0..rows * 3).map(value).collect()).unwrap();
    (table, (0..rows).map(|i| i * 31 % 7 % loss.outputs().max(2)).collect())
}

/// The longest row of an example.
const MOST: f64 = 3465.0;

fn losses() -> [Loss; 5] {
    [
        Loss::Logistic { classes: 2 },
        Loss::Logistic { classes: 3 },
        Loss::Hinge { classes: 2, width: 0.1 },
        Loss::Hinge { classes: 3, width: 0.5 },
        Loss::Hinge { classes: 2, width: 1e-3 },
    ]
}

/// A certified minimum, found within a number of steps of Newton's.
fn found(objective: &Objective<'_>, steps: usize) -> Vec<f64> {
    let mut newton = Newton::new(objective);
    let mut point = Point::origin(objective.tilt.len());
    for _ in 0..steps {
        let gradient = objective.gradient(&point);
        if objective.is_near(&gradient) {
            assert!(objective.certified(&point).unwrap().bound <= objective.tolerance.gamma);
            assert_eq!(objective.minimum().unwrap(), point.weights());
            return point.weights();
        }
        point = newton.step(&point, &gradient).unwrap();
    }
    panic!("no minimum after {steps} steps")
}

#[test]
fn minima_are_certified_and_the_certificate_is_not_vacuous() {
    for loss in losses() {
        for (penalty, rows) in [(0.04, 300), (1.0, 1), (50.0, 0), (3.0, 5000)] {
            let example = example(loss, rows);
            let tilt = (0..3 * loss.outputs()).map(|i| 0.5 * count(i) - 1.0).collect();
            let objective = objective(loss, &example, MOST, penalty, tilt);
            let place = found(&objective, 30);
            // Elsewhere it says how large the gradient is.
            let far = Point::origin(place.len()).moved(&place, 2.0, &objective.tolerance);
            let plain = rows::square(&objective.gradient(&far)).sqrt();
            let proved = objective.certified(&far).unwrap().bound;
            assert!(proved >= plain * (1.0 - 1e-12) && proved <= plain + 1e-6);
        }
    }
}

#[test]
fn tables_of_one_class_need_no_more_steps_the_longer_they_are() {
    for (rows, penalty) in [(1000, 0.01), (100_000, 0.01), (100_000, 1e-4)] {
        let table = Matrix::filled(rows, 2, 5000.0);
        for loss in [Loss::Logistic { classes: 2 }, Loss::Hinge { classes: 2, width: 1e-3 }] {
            if Tolerance::new(loss, 2, 8192.0, penalty, 0.0).is_err() {
                continue;
            }
            let example = (table.clone(), vec![1; rows]);
            found(&objective(loss, &example, 8192.0, penalty, vec![0.0; 2]), 40);
        }
    }
}

#[test]
fn columns_that_repeat_or_never_change_are_no_trouble() {
    let rows = 20_000;
    let row = |i: usize| {
        let x = number(i64::try_from(i * 7919 % 4001).unwrap() - 2000);
        [x, x, 0.0, -x, 3000.0]
    };
    let table = Matrix::new(rows, 5, (0..rows).flat_map(row).collect()).unwrap();
    for (loss, least) in [
        (Loss::Logistic { classes: 2 }, 1e-4),
        (Loss::Logistic { classes: 4 }, 1e-4),
        (Loss::Hinge { classes: 2, width: 1e-3 }, 0.1),
    ] {
        let labels = (0..rows).map(|i| i * 31 % 7 % loss.outputs().max(2)).collect();
        let example = (table.clone(), labels);
        let tilt = vec![0.0; 5 * loss.outputs()];
        found(&objective(loss, &example, 4700.0, least, tilt.clone()), 40);
        assert!(Tolerance::new(loss, 5, 4700.0, 1e-12, 0.0).is_err());
    }
}

#[test]
fn slopes_are_known_as_exactly_as_is_assumed() {
    for loss in losses() {
        let rows = 3000;
        let example = example(loss, rows);
        let objective = objective(loss, &example, MOST, 1.0, vec![0.0; 3 * loss.outputs()]);
        for scale in [1e-3, 1.0, 1e3] {
            let way: Vec<f64> = (0..3 * loss.outputs()).map(|i| count(i * i % 7) - 2.7).collect();
            let point = Point::origin(way.len()).moved(&way, scale, &objective.tolerance);
            let found = objective.certified(&point).unwrap();
            let gradient = rows::square(&found.gradient).sqrt();
            let steep = count(usize::try_from(loss.steepness()).unwrap()).sqrt();
            let each = loss.fuzz() + 1.1 * (count(BLOCK) + 2.0) * steep;
            let room = count(rows) * UNIT * each + 8.0 * UNIT * gradient + 1e-12;
            assert!(found.bound - gradient <= room, "{loss:?}: {}", found.bound - gradient);
        }
    }
}

#[test]
fn the_way_that_is_proved_gets_there_too() {
    for loss in losses() {
        let example = example(loss, 20);
        let tilt = vec![0.3; 3 * loss.outputs()];
        let objective = objective(loss, &example, MOST, 20.0, tilt);
        let (a, b) = (objective.minimum().unwrap(), objective.descended().unwrap());
        let apart: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
        assert!(apart.sqrt() <= 2.0 * objective.tolerance.gamma / objective.penalty);
    }
}

#[test]
fn one_record_more_moves_the_minimum_by_the_steepness_over_the_penalty() {
    for loss in [Loss::Logistic { classes: 2 }, Loss::Logistic { classes: 4 }] {
        let (table, labels) = example(loss, 9);
        let minimum = |rows: usize| {
            let part = (table.select(&(0..rows).collect::<Vec<_>>()), labels[..rows].to_vec());
            let tilt = vec![0.0; 3 * loss.outputs()];
            let objective = objective(loss, &part, MOST, 0.5, tilt);
            (objective.minimum().unwrap(), objective.tolerance.gamma)
        };
        for rows in 1..=9 {
            let ((a, gamma), (b, _)) = (minimum(rows), minimum(rows - 1));
            let gap: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
            let steep = count(usize::try_from(loss.steepness()).unwrap()).sqrt();
            assert!(gap.sqrt() <= (steep + 2.0 * gamma) / 0.5);
            assert!(gap.sqrt() > 0.0);
        }
    }
}
