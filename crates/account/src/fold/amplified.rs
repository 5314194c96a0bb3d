//! Combinators that are more than composition.

use std::sync::Arc;

use throng_numeric::{Enclosure, Rational};

use super::gather::fold;
use super::relation::{is_additive, pure_epsilon};
use crate::component::{Component, Part};
use crate::law::shifted::{Mixture, ShiftedProfile};
use crate::loss::closed::profile_of;
use crate::pair::amplified::{Group, MaxProfile, Sampled, SampledReplace, WithoutReplacement};
use crate::pair::normal::GaussianProfile;
use crate::pair::shuffled::ShuffledProfile;
use crate::pair::{Profile, Swapped, allocated};
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

/// The parts of a combinator.
pub(super) fn parts(spec: &MechanismSpec, under: Neighbours) -> Result<Vec<Part>, AccountError> {
    match spec {
        MechanismSpec::Sampled { rate, inner } => sampled(rate, inner, under),
        MechanismSpec::WithoutReplacement { batch, population, inner } => {
            without_replacement(*batch, *population, inner, under)
        }
        MechanismSpec::Shuffled { users, inner } => shuffled(*users, inner, under),
        MechanismSpec::Allocated { chosen, steps, inner } => {
            allocated(*chosen, *steps, inner, under)
        }
        MechanismSpec::Group { size, inner } => group(*size, inner, under),
        MechanismSpec::Mixed(choices) => mixed(choices, under),
        MechanismSpec::Parallel(list) => parallel(list, under),
        MechanismSpec::Leaf(_)
        | MechanismSpec::Composed(_)
        | MechanismSpec::Repeated { .. }
        | MechanismSpec::PostProcessed(_) => fold(spec, under),
    }
}

/// The profile of a composition, the worse of both directions: what holds whichever of two
/// neighbours comes first.
pub(super) fn symmetric(parts: Vec<Part>) -> Result<Arc<dyn Profile>, AccountError> {
    let alike = parts.iter().all(|part| part.component.is_symmetric());
    let profile = profile_of(parts)?;
    if alike {
        return Ok(profile);
    }
    let swapped = Arc::new(Swapped(Arc::clone(&profile)));
    Ok(Arc::new(MaxProfile::new(vec![profile, swapped])?))
}

fn once(component: Component) -> Vec<Part> {
    vec![Part { component, times: 1 }]
}

fn shifted(with: Mixture, without: Mixture) -> Vec<Part> {
    let profile = ShiftedProfile { above: with.clone(), below: without.clone() };
    once(Component::Shifted { with, without, profile: Arc::new(profile) })
}

/// mu^2, if the parts are one Gaussian pair.
fn gaussian(parts: &[Part]) -> Option<&Rational> {
    match parts {
        [Part { component: Component::Gaussian(square), times: 1 }] => Some(square),
        _ => None,
    }
}

/// (1-q) at 0 and q at shift, in standard deviations.
fn coin(rate: &Rational, shift: Enclosure) -> Mixture {
    let rest = Enclosure::of_rational(&(&Rational::ONE - rate));
    Mixture::new(vec![(rest, Enclosure::ZERO), (Enclosure::of_rational(rate), shift)])
}

/// Poisson sampling.
///
/// AddRemove, ZeroOut: ((1-q)Q + qP, Q) for a pair (P, Q) of the inner mechanism (Zhu, Dong and
/// Wang 2022, theorem 11). A unit that is not sampled and one that is absent (or contributes
/// nothing to a sum) look alike.
///
/// Replace with Gaussian noise: the record contributes c or c', each of norm at most s. With
/// weights a = (gamma-1)(1-q)/q, H_gamma = q E(1 - a e^X - gamma e^Y)_+, where (X, Y) is jointly
/// normal under the first world with variances |c|^2, |c - c'|^2 and covariance <c, c - c'> (in
/// units of sigma), each exponential of mean 1. The function is convex in each exponential and
/// has a non-negative mixed derivative in (X, Y), so along a straight path of covariance
/// matrices that grows in every entry the expectation grows (Slepian's argument: its derivative
/// is half the sum of the entries' derivatives times E of these second derivatives). All three
/// entries are largest at once for c = s e, c' = -s e: so the mixtures with shifts +s and -s
/// dominate, and they are mirror images, which settles gamma < 1.
fn sampled(
    rate: &Rational,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<Vec<Part>, AccountError> {
    if rate.is_zero() {
        return Ok(Vec::new());
    }
    if *rate == Rational::ONE {
        return fold(inner, under);
    }
    if let MechanismSpec::Sampled { rate: again, inner } = inner {
        return sampled(&(rate * again), inner, under);
    }
    match under {
        Neighbours::AddRemove => sampled_one_sided(rate, inner, under),
        Neighbours::ZeroOut if is_additive(inner) => sampled_one_sided(rate, inner, under),
        Neighbours::Replace if is_additive(inner) => sampled_replace(rate, inner),
        Neighbours::ZeroOut | Neighbours::Replace => Err(AccountError::refused(
            format!("sampling `{inner}` under {under} needs its guarantee when the unit is absent"),
            "use add-remove, or a leaf that adds noise to contributions (gaussian, laplace, ...)",
        )),
    }
}

fn sampled_one_sided(
    rate: &Rational,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<Vec<Part>, AccountError> {
    let parts = fold(inner, under)?;
    if let Some(square) = gaussian(&parts) {
        let shift = Enclosure::of_rational(square).sqrt()?;
        let gaussian = Arc::new(GaussianProfile::new(shift)?);
        let profile = Arc::new(Sampled::new(gaussian, Enclosure::of_rational(rate))?);
        let (with, without) = (coin(rate, shift), Mixture::still());
        return Ok(once(Component::Shifted { with, without, profile }));
    }
    if let [Part { component: Component::Discrete(pair), times: 1 }] = parts.as_slice() {
        return Ok(once(Component::Discrete(Arc::new(pair.sampled(rate)?))));
    }
    let profile = profile_of(parts)?;
    Ok(once(Component::Rough(Arc::new(Sampled::new(profile, Enclosure::of_rational(rate))?))))
}

fn sampled_replace(rate: &Rational, inner: &MechanismSpec) -> Result<Vec<Part>, AccountError> {
    let near = fold(inner, Neighbours::AddRemove)?;
    if let Some(square) = gaussian(&near) {
        let shift = Enclosure::of_rational(square).sqrt()?;
        return Ok(shifted(coin(rate, shift), coin(rate, -shift)));
    }
    let far = fold(inner, Neighbours::Replace)?;
    let profile =
        SampledReplace::new(profile_of(near)?, profile_of(far)?, Enclosure::of_rational(rate))?;
    Ok(once(Component::Rough(Arc::new(profile))))
}

fn without_replacement(
    batch: u64,
    population: u64,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<Vec<Part>, AccountError> {
    if under != Neighbours::Replace {
        return Err(AccountError::refused(
            format!("batches of fixed size are not defined under {under}: the batch would change"),
            "use `--neighbours replace`, or sampled(..., rate=...) for Poisson sampling",
        ));
    }
    let parts = fold(inner, under)?;
    if batch == population {
        return Ok(parts);
    }
    let rate = Rational::new(batch, population)?;
    let profile = WithoutReplacement::new(symmetric(parts)?, Enclosure::of_rational(&rate))?;
    Ok(once(Component::Rough(Arc::new(profile))))
}

fn shuffled(
    users: u64,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<Vec<Part>, AccountError> {
    if under != Neighbours::Replace {
        return Err(AccountError::refused(
            format!(
                "shuffled reports are accounted under replace, not {under}: their number is public"
            ),
            "use `--neighbours replace`",
        ));
    }
    let mut inner = inner;
    while let MechanismSpec::PostProcessed(deeper) = inner {
        inner = deeper;
    }
    let epsilon = match inner {
        MechanismSpec::Leaf(Leaf::RandomisedResponse { p, q }) => return shuffled_bit(p, q, users),
        MechanismSpec::Leaf(Leaf::KaryResponse { k, epsilon }) if epsilon.is_positive() => {
            let profile = ShuffledProfile::kary(*k, epsilon, users)?;
            return Ok(once(Component::Rough(Arc::new(profile))));
        }
        MechanismSpec::Leaf(leaf) => pure_epsilon(leaf),
        MechanismSpec::Composed(_)
        | MechanismSpec::Repeated { .. }
        | MechanismSpec::Sampled { .. }
        | MechanismSpec::WithoutReplacement { .. }
        | MechanismSpec::Shuffled { .. }
        | MechanismSpec::Allocated { .. }
        | MechanismSpec::Group { .. }
        | MechanismSpec::Mixed(_)
        | MechanismSpec::Parallel(_)
        | MechanismSpec::PostProcessed(_) => None,
    };
    let Some(epsilon) = epsilon else {
        return Err(AccountError::refused(
            format!("`{inner}` is not a local randomiser of a known pure epsilon"),
            "shuffle pure(eps), randomized_response, kary_response, laplace or discrete_laplace",
        ));
    };
    if epsilon.is_zero() {
        return Ok(Vec::new());
    }
    let profile = ShuffledProfile::pure(&epsilon, users)?;
    Ok(once(Component::Rough(Arc::new(profile))))
}

/// A bit's randomiser is epsilon-private for the largest of its log-ratios.
fn shuffled_bit(p: &Rational, q: &Rational, users: u64) -> Result<Vec<Part>, AccountError> {
    let one = Rational::ONE;
    let ratios = [(&one - p, q), (p.clone(), &(&one - q)), (q.clone(), &(&one - p)), (&one - q, p)];
    let mut worst = one.clone();
    for (above, below) in ratios {
        if below.is_zero() {
            if above.is_zero() {
                continue;
            }
            return Err(AccountError::refused(
                "a report that only one truth can produce is not private",
                "use chances p, q strictly between 0 and 1",
            ));
        }
        let ratio = above.checked_div(below)?;
        if ratio > worst {
            worst = ratio;
        }
    }
    if worst == one {
        return Ok(Vec::new());
    }
    let epsilon = crate::pair::polygon::ln_rational(&worst)?;
    let epsilon = Rational::from_f64(epsilon.upper())?;
    // Equal chances make it 2-ary response, for which more reports of others are clones.
    let profile = if p == q {
        ShuffledProfile::kary(2, &epsilon, users)?
    } else {
        ShuffledProfile::pure(&epsilon, users)?
    };
    Ok(once(Component::Rough(Arc::new(profile))))
}

/// Cut off from each world of an allocation: its law has a heavy tail, and every digit less makes
/// the lattice finer. Answers at a smaller delta are sound but infinite.
const ALLOCATION_TAIL: f64 = 1e-12;

/// k of t: a random partition of the steps into k blocks of nearly equal size, and one step
/// from each block, is a uniform k-set of steps; knowing the partition only helps, so the
/// composition of k times "1 of a block" dominates. Exact for k = 1.
fn allocated(
    chosen: u64,
    steps: u64,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<Vec<Part>, AccountError> {
    if under == Neighbours::Replace {
        return Err(AccountError::refused(
            "random allocation is accounted under add-remove and zero-out only",
            "use `--neighbours add-remove`",
        ));
    }
    if under == Neighbours::ZeroOut && !is_additive(inner) {
        return Err(AccountError::refused(
            "random allocation under zero-out needs noise on contributions",
            "use add-remove",
        ));
    }
    let parts = fold(inner, under)?;
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let Some(square) = gaussian(&parts) else {
        return Err(AccountError::refused(
            format!("random allocation of `{inner}` has no known pair here"),
            "allocate gaussian(...); for others sampled(..., rate=k/t) is a different mechanism",
        ));
    };
    let square = Enclosure::of_rational(square);
    let mut parts = Vec::new();
    for (size, times) in allocated::blocks(chosen, steps)? {
        let component = if size == 1 {
            match fold(inner, under)?.pop() {
                Some(part) => part.component,
                None => continue,
            }
        } else {
            let pairs = allocated::pairs(size, square, ALLOCATION_TAIL)?;
            Component::between(pairs)
        };
        parts.push(Part { component, times });
    }
    Ok(parts)
}

fn mixed(
    choices: &[(Rational, MechanismSpec)],
    under: Neighbours,
) -> Result<Vec<Part>, AccountError> {
    let choices = choices
        .iter()
        .filter(|(weight, _)| weight.is_positive())
        .map(|(weight, spec)| Ok((weight.clone(), fold(spec, under)?)))
        .collect::<Result<Vec<_>, AccountError>>()?;
    if let [(_, parts)] = choices.as_slice() {
        return Ok(parts.clone());
    }
    Ok(once(Component::Mixed(choices)))
}

/// Disjoint parts of the data. AddRemove, ZeroOut: the unit is in one part, so the worst part
/// decides. Replace: the unit may leave one part and enter another, which composes the removal
/// from the one with the addition to the other; or it stays.
fn parallel(list: &[MechanismSpec], under: Neighbours) -> Result<Vec<Part>, AccountError> {
    let mut alternatives: Vec<Vec<Part>> =
        list.iter().map(|spec| fold(spec, under)).collect::<Result<_, _>>()?;
    if under == Neighbours::Replace && list.len() > 1 {
        alternatives.extend(moves(list)?);
    }
    alternatives.retain(|parts| !parts.is_empty());
    if let [single] = alternatives.as_slice() {
        return Ok(single.clone());
    }
    if alternatives.is_empty() {
        return Ok(Vec::new());
    }
    let profiles = alternatives.into_iter().map(profile_of).collect::<Result<Vec<_>, _>>()?;
    Ok(once(Component::Rough(Arc::new(MaxProfile::new(profiles)?))))
}

/// Every ordered pair of different parts: removed here, added there.
fn moves(list: &[MechanismSpec]) -> Result<Vec<Vec<Part>>, AccountError> {
    const MOST: usize = 32;
    if list.len() > MOST {
        return Err(AccountError::TooLarge {
            what: "the number of parallel parts under replace".into(),
            limit: MOST.to_string(),
        });
    }
    if let Some(spec) = list.iter().find(|spec| !is_additive(spec)) {
        return Err(AccountError::refused(
            format!(
                "under replace a unit may move between parts, and `{spec}` states no guarantee for that"
            ),
            "use add-remove, or leaves that add noise to contributions",
        ));
    }
    let apart: Vec<Vec<Part>> =
        list.iter().map(|spec| fold(spec, Neighbours::AddRemove)).collect::<Result<_, _>>()?;
    let mut moves = Vec::new();
    for (i, left) in apart.iter().enumerate() {
        for (j, entered) in apart.iter().enumerate() {
            if i != j {
                moves.push(left.iter().cloned().chain(entered.iter().map(swapped)).collect());
            }
        }
    }
    Ok(moves)
}

fn swapped(part: &Part) -> Part {
    let component = if part.component.is_symmetric() {
        part.component.clone()
    } else {
        Component::Swapped(Box::new(part.component.clone()))
    };
    Part { component, times: part.times }
}

/// `size` units changed together.
fn group(size: u64, inner: &MechanismSpec, under: Neighbours) -> Result<Vec<Part>, AccountError> {
    if size == 1 {
        return fold(inner, under);
    }
    match inner {
        MechanismSpec::Leaf(leaf) => group_of_leaf(size, leaf, under),
        MechanismSpec::Composed(list) => {
            let all = list
                .iter()
                .map(|spec| MechanismSpec::Group { size, inner: Box::new(spec.clone()) })
                .collect();
            fold(&MechanismSpec::Composed(all), under)
        }
        MechanismSpec::Repeated { times, inner } => {
            let inner = Box::new(MechanismSpec::Group { size, inner: inner.clone() });
            fold(&MechanismSpec::Repeated { times: *times, inner }, under)
        }
        MechanismSpec::PostProcessed(inner) => group(size, inner, under),
        MechanismSpec::Group { size: more, inner } => match size.checked_mul(*more) {
            Some(size) => group(size, inner, under),
            None => Err(AccountError::TooLarge {
                what: "the size of a group".into(),
                limit: "2^64 - 1".into(),
            }),
        },
        MechanismSpec::Sampled { rate, inner } => group_of_sampled(size, rate, inner, under),
        MechanismSpec::WithoutReplacement { .. }
        | MechanismSpec::Shuffled { .. }
        | MechanismSpec::Allocated { .. }
        | MechanismSpec::Mixed(_)
        | MechanismSpec::Parallel(_) => chained(size, fold(inner, under)?),
    }
}

/// Any pair: the chain of `size` single changes.
fn chained(size: u64, parts: Vec<Part>) -> Result<Vec<Part>, AccountError> {
    if parts.is_empty() {
        return Ok(parts);
    }
    let profile = Group::new(symmetric(parts)?, size)?;
    Ok(once(Component::Rough(Arc::new(profile))))
}

/// Contributions add up to at most `size` times one; epsilon and mu grow in proportion, rho by
/// the square.
fn group_of_leaf(size: u64, leaf: &Leaf, under: Neighbours) -> Result<Vec<Part>, AccountError> {
    let k = Rational::from(size);
    let more = |x: &Rational| &k * x;
    let larger = match leaf.clone() {
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
        Leaf::Pure { epsilon } => Leaf::Pure { epsilon: more(&epsilon) },
        Leaf::Exponential { epsilon } => Leaf::Exponential { epsilon: more(&epsilon) },
        Leaf::PermuteAndFlip { epsilon } => Leaf::PermuteAndFlip { epsilon: more(&epsilon) },
        Leaf::NoisyMax { epsilon } => Leaf::NoisyMax { epsilon: more(&epsilon) },
        Leaf::Gdp { mu } => Leaf::Gdp { mu: more(&mu) },
        Leaf::Zcdp { rho, xi } if xi.is_zero() => Leaf::Zcdp { rho: more(&more(&rho)), xi },
        Leaf::TotalVariation { delta } => {
            let delta = more(&delta);
            Leaf::TotalVariation {
                delta: if delta > Rational::ONE { Rational::ONE } else { delta },
            }
        }
        Leaf::NonPrivate => Leaf::NonPrivate,
        same @ (Leaf::Staircase { .. }
        | Leaf::RandomisedResponse { .. }
        | Leaf::KaryResponse { .. }
        | Leaf::ApproxDp { .. }
        | Leaf::Zcdp { .. }
        | Leaf::Renyi { .. }
        | Leaf::Poisson { .. }
        | Leaf::InfinitelyDivisible { .. }
        | Leaf::Tradeoff { .. }
        | Leaf::Profile { .. }
        | Leaf::Discrete { .. }
        | Leaf::Quantised { .. }) => {
            return chained(size, fold(&MechanismSpec::Leaf(same), under)?);
        }
    };
    fold(&MechanismSpec::Leaf(larger), under)
}

/// Sampled Gaussian noise: the number of the group's units in the sample is binomial, and their
/// contributions are worst when they point the same way.
fn group_of_sampled(
    size: u64,
    rate: &Rational,
    inner: &MechanismSpec,
    under: Neighbours,
) -> Result<Vec<Part>, AccountError> {
    const MOST: u64 = 256;
    let parts = fold(inner, Neighbours::AddRemove)?;
    let one_sided = match under {
        Neighbours::AddRemove => true,
        Neighbours::ZeroOut => is_additive(inner),
        Neighbours::Replace => false,
    };
    let spec = MechanismSpec::Sampled { rate: rate.clone(), inner: Box::new(inner.clone()) };
    match gaussian(&parts) {
        Some(square)
            if one_sided && size <= MOST && *rate < Rational::ONE && rate.is_positive() =>
        {
            let shift = Enclosure::of_rational(square).sqrt()?;
            Ok(shifted(binomial(size, rate, shift)?, Mixture::still()))
        }
        Some(_) | None => chained(size, fold(&spec, under)?),
    }
}

fn binomial(size: u64, rate: &Rational, shift: Enclosure) -> Result<Mixture, AccountError> {
    let rest = &Rational::ONE - rate;
    let odds = rate.checked_div(&rest)?;
    let mut chance = (0..size).fold(Rational::ONE, |product, _| &product * &rest);
    let mut parts = Vec::new();
    for k in 0..=size {
        let place = Enclosure::of_rational(&Rational::from(k)) * shift;
        parts.push((Enclosure::of_rational(&chance), place));
        let next = Rational::new(size - k, k + 1)?;
        chance = &(&chance * &odds) * &next;
    }
    Ok(Mixture::new(parts))
}
