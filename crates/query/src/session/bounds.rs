//! What bounds on contributions cut off, as far as answers have said.
//!
//! An answer may hold a private estimate of the rows that its bounds left out. It was paid for with
//! the answer, so it may be kept as a fact, and whoever asks of the same rows under the same
//! bounds is told before paying again.

use datafusion::logical_expr::{Expr, LogicalPlan};
use throng_ledger::Digest;

use crate::question::{Limit, Question, Unit};
use crate::release::Clipping;

/// The share of rows above which bounds look wrong.
const MUCH: f64 = 0.1;

/// The name of the fact that keeps what the bounds of a question cut off.
///
/// Rows, unit, keys and limits decide about it; what is summed does not.
pub(super) fn fact_name(question: &Question) -> String {
    let unit = usize::from(question.unit != Unit::Row);
    let rows = if let LogicalPlan::Projection(rows) = &question.rows {
        let kept: Vec<&Expr> = rows.expr.iter().take(unit + question.keys.len()).collect();
        format!("{kept:?}\n{}", rows.input.display_indent())
    } else {
        question.rows.display_indent().to_string()
    };
    let text = format!("{rows}\n{:?} {:?} {:?}", question.unit, question.keys, question.limits);
    let digest = Digest::of(text.as_bytes()).to_string();
    format!("clipping:{}", digest.get(..32).unwrap_or(&digest))
}

/// An estimate as it is kept.
pub(super) fn to_text(clipping: Clipping) -> String {
    format!("{} {} {}", clipping.lost, clipping.low, clipping.high)
}

/// The estimate of a text; nothing if it is none.
pub(super) fn of_text(text: &str) -> Option<Clipping> {
    let mut parts = text.split(' ').map(|part| part.parse::<f64>().ok());
    let mut share = || parts.next()?.filter(|share| (0.0..=1.0).contains(share));
    Some(Clipping { lost: share()?, low: share()?, high: share()? })
}

/// Whether so much is cut off that it is no accident of the noise.
pub(super) fn look_wrong(clipping: Clipping) -> bool {
    clipping.low > MUCH
}

/// What to say before somebody pays for the same again.
pub(super) fn warning(question: &Question, last: Clipping) -> Option<String> {
    look_wrong(last).then(|| {
        let (lost, advice) = (percent(last.lost), advice(question));
        let limits = limits(question);
        format!(
            "bounds look wrong: at the last answer {limits} cut off about {lost} of the rows; {advice}"
        )
    })
}

/// What to say beside an answer.
pub(super) fn note(question: &Question, clipping: Clipping) -> String {
    let [lost, low, high] = [clipping.lost, clipping.low, clipping.high].map(percent);
    let text =
        format!("bounds on contributions leave out about {lost} of the rows ({low} to {high})");
    if !look_wrong(clipping) {
        return text;
    }
    format!("{text}; {} look wrong: {}", limits(question), advice(question))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `max_groups = 3, max_rows = 10`; without groups only the second matters.
fn limits(question: &Question) -> String {
    let limit = |name: &str, limit: Limit| match limit {
        Limit::Fixed(most) => format!("{name} = {most}"),
        Limit::Auto => format!("{name} = \"auto\""),
    };
    let rows = limit("max_rows", question.limits.rows);
    if question.keys.is_empty() {
        return rows;
    }
    format!("{}, {rows}", limit("max_groups", question.limits.groups))
}

fn advice(question: &Question) -> &'static str {
    match question.limits.rows {
        Limit::Fixed(_) if question.keys.is_empty() => "raise it, or use \"auto\"",
        Limit::Fixed(_) => "raise them, or use \"auto\"",
        Limit::Auto => "what was chosen balances this with the noise: pay more, or ask for less",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_kept_as_they_are() {
        let clipping = Clipping { lost: 0.1 + 0.2, low: 1.0 / 3.0, high: 1.0 };
        assert_eq!(of_text(&to_text(clipping)), Some(clipping));
        for wrong in ["", "0.1 0.2", "0.1 0.2 x", "NaN 0 1", "0 0 2", "-1 0 0"] {
            assert_eq!(of_text(wrong), None, "{wrong}");
        }
    }
}
