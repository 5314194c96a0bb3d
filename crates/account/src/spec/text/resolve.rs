//! Names and arguments looked up in the table, and what does not fit refused.

use super::tree::{Call, Node, Tree};
use super::{nearest, syntax};
use crate::AccountError;
use crate::spec::vocabulary::{Argument, Entry, Kind, Word, vocabulary};

/// An argument as it was written.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) column: usize,
    pub(crate) name: Option<String>,
    pub(crate) value: Tree,
}

/// A text in quotes, cut off if it is long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("\"{}...\"", text.get(..end).unwrap_or_default()),
        None => format!("\"{text}\""),
    }
}

/// The line of the table for a name.
pub(crate) fn entry(column: usize, name: &str) -> Result<&'static Entry, AccountError> {
    Entry::called(name).ok_or_else(|| {
        let near = nearest::names(name);
        let hint = if near.is_empty() {
            let known: Vec<_> = vocabulary().map(|entry| entry.name).collect();
            format!("known are {}", known.join(", "))
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        syntax(column, format!("there is no mechanism {}; {hint}", quoted(name)))
    })
}

/// A call of `entry` with arguments by position and by name.
pub(crate) fn arguments(
    column: usize,
    entry: &'static Entry,
    mut given: Vec<Given>,
) -> Result<Tree, AccountError> {
    let entry = follow_shorthand(entry, &mut given)?;
    let mut slots = vec![None; entry.arguments.len()];
    let variadic = matches!(entry.arguments, [Argument { kind: Kind::Specs, .. }]);
    if variadic && given.iter().all(|argument| argument.name.is_none()) {
        let parts = given.into_iter().map(|argument| argument.value).collect();
        slots = vec![Some(Tree { column, node: Node::List(parts) })];
        return call(column, entry.word, slots);
    }
    let mut named = false;
    for (position, argument) in given.into_iter().enumerate() {
        named |= argument.name.is_some();
        let place = place(entry, position, named, &argument)?;
        match slots.get_mut(place) {
            Some(slot @ None) => *slot = Some(argument.value),
            Some(Some(_)) | None => return Err(given_twice(entry, place, argument.column)),
        }
    }
    call(column, entry.word, slots)
}

/// `rr(eps=1)` is `pure(eps=1)`; `gaussian(noise_multiplier=2)` is `gaussian(sigma=2)`.
fn follow_shorthand(
    entry: &'static Entry,
    given: &mut [Given],
) -> Result<&'static Entry, AccountError> {
    let Some(shorthand) = entry.shorthand else { return Ok(entry) };
    let meant = |argument: &Given| {
        argument.name.as_deref().is_some_and(|name| shorthand.given.contains(&name))
    };
    match given {
        [only] if meant(only) => {
            only.name = Some(shorthand.argument.to_owned());
            Ok(shorthand.word.entry())
        }
        _ => match given.iter().find(|argument| meant(argument)) {
            Some(Given { column, name: Some(name), .. }) => Err(syntax(
                *column,
                format!(
                    "{} takes {} only alone; otherwise it takes {}",
                    entry.name,
                    quoted(name),
                    entry.takes()
                ),
            )),
            Some(Given { name: None, .. }) | None => Ok(entry),
        },
    }
}

/// Which argument of the table is meant.
fn place(
    entry: &Entry,
    position: usize,
    named: bool,
    argument: &Given,
) -> Result<usize, AccountError> {
    let reason = match &argument.name {
        Some(name) => match entry.place_of(name) {
            Some(place) => return Ok(place),
            None => format!("{} has no argument {}", entry.name, quoted(name)),
        },
        None if named => "an argument without a name cannot follow one with a name".to_owned(),
        None if position < entry.arguments.len() => return Ok(position),
        None => format!("{} has too many arguments", entry.name),
    };
    Err(syntax(argument.column, format!("{reason}; it takes {}", entry.takes())))
}

fn given_twice(entry: &Entry, place: usize, column: usize) -> AccountError {
    let name = entry.arguments.get(place).map_or("an argument", |argument| argument.name);
    let reason = format!("{name} of {} is given twice; it takes {}", entry.name, entry.takes());
    syntax(column, reason)
}

/// A call whose arguments are in their places: checks that each is there and of its kind.
pub(crate) fn call(
    column: usize,
    word: Word,
    slots: Vec<Option<Tree>>,
) -> Result<Tree, AccountError> {
    let entry = word.entry();
    for (argument, slot) in entry.arguments.iter().zip(&slots) {
        match slot {
            Some(tree) => {
                if let Some(wrong) = misfit(argument.kind, tree) {
                    return Err(wrong_kind(entry, argument, tree, wrong));
                }
            }
            None if argument.default.is_some() => {}
            None => {
                let reason =
                    format!("{} needs {}; it takes {}", entry.name, argument.name, entry.takes());
                return Err(syntax(column, reason));
            }
        }
    }
    Ok(Tree { column, node: Node::Call(Call { word, slots }) })
}

fn wrong_kind(entry: &Entry, argument: &Argument, whole: &Tree, wrong: &Tree) -> AccountError {
    let verb = if std::ptr::eq(whole, wrong) { "is" } else { "holds" };
    let (name, word, given, kind) = (argument.name, entry.name, wrong.name(), argument.kind);
    syntax(wrong.column, format!("{name} of {word} {verb} {given}, but must be {kind}"))
}

/// The first part of a tree that is not what an argument of this kind holds.
fn misfit(kind: Kind, tree: &Tree) -> Option<&Tree> {
    let item: fn(&Tree) -> Option<&Tree> = match (kind, &tree.node) {
        (Kind::Real | Kind::Count, Node::Hole)
        | (Kind::Real, Node::Number(_))
        | (Kind::Spec, Node::Call(_)) => return None,
        (Kind::Count, Node::Number(number)) if super::build::whole(number).is_some() => {
            return None;
        }
        (Kind::Leaf, Node::Call(call)) if !call.word.entry().combines => return None,
        (Kind::Specs, Node::List(_)) => |item| misfit(Kind::Spec, item),
        (Kind::Reals, Node::List(_)) => |item| misfit(Kind::Real, item),
        (Kind::Pairs, Node::List(_)) => |item| misfit_of_pair(Kind::Real, item),
        (Kind::Chances, Node::List(_)) => |item| misfit_of_pair(Kind::Spec, item),
        _ => return Some(tree),
    };
    match &tree.node {
        Node::List(items) => items.iter().find_map(item),
        Node::Number(_) | Node::Hole | Node::Pair(_) | Node::Call(_) => None,
    }
}

fn misfit_of_pair(second: Kind, tree: &Tree) -> Option<&Tree> {
    match &tree.node {
        Node::Pair(pair) => misfit(Kind::Real, &pair.0).or_else(|| misfit(second, &pair.1)),
        Node::Number(_) | Node::Hole | Node::List(_) | Node::Call(_) => Some(tree),
    }
}
