//! Bars for a terminal.

use std::fmt::Write as _;

use super::{Bar, Panel, shortened};
use crate::answer::text::{safe, width as columns};

/// The longest label, in letters.
const LONGEST: usize = 24;

/// The letters of a chart.
struct Pen {
    /// The bar.
    sure: char,
    /// The part of the bar that may be noise.
    unsure: char,
    /// Beyond the bar, as far as the truth may be.
    line: char,
    /// The end of an interval.
    end: char,
    zero: char,
}

const BLOCKS: Pen = Pen { sure: '█', unsure: '▒', line: '─', end: '┤', zero: '│' };
const ASCII: Pen = Pen { sure: '#', unsure: '=', line: '-', end: '|', zero: '|' };

/// All panels, one below the other.
pub(super) fn chart(panels: &[Panel], rows: usize, width: usize, ascii: bool) -> String {
    let pen = if ascii { ASCII } else { BLOCKS };
    let plain = |text: &str| if ascii { spelt(&safe(text)) } else { safe(text) };
    let mut text = String::new();
    for panel in panels {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", plain(&panel.name));
        let labels: Vec<String> =
            panel.bars.iter().map(|bar| plain(&shortened(&safe(&bar.label), LONGEST))).collect();
        let names = labels.iter().map(|label| columns(label)).max().unwrap_or(0);
        let numbers = panel.bars.iter().map(|bar| bar.text.chars().count()).max().unwrap_or(0);
        let room = width.saturating_sub(names + numbers + 4).clamp(8, 200);
        for (bar, label) in panel.bars.iter().zip(&labels) {
            let space = " ".repeat(names.saturating_sub(columns(label)));
            let drawn = drawn(panel, bar, room, &pen);
            let _ = writeln!(text, "{label}{space}  {:>numbers$}  {}", bar.text, drawn.trim_end());
        }
        if let Some(more) = rows.checked_sub(panel.bars.len()).filter(|more| *more > 0) {
            let _ = writeln!(text, "{}", plain(&format!("… and {more} more rows")));
        }
    }
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A bar in so many letters; each stands for the middle of its part of the axis.
fn drawn(panel: &Panel, bar: &Bar, room: usize, pen: &Pen) -> String {
    let Some(value) = bar.value else { return String::new() };
    let place = |x: f64| panel.place(x) * count(room);
    let (zero, tip) = (place(0.0), place(value));
    let ends = bar.ends.0.zip(bar.ends.1).map(|(low, high)| (place(low), place(high)));
    let letter = |index: usize| {
        let (left, middle) = (count(index), count(index) + 0.5);
        let right = left + 1.0;
        let in_bar = (zero.min(tip)..=zero.max(tip)).contains(&middle);
        let (in_span, is_end) = ends.map_or((false, false), |(low, high)| {
            let is_end =
                |end: f64| left <= end && (end < right || (index + 1 == room && end <= right));
            ((low..=high).contains(&middle), is_end(low) || is_end(high))
        });
        match (in_bar, in_span, is_end) {
            (true, true, _) => pen.unsure,
            (true, false, _) => pen.sure,
            (false, _, true) => pen.end,
            (false, true, false) => pen.line,
            (false, false, false) if panel.from < 0.0 && left <= zero && zero < right => pen.zero,
            (false, false, false) => ' ',
        }
    };
    (0..room).map(letter).collect()
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(0.0, f64::from)
}

/// Letters that every terminal has; others are written as escapes.
fn spelt(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '…' => plain.push_str("..."),
            c if c.is_ascii() => plain.push(c),
            c => plain.extend(c.escape_unicode()),
        }
    }
    plain
}
