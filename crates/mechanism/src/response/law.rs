//! The law of the sum of two binomial variables.

use throng_numeric::{Enclosure, Rational};

use super::chance::{Chance, Split, of_count, within_unit};
use crate::MechanismError;

/// Up to this many trials laws are written out; beyond, see [`super::ReportedCount::interval`].
pub(super) const MOST_TRIALS: u64 = 100_000;

/// Bin(m, a) + Bin(n, b): what independent reports add up to.
///
/// # Guarantee
/// Every enclosure holds the exact value. Weights are products of exact ratios, rounded outward,
/// from the mode on; the normaliser is the sum of *all* weights, so nothing is cut off.
#[derive(Debug, Clone)]
pub(super) struct SumOfBinomials {
    first: Vec<Enclosure>,
    second: Vec<Enclosure>,
}

impl SumOfBinomials {
    pub(super) fn new((m, a): (u64, Split), (n, b): (u64, Split)) -> Self {
        Self { first: binomial(m, a), second: binomial(n, b) }
    }

    /// P(sum = j).
    pub(super) fn mass(&self, j: u64) -> Enclosure {
        let j = usize::try_from(j).unwrap_or(usize::MAX);
        let of_second = |i: usize| j.checked_sub(i).and_then(|rest| self.second.get(rest));
        let terms = self.first.iter().enumerate();
        let terms = terms.filter_map(|(i, p)| of_second(i).map(|q| *p * *q));
        within_unit(terms.fold(Enclosure::ZERO, |sum, term| sum + term))
    }

    /// P(sum >= j).
    pub(super) fn at_least(&self, j: u64) -> Enclosure {
        let j = usize::try_from(j).unwrap_or(usize::MAX);
        let mut tails = self.second.clone();
        for i in (1..tails.len()).rev() {
            tails[i - 1] = tails[i - 1] + tails[i];
        }
        let beyond = |i: usize| match j.checked_sub(i) {
            None | Some(0) => Enclosure::ONE,
            Some(rest) => tails.get(rest).copied().unwrap_or(Enclosure::ZERO),
        };
        self.weighed(beyond)
    }

    /// P(sum <= j).
    pub(super) fn at_most(&self, j: u64) -> Enclosure {
        let j = usize::try_from(j).unwrap_or(usize::MAX);
        let mut heads = self.second.clone();
        for i in 1..heads.len() {
            heads[i] = heads[i] + heads[i - 1];
        }
        let up_to = |i: usize| match j.checked_sub(i) {
            None => Enclosure::ZERO,
            Some(rest) => heads.get(rest).copied().unwrap_or(Enclosure::ONE),
        };
        self.weighed(up_to)
    }

    fn weighed(&self, of_second: impl Fn(usize) -> Enclosure) -> Enclosure {
        let terms = self.first.iter().enumerate().map(|(i, p)| *p * of_second(i));
        within_unit(terms.fold(Enclosure::ZERO, |sum, term| sum + term))
    }
}

/// The chances of 0, 1, ..., n successes.
fn binomial(n: u64, chance: Split) -> Vec<Enclosure> {
    if chance.no.upper() < chance.yes.lower() {
        let mut failures = binomial(n, chance.complement());
        failures.reverse();
        return failures;
    }
    // Here the odds are at most about 1; an enclosure of a tiny chance may touch 0, but then the
    // mode is 0 and nothing is divided by them.
    let odds = chance.yes / chance.no;
    let mode = mode(n, chance.yes);
    let mut weights = vec![Enclosure::ONE];
    let mut weight = Enclosure::ONE;
    for k in (1..=mode).rev() {
        weight = weight * of_count(k) / (of_count(n - k + 1) * odds);
        weights.push(weight);
    }
    weights.reverse();
    weight = Enclosure::ONE;
    for k in mode..n {
        weight = weight * of_count(n - k) * odds / of_count(k + 1);
        weights.push(weight);
    }
    let sum = weights.iter().fold(Enclosure::ZERO, |sum, w| sum + *w);
    weights.into_iter().map(|w| within_unit(w / sum)).collect()
}

/// About where the weights are largest; it only has to be about right.
fn mode(n: u64, chance: Enclosure) -> u64 {
    let place = Rational::from_f64(chance.lower()).map(|p| (p * Rational::from(n)).floor());
    place.ok().and_then(|k| u64::try_from(k).ok()).unwrap_or(0).min(n)
}

/// The law of how many of `zeros` zeros and `ones` ones are reported wrongly:
/// Bin(zeros, p) + Bin(ones, q).
///
/// # Guarantee
/// Exact laws in enclosures. (The bound C(k, j) max{p, q}^j max{1-p, 1-q}^(k-j) in use for it is
/// right but loose for p ≠ q.)
///
/// ```
/// use throng_mechanism::response::FlipLaw;
/// let law = FlipLaw::new(2, 1, &"1/4".parse()?, &"1/2".parse()?)?;
/// assert!(law.mass(0).contains(0.28125)); // 3/4 3/4 1/2
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FlipLaw {
    sum: SumOfBinomials,
}

impl FlipLaw {
    /// The law for that many zeros and ones.
    ///
    /// # Errors
    /// If p or q is not in [0, 1], or there are more than 100 000 bits.
    pub fn new(zeros: u64, ones: u64, p: &Rational, q: &Rational) -> Result<Self, MechanismError> {
        super::probability("p", p)?;
        super::probability("q", q)?;
        if zeros.saturating_add(ones) > MOST_TRIALS {
            let allowed = format!("at most {MOST_TRIALS}");
            return Err(MechanismError::invalid("the number of bits", zeros.max(ones), allowed));
        }
        let [p, q] = [p, q].map(|chance| Chance::Exact(chance.clone()).enclosed());
        Ok(Self { sum: SumOfBinomials::new((zeros, p), (ones, q)) })
    }

    /// The chance of exactly `flips`.
    #[must_use]
    pub fn mass(&self, flips: u64) -> Enclosure {
        self.sum.mass(flips)
    }

    /// The chance of `flips` or more.
    #[must_use]
    pub fn at_least(&self, flips: u64) -> Enclosure {
        self.sum.at_least(flips)
    }

    /// The chance of `flips` or fewer.
    #[must_use]
    pub fn at_most(&self, flips: u64) -> Enclosure {
        self.sum.at_most(flips)
    }
}
