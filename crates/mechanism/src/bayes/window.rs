//! The sums that may be behind a noisy one.

use throng_numeric::{Enclosure, gamma};

use crate::NoiseLaw;

/// Sums that the noise leaves less than this chance are left out.
const LEFT_OUT: f64 = 1e-10;

/// The possible sums in [0, most] (0 alone if that is empty) around a noisy one, each with the logarithm of the chance of the
/// noise, up to a constant.
///
/// Near the noisy sum and near both ends these are all there are. Elsewhere one stands for a block,
/// and has its weight; a block is not longer than one `fineness`th of its distance from those three
/// places, so that neither the noise nor what a sum says changes much within it.
pub(super) fn sums(law: &NoiseLaw, noisy: i64, most: i64, fineness: u64) -> Vec<(i64, f64)> {
    let reach = law.half_width(LEFT_OUT).ok().and_then(|w| i64::try_from(w).ok());
    let reach = reach.unwrap_or(i64::MAX >> 2);
    let most = most.max(0);
    let low = noisy.min(most).saturating_sub(reach).clamp(0, most);
    let high = noisy.max(0).saturating_add(reach).clamp(0, most);
    let length = |s: i64| {
        let near = s.abs_diff(low).min(s.abs_diff(noisy)).min(s.abs_diff(high));
        1 + near / fineness.max(2)
    };
    let next = |s: &i64| s.checked_add_unsigned(length(*s)).filter(|next| *next <= high);
    let block = |s: i64| {
        let middle = s.saturating_add_unsigned((length(s) - 1) / 2);
        (middle, law.ln_weight(noisy.saturating_sub(middle)) + ln(length(s)))
    };
    std::iter::successors(Some(low), next).map(block).collect()
}

#[expect(
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "after the noise, within accuracy"
)]
fn ln(k: u64) -> f64 {
    (k as f64).ln()
}

/// ln Γ(x), as an ordinary number.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    let enclosed = Enclosure::point(x).and_then(gamma::ln_gamma);
    enclosed.map_or(f64::INFINITY, |y| f64::midpoint(y.lower(), y.upper()))
}

/// k as an ordinary number.
#[expect(clippy::cast_precision_loss, reason = "after the noise, within accuracy")]
pub(super) const fn real(k: i64) -> f64 {
    k as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_numeric::Rational;

    #[test]
    fn an_empty_range_leaves_nothing_but_zero() {
        let law = NoiseLaw::laplace(Rational::from(3)).unwrap();
        for most in [i64::MIN, -1, 0] {
            for noisy in [i64::MIN, -5, 0, 7, i64::MAX] {
                let found: Vec<_> = sums(&law, noisy, most, 64);
                assert!(!found.is_empty() && found.iter().all(|(s, _)| *s == 0));
            }
        }
    }
}
