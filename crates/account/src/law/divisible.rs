//! The loss of an infinitely divisible pair: a Gaussian part and streams of Poisson events.
//!
//! With rates a_j under P and b_j under Q, x_j = ln(a_j/b_j):
//! K(z) = s^2 z(z+1)/2 + sum a_j (e^(z x_j) - 1) - z sum (a_j - b_j).
//! A stream that Q lacks (b_j = 0) makes the loss infinite at its first event: the finite part
//! keeps the factor e^(-a_j) of "no event".

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::{Disc, SLACK, U, centre};
use crate::estimate::real;
use crate::law::gaussian::{normal_minus_one, shrink_minus_one};
use crate::law::{Law, Line, Tilted};

/// A pair of infinitely divisible laws, seen from P.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Divisible {
    /// The variance of the Gaussian part.
    pub(crate) square: Enclosure,
    /// The streams that both have: (rate under P, ln of the ratio of rates).
    pub(crate) streams: Vec<(Enclosure, Enclosure)>,
    /// The sum of all rates under P minus the sum of all rates under Q.
    pub(crate) excess: Enclosure,
    /// The sum of the rates of streams that only P has.
    pub(crate) killing: Enclosure,
}

impl Law for Divisible {
    fn cumulants(&self, c: f64) -> [f64; 3] {
        let (v, excess) = (centre(self.square).0, centre(self.excess).0);
        let mut k = [
            v * c * (c + 1.0) / 2.0 - c * excess - centre(self.killing).0,
            v * (c + 0.5) - excess,
            v,
        ];
        for (rate, x) in &self.streams {
            let (rate, x) = (centre(*rate).0, centre(*x).0);
            let tilted = rate * crate::estimate::exp(c * x);
            k[0] += tilted - rate;
            k[1] += tilted * x;
            k[2] += tilted * x * x;
        }
        k
    }

    fn ceiling(&self) -> f64 {
        f64::INFINITY
    }

    fn log_moment(&self, c: f64) -> Result<Enclosure, AccountError> {
        let c = Enclosure::point(c)?;
        let mut k = self.square * c * (c + Enclosure::ONE) * Enclosure::point(0.5)?
            - c * self.excess
            - self.killing;
        for (rate, x) in &self.streams {
            k = k + *rate * (c * *x).expm1();
        }
        Ok(k)
    }

    fn tilt(&self, line: Line) -> Result<Box<dyn Tilted>, AccountError> {
        let c = Enclosure::point(line.c)?;
        let streams = self.streams.iter().map(|(rate, x)| (*rate * (c * *x).exp(), *x)).collect();
        Ok(Box::new(TiltedDivisible {
            log_moment: self.log_moment(line.c)?,
            square: self.square,
            streams,
            excess: self.excess,
            line,
        }))
    }
}

#[derive(Debug)]
struct TiltedDivisible {
    log_moment: Enclosure,
    square: Enclosure,
    /// (tilted rate, jump).
    streams: Vec<(Enclosure, Enclosure)>,
    excess: Enclosure,
    line: Line,
}

impl TiltedDivisible {
    fn minus_one(&self, u: f64) -> Disc {
        let (mut fall, mut fall_error) = (0.0, 0.0);
        let (excess, excess_error) = centre(self.excess);
        let (mut angle, mut angle_error) =
            (-u * excess, u * excess_error + 4.0 * U * (u * excess).abs());
        for (rate, x) in &self.streams {
            let ((rate, rate_error), (x, x_error)) = (centre(*rate), centre(*x));
            let turn = Disc::turn_minus_one(u * x, u * (x_error + 2.0 * U * x.abs()));
            let error = rate * turn.error + rate_error * (turn.modulus() + turn.error);
            fall -= rate * turn.re;
            angle += rate * turn.im;
            fall_error += error + 4.0 * U * (rate * turn.re).abs() + U * fall;
            angle_error += error + 4.0 * U * (rate * turn.im).abs() + U * angle.abs();
        }
        let streams = Disc::turn_minus_one(angle, angle_error * SLACK)
            .join(shrink_minus_one(fall.max(0.0), fall_error * SLACK));
        streams.join(normal_minus_one(self.square, self.line.c, u))
    }
}

impl Tilted for TiltedDivisible {
    fn log_moment(&self) -> Enclosure {
        self.log_moment
    }

    fn fill(&self, first: u64, out: &mut [Disc]) {
        for (j, disc) in (first..).zip(out) {
            *disc = self.minus_one(real(j) * self.line.spacing);
        }
    }

    fn log_decay(&self, u: f64) -> f64 {
        -self.square.lower() * u * u / 2.0 * (1.0 - 1e-12)
    }

    fn leap(&self, u: f64, log_bound: f64) -> f64 {
        if self.log_decay(u) <= log_bound { f64::INFINITY } else { 0.0 }
    }
}
