//! A spec as a list of (epsilon, delta) mechanisms.

use throng_numeric::Enclosure;

use crate::filter::cost::{self, Approximate};
use crate::{AccountError, MechanismSpec, Neighbours};

/// Some runs of an (epsilon, delta)-private mechanism.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// How many.
    pub times: u64,
    /// The epsilon of each.
    pub epsilon: Enclosure,
    /// The delta of each.
    pub delta: Enclosure,
}

/// Terms, and the delta that was assigned to each run that has a curve instead of a pair.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) terms: Vec<Term>,
    pub(super) share: Option<f64>,
}

/// Some runs of a mechanism that is no composition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) times: u64,
    pub(super) spec: &'a MechanismSpec,
}

/// Takes compositions apart.
pub(super) fn runs(spec: &MechanismSpec) -> Result<Vec<Run<'_>>, AccountError> {
    let mut found = Vec::new();
    collect(spec, 1, &mut found)?;
    Ok(found)
}

fn collect<'a>(
    spec: &'a MechanismSpec,
    times: u64,
    found: &mut Vec<Run<'a>>,
) -> Result<(), AccountError> {
    match spec {
        MechanismSpec::Composed(parts) => {
            for part in parts {
                collect(part, times, found)?;
            }
        }
        MechanismSpec::Repeated { times: more, inner } => {
            let times = times.checked_mul(*more).ok_or_else(|| AccountError::TooLarge {
                what: "the number of runs".into(),
                limit: u64::MAX.to_string(),
            })?;
            collect(inner, times, found)?;
        }
        MechanismSpec::PostProcessed(inner) => collect(inner, times, found)?,
        MechanismSpec::Leaf(_)
        | MechanismSpec::Sampled { .. }
        | MechanismSpec::WithoutReplacement { .. }
        | MechanismSpec::Shuffled { .. }
        | MechanismSpec::Allocated { .. }
        | MechanismSpec::Group { .. }
        | MechanismSpec::Mixed(_)
        | MechanismSpec::Parallel(_) => {
            if times > 0 {
                found.push(Run { times, spec });
            }
        }
    }
    Ok(())
}

/// Prices every run in (epsilon, delta). Runs with a whole curve share half of delta equally.
pub(super) fn priced(
    runs: &[Run<'_>],
    under: Neighbours,
    delta: f64,
) -> Result<Terms, AccountError> {
    let curves: u64 = runs
        .iter()
        .filter(|run| cost::approximate(run.spec, under).is_err())
        .fold(0, |sum, run| sum.saturating_add(run.times));
    let halves = Enclosure::of_rational(&(2 * u128::from(curves)).into());
    let share = (curves > 0).then(|| Enclosure::point(delta).map(|d| (d / halves).lower()));
    let share = share.transpose()?;
    let mut terms = Vec::with_capacity(runs.len());
    for run in runs {
        let pair = match (cost::approximate(run.spec, under), share) {
            (Ok(pair), _) => pair,
            (Err(_), Some(share)) => cost::approximate_at(run.spec, under, share)?,
            (Err(error), None) => return Err(error),
        };
        terms.push(term(run.times, &pair));
    }
    Ok(Terms { terms, share })
}

fn term(times: u64, pair: &Approximate) -> Term {
    Term {
        times,
        epsilon: Enclosure::of_rational(&pair.epsilon),
        delta: Enclosure::of_rational(&pair.delta),
    }
}
