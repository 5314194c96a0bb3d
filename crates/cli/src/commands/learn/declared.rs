//! The file of bounds: what is declared about a table before it is looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use throng_learn::schema::{Column, Label};
use throng_learn::{Interval, Schema};
use toml::Spanned;

use crate::failure::Failure;

/// What such a file looks like.
const FORM: &str = "write, for example:\n\
    [columns]\n\
    age = [17, 90]\n\
    sex = [\"Female\", \"Male\"]\n\
    \"pixel[0..784]\" = [0, 255]\n\
    [label]\n\
    classes = [\"<=50K\", \">50K\"]";

/// The most columns that a range may stand for.
const MOST: u32 = 1 << 16;

/// The file as it is written. Columns are sorted by name here; where a name begins says their order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    columns: BTreeMap<Spanned<String>, toml::Value>,
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

/// A column as declared, or one whose bounds are to be bought.
#[derive(Debug)]
enum Known {
    Declared(Column),
    Bought(String),
}

/// What a file of bounds says, in the order it says it.
#[derive(Debug)]
pub(super) struct Declared {
    path: PathBuf,
    columns: Vec<Known>,
    label: Option<Label>,
}

impl Declared {
    /// The columns whose bounds are to be bought.
    pub(super) fn wanting(&self) -> Vec<&str> {
        self.columns
            .iter()
            .filter_map(|known| match known {
                Known::Bought(name) => Some(name.as_str()),
                Known::Declared(_) => None,
            })
            .collect()
    }

    /// The whole table, with these bounds for the columns that wanted some.
    pub(super) fn schema(&self, bought: &[Interval]) -> Result<Schema, Failure> {
        let mut bought = bought.iter();
        let column = |known: &Known| match known {
            Known::Declared(column) => Ok(column.clone()),
            Known::Bought(name) => match bought.next() {
                Some(bounds) => Ok(Column::Number { name: name.clone(), bounds: *bounds }),
                None => Err(Failure::usage(
                    format!("the bounds of {name} are to be bought, but nothing is set aside"),
                    "say which share of the privacy buys them, such as --buy-bounds 0.1",
                )),
            },
        };
        let columns = self.columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        Schema::new(columns, self.label.clone())
            .map_err(|error| wrong(&self.path, &error.to_string()))
    }
}

/// Reads a file of bounds; `label` names the column of the label if the file does not.
pub(super) fn read(path: &Path, label: Option<&str>) -> Result<Declared, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display()), FORM))?;
    let file: File = toml::from_str(&text).map_err(|error| wrong(path, error.message()))?;
    let mut written: Vec<_> = file.columns.into_iter().collect();
    written.sort_by_key(|(name, _)| name.span().start);
    let mut columns = Vec::new();
    for (name, value) in &written {
        for name in names(path, name.get_ref())? {
            columns.push(column(path, name, value)?);
        }
    }
    let label = file.label.map(|spoken| spoken.label(path, label)).transpose()?;
    Ok(Declared { path: path.to_owned(), columns, label })
}

fn wrong(path: &Path, what: &str) -> Failure {
    Failure::usage(format!("{}: {what}", path.display()), FORM)
}

/// `p[0..784]` stands for p0, p1, ... p783; every other name for itself.
fn names(path: &Path, written: &str) -> Result<Vec<String>, Failure> {
    let Some((stem, from, to)) = range(written) else { return Ok(vec![written.to_owned()]) };
    match (from.parse::<u32>(), to.parse::<u32>()) {
        (Ok(from), Ok(to)) if from < to && to - from <= MOST => {
            Ok((from..to).map(|place| format!("{stem}{place}")).collect())
        }
        _ => Err(wrong(
            path,
            &format!(
                "{written} is no range of columns: the ends must be whole numbers, the first below \
                     the second, and at most {MOST} apart"
            ),
        )),
    }
}

/// The parts of `stem[from..to]`.
fn range(written: &str) -> Option<(&str, &str, &str)> {
    let (stem, rest) = written.strip_suffix(']')?.rsplit_once('[')?;
    let (from, to) = rest.split_once("..")?;
    Some((stem, from, to))
}

/// `[17, 90]` are bounds, `["a", "b"]` levels, `"buy"` bounds that are to be bought.
fn column(path: &Path, name: String, value: &toml::Value) -> Result<Known, Failure> {
    if value.as_str() == Some("buy") {
        return Ok(Known::Bought(name));
    }
    if let Ok(levels) = value.clone().try_into::<Vec<String>>() {
        return Ok(Known::Declared(Column::Category { name, levels }));
    }
    let ends: [f64; 2] = value.clone().try_into().map_err(|_| {
        wrong(path, &format!("{name} must be two numbers, a list of texts, or \"buy\""))
    })?;
    let bounds = Interval::try_from(ends)
        .map_err(|error| wrong(path, &format!("column {name}: {error}")))?;
    Ok(Known::Declared(Column::Number { name, bounds }))
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
