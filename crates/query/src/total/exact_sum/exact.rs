//! The exact sum of finite doubles.

use datafusion::common::{Result, exec_err};

/// Bits of a digit.
const BITS: usize = 32;
/// The value of a digit that is carried.
const BASE: i64 = 1 << BITS;
/// So many additions keep every digit within 63 bits.
const PATIENCE: u32 = 1 << 29;

/// The exact sum of finite doubles, a fixed-point number of any length.
///
/// Digit i of the number has the weight 2^(32 i − 1074), and 2^−1074 is the smallest double: so
/// every finite double is an integer here and nothing is ever rounded. Only digits between the
/// lowest and the highest that were ever used are held: a few words for values of similar size.
/// Digits may be negative and larger than a digit should be until carries are settled, at least
/// once in 2^29 additions of less than 2^32 each: below 2^62 in all.
#[derive(Debug, Clone, Default)]
pub struct Exact {
    /// The place of the first digit.
    lowest: usize,
    digits: Vec<i64>,
    /// Additions since carries were settled.
    pending: u32,
}

impl Exact {
    /// Adds a finite value; NaN and infinities are left out.
    pub fn add(&mut self, value: f64) {
        if value == 0.0 || !value.is_finite() {
            return;
        }
        let bits = value.to_bits();
        let exponent = (bits >> 52) & 0x7ff;
        let fraction = bits & ((1 << 52) - 1);
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let place = usize::try_from(exponent.max(1) - 1).unwrap_or(0);
        let shifted = u128::from(mantissa) << (place % BITS);
        let digit = |index: usize| {
            let digit = (shifted >> (index * BITS)) & 0xffff_ffff;
            let digit = i64::try_from(digit).unwrap_or(0);
            if value < 0.0 { -digit } else { digit }
        };
        self.add_digits(place / BITS, [digit(0), digit(1), digit(2)]);
    }

    fn add_digits(&mut self, place: usize, digits: [i64; 3]) {
        self.reach(place, place + digits.len());
        let start = place - self.lowest;
        for (held, digit) in self.digits.iter_mut().skip(start).zip(digits) {
            *held += digit;
        }
        self.tick();
    }

    fn tick(&mut self) {
        self.pending += 1;
        if self.pending >= PATIENCE {
            self.settle();
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        other.settle();
        self.settle();
        if other.digits.is_empty() {
            return;
        }
        self.reach(other.lowest, other.lowest + other.digits.len());
        let start = other.lowest - self.lowest;
        for (held, digit) in self.digits.iter_mut().skip(start).zip(&other.digits) {
            *held += digit;
        }
        self.tick();
    }

    /// Makes room for digits from one place up to another.
    fn reach(&mut self, from: usize, to: usize) {
        if self.digits.is_empty() {
            self.lowest = from;
        }
        if from < self.lowest {
            let missing = self.lowest - from;
            self.digits.splice(0..0, std::iter::repeat_n(0, missing));
            self.lowest = from;
        }
        let length = to.saturating_sub(self.lowest).max(self.digits.len());
        self.digits.resize(length, 0);
    }

    /// Brings every digit but the last, which has the sign, into 0..2^32.
    fn settle(&mut self) {
        self.pending = 0;
        let mut carry = 0;
        for digit in &mut self.digits {
            let sum = *digit + carry;
            carry = sum.div_euclid(BASE);
            *digit = sum.rem_euclid(BASE);
        }
        if carry != 0 {
            self.digits.push(carry);
        }
        while let [.., 0] = self.digits.as_slice() {
            self.digits.pop();
        }
    }

    /// The sum as a double: to nearest, ties to even; beyond the largest double, that.
    #[must_use]
    pub fn rounded(&self) -> f64 {
        let mut magnitude = self.clone();
        magnitude.settle();
        let negative = magnitude.digits.last().is_some_and(|&last| last < 0);
        if negative {
            magnitude.digits.iter_mut().for_each(|digit| *digit = -*digit);
            magnitude.settle();
        }
        let value = magnitude.magnitude();
        if negative { -value } else { value }
    }

    /// The value of settled digits that are not negative.
    fn magnitude(&self) -> f64 {
        let Some(&last) = self.digits.last() else { return 0.0 };
        let length = usize::try_from(i64::BITS - last.leading_zeros()).unwrap_or(0);
        let top = (self.lowest + self.digits.len() - 1) * BITS + length;
        // Below 2^53 units of 2^-1074 a double's bits are that integer itself.
        let Some(cut) = top.checked_sub(53) else { return f64::from_bits(self.bits_from(0)) };
        let mantissa = self.bits_from(cut);
        let half = cut > 0 && self.bits_from(cut - 1) & 1 == 1;
        let odd = mantissa & 1 == 1;
        let up = half && (odd || self.any_below(cut - 1));
        // The hidden bit adds one to the exponent, and so does a mantissa rounded up to 2^53.
        let exponent = u64::try_from(cut).unwrap_or(u64::MAX);
        if exponent > 2045 {
            return f64::MAX;
        }
        let value = f64::from_bits((exponent << 52) + mantissa + u64::from(up));
        if value.is_finite() { value } else { f64::MAX }
    }

    /// The 53 bits from a bit on (fewer if there are no more).
    fn bits_from(&self, bit: usize) -> u64 {
        let mut bits = 0_u128;
        for index in 0..3 {
            bits |= u128::from(self.digit(bit / BITS + index)) << (index * BITS);
        }
        let bits = (bits >> (bit % BITS)) & ((1 << 53) - 1);
        u64::try_from(bits).unwrap_or(0)
    }

    /// The digit at a place; digits are settled and not negative.
    fn digit(&self, place: usize) -> u64 {
        let digit = place.checked_sub(self.lowest).and_then(|index| self.digits.get(index));
        digit.and_then(|&digit| u64::try_from(digit).ok()).unwrap_or(0)
    }

    /// Whether a bit below this one is set.
    fn any_below(&self, bit: usize) -> bool {
        let whole = bit / BITS;
        let rest = self.digit(whole) & ((1 << (bit % BITS)) - 1);
        rest != 0 || (self.lowest..whole).any(|place| self.digit(place) != 0)
    }

    /// The bytes held outside of the value itself.
    #[must_use]
    pub fn size(&self) -> usize {
        self.digits.capacity() * size_of::<i64>()
    }

    /// The sum as bytes: the place of the first digit and the digits, 8 bytes each.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut settled = self.clone();
        settled.settle();
        let lowest = i64::try_from(settled.lowest).unwrap_or(0);
        let words = std::iter::once(&lowest).chain(&settled.digits);
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// What [`Exact::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are not of that form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (words, []) = bytes.as_chunks::<8>() else { return exec_err!("not an exact sum") };
        let mut words = words.iter().map(|word| i64::from_le_bytes(*word));
        let lowest = words.next().and_then(|word| usize::try_from(word).ok());
        match lowest {
            Some(lowest) if lowest <= 1 << 7 => {
                Ok(Self { lowest, digits: words.collect(), pending: 0 })
            }
            Some(_) | None => exec_err!("not an exact sum"),
        }
    }
}

#[cfg(test)]
impl Exact {
    /// As if all but a few additions had been made that are allowed between two settlements.
    pub(super) fn nearly_full(mut self) -> Self {
        self.pending = PATIENCE - 5;
        self
    }
}
