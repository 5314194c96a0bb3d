//! What a mechanism costs, in each currency: an exact rational that is never too small.
//!
//! One walk over the spec serves all currencies; a currency says what a leaf costs and
//! how costs combine. What a currency cannot express is refused, never guessed.
//!
//! # What the walk assumes
//! * A leaf that states a guarantee, and a leaf without a sensitivity, states it for the relation
//!   in force.
//! * Mechanisms with a `bound` (truncated noise) release one number, not a vector.
//! * Leaves that add noise to contributions are known under *every* relation: a unit that is absent
//!   moves the value no further than one that is exchanged. Only for them does sampling hide a
//!   unit under replace or zero-out, and only they may be parts between which a unit moves.
//! * The number of users who report to a shuffler is public.

mod approximate;
mod gdp;
mod grouped;
mod leaf;
mod pure;
mod relation;
mod renyi;
mod zcdp;

pub use approximate::{Approximate, approximate, approximate_at};
pub use gdp::gdp;
pub use pure::pure;
pub use renyi::renyi;
pub use zcdp::{Concentrated, zcdp};

use throng_numeric::Rational;

use crate::{AccountError, Leaf, MechanismSpec, Neighbours};
use grouped::grouped;
use relation::is_additive;

/// How one notion of privacy prices mechanisms and puts prices together.
trait Currency: Sized {
    /// A price; every component is an upper bound.
    type Cost: Clone;

    /// The price of what reveals nothing.
    fn nothing(&self) -> Self::Cost;

    /// The price of a leaf.
    fn leaf(&self, leaf: &Leaf, under: Neighbours) -> Result<Self::Cost, AccountError>;

    /// The price of both, adaptively chosen.
    fn both(&self, a: &Self::Cost, b: &Self::Cost) -> Self::Cost;

    /// The price of `n` in a row.
    fn times(&self, n: u64, cost: &Self::Cost) -> Self::Cost;

    /// A price that covers either.
    fn either(&self, a: &Self::Cost, b: &Self::Cost) -> Self::Cost;

    /// The price of a public random choice; chances sum to 1.
    fn mixed(&self, parts: &[(Rational, Self::Cost)]) -> Result<Self::Cost, AccountError>;

    /// The price when each unit takes part with chance `rate`. `amplified` says that a unit left
    /// out is as good as a neighbour, so that sampling hides it.
    fn sampled(
        &self,
        rate: &Rational,
        inner: &MechanismSpec,
        under: Neighbours,
        amplified: bool,
    ) -> Result<Self::Cost, AccountError>;

    /// The price for `size` >= 2 units changed together, from the guarantee for one.
    fn group(
        &self,
        size: u64,
        inner: &MechanismSpec,
        under: Neighbours,
    ) -> Result<Self::Cost, AccountError>;
}

/// The one walk over a spec.
fn fold<C: Currency>(
    currency: &C,
    spec: &MechanismSpec,
    under: Neighbours,
) -> Result<C::Cost, AccountError> {
    match spec {
        MechanismSpec::Leaf(leaf) => {
            on_the_grid(leaf, under)?;
            currency.leaf(leaf, under)
        }
        MechanismSpec::Composed(parts) => {
            let mut total = currency.nothing();
            for part in parts {
                total = currency.both(&total, &fold(currency, part, under)?);
            }
            Ok(total)
        }
        MechanismSpec::Repeated { times, inner } => repeated(currency, *times, inner, under),
        MechanismSpec::Sampled { rate, inner } => {
            let rate = chance("the rate", rate)?;
            if rate.is_zero() {
                return Ok(currency.nothing());
            }
            currency.sampled(rate, inner, under, hides_in_poisson_sample(inner, under))
        }
        MechanismSpec::WithoutReplacement { batch, population, inner } => {
            subset(currency, *batch, *population, inner, under)
        }
        MechanismSpec::Shuffled { users: _, inner } => shuffled(currency, inner, under),
        // Given the choice of steps, a unit changes only `chosen` runs; the choice is a mixture.
        MechanismSpec::Allocated { chosen, steps, inner } => {
            if chosen > steps {
                return Err(AccountError::invalid("chosen", chosen, "at most the steps"));
            }
            repeated(currency, *chosen, inner, under)
        }
        MechanismSpec::Group { size, inner } => grouped(currency, *size, inner, under),
        MechanismSpec::Mixed(parts) => mixed(currency, parts, under),
        MechanismSpec::Parallel(parts) => parallel(currency, parts, under),
        MechanismSpec::PostProcessed(inner) => fold(currency, inner, under),
    }
}

/// Noise on the integers hides whole distances only.
fn on_the_grid(leaf: &Leaf, under: Neighbours) -> Result<(), AccountError> {
    let (Leaf::DiscreteGaussian { sensitivity, .. } | Leaf::DiscreteLaplace { sensitivity, .. }) =
        leaf
    else {
        return Ok(());
    };
    if leaf::shift(sensitivity, under)?.is_integer() {
        return Ok(());
    }
    Err(AccountError::invalid("the distance", sensitivity, "a whole number"))
}

fn repeated<C: Currency>(
    currency: &C,
    times: u64,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<C::Cost, AccountError> {
    if times == 0 {
        return Ok(currency.nothing());
    }
    Ok(currency.times(times, &fold(currency, inner, under)?))
}

/// Whether the mechanism, run without the unit, is as near as on a neighbour.
fn hides_in_poisson_sample(inner: &MechanismSpec, under: Neighbours) -> bool {
    match under {
        Neighbours::AddRemove => true,
        Neighbours::ZeroOut | Neighbours::Replace => is_additive(inner),
    }
}

/// The reports in order reveal no less than the shuffled ones; but a report more or less shows.
fn shuffled<C: Currency>(
    currency: &C,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<C::Cost, AccountError> {
    match under {
        Neighbours::Replace | Neighbours::ZeroOut => fold(currency, inner, under),
        Neighbours::AddRemove => Err(AccountError::refused(
            "the number of shuffled reports is public, so no user can be absent",
            "use replace neighbours",
        )),
    }
}

/// A batch of fixed size: a unit left out is replaced by another, which is a neighbour under
/// `Replace` only; under add/remove the batches of the two worlds are not neighbours at all.
fn subset<C: Currency>(
    currency: &C,
    batch: u64,
    population: u64,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<C::Cost, AccountError> {
    if batch > population {
        return Err(AccountError::invalid("the batch", batch, "at most the population"));
    }
    if batch == 0 {
        return Ok(currency.nothing());
    }
    let rate = Rational::new(batch, population)?;
    match under {
        Neighbours::Replace => currency.sampled(&rate, inner, under, true),
        Neighbours::ZeroOut => currency.sampled(&rate, inner, under, false),
        Neighbours::AddRemove => Err(AccountError::refused(
            "a batch of fixed size has no add/remove neighbours of fixed size",
            "use replace neighbours, or Poisson sampling",
        )),
    }
}

fn mixed<C: Currency>(
    currency: &C,
    parts: &[(Rational, MechanismSpec)],
    under: Neighbours,
) -> Result<C::Cost, AccountError> {
    let mut priced = Vec::with_capacity(parts.len());
    let mut total = Rational::ZERO;
    for (share, spec) in parts {
        total = &total + chance("a chance", share)?;
        if share.is_positive() {
            priced.push((share.clone(), fold(currency, spec, under)?));
        }
    }
    if total != Rational::ONE {
        return Err(AccountError::invalid("the sum of the chances", total, "1"));
    }
    currency.mixed(&priced)
}

/// One unit is in one part; a replaced one may stay there, or leave it and enter another, which
/// removes it from the one and adds it to the other.
fn parallel<C: Currency>(
    currency: &C,
    parts: &[MechanismSpec],
    under: Neighbours,
) -> Result<C::Cost, AccountError> {
    let mut worst = currency.nothing();
    for part in parts {
        worst = currency.either(&worst, &fold(currency, part, under)?);
    }
    match under {
        Neighbours::Replace if parts.len() > 1 => {
            Ok(currency.either(&worst, &moved(currency, parts)?))
        }
        Neighbours::AddRemove | Neighbours::ZeroOut | Neighbours::Replace => Ok(worst),
    }
}

/// The two most expensive parts together, one removal and one addition.
fn moved<C: Currency>(currency: &C, parts: &[MechanismSpec]) -> Result<C::Cost, AccountError> {
    if !parts.iter().all(is_additive) {
        return Err(AccountError::refused(
            "a replaced unit may move between parts, and a part states no guarantee for that",
            "use add-remove, or leaves that add noise to contributions",
        ));
    }
    let (mut one, mut two) = (currency.nothing(), currency.nothing());
    for part in parts {
        let cost = fold(currency, part, Neighbours::AddRemove)?;
        two = currency.either(&two, &currency.both(&one, &cost));
        one = currency.either(&one, &cost);
    }
    Ok(two)
}

fn chance<'a>(name: &str, value: &'a Rational) -> Result<&'a Rational, AccountError> {
    if value.is_negative() || *value > Rational::ONE {
        return Err(AccountError::invalid(name, value, "in [0, 1]"));
    }
    Ok(value)
}

/// The refusal of a leaf that a currency cannot price.
fn no_price(leaf: &str, currency: &str, hint: &str) -> AccountError {
    AccountError::refused(format!("{leaf} has no finite cost in {currency}"), hint)
}

/// The larger of two rationals.
fn larger(a: &Rational, b: &Rational) -> Rational {
    a.max(b).clone()
}

/// n times a rational.
fn multiple(n: u64, x: &Rational) -> Rational {
    &Rational::from(n) * x
}
