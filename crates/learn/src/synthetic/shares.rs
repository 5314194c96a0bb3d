//! How the budget of a synthetic table is shared.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_mechanism::{Grid, Noise};
use throng_numeric::{Enclosure, Rational};

use crate::histogram::{gaussian, moved};
use crate::marginals::described;
use crate::{LearnError, Privacy};

/// Shares of the counts of columns, the choice of pairs, and the counts of pairs.
pub(super) struct Shares {
    pub(super) columns: usize,
    pub(super) one: u32,
    pub(super) choice: u32,
    pub(super) two: u32,
}

/// The noise on the counts of columns, the epsilon of each choice, the noise on the counts of pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parts {
    pub(super) single: Noise,
    pub(super) choice: Option<Rational>,
    pub(super) pair: Option<Noise>,
    pub(super) spec: MechanismSpec,
}

/// By how many thousandths Gaussian noise is larger than its share asks for: room for the rounding of
/// the accountant.
const LARGER: u32 = 1003;

/// The epsilon of a choice is a multiple of one part in so many of the one whose variance is its share.
const STEPS: u32 = 64;

impl Shares {
    /// What reaches a target, certified.
    pub(super) fn parts(&self, privacy: &Privacy) -> Result<Parts, LearnError> {
        if let Some(epsilon) = privacy.epsilon_if_pure()? {
            let parts = self.pure(&epsilon, privacy.neighbours())?;
            privacy.certify(&parts.spec)?;
            return Ok(parts);
        }
        let all = self.gaussian(privacy, STEPS)?;
        match privacy.certify(&all.spec) {
            Err(error) if self.columns > 1 && !error.is_interruption() => self.lowered(privacy),
            reached => reached.map(|()| all),
        }
    }

    /// The largest epsilon of a choice with which the target is certified, by halving: what a choice costs
    /// beyond Gaussian noise of its variance depends on the target. A few of them cost hardly more
    /// in (epsilon, delta), two and a half times as much in mu.
    fn lowered(&self, privacy: &Privacy) -> Result<Parts, LearnError> {
        let mut found = None;
        let (mut low, mut high) = (0, STEPS);
        while high - low > 1 {
            let step = u32::midpoint(low, high);
            let parts = self.gaussian(privacy, step)?;
            match privacy.certify(&parts.spec) {
                Ok(()) => {
                    low = step;
                    found = Some(parts);
                }
                Err(error) if error.is_interruption() => return Err(error),
                Err(_) => high = step,
            }
        }
        found.ok_or_else(|| {
            LearnError::refused(
                "no choice of pairs of columns is known to reach the target",
                "ask for more shares for the choice, or give a target of epsilon and delta",
            )
        })
    }

    fn number(&self) -> u32 {
        u32::try_from(self.columns).unwrap_or(u32::MAX)
    }

    /// Epsilons that add up.
    fn pure(&self, epsilon: &Rational, under: Neighbours) -> Result<Parts, LearnError> {
        let cells = moved(under)?;
        let noise = |epsilon: &Rational| Noise::pure_per_cell(epsilon, &cells, Grid::WHOLE);
        if self.columns == 1 {
            return self.described(noise(epsilon)?, None);
        }
        let whole = Rational::from(self.one + self.choice + self.two);
        let of = |share: u32, times: u32| {
            (epsilon * &Rational::from(share)).checked_div(&(&whole * &Rational::from(times)))
        };
        let edges = self.number() - 1;
        let single = noise(&of(self.one, self.number())?)?;
        let pair = noise(&of(self.two, edges)?)?;
        self.described(single, Some((of(self.choice, edges)?, pair)))
    }

    /// Shares of the square of mu. A choice of range ε has a loss of variance ε²/4 at most, like
    /// Gaussian noise of μ = ε/2; as it is not Gaussian, it may have to be lowered to `step` parts of
    /// [`STEPS`].
    fn gaussian(&self, privacy: &Privacy, step: u32) -> Result<Parts, LearnError> {
        let cells = moved(privacy.neighbours())?.l2()?;
        let alone = privacy.gaussian()?;
        if self.columns == 1 {
            return self.described(gaussian(&alone.multiplier(1, 1)?, &cells)?, None);
        }
        let (columns, edges) = (self.number(), self.number() - 1);
        let whole = self.one + self.choice + self.two;
        let square = alone.multiplier(self.choice, whole)?.square() * Rational::from(edges);
        let epsilon = Enclosure::of_rational(&Rational::from(4).checked_div(&square)?).sqrt()?;
        let epsilon = Rational::from_f64(epsilon.lower())? * Rational::new(step, STEPS)?;
        let (epsilon, unit) = digits(&epsilon)?;
        let choice = Rational::from(epsilon.floor()) * unit;
        let larger = Rational::new(LARGER, 1000_u32)?;
        let noise = |share: u32, tables: u32| {
            let square = alone.multiplier(share, whole)?.square() * Rational::from(tables);
            let root = Rational::from_f64(Enclosure::of_rational(&square).sqrt()?.upper())?;
            let (sigma, unit) = digits(&(&root * &larger))?;
            gaussian(&(Rational::from(sigma.ceil()) * unit), &cells)
        };
        let pair = noise(self.two, edges)?;
        self.described(noise(self.one, columns)?, Some((choice, pair)))
    }

    fn described(
        &self,
        single: Noise,
        tree: Option<(Rational, Noise)>,
    ) -> Result<Parts, LearnError> {
        let edges = self.columns - 1;
        let columns = std::iter::repeat_n(&single, self.columns);
        let Some((choice, pair)) = tree else {
            let spec = described(columns)?;
            return Ok(Parts { single, choice: None, pair: None, spec });
        };
        let counts = described(columns.chain(std::iter::repeat_n(&pair, edges)))?;
        let leaf = MechanismSpec::leaf(Leaf::Exponential { epsilon: choice.clone() })?;
        let chosen = MechanismSpec::repeated(u64::try_from(edges).unwrap_or(u64::MAX), leaf)?;
        let spec = MechanismSpec::composed(vec![counts, chosen])?;
        Ok(Parts { single, choice: Some(choice), pair: Some(pair), spec })
    }
}

/// A number as a multiple of a power of ten, with six digits or more before the point.
fn digits(x: &Rational) -> Result<(Rational, Rational), LearnError> {
    let mut unit = Rational::ONE;
    while x.is_positive() && unit > x * &Rational::new(1, 100_000_u32)? {
        unit = unit * Rational::new(1, 10_u32)?;
    }
    Ok((x.checked_div(&unit)?, unit))
}
