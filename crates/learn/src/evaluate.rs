//! How good a model is.
//!
//! On examples that are declared public: [`classification`], [`regression`], exactly. On private ones:
//! [`Accuracy`] and [`Fit`], mechanisms that are paid for like any other, with error bars.
//!
//! A model's word about a row must depend on that row alone, as [`Predict`] says.

mod accuracy;
mod fit;

use crate::math::{count, nearest, number};
use crate::{Classes, Classified, Interval, LearnError, Measured, Predict, Predictions};
pub use accuracy::{Accuracy, AccuracyOptions, AccuracyReport};
pub use fit::{Fit, FitReport};

/// A number between two others, each an estimate's end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// How a classifier does on public examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// Records of a declared class.
    pub records: usize,
    /// The share of them that are classified rightly; 0 if there are none.
    pub accuracy: f64,
    /// The number of records of each class (rows) that are taken for each class (columns).
    pub confusion: Vec<Vec<u64>>,
}

/// How a classifier does on public examples; a record whose class is not declared is left out.
///
/// # Errors
/// If the model has another number of columns, or says no classes.
pub fn classification<M: Predict + ?Sized>(
    model: &M,
    examples: &Classified,
    classes: Classes,
) -> Result<Classification, LearnError> {
    let Predictions::Classes { chosen, .. } = model.predict(examples.features())? else {
        return Err(no_classes());
    };
    let mut confusion = vec![vec![0_u64; classes.count()]; classes.count()];
    let (mut records, mut right) = (0, 0);
    for (label, guess) in examples.labels().iter().zip(chosen) {
        let Some(truth) = classes.place(*label) else { continue };
        records += 1;
        right += usize::from(*label == guess);
        let row = confusion.get_mut(truth);
        let cell = classes.place(guess).and_then(|guess| row?.get_mut(guess));
        if let Some(cell) = cell {
            *cell += 1;
        }
    }
    let accuracy = if records > 0 { count(right) / count(records) } else { 0.0 };
    Ok(Classification { records, accuracy, confusion })
}

fn no_classes() -> LearnError {
    LearnError::refused("the model says no classes", "evaluate a classifier")
}

/// How a regression does on public examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regression {
    /// Records with a finite label.
    pub records: usize,
    /// The mean of the squared errors; 0 without records.
    pub mean_squared_error: f64,
    /// One minus the squared errors over those of the mean label; 0 if labels do not vary.
    pub r_squared: f64,
}

/// How a regression does on public examples; a record whose label is not finite is left out.
///
/// # Errors
/// If the model has another number of columns, or says no numbers.
pub fn regression<M: Predict + ?Sized>(
    model: &M,
    examples: &Measured,
) -> Result<Regression, LearnError> {
    let Predictions::Numbers(said) = model.predict(examples.features())? else {
        return Err(no_numbers());
    };
    let finite = || examples.labels().iter().zip(&said).filter(|(label, _)| label.is_finite());
    let records = finite().count();
    let each = 1.0 / count(records.max(1));
    let mean: f64 = finite().map(|(label, _)| label * each).sum();
    let square = |x: f64| x * x;
    let error: f64 = finite().map(|(label, said)| square(label - said) * each).sum();
    let spread: f64 = finite().map(|(label, _)| square(label - mean) * each).sum();
    let r_squared = if spread > 0.0 { 1.0 - error / spread } else { 0.0 };
    Ok(Regression { records, mean_squared_error: error, r_squared })
}

fn no_numbers() -> LearnError {
    LearnError::refused("the model says no numbers", "evaluate a regression")
}

/// For each record of a declared class whether it is classified rightly: private. A model that does not
/// fit, which is no secret, is never right.
pub(crate) fn is_right<M: Predict + ?Sized>(
    model: &M,
    examples: &Classified,
    classes: Classes,
) -> Vec<bool> {
    said(model, examples, classes).into_iter().map(|(truth, guess)| Some(truth) == guess).collect()
}

/// For each record of a declared class that and what the model says: private.
pub(crate) fn said<M: Predict + ?Sized>(
    model: &M,
    examples: &Classified,
    classes: Classes,
) -> Vec<(usize, Option<usize>)> {
    let chosen = match model.predict(examples.features()) {
        Ok(Predictions::Classes { chosen, .. }) => chosen,
        Ok(Predictions::Numbers(_) | Predictions::Clusters(_) | Predictions::Features(_))
        | Err(_) => Vec::new(),
    };
    let guesses = chosen.into_iter().map(Some).chain(std::iter::repeat(None));
    let pairs = examples.labels().iter().zip(guesses);
    let declared = |(label, guess): (&u32, Option<u32>)| {
        Some((classes.place(*label)?, guess.and_then(|guess| classes.place(guess))))
    };
    pairs.filter_map(declared).collect()
}

/// Fractions are whole numbers of 2^-20.
pub(crate) const FINE: i32 = 20;

/// What one record says, in steps of 2^-20 from 0 to 1.
pub(crate) struct Fitted {
    /// The square of the error over the width of the range.
    pub(crate) error: i64,
    /// The label, as a fraction of the way.
    pub(crate) label: i64,
    /// Its square.
    pub(crate) square: i64,
}

/// What each record says that has a label: private. Labels and what the model says are clamped to the
/// range; a model that says NaN, or does not fit, says its middle.
pub(crate) fn fits<M: Predict + ?Sized>(
    model: &M,
    examples: &Measured,
    range: Interval,
) -> Vec<Fitted> {
    let said = match model.predict(examples.features()) {
        Ok(Predictions::Numbers(said)) => said,
        Ok(Predictions::Classes { .. } | Predictions::Clusters(_) | Predictions::Features(_))
        | Err(_) => Vec::new(),
    };
    let whole = 1_i64 << FINE;
    let steps = |fraction: f64| nearest(fraction * number(whole)).clamp(0, whole);
    let said = said.into_iter().chain(std::iter::repeat(range.middle()));
    let one = |(label, said): (&f64, f64)| {
        if label.is_nan() {
            return None;
        }
        let label = range.fraction(*label);
        let error = label - range.fraction(said);
        let [error, label, square] = [error * error, label, label * label].map(steps);
        Some(Fitted { error, label, square })
    };
    examples.labels().iter().zip(said).filter_map(one).collect()
}
