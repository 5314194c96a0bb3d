//! What is claimed of two runs on neighbours.

use std::collections::{BTreeMap, BTreeSet};

use throng_numeric::Rational;
use throng_query::release::Family;
use throng_query::release::exact::{Content, Exact};

/// How many parts were compared.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) compared: usize,
    /// Parts that differ at all.
    pub(super) moved: usize,
    /// Parts that are bounded in another way, by what was released before.
    pub(super) skipped: usize,
}

/// Both runs fail with the same text, or all their parts are as near as is claimed. Under `replace`
/// a unit moves cells by twice what it contributes.
pub(super) fn compare(
    here: &Result<Vec<Exact>, String>,
    there: &Result<Vec<Exact>, String>,
    factor: u64,
) -> Result<Compared, String> {
    let (here, there) = match (here, there) {
        (Ok(here), Ok(there)) => (here, there),
        (Err(one), Err(other)) if one == other => return Ok(Compared::default()),
        (one, other) => {
            return Err(format!(
                "errors differ: {:?} {:?}",
                one.as_ref().err(),
                other.as_ref().err()
            ));
        }
    };
    if here.len() != there.len() {
        return Err(format!("{} parts and {}", here.len(), there.len()));
    }
    let mut found = Compared::default();
    for (a, b) in here.iter().zip(there) {
        if a.part != b.part {
            found.skipped += 1;
            continue;
        }
        found.compared += 1;
        let moved = near(a, b, factor).map_err(|error| format!("{error}\n  {a:?}\n  {b:?}"))?;
        found.moved += usize::from(moved);
    }
    Ok(found)
}

fn near(a: &Exact, b: &Exact, factor: u64) -> Result<bool, String> {
    match (&a.content, &b.content) {
        (
            Content::Totals { family, reach, values },
            Content::Totals { reach: other_reach, values: others, .. },
        ) if reach == other_reach => {
            let (a, b) = (by_key(&a.keys, values)?, by_key(&b.keys, others)?);
            within(&a, &b, *family, &(reach * &Rational::from(factor)))
        }
        (
            Content::Scores { family, reach, groups, one, values },
            Content::Scores { reach: other_reach, values: others, .. },
        ) if reach == other_reach => {
            let (a, b) = (by_key(&a.keys, values)?, by_key(&b.keys, others)?);
            own(&a, &b, *groups, *one)?;
            own(&b, &a, *groups, *one)?;
            within(&a, &b, *family, &(reach * &Rational::from(factor)))
        }
        (Content::Lists { most, groups, values }, Content::Lists { values: others, .. }) => {
            let (a, b) = (by_key(&a.keys, values)?, by_key(&b.keys, others)?);
            lists(&a, &b, *most * factor, *groups * factor)
        }
        _ => Err("parts of different kinds, or with different claims".into()),
    }
}

fn by_key<T: Clone>(keys: &[String], values: &[T]) -> Result<BTreeMap<String, T>, String> {
    let map: BTreeMap<String, T> = keys.iter().cloned().zip(values.iter().cloned()).collect();
    if map.len() == keys.len() && keys.len() == values.len() {
        return Ok(map);
    }
    Err(format!("{} keys, {} different, {} values", keys.len(), map.len(), values.len()))
}

fn either<'a, T>(a: &'a BTreeMap<String, T>, b: &'a BTreeMap<String, T>) -> BTreeSet<&'a String> {
    a.keys().chain(b.keys()).collect()
}

fn within(
    a: &BTreeMap<String, i128>,
    b: &BTreeMap<String, i128>,
    family: Family,
    most: &Rational,
) -> Result<bool, String> {
    let at = |map: &BTreeMap<String, i128>, key: &String| map.get(key).copied().unwrap_or(0);
    let mut norm = Rational::ZERO;
    for key in either(a, b) {
        let gap = Rational::from(at(a, key) - at(b, key)).abs();
        norm = norm
            + match family {
                Family::Laplace => gap,
                Family::Gaussian => gap.square(),
            };
    }
    let limit = match family {
        Family::Laplace => most.clone(),
        Family::Gaussian => most.square(),
    };
    if norm > limit {
        return Err(format!("moves by {norm}, claimed {limit} ({family:?}; squared if Gaussian)"));
    }
    Ok(norm.is_positive())
}

/// Keys that one world has alone belong to one unit: few, and each with a small score.
fn own(
    a: &BTreeMap<String, i128>,
    b: &BTreeMap<String, i128>,
    groups: u64,
    one: i64,
) -> Result<(), String> {
    let own: Vec<i128> =
        a.iter().filter(|(key, _)| !b.contains_key(*key)).map(|(_, score)| *score).collect();
    let count = i128::try_from(own.len()).unwrap();
    let most = i128::from(one);
    if count > i128::from(groups) {
        return Err(format!("{count} keys of one unit, at most {groups} are claimed"));
    }
    match own.iter().find(|score| **score < 0 || count * **score * **score > most * most) {
        Some(score) => Err(format!("a score of {score} on each of {count} keys of one unit")),
        None => Ok(()),
    }
}

fn lists(
    a: &BTreeMap<String, Vec<i64>>,
    b: &BTreeMap<String, Vec<i64>>,
    most: u64,
    groups: u64,
) -> Result<bool, String> {
    let mut moved = 0;
    for key in either(a, b) {
        let apart = apart(a.get(key).map_or(&[], |list| list), b.get(key).map_or(&[], |list| list));
        if apart > most {
            return Err(format!("{apart} values of one unit in a cell, {most} are claimed"));
        }
        moved += u64::from(apart > 0);
    }
    if moved > groups {
        return Err(format!("values in {moved} cells move, {groups} are claimed"));
    }
    Ok(moved > 0)
}

/// How many values two lists do not have in common.
fn apart(a: &[i64], b: &[i64]) -> u64 {
    let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
    for value in a {
        *counts.entry(*value).or_default() += 1;
    }
    for value in b {
        *counts.entry(*value).or_default() -= 1;
    }
    counts.values().map(|count| count.unsigned_abs()).sum()
}
