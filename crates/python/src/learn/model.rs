//! A fitted model with its card.

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use throng_learn::any::AnyModel;
use throng_learn::{Card, Predict, Predictions};
use throng_sample::Entropy;

use super::{Rows, arrays};
use crate::account::Spec;
use crate::entropy::{self, InsecureSeed};
use crate::error::{Answer, Raised, invalid};
use crate::work::work;

/// A fitted model with its card.
#[pyclass(frozen, module = "throng._native")]
pub(crate) struct Model {
    card: Card,
    model: AnyModel,
    /// Its noise came from a known seed.
    insecure: bool,
}

impl Model {
    pub(super) const fn new(card: Card, model: AnyModel, insecure: bool) -> Self {
        Self { card, model, insecure }
    }

    /// As it is kept in books and files.
    pub(super) fn json(&self) -> Answer<String> {
        Ok(self.model.to_json(&self.card)?)
    }

    /// A card states a guarantee, and noise from a known seed has none.
    fn to_keep(&self) -> Answer<&Self> {
        if self.insecure {
            return Err(Raised::Ours(throng_cli::Failure::refused(
                "noise from a known seed protects nobody, and a saved model would say that it does",
                "fit it outside of throng.testing.insecure_seed",
            )));
        }
        Ok(self)
    }

    fn asked(&self, py: Python<'_>, x: &PyReadonlyArray2<'_, f64>) -> Answer<Predictions> {
        let rows = Rows::of(x)?;
        work(py, || -> Answer<Predictions> { Ok(self.model.predict(&rows.matrix()?)?) })
    }
}

fn nothing_of_the_kind(kind: &str) -> Raised {
    invalid(format!("a {kind} does not tell that"), "see what the model learns")
}

#[pymethods]
impl Model {
    /// From JSON or safetensors.
    #[classmethod]
    #[pyo3(signature = (bytes, insecure=false))]
    fn load(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8], insecure: bool) -> Answer<Self> {
        let (card, model) = work(py, || AnyModel::load(bytes))?;
        Ok(Self { card, model, insecure })
    }

    /// As a file ending in this is.
    fn save<'py>(&self, py: Python<'py>, ending: &str) -> Answer<Bound<'py, PyBytes>> {
        let kept = self.to_keep()?;
        let bytes = work(py, || -> Answer<Vec<u8>> {
            if ending == "safetensors" {
                return Ok(kept.model.to_safetensors(&kept.card)?);
            }
            Ok(format!("{}\n", kept.json()?).into_bytes())
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> Answer<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, bool))> {
        let text = PyBytes::new(py, self.json()?.as_bytes());
        Ok((py.get_type::<Self>().getattr("load")?, (text, self.insecure)))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.model.kind()
    }

    #[getter]
    const fn insecure(&self) -> bool {
        self.insecure
    }

    #[getter]
    fn spec(&self) -> Answer<Spec> {
        Ok(Spec(self.card.spec()?))
    }

    #[getter]
    fn neighbours(&self) -> Answer<String> {
        Ok(self.card.neighbours()?.to_string())
    }

    #[getter]
    fn unit(&self) -> &str {
        self.card.unit()
    }

    #[getter]
    fn version(&self) -> &str {
        self.card.version()
    }

    /// What was declared of the table, as JSON, and how categories are encoded.
    fn table(&self) -> Answer<Option<(String, String)>> {
        let Some((schema, encoding)) = self.card.table() else { return Ok(None) };
        Ok(Some((serde_json::to_string(schema)?, serde_json::to_string(encoding)?)))
    }

    /// The parameters as JSON.
    fn parameters(&self) -> Answer<String> {
        Ok(self.model.parameters()?.to_string())
    }

    /// The parameters as arrays, by the names that scikit-learn gives them.
    fn arrays<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyDict>> {
        arrays::of(py, &self.model)
    }

    /// The classes or clusters of rows, by number.
    fn codes<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> Answer<Bound<'py, PyArray1<u32>>> {
        match self.asked(py, &x)? {
            Predictions::Classes { chosen, .. } => Ok(PyArray1::from_vec(py, chosen)),
            Predictions::Clusters(chosen) => Ok(PyArray1::from_vec(py, chosen)),
            Predictions::Numbers(_) | Predictions::Features(_) => {
                Err(nothing_of_the_kind(self.kind()))
            }
        }
    }

    /// How likely each class is.
    fn chances<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> Answer<Bound<'py, PyArray2<f64>>> {
        match self.asked(py, &x)? {
            Predictions::Classes { probabilities: Some(found), .. } => arrays::table(py, &found),
            Predictions::Classes { .. }
            | Predictions::Clusters(_)
            | Predictions::Numbers(_)
            | Predictions::Features(_) => Err(nothing_of_the_kind(self.kind())),
        }
    }

    /// A number for each row.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        match self.asked(py, &x)? {
            Predictions::Numbers(numbers) => Ok(PyArray1::from_vec(py, numbers)),
            Predictions::Classes { .. } | Predictions::Clusters(_) | Predictions::Features(_) => {
                Err(nothing_of_the_kind(self.kind()))
            }
        }
    }

    /// New features of each row.
    fn features<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> Answer<Bound<'py, PyArray2<f64>>> {
        match self.asked(py, &x)? {
            Predictions::Features(found) => arrays::table(py, &found),
            Predictions::Classes { .. } | Predictions::Clusters(_) | Predictions::Numbers(_) => {
                Err(nothing_of_the_kind(self.kind()))
            }
        }
    }

    /// The scores that classes are chosen by: one column if there are two classes.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> Answer<Bound<'py, PyArray2<f64>>> {
        let rows = Rows::of(&x)?;
        let found = work(py, || match &self.model {
            AnyModel::Logistic(model) => Ok(model.scores(&rows.matrix()?)?),
            AnyModel::Svm(model) => Ok(model.scores(&rows.matrix()?)?),
            _ => Err(nothing_of_the_kind(self.kind())),
        })?;
        arrays::table(py, &found)
    }

    /// What the numbers of the model are, with intervals of a confidence: name, value, standard error, ends.
    #[expect(clippy::type_complexity, reason = "a row of a table")]
    fn summary(
        &self,
        confidence: f64,
    ) -> Answer<Option<Vec<(String, f64, Option<f64>, Option<(f64, f64)>)>>> {
        let rows = self.model.summary(confidence)?;
        Ok(rows.map(|rows| {
            let row = |row: throng_learn::Estimate| {
                (row.of, row.value, row.error, row.interval.map(|[lower, upper]| (lower, upper)))
            };
            rows.into_iter().map(row).collect()
        }))
    }

    /// Rows drawn from a model of a table.
    #[pyo3(signature = (rows, seed=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        seed: Option<&InsecureSeed>,
    ) -> Answer<Bound<'py, PyArray2<f64>>> {
        let found = work(py, || {
            let mut entropy: Box<dyn Entropy> = entropy::source(seed);
            self.model.sampler()?.sample(rows, entropy.as_mut())
        })?;
        arrays::table(py, &found)
    }
}
