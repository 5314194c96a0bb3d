//! Pairs stated by their numbers: chances, knots of a trade-off curve, knots of a profile.
//!
//! A pair with finitely many outcomes *is* a polygon: H_γ = p_only + Σ (p - γq)_+ has its
//! corners at the likelihood ratios γ = p/q, and its slope grows there by q. Likewise the
//! trade-off curve has one side per outcome, p wide and q high.

use std::collections::BTreeMap;

use throng_numeric::{Enclosure, Rational};

use super::discrete::{Atom, DiscretePair};
use super::{one_minus_exp, real};
use crate::AccountError;
use crate::conversion::duality::polygon_of_pair;

/// Outcomes 0, 1, ... with these chances on the two neighbours.
///
/// # Guarantee
/// Exact; outcomes of one likelihood ratio are one atom.
///
/// # Errors
/// If there is not one p for every q, a chance is negative, or they do not add up to 1.
pub fn discrete(p: &[Rational], q: &[Rational]) -> Result<DiscretePair, AccountError> {
    if p.len() != q.len() {
        let lengths = format!("{} and {}", p.len(), q.len());
        return Err(AccountError::invalid(
            "the number of chances",
            lengths,
            "the same for p and q",
        ));
    }
    for (name, chances) in [("p", p), ("q", q)] {
        if let Some(negative) = chances.iter().find(|x| x.is_negative()) {
            return Err(AccountError::invalid(name, negative, "at least 0"));
        }
        let total = chances.iter().fold(Rational::ZERO, |sum, x| &sum + x);
        if total != Rational::ONE {
            return Err(AccountError::invalid(format!("the sum of {name}"), total, "1"));
        }
    }
    outcomes(p.iter().cloned().zip(q.iter().cloned()))
}

/// The least pair that dominates both (p, q) and (q, p).
///
/// # Guarantee
/// Exact: its trade-off curve is the lower hull of the two polygons.
///
/// # Errors
/// As for [`discrete`].
pub fn either_way(p: &[Rational], q: &[Rational]) -> Result<DiscretePair, AccountError> {
    discrete(p, q)?;
    tradeoff(polygon_of_pair(p, q)?.symmetrised()?.corners())
}

/// The pair of exact outcomes (p, q), of any order, ratio by ratio.
fn outcomes(
    masses: impl Iterator<Item = (Rational, Rational)>,
) -> Result<DiscretePair, AccountError> {
    let mut ratios = BTreeMap::<Rational, (Rational, Rational)>::new();
    let (mut p_only, mut q_only) = (Rational::ZERO, Rational::ZERO);
    for (p, q) in masses {
        if q.is_zero() {
            p_only = p_only + p;
        } else if p.is_zero() {
            q_only = q_only + q;
        } else {
            let sums = ratios.entry(p.checked_div(&q)?).or_insert((Rational::ZERO, Rational::ZERO));
            *sums = (&sums.0 + &p, &sums.1 + &q);
        }
    }
    let atoms = ratios
        .iter()
        .map(|(ratio, (p, q))| Ok(Atom { loss: ln_rational(ratio)?, p: real(p), q: real(q) }))
        .collect::<Result<_, AccountError>>()?;
    Ok(DiscretePair { atoms, p_only: real(&p_only), q_only: real(&q_only), lattice: None })
}

/// ln x, accurate also near x = 1: there ln(1 + (x - 1)) with the difference taken exactly.
pub(crate) fn ln_rational(x: &Rational) -> Result<Enclosure, AccountError> {
    let excess = x - &Rational::ONE;
    let near = excess.abs() < Rational::new(1, 2_u32)?;
    Ok(if near { real(&excess).ln_1p()? } else { real(x).ln()? })
}

/// Any mechanism whose trade-off curve T(P, Q) lies above the polygon through (alpha, beta).
///
/// # Guarantee
/// A side of the curve Δα wide and Δβ high is an outcome of P-chance Δα and Q-chance Δβ (the
/// test that adds it to its rejections trades the one for the other). What the curve starts
/// below 1 is Q-only, what it has left when it reaches 0 is P-only. Trade-off curves are convex,
/// do not increase and are at least 0, so the lower hull of the knots, of (0, β of the first
/// knot), of the foot (α, 0) of the last knot and of (1, 0) is below any curve above the knots.
///
/// # Errors
/// If there are no knots, their alphas do not increase, or a knot is outside 0 <= beta <=
/// 1 - alpha, 0 <= alpha.
pub fn tradeoff(knots: &[(Rational, Rational)]) -> Result<DiscretePair, AccountError> {
    let (Some(first), Some(last)) = (knots.first(), knots.last()) else {
        return Err(AccountError::invalid("the number of knots", 0, "at least 1"));
    };
    for (alpha, beta) in knots {
        if alpha.is_negative() || beta.is_negative() || alpha + beta > Rational::ONE {
            let knot = format!("({alpha}, {beta})");
            let allowed = "of alpha and beta at least 0 and at most 1 together";
            return Err(AccountError::invalid("a knot", knot, allowed));
        }
    }
    if let Some([a, b]) =
        knots.windows(2).find_map(|w| <&[_; 2]>::try_from(w).ok().filter(|[a, b]| a.0 >= b.0))
    {
        let alphas = format!("{} before {}", a.0, b.0);
        return Err(AccountError::invalid("the alphas", alphas, "increasing"));
    }
    let mut points = Vec::with_capacity(knots.len() + 3);
    if first.0.is_positive() {
        points.push((Rational::ZERO, first.1.clone()));
    }
    points.extend_from_slice(knots);
    if last.1.is_positive() {
        points.push((last.0.clone(), Rational::ZERO));
    }
    points.push((Rational::ONE, Rational::ZERO));
    let hull = lower_hull(&points);
    let start = hull.first().map_or(Rational::ONE, |(_, beta)| &Rational::ONE - beta);
    let sides = hull.windows(2).filter_map(|w| match w {
        [a, b] => Some((&b.0 - &a.0, &a.1 - &b.1)),
        _ => None,
    });
    outcomes(std::iter::once((Rational::ZERO, start)).chain(sides))
}

/// The lower convex hull of points of non-decreasing first coordinate.
fn lower_hull(points: &[(Rational, Rational)]) -> Vec<(Rational, Rational)> {
    let mut hull: Vec<(Rational, Rational)> = Vec::new();
    for c in points {
        while let [.., a, b] = hull.as_slice() {
            // Whether b is not below the line from a to c.
            let left = &(&b.1 - &a.1) * &(&c.0 - &a.0);
            let right = &(&c.1 - &a.1) * &(&b.0 - &a.0);
            if left < right {
                break;
            }
            hull.pop();
        }
        hull.push(c.clone());
    }
    hull
}

/// Any mechanism that is (epsilon, delta)-private, in both directions, for each of the pairs.
///
/// # Guarantee
/// H_γ is convex and does not increase, with H_0 = 1. It is at most δ at γ = e^ε, and at most
/// 1 - e^-ε (1-δ) at γ = e^-ε, since H_γ(P‖Q) = 1-γ+γ H_{1/γ}(Q‖P) and the statement holds for
/// (Q, P) too. So the chords between any of these points bound it from above, and the level of
/// the last point bounds it beyond. We take a convex polygon of such chords: the lower hull,
/// corner by corner as far as its convexity is certain.
///
/// # Errors
/// If there are no knots, an epsilon is negative or a delta not in [0, 1].
pub fn profile(knots: &[(Rational, Rational)]) -> Result<DiscretePair, AccountError> {
    let mut least = BTreeMap::<Rational, Rational>::new();
    for (epsilon, delta) in knots {
        if epsilon.is_negative() || delta.is_negative() || delta > &Rational::ONE {
            let knot = format!("({epsilon}, {delta})");
            let allowed = "of epsilon at least 0 and delta in [0, 1]";
            return Err(AccountError::invalid("a knot", knot, allowed));
        }
        let known = least.entry(epsilon.clone()).or_insert_with(|| delta.clone());
        *known = known.clone().min(delta.clone());
    }
    if least.is_empty() {
        return Err(AccountError::invalid("the number of knots", 0, "at least 1"));
    }
    let kept = |d: &Rational| real(&(&Rational::ONE - d));
    let forward = least.iter().map(|(e, d)| Corner::new(real(e), real(d), kept(d)));
    let mirrored = least.iter().rev().filter(|(e, _)| e.is_positive()).map(|(e, d)| {
        let loss = -real(e);
        // 1 - b(1-δ) = (1 - b) + bδ, both terms at least 0.
        let level = one_minus_exp(loss) + loss.exp() * real(d);
        Corner::new(loss, level, loss.exp() * kept(d))
    });
    Ok(polygon(&mirrored.chain(forward).collect::<Vec<_>>()))
}

/// A point (e^loss, level) above the curve.
#[derive(Debug, Clone)]
struct Corner {
    loss: Enclosure,
    level: Enclosure,
    /// 1 - level, accurate relative to itself.
    depth: Enclosure,
    /// Of the chord that ends here, negated; it is a chance under Q.
    fall: Enclosure,
}

impl Corner {
    fn new(loss: Enclosure, level: Enclosure, depth: Enclosure) -> Self {
        Self { loss, level, depth, fall: Enclosure::ZERO }
    }

    fn fall_from(&self, before: Option<&Self>) -> Enclosure {
        // From (0, 1), if there is no corner before.
        let Some(a) = before else { return self.depth / self.loss.exp() };
        let run = a.loss.exp() * (self.loss - a.loss).expm1();
        let (high, deep) = (a.level - self.level, self.depth - a.depth);
        high.intersect(deep).unwrap_or(high) / run
    }
}

/// The pair of the convex polygon from (0, 1) through some of the corners.
fn polygon(corners: &[Corner]) -> DiscretePair {
    let mut hull: Vec<Corner> = Vec::new();
    for corner in corners {
        if hull.last().is_some_and(|last| last.level.upper() <= corner.level.upper()) {
            continue; // the level before holds from there on
        }
        let mut corner = corner.clone();
        loop {
            corner.fall = corner.fall_from(hull.last());
            // Convex at the last corner: what falls before it is more than what falls after.
            if hull.last().is_none_or(|last| last.fall.lower() > corner.fall.upper()) {
                break;
            }
            hull.pop();
        }
        hull.push(corner);
    }
    let falls = hull.iter().map(|corner| corner.fall).skip(1).chain([Enclosure::ZERO]);
    let atoms = hull
        .iter()
        .zip(falls)
        .map(|(corner, after)| {
            let q = corner.fall - after;
            Atom { loss: corner.loss, p: corner.loss.exp() * q, q }
        })
        .collect();
    let first = hull.first().map_or(Enclosure::ZERO, |corner| corner.fall);
    DiscretePair {
        atoms,
        p_only: hull.last().map_or(Enclosure::ONE, |corner| corner.level),
        q_only: super::probability(Enclosure::ONE - first),
        lattice: None,
    }
}
