//! Images by fixed features and a private linear softmax.

mod model;
mod moments;
mod record;
mod softmax;
mod whitening;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use crate::correlated::{Bands, CorrelatedNoise, Ftrl, Pace, Participation};
use crate::data::check_columns;
use crate::error::positive;
use crate::math::{count, nearest};
use crate::parallel::over_rows;
use crate::scattering::{Scattering, Shape};
use crate::{Classes, Classified, Interval, LearnError, Learner, Privacy};
pub use model::ImageModel;
use moments::{Moments, Table};
use record::Reader;
use softmax::{CONSTANT, RESIDUALS, Rows};
use whitening::Whitening;

/// How an [`ImageClassifier`] is fitted. The defaults suit some ten thousand images.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImageOptions {
    /// How often each record takes part.
    pub epochs: u32,
    /// How many steps an epoch has. With 1 each step sees all records; with more, each record is in one of them.
    pub batches: u32,
    /// At most so many bands of correlated noise; 1 is independent noise.
    pub band: u32,
    /// The longest contribution of a record, in units of a typical record's length times the
    /// length of its residual (from 0, all is right, to √2).
    pub clip: f64,
    /// The size of a step, if all contributions point the same way, in typical records' lengths.
    pub rate: f64,
    /// How much of a step is repeated in the next, in [0, 1).
    pub momentum: f64,
    /// Which part of the rate the last step lacks, in [0, 1].
    pub decay: f64,
    /// How far variances of features are made equal: 0 not at all, 1/2 all the way.
    pub whitening: f64,
    /// Variances below this part of the mean are not told apart.
    pub floor: f64,
    /// How many thousandths of the budget buy the moments that whitening needs.
    pub moments: u32,
}

impl Default for ImageOptions {
    fn default() -> Self {
        Self {
            epochs: 40,
            batches: 1,
            band: 1,
            clip: 0.1,
            rate: 300.0,
            momentum: 0.9,
            decay: 0.0,
            whitening: 0.25,
            floor: 0.05,
            moments: 80,
        }
    }
}

impl ImageOptions {
    fn check(&self) -> Result<(), LearnError> {
        for (name, value) in [("clip", self.clip), ("rate", self.rate)] {
            positive(name, value)?;
            if !(1e-3..=1e6).contains(&value) {
                return Err(LearnError::invalid(name, value, "from 0.001 to 10^6"));
            }
        }
        let parts =
            [("decay", self.decay), ("whitening", self.whitening), ("momentum", self.momentum)];
        for (name, value) in parts {
            if !(0.0..=1.0).contains(&value) {
                return Err(LearnError::invalid(name, value, "in [0, 1]"));
            }
        }
        if self.momentum > 0.999 {
            return Err(LearnError::invalid("momentum", self.momentum, "at most 0.999"));
        }
        if !(1e-6..=1e6).contains(&self.floor) {
            return Err(LearnError::invalid("floor", self.floor, "from 10^-6 to 10^6"));
        }
        if !(4..=900).contains(&self.moments) {
            return Err(LearnError::invalid("moments", self.moments, "from 4 to 900"));
        }
        Ok(())
    }
}

/// About how many operations the features of a pixel take.
const WORK: usize = 4096;

/// The most places, and the most paths: tables of moments are squares of these.
const MOST_SIDE: usize = 4096;

/// A classifier of images: scattering features, whitened by bought moments, and a linear softmax fitted by
/// noisy gradient descent.
///
/// # Guarantee
/// That of the [`Privacy`] it was made for; its [`spec`](Mechanism::spec) is four Gaussian releases of moments
/// and one for all steps of training. Features are a function of the record alone. Given the
/// moments, so are whitened features, as integers x; and given the weights, so is a contribution x r' with
/// |x| |r| at most what the noise is made for. Sums of contributions are exact.
///
/// # Reference
/// Tramèr, Boneh, *Differentially Private Learning Needs Better Features (or Much More Data)* (2021).
#[derive(Debug, Clone, PartialEq)]
pub struct ImageClassifier {
    scattering: Scattering,
    pixels: Interval,
    classes: Classes,
    options: ImageOptions,
    moments: Moments,
    training: Ftrl,
    spec: MechanismSpec,
    under: Neighbours,
    reach: u64,
}

impl ImageClassifier {
    /// For images of a shape whose numbers lie in an interval.
    ///
    /// # Errors
    /// If the shape or an option is out of range, or the target is not reached by Gaussian noise.
    pub fn new(
        shape: Shape,
        pixels: Interval,
        classes: Classes,
        privacy: &Privacy,
        options: ImageOptions,
    ) -> Result<Self, LearnError> {
        options.check()?;
        let scattering = Scattering::new(shape)?;
        check_sides(&scattering)?;
        let (gaussian, under) = (privacy.gaussian()?, privacy.neighbours());
        let times = crate::contribution::times(under);
        let moments = Moments::new(&gaussian, (options.moments, 4000), times)?;
        let [epochs, batches, band] = [options.epochs, options.batches, options.band]
            .map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let participation = Participation::epochs(epochs, batches)?;
        let bands = Bands::best(participation, band)?;
        let clip = options.clip * whitening::length(scattering.features()) * RESIDUALS;
        let reach = u64::try_from(nearest(clip)).unwrap_or(1).max(1);
        let share = (&gaussian, 1000 - options.moments, 1000);
        let noise = CorrelatedNoise::within((bands, participation), reach, share)?;
        let mut specs = moments.specs();
        specs.push(noise.spec().clone());
        let spec = MechanismSpec::composed(specs)?;
        privacy.certify(&spec)?;
        let training = Ftrl::new(noise)?;
        Ok(Self { scattering, pixels, classes, options, moments, training, spec, under, reach })
    }

    /// The options.
    #[must_use]
    pub const fn options(&self) -> &ImageOptions {
        &self.options
    }

    /// The features of the records whose label is declared, as integers, and the labels. Those of one do not
    /// depend on others, so they are computed side by side.
    fn records(&self, input: &Classified<f32>) -> (Vec<i16>, Vec<usize>) {
        let work = WORK * self.scattering.shape().len();
        let parts = over_rows(input.len(), work, |range| self.part(input, range));
        let (mut steps, mut labels) = (Vec::new(), Vec::new());
        for (mut more, of) in parts {
            // The first part is moved, not copied.
            if steps.is_empty() {
                std::mem::swap(&mut steps, &mut more);
            }
            steps.extend(more);
            labels.extend(of);
        }
        (steps, labels)
    }

    fn part(&self, input: &Classified<f32>, range: Range<usize>) -> (Vec<i16>, Vec<usize>) {
        let width = self.scattering.features();
        let mut reader = Reader::new(&self.scattering, self.pixels);
        let mut features = vec![0.0; width];
        let (mut steps, mut labels) =
            (Vec::with_capacity(range.len().saturating_mul(width)), Vec::new());
        for (image, label) in input.iter().skip(range.start).take(range.len()) {
            let Some(label) = self.classes.place(*label) else { continue };
            reader.features(image.iter().map(|x| f64::from(*x)), &mut features);
            let start = steps.len();
            steps.resize(start + width, 0);
            record::quantised(&features, &mut steps[start..]);
            labels.push(label);
        }
        (steps, labels)
    }

    fn pace(&self, records: f64) -> Pace {
        let ImageOptions { rate, momentum, decay, batches, .. } = self.options;
        let batch = records / f64::from(batches);
        let contribution = count(usize::try_from(self.reach).unwrap_or(usize::MAX));
        Pace { rate: rate / (batch * contribution), momentum, decay }
    }
}

fn check_sides(scattering: &Scattering) -> Result<(), LearnError> {
    let places = scattering.places();
    let paths = scattering.features() / places.max(1);
    if places.max(paths) <= MOST_SIDE {
        return Ok(());
    }
    Err(LearnError::invalid(
        "the shape of images",
        format!("{places} places with {paths} features each"),
        format!("at most {MOST_SIDE} of each"),
    ))
}

impl Mechanism for ImageClassifier {
    type Input = Classified<f32>;
    type Output = ImageModel;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(
        &self,
        input: &Classified<f32>,
        run: &mut Run<'_>,
    ) -> Result<ImageModel, MechanismError> {
        let features = self.scattering.features();
        softmax::check_machine(features, self.classes.count())?;
        let (mut steps, labels) = self.records(input);
        let places = self.scattering.places();
        let table = Table { steps: &steps, places, paths: features / places };
        let known = self.moments.buy(&table, run)?;
        let whitening = Whitening::of(&known, self.options.whitening, self.options.floor);
        let mut room = (Vec::new(), Vec::new());
        steps.chunks_mut(features).for_each(|record| whitening.record(record, &mut room));
        let constant = i64::from(CONSTANT) * i64::from(CONSTANT);
        let squares: Vec<i64> =
            steps.chunks(features).map(|record| record::square(record) + constant).collect();
        let unit = 1.0 / whitening::length(features);
        let rows = Rows {
            steps: &steps,
            labels: &labels,
            squares: &squares,
            features,
            classes: self.classes.count(),
            reach: self.reach,
            unit,
        };
        let weights = self.training.train(&rows, self.pace(known.records), run)?;
        Ok(ImageModel::new(self, &whitening, &weights, unit))
    }
}

impl Learner for ImageClassifier {
    fn check(&self, input: &Classified<f32>) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.scattering.shape().len())?;
        Ok(softmax::check_machine(self.scattering.features(), self.classes.count())?)
    }
}
