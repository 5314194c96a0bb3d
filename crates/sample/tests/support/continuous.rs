//! The laws of continuous variables rounded to the nearest integer, computed from their
//! distribution functions.

use throng_numeric::{Enclosure, Rational, beta, normal};

use super::law::Law;
use super::laws::{exp_neg, whole};

/// ⌊c + s X + 1/2⌋ by the distribution function of X: it is below k iff X < (k - 1/2 - c)/s.
pub(crate) fn rounded(
    centre: &Rational,
    scale: &Rational,
    edges: Vec<i64>,
    below: impl Fn(&Rational) -> Enclosure,
) -> Law {
    let below = |k: i64| {
        let step = Rational::from(k) - Rational::new(1, 2_u8).unwrap();
        below(&(&step - centre).checked_div(scale).unwrap())
    };
    Law::new(edges, |cell| {
        cell.below.map_or(Enclosure::ONE, below) - cell.from.map_or(Enclosure::ZERO, below)
    })
}

/// Φ(t).
pub(crate) fn normal(t: &Rational) -> Enclosure {
    normal::cdf(Enclosure::of_rational(t))
}

/// 1 - e^-t / 2 for t >= 0.
pub(crate) fn laplace(t: &Rational) -> Enclosure {
    mirrored(t, |t| Enclosure::ONE - exp_neg(t) / whole(2))
}

/// By the incomplete beta integral, P(|T| > t) = I(d/2, 1/2) at d/(d + t²), which knows nothing of
/// the finite sums for even d.
pub(crate) fn student(degrees: i64, t: &Rational) -> Enclosure {
    let half = Enclosure::ONE / whole(2);
    mirrored(t, |t| {
        let d = Rational::from(degrees);
        let x = Enclosure::of_rational(&d.checked_div(&(&d + &t.square())).unwrap());
        let outside = beta::regularised(whole(degrees) / whole(2), half, x).unwrap();
        Enclosure::ONE - outside / whole(2)
    })
}

/// A symmetric distribution function by its right half.
fn mirrored(t: &Rational, right: impl Fn(&Rational) -> Enclosure) -> Enclosure {
    if t.is_negative() { Enclosure::ONE - right(&-t) } else { right(t) }
}

/// The law of X e^(σ Y): given Y = y, |X| > t e^(-σ y) has probability e^(-t e^(-σ y)), which
/// increases with y. So over a cell of y it lies between its values at the ends, and the cells
/// cover [-9, 9]; what is beyond, with probability below 10^-18, has it in [0, 1].
pub(crate) struct LaplaceLogNormal {
    /// For each cell: its probability, and e^(-σ y) at both ends.
    cells: Vec<(Enclosure, Enclosure, Enclosure)>,
}

impl LaplaceLogNormal {
    const REACH: i64 = 9;
    const CELLS_PER_UNIT: i64 = 3000;

    pub(crate) fn new(sigma: &Rational) -> Self {
        let sigma = Enclosure::of_rational(sigma);
        let last = Self::REACH * Self::CELLS_PER_UNIT;
        let point = |i: i64| {
            let y = whole(i) / whole(Self::CELLS_PER_UNIT);
            (normal::cdf(y), (-(sigma * y)).exp())
        };
        let points: Vec<_> = (-last..=last).map(point).collect();
        let cell = |pair: &[(Enclosure, Enclosure)]| (pair[1].0 - pair[0].0, pair[0].1, pair[1].1);
        Self { cells: points.windows(2).map(cell).collect() }
    }

    pub(crate) fn below(&self, t: &Rational) -> Enclosure {
        mirrored(t, |t| {
            let t = Enclosure::of_rational(t);
            let mut outside = Enclosure::new(0.0, 1e-18).unwrap();
            for (probability, from, to) in &self.cells {
                let (low, high) = ((-(t * *from)).exp(), (-(t * *to)).exp());
                outside = outside + *probability * low.hull(high);
            }
            Enclosure::ONE - outside / whole(2)
        })
    }
}
