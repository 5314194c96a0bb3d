//! Charges as a table or as JSON.

use serde_json::{Value, json};
use throng_ledger::Line;

use crate::digits::Side;
use crate::failure::Failure;
use crate::table::Table;
use crate::{amount, output, records};

/// Shows charges in the order given.
pub(super) fn show(lines: &[Line], as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::json(&json!({ "schema": output::SCHEMA, "charges": in_json(lines) }));
    }
    let mut table = Table::new(["record", "cost", "analyst", "answered", "question"]);
    for line in lines {
        table.row([
            &line.ticket.number.to_string(),
            &amount::words(&line.cost, Side::Up),
            &line
                .analyst
                .as_deref()
                .map(|name| records::shown(name.as_bytes()))
                .unwrap_or_default(),
            if line.answered { "yes" } else { "no" },
            &in_one_line(&line.label),
        ]);
    }
    output::answer(&table.render(output::paint()))
}

/// Charges as JSON, in the order given.
#[must_use]
pub fn in_json(lines: &[Line]) -> Value {
    lines.iter().map(one).collect()
}

fn one(line: &Line) -> Value {
    json!({
        "receipt": line.ticket.to_string(),
        "number": line.ticket.number,
        "question": line.label,
        "analyst": line.analyst,
        "mechanism": line.spec,
        "cost": amount::json(&line.cost, Side::Up),
        "spent": amount::json(&line.spent, Side::Up),
        "at": line.at,
        "answered": line.answered,
    })
}

/// The beginning of a text, in one line.
fn in_one_line(text: &str) -> String {
    const MOST: usize = 70;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut start: String = joined.chars().take(MOST).collect();
    if start.len() < joined.len() {
        start.push_str("...");
    }
    records::shown(start.as_bytes())
}
