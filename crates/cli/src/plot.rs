//! Curves, and the ways to show them.
//!
//! `sample` asks the accountant, `figure` chooses axes, `scene` lays out lines and labels, which
//! `svg` writes and `png` paints (`strokes` are its letters); `text` draws in the terminal and
//! `export` writes the numbers. Only `sample` touches privacy numbers, and it does not round.

pub(crate) mod axis;
pub(crate) mod export;
pub(crate) mod figure;
pub(crate) mod png;
mod sample;
mod scene;
mod strokes;
pub(crate) mod svg;
pub(crate) mod text;

use clap::ValueEnum;
use throng_account::Direction;

/// Which curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The attacker's miss rate at each false-alarm rate.
    Tradeoff,
    /// Delta at each epsilon.
    Profile,
    /// The Renyi divergence of each order.
    Renyi,
    /// The law of the privacy loss.
    Loss,
    /// The part of members found at each false-alarm rate.
    Roc,
}

/// What is to be drawn.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) kind: Kind,
    pub(crate) log: bool,
    pub(crate) points: u32,
    pub(crate) direction: Direction,
    pub(crate) title: Option<String>,
}

/// The curve of one mechanism.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub(crate) label: String,
    pub(crate) spec: String,
    pub(crate) points: Vec<Point>,
}

/// What is known at one place: a bracket. A cell of a histogram ends at `to`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) to: Option<f64>,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl Kind {
    /// What is on the horizontal axis, as a name for programs.
    pub(crate) fn abscissa(self) -> &'static str {
        match self {
            Self::Tradeoff | Self::Roc => "alpha",
            Self::Profile => "epsilon",
            Self::Renyi => "order",
            Self::Loss => "from",
        }
    }

    /// The name of the kind, for programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tradeoff => "tradeoff",
            Self::Profile => "profile",
            Self::Renyi => "renyi",
            Self::Loss => "loss",
            Self::Roc => "roc",
        }
    }

    /// Whether the lower end of a bracket is the promise.
    pub(crate) fn promises_lower(self) -> bool {
        self == Self::Tradeoff
    }
}
