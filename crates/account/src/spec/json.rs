//! The JSON form: `{"version":1,"spec":{"sampled":{"inner":...,"rate":"8/1875"}}}`.
//!
//! A mechanism is an object of one key, its name; its value holds the arguments by name, or is
//! a list where a list is all there is. Numbers are strings, for JSON's own are binary floating
//! point to most readers; whole numbers may be written either way.

mod raw;
mod write;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::MechanismSpec;
use super::text::{build, describe};
use crate::AccountError;

/// A spec as a document: with the version of the language it is written in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecDocument {
    version: Version,
    /// The spec.
    pub spec: MechanismSpec,
}

impl SpecDocument {
    /// The version of the language that is written, and the only one that is read.
    pub const VERSION: u64 = 1;

    /// A document of the current version.
    #[must_use]
    pub fn new(spec: MechanismSpec) -> Self {
        Self { version: Version, spec }
    }
}

/// Version 1: there is no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(SpecDocument::VERSION)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let version = u64::deserialize(deserializer)?;
        if version == SpecDocument::VERSION {
            return Ok(Self);
        }
        let (known, name) = (SpecDocument::VERSION, "version");
        let error = AccountError::invalid(name, version, known.to_string());
        Err(de::Error::custom(error))
    }
}

impl Serialize for MechanismSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write::mechanism(&describe::spec(self)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MechanismSpec {
    /// Reads the JSON form and validates what it says.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = raw::Raw::deserialize(deserializer)?;
        let spec = raw.mechanism().and_then(|tree| build::spec(&tree));
        spec.and_then(Self::validated).map_err(|error| de::Error::custom(without_column(error)))
    }
}

/// Columns count in a text of the language; JSON readers report their own places.
fn without_column(error: AccountError) -> String {
    match error {
        AccountError::Syntax { reason, .. } => reason,
        other @ (AccountError::Invalid { .. }
        | AccountError::Refused { .. }
        | AccountError::TooLarge { .. }
        | AccountError::Exhausted { .. }
        | AccountError::Interrupted
        | AccountError::Numeric(_)) => other.to_string(),
    }
}
