//! Sums and means of clamped numbers.

use std::hint::black_box;

use throng_mechanism::mean::Mean;
use throng_mechanism::noise::Protection;
use throng_mechanism::sum::Sum;
use throng_mechanism::{Clamp, Grid, Mechanism, Neighbours, Sensitive};
use throng_sample::OsEntropy;

use crate::table::{Line, Table, fastest};
use crate::{ROWS, budget, data};

pub fn compare(table: &mut Table) {
    let under = Neighbours::AddRemove;
    let copy = data::heaped(ROWS);
    let rows = Sensitive::new(copy.clone());
    let grid = Grid::new(-20).expect("a grid");
    let clamp = Clamp::new(&500.into(), &3500.into(), grid).expect("bounds");
    let one = Protection::Pure { epsilon: 1.into() };
    let sum = Sum::<f64>::new(clamp, &one, under).expect("a sum");
    let mean = Mean::<f64>::new(clamp, &one).expect("a mean");
    let (mut purse, mut other) = (budget(under), budget(under));
    let [sum, mean, theirs] = fastest([
        &mut || {
            let permit = purse.permit(&sum).expect("a permit");
            drop(black_box(sum.run_on(&rows, permit, &mut OsEntropy).expect("a release")));
        },
        &mut || {
            let permit = other.permit(&mean).expect("a permit");
            drop(black_box(mean.run_on(&rows, permit, &mut OsEntropy).expect("a release")));
        },
        &mut || {
            black_box(copy.iter().map(|x| x.clamp(500.0, 3500.0)).sum::<f64>());
        },
    ]);
    for (work, ours) in [("sum of clamped numbers", sum), ("mean of clamped numbers", mean)] {
        let against = "plain loop, clamped";
        table.push(&Line { work, against, items: ROWS, ours, theirs, most: None });
    }
}
