//! The names of the relations.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Neighbours;
use crate::AccountError;

impl Neighbours {
    /// The name that is printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AddRemove => "add-remove",
            Self::Replace => "replace",
            Self::ZeroOut => "zero-out",
        }
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Neighbours {
    type Err = AccountError;

    /// Reads `add-remove`, `replace`, `zero-out` and their other spellings.
    fn from_str(text: &str) -> Result<Self, AccountError> {
        match text {
            "add-remove" | "add_remove" | "addremove" => Ok(Self::AddRemove),
            "replace" | "replace-one" | "replace_one" | "substitution" => Ok(Self::Replace),
            "zero-out" | "zero_out" | "zeroout" => Ok(Self::ZeroOut),
            other => Err(AccountError::invalid(
                "neighbours",
                super::text::resolve::quoted(other),
                "add-remove, replace or zero-out",
            )),
        }
    }
}

impl Serialize for Neighbours {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Neighbours {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
