//! Tree to JSON.

use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::spec::text::tree::{Call, Node, Tree};
use crate::spec::text::{build, number, print};
use crate::spec::vocabulary::Kind;

/// A tree in a place that holds a certain kind.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    tree: &'a Tree,
    kind: Kind,
}

pub(super) fn mechanism(tree: &Tree) -> Written<'_> {
    Written { tree, kind: Kind::Spec }
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.tree.node {
            Node::Number(number) => match build::whole(number) {
                Some(count) if self.kind == Kind::Count => serializer.serialize_u64(count),
                Some(_) | None => serializer.serialize_str(&number::print(number)),
            },
            Node::Hole => Err(S::Error::custom("a template is not a spec")),
            Node::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Self { tree: item, ..*self })?;
                }
                list.end()
            }
            Node::Pair(pair) => {
                let (first, second) = pair.as_ref();
                [first, second].map(|tree| Self { tree, ..*self }).serialize(serializer)
            }
            Node::Call(call) => {
                let mut object = serializer.serialize_map(Some(1))?;
                object.serialize_entry(call.word.entry().name, &Arguments(call))?;
                object.end()
            }
        }
    }
}

/// What stands behind the name of a mechanism.
struct Arguments<'a>(&'a Call);

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let (Some(line), [Some(tree)]) = (self.0.word.entry().only_list(), &*self.0.slots) {
            return Written { tree, kind: line.kind }.serialize(serializer);
        }
        let arguments = print::said(self.0);
        serializer.collect_map(
            arguments.map(|(line, tree)| (line.name, Written { tree, kind: line.kind })),
        )
    }
}
