//! A fitted linear regression.

use serde::{Deserialize, Serialize};
use throng_numeric::Enclosure;

use super::intervals::{Errors, errors};
use super::solve::{Penalty, Statistics};
use crate::data::check_columns;
use crate::{Bounds, Estimate, Interval, LearnError, Matrix, Model, Predict, Predictions, Summary};

/// An intercept and a coefficient for each feature.
///
/// Released: coefficients computed from noisy moments, estimates without a penalty and their standard errors
/// computed from the same. Nothing else of the data is inside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearModel {
    bounds: Bounds,
    label: Interval,
    /// Where features and label run from -1 to 1.
    intercept: f64,
    coefficients: Vec<f64>,
    /// Estimates without a penalty of the intercept and the coefficients, and standard errors; empty if the
    /// noise is too large for any.
    estimates: Vec<f64>,
    deviations: Vec<f64>,
    /// The standard error of the label where all features are 0, in the units of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_zero: Option<f64>,
}

impl LinearModel {
    pub(super) fn of(
        statistics: &Statistics,
        penalty: Penalty,
        bounds: &Bounds,
        label: Interval,
    ) -> Self {
        let (intercept, coefficients) = statistics.solved(penalty);
        let errors = errors(statistics);
        let deviations = errors.as_ref().map_or_else(Vec::new, Errors::deviations);
        let at_zero =
            errors.as_ref().map(|errors| errors.of_sum(&way_to_zero(bounds)) * label.width() / 2.0);
        let estimates = errors.map_or_else(Vec::new, |errors| errors.estimates);
        let bounds = bounds.clone();
        Self { bounds, label, intercept, coefficients, estimates, deviations, at_zero }
    }

    /// The change of the label for a change of 1 of each feature, in the units of the data.
    #[must_use]
    pub fn coefficients(&self) -> Vec<f64> {
        let units = self.bounds.intervals().iter();
        units.zip(&self.coefficients).map(|(x, c)| c * self.slope(*x)).collect()
    }

    /// The label where all features are 0, in the units of the data.
    #[must_use]
    pub fn intercept(&self) -> f64 {
        self.at_zero(std::iter::once(&self.intercept).chain(&self.coefficients))
    }

    /// The same without a penalty, and its standard error, for sampling and noise together. None if the
    /// noise is too large to say anything.
    #[must_use]
    pub fn intercept_estimate(&self) -> Option<(f64, f64)> {
        self.at_zero.map(|error| (self.at_zero(self.estimates.iter()), error))
    }

    /// The label where all features are 0, of an intercept and coefficients where all runs from -1 to 1.
    fn at_zero<'a>(&self, parameters: impl Iterator<Item = &'a f64>) -> f64 {
        let along: f64 = parameters.zip(way_to_zero(&self.bounds)).map(|(x, way)| x * way).sum();
        self.label.middle() + along * self.label.width() / 2.0
    }

    /// An interval for each coefficient, in the units of the data, that holds the coefficient of the
    /// population with a chance of about `confidence`: sampling and the noise for privacy are both in
    /// it, to first order. None if the noise is too large to say anything.
    ///
    /// They are about estimates without a penalty, so [`LinearModel::coefficients`], which are drawn
    /// towards 0, need not lie in the middle.
    ///
    /// # Errors
    /// If the confidence is not between 0 and 1.
    pub fn intervals(&self, confidence: f64) -> Result<Option<Vec<(f64, f64)>>, LearnError> {
        let reach = reach(confidence)?;
        if self.deviations.is_empty() {
            return Ok(None);
        }
        let of = |((unit, centre), deviation): ((&Interval, &f64), &f64)| {
            let slope = self.slope(*unit);
            ((centre - reach * deviation) * slope, (centre + reach * deviation) * slope)
        };
        let features = self.bounds.intervals().iter().zip(self.estimates.iter().skip(1));
        Ok(Some(features.zip(self.deviations.iter().skip(1)).map(of).collect()))
    }

    /// The standard error of each coefficient, in the units of the data, for sampling and noise
    /// together.
    #[must_use]
    pub fn standard_errors(&self) -> Option<Vec<f64>> {
        let errors = self.deviations.iter().skip(1).zip(self.bounds.intervals());
        let errors: Vec<_> = errors.map(|(error, unit)| error * self.slope(*unit)).collect();
        (!errors.is_empty()).then_some(errors)
    }

    /// Units of the label for a unit of the feature.
    fn slope(&self, feature: Interval) -> f64 {
        self.label.width() / feature.width()
    }
}

/// Standard deviations to either side of an interval of this confidence.
fn reach(confidence: f64) -> Result<f64, LearnError> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(LearnError::invalid("the confidence", confidence, "between 0 and 1"));
    }
    let chance = Enclosure::point(0.5 + confidence / 2.0)?;
    Ok(throng_numeric::normal::quantile(chance)?.upper())
}

/// The place where all features are 0, as (1, features), where the bounds run from -1 to 1.
fn way_to_zero(bounds: &Bounds) -> Vec<f64> {
    let zero = |x: &Interval| -2.0 * x.middle() / x.width();
    std::iter::once(1.0).chain(bounds.intervals().iter().map(zero)).collect()
}

impl Summary for LinearModel {
    /// The intercept, then the coefficients, in the units of the data: without a penalty, as the
    /// intervals are about them; where the noise is too large for that, those that predict, alone.
    fn summary(&self, confidence: f64) -> Result<Vec<Estimate>, LearnError> {
        let reach = reach(confidence)?;
        let line = |of: String, value: f64, error: Option<f64>| {
            let interval = error.map(|error| [value - reach * error, value + reach * error]);
            Estimate { of, value, error, interval }
        };
        let (first, error) =
            self.intercept_estimate().map_or((self.intercept(), None), |(x, e)| (x, Some(e)));
        let errors = self.standard_errors();
        let known = if errors.is_some() { self.estimates.get(1..) } else { None };
        let values = known.unwrap_or(&self.coefficients).iter().zip(self.bounds.intervals());
        let mut lines = vec![line("the intercept".to_owned(), first, error)];
        for (place, (value, unit)) in values.enumerate() {
            let error = errors.as_ref().and_then(|errors| errors.get(place).copied());
            let of = format!("the coefficient of feature {place}");
            lines.push(line(of, value * self.slope(*unit), error));
        }
        Ok(lines)
    }
}

impl Model for LinearModel {
    const KIND: &'static str = "linear";
}

impl Predict for LinearModel {
    fn columns(&self) -> usize {
        self.bounds.columns()
    }

    /// The label of each row, within its interval.
    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.bounds.columns())?;
        let one = |row: &[f64]| {
            let parts = self.bounds.intervals().iter().zip(row).zip(&self.coefficients);
            let sum: f64 = parts.map(|((interval, x), c)| interval.symmetric(*x) * c).sum();
            let place = (self.intercept + sum).clamp(-1.0, 1.0);
            self.label.clamp(self.label.middle() + place * self.label.width() / 2.0)
        };
        Ok(Predictions::Numbers(features.iter().map(one).collect()))
    }
}
