//! The words of the spec language: one table for reading, printing, messages and help.

mod table;

use std::fmt;

pub(crate) use table::Word;

/// One word of the language: a mechanism or a way to put mechanisms together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The name that is printed.
    pub name: &'static str,
    /// Other names that are read.
    pub aliases: &'static [&'static str],
    /// What stands between the parentheses, in order.
    pub arguments: &'static [Argument],
    /// One line that says what it is.
    pub meaning: &'static str,
    /// Whether it is made of other mechanisms.
    pub combines: bool,
    pub(crate) word: Word,
    pub(crate) shorthand: Option<Shorthand>,
}

/// What stands between the parentheses of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// The name that is printed.
    pub name: &'static str,
    /// Other names that are read.
    pub aliases: &'static [&'static str],
    /// What it holds.
    pub kind: Kind,
    /// What it is when it is left out, if it may be.
    pub default: Option<Default>,
}

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number: `0.8`, `1e-6`, `256/60000`.
    Real,
    /// A whole number.
    Count,
    /// A mechanism.
    Spec,
    /// A mechanism that is not made of others.
    Leaf,
    /// Any number of mechanisms, one after the other.
    Specs,
    /// A list of numbers: `[1, 2/3]`.
    Reals,
    /// A list of pairs of numbers: `[(1/2, 3)]`.
    Pairs,
    /// A list of pairs of a chance and a mechanism.
    Chances,
}

/// What an argument is when it is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// This number.
    Number(u32),
    /// The same as this other argument.
    Same(&'static str),
    /// The empty list.
    Empty,
}

/// A single argument that stands for a different way to say the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shorthand {
    /// The names of the argument, which must be the only one.
    pub(crate) given: &'static [&'static str],
    /// The word that is meant.
    pub(crate) word: Word,
    /// The argument of that word that is meant.
    pub(crate) argument: &'static str,
}

/// Every word of the language, in the order in which help should list them.
pub fn vocabulary() -> impl Iterator<Item = &'static Entry> {
    Word::ALL.iter().map(|word| word.entry())
}

impl Entry {
    /// The entry that is called `name`, or has it as an alias.
    #[must_use]
    pub fn called(name: &str) -> Option<&'static Self> {
        vocabulary().find(|entry| entry.names().any(|known| known == name))
    }

    /// The name and then the aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// The arguments with their defaults: `sigma, sensitivity=1`.
    #[must_use]
    pub fn takes(&self) -> String {
        if self.arguments.is_empty() {
            return "no arguments".to_owned();
        }
        let arguments: Vec<_> = self.arguments.iter().map(ToString::to_string).collect();
        arguments.join(", ")
    }

    /// Where the argument of this name, or with this alias, stands.
    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        self.arguments.iter().position(|argument| argument.is_called(name))
    }

    /// The only argument, if it holds a list: it is written without its name.
    pub(crate) fn only_list(&self) -> Option<&'static Argument> {
        match self.arguments {
            [only] if only.kind.is_list() => Some(only),
            _ => None,
        }
    }
}

impl fmt::Display for Entry {
    /// How it is written: `gaussian(sigma, sensitivity=1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.arguments.is_empty() {
            return f.write_str(self.name);
        }
        write!(f, "{}({})", self.name, self.takes())
    }
}

impl Argument {
    const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, aliases: &[], kind, default: None }
    }

    const fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    const fn or(self, default: Default) -> Self {
        Self { default: Some(default), ..self }
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

impl fmt::Display for Argument {
    /// The name and the default: `sensitivity=1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.default) {
            (Kind::Specs, _) => f.write_str("mechanism, ..."),
            (_, None) => f.write_str(self.name),
            (_, Some(Default::Number(number))) => write!(f, "{}={number}", self.name),
            (_, Some(Default::Same(other))) => write!(f, "{}={other}", self.name),
            (_, Some(Default::Empty)) => write!(f, "{}=[]", self.name),
        }
    }
}

impl Kind {
    /// Whether it holds several values.
    #[must_use]
    pub const fn is_list(self) -> bool {
        match self {
            Self::Real | Self::Count | Self::Spec | Self::Leaf => false,
            Self::Specs | Self::Reals | Self::Pairs | Self::Chances => true,
        }
    }
}

impl fmt::Display for Kind {
    /// What a message calls it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Real => "a number",
            Self::Count => "a whole number",
            Self::Spec => "a mechanism",
            Self::Leaf => "a mechanism that is not made of others",
            Self::Specs => "mechanisms",
            Self::Reals => "a list of numbers, such as [1, 2/3]",
            Self::Pairs => "a list of pairs, such as [(1/2, 3)]",
            Self::Chances => "a list of pairs (chance, mechanism)",
        })
    }
}
