//! Laws of counts by key.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

use throng_mechanism::NoiseLaw;
use throng_mechanism::contribution::Rows;
use throng_mechanism::histogram::{Histogram, KeySelection, ThresholdHistogram};
use throng_numeric::{Enclosure, Rational};

use super::noise::{noise_law, noise_law_within};
use super::{ExactLaw, Law};
use crate::AuditError;

fn counted<K: Ord + Clone>(rows: &[K]) -> BTreeMap<K, i64> {
    let mut counts = BTreeMap::new();
    for key in rows {
        *counts.entry(key.clone()).or_insert(0) += 1;
    }
    counts
}

/// The law of the keys whose noisy count is at least a threshold, with those counts.
///
/// # Errors
/// If there are too many outcomes.
pub fn threshold_law<K: Ord + Clone>(
    rows: &[K],
    noise: &NoiseLaw,
    at_least: i64,
) -> Result<Law<Vec<(K, i64)>>, AuditError> {
    let one = |(key, count): (K, i64)| -> Result<Law<Option<(K, i64)>>, AuditError> {
        // A little less exact than for one number: there are several keys.
        let law = noise_law_within(noise, count, 1e-12)?;
        Ok(law.mapped(|n| (n >= at_least).then_some((key.clone(), n))))
    };
    let laws: Result<Vec<_>, _> = counted(rows).into_iter().map(one).collect();
    Ok(Law::product(laws?)?.mapped(|keys| keys.into_iter().flatten().collect()))
}

impl<K, H> ExactLaw for ThresholdHistogram<K, Rows, H>
where
    K: Ord + Hash + Clone,
{
    type Input = [K];
    type Outcome = Vec<(K, i64)>;

    fn law(&self, input: &[K]) -> Result<Law<Self::Outcome>, AuditError> {
        threshold_law(input, self.noise().law(), self.threshold().at_least())
    }
}

/// The counts of all keys, in order.
impl<K, H> ExactLaw for Histogram<K, Rows, H>
where
    K: Ord + Hash + Clone,
    H: BuildHasher,
{
    type Input = [K];
    type Outcome = Vec<i64>;

    fn law(&self, input: &[K]) -> Result<Law<Vec<i64>>, AuditError> {
        let counts = counted(input);
        let count = |key: &K| counts.get(key).copied().unwrap_or(0);
        let laws: Result<Vec<_>, _> =
            self.keys().iter().map(|key| noise_law(self.noise().law(), count(key))).collect();
        Law::product(laws?)
    }
}

impl<K, H> ExactLaw for KeySelection<K, Rows, H>
where
    K: Ord + Hash + Clone,
{
    type Input = [K];
    type Outcome = Vec<K>;

    fn law(&self, input: &[K]) -> Result<Law<Vec<K>>, AuditError> {
        let one = |(key, count): (K, i64)| -> Result<Law<Option<K>>, AuditError> {
            let shown = self.chance(count.unsigned_abs())?;
            let hidden = Enclosure::of_rational(&(&Rational::ONE - &shown));
            Ok(Law::of([(Some(key), Enclosure::of_rational(&shown)), (None, hidden)]))
        };
        let laws: Result<Vec<_>, _> = counted(input).into_iter().map(one).collect();
        Ok(Law::product(laws?)?.mapped(|keys| keys.into_iter().flatten().collect()))
    }
}
