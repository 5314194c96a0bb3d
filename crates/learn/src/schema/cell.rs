//! Cells of a table, and which of the declared values they are.

use std::collections::BTreeMap;

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
    /// The number that it is, `true` being 1 and `false` 0 in letters of any case; NaN if it is none.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::Missing => f64::NAN,
            Self::Number(number) => number,
            Self::Text(text) => match truth(text.trim()) {
                Some(true) => 1.0,
                Some(false) => 0.0,
                None => text.trim().parse().unwrap_or(f64::NAN),
            },
        }
    }
}

/// Whether a text says true or false.
const fn truth(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// The number that a text is, if it is a finite one.
pub(super) fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Declared values, ready to be found: by their text, else as the same number ("1.0" is "1"), else as the
/// same of true and false in letters of any case. So a cell is found alike, however the file it
/// came from writes numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lookup {
    texts: BTreeMap<String, usize>,
    /// In order.
    numbers: Vec<(f64, usize)>,
    truths: [Option<usize>; 2],
}

impl Lookup {
    /// Of values without spaces around them.
    pub(super) fn of(values: &[String]) -> Self {
        let places = || values.iter().enumerate();
        let mut numbers: Vec<_> =
            places().filter_map(|(place, value)| Some((finite(value)?, place))).collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let says = |wanted: bool| values.iter().position(|value| truth(value) == Some(wanted));
        Self {
            texts: places().map(|(place, value)| (value.clone(), place)).collect(),
            numbers,
            truths: [says(false), says(true)],
        }
    }

    /// The place of a cell among the values.
    pub(super) fn place(&self, cell: Cell<'_>) -> Option<usize> {
        match cell {
            Cell::Missing => None,
            Cell::Number(number) => self.number(number),
            Cell::Text(text) => {
                let text = text.trim();
                let same = self.texts.get(text).copied();
                let equal = || finite(text).and_then(|number| self.number(number));
                let said = || self.truths.get(usize::from(truth(text)?)).copied().flatten();
                same.or_else(equal).or_else(said)
            }
        }
    }

    fn number(&self, number: f64) -> Option<usize> {
        let at = self.numbers.partition_point(|(known, _)| *known < number);
        self.numbers.get(at).filter(|(known, _)| *known == number).map(|(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(values: &[&str]) -> Lookup {
        Lookup::of(&values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_value_is_found_however_it_is_written() {
        let known = lookup(&["Private", "2", "1.0", "-0", "True", "nan"]);
        for (cell, place) in [
            (Cell::Text(" Private"), Some(0)),
            (Cell::Text("private"), None),
            (Cell::Text("2.0"), Some(1)),
            (Cell::Text(" 1 "), Some(2)),
            (Cell::Number(1.0), Some(2)),
            (Cell::Number(0.0), Some(3)),
            (Cell::Text("0"), Some(3)),
            (Cell::Text("TRUE"), Some(4)),
            (Cell::Text("false"), None),
            (Cell::Text("nan"), Some(5)),
            (Cell::Text("NaN"), None),
            (Cell::Number(f64::NAN), None),
            (Cell::Number(f64::INFINITY), None),
            (Cell::Text("inf"), None),
            (Cell::Missing, None),
        ] {
            assert_eq!(known.place(cell), place, "{cell:?}");
        }
        assert_eq!(lookup(&["FALSE", "true"]).place(Cell::Text("False")), Some(0));
    }

    #[test]
    fn truth_is_a_number_in_letters_of_any_case() {
        let found = ["true", "TRUE", " False ", "0.5", "yes"].map(|text| Cell::Text(text).number());
        assert_eq!(found[..4], [1.0, 1.0, 0.0, 0.5]);
        assert!(found[4].is_nan());
    }
}
