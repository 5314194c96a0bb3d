//! Values of a policy, read one field at a time; whatever is wrong says where.

use std::ops::Range;

use throng_numeric::Rational;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::place::{Source, suggestion};
use super::value::Value;
use crate::QueryError;

/// The most characters, and the largest decimal exponent, of a number.
const MAX_NUMBER: usize = 300;

/// A value with its place.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    source: &'a Source<'a>,
    name: String,
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

/// A table of named values.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    source: &'a Source<'a>,
    name: String,
    span: Range<usize>,
    table: &'a DeTable<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn root(source: &'a Source<'a>, table: &'a Spanned<DeTable<'a>>) -> Self {
        Self { source, name: String::new(), span: 0..0, table: table.get_ref() }
    }

    /// Refuses fields that are not known.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), QueryError> {
        let stranger = self.table.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref()));
        let Some((key, _)) = stranger else { return Ok(()) };
        let (word, of) = (shown(key.get_ref()), self.within());
        let hint = suggestion(key.get_ref(), known.iter().copied());
        Err(self.source.error(&key.span(), &format!("unknown field {word}{of}"), &hint))
    }

    fn within(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!(" in {}", self.name) }
    }

    pub(super) fn get(&self, field: &str) -> Option<Node<'a>> {
        Some(self.node(field, self.table.get(field)?))
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.table.contains_key(field)
    }

    pub(super) fn need(&self, field: &str, hint: &str) -> Result<Node<'a>, QueryError> {
        self.get(field).ok_or_else(|| self.error(&format!("{field} is missing"), hint))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a str, Range<usize>, Node<'a>)> {
        self.table.iter().map(|(key, value)| {
            let word: &'a str = key.get_ref();
            (word, key.span(), self.node(word, value))
        })
    }

    fn node(&self, field: &str, value: &'a Spanned<DeValue<'a>>) -> Node<'a> {
        let name = match self.name.as_str() {
            "" => shown(field),
            name => format!("{name}.{}", shown(field)),
        };
        Node { source: self.source, name, span: value.span(), value: value.get_ref() }
    }

    pub(super) fn error(&self, what: &str, hint: &str) -> QueryError {
        let what = match self.name.as_str() {
            "" => what.to_string(),
            name => format!("{name}: {what}"),
        };
        self.source.error(&self.span, &what, hint)
    }

    pub(super) fn error_at(&self, span: &Range<usize>, what: &str, hint: &str) -> QueryError {
        self.source.error(span, what, hint)
    }
}

impl<'a> Node<'a> {
    pub(super) fn error(&self, what: &str, hint: &str) -> QueryError {
        self.source.error(&self.span, &format!("{}: {what}", self.name), hint)
    }

    fn wrong(&self, wanted: &str) -> QueryError {
        self.error(&format!("expected {wanted}, found {}", noun(self.value)), "")
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    pub(super) fn fields(&self) -> Result<Fields<'a>, QueryError> {
        let table = self.value.as_table().ok_or_else(|| self.wrong("a table of fields"))?;
        Ok(Fields { source: self.source, name: self.name.clone(), span: self.span.clone(), table })
    }

    pub(super) fn text(&self) -> Result<&'a str, QueryError> {
        self.value.as_str().ok_or_else(|| self.wrong("text in quotes"))
    }

    pub(super) fn words(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// Text that is not empty, as names and paths have to be.
    pub(super) fn name(&self) -> Result<&'a str, QueryError> {
        let text = self.text()?;
        if text.trim().is_empty() || text.contains('\0') {
            return Err(self.error("must not be empty", ""));
        }
        Ok(text)
    }

    pub(super) fn boolean(&self) -> Result<bool, QueryError> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    pub(super) fn list(&self) -> Result<Vec<Node<'a>>, QueryError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        let node = |item: &'a Spanned<DeValue<'a>>| Node {
            source: self.source,
            name: self.name.clone(),
            span: item.span(),
            value: item.get_ref(),
        };
        Ok(items.into_iter().map(node).collect())
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, QueryError> {
        let word = self.text()?;
        let found = choices.iter().find(|(name, _)| *name == word);
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let hint = suggestion(word, choices.iter().map(|(name, _)| *name));
            self.error(&format!("{} is not known here", shown(word)), &hint)
        })
    }

    /// The number exactly as written, never by way of a float.
    pub(super) fn number(&self) -> Result<Rational, QueryError> {
        let text = match self.value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            DeValue::Integer(integer) => {
                let read = i128::from_str_radix(integer.as_str(), integer.radix());
                return read.map(Rational::from).map_err(|_| self.error("is too large", ""));
            }
            DeValue::Float(float) => float.as_str(),
            DeValue::String(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => return Err(self.wrong("a number")),
        };
        if text.contains("inf") || text.contains("nan") {
            return Err(self.error(&format!("{text} is not a finite number"), ""));
        }
        exact(text).ok_or_else(|| {
            self.error("has too many digits", "numbers have at most 300 digits and exponents ±300")
        })
    }

    pub(super) fn whole(&self) -> Result<u64, QueryError> {
        let number = self.number()?;
        let whole = number.is_integer().then(|| number.to_string().parse::<u64>().ok()).flatten();
        whole.ok_or_else(|| self.error("must be a whole number, not negative", ""))
    }

    /// A value of a key.
    pub(super) fn key(&self) -> Result<Value, QueryError> {
        match self.value {
            DeValue::String(text) => Ok(Value::Text(text.to_string())),
            DeValue::Boolean(flag) => Ok(Value::Boolean(*flag)),
            DeValue::Datetime(moment) => Ok(Value::Moment(moment.to_string())),
            DeValue::Integer(_) | DeValue::Float(_) => Ok(Value::Number(self.number()?)),
            DeValue::Array(_) | DeValue::Table(_) => {
                Err(self.wrong("a text, number, date or flag"))
            }
        }
    }
}

/// A decimal number, if it is of reasonable size.
fn exact(text: &str) -> Option<Rational> {
    let exponent = text.split_once(['e', 'E']).map_or("0", |(_, exponent)| exponent);
    let small = exponent.parse::<i32>().is_ok_and(|e| e.unsigned_abs() <= 300);
    if text.len() > MAX_NUMBER || !small {
        return None;
    }
    text.parse().ok()
}

fn noun(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table of fields",
    }
}

/// A word of the policy, cut to a length that fits an error; control characters are escaped.
pub(super) fn shown(word: &str) -> String {
    const MOST: usize = 60;
    let plain: String = word.chars().take(MOST).flat_map(char::escape_debug).collect();
    if word.chars().nth(MOST).is_some() { format!("{plain}...") } else { plain }
}
