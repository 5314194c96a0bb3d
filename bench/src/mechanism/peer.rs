//! The same mechanisms of the opendp crate.

use std::hint::black_box;

use opendp::domains::{AtomDomain, VectorDomain};
use opendp::measurements::{make_laplace_threshold, make_private_quantile};
use opendp::measures::{Approximate, MaxDivergence};
use opendp::metrics::SymmetricDistance;
use opendp::transformations::make_count_by;
use throng_mechanism::contribution::Rows;
use throng_mechanism::histogram::ThresholdHistogram;
use throng_mechanism::{Mechanism, Neighbours, Sensitive};
use throng_sample::OsEntropy;

use crate::median::median;
use crate::table::{Line, Table, fastest};
use crate::{budget, data};

/// Fewer rows than elsewhere: the peer takes its time.
const ROWS: usize = 1_000_000;
const THRESHOLD: i64 = 20;

pub fn compare(table: &mut Table) {
    compare_histograms(table, 10_000);
    compare_histograms(table, 100_000);
    compare_medians(table);
}

/// Laplace noise of scale 1 on the counts of unknown keys.
fn compare_histograms(table: &mut Table, keys: u32) {
    let under = Neighbours::AddRemove;
    let copy = data::skewed(ROWS, keys);
    let rows = Sensitive::new(copy.clone());
    let scale = 1.into();
    let ours = ThresholdHistogram::<u32, _>::laplace_at(Rows, &scale, THRESHOLD, under);
    let ours = ours.expect("a histogram");
    let domain = VectorDomain::new(AtomDomain::default());
    let counts = make_count_by::<u32, i64>(domain, SymmetricDistance).expect("counts");
    let (domain, metric) = counts.output_space();
    let noise = make_laplace_threshold::<_, _, Approximate<MaxDivergence>>(
        domain, metric, 1.0, THRESHOLD, None,
    );
    let peer = (counts >> noise.expect("noise")).expect("a histogram");
    let mut purse = budget(under);
    let [ours, theirs] = fastest([
        &mut || {
            let permit = purse.permit(&ours).expect("a permit");
            drop(black_box(ours.run_on(&rows, permit, &mut OsEntropy).expect("a release")));
        },
        &mut || drop(black_box(peer.invoke(&copy).expect("the peer counts"))),
    ]);
    let work = format!("histogram, 1e6 rows, {keys} keys, laplace 1");
    let against = "opendp: `count_by`, `laplace_threshold`";
    table.push(&Line { work: &work, against, items: ROWS, ours, theirs, most: None });
}

/// Epsilon is 1; the peer chooses among 4001 candidates, we among 4 million points.
fn compare_medians(table: &mut Table) {
    let copy = data::heaped(ROWS);
    let rows = Sensitive::new(copy.clone());
    let ours = median("1");
    let candidates = (0..=4000).map(f64::from).collect();
    let domain = VectorDomain::new(AtomDomain::new_non_nan());
    let peer =
        make_private_quantile(domain, SymmetricDistance, MaxDivergence, candidates, 0.5, 1.0)
            .expect("a median");
    let mut purse = budget(Neighbours::AddRemove);
    let [ours, theirs] = fastest([
        &mut || {
            let permit = purse.permit(&ours).expect("a permit");
            drop(black_box(ours.run_on(&rows, permit, &mut OsEntropy).expect("a release")));
        },
        &mut || {
            black_box(peer.invoke(&copy).expect("the peer finds a median"));
        },
    ]);
    let work = "median, 1e6 rows, epsilon = 1, 4e6 points";
    let against = "opendp: `private_quantile`, 4001 points";
    table.push(&Line { work, against, items: ROWS, ours, theirs, most: None });
}
