//! The mechanisms against `vectors/mechanism.csv`, which mpmath computed.
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "tests compare with plain numbers, and may fail"
)]

use std::collections::BTreeMap;

use crate::support::choice::refuted;
use crate::support::exact::Law;
use crate::support::{free, rational};
use throng_mechanism::bayes::{Bernoulli, PoissonRate};
use throng_mechanism::continual::{Factor, MatrixCounter, Stream, TreeCounter};
use throng_mechanism::contribution::{ByUnit, Contributions, Rows};
use throng_mechanism::histogram::{KeySelection, ThresholdHistogram};
use throng_mechanism::noise::{Protection, Staircase};
use throng_mechanism::poisson::{Effect, PoissonCounts, RateMap, RatePair};
use throng_mechanism::propose_test_release::StabilityTest;
use throng_mechanism::quantile::Quantile;
use throng_mechanism::response::{FlipLaw, RandomisedResponse, ReportedCount};
use throng_mechanism::selection::{Exponential, NoisyMax, PermuteAndFlip, ScoreChange};
use throng_mechanism::smooth::{Decay, Median, SmoothBound, SmoothLaw, SmoothNoise};
use throng_mechanism::sparse_vector::{AboveThreshold, Queries, Side};
use throng_mechanism::{Clamp, Grid, Mechanism, Neighbours, NoiseLaw, Permit, Sensitive};
use throng_numeric::{Enclosure, Natural, Rational};
use throng_sample::SeededEntropy;

const ADD: Neighbours = Neighbours::AddRemove;
const SWAP: Neighbours = Neighbours::Replace;

/// What the crate says about a row.
enum Found {
    /// An enclosure, which must hold the value.
    Enclosed(Enclosure),
    /// A number, right to this, relatively.
    Near(f64, f64),
    /// A number from this side: at most the value, or at least, and right to this, relatively.
    AtMost(Rational, f64),
    AtLeast(Rational, f64),
    /// An integer: the value, or the next.
    Whole(i64),
    /// A chance of one outcome: samples must follow the law that the rows of the list make up.
    Chance,
}

fn whole(text: &str) -> i64 {
    text.parse().unwrap()
}

fn count(text: &str) -> u64 {
    text.parse().unwrap()
}

fn list(text: &str) -> Vec<i64> {
    text.split(',').filter(|x| !x.is_empty()).map(whole).collect()
}

fn f64_of(text: &str) -> f64 {
    rational(text).to_f64_nearest()
}

/// The outcome of a run that comes out as wanted, among many.
fn sought<T>(mut run: impl FnMut(&mut SeededEntropy) -> T, wanted: impl Fn(&T) -> bool) -> T {
    let mut entropy = SeededEntropy::new(1);
    (0..200_000).map(|_| run(&mut entropy)).find(|outcome| wanted(outcome)).unwrap()
}

fn run<M, T>(mechanism: &M, data: &[T], entropy: &mut SeededEntropy) -> M::Output
where
    M: Mechanism<Input = [T]>,
    T: Clone,
{
    let data = Sensitive::new(data.to_vec());
    mechanism.run_on(&data, free(mechanism), entropy).unwrap().into_parts().0
}

fn law(name: &str, args: &[&str]) -> NoiseLaw {
    match name {
        "laplace" => NoiseLaw::laplace(rational(args[0])).unwrap(),
        "gaussian" => NoiseLaw::gaussian(rational(args[0])).unwrap(),
        _ => {
            let stairs = Staircase::new(rational(args[0]), whole(args[1]), whole(args[2]));
            NoiseLaw::Staircase(stairs.unwrap())
        }
    }
}

fn noise(quantity: &str, args: &[&str]) -> Option<Found> {
    let (name, what) = quantity.split_once('_')?;
    if !["laplace", "gaussian", "staircase"].contains(&name) {
        return None;
    }
    let last = *args.last()?;
    Some(match what {
        "variance" => Found::Enclosed(law(name, args).variance().unwrap()),
        "beyond" => {
            let t = Natural::from(count(last));
            Found::Enclosed(law(name, args).beyond(&t).unwrap())
        }
        "half_width" => {
            let width = law(name, args).half_width(f64_of(last)).unwrap();
            Found::Whole(i64::try_from(width).unwrap())
        }
        "leak" => {
            let each =
                ByUnit::<u64>::of(Contributions::of(count(args[1]), count(args[2])).unwrap());
            let (scale, t) = (rational(args[0]), whole(last));
            let made = if name == "laplace" {
                ThresholdHistogram::<u64, _>::laplace_at(each, &scale, t, ADD)
            } else {
                ThresholdHistogram::<u64, _>::gaussian_at(each, &scale, t, ADD)
            };
            // Rounded up to six digits; the bracket of a fine Gaussian tail is wider.
            let slack = if name == "laplace" { 2e-5 } else { 0.1 };
            Found::AtLeast(made.unwrap().threshold().leak().clone(), slack)
        }
        _ => return None,
    })
}

fn keys(quantity: &str, args: &[&str]) -> Option<Found> {
    let select = || {
        let (epsilon, delta) = (rational(args[0]), rational(args[1]));
        KeySelection::<u64, _>::each(Rows, &epsilon, &delta, ADD).unwrap()
    };
    Some(match quantity {
        "least_threshold" => {
            let each =
                ByUnit::<u64>::of(Contributions::of(count(args[2]), count(args[3])).unwrap());
            let (epsilon, delta) = (rational(args[0]), rational(args[1]));
            let made = ThresholdHistogram::<u64, _>::laplace(each, &epsilon, &delta, ADD).unwrap();
            Found::Whole(made.threshold().at_least())
        }
        "key_chance" => Found::AtMost(select().chance(count(args[2])).unwrap(), 1e-25),
        "keys_certain_from" => Found::Whole(i64::try_from(select().certain_from()).unwrap()),
        _ => return None,
    })
}

fn reported(args: &[&str], wanted: Option<u64>) -> ReportedCount {
    let mechanism = RandomisedResponse::symmetric(&rational(args[0]), 1, SWAP).unwrap();
    let units = usize::try_from(count(args[1])).unwrap();
    let data: Vec<bool> = (0..units).map(|i| i % 3 == 0).collect();
    let report = |entropy: &mut SeededEntropy| run(&mechanism, &data, entropy).count(0);
    sought(report, |count| wanted.is_none_or(|y| count.reported() == y))
}

fn responses(quantity: &str, args: &[&str]) -> Option<Found> {
    let flips = || {
        let (p, q) = (rational(args[2]), rational(args[3]));
        FlipLaw::new(count(args[0]), count(args[1]), &p, &q).unwrap()
    };
    let at = || reported(args, Some(count(args[2])));
    #[expect(clippy::cast_possible_truncation, reason = "whole numbers")]
    let end = |x: f64| Found::Whole(x as i64);
    Some(match quantity {
        "response_estimate" => Found::Near(at().estimate().unwrap(), 1e-13),
        "response_variance" => {
            Found::Enclosed(reported(args, None).variance(count(args[2])).unwrap())
        }
        "response_lower" => end(at().interval(0.95).unwrap().lower),
        "response_upper" => end(at().interval(0.95).unwrap().upper),
        "flips" => Found::Enclosed(flips().mass(count(args[4]))),
        "flips_at_least" => Found::Enclosed(flips().at_least(count(args[4]))),
        _ => return None,
    })
}

fn poisson(quantity: &str, args: &[&str]) -> Option<Found> {
    let pair = || RatePair::new(rational(args[0]), rational(args[1])).unwrap();
    let rate = |map: RateMap| Found::Near(map.rate(count(args[4])).to_f64_nearest(), 1e-13);
    let (w, bound) = (|| count(args[2]), || count(args[3]));
    let garwood = || {
        let wanted = count(args[0]);
        let low = Rational::from(wanted.max(1));
        let pair = RatePair::new(low.clone(), low + Rational::ONE).unwrap();
        let map = RateMap::linear(pair, 1).unwrap();
        let counts = PoissonCounts::new(map, Effect::Rises { cells: 1 }, ADD).unwrap();
        let release = sought(|e| run(&counts, &[0], e), |release| release.drawn()[0] == wanted);
        release.rate_interval(0, 0.95).unwrap()
    };
    Some(match quantity {
        "slide" => rate(RateMap::slide(pair(), w(), bound()).unwrap()),
        "decreasing" => rate(RateMap::decreasing(pair(), w(), bound()).unwrap()),
        "hybrid" => rate(RateMap::hybrid(pair(), w(), bound()).unwrap()),
        "garwood_lower" => Found::AtMost(Rational::from_f64(garwood().lower).unwrap(), 1e-11),
        "garwood_upper" => Found::AtLeast(Rational::from_f64(garwood().upper).unwrap(), 1e-11),
        _ => return None,
    })
}

fn streams(quantity: &str, args: &[&str]) -> Option<Found> {
    let nothing = || throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
    let bit = Stream::of_steps(0, 1, ADD).unwrap();
    let mut entropy = SeededEntropy::new(3);
    let steps = |t: &str| Sensitive::new(vec![0_i64; usize::try_from(count(t)).unwrap()]);
    Some(match quantity {
        "tree_variance" => {
            let counter = TreeCounter::laplace(&rational(args[0]), bit, count(args[1])).unwrap();
            let permit = Permit::issue(counter.spec().clone(), ADD, nothing());
            let mut session = counter.start(permit).unwrap();
            let estimates = session.steps(&steps(args[2]), &mut entropy).unwrap().into_parts().0;
            Found::Near(estimates.last()?.variance(), 1e-13)
        }
        "matrix_variance" => {
            let band = usize::try_from(count(args[2])).unwrap();
            let (sigma, horizon) = (rational(args[0]), count(args[1]));
            let counter = MatrixCounter::new(&sigma, bit, horizon, band).unwrap();
            let permit = Permit::issue(counter.spec().clone(), ADD, nothing());
            let mut session = counter.start(permit).unwrap();
            let estimates = session.steps(&steps(args[3]), &mut entropy).unwrap().into_parts().0;
            Found::Near(estimates.last()?.variance(), 1e-13)
        }
        "matrix_square" => {
            let band = usize::try_from(count(args[0])).unwrap();
            let square = Factor::square_root(band).unwrap().square();
            Found::Near(square.to_f64_nearest(), 1e-15)
        }
        _ => return None,
    })
}

fn local(quantity: &str, args: &[&str]) -> Option<Found> {
    let shift = |noise: SmoothNoise| Found::AtMost(noise.shift().clone(), 1e-10);
    Some(match quantity {
        "smooth_median" => {
            let under = if args[0] == "replace" { SWAP } else { ADD };
            let clamp = Clamp::new(&0.into(), &4.into(), Grid::WHOLE).unwrap();
            let data: Vec<f64> = list(args[1]).into_iter().map(|x| x as f64).collect();
            let decay = Decay::new(rational(args[2])).unwrap();
            let local = Median::new(clamp, under).local(&data, &decay).unwrap();
            Found::AtLeast(local.bound, 1e-17)
        }
        "student_shift" => {
            let degrees = u32::try_from(whole(args[1])).unwrap();
            shift(SmoothNoise::student(&rational(args[0]), degrees, &rational(args[2])).unwrap())
        }
        "laplace_log_normal_shift" => {
            let [rho, sigma, beta] = [0, 1, 2].map(|i| rational(args[i]));
            shift(SmoothNoise::laplace_log_normal(&rho, &sigma, &beta).unwrap())
        }
        "normal_shift" => {
            let [epsilon, delta, beta] = [0, 1, 2].map(|i| rational(args[i]));
            shift(SmoothNoise::gaussian(&epsilon, &delta, &beta).unwrap())
        }
        "student_half_width" => {
            let degrees = u32::try_from(whole(args[0])).unwrap();
            let width = SmoothLaw::Student { degrees }.half_width(f64_of(args[1])).unwrap();
            Found::AtLeast(Rational::from_f64(width).unwrap(), 1e-8)
        }
        "stability_threshold" => {
            let test = StabilityTest::new(&rational(args[0]), &rational(args[1]), ADD).unwrap();
            Found::Whole(test.threshold())
        }
        _ => return None,
    })
}

fn posteriors(quantity: &str, args: &[&str]) -> Option<Found> {
    let pure = Protection::Pure { epsilon: rational(args[0]) };
    let prior = || (f64_of(args[1]), f64_of(args[2]));
    let posterior = if quantity.starts_with("bernoulli") {
        let model = Bernoulli::of_public_count(prior(), &pure, count(args[3]), SWAP).unwrap();
        let wanted = whole(args[4]);
        let found = sought(|e| run(&model, &[true, false], e), |x| x.counts().steps()[0] == wanted);
        found.posterior()
    } else if quantity.starts_with("poisson_rate") {
        let (most, n, wanted) = (whole(args[3]), count(args[4]), whole(args[5]));
        let model = PoissonRate::new(prior(), most, &pure, n, SWAP).unwrap();
        sought(|e| run(&model, &[3, 1], e), |x| x.sum().steps()[0] == wanted).posterior()
    } else {
        return None;
    };
    Some(if quantity.ends_with("mean") {
        Found::Near(posterior.mean(), 1e-8)
    } else {
        Found::Near(posterior.standard_deviation(), 1e-8)
    })
}

const CHANCES: [&str; 5] =
    ["exponential", "permute_and_flip", "noisy_max", "quantile", "first_above"];

fn evaluate(quantity: &str, args: &[&str]) -> Option<Found> {
    if CHANCES.contains(&quantity) {
        return Some(Found::Chance);
    }
    let all = [keys, noise, responses, poisson, streams, local, posteriors];
    all.into_iter().find_map(|part| part(quantity, args))
}

/// Whether what was found agrees with the value.
fn agrees(found: &Found, value: &Rational) -> bool {
    let slack = |x: f64| value.abs() * Rational::from_f64(x).unwrap();
    let exact = |x: f64| Rational::from_f64(x).unwrap();
    // The digits of the vectors.
    let digits = slack(1e-28);
    match found {
        Found::Enclosed(e) => {
            exact(e.lower()) <= value + &digits && exact(e.upper()) >= value - &digits
        }
        Found::Near(x, width) => (exact(*x) - value.clone()).abs() <= slack(*width),
        Found::AtMost(x, width) => {
            *x <= value + &digits && *x >= value - &(slack(*width) + digits.clone())
        }
        Found::AtLeast(x, width) => {
            *x >= value - &digits && *x <= value + &(slack(*width) + digits.clone())
        }
        Found::Whole(n) => {
            let (n, value) = (Rational::from(*n), value.clone());
            n == value || n == value + Rational::ONE
        }
        Found::Chance => true,
    }
}

fn rows() -> Vec<(&'static str, Vec<&'static str>, &'static str)> {
    let text = include_str!("../../../vectors/mechanism.csv");
    let unquoted = |x: &'static str| x.trim_matches('"');
    let row = |line: &'static str| {
        let (quantity, rest) = line.split_once(',').unwrap();
        let (arguments, value) = rest.rsplit_once(',').unwrap();
        (quantity, unquoted(arguments).split(' ').collect(), value)
    };
    text.lines().skip(2).map(row).collect()
}

#[test]
fn numbers_agree_with_the_vectors() {
    let rows = rows();
    assert!(rows.len() > 250, "only {} vectors", rows.len());
    let (mut wrong, mut sharp, mut numbers) = (Vec::new(), 0, 0);
    for (quantity, args, value) in rows {
        let Some(found) = evaluate(quantity, &args) else { panic!("nothing for {quantity}") };
        if !agrees(&found, &rational(value)) {
            wrong.push(format!("{quantity} {args:?} {value}"));
        }
        if !matches!(found, Found::Chance) {
            let off = rational(value) * rational("1.001") + rational("1e-200");
            numbers += 1;
            sharp += u32::from(!agrees(&found, &off));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Tails of Gaussian noise and their leaks come in brackets; 0 is 0 whatever it is multiplied by.
    assert!(100 * sharp > 85 * numbers, "only {sharp} of {numbers} notice an error of 1e-3");
}

type Draw = Box<dyn Fn(&mut SeededEntropy) -> i64>;

/// One draw after the other of a mechanism on a list.
fn drawn<M, T>(mechanism: M, data: Vec<T>, read: impl Fn(M::Output) -> i64 + 'static) -> Draw
where
    M: Mechanism<Input = [T]> + 'static,
    T: Clone + 'static,
{
    Box::new(move |entropy| read(run(&mechanism, &data, entropy)))
}

fn draws(quantity: &str, args: &[&str]) -> Draw {
    let change = ScoreChange::within(&1.into(), SWAP).unwrap();
    let epsilon = rational(args[0]);
    let chosen = |i: usize| i64::try_from(i).unwrap();
    if quantity == "first_above" {
        return first_above(args);
    }
    if quantity == "quantile" {
        let clamp = Clamp::new(&0.into(), &4.into(), Grid::WHOLE).unwrap();
        let quantile = Quantile::fraction(&rational(args[1]), clamp, &epsilon, ADD).unwrap();
        let data = list(args[2]).into_iter().map(|x| x as f64).collect();
        return drawn(quantile, data, |ranked| ranked.steps()[0]);
    }
    let scores = list(args[1]);
    let n = scores.len();
    match quantity {
        "exponential" => drawn(Exponential::new(n, &epsilon, &change).unwrap(), scores, chosen),
        "permute_and_flip" => {
            drawn(PermuteAndFlip::new(n, &epsilon, &change).unwrap(), scores, chosen)
        }
        _ => drawn(NoisyMax::new(n, &epsilon, &change).unwrap(), scores, chosen),
    }
}

fn first_above(args: &[&str]) -> Draw {
    let queries = Queries::moving(1, ADD).unwrap().monotone().unwrap();
    let (one, two) = (rational(args[0]), rational(args[1]));
    let mechanism = AboveThreshold::split(&one, &two, queries, 0, 1).unwrap();
    let values = list(args[2]);
    Box::new(move |entropy| {
        let nothing = throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
        let permit = Permit::issue(mechanism.spec().clone(), ADD, nothing);
        let mut session = mechanism.start(permit, entropy).unwrap();
        let mut is_above = |value: &i64| {
            let reply = *session.ask(&Sensitive::new(*value), entropy).unwrap().value();
            reply.side == Side::Above
        };
        let found = values.iter().position(&mut is_above).unwrap_or(values.len());
        i64::try_from(found).unwrap()
    })
}

/// Draws follow the laws of the vectors, and not a law with two chances exchanged.
#[test]
fn draws_follow_the_laws_of_the_vectors() {
    let mut laws: BTreeMap<(&str, Vec<&str>), Law<i64>> = BTreeMap::new();
    for (quantity, mut args, value) in rows() {
        if CHANCES.contains(&quantity) {
            let outcome = whole(args.pop().unwrap());
            let chance = Enclosure::of_rational(&rational(value));
            laws.entry((quantity, args)).or_default().insert(outcome, chance);
        }
    }
    assert!(laws.len() >= 15);
    let mut exchanged = 0;
    for (seed, ((quantity, args), law)) in (0..).zip(&laws) {
        let mut entropy = SeededEntropy::new(seed);
        let draw = draws(quantity, args);
        let draws: Vec<i64> = (0..4000).map(|_| draw(&mut entropy)).collect();
        assert!(!refuted(law, draws.iter().copied()), "{quantity} {args:?}");
        let mut wrong = law.clone();
        let (first, last) = (law[&0], *law.last_key_value().unwrap().1);
        wrong.insert(0, last);
        wrong.insert(*law.last_key_value().unwrap().0, first);
        exchanged += u32::from(refuted(&wrong, draws));
    }
    assert!(exchanged >= 10, "only {exchanged} wrong laws were noticed");
}
