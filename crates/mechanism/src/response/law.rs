//! The law of the sum of two binomial variables.

use throng_numeric::{Enclosure, Rational};

use super::chance::{Chance, Split, of_count, within_unit};
use super::whole;
use crate::MechanismError;

/// Up to this many trials laws are written out, which takes about 30 standard deviations of terms.
pub(super) const MOST_TRIALS: u64 = 1 << 27;

/// Of every binomial law about this chance may be left out, on either side.
const TAIL: f64 = 1e-60;

/// Bin(m, a) + Bin(n, b): what independent reports add up to.
///
/// # Guarantee
/// Every enclosure holds the exact value; what is left out of the laws is accounted for.
#[derive(Debug, Clone)]
pub(super) struct SumOfBinomials {
    first: Binomial,
    second: Binomial,
}

impl SumOfBinomials {
    pub(super) fn new((m, a): (u64, Split), (n, b): (u64, Split)) -> Self {
        Self { first: Binomial::new(m, a), second: Binomial::new(n, b) }
    }

    /// P(sum = j).
    pub(super) fn mass(&self, j: u64) -> Enclosure {
        let out = self.second.outside;
        let of_second = |i: u64| match j.checked_sub(i) {
            None => Enclosure::ZERO,
            Some(rest) => self.second.at(rest).copied().unwrap_or(out),
        };
        self.weighed(of_second)
    }

    /// P(sum >= j).
    pub(super) fn at_least(&self, j: u64) -> Enclosure {
        let (start, out) = (self.second.start, self.second.outside);
        let mut tails = self.second.masses.clone();
        let mut sum = out;
        for mass in tails.iter_mut().rev() {
            sum = sum + *mass;
            *mass = sum;
        }
        let beyond = |i: u64| match j.checked_sub(i) {
            None | Some(0) => Enclosure::ONE,
            Some(rest) if rest < start => Enclosure::ONE - out,
            Some(rest) => place(&tails, rest - start).copied().unwrap_or(out),
        };
        self.weighed(beyond)
    }

    /// P(sum <= j).
    pub(super) fn at_most(&self, j: u64) -> Enclosure {
        let (start, out) = (self.second.start, self.second.outside);
        let mut heads = self.second.masses.clone();
        let mut sum = out;
        for mass in &mut heads {
            sum = sum + *mass;
            *mass = sum;
        }
        let up_to = |i: u64| match j.checked_sub(i) {
            None => Enclosure::ZERO,
            Some(rest) if rest < start => out,
            Some(rest) => place(&heads, rest - start).copied().unwrap_or(Enclosure::ONE - out),
        };
        self.weighed(up_to)
    }

    /// The mean of a function of the first variable with values in [0, 1].
    fn weighed(&self, of_second: impl Fn(u64) -> Enclosure) -> Enclosure {
        let terms = (self.first.start..).zip(&self.first.masses);
        let terms = terms.map(|(i, p)| *p * of_second(i));
        within_unit(terms.fold(self.first.outside, |sum, term| sum + term))
    }
}

fn place<T>(list: &[T], at: u64) -> Option<&T> {
    usize::try_from(at).ok().and_then(|at| list.get(at))
}

/// A binomial law around its mode.
#[derive(Debug, Clone)]
struct Binomial {
    /// The number of successes of the first mass.
    start: u64,
    masses: Vec<Enclosure>,
    /// [0, x] with x at least the chance of all that is left out.
    outside: Enclosure,
}

impl Binomial {
    /// # Why this is right
    /// Weights relative to about the mode are products of the exact ratios, rounded outward. These
    /// ratios fall on the way out, so all beyond the last weight w is at most w r/(1-r), r < 1
    /// the next ratio. The sum of all weights is that of those kept plus at most these two rests.
    fn new(n: u64, chance: Split) -> Self {
        if chance.no.upper() < chance.yes.lower() {
            return Self::new(n, chance.complement()).mirrored(n);
        }
        // Here the odds are at most about 1; an enclosure of a tiny chance may touch 0, but then
        // the mode is 0 and nothing is divided by them.
        let odds = chance.yes / chance.no;
        let mode = mode(n, chance.yes);
        let (mut masses, below) =
            walk(mode, |k| of_count(mode - k + 1) / (of_count(n - mode + k) * odds));
        let start = mode.saturating_sub(whole(masses.len()));
        masses.reverse();
        let (above, beyond) =
            walk(n - mode, |k| of_count(n - mode - k + 1) * odds / of_count(mode + k));
        masses.push(Enclosure::ONE);
        masses.extend(above);
        let kept = masses.iter().fold(Enclosure::ZERO, |sum, w| sum + *w);
        let all = kept + below + beyond;
        for mass in &mut masses {
            *mass = within_unit(*mass / all);
        }
        Self { start, masses, outside: within_unit((below + beyond) / all) }
    }

    /// The law of the failures.
    fn mirrored(mut self, n: u64) -> Self {
        self.masses.reverse();
        let last = self.start + whole(self.masses.len()).saturating_sub(1);
        Self { start: n.saturating_sub(last), ..self }
    }

    /// The chance of a number of successes, if it was kept.
    fn at(&self, successes: u64) -> Option<&Enclosure> {
        successes.checked_sub(self.start).and_then(|at| place(&self.masses, at))
    }
}

/// Weights 1, 2, ..., at most `most` steps from the mode, each `ratio` times the one before, until
/// the rest is small; and [0, x] with x at least that rest.
fn walk(most: u64, ratio: impl Fn(u64) -> Enclosure) -> (Vec<Enclosure>, Enclosure) {
    let (mut weights, mut weight) = (Vec::new(), Enclosure::ONE);
    for step in 1..=most {
        let factor = ratio(step);
        if factor.upper() < 1.0 {
            let rest = weight * factor / (Enclosure::ONE - factor);
            if rest.upper() <= TAIL {
                return (weights, rest.hull(Enclosure::ZERO));
            }
        }
        weight = weight * factor;
        weights.push(weight);
    }
    (weights, Enclosure::ZERO)
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
/// Enclosures of the exact law, accurate down to 1e-60. (The bound C(k, j) max{p, q}^j max{1-p, 1-q}^(k-j) in use for it is
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
    /// If p or q is not in [0, 1], or there are more than 2^27 bits.
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
