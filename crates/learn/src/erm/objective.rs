//! Objective perturbation with certified approximate minima.
//!
//! A random linear term b·θ is added to the objective, whose minimum is then private; as only an
//! approximate minimum is ever known, a little noise goes on top of it.
//!
//! # Guarantee
//! Two steps, of which the first exists on paper only.
//!
//! *The exact minimum* θ* of Σ loss(x'θ) + Λ/2|θ|² + b·θ, b normal of deviation σ. θ determines
//! b = -∇(...), so on each of two neighbours θ* has the density of b there times the determinant of the second
//! derivatives. (A hinge has none at the ends of its bend; the map from b to θ is still one to one and
//! Lipschitz both ways, so the density is this almost everywhere.) Let one neighbour have a record
//! (x, y), |x| <= 1, more, and G be its gradient at θ*: b there is b without it, minus G.
//!
//! Determinants: the record adds a positive matrix A to one that is at least Λ, so their ratio is
//! det(1 + M) with M >= 0 of the rank of A and trace at most tr A/Λ: at least 1, and its logarithm, by
//! concavity, at most l = r ln(1 + tr A/(r Λ)). With one score r = 1 and tr A <= β. For the softmax of k scores
//! A = (diag(p) - pp') ⊗ xx' has a rank of at most k - 1 and trace of at most 1 - Σp² <= 1 - 1/k.
//!
//! Densities of b: with b that of the neighbour whose minimum is drawn, b of the other is b ± G, plus if
//! the record is there; the logarithm of the ratio is Z(±G), Z(G) = (2 b·G + |G|²)/(2σ²). That is
//! convex in G and 0 at 0; and G is in the hull of 0 and m corners V: with one score the slope has one
//! sign, given the label, and a size of at most 1, so m = 1 and V = ±x; for the softmax G = x(p - e_y)'
//! is in the hull of x(e_c - e_y)', m = k - 1, whose norm is at most √2. So, whatever G has to do
//! with b, Z(±G) <= max(0, Z(±V) for each V), and each Z(±V) is normal with mean c²/2 and variance c²,
//! c = |V|/σ: the loss of Gaussian noise.
//!
//! The loss of privacy is at most l + max(0, Z(V)) where the record is there, max(0, Z(-V)) where it is not.
//! With e = ε - l >= 0, in both directions
//!
//! δ(ε) <= E (1 - e^(e - max(0, Z(V), ...)))_+ <= Σ E (1 - e^(e - Z(V)))_+ <= m H(e; L/σ),
//!
//! H(e; μ) the profile of Gaussian noise, which grows with μ, and L = 1 or √2. The bound in the literature
//! for one score, 2 H(ε + ln(1 - β/Λ); 1/σ), does not use that slopes have one sign, and is never smaller.
//!
//! *What is released*, given θ*: the point that was found, plus noise. b is drawn as an exact normal number
//! and rounded to a grid, which moves the gradient by at most √p/2 steps, p weights; the point found is
//! certified to be within γ/Λ of the minimum with that. So it is within (γ + √p step/2)/Λ of θ*, on each
//! neighbour, and the Gaussian noise is made for twice that. Both steps compose: (ε₁ + ε₂, δ₁ + δ₂).
//!
//! # Reference
//! R. Iyengar et al., "Towards practical differentially private convex optimization" (2019); R. Redberg, A.
//! Koskela, Y.-X. Wang, "Improving the privacy and practicality of objective perturbation" (2023).

use throng_account::conversion::gaussian;
use throng_account::{Leaf, MechanismSpec, Neighbours, Target};
use throng_mechanism::{Grid, L2, MechanismError, Noise, Run, Sensitivity};
use throng_numeric::{Enclosure, Rational};
use throng_sample::RoundedNormal;

use super::loss::Loss;
use super::minimum::Objective;
use super::output::{finished, longest, released};
use super::rows::{bounded, square};
use super::scores::Scores;
use super::tolerance::Tolerance;
use crate::math::{count, number};
use crate::{Bounds, LearnError, Privacy};

/// The norm of rows and the parameters of both noises.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Perturbed {
    bounds: Bounds,
    loss: Loss,
    most: i64,
    penalty: f64,
    tolerance: Tolerance,
    /// σ, and the grid that b is rounded to.
    sigma: Rational,
    grid: Grid,
    noise: Noise,
    spec: MechanismSpec,
}

/// The part of (epsilon, delta) for the noise on top.
const ON_TOP: u32 = 50;

impl Perturbed {
    pub(crate) fn new(
        bounds: &Bounds,
        loss: Loss,
        privacy: &Privacy,
        penalty: Option<f64>,
        norm: Option<f64>,
    ) -> Result<Self, LearnError> {
        let (epsilon, delta) = target(privacy, loss)?;
        let most = longest(bounds, norm)?;
        let columns = bounds.columns().saturating_add(1);
        let cells = columns.saturating_mul(loss.outputs());
        let multiplier = privacy.gaussian()?.multiplier(1, 1)?.to_f64_nearest();
        // Λ >= 4 tr A/ε leaves l at most a quarter of a small ε.
        let least = 4.0 * Corners::of(loss).trace / epsilon.min(1.0);
        let usual = (USUAL * multiplier * count(cells).sqrt()).max(least);
        let penalty = crate::error::positive("the penalty", penalty.unwrap_or(usual))?;
        let part = f64::from(ON_TOP);
        let (first, rest) = (epsilon * (1.0 - 1.5 / part), delta * (1.0 - 1.5 / part));
        let sigma = deviation(first, rest, loss, penalty)?;
        let tolerance = Tolerance::new(loss, columns, number(most), penalty, reach(&sigma, cells))?;
        let grid = Grid::under(&sigma)?;
        let noise = on_top(cells, (penalty, tolerance.gamma), grid, epsilon / part, delta / part)?;
        let spec = spec(epsilon, delta, loss, penalty, &sigma)?;
        let bounds = bounds.clone();
        Ok(Self { bounds, loss, most, penalty, tolerance, sigma, grid, noise, spec })
    }

    pub(crate) fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    pub(crate) fn run(
        &self,
        records: &[&[f64]],
        labels: &[usize],
        run: &mut Run<'_>,
    ) -> Result<Scores, MechanismError> {
        let table = bounded(&self.bounds, records, self.most);
        let (loss, penalty, most) = (self.loss, self.penalty, number(self.most));
        let tilt = self.tilt(table.columns().saturating_mul(loss.outputs()), run)?;
        let tolerance = self.tolerance;
        let objective = Objective { loss, table: &table, labels, most, penalty, tilt, tolerance };
        let found = released(&objective.minimum()?, &self.noise, run)?;
        Ok(finished(&self.bounds, loss, most, found))
    }

    /// b: exact normal numbers, rounded to the grid.
    ///
    /// # Errors
    /// If it is longer than what the minimum was proved to be found for: a chance of e^-72, without a
    /// look at any data.
    fn tilt(&self, cells: usize, run: &mut Run<'_>) -> Result<Vec<f64>, MechanismError> {
        let normal = RoundedNormal::new(&Rational::ZERO, &self.grid.in_steps(&self.sigma))?;
        let mut tilt = Vec::with_capacity(cells);
        for _ in 0..cells {
            // σ is 2^21 steps at most, so no draw that ever happens is beyond 2^53.
            let steps = Rational::from(normal.draw(run.entropy())?);
            tilt.push((steps * self.grid.step()).to_f64_nearest());
        }
        if square(&tilt).sqrt() > reach(&self.sigma, cells) {
            return Err(MechanismError::Refused {
                what: "a random tilt came out longer than any ever should".to_owned(),
                hint: "look at the source of randomness".to_owned(),
            });
        }
        Ok(tilt)
    }
}

/// How long b is at most: a normal vector of p numbers is longer than σ(√p + t) with a chance of at most
/// e^(-t²/2), and rounding adds less than 1.
fn reach(sigma: &Rational, cells: usize) -> f64 {
    sigma.to_f64_up() * (count(cells).sqrt() + 13.0)
}

/// A penalty over the norm of the noise.
const USUAL: f64 = 0.1;

/// (epsilon, delta), if that is the target and the proof covers it.
fn target(privacy: &Privacy, loss: Loss) -> Result<(f64, f64), LearnError> {
    if matches!(loss, Loss::Hinge { .. }) && loss.outputs() != 1 {
        return Err(LearnError::refused(
            "objective perturbation of hinges is proved for two classes only",
            "use the method `gradient` or `output`",
        ));
    }
    if privacy.neighbours() == Neighbours::Replace {
        return Err(LearnError::refused(
            "objective perturbation is proved for adding or removing a record only",
            "use the method `gradient` or `output`",
        ));
    }
    match *privacy.target() {
        Target::Epsilon { epsilon, delta } if delta > 0.0 => Ok((epsilon, delta)),
        Target::Epsilon { .. }
        | Target::Gdp { .. }
        | Target::Zcdp { .. }
        | Target::Detection { .. }
        | Target::Advantage { .. } => Err(LearnError::refused(
            "objective perturbation is made for (epsilon, delta)",
            "give both, or use the method `gradient` or `output`",
        )),
    }
}

/// The hull of the gradients of a record, and what it adds to second derivatives: see the module.
struct Corners {
    /// m, which is r too.
    number: f64,
    /// L².
    square: f64,
    /// A bound of tr A; not below the exact one.
    trace: f64,
}

impl Corners {
    fn of(loss: Loss) -> Self {
        match loss.outputs() {
            1 => Self { number: 1.0, square: 1.0, trace: loss.curvature() },
            k => {
                let trace = (1.0 - 1.0 / count(k)).next_up();
                Self { number: count(k) - 1.0, square: 2.0, trace }
            }
        }
    }

    /// l.
    fn stretch(&self, penalty: f64) -> Result<Enclosure, LearnError> {
        let rank = Enclosure::point(self.number)?;
        let each = Enclosure::point(self.trace)? / (rank * Enclosure::point(penalty)?);
        Ok(rank * each.ln_1p()?)
    }
}

/// δ(ε) of the exact minimum, rounded up: see the module.
fn leak(epsilon: f64, loss: Loss, penalty: f64, sigma: f64) -> Result<f64, LearnError> {
    let corners = Corners::of(loss);
    let rest = Enclosure::point(epsilon)? - corners.stretch(penalty)?;
    if rest.lower() < 0.0 {
        return Ok(1.0);
    }
    let mu = Enclosure::point(corners.square)?.sqrt()? / Enclosure::point(sigma)?;
    let delta = Enclosure::point(corners.number)? * gaussian::delta(rest, mu)?;
    Ok(delta.upper().clamp(0.0, 1.0))
}

/// The smallest σ, nearly, of which δ(epsilon) is at most `delta`.
fn deviation(epsilon: f64, delta: f64, loss: Loss, penalty: f64) -> Result<Rational, LearnError> {
    let fits = |sigma: f64| Ok::<_, LearnError>(leak(epsilon, loss, penalty, sigma)? <= delta);
    let (mut low, mut high) = (1e-3, 1e9);
    if !fits(high)? {
        return Err(LearnError::refused(
            format!("a penalty of {penalty} alone costs more than epsilon = {epsilon}"),
            "raise the penalty",
        ));
    }
    // Halves the ratio, until it is 1 up to 10^-9.
    for _ in 0..45 {
        let middle = (low * high).sqrt();
        if fits(middle)? { high = middle } else { low = middle }
    }
    decimal_above(high)
}

/// Gaussian noise for twice the distance of what is found from the exact minimum.
fn on_top(
    cells: usize,
    (penalty, gamma): (f64, f64),
    tilted: Grid,
    epsilon: f64,
    delta: f64,
) -> Result<Noise, LearnError> {
    let coordinates = u64::try_from(cells).unwrap_or(u64::MAX);
    let privacy = Privacy::approximate(epsilon, delta)?;
    let under = privacy.neighbours();
    // √p/2 steps by rounding b, twice: √p steps.
    let rounding = Sensitivity::<L2>::of(Rational::from_f64(2.0 * gamma)?, under)?;
    let gradients = rounding.rounded(coordinates, tilted)?;
    let moved = gradients.distance().checked_div(&Rational::from_f64(penalty)?)?;
    let grid = Grid::under(&moved)?;
    let moved = Sensitivity::<L2>::of(moved, under)?.rounded(coordinates, grid)?;
    privacy.gaussian()?.noise((1, 1), moved.distance(), grid)
}

/// Both steps together, at several epsilon; the last is the target.
fn spec(
    epsilon: f64,
    delta: f64,
    loss: Loss,
    penalty: f64,
    sigma: &Rational,
) -> Result<MechanismSpec, LearnError> {
    let part = f64::from(ON_TOP);
    let mut knots = Vec::new();
    for share in [0.5, 0.75, 0.9, 1.0] {
        let total = epsilon * share;
        // ε/50 is for the noise on top, a little more for rounding this difference.
        let first = total - 1.01 * epsilon / part;
        // δ falls with σ, so a number a little below σ serves.
        let leak = leak(first, loss, penalty, sigma.to_f64_down())?;
        let leak = decimal_above((leak + 1.01 * delta / part).min(1.0))?;
        knots.push((
            Rational::from_f64(total)?,
            if leak > Rational::ONE { Rational::ONE } else { leak },
        ));
    }
    Ok(MechanismSpec::leaf(Leaf::Profile { knots })?)
}

/// A number of eight digits that is not smaller.
fn decimal_above(x: f64) -> Result<Rational, LearnError> {
    let exact = Rational::from_f64(x)?;
    let short = format!("{:.7e}", x * (1.0 + 1e-6)).parse::<Rational>();
    Ok(short.ok().filter(|short| *short >= exact).unwrap_or(exact))
}

#[cfg(test)]
mod tests;
