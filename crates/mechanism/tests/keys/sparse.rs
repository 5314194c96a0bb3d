//! Too many keys to list.

use throng_mechanism::contribution::{ByUnit, Contributions, Rows};
use throng_mechanism::histogram::SparseHistogram;
use throng_mechanism::{Mechanism, Neighbours};
use throng_sample::SeededEntropy;

use super::super::support::exact::assert_within;
use super::super::support::{audit, loss, rational};
use super::{Counts, WINDOW, at_least, cell, fits, product, run};

fn exact(
    histogram: &SparseHistogram<Rows>,
    counts: &Counts,
) -> super::super::support::exact::Law<Vec<(u8, i64)>> {
    let (law, t) = (histogram.noise().law(), histogram.threshold());
    let cells: Vec<_> = counts.iter().map(|(key, n)| (*key, cell(law, *n, t))).collect();
    product(&cells)
}

#[test]
fn the_law_is_that_of_noise_on_every_key() {
    let under = Neighbours::AddRemove;
    let histogram = SparseHistogram::pure(4, Rows, &rational("1"), &rational("1/2"), under);
    let histogram = histogram.unwrap();
    let counts = Counts::from([(0, 0), (1, 3), (2, 0), (3, 1)]);
    let data = [1_u64, 3, 1, 77, 1, u64::MAX];
    let mut entropy = SeededEntropy::new(61);
    let mut draw = || {
        let release = run(&histogram, &data, &mut entropy);
        let last = histogram.threshold() + WINDOW;
        release.iter().map(|(k, n)| (u8::try_from(*k).unwrap(), n.min(last))).collect::<Vec<_>>()
    };
    assert!(fits(&exact(&histogram, &counts), 30_000, &mut draw));
    let wrong = Counts::from([(1, 3), (2, 0), (3, 1)]);
    assert!(!fits(&exact(&histogram, &wrong), 30_000, &mut draw));
    let claim = loss(&histogram.spec(), under);
    let more = Counts::from([(0, 1), (1, 3), (2, 0), (3, 1)]);
    assert_within(&exact(&histogram, &counts), &exact(&histogram, &more), &claim, 0.0);
}

#[test]
fn of_a_huge_domain_as_many_false_keys_are_shown_as_there_should_be() {
    let domain = 1_000_000_000_000;
    let under = Neighbours::AddRemove;
    let histogram = SparseHistogram::pure(domain, Rows, &rational("1"), &rational("3"), under);
    let histogram = histogram.unwrap();
    let p = at_least(histogram.noise().law(), histogram.threshold());
    let none = (-(p.upper() * 1e12)).exp();
    assert!(p.upper() * 1e12 <= 3.0 && none < 0.5);
    let data = vec![5_u64; 100];
    let mut entropy = SeededEntropy::new(67);
    let (mut empty, runs) = (0, 3000);
    for _ in 0..runs {
        let release = run(&histogram, &data, &mut entropy);
        assert!(release.keys().is_sorted() && release.keys().contains(&5));
        assert!(release.keys().iter().all(|key| *key < domain));
        assert!(release.counts().steps().iter().all(|n| *n >= histogram.threshold()));
        empty += u64::from(release.keys().len() == 1);
    }
    // (1 - p)^N is within 1e-10 of e^(-N p).
    assert!(audit::lower_bound(empty, runs, 1e-9) <= none);
    assert!(audit::upper_bound(empty, runs, 1e-9) >= none);
}

#[test]
fn every_key_may_be_taken() {
    let under = Neighbours::Replace;
    let layout = ByUnit::<u8>::of(Contributions::of(2, 1).unwrap());
    let histogram =
        SparseHistogram::pure(3, layout, &rational("1"), &rational("1"), under).unwrap();
    assert_eq!(histogram.spec().to_string(), "3 * discrete_laplace(scale=3, sensitivity=0.5)");
    let data = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 2)];
    for seed in 0..200 {
        let release = run(&histogram, &data, &mut SeededEntropy::new(seed));
        assert!(release.keys().is_sorted_by(|a, b| a < b));
    }
    let one = rational("1");
    for domain in [0, u64::MAX] {
        assert!(SparseHistogram::pure(domain, Rows, &one, &one, under).is_err());
    }
    for keys in ["0", "-1", "1000001"] {
        assert!(SparseHistogram::pure(9, Rows, &one, &rational(keys), under).is_err());
    }
}
