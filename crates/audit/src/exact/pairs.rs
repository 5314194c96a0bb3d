//! All small pairs of neighbours.

use throng_account::Neighbours;

use crate::{Orientation, World};

/// Two neighbouring inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair<D> {
    /// The inputs.
    pub inputs: [D; 2],
    /// Which of them has the unit.
    pub orientation: Orientation,
}

impl<D> Pair<D> {
    /// Two inputs, none of which is known to be the one with the unit.
    pub const fn of(zero: D, one: D) -> Self {
        Self { inputs: [zero, one], orientation: Orientation::Either }
    }

    /// Two inputs, the second of which has a unit more.
    pub const fn with_unit_in_second(zero: D, one: D) -> Self {
        Self { inputs: [zero, one], orientation: Orientation::UnitIn(World::One) }
    }

    /// The pair of what a function makes of both.
    pub fn map<E>(self, function: impl FnMut(D) -> E) -> Pair<E> {
        Pair { inputs: self.inputs.map(function), orientation: self.orientation }
    }
}

/// All pairs of neighbouring data sets of at most `most` records from a universe, for mechanisms to
/// which the order of records means nothing: sorted as the universe is.
///
/// Under zero-out a record gives way to the first of the universe, which stands for nothing. Under
/// replace pairs are listed one way round.
#[must_use]
pub fn neighbouring<R: Clone>(under: Neighbours, universe: &[R], most: usize) -> Vec<Pair<Vec<R>>> {
    let rows = |places: &[usize]| -> Vec<R> {
        places.iter().filter_map(|i| universe.get(*i).cloned()).collect()
    };
    let with = |others: &[usize], place: usize| {
        let mut all = others.to_vec();
        all.push(place);
        all.sort_unstable();
        rows(&all)
    };
    let mut pairs = Vec::new();
    for others in multisets(universe.len(), most.saturating_sub(1)) {
        for place in 0..universe.len() {
            match under {
                Neighbours::AddRemove => {
                    pairs.push(Pair::with_unit_in_second(rows(&others), with(&others, place)));
                }
                Neighbours::ZeroOut if place > 0 => {
                    let nothing = with(&others, 0);
                    pairs.push(Pair::with_unit_in_second(nothing, with(&others, place)));
                }
                Neighbours::ZeroOut => {}
                Neighbours::Replace => {
                    let before = (0..place).map(|other| with(&others, other));
                    pairs.extend(before.map(|other| Pair::of(other, with(&others, place))));
                }
            }
        }
    }
    pairs
}

/// All rising sequences of at most `most` places.
fn multisets(places: usize, most: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..most {
        let longer = |start: &Vec<usize>| {
            let start = start.clone();
            let from = start.last().copied().unwrap_or(0);
            (from..places).map(move |i| start.iter().copied().chain([i]).collect())
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.clone());
    }
    all
}

/// All sequences of `length` values: for streams and scores, whose order means something.
#[must_use]
pub fn sequences<R: Clone>(values: &[R], length: usize) -> Vec<Vec<R>> {
    (0..length).fold(vec![Vec::new()], |all, _| {
        let longer = |start: &Vec<R>| {
            let start = start.clone();
            values.iter().map(move |x| start.iter().cloned().chain([x.clone()]).collect())
        };
        all.iter().flat_map(longer).collect()
    })
}
