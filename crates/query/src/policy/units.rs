//! How a row finds its unit.

use super::{Privacy, Table, UnitRule};

/// How a row of a private table finds its unit.
///
/// The rows are joined along [`Self::steps`]; the unit is then in [`Self::column`] of the table
/// reached last (of the table itself if there are no steps).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitPath {
    /// What the units are called: tables whose paths end in one identity share units.
    pub identity: String,
    /// The joins, in order.
    pub steps: Vec<Step>,
    /// The column that names the unit, in the table reached last.
    pub column: String,
}

/// One join on the way to the unit: `column` of the table so far equals `table.key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The column that refers.
    pub column: String,
    /// The table referred to.
    pub table: String,
    /// Its column referred to, in which no value occurs twice.
    pub key: String,
}

/// Why there is no way to a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lost {
    /// The path refers to a table that is not there.
    Missing(String),
    /// The path comes back to where it was.
    Cycle(Vec<String>),
    /// The path ends in a public table.
    Public(String),
    /// The path ends in a table where each row is a unit.
    Row(String),
}

/// The path of a table, `None` if it has no unit column.
///
/// A last step whose key is itself the unit column is left out: the referring column already
/// names the unit.
pub(super) fn path(tables: &[Table], name: &str) -> Result<Option<UnitPath>, Lost> {
    let find = |name: &str| {
        let found = tables.iter().find(|table| table.name == name);
        found.ok_or_else(|| Lost::Missing(name.to_string()))
    };
    let mut here = find(name)?;
    let mut steps: Vec<Step> = Vec::new();
    let mut visited = vec![here.name.clone()];
    loop {
        let Privacy::Private { unit, .. } = &here.privacy else {
            return if steps.is_empty() { Ok(None) } else { Err(Lost::Public(here.name.clone())) };
        };
        match unit {
            UnitRule::Row if steps.is_empty() => return Ok(None),
            UnitRule::Row => return Err(Lost::Row(here.name.clone())),
            UnitRule::Column { column, name } => {
                let own = || format!("{}.{column}", here.name);
                let identity = name.clone().unwrap_or_else(own);
                return Ok(Some(shortened(identity, steps, column.clone())));
            }
            UnitRule::Through { column, table, key } => {
                steps.push(Step { column: column.clone(), table: table.clone(), key: key.clone() });
                here = find(table)?;
                let again = visited.contains(&here.name);
                visited.push(here.name.clone());
                if again {
                    return Err(Lost::Cycle(visited));
                }
            }
        }
    }
}

fn shortened(identity: String, mut steps: Vec<Step>, mut column: String) -> UnitPath {
    while let Some(last) = steps.pop_if(|last| last.key == column) {
        column = last.column;
    }
    UnitPath { identity, steps, column }
}
