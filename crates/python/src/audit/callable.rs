//! Anything that can be called, as a target.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use throng_audit::{AuditError, Outcomes, Target, World};

use super::outcome::{outcome, outcomes};

/// After so many calls signals are looked for: what is called need not be Python.
const CALLS: usize = 256;

/// A callable and its two inputs. What it raises is kept for whoever asked.
pub(super) struct Callable<'a> {
    mechanism: Py<PyAny>,
    inputs: [Py<PyAny>; 2],
    batch: bool,
    raised: &'a Mutex<Option<PyErr>>,
}

impl<'a> Callable<'a> {
    pub(super) const fn new(
        mechanism: Py<PyAny>,
        inputs: [Py<PyAny>; 2],
        batch: bool,
        raised: &'a Mutex<Option<PyErr>>,
    ) -> Self {
        Self { mechanism, inputs, batch, raised }
    }

    fn called(&self, py: Python<'_>, world: World, n: usize, found: &mut Outcomes) -> PyResult<()> {
        let (mechanism, input) = (self.mechanism.bind(py), self.inputs[world.index()].bind(py));
        if self.batch {
            return outcomes(&mechanism.call1((input, n))?, found);
        }
        for call in 0..n {
            if call % CALLS == 0 {
                py.check_signals()?;
            }
            found.push(outcome(&mechanism.call1((input,))?)?);
        }
        Ok(())
    }
}

impl Target for Callable<'_> {
    fn run(&mut self, world: World, n: usize, found: &mut Outcomes) -> Result<(), AuditError> {
        let ended = || AuditError::target("raised an exception", "see the exception");
        // A progress callable may have raised.
        if self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return Err(ended());
        }
        Python::attach(|py| self.called(py, world, n, found)).map_err(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            ended()
        })
    }
}
