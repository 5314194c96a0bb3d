//! Bars with error bars: for a page (SVG) and for a terminal.

mod svg;
mod text;

use super::digits::{self, floats};
use super::table::{Kind, Table};
use super::write::Cells;

/// The most bars of one panel.
const MOST: usize = 60;

/// How bars are drawn.
#[derive(Debug, Clone, Default)]
pub struct BarOptions {
    /// What stands above the picture.
    pub title: Option<String>,
    /// What the intervals are, for the description, e.g. `95 % confidence`.
    pub confidence: Option<String>,
}

impl Table {
    /// A picture of the answer: one panel for each number that is a value, one bar for each row.
    ///
    /// SVG without scripts, links or fonts of its own; letters stay letters; colours follow the
    /// reader's preference for dark or light. Beyond sixty rows only the first are drawn, and the
    /// picture says so.
    pub fn bars_svg(&self, options: &BarOptions) -> String {
        svg::picture(&self.panels(), options, self.rows())
    }

    /// A small chart for a terminal of so many columns; plain letters if `ascii`.
    ///
    /// The part of a bar that noise may have made is lighter, and a line shows what it may have
    /// taken away.
    pub fn bars_text(&self, width: usize, ascii: bool) -> String {
        text::chart(&self.panels(), self.rows(), width, ascii)
    }

    fn panels(&self) -> Vec<Panel> {
        let labels = self.labels();
        let columns = self.columns.iter().zip(self.batch.columns());
        let values = columns
            .filter(|(column, array)| column.kind == Kind::Value && array.data_type().is_numeric());
        values
            .map(|(column, array)| {
                let shown = digits::Shown::of(column, array, true);
                let numbers = floats(array).into_iter().map(|x| x.filter(|x| x.is_finite()));
                let bars = numbers.zip(&labels).zip(shown.values).enumerate().take(MOST);
                let bars = bars.map(|(row, ((value, label), text))| Bar {
                    label: label.clone(),
                    value,
                    ends: column.ends.as_ref().map_or((None, None), |ends| ends.at(row)),
                    text,
                });
                Panel::new(column.name.clone(), bars.collect())
            })
            .collect()
    }

    /// What rows are called: their keys.
    fn labels(&self) -> Vec<String> {
        let columns = self.columns.iter().zip(self.batch.columns());
        let keys = columns.filter(|(column, _)| column.kind == Kind::Key);
        let keys: Vec<Cells<'_>> = keys.map(|(_, array)| Cells::of(array)).collect();
        (0..self.rows())
            .map(|row| {
                let parts = keys.iter().map(|key| key.at(row).unwrap_or_else(|| "NULL".to_owned()));
                parts.collect::<Vec<_>>().join(", ")
            })
            .collect()
    }
}

/// The bars of one column.
struct Panel {
    name: String,
    bars: Vec<Bar>,
    /// The range of the axis; 0 is always in it.
    from: f64,
    to: f64,
}

/// One bar.
struct Bar {
    label: String,
    value: Option<f64>,
    ends: (Option<f64>, Option<f64>),
    text: String,
}

impl Panel {
    fn new(name: String, bars: Vec<Bar>) -> Self {
        let all = bars.iter().flat_map(|bar| [bar.value, bar.ends.0, bar.ends.1]).flatten();
        let (from, to) = all.fold((0.0f64, 0.0f64), |(from, to), x| (from.min(x), to.max(x)));
        // Half of the largest floats, so that the width of the axis is one too.
        let (from, to) = (from.max(f64::MIN / 4.0), to.min(f64::MAX / 4.0));
        let to = if from < to { to } else { 1.0 };
        Self { name, bars, from, to }
    }

    /// Where a number is on the axis, from 0 to 1.
    fn place(&self, x: f64) -> f64 {
        ((x - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// Round numbers on the axis, about five.
    fn ticks(&self) -> Vec<f64> {
        let wish = (self.to - self.from) / 5.0;
        let power: f64 = format!("1e{}", digits::magnitude(wish)).parse().unwrap_or(1.0);
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= wish * 0.999).unwrap_or(wish);
        let first = (self.from / step).ceil();
        let ticks = (0..12u8).map(|tick| (first + f64::from(tick)) * step);
        ticks.take_while(|x| *x <= self.to * (1.0 + 1e-9)).collect()
    }
}

/// A label of bearable length.
fn shortened(label: &str, longest: usize) -> String {
    if label.chars().count() <= longest {
        return label.to_owned();
    }
    label.chars().take(longest.saturating_sub(1)).chain(['…']).collect()
}
