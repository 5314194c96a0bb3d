//! Noise scaled to a smooth bound, with what it costs.

use throng_account::{Leaf, MechanismSpec};
use throng_numeric::{Enclosure, Integer, Rational};

use super::law::SmoothLaw;
use super::normal;
use super::{Decay, Local};
use crate::grid::MOST_STEPS;
use crate::replay::Observed;
use crate::{MechanismError, Run};

/// Noise of scale S/s for a value of smooth bound S at rate β.
///
/// | law | guarantee | why |
/// |---|---|---|
/// | Student, d degrees | pure, ε = d β + s (d+1)/(2√d) | below |
/// | Laplace log-normal of σ | zCDP, ρ = (β/σ + e^(3σ²/2) s)²/2 | below |
/// | normal | (ε, δ), by exact tails | `smooth/normal.rs` |
///
/// # Guarantee
/// Let f be the value and S the bound, S(x) >= |f(x) - f(x')| and S(x) <= e^β S(x') for all
/// neighbours. Then the nearest integer to f + (S/s) T, for the exact real number T, is as private as
/// [`SmoothNoise::spec`] says under that relation: rounding a real number is post-processing.
///
/// # Why this is right
/// From the law on x to that on x' in two steps: *moved* to the centre f(x'), by at most s in units of
/// its scale, then *stretched* by e^v, |v| <= β. The roles of x and x' may be exchanged.
///
/// *Student.* With u = t²/d >= 0 the logarithm of the density h changes with t by at most
/// (d+1)(|t|/d)/(1+u) <= (d+1)/(2√d), and ln(e^-v h(e^-v t)) changes with v by
/// -1 + (d+1) u/(1+u), between -1 and d. (The literature has d + 1 for d here.)
///
/// *Laplace log-normal.* Stretching X e^(σY) by e^v moves Y by v/σ, which costs (v/σ)²/2 as
/// normal noise does. Its density is E ½ e^(-σY) exp(-|z| e^(-σY)), whose logarithm changes with z
/// by at most the mean of e^(-σY) weighted by e^(-σY) exp(-|z| e^(-σY)); weights that fall in e^(-σY)
/// make this smaller, so it is largest at z = 0: e^(2σ²)/e^(σ²/2). So moving is pure with
/// s e^(3σ²/2), hence zCDP with half its square; and the roots of ρ add along a path.
///
/// # Reference
/// Nissim, Raskhodnikova, Smith, *Smooth Sensitivity and Sampling in Private Data Analysis* (2007);
/// Bun and Steinke, *Average-Case Averages: Private Algorithms for Smooth Sensitivity and Mean
/// Estimation* (2019).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmoothNoise {
    law: SmoothLaw,
    decay: Decay,
    shift: Rational,
    spec: MechanismSpec,
}

impl SmoothNoise {
    /// Student's law with 4 degrees of freedom (variance 2), half of ε for stretching.
    ///
    /// The best share depends on the data: where S is w_k A_k for one k, it is
    /// β = ε/d - 1/k. Half is within a factor of 2 of the s of every smaller share.
    ///
    /// # Errors
    /// If ε is not from 2^-37 to 256.
    pub fn student_for(epsilon: &Rational) -> Result<Self, MechanismError> {
        Self::student(epsilon, 4, &(epsilon * &Rational::new(1, 8_u8)?))
    }

    /// Student's law: ε-private.
    ///
    /// # Errors
    /// If the degrees are not even from 2 to 16, or d β is not below ε, or β is not from 2^-40 to
    /// 32.
    pub fn student(
        epsilon: &Rational,
        degrees: u32,
        beta: &Rational,
    ) -> Result<Self, MechanismError> {
        let left = epsilon - &(beta * &Rational::from(degrees));
        if !left.is_positive() {
            return Err(MechanismError::invalid("beta", beta, "below epsilon over the degrees"));
        }
        // s = left 2 √d/(d+1), with √d from below.
        let root = Enclosure::of_rational(&Rational::from(degrees)).sqrt()?.lower();
        let factor = Rational::new(2, degrees.saturating_add(1))? * Rational::from_f64(root)?;
        let leaf = Leaf::Pure { epsilon: epsilon.clone() };
        Self::of(SmoothLaw::Student { degrees }, beta, (left * factor).to_f64_down(), leaf)
    }

    /// The Laplace log-normal law with σ = 1/2, half of √(2ρ) for stretching.
    ///
    /// # Errors
    /// If ρ is not above 1e-20 and at most 1000.
    pub fn laplace_log_normal_for(rho: &Rational) -> Result<Self, MechanismError> {
        if *rho > Rational::from(1000) || *rho < Rational::from_f64(1e-20)? {
            return Err(MechanismError::invalid("rho", rho, "from 1e-20 to 1000"));
        }
        let root = Enclosure::of_rational(&(rho + rho)).sqrt()?.lower();
        let beta = Rational::from_f64(root)? * Rational::new(1, 4_u8)?;
        Self::laplace_log_normal(rho, &Rational::new(1, 2_u8)?, &beta)
    }

    /// The Laplace log-normal law: ρ-zCDP.
    ///
    /// # Errors
    /// If σ is not above 0 and at most 64, or β/σ is not below √(2ρ), or β is not from 2^-40 to 32.
    pub fn laplace_log_normal(
        rho: &Rational,
        sigma: &Rational,
        beta: &Rational,
    ) -> Result<Self, MechanismError> {
        if !sigma.is_positive() || *sigma > Rational::from(64) {
            return Err(MechanismError::invalid("sigma", sigma, "above 0 and at most 64"));
        }
        let root = Enclosure::of_rational(&(rho + rho)).sqrt()?;
        let left = root - Enclosure::of_rational(&beta.checked_div(sigma)?);
        if left.lower() <= 0.0 {
            return Err(MechanismError::invalid("beta", beta, "below sigma times √(2 rho)"));
        }
        let growth = Rational::new(3, 2_u8)? * sigma.square();
        let shift = left / Enclosure::of_rational(&growth).exp();
        let leaf = Leaf::Zcdp { rho: rho.clone(), xi: Rational::ZERO };
        Self::of(SmoothLaw::LaplaceLogNormal { sigma: sigma.clone() }, beta, shift.lower(), leaf)
    }

    /// Normal noise, half of ε and δ each for moving and for stretching.
    ///
    /// # Errors
    /// If ε is not from 1e-6 to 64 or δ not above 1e-200 and below 1.
    pub fn gaussian_for(epsilon: &Rational, delta: &Rational) -> Result<Self, MechanismError> {
        check_target(epsilon, delta)?;
        let beta = Rational::from_f64(normal::most_decay(epsilon, delta)?)?;
        Self::gaussian(epsilon, delta, &beta)
    }

    /// Normal noise: (ε, δ)-private.
    ///
    /// # Errors
    /// As for [`SmoothNoise::gaussian_for`]; or if β is so large that stretching takes all of δ.
    pub fn gaussian(
        epsilon: &Rational,
        delta: &Rational,
        beta: &Rational,
    ) -> Result<Self, MechanismError> {
        check_target(epsilon, delta)?;
        let decay = Decay::new(beta.clone())?;
        let Some(shift) = normal::most_shift(epsilon, delta, decay.beta())? else {
            return Err(MechanismError::invalid(
                "beta",
                beta,
                "so small that stretching leaves a part of delta",
            ));
        };
        let leaf = Leaf::ApproxDp { epsilon: epsilon.clone(), delta: delta.clone() };
        Self::of(SmoothLaw::Normal, beta, shift, leaf)
    }

    /// s is a number, so that scales are short enough for the samplers whatever the data.
    fn of(law: SmoothLaw, beta: &Rational, s: f64, leaf: Leaf) -> Result<Self, MechanismError> {
        law.check()?;
        if s.is_nan() || s <= 1e-30 {
            return Err(MechanismError::invalid("what beta leaves", s, "above 1e-30"));
        }
        let decay = Decay::new(beta.clone())?;
        let spec = MechanismSpec::leaf(leaf)?;
        Ok(Self { law, decay, shift: Rational::from_f64(s)?, spec })
    }

    /// The law of T.
    #[must_use]
    pub const fn law(&self) -> &SmoothLaw {
        &self.law
    }

    /// The rate at which the bound is smooth.
    #[must_use]
    pub const fn decay(&self) -> &Decay {
        &self.decay
    }

    /// s: the noise is S/s times T.
    #[must_use]
    pub const fn shift(&self) -> &Rational {
        &self.shift
    }

    /// What it costs.
    #[must_use]
    pub const fn spec(&self) -> &MechanismSpec {
        &self.spec
    }

    /// The value with noise, in steps; saturates at [`MOST_STEPS`]. Bounds below one step count as
    /// one.
    pub(crate) fn added_to(&self, at: &Local, run: &mut Run<'_>) -> Result<i64, MechanismError> {
        let scale = (&at.bound).max(&Rational::ONE).checked_div(&self.shift)?;
        run.observe(|| Observed::drawn("smooth noise"));
        let noisy = self.law.draw(&at.value, &scale, run)?;
        let most = Integer::from(MOST_STEPS);
        Ok(i64::try_from(noisy.clamp(-&most, most)).unwrap_or(MOST_STEPS))
    }
}

fn check_target(epsilon: &Rational, delta: &Rational) -> Result<(), MechanismError> {
    if *epsilon < Rational::new(1, 1_000_000_u32)? || *epsilon > Rational::from(64) {
        return Err(MechanismError::invalid("epsilon", epsilon, "from 1e-6 to 64"));
    }
    if *delta < Rational::from_f64(1e-200)? || *delta >= Rational::ONE {
        return Err(MechanismError::invalid("delta", delta, "from 1e-200 to 1"));
    }
    Ok(())
}
