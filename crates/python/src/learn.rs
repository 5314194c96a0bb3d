//! Private models: described, paid for, fitted, handed over.

mod arrays;
mod model;
mod plan;
mod progress;

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use serde_json::Value;
use throng_account::filter::Budget as Amount;
use throng_learn::any::{self, KINDS, Table, Task};
use throng_learn::{Classified, LearnError, Matrix, Measured};

use crate::account::Spec;
use crate::budget::{Budget, amounts};
use crate::entropy::{self, InsecureSeed};
use crate::error::{Answer, invalid};
use crate::work::work;
use model::Model;
use plan::{Plan, Typed, Wanted};

/// The rows of an array of numbers, side by side in memory.
pub(crate) struct Rows<'a> {
    rows: usize,
    columns: usize,
    values: &'a [f64],
}

impl<'a> Rows<'a> {
    fn of(array: &'a PyReadonlyArray2<'_, f64>) -> Answer<Self> {
        let [rows, columns] = *array.shape() else {
            return Err(invalid("the table is no table", "give rows of columns"));
        };
        match array.as_slice() {
            Ok(values) if array.is_c_contiguous() => Ok(Self { rows, columns, values }),
            _ => Err(invalid("the rows do not lie side by side", "use numpy.ascontiguousarray")),
        }
    }

    fn matrix(&self) -> Result<Matrix<f64>, LearnError> {
        Matrix::new(self.rows, self.columns, self.values.to_vec())
    }

    /// The columns in these places; NaN where there are none.
    fn select(&self, places: &[usize]) -> Result<Matrix<f64>, LearnError> {
        let mut values = Vec::with_capacity(self.rows.saturating_mul(places.len()));
        for row in 0..self.rows {
            let start = row.saturating_mul(self.columns);
            let row = self.values.get(start..).unwrap_or(&[]);
            values.extend(places.iter().map(|place| row.get(*place).copied().unwrap_or(f64::NAN)));
        }
        Matrix::new(self.rows, places.len(), values)
    }
}

/// Labels as a learner of some task wants them.
#[derive(FromPyObject)]
enum Labels<'py> {
    Codes(PyReadonlyArray1<'py, u32>),
    Numbers(PyReadonlyArray1<'py, f64>),
}

/// What labels are, without the interpreter.
enum Known<'a> {
    Nothing,
    Codes(&'a [u32]),
    Numbers(&'a [f64]),
}

impl Known<'_> {
    fn table(&self, task: Task, features: Matrix<f64>) -> Answer<Table> {
        Ok(match (task, self) {
            (Task::Classes, Known::Codes(codes)) => {
                Table::Classified(Classified::new(features, codes.to_vec())?)
            }
            (Task::Number, Known::Numbers(numbers)) => {
                Table::Measured(Measured::new(features, numbers.to_vec())?)
            }
            (Task::Clusters | Task::Features | Task::Distribution, _) => Table::Plain(features),
            (Task::Classes | Task::Number, _) => {
                let hint = "give codes of classes, or numbers";
                return Err(invalid("the labels are not of the kind that the model learns", hint));
            }
        })
    }
}

/// What a fit would cost, as a mechanism; nothing is looked at and nothing is paid.
#[pyfunction]
fn plan_of(py: Python<'_>, wanted: Wanted, privacy: Typed) -> Answer<Spec> {
    work(py, || Plan::new(&wanted, &privacy).and_then(|plan| Ok(Spec(plan.spec()?))))
}

/// What was paid: the receipt, if there are books, and each charge in their currency.
type Paid = (Option<String>, Vec<Vec<(String, f64)>>);

fn paid(ticket: Option<String>, costs: &[Amount]) -> Paid {
    (ticket, costs.iter().map(|cost| amounts(cost, true)).collect())
}

/// Pays and fits.
#[pyfunction]
#[pyo3(signature = (wanted, privacy, x, y, budget, progress, seed))]
#[expect(clippy::too_many_arguments, reason = "all that a fit is told")]
fn fit(
    py: Python<'_>,
    wanted: Wanted,
    privacy: Typed,
    x: PyReadonlyArray2<'_, f64>,
    y: Option<Labels<'_>>,
    budget: Option<&Budget>,
    progress: Option<Py<PyAny>>,
    seed: Option<&InsecureSeed>,
) -> Answer<(Model, Paid)> {
    let rows = Rows::of(&x)?;
    let known = match &y {
        None => Known::Nothing,
        Some(Labels::Codes(codes)) => Known::Codes(codes.as_slice().map_err(PyErr::from)?),
        Some(Labels::Numbers(numbers)) => Known::Numbers(numbers.as_slice().map_err(PyErr::from)?),
    };
    let (model, ticket, costs) = work(py, || {
        let plan = Plan::new(&wanted, &privacy)?.watched(progress);
        let table = known.table(plan.task(), rows.matrix()?)?;
        plan.fit(&rows, table, budget, entropy::source(seed).as_mut(), seed.is_some())
    })?;
    Ok((model, paid(ticket, &costs)))
}

/// Buys bounds of columns that nobody can declare; none where too few records show.
#[pyfunction]
#[pyo3(signature = (x, privacy, resolution, budget, seed))]
fn buy_bounds(
    py: Python<'_>,
    x: PyReadonlyArray2<'_, f64>,
    privacy: Typed,
    resolution: f64,
    budget: Option<&Budget>,
    seed: Option<&InsecureSeed>,
) -> Answer<(Vec<Option<(f64, f64)>>, Spec, Paid)> {
    let rows = Rows::of(&x)?;
    let (found, spec, ticket, costs) = work(py, || {
        plan::buy(&rows, &privacy, resolution, budget, entropy::source(seed).as_mut())
    })?;
    let ends = found.into_iter().map(|found| found.map(|ends| (ends.lower(), ends.upper())));
    Ok((ends.collect(), Spec(spec), paid(ticket, &costs)))
}

/// The kinds of models: name, what they do, what they learn, and their options as JSON.
#[pyfunction]
fn kinds() -> Vec<(&'static str, &'static str, &'static str, String)> {
    let row = |kind: &any::Kind| {
        let options: Value = (kind.options)();
        (kind.name, kind.about, kind.task.words(), options.to_string())
    };
    KINDS.iter().map(row).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Model>()?;
    module.add_function(wrap_pyfunction!(plan_of, module)?)?;
    module.add_function(wrap_pyfunction!(fit, module)?)?;
    module.add_function(wrap_pyfunction!(buy_bounds, module)?)?;
    module.add_function(wrap_pyfunction!(kinds, module)?)
}
