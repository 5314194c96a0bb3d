//! What the tests of trees, clusters and counts share.
#![allow(dead_code, reason = "each test uses a part")]

use serde_json::Value;
use throng_account::filter::{Budget as Amount, cost};
use throng_learn::{Matrix, Model, Predictions, Saved};
use throng_mechanism::{Budget, Mechanism, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

/// Numbers for generated tables: a small congruential generator, the same on every machine.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66)
    }

    fn word(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub(crate) fn fraction(&mut self) -> f64 {
        self.word() as f64 / (1_u64 << 31) as f64
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.word()).unwrap() % bound
    }
}

/// A budget for exactly one run.
pub(crate) fn budget<M: Mechanism>(mechanism: &M) -> Budget {
    let (spec, under) = (mechanism.spec(), mechanism.neighbours());
    let amount = cost::pure(&spec, under).map_or_else(
        |_| Amount::Gdp { mu_squared: cost::gdp(&spec, under).unwrap() },
        |epsilon| Amount::Pure { epsilon },
    );
    Budget::of(amount, under).unwrap()
}

/// Whether a fit on a permit refuses a table of another width: the path that skips `Learner::fit`.
#[expect(clippy::disallowed_methods, reason = "a permit that nobody paid for")]
pub(crate) fn refused<M: Mechanism>(mechanism: &M, input: M::Input) -> bool
where
    M::Input: Sized,
{
    let nothing = Amount::Pure { epsilon: Rational::ZERO };
    let permit = Permit::issue(mechanism.spec(), mechanism.neighbours(), nothing);
    mechanism.run(&Sensitive::new(input), permit, &mut SeededEntropy::new(3)).is_err()
}

/// Whether a saved model is still read after its parameters were changed.
pub(crate) fn read_after<M: Model>(saved: &Saved<M>, change: impl FnOnce(&mut Value)) -> bool {
    let mut file: Value = serde_json::from_str(&saved.to_json().unwrap()).unwrap();
    change(&mut file["model"]);
    Saved::<M>::from_json(&file.to_string()).is_ok()
}

/// The share of rows whose class is right; probabilities must be probabilities.
pub(crate) fn right(found: &Predictions, labels: &[u32]) -> f64 {
    let Predictions::Classes { chosen, probabilities: Some(probabilities) } = found else {
        panic!("not classes with probabilities")
    };
    for row in probabilities.iter() {
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
    chosen.iter().zip(labels).filter(|(a, b)| a == b).count() as f64 / labels.len() as f64
}

/// How much of the variance of the labels is explained.
pub(crate) fn explained(found: &Predictions, labels: &[f64]) -> f64 {
    let Predictions::Numbers(found) = found else { panic!("not numbers") };
    let mean = labels.iter().sum::<f64>() / labels.len() as f64;
    let square = |pairs: &mut dyn Iterator<Item = f64>| pairs.map(|x| x * x).sum::<f64>();
    let left = square(&mut found.iter().zip(labels).map(|(a, b)| a - b));
    1.0 - left / square(&mut labels.iter().map(|b| b - mean))
}

/// Tables that nobody should have: not finite, empty, constant, of one class, with labels that do not
/// exist, with more columns than rows.
pub(crate) fn hostile(columns: usize) -> Vec<(Matrix<f64>, Vec<u32>)> {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 5e-324, 1e308, -1e308, 0.5];
    let mixed: Vec<f64> = (0..40 * columns).map(|i| odd[i * 7 % odd.len()]).collect();
    let labels = (0..40).map(|i| [0, 1, 2, 3, u32::MAX][i % 5]).collect();
    vec![
        (Matrix::new(40, columns, mixed).unwrap(), labels),
        (Matrix::filled(0, columns, 0.0), Vec::new()),
        (Matrix::filled(1, columns, 0.3), vec![1]),
        (Matrix::filled(50, columns, 1.0), vec![0; 50]),
        (Matrix::filled(50, columns, f64::NAN), vec![7; 50]),
    ]
}
