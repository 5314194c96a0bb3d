//! Which probes apply to some outcomes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Probe, digits, elements, key, length, number, number_in};
use crate::{Outcome, Outcomes};

/// How many elements of lists are looked at one by one.
const PLACES: usize = 12;
/// How many elements of elements.
const INNER: usize = 4;
/// Up to how many elements all differences of two are looked at.
const DIFFERENCES: usize = 5;
/// How many of the most frequent elements and outcomes are looked at.
const FREQUENT: usize = 12;

/// The probes that apply to some outcomes.
#[must_use]
pub fn probes(outcomes: &Outcomes) -> Vec<Probe> {
    let mixed = match outcomes {
        Outcomes::Integers(column) => {
            let mut probes = whole(column.iter().copied());
            if probes.len() > 1 {
                probes.extend(atoms(outcomes));
            }
            return probes;
        }
        Outcomes::Numbers(column) => {
            let mut probes = numeric(column.iter().copied());
            probes.extend(atoms(outcomes));
            return probes;
        }
        Outcomes::Mixed(column) => column,
    };
    let mut probes = vec![Probe::Kind];
    let scalars: Vec<f64> = mixed.iter().filter_map(number).collect();
    if !scalars.is_empty() {
        probes.extend(numeric(scalars.into_iter()));
    }
    let integers: Vec<i64> = mixed.iter().filter_map(integer).collect();
    probes.extend(whole(integers.into_iter()).into_iter().filter(|probe| *probe != Probe::Value));
    if mixed.iter().any(|one| !number_in(one, 0).is_nan()) {
        probes.extend([Probe::NumberIn(0), Probe::NumberIn(1)]);
    }
    if mixed.iter().any(|one| length(one) >= 0.0) {
        probes.push(Probe::Length);
    }
    let longest = mixed.iter().map(|one| elements(one).len()).max().unwrap_or(0);
    if longest > 0 {
        probes.extend(of_elements(mixed, longest));
    }
    probes.extend(frequent(mixed.iter()).into_iter().map(Probe::Is));
    probes
}

/// Numbers that are there again and again among many that are not.
fn atoms(outcomes: &Outcomes) -> Vec<Probe> {
    let some: Vec<Outcome> =
        (0..outcomes.len().min(8_192)).filter_map(|i| outcomes.get(i)).collect();
    frequent(some.iter()).into_iter().map(Probe::Is).collect()
}

/// Up to how many different whole numbers each is looked at by itself anyway.
const FEW: usize = 64;

/// Probes of whole numbers: remainders where there are too many numbers to look at each.
fn whole(numbers: impl Iterator<Item = i64>) -> Vec<Probe> {
    let different: BTreeSet<i64> = numbers.take(4_096).collect();
    let mut probes = vec![Probe::Value];
    if different.len() > FEW {
        probes.extend([4, 10, 16, 60, 100, 256, 1000].map(Probe::Remainder));
    }
    probes
}

fn integer(outcome: &Outcome) -> Option<i64> {
    match outcome {
        Outcome::Integer(i) => Some(*i),
        Outcome::Nothing
        | Outcome::Number(_)
        | Outcome::Text(_)
        | Outcome::List(_)
        | Outcome::Set(_) => None,
    }
}

/// Probes of numbers: those of bits only where numbers are not all on one coarse grid.
fn numeric(numbers: impl Iterator<Item = f64>) -> Vec<Probe> {
    let mut fine = false;
    let mut strange = false;
    for x in numbers {
        fine |= x.is_finite() && digits(x) > 30.0;
        strange |= !x.is_finite();
    }
    let mut probes = vec![Probe::Value];
    if strange {
        probes.push(Probe::Kind);
    }
    if fine {
        probes.extend([Probe::Grid, Probe::Digits, Probe::LowBits]);
        probes.extend([0, 1, 2, 3].map(Probe::Decimals));
    }
    probes
}

fn of_elements(mixed: &[Outcome], longest: usize) -> Vec<Probe> {
    let mut probes = Vec::new();
    let listed: Vec<&Outcome> =
        mixed.iter().filter(|one| matches!(one, Outcome::List(_))).collect();
    let all = || mixed.iter().flat_map(|one| elements(one).iter());
    let numbers = all().any(|one| number(one).is_some());
    if numbers {
        probes.extend([
            Probe::Sum,
            Probe::Largest,
            Probe::Smallest,
            Probe::Leader,
            Probe::Distinct,
        ]);
    }
    if !listed.is_empty() {
        for i in 0..longest.min(PLACES) {
            let column = || listed.iter().filter_map(|one| elements(one).get(i));
            if column().any(|one| number(one).is_some()) {
                let inner = numeric(column().filter_map(number));
                probes.extend(inner.into_iter().map(|probe| Probe::At(i, Box::new(probe))));
            }
            // Rows of rows: numbers one level further down, and numbers in texts.
            let inner = column().map(|one| elements(one).len()).max().unwrap_or(0);
            for j in 0..inner.min(INNER) {
                if column().any(|one| elements(one).get(j).and_then(number).is_some()) {
                    let at = Probe::At(j, Box::new(Probe::Value));
                    probes.push(Probe::At(i, Box::new(at)));
                }
            }
            if column().any(|one| !number_in(one, 0).is_nan()) {
                probes.push(Probe::At(i, Box::new(Probe::NumberIn(0))));
            }
        }
        if numbers {
            probes.push(Probe::FromEnd(0, Box::new(Probe::Value)));
        }
        let places = if numbers { longest.min(DIFFERENCES) } else { 0 };
        for i in 0..places {
            probes.extend((0..i).map(|j| Probe::Difference(i, j)));
        }
    }
    for one in frequent(all()) {
        probes.extend([Probe::Contains(one.clone()), Probe::Count(one.clone())]);
        if !listed.is_empty() {
            probes.push(Probe::First(one));
        }
    }
    probes
}

/// The outcomes that are there most often, if they are there more than a few times.
fn frequent<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Vec<Outcome> {
    let mut seen: BTreeMap<String, (usize, &Outcome)> = BTreeMap::new();
    for one in outcomes.take(100_000) {
        seen.entry(key(one)).or_insert((0, one)).0 += 1;
    }
    let mut all: Vec<(usize, &Outcome)> = seen.into_values().filter(|(n, _)| *n > 4).collect();
    all.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    all.into_iter().take(FREQUENT).map(|(_, one)| one.clone()).collect()
}
