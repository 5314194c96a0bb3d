//! A profile between two finite pairs.
//!
//! H_γ is convex in γ = e^ε. At knots ε_0 < ... < ε_m the profile gives bounds
//! `low` <= H <= `high`. From those alone:
//!
//! - **upper**: the polygon through (0, 1) and points (γ_i, u_i), u_i >= H, continued level, is
//!   above H, because chords of a convex function are, and H does not increase;
//! - **lower**: continued secants are below H; see `lower`.
//!
//! A convex polygon is a pair with finitely many outcomes (see [`super::polygon`]). Its masses are
//! differences of slopes, so computed masses give only nearly the polygon that was meant. What
//! is promised is about the *exact* curve of the pair returned: the chances under P are taken
//! as the `f64` they are, and the curve they generate is walked from the right,
//!
//! > U(γ_{i-1}) = U(γ_i) + V_i (1 - e^-(ε_i - ε_{i-1})),  V_{i-1} = V_i e^-(ε_i - ε_{i-1}) + p_{i-1},
//!
//! where V_i = γ_i Σ_{j>=i} q_j. All terms are positive: the walk is accurate relative to itself
//! and free of e^ε, which may be out of range.

mod knots;
mod lower;
mod upper;

use throng_numeric::Enclosure;

use super::Profile;
use super::discrete::{Atom, DiscretePair};
use crate::AccountError;
use crate::error::unless_given_up;

/// The profile at one exact place.
#[derive(Debug, Clone, Copy)]
struct Knot {
    epsilon: f64,
    /// Not above H.
    low: f64,
    /// Not below H.
    high: f64,
}

impl Knot {
    fn of(profile: &dyn Profile, epsilon: f64) -> Self {
        let delta = super::probability(profile.delta(epsilon));
        // H is at least 1 - e^ε, whatever the profile could tell.
        let least = Enclosure::point(epsilon).map_or(0.0, |e| super::one_minus_exp(e).lower());
        let low = delta.lower().max(least).max(0.0);
        Self { epsilon, low, high: delta.upper().max(low) }
    }
}

/// 1 - e^-(b - a) for b >= a.
fn share(a: f64, b: f64) -> Result<Enclosure, AccountError> {
    let run = Enclosure::point(b)? - Enclosure::point(a)?;
    Ok(super::one_minus_exp(-run).max(Enclosure::ZERO))
}

/// The curve of a pair being built from the right: at the place reached, its height U and V.
#[derive(Debug, Clone, Copy)]
struct Walk {
    epsilon: f64,
    height: Enclosure,
    /// V: e^epsilon times the Q-mass from here on, the outcome here included.
    slope: Enclosure,
}

impl Walk {
    fn from(epsilon: f64, level: f64) -> Result<Self, AccountError> {
        Ok(Self { epsilon, height: Enclosure::point(level)?, slope: Enclosure::ZERO })
    }

    /// The same curve further left.
    fn to(self, epsilon: f64) -> Result<Self, AccountError> {
        let share = share(epsilon, self.epsilon)?;
        Ok(Self {
            epsilon,
            height: self.height + self.slope * share,
            slope: self.slope * (Enclosure::ONE - share).max(Enclosure::ZERO),
        })
    }

    /// With an outcome of P-chance p here.
    fn with(self, p: f64) -> Result<Self, AccountError> {
        Ok(Self { slope: self.slope + Enclosure::point(p)?, ..self })
    }

    /// What P has left of 1: the curve continued straight to γ = 0 is height + slope there.
    fn left(self) -> Enclosure {
        Enclosure::ONE - self.height - self.slope
    }
}

/// An outcome of exact loss and exact chance under P.
fn atom(epsilon: f64, p: Enclosure) -> Result<Atom, AccountError> {
    let loss = Enclosure::point(epsilon)?;
    Ok(Atom { loss, p, q: p * (-loss).exp() })
}

/// Finite pairs above and below a profile, of about `cells` outcomes each.
///
/// `tilt` says which part matters: outcomes of loss ε count as e^(tilt ε) times their chance.
/// 0 weighs the body, the order at which a composition is inverted weighs its tail.
///
/// # Guarantee
/// The exact curve of the first pair is at least that of the profile, and the exact curve of the
/// second at most, at every γ >= 0. Accuracy is relative in the direction of the profile; for
/// the other direction, discretise the profile of (Q, P).
///
/// # Errors
/// If fewer than 4 cells are asked for, or the tilt is negative or not finite.
///
/// # Reference
/// V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi, "Connect the dots: tighter
/// discrete approximations of privacy loss distributions", 2022, for the upper pair.
pub fn discretise(
    profile: &dyn Profile,
    tilt: f64,
    cells: usize,
) -> Result<(DiscretePair, DiscretePair), AccountError> {
    if cells < 4 {
        return Err(AccountError::invalid("cells", cells, "at least 4"));
    }
    if !(tilt >= 0.0 && tilt.is_finite()) {
        return Err(AccountError::invalid("tilt", tilt, "at least 0 and finite"));
    }
    let knots = knots::place(profile, tilt, cells);
    unless_given_up()?;
    Ok((upper::pair(&knots)?, lower::pair(&knots)?))
}
