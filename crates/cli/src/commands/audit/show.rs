//! The answer, for people.

use std::fmt::Write as _;

use throng_audit::{Verdict, Witness, World};

use super::Options;
use super::answer::Answer;
use crate::digits::{self, Side};
use crate::failure::Failure;
use crate::output;
use crate::table::Table;
use crate::terminal::Paint;

/// Prints the verdict, the bounds, the witness; how to go on is talk.
pub(super) fn show(answer: &Answer, options: &Options) -> Result<(), Failure> {
    let paint = output::paint();
    let mut text = verdict_line(answer.verdict, &answer.claim, answer.false_alarm, paint);
    let _ = writeln!(text, "\n{}", bounds(answer).render(paint).trim_end());
    if let Some(witness) = &answer.witness {
        text.push_str(&event(witness, paint));
    }
    output::answer(&text)?;
    let low_bits = |witness: &Witness| witness.event.looks_at_bits();
    if options.grid.is_none() && answer.witness.as_ref().is_some_and(low_bits) {
        output::talk(
            "note: the event looks at the bits of floats; --grid STEP audits rounded outcomes\n",
        );
    }
    if let Some(path) = &options.save_witness {
        output::talk(&format!(
            "count the event again in fresh outcomes: --witness {}\n",
            path.display()
        ));
    } else if answer.witness.is_some() && options.witness.is_none() {
        output::talk("note: --save-witness keeps the event, to count it again with --witness\n");
    }
    Ok(())
}

/// One line that says it.
pub(super) fn verdict_line(
    verdict: Verdict,
    claim: &str,
    false_alarm: f64,
    paint: Paint,
) -> String {
    let chance = digits::plain_or_exponent(false_alarm);
    match verdict {
        Verdict::Violated => format!(
            "{}: the target is less private than {claim} (false alarm: at most {chance})\n",
            paint.error("violated")
        ),
        Verdict::NotViolated => format!(
            "{}: these outcomes do not refute {claim}, which is no proof of it\n",
            paint.heading("not violated")
        ),
    }
}

/// What is certified.
pub(super) fn bounds(answer: &Answer) -> Table {
    let mut table = Table::new(["what", "bound"]);
    let least = |bound: f64| format!("at least {}", digits::single(bound, Side::Down));
    let epsilon = format!("epsilon at delta {}", answer.delta_text);
    table.row([&epsilon, &least(answer.epsilon_lower.0)]);
    table.row(["mu of Gaussian privacy", &least(answer.mu_lower.0)]);
    table.row([
        "p-value of the claim",
        &format!("at most {}", digits::single(answer.p_value, Side::Up)),
    ]);
    let runs = format!("{}, of which {} chose the event", answer.samples, answer.explored);
    table.row(["runs in both worlds", &runs]);
    if let Some(pair) = answer.pair {
        table.row(["pair of inputs", &pair.to_string()]);
    }
    table
}

/// The event in words and in counts.
fn event(witness: &Witness, paint: Paint) -> String {
    format!(
        "\n{}: {}\n{}{}\n",
        paint.heading("witness"),
        witness.text,
        counts(witness).render(paint),
        allowed(witness)
    )
}

/// How often it happened.
pub(super) fn counts(witness: &Witness) -> Table {
    let mut table = Table::new(["world", "happened", "runs", "rate"]);
    for ((world, hits), runs) in ["0", "1"].into_iter().zip(witness.hits).zip(witness.runs) {
        table.row([world, &hits.to_string(), &runs.to_string(), &rate(hits, runs)]);
    }
    table
}

/// What the claim would allow.
pub(super) fn allowed(witness: &Witness) -> String {
    let (likelier, other) = match witness.likelier_in {
        World::Zero => (0, 1),
        World::One => (1, 0),
    };
    let allowed = digits::single(witness.allowed, Side::Up);
    format!("at that rate in world {other} the claim allows at most {allowed} in world {likelier}")
}

#[expect(clippy::cast_precision_loss, reason = "shown with six digits")]
fn rate(hits: u64, runs: u64) -> String {
    if runs == 0 {
        return "-".to_owned();
    }
    format!("{:.6}", hits as f64 / runs as f64)
}
