//! How a network is trained for a number, if nothing is said.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::options::NetworkOptions;
use super::{Network, Training};
use crate::Interval;

/// Private training of a network that says a number.
pub type RegressionTraining = Training<Interval>;

/// A network that says a number.
pub type RegressionNetwork = Network<Interval>;

/// [`NetworkOptions`] that begin with [`NetworkOptions::regression`] where nothing is said.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct RegressionOptions(pub NetworkOptions);

impl Default for RegressionOptions {
    fn default() -> Self {
        Self(NetworkOptions::regression())
    }
}

impl From<RegressionOptions> for NetworkOptions {
    fn from(options: RegressionOptions) -> Self {
        options.0
    }
}

impl<'de> Deserialize<'de> for RegressionOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Map::<String, Value>::deserialize(deserializer)?;
        let usual = serde_json::to_value(Self::default()).map_err(D::Error::custom)?;
        let mut all = usual.as_object().cloned().unwrap_or_default();
        all.extend(given);
        serde_json::from_value(Value::Object(all)).map(Self).map_err(D::Error::custom)
    }
}
