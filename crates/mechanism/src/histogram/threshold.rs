//! Counts by keys that are not known in advance.

use std::hash::{BuildHasher, Hash, RandomState};
use std::marker::PhantomData;

use throng_account::{Leaf, MechanismSpec, Neighbours, Target};
use throng_numeric::Rational;

use super::{HistogramRelease, Threshold, tally};
use crate::contribution::Layout;
use crate::{Grid, Mechanism, MechanismError, Noise, PerCell, Run, Uncovered};

/// The number of rows for each key that occurs, with noise, if that is at least a threshold.
///
/// # Guarantee
/// The composition of the noise, for the distance of [`Contributions::per_cell`], and of a leak
/// of total variation [`Threshold::leak`].
///
/// Why it is right, for a unit that is added or removed: fix what survives of all other units. Of
/// the unit's keys some are *shared*, that is, other units have them too, and some are its *own*.
/// A shared key is counted in both worlds, and its noisy count moves by at most l∞; the threshold is
/// post-processing. A key of its own does not exist without the unit, so it is then never shown,
/// and with the unit it is shown with a chance of at most δ₁. The shown keys of its own, together,
/// are an event of chance at most δ = 1 - (1 - δ₁)^l0 in one world and 0 in the other. Given the
/// split both parts are independent, so the pair is the product of at most l0 cells of noise and
/// one leak; and the product of all l0 cells and the whole leak dominates it for every split.
///
/// For a unit that is replaced: keys that exist in both worlds are shared, at most 2 l0, and move
/// by at most l∞. Of those that exist in one world only, at most l0 are in the first and at most
/// l0 in the second, so either world shows something impossible in the other with a chance of at
/// most δ: two laws within δ in total variation, which is the same leak, not twice of it. A unit
/// that is zeroed out is removed, with its keys: a key that stands for nothing would be a key like
/// any other.
///
/// Error bars are those of the noise; that only large counts are shown, they do not know
/// ([`Uncovered::Thresholding`]).
///
/// ```
/// use throng_mechanism::contribution::{ByUnit, Contributions};
/// use throng_mechanism::histogram::ThresholdHistogram;
/// use throng_mechanism::{Mechanism, Neighbours};
/// let each = ByUnit::<u64>::of(Contributions::of(2, 1)?);
/// let (epsilon, delta) = ("1".parse()?, "1e-6".parse()?);
/// let words = ThresholdHistogram::<String, _>::laplace(each, &epsilon, &delta, Neighbours::AddRemove)?;
/// assert_eq!(
///     words.spec().to_string(),
///     "2 * discrete_laplace(scale=2) + approx_dp(eps=0, delta=6.27872e-7)"
/// );
/// assert_eq!(words.threshold().at_least(), 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Contributions::per_cell`]: crate::contribution::Contributions::per_cell
///
/// # Reference
/// Korolova, Kenthapadi, Mishra, Ntoulas, *Releasing Search Queries and Clicks Privately* (2009);
/// with Gaussian noise: Karrer, Kifer, Wilkins, Zhang, *Exact Privacy Analysis of the Gaussian Sparse
/// Histogram Mechanism* (2022).
#[derive(Debug, Clone)]
pub struct ThresholdHistogram<K, L, H = RandomState> {
    layout: L,
    noise: Noise,
    threshold: Threshold,
    spec: MechanismSpec,
    hasher: H,
    key: PhantomData<fn() -> K>,
}

impl<K, L: Layout<K>> ThresholdHistogram<K, L> {
    /// Discrete Laplace noise that is epsilon-private, and the lowest threshold that leaks at
    /// most delta: together (epsilon, delta).
    ///
    /// # Errors
    /// If epsilon or delta is out of range.
    pub fn laplace(
        layout: L,
        epsilon: &Rational,
        delta: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        fraction(delta)?;
        let noise = Noise::pure_per_cell(epsilon, &cells(&layout, under)?, Grid::WHOLE)?;
        let threshold = Threshold::lowest(delta, noise.law(), &layout.bounds())?;
        Self::of(layout, noise, threshold)
    }

    /// Discrete Gaussian noise and a threshold that are together (epsilon, delta).
    ///
    /// Half of delta is set aside for the leak. The threshold is about l∞ + σ z, where σ grows
    /// with the logarithm of one half and z with that of the other, so an even split is near the best,
    /// and neither share matters much.
    ///
    /// # Guarantee
    /// With λ for the leak, δ(ε) of the composition is λ + (1 - λ) δ(ε) of the noise, as the leak is
    /// either seen or tells nothing. The noise is calibrated for (δ - λ)/(1 - λ) with λ = δ/2, and
    /// the threshold leaks at most that.
    ///
    /// # Errors
    /// If epsilon or delta is out of range.
    pub fn gaussian(
        layout: L,
        epsilon: &Rational,
        delta: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        fraction(delta)?;
        let leak = delta * &Rational::new(1, 2_u32)?;
        let rest = (delta - &leak).checked_div(&(&Rational::ONE - &leak))?;
        let target = Target::Epsilon { epsilon: epsilon.to_f64_down(), delta: rest.to_f64_down() };
        let noise = Noise::gaussian_per_cell_for(&target, &cells(&layout, under)?, Grid::WHOLE)?;
        let threshold = Threshold::lowest(&leak, noise.law(), &layout.bounds())?;
        Self::of(layout, noise, threshold)
    }

    /// Discrete Laplace noise of a scale and a threshold.
    ///
    /// # Errors
    /// If one of them is out of range.
    pub fn laplace_at(
        layout: L,
        scale: &Rational,
        threshold: i64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let noise = Noise::laplace_per_cell(scale, &cells(&layout, under)?, Grid::WHOLE)?;
        let threshold = Threshold::at(threshold, noise.law(), &layout.bounds())?;
        Self::of(layout, noise, threshold)
    }

    /// Discrete Gaussian noise of a standard deviation and a threshold.
    ///
    /// # Errors
    /// If one of them is out of range.
    pub fn gaussian_at(
        layout: L,
        sigma: &Rational,
        threshold: i64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let noise = Noise::gaussian_per_cell(sigma, &cells(&layout, under)?, Grid::WHOLE)?;
        let threshold = Threshold::at(threshold, noise.law(), &layout.bounds())?;
        Self::of(layout, noise, threshold)
    }

    fn of(layout: L, noise: Noise, threshold: Threshold) -> Result<Self, MechanismError> {
        let leak = Leaf::ApproxDp { epsilon: Rational::ZERO, delta: threshold.leak().clone() };
        let parts = vec![noise.spec().clone(), MechanismSpec::leaf(leak)?];
        let spec = MechanismSpec::composed(parts)?;
        let hasher = RandomState::new();
        Ok(Self { layout, noise, threshold, spec, hasher, key: PhantomData })
    }
}

impl<K, L, H> ThresholdHistogram<K, L, H> {
    /// The same with another way to hash keys.
    ///
    /// The default withstands keys that were chosen to collide; a faster one may not, and then
    /// whoever chooses rows can make a run slow.
    #[must_use]
    pub fn hashed_by<G: BuildHasher + Clone>(self, hasher: G) -> ThresholdHistogram<K, L, G> {
        let Self { layout, noise, threshold, spec, key, .. } = self;
        ThresholdHistogram { layout, noise, threshold, spec, hasher, key }
    }

    /// The noise on each count.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }

    /// From which count on a key is shown.
    #[must_use]
    pub const fn threshold(&self) -> &Threshold {
        &self.threshold
    }
}

/// There is no bound on the number of keys.
fn cells<K, L: Layout<K>>(layout: &L, under: Neighbours) -> Result<PerCell, MechanismError> {
    layout.bounds().per_cell(u64::MAX, under)
}

pub(super) fn fraction(delta: &Rational) -> Result<(), MechanismError> {
    if delta.is_positive() && *delta < Rational::ONE {
        return Ok(());
    }
    Err(MechanismError::invalid("delta", delta, "above 0 and below 1"))
}

impl<K, L, H> Mechanism for ThresholdHistogram<K, L, H>
where
    K: Ord + Hash + Clone,
    L: Layout<K>,
    H: BuildHasher + Clone,
{
    type Input = [L::Row];
    type Output = HistogramRelease<K>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
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
        let hasher = self.hasher.clone();
        let (keys, mut counts) = tally::counted(&self.layout, input, |_| true, hasher, run)?;
        run.observe_keys(&keys);
        self.noise.add(&mut counts, run)?;
        let large = |(_, count): &(K, i64)| *count >= self.threshold.at_least();
        let (keys, counts) = keys.into_iter().zip(counts).filter(large).unzip();
        let mut uncovered = self.layout.uncovered();
        uncovered.push(Uncovered::Thresholding);
        Ok(HistogramRelease::new(keys, counts, &self.noise, uncovered))
    }
}
