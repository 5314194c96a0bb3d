//! `throng learn evaluate`.

use clap::Args;

use crate::failure::Failure;

/// How well a model does.
#[derive(Debug, Args)]
pub(super) struct Options {}

/// Not yet.
pub(super) fn run(_: &Options) -> Result<(), Failure> {
    Err(Failure::bug("not yet"))
}
