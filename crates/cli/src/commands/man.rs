//! `throng man`: the manual page.

use clap::{Args, CommandFactory};

use crate::arguments::Throng;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throng man > throng.1
  throng man account > throng-account.1";

/// Print the manual page, in roff.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The page of one command.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Prints the page of `throng` or of one command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut throng = Throng::command();
    throng.build();
    let page = match &options.command {
        None => throng,
        Some(name) => {
            let found = throng.find_subcommand(name).cloned();
            let unknown = || {
                Failure::usage(
                    format!("there is no command {name}"),
                    "`throng help` lists the commands",
                )
            };
            found.ok_or_else(unknown)?
        }
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff)?;
    output::bytes(&roff)
}
