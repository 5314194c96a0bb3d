//! The exponential mechanism on the points of a grid.

use std::collections::BTreeMap;

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Integer, Natural, Rational};
use throng_sample::{Run as Stretch, RunChoice};

use super::{ScoreChange, gap_of_odds, positive};
use crate::estimate::miss;
use crate::grid::MOST_STEPS;
use crate::replay::Observed;
use crate::{Clamp, Grid, Mechanism, MechanismError, Run};

/// A score on the points of a grid that is linear between knots.
///
/// Beyond the outermost knots it is what the [`Domain`] says. A score that is constant in pieces
/// has a knot at both ends of each piece.
// No Debug: a score is a function of private data.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Landscape {
    knots: BTreeMap<i64, i64>,
}

impl Landscape {
    /// The score through these knots (place in steps, score); of knots at one place the last
    /// counts, and places saturate at ±[`MOST_STEPS`]. Without knots it is 0 at 0.
    #[must_use]
    pub fn through(knots: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let place = |k: i64| k.clamp(-MOST_STEPS, MOST_STEPS);
        Self { knots: knots.into_iter().map(|(k, s)| (place(k), s)).collect() }
    }

    /// The score at a place between the outermost knots or at the nearer of them.
    fn at(&self, place: i64) -> Rational {
        let before = self.knots.range(..=place).next_back();
        let after = self.knots.range(place..).next();
        match (before, after) {
            (Some((&k0, &s0)), Some((&k1, &s1))) if k0 < k1 => {
                let along = Rational::from(i128::from(place) - i128::from(k0));
                Rational::from(s0) + slope((k0, s0), (k1, s1)) * along
            }
            (Some((_, s)), _) | (None, Some((_, s))) => Rational::from(*s),
            (None, None) => Rational::ZERO,
        }
    }
}

/// The change of the score per step; knots are at different places.
fn slope((k0, s0): (i64, i64), (k1, s1): (i64, i64)) -> Rational {
    let rise = Rational::from(i128::from(s1) - i128::from(s0));
    rise.checked_div(&Rational::from(i128::from(k1) - i128::from(k0))).unwrap_or(Rational::ZERO)
}

/// Where the answer may lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    /// The grid points of an interval; beyond its outermost knots a score is constant.
    Interval(Clamp),
    /// All points of a grid; beyond its outermost knots a score falls by `fall` with each step.
    Line {
        /// The grid.
        grid: Grid,
        /// By how much, above 0: else the weights would have no sum.
        fall: Rational,
    },
}

/// A point of a grid, with a chance proportional to e^(λ score).
///
/// # Guarantee
/// `exponential(eps)`, as for [`super::Exponential`]; whether the range of the change of the
/// score, over all points of the domain, is the one given, only the caller can know. Domain
/// and fall are public, so the sum of weights is finite for every data set.
///
/// Points beyond ±(2^62 - 1) steps saturate, which is post-processing.
///
/// ```
/// use throng_mechanism::selection::{Domain, Landscape, OnLine, ScoreChange};
/// use throng_mechanism::{Budget, Grid, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// // Score -|y - x|, where x moves by at most 3: a location on all integers.
/// let change = ScoreChange::within(&3.into(), Neighbours::Replace)?;
/// let domain = Domain::Line { grid: Grid::WHOLE, fall: 1.into() };
/// let mechanism = OnLine::new(domain, &1.into(), &change)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::Replace)?;
/// let permit = budget.permit(&mechanism)?;
/// let score = Sensitive::new(Landscape::through([(1234, 0)]));
/// println!("{}", mechanism.run(&score, permit, &mut OsEntropy)?.value());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnLine {
    domain: Domain,
    rate: Rational,
    spec: MechanismSpec,
    under: Neighbours,
}

impl OnLine {
    /// Chooses a point of the domain.
    ///
    /// # Errors
    /// If epsilon or the fall is not above 0.
    pub fn new(
        domain: Domain,
        epsilon: &Rational,
        change: &ScoreChange,
    ) -> Result<Self, MechanismError> {
        match &domain {
            Domain::Line { grid: _, fall } => positive("the fall of the score", fall)?,
            Domain::Interval(_) => {}
        }
        let rate = change.rate(epsilon)?;
        let spec = MechanismSpec::leaf(Leaf::Exponential { epsilon: epsilon.clone() })?;
        Ok(Self { domain, rate, spec, under: change.neighbours() })
    }

    /// λ: chances are proportional to e^(λ score).
    #[must_use]
    pub const fn rate(&self) -> &Rational {
        &self.rate
    }

    /// How far the score of the answer is behind the best, at most, with this confidence, whatever
    /// the score is; none on an unbounded domain, where that depends on the score.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn gap(&self, confidence: f64) -> Result<Option<f64>, MechanismError> {
        let beta = miss(confidence)?;
        match &self.domain {
            Domain::Interval(clamp) => {
                let others = Rational::from(clamp.width());
                let others = throng_numeric::Enclosure::of_rational(&others);
                gap_of_odds(others, beta, &self.rate).map(Some)
            }
            Domain::Line { .. } => Ok(None),
        }
    }

    /// The domain as stretches of linear energy, each with the place of its first element and
    /// whether it runs upward.
    fn stretches(&self, score: &Landscape) -> Vec<(i64, bool, Stretch)> {
        match &self.domain {
            Domain::Interval(clamp) => self.between(score, clamp.lower(), clamp.upper()),
            Domain::Line { grid: _, fall } => {
                let first = score.knots.keys().next().copied().unwrap_or(0);
                let last = score.knots.keys().next_back().copied().unwrap_or(0);
                let mut all = self.between(score, first, last);
                let step = &self.rate * fall;
                for (end, place, up) in [(first, first - 1, false), (last, last + 1, true)] {
                    let start = -(&self.rate * &score.at(end)) + step.clone();
                    all.push((place, up, Stretch { start, step: step.clone(), length: None }));
                }
                all
            }
        }
    }

    /// The points from..=to.
    fn between(&self, score: &Landscape, from: i64, to: i64) -> Vec<(i64, bool, Stretch)> {
        let inner = score.knots.range(from..=to).map(|(k, _)| *k);
        let mut cuts: Vec<i64> = std::iter::once(from).chain(inner).collect();
        cuts.push(to);
        cuts.dedup();
        let energy = |place: i64| -(&self.rate * &score.at(place));
        let piece = |pair: &[i64]| {
            let &[a, b] = pair else { return None };
            let steps = i128::from(b) - i128::from(a);
            let rise = energy(b) - energy(a);
            let step = rise.checked_div(&Rational::from(steps)).ok()?;
            let length = Natural::try_from(Integer::from(steps)).ok();
            Some((a, true, Stretch { start: energy(a), step, length }))
        };
        // Each piece but for its last point; the last point of all on its own.
        let mut all: Vec<_> = cuts.windows(2).filter_map(piece).collect();
        let (step, length) = (Rational::ZERO, Some(Natural::ONE));
        all.push((to, true, Stretch { start: energy(to), step, length }));
        all
    }
}

impl Mechanism for OnLine {
    type Input = Landscape;
    /// In steps of the grid.
    type Output = i64;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(&self, input: &Landscape, run: &mut Run<'_>) -> Result<i64, MechanismError> {
        run.observe(|| Observed::drawn("a point on a line"));
        let stretches = self.stretches(input);
        let choice = RunChoice::new(stretches.iter().map(|(_, _, stretch)| stretch.clone()))?;
        let (which, offset) = choice.draw(run.entropy())?;
        let (place, up) = stretches.get(which).map_or((0, true), |(place, up, _)| (*place, *up));
        let offset = if up { Integer::from(offset) } else { -Integer::from(offset) };
        let most = Integer::from(MOST_STEPS);
        let point = (Integer::from(place) + offset).clamp(-most.clone(), most);
        Ok(i64::try_from(point).unwrap_or(MOST_STEPS))
    }
}
