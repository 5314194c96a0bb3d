//! A lognormal variable of mean 1, put on a lattice.

use throng_numeric::rounding::add_down;
use throng_numeric::{Enclosure, NumericError, normal};

use super::whole;
use crate::AccountError;

/// The most points.
const MOST_POINTS: u64 = 1 << 20;

/// The extra variance of the larger law, relative to that of Y.
const EXTRA_VARIANCE: f64 = 1e-4;

/// The chance of Y in some interval, and E[Y; interval].
#[derive(Debug, Clone, Copy)]
struct Part {
    mass: Enclosure,
    mean: Enclosure,
}

/// A number of 20 binary digits near x > 0.
fn round(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !((1 << 33) - 1))
}

/// Cells [jh, (j+1)h) below some end.
#[derive(Debug)]
pub(super) struct Lattice {
    /// h.
    pub(super) step: f64,
    cells: Vec<Part>,
    deviation: Enclosure,
    variance: Enclosure,
}

impl Lattice {
    /// With a step that is fine next to the deviation of Y, and an end beyond which P has about
    /// `tail`. Any step and end are sound.
    #[expect(clippy::disallowed_methods, reason = "any step and end are sound")]
    pub(super) fn new(variance: Enclosure, tail: f64) -> Result<Self, AccountError> {
        let deviation = variance.sqrt()?;
        let v = variance.upper();
        let far = -normal::quantile(Enclosure::point(tail)?)?.lower();
        let end = (0.5 * v + far * v.sqrt()).exp();
        let step = round((6.0 * EXTRA_VARIANCE * v.exp_m1()).sqrt().max(2.0 * end / 1e6));
        let points = (end / step).ceil();
        if !(points >= 1.0 && step.is_finite() && end.is_finite() && step < 0.5) {
            return Err(AccountError::TooLarge {
                what: "the variance ratio".into(),
                limit: "noise of about a third of the contribution".into(),
            });
        }
        let mut this = Self { step, cells: Vec::new(), deviation, variance };
        let mut before = this.ends(0.0)?;
        for j in 1..=MOST_POINTS {
            let x = this.place(j)?;
            let after = this.ends(x.lower())?;
            this.cells.push(before.until(&after));
            before = after;
            if x.lower() >= end {
                break;
            }
        }
        Ok(this)
    }

    /// About the deviation of a sum of independent copies, in steps.
    #[expect(clippy::disallowed_methods, reason = "an estimate of how far to look")]
    pub(super) fn deviation_of_sum(&self, copies: u64) -> f64 {
        (whole(copies).upper() * self.variance.upper().exp_m1()).sqrt() / self.step
    }

    /// Where summands begin to be large: about 1e-4 of `copies` are.
    #[expect(clippy::disallowed_methods, reason = "any border is sound")]
    pub(super) fn border(&self, copies: u64) -> usize {
        let rare = Enclosure::point(1e-4 / whole(copies).upper()).and_then(normal::quantile);
        let v = self.variance.upper();
        let place = rare.map_or(0.0, |far| (-far.lower() * v.sqrt() - 0.5 * v).exp());
        usize::try_from(super::thin::floor(place / self.step)).unwrap_or(usize::MAX).max(2)
    }

    /// jh, exactly: the step has 20 digits, j at most 21.
    fn place(&self, j: u64) -> Result<Enclosure, NumericError> {
        Ok(whole(j) * Enclosure::point(self.step)?)
    }

    /// Both tails of Y at x under Q, and under the law of density y.
    fn ends(&self, x: f64) -> Result<Ends, NumericError> {
        if x <= 0.0 {
            return Ok(Ends::START);
        }
        let half = self.variance / whole(2);
        let ln = Enclosure::point(x)?.ln()?;
        let (a, b) = ((ln + half) / self.deviation, (ln - half) / self.deviation);
        Ok(Ends {
            mass: (normal::cdf(a), normal::survival(a)),
            mean: (normal::cdf(b), normal::survival(b)),
        })
    }

    /// Masses of a law that is larger in convex order, up to what is cut off: each cell's mass
    /// goes to its two ends with the same mean; every mass is rounded down.
    pub(super) fn larger(&self) -> Result<Vec<f64>, NumericError> {
        let h = Enclosure::point(self.step)?;
        let mut masses = vec![Enclosure::ZERO; self.cells.len() + 1];
        for (j, (cell, i)) in self.cells.iter().zip(0_u64..).enumerate() {
            let right = (cell.mean / h - whole(i) * cell.mass).max(Enclosure::ZERO);
            let left = (whole(i + 1) * cell.mass - cell.mean / h).max(Enclosure::ZERO);
            for (place, part) in [(j, left), (j + 1, right)] {
                if let Some(mass) = masses.get_mut(place) {
                    *mass = *mass + part;
                }
            }
        }
        Ok(masses.iter().map(|mass| mass.lower().max(0.0)).collect())
    }

    /// Masses of a law that is smaller in convex order than part of the law of Y.
    ///
    /// Neighbouring cells are joined to blocks. A block of mean m, x_a <= m <= x_{a+1}, is put on
    /// these two points with the same mean. That is smaller in convex order if u(x) = E(B - x)_+
    /// of the block is at least the potential of the two points, which between them is the line from
    /// m - x_a down to 0, and outside is |x - m|_+, below u by Jensen. u is convex, so above its
    /// tangent at m: it is enough that the tangent is above the line at x_a and x_{a+1}. Blocks
    /// grow until this is certain.
    pub(super) fn smaller(&self) -> Result<Vec<f64>, NumericError> {
        let mut masses = vec![0.0; self.cells.len() + 1];
        let mut from = 0_u64;
        let total = u64::try_from(self.cells.len()).unwrap_or(u64::MAX);
        let mut length = 3;
        while from + length <= total {
            match self.block(from, from + length)? {
                Some((place, left, right)) => {
                    for (place, part) in [(place, left), (place + 1, right)] {
                        let place = usize::try_from(place).unwrap_or(usize::MAX);
                        if let Some(mass) = masses.get_mut(place) {
                            *mass = add_down(*mass, part);
                        }
                    }
                    from += length;
                    length = 3;
                }
                None => length += 1,
            }
        }
        Ok(masses)
    }

    /// A block on two points: the first, and at most the masses, if that is certainly smaller.
    fn block(&self, from: u64, to: u64) -> Result<Option<(u64, f64, f64)>, NumericError> {
        let h = Enclosure::point(self.step)?;
        let (start, end) =
            (self.ends(self.place(from)?.lower())?, self.ends(self.place(to)?.lower())?);
        let Part { mass, mean } = start.until(&end);
        if mass.lower() <= 0.0 {
            // Too little to be told from nothing: drop it once it is a block at all.
            return Ok((mass.upper() < 1e-30).then_some((from, 0.0, 0.0)));
        }
        let middle = mean / mass;
        let place = super::thin::floor((middle / h).lower());
        if place < from || place + 1 > to {
            return Ok(None);
        }
        let (left, right) = (whole(place) * h, whole(place + 1) * h);
        // u and its slope at a point within the enclosure of the mean; any tangent will do.
        let at = middle.lower();
        let beyond = self.ends(at)?.until(&end);
        let point = Enclosure::point(at)?;
        let height = beyond.mean - point * beyond.mass;
        let tangent = |x: Enclosure| height - (x - point) * beyond.mass;
        let above =
            (tangent(left) - (mean - left * mass)).lower() >= 0.0 && tangent(right).lower() >= 0.0;
        if !above {
            return Ok(None);
        }
        let to_right = (mean / h - whole(place) * mass).lower().max(0.0);
        let to_left = (whole(place + 1) * mass - mean / h).lower().max(0.0);
        Ok(Some((place, to_left, to_right)))
    }
}

/// The chances below and above a point, under Q and under the law of density y.
#[derive(Debug, Clone, Copy)]
struct Ends {
    mass: (Enclosure, Enclosure),
    mean: (Enclosure, Enclosure),
}

impl Ends {
    const START: Self =
        Self { mass: (Enclosure::ZERO, Enclosure::ONE), mean: (Enclosure::ZERO, Enclosure::ONE) };

    /// What lies between two points, from whichever tails are smaller.
    fn until(&self, end: &Self) -> Part {
        let between = |a: (Enclosure, Enclosure), b: (Enclosure, Enclosure)| {
            let part = if b.0.upper() < 0.5 { b.0 - a.0 } else { a.1 - b.1 };
            part.max(Enclosure::ZERO)
        };
        Part { mass: between(self.mass, end.mass), mean: between(self.mean, end.mean) }
    }
}
