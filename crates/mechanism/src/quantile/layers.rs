//! An exact draw by rank from what is known of the order of the data.
//!
//! The grid points of the domain are cut into *layers*, intervals on which the distance d is known
//! to be at least some value. A layer is drawn with a chance proportional to (its number of points)
//! e^(-rate least), a point of it uniformly, and the point is kept with chance
//! e^(-rate (d - least)), else all is drawn again. So a point is kept with a chance proportional to
//! e^(-rate d), however the layers were chosen: they touch only the time.
//!
//! Near the wanted rank, layers end at every data point, or at as many as keep the coin above
//! e^(-1/4) if the rate is small; so there are never more than a few thousand of them, each costing
//! O(log n). What is so far off that all of it has a chance below 2^-60 is one layer on each side.

use std::ops::RangeInclusive;

use throng_numeric::{Natural, Rational};
use throng_sample::{BernoulliExp, SampleError, Uniform, WeightedChoice};

use super::target::Target;
use super::window::{Counts, Window};
use crate::replay::Observed;
use crate::{MechanismError, Run};

/// The distance of ranks from the wanted one, and what it is worth.
pub(super) struct Score {
    /// s t.
    target: i128,
    /// s.
    unit: i128,
    /// The energy of a distance of 1/s ranks.
    rate: Rational,
    /// How many ranks off matter at all.
    reach: u64,
    /// How many ranks differ by little.
    stride: usize,
    /// n.
    rows: u64,
    /// The first and the last grid point.
    domain: (i64, i64),
}

impl Score {
    pub(super) fn new(
        target: &Target,
        rows: usize,
        rate: &Rational,
        domain: (i64, i64),
    ) -> Result<Self, MechanismError> {
        let unit = target.unit();
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        // The number of points times e^(-rate reach) is below 2^-60: a bit is 0.7 at most.
        let bits = 63 - domain.1.abs_diff(domain.0).leading_zeros().min(63);
        let reach = Rational::new(7 * bits + 500, 10_u32)?.checked_div(rate)?.ceil();
        let stride = Rational::new(1, 4_u32)?.checked_div(rate)?.floor();
        Ok(Self {
            target: target.scaled(rows),
            unit,
            rate: rate.checked_div(&Rational::from(unit))?,
            reach: u64::try_from(reach).unwrap_or(u64::MAX),
            stride: usize::try_from(stride).unwrap_or(usize::MAX).max(1),
            rows,
            domain,
        })
    }

    /// The ranks, from 0 to n - 1, whose order matters.
    pub(super) fn ranks(&self) -> RangeInclusive<u64> {
        let middle = u64::try_from(self.target / self.unit).unwrap_or(u64::MAX);
        let last = self.rows.saturating_sub(1);
        let high = middle.saturating_add(self.reach).saturating_add(1);
        middle.saturating_sub(self.reach).min(last)..=high.min(last)
    }

    /// s d: how far t is from [below, upto].
    pub(super) fn distance(&self, counts: Counts) -> i128 {
        let above = self.unit * i128::from(counts.below) - self.target;
        let short = self.target - self.unit * i128::from(counts.upto);
        above.max(short).max(0)
    }

    pub(super) fn energy(&self, distance: i128) -> Rational {
        &self.rate * &Rational::from(distance)
    }
}

/// Grid points first..=last, all of a distance of at least `least`, or of exactly that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layer {
    first: i64,
    last: i64,
    least: i128,
    exact: bool,
}

impl Layer {
    /// How many points there are; none if the ends have crossed.
    fn points(&self) -> Natural {
        let points = i128::from(self.last) - i128::from(self.first) + 1;
        u128::try_from(points).map_or(Natural::ZERO, Natural::from)
    }
}

/// The layers of the whole domain, some of them empty.
fn layers(window: &Window<'_>, score: &Score) -> Vec<Layer> {
    let mut layers = Vec::new();
    let (mut first, mut passed) = (score.domain.0, 0);
    // Between two bounds every rank lies between the counts there.
    let between = |first: i64, last: i64, below: u64, upto: u64| {
        let least = score.distance(Counts { below, upto });
        Layer { first, last, least, exact: below == upto }
    };
    for bound in window.every(score.stride, score.ranks()) {
        let Some(counts) = window.counts(bound) else { continue };
        layers.push(between(first, bound - 1, passed, counts.below));
        let least = score.distance(counts);
        layers.push(Layer { first: bound, last: bound, least, exact: true });
        (first, passed) = (bound + 1, counts.upto);
    }
    layers.push(between(first, score.domain.1, passed, score.rows));
    layers
}

/// A grid point with a chance proportional to e^(-rate d); `outside` counts where the window cannot.
pub(super) fn draw(
    window: &Window<'_>,
    score: &Score,
    outside: impl Fn(i64) -> Counts,
    run: &mut Run<'_>,
) -> Result<i64, MechanismError> {
    run.observe(|| Observed::drawn("a quantile"));
    let layers = layers(window, score);
    let weigh = |layer: &Layer| (layer.points(), score.energy(layer.least));
    let choice = WeightedChoice::new(layers.iter().map(weigh))?;
    let missing = || SampleError::Internal { what: "an index beyond the layers".into() };
    loop {
        let layer = layers.get(choice.draw(run.entropy())?).ok_or_else(missing)?;
        let offset = Uniform::below(layer.points())?.draw(run.entropy())?;
        let offset = u64::try_from(offset).map_err(|_| missing())?;
        let place = layer.first.saturating_add_unsigned(offset);
        if layer.exact {
            return Ok(place);
        }
        let counts = window.counts(place).unwrap_or_else(|| outside(place));
        let excess = score.energy(score.distance(counts) - layer.least);
        if BernoulliExp::new(&excess)?.draw(run.entropy())? {
            return Ok(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use throng_sample::SeededEntropy;

    use super::*;
    use crate::quantile::window::counted;
    use crate::{Clamp, Grid};

    fn clamp(lower: i64, upper: i64) -> Clamp {
        Clamp::new(&lower.into(), &upper.into(), Grid::WHOLE).unwrap()
    }

    fn target() -> impl Strategy<Value = Target> {
        let fraction =
            (0..=6_i128, 1..=6_i128).prop_map(|(p, s)| Target::Fraction { p: p.min(s), s });
        prop_oneof![
            fraction,
            (0..9_u64).prop_map(Target::Lowest),
            (0..9_u64).prop_map(Target::Highest),
            (0..=6_i128, 1..=6_i128, 0..9_u64, any::<bool>()).prop_map(|(p, s, margin, above)| {
                Target::End { p: p.min(s), s, margin, above }
            }),
        ]
    }

    proptest! {
        /// Layers are disjoint, cover the domain, and never promise a distance that is not kept:
        /// with that the law of the draw is exact, whatever they are.
        #[test]
        fn layers_cover_the_domain_and_bound_the_distance(
            rows in proptest::collection::vec(-9..9_i32, 0..60),
            target in target(),
            rate in prop_oneof![Just((1, 1_u32)), Just((1, 13)), Just((1, 200)), Just((30, 1))],
            reach in 0..40_u64,
        ) {
            let rows: Vec<f64> = rows.into_iter().map(f64::from).collect();
            let clamp = clamp(-7, 8);
            let rate = Rational::new(rate.0, rate.1).unwrap();
            let mut score = Score::new(&target, rows.len(), &rate, (-7, 8)).unwrap();
            score.reach = reach;
            let window = Window::around(&[&rows], clamp, score.ranks());
            let mut next = -7;
            for layer in layers(&window, &score) {
                prop_assert_eq!(layer.first, next);
                next = layer.last + 1;
                for y in layer.first..=layer.last {
                    let counts = counted(&[&rows], clamp, y);
                    prop_assert!(window.counts(y).is_none_or(|known| known == counts));
                    let distance = score.distance(counts);
                    prop_assert!(layer.least <= distance);
                    prop_assert!(!layer.exact || layer.least == distance);
                }
            }
            prop_assert_eq!(next, 9);
        }
    }

    /// With a reach of 0 nearly everything is outside: most points are drawn from two layers that
    /// are known by a bound only, and counted afterwards. Each frequency must be within 7 standard
    /// deviations of its chance (false alarm below 1e-9 in all, by Bernstein); the coin is often far
    /// from certain, so that leaving it out would be seen.
    #[test]
    fn points_outside_the_window_have_the_right_chance() {
        let rows: Vec<f64> = (0..12).map(|i| f64::from(i) - 3.0).collect();
        let (clamp, rate) = (clamp(-10, 20), Rational::new(1, 3_u32).unwrap());
        let target = Target::Fraction { p: 1, s: 2 };
        let mut score = Score::new(&target, rows.len(), &rate, (-10, 20)).unwrap();
        score.reach = 0;
        let window = Window::around(&[&rows], clamp, score.ranks());
        assert!(window.counts(-10).is_none() && window.counts(20).is_none());
        let weight = |y: i64| {
            let distance = score.distance(counted(&[&rows], clamp, y));
            #[expect(clippy::disallowed_methods, reason = "a test compares with plain numbers")]
            (-(score.energy(distance).to_f64_nearest())).exp()
        };
        let total: f64 = (-10..=20).map(weight).sum();
        let mut entropy = SeededEntropy::new(11);
        let mut run = Run::start(&mut entropy).unwrap();
        let runs = 40_000;
        let mut tally: BTreeMap<i64, f64> = BTreeMap::new();
        for _ in 0..runs {
            let place = draw(&window, &score, |y| counted(&[&rows], clamp, y), &mut run).unwrap();
            *tally.entry(place).or_default() += 1.0;
        }
        for y in -10..=20 {
            let expected = f64::from(runs) * weight(y) / total;
            let seen = tally.get(&y).copied().unwrap_or(0.0);
            let allowed = 7.0 * expected.sqrt() + 17.0;
            assert!((seen - expected).abs() <= allowed, "{y}: {seen} of {expected}");
        }
    }
}
