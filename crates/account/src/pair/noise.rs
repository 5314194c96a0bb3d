//! Noise on the integers. P is centred at `shift`, Q at 0.
//!
//! Both laws are log-concave, so the family of shifts has a monotone likelihood ratio: the
//! best test does not depend on the shift, its power grows with it, and the largest shift
//! dominates all smaller ones.
//!
//! # Vectors of Laplace noise
//! **Theorem.** Let discrete Laplace noise of one scale be added to each coordinate of a vector,
//! independently. Of all vectors of integer shifts c with Σ|c_i| <= s, one coordinate moved by s
//! dominates. So `shift` may be the largest change in the sum of absolute values.
//!
//! *Proof.* Reflecting coordinates, c_i >= 0; those with c_i = 0 say nothing. A dominating pair
//! may be put in place of a factor of a product, so by induction two shifts a, b >= 1 against one
//! of a + b are enough. Let r = e^(-1/scale). The outcome x of a coordinate moved by a tells as
//! much as Y = min(max(x, 0), a), and the likelihood ratio P/Q is r^(a - 2Y); under Q, the world that is not
//! moved, Q(Y >= j) = r^j/(1 + r) for 1 <= j <= a. For two coordinates the ratio is
//! R = r^(a + b - 2N) with N = Y_1 + Y_2, independent; for one coordinate moved by a + b it is
//! R' = r^(a + b - 2N') with Q(N' >= n) = r^n/(1 + r), 1 <= n <= a + b. Both have mean 1 under Q, and
//! H_γ = E (R - γ)_+. Let
//!
//! ```text
//! g(n) = (1 + r) r^(-n) Q(N >= n) = Q(N >= n)/Q(N' >= n),   1 <= n <= a + b.
//! ```
//!
//! *g first rises and then falls, and g(1) >= 1.* The latter as N >= 1 whenever Y_1 >= 1. Conditioning
//! on Y_1 = j, g(n) = Σ_j v_j u(n - j), 0 <= j <= a, where
//! - v_j = r^(-j) Q(Y_1 = j): 1/(1 + r) for j = 0 and j = a, (1 - r)/(1 + r) between;
//! - u(m) = (1 + r) r^(-m) Q(Y_2 >= m): (1 + r) r^(-m) for m <= 0, 1 for 1 <= m <= b, 0 for m > b.
//!
//! So g(n + 1) - g(n) = Σ_j v_j Δ(n - j) with Δ(m) = u(m + 1) - u(m): (1 - r²) r^(-m-1) for m < 0, -r
//! for m = 0, 0 for 0 < m < b, -1 for m = b. Let a <= b. For 1 <= n < a the terms j > n sum to
//! (1 - r)((1 - r)(1 + r + ... + r^(a-n-2)) + r^(a-n-1)) = 1 - r, the term j = n is -r(1 - r)/(1 + r),
//! and there are no others: g rises, by (1 - r)/(1 + r). For n >= a there are no terms j > n, and
//! no others are positive: g does not rise.
//!
//! So g > 1 up to some n and g <= 1 beyond: Q(R' > t) - Q(R > t) is at most 0 for t up to some τ
//! and at least 0 beyond. For γ >= τ, E (R' - γ)_+ - E (R - γ)_+ is the integral of that difference
//! over t > γ, which is not negative; for γ < τ it is minus the integral over t < γ, because over all
//! t it is the difference of the means, 0. So H'_γ >= H_γ for every γ > 0. By reflection the same
//! holds with the roles of P and Q exchanged.
//!
//! The same is true of Laplace noise on the line and real shifts: there everything is the limit of
//! ever finer grids, and R is a bounded continuous function of the clipped outcomes.

use throng_numeric::{Enclosure, Rational};

use super::discrete::{Atom, DiscretePair, Lattice, Step};
use super::{one_minus_exp, real, whole};
use crate::AccountError;

/// The most atoms of a pair of noise.
pub(super) const MOST_ATOMS: u64 = 1 << 22;

/// A shift as an integer.
///
/// # Errors
/// If it is not one, or negative, or longer than pairs may be.
pub fn integer_shift(shift: &Rational) -> Result<u64, AccountError> {
    if shift.is_negative() || !shift.is_integer() {
        return Err(AccountError::invalid("shift", shift, "a whole number, at least 0"));
    }
    u64::try_from(shift.floor()).ok().filter(|s| *s < MOST_ATOMS).ok_or_else(|| too_large("shift"))
}

fn too_large(what: &str) -> AccountError {
    AccountError::TooLarge { what: what.into(), limit: format!("{MOST_ATOMS} outcomes") }
}

pub(super) fn positive(name: &str, x: &Rational) -> Result<(), AccountError> {
    if x.is_positive() { Ok(()) } else { Err(AccountError::invalid(name, x, "above 0")) }
}

/// Discrete Laplace noise, P(k) proportional to e^(-|k|/scale), moved by `shift`.
///
/// # Guarantee
/// Exact: with r = e^(-1/scale) the normaliser is c = (1-r)/(1+r). The loss of outcome k is
/// (|k| - |k - s|)/scale. It is s/scale for all k >= s, of chance Σ c r^j = 1/(1+r) under P and
/// r^s/(1+r) under Q; it is -s/scale for all k <= 0, the other way round; between, it is
/// (2k - s)/scale with chances c r^(s-k) and c r^k.
///
/// # Errors
/// If the scale is not positive or the shift not a whole number at least 0.
pub fn discrete_laplace(scale: &Rational, shift: &Rational) -> Result<DiscretePair, AccountError> {
    positive("scale", scale)?;
    let s = integer_shift(shift)?;
    if s == 0 {
        return Ok(DiscretePair::trivial());
    }
    let rate = Rational::ONE.checked_div(scale)?;
    let power = |k: u64| (-real(&(&rate * &Rational::from(k)))).exp();
    let inverse = Enclosure::ONE / (Enclosure::ONE + power(1));
    let normaliser = one_minus_exp(-real(&rate)) * inverse;
    let mass = |k: u64| if k == 0 { inverse } else { normaliser * power(k) };
    let side = |k: u64| if k == s { power(s) * inverse } else { mass(k) };
    let loss = |k: u64| real(&(&(Rational::from(2 * k) - Rational::from(s)) * &rate));
    let atoms = (0..=s).map(|k| Atom { loss: loss(k), p: side(s - k), q: side(k) }).collect();
    let indices = (0..=s).map(i64::try_from).collect::<Result<_, _>>().unwrap_or_default();
    let step = Step::Rational(&rate + &rate);
    let lattice = Some(Lattice { step, offset: loss(0), indices });
    Ok(DiscretePair { atoms, p_only: Enclosure::ZERO, q_only: Enclosure::ZERO, lattice })
}

/// Discrete Gaussian noise, P(k) proportional to e^(-k²/(2 sigma²)), moved by `shift`; of each
/// world at most `tail` is cut off.
///
/// # Guarantee
/// The loss of outcome k is (k s - s²/2)/sigma². Outcomes outside [-K, s + K] are cut off. Both
/// their sides are at a distance above K from either centre, so either world loses at most
/// twice the chance t of k > K. Consecutive weights beyond K shrink at least by
/// f = e^(-(2K + 3)/(2 sigma²)), so t <= g(K + 1)/(1 - f) over the normaliser, g the weight; the
/// same bound encloses what the sum of weights leaves out of the normaliser.
///
/// # Errors
/// If sigma is not positive, the shift not a whole number at least 0, the tail not in (0, 1),
/// or the outcomes are too many.
pub fn discrete_gaussian(
    sigma: &Rational,
    shift: &Rational,
    tail: f64,
) -> Result<DiscretePair, AccountError> {
    positive("sigma", sigma)?;
    let s = integer_shift(shift)?;
    if s == 0 {
        return Ok(DiscretePair::trivial());
    }
    let weights = Weights::of(sigma, tail, s)?;
    let variance = sigma.square();
    let step = Rational::from(s).checked_div(&variance)?;
    let offset = -(&step * &Rational::new(s, 2_u32)?);
    let reach = i64::try_from(weights.reach).unwrap_or(i64::MAX);
    let s = i64::try_from(s).unwrap_or(i64::MAX);
    let atoms = (-reach..=s + reach)
        .map(|k| Atom {
            loss: real(&(&(&step * &Rational::from(k)) + &offset)),
            p: weights.chance(k - s),
            q: weights.chance(k),
        })
        .collect();
    let indices = (-reach..=s + reach).collect();
    let lattice = Some(Lattice { step: Step::Rational(step), offset: real(&offset), indices });
    let cut = Enclosure::new(0.0, weights.cut)?;
    Ok(DiscretePair { atoms, p_only: cut, q_only: cut, lattice })
}

/// The discrete Gaussian law as far as it is kept.
pub(super) struct Weights {
    /// g(0), g(1), ... up to the reach and the shift.
    weights: Vec<Enclosure>,
    normaliser: Enclosure,
    /// K.
    pub(super) reach: u64,
    /// At least the chance of |k| > K.
    pub(super) cut: f64,
}

impl Weights {
    pub(super) fn of(sigma: &Rational, tail: f64, shift: u64) -> Result<Self, AccountError> {
        if !(tail > 0.0 && tail < 1.0) {
            return Err(AccountError::invalid("tail", tail, "in (0, 1)"));
        }
        let double_variance = real(&(&sigma.square() * &Rational::from(2_u32)));
        let g = |k: u64| (-(whole(k).square() / double_variance)).exp();
        let mut weights = vec![Enclosure::ONE];
        let mut half = Enclosure::ZERO;
        for k in 1.. {
            let weight = g(k);
            let factor = (-(whole(2 * k + 1) / double_variance)).exp();
            // The chance of |j| >= k, from above: the normaliser is at least 1 + 2 half.
            let rest = weight / (Enclosure::ONE - factor);
            let sum = Enclosure::ONE + half + half;
            let cut = ((rest + rest) / sum).upper();
            if cut <= tail {
                let reach = k - 1;
                weights.extend((k..=k + shift).map(g));
                let normaliser = sum + Enclosure::new(0.0, (rest + rest).upper())?;
                return Ok(Self { weights, normaliser, reach, cut });
            }
            if k + shift > MOST_ATOMS / 2 {
                break;
            }
            weights.push(weight);
            half = half + weight;
        }
        Err(too_large("sigma"))
    }

    /// The chance of k, for |k| up to the reach and the shift.
    pub(super) fn chance(&self, k: i64) -> Enclosure {
        let place = usize::try_from(k.unsigned_abs()).unwrap_or(usize::MAX);
        let weight = self.weights.get(place).copied();
        weight.map_or(Enclosure::UNIT, |weight| weight / self.normaliser)
    }
}
