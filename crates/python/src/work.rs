//! Long work: the interpreter is free meanwhile, and Ctrl-C stops it.

use pyo3::prelude::*;

use crate::error::{Answer, Raised};

/// Does work with the interpreter free for other threads.
pub(crate) fn work<T, E>(py: Python<'_>, job: impl FnOnce() -> Result<T, E> + Send) -> Answer<T>
where
    T: Send,
    E: Into<Raised> + Send,
{
    py.detach(job).map_err(Into::into)
}
