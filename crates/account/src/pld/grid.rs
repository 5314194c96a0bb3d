//! A uniform grid of losses, and how a finite pair is put on it from above.
//!
//! # Order
//! Write δ_m(ε) = ∫ (1 - e^(ε - z))_+ dm(z) for a measure m of losses, and m ⪯ n if
//! δ_m(ε) <= δ_n(ε) for *every* real ε. Then m * k ⪯ n * k for every measure k, because
//! (1 - e^(ε - z - w))_+ is the same function with ε - w for ε: the order survives composition.
//! No measure need be normalised. All roundings below are moves along this order:
//!
//! - more mass, or mass moved to a larger loss, is above: the integrand grows with z;
//! - mass split in two, keeping its chance under both worlds, is above (and merged mass below):
//!   the integrand is (p - e^ε q)_+ of the portion, which is sublinear in (p, q).

use throng_numeric::Enclosure;
use throng_numeric::rounding::{add_up, mul_up};

use crate::AccountError;
use crate::pair::discrete::DiscretePair;

/// The most points of a grid that one step may have.
pub const MOST_POINTS: usize = 1 << 22;

/// Grid points j * step are exact `f64` for |j| below this.
const MOST_INDEX: f64 = 2_147_483_648.0;

/// The losses that are whole multiples of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    step: f64,
}

impl Grid {
    /// The grid of this step, rounded down to 21 significant bits, so that its points are exact.
    ///
    /// # Errors
    /// If the step is not a positive number of ordinary size.
    pub fn new(step: f64) -> Result<Self, AccountError> {
        if !(1e-100..=1e100).contains(&step) {
            return Err(AccountError::invalid("step", step, "between 1e-100 and 1e100"));
        }
        Ok(Self { step: f64::from_bits(step.to_bits() & !0xFFFF_FFFF) })
    }

    /// The distance of neighbouring points.
    #[must_use]
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The point of an index: 21 bits times 32 bits, hence exact.
    pub(super) fn at(&self, index: i64) -> f64 {
        float(index) * self.step
    }

    /// The index of the last point that is not above a loss.
    pub(super) fn floor(&self, loss: f64) -> Result<i64, AccountError> {
        let place = (loss / self.step).floor();
        if place.is_nan() || place.abs() >= MOST_INDEX {
            return Err(too_many());
        }
        // The quotient is rounded: it may have been lifted to the next whole number, or be
        // just below it. The points themselves are exact.
        let mut index = whole(place);
        if self.at(index) > loss {
            index -= 1;
        } else if self.at(index + 1) <= loss {
            index += 1;
        }
        Ok(index)
    }

    /// The points that span losses from `from` to `to`.
    pub(super) fn span(&self, from: f64, to: f64) -> Result<Span, AccountError> {
        let (first, last) = (self.floor(from)?, self.floor(to.max(from))? + 1);
        let length = usize::try_from(last - first + 1).ok().filter(|n| *n <= MOST_POINTS);
        Ok(Span { first, last, length: length.ok_or_else(too_many)? })
    }
}

fn too_many() -> AccountError {
    AccountError::TooLarge {
        what: "the number of grid points".into(),
        limit: format!("{MOST_POINTS} per step"),
    }
}

/// An index as a number; indices are below 2^53.
#[expect(clippy::cast_precision_loss, reason = "indices are below 2^53")]
pub(super) fn float(index: i64) -> f64 {
    index as f64
}

/// A number as an index; beyond the range, the nearest there is.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub(super) fn whole(x: f64) -> i64 {
    x as i64
}

/// The points in use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) length: usize,
}

/// Masses of losses `offset + (first + i) * step`, and of infinite loss.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Law {
    pub(super) first: i64,
    pub(super) masses: Vec<f64>,
    pub(super) infinite: f64,
    pub(super) offset: Enclosure,
}

impl Law {
    pub(super) fn empty(span: Span, infinite: f64) -> Self {
        let masses = vec![0.0; span.length];
        Self { first: span.first, masses, infinite: infinite.min(1.0), offset: Enclosure::ZERO }
    }

    /// Changes the mass at an index; indices outside have been ruled out by the caller.
    pub(super) fn change(&mut self, index: i64, to: impl FnOnce(f64) -> f64) {
        let place = usize::try_from(index - self.first).ok();
        if let Some(mass) = place.and_then(|place| self.masses.get_mut(place)) {
            *mass = to(*mass);
        }
    }

    fn raise(&mut self, index: i64, by: f64) {
        self.change(index, |mass| add_up(mass, by));
    }

    /// Leaves out empty points at both ends.
    pub(super) fn trimmed(mut self) -> Self {
        let used = |mass: &f64| *mass > 0.0;
        let Some(last) = self.masses.iter().rposition(used) else {
            self.masses.truncate(1);
            return self;
        };
        self.masses.truncate(last + 1);
        let first = self.masses.iter().position(used).unwrap_or(0);
        self.masses.drain(..first);
        self.first += i64::try_from(first).unwrap_or(0);
        self
    }
}

/// A pair on a grid, from above.
///
/// # Guarantee
/// The finite part is above that of the pair in the order of this file, and so is the infinite
/// mass. For an atom of loss l between the points g <= l <= g' = g + h, the two equations
///
/// > p_g + p_g' = p,  p_g e^-g + p_g' e^-g' = p e^-l  (its chance under Q)
///
/// give p_g' = p (1 - e^(g - l))/(1 - e^-h); both parts are rounded up. Loss and chance of the
/// atom are taken at their upper ends first (moved up, added to). What is above the span
/// becomes infinite, what is below is moved up to the first point.
///
/// # Errors
/// If a loss in the span has no index.
pub(super) fn split(pair: &DiscretePair, grid: &Grid, span: Span) -> Result<Law, AccountError> {
    let mut law = Law::empty(span, pair.p_only.upper());
    let (bottom, top) = (grid.at(span.first), grid.at(span.last));
    let whole_cell = Enclosure::point(-grid.step)?.expm1();
    for atom in &pair.atoms {
        let (loss, p) = (atom.loss.upper(), atom.p.upper());
        if loss > top {
            law.infinite = add_up(law.infinite, p).min(1.0);
        } else if loss <= bottom {
            law.raise(span.first, p);
        } else {
            let index = grid.floor(loss)?;
            let below = Enclosure::point(grid.at(index))? - Enclosure::point(loss)?;
            let share = (below.expm1() / whole_cell).max(Enclosure::ZERO).min(Enclosure::ONE);
            law.raise(index, mul_up(p, (Enclosure::ONE - share).upper()));
            if share.upper() > 0.0 {
                law.raise(index + 1, mul_up(p, share.upper()));
            }
        }
    }
    Ok(law.trimmed())
}
