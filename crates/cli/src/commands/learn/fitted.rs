//! A fitted model on its way out.

use std::path::Path;

use serde_json::{Map, Value, json};
use throng_learn::any::{AnyModel, Kind};
use throng_learn::{Card, LearnError};
use throng_ledger::Ticket;

use super::pay::Kept;
use super::{destination, ending};
use crate::failure::Failure;
use crate::number::Number;
use crate::output;
use crate::promise::Promise;

/// A model and its card.
pub(super) struct Fitted {
    pub(super) card: Card,
    pub(super) model: AnyModel,
}

impl Kept for Fitted {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        Ok(self.model.to_json(&self.card)?.into_bytes())
    }

    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let (card, model) = AnyModel::load(bytes)?;
        Ok(Self { card, model })
    }
}

impl Fitted {
    /// Writes it to a file in the form that its ending says, or as JSON to stdout.
    pub(super) fn write(&self, path: Option<&Path>) -> Result<(), Failure> {
        let json = || -> Result<String, LearnError> {
            Ok(format!("{}\n", self.model.to_json(&self.card)?))
        };
        match path {
            None => output::answer(&json()?),
            Some(path) if ending(path) == "safetensors" => {
                destination::write(path, &self.model.to_safetensors(&self.card)?)
            }
            Some(path) => destination::write(path, json()?.as_bytes()),
        }
    }

    /// What it promises, at a delta if one was asked for.
    pub(super) fn promise(&self, delta: Option<&Number>) -> Result<Promise, Failure> {
        Promise::stating(&self.card.spec()?, self.card.neighbours()?, delta)
    }
}

/// What is told of a fit in JSON: what was fitted, with all its options, and what it promises.
pub(super) fn told(kind: &Kind, given: &Map<String, Value>, promise: &Promise) -> Value {
    let mut options = Map::new();
    if let Value::Object(usual) = (kind.options)() {
        options.extend(usual);
    }
    options.extend(given.clone());
    json!({ "kind": kind.name, "guarantee": promise, "options": options })
}

/// The same with the receipt, and where the model is.
pub(super) fn receipted(mut told: Value, receipt: Option<Ticket>, path: Option<&Path>) -> Value {
    if let Value::Object(members) = &mut told {
        let receipt = receipt.map(|ticket| ticket.to_string());
        members.insert("receipt".to_owned(), json!(receipt));
        members.insert("model".to_owned(), json!(path.map(|path| path.display().to_string())));
    }
    told
}
