//! e^-x of a rational to any number of bits, in integers only.
//!
//! The samplers decide by comparing random bits with such numbers; they may use no floating
//! point at all, so this is the one transcendental function they stand on.

use dashu_base::{BitTest, DivRem};
use dashu_int::UBig;

use crate::{NumericError, Rational};

/// Integers around a real number y in units of 2^-bits: `lower <= y 2^bits <= upper`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedBounds {
    /// At most y 2^bits.
    pub lower: UBig,
    /// At least y 2^bits.
    pub upper: UBig,
}

/// The finest precision on offer; a sampler would read as many random bits first, and so comes
/// near it with a probability of about 2^-1000000.
pub const MAX_BITS: usize = 1 << 20;

/// Bounds on e^-x in units of 2^-bits, for rational x >= 0.
///
/// # Guarantee
/// `lower <= e^-x 2^bits <= upper` and `upper - lower <= 2`.
///
/// # Errors
/// If x is negative, or more than [`MAX_BITS`] bits are asked for.
///
/// ```
/// use throng_numeric::{Rational, fixed::exp_neg};
/// let bounds = exp_neg(&"1/3".parse()?, 64)?;
/// assert_eq!(bounds.lower, 13217669706954385033_u64.into()); // floor(2^64 e^(-1/3))
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn exp_neg(x: &Rational, bits: usize) -> Result<FixedBounds, NumericError> {
    if x.is_negative() {
        return Err(NumericError::domain("x", "negative", "at least 0"));
    }
    if bits > MAX_BITS {
        return Err(NumericError::TooLarge { what: "bits", limit: MAX_BITS.to_string() });
    }
    // e^-x < 2^-x < 2^-bits: between 0 and 1 unit. (Also keeps the work below bounded.)
    if x.floor() > bits.into() {
        return Ok(FixedBounds { lower: UBig::ZERO, upper: UBig::ONE });
    }
    if x.is_zero() {
        let one = UBig::ONE << bits;
        return Ok(FixedBounds { lower: one.clone(), upper: one });
    }
    // x = r 2^halvings with r < 2^-8; then e^-x = (1/e^r)^(2^halvings).
    let halvings = x.floor().bit_len() + 8;
    // Width only: the Taylor sums have fewer than 2^16 terms (the k-th has lost 8 k + log2 k!
    // bits), so e^r is known to 2^17 units; each squaring doubles that and adds two units. After
    // `halvings` of them that is 2^(halvings + 18) units, less than half a unit of the result.
    let work = bits + halvings + 19;
    let numerator = x.magnitude_of_numerator() << work;
    let (quotient, remainder) = numerator.div_rem(&(x.denominator() << halvings));
    let exact = remainder.is_zero();
    let upper_r = if exact { quotient.clone() } else { &quotient + UBig::ONE };
    // 1/y in units of 2^-work is 2^(2 work) / (y 2^work), rounded down and up.
    let square_of_unit = UBig::ONE << (2 * work);
    let mut lower = &square_of_unit / exp_above(&upper_r, work);
    let mut upper = &square_of_unit / exp_below(&quotient, work) + UBig::ONE;
    for _ in 0..halvings {
        lower = (&lower * &lower) >> work;
        upper = ((&upper * &upper) >> work) + UBig::ONE;
    }
    let spare = work - bits;
    Ok(FixedBounds { lower: lower >> spare, upper: (upper >> spare) + UBig::ONE })
}

/// At most e^r in units of 2^-work, for r in those units and 0 <= r < 2^-8: all terms of the
/// series are positive, so cutting it and rounding each term down stays below.
fn exp_below(r: &UBig, work: usize) -> UBig {
    taylor_sum(r, work, |term| term).0
}

/// At least e^r: each term is rounded up, and what is cut off is less than the last term
/// summed, for the ratio of successive terms is r/k < 1/2.
fn exp_above(r: &UBig, work: usize) -> UBig {
    let (sum, last) = taylor_sum(r, work, |term| term + UBig::ONE);
    sum + last
}

/// The Taylor sum of e^r with every term passed through `settle` after truncation, and the
/// last (smallest) term.
fn taylor_sum(r: &UBig, work: usize, settle: impl Fn(UBig) -> UBig) -> (UBig, UBig) {
    let mut term = UBig::ONE << work;
    let mut sum = term.clone();
    let mut k = 1_u32;
    loop {
        term = settle(((&term * r) >> work) / k);
        sum += &term;
        // r < 2^-8, so after at most work / 8 + 1 rounds a term is at most one unit (the term
        // rounded up settles at 1 or 2 units).
        if term.bit_len() <= 2 {
            return (sum, term);
        }
        k += 1;
    }
}
