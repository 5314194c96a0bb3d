//! A reader of the JSON that outcomes are written in.

use super::Line;
use crate::Outcome;
use crate::probe::key;

/// How many brackets may be open at once.
const DEEPEST: usize = 64;

/// A place in a text.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// A line: an outcome, or `{"outcomes": [...]}`.
    pub(super) fn line(&mut self) -> Result<Line, String> {
        if self.peek() != Some(b'{') {
            return self.value().map(Line::One);
        }
        match self.labelled()? {
            (label, items) if label == "outcomes" => Ok(Line::All(items)),
            (label, items) => set(&label, items).map(Line::One),
        }
    }

    /// Nothing but white space may follow.
    pub(super) fn end(&mut self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(format!("goes on after its end, at byte {}", self.at + 1)),
        }
    }

    fn value(&mut self) -> Result<Outcome, String> {
        match self.peek() {
            None => Err("ends too early".to_owned()),
            Some(b'[') => self.nested(Self::items).map(Outcome::List),
            Some(b'{') => {
                let (label, items) = self.nested(Self::labelled)?;
                set(&label, items)
            }
            Some(b'"') => self.text().map(Outcome::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
        }
    }

    /// Reads with one more bracket open.
    fn nested<T>(&mut self, read: fn(&mut Self) -> Result<T, String>) -> Result<T, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("is nested more than {DEEPEST} deep"));
        }
        let read = read(self)?;
        self.depth -= 1;
        Ok(read)
    }

    /// `[a, b, ...]`.
    fn items(&mut self) -> Result<Vec<Outcome>, String> {
        self.expect(b'[')?;
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(items);
        }
        loop {
            items.push(self.value()?);
            match self.peek() {
                Some(b',') => self.at += 1,
                _ => {
                    self.expect(b']')?;
                    return Ok(items);
                }
            }
        }
    }

    /// `{"label": [...]}`.
    fn labelled(&mut self) -> Result<(String, Vec<Outcome>), String> {
        self.expect(b'{')?;
        if self.peek() != Some(b'"') {
            return Err("has an object that is not {\"set\": [...]}".to_owned());
        }
        let label = self.text()?;
        self.expect(b':')?;
        let items = self.nested(Self::items)?;
        self.expect(b'}')?;
        Ok((label, items))
    }

    fn text(&mut self) -> Result<String, String> {
        let start = self.at;
        let mut escaped = true; // The opening quote does not close.
        let length = self.rest().bytes().position(|byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        });
        let Some(length) = length else {
            return Err("has a text without an end".to_owned());
        };
        self.at += length + 1;
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(quoted).map_err(|error| format!("has a text that is none: {error}"))
    }

    fn number(&mut self) -> Result<Outcome, String> {
        let belongs = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let rest = self.rest();
        let length = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        let digits = rest.get(..length).unwrap_or_default();
        if digits == "-" && rest.get(1..).is_some_and(|rest| rest.starts_with(['I', 'i', 'N', 'n']))
        {
            return Err(NOT_FINITE.to_owned());
        }
        let number = number(digits)?;
        self.at += length;
        Ok(number)
    }

    fn word(&mut self) -> Result<Outcome, String> {
        let words = [
            ("true", Outcome::Integer(1)),
            ("false", Outcome::Integer(0)),
            ("null", Outcome::Nothing),
        ];
        let rest = self.rest();
        if let Some((word, outcome)) = words.into_iter().find(|(word, _)| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(outcome);
        }
        let odd = ["nan", "inf"];
        let start: String = rest.chars().take(3).collect::<String>().to_lowercase();
        if odd.contains(&start.as_str()) {
            return Err(NOT_FINITE.to_owned());
        }
        Err(format!("is not JSON at byte {}", self.at + 1))
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(format!("has no `{}` at byte {}", char::from(byte), self.at + 1))
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.rest();
        let blank = rest.bytes().position(|byte| !byte.is_ascii_whitespace());
        self.at += blank.unwrap_or(rest.len());
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }
}

const NOT_FINITE: &str = "has NaN or an infinity as a bare word, which JSON does not know; write it as \
     a text, such as \"NaN\" or \"inf\"";

/// A set in an order of its own, so that equal sets look equal.
fn set(label: &str, mut items: Vec<Outcome>) -> Result<Outcome, String> {
    if label == "set" {
        items.sort_by_cached_key(key);
        return Ok(Outcome::set(items));
    }
    Err("has an object that is not {\"set\": [...]}".to_owned())
}

/// A number as JSON writes it: no leading zeros, digits on both sides of the point.
fn number(digits: &str) -> Result<Outcome, String> {
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let whole = unsigned.split(['.', 'e', 'E']).next().unwrap_or_default();
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    let open = unsigned
        .split_once('.')
        .is_some_and(|(_, fraction)| !fraction.starts_with(|c: char| c.is_ascii_digit()));
    if whole.is_empty() || leading_zero || open {
        return Err("has a number that is none".to_owned());
    }
    // There is no whole number -0, but there is a float.
    if digits != "-0"
        && let Ok(integer) = digits.parse::<i64>()
    {
        return Ok(Outcome::Integer(integer));
    }
    match digits.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(Outcome::Number(x)),
        Ok(_) => Err("has a number beyond the range of floats".to_owned()),
        Err(_) => Err("has a number that is none".to_owned()),
    }
}
