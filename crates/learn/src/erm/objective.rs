//! Objective perturbation with certified approximate minima.
//!
//! A random linear term b·θ is added to the objective, whose minimum is then private; as only an
//! approximate minimum is ever known, a little noise goes on top of it.
//!
//! # Guarantee
//! Two steps, of which the first exists on paper only.
//!
//! *The exact minimum* θ* of Σ loss(x'θ) + Λ/2|θ|² + b·θ, b normal of deviation σ. With one score, |x| <= 1,
//! slopes of at most 1 and a curvature of at most β < Λ: θ determines b = -∇(...) on each of two neighbours, and the
//! two values differ by g = slope · x. The loss of privacy at θ* is the logarithm of the ratio of
//! Jacobians, at most l = -ln(1 - β/Λ) in size as they differ by a term of rank one, plus
//! (±2 b·g + |g|²)/(2σ²) <= |N|/σ + 1/(2σ²) with N = b·x/(|x|σ) standard normal. So with e = ε - l
//! and c = 1/σ
//!
//! δ(ε) <= E (1 - e^(e - c²/2 - c|N|))_+ = 2 H(e; c) if e >= c²/2, else 1 - e^(e-c²/2) (1 - 2 H(c²/2; c)),
//!
//! H(e; μ) the profile of Gaussian noise.
//!
//! *What is released*, given θ*: the point that was found, plus noise. b is drawn as an exact normal number
//! and rounded to a grid, which moves the gradient by at most √p/2 steps; the point found has a
//! certified gradient of at most γ. So it is within (γ + √p step/2)/Λ of θ*, on each neighbour, and the
//! Gaussian noise is made for twice that. Both steps compose: (ε₁ + ε₂, δ₁ + δ₂).
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
use super::minimum::{GAMMA, Objective};
use super::output::{finished, longest, released};
use super::rows::bounded;
use super::scores::Scores;
use crate::math::{count, number};
use crate::{Bounds, LearnError, Privacy};

/// The norm of rows and the parameters of both noises.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Perturbed {
    bounds: Bounds,
    loss: Loss,
    most: i64,
    penalty: f64,
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
        let cells = bounds.columns().saturating_add(1);
        let multiplier = privacy.gaussian()?.multiplier(1, 1)?.to_f64_nearest();
        let beta = loss.curvature();
        // Λ >= 4β/ε leaves l at most about a quarter of a small ε.
        let usual = (USUAL * multiplier * count(cells).sqrt()).max(4.0 * beta / epsilon.min(1.0));
        let penalty = penalty.unwrap_or(usual);
        if !(penalty > beta && penalty.is_finite()) {
            let allowed = format!("finite and above {beta}, the curvature of the loss");
            return Err(LearnError::invalid("the penalty", penalty, allowed));
        }
        let part = f64::from(ON_TOP);
        let (first, rest) = (epsilon * (1.0 - 1.5 / part), delta * (1.0 - 1.5 / part));
        let sigma = deviation(first, rest, beta, penalty)?;
        let grid = Grid::under(&sigma)?;
        let noise = on_top(cells, penalty, grid, epsilon / part, delta / part)?;
        let spec = spec(epsilon, delta, beta, penalty, &sigma)?;
        let (bounds, most) = (bounds.clone(), longest(bounds, norm)?);
        Ok(Self { bounds, loss, most, penalty, sigma, grid, noise, spec })
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
        let tilt = self.tilt(table.columns(), run)?;
        let objective = Objective { loss, table: &table, labels, most, penalty, tilt };
        let found = released(&objective.minimum()?, &self.noise, run)?;
        Ok(finished(&self.bounds, loss, most, found))
    }

    /// b: exact normal numbers, rounded to the grid.
    fn tilt(&self, cells: usize, run: &mut Run<'_>) -> Result<Vec<f64>, MechanismError> {
        let normal = RoundedNormal::new(&Rational::ZERO, &self.grid.in_steps(&self.sigma))?;
        let mut tilt = Vec::with_capacity(cells);
        for _ in 0..cells {
            // σ is 2^21 steps at most, so no draw that ever happens is beyond 2^53.
            let steps = Rational::from(normal.draw(run.entropy())?);
            tilt.push((steps * self.grid.step()).to_f64_nearest());
        }
        Ok(tilt)
    }
}

/// A penalty over the norm of the noise.
const USUAL: f64 = 0.1;

/// (epsilon, delta), if that is the target and the proof covers it.
fn target(privacy: &Privacy, loss: Loss) -> Result<(f64, f64), LearnError> {
    if loss.outputs() != 1 {
        return Err(LearnError::refused(
            "objective perturbation is proved for two classes only",
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

/// δ(ε) of the exact minimum, rounded up: see the module.
fn leak(epsilon: f64, beta: f64, penalty: f64, sigma: f64) -> Result<f64, LearnError> {
    let point = |x: f64| Enclosure::point(x);
    let ratio = point(beta)? / point(penalty)?;
    let e = point(epsilon)? + (-ratio).ln_1p()?;
    let c = Enclosure::ONE / point(sigma)?;
    let half = c.square() / point(2.0)?;
    // Both cases bound δ where e may be on either side of c²/2.
    let above = || Ok::<_, LearnError>(gaussian::delta(e, c)? + gaussian::delta(e, c)?);
    let below = || {
        let hidden = gaussian::delta(half, c)?;
        Ok::<_, LearnError>(Enclosure::ONE - (e - half).exp() * (Enclosure::ONE - hidden - hidden))
    };
    let delta = if e.lower() >= half.upper() {
        above()?
    } else if e.upper() <= half.lower() {
        below()?
    } else {
        above()?.max(below()?)
    };
    Ok(delta.upper().clamp(0.0, 1.0))
}

/// The smallest σ, nearly, of which δ(epsilon) is at most `delta`.
fn deviation(epsilon: f64, delta: f64, beta: f64, penalty: f64) -> Result<Rational, LearnError> {
    let fits = |sigma: f64| Ok::<_, LearnError>(leak(epsilon, beta, penalty, sigma)? <= delta);
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
    penalty: f64,
    tilted: Grid,
    epsilon: f64,
    delta: f64,
) -> Result<Noise, LearnError> {
    let coordinates = u64::try_from(cells).unwrap_or(u64::MAX);
    let privacy = Privacy::approximate(epsilon, delta)?;
    let under = privacy.neighbours();
    // √p/2 steps by rounding b, twice: √p steps.
    let rounding = Sensitivity::<L2>::of(Rational::from_f64(2.0 * GAMMA)?, under)?;
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
    beta: f64,
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
        let leak = leak(first, beta, penalty, sigma.to_f64_down())?;
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
mod tests {
    use super::*;
    use crate::math::{exp, ln};

    #[test]
    fn leaks_agree_with_the_vectors() {
        for (arguments, value) in crate::vectors::rows("objective") {
            let [beta, penalty, sigma, epsilon] =
                [0, 1, 2, 3].map(|i| crate::vectors::number(arguments[i]));
            let found = leak(epsilon, beta, penalty, sigma).unwrap();
            assert!(found >= value * (1.0 - 1e-12) && found <= value * (1.0 + 1e-9), "{found}");
        }
    }

    #[test]
    fn the_leak_is_that_of_the_literature() {
        // L = 1, β = 1/4, Λ = 1, σ = 4 at ε = 1.
        let found = leak(1.0, 0.25, 1.0, 4.0).unwrap();
        assert!((found - 0.000_456_959_157_13).abs() < 1e-14, "{found}");
        // Below e = c²/2 the other case; both agree where they meet.
        let l = -ln(1.0 - 0.25);
        let edge = l + 1.0 / 32.0;
        let (a, b) = (leak(edge - 1e-9, 0.25, 1.0, 4.0), leak(edge + 1e-9, 0.25, 1.0, 4.0));
        assert!((a.unwrap() - b.unwrap()).abs() < 1e-7);
        assert!(leak(0.0, 0.25, 1.0, 4.0).unwrap() <= 1.0);
    }

    #[test]
    fn the_leak_is_the_mean_it_stands_for() {
        // E (1 - e^(e - c²/2 - c|N|))_+ by the trapezoidal rule.
        for (epsilon, penalty, sigma) in [(1.0, 1.0, 4.0), (0.3, 1.0, 2.0), (0.5, 5.0, 1.0)] {
            let e: f64 = epsilon + ln(1.0 - 0.25 / penalty);
            let (c, step): (f64, f64) = (1.0 / sigma, 1e-4);
            let mean: f64 = (0..120_000)
                .map(|i| {
                    let x = (f64::from(i) + 0.5) * step;
                    let density = 2.0 * exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
                    (1.0 - exp(e - c * c / 2.0 - c * x)).max(0.0) * density * step
                })
                .sum();
            let found = leak(epsilon, 0.25, penalty, sigma).unwrap();
            assert!((found - mean).abs() < 1e-7, "{found} {mean}");
        }
    }

    #[test]
    fn the_noise_is_less_than_by_the_older_analysis() {
        // With Λ and γ of Iyengar et al. for n = 1000, ε = 1, δ = 1e-6: in sums instead of means,
        // σ = 1000 · 0.0140481108792594 there.
        let (epsilon, delta) = (0.99, 1e-6);
        let sigma = deviation(epsilon, delta, 0.25, 20.202_020_202_020_2).unwrap();
        assert!(sigma.to_f64_nearest() < 14.048_110_879_259_4 / 2.0);
        let found = leak(epsilon, 0.25, 20.202_020_202_020_2, sigma.to_f64_down()).unwrap();
        assert!(found <= delta && found > 0.9999 * delta);
    }
}
