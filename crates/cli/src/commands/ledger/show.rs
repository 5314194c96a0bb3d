//! How a ledger stands.

use serde_json::{Map, Value, json};
use throng_ledger::{Amount, Charter, Ledger, Summary};

use crate::digits::Side;
use crate::failure::Failure;
use crate::table::Table;
use crate::{amount, output, records};

/// Shows budget, spending and anchor.
pub(super) fn show(ledger: &Ledger, as_json: bool) -> Result<(), Failure> {
    let summary = ledger.summary()?;
    let analysts = analysts(ledger, &summary)?;
    if as_json {
        return output::json(&in_json(ledger, &summary, &analysts));
    }
    let mut text = in_words(ledger, &summary);
    if !analysts.is_empty() {
        let mut table = Table::new(["analyst", "spent", "left"]);
        for Analyst { name, spent, left } in &analysts {
            let name = records::shown(name.as_bytes());
            table.row([&name, &amount::words(spent, Side::Up), &amount::words(left, Side::Down)]);
        }
        text.push('\n');
        text.push_str(&table.render(output::paint()));
    }
    output::answer(&text)
}

/// What an analyst has spent, and what they may still spend.
struct Analyst {
    name: String,
    spent: Amount,
    left: Amount,
}

/// Everybody who asked or has a quota.
fn analysts(ledger: &Ledger, summary: &Summary) -> Result<Vec<Analyst>, Failure> {
    let mut names: Vec<&String> =
        summary.analysts.keys().chain(summary.charter.quotas.keys()).collect();
    names.sort();
    names.dedup();
    let one = |name: &&String| {
        Ok(Analyst {
            name: (*name).clone(),
            spent: ledger.spent_by(name)?,
            left: ledger.remaining(Some(name))?,
        })
    };
    names.iter().map(one).collect()
}

fn in_words(ledger: &Ledger, summary: &Summary) -> String {
    let Charter { capacity, stated, under, policy, .. } = &summary.charter;
    let mut table = Table::new(["ledger", &ledger.path().display().to_string()]);
    if !policy.is_empty() {
        table.row(["policy", &records::shown(policy.as_bytes())]);
    }
    let mut budget = amount::words(capacity, Side::Down);
    if let Some((epsilon, delta)) = stated {
        budget = format!("{budget} (stated as {})", amount::stated(epsilon, delta));
    }
    table.row(["budget", &budget]);
    table.row(["spent", &amount::words(&summary.spent, Side::Up)]);
    table.row(["left", &amount::words(&summary.left, Side::Down)]);
    table.row(["neighbours", &under.to_string()]);
    let counts: Vec<String> = summary
        .counts
        .iter()
        .map(|(kind, many)| {
            let name = if *many == 1 { kind.name() } else { super::plural(*kind) };
            format!("{many} {name}")
        })
        .collect();
    table.row(["records", &counts.join(", ")]);
    table.row(["anchor", &summary.anchor.to_string()]);
    table.render(output::paint())
}

fn in_json(ledger: &Ledger, summary: &Summary, analysts: &[Analyst]) -> Value {
    let Charter { capacity, stated, under, policy, .. } = &summary.charter;
    let stated = stated.as_ref().map(|(epsilon, delta)| {
        json!({ "epsilon": epsilon.to_f64_nearest(), "delta": delta.to_f64_nearest() })
    });
    let analysts: Vec<Value> = analysts
        .iter()
        .map(|one| {
            json!({
                "name": one.name,
                "spent": amount::json(&one.spent, Side::Up),
                "left": amount::json(&one.left, Side::Down),
            })
        })
        .collect();
    let counts: Map<String, Value> = summary
        .counts
        .iter()
        .map(|(kind, many)| (super::plural(*kind).to_owned(), (*many).into()))
        .collect();
    json!({
        "schema": output::SCHEMA,
        "ledger": ledger.path().display().to_string(),
        "policy": policy,
        "neighbours": under.to_string(),
        "budget": amount::json(capacity, Side::Down),
        "stated": stated,
        "spent": amount::json(&summary.spent, Side::Up),
        "left": amount::json(&summary.left, Side::Down),
        "analysts": analysts,
        "records": counts,
        "anchor": summary.anchor.to_string(),
    })
}
