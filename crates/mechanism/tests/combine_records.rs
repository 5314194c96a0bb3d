//! What samples and splits records needs one record per unit, and batches in random order.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use crate::support::exact::{Law, hockey_stick};
use crate::support::{answer_slice, choice, loss, rational};
use throng_account::{Leaf, MechanismSpec, PrivacyLoss};
use throng_mechanism::combine::{Batched, Grouped, Partitioned, Preprocessed, Sampled, Sequence};
use throng_mechanism::contribution::{ByUnit, Contributions, Rows};
use throng_mechanism::count::{BoundedRecords, Count, Records, Units};
use throng_mechanism::histogram::Histogram;
use throng_mechanism::poisson::{DegreeSequence, Effect, PoissonCounts, RateMap, RatePair};
use throng_mechanism::response::{KaryResponse, RandomisedResponse};
use throng_mechanism::{
    AddNoise, Grid, L1, Mechanism, MechanismError, Neighbours, Noise, Sensitivity,
};
use throng_numeric::{Enclosure, Rational};
use throng_sample::SeededEntropy;

use Neighbours::{AddRemove, Replace};

/// Whether the law of one is certainly further from that of the other than is claimed.
fn broken<T: Ord>(p: &Law<T>, q: &Law<T>, claim: &PrivacyLoss) -> bool {
    (0..=60).map(|k| f64::from(k) / 20.0).any(|epsilon| {
        let claimed = claim.delta(epsilon).unwrap().upper + 1e-12;
        hockey_stick(p, q, epsilon).lower() > claimed
            || hockey_stick(q, p, epsilon).lower() > claimed
    })
}

/// A bit is reported wrongly with this chance.
const WRONG: &str = "1/4";

fn response(width: usize) -> RandomisedResponse {
    RandomisedResponse::new(&rational(WRONG), &rational(WRONG), width, Replace).unwrap()
}

/// The law of two reports on two bits of the data, over the given pairs of places.
fn reports(data: &[bool], places: &[(usize, usize)]) -> Law<(bool, bool)> {
    let chance = |truth: bool, report: bool| {
        let wrong = rational(WRONG);
        if truth == report { Rational::ONE - wrong } else { wrong }
    };
    let mut law: Law<(bool, bool)> = Law::new();
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let each = places.iter().map(|(i, j)| chance(data[*i], a) * chance(data[*j], b));
        let sum = each.fold(Rational::ZERO, |sum, p| sum + p);
        let share = Rational::new(1, u64::try_from(places.len()).unwrap()).unwrap();
        law.insert((a, b), Enclosure::of_rational(&(sum * share)));
    }
    law
}

fn ordered(population: usize) -> Vec<(usize, usize)> {
    let pairs = (0..population).flat_map(|i| (0..population).map(move |j| (i, j)));
    pairs.filter(|(i, j)| i < j).collect()
}

fn any_order(population: usize) -> Vec<(usize, usize)> {
    ordered(population).into_iter().flat_map(|(i, j)| [(i, j), (j, i)]).collect()
}

/// Every data set of three bits, and each with one bit replaced.
fn neighbours_of_three() -> impl Iterator<Item = ([bool; 3], [bool; 3])> {
    (0..8_u8).flat_map(|bits| {
        let data = [0, 1, 2].map(|i| bits >> i & 1 == 1);
        (0..3).map(move |place| {
            let mut other = data;
            other[place] = !other[place];
            (data, other)
        })
    })
}

/// In the order of the data, a batch of reports tells more than is claimed; in random order not.
#[test]
fn a_batch_in_random_order_has_the_guarantee_that_is_claimed() {
    let batched = Batched::new(2, 3, response(1)).unwrap();
    let claim = loss(&batched.spec(), Replace);
    let mut told = false;
    for (data, other) in neighbours_of_three() {
        let law = |data: &[bool], places: &[(usize, usize)]| reports(data, places);
        let (random, sorted) = (any_order(3), ordered(3));
        assert!(!broken(&law(&data, &random), &law(&other, &random), &claim), "{data:?}");
        told |= broken(&law(&data, &sorted), &law(&other, &sorted), &claim);
    }
    assert!(told);
    // And random it is: 2^15 runs tell the two laws apart.
    let data = [true, false, false];
    let entropy = &mut SeededEntropy::new(11);
    let samples: Vec<_> = (0..1 << 15)
        .map(|_| answer_slice(&batched, data, entropy))
        .map(|reports| (reports.bits()[0], reports.bits()[1]))
        .collect();
    assert!(!choice::refuted(&reports(&data, &any_order(3)), samples.iter().copied()));
    assert!(choice::refuted(&reports(&data, &ordered(3)), samples));
}

/// Two units of two bits each, and two of the four bits: one of a unit's bits is in the batch with
/// chance 5/6, where 1/2 would be claimed.
#[test]
fn bits_of_wider_units_are_not_records() {
    let bit = Leaf::RandomisedResponse { p: rational(WRONG), q: rational(WRONG) };
    let unit = MechanismSpec::repeated(2, MechanismSpec::leaf(bit).unwrap()).unwrap();
    let spec = MechanismSpec::WithoutReplacement { batch: 2, population: 4, inner: Box::new(unit) };
    let claim = loss(&spec, Replace);
    let law = |first: bool| reports(&[first, first, false, false], &any_order(4));
    assert!(broken(&law(true), &law(false), &claim));
    refused(Batched::new(2, 4, response(2)).err().as_ref());
    refused(
        Batched::new(2, 4, KaryResponse::new(3, &1.into(), 2, Replace).unwrap()).err().as_ref(),
    );
    assert!(Batched::new(2, 4, KaryResponse::new(3, &1.into(), 1, Replace).unwrap()).is_ok());
}

fn refused(error: Option<&MechanismError>) {
    assert!(matches!(error, Some(MechanismError::Refused { .. })), "{error:?}");
}

/// A vector of cells that loses a cell shows it: no epsilon hides that.
#[test]
fn cells_are_not_records() {
    let one = |under| Sensitivity::<L1>::of(Rational::ONE, under).unwrap();
    let noise =
        |under| AddNoise::new(Noise::pure(&Rational::ONE, &one(under), Grid::WHOLE).unwrap());
    let part = |_: &i64| 0;
    refused(Sampled::new(rational("1/2"), noise(AddRemove)).err().as_ref());
    refused(Partitioned::new(vec![noise(AddRemove)], part, AddRemove).err().as_ref());
    refused(Batched::new(1, 2, noise(Replace)).err().as_ref());
    let sequence = Sequence::new(vec![noise(AddRemove)]).unwrap();
    refused(Sampled::new(rational("1/2"), sequence).err().as_ref());
    let mapped = Preprocessed::new(|x: &i64| *x, noise(AddRemove)).unwrap();
    refused(Sampled::new(rational("1/2"), mapped).err().as_ref());
    let pair = || RatePair::new(1.into(), 2.into()).unwrap();
    let map = RateMap::linear(pair(), 1).unwrap();
    let counts = PoissonCounts::new(map, Effect::Rises { cells: 1 }, AddRemove).unwrap();
    refused(Sampled::new(rational("1/2"), counts).err().as_ref());
    // Edges are records.
    let edges = DegreeSequence::of_edges(3, pair(), AddRemove).unwrap();
    assert!(Sampled::new(rational("1/2"), edges).is_ok());
}

#[test]
fn rows_of_units_with_several_are_not_records() {
    let half = || rational("1/2");
    let rows = Count::pure(Records::<u8>::default(), &half(), AddRemove).unwrap();
    assert!(Sampled::new(half(), rows.clone()).is_ok());
    assert!(Sampled::new(half(), Sampled::new(half(), rows.clone()).unwrap()).is_ok());
    // A group of records is sampled one by one, not as one.
    refused(Sampled::new(half(), Grouped::new(2, rows).unwrap()).err().as_ref());
    let units = Count::pure(Units::<u8>::default(), &half(), AddRemove).unwrap();
    refused(Sampled::new(half(), units).err().as_ref());
    let most = BoundedRecords::<u8>::of(3).unwrap();
    refused(Sampled::new(half(), Count::pure(most, &half(), AddRemove).unwrap()).err().as_ref());
    let one = Histogram::pure([1, 2], Rows, &half(), AddRemove).unwrap();
    assert!(Partitioned::new(vec![one], |key: &i32| usize::from(*key > 1), AddRemove).is_ok());
    let units = ByUnit::<u8>::of(Contributions::of(2, 1).unwrap());
    let several = Histogram::pure([1, 2], units, &half(), AddRemove).unwrap();
    let by_key = |row: &(u8, i32)| usize::from(row.1 > 1);
    refused(Partitioned::new(vec![several.clone(), several], by_key, AddRemove).err().as_ref());
}
