//! Which rates may belong to neighbours.

use std::collections::VecDeque;

use throng_numeric::Rational;
use throng_sample::Poisson;

use crate::MechanismError;

/// The rates μ1 < μ2 that no neighbours may be easier to tell apart than.
///
/// ```
/// use throng_mechanism::poisson::RatePair;
/// let pair = RatePair::new(1.into(), 2.into())?;
/// assert!(pair.admits(&5.into(), &6.into()));
/// assert!(!pair.admits(&5.into(), &7.into())); // too far apart
/// assert!(!pair.admits(&"1/4".parse()?, &1.into())); // the ratio is above 2
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatePair {
    low: Rational,
    high: Rational,
}

impl RatePair {
    /// The pair 0 < `mu1` < `mu2` <= 10^12.
    ///
    /// # Errors
    /// If it is not. A floor of 0 is no protection: a count above 0 would show the unit.
    pub fn new(mu1: Rational, mu2: Rational) -> Result<Self, MechanismError> {
        if !mu1.is_positive() {
            return Err(MechanismError::invalid("mu1", mu1, "above 0"));
        }
        if mu2 <= mu1 || mu2 > Rational::from(Poisson::MAX_RATE) {
            return Err(MechanismError::invalid("mu2", mu2, "above mu1 and at most 10^12"));
        }
        Ok(Self { low: mu1, high: mu2 })
    }

    /// μ1.
    #[must_use]
    pub const fn low(&self) -> &Rational {
        &self.low
    }

    /// μ2.
    #[must_use]
    pub const fn high(&self) -> &Rational {
        &self.high
    }

    /// Δ = μ2 - μ1.
    #[must_use]
    pub fn difference(&self) -> Rational {
        &self.high - &self.low
    }

    /// Whether counts of these two rates are no easier to tell apart than counts of the pair.
    ///
    /// # Guarantee
    /// Exact, both ways: see the module.
    #[must_use]
    pub fn admits(&self, a: &Rational, b: &Rational) -> bool {
        let (small, large) = if a < b { (a, b) } else { (b, a) };
        !small.is_negative()
            && large - small <= self.difference()
            && large * &self.low <= small * &self.high
    }

    /// Whether any two rates of a table at most `distance` places apart are admitted.
    ///
    /// # Why this is right
    /// Both conditions are worst for the largest and the smallest rate, and those of any window of
    /// distance + 1 places are at most `distance` apart; so it is enough to look at these two in
    /// every window.
    pub(super) fn admits_all(&self, rates: &[Rational], distance: u64) -> bool {
        let distance = usize::try_from(distance).unwrap_or(usize::MAX);
        let (mut largest, mut smallest) = (Record::new(), Record::new());
        rates.iter().enumerate().all(|(at, rate)| {
            let first = at.saturating_sub(distance);
            let most = largest.next(rates, at, first, |old| old <= rate);
            let least = smallest.next(rates, at, first, |old| old >= rate);
            most.zip(least).is_some_and(|(most, least)| self.admits(least, most))
        })
    }
}

/// The extreme rate of a window that slides along a table.
struct Record {
    /// Places in order, each more extreme than all after it.
    places: VecDeque<usize>,
}

impl Record {
    const fn new() -> Self {
        Self { places: VecDeque::new() }
    }

    /// The extreme of the places `first..=at`; `beaten` says that an older rate no longer counts.
    fn next<'a>(
        &mut self,
        rates: &'a [Rational],
        at: usize,
        first: usize,
        beaten: impl Fn(&Rational) -> bool,
    ) -> Option<&'a Rational> {
        while self.places.back().and_then(|place| rates.get(*place)).is_some_and(&beaten) {
            self.places.pop_back();
        }
        self.places.push_back(at);
        while self.places.front().is_some_and(|place| *place < first) {
            self.places.pop_front();
        }
        self.places.front().and_then(|place| rates.get(*place))
    }
}
