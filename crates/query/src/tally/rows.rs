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
    /// Group by group: rows and sums that are not yet in the others.
    recent: Vec<i64>,
    /// How many rows are in `recent`.
    waiting: u64,
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
            recent: Vec::new(),
            waiting: 0,
            missing: vec![Vec::new(); plan.present.len()],
            values: plan.values.iter().map(|(_, clamp)| ValueLog::new(*clamp)).collect(),
            distinct: vec![PairSet::default(); plan.distinct.len()],
        }
    }

    /// Makes room for this many groups.
    pub(super) fn reserve(&mut self, groups: usize) {
        self.rows.resize(groups, 0);
        self.sums.resize(groups * self.sums_per_group, 0);
        self.recent.resize(groups * (self.sums_per_group + 1), 0);
        for missing in &mut self.missing {
            missing.resize(groups, 0);
        }
    }

    /// Counts a batch; rows without a group are dropped.
    pub(super) fn add(&mut self, groups: &[u32], contributions: &Contributions) {
        self.wait(groups.len() as u64);
        match contributions.scalars.as_slice() {
            [one] => self.add_each(groups, |row| [one[row]]),
            [one, two] => self.add_each(groups, |row| [one[row], two[row]]),
            all => {
                let width = all.len() + 1;
                for (row, group) in groups.iter().enumerate().filter(|(_, g)| **g != UNLISTED) {
                    let place = *group as usize * width;
                    self.recent[place] += 1;
                    for (sum, column) in self.recent[place + 1..].iter_mut().zip(all) {
                        *sum += i64::from(column[row]);
                    }
                }
            }
        }
        contributions.events(|row, event| {
            if groups[row] != UNLISTED {
                self.add_event(groups[row], event);
            }
        });
    }

    /// One row and its sums lie side by side.
    #[inline]
    fn add_each<const N: usize>(&mut self, groups: &[u32], sums: impl Fn(usize) -> [i32; N]) {
        for (row, group) in groups.iter().enumerate() {
            if *group == UNLISTED {
                continue;
            }
            let place = *group as usize * (N + 1);
            let recent = &mut self.recent[place..=place + N];
            recent[0] += 1;
            for (sum, x) in recent[1..].iter_mut().zip(sums(row)) {
                *sum += i64::from(x);
            }
        }
    }

    /// Makes sure that so many more rows, of at most 2^30 each, fit: up to 2^32 of them do.
    fn wait(&mut self, rows: u64) {
        self.waiting = self.waiting.saturating_add(rows);
        if self.waiting > 1 << 32 {
            self.settle();
            self.waiting = rows;
        }
    }

    /// Brings all totals up to date.
    pub(super) fn settle(&mut self) {
        let width = self.sums_per_group + 1;
        for (group, recent) in self.recent.chunks_exact_mut(width).enumerate() {
            self.rows[group] += recent[0].unsigned_abs();
            let sums = &mut self.sums[group * self.sums_per_group..];
            for (sum, x) in sums.iter_mut().zip(&recent[1..]) {
                *sum += i128::from(*x);
            }
            recent.fill(0);
        }
        self.waiting = 0;
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
        other.settle();
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
