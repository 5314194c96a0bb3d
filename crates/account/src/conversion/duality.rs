//! Trade-off curves and (epsilon, delta) are two views of one convex set.
//!
//! A curve f is stored by the corners of a polygon, a profile by points (gamma, delta), gamma =
//! e^epsilon. From left to right: δ(γ) = max over corners of 1 - γα - β. From right to left: each
//! point is a line under the curve, β >= 1 - δ - γα, and the mirrored line if the relation is
//! symmetric. All exact.
//!
//! Orientation: for f = T(P, Q), 1 - γα - f(α) at its largest is H_γ(Q||P), *not* H_γ(P||Q).

use throng_numeric::{Enclosure, Rational};

use super::arithmetic::probability;
use crate::AccountError;

/// A convex, falling polygon from α = 0 to β = 0: a trade-off curve, or a bound under one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polygon {
    corners: Vec<(Rational, Rational)>,
}

impl Polygon {
    /// The lower convex hull of points (α, β).
    ///
    /// # Guarantee
    /// Any curve that is convex and lies above the points' hull at the points lies above it.
    ///
    /// # Errors
    /// If a point is outside the unit square, no point has α = 0, or none has β = 0.
    pub fn hull(points: &[(Rational, Rational)]) -> Result<Self, AccountError> {
        check(points)?;
        let mut sorted = points.to_vec();
        sorted.sort();
        let mut corners: Vec<(Rational, Rational)> = Vec::new();
        for point in sorted {
            if corners.last().is_some_and(|last| last.0 == point.0 || last.1.is_zero()) {
                continue; // the first of equal α is the lowest; beyond β = 0 the curve stays 0
            }
            while let [.., before, last] = corners.as_slice() {
                if below_chord(before, last, &point) {
                    break;
                }
                corners.pop();
            }
            corners.push(point);
        }
        Ok(Self { corners })
    }

    /// The corners from α = 0 to the first with β = 0.
    #[must_use]
    pub fn corners(&self) -> &[(Rational, Rational)] {
        &self.corners
    }

    /// The same curve with the two errors exchanged.
    ///
    /// # Errors
    /// None for a polygon made by this module.
    pub fn inverse(&self) -> Result<Self, AccountError> {
        let mut mirrored: Vec<_> =
            self.corners.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
        // A curve that reaches 0 before α = 1 has an inverse that starts below 1, and the reverse.
        mirrored.sort();
        Self::hull(&mirrored)
    }

    /// The largest convex curve below both this curve and its inverse: the lower hull of
    /// min(f, f^-1), which itself is not convex and hence no trade-off curve.
    ///
    /// # Errors
    /// None for a polygon made by this module.
    pub fn symmetrised(&self) -> Result<Self, AccountError> {
        let mirrored = self.corners.iter().map(|(a, b)| (b.clone(), a.clone()));
        Self::hull(&self.corners.iter().cloned().chain(mirrored).collect::<Vec<_>>())
    }

    /// The miss rate β at a false-alarm rate α.
    ///
    /// # Errors
    /// If alpha is not in [0, 1].
    pub fn miss_rate(&self, alpha: &Rational) -> Result<Rational, AccountError> {
        if alpha.is_negative() || *alpha > Rational::ONE {
            return Err(AccountError::invalid("alpha", alpha, "in [0, 1]"));
        }
        for pair in self.corners.windows(2) {
            let [(a0, b0), (a1, b1)] = pair else { continue };
            if alpha <= a1 {
                let share = (alpha - a0).checked_div(&(a1 - a0))?;
                return Ok(b0 + &(&share * &(b1 - b0)));
            }
        }
        Ok(Rational::ZERO)
    }

    /// δ at γ = e^ε > 0: the most that 1 - γα - β reaches, which is H_γ(Q||P) for f = T(P, Q).
    #[must_use]
    pub fn delta(&self, gamma: &Rational) -> Rational {
        let gaps = self.corners.iter().map(|(a, b)| &(&Rational::ONE - &(gamma * a)) - b);
        gaps.fold(Rational::ZERO, Rational::max)
    }

    /// δ at a real epsilon.
    #[must_use]
    pub fn delta_at(&self, epsilon: Enclosure) -> Enclosure {
        let gamma = epsilon.exp();
        let mut most = Enclosure::ZERO;
        for (a, b) in &self.corners {
            let gap = Enclosure::of_rational(&(&Rational::ONE - b));
            let gap = if a.is_zero() { gap } else { gap - gamma * Enclosure::of_rational(a) };
            most = most.max(gap);
        }
        probability(most)
    }
}

fn check(points: &[(Rational, Rational)]) -> Result<(), AccountError> {
    let inside = |x: &Rational| !x.is_negative() && *x <= Rational::ONE;
    if let Some((a, b)) = points.iter().find(|(a, b)| !inside(a) || !inside(b)) {
        return Err(AccountError::invalid("a corner", format!("({a}, {b})"), "in the unit square"));
    }
    let (starts, ends) =
        (points.iter().any(|(a, _)| a.is_zero()), points.iter().any(|(_, b)| b.is_zero()));
    if starts && ends {
        return Ok(());
    }
    Err(AccountError::invalid("the corners", "incomplete", "from alpha = 0 to beta = 0"))
}

/// Whether `middle` lies strictly below the chord from `left` to `right`.
fn below_chord(
    left: &(Rational, Rational),
    middle: &(Rational, Rational),
    right: &(Rational, Rational),
) -> bool {
    let rise = &(&middle.1 - &left.1) * &(&right.0 - &left.0);
    rise < &(&right.1 - &left.1) * &(&middle.0 - &left.0)
}

/// The miss rate that (epsilon, delta) pairs force at alpha, for a symmetric relation: the most of
/// 0, 1 - δ - e^ε α and e^-ε (1 - δ - α).
///
/// # Guarantee
/// The lower end is the promise: any mechanism private for all these pairs has at least that miss
/// rate. Only the given lines are used; between them nothing is assumed.
///
/// # Errors
/// If alpha is not in [0, 1].
pub fn miss_rate_of_profile(
    knots: &[(Rational, Rational)],
    alpha: &Rational,
) -> Result<Enclosure, AccountError> {
    if alpha.is_negative() || *alpha > Rational::ONE {
        return Err(AccountError::invalid("alpha", alpha, "in [0, 1]"));
    }
    let mut most = Enclosure::ZERO;
    for (epsilon, delta) in knots {
        let epsilon = Enclosure::of_rational(epsilon);
        let kept = &Rational::ONE - delta;
        let steep = Enclosure::of_rational(&kept) - epsilon.exp() * Enclosure::of_rational(alpha);
        let flat = (-epsilon).exp() * Enclosure::of_rational(&(&kept - alpha));
        most = most.max(steep).max(flat);
    }
    Ok(probability(most))
}

/// The polygon that lines (gamma, delta), gamma = e^epsilon >= 1 rational, force for a symmetric
/// relation: exactly the corners of the largest of all lines and their mirror images.
///
/// # Errors
/// If there is no line, or one has gamma below 1 or delta outside [0, 1].
pub fn polygon_of_lines(lines: &[(Rational, Rational)]) -> Result<Polygon, AccountError> {
    let bad = |(g, d): &&(Rational, Rational)| {
        *g < Rational::ONE || d.is_negative() || *d > Rational::ONE
    };
    if let Some((g, d)) = lines.iter().find(bad) {
        return Err(AccountError::invalid(
            "a line",
            format!("({g}, {d})"),
            "gamma >= 1, delta in [0, 1]",
        ));
    }
    // β = height - slope α; the curve is 0 or the largest of them.
    let mut all = vec![(Rational::ZERO, Rational::ZERO)];
    for (gamma, delta) in lines {
        let kept = &Rational::ONE - delta;
        all.push((kept.clone(), gamma.clone()));
        all.push((kept.checked_div(gamma)?, Rational::ONE.checked_div(gamma)?));
    }
    let value = |alpha: &Rational| {
        let at = all.iter().map(|(height, slope)| height - &(slope * alpha));
        at.fold(Rational::ZERO, Rational::max)
    };
    let mut points =
        vec![(Rational::ZERO, value(&Rational::ZERO)), (Rational::ONE, Rational::ZERO)];
    for (i, (h0, s0)) in all.iter().enumerate() {
        for (h1, s1) in all.iter().skip(i + 1).filter(|(_, s1)| s1 != s0) {
            let alpha = (h0 - h1).checked_div(&(s0 - s1))?;
            if !alpha.is_negative() && alpha <= Rational::ONE {
                let beta = value(&alpha);
                points.push((alpha, beta));
            }
        }
    }
    Polygon::hull(&points)
}

/// An upper bound on δ at γ = e^ε from points (γ_i, δ_i) that bound it: H_γ is convex in γ and falls
/// from 1 at γ = 0, so chords between points lie above it, and beyond the last point it stays
/// below that.
///
/// # Errors
/// If γ or a γ_i is negative.
pub fn delta_by_chords(
    points: &[(Rational, Rational)],
    gamma: &Rational,
) -> Result<Rational, AccountError> {
    let mut all = points.to_vec();
    all.push((Rational::ZERO, Rational::ONE));
    if let Some((bad, _)) = all.iter().find(|(g, _)| g.is_negative() || gamma.is_negative()) {
        return Err(AccountError::invalid("gamma", bad, "at least 0"));
    }
    let mut least = Rational::ONE;
    for (low, at_low) in all.iter().filter(|(low, _)| low <= gamma) {
        least = least.min(at_low.clone());
        for (high, at_high) in all.iter().filter(|(high, _)| high > gamma) {
            let share = (gamma - low).checked_div(&(high - low))?;
            least = least.min(at_low + &(&share * &(at_high - at_low)));
        }
    }
    Ok(least)
}

/// The trade-off polygon T(P, Q) of a pair on finitely many outcomes: outcomes in falling order of
/// q/p, those that P cannot produce first.
///
/// # Errors
/// If the lengths differ or the chances do not sum to 1.
pub fn polygon_of_pair(p: &[Rational], q: &[Rational]) -> Result<Polygon, AccountError> {
    check_pair(p, q)?;
    // Outcomes of chance 0 in both worlds add nothing, and have no place in the order.
    let possible = p.iter().zip(q).filter(|(p, q)| p.is_positive() || q.is_positive());
    let mut outcomes: Vec<_> = possible.collect();
    // q/p falling, compared without dividing: q1 p2 against q2 p1.
    outcomes.sort_by(|(p1, q1), (p2, q2)| (*q2 * *p1).cmp(&(*q1 * *p2)));
    let (mut alpha, mut beta) = (Rational::ZERO, Rational::ONE);
    let mut points = vec![(alpha.clone(), beta.clone())];
    for (p, q) in outcomes {
        (alpha, beta) = (&alpha + p, &beta - q);
        points.push((alpha.clone(), beta.clone()));
    }
    Polygon::hull(&points)
}

/// Refuses what is not a pair of probability vectors of one length.
pub(crate) fn check_pair(p: &[Rational], q: &[Rational]) -> Result<(), AccountError> {
    if p.len() != q.len() {
        let lengths = format!("of lengths {} and {}", p.len(), q.len());
        return Err(AccountError::invalid("p and q", lengths, "equally long"));
    }
    for (name, chances) in [("p", p), ("q", q)] {
        let sum = chances.iter().fold(Rational::ZERO, |sum, x| &sum + x);
        if sum != Rational::ONE || chances.iter().any(Rational::is_negative) {
            let given = format!("of sum {sum}");
            return Err(AccountError::invalid(name, given, "not negative and of sum 1"));
        }
    }
    Ok(())
}
