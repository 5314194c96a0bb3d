//! The mechanisms of the project, replayed: every case of their conformance table, and those on rows
//! on all fuzzed neighbours.

use std::borrow::Borrow;
use std::fmt::Debug;

use throng_account::filter::{Budget as Amount, Filter};
use throng_audit::Outcome;
use throng_audit::replay::fuzz::{Fuzz, Row, Table};
use throng_audit::replay::{Claimed, Event, Finding, Number, Recorder, Tape, Watch, replay};
use throng_mechanism::bounds::Bounds;
use throng_mechanism::contribution::{ByUnit, Contributions};
use throng_mechanism::count::{BoundedRecords, Count, Records, Units};
use throng_mechanism::histogram::{Histogram, KeySelection, ThresholdHistogram};
use throng_mechanism::mean::Mean;
use throng_mechanism::noise::Protection;
use throng_mechanism::quantile::Quantile;
use throng_mechanism::sum::Sum;
use throng_mechanism::variance::Variance;
use throng_mechanism::{Clamp, Grid, Mechanism, Neighbours, Permit, Sensitive};
use throng_numeric::Rational;

use Neighbours::{AddRemove, Replace};

use super::{groups, tape};

use crate::mechanisms::table::{Case, Data, table};

/// What a spec is claimed to cost, if that is pure.
fn claim(case: &Case) -> Option<Claimed> {
    // Sampling makes noise cheaper than it is, and sessions of one-sided queries too.
    let amplified = ["Sampled", "Batched", "AboveThreshold"];
    if amplified.contains(&case.name) {
        return None;
    }
    let plenty = Amount::Pure { epsilon: "1e6".parse().unwrap() };
    let receipt = Filter::new(plenty, case.under).unwrap().preview(&case.spec()).ok()?;
    let Amount::Pure { epsilon } = receipt.cost else { panic!("priced in another currency") };
    Some(Claimed::pure(epsilon))
}

#[test]
fn the_conformance_table_is_replayed_without_findings() {
    let mut primitives = 0;
    let cases = table(&Rational::ONE);
    assert!(cases.len() > 60);
    for case in &cases {
        // Primitives of a group are made for one of its members, and paid for as often.
        if ["many", "large"].contains(&case.variant) || case.name == "Grouped" {
            continue;
        }
        let title = format!("{} {}", case.name, case.variant);
        let run = |data: &Data, recorder: &mut Recorder<'_>| {
            let outcome = case.judged(*data, case.permit(), recorder);
            outcome.map(|o| Outcome::Integer(o.bin)).map_err(|error| error.to_string())
        };
        // Rows that are sampled, and samplers that reject, use more randomness for more rows.
        let watch = Watch { randomness: false, claimed: claim(case), ..Watch::default() };
        let sides = (0..case.pairs).map(|i| [Data::Side(i, false), Data::Side(i, true)]);
        let misfits = (0..case.misfits).map(|i| [Data::Misfit(i, false), Data::Misfit(i, true)]);
        for [zero, one] in sides.chain(misfits) {
            let mut tape = tape();
            let found = replay(&run, [&zero, &one], &mut tape, &watch).unwrap();
            assert!(found.is_empty(), "{title}: {}", found[0]);
            let trace = tape.record(|recorder| run(&zero, recorder)).unwrap();
            let seen =
                trace.events.iter().filter(|event| matches!(event, Event::Primitive(_))).count();
            assert!(seen > 0 || trace.outcome.is_err(), "{title} reports nothing");
            primitives += seen;
        }
    }
    println!("{} cases, {primitives} primitives", cases.len());
}

/// A permit that nobody paid for.
fn free<M: Mechanism + ?Sized>(mechanism: &M) -> Permit {
    let nothing = Amount::Pure { epsilon: Rational::ZERO };
    Permit::issue(mechanism.spec(), mechanism.neighbours(), nothing)
}

/// All findings on all pairs; data is what a mechanism takes of a table.
fn findings<M, D>(
    mechanism: &M,
    pairs: &[[Table; 2]],
    watch: &Watch,
    data: impl Fn(&Table) -> D,
) -> Vec<Finding>
where
    M: Mechanism<Output: Debug>,
    D: Borrow<M::Input>,
{
    let run = |table: &Table, recorder: &mut Recorder<'_>| {
        let release = mechanism.run_on(&Sensitive::new(data(table)), free(mechanism), recorder);
        let release = release.map_err(|error| error.to_string())?;
        Ok(Outcome::Text(format!("{:?}", release.value())))
    };
    assert!(pairs.len() > 100);
    let each = |[zero, one]: &[Table; 2]| replay(&run, [zero, one], &mut tape(), watch).unwrap();
    pairs.iter().flat_map(each).collect()
}

/// Nothing is found.
fn quiet<M, D>(mechanism: &M, pairs: &[[Table; 2]], watch: &Watch, data: impl Fn(&Table) -> D)
where
    M: Mechanism<Output: Debug>,
    D: Borrow<M::Input>,
{
    let found = findings(mechanism, pairs, watch, data);
    let spec = mechanism.spec();
    assert!(found.is_empty(), "{spec}: {} findings, first: {}", found.len(), found[0]);
}

fn reals(table: &Table) -> Vec<f64> {
    table.iter().map(|row| row.real).collect()
}

fn keyed(table: &Table) -> Vec<(u64, String)> {
    table.iter().map(|row| (row.unit, row.key.clone())).collect()
}

fn claimed(epsilon: i64) -> Watch {
    Watch::default().claiming(Claimed::Pure(Number::from(epsilon)))
}

fn clamp() -> Clamp {
    Clamp::new(&(-3).into(), &9.into(), Grid::new(-4).unwrap()).unwrap()
}

#[test]
fn numbers_are_replayed_on_fuzzed_neighbours() {
    let pure = Protection::Pure { epsilon: 1.into() };
    let normal = Protection::Gaussian { multiplier: 2.into() };
    let pairs = Fuzz::rows(-3.0, 9.0, AddRemove).pairs();
    let count = Count::pure(Records::default(), &1.into(), AddRemove).unwrap();
    quiet(&count, &pairs, &claimed(1), |table: &Table| {
        table.iter().map(|row| row.unit).collect::<Vec<_>>()
    });
    quiet(&Sum::<f64>::new(clamp(), &pure, AddRemove).unwrap(), &pairs, &claimed(1), reals);
    let wide = Clamp::new(&(-(1_i64 << 60)).into(), &(1_i64 << 60).into(), Grid::WHOLE).unwrap();
    let wholes = |table: &Table| table.iter().map(|row| row.whole).collect::<Vec<_>>();
    quiet(&Sum::<i64>::new(wide, &pure, AddRemove).unwrap(), &pairs, &claimed(1), wholes);
    quiet(&Mean::<f64>::new(clamp(), &pure).unwrap(), &pairs, &claimed(1), reals);
    quiet(&Variance::<f64>::new(clamp(), &pure).unwrap(), &pairs, &claimed(1), reals);
    quiet(&Variance::<f64>::new(clamp(), &normal).unwrap(), &pairs, &Watch::default(), reals);
    let bounds = Bounds::<f64>::new(Grid::new(-4).unwrap(), &pure, 1e-3, AddRemove).unwrap();
    quiet(&bounds, &pairs, &claimed(1), reals);
    let rejects = Watch { randomness: false, ..Watch::default() };
    quiet(&Quantile::median(clamp(), &1.into(), AddRemove).unwrap(), &pairs, &rejects, reals);
    let replaced = Fuzz::rows(-3.0, 9.0, Replace).pairs();
    quiet(
        &Sum::<f64>::new(clamp(), &normal, Replace).unwrap(),
        &replaced,
        &Watch::default(),
        reals,
    );
    let public: Vec<[Table; 2]> = replaced.into_iter().filter(|[a, _]| a.len() == 33).collect();
    let mean = Mean::<f64>::of_public_count(clamp(), &pure, 33, Replace).unwrap();
    quiet(&mean, &public, &claimed(1), reals);
    let variance = Variance::<f64>::of_public_count(clamp(), &pure, 33, Replace).unwrap();
    quiet(&variance, &public, &claimed(1), reals);
}

/// Pairs that differ in the last of all units, so that the rows of all others are drawn alike.
fn of_last_unit(pairs: Vec<[Table; 2]>) -> Vec<[Table; 2]> {
    let others = |table: &Table, last: u64| -> Vec<Row> {
        table.iter().filter(|row| row.unit != last).cloned().collect()
    };
    let last = |[a, b]: &[Table; 2]| a.iter().chain(b).map(|row| row.unit).max().unwrap_or(0);
    let same = |pair: &[Table; 2]| {
        let [a, b] = [&pair[0], &pair[1]].map(|table| format!("{:?}", others(table, last(pair))));
        a == b
    };
    pairs.into_iter().filter(same).collect()
}

#[test]
fn units_are_replayed_on_fuzzed_neighbours() {
    let ids = |table: &Table| table.iter().map(|row| row.unit).collect::<Vec<_>>();
    for under in [AddRemove, Replace] {
        let fuzz = Fuzz { unordered: false, ..Fuzz::units(-3.0, 9.0, under) };
        let pairs = of_last_unit(fuzz.pairs());
        // Rows are drawn at random where a unit has too many.
        let watch = Watch { randomness: false, length: false, ..claimed(1) };
        let free = Watch { claimed: None, ..watch.clone() };
        let three = BoundedRecords::<u64>::of(3).unwrap();
        quiet(&Count::pure(three, &1.into(), under).unwrap(), &pairs, &watch, ids);
        if under == AddRemove {
            let users = Count::pure(Units::<u64>::default(), &1.into(), under).unwrap();
            quiet(&users, &pairs, &watch, ids);
        }
        let layout = |rows| ByUnit::<u64>::of(Contributions::of(2, rows).unwrap());
        let public = Histogram::pure(groups(), layout(3), &1.into(), under).unwrap();
        quiet(&public, &pairs, &watch, keyed);
        let (epsilon, delta) = (1.into(), "1e-3".parse().unwrap());
        let shown = ThresholdHistogram::<String, _>::laplace(layout(3), &epsilon, &delta, under);
        quiet(&shown.unwrap(), &pairs, &free, keyed);
        let keys = KeySelection::<String, _>::total(layout(1), &epsilon, &delta, under).unwrap();
        quiet(&keys, &pairs, &free, keyed);
    }
}

/// The replay of the project's own mechanisms has teeth: units that were promised to be rows.
#[test]
fn a_wrong_promise_about_units_is_found() {
    let fuzz = Fuzz { unordered: false, ..Fuzz::units(-3.0, 9.0, AddRemove) };
    let pairs = fuzz.pairs();
    let count = Count::pure(Records::default(), &1.into(), AddRemove).unwrap();
    let found = findings(&count, &pairs, &claimed(1), |table: &Table| table.clone());
    assert!(found.iter().any(|finding| matches!(finding, Finding::InputsTooFar { .. })));
    assert!(found.iter().any(|finding| matches!(finding, Finding::CostsMore { .. })));
    let sum = Sum::<f64>::new(clamp(), &Protection::Pure { epsilon: 1.into() }, AddRemove).unwrap();
    assert!(!findings(&sum, &pairs, &Watch::default(), reals).is_empty());
}

/// Without a recorder nothing is reported, and the randomness of a run is what it was.
#[test]
fn a_recorder_changes_nothing() {
    let sum = Sum::<f64>::new(clamp(), &Protection::Pure { epsilon: 1.into() }, AddRemove).unwrap();
    let data = Sensitive::new([1.0, 2.0]);
    let mut seeded = throng_sample::SeededEntropy::new(3);
    let plain = sum.run(data.as_slice(), free(&sum), &mut seeded).unwrap();
    let mut tape = Tape::new(Box::new(throng_sample::SeededEntropy::new(3)));
    let trace = tape.record(|recorder| {
        let release = sum.run(data.as_slice(), free(&sum), recorder).unwrap();
        Ok(Outcome::Integer(release.value().steps()[0]))
    });
    assert_eq!(trace.unwrap().outcome, Ok(Outcome::Integer(plain.value().steps()[0])));
}
