//! E(x), the exponent of a law proportional to e^-E(|x|).

use throng_numeric::{Natural, Rational};

use super::rungs::RUNGS;
use crate::SampleError;

/// The exponent of a noise law, exactly.
#[derive(Debug, Clone)]
pub(super) enum Energy {
    /// E(x) = x / scale: discrete Laplace.
    Linear {
        /// 1 / scale.
        slope: Rational,
    },
    /// E(x) = x² / (2σ²): discrete Gaussian.
    Quadratic {
        /// 1 / (2σ²).
        curvature: Rational,
    },
}

impl Energy {
    pub(super) fn linear(scale: &Rational) -> Result<Self, SampleError> {
        Ok(Self::Linear { slope: Rational::ONE.checked_div(scale)? })
    }

    pub(super) fn quadratic(variance: &Rational) -> Result<Self, SampleError> {
        let twice = variance + variance;
        Ok(Self::Quadratic { curvature: Rational::ONE.checked_div(&twice)? })
    }

    /// E(x).
    pub(super) fn of(&self, x: &Natural) -> Rational {
        let x = Rational::from(x.clone());
        match self {
            Self::Linear { slope } => slope * &x,
            Self::Quadratic { curvature } => curvature * &x.square(),
        }
    }

    /// E(2^shift h) as an energy of h.
    pub(super) fn on_rungs(&self, shift: u32) -> Result<Self, SampleError> {
        let step = Rational::from(1_u64 << shift);
        Ok(match self {
            Self::Linear { slope } => Self::Linear { slope: slope * &step },
            Self::Quadratic { curvature } => {
                Self::Quadratic { curvature: curvature * &step.square() }
            }
        })
    }

    /// The smallest shift for which e^-E beyond the last rung is negligible, or none if low
    /// parts of that many bits do not fit the machine words of the fast path.
    ///
    /// With [`RUNGS`] = 1023 and E(1023 · 2^s) >= 44.4 the table misses less than 2^-62 of the
    /// mass (checked exactly in [`super::rungs`]). In scales: 23.04 · 2^s (Laplace), σ = 108.6 · 2^s
    /// (Gaussian). The limits on s: a Gaussian rise is below 2^(2s + 11), which must fit into 64
    /// bits; and 40 bits of low part leave room for a rung and a sign in an `i64`.
    pub(super) fn shift(&self) -> Option<u32> {
        let most = match self {
            Self::Linear { .. } => 40,
            Self::Quadratic { .. } => 26,
        };
        let enough = Rational::new(444, 10_u8).ok()?;
        (0..=most)
            .find(|shift| self.of(&(Natural::from(RUNGS) << super::to_index(*shift))) >= enough)
    }
}
