//! The loss of a Gaussian pair: N(mu^2/2, mu^2).

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::{Disc, SLACK, U, centre};
use crate::estimate::real;
use crate::law::{Law, Line, Tilted};

/// All Gaussian parts of a composition together; only mu^2 matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gaussian {
    /// mu^2.
    pub(crate) square: Enclosure,
}

impl Law for Gaussian {
    fn cumulants(&self, c: f64) -> [f64; 3] {
        let (v, _) = centre(self.square);
        [v * c * (c + 1.0) / 2.0, v * (c + 0.5), v]
    }

    fn ceiling(&self) -> f64 {
        f64::INFINITY
    }

    /// E e^(cL) = e^(mu^2 c(c+1)/2).
    fn log_moment(&self, c: f64) -> Result<Enclosure, AccountError> {
        let c = Enclosure::point(c)?;
        Ok(self.square * c * (c + Enclosure::ONE) * Enclosure::point(0.5)?)
    }

    fn tilt(&self, line: Line) -> Result<Box<dyn Tilted>, AccountError> {
        let log_moment = self.log_moment(line.c)?;
        Ok(Box::new(TiltedGaussian { square: self.square, log_moment, line }))
    }
}

#[derive(Debug)]
struct TiltedGaussian {
    square: Enclosure,
    log_moment: Enclosure,
    line: Line,
}

impl Tilted for TiltedGaussian {
    fn log_moment(&self) -> Enclosure {
        self.log_moment
    }

    /// K(c + iu) - K(c) = mu^2 (iu(c + 1/2) - u^2/2).
    fn fill(&self, first: u64, out: &mut [Disc]) {
        for (j, disc) in (first..).zip(out) {
            *disc = normal_minus_one(self.square, self.line.c, real(j) * self.line.spacing);
        }
    }

    fn log_decay(&self, u: f64) -> f64 {
        -self.square.lower() * u * u / 2.0 * (1.0 - 1e-12)
    }

    fn leap(&self, u: f64, log_bound: f64) -> f64 {
        if self.log_decay(u) <= log_bound { f64::INFINITY } else { 0.0 }
    }
}

/// e^(v(iu(c + 1/2) - u^2/2)) - 1, for u known up to one rounding.
pub(crate) fn normal_minus_one(square: Enclosure, c: f64, u: f64) -> Disc {
    let (v, radius) = centre(square);
    let lever = u * (c + 0.5);
    let angle = v * lever;
    let turn = Disc::turn_minus_one(angle, (radius * lever + 6.0 * U * angle.abs()) * SLACK);
    turn.join(shrink_minus_one(v * u * u / 2.0, radius * u * u / 2.0))
}

/// e^(-x) - 1 for x >= 0 known up to a few roundings and an error.
pub(crate) fn shrink_minus_one(x: f64, error: f64) -> Disc {
    let error = (error + 8.0 * U * x) * SLACK;
    let range = Enclosure::new(-x - error, (-x + error).min(0.0)).unwrap_or(Enclosure::REAL);
    let (re, radius) = centre(range.expm1());
    Disc { re, im: 0.0, error: radius }
}
