//! Continuous noise, rounded to the nearest integer of a grid.
//!
//! The noise is an exact real number (see [`crate::real`]), the centre and the scale are exact
//! rationals, and the sum is rounded *once*, as a real number: the released integer is a function
//! of the ideal release of real-number theory. So whatever is proved of continuous noise holds for
//! it, by post-processing, with nothing added for the rounding.
//!
//! The nearest integer is found by drawing bits of the noise until both ends of the interval it is
//! known to lie in round to the same integer. Ties have probability 0 and never occur: bits are
//! drawn until it is clear on which side of the tie the number lies.

mod affine;
mod laplace;
mod log_normal;
mod normal;
mod student;

pub use laplace::RoundedLaplace;
pub use log_normal::RoundedLaplaceLogNormal;
pub use normal::RoundedNormal;
pub use student::RoundedStudent;

use dashu_base::BitTest;
use throng_numeric::Rational;

use crate::SampleError;

/// The longest numerator or denominator of a scale, in bits: far beyond any use, and still drawn
/// in seconds at most.
const MAX_SCALE_BITS: usize = 4096;

/// Refuses a scale that is not positive or absurdly long. The message does not show it: scales can
/// be functions of private data.
fn check_scale(scale: &Rational) -> Result<(), SampleError> {
    let refused = |value: &str, allowed| {
        Err(SampleError::OutOfRange { name: "scale", value: value.into(), allowed })
    };
    if !scale.is_positive() {
        return refused("0 or less", "above 0");
    }
    if is_long(scale) {
        return refused("too long", "a fraction of numbers of at most 4096 bits");
    }
    Ok(())
}

fn is_long(value: &Rational) -> bool {
    let bits = value.numerator().bit_len().max(value.denominator().bit_len());
    bits > MAX_SCALE_BITS
}
