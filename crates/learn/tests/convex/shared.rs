//! What the tests of convex models share.

use throng_account::filter::Budget as Amount;
use throng_learn::{LearnError, Learner, Matrix};
use throng_mechanism::{Budget, Mechanism, Neighbours, Release, Sensitive};
use throng_numeric::Rational;
use throng_sample::{Entropy, SeededEntropy};

/// Numbers for tables.
pub struct Dice(SeededEntropy);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes).unwrap();
        f64::from(u32::from_le_bytes(bytes)) / 4_294_967_296.0
    }

    /// About normal.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    pub fn table(&mut self, rows: usize, columns: usize) -> Matrix<f64> {
        Matrix::new(rows, columns, (0..rows * columns).map(|_| self.unit()).collect()).unwrap()
    }
}

/// NaN, infinities and what is far out of bounds.
pub fn hostile(rows: usize, columns: usize) -> Matrix<f64> {
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 0.0, -0.0, 5e-324];
    let values = (0..rows * columns).map(|i| bad[i * 7 % bad.len()]).collect();
    Matrix::new(rows, columns, values).unwrap()
}

/// A budget that covers the spec, whatever its currency.
pub fn rich(learner: &impl Mechanism) -> Budget {
    let under = Neighbours::AddRemove;
    let hundred = Rational::from(100);
    let amounts = [
        Amount::Gdp { mu_squared: hundred.clone() },
        Amount::Pure { epsilon: hundred.clone() },
        Amount::Approximate { epsilon: hundred, delta: Rational::new(1, 10_u32).unwrap() },
    ];
    let under =
        if learner.neighbours() == Neighbours::Replace { learner.neighbours() } else { under };
    let mut budgets = amounts.into_iter().map(|amount| Budget::of(amount, under).unwrap());
    budgets.find(|budget| budget.preview(&learner.spec()).is_ok()).unwrap()
}

/// Fits with a rich budget.
pub fn fitted<L: Learner>(learner: &L, input: L::Input, seed: u64) -> Release<L::Output>
where
    L::Input: Sized,
{
    let mut entropy = SeededEntropy::new(seed);
    learner.fit(&Sensitive::new(input), &mut rich(learner), &mut entropy).unwrap()
}

/// A budget that is too small is refused, and nothing is spent.
pub fn is_refused_without_budget<L: Learner>(learner: &L, input: L::Input)
where
    L::Input: Sized,
{
    let mut budget =
        Budget::gdp(&Rational::new(1, 1000_u32).unwrap(), Neighbours::AddRemove).unwrap();
    let before = budget.remaining();
    let found = learner.fit(&Sensitive::new(input), &mut budget, &mut SeededEntropy::new(1));
    assert!(matches!(found, Err(LearnError::Mechanism(_))));
    assert_eq!(budget.remaining(), before);
}
