//! The result of a convolution.

use std::ops::Range;

use super::Factor;
use super::direct::{UNSCALED, count};
use super::spectrum::{Inverse, UNDERFLOW};
use super::tilt::Tilted;
use super::window::Place;
use crate::rounding::{add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_up, sub_down};
use crate::scaled::{Quotient, Scaled, Towards};
use crate::{Enclosure, NumericError};

/// A sequence known to within proved errors.
///
/// # Guarantee
/// Let c_j be the exact entry, r the ratio of the tilt and T the (exact, positive) scale. The
/// exact tilted entries are c̃_j = T rʲ c_j. Inside the window we have numbers v_j >= 0 and know
/// c̃_j = (v_j + e_j - w_j) (1 + d_j), where |e_j| <= `uniform`, Σ e_j² <= `euclidean`²,
/// w_j >= 0, Σ w_j <= `outside`, and |d_j| <= `relative`. The tilted mass outside the window is at most
/// `outside` (1 + `relative`). Every method encloses its exact quantity on these grounds alone.
#[derive(Debug, Clone)]
pub struct Convolved {
    values: Vec<f64>,
    /// The index of the first value.
    start: u64,
    /// The index of the last entry that can be other than 0.
    last: u64,
    uniform: f64,
    euclidean: f64,
    relative: f64,
    outside: f64,
    ratio: f64,
    /// T, from below and from above.
    scale: (Scaled, Scaled),
    /// At least Σ c̃_j, before the factor 1 + `relative`.
    tilted_total: f64,
    /// Σ c_j.
    total: Enclosure,
}

impl Convolved {
    /// A result computed without tilt or scale, entry by entry.
    pub(super) fn plain(values: Vec<f64>, uniform: f64, relative: f64, total: Enclosure) -> Self {
        Self {
            euclidean: mul_up(uniform, sqrt_up(count(values.len()))),
            last: u64::try_from(values.len() - 1).unwrap_or(u64::MAX),
            values,
            start: 0,
            uniform,
            relative,
            outside: 0.0,
            ratio: 1.0,
            scale: UNSCALED,
            // The total of the exact entries bounds that of v / (1 + d) with room to spare.
            tilted_total: mul_up(total.upper(), 2.0),
            total,
        }
    }

    /// The convolution with a sequence of zeros.
    pub(super) fn nothing(last: u64) -> Self {
        Self { last, ..Self::plain(vec![0.0], 0.0, 0.0, Enclosure::ZERO) }
    }

    /// Puts a computed circular convolution into its place.
    pub(super) fn of_inverse(
        inverse: Inverse,
        factors: &[Tilted],
        ratio: f64,
        place: Place,
        last: u64,
        total: Enclosure,
    ) -> Self {
        let product = |towards| {
            factors.iter().fold(Scaled::ONE, |product, factor| {
                product.times(factor.scale.power(factor.times, towards), towards)
            })
        };
        Self {
            values: inverse.values,
            start: place.start,
            last,
            uniform: inverse.uniform,
            euclidean: inverse.euclidean,
            relative: relative(factors),
            outside: if place.outside > 0.0 { add_up(place.outside, UNDERFLOW) } else { 0.0 },
            ratio,
            scale: (product(Towards::Below), product(Towards::Above)),
            tilted_total: add_up(inverse.total, UNDERFLOW),
            total,
        }
    }

    /// The total mass of a composition: the product of the factors' totals.
    pub(super) fn total_of(factors: &[Factor]) -> Enclosure {
        let product = |end: fn(Enclosure) -> f64, towards| {
            factors.iter().try_fold(Scaled::ONE, |product, factor| {
                let total = Scaled::of(end(factor.total))?;
                Some(product.times(total.power(factor.times, towards), towards))
            })
        };
        let Some(above) = product(Enclosure::upper, Towards::Above) else {
            return Enclosure::ZERO; // totals are finite, so this one is 0
        };
        let below = product(Enclosure::lower, Towards::Below);
        let upper = Quotient::of((above, above), UNSCALED).times(Enclosure::ONE).upper();
        let lower = below.map_or(0.0, |below| {
            Quotient::of((below, below), UNSCALED).times(Enclosure::ONE).lower()
        });
        Enclosure::outward(lower, upper)
    }

    /// The indices that were computed.
    #[must_use]
    pub fn window(&self) -> Range<u64> {
        self.start..self.start + u64::try_from(self.values.len()).unwrap_or(0)
    }

    /// The ratio of the tilt.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// An upper bound of the tilted mass outside the window, which may have wrapped into it.
    #[must_use]
    pub fn outside(&self) -> f64 {
        self.outside
    }

    /// Upper bounds of the error of the tilted entries: of each one, and of all in the Euclidean
    /// norm. The tilted entries are those of a law whose total is about 1.
    #[must_use]
    pub fn error(&self) -> (f64, f64) {
        (self.uniform, self.euclidean)
    }

    /// The entry at an index.
    #[must_use]
    pub fn mass(&self, index: u64) -> Enclosure {
        self.plain_sum(index..index.saturating_add(1))
    }

    /// The sum of the entries from an index on.
    ///
    /// A tilt towards small indices (a ratio below 1) is accurate there, so then this is the total
    /// less what comes before; whichever way is tighter counts.
    #[must_use]
    pub fn tail_from(&self, index: u64) -> Enclosure {
        let tail = self.plain_sum(index..u64::MAX);
        if self.ratio < 1.0 { self.without(tail, 0..index) } else { tail }
    }

    /// The sum of the entries before an index.
    #[must_use]
    pub fn head_before(&self, index: u64) -> Enclosure {
        let head = self.plain_sum(0..index);
        if self.ratio > 1.0 { self.without(head, index..u64::MAX) } else { head }
    }

    /// Tightens a sum by what the total leaves of it when the complement is taken off. Two
    /// enclosures of one number meet; if they did not, neither end could be trusted, and the
    /// hull claims least.
    fn without(&self, sum: Enclosure, complement: Range<u64>) -> Enclosure {
        let rest = self.total - self.plain_sum(complement);
        let rest = Enclosure::outward(rest.lower().max(0.0), rest.upper().max(0.0));
        sum.intersect(rest).unwrap_or_else(|_| sum.hull(rest))
    }

    fn plain_sum(&self, range: Range<u64>) -> Enclosure {
        // Weights of 1 are never refused; were they, nothing would be claimed.
        self.sum(range, |_| Enclosure::ONE).unwrap_or(Enclosure::REAL)
    }

    /// The sum of c_j g(j) over a range, for weights g(j) between 0 and 1, such as the
    /// 1 - e^(ε - jh) of a privacy profile.
    ///
    /// # Errors
    /// If a weight is not within [0, 1].
    ///
    /// ```
    /// use throng_numeric::{Enclosure, NumericError, convolution::power};
    /// let law = power(&[0.5, 0.5], 4)?;
    /// // The mean of the part above 2, divided by 4: (4 * 3 + 1 * 4) / 16 / 4.
    /// let sum = law.sum(3..5, |j| Enclosure::point(j as f64 / 4.0).unwrap_or(Enclosure::UNIT))?;
    /// assert!(sum.contains(0.25) && sum.width() < 1e-12);
    /// # Ok::<(), NumericError>(())
    /// ```
    pub fn sum(
        &self,
        range: Range<u64>,
        mut weight: impl FnMut(u64) -> Enclosure,
    ) -> Result<Enclosure, NumericError> {
        let range = range.start..range.end.min(self.last + 1);
        if range.is_empty() {
            return Ok(Enclosure::ZERO);
        }
        let window = self.window();
        let inside = range.start.max(window.start)..range.end.min(window.end);
        if inside.is_empty() {
            let most = if self.outside > 0.0 { self.total.upper() } else { 0.0 };
            return Ok(Enclosure::outward(0.0, most));
        }
        let walk = Walk::over(&inside, self.ratio);
        let mut tally = Tally::default();
        for (index, discount) in walk.steps() {
            if self.is_negligible(&tally, discount.upper()) {
                tally.rest = mul_up(discount.upper(), self.tilted_total);
                break;
            }
            let share = weight(index);
            if !(share.lower() >= 0.0 && share.upper() <= 1.0) {
                return Err(NumericError::domain("a weight", share, "within [0, 1]"));
            }
            tally.add(self.value(index), share * discount);
        }
        let strayed = self.strayed(&walk, &range, &inside);
        let tilted = self.settle(&tally, strayed);
        let most = self.total.upper();
        let sum = self.untilt(tilted, walk.anchor);
        Ok(Enclosure::outward(sum.lower().min(most), sum.upper().min(most)))
    }

    pub(super) fn value(&self, index: u64) -> f64 {
        let place = usize::try_from(index - self.start).unwrap_or(usize::MAX);
        self.values.get(place).copied().unwrap_or(0.0)
    }

    /// Whether all that is still to come, discounted at least by this much, cannot matter.
    fn is_negligible(&self, tally: &Tally, discount: f64) -> bool {
        discount < 1.0 && discount * self.tilted_total < 1e-22 * tally.lower
    }

    /// What mass outside the window can contribute: wrapped into it (to be taken off the lower
    /// end), and in its own place (to be added to the upper end).
    fn strayed(&self, walk: &Walk, range: &Range<u64>, inside: &Range<u64>) -> (f64, f64) {
        if self.outside == 0.0 {
            return (0.0, 0.0);
        }
        // Ahead of the walk discounts are below 1. Behind it they are above: r^d at distance d.
        let behind = if walk.rising { inside.start - range.start } else { range.end - inside.end };
        let growth = walk.growth(behind);
        let spills = *range != *inside;
        (self.outside, if spills { mul_up(self.outside, growth) } else { 0.0 })
    }

    /// Encloses the tilted sum from what was tallied.
    fn settle(&self, tally: &Tally, (wrapped, strayed): (f64, f64)) -> Enclosure {
        let noise =
            mul_up(self.uniform, tally.weight).min(mul_up(self.euclidean, sqrt_up(tally.square)));
        let lower = sub_down(sub_down(tally.lower, noise), wrapped).max(0.0);
        let upper = add_up(add_up(add_up(tally.upper, noise), tally.rest), strayed);
        Enclosure::outward(
            mul_down(lower, sub_down(1.0, self.relative).max(0.0)),
            mul_up(upper, add_up(1.0, self.relative)),
        )
    }

    /// A tilted sum divided by T r^anchor.
    fn untilt(&self, tilted: Enclosure, anchor: u64) -> Enclosure {
        if self.ratio == 1.0 && self.scale == UNSCALED {
            return tilted;
        }
        let ratio = Scaled::of(self.ratio).unwrap_or(Scaled::ONE);
        let divisor = |scale: Scaled, towards| scale.times(ratio.power(anchor, towards), towards);
        let divisors =
            (divisor(self.scale.0, Towards::Below), divisor(self.scale.1, Towards::Above));
        Quotient::of(UNSCALED, divisors).times(tilted)
    }
}

/// K δ / (1 - K δ), the sum taken over the factors: both (1 - δ)^-K <= 1 + this and
/// (1 + δ)^-K >= 1 - this.
fn relative(factors: &[Tilted]) -> f64 {
    let sum = factors.iter().fold(0.0, |sum, factor| {
        #[expect(clippy::cast_precision_loss, reason = "repetitions are at most 2^31")]
        let times = factor.times as f64;
        add_up(sum, mul_up(times, factor.relative))
    });
    div_up(sum, sub_down(1.0, sum))
}

/// The order in which entries are visited: away from the anchor, so that the tilt is a discount.
struct Walk {
    anchor: u64,
    length: u64,
    rising: bool,
    ratio: f64,
}

impl Walk {
    fn over(inside: &Range<u64>, ratio: f64) -> Self {
        let rising = ratio >= 1.0;
        let anchor = if rising { inside.start } else { inside.end - 1 };
        Self { anchor, length: inside.end - inside.start, rising, ratio }
    }

    /// Every index with an enclosure of r^(anchor - index), which is at most 1.
    fn steps(&self) -> impl Iterator<Item = (u64, Enclosure)> {
        let (ratio, rising, anchor) = (self.ratio, self.rising, self.anchor);
        let next = move |d: &Enclosure| {
            Some(
                if rising {
                    Enclosure::outward(div_down(d.lower(), ratio), div_up(d.upper(), ratio))
                } else {
                    Enclosure::outward(mul_down(d.lower(), ratio), mul_up(d.upper(), ratio))
                }
                .clamp_to(0.0, 1.0),
            )
        };
        let indices = (0..self.length).map(move |d| if rising { anchor + d } else { anchor - d });
        indices.zip(std::iter::successors(Some(Enclosure::ONE), next))
    }

    /// At least what the discount becomes a distance *behind* the anchor.
    fn growth(&self, distance: u64) -> f64 {
        let ratio = Scaled::of(self.ratio).unwrap_or(Scaled::ONE);
        let power = (ratio.power(distance, Towards::Below), ratio.power(distance, Towards::Above));
        if self.rising {
            Quotient::of(power, UNSCALED).upper()
        } else {
            Quotient::of(UNSCALED, power).upper()
        }
    }
}

/// Running sums.
#[derive(Default)]
struct Tally {
    lower: f64,
    upper: f64,
    /// Σ of the weights, from above.
    weight: f64,
    /// Σ of their squares, from above.
    square: f64,
    /// At least what was left out.
    rest: f64,
}

impl Tally {
    fn add(&mut self, value: f64, weight: Enclosure) {
        self.lower = add_down(self.lower, mul_down(value, weight.lower()));
        self.upper = add_up(self.upper, mul_up(value, weight.upper()));
        self.weight = add_up(self.weight, weight.upper());
        self.square = add_up(self.square, mul_up(weight.upper(), weight.upper()));
    }
}
