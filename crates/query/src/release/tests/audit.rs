//! What is drawn is what is described, and totals move by no more than was claimed.

use proptest::prelude::*;
use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;
use throng_sample::{Entropy, EntropyError, SeededEntropy};

use super::fixture::*;
use crate::question::{Aggregate, Limit, Limits, Question, Unit};
use crate::release::family::Family;
use crate::release::run::record::{Call, taken};
use crate::release::{Design, NoiseChoice, Request};

/// Entropy that counts what it hands out.
struct Counting {
    inner: SeededEntropy,
    bytes: usize,
}

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.bytes += bytes.len();
        self.inner.fill(bytes)
    }
}

fn all_aggregates() -> Vec<Aggregate> {
    let half: Rational = "1/2".parse().unwrap();
    vec![
        Aggregate::Rows,
        Aggregate::Present { input: 0 },
        Aggregate::Units,
        Aggregate::Distinct { input: 1 },
        Aggregate::Sum { input: 0 },
        Aggregate::Sum { input: 1 },
        Aggregate::Mean { input: 1 },
        Aggregate::Variance { input: 0, sample: true },
        Aggregate::Deviation { input: 1, sample: false },
        Aggregate::Quantile { input: 0, fraction: half },
    ]
}

/// All but the last: a quantile takes longer to price.
fn most_aggregates() -> Vec<Aggregate> {
    let mut all = all_aggregates();
    all.pop();
    all
}

fn calls(design: &Design, rows: &[Row], seed: u64) -> (Vec<Call>, usize, usize) {
    taken();
    let mut entropy = Counting { inner: SeededEntropy::new(seed), bytes: 0 };
    let answers = ask(design, Table { rows: rows.to_vec() }, &mut entropy);
    let cells = answers.iter().map(|answer| answer.keys.num_rows()).sum();
    (taken(), entropy.bytes, cells)
}

/// The leaves of a spec, without leaks.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn leaves(spec: &MechanismSpec) -> Vec<String> {
    let parts = match spec {
        MechanismSpec::Composed(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let leak = |part: &MechanismSpec| matches!(part, MechanismSpec::Leaf(Leaf::ApproxDp { .. }));
    let mut texts: Vec<String> =
        parts.iter().filter(|part| !leak(part)).map(ToString::to_string).collect();
    texts.sort();
    texts
}

/// The leaves that were drawn.
fn drawn(calls: &[Call], groups: u64) -> Vec<String> {
    let text = |call: &Call| match call {
        Call::Noise { relative, .. } => MechanismSpec::leaf(relative.leaf()).unwrap().to_string(),
        Call::Selection { epsilon, .. } => {
            let leaf = Leaf::Exponential { epsilon: epsilon.clone() };
            let one = MechanismSpec::leaf(leaf).unwrap();
            if groups == 1 {
                one.to_string()
            } else {
                MechanismSpec::repeated(groups, one).unwrap().to_string()
            }
        }
    };
    let mut texts: Vec<String> = calls.iter().map(text).collect();
    texts.sort();
    texts
}

/// Whether two vectors are at most `most` apart in the norm of the family.
fn near(a: &[i128], b: &[i128], family: Family, most: &Rational) -> bool {
    let gaps = a.iter().zip(b).map(|(a, b)| Rational::from(a - b).abs());
    match family {
        Family::Laplace => gaps.fold(Rational::ZERO, |sum, x| sum + x) <= *most,
        Family::Gaussian => gaps.fold(Rational::ZERO, |sum, x| sum + x.square()) <= most.square(),
    }
}

fn any_row() -> impl Strategy<Value = Row> {
    let income = prop_oneof![
        Just(None),
        Just(Some(f64::NAN)),
        Just(Some(f64::INFINITY)),
        Just(Some(f64::NEG_INFINITY)),
        Just(Some(-0.0)),
        (-10_i32..300_000).prop_map(|x| Some(f64::from(x))),
    ];
    let age = prop_oneof![Just(i64::MIN), Just(i64::MAX), 0..120_i64];
    (1..4_i64, 0..5_usize, income, age)
        .prop_map(|(user, city, income, age)| (user, format!("c{city:03}"), income, age))
}

fn any_limits() -> impl Strategy<Value = (Limit, Limit)> {
    let limit = prop_oneof![(1..4_u64).prop_map(Limit::Fixed), Just(Limit::Auto)];
    (limit.clone(), limit)
}

fn any_request() -> impl Strategy<Value = Request> {
    let noise = prop_oneof![Just(NoiseChoice::Gaussian), Just(NoiseChoice::Laplace)];
    noise.prop_map(|noise| Request { noise, ..request("1", "1e-6") })
}

fn any_relation() -> impl Strategy<Value = Neighbours> {
    prop_oneof![Just(Neighbours::AddRemove), Just(Neighbours::Replace), Just(Neighbours::ZeroOut)]
}

/// The rows without a unit, and with other rows in its place if units are replaced.
fn neighbour(rows: &[Row], unit: i64, other: &[Row], under: Neighbours) -> Vec<Row> {
    let mut rest: Vec<Row> = rows.iter().filter(|row| row.0 != unit).cloned().collect();
    if under == Neighbours::Replace {
        rest.extend(other.iter().map(|row| (unit, row.1.clone(), row.2, row.3)));
    }
    rest
}

fn check(question: Question, request: &Request, rows: &[Row], other: &[Row], unit: i64, seed: u64) {
    let under = question.neighbours;
    let design = Design::new(&[question], request, &no_facts).unwrap();
    let few = design.planned[0].plan.few;
    let (here, bytes, cells) = calls(&design, rows, seed);
    let (there, other_bytes, other_cells) =
        calls(&design, &neighbour(rows, unit, other, under), seed);
    assert_eq!(drawn(&here, few), leaves(design.described()));
    assert_eq!(drawn(&there, few), leaves(design.described()));
    assert_eq!(cells, other_cells);
    if design.planned[0].plan.bases.iter().all(crate::release::plan::Base::is_total) {
        assert_eq!(bytes, other_bytes);
    }
    for (a, b) in here.iter().zip(&there) {
        match (a, b) {
            (
                Call::Noise { relative, reach, totals },
                Call::Noise { reach: same, totals: others, .. },
            ) if reach == same => {
                let most = match under {
                    Neighbours::AddRemove | Neighbours::ZeroOut => reach.clone(),
                    Neighbours::Replace => reach * &Rational::from(2),
                };
                assert_eq!(totals.len(), others.len());
                assert!(near(totals, others, relative.family, &most), "{a:?} {b:?}");
            }
            (Call::Noise { .. }, Call::Noise { .. }) => {}
            (
                Call::Selection { epsilon, rate, cells },
                Call::Selection { epsilon: e, rate: r, cells: c },
            ) => assert_eq!((epsilon, rate, cells), (e, r, c)),
            _ => panic!("another order of calls"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn totals_move_by_no_more_than_is_claimed(
        rows in prop::collection::vec(any_row(), 0..30),
        other in prop::collection::vec(any_row(), 0..12),
        limits in any_limits(),
        request in any_request(),
        under in any_relation(),
        single in any::<bool>(),
        clip in prop_oneof![Just(None), Just(Some(250_000_u32))],
        seed in any::<u64>(),
    ) {
        let keys = if single { Vec::new() } else { vec![city(public(5))] };
        let mut question = Question {
            neighbours: under,
            limits: Limits { groups: limits.0, rows: limits.1 },
            ..question(user(), keys, most_aggregates(), limits)
        };
        question.inputs[0].unit_sum = clip.map(Rational::from);
        check(question, &request, &rows, &other, 1, seed);
    }

    #[test]
    fn rows_as_units_move_by_one_row(
        rows in prop::collection::vec(any_row(), 1..20),
        other in any_row(),
        request in any_request(),
        under in any_relation(),
        seed in any::<u64>(),
    ) {
        // Rows are numbered, so that one can be taken away.
        let numbered = |(i, row): (i64, Row)| (i, row.1, row.2, row.3);
        let rows: Vec<Row> = (0..).zip(rows).map(numbered).collect();
        let aggregates = most_aggregates();
        let question = Question {
            neighbours: under,
            ..question(Unit::Row, vec![city(public(5))], aggregates, fixed(1, 1))
        };
        check(question, &request, &rows, &[other], 0, seed);
    }
}

/// With private keys what is drawn is what is described too, and nothing that one unit alone has shows.
#[test]
fn keys_of_one_unit_stay_hidden() {
    let mut rows: Vec<Row> =
        (0..2000).map(|i| (i, format!("c{:03}", i % 3), Some(5.0), 40)).collect();
    rows.extend((0..50).map(|i| (7, format!("x{i}"), Some(5.0), 40)));
    for noise in [NoiseChoice::Gaussian, NoiseChoice::Laplace] {
        for limits in [fixed(3, 10), (Limit::Auto, Limit::Auto)] {
            let request = Request { noise, ..request("1", "1e-6") };
            let keys = vec![city(crate::question::Domain::Private)];
            let question = question(user(), keys, all_aggregates(), limits);
            let design = Design::new(&[question], &request, &no_facts).unwrap();
            let few = design.planned[0].plan.few;
            let (calls, _, cells) = calls(&design, &rows, 1);
            assert_eq!(drawn(&calls, few), leaves(design.described()));
            assert_eq!(cells, 3);
        }
    }
}
