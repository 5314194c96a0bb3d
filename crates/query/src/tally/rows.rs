//! Totals where each row is a unit: straight into the groups.

use super::dictionary::UNLISTED;
use super::lists::{PairSet, ValueLog};
use super::plan::{Contributions, Event, Plan};

/// Totals by group.
pub(super) struct RowTotals {
    sums_per_group: usize,
    pub(super) rows: Vec<u64>,
    /// Group by group.
    pub(super) sums: Vec<i128>,
    pub(super) missing: Vec<Vec<u64>>,
    pub(super) values: Vec<ValueLog>,
    pub(super) distinct: Vec<PairSet>,
}

impl RowTotals {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            sums_per_group: plan.scalars.len(),
            rows: Vec::new(),
            sums: Vec::new(),
            missing: vec![Vec::new(); plan.present.len()],
            values: plan.values.iter().map(|(_, clamp)| ValueLog::new(*clamp)).collect(),
            distinct: vec![PairSet::default(); plan.distinct.len()],
        }
    }

    /// Makes room for this many groups.
    pub(super) fn reserve(&mut self, groups: usize) {
        self.rows.resize(groups, 0);
        self.sums.resize(groups * self.sums_per_group, 0);
        for missing in &mut self.missing {
            missing.resize(groups, 0);
        }
    }

    /// Counts a batch; rows without a group are dropped.
    pub(super) fn add(&mut self, groups: &[u32], contributions: &Contributions) {
        for group in groups.iter().filter(|group| **group != UNLISTED) {
            self.rows[*group as usize] += 1;
        }
        for (which, column) in contributions.scalars.iter().enumerate() {
            for (group, x) in groups.iter().zip(column).filter(|(group, _)| **group != UNLISTED) {
                self.sums[*group as usize * self.sums_per_group + which] += i128::from(*x);
            }
        }
        contributions.events(|row, event| {
            if groups[row] != UNLISTED {
                self.add_event(groups[row], event);
            }
        });
    }

    fn add_event(&mut self, group: u32, event: Event) {
        match event {
            Event::Missing { which } => {
                if let Some(missing) = self.missing.get_mut(which as usize) {
                    missing[group as usize] += 1;
                }
            }
            Event::Value { which, value } => {
                if let Some(log) = self.values.get_mut(which as usize) {
                    log.push(group, value);
                }
            }
            Event::Code { which, code } => {
                if let Some(set) = self.distinct.get_mut(which as usize) {
                    set.insert(group, code);
                }
            }
        }
    }

    /// Adds the totals of others, whose groups and codes have these numbers here.
    pub(super) fn merge(&mut self, mut other: Self, groups: &[u32], codes: &[Vec<u32>]) {
        for (theirs, group) in groups.iter().enumerate().take(other.rows.len()) {
            let ours = *group as usize;
            self.rows[ours] += other.rows[theirs];
            for which in 0..self.sums_per_group {
                self.sums[ours * self.sums_per_group + which] +=
                    other.sums[theirs * self.sums_per_group + which];
            }
            for (missing, others) in self.missing.iter_mut().zip(&other.missing) {
                missing[ours] += others[theirs];
            }
        }
        for (log, others) in self.values.iter_mut().zip(&other.values) {
            for (group, value) in others.iter() {
                log.push(groups[group as usize], value);
            }
        }
        let sets = self.distinct.iter_mut().zip(&mut other.distinct).zip(codes);
        for ((set, others), codes) in sets {
            for (group, code) in others.sorted() {
                set.insert(groups[*group as usize], codes[*code as usize]);
            }
        }
    }
}
