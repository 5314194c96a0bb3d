//! How fast the characteristic function of a law with a density must fall.
//!
//! For two independent copies L, L' of a law, |phi(u)|^2 = 1 - E[1 - cos(u(L - L'))]. Every part
//! of the expectation is non-negative, so keeping only the pairs that fall together into one of
//! some disjoint *bands*, and there only a part of the law that is uniform on the band, gives
//!
//! |phi(u)|^2 <= 1 - sum_b m_b^2 (1 - sinc^2(u w_b / 2)),
//!
//! where the law has at least the uniform density m_b / w_b on band b of width w_b. The right
//! side falls with T-fold repetition like e^(-const T) for *all* large u: it says that nothing
//! is hidden beyond the last node of an inversion.

/// Sets of bands: (mass, width) of uniform parts of a law on disjoint intervals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bands(Vec<Vec<(f64, f64)>>);

impl Bands {
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Masses and widths must both be rounded down.
    pub(crate) fn new(bands: Vec<(f64, f64)>) -> Self {
        Self(vec![bands])
    }

    /// Several sets of bands, each of disjoint bands; at every u the best of them counts.
    pub(crate) fn best_of(sets: Vec<Vec<(f64, f64)>>) -> Self {
        Self(sets)
    }

    /// An upper bound of ln |phi(u')| over all u' >= u.
    pub(crate) fn log_decay(&self, u: f64) -> f64 {
        let kept = |set: &Vec<(f64, f64)>| -> f64 {
            set.iter().map(|(m, w)| m * m * spread(u * w / 2.0)).sum()
        };
        let kept = self.0.iter().map(kept).fold(0.0, f64::max);
        // ln(1 - x) <= -x; the factor covers the roundings of the sum.
        -kept.min(1.0) / 2.0 * (1.0 - 1e-9)
    }
}

/// A lower bound of 1 - sinc^2(t') over all t' >= t.
///
/// sinc^2 falls on [0, pi] and is below 0.0472 beyond; on [0, 2] it is at most
/// (1 - t^2/6 + t^4/120)^2, whose derivative is negative there.
fn spread(t: f64) -> f64 {
    if t >= 2.0 {
        return 0.79; // sinc^2(2) = 0.2067
    }
    let square = t * t;
    // 1 - (1 - a)^2 = a (2 - a) with a = t^2/6 - t^4/120 > 0.
    let a = square / 6.0 - square * square / 120.0;
    a * (2.0 - a) * (1.0 - 1e-12)
}
