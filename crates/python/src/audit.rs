//! Audits: of anything that can be called, of recorded outcomes, of canaries.

mod callable;
mod outcome;

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use throng_account::filter::cost;
use throng_account::spec::Leaf;
use throng_account::{MechanismSpec, Neighbours};
use throng_audit::canary::{self, Canary};
use throng_audit::exhibits::{exhibit, exhibits};
use throng_audit::simulation::Simulation;
use throng_audit::{
    Claim, Effort, Options, Orientation, Outcomes, Progress, Report, Target, Verdict, Witness,
    World, audit,
};
use throng_numeric::Rational;

use crate::account::Spec;
use crate::column::{Column, Missing, places};
use crate::error::{Answer, invalid};
use crate::number::Exact;
use crate::work::work;
use callable::Callable;
use outcome::outcomes;

/// What is claimed, and how sure the verdict shall be: the claim, the relation, the world that has the unit,
/// the confidence, the delta of the bound, whether NaN is an outcome, whether worlds may be unequal, a grid.
type Ask<'py> =
    (PyRef<'py, Spec>, String, Option<u8>, Exact, Option<Exact>, bool, bool, Option<Exact>);

/// The same, checked.
struct Asked {
    spec: MechanismSpec,
    under: Neighbours,
    orientation: Orientation,
    confidence: Exact,
    delta: Exact,
    options: Options,
}

/// The delta at which epsilon is bounded if neither call nor claim says.
const USUAL_DELTA: &str = "1e-5";

impl Asked {
    fn checked(ask: Ask<'_>) -> Answer<Self> {
        let (spec, under, unit_in, confidence, delta, nan, unequal, grid) = ask;
        let spec = spec.0.clone();
        let under: Neighbours = under.parse()?;
        let orientation = match unit_in {
            None => Orientation::Either,
            Some(0) => Orientation::UnitIn(World::Zero),
            Some(1) => Orientation::UnitIn(World::One),
            Some(other) => {
                let text = format!("unit_in is {other}, but must be 0 or 1");
                return Err(invalid(text, "say in which world the unit is"));
            }
        };
        let delta = match delta {
            Some(delta) => delta,
            None => Exact(usual_delta(&spec, under)?),
        };
        if !(confidence.0.is_positive() && confidence.0 < Rational::ONE) {
            let text = format!("confidence is {}, but must be above 0 and below 1", confidence.0);
            return Err(invalid(text, "0.999 is the usual one"));
        }
        let options = Options {
            // Rounded to the side on which less is claimed.
            confidence: confidence.up().min(1f64.next_down()),
            delta: delta.up(),
            nan_is_an_outcome: nan,
            unequal,
            grid: grid.as_ref().map(Exact::up),
            bounds: true,
        };
        Ok(Self { spec, under, orientation, confidence, delta, options })
    }
}

/// 0 for a pure claim; else that of the claim; else the usual one.
fn usual_delta(claim: &MechanismSpec, under: Neighbours) -> Answer<Rational> {
    if cost::pure(claim, under).is_ok() {
        return Ok(Rational::ZERO);
    }
    if let MechanismSpec::Leaf(Leaf::ApproxDp { delta, .. }) = claim {
        return Ok(delta.clone());
    }
    let hint = "give delta";
    USUAL_DELTA.parse().map_err(|_| invalid("the usual delta is no number", hint))
}

impl Asked {
    fn claim(&self) -> Result<Claim, throng_audit::AuditError> {
        Claim::of_spec(&self.spec, self.under, self.orientation)
    }

    /// What both kinds of reports say.
    fn told<'py>(
        &self,
        py: Python<'py>,
        verdict: Verdict,
        claim: &str,
    ) -> PyResult<Bound<'py, PyDict>> {
        let told = PyDict::new(py);
        let word = match verdict {
            Verdict::Violated => "violated",
            Verdict::NotViolated => "not-violated",
        };
        told.set_item("verdict", word)?;
        // One minus the confidence as it was typed; not below it.
        told.set_item("false_alarm", (&Rational::ONE - &self.confidence.0).to_f64_up())?;
        told.set_item("delta", self.delta.0.to_f64_nearest())?;
        told.set_item("claim", claim)?;
        told.set_item("neighbours", self.under.to_string())?;
        Ok(told)
    }

    fn report<'py>(&self, py: Python<'py>, report: &Report) -> Answer<Bound<'py, PyDict>> {
        let told = self.told(py, report.verdict, &report.claim)?;
        told.set_item("epsilon_lower", report.epsilon_lower)?;
        told.set_item("mu_lower", report.mu_lower)?;
        told.set_item("p_value", report.p_value)?;
        told.set_item("samples", report.samples)?;
        told.set_item("explored", report.explored)?;
        told.set_item("method", &report.method)?;
        told.set_item("curve", report.curve.clone())?;
        told.set_item("claimed", report.claimed.clone())?;
        told.set_item("witness", report.witness.as_ref().map(serde_json::to_string).transpose()?)?;
        Ok(told)
    }
}

/// How often to run: so often, or until the claim is refuted but at most so often.
fn effort(runs: Option<u64>, most: u64) -> Effort {
    runs.map_or(Effort::UntilRefuted(most), Effort::Runs)
}

/// Runs an audit with the interpreter free, and tells a callable how far it is. What a callable raises ends it
/// and is raised again.
fn watched(
    py: Python<'_>,
    asked: &Asked,
    target: &mut (dyn Target + Send),
    effort: Effort,
    progress: Option<Py<PyAny>>,
    raised: &Mutex<Option<PyErr>>,
) -> Answer<Report> {
    let keep = |error: PyErr| {
        raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    };
    let done = work(py, || {
        let mut watch = |at: Progress| {
            if let Some(progress) = &progress {
                let told = (at.runs, at.most, at.evidence);
                if let Err(error) = Python::attach(|py| progress.call1(py, told).map(drop)) {
                    keep(error);
                }
            }
        };
        audit::live(&asked.claim()?, target, &asked.options, effort, &mut watch)
    });
    match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error.into()),
        None => done,
    }
}

/// Audits a callable on two inputs.
#[pyfunction]
#[pyo3(signature = (mechanism, inputs, batch, ask, runs, most, progress))]
fn audit_callable<'py>(
    py: Python<'py>,
    mechanism: Py<PyAny>,
    inputs: (Py<PyAny>, Py<PyAny>),
    batch: bool,
    ask: Ask<'py>,
    runs: Option<u64>,
    most: u64,
    progress: Option<Py<PyAny>>,
) -> Answer<Bound<'py, PyDict>> {
    let asked = Asked::checked(ask)?;
    let raised = Mutex::new(None);
    let mut target = Callable::new(mechanism, inputs.into(), batch, &raised);
    let report = watched(py, &asked, &mut target, effort(runs, most), progress, &raised)?;
    asked.report(py, &report)
}

/// Acts a described mechanism out and audits that.
#[pyfunction]
#[pyo3(signature = (spec, seed, ask, runs, most, progress))]
fn audit_simulated<'py>(
    py: Python<'py>,
    spec: &Spec,
    seed: u64,
    ask: Ask<'py>,
    runs: Option<u64>,
    most: u64,
    progress: Option<Py<PyAny>>,
) -> Answer<Bound<'py, PyDict>> {
    let asked = Asked::checked(ask)?;
    let mut target = Simulation::of(&spec.0, asked.under, seed)?;
    let report = watched(py, &asked, &mut target, effort(runs, most), progress, &Mutex::new(None))?;
    asked.report(py, &report)
}

/// Audits a broken mechanism of the zoo, or its correct twin.
#[pyfunction]
#[pyo3(signature = (name, mended, seed, ask, runs, progress))]
fn audit_exhibit<'py>(
    py: Python<'py>,
    name: &str,
    mended: bool,
    seed: u64,
    ask: Ask<'py>,
    runs: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> Answer<Bound<'py, PyDict>> {
    let mut asked = Asked::checked(ask)?;
    let Some(one) = exhibit(name) else {
        let hint = "tg.audit.exhibits() lists them";
        return Err(invalid(format!("there is no exhibit {name:?}"), hint));
    };
    asked.options.nan_is_an_outcome |= one.gives_nan();
    let mut target = if mended {
        one.mended(seed).ok_or_else(|| {
            invalid(format!("{name} has no correct twin"), "audit it without mended=True")
        })?
    } else {
        one.broken(seed)
    };
    let effort = Effort::Runs(runs.unwrap_or(one.runs));
    let report = watched(py, &asked, &mut *target, effort, progress, &Mutex::new(None))?;
    asked.report(py, &report)
}

/// The zoo: name, what it pretends to be, claim, relation, flaw, reference.
#[pyfunction]
fn audit_exhibits() -> Vec<(String, String, String, String, String, String)> {
    let row = |one: throng_audit::exhibits::Exhibit| {
        (
            one.name.to_owned(),
            one.title.to_owned(),
            one.claim.to_owned(),
            one.neighbours.to_string(),
            one.flaw.to_owned(),
            one.reference.to_owned(),
        )
    };
    exhibits().into_iter().map(row).collect()
}

/// Audits outcomes that were recorded before; with a witness, by counting it again.
#[pyfunction]
#[pyo3(signature = (zero, one, ask, witness))]
fn audit_recorded<'py>(
    py: Python<'py>,
    zero: Bound<'py, PyAny>,
    one: Bound<'py, PyAny>,
    ask: Ask<'py>,
    witness: Option<&str>,
) -> Answer<Bound<'py, PyDict>> {
    let asked = Asked::checked(ask)?;
    let known = witness.map(serde_json::from_str::<Witness>).transpose().map_err(|_| {
        invalid("this is no witness", "give the witness of a report, or what its to_json() writes")
    })?;
    let mut worlds = [Outcomes::new(), Outcomes::new()];
    for (given, found) in [zero, one].iter().zip(&mut worlds) {
        outcomes(given, found)?;
    }
    let report = work(py, || {
        let claim = asked.claim()?;
        let worlds = [&worlds[0], &worlds[1]];
        match &known {
            Some(known) => {
                audit::confirm(&claim, &known.event, known.likelier_in, worlds, &asked.options)
            }
            None => audit::recorded(&claim, worlds, &asked.options),
        }
    })?;
    asked.report(py, &report)
}

/// Audits one run by the scores of its canaries.
#[pyfunction]
#[pyo3(signature = (scores, included, guesses, ask))]
fn audit_canaries<'py>(
    py: Python<'py>,
    scores: Column<'py>,
    included: Column<'py>,
    guesses: Vec<usize>,
    ask: Ask<'py>,
) -> Answer<Bound<'py, PyDict>> {
    let asked = Asked::checked(ask)?;
    let parts = scores.numbers(Missing::Counted)?.into_reals();
    let coins = included.truths()?;
    let scores: Vec<f64> = places(&parts).into_iter().flatten().copied().collect();
    if scores.len() != coins.len() {
        let text = format!("there are {} scores and {} coins", scores.len(), coins.len());
        return Err(invalid(text, "give one of each for every canary"));
    }
    let canary = |(score, included): (f64, &bool)| Canary { score, included: *included };
    let canaries: Vec<Canary> = scores.into_iter().zip(coins.iter()).map(canary).collect();
    let options = canary::Options {
        confidence: asked.options.confidence,
        delta: asked.options.delta,
        guesses,
    };
    let report = work(py, || canary::audit(&asked.claim()?, &canaries, &options))?;
    let told = asked.told(py, report.verdict, &report.claim)?;
    told.set_item("epsilon_lower", report.epsilon_lower)?;
    told.set_item("mu_lower", report.mu_lower)?;
    told.set_item("p_value", report.p_value)?;
    told.set_item("samples", report.canaries)?;
    told.set_item("included", report.included)?;
    let guess = |guess: &canary::Guesses| (guess.made, guess.right, guess.p_value);
    told.set_item("guesses", report.guesses.iter().map(guess).collect::<Vec<_>>())?;
    told.set_item("roc", report.roc)?;
    told.set_item("area", report.area)?;
    Ok(told)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(audit_callable, module)?)?;
    module.add_function(wrap_pyfunction!(audit_simulated, module)?)?;
    module.add_function(wrap_pyfunction!(audit_exhibit, module)?)?;
    module.add_function(wrap_pyfunction!(audit_exhibits, module)?)?;
    module.add_function(wrap_pyfunction!(audit_recorded, module)?)?;
    module.add_function(wrap_pyfunction!(audit_canaries, module)?)
}
