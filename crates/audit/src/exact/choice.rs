//! Laws of choices among candidates.

use throng_mechanism::NoiseLaw;
use throng_mechanism::quantile::Quantile;
use throng_mechanism::selection::{Exponential, NoisyMax, PermuteAndFlip};
use throng_numeric::{Enclosure, Rational};

use super::law::up_to;
use super::noise::noise_law_within;
use super::{ExactLaw, Law};
use crate::AuditError;

/// Chances proportional to e^-energy.
///
/// # Errors
/// If there is nothing to choose from.
pub fn by_energy<T: Ord>(
    energies: impl IntoIterator<Item = (T, Rational)>,
) -> Result<Law<T>, AuditError> {
    let energies: Vec<_> = energies.into_iter().collect();
    let least = energies.iter().map(|(_, energy)| energy).min().cloned();
    let least = least.ok_or_else(|| AuditError::invalid("the candidates", "none", "at least 1"))?;
    let weight = |energy: &Rational| (-Enclosure::of_rational(&(energy - &least))).exp();
    let total = energies.iter().fold(Enclosure::ZERO, |sum, (_, energy)| sum + weight(energy));
    Ok(Law::of(energies.into_iter().map(|(t, energy)| {
        let chance = weight(&energy) / total;
        (t, chance)
    })))
}

/// The exponential mechanism: chances proportional to e^(rate · score).
///
/// # Errors
/// If there are no candidates.
pub fn exponential_law(scores: &[i64], rate: &Rational) -> Result<Law<usize>, AuditError> {
    by_energy((0..).zip(scores.iter().map(|score| -(rate * &Rational::from(*score)))))
}

/// Permute-and-flip.
///
/// # Why this is right
/// In random order candidate i has exactly k others before it with chance 1/n, each set of k equally
/// likely, and is chosen if all of them show tails and it heads: hᵢ/n · Σ_k e_k / C(n-1, k), with e_k
/// the k-th elementary symmetric polynomial of the chances of tails of the others. All terms are
/// positive.
///
/// # Errors
/// If there are no candidates, or more than 64.
pub fn permute_and_flip_law(scores: &[i64], rate: &Rational) -> Result<Law<usize>, AuditError> {
    let best = scores.iter().max().copied();
    let best = best.ok_or_else(|| AuditError::invalid("the candidates", "none", "at least 1"))?;
    if scores.len() > 64 {
        return Err(AuditError::invalid("the candidates", scores.len(), "at most 64"));
    }
    let gap = |score: i64| rate * &Rational::from(i128::from(best) - i128::from(score));
    let coins: Vec<(Enclosure, Enclosure)> = scores
        .iter()
        .map(|score| -Enclosure::of_rational(&gap(*score)))
        .map(|log| (log.exp(), (-log.expm1()).max(Enclosure::ZERO)))
        .collect();
    let chance = |i: usize, heads: Enclosure| {
        let tails = coins.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, coin)| coin.1);
        heads * average_of_symmetric(tails) / whole(scores.len())
    };
    Ok(Law::of(coins.iter().enumerate().map(|(i, (heads, _))| (i, chance(i, *heads)))))
}

/// Σ_k e_k / C(m, k) for m numbers.
fn average_of_symmetric(numbers: impl Iterator<Item = Enclosure>) -> Enclosure {
    let mut symmetric = vec![Enclosure::ONE];
    for x in numbers {
        symmetric.push(Enclosure::ZERO);
        for k in (1..symmetric.len()).rev() {
            if let [before, here] = &mut symmetric[k - 1..=k] {
                *here = *here + *before * x;
            }
        }
    }
    let m = symmetric.len() - 1;
    let (mut sum, mut choices) = (Enclosure::ZERO, Enclosure::ONE);
    for (k, e) in symmetric.into_iter().enumerate() {
        sum = sum + e / choices;
        choices = choices * whole(m - k) / whole(k + 1);
    }
    sum
}

fn whole(n: usize) -> Enclosure {
    Enclosure::of_rational(&Rational::from(u64::try_from(n).unwrap_or(u64::MAX)))
}

/// The largest of scores with noise, the first of equals.
///
/// # Why this is right
/// i wins with value v if its noise is v - sᵢ, and that of each j is at most v - sⱼ, or below it if j
/// comes first. What the law of the noise leaves out, of any candidate as the winner, is left out.
///
/// # Errors
/// If the noise is so large that its law is not listed.
pub fn noisy_max_law(scores: &[i64], noise: &NoiseLaw) -> Result<Law<usize>, AuditError> {
    let one = noise_law_within(noise, 0, 1e-12)?;
    let values: Vec<(i64, Enclosure)> = one.iter().map(|(k, p)| (*k, p)).collect();
    let outside = up_to(one.left_out().upper())?;
    // P(Z <= k), counted from below; what is outside may lie there or not.
    let mut sum = Enclosure::ZERO;
    let below: Vec<(i64, Enclosure)> = values
        .iter()
        .map(|(k, p)| {
            sum = sum + *p;
            (*k, (sum + outside).min(Enclosure::ONE))
        })
        .collect();
    let upto = |k: i64| match below.partition_point(|(z, _)| *z <= k).checked_sub(1) {
        Some(i) => below.get(i).map_or(outside, |(_, p)| *p),
        None => outside,
    };
    let chance = |i: usize, score: i64| {
        values.iter().fold(Enclosure::ZERO, |sum, (z, p)| {
            let others = scores.iter().enumerate().filter(|(j, _)| *j != i);
            let all =
                others.fold(*p, |all, (j, other)| all * upto(score + z - other - i64::from(j < i)));
            sum + all
        })
    };
    let chances = scores.iter().enumerate().map(|(i, score)| (i, chance(i, *score)));
    Ok(Law::cut(chances, outside * whole(scores.len())))
}

impl ExactLaw for Exponential {
    type Input = [i64];
    type Outcome = usize;

    fn law(&self, input: &[i64]) -> Result<Law<usize>, AuditError> {
        exponential_law(input, self.rate())
    }
}

impl ExactLaw for PermuteAndFlip {
    type Input = [i64];
    type Outcome = usize;

    fn law(&self, input: &[i64]) -> Result<Law<usize>, AuditError> {
        permute_and_flip_law(input, self.rate())
    }
}

impl ExactLaw for NoisyMax {
    type Input = [i64];
    type Outcome = usize;

    fn law(&self, input: &[i64]) -> Result<Law<usize>, AuditError> {
        noisy_max_law(input, &NoiseLaw::laplace(self.scale().clone())?)
    }
}

/// In steps of the grid.
impl ExactLaw for Quantile {
    type Input = [f64];
    type Outcome = i64;

    fn law(&self, input: &[f64]) -> Result<Law<i64>, AuditError> {
        by_energy(self.energies(input)?)
    }
}
