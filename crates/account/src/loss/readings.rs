//! Everything else that is read off a privacy loss.

use throng_numeric::{Enclosure, Rational};

use crate::component::{Cut, End, compose, cut_parts};
use crate::conversion::gaussian;
use crate::filter::cost;
use crate::law::Law;
use crate::loss::{Direction, PrivacyLoss, Width, ends, kept};
use crate::pair::other_direction;
use crate::tradeoff::Tradeoff;
use crate::{AccountError, Bracket};

/// Mean and variance of the finite part of a privacy loss, and the chance of an infinite one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// The mean, given that the loss is finite: the KL divergence if it always is.
    pub mean: Bracket,
    /// The variance, given that the loss is finite.
    pub variance: Bracket,
    /// The chance of an infinite loss.
    pub infinite: Bracket,
}

/// How likely the loss is to fall between two values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Losses above this,
    pub from: f64,
    /// and not above this.
    pub to: f64,
    /// The chance, when the unit's world is the actual one.
    pub mass: Bracket,
}

/// Which trade-off curve.
#[derive(Clone, Copy)]
enum Curve {
    Both,
    One(Direction),
}

/// Knots of a tabulated trade-off curve on each side of epsilon = 0, if answers come quickly.
const KNOTS: u32 = 900;

/// Where a tabulated trade-off curve ends: lines beyond matter to nobody.
const NEGLIGIBLE: f64 = 1e-13;

impl PrivacyLoss {
    /// What an attacker cannot avoid: the rate of missed units at a rate of false alarms, the
    /// worse of both directions, as the convex curve that all of Throng's answers use.
    ///
    /// # Guarantee
    /// No test with this false-alarm rate misses fewer than the *lower* end.
    ///
    /// # Errors
    /// If the rate is not in [0, 1], or the work would be too large.
    pub fn miss_rate(&self, false_alarm: f64) -> Result<Bracket, AccountError> {
        self.miss_rate_on(Curve::Both, false_alarm)
    }

    /// [`PrivacyLoss::miss_rate`] in one direction: with [`Direction::Remove`] a false alarm is
    /// the claim that the unit is there when it is not.
    ///
    /// # Errors
    /// As there.
    pub fn miss_rate_in(
        &self,
        direction: Direction,
        false_alarm: f64,
    ) -> Result<Bracket, AccountError> {
        self.miss_rate_on(Curve::One(direction), false_alarm)
    }

    /// The promised curve as lines: for each (slope, intercept) an event of chance p in the world of
    /// false alarms has a chance of at most `slope` p + `intercept` in the other, either way round,
    /// or the way round that a direction says (as for [`PrivacyLoss::miss_rate_in`]).
    ///
    /// # Guarantee
    /// Each line is e^epsilon p + delta(epsilon) for some epsilon, both rounded up.
    ///
    /// # Errors
    /// If the work would be too large.
    pub fn power_lines(
        &self,
        direction: Option<Direction>,
    ) -> Result<Vec<(f64, f64)>, AccountError> {
        self.table(direction.map_or(Curve::Both, Curve::One)).map(Tradeoff::power_lines)
    }

    fn miss_rate_on(&self, curve: Curve, false_alarm: f64) -> Result<Bracket, AccountError> {
        if !(0.0..=1.0).contains(&false_alarm) {
            return Err(AccountError::invalid("alpha", false_alarm, "between 0 and 1"));
        }
        self.table(curve).map(|table| table.miss_rate(false_alarm))
    }

    fn table(&self, curve: Curve) -> Result<&Tradeoff, AccountError> {
        let [both, remove, add] = &self.curves;
        let cell = match curve {
            Curve::Both => both,
            Curve::One(Direction::Remove) => remove,
            Curve::One(Direction::Add) => add,
        };
        kept(cell, || self.tabulate(curve))
    }

    fn tabulate(&self, curve: Curve) -> Result<Tradeoff, AccountError> {
        let quick = self.is_quick();
        let width = if quick {
            Width { relative: 1e-6, absolute: 1e-8 }
        } else {
            Width { relative: 1e-3, absolute: 2e-6 }
        };
        let knots = if quick { KNOTS } else { KNOTS / 6 };
        let reach = |direction| -> Result<f64, AccountError> {
            let infinite = self.delta_within(direction, 700.0, width)?.upper();
            let epsilon =
                self.epsilon_in(direction, (2.0 * infinite).clamp(NEGLIGIBLE, 1.0))?.upper;
            Ok(epsilon.clamp(1e-6, 80.0))
        };
        // Where delta comes close to the chance of an infinite loss: the corner of an (epsilon, delta).
        let corners = |direction| -> Result<Vec<f64>, AccountError> {
            let infinite = self.delta_within(direction, 700.0, width)?.upper();
            let near = [1.5, 1.1, 1.01, 1.0001, 1.0 + 1e-9].map(|factor| factor * infinite);
            let near = near.into_iter().filter(|delta| infinite > NEGLIGIBLE && *delta < 1.0);
            near.map(|delta| Ok(self.epsilon_in(direction, delta)?.upper))
                .filter(|epsilon| !matches!(epsilon, Ok(epsilon) if *epsilon > 80.0))
                .collect()
        };
        let (left, right) = match curve {
            Curve::Both => {
                let reach = reach(Direction::Remove)?.max(reach(Direction::Add)?);
                (reach, reach)
            }
            Curve::One(direction) => (reach(direction.reversed())?, reach(direction)?),
        };
        let fractions = || (0..=knots).map(|k| f64::from(k) / f64::from(knots));
        let ask = |epsilon: f64| match curve {
            Curve::One(direction) => self.delta_within(direction, epsilon, width),
            Curve::Both => self.worse_within(epsilon, width),
        };
        let mut values = Vec::new();
        for t in fractions() {
            values.push((t * right, ask(t * right)?));
        }
        // Left of 0 the worse of both directions mirrors itself (there left = right).
        let positive: Vec<_> = values.iter().skip(1).map(|(_, delta)| *delta).collect();
        let mut mirrored = positive.into_iter();
        for t in fractions().skip(1) {
            let delta = match curve {
                Curve::One(_) => ask(-t * left)?,
                Curve::Both => {
                    let delta = mirrored.next().unwrap_or(Enclosure::UNIT);
                    other_direction(-t * left, delta)
                }
            };
            values.push((-t * left, delta));
        }
        let directions: &[Direction] = match &curve {
            Curve::One(direction) => std::slice::from_ref(direction),
            Curve::Both => &Direction::BOTH,
        };
        for direction in directions {
            for epsilon in corners(*direction)? {
                let delta = ask(epsilon)?;
                values.push((epsilon, delta));
                if matches!(curve, Curve::Both) {
                    values.push((-epsilon, other_direction(-epsilon, delta)));
                }
            }
        }
        if let Curve::One(direction) = curve {
            for epsilon in corners(direction.reversed())? {
                values.push((-epsilon, ask(-epsilon)?));
            }
        }
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        values.dedup_by(|a, b| a.0 == b.0);
        Tradeoff::of(&values)
    }

    /// delta(epsilon), the larger of both directions.
    fn worse_within(&self, epsilon: f64, width: Width) -> Result<Enclosure, AccountError> {
        let remove = self.delta_within(Direction::Remove, epsilon, width)?;
        if self.parts.iter().all(|part| part.component.is_symmetric()) {
            return Ok(remove);
        }
        Ok(remove.max(self.delta_within(Direction::Add, epsilon, width)?))
    }

    /// An upper bound, but for a chance of `delta`, on what an attacker who believed with chance
    /// `prior` that the unit is there can believe after seeing the output.
    ///
    /// # Guarantee
    /// With epsilon(delta) from above: prior / (prior + (1 - prior) e^-epsilon), rounded up. The
    /// exception of chance delta is over the mechanism's randomness, see
    /// [`crate::decomposition`].
    ///
    /// # Errors
    /// If a chance is not in [0, 1].
    pub fn posterior(&self, prior: f64, delta: f64) -> Result<f64, AccountError> {
        if !(0.0..=1.0).contains(&prior) {
            return Err(AccountError::invalid("prior", prior, "between 0 and 1"));
        }
        let epsilon = self.epsilon(delta)?.upper;
        if epsilon == f64::INFINITY || prior == 1.0 {
            return Ok(if prior == 0.0 { 0.0 } else { 1.0 });
        }
        let prior = Enclosure::point(prior)?;
        let rest = (Enclosure::ONE - prior) * (-Enclosure::point(epsilon)?).exp();
        Ok((prior / (prior + rest)).upper().clamp(0.0, 1.0))
    }

    /// The Renyi divergence of an order above 1, the larger of both directions.
    ///
    /// # Errors
    /// If the order is not above 1 and finite, or the work would be too large.
    pub fn renyi(&self, order: f64) -> Result<Bracket, AccountError> {
        let [remove, add] = Direction::BOTH.map(|direction| self.renyi_in(direction, order));
        Ok(remove?.max(add?))
    }

    /// The Renyi divergence of an order above 1 in one direction: K(a - 1)/(a - 1).
    ///
    /// # Errors
    /// As for [`PrivacyLoss::renyi`].
    pub fn renyi_in(&self, direction: Direction, order: f64) -> Result<Bracket, AccountError> {
        if !(order > 1.0 && order.is_finite()) {
            return Err(AccountError::invalid("order", order, "above 1 and finite"));
        }
        let c = order - 1.0;
        let scale = Enclosure::point(order)? - Enclosure::ONE;
        let ask = |end: End| -> Result<(Enclosure, Enclosure), AccountError> {
            let parts = cut_parts(&self.parts, Cut { cells: 4096, tilt: c.min(64.0), all: false })?;
            let (law, infinite) = compose(&parts, direction, end)?;
            Ok((law.log_moment(c)? / scale, infinite))
        };
        let (lower, infinite) = ask(End::Lower)?;
        if infinite.lower() > 0.0 {
            return Ok(Bracket { lower: f64::INFINITY, upper: f64::INFINITY });
        }
        let (upper, infinite) = ask(End::Upper)?;
        let mut top = if infinite.upper() > 0.0 { f64::INFINITY } else { upper.upper() };
        if let Some((spec, under)) = &self.source {
            let order = Rational::from_f64(order)?;
            if let Ok(bound) = cost::renyi(spec, *under, &order) {
                top = top.min(bound.to_f64_up());
            }
        }
        let lower = lower.lower().max(0.0).min(top);
        Ok(Bracket { lower, upper: top.max(0.0) })
    }

    /// The smallest rho for which the mechanism is rho-zCDP; infinite if there is none.
    ///
    /// # Guarantee
    /// The upper end is proved for *all* orders (it may exceed the best one where a part, such
    /// as sampled noise, is only bounded by its unsampled form); the lower end is the largest
    /// D_a / a over some orders.
    ///
    /// # Errors
    /// If the work would be too large.
    pub fn zcdp(&self) -> Result<Bracket, AccountError> {
        let upper = match &self.source {
            Some((spec, under)) => match cost::zcdp(spec, *under) {
                Ok(bound) if bound.delta.is_zero() => bound.rho.to_f64_up(),
                Ok(_) | Err(_) => f64::INFINITY,
            },
            None => f64::INFINITY,
        };
        let mut lower: f64 = 0.0;
        for order in [1.0625, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0] {
            lower = lower.max((self.renyi(order)?.lower / order).next_down());
        }
        Ok(Bracket { lower: lower.min(upper), upper })
    }

    /// The smallest mu for which the mechanism is mu-Gaussian-private; infinite if there is none.
    ///
    /// # Guarantee
    /// The upper end is proved for the whole curve; the lower end is the mu of the worst point
    /// among some.
    ///
    /// # Errors
    /// If the work would be too large.
    pub fn gdp(&self) -> Result<Bracket, AccountError> {
        let upper = match &self.source {
            Some((spec, under)) => cost::gdp(spec, *under).map_or(f64::INFINITY, |square| {
                Enclosure::of_rational(&square).sqrt().map_or(f64::INFINITY, Enclosure::upper)
            }),
            None => f64::INFINITY,
        };
        let mut lower: f64 = 0.0;
        for delta in [0.3, 0.1, 1e-2, 1e-4, 1e-6, 1e-9] {
            let epsilon = self.epsilon(delta)?.lower;
            if epsilon == f64::INFINITY {
                return Ok(Bracket { lower: f64::INFINITY, upper: f64::INFINITY });
            }
            if epsilon > 0.0 {
                let mu = gaussian::mu(Enclosure::point(epsilon)?, delta)?;
                lower = lower.max(mu.lower);
            }
        }
        Ok(Bracket { lower: lower.min(upper), upper })
    }

    /// Mean and variance of the loss in one direction.
    ///
    /// # Guarantee
    /// K = ln E e^(zL) is convex, so difference quotients on either side of 0 enclose the mean
    /// K'(0). For the second moment, x^2 <= 2 cosh x - 2, and x^2 is at least
    /// (16/3)(2 cosh(x/2) - 2) - (2 cosh x - 2)/3, whose power series is x^2 minus even powers.
    ///
    /// # Errors
    /// If the work would be too large.
    pub fn moments_in(&self, direction: Direction) -> Result<Moments, AccountError> {
        let parts = cut_parts(&self.parts, Cut { cells: 8192, tilt: 0.0, all: false })?;
        let (law, infinite) = compose(&parts, direction, End::Upper)?;
        let [_, mean, variance] = law.cumulants(0.0);
        let spread = (variance + mean * mean).sqrt().max(1e-9);
        let h = 1e-3 / spread.max(1e-3);
        let at = |c: f64| law.log_moment(c);
        let base = at(0.0)?;
        let step = Enclosure::point(h)?;
        let mean =
            Enclosure::new(((base - at(-h)?) / step).lower(), ((at(h)? - base) / step).upper())?;
        // 2 cosh: E e^(hL) + E e^(-hL) - 2, over the mass.
        let bump = |h: f64| -> Result<Enclosure, AccountError> {
            Ok((at(h)? - base).expm1() + (at(-h)? - base).expm1())
        };
        let (whole, half) = (bump(h)?, bump(h / 2.0)?);
        let third = Enclosure::ONE / Enclosure::point(3.0)?;
        let least = Enclosure::point(16.0)? * third * half - third * whole;
        let square = step.square();
        let second = Enclosure::new(
            (least / square).lower().max(0.0).min((whole / square).upper()),
            (whole / square).upper().max(0.0),
        )?;
        let variance = (second - mean.square()).max(Enclosure::ZERO);
        Ok(Moments { mean: ends(mean), variance: ends(variance), infinite: ends(infinite) })
    }

    /// The law of the loss in one direction, in cells of equal width.
    ///
    /// # Guarantee
    /// The slope of H(gamma) at gamma = e^x is -Q(L > x), and H is convex, so its chords on both
    /// sides enclose Q(L > x), and P(L > x) = H + gamma Q(L > x).
    ///
    /// # Errors
    /// If the number of cells is not from 1 to 10000, or the work would be too large.
    pub fn histogram_in(
        &self,
        direction: Direction,
        cells: usize,
    ) -> Result<Vec<Cell>, AccountError> {
        let count = match u16::try_from(cells) {
            Ok(count @ 1..=10_000) => f64::from(count),
            Ok(_) | Err(_) => {
                return Err(AccountError::invalid("cells", cells, "from 1 to 10000"));
            }
        };
        let moments = self.moments_in(direction)?;
        let spread = moments.variance.upper.sqrt().max(1e-9);
        let middle = (moments.mean.lower + moments.mean.upper) / 2.0;
        let (from, to) = (middle - 5.0 * spread, middle + 5.0 * spread);
        let cell = (to - from) / count;
        let mut edges = Vec::with_capacity(cells + 1);
        let mut edge = 0.0;
        while edges.len() <= cells {
            let x = from + edge * cell;
            edges.push((x, self.tail_in(direction, x, cell * 1e-2)?));
            edge += 1.0;
        }
        Ok(edges
            .windows(2)
            .filter_map(|pair| Some((pair.first()?, pair.last()?)))
            .map(|((a, above), (b, beyond))| {
                let mass = (*above - *beyond).max(Enclosure::ZERO);
                Cell { from: *a, to: *b, mass: ends(mass) }
            })
            .collect())
    }

    /// P(L > x), from chords of length about h.
    fn tail_in(&self, direction: Direction, x: f64, h: f64) -> Result<Enclosure, AccountError> {
        let width = Width { relative: 1e-7, absolute: 1e-12 };
        let height = |x: f64| self.delta_within(direction, x, width);
        let gamma = |x: f64| Enclosure::point(x).map(Enclosure::exp);
        let (low, here, high) = (height(x - h)?, height(x)?, height(x + h)?);
        let (g_low, g, g_high) = (gamma(x - h)?, gamma(x)?, gamma(x + h)?);
        let flat = (here - high) / (g_high - g);
        let steep = (low - here) / (g - g_low);
        let tail = Enclosure::new(
            flat.lower().max(0.0).min(steep.upper().max(0.0)),
            steep.upper().max(0.0),
        )?;
        Ok((here + g * tail).max(Enclosure::ZERO).min(Enclosure::ONE))
    }
}
