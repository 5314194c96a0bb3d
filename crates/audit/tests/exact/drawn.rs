//! What mechanisms draw has the law they state.

use std::collections::BTreeMap;
use std::fmt::Debug;

use throng_account::filter::Budget as Amount;
use throng_audit::exact::{ExactLaw, Law};
use throng_mechanism::contribution::Rows;
use throng_mechanism::count::{Count, Matches};
use throng_mechanism::histogram::{Histogram, HistogramRelease, KeySelection, ThresholdHistogram};
use throng_mechanism::noise::Protection;
use throng_mechanism::poisson::{Effect, PoissonCounts, RateMap, RatePair};
use throng_mechanism::quantile::Quantile;
use throng_mechanism::response::{KaryResponse, RandomisedResponse};
use throng_mechanism::selection::{Exponential, NoisyMax, PermuteAndFlip, ScoreChange};
use throng_mechanism::sparse_vector::{AboveThreshold, Queries, Side};
use throng_mechanism::sum::Sum;
use throng_mechanism::{
    AddNoise, Clamp, Grid, Mechanism, MechanismSpec, Neighbours, Noise, PerCell, Permit, Sensitive,
};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

use Neighbours::{AddRemove, Replace};

use super::rational;

const RUNS: u32 = 8_000;

/// Whether frequencies are near chances: within 7 standard deviations and 20 more, which a true law
/// misses somewhere with a chance below 1e-7 (Bernstein, a few hundred outcomes).
fn fits<T: Ord + Debug>(law: &Law<T>, mut draw: impl FnMut(&mut SeededEntropy) -> T) -> bool {
    let mut entropy = SeededEntropy::new(77);
    let mut tally: BTreeMap<T, f64> = BTreeMap::new();
    for _ in 0..RUNS {
        *tally.entry(draw(&mut entropy)).or_default() += 1.0;
    }
    let near = |expected: f64, seen: f64| (seen - expected).abs() <= 7.0 * expected.sqrt() + 20.0;
    let expected = |p: f64| f64::from(RUNS) * p;
    let known = tally.iter().filter(|(t, _)| law.chance(t).is_some()).map(|(_, n)| n).sum::<f64>();
    let listed =
        law.iter().all(|(t, p)| near(expected(p.lower()), tally.get(t).copied().unwrap_or(0.0)));
    listed && f64::from(RUNS) - known <= 20.0
}

fn free(spec: MechanismSpec, under: Neighbours) -> Permit {
    Permit::issue(spec, under, Amount::Pure { epsilon: Rational::ZERO })
}

/// Whether a mechanism draws what it states on some data, and does not draw what it states on other
/// data, which shows that it could be told.
fn agrees<M, R, T>(mechanism: &M, data: [&[R]; 2], read: impl Fn(&<M as Mechanism>::Output) -> T)
where
    M: Mechanism<Input = [R]> + ExactLaw<Input = [R], Outcome = T>,
    R: Clone,
    T: Ord + Debug,
{
    let input = Sensitive::new(data[0].to_vec());
    let draw = |entropy: &mut SeededEntropy| {
        let permit = free(mechanism.spec(), mechanism.neighbours());
        read(mechanism.run_on(&input, permit, entropy).unwrap().value())
    };
    assert!(fits(&mechanism.law(data[0]).unwrap(), draw), "{}", mechanism.spec());
    assert!(!fits(&mechanism.law(data[1]).unwrap(), draw), "{}: not told", mechanism.spec());
}

#[test]
fn numbers() {
    let cell = PerCell::of(1, 2.into(), AddRemove).unwrap();
    let steps = |x: &throng_mechanism::Noisy| x.steps().to_vec();
    let laplace = AddNoise::new(Noise::laplace_per_cell(&1.into(), &cell, Grid::WHOLE).unwrap());
    agrees(&laplace, [&[3, -4], &[3, -3]], steps);
    let normal =
        AddNoise::new(Noise::gaussian_per_cell(&rational("3/2"), &cell, Grid::WHOLE).unwrap());
    agrees(&normal, [&[5], &[6]], steps);
    let stairs = AddNoise::new(Noise::staircase(&1.into(), &cell, Grid::WHOLE).unwrap());
    agrees(&stairs, [&[0], &[1]], steps);
    let count = Count::pure(Matches, &1.into(), Replace).unwrap();
    agrees(&count, [&[true, false, true], &[true; 3]], |x| x.steps()[0]);
    let clamp = Clamp::new(&0.into(), &3.into(), Grid::WHOLE).unwrap();
    let sum = Sum::<f64>::new(clamp, &Protection::Pure { epsilon: 2.into() }, AddRemove).unwrap();
    agrees(&sum, [&[9.0, f64::NAN, 1.2], &[9.0, 2.2]], |x| x.steps()[0]);
}

#[test]
fn choices() {
    let change = ScoreChange::within(&1.into(), AddRemove).unwrap();
    let data: [&[i64]; 2] = [&[1, 2, 0], &[2, 2, 0]];
    agrees(&Exponential::new(3, &2.into(), &change).unwrap(), data, |i| *i);
    agrees(&PermuteAndFlip::new(3, &2.into(), &change).unwrap(), data, |i| *i);
    // Ties go to the first.
    agrees(&NoisyMax::new(3, &2.into(), &change).unwrap(), [&[1, 1, 1], &[1, 1, 2]], |i| *i);
    let clamp = Clamp::new(&0.into(), &5.into(), Grid::WHOLE).unwrap();
    let median = Quantile::median(clamp, &2.into(), AddRemove).unwrap();
    agrees(&median, [&[1.0, 2.0, f64::NAN], &[1.0, 4.0, 4.0]], |x| x.steps()[0]);
    let most = Quantile::highest(1, clamp, &2.into(), Replace).unwrap();
    agrees(&most, [&[1.0, 2.0, 3.0], &[5.0, 5.0, 5.0]], |x| x.steps()[0]);
}

#[test]
fn responses_and_counts() {
    let skewed = RandomisedResponse::new(&rational("1/10"), &rational("1/3"), 2, Replace).unwrap();
    let bits = |x: &throng_mechanism::response::Reports| x.bits().to_vec();
    agrees(&skewed, [&[true, false], &[false, false]], bits);
    let kary = KaryResponse::new(4, &1.into(), 1, Replace).unwrap();
    agrees(&kary, [&[2, 9], &[2, 2]], |x| x.answers().to_vec());
    let map = RateMap::linear(RatePair::new(3.into(), 5.into()).unwrap(), 1).unwrap();
    let counts = PoissonCounts::new(map, Effect::Rises { cells: 1 }, AddRemove).unwrap();
    agrees(&counts, [&[2], &[1]], |x| x.drawn().to_vec());
}

#[test]
fn keys() {
    let rows: [&[u8]; 2] = [&[1, 1, 1, 2], &[1, 1, 2, 2]];
    let pairs = |x: &HistogramRelease<u8>| x.iter().map(|(key, n)| (*key, n)).collect::<Vec<_>>();
    let shown =
        ThresholdHistogram::<u8, _>::laplace_at(Rows, &rational("1/2"), 2, AddRemove).unwrap();
    agrees(&shown, rows, pairs);
    let selected =
        KeySelection::<u8, _>::each(Rows, &rational("0.7"), &rational("0.1"), AddRemove).unwrap();
    agrees(&selected, rows, Clone::clone);
    let public = Histogram::pure([1_u8, 2], Rows, &2.into(), AddRemove).unwrap();
    agrees(&public, rows, |x| x.counts().steps().to_vec());
}

#[test]
fn sessions() {
    let queries = Queries::moving(1, AddRemove).unwrap();
    let mechanism = AboveThreshold::new(&3.into(), queries, 1, 2).unwrap();
    let transcript = |stream: &[i64], entropy: &mut SeededEntropy| {
        let permit = free(mechanism.spec().clone(), AddRemove);
        let mut session = mechanism.start(permit, entropy).unwrap();
        let mut sides: Vec<Side> = Vec::new();
        for value in stream {
            if !session.is_over() {
                sides.push(session.ask(&Sensitive::new(*value), entropy).unwrap().value().side);
            }
        }
        sides
    };
    let draw = |entropy: &mut SeededEntropy| transcript(&[0, 3, 1, 2], entropy);
    assert!(fits(&mechanism.law(&[0, 3, 1, 2]).unwrap(), draw));
    assert!(!fits(&mechanism.law(&[0, 3, 2, 2]).unwrap(), draw));
}
