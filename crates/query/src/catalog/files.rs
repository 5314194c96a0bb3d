//! Which files a table consists of.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use super::{Files, glob};
use crate::QueryError;
use crate::policy::{Format, Table, short_digest};

/// The files of a table, sorted, each once, and the digest of their names, sizes and times.
pub(super) fn find(base: &Path, table: &Table) -> Result<(Files, String), QueryError> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for pattern in &table.paths {
        for path in matching(base, pattern, table)? {
            let real = std::fs::canonicalize(&path).map_err(|e| unreadable(table, &path, &e))?;
            if seen.insert(real.clone()) {
                found.push(File::new(base, path, real, table)?);
            }
        }
    }
    found.sort_by(|a, b| a.relative.cmp(&b.relative));
    let digest = fingerprint(table.format, &found);
    let bytes = found.iter().map(|file| file.bytes).sum();
    Ok((Files { paths: found.into_iter().map(|file| file.path).collect(), bytes }, digest))
}

struct File {
    path: PathBuf,
    relative: PathBuf,
    bytes: u64,
    modified: (u64, u32),
}

impl File {
    fn new(base: &Path, named: PathBuf, path: PathBuf, table: &Table) -> Result<Self, QueryError> {
        let facts = std::fs::metadata(&path).map_err(|e| unreadable(table, &named, &e))?;
        if !facts.is_file() {
            let what = format!("table {}: {} is not a regular file", table.name, named.display());
            return Err(QueryError::invalid(what, "name files, directories of files, or globs"));
        }
        let relative = named.strip_prefix(base).map(Path::to_path_buf).unwrap_or(named);
        Ok(Self { path, relative, bytes: facts.len(), modified: modified(&facts) })
    }
}

/// When a file was last changed; 0 where the system does not say.
fn modified(facts: &Metadata) -> (u64, u32) {
    let since = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or((0, 0), |since| (since.as_secs(), since.subsec_nanos()))
}

fn fingerprint(format: Format, files: &[File]) -> String {
    let mut digest = Sha256::new();
    digest.update(format!("throng files 1 {}\n", format.name()));
    for File { relative, bytes, modified: (seconds, nanos), .. } in files {
        digest.update(format!("{relative:?} {bytes} {seconds}.{nanos:09}\n"));
    }
    short_digest(&digest.finalize())
}

/// What one entry of `path` names: a file, the files of a directory, or those a glob matches.
fn matching(base: &Path, pattern: &str, table: &Table) -> Result<Vec<PathBuf>, QueryError> {
    let whole = base.join(pattern);
    match std::fs::metadata(&whole) {
        Ok(facts) if facts.is_dir() => inside(&whole, pattern, table),
        Ok(_) => Ok(vec![whole]),
        Err(_) if glob::is_glob(pattern) => expanded(base, pattern, table),
        Err(e) => Err(unreadable(table, &whole, &e)),
    }
}

/// The files of a directory that look like the table's format; hidden ones and directories in it
/// are left out.
fn inside(directory: &Path, pattern: &str, table: &Table) -> Result<Vec<PathBuf>, QueryError> {
    let failed = |e: io::Error| unreadable(table, directory, &e);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if !hidden(&path) && looks_like(&path, table.format) && !path.is_dir() {
            found.push(path);
        }
    }
    nonempty(found, pattern, table)
}

fn nonempty(found: Vec<PathBuf>, pattern: &str, table: &Table) -> Result<Vec<PathBuf>, QueryError> {
    if found.is_empty() {
        let (name, format) = (&table.name, table.format.name());
        let what = format!("table {name}: there is no {format} file at {pattern}");
        return Err(QueryError::invalid(
            what,
            "is the path right, and relative to the policy file?",
        ));
    }
    Ok(found)
}

fn hidden(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.is_none_or(|name| name.starts_with(['.', '_']))
}

fn looks_like(path: &Path, format: Format) -> bool {
    path.to_str().and_then(Format::of_path) == Some(format)
}

/// The files that a glob matches, one component of the path at a time.
fn expanded(base: &Path, pattern: &str, table: &Table) -> Result<Vec<PathBuf>, QueryError> {
    if pattern.contains("**") {
        let what = format!("table {}: {pattern}: ** is not supported", table.name);
        return Err(QueryError::invalid(what, "list the directories, each with its own glob"));
    }
    let mut reached = vec![base.to_path_buf()];
    for component in Path::new(pattern).components() {
        let word = match component {
            Component::Normal(word) => word.to_string_lossy().into_owned(),
            Component::Prefix(_)
            | Component::RootDir
            | Component::CurDir
            | Component::ParentDir => {
                reached = reached.iter().map(|path| path.join(component)).collect();
                continue;
            }
        };
        reached = reached.iter().flat_map(|path| step(path, &word)).collect();
    }
    reached.retain(|path| path.is_file());
    nonempty(reached, pattern, table)
}

/// What of one directory a component matches; what cannot be listed matches nothing.
fn step(directory: &Path, word: &str) -> Vec<PathBuf> {
    if !glob::is_glob(word) {
        let path = directory.join(word);
        return if path.exists() { vec![path] } else { Vec::new() };
    }
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let fits = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| !name.starts_with('.') && glob::matches(word, name))
    };
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(fits).collect()
}

pub(super) fn unreadable(table: &Table, path: &Path, error: &io::Error) -> QueryError {
    let what = format!("table {}: {}: {}", table.name, path.display(), error.kind());
    QueryError::invalid(what, "is the path right, relative to the policy file, and readable?")
}
