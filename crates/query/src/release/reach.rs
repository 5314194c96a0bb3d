//! How much one unit contributes to the cells of a measure.
//!
//! The *reach* is the accountant's contribution: the cells move by at most the reach if a unit is
//! added, removed or zeroed out, and by at most twice the reach if it is replaced.
//!
//! # Bounds
//! A unit's contribution is a vector v over the cells: the difference it makes to the cells. In a
//! *box* at most g of its entries are not 0, each at most d in size: |v| <= √g d in L2 and g d in L1. In a
//! *ball* |v| <= d: the numbers of rows r of a unit are scaled so that |r| <= C, every total
//! is scaled by the same factor and then rounded towards 0, and a row contributes at most h, so
//! |v_i| <= h r_i in each cell and |v| <= h C.
//!
//! Replacing a unit moves the cells by v - v', at most 2d by the triangle inequality: the reach is
//! d. If no entry is negative, |v - v'|² = |v|² + |v'|² - 2 v·v' <= 2d² in L2, so d/√2 is enough; and
//! if there is only one cell |v - v'| <= max(v, v') <= d, so d/2 is enough, in both norms. A count
//! of distinct values is no sum over units, but adding a unit to the others moves it by some
//! v with 0 <= v_i <= m, and replacing it by v - v'.
//!
//! All of it is rounded up.

use throng_account::Neighbours;
use throng_mechanism::{L2, MechanismError, Sensitivity};
use throng_numeric::Rational;

use super::family::Family;
use super::plan::{Base, Plan, Rows};
use super::threshold::SCORE;

/// What contains the contribution of each unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// At most so many cells, each at most so much.
    Box { groups: u64, each: Rational },
    /// At most so much in the norm of the noise.
    Ball { limit: Rational },
}

/// What else is known of contributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
    /// No entry is negative.
    pub(super) positive: bool,
    /// There is only one cell.
    pub(super) single: bool,
}

impl Shape {
    /// The reach of contributions in this shape.
    pub(super) fn reach(
        &self,
        family: Family,
        sign: Sign,
        under: Neighbours,
    ) -> Result<Rational, MechanismError> {
        let square = self.square(family, sign.single);
        let half = Rational::new(1, 2_u32)?;
        let square = match under {
            Neighbours::AddRemove | Neighbours::ZeroOut => square,
            Neighbours::Replace if sign.positive && sign.single => square * half.square(),
            Neighbours::Replace if sign.positive && family == Family::Gaussian => square * half,
            Neighbours::Replace => square,
        };
        Ok(Sensitivity::<L2>::of_square(&square, under)?.distance().clone())
    }

    /// The square of the norm.
    fn square(&self, family: Family, single: bool) -> Rational {
        match self {
            Self::Ball { limit } => limit.square(),
            Self::Box { groups, each } => {
                let groups = Rational::from(if single { 1 } else { *groups });
                let factor = match family {
                    Family::Gaussian => groups,
                    Family::Laplace => groups.square(),
                };
                factor * each.square()
            }
        }
    }
}

/// The reach of a base of a plan, in the steps its cells are kept in; `limit` is that of the norm.
pub(super) fn reach(
    plan: &Plan,
    base: &Base,
    each: &Rational,
    limit: Option<u64>,
    family: Family,
    under: Neighbours,
) -> Result<Rational, MechanismError> {
    if plan.is_by_row() {
        let each = if base.is_total() { each.clone() } else { Rational::from(SCORE) };
        let sign = Sign { positive: base.is_positive(), single: plan.is_single() };
        return changed_rows(plan, &each, sign, family, under);
    }
    let cells = |groups: u64, each: Rational| Shape::Box { groups, each };
    let shape = match (base, plan.rows) {
        (Base::Units, _) => cells(plan.few, Rational::from(SCORE)),
        (Base::Distinct { .. } | Base::Quantile { .. } | Base::End { .. }, _) => {
            cells(plan.few, Rational::from(SCORE) * Rational::from(plan.values))
        }
        (Base::Clipped { .. }, _) => cells(plan.few, each.clone()),
        (_, Rows::Each(rows)) => cells(plan.groups, each * &Rational::from(rows)),
        (_, Rows::Norm(known)) => {
            let limit = limit.or(known).unwrap_or(1 << 10);
            Shape::Ball { limit: each * &Rational::new(limit, 1_u32 << 10)? }
        }
    };
    let sign = Sign { positive: base.is_positive(), single: plan.is_single() };
    shape.reach(family, sign, under)
}

/// The reach of a sum of rows that count by themselves, each at most `each`: one unit changes so many
/// of them, wherever they are, which is a vector of at most so much in L1 and hence in L2. More than one may come
/// and go together, so that nothing is known of the signs.
fn changed_rows(
    plan: &Plan,
    each: &Rational,
    sign: Sign,
    family: Family,
    under: Neighbours,
) -> Result<Rational, MechanismError> {
    let changed = plan.changed();
    let limit = each * &Rational::from(changed);
    let sign = Sign { positive: sign.positive && changed == 1, ..sign };
    Shape::Ball { limit }.reach(family, sign, under)
}

/// The reach of scores of a plan.
pub(super) fn scores(
    plan: &Plan,
    family: Family,
    under: Neighbours,
) -> Result<Rational, MechanismError> {
    if plan.is_by_row() {
        let sign = Sign { positive: true, single: false };
        return changed_rows(plan, &Rational::from(SCORE), sign, family, under);
    }
    score_reach(plan.groups, family, under)
}

/// The reach of a histogram in which each unit, or each row that counts by itself, has one place.
pub(super) fn one_place(
    plan: &Plan,
    family: Family,
    under: Neighbours,
) -> Result<Rational, MechanismError> {
    if plan.is_by_row() { scores(plan, family, under) } else { score_reach(1, family, under) }
}

/// The reach of scores: S in L2, √groups S in L1.
fn score_reach(groups: u64, family: Family, under: Neighbours) -> Result<Rational, MechanismError> {
    let square = Rational::from(SCORE).square();
    let square = match family {
        Family::Gaussian => square,
        Family::Laplace => square * Rational::from(groups),
    };
    let limit = Sensitivity::<L2>::of_square(&square, under)?.distance().clone();
    Shape::Ball { limit }.reach(family, Sign { positive: true, single: false }, under)
}
