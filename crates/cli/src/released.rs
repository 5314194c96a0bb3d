//! What the commands that release rows have in common: how sure error bars are, and the JSON.

use clap::Args;
use serde::Serialize;

use crate::json::Real;
use crate::number::{self, Number};
use crate::promise::{Errors, Promise};

/// How a release is shown.
#[derive(Debug, Args)]
pub(crate) struct Showing {
    /// The chance that error bars hold.
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = number::open_probability, allow_hyphen_values = true)]
    pub(crate) confidence: Number,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The JSON form of a release with rows of some kind.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<'a, Row> {
    guarantee: Promise,
    column: &'a str,
    confidence: f64,
    #[serde(flatten)]
    width: Width,
    uncovered: &'a [String],
    rows: Vec<Row>,
}

/// How wide error bars are.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Width {
    /// To both sides of a number.
    Sides {
        half_width: Real,
        #[serde(skip_serializing_if = "Option::is_none")]
        threshold: Option<i64>,
    },
    /// In ranks.
    Ranks { rank_error: Real },
}

impl<'a, Row> Answer<'a, Row> {
    /// A release of a column with its guarantee.
    pub(crate) fn new(
        guarantee: Promise,
        column: &'a str,
        showing: &Showing,
        width: Width,
        errors: &'a Errors,
        rows: Vec<Row>,
    ) -> Self {
        let confidence = showing.confidence.nearest();
        Self { guarantee, column, confidence, width, uncovered: errors.uncovered(), rows }
    }
}
