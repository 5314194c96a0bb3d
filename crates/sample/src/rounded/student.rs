use dashu_base::{BitTest, Sign, UnsignedAbs};
use throng_numeric::{Integer, Natural, Rational};

use super::affine::step_above;
use super::check_scale;
use crate::real::LazyUniform;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// The nearest integer to centre + scale T, T of Student's law of an even number d of degrees of
/// freedom, density proportional to (1 + t²/d)^(-(d+1)/2): noise scaled to smooth sensitivity with
/// pure ε, for its tails are polynomial.
///
/// # Guarantee
/// P(k) = F((k + 1/2 - c)/s) - F((k - 1/2 - c)/s) exactly, F the distribution function of T, for
/// rational c and s > 0 and every integer k: the tails have no end.
///
/// # Why this is right
/// By inversion. For even d, with y = t / √(d + t²),
///
/// P(|T| < t) = G(t) = y (sum over j < d/2 of C(2j, j) 4^-j (1 - y²)^j),
///
/// so |T| is G⁻¹(V) for a uniform V, that is, |T| < t iff V < G(t). G² is rational for rational t,
/// and V < G(t) iff V² < G(t)²: V is drawn bit by bit until this is decided, in integers. The sign
/// is fair and drawn apart; as T has no atoms, the nearest integer to c - s |T| is minus that to
/// -c + s |T| but for ties of probability 0, so let it be +. The result is the least integer k
/// with c + s |T| < k + 1/2, that is, with V < G((k + 1/2 - c)/s): found by doubling steps and then
/// halving them, every comparison being true of the one V.
///
/// Time: depends on the value drawn.
///
/// # Reference
/// Johnson, Kotz, Balakrishnan, *Continuous Univariate Distributions* 2 (1995), chapter 28, for
/// the distribution function.
///
/// ```
/// use throng_sample::{OsEntropy, RoundedStudent};
/// let noisy = RoundedStudent::new(4, &"1234.5".parse()?, &"50/3".parse()?)?.draw(&mut OsEntropy)?;
/// # let _ = noisy;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// No Debug: the centre is private data.
#[derive(Clone)]
pub struct RoundedStudent {
    law: Folded,
    centre: Rational,
    scale: Rational,
}

impl RoundedStudent {
    /// The most degrees of freedom: the tails, for which one takes this law, are those of few.
    pub const MAX_DEGREES: u32 = 16;

    /// Scales are below 2 to this: the search takes as many steps, of as many bits.
    const MAX_SCALE_BITS: usize = 1024;

    /// Noise of d degrees of freedom and the given scale about a centre, both in steps of the
    /// grid.
    ///
    /// # Errors
    /// If the degrees are odd or not between 2 and [`Self::MAX_DEGREES`], or the scale is not
    /// positive, not below 2^1024, or a fraction of numbers of more than 4096 bits.
    pub fn new(degrees: u32, centre: &Rational, scale: &Rational) -> Result<Self, SampleError> {
        if !degrees.is_multiple_of(2) || !(2..=Self::MAX_DEGREES).contains(&degrees) {
            return Err(SampleError::range("degrees", &degrees, "even, from 2 to 16"));
        }
        check_scale(scale)?;
        if scale.floor().bit_len() > Self::MAX_SCALE_BITS {
            return Err(SampleError::OutOfRange {
                name: "scale",
                value: "too large".into(),
                allowed: "below 2^1024",
            });
        }
        Ok(Self { law: Folded::new(degrees), centre: centre.clone(), scale: scale.clone() })
    }

    /// One independent value.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<Integer, SampleError> {
        let words = &mut Words::new(entropy);
        if words.coin()? {
            Ok(-self.right_of(&-&self.centre, words)?)
        } else {
            self.right_of(&self.centre, words)
        }
    }

    /// The nearest integer to c + s |T|.
    fn right_of(&self, centre: &Rational, words: &mut Words) -> Result<Integer, SampleError> {
        let mut v = LazyUniform::new();
        let mut is_at_most = |k: &Integer| {
            let (numerator, denominator) = step_above(k, centre, &self.scale);
            match numerator.sign() {
                Sign::Negative => Ok(false),
                Sign::Positive => {
                    self.law.is_below(&mut v, &numerator.unsigned_abs(), &denominator, words)
                }
            }
        };
        // |T| >= 0: nothing lies below the nearest integer to the centre (rounded down at a tie).
        let half = Rational::new(1, 2_u8)?;
        let lowest = (centre - &half).ceil();
        if is_at_most(&lowest)? {
            return Ok(lowest);
        }
        let mut step = self.scale.ceil();
        let (mut below, mut enough) = (lowest.clone(), lowest + &step);
        while !is_at_most(&enough)? {
            step <<= 1;
            below = enough;
            enough = &below + &step;
        }
        // The result lies in below + 1 ..= enough.
        while &enough - &below > Integer::ONE {
            let middle = (&below + &enough) >> 1;
            if is_at_most(&middle)? { enough = middle } else { below = middle }
        }
        Ok(enough)
    }
}

/// The law of |T|.
#[derive(Clone)]
struct Folded {
    degrees: Natural,
    /// C(2j, j) 4^(h-1-j) for j < h = d/2.
    coefficients: Vec<Natural>,
}

impl Folded {
    fn new(degrees: u32) -> Self {
        let half = degrees / 2;
        let mut binomial = Natural::ONE;
        let mut coefficients = Vec::new();
        for j in 0..half {
            let fours = usize::try_from(2 * (half - 1 - j)).unwrap_or(0);
            coefficients.push(&binomial << fours);
            // C(2j + 2, j + 1) = C(2j, j) 2 (2j + 1) / (j + 1).
            binomial = binomial * (2 * (2 * j + 1)) / (j + 1);
        }
        Self { degrees: degrees.into(), coefficients }
    }

    /// Whether V < G(t) at t = num/den > 0. As G increases, V < G(t') decides it for a t' <= t,
    /// and V >= G(t'') for a t'' >= t: both are t rounded to as many bits as are looked at of V,
    /// so that numbers stay as short as the question allows.
    fn is_below(
        &self,
        v: &mut LazyUniform,
        num: &Natural,
        den: &Natural,
        words: &mut Words,
    ) -> Result<bool, SampleError> {
        let mut bits = 64;
        loop {
            let at = v.leading(bits, words)?;
            let (below, above, unit) = around(num, den, bits);
            // V lies in [at, at + 1) units of 2^-bits.
            if !self.exceeds(&(&at + Natural::ONE), bits, &below, &unit) {
                return Ok(true);
            }
            if self.exceeds(&at, bits, &above, &unit) {
                return Ok(false);
            }
            bits *= 2;
        }
    }

    /// Whether v 2^-bits > G(t) at t = num/den.
    ///
    /// With q = num² + d den², 1 - y² = d den² / q, and multiplied by (4q)^(h-1) the sum is the
    /// integer R = sum of C(2j, j) 4^(h-1-j) (d den²)^j q^(h-1-j). So G² = num² R² / (q (4q)^(2h-2)).
    fn exceeds(&self, v: &Natural, bits: usize, num: &Natural, den: &Natural) -> bool {
        let square = num * num;
        let rest = &self.degrees * den * den;
        let q = &square + &rest;
        let sum = self.sum(&rest, &q);
        let power = 2 * (self.coefficients.len() - 1);
        let bottom = (&q * q.pow(power)) << (2 * power);
        v * v * bottom > (square * &sum * &sum) << (2 * bits)
    }

    /// R, by Horner's rule in the power of d den² over q.
    fn sum(&self, rest: &Natural, q: &Natural) -> Natural {
        let mut power = Natural::ONE;
        let mut sum = Natural::ZERO;
        for coefficient in &self.coefficients {
            // Before: the first i terms over q^(i-1); after: the first i + 1 over q^i.
            sum = sum * q + coefficient * &power;
            power *= rest;
        }
        sum
    }
}

/// Fractions around num/den > 0 with a common denominator, of at least `bits` significant bits:
/// one at most it and one at least it. It is itself both if it is not longer than that.
fn around(num: &Natural, den: &Natural, bits: usize) -> (Natural, Natural, Natural) {
    if num.bit_len().max(den.bit_len()) <= bits {
        return (num.clone(), num.clone(), den.clone());
    }
    // num 2^up / (den 2^down) has at least `bits` bits, and unit = 2^up / 2^down.
    let wanted = den.bit_len() + bits + 1;
    let (up, down) = (wanted.saturating_sub(num.bit_len()), num.bit_len().saturating_sub(wanted));
    let below = (num << up) / (den << down);
    let above = &below + Natural::ONE;
    (below << down, above << down, Natural::ONE << up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    /// d = 2: G(1) = 1/√3; d = 4: G(2) = (3y - y³)/2 at y = 1/√2, that is 5/(4√2).
    #[test]
    fn the_distribution_function_is_the_known_one() -> Result<(), SampleError> {
        // ⌊2^64 / √3⌋ and ⌊2^64 5/(4 √2)⌋.
        for (degrees, t, word) in
            [(2, 1_u8, 10_650_232_656_628_343_401_u64), (4, 2, 16_304_772_281_665_977_765)]
        {
            let law = Folded::new(degrees);
            for (offset, expected) in [(-1_i64, true), (1, false)] {
                let script = &mut Script::new(&[word.wrapping_add_signed(offset)]);
                let words = &mut Words::new(script);
                let below =
                    law.is_below(&mut LazyUniform::new(), &t.into(), &Natural::ONE, words)?;
                assert_eq!(below, expected, "{degrees}");
            }
        }
        Ok(())
    }

    /// d = 2, t = 1/2: y² = t²/(2 + t²) = 1/9, so V against G = 1/3 = 0.0101... stays open for as
    /// long as the words are those; also if t is written in numbers of 300 bits.
    #[test]
    fn an_undecided_comparison_reads_on() -> Result<(), SampleError> {
        const THIRD: u64 = 0x5555_5555_5555_5555;
        let long = Natural::from(3_u8).pow(190);
        for (num, den) in [(Natural::ONE, Natural::from(2_u8)), (long.clone(), long << 1)] {
            for depth in 0..7 {
                for (last, expected) in [(THIRD - 1, true), (THIRD + 1, false)] {
                    let mut script = vec![THIRD; depth];
                    script.push(last);
                    let script = &mut Script::new(&script);
                    let (v, words) = (&mut LazyUniform::new(), &mut Words::new(script));
                    assert_eq!(Folded::new(2).is_below(v, &num, &den, words)?, expected);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn rounded_fractions_lie_around() {
        let numbers = [1, 2, 3, 200].map(|size| Natural::from(7_u8).pow(size));
        for (num, den) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a, b))) {
            for bits in [64, 128, 1024] {
                let (below, above, unit) = around(num, den, bits);
                let scaled = num * &unit;
                assert!(&below * den <= scaled && scaled <= &above * den);
                assert!((above - &below) << (bits - 1) <= below, "few bits");
            }
        }
    }

    #[test]
    fn only_even_degrees_have_a_rational_square() -> Result<(), SampleError> {
        let (c, s) = (Rational::ZERO, Rational::ONE);
        for degrees in [0, 1, 3, 15, 18, u32::MAX] {
            assert!(RoundedStudent::new(degrees, &c, &s).is_err());
        }
        for degrees in (2..=16).step_by(2) {
            RoundedStudent::new(degrees, &c, &s)?.draw(&mut crate::SeededEntropy::new(3))?;
        }
        Ok(())
    }
}
