//! The file of bounds: what is declared about a table before it is looked at.

use std::path::Path;

use serde::Deserialize;
use throng_learn::schema::{Column, Label};
use throng_learn::{Interval, Schema};

use crate::failure::Failure;

/// What such a file looks like.
const FORM: &str = "write, for example:\n\
    [columns]\n\
    age = [17, 90]\n\
    sex = [\"Female\", \"Male\"]\n\
    [label]\n\
    classes = [\"<=50K\", \">50K\"]";

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    columns: toml::Table,
    label: Option<Spoken>,
}

/// What is said about the label.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spoken {
    /// Its column; --label says it as well.
    column: Option<String>,
    classes: Option<Vec<toml::Value>>,
    bounds: Option<[f64; 2]>,
}

/// Reads a file of bounds; `label` names the column of the label if the file does not.
pub(super) fn read(path: &Path, label: Option<&str>) -> Result<Schema, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display()), FORM))?;
    let file: File = toml::from_str(&text).map_err(|error| wrong(path, error.message()))?;
    let columns = file.columns.iter().map(|(name, value)| column(path, name, value));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let label = file.label.map(|spoken| spoken.label(path, label)).transpose()?;
    Schema::new(columns, label).map_err(|error| wrong(path, &error.to_string()))
}

fn wrong(path: &Path, what: &str) -> Failure {
    Failure::usage(format!("{}: {what}", path.display()), FORM)
}

/// `[17, 90]` are bounds, `["a", "b"]` levels.
fn column(path: &Path, name: &str, value: &toml::Value) -> Result<Column, Failure> {
    let name = name.to_owned();
    if let Ok(levels) = value.clone().try_into::<Vec<String>>() {
        return Ok(Column::Category { name, levels });
    }
    let ends: [f64; 2] = value
        .clone()
        .try_into()
        .map_err(|_| wrong(path, &format!("{name} must be two numbers or a list of texts")))?;
    let bounds = Interval::try_from(ends)
        .map_err(|error| wrong(path, &format!("column {name}: {error}")))?;
    Ok(Column::Number { name, bounds })
}

impl Spoken {
    fn label(self, path: &Path, named: Option<&str>) -> Result<Label, Failure> {
        let name = named.map(str::to_owned).or(self.column);
        let name = name.ok_or_else(|| {
            Failure::usage(
                "the label has no column",
                "name it with --label, or column = under [label]",
            )
        })?;
        match (self.classes, self.bounds) {
            (Some(classes), None) => {
                let classes = classes.iter().map(class).collect();
                Ok(Label::Classes { name, classes })
            }
            (None, Some(bounds)) => {
                let bounds = Interval::try_from(bounds)
                    .map_err(|error| wrong(path, &format!("the label: {error}")))?;
                Ok(Label::Number { name, bounds })
            }
            (None, None) | (Some(_), Some(_)) => {
                Err(wrong(path, "[label] must have either classes or bounds"))
            }
        }
    }
}

/// Classes may be written as numbers, or as true and false.
fn class(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(yes) => yes.to_string(),
        // Anything else is no class: an empty name is refused with the rest of the schema.
        toml::Value::Datetime(_) | toml::Value::Array(_) | toml::Value::Table(_) => String::new(),
    }
}
