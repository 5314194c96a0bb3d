//! Which keys occur, without their counts.

use std::hash::{BuildHasher, Hash, RandomState};
use std::marker::PhantomData;

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::fixed::exp_neg;
use throng_numeric::{Natural, Rational};

use super::{tally, threshold::fraction};
use crate::contribution::Layout;
use crate::replay::{Distance, Drawn, Observed, Primitive};
use crate::{Mechanism, MechanismError, Run};

/// Chances are multiples of 2^-192.
const BITS: usize = 192;
const BYTES: usize = BITS / 8;

/// The bits of e^-ε.
const WORK: usize = 256;

/// The most counts whose chances are tabulated.
const MOST_CHANCES: usize = 1 << 20;

/// How many keys are decided at a time.
const BATCH: usize = 256;

/// The keys that occur, each shown with the largest chance that (epsilon, delta) allows for the
/// number of its units.
///
/// # Guarantee
/// For each key (epsilon, delta); one unit has at most l0 keys, so that many times in all, and
/// twice as often if a unit is replaced. A unit that is zeroed out is removed, with its keys.
///
/// Why it is right: a key of n units is shown with chance π(n), independently of the others,
/// where π(0) = 0 and π(n+1) is the smallest of e^ε π(n) + δ, 1 - e^-ε (1 - π(n) - δ) and 1. For a
/// bit that is shown with chance π(n) or π(n+1) >= π(n), (ε, δ) says π(n+1) <= e^ε π(n) + δ and
/// 1 - π(n) <= e^ε (1 - π(n+1)) + δ, and the other two inequalities hold by themselves. The code
/// takes a rational at least e^-ε for it, which only makes ε smaller, and rounds δ and every chance down
/// to a multiple of 2^-192: both inequalities bound π(n+1) from above, so they stay true for the
/// table as it is, and rounding keeps it rising.
///
/// A unit counts once for each of its keys, so the bounds must say one row per key.
///
/// ```
/// use throng_mechanism::contribution::Rows;
/// use throng_mechanism::histogram::KeySelection;
/// use throng_mechanism::{Mechanism, Neighbours};
/// let (epsilon, delta) = ("1".parse()?, "1e-6".parse()?);
/// let keys = KeySelection::<String, _>::each(Rows, &epsilon, &delta, Neighbours::AddRemove)?;
/// assert_eq!(keys.certain_from(), 28);
/// assert_eq!(keys.spec().to_string(), "approx_dp(eps=1, delta=0.000001)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Reference
/// Desfontaines, Voss, Gipson, Mandayam, *Differentially Private Partition Selection* (2022).
#[derive(Debug, Clone)]
pub struct KeySelection<K, L, H = RandomState> {
    layout: L,
    chances: Vec<[u8; BYTES]>,
    /// How many keys differ on neighbours.
    cells: u64,
    spec: MechanismSpec,
    under: Neighbours,
    hasher: H,
    key: PhantomData<fn() -> K>,
}

impl<K, L: Layout<K>> KeySelection<K, L> {
    /// (epsilon, delta) for each key.
    ///
    /// # Errors
    /// If epsilon is negative, delta is not in [2^-128, 1), the bounds allow a unit several rows
    /// per key, or epsilon and delta are so small that a key of 2^20 units is not shown for sure.
    pub fn each(
        layout: L,
        epsilon: &Rational,
        delta: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        if layout.bounds().rows_per_key() != 1 {
            let given = layout.bounds().rows_per_key();
            return Err(MechanismError::invalid("the rows per key", given, "1"));
        }
        let cells = layout.bounds().per_cell(u64::MAX, under)?.cells();
        let leaf = Leaf::ApproxDp { epsilon: epsilon.clone(), delta: delta.clone() };
        let one = MechanismSpec::leaf(leaf)?;
        let spec = if cells == 1 { one } else { MechanismSpec::repeated(cells, one)? };
        let chances = chances(epsilon, delta)?;
        let hasher = RandomState::new();
        Ok(Self { layout, chances, cells, spec, under, hasher, key: PhantomData })
    }

    /// (epsilon, delta) for a unit: an equal part of both for each key it can touch.
    ///
    /// # Errors
    /// As for [`KeySelection::each`].
    pub fn total(
        layout: L,
        epsilon: &Rational,
        delta: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let cells = Rational::from(layout.bounds().per_cell(u64::MAX, under)?.cells());
        Self::each(layout, &epsilon.checked_div(&cells)?, &delta.checked_div(&cells)?, under)
    }
}

impl<K, L, H> KeySelection<K, L, H> {
    /// The same with another way to hash keys.
    ///
    /// The default withstands keys that were chosen to collide; a faster one may not, and then
    /// whoever chooses rows can make a run slow.
    #[must_use]
    pub fn hashed_by<G: BuildHasher + Clone>(self, hasher: G) -> KeySelection<K, L, G> {
        let Self { layout, chances, cells, spec, under, key, .. } = self;
        KeySelection { layout, chances, cells, spec, under, hasher, key }
    }

    /// The chance that a key of so many units is shown, exactly.
    ///
    /// # Errors
    /// Never.
    pub fn chance(&self, units: u64) -> Result<Rational, MechanismError> {
        let place = usize::try_from(units).unwrap_or(usize::MAX);
        Ok(match self.chances.get(place) {
            Some(chance) => Rational::new(Natural::from_be_bytes(chance), Natural::ONE << BITS)?,
            None => Rational::ONE,
        })
    }

    /// From this number of units on a key is shown for sure.
    #[must_use]
    pub fn certain_from(&self) -> usize {
        self.chances.len()
    }

    fn observed(&self, counts: &[i64]) -> Observed {
        let declared = Distance::PerCell { cells: self.cells, each: Rational::ONE };
        Observed::Primitive(Primitive {
            what: "keys",
            law: Drawn::Other,
            declared: Some(declared),
            inputs: counts.iter().copied().map(i128::from).collect(),
        })
    }

    fn is_shown(&self, count: i64, uniform: &[u8]) -> bool {
        let place = usize::try_from(count).unwrap_or(0);
        self.chances.get(place).is_none_or(|chance| *uniform < chance[..])
    }
}

/// The chances π(0), π(1), ... that are below 1, in bytes from the most significant.
fn chances(epsilon: &Rational, delta: &Rational) -> Result<Vec<[u8; BYTES]>, MechanismError> {
    fraction(delta)?;
    if *delta < Rational::new(1, Natural::ONE << 128)? {
        return Err(MechanismError::invalid("delta", delta, "at least 2^-128"));
    }
    let one = Natural::ONE << BITS;
    let delta = Rational::from(one.clone()) * delta.clone();
    let delta = Natural::try_from(delta.floor()).unwrap_or(Natural::ZERO);
    let inverse = exp_neg(epsilon, WORK)?.upper.min(Natural::ONE << WORK);
    let mut table = Vec::new();
    let mut chance = Natural::ZERO;
    while chance < one {
        if table.len() >= MOST_CHANCES {
            return Err(MechanismError::invalid("epsilon", epsilon, "larger, or delta larger"));
        }
        table.push(in_bytes(&chance));
        chance = next(&chance, &delta, &inverse, &one);
    }
    Ok(table)
}

/// π(n+1) from π(n), rounded down; `inverse` is at least e^-ε, in units of 2^-WORK.
fn next(chance: &Natural, delta: &Natural, inverse: &Natural, one: &Natural) -> Natural {
    let shown = (chance << WORK) / inverse + delta;
    let taken = chance + delta;
    if taken >= *one {
        return shown.min(one.clone());
    }
    let hidden = (one - taken) * inverse;
    let hidden = (hidden + ((Natural::ONE << WORK) - Natural::ONE)) >> WORK;
    shown.min(one - hidden)
}

fn in_bytes(chance: &Natural) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let short = chance.to_be_bytes();
    // chance < 2^BITS.
    let start = BYTES.saturating_sub(short.len());
    for (byte, digit) in bytes.iter_mut().skip(start).zip(short) {
        *byte = digit;
    }
    bytes
}

impl<K, L, H> Mechanism for KeySelection<K, L, H>
where
    K: Ord + Hash + Clone,
    L: Layout<K>,
    H: BuildHasher + Clone,
{
    type Input = [L::Row];
    /// The shown keys, in rising order.
    type Output = Vec<K>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        self.layout.units_are_rows()
    }

    fn answer(&self, input: &[L::Row], run: &mut Run<'_>) -> Result<Vec<K>, MechanismError> {
        let hasher = self.hasher.clone();
        let (keys, counts) = tally::counted(&self.layout, input, |_| true, hasher, run)?;
        run.observe_keys(&keys);
        run.observe(|| self.observed(&counts));
        let mut shown = Vec::with_capacity(keys.len());
        let mut random = [0; BATCH * BYTES];
        for counts in counts.chunks(BATCH) {
            run.entropy().fill(&mut random)?;
            let uniform = random.chunks_exact(BYTES);
            shown.extend(counts.iter().zip(uniform).map(|(n, uniform)| self.is_shown(*n, uniform)));
        }
        let shown = keys.into_iter().zip(shown).filter(|(_, shown)| *shown);
        Ok(shown.map(|(key, _)| key).collect())
    }
}
