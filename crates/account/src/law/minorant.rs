//! A part of a law that is known piece by piece: what its characteristic function proves.
//!
//! If a law has at least the density of a measure nu of mass m, then as for
//! [`super::bands::Bands`], keeping only the pairs of copies that both come from nu,
//!
//! |phi(u)|^2 <= 1 - (m^2 - |nu^(u)|^2), nu^(u) = the integral of e^(iul) nu(dl).
//!
//! For a nu with constant density between neighbouring edges the right side is a closed form,
//! and close to |phi|^2 itself: it shows how fast phi falls long before the bands do. Between
//! two places it is controlled by its second derivative, at most the integral of (l - l')^2
//! over nu x nu, which is 2 m^2 Var.

use crate::disc::Disc;
use crate::estimate::exp;
use crate::law::atoms::LARGEST_ANGLE;

/// A piecewise constant density.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Minorant {
    /// (edge, fall of the density there), centred at the mean.
    edges: Vec<(f64, f64)>,
    mass: f64,
    /// m^2 Var, rounded up.
    spread: f64,
    /// What roundings can add to |nu^|^2.
    noise: f64,
}

impl Minorant {
    /// From pieces (from, to, density rounded down) that touch, in increasing order.
    pub(crate) fn new(pieces: &[(f64, f64, f64)]) -> Option<Self> {
        let mass: f64 = pieces.iter().map(|(a, b, d)| d * (b - a)).sum();
        if !(mass > 0.0 && mass <= 1.0 + 1e-9) {
            return None;
        }
        let moment = |power: i32| -> f64 {
            let integral = |x: f64| if power == 1 { x * x / 2.0 } else { x * x * x / 3.0 };
            pieces.iter().map(|(a, b, d)| d * (integral(*b) - integral(*a))).sum::<f64>() / mass
        };
        let mean = moment(1);
        let variance = (moment(2) - mean * mean).max(0.0);
        let farthest = pieces.iter().map(|(a, b, _)| (b - a).abs()).sum::<f64>();
        let mut edges = Vec::with_capacity(pieces.len() + 1);
        let mut before = 0.0;
        for (a, _, d) in pieces {
            edges.push((a - mean, before - d));
            before = *d;
        }
        edges.push((pieces.last()?.1 - mean, before));
        let falls: f64 = edges.iter().map(|(_, fall)| fall.abs()).sum();
        Some(Self {
            edges,
            mass,
            spread: (mass * mass * variance + 1e-12 * farthest * farthest) * (1.0 + 1e-6),
            noise: 1e-14 * (1.0 + falls),
        })
    }

    /// nu^(u) and the integral of l e^(iul), both about the mean: estimates with errors of a
    /// few roundings of each term.
    fn at(&self, u: f64) -> (f64, f64, f64, f64) {
        let (mut a, mut b, mut c, mut d) = (0.0, 0.0, 0.0, 0.0);
        let inverse = 1.0 / u;
        for (edge, fall) in &self.edges {
            let turn = Disc::turn_minus_one(u * edge, 0.0);
            let (re, im) = (fall * (1.0 + turn.re), fall * turn.im);
            // 1/(iu) = -i/u.
            a += im * inverse;
            b -= re * inverse;
            c += edge * im * inverse + re * inverse * inverse;
            d += -edge * re * inverse + im * inverse * inverse;
        }
        (a, b, c, d)
    }

    /// A distance t such that ln |phi| <= `log_bound` on [u, u + t]; 0 if none is known.
    pub(crate) fn leap(&self, u: f64, log_bound: f64) -> f64 {
        let farthest = self.edges.iter().map(|(edge, _)| edge.abs()).fold(0.0, f64::max);
        // Larger angles are not reduced: nothing would be known.
        if u <= 0.0 || u * farthest > LARGEST_ANGLE {
            return 0.0;
        }
        let (a, b, c, d) = self.at(u);
        let noise = self.noise * (1.0 + 1.0 / u) * (1.0 + 1.0 / u) + 1e-10;
        let square = a * a + b * b + noise;
        let slope = 2.0 * (b * c - a * d) + noise * (1.0 + self.spread.sqrt());
        let room = exp(2.0 * log_bound) * (1.0 - 1e-12) - 1.0
            + self.mass * self.mass * (1.0 - 1e-9)
            - square;
        if room.is_nan() || room <= 0.0 {
            return 0.0;
        }
        // The positive root of spread t^2 + slope t = room, in the form without cancellation.
        let root = (slope * slope + 4.0 * self.spread * room).sqrt();
        let t = if slope >= 0.0 {
            2.0 * room / (slope + root)
        } else {
            (root - slope) / (2.0 * self.spread)
        };
        t * (1.0 - 1e-9)
    }
}
