//! Which keys are counted: listed ones, or those that pass a threshold.

use std::fs;

use throng_mechanism::contribution::Layout;
use throng_mechanism::histogram::{Histogram, HistogramRelease, ThresholdHistogram};
use throng_mechanism::{MechanismError, Release, Sensitive};

use super::{Name, NoiseName, Options};
use crate::failure::Failure;
use crate::promise::{self, Asked};

/// A mechanism that counts by key.
pub(super) enum Counting<L> {
    /// Keys that are public.
    Listed(Histogram<Name, L>),
    /// Keys that are private.
    Thresholded(ThresholdHistogram<Name, L>),
}

impl<L: Layout<Name>> Counting<L> {
    /// As the options say.
    pub(super) fn of(
        options: &Options,
        asked: &Asked<'_>,
        layout: impl Fn() -> L,
    ) -> Result<Self, Failure> {
        match listed(options)? {
            Some(keys) => Ok(Self::Listed(over_listed(keys, options, asked, layout())?)),
            None => Ok(Self::Thresholded(over_unknown(options, asked, layout)?)),
        }
    }

    /// Runs it once.
    pub(super) fn release(
        &self,
        rows: &Sensitive<Vec<L::Row>>,
    ) -> Result<Release<HistogramRelease<Name>>, Failure> {
        match self {
            Self::Listed(histogram) => promise::release(histogram, rows),
            Self::Thresholded(histogram) => promise::release(histogram, rows),
        }
    }

    /// From which noisy count on a key is shown.
    pub(super) fn threshold(&self) -> Option<i64> {
        match self {
            Self::Listed(_) => None,
            Self::Thresholded(histogram) => Some(histogram.threshold().at_least()),
        }
    }
}

/// The public keys, if there are any.
fn listed(options: &Options) -> Result<Option<Vec<Name>>, Failure> {
    let Some(path) = &options.keys_file else {
        let keys = options.keys.iter().map(|key| key.trim().as_bytes().to_vec());
        return Ok((!options.keys.is_empty()).then(|| keys.collect()));
    };
    let text = fs::read(path).map_err(|error| {
        let hint = "--keys-file is a file of keys, one in a line";
        Failure::usage(format!("{path} cannot be read: {error}"), hint)
    })?;
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let keys: Vec<Name> = lines.filter(|key| !key.is_empty()).map(<[u8]>::to_vec).collect();
    if keys.is_empty() {
        return Err(Failure::usage(format!("{path} has no keys"), "write one key in a line"));
    }
    Ok(Some(keys))
}

fn over_listed<L: Layout<Name>>(
    keys: Vec<Name>,
    options: &Options,
    asked: &Asked<'_>,
    layout: L,
) -> Result<Histogram<Name, L>, Failure> {
    let under = options.neighbours;
    Ok(match (asked, asked.target()) {
        (_, Some(target)) => Histogram::gaussian_for(keys, layout, &target, under)?,
        (Asked::Pure(epsilon), None) => Histogram::pure(keys, layout, epsilon.exact(), under)?,
        (_, None) => return Err(Failure::bug("a target without noise")),
    })
}

fn over_unknown<L: Layout<Name>>(
    options: &Options,
    asked: &Asked<'_>,
    layout: impl Fn() -> L,
) -> Result<ThresholdHistogram<Name, L>, Failure> {
    let Asked::Approximate(epsilon, delta) = asked else {
        return Err(Failure::usage(
            "private keys take --epsilon and --delta",
            "list public keys with --keys or --keys-file, or give both",
        ));
    };
    let (epsilon, delta, under) = (epsilon.exact(), delta.exact(), options.neighbours);
    let laplace = || ThresholdHistogram::laplace(layout(), epsilon, delta, under);
    let gaussian = || ThresholdHistogram::gaussian(layout(), epsilon, delta, under);
    Ok(match options.noise {
        Some(NoiseName::Laplace) => laplace()?,
        Some(NoiseName::Gaussian) => gaussian()?,
        None => lower(laplace(), gaussian())?,
    })
}

/// The one with the lower threshold, which shows more; known before any data is read.
fn lower<L>(
    one: Result<ThresholdHistogram<Name, L>, MechanismError>,
    other: Result<ThresholdHistogram<Name, L>, MechanismError>,
) -> Result<ThresholdHistogram<Name, L>, MechanismError> {
    match (one, other) {
        (Ok(one), Ok(other)) => {
            let less = other.threshold().at_least() < one.threshold().at_least();
            Ok(if less { other } else { one })
        }
        (Ok(only), Err(_)) | (Err(_), Ok(only)) => Ok(only),
        (Err(error), Err(_)) => Err(error),
    }
}
