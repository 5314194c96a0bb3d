//! Pairs with finitely many outcomes, each known by an enclosure.

use throng_numeric::{Enclosure, Rational};

use super::{Profile, one_minus_exp, probability};
use crate::AccountError;

/// One outcome, or all outcomes of one likelihood ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Atom {
    /// ln(p/q).
    pub loss: Enclosure,
    /// The chance under P.
    pub p: Enclosure,
    /// The chance under Q.
    pub q: Enclosure,
}

impl Atom {
    /// The same outcome with the worlds exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { loss: -self.loss, p: self.q, q: self.p }
    }

    /// (p - e^epsilon q)_+ = p (1 - e^(epsilon - loss))_+, relative to itself.
    fn excess(&self, epsilon: Enclosure) -> Enclosure {
        self.p * one_minus_exp(epsilon - self.loss).max(Enclosure::ZERO)
    }
}

/// What the losses of a pair are whole multiples of, exactly.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// A rational number.
    Rational(Rational),
    /// The natural logarithm of a rational number above 1.
    Log(Rational),
}

/// Losses on a lattice: the loss of atom i is `offset + indices[i] * step`, exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    /// The distance of neighbouring points.
    pub step: Step,
    /// The loss of index 0.
    pub offset: Enclosure,
    /// The place of each atom, in the order of the atoms.
    pub indices: Vec<i64>,
}

impl Lattice {
    fn swapped(&self) -> Self {
        Self {
            step: self.step.clone(),
            offset: -self.offset,
            indices: self.indices.iter().rev().map(|i| -i).collect(),
        }
    }
}

/// A pair with finitely many outcomes, possibly after cutting off far tails.
///
/// # Guarantee
/// `p_only` encloses the chance under P of outcomes that Q cannot produce, *plus* anything of P
/// that was cut off: its lower end counts only what is truly impossible under Q, its upper end
/// also everything cut off. Likewise `q_only`. So the upper end reveals too much (sound), the
/// lower end too little (a lower bound of the analysis).
#[derive(Debug, Clone, PartialEq)]
pub struct DiscretePair {
    /// The outcomes, by increasing loss, all with p > 0 and q > 0.
    pub atoms: Vec<Atom>,
    /// The chance under P of what Q cannot produce.
    pub p_only: Enclosure,
    /// The chance under Q of what P cannot produce.
    pub q_only: Enclosure,
    /// The lattice of the losses, if they have one.
    pub lattice: Option<Lattice>,
}

impl DiscretePair {
    /// The pair of equal worlds: nothing is revealed.
    #[must_use]
    pub fn trivial() -> Self {
        Self {
            atoms: vec![Atom { loss: Enclosure::ZERO, p: Enclosure::ONE, q: Enclosure::ONE }],
            p_only: Enclosure::ZERO,
            q_only: Enclosure::ZERO,
            lattice: None,
        }
    }

    /// The pair (Q, P).
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            atoms: self.atoms.iter().rev().map(|atom| atom.swapped()).collect(),
            p_only: self.q_only,
            q_only: self.p_only,
            lattice: self.lattice.as_ref().map(Lattice::swapped),
        }
    }

    /// Everything P can produce; 1, if nothing was cut off.
    #[must_use]
    pub fn total_p(&self) -> Enclosure {
        self.atoms.iter().fold(self.p_only, |sum, atom| sum + atom.p)
    }

    /// Everything Q can produce; 1, if nothing was cut off.
    #[must_use]
    pub fn total_q(&self) -> Enclosure {
        self.atoms.iter().fold(self.q_only, |sum, atom| sum + atom.q)
    }

    /// Whether this can be a pair at all: masses of total 1 (as far as enclosures tell), losses
    /// in order, each the logarithm of its ratio.
    ///
    /// # Errors
    /// If not, with what is wrong.
    pub fn check(&self) -> Result<(), AccountError> {
        let wrong = |name: &str, value: Enclosure, allowed: &str| {
            Err(AccountError::invalid(name, value, allowed))
        };
        for (name, total) in [("total under P", self.total_p()), ("total under Q", self.total_q())]
        {
            if !total.contains(1.0) {
                return wrong(name, total, "1");
            }
        }
        for pair in self.atoms.windows(2) {
            if let [a, b] = pair
                && a.loss.lower() > b.loss.upper()
            {
                return wrong("a loss", b.loss, "in increasing order");
            }
        }
        for Atom { loss, p, q } in &self.atoms {
            if p.lower() < 0.0 || q.lower() < 0.0 {
                return wrong("a mass", p.hull(*q), "at least 0");
            }
            if p.intersect(loss.exp() * *q).is_err() {
                return wrong("a loss", *loss, "the logarithm of p/q");
            }
        }
        self.check_lattice()
    }

    fn check_lattice(&self) -> Result<(), AccountError> {
        let Some(lattice) = &self.lattice else { return Ok(()) };
        if lattice.indices.len() != self.atoms.len() {
            let count = lattice.indices.len();
            return Err(AccountError::invalid("the number of indices", count, "one per atom"));
        }
        let step = match &lattice.step {
            Step::Rational(step) => Enclosure::of_rational(step),
            Step::Log(ratio) => Enclosure::of_rational(ratio).ln()?,
        };
        for (atom, index) in self.atoms.iter().zip(&lattice.indices) {
            let place = lattice.offset + Enclosure::of_rational(&Rational::from(*index)) * step;
            place.intersect(atom.loss)?;
        }
        Ok(())
    }

    /// H_{e^epsilon}(P||Q) for any real epsilon: a sum of non-negative terms, so accurate
    /// relative to itself on both sides of 0.
    #[must_use]
    pub fn delta(&self, epsilon: f64) -> Enclosure {
        let Ok(epsilon) = Enclosure::point(epsilon) else { return Enclosure::UNIT };
        let beyond = self.atoms.partition_point(|atom| atom.loss.upper() <= epsilon.lower());
        let atoms = self.atoms.get(beyond..).unwrap_or(&[]);
        probability(atoms.iter().rev().fold(self.p_only, |sum, atom| sum + atom.excess(epsilon)))
    }

    /// The Rényi divergence D_a(P||Q) of order a > 0; of order 1, the Kullback-Leibler
    /// divergence.
    ///
    /// # Errors
    /// If the order is not above 0 and finite.
    pub fn renyi(&self, order: f64) -> Result<Enclosure, AccountError> {
        if !(order > 0.0 && order.is_finite()) {
            return Err(AccountError::invalid("order", order, "above 0 and finite"));
        }
        let a = Enclosure::point(order)?;
        let excess = a - Enclosure::ONE;
        let divergence = if order == 1.0 {
            self.atoms.iter().fold(Enclosure::ZERO, |sum, atom| sum + atom.p * atom.loss)
        } else {
            // Σ p e^((a-1) loss) - 1 = Σ p (e^((a-1) loss) - 1) - p_only.
            let sum = self
                .atoms
                .iter()
                .fold(-self.p_only, |sum, atom| sum + atom.p * (excess * atom.loss).expm1());
            sum.max(-Enclosure::ONE).ln_1p()? / excess
        };
        let divergence = divergence.max(Enclosure::ZERO);
        // What Q cannot produce makes the divergence infinite for orders from 1 on.
        if order >= 1.0 && self.p_only.upper() > 0.0 {
            let lower = if self.p_only.lower() > 0.0 { f64::INFINITY } else { divergence.lower() };
            return Ok(Enclosure::new(lower, f64::INFINITY)?);
        }
        Ok(divergence)
    }
}

impl Profile for DiscretePair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        Self::delta(self, epsilon)
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.swapped().delta(epsilon)
    }
}
