//! What was released, with what can be said of its error.

use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use throng_mechanism::bounds::BoundsEstimate;
use throng_mechanism::mean::MeanEstimate;
use throng_mechanism::quantile::Ranked;
use throng_mechanism::variance::VarianceEstimate;
use throng_mechanism::{Grid, Guarantee, Interval, Noisy, Uncovered};

use crate::budget::amounts;
use crate::column::Key;
use crate::error::Answer;

/// A released value.
pub(super) enum Found {
    /// Numbers with noise on each.
    Noisy(Noisy),
    /// Counts by key; private keys are shown from a threshold on.
    Keyed {
        keys: Vec<Key>,
        counts: Noisy,
        threshold: Option<i64>,
    },
    Mean(MeanEstimate),
    Variance(VarianceEstimate),
    Ranked(Ranked),
    Bounds(BoundsEstimate),
}

impl Found {
    fn values(&self) -> Vec<f64> {
        match self {
            Self::Noisy(numbers) | Self::Keyed { counts: numbers, .. } => numbers.values(),
            Self::Mean(mean) => vec![mean.value()],
            Self::Variance(variance) => vec![variance.value(), variance.standard_deviation()],
            Self::Ranked(ranked) => ranked.values(),
            Self::Bounds(found) => found.clamp().map_or_else(Vec::new, |clamp| {
                let end = |step| clamp.grid().at(step);
                vec![end(clamp.lower()).to_f64_down(), end(clamp.upper()).to_f64_up()]
            }),
        }
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        match self {
            Self::Noisy(numbers) | Self::Keyed { counts: numbers, .. } => {
                numbers.uncovered().to_vec()
            }
            Self::Mean(mean) => mean.uncovered().to_vec(),
            Self::Variance(variance) => variance.uncovered().to_vec(),
            Self::Ranked(ranked) => ranked.uncovered().to_vec(),
            Self::Bounds(found) => found.counts().uncovered().to_vec(),
        }
    }

    /// One for each value; of ranks and bounds there are none.
    fn intervals(&self, confidence: f64) -> Answer<Vec<Interval>> {
        Ok(match self {
            Self::Noisy(numbers) | Self::Keyed { counts: numbers, .. } => (0..numbers.len())
                .map(|i| numbers.interval(i, confidence))
                .collect::<Result<_, _>>()?,
            Self::Mean(mean) => vec![mean.interval(confidence)?],
            Self::Variance(variance) => {
                vec![variance.interval(confidence)?, variance.interval_of_deviation(confidence)?]
            }
            Self::Ranked(_) | Self::Bounds(_) => Vec::new(),
        })
    }
}

/// A released value with its guarantee.
#[pyclass(frozen, module = "throng._native")]
pub(crate) struct Released {
    found: Found,
    spec: String,
    neighbours: String,
    cost: Vec<(String, f64)>,
    receipt: Option<String>,
}

impl Released {
    pub(super) fn new(found: Found, guarantee: &Guarantee, receipt: Option<String>) -> Self {
        Self {
            found,
            spec: guarantee.spec().to_string(),
            neighbours: guarantee.neighbours().to_string(),
            cost: guarantee.cost().map_or_else(Vec::new, |cost| amounts(cost, true)),
            receipt,
        }
    }

    /// What a ledger keeps of it.
    pub(super) fn payload(&self) -> Answer<Vec<u8>> {
        let keys: Option<Vec<String>> = match &self.found {
            Found::Keyed { keys, .. } => Some(keys.iter().map(|key| format!("{key:?}")).collect()),
            _ => None,
        };
        let document = json!({
            "schema": "throng-python/1",
            "spec": self.spec,
            "neighbours": self.neighbours,
            "values": self.found.values(),
            "keys": keys,
        });
        Ok(serde_json::to_vec(&document)?)
    }
}

#[pymethods]
impl Released {
    /// The numbers.
    fn values(&self) -> Vec<f64> {
        self.found.values()
    }

    /// The numbers as whole ones, if they are by design.
    fn whole(&self) -> Option<Vec<i64>> {
        match &self.found {
            Found::Noisy(numbers) | Found::Keyed { counts: numbers, .. } => {
                (numbers.grid() == Grid::WHOLE).then(|| numbers.steps().to_vec())
            }
            Found::Ranked(ranked) => {
                (ranked.grid() == Grid::WHOLE).then(|| ranked.steps().to_vec())
            }
            Found::Mean(_) | Found::Variance(_) | Found::Bounds(_) => None,
        }
    }

    /// Keys, if there are any, in rising order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let Found::Keyed { keys, .. } = &self.found else { return Ok(None) };
        let list = PyList::empty(py);
        for key in keys {
            list.append(key.object(py)?)?;
        }
        Ok(Some(list))
    }

    /// From which count on a private key is shown.
    #[getter]
    fn threshold(&self) -> Option<i64> {
        match &self.found {
            Found::Keyed { threshold, .. } => *threshold,
            _ => None,
        }
    }

    /// The number of records, as far as it was released or is public.
    #[getter]
    fn records(&self) -> Option<f64> {
        match &self.found {
            Found::Mean(mean) => Some(mean.records()),
            _ => None,
        }
    }

    /// Intervals, one for each number; none for ranks and bounds.
    fn intervals(&self, py: Python<'_>, confidence: f64) -> Answer<Vec<(f64, f64)>> {
        let ends = |interval: Interval| (interval.lower, interval.upper);
        py.detach(|| Ok(self.found.intervals(confidence)?.into_iter().map(ends).collect()))
    }

    /// The half width of intervals that cover all numbers at once.
    fn half_width_of_all(&self, py: Python<'_>, confidence: f64) -> Answer<Option<f64>> {
        py.detach(|| match &self.found {
            Found::Noisy(numbers) | Found::Keyed { counts: numbers, .. } => {
                Ok(Some(numbers.half_width_of_all(confidence)?))
            }
            _ => Ok(None),
        })
    }

    /// How many ranks quantiles are off.
    fn rank_error(&self, py: Python<'_>, confidence: f64) -> Answer<Option<f64>> {
        py.detach(|| match &self.found {
            Found::Ranked(ranked) => Ok(Some(ranked.rank_error(confidence)?)),
            _ => Ok(None),
        })
    }

    /// The standard deviation of the noise on each number.
    fn noise_deviation(&self, py: Python<'_>) -> Answer<Option<f64>> {
        py.detach(|| match &self.found {
            Found::Noisy(numbers) | Found::Keyed { counts: numbers, .. } => {
                Ok(Some(numbers.standard_deviation()?))
            }
            _ => Ok(None),
        })
    }

    /// What error bars leave out, in words.
    fn uncovered(&self) -> Vec<String> {
        self.found.uncovered().iter().map(ToString::to_string).collect()
    }

    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    #[getter]
    fn neighbours(&self) -> &str {
        &self.neighbours
    }

    #[getter]
    fn cost(&self) -> Vec<(String, f64)> {
        self.cost.clone()
    }

    #[getter]
    fn receipt(&self) -> Option<&str> {
        self.receipt.as_deref()
    }
}
