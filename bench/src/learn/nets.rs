//! Nets: how good, how fast, how large.

use throng_learn::image::{ImageClassifier, ImageOptions};
use throng_learn::network::{Layer, NetworkOptions, Optimiser, Shape, Training};
use throng_learn::{Bounds, Classes, Classified, Interval, Learner, Matrix, Privacy, scattering};
use throng_mechanism::{Budget, Mechanism, Sensitive};
use throng_sample::OsEntropy;

use crate::data::mnist;
use crate::fit::{accuracy, classify, fit, repeat, wide};
use crate::measure::{peak_mib, timed};
use crate::{Fault, Options};

/// Rows of MNIST that the speed is measured on; as many are declared.
const ROWS: u32 = 4096;

/// Samples of one measurement.
const SAMPLES: [u64; 2] = [1 << 17, 1 << 14];

/// A hidden layer of 128, on the digits of scikit-learn or on MNIST.
pub(crate) fn mlp(options: &Options) -> Result<(), Fault> {
    if options.directory()?.join("schema.json").exists() {
        return classify(options, |set, privacy| {
            let (bounds, classes) = (set.schema.bounds()?, set.schema.classes()?);
            Ok(Training::new(bounds, classes, privacy, asked(options, small())?)?)
        });
    }
    let directory = options.directory()?;
    let train = mnist(&directory, "train", 60_000)?;
    let held = mnist(&directory, "t10k", 10_000)?;
    repeat(options, |_, cost| {
        let make = |privacy: &Privacy| {
            let (bounds, classes) = (pixels()?, Classes::new(10)?);
            Ok(Training::new(bounds, classes, privacy, asked(options, large())?)?)
        };
        let (net, seconds) = fit(make, train.clone(), cost)?;
        Ok((accuracy(&net, held.features(), held.labels())?, seconds))
    })
}

/// Fixed features of images and a linear softmax, with all defaults, on MNIST.
pub(crate) fn features(options: &Options) -> Result<(), Fault> {
    let directory = options.directory()?;
    let train = single(&mnist(&directory, "train", 60_000)?)?;
    let held = mnist(&directory, "t10k", 10_000)?;
    let shape = scattering::Shape { height: 28, width: 28, channels: 1 };
    repeat(options, |_, cost| {
        let make = |privacy: &Privacy| {
            let (pixels, classes) = (Interval::new(0.0, 1.0)?, Classes::new(10)?);
            Ok(ImageClassifier::new(shape, pixels, classes, privacy, ImageOptions::default())?)
        };
        let (model, seconds) = fit(make, train.clone(), cost)?;
        Ok((accuracy(&model, held.features(), held.labels())?, seconds))
    })
}

/// The same images in single precision, as the classifier takes them.
fn single(images: &Classified) -> Result<Classified<f32>, Fault> {
    let features = images.features();
    let pixels = features.values().iter().map(|pixel| *pixel as f32).collect();
    let features = Matrix::new(features.rows(), features.columns(), pixels)?;
    Ok(Classified::new(features, images.labels().to_vec())?)
}

/// Some options as they are, others as `--options` says, in JSON.
fn asked(options: &Options, usual: NetworkOptions) -> Result<NetworkOptions, Fault> {
    let Ok(text) = options.text("options") else { return Ok(usual) };
    let mut all = serde_json::to_value(usual)?;
    let changed: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text)?;
    for (name, value) in changed {
        all[name] = value;
    }
    Ok(serde_json::from_value(all)?)
}

/// For some thousand records: all of them in every step.
fn small() -> NetworkOptions {
    NetworkOptions { records: Some(1348), ..NetworkOptions::default() }
}

/// For tens of thousands: batches of 4096, forty times through, with longer steps, as there is less noise.
fn large() -> NetworkOptions {
    NetworkOptions {
        records: Some(60_000),
        batch: Some(4096),
        steps: 586,
        learning_rate: 6.0,
        ..NetworkOptions::default()
    }
}

fn pixels() -> Result<Bounds, Fault> {
    Ok(Bounds::same(784, 0.0, 1.0)?)
}

/// Samples per CPU second with privacy and without, and the memory of it all.
pub(crate) fn sgd(options: &Options) -> Result<(), Fault> {
    let batch: u64 = options.text("batch")?.parse()?;
    let convolution = options.text("net")? == "cnn";
    let samples = SAMPLES[usize::from(convolution)];
    let training = Training::new(
        pixels()?,
        Classes::new(10)?,
        &Privacy::approximate(3.0, 1e-5)?,
        NetworkOptions {
            layers: if convolution { example_of_opacus() } else { hidden() },
            image: convolution.then_some(Shape { height: 28, width: 28, channels: 1 }),
            records: Some(u64::from(ROWS)),
            batch: Some(batch),
            steps: samples / batch,
            optimiser: Optimiser::Sgd { momentum: 0.0 },
            learning_rate: 0.1,
            ..NetworkOptions::default()
        },
    )?;
    let table = mnist(&options.directory()?, "train", ROWS as usize)?;
    let plain = speed(samples, || {
        training.on_public(&table, &mut OsEntropy).map(|_| ()).map_err(Into::into)
    })?;
    let plain_peak = peak_mib();
    let table = Sensitive::new(table);
    let private = speed(samples, || {
        let mut budget = Budget::of(wide(), training.neighbours())?;
        let _model = training.fit(&table, &mut budget, &mut OsEntropy)?;
        Ok(())
    })?;
    println!(
        "{}",
        serde_json::json!({
            "plain": {"samples_per_second": plain, "peak_mib": plain_peak},
            "private": {"samples_per_second": private, "peak_mib": peak_mib()},
        })
    );
    Ok(())
}

fn hidden() -> Vec<Layer> {
    vec![Layer::Dense { units: 128 }, Layer::Relu]
}

/// The net of Opacus' own MNIST example, 26,010 parameters.
fn example_of_opacus() -> Vec<Layer> {
    vec![
        Layer::Convolution { filters: 16, size: 8, stride: 2, padding: 3 },
        Layer::Relu,
        Layer::MaxPool { size: 2, stride: 1 },
        Layer::Convolution { filters: 32, size: 4, stride: 2, padding: 0 },
        Layer::Relu,
        Layer::MaxPool { size: 2, stride: 1 },
        Layer::Dense { units: 32 },
        Layer::Relu,
    ]
}

/// Samples per CPU second, the best of some runs.
fn speed(samples: u64, mut run: impl FnMut() -> Result<(), Fault>) -> Result<f64, Fault> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let (done, seconds) = timed(&mut run);
        done?;
        best = best.min(seconds);
    }
    Ok(samples as f64 / best)
}
