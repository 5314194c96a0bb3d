//! What is left of a unit.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use throng_mechanism::contribution::Contributions;
use throng_mechanism::{Mechanism, MechanismError, MechanismSpec, Neighbours, Run};
use throng_numeric::Enclosure;
use throng_sample::SeededEntropy;

use super::super::support::exact::Law;
use super::{fits, run};

/// Shows the places of the rows that survive; protects nothing.
struct Survivors(Contributions);

impl Mechanism for Survivors {
    type Input = [(u8, u8)];
    type Output = Vec<usize>;

    fn spec(&self) -> MechanismSpec {
        MechanismSpec::leaf(throng_account::Leaf::NonPrivate).unwrap()
    }

    fn neighbours(&self) -> Neighbours {
        Neighbours::AddRemove
    }

    fn answer(&self, input: &[(u8, u8)], run: &mut Run<'_>) -> Result<Vec<usize>, MechanismError> {
        self.0.survivors(input, run)
    }
}

proptest! {
    #[test]
    fn never_more_than_the_bounds_and_never_less_than_there_is(
        rows in prop::collection::vec((0_u8..4, 0_u8..5), 0..60),
        keys in 1_u64..5,
        each in 1_u64..4,
        seed in 0_u64..1000,
    ) {
        let bounds = Contributions::of(keys, each).unwrap();
        let kept = run(&Survivors(bounds), &rows, &mut SeededEntropy::new(seed));
        prop_assert!(kept.is_sorted_by(|a, b| a < b));
        let tally = |places: &mut dyn Iterator<Item = usize>| {
            let mut tally: BTreeMap<u8, BTreeMap<u8, u64>> = BTreeMap::new();
            for place in places {
                let (unit, key) = rows[place];
                *tally.entry(unit).or_default().entry(key).or_default() += 1;
            }
            tally
        };
        let all = tally(&mut (0..rows.len()));
        let kept = tally(&mut kept.into_iter());
        for (unit, counts) in &all {
            let left = &kept[unit];
            prop_assert_eq!(left.len() as u64, keys.min(counts.len() as u64));
            for (key, n) in left {
                prop_assert_eq!(*n, each.min(counts[key]));
            }
        }
    }
}

/// Every set of two of three keys, whatever the order of the rows; rows of a key likewise.
#[test]
fn the_order_of_rows_does_not_matter() {
    let bounds = Contributions::of(2, 1).unwrap();
    let orders: [[(u8, u8); 5]; 3] = [
        [(1, 7), (1, 8), (1, 9), (1, 9), (2, 7)],
        [(1, 9), (2, 7), (1, 9), (1, 8), (1, 7)],
        [(2, 7), (1, 9), (1, 7), (1, 9), (1, 8)],
    ];
    for rows in orders {
        // {7, 8}: one way; {7, 9} and {8, 9}: two ways each, by the row of 9.
        let third = Enclosure::ONE / Enclosure::point(3.0).unwrap();
        let sixth = Enclosure::ONE / Enclosure::point(6.0).unwrap();
        let place = |row: (u8, u8)| rows.iter().position(|other| *other == row).unwrap();
        let nines: Vec<usize> = (0..5).filter(|i| rows[*i] == (1, 9)).collect();
        let other = place((2, 7));
        let mut law: Law<BTreeSet<usize>> = Law::new();
        law.insert([place((1, 7)), place((1, 8)), other].into(), third);
        for nine in nines {
            law.insert([place((1, 7)), nine, other].into(), sixth);
            law.insert([place((1, 8)), nine, other].into(), sixth);
        }
        let mut entropy = SeededEntropy::new(89);
        let draw = || run(&Survivors(bounds), &rows, &mut entropy).into_iter().collect();
        assert!(fits(&law, 30_000, draw));
        // Always the first rows: with a chance of 1 one set.
        let first: BTreeSet<usize> = [place((1, 7)), place((1, 8)), other].into();
        assert!(!fits(&law, 30_000, || first.clone()));
    }
}

#[test]
fn bounds_of_nothing_are_errors() {
    assert!(Contributions::of(0, 1).is_err() && Contributions::of(1, 0).is_err());
    let most = Contributions::of(u64::MAX, u64::MAX).unwrap();
    assert_eq!(most.per_cell(10, Neighbours::Replace).unwrap().cells(), 10);
    assert!(most.per_cell(0, Neighbours::Replace).is_err());
    assert!(run(&Survivors(most), &[], &mut SeededEntropy::new(1)).is_empty());
}
