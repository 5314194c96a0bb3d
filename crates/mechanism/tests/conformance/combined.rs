//! Mechanisms made of others.

use throng_mechanism::combine::{
    Batched, Both, Grouped, Partitioned, Preprocessed, Sampled, Sequence, Transformed,
};
use throng_mechanism::count::{Count, Matches, Records};
use throng_mechanism::{Grid, L1, Neighbours, Noise, Noisy, Sensitivity};
use throng_numeric::Rational;

use super::inputs::{INTEGERS, MANY, integers, lists, lists_of};
use super::{Case, Rows, case, clipped, number, of_noisy};

pub fn cases(epsilon: &Rational) -> Vec<Case> {
    [mapped(epsilon), composed(epsilon), sampled(epsilon)].into_iter().flatten().collect()
}

fn adult(age: &u32) -> bool {
    *age >= 18
}

/// The sum of the first n numbers, for every n.
fn sums(values: &[i64]) -> Vec<i64> {
    let add = |sum: &mut i64, x: &i64| {
        *sum = sum.saturating_add(*x);
        Some(*sum)
    };
    values.iter().scan(0, add).collect()
}

fn parity(x: &i64) -> usize {
    usize::try_from(x.rem_euclid(3)).unwrap()
}

fn records(epsilon: &Rational) -> Count<Records<i64>> {
    Count::pure(Records::default(), epsilon, Neighbours::AddRemove).unwrap()
}

fn matches(epsilon: &Rational) -> Count<Matches> {
    Count::pure(Matches, epsilon, Neighbours::Replace).unwrap()
}

fn bin(noisy: &Noisy) -> i64 {
    clipped(noisy, 0, 1, 8)
}

fn all(noisy: &[Noisy]) -> i64 {
    noisy.iter().fold(0, |sum, one| 20 * sum + clipped(one, 0, 1, 8) + 8)
}

fn each(noisy: &[Noisy]) -> Vec<String> {
    noisy.iter().flat_map(of_noisy).collect()
}

fn mapped(epsilon: &Rational) -> Vec<Case> {
    let before = Preprocessed::new(adult as fn(&u32) -> bool, matches(epsilon)).unwrap();
    let one = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove).unwrap();
    let map = sums as fn(&[i64]) -> Vec<i64>;
    let stretched = Transformed::new(map, &2.into(), &one, |distance| {
        Noise::pure(epsilon, distance, Grid::WHOLE)
    });
    let stretched = stretched.unwrap();
    let ages = vec![[vec![30, 17], vec![30, 18]]];
    let steps = vec![[vec![0, 0], vec![1, 0]]];
    let two = |x: &Noisy| 100 * clipped(x, 0, 1, 8) + clipped(x, 1, 1, 8);
    vec![
        case("Preprocessed", before, Rows::of(lists(&[0, 18, u32::MAX]), ages), bin, of_noisy),
        case("Transformed", stretched, Rows::of(integers(), steps), two, of_noisy),
    ]
}

fn composed(epsilon: &Rational) -> Vec<Case> {
    let half = epsilon * &number("1/2");
    let both = Both::new(records(&half), records(&half)).unwrap();
    let sequence = Sequence::new(vec![records(&half), records(&half)]).unwrap();
    let parts = |under| {
        let parts = vec![records(epsilon), records(epsilon)];
        Partitioned::new(parts, parity as fn(&i64) -> usize, under).unwrap()
    };
    let added = || vec![[vec![0, 1], vec![0, 1, 3]], [vec![], vec![i64::MIN]]];
    let moved = vec![[vec![0, 1], vec![1, 1]], [vec![0, 2], vec![0, 5]]];
    let group = Grouped::new(2, records(epsilon)).unwrap();
    let three = vec![[vec![0], vec![0, 1, 2]]];
    vec![
        case(
            "Both",
            both,
            Rows::of(integers(), added()),
            |x| 20 * bin(&x.0) + bin(&x.1),
            |x| [of_noisy(&x.0), of_noisy(&x.1)].concat(),
        ),
        case("Sequence", sequence, Rows::of(integers(), added()), |x| all(x), |x| each(x)),
        case(
            "Partitioned",
            parts(Neighbours::AddRemove),
            Rows::of(integers(), added()),
            |x| all(x),
            |x| each(x),
        ),
        case(
            "Partitioned",
            parts(Neighbours::Replace),
            Rows::of(integers(), moved),
            |x| all(x),
            |x| each(x),
        )
        .called("replace"),
        case("Grouped", group, Rows::of(integers(), three), bin, of_noisy),
    ]
}

fn sampled(epsilon: &Rational) -> Vec<Case> {
    let twice = epsilon + epsilon;
    let kept = Sampled::new(number("1/2"), records(&twice)).unwrap();
    let batch = Batched::new(1, 2, matches(&twice)).unwrap();
    let large = Batched::new(10, MANY as u64, records_of(epsilon)).unwrap();
    let added = vec![[vec![], vec![7]], [vec![7; 4], vec![7; 5]]];
    let bit = vec![[vec![false, false], vec![false, true]]];
    let wrong = vec![[vec![true], vec![false]], [vec![], vec![]]];
    let whole = Rows::of(
        lists_of(MANY, &INTEGERS[..2]),
        vec![[vec![0; MANY], {
            let mut rows = vec![0; MANY];
            rows[5] = 1;
            rows
        }]],
    );
    vec![
        case("Sampled", kept, Rows::of(integers(), added), bin, of_noisy),
        case(
            "Batched",
            batch,
            Rows::of(lists_of(2, &[true, false]), bit).with_misfits(wrong),
            bin,
            of_noisy,
        ),
        case("Batched", large, whole, bin, of_noisy).called("large"),
    ]
}

/// The number of positive numbers.
fn records_of(epsilon: &Rational) -> Preprocessed<i64, fn(&i64) -> bool, Count<Matches>> {
    let positive = |x: &i64| *x > 0;
    Preprocessed::new(positive as fn(&i64) -> bool, matches(epsilon)).unwrap()
}
