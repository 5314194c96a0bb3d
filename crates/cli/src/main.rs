//! The `throng` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(throng_cli::command(std::env::args_os().collect()))
}
