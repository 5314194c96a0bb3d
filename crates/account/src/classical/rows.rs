//! The table's rows.

use throng_numeric::{Enclosure, Rational};

use super::terms::{Run, Terms};
use super::{Row, Term, bounds, exact};
use crate::conversion::arithmetic::{half, small, whole};
use crate::conversion::{gaussian, renyi};
use crate::filter::{Budget, cost};
use crate::lemma::Moments;
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

type Bound = fn(&[Term], f64) -> Result<Option<Enclosure>, AccountError>;

const TERM_BOUNDS: [(&str, Bound); 6] = [
    ("basic composition", bounds::basic),
    ("advanced composition (Dwork-Rothblum-Vadhan)", bounds::advanced),
    ("Kairouz-Oh-Viswanath, Hoeffding form", bounds::kov_hoeffding),
    ("Kairouz-Oh-Viswanath, logarithmic form", bounds::kov_logarithmic),
    ("heterogeneous, half squares", bounds::heterogeneous),
    ("heterogeneous, tanh", bounds::heterogeneous_concentrated),
];

const KOV_LINEAR: &str = "Kairouz-Oh-Viswanath, linear form";
const EXACT: &str = "exact, homogeneous";

fn absent(name: &'static str, note: impl Into<String>) -> Row {
    Row { name, epsilon: None, note: note.into() }
}

fn present(name: &'static str, epsilon: f64, note: impl Into<String>) -> Row {
    if epsilon.is_finite() {
        let epsilon = Some(epsilon + 0.0); // -0 is shown as 0
        return Row { name, epsilon, note: note.into() };
    }
    absent(name, "the bound is not finite")
}

/// The rows that see a mechanism as a list of (epsilon, delta).
pub(super) fn of_terms(terms: Result<Terms, AccountError>, delta: f64) -> Vec<Row> {
    let names = TERM_BOUNDS.iter().map(|(name, _)| *name).chain([KOV_LINEAR, EXACT]);
    let Terms { terms, share } = match terms {
        Ok(terms) => terms,
        Err(error) => return names.map(|name| absent(name, error.to_string())).collect(),
    };
    let note = share.map_or_else(String::new, |share| {
        format!("every run without an (epsilon, delta) of its own is read at delta = {share:e}")
    });
    let bound = |name, found: Result<Option<Enclosure>, AccountError>| match found {
        Ok(Some(epsilon)) => present(name, epsilon.upper(), note.clone()),
        Ok(None) => absent(name, "the deltas of the parts already use up delta"),
        Err(error) => absent(name, error.to_string()),
    };
    let mut rows: Vec<Row> =
        TERM_BOUNDS.iter().map(|(name, f)| bound(*name, f(&terms, delta))).collect();
    rows.push(bound(KOV_LINEAR, kov_linear(&terms, delta)));
    rows.push(exact_row(&terms, delta, &note));
    rows
}

/// Σε at 1 - Π(1-δ_j), which is at most Σδ_j.
fn kov_linear(terms: &[Term], delta: f64) -> Result<Option<Enclosure>, AccountError> {
    let mut kept = Enclosure::ZERO;
    for term in terms {
        if term.delta.upper() >= 1.0 {
            return Ok(None);
        }
        kept = kept + whole(term.times) * (-term.delta).ln_1p()?;
    }
    if (-kept.expm1()).upper() > delta {
        return Ok(None);
    }
    Ok(Some(terms.iter().fold(Enclosure::ZERO, |sum, t| sum + whole(t.times) * t.epsilon)))
}

fn exact_row(terms: &[Term], delta: f64, note: &str) -> Row {
    let Some((first, others)) = terms.split_first() else {
        return present(EXACT, 0.0, "nothing is run");
    };
    let equal = |t: &Term| t.epsilon == first.epsilon && t.delta == first.delta;
    if !others.iter().all(equal) {
        return absent(EXACT, "the parts differ; the exact composition is then #P-hard");
    }
    let times = terms.iter().fold(0_u64, |sum, t| sum.saturating_add(t.times));
    match exact::homogeneous_epsilon(times, first.epsilon, first.delta, delta) {
        Ok(Some(found)) => present(EXACT, found.upper, note),
        Ok(None) => absent(EXACT, "the deltas of the parts already use up delta"),
        Err(error) => absent(EXACT, error.to_string()),
    }
}

/// The rows that see a mechanism in another currency.
pub(super) fn of_currencies(spec: &MechanismSpec, under: Neighbours, delta: f64) -> Vec<Row> {
    let zero = || Rational::ZERO;
    let concentrated = Budget::Zcdp { rho: zero(), delta: zero() };
    let gdp = Budget::Gdp { mu_squared: zero() };
    let read = |name, currency: Budget| match currency
        .price(spec, under)
        .and_then(|cost| cost.epsilon_at(delta))
    {
        Ok(epsilon) => present(name, epsilon, ""),
        Err(error) => absent(name, error.to_string()),
    };
    let renyi = match renyi_epsilon(spec, under, delta) {
        Ok(found) => present("Renyi", found.value.upper(), format!("at order {}", found.order)),
        Err(error) => absent("Renyi", error.to_string()),
    };
    vec![read("zCDP", concentrated), renyi, read("Gaussian privacy", gdp)]
}

/// Orders 1 + 1/8, ..., then whole ones, then sparse ones; then the gaps beside the best are halved.
fn renyi_epsilon(
    spec: &MechanismSpec,
    under: Neighbours,
    delta: f64,
) -> Result<renyi::Conversion, AccountError> {
    let mut failure = None;
    let mut at = |order: &Rational| match cost::renyi(spec, under, order) {
        Ok(cost) => Some((Enclosure::of_rational(order), Enclosure::of_rational(&cost))),
        Err(error) => {
            failure = Some(error);
            None
        }
    };
    let mut orders = Vec::new();
    for eighths in 9..=32_u32 {
        orders.push(Rational::new(eighths, 8_u8)?);
    }
    let sparse = [80, 96, 128, 192, 256, 384, 512, 768, 1024];
    orders.extend((5..=64_u32).chain(sparse).map(Rational::from));
    let mut table: Vec<_> = orders.iter().filter_map(&mut at).collect();
    let Ok(mut best) = renyi::epsilon_of_table(&table, delta) else {
        let none = || AccountError::refused("no order gives a bound", "use another bound");
        return Err(failure.unwrap_or_else(none));
    };
    let mut step = (best.order / 16.0).max(0.0625);
    for _ in 0..12 {
        for order in [best.order - step, best.order + step] {
            if order > 1.0 {
                table.extend(at(&Rational::from_f64(order)?));
            }
        }
        best = renyi::epsilon_of_table(&table, delta)?;
        step /= 2.0;
    }
    Ok(best)
}

const CENTRAL: &str = "central limit";
const ESTIMATE: &str = "an estimate, not a guarantee: the truth may be larger";

/// The Gaussian limit of many small losses.
pub(super) fn central_limit(runs: &[Run<'_>], under: Neighbours, delta: f64) -> Row {
    let (mut mean, mut variance) = (Enclosure::ZERO, Enclosure::ZERO);
    for run in runs {
        let Ok((m, v)) = loss_moments(run.spec, under) else {
            return absent(CENTRAL, format!("no moments are known for a part; {ESTIMATE}"));
        };
        mean = mean + whole(run.times) * m;
        variance = variance + whole(run.times) * v;
    }
    if mean.upper() <= 0.0 {
        return present(CENTRAL, 0.0, ESTIMATE);
    }
    let limit = variance.sqrt().map_err(AccountError::from).and_then(|spread| {
        gaussian::epsilon(delta, (small(2) * mean / spread).max(Enclosure::ZERO))
    });
    match limit {
        Ok(found) => present(CENTRAL, found.upper, ESTIMATE),
        Err(error) => absent(CENTRAL, format!("{error}; {ESTIMATE}")),
    }
}

/// The mean and variance of the loss of one run.
fn loss_moments(
    spec: &MechanismSpec,
    under: Neighbours,
) -> Result<(Enclosure, Enclosure), AccountError> {
    let of_square = |square: Enclosure| (square * half(), square);
    if let Some(square) = gaussian_square(spec, under)? {
        return Ok(of_square(square));
    }
    if let MechanismSpec::Sampled { rate, inner } = spec
        && let Some(square) = gaussian_square(inner, under)?
    {
        // The loss of a sampled Gaussian has variance near q² (e^(μ²) - 1).
        return Ok(of_square(Enclosure::of_rational(rate).square() * square.expm1()));
    }
    let epsilon = Enclosure::of_rational(&cost::pure(spec, under)?);
    let response = Moments::of_response(epsilon)?;
    let variance = (response.square - response.mean.square()).max(Enclosure::ZERO);
    Ok((response.mean, variance))
}

/// μ² of a leaf that *is* Gaussian.
fn gaussian_square(
    spec: &MechanismSpec,
    under: Neighbours,
) -> Result<Option<Enclosure>, AccountError> {
    if let MechanismSpec::Leaf(Leaf::Gaussian { .. } | Leaf::Gdp { .. }) = spec {
        return Ok(Some(Enclosure::of_rational(&cost::gdp(spec, under)?)));
    }
    Ok(None)
}
