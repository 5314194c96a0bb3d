//! A Python function as a target.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use throng_audit::{AuditError, Outcomes, Progress, Target, World};

use super::outcome::{many, one};
use crate::error::{Answer, invalid};

/// What was raised on the way, to be raised again at the end.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Option<PyErr>>>);

impl Kept {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// A function and the two inputs it is run on.
pub(super) struct Function {
    function: Py<PyAny>,
    inputs: [Py<PyAny>; 2],
    /// Whether it gives many outcomes at once: `function(input, n)`.
    batch: bool,
    watch: Option<Arc<Py<PyAny>>>,
    kept: Kept,
}

/// Who is told how far it is.
pub(super) struct Told {
    watch: Option<Arc<Py<PyAny>>>,
    kept: Kept,
}

impl Told {
    pub(super) fn tell(&self, progress: Progress) {
        let Some(watch) = &self.watch else { return };
        Python::attach(|py| {
            let said = (progress.runs, progress.most, progress.evidence);
            if let Err(error) = watch.call1(py, said) {
                self.kept.keep(error);
            }
        });
    }
}

impl Function {
    pub(super) fn new(
        function: Py<PyAny>,
        inputs: (Py<PyAny>, Py<PyAny>),
        batch: bool,
        watch: Option<Py<PyAny>>,
    ) -> Self {
        let inputs = [inputs.0, inputs.1];
        Self { function, inputs, batch, watch: watch.map(Arc::new), kept: Kept::default() }
    }

    pub(super) fn told(&self) -> Told {
        Told { watch: self.watch.clone(), kept: self.kept.clone() }
    }

    /// What the function or the watcher raised.
    pub(super) fn raised(&self) -> Option<PyErr> {
        self.kept.take()
    }

    fn outcomes(&self, py: Python<'_>, world: World, n: usize, to: &mut Outcomes) -> Answer<()> {
        let input = &self.inputs[world.index()];
        if self.batch {
            let given = self.function.call1(py, (input, n))?;
            let count = many(given.bind(py), to)?;
            if count == n {
                return Ok(());
            }
            let text = format!("the function gave {count} outcomes, but must give {n}");
            return Err(invalid(text, "with batch=True it is called as function(x, n)"));
        }
        for _ in 0..n {
            to.push(one(self.function.call1(py, (input,))?.bind(py))?);
        }
        Ok(())
    }
}

impl Target for Function {
    fn run(&mut self, world: World, n: usize, outcomes: &mut Outcomes) -> Result<(), AuditError> {
        let failed = || AuditError::Target {
            what: "raised an exception".to_owned(),
            hint: "see the exception".to_owned(),
        };
        if self.kept.is_some() {
            return Err(failed());
        }
        Python::attach(|py| self.outcomes(py, world, n, outcomes)).map_err(|raised| {
            self.kept.keep(raised.into());
            failed()
        })
    }
}
