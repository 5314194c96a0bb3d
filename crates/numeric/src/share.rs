//! A probability as e^w times a factor, or as one minus that.

use crate::Enclosure;
use crate::ball::{Ball, Scaled};
use crate::elementary::{exp_ball, ln_ball, ln_complement};
use crate::wide::Wide;

/// Which of two complementary probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The one below.
    Lower,
    /// The one above.
    Upper,
}

/// One of two complementary probabilities, e^`ln_weight` times `factor`, known to a relative
/// accuracy; the other follows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) ln_weight: Ball,
    pub(crate) factor: Ball,
    pub(crate) side: Side,
}

impl Share {
    /// The probability 0, exactly.
    pub(crate) const NOTHING: Self =
        Self { ln_weight: Ball::ZERO, factor: Ball::ZERO, side: Side::Lower };

    /// Any probability.
    pub(crate) const UNKNOWN: Self = Self {
        ln_weight: Ball { mid: Wide::of(0.0), rad: f64::INFINITY },
        factor: Ball::ONE,
        side: Side::Lower,
    };

    /// The probability on one side.
    pub(crate) fn linear(self, side: Side) -> Enclosure {
        let value = if self.is_nothing() {
            if side == self.side { Enclosure::ZERO } else { Enclosure::ONE }
        } else if side == self.side {
            self.known().enclosure()
        } else {
            (Ball::ONE - self.known().ball()).enclosure()
        };
        value.clamp_to(0.0, 1.0)
    }

    /// The logarithm of the probability on one side.
    pub(crate) fn logarithm(self, side: Side) -> Enclosure {
        let value = if self.is_nothing() {
            let ln = if side == self.side { f64::NEG_INFINITY } else { 0.0 };
            Enclosure::outward(ln, ln)
        } else if side == self.side {
            (self.ln_weight + ln_ball(self.factor)).enclosure()
        } else {
            ln_complement(self.known()).enclosure()
        };
        value.clamp_to(f64::NEG_INFINITY, 0.0)
    }

    fn known(self) -> Scaled {
        let weight = exp_ball(self.ln_weight);
        Scaled { ball: weight.ball * self.factor, exponent: weight.exponent }
    }

    fn is_nothing(self) -> bool {
        self.factor.mid.hi == 0.0 && self.factor.rad == 0.0
    }
}
