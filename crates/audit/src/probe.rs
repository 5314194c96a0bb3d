//! Probes: what can be asked of an outcome whose answer is a number.
//!
//! Probes are where the auditor looks. Those of numbers include questions about bits, because a
//! mechanism that computes in floating point may leak in bits that no histogram of values shows:
//! on which grid a number lies, and how fine it is for its size.

mod choice;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use choice::probes;

use crate::{Outcome, Outcomes};

/// A question about an outcome, answered with a number; NaN if it does not apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// The number itself.
    Value,
    /// The exponent of the finest binary grid the number lies on: 3 for 8, -1 for 2.5.
    Grid,
    /// How many binary digits the number has.
    Digits,
    /// The last four binary digits of a float's significand.
    LowBits,
    /// The remainder of a whole number modulo another.
    Remainder(u32),
    /// The digits of a number after this many decimals: the fraction of 10^k x, to a thousandth.
    Decimals(u8),
    /// The number that a text has at this place, counted among its numbers.
    NumberIn(usize),
    /// What kind of outcome: nothing, integer, number, NaN, text, list, set.
    Kind,
    /// How many elements, or characters.
    Length,
    /// The sum of the numbers in a list.
    Sum,
    /// The largest number in a list.
    Largest,
    /// The smallest number in a list.
    Smallest,
    /// The place of the largest number in a list.
    Leader,
    /// How many different elements.
    Distinct,
    /// A probe of the element at a place.
    At(usize, Box<Probe>),
    /// A probe of the element at a place, counted from the end.
    FromEnd(usize, Box<Probe>),
    /// The number at the first place minus the number at the second.
    Difference(usize, usize),
    /// Whether an element is there: 1 or 0.
    Contains(Outcome),
    /// At which place an element is for the first time; the length if it is not there.
    First(Outcome),
    /// How often an element is there.
    Count(Outcome),
    /// Whether the outcome is this one: 1 or 0.
    Is(Outcome),
}

impl Probe {
    /// The answer.
    #[must_use]
    pub fn read(&self, outcome: &Outcome) -> f64 {
        let elements = elements(outcome);
        let numbers = || elements.iter().filter_map(number);
        match self {
            Self::Value => number(outcome).unwrap_or(f64::NAN),
            Self::Grid => number(outcome).map_or(f64::NAN, grid),
            Self::Digits => number(outcome).map_or(f64::NAN, digits),
            Self::LowBits => number(outcome).map_or(f64::NAN, low_bits),
            Self::Remainder(modulus) => remainder(outcome, *modulus),
            Self::Decimals(places) => number(outcome).map_or(f64::NAN, |x| decimals(x, *places)),
            Self::NumberIn(i) => number_in(outcome, *i),
            Self::Kind => kind(outcome),
            Self::Length => length(outcome),
            Self::Sum => numbers().sum(),
            Self::Largest => numbers().fold(f64::NAN, f64::max),
            Self::Smallest => numbers().fold(f64::NAN, f64::min),
            Self::Leader => leader(elements),
            Self::Distinct => distinct(elements),
            Self::At(i, inner) => elements.get(*i).map_or(f64::NAN, |one| inner.read(one)),
            Self::FromEnd(i, inner) => {
                elements.iter().rev().nth(*i).map_or(f64::NAN, |one| inner.read(one))
            }
            Self::Difference(i, j) => {
                match (elements.get(*i).and_then(number), elements.get(*j).and_then(number)) {
                    (Some(a), Some(b)) => a - b,
                    _ => f64::NAN,
                }
            }
            Self::Contains(one) => flag(elements.contains(one)),
            Self::First(one) => {
                count(elements.iter().position(|other| other == one).unwrap_or(elements.len()))
            }
            Self::Count(one) => count(elements.iter().filter(|other| *other == one).count()),
            Self::Is(one) => flag(same(outcome, one)),
        }
    }

    /// Whether it reads how a float is represented.
    pub(crate) fn looks_at_bits(&self) -> bool {
        match self {
            Self::Grid | Self::Digits | Self::LowBits | Self::Decimals(_) => true,
            Self::At(_, inner) | Self::FromEnd(_, inner) => inner.looks_at_bits(),
            Self::Value
            | Self::Remainder(_)
            | Self::NumberIn(_)
            | Self::Kind
            | Self::Length
            | Self::Sum
            | Self::Largest
            | Self::Smallest
            | Self::Leader
            | Self::Distinct
            | Self::Difference(..)
            | Self::Contains(_)
            | Self::First(_)
            | Self::Count(_)
            | Self::Is(_) => false,
        }
    }

    /// The answers for many.
    #[must_use]
    pub fn read_all(&self, outcomes: &Outcomes) -> Vec<f64> {
        match (self, outcomes) {
            (Self::Value, Outcomes::Numbers(column)) => column.clone(),
            (Self::Value, Outcomes::Integers(column)) => column.iter().map(|i| real(*i)).collect(),
            (Self::Grid, Outcomes::Numbers(column)) => column.iter().map(|x| grid(*x)).collect(),
            (Self::Digits, Outcomes::Numbers(column)) => {
                column.iter().map(|x| digits(*x)).collect()
            }
            (Self::LowBits, Outcomes::Numbers(column)) => {
                column.iter().map(|x| low_bits(*x)).collect()
            }
            (_, Outcomes::Mixed(column)) => column.iter().map(|one| self.read(one)).collect(),
            (_, Outcomes::Integers(column)) => {
                column.iter().map(|i| self.read(&Outcome::Integer(*i))).collect()
            }
            (_, Outcomes::Numbers(column)) => {
                column.iter().map(|x| self.read(&Outcome::Number(*x))).collect()
            }
        }
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value => f.write_str("the value"),
            Self::Grid => f.write_str("the exponent of the finest power of two that divides it"),
            Self::Digits => f.write_str("the number of its binary digits"),
            Self::LowBits => f.write_str("the last four bits of its significand"),
            Self::Remainder(modulus) => write!(f, "its remainder modulo {modulus}"),
            Self::Decimals(places) => write!(f, "the fraction of 10^{places} times the value"),
            Self::NumberIn(i) => write!(f, "number {} of the text", i + 1),
            Self::Kind => f.write_str("its kind"),
            Self::Length => f.write_str("its length"),
            Self::Sum => f.write_str("the sum"),
            Self::Largest => f.write_str("the largest element"),
            Self::Smallest => f.write_str("the smallest element"),
            Self::Leader => f.write_str("the place of the largest element"),
            Self::Distinct => f.write_str("the number of different elements"),
            Self::At(i, inner) => write!(f, "{inner} at place {i}"),
            Self::FromEnd(0, inner) => write!(f, "{inner} at the last place"),
            Self::FromEnd(i, inner) => write!(f, "{inner} at place {i} before the last"),
            Self::Difference(i, j) => write!(f, "the value at place {i} minus that at place {j}"),
            Self::Contains(one) => write!(f, "whether {} is in it", shown(one)),
            Self::First(one) => write!(f, "the first place of {}", shown(one)),
            Self::Count(one) => write!(f, "how often {} is in it", shown(one)),
            Self::Is(one) => write!(f, "whether it is {}", shown(one)),
        }
    }
}

/// How an outcome is written in a sentence.
#[must_use]
pub(crate) fn shown(outcome: &Outcome) -> String {
    let list = |all: &[Outcome]| all.iter().map(shown).collect::<Vec<_>>().join(", ");
    match outcome {
        Outcome::Nothing => "nothing".to_owned(),
        Outcome::Integer(i) => i.to_string(),
        Outcome::Number(x) => format!("{x:?}"),
        Outcome::Text(text) => format!("{text:?}"),
        Outcome::List(all) => format!("[{}]", list(all)),
        Outcome::Set(all) => format!("{{{}}}", list(all)),
    }
}

/// Equality that holds for NaN and tells -0 from 0.
#[must_use]
pub(crate) fn same(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::Number(x), Outcome::Number(y)) => x.to_bits() == y.to_bits(),
        (Outcome::List(x), Outcome::List(y)) | (Outcome::Set(x), Outcome::Set(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

/// A key under which equal outcomes meet; the order of sets does not count.
#[must_use]
pub(crate) fn key(outcome: &Outcome) -> String {
    let many = |all: &[Outcome]| all.iter().map(key).collect::<Vec<_>>();
    match outcome {
        Outcome::Nothing => "-".to_owned(),
        Outcome::Integer(i) => format!("i{i}"),
        Outcome::Number(x) => format!("n{:x}", x.to_bits()),
        Outcome::Text(text) => format!("t{}:{text}", text.len()),
        Outcome::List(all) => format!("[{}]", many(all).join(",")),
        Outcome::Set(all) => {
            let mut keys = many(all);
            keys.sort();
            format!("{{{}}}", keys.join(","))
        }
    }
}

fn elements(outcome: &Outcome) -> &[Outcome] {
    match outcome {
        Outcome::List(all) | Outcome::Set(all) => all,
        Outcome::Nothing | Outcome::Integer(_) | Outcome::Number(_) | Outcome::Text(_) => &[],
    }
}

fn number(outcome: &Outcome) -> Option<f64> {
    match outcome {
        Outcome::Integer(i) => Some(real(*i)),
        Outcome::Number(x) => Some(*x),
        Outcome::Nothing | Outcome::Text(_) | Outcome::List(_) | Outcome::Set(_) => None,
    }
}

/// The nearest float: a probe may be coarse, it only has to be a function of the outcome.
#[expect(clippy::cast_precision_loss, reason = "a probe may be coarse")]
fn real(i: i64) -> f64 {
    i as f64
}

#[expect(clippy::cast_precision_loss, reason = "lengths are small")]
fn count(n: usize) -> f64 {
    n as f64
}

fn flag(yes: bool) -> f64 {
    if yes { 1.0 } else { 0.0 }
}

fn kind(outcome: &Outcome) -> f64 {
    match outcome {
        Outcome::Nothing => 0.0,
        Outcome::Integer(_) => 1.0,
        Outcome::Number(x) if x.is_nan() => 3.0,
        Outcome::Number(x) if x.is_infinite() => 4.0,
        Outcome::Number(_) => 2.0,
        Outcome::Text(_) => 5.0,
        Outcome::List(_) => 6.0,
        Outcome::Set(_) => 7.0,
    }
}

fn length(outcome: &Outcome) -> f64 {
    match outcome {
        Outcome::Text(text) => count(text.chars().count()),
        Outcome::List(all) | Outcome::Set(all) => count(all.len()),
        Outcome::Nothing | Outcome::Integer(_) | Outcome::Number(_) => f64::NAN,
    }
}

/// Exponent and significand of a finite float: x = ± significand 2^exponent.
fn parts(x: f64) -> (i32, u64) {
    let bits = x.to_bits();
    let biased = i32::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
    let fraction = bits & ((1 << 52) - 1);
    if biased == 0 { (-1074, fraction) } else { (biased - 1075, fraction | 1 << 52) }
}

fn grid(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (exponent, significand) = parts(x);
    if significand == 0 {
        return 1100.0;
    }
    f64::from(exponent + i32::try_from(significand.trailing_zeros()).unwrap_or(0))
}

fn digits(x: f64) -> f64 {
    let (_, significand) = parts(x);
    if significand == 0 {
        return 0.0;
    }
    f64::from(64 - significand.leading_zeros() - significand.trailing_zeros())
}

fn low_bits(x: f64) -> f64 {
    f64::from(u32::try_from(x.to_bits() & 15).unwrap_or(0))
}

fn remainder(outcome: &Outcome, modulus: u32) -> f64 {
    match outcome {
        Outcome::Integer(i) => i
            .checked_rem_euclid(i64::from(modulus))
            .and_then(|rest| u32::try_from(rest).ok())
            .map_or(f64::NAN, f64::from),
        Outcome::Nothing
        | Outcome::Number(_)
        | Outcome::Text(_)
        | Outcome::List(_)
        | Outcome::Set(_) => f64::NAN,
    }
}

/// To a thousandth, so that a value that was computed in two ways has the same.
fn decimals(x: f64, places: u8) -> f64 {
    let scaled = (0..places).fold(x, |x, _| 10.0 * x);
    let thousandths = (1000.0 * (scaled - scaled.floor())).round();
    if thousandths >= 1000.0 { 0.0 } else { thousandths }
}

fn number_in(outcome: &Outcome, place: usize) -> f64 {
    let Outcome::Text(text) = outcome else { return f64::NAN };
    let part_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    text.split(|c| !part_of_number(c))
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-'))
        .filter_map(|word| word.parse().ok())
        .nth(place)
        .unwrap_or(f64::NAN)
}

fn leader(elements: &[Outcome]) -> f64 {
    let mut best: Option<(usize, f64)> = None;
    for (i, x) in elements.iter().enumerate() {
        if let Some(x) = number(x)
            && best.is_none_or(|(_, most)| x > most)
        {
            best = Some((i, x));
        }
    }
    best.map_or(f64::NAN, |(i, _)| count(i))
}

fn distinct(elements: &[Outcome]) -> f64 {
    count(elements.iter().map(key).collect::<std::collections::BTreeSet<_>>().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_and_digits() {
        assert_eq!(grid(8.0), 3.0);
        assert_eq!(grid(2.5), -1.0);
        assert_eq!(grid(f64::from_bits(1)), -1074.0);
        assert_eq!(digits(5.0), 3.0);
        assert_eq!(digits(0.1), 52.0);
        assert!(grid(f64::NAN).is_nan() && grid(f64::INFINITY).is_nan());
    }

    #[test]
    fn probes_are_total() {
        let strange = [
            Outcome::Nothing,
            Outcome::Integer(i64::MIN),
            Outcome::Number(f64::NAN),
            Outcome::Number(-0.0),
            Outcome::Text("ß\u{301}".into()),
            Outcome::List(vec![]),
            Outcome::List(vec![Outcome::Number(f64::NEG_INFINITY), Outcome::Text(String::new())]),
            Outcome::Set(vec![Outcome::Set(vec![])]),
        ];
        let many: Outcomes = strange.iter().cycle().take(80).cloned().collect();
        for probe in probes(&many) {
            assert_eq!(probe.read_all(&many).len(), 80);
            assert!(!probe.to_string().is_empty());
        }
    }

    #[test]
    fn keys_know_bits_and_forget_the_order_of_sets() {
        let (a, b) = (Outcome::Integer(1), Outcome::Integer(2));
        let set = |all: &[&Outcome]| Outcome::Set(all.iter().map(|x| (*x).clone()).collect());
        assert_eq!(key(&set(&[&a, &b])), key(&set(&[&b, &a])));
        assert_ne!(key(&Outcome::Number(0.0)), key(&Outcome::Number(-0.0)));
        assert_ne!(
            key(&Outcome::List(vec![a.clone(), b.clone()])),
            key(&Outcome::List(vec![b, a]))
        );
    }
}
