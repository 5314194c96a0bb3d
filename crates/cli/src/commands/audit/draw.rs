//! The picture: what is claimed, what an attacker achieves, the event.

use std::path::Path;

use throng_audit::World;

use super::answer::Answer;
use super::ending;
use crate::failure::Failure;
use crate::plot::axis::{Axis, Scale};
use crate::plot::figure::{Corner, Figure, Line, Mark};
use crate::plot::{png, svg};

/// What a file holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    Svg,
    Png,
}

impl Format {
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        match ending(path).as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            _ => Err(Failure::usage(
                format!("-o is {}, but must end in svg or png", path.display()),
                "the ending of the name says what is written",
            )),
        }
    }
}

/// Draws into a file.
pub(super) fn write(answer: &Answer, path: &Path) -> Result<(), Failure> {
    put(&figure(answer), path)
}

/// Writes a figure in the format of a file's name.
pub(super) fn put(figure: &Figure, path: &Path) -> Result<(), Failure> {
    match Format::of(path)? {
        Format::Svg => super::write(path, svg::render(figure).as_bytes()),
        Format::Png => super::write(path, &png::render(figure)?),
    }
}

/// The trade-off curves and the witness.
pub(super) fn figure(answer: &Answer) -> Figure {
    let claimed = line(format!("claimed: {}", answer.claim), &answer.claimed);
    let attacker = line("certified attacker".to_owned(), &answer.curve);
    Figure {
        title: None,
        x: Axis::exactly("false-alarm rate α", 0.0, 1.0, Scale::Linear),
        y: Axis::exactly("miss rate β(α)", 0.0, 1.0, Scale::Linear),
        lines: [claimed, attacker].into_iter().filter(|line| !line.promised.is_empty()).collect(),
        guessing: vec![(0.0, 1.0), (1.0, 0.0)],
        marks: mark(answer).into_iter().collect(),
        legend: Corner::TopRight,
    }
}

/// A curve without a width.
pub(super) fn line(label: String, points: &[(f64, f64)]) -> Line {
    let points = points.to_vec();
    Line { label, other: points.clone(), band: [points.clone(), points.clone()], promised: points }
}

/// Where the witness is: how often it happens where it is a false alarm, and how often not where it
/// is likelier.
#[expect(clippy::cast_precision_loss, reason = "a place of ink")]
fn mark(answer: &Answer) -> Option<Mark> {
    let witness = answer.witness.as_ref()?;
    let [zero, one] = [0, 1].map(|world: usize| {
        let [hits, runs] = [witness.hits, witness.runs].map(|pair| pair.get(world).copied());
        hits.zip(runs).map_or(0.0, |(hits, runs)| hits as f64 / runs.max(1) as f64)
    });
    let (alarm, found) = match witness.likelier_in {
        World::One => (zero, one),
        World::Zero => (one, zero),
    };
    Some(Mark { label: "witness".to_owned(), at: (alarm, 1.0 - found) })
}
