//! Laws of the transcripts of sparse-vector sessions.

use throng_mechanism::NoiseLaw;
use throng_mechanism::sparse_vector::{AboveThreshold, Side};
use throng_numeric::Enclosure;

use super::law::up_to;
use super::noise::noise_law_within;
use super::{ExactLaw, Law};
use crate::AuditError;

/// The law of the answers to a stream of queries until `above` of them were Above.
///
/// # Why this is right
/// Given the noise z on the threshold T the answers are independent: Above if the noise on query q is at
/// least T + z - q.
///
/// # Errors
/// If the noise is so large that its law is not listed.
pub fn above_threshold_law(
    queries: &[i64],
    threshold: i64,
    above: u64,
    noise: [&NoiseLaw; 2],
) -> Result<Law<Vec<Side>>, AuditError> {
    let [of_threshold, of_query] = noise;
    let above = usize::try_from(above).unwrap_or(usize::MAX);
    let query = Tails::of(&noise_law_within(of_query, 0, 1e-13)?)?;
    noise_law_within(of_threshold, threshold, 1e-13)?.then(|at| {
        let mut open = vec![(Vec::new(), Enclosure::ONE)];
        for q in queries {
            let (up, down) = query.from(at - q);
            let mut next = Vec::new();
            for (answers, chance) in open {
                if answers.iter().filter(|side| **side == Side::Above).count() == above {
                    next.push((answers, chance));
                    continue;
                }
                for (side, factor) in [(Side::Above, up), (Side::Below, down)] {
                    let mut longer: Vec<Side> = answers.clone();
                    longer.push(side);
                    next.push((longer, chance * factor));
                }
            }
            open = next;
        }
        Ok(Law::of(open))
    })
}

/// P(N >= t) and P(N < t) of a law on the integers.
struct Tails {
    /// t with P(N < t) and P(N >= t), rising.
    places: Vec<(i64, Enclosure, Enclosure)>,
    /// What the law leaves out, on either side.
    outside: Enclosure,
}

impl Tails {
    fn of(law: &Law<i64>) -> Result<Self, AuditError> {
        let outside = up_to(law.left_out().upper())?;
        let chances: Vec<(i64, Enclosure)> = law.iter().map(|(k, p)| (*k, p)).collect();
        let mut least = vec![outside; chances.len() + 1];
        for (i, (_, p)) in chances.iter().enumerate().rev() {
            let next = least.get(i + 1).copied().unwrap_or(outside);
            if let Some(here) = least.get_mut(i) {
                *here = (next + *p).min(Enclosure::ONE);
            }
        }
        let mut below = outside;
        let places = chances.iter().zip(least).map(|((k, p), at_least)| {
            let here = (*k, below.min(Enclosure::ONE), at_least);
            below = below + *p;
            here
        });
        Ok(Self { places: places.collect(), outside })
    }

    /// P(N >= t) and P(N < t).
    fn from(&self, t: i64) -> (Enclosure, Enclosure) {
        let sure = Enclosure::ONE - self.outside;
        match self.places.partition_point(|(k, _, _)| *k < t) {
            0 => match self.places.first() {
                Some((k, below, at_least)) if *k == t => (*at_least, *below),
                _ => (sure, self.outside),
            },
            i => match self.places.get(i) {
                Some((_, below, at_least)) => (*at_least, *below),
                None => (self.outside, sure),
            },
        }
    }
}

impl ExactLaw for AboveThreshold {
    type Input = [i64];
    type Outcome = Vec<Side>;

    fn law(&self, input: &[i64]) -> Result<Law<Vec<Side>>, AuditError> {
        if self.gives_values() {
            return Err(AuditError::invalid("the session", "with values", "one of sides alone"));
        }
        let [threshold, query] =
            [self.threshold_scale(), self.query_scale()].map(|b| NoiseLaw::laplace(b.clone()));
        above_threshold_law(input, self.threshold(), self.above(), [&threshold?, &query?])
    }
}
