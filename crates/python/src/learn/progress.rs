//! How far a fit is, told to a function of Python's.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use throng_learn::any::AnyLearner;

use crate::error::Answer;
use crate::work;

/// The function is called no more often than this, but for the last step.
const PAUSE: Duration = Duration::from_millis(100);

/// The same learner, telling after its steps how many there were, of how many, and epsilon at a delta so far. How
/// many steps there are is public, and so is what they cost. An exception stops the fit.
pub(super) fn watched(
    learner: AnyLearner,
    told: Option<Py<PyAny>>,
    delta: f64,
) -> Answer<AnyLearner> {
    let Some(told) = told else { return Ok(learner) };
    let last: Mutex<Option<Instant>> = Mutex::new(None);
    let watch = move |progress: &throng_learn::network::Progress<'_>| {
        let (step, steps) = (progress.step(), progress.steps());
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if step < steps && last.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        let epsilon = progress.epsilon(delta).ok();
        if let Err(error) = Python::attach(|py| told.call1(py, (step, steps, epsilon))) {
            work::stop(error);
        }
        *last = Some(Instant::now());
    };
    Ok(match learner {
        AnyLearner::Network(training) => AnyLearner::Network(Box::new(training.watched(watch))),
        AnyLearner::NetworkRegression(training) => {
            AnyLearner::NetworkRegression(Box::new(training.watched(watch)))
        }
        other => other,
    })
}
