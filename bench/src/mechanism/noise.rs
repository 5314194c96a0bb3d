//! Noise on a long vector of counts.

use std::hint::black_box;

use throng_mechanism::{
    AddNoise, Grid, L1, Mechanism, Neighbours, Noise, PerCell, Sensitive, Sensitivity,
};
use throng_numeric::Rational;
use throng_sample::{BulkNoise, OsEntropy};

use crate::table::{Line, Table, fastest};
use crate::{ROWS, budget, data};

const MOST: f64 = 1.2;

pub fn compare(table: &mut Table) {
    let under = Neighbours::AddRemove;
    for scale in [10, 1_000_000] {
        let exact = Rational::from(scale);
        let one = Sensitivity::<L1>::of(1.into(), under).expect("a distance");
        let noise = Noise::laplace(&exact, &one, Grid::WHOLE).expect("noise");
        let bulk = BulkNoise::laplace(&exact).expect("noise");
        compare_law(table, &format!("laplace {scale}"), noise, &bulk);
        let one = PerCell::of(1, 1.into(), under).expect("a distance");
        let noise = Noise::gaussian_per_cell(&exact, &one, Grid::WHOLE).expect("noise");
        let bulk = BulkNoise::gaussian(&exact.square()).expect("noise");
        compare_law(table, &format!("gaussian {scale}"), noise, &bulk);
    }
}

fn compare_law(table: &mut Table, law: &str, noise: Noise, bulk: &BulkNoise) {
    let copy = data::counts(ROWS);
    let counts = Sensitive::new(copy.clone());
    let mechanism = AddNoise::new(noise);
    let mut purse = budget(Neighbours::AddRemove);
    let mut batch = vec![0; 1 << 12];
    let [ours, theirs] = fastest([
        &mut || {
            let permit = purse.permit(&mechanism).expect("a permit");
            drop(black_box(mechanism.run_on(&counts, permit, &mut OsEntropy).expect("a release")));
        },
        &mut || {
            let mut values = copy.clone();
            for values in values.chunks_mut(batch.len()) {
                bulk.fill(&mut OsEntropy, &mut batch[..values.len()]).expect("noise");
                for (value, noise) in values.iter_mut().zip(&batch) {
                    *value += noise;
                }
            }
            black_box(values);
        },
    ]);
    let work = format!("{law} on counts");
    let against = "`BulkNoise::fill`, copied, added";
    table.push(&Line { work: &work, against, items: ROWS, ours, theirs, most: Some(MOST) });
}
