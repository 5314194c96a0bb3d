//! Long work: the interpreter is free meanwhile, and Ctrl-C stops it.

use std::cell::RefCell;

use pyo3::prelude::*;
use throng_numeric::patience;

use crate::error::{Answer, Raised};

thread_local! {
    /// What a signal handler raised while work was under way: most often `KeyboardInterrupt`.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Does work with the interpreter free for other threads; it is given up when a signal handler raises.
pub(crate) fn work<T, E>(py: Python<'_>, job: impl FnOnce() -> Result<T, E> + Send) -> Answer<T>
where
    T: Send,
    E: Into<Raised> + Send,
{
    let done = py.detach(|| patience::watched(interrupted, job));
    match RAISED.take() {
        Some(error) => Err(error.into()),
        None => done.map_err(Into::into),
    }
}

/// Runs the signal handlers that are due. Python runs them on its main thread only: on any other this
/// answers no.
fn interrupted() -> bool {
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => false,
        Err(error) => {
            RAISED.set(Some(error));
            true
        }
    }
}
