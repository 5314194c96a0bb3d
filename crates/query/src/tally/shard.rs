//! The table of (unit, group) totals, cut into shards by unit.
//!
//! A probe at random into a table of millions of pairs waits for memory. So rows wait instead:
//! each shard gathers thousands of them, and when they are counted its table stays in the cache.

use super::dictionary::too_many;
use super::hash::HashKey;
use super::index::Index;
use super::lists::{PairSet, ValueLog};
use super::plan::{Event, Plan};
use crate::QueryError;

/// The number of shards.
pub(super) const SHARDS: usize = 1 << SHARD_BITS;
const SHARD_BITS: u32 = 8;

/// How many rows wait in a shard until they are counted.
const WAITING_ROWS: usize = 1 << 13;

/// How many events wait in a shard; they are larger.
const WAITING_EVENTS: usize = 1 << 12;

/// Set in a group's number where the unit is NULL; numbers are below it.
pub(super) const NULL_UNIT: u32 = 1 << 31;

/// Words before the sums of a waiting row: the unit (two) and the group.
pub(super) const ROW_HEAD: usize = 3;

/// Words before the sums of an entry: the unit, and the group with the number of rows.
const HEAD: usize = 2;

/// The shard of a unit's word.
#[inline]
pub(super) fn shard_of(hash: HashKey, unit: u64) -> usize {
    usize::try_from(hash.word(unit) >> (64 - SHARD_BITS)).unwrap_or(0)
}

/// The totals of a part of the units.
pub(super) struct Shard {
    hash: HashKey,
    sums: usize,
    index: Index,
    /// Row by row: the unit, the group (low half) and the number of rows (high half), the sums.
    entries: Vec<u64>,
    /// Rows to be counted: the unit's low and high half, the group, what it adds to each sum.
    waiting: Vec<u32>,
    events: Vec<(u64, u32, Event)>,
    /// For each input whose NULLs are counted, their number by entry; short until there are any.
    pub(super) missing: Vec<Vec<u32>>,
    pub(super) values: Vec<ValueLog>,
    pub(super) distinct: Vec<PairSet>,
}

/// One entry of a shard.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a>(&'a [u64]);

impl<'a> Entry<'a> {
    #[inline]
    pub(super) fn unit(self) -> u64 {
        self.0[0]
    }

    /// The group, with [`NULL_UNIT`] where the unit is NULL.
    #[inline]
    pub(super) fn group(self) -> u32 {
        u32::try_from(self.0[1] & u64::from(u32::MAX)).unwrap_or(0)
    }

    #[inline]
    pub(super) fn rows(self) -> u32 {
        u32::try_from(self.0[1] >> 32).unwrap_or(0)
    }

    pub(super) fn sums(self) -> impl Iterator<Item = i64> + 'a {
        self.0[HEAD..].iter().map(|sum| sum.cast_signed())
    }
}

impl Shard {
    pub(super) fn new(plan: &Plan, hash: HashKey) -> Self {
        Self {
            hash,
            sums: plan.scalars.len(),
            index: Index::new(),
            entries: Vec::new(),
            waiting: Vec::new(),
            events: Vec::new(),
            missing: vec![Vec::new(); plan.present.len()],
            values: plan.values.iter().map(|(_, clamp)| ValueLog::new(*clamp)).collect(),
            distinct: vec![PairSet::default(); plan.distinct.len()],
        }
    }

    /// Sums per entry.
    pub(super) const fn sums(&self) -> usize {
        self.sums
    }

    const fn stride(&self) -> usize {
        HEAD + self.sums
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len() / self.stride()
    }

    pub(super) fn entry(&self, slot: usize) -> Entry<'_> {
        let stride = self.stride();
        Entry(&self.entries[slot * stride..(slot + 1) * stride])
    }

    /// A row joins those that wait.
    #[inline]
    pub(super) fn wait(&mut self, row: &[u32]) {
        self.waiting.extend_from_slice(row);
    }

    /// An event of a row joins those that wait.
    #[inline]
    pub(super) fn wait_event(&mut self, unit: u64, group: u32, event: Event) {
        self.events.push((unit, group, event));
    }

    /// Counts what waits, if it is much.
    pub(super) fn relieve(&mut self) -> Result<(), QueryError> {
        let much = self.waiting.len() >= WAITING_ROWS * (ROW_HEAD + self.sums)
            || self.events.len() >= WAITING_EVENTS;
        if much { self.count() } else { Ok(()) }
    }

    /// Counts what waits.
    pub(super) fn count(&mut self) -> Result<(), QueryError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        for row in waiting.chunks_exact(ROW_HEAD + self.sums) {
            let [low, high, group, sums @ ..] = row else { continue };
            let slot = self.slot(u64::from(*high) << 32 | u64::from(*low), *group)?;
            self.add_row(slot, sums);
        }
        waiting.clear();
        self.waiting = waiting;
        let mut events = std::mem::take(&mut self.events);
        for (unit, group, event) in events.drain(..) {
            let slot = self.slot(unit, group)?;
            self.add_event(slot, event);
        }
        self.events = events;
        Ok(())
    }

    /// Gives back what is needed for counting only.
    pub(super) fn settle(&mut self) {
        self.waiting = Vec::new();
        self.events = Vec::new();
        self.index = Index::new();
    }

    /// The entry of a pair, which is there afterwards.
    #[inline]
    pub(super) fn slot(&mut self, unit: u64, group: u32) -> Result<u32, QueryError> {
        let (stride, entries) = (self.stride(), &self.entries);
        let hash = self.hash.pair(unit, group);
        let is = |slot: u32| {
            let entry = Entry(&entries[slot as usize * stride..][..HEAD]);
            entry.unit() == unit && entry.group() == group
        };
        match self.index.find(hash, is) {
            Some(slot) => Ok(slot),
            None => self.enter(hash, unit, group),
        }
    }

    fn enter(&mut self, hash: u64, unit: u64, group: u32) -> Result<u32, QueryError> {
        let slot = u32::try_from(self.len()).ok().filter(|slot| *slot < Index::MOST);
        let slot = slot.ok_or_else(too_many)?;
        let (stride, entries, key) = (self.stride(), &self.entries, self.hash);
        self.index.enter(hash, slot, |slot| {
            let entry = Entry(&entries[slot as usize * stride..][..HEAD]);
            key.pair(entry.unit(), entry.group())
        });
        self.entries.extend([unit, u64::from(group)]);
        self.entries.resize(self.entries.len() + self.sums, 0);
        Ok(slot)
    }

    /// # Guarantee
    /// No overflow: a row adds at most 2^30 in absolute value, and rows from the 2^32nd on are
    /// ignored, so sums stay below 2^62.
    #[inline]
    fn add_row(&mut self, slot: u32, sums: &[u32]) {
        let stride = self.stride();
        let entry = &mut self.entries[slot as usize * stride..][..stride];
        if entry[1] >> 32 == u64::from(u32::MAX) {
            return;
        }
        entry[1] += 1 << 32;
        for (total, sum) in entry[HEAD..].iter_mut().zip(sums) {
            *total = total.wrapping_add_signed(i64::from(sum.cast_signed()));
        }
    }

    fn add_event(&mut self, slot: u32, event: Event) {
        match event {
            Event::Missing { which } => self.add_missing(slot, which as usize, 1),
            Event::Value { which, value } => {
                if let Some(log) = self.values.get_mut(which as usize) {
                    log.push(slot, value);
                }
            }
            Event::Code { which, code } => {
                if let Some(set) = self.distinct.get_mut(which as usize) {
                    set.insert(slot, code);
                }
            }
        }
    }

    fn add_missing(&mut self, slot: u32, which: usize, rows: u32) {
        let len = self.len();
        if let Some(missing) = self.missing.get_mut(which) {
            missing.resize(len, 0);
            missing[slot as usize] = missing[slot as usize].saturating_add(rows);
        }
    }

    /// The NULLs of an input in an entry.
    pub(super) fn missing_rows(&self, which: usize, slot: usize) -> u32 {
        self.missing.get(which).and_then(|missing| missing.get(slot)).copied().unwrap_or(0)
    }

    /// Adds a whole entry of another table.
    ///
    /// # Guarantee
    /// As for rows: an entry is taken only as far as 2^32 - 1 rows go, and otherwise left out.
    pub(super) fn add_entry(
        &mut self,
        unit: u64,
        group: u32,
        other: (&Self, usize),
    ) -> Result<u32, QueryError> {
        let slot = self.slot(unit, group)?;
        let (shard, theirs) = other;
        let entry = shard.entry(theirs);
        if self.entry(slot as usize).rows().checked_add(entry.rows()).is_some() {
            let stride = self.stride();
            let ours = &mut self.entries[slot as usize * stride..][..stride];
            ours[1] += u64::from(entry.rows()) << 32;
            for (total, sum) in ours[HEAD..].iter_mut().zip(entry.sums()) {
                *total = total.wrapping_add_signed(sum);
            }
            for which in 0..self.missing.len() {
                let rows = shard.missing_rows(which, theirs);
                if rows > 0 {
                    self.add_missing(slot, which, rows);
                }
            }
        }
        Ok(slot)
    }
}
