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

/// Whether the accountant has a proved guarantee of the mechanism for groups.
pub(super) fn is_known_for_groups(spec: &MechanismSpec) -> bool {
    all_leaves(spec, &|leaf| match kind(leaf) {
        Kind::Additive | Kind::Other => true,
        Kind::Cells => false,
    })
}

/// Whether the guarantee for a group may be taken part by part, as the accountant does; else it is
/// that of a chain of neighbours for the mechanism as a whole.
///
/// # Why this is right
/// One leaf: a chain for it is one for the mechanism. Noise on vectors: what `size` units do adds up
/// to at most `size` times the distance of one, in all and in each cell. For normal noise squares
/// count, and of all moves of so many cells with that sum and that bound those are largest that move
/// as few cells as possible by the whole bound. The same holds for Laplace noise, since moving two
/// cells by a + 1 and b - 1 tells no less than by a >= b >= 1. (Let Y_a be the clipped outcome
/// of a cell and r, Q and the argument that one change of sign is enough be as in
/// `throng_account::pair::noise`. With w = rz, E z^(Y_a) = (1 - rw + w^a (r - w))/((1 + r)(1 - w)), so
/// that Q(Y_a + Y_b >= n) - Q(Y_(a+1) + Y_(b-1) >= n) is up to a positive factor the coefficient of
/// z^(n-1) in w^(b-1) (1 - rw)(1 + w + ... + w^(a-b)): positive first, and negative at last.)
///
/// Not so for other compositions: a description may be one of a single mechanism, whose parts promise
/// nothing by themselves. A threshold that shows the key of one unit with chance δ shows that
/// of two units not with 2δ but with e^ε δ.
pub(super) fn is_grouped_by_part(spec: &MechanismSpec) -> bool {
    match spec {
        MechanismSpec::Composed(parts) => parts.iter().all(is_noise),
        MechanismSpec::Repeated { inner, .. } => is_noise(inner),
        MechanismSpec::PostProcessed(inner) | MechanismSpec::Group { inner, .. } => {
            is_grouped_by_part(inner)
        }
        // These the accountant takes as a whole.
        MechanismSpec::Leaf(_)
        | MechanismSpec::Sampled { .. }
        | MechanismSpec::WithoutReplacement { .. }
        | MechanismSpec::Shuffled { .. }
        | MechanismSpec::Allocated { .. }
        | MechanismSpec::Mixed(_)
        | MechanismSpec::Parallel(_) => true,
    }
}

/// Whether it is noise on vectors and nothing else.
fn is_noise(spec: &MechanismSpec) -> bool {
    match spec {
        MechanismSpec::Leaf(leaf) => matches!(kind(leaf), Kind::Additive),
        MechanismSpec::Composed(parts) => parts.iter().all(is_noise),
        MechanismSpec::Repeated { inner, .. } | MechanismSpec::PostProcessed(inner) => {
            is_noise(inner)
        }
        MechanismSpec::Sampled { .. }
        | MechanismSpec::WithoutReplacement { .. }
        | MechanismSpec::Shuffled { .. }
        | MechanismSpec::Allocated { .. }
        | MechanismSpec::Group { .. }
        | MechanismSpec::Mixed(_)
        | MechanismSpec::Parallel(_) => false,
    }
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
