//! Long work: the interpreter is free meanwhile, and Ctrl-C stops it.

use std::cell::RefCell;

use pyo3::prelude::*;
use throng_numeric::patience;

use crate::error::{Answer, Raised};

thread_local! {
    /// What was raised while work was under way: most often `KeyboardInterrupt`, by a signal handler.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Does work with the interpreter free for other threads; it is given up when a signal handler raises, or a
/// function of Python's that the work calls ([`stop`]).
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

/// Has the work of this thread given up, and raise this.
pub(crate) fn stop(error: PyErr) {
    RAISED.set(Some(error));
}

/// Runs the signal handlers that are due. Python runs them on its main thread only: on any other this
/// answers no.
fn interrupted() -> bool {
    if RAISED.with_borrow(Option::is_some) {
        return true;
    }
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is for one lifetime")]
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => false,
        Err(error) => {
            stop(error);
            true
        }
    }
}
