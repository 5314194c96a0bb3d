//! What a spec says about how a mechanism is made.

use throng_account::{Leaf, MechanismSpec};

/// Whether the mechanism is additive noise for which two contributions, one that goes and one
/// that comes, are no worse than one of twice the size: Laplace noise, where distances add up in
/// L1 and one coordinate is the worst case, and normal noise, where they add up in L2.
pub(super) fn is_known_for_exchange(spec: &MechanismSpec) -> bool {
    all_leaves(spec, &|leaf| match kind(leaf) {
        Kind::Additive => true,
        Kind::Cells | Kind::Other => false,
    })
}

/// Whether the guarantee for a group follows from that for one unit, leaf by leaf.
pub(super) fn is_known_for_groups(spec: &MechanismSpec) -> bool {
    all_leaves(spec, &|leaf| match kind(leaf) {
        Kind::Additive | Kind::Other => true,
        Kind::Cells => false,
    })
}

enum Kind {
    /// Noise on a vector, known for every distance in its norm.
    Additive,
    /// Noise that is known for one number only, and used on cells.
    Cells,
    /// A statement, or noise on one number.
    Other,
}

fn kind(leaf: &Leaf) -> Kind {
    match leaf {
        Leaf::Gaussian { .. } | Leaf::Laplace { .. } | Leaf::DiscreteLaplace { .. } => {
            Kind::Additive
        }
        Leaf::DiscreteGaussian { .. } => Kind::Cells,
        Leaf::Quantised { inner, cuts: _ } => match kind(inner) {
            Kind::Cells => Kind::Cells,
            Kind::Additive | Kind::Other => Kind::Other,
        },
        Leaf::Staircase { .. }
        | Leaf::Uniform { .. }
        | Leaf::TruncatedLaplace { .. }
        | Leaf::TruncatedGaussian { .. }
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
        | Leaf::NonPrivate => Kind::Other,
    }
}

fn all_leaves(spec: &MechanismSpec, holds: &dyn Fn(&Leaf) -> bool) -> bool {
    match spec {
        MechanismSpec::Leaf(leaf) => holds(leaf),
        MechanismSpec::Composed(parts) | MechanismSpec::Parallel(parts) => {
            parts.iter().all(|part| all_leaves(part, holds))
        }
        MechanismSpec::Mixed(choices) => choices.iter().all(|(_, part)| all_leaves(part, holds)),
        MechanismSpec::Repeated { inner, .. }
        | MechanismSpec::Sampled { inner, .. }
        | MechanismSpec::WithoutReplacement { inner, .. }
        | MechanismSpec::Shuffled { inner, .. }
        | MechanismSpec::Allocated { inner, .. }
        | MechanismSpec::Group { inner, .. }
        | MechanismSpec::PostProcessed(inner) => all_leaves(inner, holds),
    }
}
