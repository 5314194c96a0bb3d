//! Pairs with finitely many outcomes, each known by an enclosure.

use throng_numeric::{Enclosure, Rational};

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
