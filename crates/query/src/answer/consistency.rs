//! Answers that agree with what is known of the truth.

use std::collections::{BTreeSet, HashMap};

use datafusion::common::ScalarValue;

use super::tree::{self, Cell};
use crate::question::{Aggregate, Domain, Question};
use crate::release::{Answered, NoisyColumn};
use crate::sql::{GroupingSet, Node};

/// What answers shall agree with. Nothing of it costs anything: only released cells are used.
///
/// It makes answers look more plausible, and totals more precise; clipping at 0 makes small counts
/// biased upwards, which is why it is not the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Consistency {
    /// Counts, and the ends of their intervals, are not below 0.
    pub non_negative: bool,
    /// What is a whole number in truth is rounded so that sums still hold.
    pub whole: bool,
    /// With ROLLUP and GROUPING SETS: counts and sums of roll-ups are the sums of their parts, by
    /// weighted least squares; see [`consistent`] for when.
    pub totals: bool,
}

/// Adjusts the answers of a statement; gives back notes on what could not be done, and why.
///
/// Totals are adjusted if the grouping sets of a node are a chain, each within the next, as those of
/// ROLLUP are, and all keys of the finest one are public: else groups that were left out are parts
/// that nobody knows. The weights are the variances that the intervals show, and intervals shrink as
/// the standard deviation does, which is right for noise that is near to normal. COUNT(*), COUNT(x)
/// and SUM(x) are adjusted; COUNT(DISTINCT x) of a whole is not the sum of its parts.
///
/// The sets are taken to count the same rows: bounds on the number of groups of a unit take more
/// from finer sets, and keys that are not listed are missing there alone. Where that matters much
/// the clipping estimate says so, and totals should be left as they are.
pub fn consistent(
    wanted: Consistency,
    questions: &[Question],
    nodes: &[Node],
    answers: &mut [Answered],
) -> Vec<String> {
    let mut notes = BTreeSet::new();
    if wanted.totals {
        for node in nodes.iter().filter(|node| node.sets.len() > 1) {
            if let Err(note) = totals(wanted, questions, node, answers) {
                notes.insert(format!("totals are left as they are: {note}"));
            }
        }
    }
    for (question, answer) in questions.iter().zip(answers) {
        for (aggregate, column) in question.aggregates.iter().zip(&mut answer.columns) {
            if wanted.non_negative && is_count(aggregate) {
                not_below_zero(column);
            }
            if wanted.whole && column.whole {
                column.values.iter_mut().flatten().for_each(|x| *x = x.round_ties_even());
            }
        }
    }
    notes.into_iter().collect()
}

fn is_count(aggregate: &Aggregate) -> bool {
    match aggregate {
        Aggregate::Rows
        | Aggregate::Present { .. }
        | Aggregate::Units
        | Aggregate::Distinct { .. } => true,
        Aggregate::Sum { .. }
        | Aggregate::Mean { .. }
        | Aggregate::Variance { .. }
        | Aggregate::Deviation { .. }
        | Aggregate::Quantile { .. } => false,
    }
}

/// Whether the aggregate of a whole is the sum of those of its parts.
fn is_additive(aggregate: &Aggregate) -> bool {
    match aggregate {
        Aggregate::Rows | Aggregate::Present { .. } | Aggregate::Sum { .. } => true,
        Aggregate::Units
        | Aggregate::Distinct { .. }
        | Aggregate::Mean { .. }
        | Aggregate::Variance { .. }
        | Aggregate::Deviation { .. }
        | Aggregate::Quantile { .. } => false,
    }
}

fn not_below_zero(column: &mut NoisyColumn) {
    for list in [&mut column.values, &mut column.low, &mut column.high] {
        list.iter_mut().flatten().for_each(|x| *x = x.max(0.0));
    }
}

/// Adjusts all additive aggregates of one node.
fn totals(
    wanted: Consistency,
    questions: &[Question],
    node: &Node,
    answers: &mut [Answered],
) -> Result<(), &'static str> {
    let chain = chain(node)?;
    let finest = chain.last().and_then(|set| questions.get(set.question));
    let finest = finest.ok_or("a question is missing")?;
    if finest.keys.iter().any(|key| key.domain == Domain::Private) {
        return Err("its finest groups have private keys, some of which may have been left out");
    }
    let parents = parents(&chain, answers)?;
    for (index, aggregate) in finest.aggregates.iter().enumerate() {
        if is_additive(aggregate) {
            let bounded = wanted.non_negative && is_count(aggregate);
            adjusted(&chain, answers, &parents, index, bounded, wanted.whole)?;
        }
    }
    Ok(())
}

/// The grouping sets from coarse to fine, each within the next.
fn chain(node: &Node) -> Result<Vec<&GroupingSet>, &'static str> {
    let mut sets: Vec<&GroupingSet> = node.sets.iter().collect();
    sets.sort_by_key(|set| set.keys.len());
    let within = sets.windows(2).all(|pair| match pair {
        [coarse, fine] => {
            coarse.keys.len() < fine.keys.len()
                && coarse.keys.iter().all(|key| fine.keys.contains(key))
        }
        _ => true,
    });
    if within { Ok(sets) } else { Err("its grouping sets are not each within the next") }
}

/// For each row of all sets, from coarse to fine, the row that it is a part of.
fn parents(
    chain: &[&GroupingSet],
    answers: &[Answered],
) -> Result<Vec<Option<usize>>, &'static str> {
    let mut parents = Vec::new();
    let mut above: Option<(&GroupingSet, HashMap<Vec<ScalarValue>, usize>)> = None;
    for &set in chain {
        let answer = answers.get(set.question).ok_or("an answer is missing")?;
        let start = parents.len();
        for row in 0..answer.keys.num_rows() {
            let parent = match &above {
                Some((coarse, rows)) => rows.get(&tuple(set, answer, row, &coarse.keys)?).copied(),
                None => None,
            };
            parents.push(parent);
        }
        let own = (0..answer.keys.num_rows())
            .map(|row| Ok((tuple(set, answer, row, &set.keys)?, start + row)));
        above = Some((set, own.collect::<Result<_, &'static str>>()?));
    }
    Ok(parents)
}

/// The keys of a row in some columns of the node.
fn tuple(
    set: &GroupingSet,
    answer: &Answered,
    row: usize,
    columns: &[usize],
) -> Result<Vec<ScalarValue>, &'static str> {
    let key = |column: &usize| {
        let place = set.keys.iter().position(|key| key == column)?;
        let array = answer.keys.columns().get(place)?;
        ScalarValue::try_from_array(array, row).ok()
    };
    columns.iter().map(key).collect::<Option<_>>().ok_or("a key is missing")
}

/// Adjusts one aggregate over all sets.
fn adjusted(
    chain: &[&GroupingSet],
    answers: &mut [Answered],
    parents: &[Option<usize>],
    index: usize,
    bounded: bool,
    whole: bool,
) -> Result<(), &'static str> {
    let columns = chain.iter().filter_map(|set| answers.get(set.question)?.columns.get(index));
    let is_whole = whole && columns.clone().all(|column| column.whole);
    let measured: Option<Vec<(f64, f64, f64)>> = columns.flat_map(triples).collect();
    let measured = measured.ok_or("some cells have no value or no interval")?;
    let mut cells: Vec<Cell> = measured
        .iter()
        .zip(parents)
        .map(|(&(value, low, high), &parent)| Cell {
            value,
            variance: ((high - low) / 2.0) * ((high - low) / 2.0),
            parent,
        })
        .collect();
    if cells.len() != parents.len() {
        return Err("an answer is missing");
    }
    let before: Vec<f64> = cells.iter().map(|cell| cell.variance).collect();
    tree::adjust(&mut cells, bounded);
    if is_whole {
        tree::round(&mut cells);
    }
    let mut fresh = measured
        .iter()
        .zip(before)
        .zip(cells)
        .map(|((&old, variance), cell)| moved(old, variance, cell));
    for set in chain {
        let column = answers.get_mut(set.question).and_then(|answer| answer.columns.get_mut(index));
        column.into_iter().for_each(|column| replace(column, &mut fresh));
    }
    Ok(())
}

/// Value and ends of each cell; `None` where one is missing or not finite.
fn triples(column: &NoisyColumn) -> impl Iterator<Item = Option<(f64, f64, f64)>> {
    let ends = column.low.iter().zip(&column.high);
    column.values.iter().zip(ends).map(|(value, (low, high))| {
        let triple = ((*value)?, (*low)?, (*high)?);
        [triple.0, triple.1, triple.2].iter().all(|x| x.is_finite()).then_some(triple)
    })
}

/// The interval about the adjusted value, smaller as its standard deviation is.
fn moved((value, low, high): (f64, f64, f64), variance: f64, cell: Cell) -> (f64, f64, f64) {
    let ratio = if variance > 0.0 { (cell.variance / variance).sqrt() } else { 0.0 };
    (cell.value, cell.value - (value - low) * ratio, cell.value + (high - value) * ratio)
}

fn replace(column: &mut NoisyColumn, fresh: &mut impl Iterator<Item = (f64, f64, f64)>) {
    let rows = column.values.len();
    let (values, ends): (Vec<_>, Vec<_>) =
        fresh.take(rows).map(|(value, low, high)| (Some(value), (Some(low), Some(high)))).unzip();
    column.values = values;
    (column.low, column.high) = ends.into_iter().unzip();
}
