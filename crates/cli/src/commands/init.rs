//! `throng init`: a first policy.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use throng_mechanism::Neighbours;
use throng_numeric::Rational;
use throng_query::catalog::Catalog;
use throng_query::example;
use throng_query::policy::{Amount, Policy, Quick};
use throng_query::question::Limit;

use crate::failure::Failure;
use crate::{output, place, project};

const EXAMPLES: &str = "\
Examples:
  throng init --example clinic
  throng init clinic/visits.parquet --output visits.toml
  throng init --table stays=clinic/visits.parquet --output - ";

/// Write a commented policy for files, or an example to try.
///
/// The policy is made from the names and types of columns alone, never from values. It says what you
/// have to decide: who is protected, how much one of them may contribute, which values are public,
/// and how much may be told in all.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Data files: Parquet, CSV or Arrow. A table is called as its file.
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// A data file, and what its table is called in SQL.
    #[arg(long, value_name = "NAME=FILE", value_parser = project::pair)]
    table: Vec<(String, String)>,

    /// The file to write; `-` for stdout.
    #[arg(long, short, value_name = "FILE", default_value = place::POLICY)]
    output: PathBuf,

    /// Write over a file that is there.
    #[arg(long)]
    force: bool,

    /// Write an example into a folder instead: made-up data, a policy.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "table", "output", "force"])]
    example: Option<PathBuf>,
}

/// Writes a template or the example.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if let Some(folder) = &options.example {
        return write_example(folder);
    }
    let tables = named(options)?;
    let text = template(&tables, options.output.parent().unwrap_or(Path::new("")))?;
    if options.output == Path::new("-") {
        return output::answer(&text);
    }
    write(options, &text)?;
    output::talk(&format!(
        "{} written: read it, and decide what it asks\nthen: throng explain 'SELECT count(*) FROM {}'\n",
        options.output.display(),
        tables.first().map_or("data", |(name, _)| name)
    ));
    Ok(())
}

/// The policy of all tables: the first with all that is said once, then the parts of the others.
fn template(tables: &[(String, String)], folder: &Path) -> Result<String, Failure> {
    let catalog = schemas(tables)?;
    let mut text = String::new();
    for (name, path) in tables {
        let whole = Policy::template(name, &seen_from(folder, path), &*catalog.schema(name)?);
        let own = whole.find("\n[tables.").map_or(0, |place| place + 1);
        let part = if text.is_empty() { Some(whole.as_str()) } else { whole.get(own..) };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part.unwrap_or_default());
    }
    Ok(text)
}

/// The schemas of the files; no row is read.
fn schemas(tables: &[(String, String)]) -> Result<Catalog, Failure> {
    let policy = Policy::quick(Quick {
        tables: tables.to_vec(),
        unit: None,
        bounds: Vec::new(),
        keys: Vec::new(),
        max_groups: Limit::Auto,
        max_rows: Limit::Auto,
        neighbours: Neighbours::AddRemove,
        budget: Amount::Pure { epsilon: Rational::ONE },
        ledger: PathBuf::from(place::LEDGER),
    })?;
    Ok(Catalog::open(&policy)?)
}

/// A path as it is written in a policy in another folder.
fn seen_from(folder: &Path, path: &str) -> String {
    if folder.as_os_str().is_empty() || Path::new(path).is_absolute() {
        return path.to_owned();
    }
    let inside = Path::new(path).strip_prefix(folder).map(Path::to_path_buf);
    let seen = inside.or_else(|_| std::path::absolute(path));
    seen.map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

fn write_example(folder: &Path) -> Result<(), Failure> {
    example::write(folder)?;
    output::talk(&format!(
        "{folder}: visits.parquet ({} made-up visits of {} people), clinics.csv, throng.toml\n\
         then: cd {folder} && throng query 'SELECT clinic, count(*) AS visits FROM visits GROUP BY clinic'\n",
        example::ROWS,
        example::PEOPLE,
        folder = folder.display(),
    ));
    Ok(())
}

/// The tables asked for, by name.
fn named(options: &Options) -> Result<Vec<(String, String)>, Failure> {
    let own = options.files.iter().map(|path| (Policy::name_for(path), path.clone()));
    let tables: Vec<_> = own.chain(options.table.iter().cloned()).collect();
    if tables.is_empty() {
        return Err(Failure::usage(
            "there is nothing to write a policy for",
            "name data files: throng init visits.parquet; or try throng init --example clinic",
        ));
    }
    Ok(tables)
}

fn write(options: &Options, text: &str) -> Result<(), Failure> {
    let path = &options.output;
    let mut how = File::options();
    how.write(true).create(true).truncate(true).create_new(!options.force);
    let unwritable = |error: io::Error| {
        let hint = if error.kind() == io::ErrorKind::AlreadyExists {
            "choose another name with --output, or add --force to write over it"
        } else {
            "name a file in a folder that can be written to"
        };
        Failure::usage(format!("{} cannot be written: {error}", path.display()), hint)
    };
    let mut file = how.open(path).map_err(unwritable)?;
    file.write_all(text.as_bytes()).map_err(unwritable)
}
