//! `throng completions`: completions for a shell.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Throng;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throng completions bash > ~/.local/share/bash-completion/completions/throng
  throng completions zsh > ~/.zfunc/_throng
  throng completions fish > ~/.config/fish/completions/throng.fish";

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Throng::command(), "throng", &mut script);
    output::bytes(&script)
}
