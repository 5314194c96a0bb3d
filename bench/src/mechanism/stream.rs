//! Counting over time.

use std::hint::black_box;

use throng_mechanism::continual::{MatrixCounter, Stream, TreeCounter};
use throng_mechanism::{Neighbours, Sensitive};
use throng_sample::OsEntropy;

use crate::table::{Line, Table, fastest};
use crate::{ROWS, budget, data};

/// Steps come in slices of this length.
const SLICE: usize = 1 << 14;

/// How much dearer a step may become when there are 100 times as many: the tree has 24 levels
/// instead of 17, the band stays.
const MOST_OF_TREE: f64 = 24.0 / 17.0;
const MOST_OF_BAND: f64 = 1.2;

/// Seconds for n steps.
#[derive(Clone, Copy)]
struct Times {
    steps: usize,
    tree: f64,
    narrow: f64,
    wide: f64,
    plain: f64,
}

const NARROW: usize = 32;
const WIDE: usize = 256;

pub fn compare(table: &mut Table) {
    let times = [ROWS / 100, ROWS / 10, ROWS].map(measure);
    for t in &times {
        let line = |work: &str, ours: f64, table: &mut Table| {
            let work = format!("{work}, {:e} steps", t.steps as f64);
            let against = "plain running sum";
            let (items, theirs) = (t.steps, t.plain);
            table.push(&Line { work: &work, against, items, ours, theirs, most: None });
        };
        line("tree count", t.tree, table);
        line(&format!("matrix count, band {NARROW}"), t.narrow, table);
        line(&format!("matrix count, band {WIDE}"), t.wide, table);
    }
    let (first, last) = (times[0], times[2]);
    let of = |t: Times, seconds: f64| seconds / t.steps as f64 * ROWS as f64;
    let mut growth = |work: &str, pick: fn(&Times) -> f64, most: f64| {
        let (ours, theirs) = (of(last, pick(&last)), of(first, pick(&first)));
        let work = format!("{work}, 1e7 steps");
        let against = "itself, 1e5 steps";
        table.push(&Line { work: &work, against, items: ROWS, ours, theirs, most: Some(most) });
    };
    growth("tree count", |t| t.tree, MOST_OF_TREE);
    growth("matrix count, band 32", |t| t.narrow, MOST_OF_BAND);
    growth("matrix count, band 256", |t| t.wide, MOST_OF_BAND);
}

fn measure(steps: usize) -> Times {
    let under = Neighbours::AddRemove;
    let stream = Stream::of_steps(0, 1000, under).and_then(|s| s.of_events(1)).expect("a stream");
    let (sigma, horizon) = ("10".parse().expect("sigma"), steps as u64);
    let tree = TreeCounter::gaussian(&sigma, stream, horizon).expect("a counter");
    let matrix = |band| MatrixCounter::new(&sigma, stream, horizon, band).expect("a counter");
    let [narrow, wide] = [NARROW, WIDE].map(matrix);
    let copy = data::counts(steps);
    let slices: Vec<_> = copy.chunks(SLICE).map(|slice| Sensitive::new(slice.to_vec())).collect();
    let mut purse = budget(under);
    let mut other = budget(under);
    let mut third = budget(under);
    let count = |counter: &MatrixCounter, purse: &mut throng_mechanism::Budget| {
        let permit = purse.authorise(counter.spec()).expect("a permit");
        let mut session = counter.start(permit).expect("a session");
        for slice in &slices {
            drop(black_box(session.steps(slice, &mut OsEntropy).expect("estimates")));
        }
    };
    let [tree, narrow, wide, plain] = fastest([
        &mut || {
            let permit = purse.authorise(tree.spec()).expect("a permit");
            let mut session = tree.start(permit).expect("a session");
            for slice in &slices {
                drop(black_box(session.steps(slice, &mut OsEntropy).expect("estimates")));
            }
        },
        &mut || count(&narrow, &mut other),
        &mut || count(&wide, &mut third),
        &mut || {
            let mut sum = 0;
            for slice in copy.chunks(SLICE) {
                let running = |x: &i64| {
                    sum += x;
                    sum
                };
                black_box(slice.iter().map(running).collect::<Vec<i64>>());
            }
        },
    ]);
    Times { steps, tree, narrow, wide, plain }
}
