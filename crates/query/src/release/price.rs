//! How much noise a cost buys.
//!
//! All noise of a batch scales with one number t: at shares w_i of the cost, Gaussian noise has a
//! deviation of 1/(t √w_i) and Laplace noise a scale of 1/(t w_i), over the reach; a quantile in each of g
//! cells has ε = 2t √(w_i/g) next to Gaussian noise (as g ε²/8 is what it costs in zCDP, and t²/2 what
//! all costs) or t w_i/g next to Laplace noise. More of t is less private, so the largest t that fits is searched.
//!
//! # Guarantee
//! The search may guess as it likes: what it returns was certified by the accountant for the whole
//! spec, in the currency of the request.

use throng_account::conversion::zcdp::{self, Zcdp};
use throng_account::filter::cost;
use throng_account::{
    Accuracy, Leaf, MechanismSpec, Neighbours, PrivacyLoss, Target, Template, calibrate,
};
use throng_mechanism::MechanismError;
use throng_numeric::{Enclosure, Rational};

use super::Cost;
use super::family::{Family, Relative};
use crate::QueryError;

/// Something to be paid for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// Noise on a vector of cells, at a share of the cost.
    Noise { share: f64 },
    /// A selection in each of so many cells, at a share of the cost.
    Selection { share: f64, cells: u64 },
}

/// What is bought for a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Amount {
    /// Noise.
    Noise(Relative),
    /// Selections of this range in each of so many cells.
    Selection { epsilon: Rational, cells: u64 },
}

impl Amount {
    fn spec(&self) -> Result<MechanismSpec, QueryError> {
        Ok(match self {
            Self::Noise(relative) => MechanismSpec::leaf(relative.leaf())?,
            Self::Selection { epsilon, cells } => {
                let one = MechanismSpec::leaf(Leaf::Exponential { epsilon: epsilon.clone() })?;
                if *cells == 1 { one } else { MechanismSpec::repeated(*cells, one)? }
            }
        })
    }
}

/// Everything that is bought, with its description.
#[derive(Debug, Clone)]
pub(super) struct Bill {
    pub(super) family: Family,
    pub(super) parts: Vec<Part>,
    pub(super) leaks: Vec<Rational>,
    pub(super) under: Neighbours,
}

impl Bill {
    /// What each part gets at t.
    pub(super) fn amounts(&self, t: f64) -> Result<Vec<Amount>, QueryError> {
        self.parts.iter().map(|part| self.amount(*part, t)).collect()
    }

    fn amount(&self, part: Part, t: f64) -> Result<Amount, QueryError> {
        Ok(match (part, self.family) {
            (Part::Noise { share }, Family::Gaussian) => self.noise(1.0 / (t * share.sqrt()))?,
            (Part::Noise { share }, Family::Laplace) => self.noise(1.0 / (t * share))?,
            (Part::Selection { share, cells }, Family::Gaussian) => {
                let epsilon = 2.0 * t * (share / number(cells)).sqrt();
                Amount::Selection { epsilon: short(epsilon, false)?, cells }
            }
            (Part::Selection { share, cells }, Family::Laplace) => {
                Amount::Selection { epsilon: short(t * share / number(cells), false)?, cells }
            }
        })
    }

    /// Never so little that the grid of the cells would show.
    fn noise(&self, amount: f64) -> Result<Amount, QueryError> {
        let amount = short(amount.max(1.0 / 1024.0), true)?;
        Ok(Amount::Noise(Relative { family: self.family, amount }))
    }

    /// The description of all of it.
    pub(super) fn spec(&self, amounts: &[Amount]) -> Result<MechanismSpec, QueryError> {
        let mut parts = amounts.iter().map(Amount::spec).collect::<Result<Vec<_>, _>>()?;
        for leak in &self.leaks {
            let leaf = Leaf::ApproxDp { epsilon: Rational::ZERO, delta: leak.clone() };
            parts.push(MechanismSpec::leaf(leaf)?);
        }
        match (parts.len(), parts.pop()) {
            (1, Some(only)) => Ok(only),
            (_, last) => {
                parts.extend(last);
                Ok(MechanismSpec::composed(parts)?)
            }
        }
    }

    /// The most that a cost buys.
    pub(super) fn solve(&self, cost: &Cost) -> Result<Vec<Amount>, QueryError> {
        let start = self.start(cost)?;
        let fits = |t: f64| self.fits(t, cost);
        let exact = !self.parts.iter().any(|part| matches!(part, Part::Selection { .. }));
        let closed = exact || self.family == Family::Laplace;
        let t = if closed { first_below(start, fits)? } else { largest(start, fits)? };
        self.amounts(t)
    }

    /// Where to look first: what it would be if all were Gaussian, or all pure.
    fn start(&self, cost: &Cost) -> Result<f64, QueryError> {
        let less = match self.under {
            Neighbours::AddRemove | Neighbours::ZeroOut => 1.0,
            // Contributions count twice.
            Neighbours::Replace => 0.5,
        };
        match (cost, self.family) {
            (Cost::Epsilon { epsilon, .. }, Family::Laplace) => Ok(epsilon.to_f64_down() * less),
            (Cost::Epsilon { epsilon, delta }, Family::Gaussian) => {
                let leak = self.leaks.iter().fold(Rational::ZERO, |sum, leak| sum + leak.clone());
                let rest = (delta - &leak).to_f64_down();
                let target = Target::Epsilon { epsilon: epsilon.to_f64_down(), delta: rest };
                let template = Template::parse("gaussian(sigma=?)")?;
                let found = calibrate(&template, &target, self.under, Accuracy::default())?;
                Ok(1.0 / found.value.to_f64_up())
            }
            (Cost::Zcdp { rho, .. }, _) => Ok((2.0 * rho.to_f64_down()).sqrt() * less),
            (Cost::Gdp { mu, .. }, _) => Ok(mu.to_f64_down() * less),
            (Cost::Error { .. }, _) => Ok(1.0),
        }
    }

    fn fits(&self, t: f64, cost: &Cost) -> Result<bool, QueryError> {
        let spec = self.spec(&self.amounts(t)?)?;
        is_covered(&spec, cost, self.under)
    }
}

/// Whether a cost covers a spec, certified.
pub(super) fn is_covered(
    spec: &MechanismSpec,
    cost: &Cost,
    under: Neighbours,
) -> Result<bool, QueryError> {
    Ok(match cost {
        Cost::Epsilon { epsilon, delta } if delta.is_zero() => cost::pure(spec, under)? <= *epsilon,
        Cost::Epsilon { epsilon, delta } => {
            let (rest, leak) = without_leaks(spec)?;
            // Quick where there is a finite loss: pairs add. Next to Laplace noise of few parts the
            // accountant finds nothing better, as all losses are at their largest together with a
            // chance far above delta.
            if leak <= *delta && cost::pure(&rest, under).is_ok_and(|pure| pure <= *epsilon) {
                return Ok(true);
            }
            if has_selections(&rest) {
                return is_concentrated(&rest, epsilon, &(delta - &leak), under);
            }
            let loss = PrivacyLoss::of_spec(spec, under, Accuracy { width: 1e-3 })?;
            loss.delta(epsilon.to_f64_down())?.upper <= delta.to_f64_down()
        }
        Cost::Zcdp { rho, delta } => {
            let price = cost::zcdp(spec, under)?;
            price.rho <= *rho && price.delta <= *delta
        }
        Cost::Gdp { mu, delta } => {
            let (rest, leak) = without_leaks(spec)?;
            cost::gdp(&rest, under)? <= mu.square() && leak <= *delta
        }
        Cost::Error { .. } => true,
    })
}

fn has_selections(spec: &MechanismSpec) -> bool {
    match spec {
        MechanismSpec::Leaf(leaf) => matches!(leaf, Leaf::Exponential { .. }),
        MechanismSpec::Composed(parts) => parts.iter().any(has_selections),
        MechanismSpec::Repeated { inner, .. } => has_selections(inner),
        MechanismSpec::Sampled { .. }
        | MechanismSpec::WithoutReplacement { .. }
        | MechanismSpec::Shuffled { .. }
        | MechanismSpec::Allocated { .. }
        | MechanismSpec::Group { .. }
        | MechanismSpec::Mixed(_)
        | MechanismSpec::Parallel(_)
        | MechanismSpec::PostProcessed(_) => false,
    }
}

/// Whether what a spec costs in zCDP implies (epsilon, delta): a few percent more than the
/// accountant finds by inverting transforms, in microseconds instead of many milliseconds. What leaks
/// besides adds to delta.
fn is_concentrated(
    spec: &MechanismSpec,
    epsilon: &Rational,
    delta: &Rational,
    under: Neighbours,
) -> Result<bool, QueryError> {
    let price = cost::zcdp(spec, under)?;
    let bound = Zcdp::of_rho(Enclosure::of_rational(&price.rho))?;
    let epsilon = Enclosure::point(epsilon.to_f64_down()).map_err(MechanismError::from)?;
    let found = zcdp::delta(bound, epsilon)?.value.upper();
    Ok(price.delta.is_zero() && delta.is_positive() && found <= delta.to_f64_down())
}

/// A spec without the leaks of its thresholds, and their sum.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn without_leaks(spec: &MechanismSpec) -> Result<(MechanismSpec, Rational), QueryError> {
    let MechanismSpec::Composed(parts) = spec else { return Ok((spec.clone(), Rational::ZERO)) };
    let mut leak = Rational::ZERO;
    let mut rest = Vec::new();
    for part in parts {
        match part {
            MechanismSpec::Leaf(Leaf::ApproxDp { epsilon, delta }) if epsilon.is_zero() => {
                leak = leak + delta.clone();
            }
            other => rest.push(other.clone()),
        }
    }
    Ok((MechanismSpec::composed(rest)?, leak))
}

type Fits<'a> = dyn Fn(f64) -> Result<bool, QueryError> + 'a;

/// The first of t, a little less, less, ... that fits.
fn first_below(
    start: f64,
    fits: impl Fn(f64) -> Result<bool, QueryError>,
) -> Result<f64, QueryError> {
    let mut less = 1e-6;
    while less < 1.0 {
        let t = start * (1.0 - less);
        if fits(t)? {
            return Ok(t);
        }
        less *= 4.0;
    }
    Err(nothing_fits())
}

/// About the largest t that fits.
fn largest(start: f64, fits: impl Fn(f64) -> Result<bool, QueryError>) -> Result<f64, QueryError> {
    let fits: &Fits<'_> = &fits;
    let (mut low, mut high) = bracket(start, fits)?;
    for _ in 0..6 {
        let middle = (low * high).sqrt();
        if fits(middle)? { low = middle } else { high = middle }
    }
    Ok(low)
}

/// One that fits, and one that does not.
fn bracket(start: f64, fits: &Fits<'_>) -> Result<(f64, f64), QueryError> {
    let mut t = start * (1.0 - 1e-6);
    if fits(t)? {
        for _ in 0..40 {
            if !fits(t * 1.25)? {
                break;
            }
            t *= 1.25;
        }
        return Ok((t, t * 1.25));
    }
    for _ in 0..200 {
        if fits(t * 0.8)? {
            return Ok((t * 0.8, t));
        }
        t *= 0.8;
    }
    Err(nothing_fits())
}

fn nothing_fits() -> QueryError {
    QueryError::invalid(
        "no noise is small enough to be useful and large enough for this cost",
        "ask for less at once, or at a higher cost",
    )
}

/// A number of six digits next to x, above or below.
pub(super) fn short(x: f64, up: bool) -> Result<Rational, QueryError> {
    let factor = if up { 1.000_005 } else { 0.999_995 };
    let text = format!("{:.5e}", x * factor);
    text.parse().map_err(|_| nothing_fits())
}

#[expect(clippy::cast_precision_loss, reason = "a count of cells, for the choice of shares only")]
pub(super) fn number(n: u64) -> f64 {
    n as f64
}
