//! The report: what was claimed, what was found, how to see it again. Markdown, or one HTML file.

use std::fmt::Write as _;
use std::path::Path;

use throng_audit::Verdict;

use super::answer::Answer;
use super::{draw, ending, show};
use crate::digits::{self, Side};
use crate::failure::Failure;
use crate::plot::svg;

/// What a file holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    Markdown,
    Html,
}

impl Format {
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        match ending(path).as_str() {
            "md" | "markdown" => Ok(Self::Markdown),
            "html" | "htm" => Ok(Self::Html),
            _ => Err(Failure::usage(
                format!("--report is {}, but must end in md or html", path.display()),
                "the ending of the name says what is written",
            )),
        }
    }
}

/// A part of the report.
enum Part {
    Title(String),
    Heading(&'static str),
    Text(String),
    /// Rows of cells; the first is the header.
    Table(Vec<Vec<String>>),
    Code(String),
    /// The picture, where it can be shown.
    Picture(String),
}

/// Writes the report.
pub(super) fn write(answer: &Answer, path: &Path) -> Result<(), Failure> {
    let parts = parts(answer);
    let text = match Format::of(path)? {
        Format::Markdown => markdown(&parts),
        Format::Html => html(&parts),
    };
    super::write(path, text.as_bytes())
}

fn parts(answer: &Answer) -> Vec<Part> {
    let mut parts = vec![Part::Title(format!("Audit of {}", answer.claim))];
    parts.push(Part::Text(verdict(answer)));
    parts.push(Part::Heading("What was claimed"));
    parts.push(Part::Text(format!(
        "That the target is at least as private as {}, neighbours {}. Two worlds, that is two inputs \
         that differ in one unit, were compared.",
        answer.claim, answer.neighbours
    )));
    parts.push(Part::Heading("What is certified"));
    parts.push(Part::Table(bounds(answer)));
    parts.push(Part::Text(format!(
        "Each line is wrong with a chance of at most {}, over the randomness of the target. The \
         verdict was reached by {}.",
        digits::plain_or_exponent(answer.false_alarm),
        answer.method
    )));
    parts.push(Part::Picture(svg::render(&draw::figure(answer))));
    parts.extend(witness(answer));
    parts.push(Part::Heading("What this does not say"));
    parts.push(Part::Text(limits(answer).to_owned()));
    parts
}

fn verdict(answer: &Answer) -> String {
    match answer.verdict {
        Verdict::Violated => format!(
            "Violated. The target is less private than {} on this pair of inputs; if it were not, \
             outcomes like these would be seen with a chance of at most {}.",
            answer.claim,
            digits::plain_or_exponent(answer.false_alarm)
        ),
        Verdict::NotViolated => {
            format!("Not violated. These outcomes do not refute {}.", answer.claim)
        }
    }
}

fn bounds(answer: &Answer) -> Vec<Vec<String>> {
    let row = |what: String, bound: String| vec![what, bound];
    let least = |x: f64| format!("at least {}", digits::single(x, Side::Down));
    let p_value = digits::single(answer.p_value, Side::Up);
    let mut rows = vec![
        row("what".to_owned(), "bound".to_owned()),
        row(format!("epsilon at delta {}", answer.delta_text), least(answer.epsilon_lower.0)),
        row("mu of Gaussian privacy".to_owned(), least(answer.mu_lower.0)),
        row("p-value of the claim".to_owned(), format!("at most {p_value}")),
        row("runs in both worlds".to_owned(), answer.samples.to_string()),
        row("of which chose the event".to_owned(), answer.explored.to_string()),
    ];
    if let Some(pair) = answer.pair {
        rows.push(row("pair of inputs".to_owned(), pair.to_string()));
    }
    rows
}

fn witness(answer: &Answer) -> Vec<Part> {
    let Some(witness) = &answer.witness else {
        return Vec::new();
    };
    let mut rows = vec![["world", "happened", "runs"].map(str::to_owned).to_vec()];
    for ((world, hits), runs) in ["0", "1"].into_iter().zip(witness.hits).zip(witness.runs) {
        rows.push(vec![world.to_owned(), hits.to_string(), runs.to_string()]);
    }
    let mut parts = vec![
        Part::Heading("The witness"),
        Part::Text(format!("The event: {}.", witness.text)),
        Part::Table(rows),
        Part::Text(format!("It was chosen before it was counted; {}.", show::allowed(witness))),
        Part::Heading("How to see it again"),
        Part::Text(
            "Save the event below as witness.json and count it in fresh outcomes of both worlds:"
                .to_owned(),
        ),
        Part::Code(format!(
            "throng audit --claim '{}' --neighbours {} --confidence {} --witness witness.json \
             --world0 FILE --world1 FILE",
            answer.claim, answer.neighbours, answer.confidence_text
        )),
    ];
    parts.extend(serde_json::to_string(witness).ok().map(Part::Code));
    parts
}

fn limits(answer: &Answer) -> &'static str {
    match answer.verdict {
        Verdict::Violated => {
            "It does not say how much less private the target is than the bounds above: it may be far \
             worse. It takes for granted that runs are independent and that the two inputs are \
             neighbours under the relation of the claim."
        }
        Verdict::NotViolated => {
            "It does not say that the claim holds: another pair of inputs, another event or more runs may \
             refute it. The bounds above hold all the same."
        }
    }
}

fn markdown(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        let _ = match part {
            Part::Title(title) => writeln!(text, "# {title}\n"),
            Part::Heading(heading) => writeln!(text, "## {heading}\n"),
            Part::Text(paragraph) => writeln!(text, "{}\n", plain(paragraph)),
            Part::Table(rows) => writeln!(text, "{}", markdown_table(rows)),
            Part::Code(code) => writeln!(text, "```\n{}\n```\n", code.replace("```", "` ` `")),
            Part::Picture(_) => Ok(()),
        };
    }
    text.trim_end().to_owned() + "\n"
}

/// Characters that Markdown would take for marks.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '_' | '`' | '<' | '[' | '\\' | '|') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

fn markdown_table(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| plain(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if index == 0 {
            let _ = writeln!(text, "|{}", "---|".repeat(row.len()));
        }
    }
    text
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;\
     padding:0 1rem;color:#222}table{border-collapse:collapse}td,th{border:1px solid #ccc;\
     padding:.3rem .7rem;text-align:left}pre{background:#f4f4f4;padding:.7rem;overflow-x:auto;\
     white-space:pre-wrap;overflow-wrap:anywhere}svg{max-width:100%;height:auto}";

fn html(parts: &[Part]) -> String {
    let title = parts.iter().find_map(|part| match part {
        Part::Title(title) => Some(svg::escaped(title)),
        Part::Heading(_) | Part::Text(_) | Part::Table(_) | Part::Code(_) | Part::Picture(_) => {
            None
        }
    });
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        title.unwrap_or_default()
    );
    for part in parts {
        let _ = match part {
            Part::Title(title) => writeln!(text, "<h1>{}</h1>", svg::escaped(title)),
            Part::Heading(heading) => writeln!(text, "<h2>{}</h2>", svg::escaped(heading)),
            Part::Text(paragraph) => writeln!(text, "<p>{}</p>", svg::escaped(paragraph)),
            Part::Table(rows) => writeln!(text, "{}", html_table(rows)),
            Part::Code(code) => writeln!(text, "<pre>{}</pre>", svg::escaped(code)),
            Part::Picture(picture) => writeln!(text, "<p>{picture}</p>"),
        };
    }
    text.push_str("</body>\n</html>\n");
    text
}

fn html_table(rows: &[Vec<String>]) -> String {
    let mut text = "<table>\n".to_owned();
    for (index, row) in rows.iter().enumerate() {
        let tag = if index == 0 { "th" } else { "td" };
        let cells = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", svg::escaped(cell)));
        let _ = writeln!(text, "<tr>{}</tr>", cells.collect::<String>());
    }
    text.push_str("</table>");
    text
}
