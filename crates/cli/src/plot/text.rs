//! A plot in the terminal, in Braille dots or in ASCII.

use std::fmt::Write as _;

use super::axis::{Axis, Tick, box_of};
use super::figure::{Figure, GUESSING, Line, runs};
use crate::terminal::Paint;

/// What the terminal can show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// Columns and rows.
    pub(crate) size: (usize, usize),
    pub(crate) ascii: bool,
    pub(crate) paint: Paint,
}

/// Colours of the curves, as ANSI codes.
const COLOURS: [&str; 6] = ["34", "31", "32", "35", "33", "36"];
/// Marks of the curves where there are no dots.
const MARKS: [char; 6] = ['*', '+', 'o', 'x', '#', '@'];

/// What a character of the plot holds.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    dots: u8,
    curve: Option<usize>,
    letter: Option<char>,
}

/// The characters inside the axes.
struct Canvas {
    columns: usize,
    rows: usize,
    /// Dots per character, across and down.
    grain: (usize, usize),
    cells: Vec<Cell>,
}

/// Draws a figure as lines of text.
pub(crate) fn render(figure: &Figure, style: &Style) -> String {
    let y_ticks = figure.y.ticks(5);
    let margin = y_ticks.iter().map(|tick| plain(tick).chars().count()).max().unwrap_or(0);
    let columns = style.size.0.clamp(40, 160) - margin - 3;
    let rows = style.size.1.saturating_sub(8 + figure.lines.len()).clamp(8, 30);
    let mut canvas = Canvas::new(columns, rows, style.ascii);
    canvas.line(figure, &figure.guessing, None);
    for (index, line) in figure.lines.iter().enumerate() {
        canvas.line(figure, &line.other, Some(index));
        let path = canvas.line(figure, &line.promised, Some(index));
        canvas.name(&path, index, figure.lines.len(), style.ascii);
    }
    let mut text = String::new();
    if let Some(title) = &figure.title {
        let _ = writeln!(text, "{:margin$}   {}", "", style.paint.heading(&clean(title)));
    }
    let _ = writeln!(text, "{:margin$}   {}", "", said(&figure.y.label, style));
    canvas.write(&mut text, &y_ticks, &figure.y, margin, style);
    foot(&mut text, &figure.x, margin, columns, style);
    legend(&mut text, figure, style);
    text
}

impl Canvas {
    fn new(columns: usize, rows: usize, ascii: bool) -> Self {
        let grain = if ascii { (1, 1) } else { (2, 4) };
        Self { columns, rows, grain, cells: vec![Cell::default(); columns * rows] }
    }

    /// Draws a line and tells which characters it passes, in order.
    fn line(
        &mut self,
        figure: &Figure,
        points: &[(f64, f64)],
        curve: Option<usize>,
    ) -> Vec<(usize, usize)> {
        let (across, down) = (self.columns * self.grain.0, self.rows * self.grain.1);
        let dot = |&(x, y): &(f64, f64)| {
            let row = box_of(1.0 - figure.y.place(y), down);
            (box_of(figure.x.place(x), across), row)
        };
        let mut passed = Vec::new();
        for run in runs(points) {
            let dots: Vec<(usize, usize)> = run.iter().map(dot).collect();
            for (index, &to) in dots.iter().enumerate() {
                let from = index.checked_sub(1).and_then(|i| dots.get(i)).copied().unwrap_or(to);
                for step in between(from, to) {
                    // A dotted line for guessing.
                    if curve.is_some() || (step.0 / self.grain.0).is_multiple_of(2) {
                        passed.push(self.dot(step, curve));
                    }
                }
            }
        }
        passed
    }

    fn dot(&mut self, (x, y): (usize, usize), curve: Option<usize>) -> (usize, usize) {
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let (column, row) = (x / self.grain.0, y / self.grain.1);
        let bits = BITS.get(y % self.grain.1).and_then(|bits| bits.get(x % self.grain.0));
        if let Some(cell) = self.cells.get_mut(row * self.columns + column) {
            cell.dots |= bits.copied().unwrap_or(0);
            cell.curve = curve.or(cell.curve);
        }
        (column, row)
    }

    /// Puts the letter of a curve on it in a few places, where there are several curves.
    fn name(&mut self, path: &[(usize, usize)], index: usize, curves: usize, ascii: bool) {
        if curves < 2 || ascii {
            return;
        }
        let parts = 4 * curves;
        for place in (2 * index + 1..parts).step_by(2 * curves) {
            let Some(&(column, row)) = path.get(path.len() * place / parts) else { continue };
            if let Some(cell) = self.cells.get_mut(row * self.columns + column) {
                (cell.curve, cell.letter) = (Some(index), Some(letter(index)));
            }
        }
    }

    /// Writes the rows with the numbers of the vertical axis.
    fn write(&self, text: &mut String, ticks: &[Tick], axis: &Axis, margin: usize, style: &Style) {
        for (row, cells) in self.cells.chunks(self.columns).enumerate() {
            let here = |tick: &&Tick| box_of(1.0 - axis.place(tick.at), self.rows) == row;
            let tick = ticks.iter().find(here);
            let number = tick.map(plain).unwrap_or_default();
            let edge = match (style.ascii, tick.is_some()) {
                (true, true) => '+',
                (true, false) => '|',
                (false, true) => '┤',
                (false, false) => '│',
            };
            let runs = cells.chunk_by(|one, next| one.curve == next.curve);
            let drawn: String = runs.map(|run| shown(run, style)).collect();
            let _ = writeln!(text, "{number:>margin$} {edge}{}", drawn.trim_end());
        }
    }
}

/// The dots from one to another, the first left out unless they are the same.
fn between(from: (usize, usize), to: (usize, usize)) -> Vec<(usize, usize)> {
    let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)).max(1);
    let along = |a: usize, b: usize, step: usize| {
        if a <= b { a + (b - a) * step / steps } else { a - (a - b) * step / steps }
    };
    (1..=steps).map(|step| (along(from.0, to.0, step), along(from.1, to.1, step))).collect()
}

fn letter(index: usize) -> char {
    ('A'..='Z').cycle().nth(index % 26).unwrap_or('A')
}

fn mark(index: usize) -> char {
    MARKS.iter().cycle().nth(index % MARKS.len()).copied().unwrap_or('*')
}

fn coloured(index: usize, text: &str, style: &Style) -> String {
    let code = COLOURS.iter().cycle().nth(index % COLOURS.len()).copied().unwrap_or("0");
    style.paint.with(code, text)
}

/// Characters of the plot that belong to one curve, or to none.
fn shown(run: &[Cell], style: &Style) -> String {
    let text: String = run.iter().map(|cell| character(*cell, style)).collect();
    match run.first().and_then(|cell| cell.curve) {
        Some(index) => coloured(index, &text, style),
        None => text,
    }
}

fn character(cell: Cell, style: &Style) -> char {
    match (cell.letter, cell.dots, style.ascii) {
        (Some(letter), _, _) => letter,
        (None, 0, _) => ' ',
        (None, _, true) => cell.curve.map_or('.', mark),
        (None, dots, false) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or('*'),
    }
}

/// The horizontal axis: a line, its numbers, its name.
fn foot(text: &mut String, axis: &Axis, margin: usize, columns: usize, style: &Style) {
    let mut edge = vec![if style.ascii { '-' } else { '─' }; columns];
    let mut numbers = vec![' '; columns + margin + 2];
    let mut free = 0;
    for tick in axis.ticks(u32::try_from(columns / 12).unwrap_or(4)) {
        let column = box_of(axis.place(tick.at), columns);
        if let Some(place) = edge.get_mut(column) {
            *place = if style.ascii { '+' } else { '┬' };
        }
        let number = plain(&tick);
        let length = number.chars().count();
        let start = (margin + 2 + column)
            .saturating_sub(length / 2)
            .min(numbers.len() - length.min(numbers.len()));
        if start >= free {
            free = start + length + 1;
            for (place, c) in numbers.iter_mut().skip(start).zip(number.chars()) {
                *place = c;
            }
        }
    }
    let corner = if style.ascii { '+' } else { '└' };
    let _ = writeln!(text, "{:margin$} {corner}{}", "", String::from_iter(edge));
    let _ = writeln!(text, "{}", String::from_iter(numbers).trim_end());
    let label = said(&axis.label, style);
    let _ = writeln!(text, "{:>width$}", label, width = margin + 2 + columns);
}

fn legend(text: &mut String, figure: &Figure, style: &Style) {
    let several = figure.lines.len() > 1;
    for (index, Line { label, .. }) in figure.lines.iter().enumerate() {
        let sample = match (style.ascii, several) {
            (true, _) => format!("{0}{0}{0}", mark(index)),
            (false, true) => format!("⠤{}⠤", letter(index)),
            (false, false) => "⠤⠤⠤".to_owned(),
        };
        let _ = writeln!(text, "  {}  {}", coloured(index, &sample, style), clean(label));
    }
    if !figure.guessing.is_empty() {
        let sample = if style.ascii { ". ." } else { "⠤ ⠤" };
        let _ = writeln!(text, "  {sample}  {GUESSING}");
    }
}

/// A tick without superscripts.
fn plain(tick: &Tick) -> String {
    match &tick.power {
        Some(power) => format!("1e{power}"),
        None => tick.text.clone(),
    }
}

/// A label of ours, spelled out where only ASCII is understood.
fn said(label: &str, style: &Style) -> String {
    if !style.ascii {
        return label.to_owned();
    }
    [("α", "alpha"), ("β", "beta"), ("δ", "delta"), ("ε", "epsilon"), ("é", "e"), ("−", "-")]
        .into_iter()
        .fold(label.to_owned(), |text, (greek, latin)| text.replace(greek, latin))
}

/// A label of the caller: no control characters reach the terminal.
fn clean(label: &str) -> String {
    label.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
