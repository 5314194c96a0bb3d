//! Which specs are known under every relation.

use crate::{Leaf, MechanismSpec};

/// Whether every leaf adds noise to a sum of contributions, so that it has a pair under every
/// relation. Stated guarantees hold for the relation in force only.
pub(super) fn is_additive(spec: &MechanismSpec) -> bool {
    match spec {
        MechanismSpec::Leaf(leaf) => is_additive_leaf(leaf),
        MechanismSpec::Composed(parts) | MechanismSpec::Parallel(parts) => {
            parts.iter().all(is_additive)
        }
        MechanismSpec::Mixed(parts) => parts.iter().all(|(_, part)| is_additive(part)),
        MechanismSpec::Repeated { times: _, inner }
        | MechanismSpec::Sampled { rate: _, inner }
        | MechanismSpec::Allocated { chosen: _, steps: _, inner }
        | MechanismSpec::Group { size: _, inner }
        | MechanismSpec::PostProcessed(inner) => is_additive(inner),
        // Both are defined for a fixed number of units.
        MechanismSpec::WithoutReplacement { .. } | MechanismSpec::Shuffled { .. } => false,
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
        | Leaf::TruncatedGaussian { .. } => true,
        Leaf::Quantised { inner, cuts: _ } => is_additive_leaf(inner),
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
        | Leaf::NonPrivate => false,
    }
}
