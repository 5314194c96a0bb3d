//! A pair seen only through cells.
//!
//! Replacing an outcome by the cell it lies in is post-processing: the pair of cells is exact
//! for what is published, and never more revealing than the pair itself. Cells are [c, d)
//! between the cuts, the first from minus infinity and the last to infinity. For noise, cuts
//! are places on the line, with Q centred at 0 and P at the full distance; for outcomes that
//! are counted (chances, responses, Poisson), cuts are indices.
//!
//! The loss of a cell is ln(P(cell)/Q(cell)); where the likelihood ratio is monotone it also
//! lies between the losses at the ends of the cell, which is what encloses it for narrow cells.

use throng_numeric::{Enclosure, Rational, normal, tails};

use super::discrete::{Atom, DiscretePair};
use super::noise::{Weights, integer_shift, positive};
use super::{distance, one_minus_exp, real, whole};
use crate::{AccountError, Leaf, Neighbours};

/// The half-open interval [from, to), without end where there is no number.
type Cell<'a> = (Option<&'a Rational>, Option<&'a Rational>);

/// The chances of a cell under P and Q.
type Masses = (Enclosure, Enclosure);

/// The pair of `inner` seen only up to the cells between `cuts`.
///
/// # Errors
/// If the cuts do not increase, the parameters of the inner leaf are wrong, or it is not a leaf
/// with outcomes to be cut.
pub fn quantised(
    inner: &Leaf,
    cuts: &[Rational],
    under: Neighbours,
) -> Result<DiscretePair, AccountError> {
    if !cuts.is_sorted_by(|a, b| a < b) {
        return Err(AccountError::invalid("the cuts", "not", "increasing"));
    }
    let ends: Vec<Option<&Rational>> =
        std::iter::once(None).chain(cuts.iter().map(Some)).chain([None]).collect();
    let cells: Vec<Cell> =
        ends.windows(2).filter_map(|w| Some((*w.first()?, *w.last()?))).collect();
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others have no outcomes to cut")]
    match inner {
        Leaf::Gaussian { sigma, sensitivity } => {
            positive("sigma", sigma)?;
            gaussian(sigma, &distance(sensitivity, under), &cells)
        }
        Leaf::Laplace { scale, sensitivity } => {
            positive("scale", scale)?;
            laplace(scale, &distance(sensitivity, under), &cells)
        }
        Leaf::DiscreteGaussian { sigma, sensitivity } => {
            positive("sigma", sigma)?;
            discrete_gaussian(sigma, &distance(sensitivity, under), &cells)
        }
        Leaf::DiscreteLaplace { scale, sensitivity } => {
            positive("scale", scale)?;
            discrete_laplace(scale, &distance(sensitivity, under), &cells)
        }
        Leaf::Poisson { mu1, mu2 } => poisson(mu1, mu2, &cells),
        Leaf::Discrete { p, q } => chances(p, q, cuts),
        Leaf::RandomisedResponse { p, q } => {
            let (one, zero) = (Rational::ONE, Rational::ONE);
            chances(&[q.clone(), &one - q], &[&zero - p, p.clone()], cuts)
        }
        _ => Err(AccountError::refused(
            "a quantised leaf must be noise, chances, a response or Poisson counts",
            "leave the cells out: publishing less never costs more",
        )),
    }
}

/// The pair of cells from their masses, and bounds on their losses known otherwise.
fn gather(
    cells: impl Iterator<Item = Result<(Masses, Enclosure), AccountError>>,
) -> Result<DiscretePair, AccountError> {
    let mut pair = DiscretePair {
        atoms: Vec::new(),
        p_only: Enclosure::ZERO,
        q_only: Enclosure::ZERO,
        lattice: None,
    };
    for cell in cells {
        let ((p, q), known) = cell?;
        let (p, q) = (super::probability(p), super::probability(q));
        if p.upper() == 0.0 && q.upper() == 0.0 {
            continue;
        }
        if q.upper() == 0.0 {
            pair.p_only = pair.p_only + p;
        } else if p.upper() == 0.0 {
            pair.q_only = pair.q_only + q;
        } else {
            pair.atoms.push(Atom { loss: loss(p, q, known)?, p, q });
        }
    }
    let middle = |atom: &Atom| 0.5 * atom.loss.lower() + 0.5 * atom.loss.upper();
    pair.atoms.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    Ok(pair)
}

fn loss(p: Enclosure, q: Enclosure, known: Enclosure) -> Result<Enclosure, AccountError> {
    let ratio = if p.lower() > 0.0 && q.lower() > 0.0 { p.ln()? - q.ln()? } else { known };
    Ok(ratio.intersect(known).unwrap_or(ratio))
}

/// The hull of a non-decreasing loss over a cell, its limits beyond the cuts included.
fn span(
    cell: Cell,
    limits: (f64, f64),
    loss: impl Fn(&Rational) -> Enclosure,
) -> Result<Enclosure, AccountError> {
    let from = cell.0.map_or(limits.0, |x| loss(x).lower());
    let to = cell.1.map_or(limits.1, |x| loss(x).upper());
    Ok(Enclosure::new(from.max(limits.0), to.min(limits.1).max(from))?)
}

fn gaussian(
    sigma: &Rational,
    shift: &Rational,
    cells: &[Cell],
) -> Result<DiscretePair, AccountError> {
    let standard = |x: &Rational, centre: &Rational| -> Result<Enclosure, AccountError> {
        Ok(real(&(x - centre).checked_div(sigma)?))
    };
    let mass = |cell: Cell, centre: &Rational| -> Result<Enclosure, AccountError> {
        let from = cell.0.map(|x| standard(x, centre)).transpose()?;
        let to = cell.1.map(|x| standard(x, centre)).transpose()?;
        let width = match cell {
            (Some(a), Some(b)) => Some(real(&(b - a).checked_div(sigma)?)),
            _ => None,
        };
        Ok(normal_mass(from, to, width))
    };
    let rate = shift.checked_div(&sigma.square())?;
    let half = shift.checked_div(&Rational::from(2_u32))?;
    gather(cells.iter().map(|&cell| {
        let known =
            span(cell, (f64::NEG_INFINITY, f64::INFINITY), |x| real(&(&(x - &half) * &rate)))?;
        Ok(((mass(cell, shift)?, mass(cell, &Rational::ZERO)?), known))
    }))
}

/// The chance of a standard normal variable in a cell, from whichever tail is smaller, and for
/// narrow cells on one side of 0 from width times density, which is monotone there.
fn normal_mass(
    from: Option<Enclosure>,
    to: Option<Enclosure>,
    width: Option<Enclosure>,
) -> Enclosure {
    let (from, to) = match (from, to) {
        (None, None) => return Enclosure::ONE,
        (None, Some(to)) => return normal::cdf(to),
        (Some(from), None) => return normal::survival(from),
        (Some(from), Some(to)) => (from, to),
    };
    let by_tails = if from.lower() > 0.0 {
        normal::survival(from) - normal::survival(to)
    } else {
        normal::cdf(to) - normal::cdf(from)
    };
    let one_side = from.lower() >= 0.0 || to.upper() <= 0.0;
    match width {
        Some(width) if one_side => {
            let by_density = normal::density(from).hull(normal::density(to)) * width;
            by_tails.intersect(by_density).unwrap_or(by_tails)
        }
        _ => by_tails,
    }
}

fn laplace(
    scale: &Rational,
    shift: &Rational,
    cells: &[Cell],
) -> Result<DiscretePair, AccountError> {
    let most = real(&shift.checked_div(scale)?);
    let loss = |x: &Rational| -> Enclosure {
        let moved = &x.abs() - &(x - shift).abs();
        moved.checked_div(scale).map_or(Enclosure::REAL, |loss| real(&loss))
    };
    let mass = |cell: Cell, centre: &Rational| -> Result<Enclosure, AccountError> {
        let place = |x: &Rational| (x - centre).checked_div(scale);
        let ends = (cell.0.map(place).transpose()?, cell.1.map(place).transpose()?);
        Ok(exponential_mass(ends.0.as_ref(), ends.1.as_ref()))
    };
    gather(cells.iter().map(|&cell| {
        let known = span(cell, (-most.upper(), most.upper()), loss)?;
        Ok(((mass(cell, shift)?, mass(cell, &Rational::ZERO)?), known))
    }))
}

/// The chance of a standard Laplace variable in [from, to).
fn exponential_mass(from: Option<&Rational>, to: Option<&Rational>) -> Enclosure {
    let half = Enclosure::ONE / whole(2);
    // The chance between 0 and x >= 0, and beyond it.
    let near = |x: &Rational| half * one_minus_exp(-real(x));
    let beyond = |x: &Rational| half * (-real(x)).exp();
    match (from, to) {
        (None, None) => Enclosure::ONE,
        (None, Some(b)) if b.is_negative() => beyond(&-b),
        (None, Some(b)) => half + near(b),
        (Some(a), None) if a.is_negative() => half + near(&-a),
        (Some(a), None) => beyond(a),
        (Some(a), Some(b)) if !a.is_negative() => beyond(a) * one_minus_exp(-real(&(b - a))),
        (Some(a), Some(b)) if !b.is_positive() => beyond(&-b) * one_minus_exp(-real(&(b - a))),
        (Some(a), Some(b)) => near(&-a) + near(b),
    }
}

/// The integers of a cell: from the first to before the second.
fn integers(cell: Cell) -> Result<(Option<i64>, Option<i64>), AccountError> {
    let end = |x: &Rational| {
        i64::try_from(x.ceil()).map_err(|_| AccountError::invalid("a cut", x, "within 64 bits"))
    };
    Ok((cell.0.map(end).transpose()?, cell.1.map(end).transpose()?))
}

fn discrete_laplace(
    scale: &Rational,
    shift: &Rational,
    cells: &[Cell],
) -> Result<DiscretePair, AccountError> {
    let s = Rational::from(integer_shift(shift)?);
    let most = real(&s.checked_div(scale)?);
    let rate = Rational::ONE.checked_div(scale)?;
    let inverse = Enclosure::ONE / (Enclosure::ONE + (-real(&rate)).exp());
    // P(k >= n) = r^n/(1+r) for n >= 1 and 1 - r^(1-n)/(1+r) for n <= 0.
    let power = |n: &Rational| (-real(&(n * &rate))).exp() * inverse;
    let tail = |n: &Rational| {
        if n.is_positive() { power(n) } else { Enclosure::ONE - power(&(&Rational::ONE - n)) }
    };
    // Σ r^k over a <= k < b, 1 <= a: r^a (1 - r^(b-a))/(1+r).
    let run = |a: &Rational, b: &Rational| power(a) * one_minus_exp(-real(&(&(b - a) * &rate)));
    let one = Rational::ONE;
    let mass = |ends: (Option<i64>, Option<i64>), centre: &Rational| {
        let from = ends.0.map(|k| &Rational::from(k) - centre);
        let to = ends.1.map(|k| &Rational::from(k) - centre);
        match (from, to) {
            (None, None) => Enclosure::ONE,
            (Some(a), None) => tail(&a),
            (None, Some(b)) => tail(&(&one - &b)), // k < b mirrored: k > -b
            (Some(a), Some(b)) if a >= b => Enclosure::ZERO,
            (Some(a), Some(b)) if a.is_positive() => run(&a, &b),
            (Some(a), Some(b)) if !b.is_positive() => run(&(&one - &b), &(&one - &a)),
            // Both sides and 0: 0 has the chance (1-r)/(1+r).
            (Some(a), Some(b)) => {
                let zero = one_minus_exp(-real(&rate)) * inverse;
                let side = |n: &Rational| if n > &one { run(&one, n) } else { Enclosure::ZERO };
                zero + side(&b) + side(&(&one - &a))
            }
        }
    };
    gather(cells.iter().map(|&cell| {
        let ends = integers(cell)?;
        let known = Enclosure::new(-most.upper(), most.upper())?;
        Ok(((mass(ends, &s), mass(ends, &Rational::ZERO)), known))
    }))
}

fn discrete_gaussian(
    sigma: &Rational,
    shift: &Rational,
    cells: &[Cell],
) -> Result<DiscretePair, AccountError> {
    let s = integer_shift(shift)?;
    let weights = Weights::of(sigma, 1e-300, s)?;
    let reach = i64::try_from(weights.reach).unwrap_or(i64::MAX);
    let s = i64::try_from(s).unwrap_or(i64::MAX);
    let rate = shift.checked_div(&sigma.square())?;
    let half = shift.checked_div(&Rational::from(2_u32))?;
    gather(cells.iter().map(|&cell| {
        let (from, to) = integers(cell)?;
        let known =
            span(cell, (f64::NEG_INFINITY, f64::INFINITY), |x| real(&(&(x - &half) * &rate)))?;
        let kept =
            from.unwrap_or(-reach).max(-reach)..to.unwrap_or(s + reach + 1).min(s + reach + 1);
        // What lies beyond the reach belongs to the outer cells, or to cells beyond it.
        let spills = kept.is_empty()
            || from.is_none_or(|k| k < -reach)
            || to.is_none_or(|k| k > s + reach + 1);
        let cut = Enclosure::new(0.0, if spills { weights.cut } else { 0.0 })?;
        let sum = |centre: i64| {
            kept.clone().fold(Enclosure::ZERO, |sum, k| sum + weights.chance(k - centre)) + cut
        };
        Ok(((sum(s), sum(0)), known))
    }))
}

fn poisson(mu1: &Rational, mu2: &Rational, cells: &[Cell]) -> Result<DiscretePair, AccountError> {
    for (name, rate) in [("mu1", mu1), ("mu2", mu2)] {
        if rate.is_negative() {
            return Err(AccountError::invalid(name, rate, "at least 0"));
        }
    }
    let below = |k: i64| u64::try_from(k - 1).ok();
    let mass = |(from, to): (Option<i64>, Option<i64>),
                rate: &Rational|
     -> Result<_, AccountError> {
        let mu = real(rate);
        if rate.is_zero() {
            let holds = from.is_none_or(|k| k <= 0) && to.is_none_or(|k| k > 0);
            return Ok(if holds { Enclosure::ONE } else { Enclosure::ZERO });
        }
        let head = |end: i64| below(end).map_or(Ok(Enclosure::ZERO), |k| tails::poisson_cdf(k, mu));
        let tail =
            |end: i64| below(end).map_or(Ok(Enclosure::ONE), |k| tails::poisson_survival(k, mu));
        let (from, to) = (from.unwrap_or(0), to);
        let Some(to) = to else { return Ok(tail(from)?) };
        if to <= 0 || to <= from {
            return Ok(Enclosure::ZERO);
        }
        let by_tails = tail(from)? - tail(to)?;
        let by_heads = head(to)? - head(from)?;
        Ok(by_tails.intersect(by_heads).unwrap_or(by_tails.hull(by_heads)))
    };
    gather(cells.iter().map(|&cell| {
        let ends = integers(cell)?;
        Ok(((mass(ends, mu1)?, mass(ends, mu2)?), Enclosure::REAL))
    }))
}

/// Exact chances, summed cell by cell.
fn chances(
    p: &[Rational],
    q: &[Rational],
    cuts: &[Rational],
) -> Result<DiscretePair, AccountError> {
    let mut sums = vec![(Rational::ZERO, Rational::ZERO); cuts.len() + 1];
    for (index, (p, q)) in (0_u64..).zip(p.iter().zip(q)) {
        let index = Rational::from(index);
        let cell = cuts.partition_point(|cut| cut <= &index);
        if let Some(sum) = sums.get_mut(cell) {
            *sum = (&sum.0 + p, &sum.1 + q);
        }
    }
    let (p, q): (Vec<_>, Vec<_>) = sums.into_iter().unzip();
    super::polygon::discrete(&p, &q)
}
