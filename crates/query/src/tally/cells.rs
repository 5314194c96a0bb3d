//! Bounded sums per group.

use super::bound::{Keep, Scaling};
use super::plan::{Place, Plan};
use super::rows::RowTotals;
use super::totals::{Body, Totals, UnitTotals};
use crate::QueryError;

/// How much of a unit counts.
///
/// # Guarantee
/// What survives of a unit depends on its own rows and the hash key alone, not on their order. With
/// h the reach of a measure ([`super::Measure::reach`]; 1 for rows) and b its fraction bits, one
/// unit contributes
/// - to at most `groups` groups: 1 to `units`, and to `scores` a vector of L2 norm at most 2^20,
/// - with `PerCell { rows: m }`: at most m h 2^b to a sum in each group,
/// - with `Norm { limit: c 2^10 }`: to each sum a vector of norm at most c h 2^b, for any c,
/// - to a clipped sum at most `most` 2^b in each group, whatever its rows are,
/// - at most `values` values to each list, and as much to the size of each union.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounding {
    /// The largest number of groups of one unit: those of smallest keyed hash of unit and key.
    pub groups: u64,
    /// What its rows may add up to.
    pub rows: RowBound,
    /// The largest number of values of one unit in one group, for `Distinct` and `Values`: those of
    /// smallest keyed hash of unit, key, value and, for lists, how often it came before.
    pub values: u64,
}

/// How the rows of a unit are bounded. Where each row is a unit, a bound below one row drops
/// all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowBound {
    /// In each group: n rows, if more than this many, count as this many average ones, i.e. totals
    /// are multiplied by rows / n, which is what sampling that many gives in expectation.
    PerCell {
        /// The number of rows.
        rows: u64,
    },
    /// Over all groups of the unit: totals are multiplied by limit / norm, if the norm is larger.
    Norm {
        /// Which norm of the vector of its numbers of rows.
        order: Order,
        /// The largest norm, in units of 2^-10 rows.
        limit: u64,
    },
}

/// Which norm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The sum.
    L1,
    /// The root of the sum of squares.
    L2,
}

/// The most fraction bits.
const MOST_BITS: u32 = 24;

/// Bounded sums over units, per group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// The groups, as ids for [`Totals::key_batch`], sorted by key (NULL last). All groups that
    /// have units after bounding; if all keys are public, all listed ones.
    pub keys: Vec<u32>,
    /// For each group, the units that have it (after bounding).
    pub units: Vec<u64>,
    /// For each group, the sum over its units of floor(2^20 / sqrt(g)), where g is the number of
    /// groups of the unit (after bounding).
    ///
    /// A unit's vector of scores has L2 norm at most 2^20: g floor(2^20 / sqrt g)^2 <= 2^40.
    pub scores: Vec<i64>,
    /// For each measure and group, the sum over units, in units of 2^-bits; for `Distinct` the
    /// size of the union (no bits); for `Values` empty.
    pub sums: Vec<Vec<i128>>,
    /// For each measure and group, the values kept, sorted; empty for all but `Values`.
    pub values: Vec<Vec<Vec<i64>>>,
}

impl Cells {
    pub(super) fn new(
        totals: &Totals,
        bounding: &Bounding,
        fraction_bits: &[u32],
    ) -> Result<Self, QueryError> {
        let plan = &totals.plan;
        if fraction_bits.len() != plan.places.len()
            || fraction_bits.iter().any(|bits| *bits > MOST_BITS)
        {
            return Err(QueryError::invalid("fraction bits: one number per measure, up to 24", ""));
        }
        let mut work = Work::new(plan, totals.groups.len());
        match &totals.body {
            Body::Rows(rows) => work.add_rows(plan, rows, bounding, fraction_bits),
            Body::Units(_) => {
                let mut keep = Keep::new(totals, bounding);
                for unit in totals.units() {
                    work.add_unit(plan, &unit, &mut keep, fraction_bits);
                }
            }
        }
        Ok(work.finish(totals))
    }
}

/// Sums in the making, by group.
struct Work {
    measures: usize,
    units: Vec<u64>,
    scores: Vec<i64>,
    /// Group by group.
    sums: Vec<i128>,
    /// For each measure: values by group, or none.
    values: Vec<Vec<Vec<i64>>>,
    /// For each measure: (group, code), with repetitions.
    codes: Vec<Vec<(u32, u32)>>,
}

impl Work {
    fn new(plan: &Plan, groups: usize) -> Self {
        let measures = plan.places.len();
        let lists = plan.places.iter().map(|place| match place {
            Place::Values(_) => vec![Vec::new(); groups],
            Place::Rows
            | Place::Present(_)
            | Place::Scalar(_)
            | Place::Clipped { .. }
            | Place::Distinct(_) => Vec::new(),
        });
        Self {
            measures,
            units: vec![0; groups],
            scores: vec![0; groups],
            sums: vec![0; groups * measures],
            values: lists.collect(),
            codes: vec![Vec::new(); measures],
        }
    }

    /// # Guarantee
    /// No overflow: a unit adds at most 2^62 · 2^24 in absolute value, and there are fewer than
    /// 2^40 units.
    fn add_unit(&mut self, plan: &Plan, unit: &UnitTotals<'_>, keep: &mut Keep<'_>, bits: &[u32]) {
        let kept = keep.groups(unit);
        let score = score(kept.len());
        let norm = keep.norm(unit, &kept);
        for i in kept {
            let group = unit.cells()[i];
            let scaling = norm.unwrap_or_else(|| keep.cell(unit.rows(i)));
            self.units[group as usize] += 1;
            self.scores[group as usize] += score;
            for (which, (place, bits)) in plan.places.iter().zip(bits).enumerate() {
                match place {
                    Place::Rows | Place::Present(_) | Place::Scalar(_) => {
                        let sum = &mut self.sums[group as usize * self.measures + which];
                        *sum += scaling.apply(unit.at(i, *place), *bits);
                    }
                    Place::Clipped { .. } => {
                        let sum = &mut self.sums[group as usize * self.measures + which];
                        *sum += i128::from(unit.at(i, *place)) << *bits;
                    }
                    Place::Values(list) => {
                        let kept = keep.values(unit.seed(), group, unit.values(i, *list));
                        self.values[which][group as usize].extend(kept);
                    }
                    Place::Distinct(list) => {
                        let kept = keep.codes(unit.seed(), group, unit.codes(i, *list), *list);
                        self.codes[which].extend(kept.into_iter().map(|code| (group, code)));
                    }
                }
            }
        }
    }

    /// Rows are units: each is in one group with one row and one value.
    fn add_rows(&mut self, plan: &Plan, rows: &RowTotals, bounding: &Bounding, bits: &[u32]) {
        if bounding.groups == 0 {
            return;
        }
        self.units.clone_from(&rows.rows);
        let scores = rows.rows.iter().map(|n| i64::try_from(*n).unwrap_or(i64::MAX));
        self.scores = scores.map(|n| n.saturating_mul(score(1))).collect();
        let sums_drop = !Scaling::whole_row_fits(&bounding.rows);
        let sums = plan.scalars.len();
        for (which, (place, bits)) in plan.places.iter().zip(bits).enumerate() {
            if matches!(place, Place::Rows | Place::Present(_) | Place::Scalar(_)) && sums_drop {
                continue;
            }
            for group in 0..self.units.len() {
                let total = match place {
                    Place::Rows => i128::from(rows.rows[group]),
                    Place::Present(missing) => {
                        i128::from(rows.rows[group]) - i128::from(rows.missing[*missing][group])
                    }
                    Place::Scalar(scalar) | Place::Clipped { scalar, .. } => {
                        rows.sums[group * sums + *scalar]
                    }
                    Place::Values(_) | Place::Distinct(_) => 0,
                };
                self.sums[group * self.measures + which] = total << *bits;
            }
            match place {
                Place::Values(list) if bounding.values > 0 => {
                    for (group, value) in rows.values[*list].iter() {
                        self.values[which][group as usize].push(value);
                    }
                }
                Place::Distinct(list) if bounding.values > 0 => {
                    self.codes[which] = rows.distinct[*list].clone().sorted().to_vec();
                }
                Place::Rows
                | Place::Present(_)
                | Place::Scalar(_)
                | Place::Clipped { .. }
                | Place::Values(_)
                | Place::Distinct(_) => {}
            }
        }
    }

    fn finish(mut self, totals: &Totals) -> Cells {
        self.unite();
        let public = totals.is_public();
        let sorted = totals.groups.sorted().iter().copied();
        let keys: Vec<u32> =
            sorted.filter(|group| public || self.units[*group as usize] > 0).collect();
        let sums = totals.plan.places.iter().enumerate().map(|(which, place)| {
            if matches!(place, Place::Values(_)) {
                return Vec::new();
            }
            keys.iter().map(|group| self.sums[*group as usize * self.measures + which]).collect()
        });
        let sums = sums.collect();
        let values = self.values.iter_mut().map(|lists| {
            if lists.is_empty() {
                return Vec::new();
            }
            let lists = keys.iter().map(|group| std::mem::take(&mut lists[*group as usize]));
            lists.map(sorted_list).collect()
        });
        let values = values.collect();
        let units = keys.iter().map(|group| self.units[*group as usize]).collect();
        let scores = keys.iter().map(|group| self.scores[*group as usize]).collect();
        Cells { keys, units, scores, sums, values }
    }

    /// Sizes of unions, into the sums.
    fn unite(&mut self) {
        for (which, codes) in self.codes.iter_mut().enumerate() {
            codes.sort_unstable();
            codes.dedup();
            for (group, _) in codes.iter() {
                self.sums[*group as usize * self.measures + which] += 1;
            }
        }
    }
}

fn sorted_list(mut list: Vec<i64>) -> Vec<i64> {
    list.sort_unstable();
    list
}

/// floor(2^20 / sqrt(g)): its square is at most 2^40 / g, and floor(sqrt(floor x)) = floor(sqrt x).
fn score(groups: usize) -> i64 {
    let groups = u64::try_from(groups).unwrap_or(u64::MAX).max(1);
    i64::try_from(((1_u64 << 40) / groups).isqrt()).unwrap_or(0)
}
