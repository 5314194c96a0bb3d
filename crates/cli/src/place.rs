//! Where the ledger of a project is.

use std::path::{Path, PathBuf};

use clap::Args;
use throng_ledger::{Anchor, Ledger};
use throng_query::policy::Policy;

use crate::failure::Failure;

/// The policy that is looked for.
pub(crate) const POLICY: &str = "throng.toml";
/// The ledger of questions without a policy.
pub(crate) const LEDGER: &str = ".throng/ledger";

/// Which ledger.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The policy that names the ledger; `throng.toml` if there is one.
    #[arg(long, value_name = "FILE", conflicts_with = "ledger", global = true)]
    policy: Option<PathBuf>,

    /// The ledger itself; `.throng/ledger` where there is no policy.
    #[arg(long, value_name = "FILE", global = true)]
    ledger: Option<PathBuf>,
}

impl Place {
    /// The file of the ledger.
    pub(crate) fn path(&self) -> Result<PathBuf, Failure> {
        let found = match (&self.ledger, &self.policy) {
            (Some(ledger), _) => ledger.clone(),
            (None, Some(policy)) => Policy::load(policy)?.ledger,
            (None, None) if Path::new(POLICY).exists() => Policy::load(Path::new(POLICY))?.ledger,
            (None, None) => PathBuf::from(LEDGER),
        };
        if found.exists() {
            return Ok(found);
        }
        Err(Failure::usage(
            format!("there is no ledger at {}", found.display()),
            "the first `throng query` makes it; name another with --policy or --ledger",
        ))
    }

    /// The policy of the project.
    pub(crate) fn policy(&self) -> Result<Policy, Failure> {
        Ok(Policy::load(self.policy.as_deref().unwrap_or(Path::new(POLICY)))?)
    }

    /// The ledger, opened.
    pub(crate) fn open(&self) -> Result<Ledger, Failure> {
        Ok(Ledger::open(self.path()?)?)
    }
}

/// An anchor as it was printed, or a file that holds it.
pub(crate) fn anchor(given: &str) -> Result<Anchor, Failure> {
    let text = if given.starts_with("throng-anchor/") {
        given.to_owned()
    } else {
        std::fs::read_to_string(given).map_err(|error| {
            Failure::usage(
                format!("{given} cannot be read: {error}"),
                "give an anchor, or a file that `throng ledger anchor` wrote",
            )
        })?
    };
    Ok(text.trim().parse()?)
}
