//! An answer for people: aligned columns, or Markdown.

use super::digits::{Bars, Shown};
use super::table::{Table, TableColumn};

/// What stands for NULL.
const NULL: &str = "NULL";
/// The widest cell of a table, in columns of the terminal.
const WIDEST: usize = 64;

impl Table {
    /// The answer as aligned columns, numbers to the right.
    ///
    /// Beside a value with intervals stands `±` and half their width if values are in the middle,
    /// else their ends. Control characters, also those that turn the direction of text, are shown
    /// as escapes; very long texts are cut.
    pub fn to_text(&self, intervals: bool) -> String {
        let columns: Vec<Column> = self
            .shown(intervals)
            .into_iter()
            .flat_map(|(column, shown)| laid(column, shown))
            .collect();
        let mut text = line(columns.iter().map(|column| column.padded(&column.head)));
        let rules = columns.iter().map(|column| "─".repeat(column.width));
        text.push_str(&line(rules));
        for row in 0..self.rows() {
            let cells = columns
                .iter()
                .map(|column| column.padded(column.cells.get(row).map_or("", String::as_str)));
            text.push_str(&line(cells));
        }
        text
    }

    /// The answer as a Markdown table; what Markdown would take for marks is escaped.
    pub fn to_markdown(&self, intervals: bool) -> String {
        let columns = self.shown(intervals);
        let names = columns.iter().map(|(column, _)| marked(&column.name));
        let mut text = row_of(names);
        let rule = |(_, shown): &(&TableColumn, Shown)| if shown.number { "---:" } else { "---" };
        text.push_str(&row_of(columns.iter().map(|column| rule(column).to_owned())));
        for row in 0..self.rows() {
            text.push_str(&row_of(columns.iter().map(|(_, shown)| marked_cell(shown, row))));
        }
        text
    }

    fn shown(&self, intervals: bool) -> Vec<(&TableColumn, Shown)> {
        let columns = self.columns.iter().zip(self.batch.columns());
        columns
            .map(|(column, array)| {
                let mut shown = Shown::of(column, array, intervals);
                for (row, value) in shown.values.iter_mut().enumerate() {
                    if array.is_null(row) {
                        NULL.clone_into(value);
                    }
                }
                (column, shown)
            })
            .collect()
    }
}

/// A column of text.
struct Column {
    head: String,
    cells: Vec<String>,
    right: bool,
    width: usize,
}

impl Column {
    fn new(head: &str, cells: &[String], right: bool) -> Self {
        let head = cut(&safe(head));
        let cells: Vec<String> = cells.iter().map(|cell| cut(&safe(cell))).collect();
        let width = cells.iter().chain([&head]).map(|cell| width(cell)).max().unwrap_or(0);
        Self { head, cells, right, width }
    }

    fn padded(&self, cell: &str) -> String {
        let space = " ".repeat(self.width.saturating_sub(width(cell)));
        if self.right { format!("{space}{cell}") } else { format!("{cell}{space}") }
    }
}

/// The columns of text for a column of the answer.
fn laid(column: &TableColumn, shown: Shown) -> Vec<Column> {
    let mut columns = vec![Column::new(&column.name, &shown.values, shown.number)];
    match shown.ends {
        Bars::None => {}
        Bars::Around(halves) => columns.push(Column::new("±", &halves, true)),
        Bars::Between(low, high) => {
            columns.push(Column::new(&format!("{}_low", column.name), &low, true));
            columns.push(Column::new(&format!("{}_high", column.name), &high, true));
        }
    }
    columns
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("{}\n", cells.join("  ").trim_end())
}

fn row_of(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn marked_cell(shown: &Shown, row: usize) -> String {
    let at = |list: &[String]| list.get(row).cloned().unwrap_or_default();
    let value = marked(&at(&shown.values));
    match &shown.ends {
        Bars::Around(halves) if !at(halves).is_empty() => format!("{value} ± {}", at(halves)),
        Bars::Between(low, high) if !(at(low).is_empty() && at(high).is_empty()) => {
            format!("{value} ({} … {})", at(low), at(high))
        }
        Bars::None | Bars::Around(_) | Bars::Between(_, _) => value,
    }
}

/// Text that is no mark of Markdown or HTML.
fn marked(text: &str) -> String {
    let mut escaped = String::new();
    for c in safe(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '>' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Text that cannot steer a terminal: control characters, marks of direction, invisible letters and
/// line ends are written as escapes.
pub(super) fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c if c.is_control() || is_hidden(c) => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    safe
}

/// Letters that change how others are shown, or do not show.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Text that is not wider than the widest cell.
fn cut(text: &str) -> String {
    if width(text) <= WIDEST {
        return text.to_owned();
    }
    let mut room = WIDEST - 1;
    let kept = text.chars().take_while(|&c| {
        let fits = columns_of(c) <= room;
        room = room.saturating_sub(columns_of(c));
        fits
    });
    kept.chain(['…']).collect()
}

/// How many columns of a terminal a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Two for the letters of East Asia and for pictures, none for marks on other letters.
fn columns_of(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}
