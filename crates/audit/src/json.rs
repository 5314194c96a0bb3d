//! Outcomes written as JSON.
//!
//! Read by hand rather than through a general reader, for one reason: an audit looks at the last bit
//! of a float, and this reader rounds every decimal correctly. Numbers that are whole (without a
//! point or an exponent) and fit are [`Outcome::Integer`], all others [`Outcome::Number`].

mod reader;

use crate::Outcome;
use reader::Reader;

/// A line of a target's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// One outcome.
    One(Outcome),
    /// `{"outcomes": [...]}`: all of them.
    All(Vec<Outcome>),
}

/// Reads one outcome: a number, a text, true or false (1 or 0), null ([`Outcome::Nothing`]), an
/// array ([`Outcome::List`]) or `{"set": [...]}` ([`Outcome::Set`]).
///
/// # Errors
/// What is wrong, in words that follow "the line" or "the file".
///
/// ```
/// use throng_audit::{Outcome, json};
/// assert_eq!(json::outcome("0.1"), Ok(Outcome::Number(0.1)));
/// let set = Outcome::Set(vec![Outcome::Integer(2), Outcome::Text("b".to_owned())]);
/// assert_eq!(json::outcome(r#"{"set": [2, "b"]}"#), Ok(set));
/// assert!(json::outcome("NaN").is_err());
/// ```
pub fn outcome(text: &str) -> Result<Outcome, String> {
    match line(text)? {
        Line::One(outcome) => Ok(outcome),
        Line::All(_) => Err("is a whole answer where one outcome is expected".to_owned()),
    }
}

/// Reads a line of an answer: an outcome, or all of them.
///
/// # Errors
/// As for [`outcome`].
pub fn line(text: &str) -> Result<Line, String> {
    let mut reader = Reader::new(text);
    let line = reader.line()?;
    reader.end()?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read() {
        let list = |items: Vec<Outcome>| Ok(Outcome::List(items));
        assert_eq!(outcome(" 3 "), Ok(Outcome::Integer(3)));
        assert_eq!(outcome("-0"), Ok(Outcome::Number(-0.0)));
        assert_eq!(outcome("3.0"), Ok(Outcome::Number(3.0)));
        assert_eq!(outcome("1e3"), Ok(Outcome::Number(1000.0)));
        assert_eq!(outcome("9223372036854775807"), Ok(Outcome::Integer(i64::MAX)));
        assert_eq!(
            outcome("9223372036854775808"),
            Ok(Outcome::Number(9_223_372_036_854_775_808.0))
        );
        assert_eq!(outcome("true"), Ok(Outcome::Integer(1)));
        assert_eq!(outcome("false"), Ok(Outcome::Integer(0)));
        assert_eq!(outcome("null"), Ok(Outcome::Nothing));
        assert_eq!(outcome(r#""a\u00e9\n\"""#), Ok(Outcome::Text("aé\n\"".to_owned())));
        assert_eq!(outcome("[]"), list(vec![]));
        assert_eq!(
            outcome("[1, [2]]"),
            list(vec![Outcome::Integer(1), Outcome::List(vec![Outcome::Integer(2)])])
        );
        assert_eq!(outcome(r#"{"set":[2,1]}"#), outcome(r#"{"set":[1,2]}"#));
        assert_eq!(outcome(r#""NaN""#), Ok(Outcome::Text("NaN".to_owned())));
        assert_eq!(line(r#"{"outcomes": [1]}"#), Ok(Line::All(vec![Outcome::Integer(1)])));
    }

    #[test]
    fn floats_keep_every_bit() {
        for bits in [1u64, 0x3fb9_9999_9999_999a, 0x7fef_ffff_ffff_ffff, 0x000f_ffff_ffff_ffff] {
            let x = f64::from_bits(bits);
            assert_eq!(outcome(&format!("{x:e}")), Ok(Outcome::Number(x)));
            assert_eq!(outcome(&format!("{x:.1100}")), Ok(Outcome::Number(x)));
        }
    }

    #[test]
    fn garbage_is_refused() {
        let wrong = [
            "",
            " ",
            "x",
            "1 2",
            "[1",
            "[1,]",
            "{}",
            "{\"set\":1}",
            "{\"other\":[1]}",
            "\"open",
            "1e999",
            "01",
            "1.",
            ".5",
            "+1",
            "--1",
            "NaN",
            "Infinity",
            "-Infinity",
            "nan",
            "tru",
            "[NaN]",
            "{\"set\":[1],\"set\":[2]}",
            "'a'",
            "\u{7f}",
            "[1 2]",
        ];
        for text in wrong {
            assert!(outcome(text).is_err(), "{text}");
        }
        assert!(outcome("[NaN]").unwrap_err().contains("write it as a text"));
        assert!(outcome("-Infinity").unwrap_err().contains("write it as a text"));
        let deep = "[".repeat(100_000);
        assert!(outcome(&deep).unwrap_err().contains("deep"));
    }
}
