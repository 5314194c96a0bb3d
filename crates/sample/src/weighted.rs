//! Choosing an index by multiplicity and exponential weight.

mod magnitude;

use dashu_base::{BitTest, DivEuclid};
use throng_numeric::fixed::{self, FixedBounds};
use throng_numeric::{Integer, Natural, NumericError, Rational};

use crate::lazy::{Prefix, is_below};
use crate::reservoir::Reservoir;
use crate::words::Words;
use crate::{Entropy, SampleError, uniform};
use magnitude::{Falls, LEVELS, Magnitude};

/// Index i with probability proportional to nᵢ e^(-xᵢ): the exponential mechanism's draw where
/// nᵢ outcomes share an energy.
///
/// This is the draw over the gaps between order statistics (nᵢ values of the grid lie in gap i,
/// all of the same score); within the gap, the outcome is [`crate::Uniform`]. The xᵢ are
/// energies as in [`crate::ExponentialChoice`]: lower is better, only differences matter.
///
/// # Guarantee
/// P(i) = nᵢ e^(-xᵢ) / (sum of nⱼ e^(-xⱼ)) exactly, for all naturals nᵢ that are not all 0 and
/// rational xᵢ of any sign and size.
///
/// # Why this is right
/// Let wᵢ = nᵢ e^(-(xᵢ - c)) 2^-s, the weights but for a common factor. Any integers Wᵢ >= wᵢ
/// will do (Wᵢ = 0 where nᵢ = 0): an integer is drawn uniformly below the sum of the Wᵢ, so it
/// falls into the i-th of the adjoining intervals of lengths Wᵢ with probability proportional to
/// Wᵢ; this i is kept with probability wᵢ / Wᵢ <= 1, else all is drawn again. What is kept has
/// probability proportional to Wᵢ (wᵢ / Wᵢ) = wᵢ. The coin of wᵢ / Wᵢ compares a uniform number,
/// read bit by bit, with ever finer bounds of e^-x, which is exact.
///
/// So the Wᵢ touch only the time, and cheap ones suffice: energies are rounded down to multiples
/// of 1/256, e^-x and products are rounded up to 64 bits, c is the smallest of the rounded
/// energies, and the unit 2^s is such that the largest W has 64 bits. A weight below one unit
/// counts as one in W and keeps its exact chance through the coin. With less than 2^44 entries,
/// more than 0.99 of the candidates are kept: W exceeds w by less than the factor
/// e^(1/256) (1 + 2^-14), but for one unit each, which together make less than 2^-19 of the
/// largest. No exponential but that of a candidate is ever evaluated, and that only if the coin is
/// not decided by this: a million entries cost a few machine multiplications each.
///
/// Time: depends on the entries and on the index returned.
///
/// ```
/// use throng_numeric::Rational;
/// use throng_sample::{OsEntropy, WeightedChoice};
/// // Gaps of 100, 3 and 2000 grid values, 0, 1 and 2 ranks from the wanted one, epsilon = 1.
/// let energy = |rank: i32| Rational::new(rank, 2_u8);
/// let gaps = [(100_u64, energy(0)?), (3, energy(1)?), (2000, energy(2)?)];
/// let chosen = WeightedChoice::new(gaps)?.draw(&mut OsEntropy)?;
/// assert!(chosen < 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// No Debug: energies and multiplicities are usually functions of private data.
#[derive(Clone)]
pub struct WeightedChoice {
    entries: Vec<(Natural, Rational)>,
    /// The sums W₀ + ... + Wᵢ.
    ends: Vec<u128>,
    /// c.
    base: Rational,
    /// s.
    unit: i64,
}

impl WeightedChoice {
    /// The longest multiplicity, in bits.
    pub const MAX_BITS: usize = 1 << 16;

    /// The choice among entries (nᵢ, xᵢ).
    ///
    /// # Errors
    /// If all multiplicities are 0 (or there are none), or one has more than
    /// [`Self::MAX_BITS`] bits.
    pub fn new<N: Into<Natural>>(
        entries: impl IntoIterator<Item = (N, Rational)>,
    ) -> Result<Self, SampleError> {
        let entries: Vec<_> = entries.into_iter().map(|(n, x)| (n.into(), x)).collect();
        if entries.iter().any(|(n, _)| n.bit_len() > Self::MAX_BITS) {
            return Err(SampleError::OutOfRange {
                name: "a multiplicity",
                value: "too long".into(),
                allowed: "a natural number of at most 65536 bits",
            });
        }
        let levels: Vec<_> = entries.iter().map(|(_, x)| level(x)).collect();
        let possible = entries.iter().zip(&levels).filter(|((n, _), _)| !n.is_zero());
        let Some(lowest) = possible.map(|(_, level)| level).min() else {
            return Err(SampleError::Empty { name: "the entries of positive multiplicity" });
        };
        let base = Rational::new(lowest.clone(), LEVELS)?;
        let magnitudes = magnitudes(&entries, &levels, lowest)?;
        let unit = magnitudes.iter().flatten().max().map_or(0, Magnitude::exponent);
        let ends = ends(&magnitudes, unit);
        Ok(Self { entries, ends, base, unit })
    }

    /// One independent index.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<usize, SampleError> {
        self.draw_from(&mut Words::new(&mut Reservoir::new(entropy)))
    }

    pub(crate) fn draw_from(&self, words: &mut Words) -> Result<usize, SampleError> {
        let internal = || SampleError::Internal { what: "an index beyond the entries".into() };
        let total = Natural::from(*self.ends.last().ok_or_else(internal)?);
        loop {
            let point = u128::try_from(uniform::below(&total, words)?).map_err(|_| internal())?;
            let candidate = self.ends.partition_point(|end| *end <= point);
            let start = candidate.checked_sub(1).map_or(0, |before| self.ends[before]);
            let length = self.ends.get(candidate).ok_or_else(internal)? - start;
            let (n, x) = &self.entries[candidate];
            let share = Share { n, x: x - &self.base, unit: self.unit, limit: length.into() };
            let read = Prefix::of_word(words)?;
            if share.is_surely_above(&read) || is_below(read, |bits| share.bounds(bits), words)? {
                return Ok(candidate);
            }
        }
    }
}

/// w / W = n e^-x 2^-unit / limit, at most 1.
struct Share<'a> {
    n: &'a Natural,
    x: Rational,
    unit: i64,
    limit: Natural,
}

impl Share<'_> {
    /// Whether U < w/W without looking, which saves nearly all exponentials: a W of 2^20 units or
    /// more is not above w by more than e^(1/256) (1 + 2^-14) (1 + 2^-19) < 1/0.99, and then every
    /// U < 0.98 is below w/W.
    fn is_surely_above(&self, read: &Prefix) -> bool {
        let large = self.limit.bit_len() > 20;
        large && (&read.prefix + Natural::ONE) * 100_u8 <= (Natural::from(98_u8) << read.bits)
    }

    /// In units of 2^-bits. Its width is at most 2 units: e^-x is known to 2 units of 2^-work, so
    /// n e^-x 2^(bits - unit) / W to 2^(length of n + 1 + bits - work - unit) / 2^(length of W - 1),
    /// which is at most 1 with the `work` chosen; the division rounds away less than another.
    fn bounds(&self, bits: usize) -> Result<FixedBounds, NumericError> {
        let fine = signed(bits) - self.unit;
        let work = (fine + signed(self.n.bit_len()) - signed(self.limit.bit_len()) + 2).max(0);
        let fall = fixed::exp_neg(&self.x, usize::try_from(work).unwrap_or(0))?;
        let part = |fall: Natural| scaled(self.n * fall, fine - work) / &self.limit;
        Ok(FixedBounds { lower: part(fall.lower), upper: part(fall.upper) + Natural::ONE })
    }
}

/// ⌊value 2^shift⌋.
fn scaled(value: Natural, shift: i64) -> Natural {
    let distance = usize::try_from(shift.unsigned_abs()).unwrap_or(usize::MAX);
    if shift < 0 { value >> distance } else { value << distance }
}

/// A number of bits; there is no memory for more than i64 holds.
fn signed(bits: usize) -> i64 {
    i64::try_from(bits).unwrap_or(i64::MAX)
}

/// ⌊256 x⌋; in machine words where they suffice.
fn level(x: &Rational) -> Integer {
    let (num, den) = (x.numerator(), x.denominator());
    match (i64::try_from(num), u64::try_from(den)) {
        (Ok(num), Ok(den)) => {
            (i128::from(num) * i128::from(LEVELS)).div_euclid(i128::from(den)).into()
        }
        _ => (num * Integer::from(LEVELS)).div_euclid(Integer::from(den.clone())),
    }
}

/// Upper bounds of nᵢ e^(-(xᵢ - c)); none where nᵢ = 0.
fn magnitudes(
    entries: &[(Natural, Rational)],
    levels: &[Integer],
    lowest: &Integer,
) -> Result<Vec<Option<Magnitude>>, SampleError> {
    let falls = Falls::new()?;
    let magnitude = |((n, _), level): (&(Natural, Rational), &Integer)| {
        // A level that is too large for a word is cut off, which raises the bound.
        let above = || u64::try_from(level - lowest).unwrap_or(u64::MAX);
        (!n.is_zero()).then(|| Magnitude::above(n).times(falls.after(above())))
    };
    Ok(entries.iter().zip(levels).map(magnitude).collect())
}

/// The sums of the weights in whole units of 2^unit, each rounded up. Each is below 2^64, and
/// there is no memory for 2^64 of them.
fn ends(magnitudes: &[Option<Magnitude>], unit: i64) -> Vec<u128> {
    let mut end = 0_u128;
    let mut grow = |magnitude: &Option<Magnitude>| {
        end += magnitude.map_or(0, |magnitude| u128::from(magnitude.units(unit)));
        end
    };
    magnitudes.iter().map(&mut grow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn entry(n: u64, x: &str) -> (u64, Rational) {
        (n, x.parse().unwrap_or(Rational::ZERO))
    }

    /// Of equal energies, W = n exactly (in some unit): intervals of lengths 2, 0, 1, 5 out of 8.
    #[test]
    fn intervals_are_as_long_as_the_multiplicities() -> Result<(), SampleError> {
        let entries = [entry(2, "7/3"), entry(0, "0"), entry(1, "7/3"), entry(5, "7/3")];
        let choice = WeightedChoice::new(entries)?;
        assert_eq!(choice.ends, [2, 2, 3, 8].map(|end| end << 61));
        Ok(())
    }

    /// Every weight is covered, and hardly more than covered.
    #[test]
    fn the_coins_nearly_always_succeed_and_never_should_more_than_always() -> Result<(), SampleError>
    {
        let energies = ["0", "1/1000", "-5/2", "3", "44", "1e3", "1e30", "17/256"];
        let lengths = [1, 2, 3, 1 << 63, u64::MAX];
        for n in lengths {
            let entries: Vec<_> = energies.iter().map(|x| entry(n, x)).collect();
            let choice = WeightedChoice::new(entries)?;
            let mut start = 0;
            for ((n, x), end) in choice.entries.iter().zip(&choice.ends) {
                let limit = Natural::from(end - start);
                start = *end;
                let share = Share { n, x: x - &choice.base, unit: choice.unit, limit };
                let bounds = share.bounds(64)?;
                let one = Natural::ONE << 64;
                assert!(bounds.lower <= one, "a weight is not covered");
                assert!(&bounds.upper - &bounds.lower <= Natural::from(2_u8));
                let large = share.limit > Natural::from(1_000_u32);
                assert!(!large || bounds.lower > &one / 100_u8 * 99_u8, "covered too generously");
            }
        }
        Ok(())
    }

    /// Energies 0 and 1/512, both in the lowest level: W is the same for both, and the coin of the
    /// second is e^(-1/512). Fed the words of its expansion, it must stay open for as long.
    #[test]
    fn an_undecided_coin_reads_on() -> Result<(), SampleError> {
        let choice = WeightedChoice::new([entry(1, "0"), entry(1, "1/512")])?;
        let bits = 256;
        let expansion = fixed::exp_neg(&Rational::new(1, 512_u32)?, bits)?.lower;
        let word = |i: usize| {
            let word = (&expansion >> (bits - 64 * (i + 1))) % (Natural::ONE << 64);
            u64::try_from(word).unwrap_or(0)
        };
        // Total 2^64: 65 bits make a low word and one bit of another. 1 and 0 point into the
        // second half of [0, 2^64).
        let total = choice.ends[1];
        assert_eq!(total, 1 << 64);
        for depth in 0..3 {
            let mut head = vec![1 << 63, 0];
            head.extend((0..depth).map(word));
            for (last, expected) in [(word(depth) - 1, 1), (word(depth) + 1, 0)] {
                let mut script = head.clone();
                // After a failure, zeros choose entry 0 and accept it.
                script.push(last);
                assert_eq!(choice.draw(&mut Script::new(&script))?, expected, "depth {depth}");
            }
        }
        Ok(())
    }

    /// A weight of e^-100 against 1 is far below the unit of 2^-63, and has the coin of
    /// e^-100 2^63, about 2^-81.3: neither impossible nor one unit.
    #[test]
    fn a_negligible_weight_keeps_its_chance() -> Result<(), SampleError> {
        let choice = WeightedChoice::new([entry(1, "0"), entry(1, "100")])?;
        assert_eq!(choice.ends, [1 << 63, (1 << 63) + 1]);
        // The one point of entry 1, 2^63, then the coin.
        let draw = |coin: [u64; 2]| choice.draw(&mut Script::new(&[1 << 63, coin[0], coin[1]]));
        assert_eq!(draw([0, 1 << 46])?, 1);
        assert_eq!(draw([0, 1 << 47])?, 0);
        assert_eq!(draw([1, 0])?, 0);
        Ok(())
    }

    #[test]
    fn nothing_to_choose_from_is_refused() {
        let none: [(u64, Rational); 0] = [];
        assert!(matches!(WeightedChoice::new(none), Err(SampleError::Empty { .. })));
        let zeros = [entry(0, "1"), entry(0, "2")];
        assert!(matches!(WeightedChoice::new(zeros), Err(SampleError::Empty { .. })));
        let long = [(Natural::ONE << WeightedChoice::MAX_BITS, Rational::ZERO)];
        assert!(matches!(WeightedChoice::new(long), Err(SampleError::OutOfRange { .. })));
    }
}
