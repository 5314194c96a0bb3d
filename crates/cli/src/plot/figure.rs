//! Which axes, which helping lines, where the legend goes.

use super::axis::{Axis, Scale};
use super::sample::{ORDERS, SMALLEST_ALPHA, SMALLEST_DELTA};
use super::{Curve, Kind, Point, Request};

/// A plot, ready to be drawn in any way.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) title: Option<String>,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
    /// What an attacker who guesses reaches, as (x, y).
    pub(crate) guessing: Vec<(f64, f64)>,
    /// Single points.
    pub(crate) marks: Vec<Mark>,
    pub(crate) legend: Corner,
}

/// A curve: the promised end, which is drawn, the other end, and the area between them as two
/// lines with the same abscissas.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) promised: Vec<(f64, f64)>,
    pub(crate) other: Vec<(f64, f64)>,
    pub(crate) band: [Vec<(f64, f64)>; 2],
}

/// A point with a name.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) label: String,
    pub(crate) at: (f64, f64),
}

/// Where there is room for the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Corner {
    TopRight,
    TopLeft,
    BottomRight,
    BottomLeft,
}

/// How the guessing line is called.
pub(crate) const GUESSING: &str = "guessing";

/// Chooses how curves are drawn.
pub(crate) fn figure(request: &Request, curves: &[Curve]) -> Figure {
    let curves = &densities(curves);
    let (x, y) = axes(request, curves);
    Figure {
        title: request.title.clone(),
        guessing: guessing(request.kind),
        marks: Vec::new(),
        lines: curves.iter().map(|curve| line(request.kind, curve, &y)).collect(),
        legend: match request.kind {
            Kind::Tradeoff | Kind::Profile if request.log => Corner::BottomLeft,
            Kind::Tradeoff | Kind::Profile | Kind::Loss => Corner::TopRight,
            Kind::Renyi => Corner::TopLeft,
            Kind::Roc => Corner::BottomRight,
        },
        x,
        y,
    }
}

fn axes(request: &Request, curves: &[Curve]) -> (Axis, Axis) {
    let rates = |label: &str| match request.log {
        true => Axis::exactly(label, SMALLEST_ALPHA, 1.0, Scale::Logarithmic),
        false => Axis::exactly(label, 0.0, 1.0, Scale::Linear),
    };
    let scale = if request.log { Scale::Logarithmic } else { Scale::Linear };
    match request.kind {
        Kind::Tradeoff => {
            (rates("false-alarm rate α"), Axis::exactly("miss rate β(α)", 0.0, 1.0, Scale::Linear))
        }
        Kind::Roc => (rates("false-alarm rate α"), rates("found 1 − β(α)")),
        Kind::Profile => {
            let (from, to) = span(curves, |point| [point.x, point.x]);
            let delta = Axis::exactly("δ(ε)", SMALLEST_DELTA, 1.0, Scale::Logarithmic);
            (Axis::exactly("ε", from, to, scale), delta)
        }
        Kind::Renyi => {
            let (least, most) = span(curves, |point| [point.upper, point.upper]);
            let name = "Rényi divergence";
            match request.log {
                true => (
                    Axis::exactly("order a", 1.0, ORDERS.1, scale),
                    Axis::decades(name, least.max(most * 1e-6), most),
                ),
                false => {
                    (Axis::exactly("order a", 0.0, ORDERS.1, scale), Axis::linear(name, 0.0, most))
                }
            }
        }
        Kind::Loss => {
            let (from, to) = span(curves, |point| [point.x, point.to.unwrap_or(point.x)]);
            let (_, most) = span(curves, |point| [point.upper, point.upper]);
            let body = curves.iter().map(body).fold(0.0, f64::max);
            let y = match request.log {
                true => Axis::decades("density", most * 1e-8, most),
                false if most <= 2.0 * body || body == 0.0 => Axis::linear("density", 0.0, most),
                false => Axis::linear("density (atoms are cut off)", 0.0, 1.1 * body),
            };
            (Axis::exactly("privacy loss", from, to, Scale::Linear), y)
        }
    }
}

/// The largest density of a histogram outside its atoms: cells that stand out from both
/// neighbours.
fn body(curve: &Curve) -> f64 {
    let outside = |window: &[Point]| match window {
        [left, cell, right] => {
            let around = left.upper.max(right.upper);
            let stands_out = cell.upper > 3.0 * around;
            (!stands_out && cell.upper.is_finite()).then_some(cell.upper)
        }
        _ => None,
    };
    curve.points.windows(3).filter_map(outside).fold(0.0, f64::max)
}

/// The smallest and the largest finite number; 0 and 1 if there are none.
fn span(curves: &[Curve], of: impl Fn(&Point) -> [f64; 2]) -> (f64, f64) {
    let points = curves.iter().flat_map(|curve| &curve.points);
    let finite = points.flat_map(of).filter(|x| x.is_finite());
    let (from, to) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if from <= to { (from, to) } else { (0.0, 1.0) }
}

fn line(kind: Kind, curve: &Curve, axis: &Axis) -> Line {
    let ends = |end: fn(&Point) -> f64| -> Vec<(f64, f64)> {
        curve.points.iter().flat_map(|point| corners(point, end(point))).collect()
    };
    let (lower, upper) = (ends(|point| point.lower), ends(|point| point.upper));
    let (promised, other) = if kind.promises_lower() { (lower, upper) } else { (upper, lower) };
    Line {
        label: curve.label.clone(),
        other: above_the_floor(&other, axis),
        band: [promised.clone(), other],
        promised: above_the_floor(&promised, axis),
    }
}

/// Histograms as densities, so that cells of different widths can be compared; a cell without a
/// width, or without an end, cannot be drawn. Other curves stay as they are.
fn densities(curves: &[Curve]) -> Vec<Curve> {
    let mut curves = curves.to_vec();
    for point in curves.iter_mut().flat_map(|curve| &mut curve.points) {
        if let Some(to) = point.to {
            let width = to - point.x;
            let scale = if width > 0.0 && width.is_finite() { width } else { f64::NAN };
            (point.lower, point.upper) = (point.lower / scale, point.upper / scale);
        }
    }
    curves
}

/// On a logarithmic axis a line ends where it crosses the lower end of the axis: points below it
/// are moved to the crossing, or dropped if their neighbours are below it too.
fn above_the_floor(points: &[(f64, f64)], axis: &Axis) -> Vec<(f64, f64)> {
    if axis.scale == Scale::Linear {
        return points.to_vec();
    }
    let above = |index: usize| points.get(index).copied().filter(|(_, y)| *y >= axis.from);
    let kept = |(index, &low): (usize, &(f64, f64))| {
        if above(index).is_some() || !low.1.is_finite() {
            return low;
        }
        match above(index.wrapping_sub(1)).or(above(index + 1)) {
            Some(high) => (high.0 + (low.0 - high.0) * axis.crossing(high.1, low.1), axis.from),
            None => (low.0, f64::NAN),
        }
    };
    points.iter().enumerate().map(kept).collect()
}

/// A point is itself; a cell of a histogram is its top edge.
fn corners(point: &Point, y: f64) -> Vec<(f64, f64)> {
    match point.to {
        None => vec![(point.x, y)],
        Some(to) => vec![(point.x, y), (to, y)],
    }
}

fn guessing(kind: Kind) -> Vec<(f64, f64)> {
    let parts = (0..=200u32).map(|step| f64::from(step) / 200.0);
    // Cubes are dense near 0, so that the line is smooth on logarithmic axes too.
    let rates = parts.map(|t| t * t * t);
    match kind {
        Kind::Tradeoff => rates.map(|alpha| (alpha, 1.0 - alpha)).collect(),
        Kind::Roc => rates.map(|alpha| (alpha, alpha)).collect(),
        Kind::Profile | Kind::Renyi | Kind::Loss => Vec::new(),
    }
}

/// The parts of a line that can be drawn: infinite numbers interrupt it.
pub(crate) fn runs(points: &[(f64, f64)]) -> impl Iterator<Item = &[(f64, f64)]> {
    points.split(|(x, y)| !x.is_finite() || !y.is_finite()).filter(|run| !run.is_empty())
}
