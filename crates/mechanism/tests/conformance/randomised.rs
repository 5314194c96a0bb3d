//! Randomised response and Poisson counts.

use throng_mechanism::poisson::{
    DegreeSequence, Effect, PoissonCounts, PoissonRelease, RateMap, RatePair,
};
use throng_mechanism::response::{KaryResponse, RandomisedResponse, Reports};
use throng_mechanism::{MechanismError, Neighbours};
use throng_numeric::Rational;

use super::inputs::{MANY, lists, lists_of};
use super::{Case, Rows, case, number, of_interval, of_number};

pub fn cases(epsilon: &Rational) -> Vec<Case> {
    [responses(epsilon), poisson(epsilon)].into_iter().flatten().collect()
}

fn of_estimates(
    estimate: Result<f64, MechanismError>,
    interval: throng_mechanism::Interval,
    units: f64,
) -> Vec<String> {
    let mut faults = of_number("the estimate", estimate.unwrap());
    let ordered = 0.0 <= interval.lower && interval.lower <= interval.upper;
    if !ordered || interval.upper > units {
        faults.push(format!("{interval} of {units}"));
    }
    faults
}

fn of_reports(reports: &Reports) -> Vec<String> {
    if reports.units() == 0 || reports.units() > 1000 {
        return Vec::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let units = reports.units() as f64;
    let count = reports.count(0);
    of_estimates(count.estimate(), count.interval(0.9).unwrap(), units)
}

fn responses(epsilon: &Rational) -> Vec<Case> {
    let (swap, zero) = (Neighbours::Replace, Neighbours::ZeroOut);
    let plain = RandomisedResponse::symmetric(epsilon, 1, swap).unwrap();
    // 1/4 and 1/8 at ε = 1, and less telling for less.
    let p = Rational::ONE.checked_div(&(Rational::from(2) + (epsilon + epsilon))).unwrap();
    let q = &p * &number("1/2");
    let skew = RandomisedResponse::new(&p, &q, 2, zero).unwrap();
    let kary = KaryResponse::new(3, epsilon, 1, swap).unwrap();
    let bit = || vec![[vec![false], vec![true]]];
    let two = vec![[vec![false, false], vec![true, true]]];
    let odd = vec![[vec![true], vec![false]], [vec![true; 7], vec![false; 7]]];
    let mut even = lists_of(4, &[true, false]);
    even.extend([Vec::new(), vec![true; MANY]]);
    let kind = vec![[vec![0_u32], vec![2]], [vec![1], vec![u32::MAX]]];
    let first = |x: &Reports| i64::from(x.bits()[0]);
    vec![
        case(
            "RandomisedResponse",
            plain,
            Rows::of(lists(&[true, false]), bit()),
            first,
            of_reports,
        ),
        case(
            "RandomisedResponse",
            skew,
            Rows::of(even, two).with_misfits(odd),
            |x| 2 * i64::from(x.bits()[0]) + i64::from(x.bits()[1]),
            of_reports,
        )
        .called("two bits"),
        case(
            "KaryResponse",
            kary,
            Rows::of(lists(&[0, 2, u32::MAX]), kind),
            |x| i64::from(x.answers()[0]),
            |x| {
                if x.answers().iter().any(|answer| *answer > 2) {
                    return vec!["an answer that does not exist".into()];
                }
                if x.units() == 0 || x.units() > 1000 {
                    return Vec::new();
                }
                let count = x.count(0, 2);
                #[expect(clippy::cast_precision_loss, reason = "small")]
                let units = x.units() as f64;
                of_estimates(count.estimate(), count.interval(0.9).unwrap(), units)
            },
        ),
    ]
}

fn of_poisson(release: &PoissonRelease) -> Vec<String> {
    let mut faults = Vec::new();
    for cell in 0..release.drawn().len().min(12) {
        faults.extend(of_number("the estimate", release.estimate(cell).unwrap()));
        faults.extend(of_number("the deviation", release.standard_deviation(cell).unwrap()));
        #[expect(clippy::cast_precision_loss, reason = "rates are below 2^52")]
        let drawn = release.drawn()[cell] as f64;
        faults.extend(of_interval(release.rate_interval(cell, 0.9).unwrap(), drawn));
        let interval = release.interval(cell, 0.9).unwrap();
        faults.extend(of_interval(interval, f64::midpoint(interval.lower, interval.upper)));
    }
    faults
}

fn poisson(epsilon: &Rational) -> Vec<Case> {
    let (add, swap, zero) = (Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut);
    let pair = || {
        let high = Rational::from(4) + Rational::from(4) * epsilon.clone();
        RatePair::new(4.into(), high).unwrap()
    };
    let rises = Effect::Rises { cells: 1 };
    let linear = PoissonCounts::new(RateMap::linear(pair(), 1).unwrap(), rises, add).unwrap();
    let swapped = PoissonCounts::new(RateMap::linear(pair(), 1).unwrap(), rises, swap).unwrap();
    let falls = RateMap::decreasing(pair(), 2, 20).unwrap();
    let falling = PoissonCounts::new(falls, rises, zero).unwrap();
    let guess = RateMap::hybrid(pair(), 2, 10).unwrap();
    let guessed = PoissonCounts::new(guess, Effect::Either { cells: 1 }, add).unwrap();
    let edges = DegreeSequence::of_edges(3, pair(), add).unwrap();
    let nodes = DegreeSequence::of_nodes(3, 2, pair()).unwrap();
    let at = |a: i64, b: i64| vec![[vec![a], vec![b]], [vec![i64::MIN], vec![-1]]];
    // A draw takes time that grows with the root of its rate, so the largest rate comes once.
    let rows = |pairs| {
        let mut hostile = lists(&[i64::MIN, -1, 0, 1, 1000]);
        hostile.push(vec![i64::MAX]);
        Rows::of(hostile, pairs)
    };
    let first = |x: &PoissonRelease| i64::try_from(x.drawn()[0]).unwrap().min(30);
    let two = |x: &PoissonRelease| {
        let drawn = |i: usize| i64::try_from(x.drawn()[i]).unwrap().min(30);
        100 * (drawn(0) / 2) + drawn(1) / 2
    };
    let sum = |x: &PoissonRelease| i64::try_from(x.drawn().iter().sum::<u64>()).unwrap().min(60);
    let ends = [(0, 1), (1, 1), (2, usize::MAX), (usize::MAX, 0), (1, 0)];
    let edge = vec![[vec![], vec![(0, 1)]], [vec![(0, 1)], vec![(0, 1), (9, 9)]]];
    let star = vec![[vec![], vec![(0, 1), (0, 2)]]];
    vec![
        case("PoissonCounts", linear, rows(at(0, 1)), first, of_poisson),
        case("PoissonCounts", swapped, rows(vec![[vec![0, 1], vec![1, 0]]]), two, of_poisson)
            .called("replace"),
        case("PoissonCounts", falling, rows(at(0, 2)), first, of_poisson).called("decreasing"),
        case("PoissonCounts", guessed, rows(at(10, 12)), first, of_poisson).called("hybrid"),
        case("DegreeSequence", edges, Rows::of(lists(&ends), edge), two, of_poisson),
        case("DegreeSequence", nodes, Rows::of(lists(&ends), star), sum, of_poisson)
            .called("nodes"),
    ]
}
