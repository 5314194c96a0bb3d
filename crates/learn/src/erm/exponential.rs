//! e^x in a few operations.
//!
//! Gradients take one exponential for each score of each record and step: most of the time of a fit, if a
//! library is called for each. This one is inlined, without branches, and the same on every machine. No
//! guarantee rests on its last digits, only that equal numbers give equal results, which they do.

/// log₂ e, and ln 2 in two parts of which the first times an integer below 2^11 is exact.
const LOG2_E: f64 = std::f64::consts::LOG2_E;
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1.5 · 2^52: a number that is added to it is rounded to an integer, which its last bits then hold.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// 1/n! from n = 13 down to 0.
const TAYLOR: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// e^x, up to a few units in the last place; x is taken as -708 or 709 where it is beyond, and NaN is NaN.
///
/// With k = x/ln 2, rounded, e^x = 2^k e^r, |r| <= ln 2/2, where the series of e^r is exact after
/// fourteen terms; k is added to the exponent.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    let x = x.clamp(-708.0, 709.0);
    let shifted = x * LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let series = TAYLOR.iter().fold(0.0, |sum, term| sum * r + term);
    let power = f64::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x.is_nan() { x } else { power }
}

/// Probabilities proportional to e^(score), in place.
pub(super) fn softmax(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp(*score - most);
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

/// The same for many records at a time: `scores` has as many for each class as there are records, class
/// by class; `most` and `sum` have room for a number for each record. Each record gets the very numbers that
/// [`softmax`] gives it.
#[inline(always)]
pub(super) fn softmax_by_class(scores: &mut [f64], most: &mut [f64], sum: &mut [f64]) {
    let records = most.len().min(sum.len()).max(1);
    let (most, sum) = (&mut most[..records], &mut sum[..records]);
    most.fill(f64::NEG_INFINITY);
    sum.fill(0.0);
    for class in scores.chunks_exact(records) {
        most.iter_mut().zip(class).for_each(|(most, score)| *most = most.max(*score));
    }
    for class in scores.chunks_exact_mut(records) {
        for ((score, most), sum) in class.iter_mut().zip(&*most).zip(&mut *sum) {
            *score = exp(*score - most);
            *sum += *score;
        }
    }
    for class in scores.chunks_exact_mut(records) {
        class.iter_mut().zip(&*sum).for_each(|(score, sum)| *score /= sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test compares with a library")]
    fn it_is_the_exponential() {
        let mut worst = 0.0_f64;
        for i in -70_700..=70_800 {
            let x = f64::from(i) / 100.0 + f64::from(i % 7) * 1e-4;
            let (found, right) = (exp(x), x.exp());
            worst = worst.max((found / right - 1.0).abs());
        }
        assert!(worst < 1e-15, "{worst}");
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f64::NAN).is_nan() && exp(f64::INFINITY).is_finite());
        assert!(exp(f64::NEG_INFINITY) > 0.0 && exp(f64::NEG_INFINITY) < 1e-300);
    }
}
