//! The answers, for people.

use std::fmt::Write as _;

use throng_account::Bracket;
use throng_numeric::Rational;

use super::answer::{Answer, Attacker};
use crate::digits::{self, Side};
use crate::failure::Failure;
use crate::output;
use crate::table::Table;
use crate::terminal::Paint;

/// Prints a table per kind of question, then the attacker's view in words.
pub(super) fn show(answer: &Answer) -> Result<(), Failure> {
    let paint = output::paint();
    let mut text = format!("{}, neighbours {}\n", paint.heading(&answer.spec), answer.neighbours);
    let epsilon = answer.epsilon.iter().map(|row| (row.text.as_str(), row.bracket));
    let delta = answer.delta.iter().map(|row| (row.text.as_str(), row.bracket));
    let tradeoff = answer.tradeoff.iter().map(|row| (row.text.as_str(), row.bracket));
    let renyi = answer.renyi.iter().map(|row| (row.text.as_str(), row.bracket));
    text.push_str(&brackets(["delta", "epsilon"], epsilon, paint));
    text.push_str(&brackets(["epsilon", "delta"], delta, paint));
    text.push_str(&brackets(["false alarms", "missed"], tradeoff, paint));
    text.push_str(&brackets(["order", "Renyi divergence"], renyi, paint));
    text.push_str(&classical(answer, paint));
    if let Some(attacker) = &answer.attacker {
        text.push_str(&sentences(attacker)?);
    }
    if let Some(against) = &answer.against {
        let _ = writeln!(text, "\nagainst {}: {}", against.spec, against.comparison);
    }
    output::answer(&text)
}

/// A table of questions and brackets, or nothing.
fn brackets<'a>(
    header: [&str; 2],
    rows: impl Iterator<Item = (&'a str, Bracket)>,
    paint: Paint,
) -> String {
    let mut table = Table::new(header);
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return String::new();
    }
    for (asked, bracket) in rows {
        table.row([asked, &digits::bracket(bracket)]);
    }
    format!("\n{}", table.render(paint))
}

/// The classical bounds below what is certified here, or nothing.
fn classical(answer: &Answer, paint: Paint) -> String {
    if answer.compare.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["delta", "bound", "epsilon", "note"]);
    let mut footnotes = Footnotes::default();
    for ours in &answer.epsilon {
        let upper = digits::single(ours.bracket.upper, Side::Up);
        table.row([&ours.text, "this accountant", &upper, "certified"]);
        for row in answer.compare.iter().filter(|row| row.delta == ours.delta) {
            let epsilon = row.epsilon.map(|epsilon| digits::single(epsilon.0, Side::Up));
            let note = footnotes.short(&row.note);
            table.row([&ours.text, row.name, epsilon.as_deref().unwrap_or("-"), &note]);
        }
    }
    format!("\n{}{}", table.render(paint), footnotes.render())
}

/// Long remarks, each written once, below the table.
#[derive(Default)]
struct Footnotes(Vec<String>);

impl Footnotes {
    /// What stands in the table: the remark, or its number.
    fn short(&mut self, note: &str) -> String {
        const LONGEST: usize = 56;
        if note.chars().count() <= LONGEST {
            return note.to_owned();
        }
        let known = self.0.iter().position(|other| other == note);
        let index = known.unwrap_or_else(|| {
            self.0.push(note.to_owned());
            self.0.len() - 1
        });
        format!("({})", index + 1)
    }

    fn render(&self) -> String {
        let mut text = String::new();
        for (index, note) in self.0.iter().enumerate() {
            let _ = writeln!(text, "({}) {note}", index + 1);
        }
        text
    }
}

/// What an attacker can do, in words; every percentage is rounded up.
fn sentences(attacker: &Attacker) -> Result<String, Failure> {
    let percent = |part: f64| {
        let part = Rational::from_f64(part).map_err(throng_account::AccountError::from)?;
        Ok::<_, Failure>(digits::percent_up(&part))
    };
    let mut text = format!(
        "\nat 1 % false alarms at most {} % of members are found\n\
         at any rate of false alarms, found minus false alarms is at most {} %\n",
        percent(attacker.found)?,
        percent(attacker.advantage)?,
    );
    for row in &attacker.posterior {
        let _ = writeln!(
            text,
            "a belief of {} in membership rises to at most {} %, except with chance {}",
            row.prior_text,
            percent(row.posterior)?,
            row.delta_text,
        );
    }
    Ok(text)
}
