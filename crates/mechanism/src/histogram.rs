//! Rows counted by key.
//!
//! | keys | mechanism | guarantee |
//! |---|---|---|
//! | listed in advance | [`Histogram`] | that of the noise |
//! | unknown | [`ThresholdHistogram`] | that of the noise, and a delta for keys of one unit |
//! | whole numbers below a bound, too many to list | [`SparseHistogram`] | pure epsilon |
//! | unknown, counts not asked for | [`KeySelection`] | (epsilon, delta), keys kept optimally |
//!
//! Keys leave in sorted order, so that nothing depends on the order of rows or of a hash table.
//! Keys that are not listed in advance leave only by a mechanism that pays for them: which keys
//! occur is as private as how often.

mod leak;
mod release;
mod selection;
mod sparse;
mod tally;
mod threshold;

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

use throng_account::{MechanismSpec, Neighbours, Target};
use throng_numeric::Rational;

use crate::contribution::Layout;
use crate::{Grid, Mechanism, MechanismError, Noise, PerCell, Run};
pub use leak::Threshold;
pub use release::HistogramRelease;
pub use selection::KeySelection;
pub use sparse::SparseHistogram;
pub use threshold::ThresholdHistogram;

/// The number of rows for each of a list of keys that is fixed in advance.
///
/// All listed keys appear in the release, also those without rows; rows whose key is not listed
/// are dropped before anything else.
///
/// # Guarantee
/// That of noise for the distance of [`Contributions::per_cell`]: one unit moves l0 cells by at
/// most l∞ each, twice as many cells if it is replaced. For one row per unit that is one cell by 1,
/// or two cells by 1: L1 distance 2, L2 distance √2. Noise is described cell by cell, which for
/// Laplace noise under replace says more than the L1 distance: the two losses seldom add up.
///
/// ```
/// use throng_mechanism::contribution::Rows;
/// use throng_mechanism::histogram::Histogram;
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let visits = Sensitive::new(["ward", "clinic", "ward"]);
/// let histogram =
///     Histogram::pure(["clinic", "home", "ward"], Rows, &1.into(), Neighbours::AddRemove)?;
/// let permit = Budget::pure(1.into(), Neighbours::AddRemove)?.permit(&histogram)?;
/// let release = histogram.run(visits.as_slice(), permit, &mut OsEntropy)?;
/// for (key, count) in release.value().iter() {
///     println!("{key}: {count}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Contributions::per_cell`]: crate::contribution::Contributions::per_cell
///
/// # Reference
/// Dwork, McSherry, Nissim, Smith, *Calibrating Noise to Sensitivity in Private Data Analysis*
/// (2006).
#[derive(Debug, Clone)]
pub struct Histogram<K, L, H = RandomState> {
    keys: Vec<K>,
    places: HashMap<K, usize, H>,
    layout: L,
    noise: Noise,
}

impl<K: Ord + Hash + Clone, L: Layout<K>> Histogram<K, L> {
    /// Counts with discrete Laplace noise, epsilon-private.
    ///
    /// # Errors
    /// If there are no keys or epsilon is not above 0.
    pub fn pure(
        keys: impl IntoIterator<Item = K>,
        layout: L,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let noise = |cells: &PerCell| Noise::pure_per_cell(epsilon, cells, Grid::WHOLE);
        Self::with(keys, layout, under, noise)
    }

    /// Counts with discrete Gaussian noise of this standard deviation.
    ///
    /// # Errors
    /// If there are no keys or sigma is not above 0.
    pub fn gaussian(
        keys: impl IntoIterator<Item = K>,
        layout: L,
        sigma: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let noise = |cells: &PerCell| Noise::gaussian_per_cell(sigma, cells, Grid::WHOLE);
        Self::with(keys, layout, under, noise)
    }

    /// Counts with the least discrete Gaussian noise that reaches a target.
    ///
    /// # Errors
    /// If there are no keys or nothing reaches the target.
    pub fn gaussian_for(
        keys: impl IntoIterator<Item = K>,
        layout: L,
        target: &Target,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let noise = |cells: &PerCell| Noise::gaussian_per_cell_for(target, cells, Grid::WHOLE);
        Self::with(keys, layout, under, noise)
    }

    fn with(
        keys: impl IntoIterator<Item = K>,
        layout: L,
        under: Neighbours,
        noise: impl FnOnce(&PerCell) -> Result<Noise, MechanismError>,
    ) -> Result<Self, MechanismError> {
        let mut keys: Vec<K> = keys.into_iter().collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() {
            return Err(MechanismError::invalid("the number of keys", 0, "at least 1"));
        }
        let cells = u64::try_from(keys.len()).unwrap_or(u64::MAX);
        let noise = noise(&layout.bounds().per_cell(cells, under)?)?;
        let places = placed(&keys, RandomState::new());
        Ok(Self { keys, places, layout, noise })
    }
}

impl<K: Ord + Hash + Clone, L, H> Histogram<K, L, H> {
    /// The same with another way to hash keys.
    ///
    /// The default withstands keys that were chosen to collide; a faster one may not, and then
    /// whoever chooses rows can make a run slow.
    #[must_use]
    pub fn hashed_by<G: BuildHasher>(self, hasher: G) -> Histogram<K, L, G> {
        let places = placed(&self.keys, hasher);
        Histogram { keys: self.keys, places, layout: self.layout, noise: self.noise }
    }

    /// The keys, sorted; a key listed twice is one key.
    #[must_use]
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The noise on each count.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }
}

fn placed<K: Hash + Eq + Clone, H: BuildHasher>(keys: &[K], hasher: H) -> HashMap<K, usize, H> {
    let mut places = HashMap::with_capacity_and_hasher(keys.len(), hasher);
    places.extend(keys.iter().cloned().zip(0..));
    places
}

impl<K, L, H> Mechanism for Histogram<K, L, H>
where
    K: Ord + Hash + Clone,
    L: Layout<K>,
    H: BuildHasher,
{
    type Input = [L::Row];
    type Output = HistogramRelease<K>;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn units_are_records(&self) -> bool {
        self.layout.units_are_rows()
    }

    fn answer(
        &self,
        input: &[L::Row],
        run: &mut Run<'_>,
    ) -> Result<HistogramRelease<K>, MechanismError> {
        let mut counts = vec![0_i64; self.keys.len()];
        let wanted = |key: &K| self.places.contains_key(key);
        for key in self.layout.keys(input, wanted, run)? {
            if let Some(place) = self.places.get(key) {
                counts[*place] += 1;
            }
        }
        self.noise.add(&mut counts, run)?;
        Ok(HistogramRelease::new(self.keys.clone(), counts, &self.noise, self.layout.uncovered()))
    }
}
