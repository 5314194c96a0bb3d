//! Many quantiles at once.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::estimate::{RankBound, Ranked};
use super::layers::{Score, draw};
use super::target::Target;
use super::window::Window;
use crate::parts::InParts;
use crate::selection::positive;
use crate::{Clamp, Mechanism, MechanismError, Run};

/// Several quantiles of numbers: the middle one cuts the data and the interval in two, and each part
/// answers for the quantiles on its side.
///
/// For m quantiles this takes ⌈log2(m + 1)⌉ levels instead of m runs. Answers never cross. Data becomes steps
/// as for [`super::Quantile`].
///
/// # Guarantee
/// With L levels, `L * exponential(eps/L)`, for every relation.
///
/// *Proof.* Given the answers of the levels above, the parts of a level are disjoint, and each runs
/// one exponential mechanism on its rows ([`super::Quantile`]), of range ε₀. Under add-remove the
/// unit is in one part of a level, and the others do the same on both neighbours: range ε₀ = ε/L.
/// Under replace the unit may leave one part and enter another, or stay in its part, which is one
/// step of add-remove after another: the ranges add to 2ε₀, and ε₀ = ε/(2L). Zero-out leaves NaN in
/// place of the unit, which counts as a point of the interval: that is to replace it.
///
/// # How far off
/// A part between the answers for fractions q₁ < q₂, whose cuts have ranks r₁ and r₂, looks for
/// the rank r₁ + (q - q₁)/(q₂ - q₁) (r₂ - r₁), a mean of those two with the weights of q between q₁
/// and q₂; so it inherits at most the larger of their errors and adds its own, d. Its cut is
/// below all rows that equal the answer: of different rows that is at most one more rank. After L
/// levels errors are at most L d + L - 1 for the largest d. Many rows that equal an answer shift the
/// quantiles on both sides of it, which the bound does not cover.
///
/// # Reference
/// H. Kaplan, S. Schnapp, U. Stemmer, "Differentially private approximate quantiles", 2022.
///
/// ```
/// use throng_mechanism::quantile::Quantiles;
/// use throng_mechanism::{Budget, Clamp, Grid, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let quarters = ["1/4", "1/2", "3/4"].map(|q| q.parse()).into_iter().collect::<Result<Vec<_>, _>>()?;
/// let ages = Clamp::new(&0.into(), &120.into(), Grid::new(-3)?)?;
/// let mechanism = Quantiles::new(quarters, ages, &1.into(), Neighbours::AddRemove)?;
/// assert_eq!(mechanism.spec().to_string(), "2 * exponential(eps=0.5)");
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let data = Sensitive::new([31.0, 47.5, 22.25, 68.0, 35.0]);
/// println!("{:?}", mechanism.run(data.as_slice(), permit, &mut OsEntropy)?.value().values());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantiles {
    fractions: Vec<Rational>,
    /// For each fraction, what its part looks for, and at which rate.
    nodes: Vec<Node>,
    clamp: Clamp,
    levels: u64,
    spec: MechanismSpec,
    under: Neighbours,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    target: Target,
    rate: Rational,
}

impl Quantiles {
    /// The quantiles of these fractions, in increasing order.
    ///
    /// # Errors
    /// If there are none, they are not strictly increasing within (0, 1), their denominators are too
    /// long, or epsilon is not above 0.
    pub fn new(
        fractions: Vec<Rational>,
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        positive("epsilon", epsilon)?;
        check(&fractions)?;
        let levels = u64::from(fractions.len().checked_ilog2().unwrap_or(0) + 1);
        let each = epsilon.checked_div(&Rational::from(levels))?;
        let node = match under {
            Neighbours::AddRemove => each.clone(),
            Neighbours::Replace | Neighbours::ZeroOut => each.checked_div(&Rational::from(2))?,
        };
        let mut nodes = Vec::new();
        plan(&fractions, (&Rational::ZERO, &Rational::ONE), &node, &mut nodes)?;
        let leaf = MechanismSpec::leaf(Leaf::Exponential { epsilon: each })?;
        let spec = if levels == 1 { leaf } else { MechanismSpec::repeated(levels, leaf)? };
        Ok(Self { fractions, nodes, clamp, levels, spec, under })
    }

    /// The fractions.
    #[must_use]
    pub fn fractions(&self) -> &[Rational] {
        &self.fractions
    }

    /// How many ranks each answer is off, at most, for all at once with this confidence, for rows
    /// that are all different after rounding; see above.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn rank_error(&self, confidence: f64) -> Result<f64, MechanismError> {
        self.bound().rank_error(confidence)
    }

    fn bound(&self) -> RankBound {
        let rate = self.nodes.iter().map(|node| &node.rate).min().cloned();
        RankBound {
            clamp: self.clamp,
            rate: rate.unwrap_or(Rational::ONE),
            draws: u64::try_from(self.nodes.len()).unwrap_or(u64::MAX),
            levels: self.levels,
        }
    }
}

/// The middle of so many fractions, in the sense of the recursion.
const fn middle(count: usize) -> usize {
    count / 2
}

fn check(fractions: &[Rational]) -> Result<(), MechanismError> {
    let inside = |q: &Rational| q.is_positive() && *q < Rational::ONE;
    if !fractions.is_empty() && fractions.iter().all(inside) && fractions.is_sorted_by(|a, b| a < b)
    {
        return Ok(());
    }
    let allowed = "at least one, strictly increasing, above 0 and below 1";
    Err(MechanismError::invalid("the fractions", format!("{} numbers", fractions.len()), allowed))
}

/// The nodes of a part whose ends are the quantiles of `ends`, in the order of their fractions.
fn plan(
    fractions: &[Rational],
    ends: (&Rational, &Rational),
    epsilon: &Rational,
    nodes: &mut Vec<Node>,
) -> Result<(), MechanismError> {
    let (left, rest) = fractions.split_at(middle(fractions.len()));
    let Some((q, right)) = rest.split_first() else { return Ok(()) };
    let share = (q - ends.0).checked_div(&(ends.1 - ends.0))?;
    let target = Target::fraction(&share)?;
    // Ranges are those of add-remove under every relation; see the proof.
    let rate = epsilon.checked_div(&target.range(Neighbours::AddRemove))?;
    plan(left, (ends.0, q), epsilon, nodes)?;
    nodes.push(Node { target, rate });
    plan(right, (q, ends.1), epsilon, nodes)
}

/// The answers of a part: sorted rows within an interval.
fn descend(
    nodes: &[Node],
    rows: &[i64],
    (lower, upper): (i64, i64),
    answers: &mut Vec<i64>,
    run: &mut Run<'_>,
) -> Result<(), MechanismError> {
    let (left, rest) = nodes.split_at(middle(nodes.len()));
    let Some((node, right)) = rest.split_first() else { return Ok(()) };
    let score = Score::new(&node.target, rows.len(), &node.rate, (lower, upper))?;
    let window = Window::of_sorted(rows, lower, upper);
    // The window is the whole part, so nothing is outside.
    let nowhere = |_| super::window::Counts { below: 0, upto: 0 };
    let cut = draw(&window, &score, nowhere, run)?;
    let (before, after) = rows.split_at(rows.partition_point(|x| *x < cut));
    descend(left, before, (lower, cut), answers, run)?;
    answers.push(cut);
    descend(right, after, (cut, upper), answers, run)
}

impl Mechanism for Quantiles {
    type Input = [f64];
    type Output = Ranked;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[f64], run: &mut Run<'_>) -> Result<Ranked, MechanismError> {
        self.answer_in_parts(&[input], run)
    }
}

impl InParts for Quantiles {
    type Record = f64;

    fn answer_in_parts(
        &self,
        parts: &[&[f64]],
        run: &mut Run<'_>,
    ) -> Result<Ranked, MechanismError> {
        let all = parts.iter().copied().flatten();
        let mut rows: Vec<i64> = all.map(|x| self.clamp.apply(*x)).collect();
        rows.sort_unstable();
        let domain = (self.clamp.lower(), self.clamp.upper());
        let mut answers = Vec::with_capacity(self.nodes.len());
        descend(&self.nodes, &rows, domain, &mut answers, run)?;
        Ok(Ranked::new(answers, self.bound()))
    }
}
