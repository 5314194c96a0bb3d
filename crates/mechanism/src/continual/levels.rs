//! Noise on the levels of a tree.

use std::sync::Arc;

use throng_account::MechanismSpec;
use throng_numeric::Rational;

use super::stream::Stream;
use crate::{Grid, L1, L2, MechanismError, Noise, PerCell, Sensitivity};

/// Noise on every node of a binary tree, of which a unit is in one per level.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Levels {
    pub(super) stream: Stream,
    /// Shared with the sessions, so that its tables are built once.
    pub(super) noise: Arc<Noise>,
    pub(super) levels: u32,
    pub(super) spec: MechanismSpec,
}

impl Levels {
    /// The nodes of one level are sums of disjoint steps, so the distance of a level in L1 is at most
    /// that of the streams, and so is that in L2.
    pub(super) fn laplace(
        scale: &Rational,
        stream: Stream,
        levels: u32,
    ) -> Result<Self, MechanismError> {
        let distance = Sensitivity::<L1>::of(stream.distance(), stream.neighbours())?;
        Self::of(Noise::laplace(scale, &distance, Grid::WHOLE)?, stream, levels)
    }

    /// Each level is private by a share of epsilon.
    pub(super) fn pure(
        epsilon: &Rational,
        stream: Stream,
        levels: u32,
    ) -> Result<Self, MechanismError> {
        let each = epsilon.checked_div(&Rational::from(levels.max(1)))?;
        let distance = Sensitivity::<L1>::of(stream.distance(), stream.neighbours())?;
        Self::of(Noise::pure(&each, &distance, Grid::WHOLE)?, stream, levels)
    }

    /// If a unit moves one step only, it moves one node per level, and the accountant sees the
    /// discrete law.
    pub(super) fn gaussian(
        sigma: &Rational,
        stream: Stream,
        levels: u32,
    ) -> Result<Self, MechanismError> {
        let (distance, under) = (stream.distance(), stream.neighbours());
        let noise = if stream.is_one_step() {
            Noise::gaussian_per_cell(sigma, &PerCell::of(1, distance, under)?, Grid::WHOLE)?
        } else {
            Noise::gaussian(sigma, &Sensitivity::<L2>::of(distance, under)?, Grid::WHOLE)?
        };
        Self::of(noise, stream, levels)
    }

    fn of(noise: Noise, stream: Stream, levels: u32) -> Result<Self, MechanismError> {
        stream.check_sums(1 << levels)?;
        let spec = MechanismSpec::repeated(u64::from(levels), noise.spec().clone())?;
        Ok(Self { stream, noise: Arc::new(noise), levels, spec })
    }
}

/// ⌊log₂ n⌋ + 1, for n from 1 to 2^31.
pub(super) fn levels_of(n: u64, name: &str) -> Result<u32, MechanismError> {
    if n == 0 || n > 1 << 31 {
        return Err(MechanismError::invalid(name, n, "in 1..=2^31"));
    }
    Ok(n.ilog2() + 1)
}
