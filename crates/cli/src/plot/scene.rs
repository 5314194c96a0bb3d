//! A plot laid out on a page: paths and labels, the same for every picture format.

use std::fmt::Write as _;

use super::axis::Tick;
use super::figure::{Corner, Figure, GUESSING, Line, runs};
use super::strokes;

/// The size of the page, in units of which text is about 13 high.
pub(super) const WIDTH: f64 = 720.0;
pub(super) const HEIGHT: f64 = 480.0;

const LEFT: f64 = 78.0;
const RIGHT: f64 = 24.0;
const BOTTOM: f64 = 62.0;
const TEXT: f64 = 13.0;
const TICK: f64 = 12.0;

/// Colours that people of every colour vision tell apart.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333"];
/// Dashes that tell curves apart in print.
const DASHES: [&[f32]; 4] = [&[], &[9.0, 4.0], &[2.5, 3.5], &[10.0, 3.5, 2.5, 3.5]];

const INK: &str = "#222222";
const GREY: &str = "#777777";
const GRID: &str = "#e3e3e3";

/// Something on the page.
#[derive(Debug)]
pub(super) enum Item {
    Path(Path),
    Text(Text),
}

/// A path in the language of SVG, absolute commands only.
#[derive(Debug)]
pub(super) struct Path {
    /// What it is, for style sheets and tests.
    pub(super) class: &'static str,
    pub(super) data: String,
    pub(super) colour: &'static str,
    pub(super) ink: Ink,
}

/// How a path is drawn.
#[derive(Debug)]
pub(super) enum Ink {
    Stroke { width: f32, dashes: &'static [f32] },
    Fill { opacity: f32 },
}

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A label.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    pub(super) colour: &'static str,
    /// Written upwards.
    pub(super) upright: bool,
    pub(super) text: String,
    pub(super) power: Option<String>,
}

/// The part of the page inside the axes.
struct Frame<'a> {
    figure: &'a Figure,
    top: f64,
}

impl Frame<'_> {
    fn width(&self) -> f64 {
        WIDTH - LEFT - RIGHT
    }

    fn height(&self) -> f64 {
        HEIGHT - BOTTOM - self.top
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.width() * self.figure.x.place(value)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.height() * self.figure.y.place(value)
    }

    /// A line through points, interrupted at infinite ones.
    fn through(&self, points: &[(f64, f64)]) -> String {
        runs(points).map(|run| self.polyline(run.iter(), "M")).collect::<Vec<_>>().join(" ")
    }

    /// Commands through points, beginning with `first`.
    fn polyline<'p>(&self, points: impl Iterator<Item = &'p (f64, f64)>, first: &str) -> String {
        let mut data = String::new();
        for (index, &(x, y)) in points.enumerate() {
            let command = if index == 0 { first } else { " L" };
            let _ = write!(data, "{command}{:.2},{:.2}", self.x(x), self.y(y));
        }
        data
    }

    /// The area between two lines with the same abscissas, where both are finite.
    fn area(&self, one: &[(f64, f64)], other: &[(f64, f64)]) -> String {
        let finite = |&(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
        let both = one.iter().zip(other).filter(|(a, b)| finite(a) && finite(b));
        let (there, back): (Vec<_>, Vec<_>) = both.map(|(a, b)| (*a, *b)).unzip();
        if there.is_empty() {
            return String::new();
        }
        let back = self.polyline(back.iter().rev(), " L");
        format!("{}{back} Z", self.polyline(there.iter(), "M"))
    }
}

/// Lays out a figure.
pub(super) fn scene(figure: &Figure) -> Vec<Item> {
    let top = if figure.title.is_some() { 46.0 } else { 20.0 };
    let frame = Frame { figure, top };
    let mut items = vec![fill("page", rectangle(0.0, 0.0, WIDTH, HEIGHT), "#ffffff", 1.0)];
    grid(&frame, &mut items);
    if !figure.guessing.is_empty() {
        let data = frame.through(&figure.guessing);
        items.push(stroke("guessing", data, GREY, 1.0, &[4.0, 4.0]));
    }
    for (index, line) in figure.lines.iter().enumerate() {
        let [one, other] = &line.band;
        let area = frame.area(one, other);
        items.push(fill("bracket", area, colour(index), 0.22));
    }
    for (index, line) in figure.lines.iter().enumerate() {
        let data = frame.through(&line.promised);
        items.push(stroke("curve", data, colour(index), 2.0, dashes(index)));
    }
    border(&frame, &mut items);
    for mark in &figure.marks {
        let (x, y) = (frame.x(mark.at.0), frame.y(mark.at.1));
        items.push(fill("mark", diamond(x, y), INK, 1.0));
        items.push(sized(label(x - 8.0, y + 15.0, Anchor::End, &mark.label), TICK));
    }
    labels(&frame, &mut items);
    legend(&frame, &mut items);
    items
}

fn colour(index: usize) -> &'static str {
    COLOURS.iter().cycle().nth(index % COLOURS.len()).copied().unwrap_or(INK)
}

fn dashes(index: usize) -> &'static [f32] {
    DASHES.iter().cycle().nth(index % DASHES.len()).copied().unwrap_or(&[])
}

/// Grid lines and the numbers beside the axes.
fn grid(frame: &Frame<'_>, items: &mut Vec<Item>) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for tick in frame.figure.x.ticks(8) {
        let x = frame.x(tick.at);
        items.push(stroke(
            "grid",
            format!("M{x:.2},{:.2} V{bottom:.2}", frame.top),
            GRID,
            1.0,
            &[],
        ));
        items.push(number(x, bottom + 19.0, Anchor::Middle, tick));
    }
    for tick in frame.figure.y.ticks(6) {
        let y = frame.y(tick.at);
        items.push(stroke("grid", format!("M{LEFT:.2},{y:.2} H{right:.2}"), GRID, 1.0, &[]));
        items.push(number(LEFT - 9.0, y + 4.2, Anchor::End, tick));
    }
}

/// The frame and its small ticks.
fn border(frame: &Frame<'_>, items: &mut Vec<Item>) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    let mut data = format!("M{LEFT:.2},{:.2} V{bottom:.2} H{right:.2}", frame.top);
    for tick in frame.figure.x.ticks(8) {
        let _ = write!(data, " M{:.2},{bottom:.2} v5", frame.x(tick.at));
    }
    for tick in frame.figure.y.ticks(6) {
        let _ = write!(data, " M{LEFT:.2},{:.2} h-5", frame.y(tick.at));
    }
    for at in frame.figure.x.minor() {
        let _ = write!(data, " M{:.2},{bottom:.2} v3", frame.x(at));
    }
    for at in frame.figure.y.minor() {
        let _ = write!(data, " M{LEFT:.2},{:.2} h-3", frame.y(at));
    }
    items.push(stroke("axes", data, INK, 1.0, &[]));
}

/// The title and the names of the axes.
fn labels(frame: &Frame<'_>, items: &mut Vec<Item>) {
    let middle = LEFT + frame.width() / 2.0;
    let name = label(middle, HEIGHT - 18.0, Anchor::Middle, &frame.figure.x.label);
    items.push(sized(name, TEXT));
    let centre = frame.top + frame.height() / 2.0;
    let name = label(24.0, centre, Anchor::Middle, &frame.figure.y.label);
    items.push(upright(name));
    if let Some(title) = &frame.figure.title {
        let size = (15.0 * (WIDTH - 40.0) / strokes::width(title, 15.0).max(1.0)).min(15.0);
        items.push(sized(label(middle, 28.0, Anchor::Middle, title), size));
    }
}

/// Which line is which, in a box.
fn legend(frame: &Frame<'_>, items: &mut Vec<Item>) {
    let figure = frame.figure;
    let guessing = (!figure.guessing.is_empty()).then(|| GUESSING.to_owned());
    let names: Vec<String> = figure.lines.iter().map(name).chain(guessing).collect();
    let widest = names.iter().map(|name| strokes::width(name, TICK)).fold(0.0, f64::max);
    let (width, height) = (widest + 56.0, 19.0 * count(names.len()) + 10.0);
    let (right, bottom) = (WIDTH - RIGHT - 10.0 - width, HEIGHT - BOTTOM - 10.0 - height);
    let (x, y) = match figure.legend {
        Corner::TopRight => (right, frame.top + 10.0),
        Corner::TopLeft => (LEFT + 12.0, frame.top + 10.0),
        Corner::BottomRight => (right, bottom),
        Corner::BottomLeft => (LEFT + 12.0, bottom),
    };
    items.push(fill("legend", rectangle(x, y, width, height), "#ffffff", 0.88));
    items.push(stroke("legend", rectangle(x, y, width, height), "#cccccc", 0.8, &[]));
    for (index, name) in names.iter().enumerate() {
        let at = y + 14.5 + 19.0 * count(index);
        let sample = format!("M{:.2},{at:.2} h28", x + 9.0);
        items.push(if index < figure.lines.len() {
            stroke("legend", sample, colour(index), 2.0, dashes(index))
        } else {
            stroke("legend", sample, GREY, 1.0, &[4.0, 4.0])
        });
        items.push(sized(label(x + 45.0, at + 4.2, Anchor::Start, name), TICK));
    }
}

/// The label of a line, cut where it would cover the plot.
fn name(line: &Line) -> String {
    const LONGEST: usize = 56;
    if line.label.chars().count() <= LONGEST {
        return line.label.clone();
    }
    line.label.chars().take(LONGEST - 1).chain(['…']).collect()
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(0.0, f64::from)
}

fn rectangle(x: f64, y: f64, width: f64, height: f64) -> String {
    format!("M{x:.2},{y:.2} h{width:.2} v{height:.2} h-{width:.2} Z")
}

/// A square on its corner.
fn diamond(x: f64, y: f64) -> String {
    const REACH: f64 = 5.0;
    let (left, right, top, bottom) = (x - REACH, x + REACH, y - REACH, y + REACH);
    format!("M{left:.2},{y:.2} L{x:.2},{top:.2} L{right:.2},{y:.2} L{x:.2},{bottom:.2} Z")
}

fn stroke(
    class: &'static str,
    data: String,
    colour: &'static str,
    width: f32,
    dashes: &'static [f32],
) -> Item {
    Item::Path(Path { class, data, colour, ink: Ink::Stroke { width, dashes } })
}

fn fill(class: &'static str, data: String, colour: &'static str, opacity: f32) -> Item {
    Item::Path(Path { class, data, colour, ink: Ink::Fill { opacity } })
}

fn number(x: f64, y: f64, anchor: Anchor, tick: Tick) -> Item {
    let (text, power) = (tick.text.replace('-', "\u{2212}"), tick.power);
    let size = TICK;
    Item::Text(Text { x, y, size, anchor, colour: INK, upright: false, text, power })
}

fn label(x: f64, y: f64, anchor: Anchor, text: &str) -> Text {
    let (text, power) = (text.to_owned(), None);
    Text { x, y, size: TEXT, anchor, colour: INK, upright: false, text, power }
}

fn sized(text: Text, size: f64) -> Item {
    Item::Text(Text { size, ..text })
}

fn upright(text: Text) -> Item {
    Item::Text(Text { upright: true, ..text })
}
