//! What two traces cost together, against what was claimed.

use throng_numeric::Rational;

use super::number::{measured, squared};
use super::{Draws, Norm, Number, Primitive};

/// What a whole run is claimed to cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// ε-privacy.
    Pure(Number),
    /// ρ-zero-concentrated privacy.
    Zcdp(Number),
}

impl Claimed {
    /// ε-privacy.
    pub fn pure(epsilon: impl Into<Number>) -> Self {
        Self::Pure(epsilon.into())
    }

    /// ρ-zero-concentrated privacy.
    pub fn zcdp(rho: impl Into<Number>) -> Self {
        Self::Zcdp(rho.into())
    }

    /// What was claimed.
    pub(super) const fn amount(&self) -> &Number {
        match self {
            Self::Pure(amount) | Self::Zcdp(amount) => amount,
        }
    }

    /// What a primitive costs on two inputs; `above` says what a comparison answered.
    ///
    /// # Why this is right
    /// Laplace noise of scale b on inputs at distance d in L1 is (d/b)-private and not less, Gaussian
    /// noise d²/(2σ²)-zero-concentrated; scores whose changes span d, weighed at rate λ, cost λd;
    /// and ε-privacy is ε²/2-zero-concentrated, ε²/8 if losses lie in a range of length ε. A comparison
    /// with a noisy threshold pays for Above, at twice the distance that queries move.
    pub(super) fn cost(
        &self,
        primitive: &Primitive,
        inputs: [&[Number]; 2],
        above: bool,
    ) -> Number {
        let pure = match &primitive.draws {
            Draws::Laplace { scale } => measured(Norm::L1, inputs).over(scale),
            Draws::Choice { rate, .. } => measured(Norm::Span, inputs).times(rate),
            Draws::Comparison { scale } if above => match &primitive.declared {
                Some(declared) => declared.distance.plus(&declared.distance).over(scale),
                None => Number::ZERO,
            },
            Draws::Comparison { .. } | Draws::Other(_) => Number::ZERO,
            Draws::Gaussian { sigma } => match self {
                Self::Pure(_) => squared(inputs).over(&Number::ZERO),
                Self::Zcdp(_) => {
                    let variance = sigma.times(sigma);
                    return squared(inputs).over(&variance.plus(&variance));
                }
            },
        };
        let ranged = matches!(primitive.draws, Draws::Choice { ranged: true, .. });
        match self {
            Self::Pure(_) => pure,
            Self::Zcdp(_) => {
                pure.times(&pure).over(&Rational::from(if ranged { 8 } else { 2 }).into())
            }
        }
    }
}
