//! Randomised response: every unit reports its own answer, sometimes not the true one.
//!
//! [`RandomisedResponse`] is for bits and vectors of bits, [`KaryResponse`] for one of k answers
//! and vectors of them. What is released are the randomised answers of all units, in order; counts
//! with error bars are read off them ([`ReportedCount`]).
//!
//! # Relations
//! *Replace*: the number of units is public, one unit's answers are exchanged for others.
//! *ZeroOut*: an empty place answers 0 (`false`), so its neighbours are some of those of replace.
//! *AddRemove* is refused: the number of reports shows whether a unit is there.
//!
//! # Reference
//! S. L. Warner, *Randomized Response* (1965).

mod chance;
mod count;
mod kary;
mod law;
mod reports;
mod words;

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Rational};

pub use count::ReportedCount;
pub use kary::KaryResponse;
pub use law::FlipLaw;
pub use reports::{Answers, Reports};

use crate::replay::Observed;
use crate::{Mechanism, MechanismError, Run};
use chance::{Chance, Coin, Split};
use words::Words;

/// Randomised response on bits: a 0 is reported as 1 with chance p, a 1 as 0 with chance q.
///
/// The data is one slice: `width` bits per unit, unit by unit. Each bit is flipped on its own.
///
/// # Guarantee
/// Each bit is ε-private for ε = ln max{(1-p)/q, p/(1-q), q/(1-p), (1-q)/p}, and a unit's bits
/// together are described as `width` runs of one bit.
///
/// # Why this is right
/// Reports of different units and bits are independent, so on neighbours only the reports of one
/// unit differ in law, and they are a product. One bit is the pair of laws ((1-p, p), (q, 1-q)),
/// which for p = q is the leaf `randomized_response`. For p ≠ q it is not symmetric: a unit's
/// bits may change 0 to 1 in one place and 1 to 0 in another, so that the description must cover
/// both orders of the pair in every mix. The attacker's curve of one order has the corner (p, q),
/// of the other (q, p) (for p + q <= 1; else with 1-p and 1-q); the lower hull of both is the
/// curve of the symmetric pair (m, M-m, 1-M) and (1-M, M-m, m) with m = min, M = max, which is
/// therefore at least as telling as either. Alone it costs the same: its δ(ε) is the larger of the
/// two.
///
/// ```
/// use throng_mechanism::response::RandomisedResponse;
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let mechanism = RandomisedResponse::symmetric(&1.into(), 1, Neighbours::Replace)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::Replace)?;
/// let permit = budget.permit(&mechanism)?;
/// let smokes = Sensitive::new([true, false, false, true, false]);
/// let release = mechanism.run(smokes.as_slice(), permit, &mut OsEntropy)?;
/// let smokers = release.value().count(0);
/// println!("{} in {}", smokers.estimate()?, smokers.interval(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomisedResponse {
    /// Whether to flip a 0.
    of_zero: Coin,
    /// Whether to flip a 1.
    of_one: Coin,
    width: usize,
    spec: MechanismSpec,
    under: Neighbours,
}

impl RandomisedResponse {
    /// A 0 is reported as 1 with chance `p`, a 1 as 0 with chance `q`.
    ///
    /// # Errors
    /// If a chance is not in [0, 1], the width is 0, or the relation is add/remove.
    pub fn new(
        p: &Rational,
        q: &Rational,
        width: usize,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        probability("p", p)?;
        probability("q", q)?;
        let spec = of_unit(one_bit(p, q), width, under)?;
        let [of_zero, of_one] = [p, q].map(|chance| Coin::new(Chance::Exact(chance.clone())));
        Ok(Self { of_zero: of_zero?, of_one: of_one?, width, spec, under })
    }

    /// Each bit is epsilon-private: it is kept with chance e^ε/(1 + e^ε), exactly.
    ///
    /// # Errors
    /// If epsilon is negative, the width is 0, or the relation is add/remove.
    pub fn symmetric(
        epsilon: &Rational,
        width: usize,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        not_negative(epsilon)?;
        let spec = of_unit(Leaf::KaryResponse { k: 2, epsilon: epsilon.clone() }, width, under)?;
        let coin = Coin::new(Chance::Untrue { others: 1, epsilon: epsilon.clone() })?;
        Ok(Self { of_zero: coin.clone(), of_one: coin, width, spec, under })
    }

    /// How many bits a unit has.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// How many units it takes for an estimate of the *share* of ones that is within `within` of
    /// the truth but for a chance of `beta`.
    ///
    /// # Why this is right
    /// An unbiased estimate of one bit takes two values 1/|1-p-q| apart, so by Hoeffding's
    /// inequality the mean of n is off by more than t with a chance of at most
    /// 2 exp(-2 n t² (1-p-q)²).
    ///
    /// # Errors
    /// If `within` or `beta` is not above 0 (and beta below 1), if reports say nothing, or if no
    /// number of units is enough.
    pub fn units_needed(&self, within: f64, beta: f64) -> Result<u64, MechanismError> {
        if !(within > 0.0 && within.is_finite()) {
            return Err(MechanismError::invalid("the distance", within, "above 0"));
        }
        if !(beta > 0.0 && beta < 1.0) {
            return Err(MechanismError::invalid("beta", beta, "above 0 and below 1"));
        }
        let two = Enclosure::ONE + Enclosure::ONE;
        let odds = (two / Enclosure::point(beta)?).ln()?;
        let contrast = self.of_zero.chance().enclosed().no - self.of_one.chance().enclosed().yes;
        let reach = (Enclosure::point(within)? * contrast).square();
        let needed = (odds / (two * reach)).upper();
        let whole = Rational::from_f64(needed).ok().and_then(|n| u64::try_from(n.ceil()).ok());
        whole.ok_or_else(|| {
            MechanismError::invalid("the distance", within, "within reach of 2^64 units")
        })
    }

    /// The chance that a bit is reported as another.
    #[must_use]
    pub fn chance(&self, bit: bool, report: bool) -> Enclosure {
        let [hit, stray] = self.chances();
        let of_bit = if bit { hit } else { stray };
        if report { of_bit.yes } else { of_bit.no }
    }

    /// The chance to report a 1 of units with a 1, and of units with a 0.
    fn chances(&self) -> [Split; 2] {
        [self.of_one.chance().enclosed().complement(), self.of_zero.chance().enclosed()]
    }
}

impl Mechanism for RandomisedResponse {
    type Input = [bool];
    type Output = Reports;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        self.width == 1
    }

    fn answer(&self, input: &[bool], run: &mut Run<'_>) -> Result<Reports, MechanismError> {
        whole_units(input.len(), self.width)?;
        run.observe(|| Observed::drawn("randomised response"));
        let mut words = Words::new(run.entropy());
        let mut bits = Vec::with_capacity(input.len());
        for bit in input {
            let coin = if *bit { &self.of_one } else { &self.of_zero };
            bits.push(bit ^ coin.toss(&mut words)?);
        }
        let [hit, stray] = self.chances();
        Ok(Reports::new(bits, self.width, hit, stray))
    }
}

/// What one bit is described as.
fn one_bit(p: &Rational, q: &Rational) -> Leaf {
    if p == q {
        return Leaf::RandomisedResponse { p: p.clone(), q: q.clone() };
    }
    let (p, q) = if p + q > Rational::ONE {
        (Rational::ONE - p.clone(), Rational::ONE - q.clone())
    } else {
        (p.clone(), q.clone())
    };
    let (least, most) = if p < q { (p, q) } else { (q, p) };
    let middle = &most - &least;
    let rest = Rational::ONE - most;
    Leaf::Discrete {
        p: vec![least.clone(), middle.clone(), rest.clone()],
        q: vec![rest, middle, least],
    }
}

/// What the answers of one unit are described as.
fn of_unit(leaf: Leaf, width: usize, under: Neighbours) -> Result<MechanismSpec, MechanismError> {
    match under {
        Neighbours::Replace | Neighbours::ZeroOut => {}
        Neighbours::AddRemove => {
            return Err(MechanismError::refused(
                "the number of reports shows whether a unit is there",
                "use replace neighbours, or zero-out where an empty place answers 0",
            ));
        }
    }
    let times = whole(width);
    match times {
        0 => Err(MechanismError::invalid("the width", width, "at least 1")),
        1 => Ok(MechanismSpec::leaf(leaf)?),
        _ => Ok(MechanismSpec::repeated(times, MechanismSpec::leaf(leaf)?)?),
    }
}

fn whole(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

fn probability(name: &str, chance: &Rational) -> Result<(), MechanismError> {
    if chance.is_negative() || *chance > Rational::ONE {
        return Err(MechanismError::invalid(name, chance, "in [0, 1]"));
    }
    Ok(())
}

fn not_negative(epsilon: &Rational) -> Result<(), MechanismError> {
    if epsilon.is_negative() {
        return Err(MechanismError::invalid("epsilon", epsilon, "at least 0"));
    }
    Ok(())
}

/// The number of answers is public, so this refusal tells nothing.
fn whole_units(answers: usize, width: usize) -> Result<(), MechanismError> {
    if answers.is_multiple_of(width.max(1)) {
        return Ok(());
    }
    Err(MechanismError::invalid("the number of answers", answers, format!("a multiple of {width}")))
}
