//! JSON to tree.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use throng_numeric::Rational;

use crate::AccountError;
use crate::spec::text::MAX_BRACKETS;
use crate::spec::text::number;
use crate::spec::text::resolve::{self, Given, quoted};
use crate::spec::text::tree::{Node, Tree};
use crate::spec::vocabulary::{Entry, Kind};

/// A JSON value of the kinds that a spec is made of.
#[derive(Debug)]
pub(super) enum Raw {
    Number(Rational),
    Text(String),
    List(Vec<Raw>),
    /// In the order written, so that a repeated key is seen.
    Object(Vec<(String, Raw)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Room(MAX_BRACKETS).deserialize(deserializer)
    }
}

/// How much deeper the value may nest.
#[derive(Clone, Copy)]
struct Room(usize);

impl Room {
    fn inside<E: de::Error>(self) -> Result<Self, E> {
        let room = self.0.checked_sub(1).map(Self);
        room.ok_or_else(|| E::custom(format!("values may nest at most {MAX_BRACKETS} deep")))
    }
}

impl<'de> DeserializeSeed<'de> for Room {
    type Value = Raw;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Room {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mechanism, or a number as a string or a whole number")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Raw, E> {
        Err(E::custom(format!(
            "the number {value} is not exact; write it as a string, such as \"{value}\""
        )))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        let room = self.inside()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(room)? {
            list.push(item);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Raw, A::Error> {
        let room = self.inside()?;
        let mut object = Vec::new();
        while let Some(key) = entries.next_key()? {
            object.push((key, entries.next_value_seed(room)?));
        }
        Ok(Raw::Object(object))
    }
}

impl Raw {
    /// The tree of a mechanism: `{"gaussian": {...}}`, or `"nonprivate"`.
    pub(super) fn mechanism(self) -> Result<Tree, AccountError> {
        match self {
            Self::Text(name) => resolve::arguments(0, resolve::entry(0, &name)?, Vec::new()),
            Self::Object(entries) => match <[_; 1]>::try_from(entries) {
                Ok([(name, arguments)]) => arguments.call(resolve::entry(0, &name)?),
                Err(entries) => Err(unfit(
                    "a mechanism is an object of one key, its name",
                    &format!("{} keys", entries.len()),
                )),
            },
            Self::Number(_) | Self::List(_) => {
                Err(unfit("a mechanism is an object of one key, its name", &self.name()))
            }
        }
    }

    /// A mechanism whose arguments this is.
    fn call(self, entry: &'static Entry) -> Result<Tree, AccountError> {
        let arguments = match (entry.only_list(), self) {
            (Some(line), list @ Self::List(_)) => vec![(line.name.to_owned(), list)],
            (_, Self::Object(arguments)) => arguments,
            (_, other) => {
                let wanted = format!("{} has an object of arguments", entry.name);
                return Err(unfit(&wanted, &other.name()));
            }
        };
        let given = arguments.into_iter().map(|(name, raw)| {
            let value = raw.value(kind_of(entry, &name))?;
            Ok(Given { column: 0, name: Some(name), value })
        });
        resolve::arguments(0, entry, given.collect::<Result<_, AccountError>>()?)
    }

    /// The tree of an argument. What does not fit its kind is refused when it is resolved.
    fn value(self, kind: Kind) -> Result<Tree, AccountError> {
        let item = match kind {
            Kind::Real | Kind::Count | Kind::Reals | Kind::Pairs => Kind::Real,
            Kind::Spec | Kind::Leaf | Kind::Specs | Kind::Chances => Kind::Spec,
        };
        match (kind, self) {
            (Kind::Pairs | Kind::Chances, Self::List(pairs)) => {
                let pairs = pairs.into_iter().map(|pair| pair.pair(item));
                Ok(Node::List(pairs.collect::<Result<_, _>>()?).into())
            }
            (_, Self::List(items)) => {
                let items = items.into_iter().map(|each| each.value(item));
                Ok(Node::List(items.collect::<Result<_, _>>()?).into())
            }
            (_, Self::Number(number)) => Ok(Node::Number(number).into()),
            (_, Self::Text(text)) if item == Kind::Real => text_number(&text),
            (_, mechanism @ (Self::Text(_) | Self::Object(_))) => mechanism.mechanism(),
        }
    }

    fn pair(self, second: Kind) -> Result<Tree, AccountError> {
        match self {
            Self::List(items) => match <[_; 2]>::try_from(items) {
                Ok([a, b]) => {
                    Ok(Node::Pair(Box::new((a.value(Kind::Real)?, b.value(second)?))).into())
                }
                Err(items) => {
                    Err(unfit("a pair is a list of two", &format!("a list of {}", items.len())))
                }
            },
            Self::Number(_) | Self::Text(_) | Self::Object(_) => {
                Err(unfit("a pair is a list of two", &self.name()))
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Number(number) => format!("the number {}", number::print(number)),
            Self::Text(text) => quoted(text),
            Self::List(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
        }
    }
}

fn text_number(text: &str) -> Result<Tree, AccountError> {
    match number::read(text) {
        Ok(number) => Ok(Node::Number(number).into()),
        Err(error) => Err(unfit("a number is a string such as \"0.8\" or \"8/1875\"", &{
            format!("{} ({})", quoted(text), error.reason)
        })),
    }
}

/// What an argument of this name holds; an unknown one is refused when it is resolved.
fn kind_of(entry: &Entry, name: &str) -> Kind {
    let line = entry.place_of(name).and_then(|place| entry.arguments.get(place));
    line.map_or(Kind::Real, |line| line.kind)
}

fn unfit(wanted: &str, found: &str) -> AccountError {
    AccountError::Syntax { column: 0, reason: format!("{wanted}, found {found}") }
}
