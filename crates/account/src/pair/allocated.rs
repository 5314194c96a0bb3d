//! One random step of many.
//!
//! # The pair
//! A unit takes part in one of t steps, chosen uniformly; every step adds normal noise of
//! standard deviation σ to a contribution of norm s. P is the average over i of N(s e_i, σ² I),
//! Q = N(0, σ² I). With v = s²/σ², the ratio dP/dQ is A = (Y_1 + ... + Y_t)/t, where under Q the
//! Y_i are independent with ln Y_i ~ N(-v/2, v), of mean 1. So H_γ(P‖Q) = E(A - γ)_+ and
//! H_γ(Q‖P) = E(1 - γA)_+: both are means of convex, non-negative functions of A.
//!
//! # Two laws on a lattice
//! Put Y on multiples of h: once larger, once smaller in convex order (`lattice`). Convex order
//! survives independent sums, so the t-fold convolutions bracket both divergences.
//! What is cut off of Y (its far tail, and what rounding masses down leaves out) is an event. For
//! the upper pair its whole mass, in both worlds, is told apart: whatever P and Q have left of 1
//! when all outcomes are counted becomes `p_only` and `q_only`. For the lower pair it is dropped,
//! which can only lower means of non-negative functions.
//!
//! The sums are thinned to a few thousand outcomes the same way: the upper by splitting each
//! between two neighbours that are kept, with the same mean, the lower by merging (`thin`).
//!
//! # Several steps
//! Taking part in k of t steps, chosen uniformly: cut a uniformly random order of the steps into k
//! blocks of ⌊t/k⌋ or ⌈t/k⌉ and choose one of each; by symmetry every set of k is equally likely.
//! Given the blocks, which are independent of the data, the mechanism is the composition of k
//! allocations of one step each; telling the blocks can only reveal more (H_γ is jointly convex), and
//! the bound is the same for all of them. [`blocks`] gives their sizes.

mod lattice;
mod thin;

use throng_numeric::Enclosure;
use throng_numeric::convolution::{Composition, Convolved, Factor, Window};

use super::discrete::DiscretePair;
use super::{normal, whole};
use crate::AccountError;
use crate::error::unless_given_up;
use lattice::Lattice;

/// How many steps are in how many of the blocks of `chosen` of `steps`: (size, number).
///
/// # Errors
/// If not 1 <= chosen <= steps.
pub fn blocks(chosen: u64, steps: u64) -> Result<Vec<(u64, u64)>, AccountError> {
    if chosen == 0 || chosen > steps {
        return Err(AccountError::invalid("chosen", chosen, format!("from 1 to {steps}")));
    }
    let (size, longer) = (steps / chosen, steps % chosen);
    // The first number may be beyond all, but then there is none of it.
    let sizes = [(size.saturating_add(1), longer), (size, chosen - longer)];
    Ok(sizes.into_iter().filter(|(_, number)| *number > 0).collect())
}

/// Pairs above and below the allocation of one of `steps`, with `variance_ratio` = s²/σ².
///
/// About `tail` of each world is cut off; it should be well below the δ of interest. Each pair
/// has at most about 5000 outcomes, so that it can be composed.
///
/// # Guarantee
/// The curves of the first pair, in both directions, are at least those of the allocation;
/// those of the second, by the lower ends of its enclosures, are at most those. Accuracy is
/// absolute: about 1e-12 for each step is lost to rounding. For ratios above 1 the sum of few
/// steps has so heavy a tail that the upper pair may tell all with a chance that matters; it is
/// sound all the same.
///
/// # Errors
/// If there are no steps, the ratio is not positive, the tail not in (0, 1), or the noise is so
/// small that the lattice would be too long.
pub fn pairs(
    steps: u64,
    variance_ratio: Enclosure,
    tail: f64,
) -> Result<(DiscretePair, DiscretePair), AccountError> {
    normal::positive("the variance ratio", variance_ratio)?;
    if steps == 0 || steps > throng_numeric::convolution::MAX_REPETITIONS {
        return Err(AccountError::invalid("steps", steps, "from 1 to 2^31"));
    }
    if !(tail > 0.0 && tail < 1.0) {
        return Err(AccountError::invalid("tail", tail, "in (0, 1)"));
    }
    let lattice = Lattice::new(variance_ratio, tail)?;
    let spread = Enclosure::point(lattice.step)? / whole(steps);
    let upper = thin::split(&sum(&lattice.larger()?, steps, &lattice)?, spread)?;
    let lower = thin::merge(&sum(&lattice.smaller()?, steps, &lattice)?, spread)?;
    Ok((upper, lower))
}

/// The most large summands that are told apart; more are cut off.
const MOST_LARGE: u64 = 3;

/// How many deviations of the sum of the others to look beyond.
const REACH: f64 = 14.0;

/// The law of the sum of `steps` independent variables, by the number of large summands: with
/// the masses a split into small and large ones, a = b + c, the law is Σ_k C(t,k) b^(t-k) c^k in
/// the sense of convolution. Few are large, and each term alone has a light tail, so that what
/// falls outside of a window is certainly little.
fn sum(
    masses: &[f64],
    steps: u64,
    lattice: &Lattice,
) -> Result<Vec<(Enclosure, Convolved)>, AccountError> {
    if steps == 1 {
        let law = Composition::new(vec![Factor::new(masses, 1)?])?.convolve()?;
        return Ok(vec![(Enclosure::ONE, law)]);
    }
    let border = lattice.border(steps).min(masses.len());
    let (small, large) = masses.split_at(border);
    let large: Vec<f64> = std::iter::repeat_n(0.0, border).chain(large.iter().copied()).collect();
    let mean = thin::floor((whole(steps) / Enclosure::point(lattice.step)?).lower());
    let reach = thin::floor(REACH * lattice.deviation_of_sum(steps));
    let start = mean.saturating_sub(reach);
    let jump = u64::try_from(masses.len()).unwrap_or(u64::MAX);
    let mut terms = Vec::new();
    let mut ways = Enclosure::ONE;
    for k in 0..=MOST_LARGE.min(steps - 1) {
        unless_given_up()?;
        if k > 0 {
            if large.iter().all(|mass| *mass == 0.0) {
                break;
            }
            ways = ways * whole(steps + 1 - k) / whole(k);
        }
        let mut factors = vec![Factor::new(small, steps - k)?];
        if k > 0 {
            factors.push(Factor::new(&large, k)?);
        }
        let length = (mean - start).saturating_add(reach).saturating_add(k.saturating_mul(jump));
        let length = length.max(jump).max(2).next_power_of_two();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let window = Window::From { start, length };
        terms.push((ways, Composition::new(factors)?.within(window)?.convolve()?));
    }
    Ok(terms)
}
