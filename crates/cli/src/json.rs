//! Numbers in JSON, which knows no infinity: it becomes the text "inf".

use serde::{Serialize, Serializer};
use throng_account::Bracket;

/// A number that may be infinite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Real(pub(crate) f64);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0.is_infinite() {
            to.serialize_str(if self.0 > 0.0 { "inf" } else { "-inf" })
        } else {
            to.serialize_f64(self.0)
        }
    }
}

/// Both ends of a bracket.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Ends {
    lower: Real,
    upper: Real,
}

impl From<Bracket> for Ends {
    fn from(bracket: Bracket) -> Self {
        Self { lower: Real(bracket.lower), upper: Real(bracket.upper) }
    }
}
