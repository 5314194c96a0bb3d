//! A policy as one text, whatever its file looks like.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::{ColumnRule, Policy, Privacy, Table, UnitRule, Value};
use crate::question::{Limit, Range};

/// A digest of what gives an answer its meaning.
pub(super) fn id(policy: &Policy) -> String {
    let mut text = format!("throng policy 1\nneighbours {:?}\n", policy.neighbours);
    for table in &policy.tables {
        describe(table, &mut text);
    }
    short_digest(&Sha256::digest(text.as_bytes()))
}

/// The first 128 bits of a digest: enough that nobody finds two policies with one name by chance;
/// the owner, who writes them, is trusted.
pub(crate) fn short_digest(digest: &[u8]) -> String {
    digest.iter().take(16).fold(String::new(), |mut text, byte| {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Names and values are quoted by Debug, so that no two policies read the same.
fn describe(table: &Table, text: &mut String) {
    let Table { name, paths, format, columns, privacy } = table;
    let format = format.name();
    let _ = writeln!(text, "table {name:?} {format} {paths:?} {}", protection(privacy));
    for (column, rule) in columns {
        let _ = writeln!(text, "  column {column:?}{}", declared(rule));
    }
}

fn protection(privacy: &Privacy) -> String {
    let limit = |limit: Limit| match limit {
        Limit::Fixed(most) => most.to_string(),
        Limit::Auto => "auto".to_string(),
    };
    match privacy {
        Privacy::Public => "public".to_string(),
        Privacy::Private { unit, limits } => {
            let unit = match unit {
                UnitRule::Row => "row".to_string(),
                UnitRule::Column { column, name } => format!("column {column:?} {name:?}"),
                UnitRule::Through { column, table, key } => {
                    format!("through {column:?} {table:?} {key:?}")
                }
            };
            format!("{unit} groups {} rows {}", limit(limits.groups), limit(limits.rows))
        }
    }
}

fn declared(rule: &ColumnRule) -> String {
    let ColumnRule { range, unit_sum, max_matches, keys, kind } = rule;
    let mut text = String::new();
    match range {
        Some(Range::Declared { lower, upper }) => {
            let _ = write!(text, " from {lower} to {upper}");
        }
        Some(Range::Auto { column }) => {
            let _ = write!(text, " auto {column:?}");
        }
        None => {}
    }
    if let Some(most) = unit_sum {
        let _ = write!(text, " unit sum {most}");
    }
    if let Some(most) = max_matches {
        let _ = write!(text, " matches {most}");
    }
    if let Some(kind) = kind {
        let _ = write!(text, " type {kind:?}");
    }
    for key in keys.iter().flatten() {
        let _ = match key {
            Value::Text(key) => write!(text, " text {key:?}"),
            Value::Number(key) => write!(text, " number {key}"),
            Value::Boolean(key) => write!(text, " flag {key}"),
            Value::Moment(key) => write!(text, " moment {key:?}"),
            Value::Plain(key) => write!(text, " plain {key:?}"),
        };
    }
    text
}
