//! Counts over so many keys that most are empty.

use std::hash::RandomState;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::fixed::{FixedBounds, exp_neg};
use throng_numeric::{Natural, NumericError, Rational};
use throng_sample::{Binomial, Geometric, Subset};

use super::{HistogramRelease, leak, tally};
use crate::contribution::Layout;
use crate::grid::MOST_STEPS;
use crate::{Grid, Mechanism, MechanismError, Noise, NoiseLaw, Run, Uncovered};

/// The number of rows for each whole number below `domain`, with Laplace noise on *every* one of
/// them, empty or not, where that is at least a threshold; in time that does not grow with the
/// domain.
///
/// # Guarantee
/// Pure epsilon, without a delta: the release has exactly the law of a histogram of noisy counts for
/// all keys of the domain of which the large ones are shown, and showing is post-processing.
/// Rows whose key is not below `domain` are dropped.
///
/// Why the law is right: with m keys that occur, N - m counts are noise alone and each is shown
/// with the chance p = P(Z >= T) = r^T/(1 + r), r = e^(-1/b). Their number is binomial, all sets of
/// that many empty keys are equally likely, and given Z >= T >= 1, Z - T is geometric of ratio r. p is
/// not rational: candidates are drawn with a rational p' just above it, and each is kept with chance
/// p/p', decided by as many bits of both as it takes; so each empty key is shown with chance p.
///
/// ```
/// use throng_mechanism::contribution::Rows;
/// use throng_mechanism::histogram::SparseHistogram;
/// use throng_mechanism::{Mechanism, Neighbours};
/// // Ten thousand million telephone numbers; one false one is shown, on average.
/// let calls = SparseHistogram::pure(10_000_000_000, Rows, &1.into(), &1.into(), Neighbours::AddRemove)?;
/// assert_eq!(calls.threshold(), 23);
/// assert_eq!(calls.spec().to_string(), "discrete_laplace(scale=1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Reference
/// Cormode, Procopiuc, Srivastava, Tran, *Differentially Private Summaries for Sparse Data* (2012).
#[derive(Debug, Clone)]
pub struct SparseHistogram<L> {
    domain: u64,
    layout: L,
    noise: Noise,
    threshold: i64,
    empty: Empty,
}

/// The most false keys that may be expected.
const MOST_FALSE: u32 = 1_000_000;

impl<L: Layout<u64>> SparseHistogram<L> {
    /// The largest domain.
    pub const MOST_KEYS: u64 = Binomial::MAX_TRIALS;

    /// Noise that is epsilon-private, and the lowest threshold above which at most `false_keys`
    /// empty keys are expected.
    ///
    /// # Errors
    /// If the domain is empty or above [`SparseHistogram::MOST_KEYS`], epsilon is not above 0, or
    /// `false_keys` is not above 0 and at most 1000000.
    pub fn pure(
        domain: u64,
        layout: L,
        epsilon: &Rational,
        false_keys: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        if !(1..=Self::MOST_KEYS).contains(&domain) {
            return Err(MechanismError::invalid("the domain", domain, "from 1 to 10^12"));
        }
        if !false_keys.is_positive() || *false_keys > Rational::from(MOST_FALSE) {
            let allowed = format!("above 0 and at most {MOST_FALSE}");
            return Err(MechanismError::invalid("the number of false keys", false_keys, allowed));
        }
        let cells = layout.bounds().per_cell(domain, under)?;
        let noise = Noise::pure_per_cell(epsilon, &cells, Grid::WHOLE)?;
        let share = false_keys.checked_div(&Rational::from(domain))?.to_f64_down();
        let fits = |t| Ok(leak::chance(noise.law(), i128::from(t))?.upper() <= share);
        let threshold = leak::lowest(fits)?.ok_or_else(|| {
            MechanismError::invalid("the number of false keys", false_keys, "larger")
        })?;
        let empty = Empty::of(noise.law(), threshold)?;
        Ok(Self { domain, layout, noise, threshold, empty })
    }

    /// From which count on a key is shown.
    #[must_use]
    pub const fn threshold(&self) -> i64 {
        self.threshold
    }

    /// The noise on each count.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }
}

impl<L: Layout<u64>> Mechanism for SparseHistogram<L> {
    type Input = [L::Row];
    type Output = HistogramRelease<u64>;

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
    ) -> Result<HistogramRelease<u64>, MechanismError> {
        let below = |key: &u64| *key < self.domain;
        let (keys, mut counts) =
            tally::counted(&self.layout, input, below, RandomState::new(), run)?;
        run.observe_keys(&keys);
        self.noise.add(&mut counts, run)?;
        let mut shown = self.empty.shown(&keys, self.domain, run)?;
        shown.extend(keys.into_iter().zip(counts).filter(|(_, n)| *n >= self.threshold));
        shown.sort_unstable();
        let (keys, counts) = shown.into_iter().unzip();
        let mut uncovered = self.layout.uncovered();
        uncovered.push(Uncovered::Thresholding);
        Ok(HistogramRelease::new(keys, counts, &self.noise, uncovered))
    }
}

/// What noise alone does to keys without rows.
#[derive(Debug, Clone)]
struct Empty {
    scale: Rational,
    threshold: i64,
    /// p', a little above p.
    above: Rational,
    /// p/p' to 64 bits.
    share: FixedBounds,
    excess: Geometric,
}

impl Empty {
    fn of(law: &NoiseLaw, threshold: i64) -> Result<Self, MechanismError> {
        let NoiseLaw::DiscreteLaplace { scale } = law else {
            return Err(MechanismError::refused("the noise is not Laplace", "use Laplace noise"));
        };
        let above = Rational::from_f64(leak::chance(law, i128::from(threshold))?.upper())?;
        let share = share(scale, threshold, &above, 64)?;
        let (scale, excess) = (scale.clone(), Geometric::new(scale)?);
        Ok(Self { scale, threshold, above, share, excess })
    }

    /// The empty keys that are shown, with their counts; `occupied` are the others, rising.
    fn shown(
        &self,
        occupied: &[u64],
        domain: u64,
        run: &mut Run<'_>,
    ) -> Result<Vec<(u64, i64)>, MechanismError> {
        let empty = domain - u64::try_from(occupied.len()).unwrap_or(domain).min(domain);
        let number = self.number(empty, run)?;
        let ranks = Subset::new(empty, number)?.draw(run.entropy())?;
        let mut shown = Vec::with_capacity(ranks.len());
        let mut before = 0;
        for rank in ranks {
            // A key is its rank among the empty ones plus the number of occupied ones before it.
            let mut key = rank + before;
            while occupied.get(place(before)).is_some_and(|taken| *taken <= key) {
                before += 1;
                key += 1;
            }
            let excess = i64::try_from(self.excess.draw(run.entropy())?).unwrap_or(MOST_STEPS);
            let count = self.threshold.saturating_add(excess).min(MOST_STEPS);
            shown.push((key, count));
        }
        Ok(shown)
    }

    /// Binomial(empty, p).
    fn number(&self, empty: u64, run: &mut Run<'_>) -> Result<u64, MechanismError> {
        let candidates = Binomial::new(empty, &self.above)?.draw(run.entropy())?;
        let mut kept = 0;
        for _ in 0..candidates {
            kept += u64::from(self.is_kept(run)?);
        }
        Ok(kept)
    }

    /// True with chance p/p': whether a uniform number, read 64 bits at a time, lies below it.
    fn is_kept(&self, run: &mut Run<'_>) -> Result<bool, MechanismError> {
        let (mut prefix, mut bits) = (Natural::ZERO, 0);
        let mut bounds = self.share.clone();
        loop {
            let mut word = [0; 8];
            run.entropy().fill(&mut word)?;
            prefix = (prefix << 64) + Natural::from(u64::from_le_bytes(word));
            bits += 64;
            if bits > 64 {
                bounds = share(&self.scale, self.threshold, &self.above, bits)?;
            }
            if prefix < bounds.lower {
                return Ok(true);
            }
            if prefix >= bounds.upper {
                return Ok(false);
            }
        }
    }
}

fn place(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// Bounds on p/p' in units of 2^-bits, p = r^T/(1 + r), r = e^(-1/scale).
fn share(
    scale: &Rational,
    threshold: i64,
    above: &Rational,
    bits: usize,
) -> Result<FixedBounds, NumericError> {
    // p' >= 2^-small, so that 64 more bits leave p/p' far less than a unit of doubt.
    let small = 8 * above.denominator().to_be_bytes().len();
    let work = bits + small + 64;
    let tail = exp_neg(&Rational::from(threshold).checked_div(scale)?, work)?;
    let fall = exp_neg(&Rational::ONE.checked_div(scale)?, work)?;
    let one = Natural::ONE << work;
    let ratio =
        |tail: Natural, fall: Natural| Rational::new(tail << bits, &one + fall)?.checked_div(above);
    let natural = |x| Natural::try_from(x).unwrap_or(Natural::ZERO);
    Ok(FixedBounds {
        lower: natural(ratio(tail.lower, fall.upper)?.floor()),
        upper: natural(ratio(tail.upper, fall.lower)?.ceil()),
    })
}
