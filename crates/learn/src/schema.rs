//! Columns with names: what is declared about a table of cells, and how its rows become numbers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Bounds, Classes, Interval, LearnError};

/// One column of features, as declared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// Numbers within bounds.
    Number {
        /// Its name.
        name: String,
        /// Where they lie; others are clamped.
        bounds: Interval,
    },
    /// One of a few values.
    Category {
        /// Its name.
        name: String,
        /// The values, in order; any other counts as none of them.
        levels: Vec<String>,
    },
}

/// What is learnt, as declared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Label {
    /// A number within bounds.
    Number {
        /// The name of its column.
        name: String,
        /// Where it lies; others are clamped.
        bounds: Interval,
    },
    /// One of some classes.
    Classes {
        /// The name of its column.
        name: String,
        /// The classes, in order; a record of another is left out.
        classes: Vec<String>,
    },
}

/// How categories become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// A column of 0 and 1 for each level.
    OneHot,
    /// One column with the place of the level, from 0; NaN for none of them.
    Places,
}

/// A cell of a table, as it was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Missing,
    /// A number.
    Number(f64),
    /// Text, which may be a number written out.
    Text(&'a str),
}

impl Cell<'_> {
    /// The number that it is, `true` being 1 and `false` 0; NaN if it is none.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::Missing => f64::NAN,
            Self::Number(number) => number,
            Self::Text(text) => match text.trim() {
                "true" => 1.0,
                "false" => 0.0,
                text => text.parse().unwrap_or(f64::NAN),
            },
        }
    }

    /// The place of its value in a list.
    fn place(self, values: &[String]) -> Option<usize> {
        match self {
            Self::Missing => None,
            Self::Text(text) => values.iter().position(|value| value == text.trim()),
            Self::Number(number) => {
                values.iter().position(|value| value.parse::<f64>().is_ok_and(|v| v == number))
            }
        }
    }
}

/// The columns of a table, as declared: names, bounds, levels, classes.
///
/// ```
/// use throng_learn::schema::{Cell, Encoding, Schema};
/// let schema: Schema = serde_json::from_str(r#"{
///     "columns": [{"name": "age", "bounds": [17, 90]}, {"name": "sex", "levels": ["f", "m"]}],
///     "label": {"name": "income", "classes": ["low", "high"]}
/// }"#).unwrap();
/// let mut row = Vec::new();
/// schema.encode(&[Cell::Text("39"), Cell::Text("m")], Encoding::OneHot, &mut row);
/// assert_eq!(row, [39.0, 0.0, 1.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Declared", into = "Declared")]
pub struct Schema {
    columns: Vec<Column>,
    label: Option<Label>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    columns: Vec<Column>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<Label>,
}

impl TryFrom<Declared> for Schema {
    type Error = LearnError;

    fn try_from(declared: Declared) -> Result<Self, LearnError> {
        Self::new(declared.columns, declared.label)
    }
}

impl From<Schema> for Declared {
    fn from(schema: Schema) -> Self {
        Self { columns: schema.columns, label: schema.label }
    }
}

impl Column {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name, .. } | Self::Category { name, .. } => name,
        }
    }

    /// How many levels, if it is a category.
    #[must_use]
    pub fn levels(&self) -> Option<usize> {
        match self {
            Self::Number { .. } => None,
            Self::Category { levels, .. } => Some(levels.len()),
        }
    }
}

impl Label {
    /// The name of its column.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name, .. } | Self::Classes { name, .. } => name,
        }
    }

    /// The class of a cell; one that no model knows if it is not declared.
    #[must_use]
    pub fn class(&self, cell: Cell<'_>) -> u32 {
        match self {
            Self::Number { .. } => u32::MAX,
            Self::Classes { classes, .. } => {
                cell.place(classes).and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX)
            }
        }
    }
}

impl Schema {
    /// Columns and perhaps a label.
    ///
    /// # Errors
    /// If there are no columns, a name occurs twice or is empty, a category has fewer than one or more
    /// than 65536 levels, a level or class occurs twice, or there are not from 2 to 65536 classes.
    pub fn new(columns: Vec<Column>, label: Option<Label>) -> Result<Self, LearnError> {
        if columns.is_empty() {
            return Err(LearnError::invalid("the number of columns", 0, "at least 1"));
        }
        let names = columns.iter().map(Column::name).chain(label.as_ref().map(Label::name));
        distinct("a column", names)?;
        for column in &columns {
            if let Column::Category { name, levels } = column {
                distinct(&format!("a level of {name}"), levels.iter().map(String::as_str))?;
                if levels.is_empty() || levels.len() > 1 << 16 {
                    let name = format!("the number of levels of {name}");
                    return Err(LearnError::invalid(name, levels.len(), "from 1 to 65536"));
                }
            }
        }
        if let Some(Label::Classes { classes, .. }) = &label {
            distinct("a class", classes.iter().map(String::as_str))?;
            Classes::new(u32::try_from(classes.len()).unwrap_or(u32::MAX))?;
        }
        Ok(Self { columns, label })
    }

    /// The columns of features.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The label, if one is declared.
    #[must_use]
    pub const fn label(&self) -> Option<&Label> {
        self.label.as_ref()
    }

    /// The classes, if the label is one of some.
    ///
    /// # Errors
    /// If it is not.
    pub fn classes(&self) -> Result<Classes, LearnError> {
        match &self.label {
            Some(Label::Classes { classes, .. }) => {
                Classes::new(u32::try_from(classes.len()).unwrap_or(u32::MAX))
            }
            Some(Label::Number { .. }) | None => Err(LearnError::invalid(
                "the label",
                "without classes",
                "one of declared classes, which the model tells apart: classes = [\"no\", \"yes\"] \
                 under [label]",
            )),
        }
    }

    /// The bounds of the label, if it is a number.
    ///
    /// # Errors
    /// If it is not.
    pub fn range(&self) -> Result<Interval, LearnError> {
        match &self.label {
            Some(Label::Number { bounds, .. }) => Ok(*bounds),
            Some(Label::Classes { .. }) | None => Err(LearnError::invalid(
                "the label",
                "without bounds",
                "a number within declared bounds, as the model predicts one: bounds = [0, 100] under \
                 [label]",
            )),
        }
    }

    /// The bounds of the encoded columns.
    ///
    /// # Errors
    /// Never for a schema that was made.
    pub fn bounds(&self, encoding: Encoding) -> Result<Bounds, LearnError> {
        let mut intervals = Vec::new();
        for column in &self.columns {
            match (column, encoding) {
                (Column::Number { bounds, .. }, _) => intervals.push(*bounds),
                (Column::Category { levels, .. }, Encoding::OneHot) => {
                    intervals.extend(vec![Interval::new(0.0, 1.0)?; levels.len()]);
                }
                (Column::Category { levels, .. }, Encoding::Places) => {
                    let last = crate::math::count(levels.len().max(2) - 1);
                    intervals.push(Interval::new(0.0, last)?);
                }
            }
        }
        intervals.try_into()
    }

    /// The names of the encoded columns.
    #[must_use]
    pub fn names(&self, encoding: Encoding) -> Vec<String> {
        let mut names = Vec::new();
        for column in &self.columns {
            match (column, encoding) {
                (Column::Category { name, levels }, Encoding::OneHot) => {
                    names.extend(levels.iter().map(|level| format!("{name}={level}")));
                }
                (Column::Number { name, .. } | Column::Category { name, .. }, _) => {
                    names.push(name.clone());
                }
            }
        }
        names
    }

    /// How many levels each encoded column has; none for numbers.
    #[must_use]
    pub fn levels(&self) -> Vec<Option<usize>> {
        self.columns.iter().map(Column::levels).collect()
    }

    /// Appends a row of cells, one for each column, as numbers. Cells that are missing count as NaN;
    /// a level that is not declared is all zeros, or NaN by place.
    pub fn encode(&self, cells: &[Cell<'_>], encoding: Encoding, row: &mut Vec<f64>) {
        let cells = cells.iter().copied().chain(std::iter::repeat(Cell::Missing));
        for (column, cell) in self.columns.iter().zip(cells) {
            match (column, encoding) {
                (Column::Number { .. }, _) => row.push(cell.number()),
                (Column::Category { levels, .. }, Encoding::OneHot) => {
                    let place = cell.place(levels);
                    row.extend((0..levels.len()).map(|k| f64::from(u8::from(Some(k) == place))));
                }
                (Column::Category { levels, .. }, Encoding::Places) => {
                    row.push(cell.place(levels).map_or(f64::NAN, crate::math::count));
                }
            }
        }
    }
}

/// Names that are not empty and occur once. They are declared, not data: they may be shown.
fn distinct<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), LearnError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            return Err(LearnError::invalid(format!("the name of {what}"), "empty", "some text"));
        }
        if !seen.insert(name) {
            return Err(LearnError::invalid(format!("the name of {what}"), name, "declared once"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        let number =
            Column::Number { name: "age".into(), bounds: Interval::new(0.0, 9.0).unwrap() };
        let levels = ["a", "b", "2"].map(str::to_owned).to_vec();
        let category = Column::Category { name: "kind".into(), levels };
        let classes = vec!["no".to_owned(), "yes".to_owned()];
        Schema::new(vec![number, category], Some(Label::Classes { name: "y".into(), classes }))
            .unwrap()
    }

    fn encoded(cells: &[Cell<'_>], encoding: Encoding) -> Vec<f64> {
        let mut row = Vec::new();
        schema().encode(cells, encoding, &mut row);
        row
    }

    #[test]
    fn every_row_has_the_declared_width_whatever_is_in_it() {
        let hot = |cells: &[Cell<'_>]| encoded(cells, Encoding::OneHot);
        assert_eq!(hot(&[Cell::Text(" 3 "), Cell::Text("b")]), [3.0, 0.0, 1.0, 0.0]);
        assert_eq!(hot(&[Cell::Number(4.0), Cell::Number(2.0)]), [4.0, 0.0, 0.0, 1.0]);
        assert_eq!(hot(&[Cell::Number(1.0)]), [1.0, 0.0, 0.0, 0.0]);
        let odd = hot(&[Cell::Text("x"), Cell::Text("zebra"), Cell::Text("more")]);
        assert!(odd[0].is_nan() && odd[1..] == [0.0; 3]);
        assert_eq!(encoded(&[Cell::Number(1.0), Cell::Text("2")], Encoding::Places), [1.0, 2.0]);
        assert!(encoded(&[], Encoding::Places).iter().all(|x| x.is_nan()));
    }

    #[test]
    fn names_bounds_and_levels_belong_together() {
        for encoding in [Encoding::OneHot, Encoding::Places] {
            let bounds = schema().bounds(encoding).unwrap();
            assert_eq!(bounds.columns(), schema().names(encoding).len());
            assert_eq!(bounds.columns(), encoded(&[], encoding).len());
        }
        assert_eq!(schema().names(Encoding::OneHot)[1], "kind=a");
        assert_eq!(schema().levels(), [None, Some(3)]);
        let label = schema().label().cloned().unwrap();
        assert_eq!(label.class(Cell::Text("yes")), 1);
        assert_eq!(label.class(Cell::Text("maybe")), u32::MAX);
        assert!(schema().range().is_err() && schema().classes().is_ok());
    }

    #[test]
    fn contradictions_are_refused() {
        let twice = r#"{"columns":[{"name":"a","bounds":[0,1]},{"name":"a","bounds":[0,1]}]}"#;
        let empty = r#"{"columns":[]}"#;
        let none = r#"{"columns":[{"name":"a","levels":[]}]}"#;
        let reversed = r#"{"columns":[{"name":"a","bounds":[1,0]}]}"#;
        let one =
            r#"{"columns":[{"name":"a","bounds":[0,1]}],"label":{"name":"y","classes":["x"]}}"#;
        for text in [twice, empty, none, reversed, one] {
            assert!(serde_json::from_str::<Schema>(text).is_err(), "{text}");
        }
    }
}
