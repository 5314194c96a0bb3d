//! Long work: the interpreter is free meanwhile, and Ctrl-C stops it.

use std::cell::RefCell;

use pyo3::prelude::*;
use throng_numeric::patience;

use crate::error::{Answer, Raised};

thread_local! {
    /// What this thread's work was stopped by.
    static STOPPED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Does work with the interpreter free for other threads. Work that somebody stops, by Ctrl-C or with
/// [`stop`], raises what it was stopped by.
pub(crate) fn work<T, E>(py: Python<'_>, job: impl FnOnce() -> Result<T, E> + Send) -> Answer<T>
where
    T: Send,
    E: Into<Raised> + Send,
{
    STOPPED.take();
    let done = py.detach(|| patience::watched(stopped, job));
    match STOPPED.take() {
        Some(error) => Err(Raised::Theirs(error)),
        None => done.map_err(Into::into),
    }
}

/// Stops the work that this thread does.
pub(crate) fn stop(error: PyErr) {
    STOPPED.set(Some(error));
}

fn stopped() -> bool {
    if STOPPED.with_borrow(Option::is_some) {
        return true;
    }
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => false,
        Err(error) => {
            stop(error);
            true
        }
    }
}
