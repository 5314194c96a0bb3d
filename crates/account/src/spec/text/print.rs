//! Tree to text.

use std::fmt;

use throng_numeric::Rational;

use super::number;
use super::tree::{Call, Node, Tree};
use crate::spec::vocabulary::{Argument, Default, Kind, Word};

/// Writes the canonical text.
pub(crate) fn tree(tree: &Tree, f: &mut dyn fmt::Write) -> fmt::Result {
    match &tree.node {
        Node::Number(number) => f.write_str(&number::print(number)),
        Node::Hole => f.write_char('?'),
        Node::List(items) => {
            f.write_char('[')?;
            separated(items, ", ", f, self::tree)?;
            f.write_char(']')
        }
        Node::Pair(pair) => {
            f.write_char('(')?;
            self::tree(&pair.0, f)?;
            f.write_str(", ")?;
            self::tree(&pair.1, f)?;
            f.write_char(')')
        }
        Node::Call(call) => match operator(call) {
            Some(Operator::Sum(parts)) => separated(parts, " + ", f, summand),
            Some(Operator::Product { times, inner }) => {
                self::tree(times, f)?;
                f.write_str(" * ")?;
                factor(inner, f)
            }
            None => named(call, f),
        },
    }
}

/// A call that is written with a sign instead of its name.
enum Operator<'a> {
    Sum(&'a [Tree]),
    Product { times: &'a Tree, inner: &'a Tree },
}

fn operator(call: &Call) -> Option<Operator<'_>> {
    match (call.word, call.slots.as_slice()) {
        (Word::Composed, [Some(Tree { node: Node::List(parts), .. })]) if parts.len() > 1 => {
            Some(Operator::Sum(parts))
        }
        (Word::Repeated, [Some(inner), Some(times)]) => Some(Operator::Product { times, inner }),
        _ => None,
    }
}

fn operator_of(tree: &Tree) -> Option<Operator<'_>> {
    match &tree.node {
        Node::Call(call) => operator(call),
        Node::Number(_) | Node::Hole | Node::List(_) | Node::Pair(_) => None,
    }
}

/// A part of a sum: a sum inside a sum keeps its parentheses, for it is another spec.
fn summand(part: &Tree, f: &mut dyn fmt::Write) -> fmt::Result {
    match operator_of(part) {
        Some(Operator::Sum(_)) => parenthesised(part, f),
        Some(Operator::Product { .. }) | None => tree(part, f),
    }
}

fn factor(part: &Tree, f: &mut dyn fmt::Write) -> fmt::Result {
    match operator_of(part) {
        Some(Operator::Sum(_) | Operator::Product { .. }) => parenthesised(part, f),
        None => tree(part, f),
    }
}

fn parenthesised(part: &Tree, f: &mut dyn fmt::Write) -> fmt::Result {
    f.write_char('(')?;
    tree(part, f)?;
    f.write_char(')')
}

/// `gaussian(sigma=0.8)`, without what need not be said.
fn named(call: &Call, f: &mut dyn fmt::Write) -> fmt::Result {
    let entry = call.word.entry();
    f.write_str(entry.name)?;
    if entry.arguments.is_empty() {
        return Ok(());
    }
    f.write_char('(')?;
    let said: Vec<_> = said(call).collect();
    separated(&said, ", ", f, |(line, value), f| {
        match (line.kind, &value.node) {
            (Kind::Specs, Node::List(parts)) => return separated(parts, ", ", f, tree),
            (Kind::Spec | Kind::Leaf, _) => {}
            _ if entry.only_list().is_some() => {}
            _ => write!(f, "{}=", line.name)?,
        }
        tree(value, f)
    })?;
    f.write_char(')')
}

/// The arguments that are not what they are anyway.
pub(crate) fn said(call: &Call) -> impl Iterator<Item = (&'static Argument, &Tree)> {
    call.written().filter(|(line, value)| match (line.default, &value.node) {
        (Some(Default::Number(default)), Node::Number(number)) => {
            *number != Rational::from(default)
        }
        (Some(Default::Same(other)), Node::Number(_)) => {
            !call.written().any(|(line, same)| line.name == other && same.node == value.node)
        }
        (Some(Default::Empty), Node::List(items)) => !items.is_empty(),
        _ => true,
    })
}

fn separated<T>(
    items: &[T],
    separator: &str,
    f: &mut dyn fmt::Write,
    item: impl Fn(&T, &mut dyn fmt::Write) -> fmt::Result,
) -> fmt::Result {
    for (index, each) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item(each, f)?;
    }
    Ok(())
}
