//! Several units changed together.

use throng_numeric::Rational;

use super::{Currency, fold, multiple};
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

/// The price for `size` units, taken as near to the leaves as it goes: the guarantee for a group is
/// that of a chain of neighbours, part by part, and contributions to a sum add up.
pub(super) fn grouped<C: Currency>(
    currency: &C,
    size: u64,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<C::Cost, AccountError> {
    match (size, inner) {
        (0, _) => Ok(currency.nothing()),
        (1, inner) => fold(currency, inner, under),
        (_, MechanismSpec::Leaf(leaf)) => match contributing(size, leaf) {
            Some(larger) => currency.leaf(&larger, under),
            None => currency.group(size, inner, under),
        },
        (_, MechanismSpec::Composed(parts)) => {
            let mut total = currency.nothing();
            for part in parts {
                total = currency.both(&total, &grouped(currency, size, part, under)?);
            }
            Ok(total)
        }
        (_, MechanismSpec::Repeated { times: 0, inner: _ }) => Ok(currency.nothing()),
        (_, MechanismSpec::Repeated { times, inner }) => {
            Ok(currency.times(*times, &grouped(currency, size, inner, under)?))
        }
        (_, MechanismSpec::PostProcessed(inner)) => grouped(currency, size, inner, under),
        (_, MechanismSpec::Group { size: more, inner }) => {
            let size = size.checked_mul(*more).ok_or_else(|| AccountError::TooLarge {
                what: "the size of a group".into(),
                limit: u64::MAX.to_string(),
            })?;
            grouped(currency, size, inner, under)
        }
        (
            _,
            MechanismSpec::Sampled { .. }
            | MechanismSpec::WithoutReplacement { .. }
            | MechanismSpec::Shuffled { .. }
            | MechanismSpec::Allocated { .. }
            | MechanismSpec::Mixed(_)
            | MechanismSpec::Parallel(_),
        ) => currency.group(size, inner, under),
    }
}

/// The leaf with the contribution of `size` units, for noise on contributions.
fn contributing(size: u64, leaf: &Leaf) -> Option<Leaf> {
    let more = |sensitivity: &Rational| multiple(size, sensitivity);
    Some(match leaf.clone() {
        Leaf::Gaussian { sigma, sensitivity } => {
            Leaf::Gaussian { sigma, sensitivity: more(&sensitivity) }
        }
        Leaf::Laplace { scale, sensitivity } => {
            Leaf::Laplace { scale, sensitivity: more(&sensitivity) }
        }
        Leaf::DiscreteGaussian { sigma, sensitivity } => {
            Leaf::DiscreteGaussian { sigma, sensitivity: more(&sensitivity) }
        }
        Leaf::DiscreteLaplace { scale, sensitivity } => {
            Leaf::DiscreteLaplace { scale, sensitivity: more(&sensitivity) }
        }
        Leaf::Uniform { width, sensitivity } => {
            Leaf::Uniform { width, sensitivity: more(&sensitivity) }
        }
        Leaf::TruncatedLaplace { scale, bound, sensitivity } => {
            Leaf::TruncatedLaplace { scale, bound, sensitivity: more(&sensitivity) }
        }
        Leaf::TruncatedGaussian { sigma, bound, sensitivity } => {
            Leaf::TruncatedGaussian { sigma, bound, sensitivity: more(&sensitivity) }
        }
        Leaf::Quantised { inner, cuts } => {
            Leaf::Quantised { inner: Box::new(contributing(size, &inner)?), cuts }
        }
        Leaf::Staircase { .. }
        | Leaf::RandomisedResponse { .. }
        | Leaf::KaryResponse { .. }
        | Leaf::ApproxDp { .. }
        | Leaf::Pure { .. }
        | Leaf::TotalVariation { .. }
        | Leaf::Exponential { .. }
        | Leaf::PermuteAndFlip { .. }
        | Leaf::NoisyMax { .. }
        | Leaf::Gdp { .. }
        | Leaf::Zcdp { .. }
        | Leaf::Renyi { .. }
        | Leaf::Poisson { .. }
        | Leaf::InfinitelyDivisible { .. }
        | Leaf::Tradeoff { .. }
        | Leaf::Profile { .. }
        | Leaf::Discrete { .. }
        | Leaf::NonPrivate => return None,
    })
}
