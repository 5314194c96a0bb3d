//! The syntax tree, with every name looked up and every argument in its place.

use throng_numeric::Rational;

use crate::spec::vocabulary::{Argument, Kind, Word};

/// A part of a spec and where it began in the text (0 if there is no text).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) column: usize,
    pub(crate) node: Node,
}

/// What the part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Number(Rational),
    /// `?`: a number to be found.
    Hole,
    List(Vec<Tree>),
    Pair(Box<(Tree, Tree)>),
    Call(Call),
}

/// A word with its arguments in the order of the table; `None` is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) word: Word,
    pub(crate) slots: Vec<Option<Tree>>,
}

impl From<Node> for Tree {
    fn from(node: Node) -> Self {
        Self { column: 0, node }
    }
}

impl Call {
    /// The arguments that are given, with their lines of the table.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&'static Argument, &Tree)> {
        let arguments = self.word.entry().arguments;
        arguments.iter().zip(&self.slots).filter_map(|(line, slot)| Some((line, slot.as_ref()?)))
    }
}

impl Tree {
    /// What a message calls it.
    pub(crate) fn name(&self) -> String {
        match &self.node {
            Node::Number(number) => format!("the number {}", super::number::print(number)),
            Node::Hole => "\"?\"".to_owned(),
            Node::List(_) => "a list".to_owned(),
            Node::Pair(_) => "a pair".to_owned(),
            Node::Call(call) => format!("the mechanism {}", call.word.entry().name),
        }
    }

    /// Whether it is, or stands for, a number.
    pub(crate) fn is_amount(&self) -> bool {
        match self.node {
            Node::Number(_) | Node::Hole => true,
            Node::List(_) | Node::Pair(_) | Node::Call(_) => false,
        }
    }

    /// Every hole: where it is, the argument it is in, and what that holds.
    pub(crate) fn holes(&self) -> Vec<(usize, (&'static str, Kind))> {
        let mut found = Vec::new();
        self.collect_holes(("the whole", Kind::Spec), &mut found);
        found.sort_unstable_by_key(|(column, _)| *column);
        found
    }

    fn collect_holes(
        &self,
        place: (&'static str, Kind),
        found: &mut Vec<(usize, (&'static str, Kind))>,
    ) {
        match &self.node {
            Node::Number(_) => {}
            Node::Hole => found.push((self.column, place)),
            Node::List(items) => items.iter().for_each(|item| item.collect_holes(place, found)),
            Node::Pair(pair) => {
                let first = if place.1 == Kind::Chances { ("chance", Kind::Real) } else { place };
                pair.0.collect_holes(first, found);
                pair.1.collect_holes(place, found);
            }
            Node::Call(call) => call
                .written()
                .for_each(|(line, tree)| tree.collect_holes((line.name, line.kind), found)),
        }
    }

    /// The same tree with this number in every hole.
    pub(crate) fn filled(&self, value: &Rational) -> Self {
        let node = match &self.node {
            Node::Hole => Node::Number(value.clone()),
            Node::Number(number) => Node::Number(number.clone()),
            Node::List(items) => Node::List(items.iter().map(|item| item.filled(value)).collect()),
            Node::Pair(pair) => Node::Pair(Box::new((pair.0.filled(value), pair.1.filled(value)))),
            Node::Call(call) => Node::Call(Call {
                word: call.word,
                slots: call
                    .slots
                    .iter()
                    .map(|slot| slot.as_ref().map(|tree| tree.filled(value)))
                    .collect(),
            }),
        };
        Self { column: self.column, node }
    }
}
