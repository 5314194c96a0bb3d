//! A gauge reads an outcome as one of a few cells, in the order in which they speak for world 1.

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::score::Score;
use crate::{Outcomes, World};

/// A score and the values at which one cell ends and the next begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gauge {
    /// What is read.
    pub score: Score,
    /// Cell k holds scores from cut k - 1 (that is, at least it) to below cut k.
    pub cuts: Vec<f64>,
}

impl Gauge {
    /// How many cells there are.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cuts.len() + 1
    }

    /// The cells of outcomes.
    #[must_use]
    pub fn read_all(&self, outcomes: &Outcomes) -> Vec<u8> {
        // The usual case, and the one where speed counts: a step function of a number.
        let cell =
            |x: f64| u8::try_from(self.cuts.partition_point(|cut| *cut <= x)).unwrap_or(u8::MAX);
        if let (Score::Integers { first, heights, outside }, Outcomes::Integers(column)) =
            (&self.score, outcomes)
        {
            let table: Vec<u8> = heights.iter().map(|x| cell(*x)).collect();
            let (below, above) = (cell(outside.0), cell(outside.1));
            return column
                .iter()
                .map(|i| match usize::try_from(i.wrapping_sub(*first)) {
                    Ok(place) if *i >= *first => table.get(place).copied().unwrap_or(above),
                    Ok(_) | Err(_) => below,
                })
                .collect();
        }
        self.score.read_all(outcomes).into_iter().map(cell).collect()
    }

    /// The event that an outcome falls into the cells that speak for a world: those from cell k on
    /// for world 1, those before it for world 0.
    #[must_use]
    pub fn event(&self, k: usize, speaks_for: World) -> Event {
        let threshold = k.checked_sub(1).and_then(|i| self.cuts.get(i)).copied();
        let threshold = threshold.unwrap_or(f64::NEG_INFINITY);
        let above = Event::score_at_least(&self.score, threshold);
        match speaks_for {
            World::One => above,
            World::Zero => Event::other_than(above),
        }
    }
}

/// How often outcomes fell into each cell: pairs of one outcome of each world, as they came.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    cells: usize,
    /// By cell in world 0, then cell in world 1.
    pairs: Vec<u64>,
    /// Outcomes of one world that had no partner.
    alone: [Vec<u64>; 2],
}

impl Tally {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(cells: usize) -> Self {
        Self { cells, pairs: vec![0; cells * cells], alone: [vec![0; cells], vec![0; cells]] }
    }

    /// Counts outcomes, given by their cells; those beyond the shorter of both are left alone.
    pub fn count(&mut self, worlds: [&[u8]; 2]) {
        let [zero, one] = worlds;
        for (i, j) in zero.iter().zip(one) {
            if let Some(count) = self.pairs.get_mut(usize::from(*i) * self.cells + usize::from(*j))
            {
                *count += 1;
            }
        }
        let partners = zero.len().min(one.len());
        for (rest, counts) in worlds.into_iter().zip(&mut self.alone) {
            for i in rest.iter().skip(partners) {
                if let Some(count) = counts.get_mut(usize::from(*i)) {
                    *count += 1;
                }
            }
        }
    }

    /// How many cells there are.
    #[must_use]
    pub const fn cells(&self) -> usize {
        self.cells
    }

    /// Pairs: cell in world 0, cell in world 1, how often.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        let cells = self.cells.max(1);
        self.pairs.iter().enumerate().map(move |(at, n)| (at / cells, at % cells, *n))
    }

    /// The number of pairs.
    #[must_use]
    pub fn paired(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// How often each cell was seen in a world, with and without partner.
    #[must_use]
    pub fn in_world(&self, world: World) -> Vec<u64> {
        let mut counts = self.alone[world.index()].clone();
        for (i, j, n) in self.pairs() {
            let cell = match world {
                World::Zero => i,
                World::One => j,
            };
            if let Some(count) = counts.get_mut(cell) {
                *count += n;
            }
        }
        counts
    }

    /// Outcomes of a world.
    #[must_use]
    pub fn runs(&self, world: World) -> u64 {
        self.paired() + self.alone[world.index()].iter().sum::<u64>()
    }

    /// Outcomes of a world in cell k or beyond.
    #[must_use]
    pub fn from(&self, world: World, k: usize) -> u64 {
        self.in_world(world).iter().skip(k).sum()
    }
}
