//! What one unit may do: rows taken for units, bounds in the wrong order, bounds that no longer hold.

use std::collections::{BTreeMap, BTreeSet};

use throng_audit::Outcome;
use throng_audit::replay::fuzz::{Fuzz, Row, Table};
use throng_audit::replay::{Declared, Draws, Recorder};
use throng_mechanism::Neighbours::AddRemove;
use throng_numeric::Rational;

use super::{Specimen, by_unit, released};

pub(crate) fn specimens() -> Vec<Specimen> {
    let units = Fuzz::units(-3.0, 9.0, AddRemove);
    vec![
        Specimen::new(
            "values are made distinct before units are bounded",
            "google/differential-privacy#84",
            units,
            [distinct_of_bounded, bounded_of_distinct],
        ),
        Specimen::new(
            "bounds found from all rows of a unit",
            "google/differential-privacy#87",
            units,
            [|t, r| magnitudes(t, r, 1), |t, r| magnitudes(t, r, usize::MAX)],
        ),
        Specimen::new(
            "groups merged after units were bounded by group",
            "opendp/opendp#2949",
            units,
            [|t, r| merged(t, r, &Declared::l2(4)), |t, r| merged(t, r, &Declared::l2(2))],
        ),
        Specimen::new(
            "noise for rows where users are promised",
            "threat table, row 16",
            units,
            [users, rows],
        ),
    ]
}

/// How many different values a unit may add.
const VALUES: usize = 2;

type Value = (String, u64);

fn value(row: &Row) -> Value {
    (row.key.clone(), row.real.to_bits())
}

fn of_distinct(recorder: &mut Recorder<'_>, count: usize) -> Result<Outcome, String> {
    let count = Rational::from(count as u64);
    released(recorder, "distinct", Draws::laplace(2), Declared::l1(2), &[count])
}

fn distinct_of_bounded(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let own = |rows: Vec<&Row>| -> BTreeSet<Value> {
        let values: BTreeSet<Value> = rows.into_iter().map(value).collect();
        values.into_iter().take(VALUES).collect()
    };
    let all: BTreeSet<Value> = by_unit(table).into_values().flat_map(own).collect();
    of_distinct(recorder, all.len())
}

fn bounded_of_distinct(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let mut owner: BTreeMap<Value, u64> = BTreeMap::new();
    for row in table {
        owner.entry(value(row)).or_insert(row.unit);
    }
    let mut used: BTreeMap<u64, usize> = BTreeMap::new();
    let kept = owner.values().filter(|unit| {
        let used = used.entry(**unit).or_default();
        *used += 1;
        *used <= VALUES
    });
    let count = kept.count();
    of_distinct(recorder, count)
}

fn magnitudes(table: &Table, recorder: &mut Recorder<'_>, most: usize) -> Result<Outcome, String> {
    let mut bins = [0_i64; 3];
    for rows in by_unit(table).values() {
        for row in rows.iter().take(most) {
            bins[usize::try_from(row.whole.signum() + 1).unwrap()] += 1;
        }
    }
    let bins = bins.map(Rational::from);
    released(recorder, "magnitudes", Draws::laplace(1), Declared::cells(1, 1), &bins)
}

/// One row per unit and key, four keys per unit, all of them then counted together.
fn merged(
    table: &Table,
    recorder: &mut Recorder<'_>,
    declared: &Declared,
) -> Result<Outcome, String> {
    let keys =
        |rows: &Vec<&Row>| rows.iter().map(|row| row.key.clone()).collect::<BTreeSet<_>>().len();
    let count: usize = by_unit(table).values().map(|rows| keys(rows).min(4)).sum();
    let count = Rational::from(count as u64);
    released(recorder, "rows of all groups", Draws::gaussian(4), declared.clone(), &[count])
}

fn users(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let count = Rational::from(by_unit(table).len() as u64);
    released(recorder, "count", Draws::laplace(1), Declared::l1(1), &[count])
}

fn rows(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let count = Rational::from(table.len() as u64);
    released(recorder, "count", Draws::laplace(1), Declared::l1(1), &[count])
}
