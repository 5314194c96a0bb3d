//! A sum of small decision trees, fitted by gradient boosting on the logistic loss.

use serde::{Deserialize, Serialize};

use crate::Outcomes;
use crate::probe::Probe;
use crate::score::Score;
use crate::score::histogram::quantile_cuts;

/// A decision tree of three questions: a node asks whether a probe is above a value; node i goes
/// on to nodes 2i + 1 (no, or NaN) and 2i + 2 (yes).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Which probe each inner node asks, and above which value.
    pub nodes: Vec<(usize, f64)>,
    /// What each leaf adds, from left to right.
    pub leaves: Vec<f64>,
}

const DEPTH: u32 = 3;
const TREES: usize = 40;
const RATE: f64 = 0.25;
const BINS: usize = 24;
/// Ridge on the value of a leaf: pulls leaves with few outcomes to 0.
const RIDGE: f64 = 8.0;

/// Reads a sum of trees.
pub(crate) fn read(probes: &[Probe], trees: &[Tree], outcomes: &Outcomes) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = probes.iter().map(|probe| probe.read_all(outcomes)).collect();
    (0..outcomes.len())
        .map(|i| {
            let value = |probe: usize| {
                columns.get(probe).and_then(|column| column.get(i)).copied().unwrap_or(f64::NAN)
            };
            trees.iter().map(|tree| tree.read(value)).sum()
        })
        .collect()
}

impl Tree {
    fn read(&self, value: impl Fn(usize) -> f64) -> f64 {
        let mut at = 0;
        while let Some((probe, above)) = self.nodes.get(at) {
            at = 2 * at + if value(*probe) > *above { 2 } else { 1 };
        }
        self.leaves.get(at - self.nodes.len()).copied().unwrap_or(0.0)
    }
}

/// Sums of first and second derivatives of the loss.
#[derive(Debug, Clone, Copy, Default)]
struct Slope {
    gradient: f64,
    curvature: f64,
}

impl Slope {
    fn add(&mut self, other: Self) {
        self.gradient += other.gradient;
        self.curvature += other.curvature;
    }

    fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            curvature: self.curvature - other.curvature,
        }
    }

    /// How much the loss falls if a leaf takes its best value, and that value.
    fn gain(self) -> f64 {
        self.gradient * self.gradient / (self.curvature + RIDGE)
    }

    fn value(self) -> f64 {
        self.gradient / (self.curvature + RIDGE)
    }
}

/// Probes as small numbers: which part of its range each value falls into; 0 is NaN.
struct Binned {
    cuts: Vec<Vec<f64>>,
    columns: Vec<Vec<u8>>,
}

impl Binned {
    fn of(zero: &[Vec<f64>], one: &[Vec<f64>]) -> Self {
        let mut binned = Self { cuts: Vec::new(), columns: Vec::new() };
        for (a, b) in zero.iter().zip(one) {
            let cuts = quantile_cuts(a, b, BINS);
            let bin = |x: &f64| match x.is_nan() {
                true => 0,
                false => u8::try_from(1 + cuts.partition_point(|cut| cut <= x)).unwrap_or(u8::MAX),
            };
            binned.columns.push(a.iter().chain(b).map(bin).collect());
            binned.cuts.push(cuts);
        }
        binned
    }
}

/// Fits trees to both worlds; columns are probes.
#[expect(clippy::disallowed_methods, reason = "a score: no guarantee rests on it")]
pub(crate) fn fit(probes: &[Probe], zero: &[Vec<f64>], one: &[Vec<f64>]) -> Option<Score> {
    let binned = Binned::of(zero, one);
    let split = zero.first()?.len();
    let n = split + one.first()?.len();
    let mut sums = vec![0.0f64; n];
    let mut trees = Vec::new();
    for _ in 0..TREES {
        let slopes: Vec<Slope> = sums
            .iter()
            .enumerate()
            .map(|(i, sum)| {
                let p = 1.0 / (1.0 + (-sum).exp());
                let label = if i >= split { 1.0 } else { 0.0 };
                Slope { gradient: label - p, curvature: (p * (1.0 - p)).max(1e-6) }
            })
            .collect();
        let (tree, leaf_of) = grow(&binned, &slopes)?;
        for (sum, leaf) in sums.iter_mut().zip(leaf_of) {
            *sum += tree.leaves.get(leaf).copied().unwrap_or(0.0);
        }
        trees.push(tree);
    }
    Some(Score::Forest { probes: probes.to_vec(), trees })
}

/// Grows one tree level by level; also says in which leaf each outcome ends.
fn grow(binned: &Binned, slopes: &[Slope]) -> Option<(Tree, Vec<usize>)> {
    let mut place = vec![0usize; slopes.len()];
    let mut nodes: Vec<(usize, f64)> = Vec::new();
    for level in 0..DEPTH {
        let width = 1usize << level;
        let questions = best_questions(binned, slopes, &place, width);
        for (i, at) in place.iter_mut().enumerate() {
            let (probe, bin, _) = questions.get(*at).copied()?;
            let yes = usize::from(*binned.columns.get(probe)?.get(i)?) > bin;
            *at = 2 * *at + usize::from(yes);
        }
        nodes.extend(questions.into_iter().map(|(probe, _, above)| (probe, above)));
    }
    let mut totals = [Slope::default(); 1 << DEPTH];
    for (at, slope) in place.iter().zip(slopes) {
        totals.get_mut(*at)?.add(*slope);
    }
    let leaves = totals.iter().map(|total| RATE * total.value()).collect();
    Some((Tree { nodes, leaves }, place))
}

/// For each node of a level the question that tells most: (probe, bin, value).
fn best_questions(
    binned: &Binned,
    slopes: &[Slope],
    place: &[usize],
    width: usize,
) -> Vec<(usize, usize, f64)> {
    let mut best = vec![(f64::NEG_INFINITY, (0, usize::from(u8::MAX), f64::INFINITY)); width];
    for (probe, (column, cuts)) in binned.columns.iter().zip(&binned.cuts).enumerate() {
        let bins = cuts.len() + 2;
        let mut sums = vec![Slope::default(); width * bins];
        for ((bin, slope), at) in column.iter().zip(slopes).zip(place) {
            if let Some(sum) = sums.get_mut(at * bins + usize::from(*bin)) {
                sum.add(*slope);
            }
        }
        for (node, row) in sums.chunks(bins).enumerate() {
            let mut total = Slope::default();
            row.iter().for_each(|slope| total.add(*slope));
            let mut below = Slope::default();
            for (bin, slope) in row.iter().enumerate().take(bins - 1) {
                below.add(*slope);
                // Bin k holds values below cut k - 1 (counted from 0); above it means at least that cut.
                let above = match bin {
                    0 => f64::NEG_INFINITY,
                    _ => cuts.get(bin - 1).map_or(f64::INFINITY, |cut| cut.next_down()),
                };
                let gain = below.gain() + total.minus(below).gain() - total.gain();
                if let Some(known) = best.get_mut(node)
                    && gain > known.0
                {
                    *known = (gain, (probe, bin, above));
                }
            }
        }
    }
    best.into_iter().map(|(_, question)| question).collect()
}
