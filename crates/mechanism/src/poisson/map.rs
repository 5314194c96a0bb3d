//! From counts to rates.

use std::sync::Arc;

use throng_numeric::{Enclosure, Rational};
use throng_sample::Poisson;

use super::RatePair;
use crate::MechanismError;

/// The most places a table of rates may have.
const MOST_PLACES: u64 = 1 << 20;

/// The rate λ(n) at which a statistic n = 0, 1, 2, ... is released.
///
/// # Guarantee
/// For statistics that move by at most `distance` = w on neighbours, any two rates at most w apart
/// are admitted by the pair ([`RatePair::admits`]): exactly, for the rationals that are drawn with.
///
/// | map | λ(n) | best for |
/// |---|---|---|
/// | [`RateMap::linear`] | μ1 + Δn/w | the default; unbiased |
/// | [`RateMap::hybrid`] | steepest possible around a public guess | statistics near the guess |
/// | [`RateMap::slide`] | μ2 ρ^((n-G)/w) | statistics near their bound G |
/// | [`RateMap::decreasing`] | μ2 ρ^(-n/w) | statistics near 0 |
/// | [`RateMap::stated`] | any monotone table | |
///
/// Statistics below 0 count as 0, those above [`RateMap::largest`] as that: a clamp moves no two
/// values apart, so the guarantee is unchanged. No rate exceeds 10^12.
///
/// # Why this is right
/// *Linear*: w apart the difference is Δ and the ratio 1 + Δ/λ <= 1 + Δ/μ1 = ρ. *The others*: one
/// period of w rates μ1 = b_0 <= b_1 <= ... <= μ2 (ideally μ1 ρ^(r/w), rounded) is continued
/// upwards by adding Δ, which is the linear argument, and downwards by λ(n) = λ(n+w)/ρ, rounded
/// up but never above λ(n+1): then the ratio is at most ρ and the difference at most
/// λ(n+w)(1 - 1/ρ) <= μ2 (1 - 1/ρ) = Δ. Rates are monotone, so nearer pairs are nearer. Tables are
/// checked again, window by window, as they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateMap {
    pair: RatePair,
    distance: u64,
    shape: Shape,
    largest: u64,
}

/// What a map looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Linear,
    /// `rates` up to anchor + w - 1, then period after period Δ higher.
    Hybrid {
        anchor: u64,
        rates: Arc<[Rational]>,
    },
    Slide(Arc<[Rational]>),
    Decreasing(Arc<[Rational]>),
    Stated(Arc<[Rational]>),
}

impl RateMap {
    /// μ1 + Δn/w, for statistics without a bound.
    ///
    /// # Errors
    /// If the distance is 0.
    pub fn linear(pair: RatePair, distance: u64) -> Result<Self, MechanismError> {
        at_least_one(distance)?;
        let largest = steps_up(&pair, pair.low(), distance)?;
        Ok(Self { pair, distance, shape: Shape::Linear, largest })
    }

    /// Anchored at a public guess a: with t = (n-a)/w, μ1 ρ^t below, ⌊t⌋Δ + μ1 ρ^(t-⌊t⌋) above.
    ///
    /// # Errors
    /// If the distance is 0, or the guess and the distance exceed 2^20.
    pub fn hybrid(pair: RatePair, distance: u64, anchor: u64) -> Result<Self, MechanismError> {
        at_least_one(distance)?;
        at_most_places("the guess and the distance", anchor.saturating_add(distance))?;
        let rates = ladder(&pair, distance, period(&pair, distance)?, anchor)?;
        check(&pair, distance, &rates)?;
        // n - a < periods w: the rate is below periods Δ + μ2.
        let above = steps_up(&pair, pair.high(), 1)?.saturating_mul(distance);
        let largest = anchor.saturating_add(above);
        let shape = Shape::Hybrid { anchor, rates: rates.into() };
        Ok(Self { pair, distance, shape, largest })
    }

    /// μ2 ρ^((n-G)/w), for statistics of at most G = `largest`.
    ///
    /// # Errors
    /// If the distance is 0, or it or the bound exceeds 2^20.
    pub fn slide(pair: RatePair, distance: u64, largest: u64) -> Result<Self, MechanismError> {
        let rates = slide(&pair, distance, largest)?;
        Ok(Self { pair, distance, shape: Shape::Slide(rates.into()), largest })
    }

    /// μ2 ρ^(-n/w), for statistics of at most `largest`.
    ///
    /// # Errors
    /// If the distance is 0, or it or the bound exceeds 2^20.
    pub fn decreasing(pair: RatePair, distance: u64, largest: u64) -> Result<Self, MechanismError> {
        let mut rates = slide(&pair, distance, largest)?;
        rates.reverse();
        Ok(Self { pair, distance, shape: Shape::Decreasing(rates.into()), largest })
    }

    /// The rates of 0, 1, 2, ..., up to a bound, as given.
    ///
    /// # Errors
    /// If they are none or more than 2^20, not monotone, above 10^12, or if two rates at most the
    /// distance apart are not admitted by the pair: then they would tell more than it.
    pub fn stated(
        pair: RatePair,
        distance: u64,
        rates: Vec<Rational>,
    ) -> Result<Self, MechanismError> {
        at_least_one(distance)?;
        let places = u64::try_from(rates.len()).unwrap_or(u64::MAX);
        at_most_places("the number of rates", places)?;
        let Some(largest) = places.checked_sub(1) else {
            return Err(MechanismError::invalid("the number of rates", 0, "at least 1"));
        };
        if !rates.is_sorted() && !rates.iter().rev().is_sorted() {
            return Err(MechanismError::refused(
                "the rates neither rise nor fall throughout",
                "use a monotone map: from others nothing can be read off",
            ));
        }
        check(&pair, distance, &rates)?;
        Ok(Self { pair, distance, shape: Shape::Stated(rates.into()), largest })
    }

    /// The rate of a statistic; beyond the largest, that of the largest.
    #[must_use]
    pub fn rate(&self, n: u64) -> Rational {
        let n = n.min(self.largest);
        match &self.shape {
            Shape::Linear => self.pair.low() + &times(&self.pair.difference(), n, self.distance),
            Shape::Hybrid { anchor, rates } => {
                // Whole periods above the one that the table ends with.
                let up = n.saturating_sub(*anchor) / self.distance.max(1);
                let place = n.saturating_sub(up.saturating_mul(self.distance));
                at(rates, place) + times(&self.pair.difference(), up, 1)
            }
            Shape::Slide(rates) | Shape::Decreasing(rates) | Shape::Stated(rates) => at(rates, n),
        }
    }

    /// Whether larger statistics have larger rates (or equal ones throughout).
    #[must_use]
    pub fn rises(&self) -> bool {
        self.rate(0) <= self.rate(self.largest)
    }

    /// The largest statistic; larger ones count as this.
    #[must_use]
    pub const fn largest(&self) -> u64 {
        self.largest
    }

    /// How far a statistic may move on neighbours.
    #[must_use]
    pub const fn distance(&self) -> u64 {
        self.distance
    }

    /// The pair that no neighbours are easier to tell apart than.
    #[must_use]
    pub const fn pair(&self) -> &RatePair {
        &self.pair
    }

    pub(super) const fn shape(&self) -> &Shape {
        &self.shape
    }
}

fn at_least_one(distance: u64) -> Result<(), MechanismError> {
    if distance == 0 {
        return Err(MechanismError::invalid("the distance", distance, "at least 1"));
    }
    Ok(())
}

fn at_most_places(name: &str, places: u64) -> Result<(), MechanismError> {
    if places > MOST_PLACES {
        return Err(MechanismError::invalid(name, places, format!("at most {MOST_PLACES}")));
    }
    Ok(())
}

/// x n/d.
fn times(x: &Rational, n: u64, d: u64) -> Rational {
    Rational::new(n, d.max(1)).map_or(Rational::ZERO, |share| x * &share)
}

fn at(rates: &[Rational], place: u64) -> Rational {
    let place = usize::try_from(place).ok().and_then(|place| rates.get(place));
    // Every place is in the table; were it not, a rate of 0 would say nothing.
    place.or(rates.last()).cloned().unwrap_or(Rational::ZERO)
}

/// How many steps of Δ/w fit between a rate and the largest rate there is.
fn steps_up(pair: &RatePair, from: &Rational, w: u64) -> Result<u64, MechanismError> {
    let room = Rational::from(Poisson::MAX_RATE) - from.clone();
    let steps = (room * Rational::from(w)).checked_div(&pair.difference())?.floor();
    Ok(u64::try_from(steps).unwrap_or(u64::MAX))
}

/// μ1 ρ^(r/w) for r = 0, ..., w-1, as rationals that rise from μ1 to at most μ2.
fn period(pair: &RatePair, w: u64) -> Result<Vec<Rational>, MechanismError> {
    let ratio = Enclosure::of_rational(&pair.high().checked_div(pair.low())?).ln()?;
    let mut rates = vec![pair.low().clone()];
    for r in 1..w {
        let growth = (ratio * Enclosure::of_rational(&Rational::new(r, w)?)).exp();
        let ideal = (Enclosure::of_rational(pair.low()) * growth).upper();
        let before = rates.last().unwrap_or(pair.low());
        let rate = Rational::from_f64(ideal)?.min(pair.high().clone()).max(before.clone());
        rates.push(rate);
    }
    Ok(rates)
}

/// A period continued downwards by `down` places.
fn ladder(
    pair: &RatePair,
    w: u64,
    mut period: Vec<Rational>,
    down: u64,
) -> Result<Vec<Rational>, MechanismError> {
    let w = usize::try_from(w).unwrap_or(usize::MAX);
    period.reverse(); // from the top down
    let mut rates = period;
    for _ in 0..down {
        let above = rates.get(rates.len().saturating_sub(w)).unwrap_or(pair.low());
        let ideal = (above * pair.low()).checked_div(pair.high())?;
        let rate = Rational::from_f64(ideal.to_f64_up())?;
        let next = rates.last().map_or_else(|| rate.clone(), |next| rate.clone().min(next.clone()));
        rates.push(next);
    }
    rates.reverse();
    Ok(rates)
}

/// μ2 ρ^((n-G)/w) for n = 0, ..., G.
fn slide(pair: &RatePair, w: u64, largest: u64) -> Result<Vec<Rational>, MechanismError> {
    at_least_one(w)?;
    at_most_places("the distance", w)?;
    at_most_places("the largest statistic", largest)?;
    let mut top = period(pair, w)?;
    top.remove(0);
    top.push(pair.high().clone()); // the w places up to G
    let places = usize::try_from(largest).unwrap_or(usize::MAX).saturating_add(1);
    let down = (largest + 1).saturating_sub(w);
    let rates = ladder(pair, w, top, down)?;
    let rates = rates.get(rates.len().saturating_sub(places)..).unwrap_or(&[]).to_vec();
    check(pair, w, &rates)?;
    Ok(rates)
}

fn check(pair: &RatePair, w: u64, rates: &[Rational]) -> Result<(), MechanismError> {
    let most = Rational::from(Poisson::MAX_RATE);
    if let Some(rate) = rates.iter().find(|rate| **rate > most || rate.is_negative()) {
        return Err(MechanismError::invalid("a rate", rate, "between 0 and 10^12"));
    }
    if pair.admits_all(rates, w) {
        return Ok(());
    }
    Err(MechanismError::refused(
        format!("rates {w} apart or less tell more than {} and {}", pair.low(), pair.high()),
        "neighbouring rates may differ by at most mu2 - mu1, and by a factor of at most mu2/mu1",
    ))
}
