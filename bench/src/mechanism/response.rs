//! Randomised response.

use std::hint::black_box;

use throng_mechanism::response::RandomisedResponse;
use throng_mechanism::{Mechanism, Neighbours, Sensitive};
use throng_sample::{Entropy, OsEntropy};

use crate::table::{Line, Table, fastest};
use crate::{ROWS, budget, data};

pub fn compare(table: &mut Table) {
    let under = Neighbours::Replace;
    let rows = Sensitive::new(data::bits(ROWS));
    let mechanism = RandomisedResponse::symmetric(&1.into(), 1, under).expect("a mechanism");
    let mut purse = budget(under);
    let mut words = vec![0; 1 << 14];
    let [ours, theirs] = fastest([
        &mut || {
            let permit = purse.permit(&mechanism).expect("a permit");
            drop(black_box(mechanism.run_on(&rows, permit, &mut OsEntropy).expect("a release")));
        },
        &mut || {
            for _ in 0..8 * ROWS / words.len() {
                OsEntropy.fill(&mut words).expect("entropy");
                black_box(&words);
            }
        },
    ]);
    let work = "randomised response, bits";
    let against = "a random word per bit";
    table.push(&Line { work, against, items: ROWS, ours, theirs, most: None });
}
