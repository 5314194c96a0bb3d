//! The repository, read as a stranger would: its manifests, its map, its README.
//!
//! Only used by the tests beside it; nothing of this is shipped.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

/// The README's examples, run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

/// The examples of the guide to accounting, likewise.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/accounting.md")]
pub struct Accounting;

/// The examples of the guide to mechanisms.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/mechanisms.md")]
pub struct Mechanisms;

/// The examples of the guide to auditing.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/auditing.md")]
pub struct Auditing;

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the repository.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &str) -> io::Result<String> {
    std::fs::read_to_string(root().join(path))
        .map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))
}

/// Who uses whom: for each crate (by folder name) what it depends on.
pub type Uses = BTreeMap<String, BTreeSet<String>>;

/// The names in a section of a manifest, such as `dependencies`.
fn names(manifest: &toml::Table, section: &str) -> BTreeSet<String> {
    manifest
        .get(section)
        .and_then(toml::Value::as_table)
        .map(|table| table.keys().cloned().collect())
        .unwrap_or_default()
}

/// What each crate of the workspace depends on, from its manifest. Development dependencies
/// are left out: tests may look anywhere.
///
/// # Errors
/// If a manifest cannot be read or is not one.
pub fn uses() -> io::Result<Uses> {
    let mut uses = Uses::new();
    for entry in std::fs::read_dir(root().join("crates"))? {
        let folder = entry?.file_name().to_string_lossy().into_owned();
        let text = read(&format!("crates/{folder}/Cargo.toml"))?;
        let manifest: toml::Table = text.parse().map_err(io::Error::other)?;
        uses.insert(folder, names(&manifest, "dependencies"));
    }
    Ok(uses)
}

/// The rows of the first table of a text whose header starts with `header`, cell by cell.
#[must_use]
pub fn table(text: &str, header: &str) -> Vec<Vec<String>> {
    text.lines()
        .skip_while(|line| !line.starts_with(&format!("| {header} |")))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// The names in backquotes in a text.
#[must_use]
pub fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
