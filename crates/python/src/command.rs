//! The command line: `throng ...` in an environment where the package is installed.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, its own name first, and gives the exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| throng_cli::command(arguments))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(command, module)?)
}
