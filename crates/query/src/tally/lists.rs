//! Lists of values and sets of codes, by entry.

use throng_mechanism::Clamp;

/// Values in steps with the entry each belongs to, in the order of arrival.
#[derive(Debug, Clone)]
pub(super) struct ValueLog {
    slots: Vec<u32>,
    lowest: i64,
    steps: Steps,
}

/// Steps above the lowest: in 32 bits if they fit.
#[derive(Debug, Clone)]
enum Steps {
    Narrow(Vec<u32>),
    Wide(Vec<i64>),
}

impl ValueLog {
    pub(super) fn new(clamp: Clamp) -> Self {
        let steps = if u32::try_from(clamp.width()).is_ok() {
            Steps::Narrow(Vec::new())
        } else {
            Steps::Wide(Vec::new())
        };
        Self { slots: Vec::new(), lowest: clamp.lower(), steps }
    }

    pub(super) fn push(&mut self, slot: u32, value: i64) {
        self.slots.push(slot);
        match &mut self.steps {
            Steps::Narrow(steps) => {
                steps.push(u32::try_from(value - self.lowest).unwrap_or(0));
            }
            Steps::Wide(steps) => steps.push(value),
        }
    }

    fn value(&self, i: usize) -> i64 {
        match &self.steps {
            Steps::Narrow(steps) => self.lowest + i64::from(steps[i]),
            Steps::Wide(steps) => steps[i],
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, i64)> + Clone {
        self.slots.iter().enumerate().map(|(i, slot)| (*slot, self.value(i)))
    }
}

/// A set of (entry, code), as a list that is sorted and cleared of repetitions now and then.
#[derive(Debug, Clone, Default)]
pub(super) struct PairSet {
    pairs: Vec<(u32, u32)>,
    /// How many were left when it was last cleared.
    clear: usize,
}

impl PairSet {
    pub(super) fn insert(&mut self, slot: u32, code: u32) {
        self.pairs.push((slot, code));
        if self.pairs.len() >= 2 * self.clear + 1024 {
            self.tidy();
        }
    }

    fn tidy(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.clear = self.pairs.len();
    }

    /// The pairs, each once, sorted.
    pub(super) fn sorted(&mut self) -> &[(u32, u32)] {
        self.tidy();
        &self.pairs
    }
}

/// Lists of entries end to end.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists<T> {
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Gathers items by entry, of which there are `entries`.
    pub(super) fn gather(entries: usize, items: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut ends = vec![0_usize; entries + 1];
        for (slot, _) in items.clone() {
            ends[slot as usize + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut gathered = vec![T::default(); ends.last().copied().unwrap_or(0)];
        // ends[slot] is where its list starts; after the pass, where it ends.
        for (slot, item) in items {
            let place = &mut ends[slot as usize];
            gathered[*place] = item;
            *place += 1;
        }
        Self { ends, items: gathered }
    }

    /// The list of an entry.
    pub(super) fn get(&self, slot: usize) -> &[T] {
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] };
        &self.items[start..self.ends[slot]]
    }
}
