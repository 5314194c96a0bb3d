//! The bound for a whole curve.
//!
//! m canaries, c guesses, p_l the chance that exactly l of them are right, F(x) the largest chance that
//! the claim allows an event whose chance is x in the other world: concave, the least of lines
//! γ x + δ.
//!
//! # Why it is right
//! Take a canary j, a guess g, a set T of counts, and fix the coins of all other canaries. That j is
//! guessed g and that the number of right guesses about the *others* is i - 1 for an i in T, is an
//! event A of the run's outcome. The two sides of j's coin are neighbouring worlds, so
//! P(A | u_j = g) <= F(P(A | u_j ≠ g)). In the first world g is right and all guesses together have i
//! right ones; in the second it is wrong and they have i - 1. Average over g, over the coins of the
//! others and over j: a right guess is one of i, a wrong one is one of c - i + 1, and F is concave
//! (Jensen), so
//!
//! Σ_{i in T} (i/m) p_i <= F(Σ_{i in T} ((c - i + 1)/m) p_{i-1}) <= the same with any line.  (1)
//!
//! Let a be a function on 1..c with values in \[0, A\]. It is the average of A times the indicators
//! of the sets {i : a(i) >= x} over x in \[0, A\], so averaging (1) for one line gives
//!
//! E\[a(N) N - γ a(N + 1) (c - N)\] <= m δ A, N the number of right guesses.  (2)
//!
//! Add (2) for several lines with functions a_1, a_2, ...: with W = Σ a_k and V = Σ γ_k a_k and
//! U(l) = W(l) l - V(l + 1) (c - l), E\[U(N)\] <= m Σ δ_k A_k =: D. If U >= -B everywhere and
//! U >= M from v on, then (M + B) P\[N >= v\] <= E\[U(N)\] + B <= D + B, so
//!
//! P\[N >= v\] <= (D + B) / (M + B).  (3)
//!
//! Any functions give a bound. Ours rise up to v such that U = -1 below v, each step on the line that
//! is tangent where the worst run would be ([`Worst`]), and fall from v on such that U is
//! constant there. For a single line with δ = 0 this is the best of all: it gives exactly the tail of
//! the binomial, which randomised response attains.
//!
//! The weights are floats that need not be right; (3) is evaluated for them with enclosures.
//!
//! # Reference
//! Mahloujifar, Melis, Chaudhuri 2024, "Auditing f-differential privacy in one run", has (1) for single
//! counts and upper sets; the certificate is ours.

mod worst;

use throng_numeric::Enclosure;

use super::bound::Tail;
use super::real;
use crate::region::{Line, Region};
use worst::Worst;

/// An upper bound of the chance of so many right guesses or more.
pub(super) fn bound(tail: &Tail, region: &Region) -> f64 {
    if tail.right == 0 {
        return 1.0;
    }
    let worst = Worst::new(tail, region);
    let mut mass = worst.mass();
    let mut best = 1.0f64;
    for _ in 0..3 {
        let found = certified(tail, &worst.lines(mass)).unwrap_or(1.0);
        best = best.min(found);
        if !(found > 0.0 && found < 0.99 * mass) {
            break;
        }
        mass = found;
    }
    best
}

/// The bound by a single line for every count.
pub(super) fn bound_by(tail: &Tail, line: Line) -> f64 {
    certified(tail, &vec![line; tail.right]).unwrap_or(1.0)
}

/// Running sums of the weights: W and V.
#[derive(Clone, Copy)]
struct Sums {
    weights: Enclosure,
    sloped: Enclosure,
}

/// The bound (3) for functions that rise on these lines, one for each count from 1 to v; none if it
/// says nothing.
fn certified(tail: &Tail, lines: &[Line]) -> Option<f64> {
    let mut sums = Sums { weights: Enclosure::ZERO, sloped: Enclosure::ZERO };
    let mut intercepts = Enclosure::ZERO;
    let mut below = 0.0f64;
    for (right, line) in lines.iter().enumerate() {
        let wrong = real(tail.made - right);
        let weight = weight(&sums, real(right), wrong, line.slope);
        let step = point(weight)?;
        let gained = sums.weights * point(real(right))?;
        sums.sloped = sums.sloped + step * point(line.slope)?;
        sums.weights = sums.weights + step;
        intercepts = intercepts + step * point(line.intercept)?;
        below = below.max((sums.sloped * point(wrong)? - gained).upper());
    }
    let above = plateau(tail, sums)?;
    let leak = intercepts * point(real(tail.canaries))?;
    let (below, above) = (point(below)?, point(above)?);
    let bound = ((leak + below) / (above + below)).upper();
    (above.lower() > 0.0 && bound.is_finite()).then(|| bound.min(1.0))
}

/// How far the functions may rise so that U is -1: V (c - l) = W l + 1. Beyond 1e100 nothing is
/// gained any more, and a slope of 0 gains nothing at all.
fn weight(sums: &Sums, right: f64, wrong: f64, slope: f64) -> f64 {
    let room = (sums.weights.lower() * right + 1.0) / wrong - sums.sloped.upper();
    if room > 0.0 && slope > 0.0 && sums.weights.upper() < 1e100 { room / slope } else { 0.0 }
}

/// The least U from v on, if the functions fall there by factors s(l) such that it is constant:
/// s(l) W l - s(l + 1) V (c - l) = M with s(v) = 1 and s(c + 1) = 0.
///
/// With y(l) = M / s(l) that is y(l) = W l y(l + 1) / (y(l + 1) + V (c - l)) and y(c) = W c. These
/// rise with l, so no s is above 1, and the largest values of the functions stay what they are.
fn plateau(tail: &Tail, sums: Sums) -> Option<f64> {
    let (weights, sloped) = (sums.weights.lower(), sums.sloped.upper());
    let mut inverse = vec![weights * real(tail.made)];
    for right in (tail.right..tail.made).rev() {
        let next = inverse.last().copied()?;
        let wrong = real(tail.made - right);
        inverse.push(weights * real(right) * (next / (next + sloped * wrong)));
    }
    let first = inverse.last().copied()?;
    let factor = |y: f64| if y > 0.0 { (first / y).clamp(0.0, 1.0) } else { 0.0 };
    let mut factors: Vec<f64> = inverse.iter().rev().map(|y| factor(*y)).collect();
    *factors.first_mut()? = 1.0;
    factors.push(0.0);
    let mut least = f64::INFINITY;
    for (right, pair) in (tail.right..=tail.made).zip(factors.windows(2)) {
        let [here, next] = [point(*pair.first()?)?, point(*pair.last()?)?];
        let gain = here * sums.weights * point(real(right))?;
        let loss = next * sums.sloped * point(real(tail.made - right))?;
        least = least.min((gain - loss).lower());
    }
    (least > 0.0).then_some(least)
}

fn point(x: f64) -> Option<Enclosure> {
    Enclosure::point(x).ok()
}
