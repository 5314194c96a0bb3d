//! Training without sampling: noise that is correlated over the steps, so that sums of steps have little.
//!
//! A gradient step is post-processing of the noisy gradient before it, and what counts in the end is the sum of all
//! of them. Independent noise adds up in it; noise C^-1 z with a suitable C largely cancels. No record need be sampled
//! in secret: each takes part in a fixed number of steps, a fixed distance apart.
//!
//! # Reference
//! Kairouz et al., *Practical and Private (Deep) Learning without Sampling or Shuffling* (2021); Denisov, McMahan, Rush,
//! Smith, Thakurta, *Improved Differential Privacy for SGD via Optimal Private Linear Operators on Adaptive Streams*
//! (2022); Choquette-Choo et al., *(Amplified) Banded Matrix Factorization* (2023).

mod bands;
mod ftrl;

use std::collections::VecDeque;
use std::fmt;

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Grid, MechanismError, Noise, Run, Sensitivity};
use throng_numeric::Rational;

use crate::math::number;
use crate::privacy::Gaussian;
use crate::{LearnError, Privacy};
use bands::PLACES;
pub use bands::{Bands, Participation};
pub use ftrl::{Ftrl, Gradients, Pace};

/// Correlated Gaussian noise for the sums of a run: in step t, what is known is g_t + (C^-1 z)_t.
///
/// # Guarantee
/// That of [`CorrelatedNoise::spec`] for all steps together, if what neighbours differ by is one record's contributions:
/// integer vectors of norm at most `reach`, in steps that the [`Participation`] allows. Later
/// sums may depend on what was released before.
///
/// # Why this is right
/// What is computed from the data in step t is y_t = Σ_k c_k g_(t-k), a multiple of 2^-12 and exact, and
/// what is released is y_t + z_t with fresh noise z_t on that grid. Fix a transcript. Given it, the sums g_t of two neighbours
/// are fixed, and differ by contributions h_t of one record; so step t is discrete Gaussian noise on values d_t
/// apart, d_t = |Σ_k c_k h_(t-k)|, and Σ_t d_t² <= Δ² by [`Bands::square`], *whatever the transcript*. Each step is as private as
/// normal noise of σ on a distance d_t, that is d_t/σ-GDP; and steps that are chosen along the way
/// whose squares never sum to more than (Δ/σ)² are together Δ/σ-GDP (Smith, Thakurta, *Fully Adaptive Composition for
/// Gaussian Differential Privacy*, 2022). Solving C x = y + z for x is post-processing.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrelatedNoise {
    bands: Bands,
    participation: Participation,
    noise: Noise,
    /// Larger sums are clamped, so that mixtures have 62 bits.
    most: i64,
}

impl CorrelatedNoise {
    /// The noise that reaches a target, for contributions of norm at most `reach`.
    ///
    /// # Errors
    /// If the reach is 0, or no Gaussian noise reaches the target.
    pub fn new(
        bands: Bands,
        participation: Participation,
        reach: u64,
        privacy: &Privacy,
    ) -> Result<Self, LearnError> {
        let noise = Self::within((bands, participation), reach, (&privacy.gaussian()?, 1, 1))?;
        privacy.certify(noise.spec())?;
        Ok(noise)
    }

    /// The same with a share of part/whole of a target.
    ///
    /// # Errors
    /// If the reach is 0, or as for [`Gaussian::noise`].
    pub fn within(
        (bands, participation): (Bands, Participation),
        reach: u64,
        (gaussian, part, whole): (&Gaussian, u32, u32),
    ) -> Result<Self, LearnError> {
        if reach == 0 {
            return Err(LearnError::invalid("the reach", reach, "at least 1"));
        }
        bands.check(participation)?;
        // A record that is replaced takes its contributions away and puts others in their place.
        let under = gaussian.neighbours();
        let moved = Rational::from(reach) * Rational::from(crate::contribution::times(under));
        let square = bands.square(participation) * moved.square();
        let distance = Sensitivity::of_square(&square, under)?.distance().clone();
        let grid = Grid::new(-PLACES.cast_signed())?;
        let noise = gaussian.noise((part, whole), &distance, grid)?;
        let most = (1_i64 << 61) / bands.sum();
        Ok(Self { bands, participation, noise, most })
    }

    /// What all steps together cost.
    #[must_use]
    pub const fn spec(&self) -> &MechanismSpec {
        self.noise.spec()
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    /// Which steps a record can take part in.
    #[must_use]
    pub const fn participation(&self) -> Participation {
        self.participation
    }

    /// The factor C.
    #[must_use]
    pub const fn bands(&self) -> &Bands {
        &self.bands
    }

    /// A run for vectors of so many numbers. One permit pays for one run: a mechanism that starts two has
    /// to state the spec twice.
    #[must_use]
    pub fn start(&self, numbers: usize) -> Steps<'_> {
        let (sums, known) = (VecDeque::new(), VecDeque::new());
        Steps { noise: self, numbers, taken: 0, sums, known }
    }
}

/// A run on its way; it remembers as many vectors as there are bands.
pub struct Steps<'a> {
    noise: &'a CorrelatedNoise,
    numbers: usize,
    taken: usize,
    /// g_t, g_(t-1), ...: private.
    sums: VecDeque<Vec<i64>>,
    /// x_(t-1), x_(t-2), ...: public.
    known: VecDeque<Vec<f64>>,
}

impl fmt::Debug for Steps<'_> {
    /// Without the sums, which are private.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps").field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl Steps<'_> {
    /// The next sum with its noise. That no record contributes more than the reach, nor more often than
    /// the noise was made for, cannot be seen in a sum: it is for the caller to prove
    /// ([`CorrelatedNoise`]).
    ///
    /// # Errors
    /// If all steps are taken, the vector has another length, or no noise can be drawn.
    pub fn step(&mut self, sum: Vec<i64>, run: &mut Run<'_>) -> Result<Vec<f64>, MechanismError> {
        self.check(sum.len())?;
        let mut mixed = self.mixed(sum);
        self.noise.noise.add(&mut mixed, run)?;
        Ok(self.solved(&mixed))
    }

    fn check(&mut self, numbers: usize) -> Result<(), LearnError> {
        if numbers != self.numbers {
            let allowed = self.numbers.to_string();
            return Err(LearnError::invalid("the length of a sum", numbers, allowed));
        }
        self.taken += 1;
        if self.taken > self.noise.participation.steps() {
            let allowed = self.noise.participation.steps().to_string();
            return Err(LearnError::invalid("the steps taken", self.taken, allowed));
        }
        Ok(())
    }

    /// y_t in steps of 2^-12. Clamping moves two sums no further apart.
    fn mixed(&mut self, mut sum: Vec<i64>) -> Vec<i64> {
        let most = self.noise.most;
        sum.iter_mut().for_each(|x| *x = (*x).clamp(-most, most));
        self.sums.push_front(sum);
        self.sums.truncate(self.noise.bands.len());
        let mut mixed = vec![0; self.numbers];
        for (sum, coefficient) in self.sums.iter().zip(self.noise.bands.steps()) {
            for (y, g) in mixed.iter_mut().zip(sum) {
                *y += g * coefficient;
            }
        }
        mixed
    }

    /// x_t = y_t - Σ_(k>=1) c_k x_(t-k).
    fn solved(&mut self, mixed: &[i64]) -> Vec<f64> {
        let step = 1.0 / f64::from(1_u32 << PLACES);
        let mut next: Vec<f64> = mixed.iter().map(|y| number(*y) * step).collect();
        for (known, coefficient) in self.known.iter().zip(self.noise.bands.steps().iter().skip(1)) {
            let coefficient = number(*coefficient) * step;
            for (x, before) in next.iter_mut().zip(known) {
                *x -= coefficient * before;
            }
        }
        self.known.push_front(next.clone());
        self.known.truncate(self.noise.bands.len().saturating_sub(1));
        next
    }
}
