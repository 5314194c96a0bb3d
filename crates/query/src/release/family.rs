//! Noise in relative units.
//!
//! # Why a description does not depend on bounds that are chosen privately
//! A leaf of the spec says: noise of size `amount` on a contribution of norm 1. The noise that is
//! drawn has size `amount` times the *reach*, the norm of a unit's contribution in the steps that
//! cells are kept in, and the reach depends on bounds which may have been chosen along the way.
//!
//! **Theorem.** For each reach the pair of the noisy vectors is dominated by that of the leaf.
//!
//! *Proof.* x -> x/s is a bijection, so it maps the pair (N(0, s²a²), N(s, s²a²)) to
//! (N(0, a²), N(1, a²)) without changing any divergence, and likewise Laplace noise: a pair depends
//! on distance/size only. On the grid the noise is discrete. Gaussian: with e at least a times
//! the reach and σ = e + 1/(4e), noise of parameter σ hides at least as well as normal noise of deviation e
//! at every vector of integer shifts (`throng_account::conversion::grid`), that is μ <= reach/e <=
//! 1/a. Laplace: noise of scale b >= a (reach + 1) at a shift of at most `reach` is dominated by
//! continuous noise at the shift reach + 1/(4b) <= reach + 1 (the same module), a ratio of at most
//! 1/a. So the leaf holds for each value of the bounds, hence for bounds chosen after earlier
//! answers: composition is adaptive, as long as the leaves are fixed in advance, and they are. []
//!
//! [`Relative::noise`] does not trust this paragraph: it asks the noise for its own description and
//! refuses if that is not at least as private as the leaf.

use throng_account::{Leaf, Neighbours};
use throng_mechanism::{Grid, L1, L2, MechanismError, Noise, Sensitivity};
use throng_numeric::{Natural, Rational};

use crate::tally::Order;

/// Which laws hide the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Discrete Gaussian noise; distances are L2.
    Gaussian,
    /// Discrete Laplace noise; distances are L1.
    Laplace,
}

impl Family {
    /// The norm that it hides.
    pub(super) const fn order(self) -> Order {
        match self {
            Self::Gaussian => Order::L2,
            Self::Laplace => Order::L1,
        }
    }

    /// Its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian",
            Self::Laplace => "Laplace",
        }
    }
}

/// Noise as the accountant sees it: on a contribution of norm 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relative {
    /// The laws.
    pub(super) family: Family,
    /// Deviation or scale, over the reach.
    pub(super) amount: Rational,
}

impl Relative {
    /// What the accountant is told.
    pub(super) fn leaf(&self) -> Leaf {
        let (amount, sensitivity) = (self.amount.clone(), Rational::ONE);
        match self.family {
            Family::Gaussian => Leaf::Gaussian { sigma: amount, sensitivity },
            Family::Laplace => Leaf::Laplace { scale: amount, sensitivity },
        }
    }

    /// The noise for cells, in steps, to which one unit contributes at most `reach`.
    ///
    /// # Guarantee
    /// At least as private as [`Relative::leaf`]; checked here for the noise that is returned.
    pub(super) fn noise(
        &self,
        reach: &Rational,
        under: Neighbours,
    ) -> Result<Noise, MechanismError> {
        // The accountant's contribution: under replace a value moves by twice of it.
        let distance = match under {
            Neighbours::AddRemove | Neighbours::ZeroOut => reach.clone(),
            Neighbours::Replace => reach * &Rational::from(2),
        };
        let noise = match self.family {
            Family::Gaussian => {
                let e = short_above(&(&self.amount * reach).max(Rational::from(2)))?;
                let more = Rational::ONE.checked_div(&(&e * &Rational::from(4)))?;
                let sensitivity = Sensitivity::<L2>::of(distance, under)?;
                Noise::gaussian(&short_above(&(e + more))?, &sensitivity, Grid::WHOLE)?
            }
            Family::Laplace => {
                let scale = short_above(&(&self.amount * &(reach + &Rational::ONE)))?;
                let sensitivity = Sensitivity::<L1>::of(distance, under)?;
                Noise::laplace(&scale, &sensitivity, Grid::WHOLE)?
            }
        };
        if self.implied_by(&noise) { Ok(noise) } else { Err(too_coarse()) }
    }

    /// Whether the noise describes itself as no less private than the leaf.
    fn implied_by(&self, noise: &Noise) -> bool {
        let throng_account::MechanismSpec::Leaf(leaf) = noise.spec() else { return false };
        let ratio = |size: &Rational, of: &Rational| *size >= &self.amount * of;
        match (self.family, leaf) {
            (Family::Gaussian, Leaf::Gaussian { sigma, sensitivity }) => ratio(sigma, sensitivity),
            (Family::Laplace, Leaf::Laplace { scale, sensitivity }) => ratio(scale, sensitivity),
            // For noise on the integers the accountant knows the law itself; the continuous law at
            // the larger distance dominates it.
            _ => false,
        }
    }

    /// The deviation of the noise over the reach.
    pub(super) fn deviation(&self) -> f64 {
        let amount = self.amount.to_f64_nearest();
        match self.family {
            Family::Gaussian => amount,
            Family::Laplace => amount * std::f64::consts::SQRT_2,
        }
    }

    /// What |noise| is below half of the time, over the reach.
    pub(super) fn median(&self) -> f64 {
        let amount = self.amount.to_f64_nearest();
        match self.family {
            Family::Gaussian => amount * 0.674_489_750_196_081_7,
            Family::Laplace => amount * std::f64::consts::LN_2,
        }
    }
}

fn too_coarse() -> MechanismError {
    MechanismError::Refused {
        what: "the noise is too small for the grid of the cells".into(),
        hint: "ask for less precision".into(),
    }
}

/// The next multiple of 1/256: a number that samplers like.
fn short_above(x: &Rational) -> Result<Rational, MechanismError> {
    let parts = (x * &Rational::from(256)).ceil();
    Ok(Rational::new(parts, Natural::from(256_u32))?)
}
