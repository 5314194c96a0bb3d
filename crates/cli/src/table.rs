//! Aligned columns.

use std::fmt::Write as _;

use crate::terminal::Paint;

/// A table with a header; columns are as wide as their widest cell.
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows yet.
    pub(crate) fn new<const N: usize>(header: [&str; N]) -> Self {
        Self { header: header.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.map(str::to_owned).to_vec());
    }

    /// With as many columns as there are in the header.
    pub(crate) fn of(header: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        Self { header, rows }
    }

    /// The text, each line ended; nothing after the last cell of a line.
    pub(crate) fn render(&self, paint: Paint) -> String {
        let widths: Vec<usize> = (0..self.header.len()).map(|column| self.width(column)).collect();
        let mut text = paint.heading(&line(&self.header, &widths));
        text.push('\n');
        for row in &self.rows {
            let _ = writeln!(text, "{}", line(row, &widths));
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let all = std::iter::once(&self.header).chain(&self.rows);
        all.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded: Vec<String> =
        cells.iter().zip(widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
    padded.join("  ").trim_end().to_owned()
}
