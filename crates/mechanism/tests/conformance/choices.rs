//! Selection and quantiles.

use throng_mechanism::quantile::{Quantile, Quantiles, Ranked};
use throng_mechanism::selection::{
    Domain, Exponential, Landscape, NoisyMax, OnLine, PermuteAndFlip, ScoreChange, Top,
};
use throng_mechanism::{Clamp, Grid, Neighbours};
use throng_numeric::Rational;

use super::inputs::{INTEGERS, MANY, lists_of, reals};
use super::{Case, Rows, case, number, of_number};

pub fn cases(epsilon: &Rational) -> Vec<Case> {
    [chosen(epsilon), lines(epsilon), ranked(epsilon)].into_iter().flatten().collect()
}

fn place(x: &usize) -> i64 {
    i64::try_from(*x).unwrap()
}

fn below(candidates: usize) -> impl Fn(&usize) -> Vec<String> {
    move |x| if *x < candidates { Vec::new() } else { vec![format!("candidate {x}")] }
}

fn chosen(epsilon: &Rational) -> Vec<Case> {
    let one = ScoreChange::monotone(&1.into(), Neighbours::AddRemove).unwrap();
    let either = ScoreChange::within(&1.into(), Neighbours::Replace).unwrap();
    let scores = |pair: [Vec<i64>; 2]| {
        let misfits = vec![[vec![], vec![]], [vec![0, 0, 0, 1], vec![0, 1, 0, 0]]];
        Rows::of(lists_of(3, &INTEGERS), vec![pair]).with_misfits(misfits)
    };
    // One score rises; or one rises and the others fall.
    let rise = || scores([vec![0, 0, 0], vec![1, 0, 0]]);
    let swing = || scores([vec![0, 1, 1], vec![1, 0, 0]]);
    let exponential = Exponential::new(3, epsilon, &one).unwrap();
    let flip = PermuteAndFlip::new(3, epsilon, &either).unwrap();
    let maximum = NoisyMax::new(3, epsilon, &one).unwrap();
    let top = Top::new(2, 3, epsilon, &either).unwrap();
    let many = Exponential::new(MANY, epsilon, &either).unwrap();
    let crowd = lists_of(MANY, &INTEGERS[..2]);
    let large = Rows::of(crowd, vec![[vec![0; MANY], vec![1; MANY]]]);
    let all = |x: &Vec<usize>| {
        let fits = x.len() == 2 && x[0] != x[1] && x.iter().all(|i| *i < 3);
        if fits { Vec::new() } else { vec![format!("{x:?}")] }
    };
    vec![
        case("Exponential", exponential, rise(), place, below(3)),
        case("Exponential", many, large, |x| place(x) / 50_000, below(MANY)).called("many"),
        case("PermuteAndFlip", flip, swing(), place, below(3)),
        case("NoisyMax", maximum, rise(), place, below(3)),
        case("Top", top, swing(), |x| place(&(3 * x[0] + x[1])), all),
    ]
}

fn lines(epsilon: &Rational) -> Vec<Case> {
    let change = ScoreChange::within(&1.into(), Neighbours::Replace).unwrap();
    let clamp = Clamp::new(&(-4).into(), &4.into(), Grid::WHOLE).unwrap();
    let bounded = OnLine::new(Domain::Interval(clamp), epsilon, &change).unwrap();
    let line = Domain::Line { grid: Grid::WHOLE, fall: 1.into() };
    let endless = OnLine::new(line, epsilon, &change).unwrap();
    let knots = |list: &[(i64, i64)]| Landscape::through(list.iter().copied());
    let hostile = || {
        let mut all = vec![knots(&[])];
        for k in INTEGERS {
            all.extend(INTEGERS.map(|s| knots(&[(k, s), (0, 0), (3, -s.saturating_abs())])));
        }
        all.push(knots(&INTEGERS.map(|k| (k, k))));
        all.push(Landscape::through((0..1000).map(|k| (k, k % 17))));
        all
    };
    // -|y| against -|y - 1|: every score moves by at most 1, either way.
    let pair = || vec![[knots(&[(0, 0)]), knots(&[(1, 0)])]];
    let steps = vec![[knots(&[(0, 0), (1, 1)]), knots(&[(0, 1), (1, 0)])]];
    let within = |x: &i64| if x.abs() <= 4 { Vec::new() } else { vec![format!("{x}")] };
    let on_grid = |x: &i64| if x.abs() < 1 << 62 { Vec::new() } else { vec![format!("{x}")] };
    vec![
        case("OnLine", bounded, Rows::of(hostile(), steps), |x| *x, within),
        case("OnLine", endless, Rows::of(hostile(), pair()), |x| (*x).clamp(-10, 10), on_grid)
            .called("endless"),
    ]
}

fn within(ranked: &Ranked) -> Vec<String> {
    let mut faults: Vec<String> = Vec::new();
    for x in ranked.values() {
        faults.extend(of_number("a quantile", x));
        if !(0.0..=8.0).contains(&x) {
            faults.push(format!("{x} is beyond the bounds"));
        }
    }
    if !ranked.steps().is_sorted() {
        faults.push("quantiles cross".into());
    }
    faults.extend(of_number("the rank error", ranked.rank_error(0.9).unwrap()));
    faults
}

fn ranked(epsilon: &Rational) -> Vec<Case> {
    let clamp = Clamp::new(&0.into(), &8.into(), Grid::WHOLE).unwrap();
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let median = Quantile::median(clamp, epsilon, add).unwrap();
    let low = Quantile::fraction(&number("1/10"), clamp, epsilon, Neighbours::ZeroOut).unwrap();
    let most = Quantile::maximum(clamp, epsilon, swap).unwrap();
    let end = Quantile::below(&number("1/2"), clamp, epsilon, add, 0.9).unwrap();
    let quarters = ["1/4", "1/2", "3/4"].map(number).to_vec();
    let several = Quantiles::new(quarters.clone(), clamp, epsilon, add).unwrap();
    let swapped = Quantiles::new(quarters, clamp, epsilon, swap).unwrap();
    let data = [1.0, 3.0, 5.0, 7.0];
    let added = || vec![[data.to_vec(), [&data[..], &[0.0]].concat()], [vec![], vec![f64::NAN]]];
    // Below 4 the distance falls by 1/2, above it rises by as much: the whole range.
    let halved = vec![[vec![4.0], vec![4.0, 0.0]]];
    let replaced = || {
        vec![
            [data.to_vec(), vec![0.0, 3.0, 5.0, 0.0]],
            [vec![f64::NEG_INFINITY], vec![f64::INFINITY]],
        ]
    };
    let first = |x: &Ranked| x.steps()[0];
    let all = |x: &Ranked| x.steps().iter().fold(0, |sum, k| 9 * sum + k);
    vec![
        case("Quantile", median, Rows::of(reals(), halved), first, within),
        case("Quantile", low, Rows::of(reals(), added()), first, within).called("fraction"),
        case("Quantile", most, Rows::of(reals(), replaced()), first, within).called("maximum"),
        case("Quantile", end, Rows::of(reals(), added()), first, within).called("below"),
        case("Quantiles", several, Rows::of(reals(), added()), all, within),
        case("Quantiles", swapped, Rows::of(reals(), replaced()), all, within).called("replace"),
    ]
}
