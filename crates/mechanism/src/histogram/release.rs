//! Counts by key, as they leave.

use crate::{Interval, MechanismError, Noise, Noisy, Uncovered};

/// Noisy counts by key, in the order of the keys.
///
/// Counts may be negative; what is done about that afterwards is free of charge, but biases.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramRelease<K> {
    keys: Vec<K>,
    counts: Noisy,
}

impl<K: Ord> HistogramRelease<K> {
    /// Keys in rising order with their noisy counts.
    pub(super) fn new(
        keys: Vec<K>,
        counts: Vec<i64>,
        noise: &Noise,
        uncovered: Vec<Uncovered>,
    ) -> Self {
        Self { keys, counts: Noisy::new(counts, noise, uncovered) }
    }

    /// The keys, in rising order.
    #[must_use]
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Their counts, in the same order, with the law of the noise.
    #[must_use]
    pub const fn counts(&self) -> &Noisy {
        &self.counts
    }

    /// Keys with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&K, i64)> {
        self.keys.iter().zip(self.counts.steps().iter().copied())
    }

    /// The count of a key; `None` if the key is not in the release.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<i64> {
        self.counts.steps().get(self.place(key)?).copied()
    }

    /// An interval for the count of a key; `None` if the key is not in the release.
    ///
    /// # Guarantee
    /// As for [`Noisy::interval`]; see [`Noisy::uncovered`] for what it leaves out.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn interval(&self, key: &K, confidence: f64) -> Result<Option<Interval>, MechanismError> {
        self.place(key).map(|place| self.counts.interval(place, confidence)).transpose()
    }

    /// The half width of intervals that cover the counts of all keys at once.
    ///
    /// # Guarantee
    /// As for [`Noisy::half_width_of_all`].
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn half_width_of_all(&self, confidence: f64) -> Result<f64, MechanismError> {
        self.counts.half_width_of_all(confidence)
    }

    fn place(&self, key: &K) -> Option<usize> {
        self.keys.binary_search(key).ok()
    }
}
