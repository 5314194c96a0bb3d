//! Columns with names: what is declared about a table of cells, and how its rows become numbers.

mod cell;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Bounds, Classes, Interval, LearnError};
pub use cell::Cell;
use cell::{Lookup, finite};

/// One column of features, as declared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, try_from = "WrittenColumn")]
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
        /// The values, in order; any other counts as none of them. Spaces around a value do not matter, a
        /// number may be written in any way ("1.0" is "1"), true and false in letters of any case.
        levels: Vec<String>,
    },
}

/// How a column is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenColumn {
    name: String,
    bounds: Option<Interval>,
    levels: Option<Vec<String>>,
}

impl TryFrom<WrittenColumn> for Column {
    type Error = LearnError;

    fn try_from(WrittenColumn { name, bounds, levels }: WrittenColumn) -> Result<Self, LearnError> {
        match (bounds, levels) {
            (Some(bounds), None) => Ok(Self::Number { name, bounds }),
            (None, Some(levels)) => Ok(Self::Category { name, levels }),
            (bounds, _) => Err(either(&name, bounds.is_some(), "bounds", "levels")),
        }
    }
}

/// That something is declared as two things, or as none.
fn either(name: &str, both: bool, one: &str, other: &str) -> LearnError {
    let given = if both { "declared with both" } else { "declared with neither" };
    LearnError::invalid(name, given, format!("declared with {one} or with {other}"))
}

/// What is learnt, as declared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, try_from = "WrittenLabel")]
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
        /// The classes, in order; a record of another is left out. They are found as levels are.
        classes: Vec<String>,
    },
}

/// How a label is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLabel {
    name: String,
    bounds: Option<Interval>,
    classes: Option<Vec<String>>,
}

impl TryFrom<WrittenLabel> for Label {
    type Error = LearnError;

    fn try_from(WrittenLabel { name, bounds, classes }: WrittenLabel) -> Result<Self, LearnError> {
        match (bounds, classes) {
            (Some(bounds), None) => Ok(Self::Number { name, bounds }),
            (None, Some(classes)) => Ok(Self::Classes { name, classes }),
            (bounds, _) => Err(either(&name, bounds.is_some(), "bounds", "classes")),
        }
    }
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
    /// The levels of each category, ready to be found.
    levels: Vec<Option<Lookup>>,
    /// The classes likewise.
    classes: Option<Lookup>,
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
    fn lookup(&self) -> Option<Lookup> {
        match self {
            Self::Number { .. } => None,
            Self::Category { levels, .. } => Some(Lookup::of(levels)),
        }
    }

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
    fn lookup(&self) -> Option<Lookup> {
        match self {
            Self::Number { .. } => None,
            Self::Classes { classes, .. } => Some(Lookup::of(classes)),
        }
    }

    /// The name of its column.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name, .. } | Self::Classes { name, .. } => name,
        }
    }
}

impl Schema {
    /// Columns and perhaps a label.
    ///
    /// # Errors
    /// If there are no columns, a name occurs twice or is empty, a category has fewer than one or more
    /// than 65536 levels, a level or class occurs twice (without spaces around it, or as a number), or
    /// there are not from 2 to 65536 classes.
    pub fn new(mut columns: Vec<Column>, mut label: Option<Label>) -> Result<Self, LearnError> {
        if columns.is_empty() {
            return Err(LearnError::invalid("the number of columns", 0, "at least 1"));
        }
        let names = columns.iter().map(Column::name).chain(label.as_ref().map(Label::name));
        distinct("a column", names)?;
        for column in &mut columns {
            if let Column::Category { name, levels } = column {
                trimmed(&format!("a level of {name}"), levels)?;
                if levels.is_empty() || levels.len() > 1 << 16 {
                    let name = format!("the number of levels of {name}");
                    return Err(LearnError::invalid(name, levels.len(), "from 1 to 65536"));
                }
            }
        }
        if let Some(Label::Classes { classes, .. }) = &mut label {
            trimmed("a class", classes)?;
            Classes::new(u32::try_from(classes.len()).unwrap_or(u32::MAX))?;
        }
        let levels = columns.iter().map(Column::lookup).collect();
        let classes = label.as_ref().and_then(Label::lookup);
        Ok(Self { columns, label, levels, classes })
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

    /// The class of a cell of the label's column; one that no model knows if it is not declared.
    #[must_use]
    pub fn class(&self, cell: Cell<'_>) -> u32 {
        let place = self.classes.as_ref().and_then(|classes| classes.place(cell));
        place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX)
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
        for ((column, known), cell) in self.columns.iter().zip(&self.levels).zip(cells) {
            let place = || known.as_ref().and_then(|known| known.place(cell));
            match (column, encoding) {
                (Column::Number { .. }, _) => row.push(cell.number()),
                (Column::Category { levels, .. }, Encoding::OneHot) => {
                    let place = place();
                    row.extend((0..levels.len()).map(|k| f64::from(u8::from(Some(k) == place))));
                }
                (Column::Category { .. }, Encoding::Places) => {
                    row.push(place().map_or(f64::NAN, crate::math::count));
                }
            }
        }
    }
}

/// Values without the spaces around them, each of which occurs once, also as a number.
fn trimmed(what: &str, values: &mut [String]) -> Result<(), LearnError> {
    for value in values.iter_mut() {
        *value = value.trim().to_owned();
    }
    distinct(what, values.iter().map(String::as_str))?;
    let number = |value: &String| Some((finite(value)?, value.clone()));
    let mut numbers: Vec<_> = values.iter().filter_map(number).collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    // -0 and 0 stand beside each other and are equal.
    for pair in numbers.windows(2) {
        if let [(one, _), (other, text)] = pair
            && one == other
        {
            return Err(LearnError::invalid(format!("the name of {what}"), text, "declared once"));
        }
    }
    Ok(())
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
        assert_eq!(schema().class(Cell::Text("yes ")), 1);
        assert_eq!(schema().class(Cell::Text("maybe")), u32::MAX);
        assert!(schema().range().is_err() && schema().classes().is_ok());
    }

    #[test]
    fn declared_values_are_trimmed_as_cells_are() {
        let text = r#"{"columns":[{"name":"work","levels":[" Private","State-gov "]}],
            "label":{"name":"y","classes":[" <=50K","1"]}}"#;
        let schema: Schema = serde_json::from_str(text).unwrap();
        let mut row = Vec::new();
        schema.encode(&[Cell::Text(" Private")], Encoding::Places, &mut row);
        assert_eq!(row, [0.0]);
        assert_eq!(schema.names(Encoding::OneHot), ["work=Private", "work=State-gov"]);
        assert_eq!(schema.class(Cell::Text("<=50K")), 0);
        assert_eq!(schema.class(Cell::Text("1.0")), schema.class(Cell::Number(1.0)));
        let again: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
        assert_eq!(again, schema);
    }

    #[test]
    fn contradictions_are_refused() {
        let twice = r#"{"columns":[{"name":"a","bounds":[0,1]},{"name":"a","bounds":[0,1]}]}"#;
        let empty = r#"{"columns":[]}"#;
        let none = r#"{"columns":[{"name":"a","levels":[]}]}"#;
        let reversed = r#"{"columns":[{"name":"a","bounds":[1,0]}]}"#;
        let one =
            r#"{"columns":[{"name":"a","bounds":[0,1]}],"label":{"name":"y","classes":["x"]}}"#;
        let both = r#"{"columns":[{"name":"a","bounds":[0,1],"levels":["x"]}]}"#;
        let neither = r#"{"columns":[{"name":"a"}]}"#;
        let unknown = r#"{"columns":[{"name":"a","bounds":[0,1],"bins":3}]}"#;
        let spaces = r#"{"columns":[{"name":"a","levels":["x"," x"]}]}"#;
        let numbers = r#"{"columns":[{"name":"a","levels":["1","2","1.0"]}]}"#;
        let labels = r#"{"columns":[{"name":"a","bounds":[0,1]}],
            "label":{"name":"y","classes":["x","z"],"bounds":[0,1]}}"#;
        for text in
            [twice, empty, none, reversed, one, both, neither, unknown, spaces, numbers, labels]
        {
            assert!(serde_json::from_str::<Schema>(text).is_err(), "{text}");
        }
    }
}
