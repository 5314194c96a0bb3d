//! Specs, losses, calibration.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::PyType;
use throng_account::spec::vocabulary::{Default as Usual, Entry, vocabulary};
use throng_account::{
    AccountError, Accuracy, Bracket, Comparison, Direction, MechanismSpec, Neighbours, PrivacyLoss,
    SpecDocument, Target, Template, calibrate, classical,
};
use throng_cli::Failure;

use crate::error::{Answer, Raised, invalid};
use crate::number::Exact;
use crate::work::work;

/// Both ends of a bracket.
type Ends = (f64, f64);

fn ends(bracket: Bracket) -> Ends {
    (bracket.lower, bracket.upper)
}

/// A mechanism as plain data.
#[pyclass(frozen, eq, hash, module = "throng._native")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Spec(pub(crate) MechanismSpec);

#[pymethods]
impl Spec {
    /// Reads an expression.
    #[new]
    fn new(text: &str) -> Answer<Self> {
        text.parse().map(Self).map_err(|error| Raised::Ours(Failure::of_expression(text, error)))
    }

    /// Reads the JSON form.
    #[classmethod]
    fn from_json(_: &Bound<'_, PyType>, text: &str) -> Answer<Self> {
        let document: SpecDocument = serde_json::from_str(text).map_err(|error| {
            let hint = "give what `to_json` or `throng account --json` writes";
            invalid(format!("this is not a mechanism: {error}"), hint)
        })?;
        document.spec.validate()?;
        Ok(Self(document.spec))
    }

    fn to_json(&self) -> Answer<String> {
        Ok(serde_json::to_string(&SpecDocument::new(self.0.clone()))?)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}

/// The privacy loss of a mechanism under a relation: everything is read off it. It is computed with the first
/// question.
#[pyclass(frozen, module = "throng._native")]
struct Loss {
    spec: MechanismSpec,
    under: Neighbours,
    accuracy: Accuracy,
    computed: OnceLock<PrivacyLoss>,
}

impl Loss {
    fn get(&self) -> Result<&PrivacyLoss, AccountError> {
        if let Some(loss) = self.computed.get() {
            return Ok(loss);
        }
        let loss = PrivacyLoss::of_spec(&self.spec, self.under, self.accuracy)?;
        Ok(self.computed.get_or_init(|| loss))
    }
}

#[pymethods]
impl Loss {
    #[new]
    fn new(spec: &Spec, neighbours: &str, width: f64) -> Answer<Self> {
        let (spec, under) = (spec.0.clone(), neighbours.parse()?);
        Ok(Self { spec, under, accuracy: Accuracy { width }, computed: OnceLock::new() })
    }

    // Each question is asked on the side of its number that keeps the promise: epsilon and delta fall, so
    // they are asked at or below; the miss rate falls and its lower end is the promise, and the
    // divergence rises, so these are asked at or above.

    fn epsilon(&self, py: Python<'_>, delta: Exact) -> Answer<Ends> {
        work(py, || self.get()?.epsilon(delta.down()).map(ends))
    }

    fn delta(&self, py: Python<'_>, epsilon: Exact) -> Answer<Ends> {
        work(py, || self.get()?.delta(epsilon.down()).map(ends))
    }

    fn miss_rate(&self, py: Python<'_>, false_alarm: Exact) -> Answer<Ends> {
        work(py, || self.get()?.miss_rate(false_alarm.up()).map(ends))
    }

    /// Delta at many epsilon, for curves.
    fn deltas(&self, py: Python<'_>, epsilons: Vec<f64>) -> Answer<Vec<Ends>> {
        work(py, || {
            let loss = self.get()?;
            epsilons.iter().map(|x| loss.delta(*x).map(ends)).collect::<Result<_, _>>()
        })
    }

    /// Miss rates at many rates of false alarms, for curves.
    fn miss_rates(&self, py: Python<'_>, false_alarms: Vec<f64>) -> Answer<Vec<Ends>> {
        work(py, || {
            let loss = self.get()?;
            false_alarms.iter().map(|x| loss.miss_rate(*x).map(ends)).collect::<Result<_, _>>()
        })
    }

    /// Divergences at many orders, for curves.
    fn renyis(&self, py: Python<'_>, orders: Vec<f64>) -> Answer<Vec<Ends>> {
        work(py, || {
            let loss = self.get()?;
            orders.iter().map(|x| loss.renyi(*x).map(ends)).collect::<Result<_, _>>()
        })
    }

    fn renyi(&self, py: Python<'_>, order: Exact) -> Answer<Ends> {
        work(py, || self.get()?.renyi(order.up()).map(ends))
    }

    fn zcdp(&self, py: Python<'_>) -> Answer<Ends> {
        work(py, || self.get()?.zcdp().map(ends))
    }

    fn gdp(&self, py: Python<'_>) -> Answer<Ends> {
        work(py, || self.get()?.gdp().map(ends))
    }

    fn total_variation(&self, py: Python<'_>) -> Answer<Ends> {
        work(py, || self.get()?.total_variation().map(ends))
    }

    fn posterior(&self, py: Python<'_>, prior: Exact, delta: Exact) -> Answer<f64> {
        work(py, || self.get()?.posterior(prior.up(), delta.down()))
    }

    /// Cells (from, to, lower, upper) of the loss when the unit is there.
    fn histogram(&self, py: Python<'_>, cells: usize) -> Answer<Vec<(f64, f64, f64, f64)>> {
        let found = work(py, || self.get()?.histogram_in(Direction::Remove, cells))?;
        let cell =
            |cell: &throng_account::Cell| (cell.from, cell.to, cell.mass.lower, cell.mass.upper);
        Ok(found.iter().map(cell).collect())
    }

    /// How it compares with another: a word, the sentence, and two epsilon where they cross.
    fn compare(
        &self,
        py: Python<'_>,
        other: &Self,
    ) -> Answer<(&'static str, String, Option<(f64, f64)>)> {
        let found = work(py, || self.get()?.compare(other.get()?))?;
        let (word, places) = match found {
            Comparison::Dominates => ("less private", None),
            Comparison::IsDominated => ("more private", None),
            Comparison::Alike => ("alike", None),
            Comparison::Incomparable { first_above, second_above } => {
                ("incomparable", Some((first_above, second_above)))
            }
        };
        Ok((word, found.to_string(), places))
    }
}

/// Older bounds at a delta: name, epsilon if the bound applies, note.
#[pyfunction]
fn classical_bounds(
    py: Python<'_>,
    spec: &Spec,
    neighbours: &str,
    delta: Exact,
) -> Answer<Vec<(String, Option<f64>, String)>> {
    let under: Neighbours = neighbours.parse()?;
    let rows = work(py, || classical::table(&spec.0, under, delta.down()))?;
    Ok(rows.into_iter().map(|row| (row.name.to_owned(), row.epsilon, row.note)).collect())
}

/// The value of the one `?` of a template that reaches a target: its exact text, the mechanism, and what
/// is achieved.
#[pyfunction]
#[pyo3(name = "calibrate", signature = (template, target, neighbours, width))]
fn calibrated(
    py: Python<'_>,
    template: &str,
    target: (String, Vec<Exact>),
    neighbours: &str,
    width: f64,
) -> Answer<(String, Spec, Ends)> {
    let parsed = Template::parse(template)
        .map_err(|error| Raised::Ours(Failure::of_expression(template, error)))?;
    let under: Neighbours = neighbours.parse()?;
    let target = wanted(&target.0, &target.1)?;
    let found = work(py, || calibrate(&parsed, &target, under, Accuracy { width }))?;
    Ok((found.text, Spec(found.spec), ends(found.achieved)))
}

/// A target by its name. Every number is taken on its strict side, so that reaching the target means
/// reaching what was typed.
pub(crate) fn wanted(name: &str, numbers: &[Exact]) -> Answer<Target> {
    Ok(match (name, numbers) {
        ("epsilon", [epsilon, delta]) => {
            Target::Epsilon { epsilon: epsilon.down(), delta: delta.down() }
        }
        ("gdp", [mu]) => Target::Gdp { mu: mu.down() },
        ("zcdp", [rho]) => Target::Zcdp { rho: rho.down() },
        ("detection", [false_alarm, found]) => {
            Target::Detection { false_alarm: false_alarm.up(), found: found.down() }
        }
        ("advantage", [advantage]) => Target::Advantage { advantage: advantage.down() },
        _ => {
            let hint = "give epsilon with delta, gdp, zcdp, fpr with tpr, or advantage";
            return Err(invalid("it is not said what must be reached", hint));
        }
    })
}

/// One word of the language: name, other names, arguments (name, kind, default as text), meaning,
/// whether it is made of other mechanisms.
type Row = (String, Vec<String>, Vec<(String, String, Option<String>)>, String, bool);

/// The words of the expression language.
#[pyfunction]
#[pyo3(name = "vocabulary")]
fn words() -> Vec<Row> {
    let row = |entry: &Entry| {
        let argument = |argument: &throng_account::spec::vocabulary::Argument| {
            let usual = argument.default.map(|usual| match usual {
                Usual::Number(number) => number.to_string(),
                Usual::Same(other) => other.to_owned(),
                Usual::Empty => "[]".to_owned(),
            });
            (argument.name.to_owned(), format!("{:?}", argument.kind).to_lowercase(), usual)
        };
        (
            entry.name.to_owned(),
            entry.aliases.iter().map(|name| (*name).to_owned()).collect(),
            entry.arguments.iter().map(argument).collect(),
            entry.meaning.to_owned(),
            entry.combines,
        )
    };
    vocabulary().map(row).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Spec>()?;
    module.add_class::<Loss>()?;
    module.add_function(wrap_pyfunction!(classical_bounds, module)?)?;
    module.add_function(wrap_pyfunction!(calibrated, module)?)?;
    module.add_function(wrap_pyfunction!(words, module)?)
}
