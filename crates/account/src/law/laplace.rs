//! The loss of a Laplace pair with shift/scale = e: atoms of mass 1/2 at e and e^(-e)/2 at -e,
//! and the density e^((l - e)/2)/4 between them.
//!
//! With a = c + 1/2: M(c) = e^(ce) B, B = 1/2 + e^(-2ae)/2 + (1 - e^(-2ae))/(4a), and
//! M(c + iu)/M(c) = (e^(iue)/2 + e^(-2ae) e^(-iue)/2 + (e^(iue) - e^(-2ae) e^(-iue))/(4(a + iu)))/B.

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::{Disc, SLACK, U, centre};
use crate::estimate::{ln, real};
use crate::law::atoms::cumulants;
use crate::law::bands::Bands;
use crate::law::{Law, Line, Tilted};

/// The loss of Laplace noise, the same in both directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Laplace {
    /// shift / scale.
    pub(crate) epsilon: Enclosure,
}

impl Laplace {
    /// (e^(-2ae), B).
    fn parts(&self, c: f64) -> Result<(Enclosure, Enclosure), AccountError> {
        let a = Enclosure::point(c)? + Enclosure::point(0.5)?;
        let low = (-(a + a) * self.epsilon).exp();
        let rest = -((-(a + a) * self.epsilon).expm1());
        let half = Enclosure::point(0.5)?;
        Ok((low, half + half * low + rest / (Enclosure::point(4.0)? * a)))
    }

    fn bands(&self, c: f64, total: Enclosure) -> Bands {
        let a = c + 0.5;
        let e = self.epsilon.lower();
        let count = 6.0;
        let width = (2.0 * e / count).min(0.5 / a);
        let bands = (1..=6u8).map(f64::from).map(|k| {
            // The density (1/4B) e^(a(l - e)) is smallest at the lower end l = e - k width.
            let exponent = Enclosure::point(-a * k * width).map_or(0.0, |x| x.exp().lower());
            (exponent / (4.0 * total.upper()) * width * (1.0 - 1e-9), width * (1.0 - 1e-9))
        });
        Bands::new(bands.collect())
    }
}

impl Law for Laplace {
    fn cumulants(&self, c: f64) -> [f64; 3] {
        let (e, _) = centre(self.epsilon);
        let cell = 2.0 * e / 32.0;
        let between = (0..32u8).map(move |k| {
            let l = -e + (f64::from(k) + 0.5) * cell;
            (l, (l - e) / 2.0 + ln(cell / 4.0))
        });
        let ends = [(e, ln(0.5)), (-e, ln(0.5) - e)];
        cumulants(ends.into_iter().chain(between), c)
    }

    fn ceiling(&self) -> f64 {
        self.epsilon.upper()
    }

    fn attained(&self) -> Option<(f64, f64)> {
        Some((self.epsilon.lower(), 0.5))
    }

    fn log_moment(&self, c: f64) -> Result<Enclosure, AccountError> {
        let (_, total) = self.parts(c)?;
        Ok(Enclosure::point(c)? * self.epsilon + total.ln()?)
    }

    fn tilt(&self, line: Line) -> Result<Box<dyn Tilted>, AccountError> {
        let (low, total) = self.parts(line.c)?;
        Ok(Box::new(TiltedLaplace {
            log_moment: self.log_moment(line.c)?,
            epsilon: self.epsilon,
            low,
            total,
            line,
            bands: self.bands(line.c, total),
        }))
    }
}

#[derive(Debug)]
struct TiltedLaplace {
    log_moment: Enclosure,
    epsilon: Enclosure,
    low: Enclosure,
    total: Enclosure,
    line: Line,
    bands: Bands,
}

impl TiltedLaplace {
    fn minus_one(&self, u: f64) -> Disc {
        let (e, radius) = centre(self.epsilon);
        let angle = u * e;
        let up = Disc::turn_minus_one(angle, (radius * u + 4.0 * U * angle) * SLACK);
        let down = Disc { im: -up.im, ..up };
        let (low, low_error) = centre(self.low);
        let low = Disc { re: low, im: 0.0, error: low_error };
        let a = self.line.c + 0.5;
        // (e^(iue) - low e^(-iue)) / (4(a + iu)) - (1 - low)/(4a): both over 4a, with
        // r = a/(a + iu) and r - 1 = -iu/(a + iu).
        let square = a * a + u * u;
        let turned = up.plus(low.times(down).scaled(-1.0));
        let ratio = Disc { re: a * a / square, im: -a * u / square, error: 8.0 * U };
        let ratio_minus_one = Disc { re: -u * u / square, im: -a * u / square, error: 8.0 * U };
        let span = Disc::ONE.plus(low.scaled(-1.0));
        let between = turned.times(ratio).plus(span.times(ratio_minus_one)).scaled(0.25 / a);
        // a, 1/a and their quotients are rounded too.
        let between = Disc { error: between.error + 8.0 * U * between.modulus(), ..between };
        let ends = up.plus(low.times(down)).scaled(0.5);
        let sum = ends.plus(between);
        let (total, total_error) = centre(self.total);
        let inverse = 1.0 / total;
        let relative = (total_error * inverse + 4.0 * U) * SLACK;
        let scaled = sum.scaled(inverse);
        Disc { error: (scaled.error + relative * scaled.modulus()) * SLACK, ..scaled }
    }
}

impl Tilted for TiltedLaplace {
    fn log_moment(&self) -> Enclosure {
        self.log_moment
    }

    fn fill(&self, first: u64, out: &mut [Disc]) {
        for (j, disc) in (first..).zip(out) {
            *disc = self.minus_one(real(j) * self.line.spacing);
        }
    }

    fn log_decay(&self, u: f64) -> f64 {
        self.bands.log_decay(u)
    }

    fn leap(&self, u: f64, log_bound: f64) -> f64 {
        if self.log_decay(u) <= log_bound { f64::INFINITY } else { 0.0 }
    }
}
