//! The median by the exponential mechanism.

use std::hint::black_box;

use throng_mechanism::quantile::Quantile;
use throng_mechanism::{Clamp, Grid, Mechanism, Neighbours, Sensitive};
use throng_sample::OsEntropy;

use crate::table::{Line, Table, fastest};
use crate::{ROWS, budget, data};

const MOST: f64 = 1.3;

/// Values in the bounds of the data, in steps of 1/1024.
pub fn median(epsilon: &str) -> Quantile {
    let grid = Grid::new(-10).expect("a grid");
    let clamp = Clamp::new(&0.into(), &4000.into(), grid).expect("bounds");
    let epsilon = epsilon.parse().expect("epsilon");
    Quantile::median(clamp, &epsilon, Neighbours::AddRemove).expect("a median")
}

pub fn compare(table: &mut Table) {
    let copy = data::heaped(ROWS);
    // Positive numbers are in the order of their bits.
    let bits: Vec<u64> = copy.iter().map(|x| x.to_bits()).collect();
    let rows = Sensitive::new(copy.clone());
    for (epsilon, most) in [
        ("1", Some(MOST)),
        ("1/10", Some(MOST)),
        ("1/100", Some(MOST)),
        ("1/10000", None),
        ("1/1000000", None),
    ] {
        let mechanism = median(epsilon);
        let mut purse = budget(Neighbours::AddRemove);
        let [ours, floats, integers] = fastest([
            &mut || {
                let permit = purse.permit(&mechanism).expect("a permit");
                drop(black_box(
                    mechanism.run_on(&rows, permit, &mut OsEntropy).expect("a release"),
                ));
            },
            &mut || {
                let mut copy = copy.clone();
                black_box(*copy.select_nth_unstable_by(ROWS / 2, f64::total_cmp).1);
            },
            &mut || {
                let mut copy = bits.clone();
                black_box(*copy.select_nth_unstable(ROWS / 2).1);
            },
        ]);
        let work = format!("median, epsilon = {epsilon}");
        let line = Line {
            work: &work,
            against: "`select_nth_unstable_by(total_cmp)` of a copy",
            items: ROWS,
            ours,
            theirs: floats,
            most,
        };
        table.push(&line);
        let against = "`select_nth_unstable` of a copy of bits";
        table.push(&Line { against, theirs: integers, most: None, ..line });
    }
}
