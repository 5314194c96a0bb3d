//! The sums that may be behind a noisy one.

use throng_numeric::{Enclosure, gamma};

use crate::NoiseLaw;

/// Sums that the noise leaves less than this chance are left out.
const LEFT_OUT: f64 = 1e-10;

/// The possible sums in [0, most] around a noisy one, at most `count` of them, each with the
/// logarithm of the chance of the noise, up to a constant.
///
/// More would be thinned to evenly spaced ones: the noise is then so wide that neighbours hardly
/// differ.
pub(super) fn sums(law: &NoiseLaw, noisy: i64, most: i64, count: i64) -> Vec<(i64, f64)> {
    let reach = law.half_width(LEFT_OUT).ok().and_then(|w| i64::try_from(w).ok());
    let reach = reach.unwrap_or(i64::MAX >> 2);
    let low = noisy.min(most).saturating_sub(reach).clamp(0, most);
    let high = noisy.max(0).saturating_add(reach).clamp(0, most);
    let stride = usize::try_from((high - low) / count.max(1) + 1).unwrap_or(1);
    (low..=high).step_by(stride).map(|s| (s, law.ln_weight(noisy.saturating_sub(s)))).collect()
}

/// ln Γ(x), as an ordinary number.
pub(super) fn ln_gamma(x: f64) -> f64 {
    let enclosed = Enclosure::point(x).and_then(gamma::ln_gamma);
    enclosed.map_or(f64::INFINITY, |y| f64::midpoint(y.lower(), y.upper()))
}

/// k as an ordinary number.
#[expect(clippy::cast_precision_loss, reason = "after the noise, within accuracy")]
pub(super) const fn real(k: i64) -> f64 {
    k as f64
}
