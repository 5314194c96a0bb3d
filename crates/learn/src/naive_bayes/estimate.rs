//! From noisy sums to a classifier: post-processing that knows how large the noise is.

use super::NaiveBayesOptions;
use super::model::NaiveBayesModel;
use super::statistics::{Statistics, is_number};
use crate::Matrix;
use crate::columns::Column;
use crate::math::{count, ln, number};

/// Noisy sums in their own units.
struct Sums<'a> {
    statistics: &'a Statistics,
    cells: &'a [i64],
    /// The number of records of each class, at least 1.
    counts: Vec<f64>,
}

impl Sums<'_> {
    fn cell(&self, class: usize, place: usize) -> f64 {
        self.cells.get(class * self.statistics.width + place).map_or(0.0, |x| number(*x))
    }

    /// The mean of a column in a class, in [-1, 1].
    fn mean(&self, class: usize, start: usize) -> f64 {
        let size = self.counts.get(class).copied().unwrap_or(1.0);
        (self.cell(class, start) / self.statistics.weights.sum / size).clamp(-1.0, 1.0)
    }

    /// The mean square of a column in a class.
    fn mean_square(&self, class: usize, start: usize) -> f64 {
        let size = self.counts.get(class).copied().unwrap_or(1.0);
        self.cell(class, start + 1) / self.statistics.weights.square / size
    }
}

pub(super) fn model(
    statistics: &Statistics,
    cells: &[i64],
    deviation: f64,
    options: &NaiveBayesOptions,
) -> NaiveBayesModel {
    let classes = statistics.classes.count();
    let mut sums = Sums { statistics, cells, counts: Vec::new() };
    let found = (0..classes).map(|class| sums.cell(class, 0) / statistics.weights.count).collect();
    sums.counts = sizes(found, deviation / statistics.weights.count);
    let total: f64 = sums.counts.iter().sum();
    let prior = sums.counts.iter().map(|n| ln(n / total)).collect();
    let (means, variances) = normals(&sums, deviation, options);
    let levels = tables(&sums, options);
    NaiveBayesModel { view: statistics.view.clone(), prior, means, variances, levels }
}

/// How many records each class has, at least 1: drawn towards their mean as far as their differences are
/// noise, and not below two standard deviations of it, or a tenth of the mean if that is less. These
/// numbers are divided by: a floor that looked at the other classes alone would make the means and
/// the frequency of a rare class wrong.
fn sizes(mut found: Vec<f64>, noise: f64) -> Vec<f64> {
    let classes = count(found.len());
    let mean = (found.iter().sum::<f64>() / classes).max(noise / classes.sqrt()).max(1.0);
    let spread = found.iter().map(|n| (n - mean) * (n - mean)).sum::<f64>() / (classes - 1.0);
    let kept = (1.0 - noise * noise / spread.max(1e-9)).max(0.0);
    let least = (2.0 * noise).min(0.1 * mean).max(1.0);
    found.iter_mut().for_each(|n| *n = (mean + kept * (*n - mean)).max(least));
    found
}

/// Means and variances of the numbers, a row for each class.
///
/// A class mean is the mean of all classes plus a part of its own distance from it: the part that
/// is not noise, as far as all distances of the columns together tell. A class variance is
/// likewise drawn towards that of all classes, which has more records behind it.
fn normals(
    sums: &Sums<'_>,
    deviation: f64,
    options: &NaiveBayesOptions,
) -> (Matrix<f64>, Matrix<f64>) {
    let statistics = sums.statistics;
    let columns = statistics.columns().as_slice();
    let (classes, width) = (sums.counts.len(), columns.len());
    let (mut means, mut variances) =
        (Matrix::filled(classes, width, 0.0), Matrix::filled(classes, width, 1.0));
    let noise = deviation / statistics.weights.sum;
    let noise_of_squares = deviation / statistics.weights.square;
    let spread = spread(sums, noise);
    for (j, (column, start)) in columns.iter().zip(&statistics.starts).enumerate() {
        if !is_number(column) {
            continue;
        }
        let pooled = pooled(sums, *start, noise, options.variance_floor);
        for class in 0..classes {
            let size = sums.counts.get(class).copied().unwrap_or(1.0);
            let error = noise * noise / (size * size);
            let kept = spread / (spread + error + 1e-12);
            let found = sums.mean(class, *start);
            let mean = pooled.mean + kept * (found - pooled.mean);
            let own = sums.mean_square(class, *start) - found * found + error;
            let own = own.clamp(options.variance_floor, 1.0);
            let doubt = noise_of_squares * noise_of_squares / (size * size);
            let belief = pooled.variance * pooled.variance;
            let kept_own = belief / (belief + doubt + 1e-12);
            let variance = pooled.variance + kept_own * (own - pooled.variance) + kept * error;
            set(&mut means, class, j, mean);
            set(&mut variances, class, j, variance.max(options.variance_floor));
        }
    }
    (means, variances)
}

fn set(table: &mut Matrix<f64>, row: usize, column: usize, value: f64) {
    if let Some(place) = table.row_mut(row).get_mut(column) {
        *place = value;
    }
}

/// What all classes together say about a column.
struct Pooled {
    mean: f64,
    /// Within classes.
    variance: f64,
}

fn pooled(sums: &Sums<'_>, start: usize, noise: f64, floor: f64) -> Pooled {
    let total: f64 = sums.counts.iter().sum();
    let (mut first, mut within) = (0.0, 0.0);
    for (class, size) in sums.counts.iter().enumerate() {
        let mean = sums.mean(class, start);
        first += size * mean;
        // The square of a noisy mean is too large by the variance of its noise.
        within +=
            size * (sums.mean_square(class, start) - mean * mean + noise * noise / size / size);
    }
    Pooled { mean: first / total, variance: (within / total).clamp(floor, 1.0) }
}

/// How far apart the means of classes are beyond what noise does: a mean square, over all columns.
fn spread(sums: &Sums<'_>, noise: f64) -> f64 {
    let statistics = sums.statistics;
    let columns = statistics.columns().as_slice().iter().zip(&statistics.starts);
    let (mut found, mut places) = (0.0, 0.0);
    for (_, start) in columns.filter(|(column, _)| is_number(column)) {
        let centre = pooled(sums, *start, noise, 0.0).mean;
        for (class, size) in sums.counts.iter().enumerate() {
            let away = sums.mean(class, *start) - centre;
            found += away * away - noise * noise / (size * size);
            places += 1.0;
        }
    }
    (found / f64::max(places, 1.0)).max(0.01)
}

/// The logarithms of how likely each level is, a table of classes × levels for each category.
fn tables(sums: &Sums<'_>, options: &NaiveBayesOptions) -> Vec<Matrix<f64>> {
    let statistics = sums.statistics;
    let columns = statistics.columns().as_slice().iter().zip(&statistics.starts);
    columns
        .map(|(column, start)| match column {
            Column::Number(_) => Matrix::filled(0, 0, 0.0),
            Column::Category(levels) => {
                table(sums, *start, usize::try_from(*levels).unwrap_or(0), options)
            }
        })
        .collect()
}

fn table(sums: &Sums<'_>, start: usize, levels: usize, options: &NaiveBayesOptions) -> Matrix<f64> {
    let mut table = Matrix::filled(sums.counts.len(), levels, 0.0);
    for class in 0..sums.counts.len() {
        let weight = sums.statistics.weights.level;
        let found = |level| (sums.cell(class, start + level) / weight).max(0.0) + options.smoothing;
        let total: f64 = (0..levels).map(found).sum();
        for (level, place) in table.row_mut(class).iter_mut().enumerate() {
            *place = ln(found(level) / total);
        }
    }
    table
}
