//! What is claimed of two runs on neighbours, and what it would take to refute less.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use throng_numeric::Rational;
use throng_query::release::Family;
use throng_query::release::exact::{Content, Exact};

/// A claim about parts of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// How far a unit reaches.
    Reach,
    /// How many keys a unit has alone, or how many lists it has values in.
    Groups,
    /// The score of a key that a unit has alone.
    One,
    /// How many values a unit has in a list.
    Values,
}

/// All claims, by the kind of part.
pub(super) const CLAIMS: [(&str, Claim); 14] = [
    ("rows", Claim::Reach),
    ("present", Claim::Reach),
    ("sum", Claim::Reach),
    ("clipped sum", Claim::Reach),
    ("squares", Claim::Reach),
    ("units", Claim::Reach),
    ("distinct", Claim::Reach),
    ("contribution bins", Claim::Reach),
    ("range bins", Claim::Reach),
    ("scores", Claim::Reach),
    ("scores", Claim::Groups),
    ("scores", Claim::One),
    ("lists", Claim::Groups),
    ("lists", Claim::Values),
];

/// How parts start that are totals.
const KINDS: [(&str, &str); 9] = [
    ("contributions", "contribution bins"),
    ("range of", "range bins"),
    ("Some(Rows", "rows"),
    ("Some(Present", "present"),
    ("Some(Sum", "sum"),
    ("Some(Clipped", "clipped sum"),
    ("Some(Squares", "squares"),
    ("Some(Units", "units"),
    ("Some(Distinct", "distinct"),
];

/// What a part is.
fn kind(part: &Exact) -> &'static str {
    match &part.content {
        Content::Scores { .. } => "scores",
        Content::Lists { .. } => "lists",
        Content::Totals { .. } => {
            // Bases are numbered.
            let name = part.part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
            KINDS.iter().find(|(start, _)| name.starts_with(start)).unwrap().1
        }
    }
}

impl Claim {
    /// The same part with less claimed of it: seven eighths of a reach or of a score, one group or one
    /// value less.
    ///
    /// Seven eighths are more than a claim for one group less would be, at up to four groups (√3/2
    /// of the reach, or 3/4), or for one row less, at up to eight.
    fn weakened(self, part: &Exact) -> Exact {
        let mut part = part.clone();
        match (&mut part.content, self) {
            (Content::Totals { reach, .. } | Content::Scores { reach, .. }, Self::Reach) => {
                *reach = &*reach * &Rational::new(7, 8_u32).unwrap();
            }
            (Content::Scores { groups, .. } | Content::Lists { groups, .. }, Self::Groups) => {
                *groups -= 1;
            }
            (Content::Scores { one, .. }, Self::One) => *one = *one / 8 * 7,
            (Content::Lists { most, .. }, Self::Values) => *most -= 1,
            _ => panic!("{self:?} is not claimed of {part:?}"),
        }
        part
    }
}

/// How far parts of each kind moved at most, over what is claimed; and whether less was refuted.
#[derive(Debug, Default)]
pub(super) struct Tightness {
    most: BTreeMap<(&'static str, Claim), f64>,
    refuted: BTreeSet<(&'static str, Claim)>,
}

impl Tightness {
    /// The claims of which too little is known to refute less.
    pub(super) fn loose(&self) -> Vec<(&'static str, Claim)> {
        CLAIMS.iter().filter(|claim| !self.refuted.contains(*claim)).copied().collect()
    }

    fn moved(&mut self, kind: &'static str, moved: &Moved) {
        for (claim, ratio) in &moved.0 {
            let most = self.most.entry((kind, *claim)).or_default();
            *most = most.max(*ratio);
        }
    }

    /// Tries less of each claim that has not been refuted.
    fn weaken(&mut self, a: &Exact, b: &Exact, factor: u64) {
        let kind = kind(a);
        for (of, claim) in CLAIMS {
            if of == kind && !self.refuted.contains(&(kind, claim)) {
                let (a, b) = (claim.weakened(a), claim.weakened(b));
                if near(&a, &b, factor).is_err() {
                    self.refuted.insert((kind, claim));
                }
            }
        }
    }
}

impl fmt::Display for Tightness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, claim) in CLAIMS {
            let most = self.most.get(&(kind, claim)).copied().unwrap_or(f64::NAN);
            let less =
                if self.refuted.contains(&(kind, claim)) { "refuted" } else { "not refuted" };
            writeln!(f, "{kind:>18} {claim:<6} moved by {most:.4} of the claim; less: {less}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{self:?}"))
    }
}

/// How far a part moved, over what is claimed.
#[derive(Default)]
struct Moved(Vec<(Claim, f64)>);

impl Moved {
    fn at_all(&self) -> bool {
        self.0.iter().any(|(_, ratio)| *ratio > 0.0)
    }
}

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
    tightness: &mut Tightness,
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
        found.moved += usize::from(moved.at_all());
        tightness.moved(kind(a), &moved);
        tightness.weaken(a, b, factor);
    }
    Ok(found)
}

fn near(a: &Exact, b: &Exact, factor: u64) -> Result<Moved, String> {
    match (&a.content, &b.content) {
        (
            Content::Totals { family, reach, values },
            Content::Totals { reach: other_reach, values: others, .. },
        ) if reach == other_reach => {
            let (a, b) = (by_key(&a.keys, values)?, by_key(&b.keys, others)?);
            let moved = within(&a, &b, *family, &(reach * &Rational::from(factor)))?;
            Ok(Moved(vec![(Claim::Reach, moved)]))
        }
        (
            Content::Scores { family, reach, groups, one, values },
            Content::Scores { reach: other_reach, values: others, .. },
        ) if reach == other_reach => {
            let (a, b) = (by_key(&a.keys, values)?, by_key(&b.keys, others)?);
            let mut moved = own(&a, &b, *groups, *one)?;
            moved.0.extend(own(&b, &a, *groups, *one)?.0);
            let reached = within(&a, &b, *family, &(reach * &Rational::from(factor)))?;
            moved.0.push((Claim::Reach, reached));
            Ok(moved)
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

/// Cells as near as is claimed: their distance over the claim.
fn within(
    a: &BTreeMap<String, i128>,
    b: &BTreeMap<String, i128>,
    family: Family,
    most: &Rational,
) -> Result<f64, String> {
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
    let ratio = norm.to_f64_nearest() / limit.to_f64_nearest();
    Ok(match family {
        Family::Laplace => ratio,
        Family::Gaussian => ratio.sqrt(),
    })
}

/// Keys that one world has alone belong to one unit: few, and each with a small score.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn own(
    a: &BTreeMap<String, i128>,
    b: &BTreeMap<String, i128>,
    groups: u64,
    one: i64,
) -> Result<Moved, String> {
    let own: Vec<i128> =
        a.iter().filter(|(key, _)| !b.contains_key(*key)).map(|(_, score)| *score).collect();
    let count = i128::try_from(own.len()).unwrap();
    let most = i128::from(one);
    if count > i128::from(groups) {
        return Err(format!("{count} keys of one unit, at most {groups} are claimed"));
    }
    if let Some(score) = own.iter().find(|x| **x < 0 || count * **x * **x > most * most) {
        return Err(format!("a score of {score} on each of {count} keys of one unit"));
    }
    let largest = own.iter().max().map_or(0.0, |score| *score as f64 / one as f64);
    let score = largest * (count as f64).sqrt();
    Ok(Moved(vec![(Claim::Groups, count as f64 / groups as f64), (Claim::One, score)]))
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn lists(
    a: &BTreeMap<String, Vec<i64>>,
    b: &BTreeMap<String, Vec<i64>>,
    most: u64,
    groups: u64,
) -> Result<Moved, String> {
    let (mut moved, mut largest) = (0, 0);
    for key in either(a, b) {
        let apart = apart(a.get(key).map_or(&[], |list| list), b.get(key).map_or(&[], |list| list));
        if apart > most {
            return Err(format!("{apart} values of one unit in a cell, {most} are claimed"));
        }
        moved += u64::from(apart > 0);
        largest = largest.max(apart);
    }
    if moved > groups {
        return Err(format!("values in {moved} cells move, {groups} are claimed"));
    }
    let ratio = |x: u64, of: u64| if of == 0 { 0.0 } else { x as f64 / of as f64 };
    let groups = (Claim::Groups, ratio(moved, groups));
    Ok(Moved(vec![groups, (Claim::Values, ratio(largest, most))]))
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
