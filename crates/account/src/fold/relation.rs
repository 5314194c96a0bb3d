//! What a spec says about relations other than the one in force.

use crate::{Leaf, MechanismSpec};

/// Whether every leaf adds noise to a sum of contributions, so that its pair is known under
/// *every* relation. Stated guarantees hold for the relation in force only.
pub(super) fn is_additive(spec: &MechanismSpec) -> bool {
    match spec {
        MechanismSpec::Leaf(leaf) => is_additive_leaf(leaf),
        MechanismSpec::Composed(parts) | MechanismSpec::Parallel(parts) => {
            parts.iter().all(is_additive)
        }
        MechanismSpec::Mixed(choices) => choices.iter().all(|(_, part)| is_additive(part)),
        MechanismSpec::Repeated { inner, .. }
        | MechanismSpec::Sampled { inner, .. }
        | MechanismSpec::WithoutReplacement { inner, .. }
        | MechanismSpec::Shuffled { inner, .. }
        | MechanismSpec::Allocated { inner, .. }
        | MechanismSpec::Group { inner, .. }
        | MechanismSpec::PostProcessed(inner) => is_additive(inner),
    }
}

fn is_additive_leaf(leaf: &Leaf) -> bool {
    match leaf {
        Leaf::Gaussian { .. }
        | Leaf::Laplace { .. }
        | Leaf::DiscreteGaussian { .. }
        | Leaf::DiscreteLaplace { .. }
        | Leaf::Uniform { .. }
        | Leaf::TruncatedLaplace { .. }
        | Leaf::TruncatedGaussian { .. }
        | Leaf::NonPrivate => true,
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
        | Leaf::Quantised { .. } => false,
    }
}

/// The epsilon of a local randomiser that is purely private, exactly; None for any other leaf.
pub(super) fn pure_epsilon(leaf: &Leaf) -> Option<throng_numeric::Rational> {
    match leaf {
        Leaf::Pure { epsilon }
        | Leaf::KaryResponse { epsilon, .. }
        | Leaf::Staircase { epsilon, .. }
        | Leaf::Exponential { epsilon }
        | Leaf::PermuteAndFlip { epsilon }
        | Leaf::NoisyMax { epsilon } => Some(epsilon.clone()),
        Leaf::Laplace { scale, sensitivity } | Leaf::DiscreteLaplace { scale, sensitivity } => {
            (sensitivity + sensitivity).checked_div(scale).ok()
        }
        Leaf::Gaussian { .. }
        | Leaf::DiscreteGaussian { .. }
        | Leaf::Uniform { .. }
        | Leaf::TruncatedLaplace { .. }
        | Leaf::TruncatedGaussian { .. }
        | Leaf::NonPrivate
        | Leaf::RandomisedResponse { .. }
        | Leaf::ApproxDp { .. }
        | Leaf::TotalVariation { .. }
        | Leaf::Gdp { .. }
        | Leaf::Zcdp { .. }
        | Leaf::Renyi { .. }
        | Leaf::Poisson { .. }
        | Leaf::InfinitelyDivisible { .. }
        | Leaf::Tradeoff { .. }
        | Leaf::Profile { .. }
        | Leaf::Discrete { .. }
        | Leaf::Quantised { .. } => None,
    }
}
