//! The Poisson mechanism.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

#[path = "poisson/maps.rs"]
mod maps;

use crate::support::audit::{self, lower_bound, upper_bound};
use crate::support::exact::{EPSILONS, Law, assert_within, hockey_stick};
use crate::support::{answer_slice, loss, rational};
use throng_account::{Direction, PrivacyLoss};
use throng_mechanism::poisson::{DegreeSequence, Effect, PoissonCounts, RateMap, RatePair, Shares};
use throng_mechanism::{Mechanism, MechanismError, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Rational, tails};
use throng_sample::{Poisson, SeededEntropy};

const ADD: Neighbours = Neighbours::AddRemove;
const ONE_CELL: Effect = Effect::Rises { cells: 1 };

fn pair(mu1: &str, mu2: &str) -> RatePair {
    RatePair::new(rational(mu1), rational(mu2)).unwrap()
}

fn counts(map: RateMap) -> PoissonCounts {
    PoissonCounts::new(map, ONE_CELL, ADD).unwrap()
}

fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} instead of {expected}");
}

/// The chances of 0, 1, ..., `last`.
fn masses(rate: &Rational, last: u64) -> Vec<Enclosure> {
    let rate = Enclosure::of_rational(rate);
    let mut mass = (-rate).exp();
    let mut masses = vec![mass];
    for k in 1..=last {
        mass = mass * rate / Enclosure::of_rational(&Rational::from(k));
        masses.push(mass);
    }
    masses
}

fn law(rate: &Rational, last: u64) -> Law<u64> {
    (0..).zip(masses(rate, last)).collect()
}

/// A loss as numbers: at some ε, the δ of the world with the unit and of that without.
struct Claim(Vec<(f64, [f64; 2])>);

impl Claim {
    fn of(spec: &MechanismSpec, under: Neighbours, epsilons: &[f64]) -> Self {
        let loss = loss(spec, under);
        let delta = |e: f64| Direction::BOTH.map(|way| loss.delta_in(way, e).unwrap().upper);
        Self(epsilons.iter().map(|e| (*e, delta(*e))).collect())
    }

    /// Whether two laws, with the unit and without, are as near as claimed in each direction.
    fn covers<T: Ord>(&self, with: &Law<T>, without: &Law<T>) -> bool {
        self.0.iter().all(|(epsilon, [remove, add])| {
            hockey_stick(with, without, *epsilon).lower() <= remove + 1e-11
                && hockey_stick(without, with, *epsilon).lower() <= add + 1e-11
        })
    }

    /// Whether the claims for the world with the unit are met, to the accuracy asked for.
    fn is_tight<T: Ord>(&self, with: &Law<T>, without: &Law<T>) -> bool {
        self.0.iter().all(|(epsilon, [remove, _])| {
            let delta = hockey_stick(with, without, *epsilon).upper();
            (delta - remove).abs() < 2e-4 * delta
        })
    }
}

/// A few losses where each takes the accountant long.
const FEW: [f64; 3] = [0.5, 0.0, 2.0];

#[test]
fn trade_offs_of_three_pairs() {
    // f(.05), f^-1(.05), f(.25), f^-1(.25), δ_{Q‖P}(.5), δ_{P‖Q}(.5), δ_{Q‖P}(1).
    let rows: [(&str, &str, [f64; 7]); 3] = [
        (
            "1",
            "2",
            [
                0.765_854_504_353_771,
                0.864_085_908_577_048,
                0.426_961_907_331_264,
                0.476_275_050_856_898,
                0.190_928_962_398_392,
                0.144_749_281_023_012,
                0.105_041_755_357_891,
            ],
        ),
        (
            "4",
            "9",
            [
                0.328_914_074_312_394,
                0.399_906_769_594_541,
                0.102_040_820_554_111,
                0.088_701_901_727_009_8,
                0.610_748_617_834_683,
                0.594_388_964_501_377,
                0.537_107_457_054_001,
            ],
        ),
        (
            "100",
            "110",
            [
                0.742_510_474_656_125,
                0.754_365_113_823_366,
                0.380_446_816_427_819,
                0.382_872_966_168_655,
                0.232_082_520_697_854,
                0.225_743_791_694_658,
                0.124_275_026_460_669,
            ],
        ),
    ];
    for (mu1, mu2, row) in rows {
        let mechanism = counts(RateMap::linear(pair(mu1, mu2), 1).unwrap());
        // The first world of the description is the one with the unit: Q = Poi(μ2).
        assert_eq!(mechanism.spec().to_string(), format!("poisson(mu1={mu2}, mu2={mu1})"));
        let loss = loss(&mechanism.spec(), ADD);
        let delta = |way, epsilon| loss.delta_in(way, epsilon).unwrap().upper;
        near(delta(Direction::Remove, 0.5), row[4], 1e-9);
        near(delta(Direction::Add, 0.5), row[5], 1e-9);
        near(delta(Direction::Remove, 1.0), row[6], 1e-9);
        // Both directions together: the hull of f and its inverse, below both.
        for (alpha, f, inverse) in [(0.05, row[0], row[1]), (0.25, row[2], row[3])] {
            let missed = loss.miss_rate(alpha).unwrap().lower;
            assert!(missed <= f.min(inverse) + 1e-9, "{missed} at {alpha}");
        }
    }
}

/// min(f, f^-1) is not convex; what is claimed lies on the hull.
#[test]
fn the_claim_is_the_hull_of_both_directions() {
    let mechanism = counts(RateMap::linear(pair("1", "2"), 1).unwrap());
    let loss = loss(&mechanism.spec(), ADD);
    near(loss.delta(0.0).unwrap().upper, 0.329_753_032_633_047, 1e-9);
    near(loss.miss_rate(0.3).unwrap().lower, 0.370_246_967_366_953, 1e-6);
    near(loss.miss_rate(0.4).unwrap().lower, 0.270_246_967_366_953, 1e-6);
}

/// Every map, every pair of neighbours up to 20: the enumerated laws against the claim, and the
/// exact condition on the rates.
#[test]
fn every_map_is_covered_on_every_pair() {
    for (mu1, mu2, w) in [("1", "2", 1), ("4", "9", 3), ("30", "36", 2), ("1/5", "1/2", 1)] {
        let target = pair(mu1, mu2);
        let maps = [
            RateMap::linear(target.clone(), w).unwrap(),
            RateMap::slide(target.clone(), w, 20).unwrap(),
            RateMap::decreasing(target.clone(), w, 20).unwrap(),
            RateMap::hybrid(target.clone(), w, 7).unwrap(),
            RateMap::hybrid(target.clone(), w, 0).unwrap(),
        ];
        for map in maps {
            let claim = Claim::of(&counts(map.clone()).spec(), ADD, &EPSILONS);
            let laws: Vec<_> = (0..=20).map(|n| law(&map.rate(n), 220)).collect();
            for n in 0..=20_usize {
                for more in n..=(n + usize::try_from(w).unwrap()).min(20) {
                    let (a, b) = (map.rate(n as u64), map.rate(more as u64));
                    assert!(target.admits(&a, &b), "{map:?} {n} {more}");
                    assert!(claim.covers(&laws[more], &laws[n]), "{map:?} {n} {more}");
                }
            }
        }
    }
}

/// The direction of a description: with the unit first, so that it fits other mechanisms.
#[test]
fn descriptions_know_where_the_unit_is() {
    let [linear, falling] =
        [RateMap::linear(pair("1", "2"), 1), RateMap::decreasing(pair("1", "2"), 1, 9)];
    let spec = |map: &Result<RateMap, MechanismError>, effect, under| {
        PoissonCounts::new(map.clone().unwrap(), effect, under).unwrap().spec().to_string()
    };
    assert_eq!(spec(&linear, ONE_CELL, ADD), "poisson(mu1=2, mu2=1)");
    assert_eq!(spec(&falling, ONE_CELL, ADD), "poisson(mu1=1, mu2=2)");
    let three = Effect::Rises { cells: 3 };
    assert_eq!(spec(&linear, three, Neighbours::ZeroOut), "3 * poisson(mu1=2, mu2=1)");
    let both = spec(&linear, three, Neighbours::Replace);
    assert_eq!(both, spec(&linear, Effect::Either { cells: 3 }, ADD));
    assert_eq!(both, spec(&falling, three, Neighbours::Replace));
    let loss = loss(&both.parse().unwrap(), ADD);
    let [remove, add] = Direction::BOTH.map(|way| loss.delta_in(way, 0.5).unwrap().upper);
    near(remove, add, 1e-9);
}

fn product(a: &Law<u64>, b: &Law<u64>) -> Law<(u64, u64)> {
    let pairs = a.iter().flat_map(|(i, p)| b.iter().map(move |(j, q)| ((*i, *j), *p * *q)));
    pairs.collect()
}

/// One record moves between two bins, the exact law of both.
#[test]
fn a_moved_record_is_covered() {
    let map = RateMap::linear(pair("1", "2"), 1).unwrap();
    let mechanism = PoissonCounts::new(map.clone(), ONE_CELL, Neighbours::Replace).unwrap();
    let claim = Claim::of(&mechanism.spec(), Neighbours::Replace, &FEW);
    let laws: Vec<_> = (0..=3).map(|n| law(&map.rate(n), 40)).collect();
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (0, 2)] {
        let before = product(&laws[a + 1], &laws[b]);
        let after = product(&laws[a], &laws[b + 1]);
        assert!(claim.covers(&before, &after) && claim.covers(&after, &before));
    }
    // Tight at empty bins, and one cell alone would be too little.
    let [low, high] = [0, 1].map(|n| laws[n].clone());
    let (before, after) = (product(&high, &low), product(&low, &high));
    assert!(claim.is_tight(&before, &after));
    assert!(!Claim::of(&counts(map).spec(), ADD, &FEW).covers(&before, &after));
}

/// Graphs of four nodes: edges under add/remove, nodes under zero-out.
#[test]
fn degrees_of_small_graphs_are_covered() {
    let target = pair("2", "3");
    let map = RateMap::linear(target.clone(), 1).unwrap();
    let edges = DegreeSequence::of_edges(4, target.clone(), ADD).unwrap();
    let claim = Claim::of(&edges.spec(), ADD, &EPSILONS);
    let laws: Vec<_> = (0..=4).map(|n| law(&map.rate(n), 40)).collect();
    for (a, b) in [(0, 0), (0, 2), (2, 3)] {
        let (with, without) = (product(&laws[a + 1], &laws[b + 1]), product(&laws[a], &laws[b]));
        assert!(claim.covers(&with, &without));
    }
    // A node of degree 1 vanishes: its own degree and that of one neighbour, for D = 1.
    let nodes = DegreeSequence::of_nodes(4, 1, target.clone()).unwrap();
    assert_eq!(nodes.neighbours(), Neighbours::ZeroOut);
    let claim = Claim::of(&nodes.spec(), Neighbours::ZeroOut, &FEW);
    assert!(claim.covers(&product(&laws[1], &laws[1]), &product(&laws[0], &laws[0])));
    // D = 2: degrees (2, 1, 1) against (0, 0, 0); the sum of the two neighbours is enough to know.
    let nodes = DegreeSequence::of_nodes(4, 2, target).unwrap();
    let claim = Claim::of(&nodes.spec(), Neighbours::ZeroOut, &FEW);
    let (twice, never) = (law(&rational("6"), 60), law(&rational("4"), 60));
    let (with, without) = (product(&laws[2], &twice), product(&laws[0], &never));
    assert!(claim.covers(&with, &without));
    assert!(claim.is_tight(&with, &without));
    // Loops and nodes that are not there are left out; drawn for every node.
    let mut entropy = SeededEntropy::new(1);
    let list = [(0, 1), (1, 1), (9, 0), (usize::MAX, usize::MAX)];
    assert_eq!(answer_slice(&nodes, list, &mut entropy).drawn().len(), 4);
    assert!(answer_slice(&nodes, [], &mut entropy).drawn().len() == 4);
}

#[test]
fn garwood_intervals_are_the_known_ones() {
    // Draw until 60 comes up.
    let map = RateMap::linear(pair("60", "61"), 1).unwrap();
    let mechanism = counts(map);
    let mut entropy = SeededEntropy::new(3);
    let release = loop {
        let release = answer_slice(&mechanism, [0], &mut entropy);
        if release.drawn() == [60] {
            break release;
        }
    };
    let rates = release.rate_interval(0, 0.95).unwrap();
    near(rates.lower, 45.786_320_950_007_3, 1e-9);
    near(rates.upper, 77.231_893_406_643_3, 1e-9);
    assert!(rates.lower <= 45.786_320_950_007_35 && rates.upper >= 77.231_893_406_643_25);
    let counts = release.interval(0, 0.95).unwrap();
    assert_eq!((counts.lower, counts.upper), (0.0, 17.0));
    assert_eq!(release.estimate(0).unwrap(), 0.0);
    assert!(release.rate_interval(0, 1.0).is_err() && release.interval(0, f64::NAN).is_err());
}

/// Power: without the floor a 0 is a 0 for certain, and a 1 shows with chance 1 - 1/e.
#[test]
fn an_audit_refutes_a_map_without_a_floor() {
    let mechanism = counts(RateMap::linear(pair("1", "2"), 1).unwrap());
    let claim: PrivacyLoss = loss(&mechanism.spec(), ADD);
    let found = audit::refute(20_000, 1, &claim, |world, entropy| {
        answer_slice(&mechanism, [i64::from(world)], entropy).drawn()[0].min(8)
    });
    assert!(found.is_none(), "{found:?}");
    let found = audit::refute(20_000, 2, &claim, |world, entropy| {
        Poisson::new(&Rational::from(u8::from(world))).unwrap().draw(entropy).unwrap().min(8)
    });
    assert!(found.is_some());
    let hybrid = counts(RateMap::hybrid(pair("1", "2"), 2, 4).unwrap());
    let found = audit::refute(20_000, 3, &claim, |world, entropy| {
        answer_slice(&hybrid, [4 + 2 * i64::from(world)], entropy).drawn()[0].min(8)
    });
    assert!(found.is_none(), "{found:?}");
}

/// The rates of the shares add up to the rate of the map, exactly; so do the draws, by sampling.
/// Without the server's share (4 less of about 11) the same check fails.
#[test]
fn shares_add_up_to_the_linear_map() {
    let shares = Shares::new(pair("4", "9"), 2).unwrap();
    let contributions = [2, 1, 0, 7]; // the last counts as 2
    let rate = shares.map().rate(5);
    assert_eq!(rate, rational("33/2"));
    let mut entropy = SeededEntropy::new(9);
    let mut sums = |server: bool| -> Vec<u64> {
        let mut one = || {
            let floor = if server { shares.of_server(&mut entropy).unwrap() } else { 0 };
            let mut add = |c: &u64| shares.of_unit(*c, &mut entropy).unwrap();
            floor + contributions.iter().map(&mut add).sum::<u64>()
        };
        (0..20_000).map(|_| one()).collect()
    };
    let fits = |sums: &[u64]| {
        [10, 13, 16, 19, 23].iter().all(|k| {
            let hits = sums.iter().filter(|sum| *sum <= k).count() as u64;
            let chance = tails::poisson_cdf(*k, Enclosure::of_rational(&rate)).unwrap();
            let level = 1e-10;
            lower_bound(hits, 20_000, level) <= chance.upper()
                && chance.lower() <= upper_bound(hits, 20_000, level)
        })
    };
    assert!(fits(&sums(true)));
    assert!(!fits(&sums(false)));
}

#[test]
fn hostile_counts_are_answered() {
    let mut entropy = SeededEntropy::new(5);
    let hostile = [i64::MIN, -1, 0, 1, i64::MAX];
    for map in [
        RateMap::linear(pair("1", "2"), 1).unwrap(),
        RateMap::linear(pair("1e-9", "1e11"), 3).unwrap(),
        RateMap::slide(pair("4", "9"), 2, 20).unwrap(),
        RateMap::decreasing(pair("4", "9"), 2, 20).unwrap(),
        RateMap::hybrid(pair("4", "9"), 5, 12).unwrap(),
        RateMap::stated(pair("4", "9"), 1, ["4", "5", "7"].map(rational).to_vec()).unwrap(),
    ] {
        let top = Rational::from(map.largest()).to_f64_up();
        let mechanism = counts(map);
        let release = answer_slice(&mechanism, hostile, &mut entropy);
        assert_eq!(release.drawn().len(), 5);
        for cell in 0..7 {
            let interval = release.interval(cell, 0.9).unwrap();
            assert!(0.0 <= interval.lower && interval.lower <= interval.upper);
            assert!(interval.upper <= top, "{interval}");
            assert!(release.estimate(cell).unwrap().is_finite());
            assert!(release.standard_deviation(cell).unwrap().is_finite());
        }
        assert!(answer_slice(&mechanism, [], &mut entropy).drawn().is_empty());
    }
}

#[test]
fn enumerated_laws_are_those_of_the_pair() {
    let claim = loss(&"poisson(mu1=1, mu2=2)".parse().unwrap(), ADD);
    assert_within(&law(&rational("1"), 60), &law(&rational("2"), 60), &claim, 1e-12);
}
