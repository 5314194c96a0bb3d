//! Where noise comes from: the operating system, or a known seed in the testing mode alone.

use pyo3::prelude::*;
use throng_sample::{Entropy, OsEntropy, SeededEntropy};

/// A seed that everybody may know: noise that is drawn from it protects nobody. Only `throng.testing` makes
/// one, and making one warns.
#[pyclass(frozen, module = "throng._native")]
pub(crate) struct InsecureSeed(u64);

#[pymethods]
impl InsecureSeed {
    #[new]
    fn new(py: Python<'_>, seed: u64) -> PyResult<Self> {
        let category = py.import("throng.testing")?.getattr("InsecureSeedWarning")?;
        let text = c"noise from a known seed protects nobody: for tests only, never for a release";
        PyErr::warn(py, &category, text, 3)?;
        Ok(Self(seed))
    }

    /// Another seed, by its number.
    fn child(&self, number: u64) -> Self {
        // SplitMix64: neighbouring numbers give unrelated seeds.
        let mut z = self.0.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(z ^ (z >> 31))
    }
}

/// Where the noise of a release comes from.
pub(crate) fn source(seed: Option<&InsecureSeed>) -> Box<dyn Entropy> {
    match seed {
        None => Box::new(OsEntropy),
        Some(InsecureSeed(seed)) => Box::new(SeededEntropy::new(*seed)),
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<InsecureSeed>()
}
