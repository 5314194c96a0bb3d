//! The wanted rank.

use throng_account::Neighbours;
use throng_numeric::Rational;

use crate::MechanismError;

/// Which rank is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// t = (p/s) n.
    Fraction { p: i128, s: i128 },
    /// t = k.
    Lowest(u64),
    /// t = n - k.
    Highest(u64),
    /// t = (p/s)(n - margin) + margin above, where `margin` of the n are no data.
    End { p: i128, s: i128, margin: u64, above: bool },
}

impl Target {
    pub(super) fn fraction(q: &Rational) -> Result<Self, MechanismError> {
        let small = |x: i128| (x < 1 << 62).then_some(x);
        let p = i128::try_from(q.numerator()).ok().filter(|p| *p >= 0);
        let s = i128::try_from(q.denominator()).ok().and_then(small);
        match (p, s) {
            (Some(p), Some(s)) if p <= s => Ok(Self::Fraction { p, s }),
            _ => Err(MechanismError::invalid("q", q, "in [0, 1], of a denominator below 2^62")),
        }
    }

    /// s, so that s t is a whole number.
    pub(super) fn unit(&self) -> i128 {
        match self {
            Self::Fraction { s, .. } | Self::End { s, .. } => *s,
            Self::Lowest(_) | Self::Highest(_) => 1,
        }
    }

    /// s t, in [0, s n]. With n < 2^63 and s < 2^62 nothing here overflows.
    pub(super) fn scaled(&self, n: u64) -> i128 {
        match self {
            Self::Fraction { p, .. } => p * i128::from(n),
            Self::Lowest(k) => i128::from(*k.min(&n)),
            Self::Highest(k) => i128::from(n - k.min(&n)),
            Self::End { p, s, margin, above } => {
                let margin = *margin.min(&n);
                p * i128::from(n - margin) + if *above { s * i128::from(margin) } else { 0 }
            }
        }
    }

    /// R; [`super::Quantile`] has the proof.
    pub(super) fn range(&self, under: Neighbours) -> Rational {
        match (self, under) {
            (Self::Fraction { p, s }, _) if *p == 0 || p == s => Rational::ONE,
            (Self::Fraction { p, s } | Self::End { p, s, .. }, Neighbours::AddRemove) => {
                let most = Rational::from(2 * *p.max(&(s - p)));
                most.checked_div(&Rational::from(*s)).unwrap_or(Rational::from(2))
            }
            (
                Self::Fraction { .. } | Self::End { .. },
                Neighbours::Replace | Neighbours::ZeroOut,
            )
            | (Self::Lowest(_) | Self::Highest(_), _) => Rational::from(2),
        }
    }
}
