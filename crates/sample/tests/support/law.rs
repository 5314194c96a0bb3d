//! A law on the integers, as certified probabilities of cells that cover them all.

use throng_numeric::Enclosure;

/// Which integers a cell holds: `from <= x < below`; `None` is an open end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) from: Option<i64>,
    pub(crate) below: Option<i64>,
}

/// The probabilities of the cells between increasing edges, the first and the last unbounded:
/// {x < e₀}, {e₀ <= x < e₁}, ..., {x >= eₙ}.
#[derive(Debug, Clone)]
pub(crate) struct Law {
    edges: Vec<i64>,
    cells: Vec<Enclosure>,
}

/// A range of neighbouring cells, `first..end`, and its probability.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) probability: Enclosure,
}

impl Law {
    /// The law whose cells have the probabilities that `cell` certifies.
    pub(crate) fn new(edges: Vec<i64>, cell: impl Fn(Cell) -> Enclosure) -> Self {
        let cells: Vec<Enclosure> = cells_between(&edges).into_iter().map(cell).collect();
        let total = sum(&cells);
        assert!(total.contains(1.0) && total.width() < 1e-3, "cells sum to {total}");
        Self { edges, cells }
    }

    /// The law whose cells have the given weights up to a common factor.
    pub(crate) fn of_weights(edges: Vec<i64>, weight: impl Fn(Cell) -> Enclosure) -> Self {
        let weights: Vec<Enclosure> = cells_between(&edges).into_iter().map(weight).collect();
        let total = sum(&weights);
        Self { edges, cells: weights.into_iter().map(|weight| weight / total).collect() }
    }

    /// A law on 0, ..., n - 1 by its n probabilities.
    pub(crate) fn finite(probabilities: &[Enclosure]) -> Self {
        let edges = (1..i64::try_from(probabilities.len()).unwrap()).collect();
        Self::new(edges, |cell| probabilities[usize::try_from(cell.from.unwrap_or(0)).unwrap()])
    }

    pub(crate) fn cells(&self) -> &[Enclosure] {
        &self.cells
    }

    pub(crate) fn cell_of(&self, x: i64) -> usize {
        self.edges.partition_point(|edge| *edge <= x)
    }

    /// What the judge looks at: each cell, each lower end {first i cells}, and each middle (all
    /// but the i outermost cells on either side), which shows a wrong width best.
    pub(crate) fn events(&self) -> Vec<Event> {
        let n = self.cells.len();
        let cells = (0..n).map(|i| (i, i + 1));
        let lower_ends = (2..n).map(|i| (0, i));
        let middles = (1..n / 2).map(|i| (i, n - i)).filter(|(first, end)| first + 1 < *end);
        cells.chain(lower_ends).chain(middles).map(|(first, end)| self.event(first, end)).collect()
    }

    /// The probability from inside and from outside, whichever is tighter at either end.
    fn event(&self, first: usize, end: usize) -> Event {
        let inside = sum(&self.cells[first..end]);
        let outside = sum(&self.cells[..first]) + sum(&self.cells[end..]);
        let probability = inside.intersect(Enclosure::ONE - outside).unwrap();
        Event { first, end, probability: probability.intersect(Enclosure::UNIT).unwrap() }
    }
}

fn cells_between(edges: &[i64]) -> Vec<Cell> {
    assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "edges must increase");
    let starts = std::iter::once(None).chain(edges.iter().copied().map(Some));
    let ends = edges.iter().copied().map(Some).chain(std::iter::once(None));
    starts.zip(ends).map(|(from, below)| Cell { from, below }).collect()
}

pub(crate) fn sum(cells: &[Enclosure]) -> Enclosure {
    cells.iter().fold(Enclosure::ZERO, |total, cell| total + *cell)
}

/// How many of `samples` values fell into each cell.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    counts: Vec<u64>,
    pub(crate) samples: u64,
}

impl Tally {
    pub(crate) fn new(law: &Law, samples: u64, mut draw: impl FnMut() -> i64) -> Self {
        let mut counts = vec![0; law.cells.len()];
        for _ in 0..samples {
            counts[law.cell_of(draw())] += 1;
        }
        Self { counts, samples }
    }

    pub(crate) fn of(&self, event: &Event) -> u64 {
        self.counts[event.first..event.end].iter().sum()
    }
}
