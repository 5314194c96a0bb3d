//! Audits of Python functions, and of outcomes that were recorded.

mod outcome;
mod target;

use pyo3::prelude::*;
use throng_account::Neighbours;
use throng_account::filter::cost;
use throng_account::spec::Leaf;
use throng_account::MechanismSpec;
use throng_audit::{Claim, Effort, Options, Orientation, Outcomes, Progress, World, audit};

use crate::account::Spec;
use crate::error::{Answer, Raised, invalid};
use crate::number::Exact;
use crate::work::work;
use outcome::many;
use target::Function;

/// How an audit is done: confidence, delta, NaN is an outcome, numbers of outcomes may differ, grid, and the
/// world with the unit in it.
#[derive(FromPyObject)]
struct How(Exact, Option<Exact>, bool, bool, Option<f64>, Option<u8>);

impl How {
    fn options(&self, claim: &MechanismSpec, under: Neighbours) -> Options {
        let Self(confidence, delta, nan_is_an_outcome, unequal, grid, _) = self;
        Options {
            // Rounded to the side on which less is claimed.
            confidence: confidence.up().min(1_f64.next_down()),
            delta: delta.as_ref().map_or_else(|| usual_delta(claim, under), Exact::up),
            nan_is_an_outcome: *nan_is_an_outcome,
            unequal: *unequal,
            grid: *grid,
            bounds: true,
        }
    }

    fn orientation(&self) -> Answer<Orientation> {
        match self.5 {
            None => Ok(Orientation::Either),
            Some(0) => Ok(Orientation::UnitIn(World::Zero)),
            Some(1) => Ok(Orientation::UnitIn(World::One)),
            Some(other) => Err(invalid(format!("there is no world {other}"), "give 0 or 1")),
        }
    }
}

/// Where epsilon is bounded if nothing is said: at 0 for a pure claim, else at the delta of the claim, else at
/// 1e-5, as the command does.
fn usual_delta(claim: &MechanismSpec, under: Neighbours) -> f64 {
    if cost::pure(claim, under).is_ok() {
        return 0.0;
    }
    match claim {
        MechanismSpec::Leaf(Leaf::ApproxDp { delta, .. }) => delta.to_f64_up(),
        _ => 1e-5,
    }
}

/// Audits a function by running it; the report as JSON.
///
/// `watch` is told (runs, at most, evidence) and may raise.
#[pyfunction]
#[pyo3(signature = (function, inputs, batch, claim, neighbours, how, runs, until_refuted, watch))]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
fn audit_function(
    py: Python<'_>,
    function: Py<PyAny>,
    inputs: (Py<PyAny>, Py<PyAny>),
    batch: bool,
    claim: &Spec,
    neighbours: &str,
    how: How,
    runs: u64,
    until_refuted: bool,
    watch: Option<Py<PyAny>>,
) -> Answer<String> {
    let under: Neighbours = neighbours.parse()?;
    let (options, orientation) = (how.options(&claim.0, under), how.orientation()?);
    let effort = if until_refuted { Effort::UntilRefuted(runs) } else { Effort::Runs(runs) };
    let mut target = Function::new(function, inputs, batch, watch);
    let done = work(py, || {
        let claim = Claim::of_spec(&claim.0, under, orientation)?;
        let told = target.told();
        let report =
            audit::live(&claim, &mut target, &options, effort, &mut |progress: Progress| {
                told.tell(progress);
            })?;
        Ok::<_, Raised>(serde_json::to_string(&report)?)
    });
    // What the function or the watcher raised says more than that the target failed.
    match target.raised() {
        Some(error) => Err(error.into()),
        None => done,
    }
}

/// Audits outcomes that were recorded before; the report as JSON.
#[pyfunction]
fn audit_recorded(
    py: Python<'_>,
    outcomes: (Bound<'_, PyAny>, Bound<'_, PyAny>),
    claim: &Spec,
    neighbours: &str,
    how: How,
) -> Answer<String> {
    let under: Neighbours = neighbours.parse()?;
    let (options, orientation) = (how.options(&claim.0, under), how.orientation()?);
    let (mut zero, mut one) = (Outcomes::new(), Outcomes::new());
    many(&outcomes.0, &mut zero)?;
    many(&outcomes.1, &mut one)?;
    work(py, || {
        let claim = Claim::of_spec(&claim.0, under, orientation)?;
        let report = audit::recorded(&claim, [&zero, &one], &options)?;
        Ok::<_, Raised>(serde_json::to_string(&report)?)
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(audit_function, module)?)?;
    module.add_function(wrap_pyfunction!(audit_recorded, module)?)
}
