//! Ends of an interval around a quantile.

use throng_account::Neighbours;
use throng_numeric::Rational;

use super::Quantile;
use super::target::Target;
use crate::{Clamp, MechanismError};

/// Beyond this margin an end is that of the whole interval: it would tell nothing more.
const MOST_MARGIN: u64 = 1 << 18;

impl Quantile {
    /// A point that is at most the fraction q of the data, with this confidence.
    ///
    /// # Guarantee
    /// `exponential(eps)`; and for any data, the point is at most the q-quantile of the data after
    /// clamping and rounding (the one between the two data points next to it, as SQL's
    /// `percentile_cont`) with a chance of at least the confidence.
    ///
    /// *Proof.* Beside the n data points there are m copies of the lower end, and the wanted rank among all
    /// of them is t = q n, where m is at least one rank more than the error r that the answer
    /// stays within with that confidence. Some grid point has rank t, as 0 <= t <= n + m, so the answer y is
    /// off by at most r: if it is not the lower end itself, #{x < y} + m <= q n + r, hence b = #{x < y} <=
    /// q n - 1 <= q (n - 1), and y is at most the data point of index b, which is at most that of index
    /// floor(q (n - 1)). The copies are the same on all data, and t changes by q if a unit comes, so
    /// that the proof of R for a fraction holds for them.
    ///
    /// # Errors
    /// If q is not in [0, 1], its denominator is 2^62 or more, epsilon is not above 0, or the confidence is
    /// not above 0 and below 1.
    pub fn below(
        q: &Rational,
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
        confidence: f64,
    ) -> Result<Self, MechanismError> {
        Self::end(q, clamp, epsilon, under, confidence, false)
    }

    /// A point that is at least the fraction q of the data, with this confidence.
    ///
    /// # Guarantee
    /// As for [`Quantile::below`], upside down: m copies of the upper end and t = q n + m give
    /// #{x <= y} >= q n + 1.
    ///
    /// # Errors
    /// As for [`Quantile::below`].
    pub fn above(
        q: &Rational,
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
        confidence: f64,
    ) -> Result<Self, MechanismError> {
        Self::end(q, clamp, epsilon, under, confidence, true)
    }

    fn end(
        q: &Rational,
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
        confidence: f64,
        above: bool,
    ) -> Result<Self, MechanismError> {
        let (p, s) = match Target::fraction(q)? {
            Target::Fraction { p, s } => (p, s),
            Target::Lowest(_) | Target::Highest(_) | Target::End { .. } => (0, 1),
        };
        let of = |margin| Self::of(Target::End { p, s, margin, above }, clamp, epsilon, under);
        // The rate does not depend on the margin.
        let error = Rational::from_f64(of(0)?.rank_error(confidence)?)?.ceil();
        let margin = u64::try_from(error).unwrap_or(u64::MAX).saturating_add(1);
        if margin <= MOST_MARGIN {
            return of(margin);
        }
        // The interval has one point, which is right whatever the data is.
        let place = if above { clamp.upper() } else { clamp.lower() };
        let point = clamp.grid().step() * Rational::from(place);
        let alone = Clamp::new(&point, &point, clamp.grid())?;
        Self::of(Target::End { p, s, margin: 0, above }, alone, epsilon, under)
    }

    /// What is put beside the data.
    pub(super) fn copies(&self) -> Vec<f64> {
        let Target::End { margin, above, .. } = self.target else { return Vec::new() };
        let place = if above { self.clamp.upper() } else { self.clamp.lower() };
        vec![self.clamp.grid().to_f64(place); usize::try_from(margin).unwrap_or(0)]
    }
}

/// The data with what is put beside it.
pub(super) fn beside<'a>(copies: &'a [f64], parts: &[&'a [f64]]) -> Vec<&'a [f64]> {
    std::iter::once(copies).chain(parts.iter().copied()).collect()
}
