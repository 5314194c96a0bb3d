//! Weights that fall by a factor of at most e^β a step.

use throng_numeric::{Natural, Rational, fixed};

use crate::MechanismError;

/// 2^62: what weights are counted in.
pub(crate) const UNIT: u64 = 1 << 62;

/// The weights w_0 = 1 >= w_1 >= ... with w_k <= e^β w_(k+1): how much what happens k units
/// away counts in a smooth bound.
///
/// # Guarantee
/// Weights are multiples of 2^-62, so smooth bounds are exact; and β is an upper bound, not an
/// approximation: with R = ⌈2^62 e^-β⌉ (or a little more), w_(k+1) = ⌈w_k R⌉ in units of 2^-62,
/// so that w_(k+1) >= w_k e^-β. That is all that smoothness asks of them; that they come close to
/// e^(-βk) keeps the bound small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decay {
    beta: Rational,
    /// R.
    ratio: u64,
}

impl Decay {
    /// The steepest weights that fall by at most e^beta a step.
    ///
    /// # Errors
    /// If beta is below 2^-40 or above 32.
    pub fn new(beta: Rational) -> Result<Self, MechanismError> {
        if beta < Rational::new(1, 1_u64 << 40)? || beta > Rational::from(32) {
            return Err(MechanismError::invalid("beta", beta, "from 2^-40 to 32"));
        }
        let up = fixed::exp_neg(&beta, 62)?.upper;
        let ratio = u64::try_from(up.clamp(Natural::ONE, UNIT.into())).unwrap_or(UNIT);
        Ok(Self { beta, ratio })
    }

    /// The bound β on the logarithm of the fall from one weight to the next.
    #[must_use]
    pub const fn beta(&self) -> &Rational {
        &self.beta
    }

    /// w_0, w_1, ... in units of 2^-62, without end: from some k on they no longer fall.
    pub fn weights(&self) -> impl Iterator<Item = u64> + use<> {
        let ratio = u128::from(self.ratio);
        std::iter::successors(Some(UNIT), move |weight| {
            // At most 2^124; rounded up, and at most the weight before, as R <= 2^62.
            let product = u128::from(*weight) * ratio;
            u64::try_from(product.div_ceil(u128::from(UNIT))).ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// w_k <= e^β w_(k+1), against bounds of e^-β that are far finer than the weights.
    #[test]
    fn weights_fall_by_at_most_the_factor() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["1/1099511627776", "0.001", "1/8", "1", "5", "32"] {
            let beta: Rational = text.parse()?;
            let finest = Rational::new(fixed::exp_neg(&beta, 300)?.upper, Natural::ONE << 300)?;
            let decay = Decay::new(beta)?;
            let weights: Vec<u64> = decay.weights().take(2000).collect();
            assert_eq!(weights[0], UNIT);
            for pair in weights.windows(2) {
                let fallen = &Rational::from(pair[0]) * &finest;
                assert!(pair[1] <= pair[0]);
                assert!(Rational::from(pair[1]) + Rational::new(1, u64::MAX)? >= fallen, "{text}");
                assert!(Rational::from(pair[1]) <= fallen + Rational::from(5), "{text}");
            }
        }
        Ok(())
    }

    #[test]
    fn absurd_rates_are_refused() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["0", "-1", "33", "1e-13"] {
            assert!(Decay::new(text.parse()?).is_err());
        }
        Ok(())
    }
}
