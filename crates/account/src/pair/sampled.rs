//! Poisson sampling of a finite pair, exactly.

use throng_numeric::{Enclosure, Rational};

use super::discrete::{Atom, DiscretePair};
use crate::AccountError;

impl DiscretePair {
    /// The pair ((1-q)Q + qP, Q): an outcome of loss l now has ln(1 - q + q e^l).
    ///
    /// What only Q produces keeps the chance (1-q) of it under the first world: loss ln(1-q).
    ///
    /// # Errors
    /// If the rate is not strictly between 0 and 1.
    pub fn sampled(&self, rate: &Rational) -> Result<Self, AccountError> {
        if !rate.is_positive() || *rate >= Rational::ONE {
            return Err(AccountError::invalid("rate", rate, "strictly between 0 and 1"));
        }
        let q = Enclosure::of_rational(rate);
        let rest = Enclosure::of_rational(&(&Rational::ONE - rate));
        let mut atoms = Vec::with_capacity(self.atoms.len() + 1);
        if self.q_only.lower() > 0.0 {
            atoms.push(Atom { loss: rest.ln()?, p: rest * self.q_only, q: self.q_only });
        }
        for atom in &self.atoms {
            let loss = (q * atom.loss.expm1()).ln_1p()?;
            atoms.push(Atom { loss, p: rest * atom.q + q * atom.p, q: atom.q });
        }
        // What was cut off under Q only (q_only from 0 up) stays cut off in both worlds.
        let cut = if self.q_only.lower() > 0.0 { Enclosure::ZERO } else { self.q_only };
        Ok(Self { atoms, p_only: q * self.p_only + rest * cut, q_only: cut, lattice: None })
    }
}
