//! Quantiles: exact laws over all small data sets and their neighbours, windows, hostile numbers.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests may fail, and compare with plain numbers"
)]

use crate::support::choice::{Claim, by_energy, refuted};
use crate::support::exact::Law;
use crate::support::{answer, free, rational};
use throng_mechanism::quantile::{Quantile, Quantiles, Ranked};
use throng_mechanism::{Clamp, Grid, Mechanism, Neighbours, Sensitive, Uncovered};
use throng_numeric::{Enclosure, Rational};
use throng_sample::SeededEntropy;

use Neighbours::{AddRemove, Replace, ZeroOut};

fn clamp(lower: i64, upper: i64) -> Clamp {
    Clamp::new(&lower.into(), &upper.into(), Grid::WHOLE).unwrap()
}

/// What is wanted.
#[derive(Debug, Clone)]
enum Wanted {
    Fraction(&'static str),
    Lowest(u64),
    Highest(u64),
    Below(&'static str),
    Above(&'static str),
}

use Wanted::{Above, Below, Fraction, Highest, Lowest};

/// The confidence of ends.
const SURE: f64 = 0.8;

const ALL: [Wanted; 12] = [
    Fraction("0"),
    Fraction("1/4"),
    Fraction("1/2"),
    Fraction("9/10"),
    Fraction("1"),
    Lowest(1),
    Lowest(2),
    Highest(1),
    Below("1/2"),
    Below("1"),
    Above("1/4"),
    Above("0"),
];

impl Wanted {
    fn mechanism(&self, clamp: Clamp, epsilon: &Rational, under: Neighbours) -> Quantile {
        match self {
            Fraction(q) => Quantile::fraction(&rational(q), clamp, epsilon, under),
            Lowest(k) => Quantile::lowest(*k, clamp, epsilon, under),
            Highest(k) => Quantile::highest(*k, clamp, epsilon, under),
            Below(q) => Quantile::below(&rational(q), clamp, epsilon, under, SURE),
            Above(q) => Quantile::above(&rational(q), clamp, epsilon, under, SURE),
        }
        .unwrap()
    }

    /// What stands beside the rows, for ends.
    fn beside(&self, (lower, upper): (i64, i64), rate: &Rational) -> Vec<i64> {
        let end = match self {
            Below(_) => lower,
            Above(_) => upper,
            Fraction(_) | Lowest(_) | Highest(_) => return Vec::new(),
        };
        vec![end; margin((lower, upper), rate)]
    }

    /// d by its definition, without any cut of t.
    fn distance(&self, rows: &[i64], beside: &[i64], y: i64) -> Rational {
        let all = [rows, beside].concat();
        let number = |test: &dyn Fn(&i64) -> bool| {
            Rational::from(all.iter().filter(|x| test(x)).count() as u64)
        };
        let n = Rational::from(rows.len() as u64);
        let t = match self {
            Fraction(q) => rational(q) * n,
            Lowest(k) => Rational::from(*k),
            Highest(k) => n - Rational::from(*k),
            Below(q) => rational(q) * n,
            Above(q) => rational(q) * n + Rational::from(beside.len() as u64),
        };
        let (below, upto) = (number(&|x| *x < y), number(&|x| *x <= y));
        (below - t.clone()).max(t - upto).max(Rational::ZERO)
    }

    fn law(&self, rows: &[i64], (lower, upper): (i64, i64), rate: &Rational) -> Law<i64> {
        let beside = self.beside((lower, upper), rate);
        by_energy((lower..=upper).map(|y| (y, rate * &self.distance(rows, &beside, y))))
    }
}

/// The ranks that an answer stays within with the confidence of ends, and one more: the chance of a point that is
/// off by r is at most its number of points times e^(-rate r).
fn margin((lower, upper): (i64, i64), rate: &Rational) -> usize {
    let bounds = clamp(lower, upper);
    let like = Quantile::lowest(0, bounds, &(rate * &Rational::from(2)), AddRemove).unwrap();
    assert_eq!(like.rate(), rate);
    like.rank_error(SURE).unwrap().ceil() as usize + 1
}

/// All data sets of at most `most` rows in 0..=top, as multisets.
fn data_sets(top: i64, most: usize) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    let mut last = all.clone();
    for _ in 0..most {
        let longer = |rows: &Vec<i64>| {
            let from = rows.last().copied().unwrap_or(0);
            let rows = rows.clone();
            (from..=top).map(move |x| [rows.clone(), vec![x]].concat())
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.clone());
    }
    all
}

/// All pairs of neighbours (one way round).
fn pairs(top: i64, most: usize, under: Neighbours) -> Vec<(Vec<i64>, Vec<i64>)> {
    let with = |rows: &Vec<i64>, x: i64| {
        let mut more = [rows.clone(), vec![x]].concat();
        more.sort_unstable();
        more
    };
    let shorter = data_sets(top, most - 1);
    let mut found = Vec::new();
    for rows in &shorter {
        for x in 0..=top {
            match under {
                AddRemove => found.push((rows.clone(), with(rows, x))),
                // The place is left out, or remains and holds NaN, which counts as 0 here.
                ZeroOut => {
                    found.extend([(rows.clone(), with(rows, x)), (with(rows, 0), with(rows, x))]);
                }
                Replace => found.extend((0..x).map(|z| (with(rows, z), with(rows, x)))),
            }
        }
    }
    found
}

/// The changes of d lie in an interval of length epsilon/rate on all neighbours, and fill it on some:
/// the range is right and cannot be less.
#[test]
fn ranges_are_right_and_tight() {
    for under in [AddRemove, Replace, ZeroOut] {
        for wanted in ALL {
            let rate = wanted.mechanism(clamp(0, 4), &1.into(), under).rate().clone();
            let beside = wanted.beside((0, 4), &rate);
            let range = |(a, b): &(Vec<i64>, Vec<i64>)| {
                let distance = |rows: &[i64], y| wanted.distance(rows, &beside, y);
                let change = (0..=4).map(|y| distance(b, y) - distance(a, y));
                let change: Vec<_> = change.collect();
                change.iter().max().unwrap() - change.iter().min().unwrap()
            };
            // Few rows do not show the whole range of extreme fractions: 12 are needed for 9/10.
            let mut widest = pairs(4, 5, under).iter().map(range).max().unwrap();
            for n in [10, 11, 12, 19, 20, 21, 22] {
                let rows = |extra: &[i64]| [vec![2; n], extra.to_vec()].concat();
                let added = vec![
                    (rows(&[]), rows(&[0])),
                    (rows(&[]), rows(&[4])),
                    (rows(&[4, 4, 4]), rows(&[4, 4, 4, 4])),
                ];
                let moved =
                    vec![(rows(&[0]), rows(&[4])), (rows(&[0, 1, 3, 4]), rows(&[1, 3, 4, 4]))];
                let ends = match under {
                    AddRemove => added,
                    ZeroOut => [added, vec![moved[0].clone()]].concat(),
                    Replace => moved,
                };
                widest = widest.max(ends.iter().map(range).max().unwrap());
            }
            let claimed = Rational::ONE.checked_div(&rate).unwrap();
            assert!(widest <= claimed, "{wanted:?} {under}: {widest} > {claimed}");
            let slack = if matches!(wanted, Fraction("9/10" | "1/4")) {
                rational("0.2")
            } else {
                Rational::ZERO
            };
            // Next to the copies of an end few rows show little of the range.
            let ends = matches!(wanted, Below(_) | Above(_));
            assert!(
                ends || &widest + &slack >= claimed,
                "{wanted:?} {under}: {widest} < {claimed}"
            );
        }
    }
}

/// Energies that a quantile states are those of its definition, up to a constant.
#[test]
fn stated_energies_are_those_of_the_definition() {
    for wanted in ALL {
        let m = wanted.mechanism(clamp(0, 3), &1.into(), AddRemove);
        let beside = wanted.beside((0, 3), m.rate());
        for rows in data_sets(3, 3) {
            let reals: Vec<f64> = rows.iter().map(|x| *x as f64).collect();
            let stated = m.energies(&reals).unwrap();
            assert_eq!(stated.len(), 4);
            let more = |(y, energy): &(i64, Rational)| {
                energy - &(m.rate() * &wanted.distance(&rows, &beside, *y))
            };
            assert!(stated.iter().all(|point| more(point) == more(&stated[0])), "{wanted:?}");
        }
    }
    let wide = Quantile::median(clamp(0, 1 << 16), &1.into(), AddRemove).unwrap();
    assert!(wide.energies(&[1.0]).is_err());
}

#[test]
fn laws_on_all_small_neighbours_keep_the_claim() {
    for under in [AddRemove, Replace, ZeroOut] {
        for wanted in ALL {
            let m = wanted.mechanism(clamp(0, 3), &1.into(), under);
            let claim = Claim::of(&m.spec(), under);
            for (a, b) in pairs(3, 3, under) {
                let law = |rows: &[i64]| wanted.law(rows, (0, 3), m.rate());
                assert!(!claim.is_broken(&law(&a), &law(&b), 0.0));
            }
        }
    }
}

/// The range of the median used for another fraction, or that of add-remove under replace.
#[test]
fn a_range_that_is_too_small_is_caught() {
    let claim =
        Claim::of(&Quantile::median(clamp(0, 3), &1.into(), AddRemove).unwrap().spec(), AddRemove);
    let caught = |wanted: Wanted, under| {
        pairs(3, 5, under).iter().any(|(a, b)| {
            let law = |rows: &[i64]| wanted.law(rows, (0, 3), &1.into());
            claim.is_broken(&law(a), &law(b), 0.0)
        })
    };
    assert!(!caught(Fraction("1/2"), AddRemove));
    assert!(caught(Fraction("1/2"), Replace));
    assert!(caught(Fraction("3/4"), AddRemove));
    assert!(caught(Lowest(1), AddRemove));
}

fn samples(
    m: &impl Mechanism<Input = [f64], Output = Ranked>,
    rows: &[f64],
    runs: usize,
    seed: u64,
) -> Vec<Vec<i64>> {
    let entropy = &mut SeededEntropy::new(seed);
    let (whole, data) = (Whole(m), Sensitive::new(rows.to_vec()));
    let mut one = || whole.run(&data, free(&whole), entropy).unwrap().into_parts().0;
    (0..runs).map(|_| one().steps().to_vec()).collect()
}

/// The same mechanism on a vector.
struct Whole<'a, M>(&'a M);

impl<M: Mechanism<Input = [f64]>> Mechanism for Whole<'_, M> {
    type Input = Vec<f64>;
    type Output = M::Output;
    fn spec(&self) -> throng_mechanism::MechanismSpec {
        self.0.spec()
    }
    fn neighbours(&self) -> Neighbours {
        self.0.neighbours()
    }
    fn answer(
        &self,
        input: &Vec<f64>,
        run: &mut throng_mechanism::Run<'_>,
    ) -> Result<M::Output, throng_mechanism::MechanismError> {
        self.0.answer(input, run)
    }
}

fn first(samples: Vec<Vec<i64>>) -> impl Iterator<Item = i64> {
    samples.into_iter().map(|s| s[0])
}

#[test]
fn what_is_drawn_has_the_law() {
    let rows = [7, 2, 2, 5, 9, -3, 2, 11];
    let clamped: Vec<i64> = rows.iter().map(|x| *x.clamp(&0, &9)).collect();
    let data: Vec<f64> = rows.map(|x| x as f64).to_vec();
    for (seed, wanted) in (20..).zip(ALL) {
        let m = wanted.mechanism(clamp(0, 9), &rational("3/2"), AddRemove);
        let drawn: Vec<_> = first(samples(&m, &data, 8_000, seed)).collect();
        assert!(
            !refuted(&wanted.law(&clamped, (0, 9), m.rate()), drawn.iter().copied()),
            "{wanted:?}"
        );
        let twice = m.rate() + m.rate();
        assert!(refuted(&wanted.law(&clamped, (0, 9), &twice), drawn), "{wanted:?}");
    }
}

/// 20 000 rows take the path by sample, window and pass; the law is that of the definition. The
/// rates are such that layers of one rank and of thousands of ranks both occur.
#[test]
fn the_window_does_not_change_the_law() {
    let rows: Vec<i64> = (0..20_000_i64).map(|i| (i * i * 7919 + 13 * i) % 40).collect();
    let mut data: Vec<f64> = rows.iter().map(|x| *x as f64).collect();
    data.extend([f64::NAN; 30]);
    let rows: Vec<i64> = rows.into_iter().chain([0; 30]).collect();
    for (seed, epsilon) in (40..).zip(["1/20000", "1/500"]) {
        let m = Quantile::median(clamp(-5, 45), &rational(epsilon), AddRemove).unwrap();
        let law = Fraction("1/2").law(&rows, (-5, 45), m.rate());
        assert!(!refuted(&law, first(samples(&m, &data, 1_500, seed))), "{epsilon}");
    }
    // Rows 0, 3, 6, ...: the ranks that matter are few, and one layer each.
    let data: Vec<f64> = (0..9_000).map(|i| f64::from((i * 4001) % 9000) * 3.0).collect();
    let m = Quantile::fraction(&rational("1/3"), clamp(0, 27_000), &1.into(), Replace).unwrap();
    let near = |y: i64| y.clamp(8_985, 9_015);
    let mut law: Law<i64> = Law::new();
    let energies = (8_500..=9_500).map(|y: i64| {
        let (below, upto) = ((y + 2) / 3, y / 3 + 1);
        (y, m.rate() * &Rational::from((below - 3_000).max(3_000 - upto).max(0)))
    });
    for (y, p) in by_energy(energies) {
        let sum = law.entry(near(y)).or_insert(Enclosure::ZERO);
        *sum = *sum + p;
    }
    assert!(!refuted(&law, first(samples(&m, &data, 2_500, 50)).map(near)));
}

#[test]
fn no_rows_one_row_and_hostile_rows() {
    let uniform = by_energy((-3..=4).map(|y| (y, Rational::ZERO)));
    for wanted in ALL {
        let m = wanted.mechanism(clamp(-3, 4), &1.into(), AddRemove);
        let law = match wanted {
            Fraction(_) | Lowest(_) | Highest(_) => uniform.clone(),
            Below(_) | Above(_) => wanted.law(&[], (-3, 4), m.rate()),
        };
        assert!(!refuted(&law, first(samples(&m, &[], 3_000, 60))));
        for (x, place) in [
            (f64::NAN, 0),
            (f64::INFINITY, 4),
            (f64::NEG_INFINITY, -3),
            (-0.0, 0),
            (5e-324, 0),
            (2.5, 2),
            (1e300, 4),
        ] {
            let law = wanted.law(&[place], (-3, 4), m.rate());
            assert!(!refuted(&law, first(samples(&m, &[x], 800, 61))), "{wanted:?} of {x}");
        }
    }
    let point = Quantile::median(clamp(5, 5), &1.into(), AddRemove).unwrap();
    assert_eq!(samples(&point, &[1.0, f64::NAN], 1, 62), [[5]]);
    // A very wide grid: the sorted steps are -2e18, 0, 1e18, 1e18, 2e18, and 1e18 has rank 2 to 4.
    let far = Clamp::new(&rational("-2e18"), &rational("2e18"), Grid::WHOLE).unwrap();
    let wide = Quantile::median(far, &rational("1e9"), Replace).unwrap();
    let rows = [f64::MAX, f64::MIN, 1e18, 1e18, f64::NAN];
    assert_eq!(samples(&wide, &rows, 5, 63), vec![[1_000_000_000_000_000_000]; 5]);
}

#[test]
fn errors_in_ranks_stay_within_their_bound() {
    let m = Quantile::median(clamp(0, 1_000), &1.into(), AddRemove).unwrap();
    let bound = m.rank_error(0.9).unwrap();
    assert!(bound > 8.0 && bound <= (1_001.0_f64.ln() + 10_f64.ln()), "{bound}");
    let rows: Vec<i64> = (0..=1_000).step_by(2).collect();
    let data: Vec<f64> = rows.iter().map(|x| *x as f64).collect();
    let beyond = first(samples(&m, &data, 2_000, 70))
        .filter(|y| Fraction("1/2").distance(&rows, &[], *y).to_f64_nearest() > bound);
    assert!(beyond.count() <= 280, "a tenth of 2000, and 6 standard deviations");
    let release = answer(&Whole(&m), data, &mut SeededEntropy::new(71));
    assert_eq!(release.rank_error(0.9).unwrap(), bound);
    assert_eq!(release.uncovered(), [Uncovered::Clamping, Uncovered::Rounding]);
    assert!(m.rank_error(0.0).is_err());
}

#[test]
fn the_extremes_lie_within_the_data() {
    let (bounds, one) = (clamp(0, 1_000_000), Rational::ONE);
    let data: Vec<f64> = (0..5_000).map(|i| 400_000.0 + f64::from(i)).collect();
    let low = Quantile::minimum(bounds, &one, AddRemove).unwrap();
    let high = Quantile::maximum(bounds, &one, AddRemove).unwrap();
    let outside =
        |samples: Vec<Vec<i64>>| first(samples).filter(|y| !(400_000..405_000).contains(y)).count();
    assert!(outside(samples(&low, &data, 500, 80)) < 60);
    assert!(outside(samples(&high, &data, 500, 81)) < 60);
    assert!(first(samples(&low, &data, 500, 82)).all(|y| y < 400_200));
    assert!(first(samples(&high, &data, 500, 83)).all(|y| y > 404_800));
}

#[test]
fn parameters_are_checked() {
    let bounds = clamp(0, 9);
    for q in ["-1/10", "11/10", "1/9223372036854775808"] {
        assert!(Quantile::fraction(&rational(q), bounds, &1.into(), AddRemove).is_err());
    }
    assert!(Quantile::median(bounds, &0.into(), AddRemove).is_err());
    for fractions in [vec![], vec!["0"], vec!["1/2", "1/2"], vec!["1/2", "1/4"], vec!["1/2", "1"]] {
        let fractions = fractions.into_iter().map(rational).collect();
        assert!(Quantiles::new(fractions, bounds, &1.into(), AddRemove).is_err());
    }
}

/// The law of the recursion, written out.
fn many(
    rows: &[i64],
    (lower, upper): (i64, i64),
    fractions: &[Rational],
    ends: (Rational, Rational),
    epsilon: &Rational,
) -> Law<Vec<i64>> {
    let middle = fractions.len() / 2;
    let Some(q) = fractions.get(middle) else { return [(vec![], Enclosure::ONE)].into() };
    let share = (q - &ends.0).checked_div(&(&ends.1 - &ends.0)).unwrap();
    let range = share.clone().max(Rational::ONE - share.clone()) * Rational::from(2);
    let rate = epsilon.checked_div(&range).unwrap();
    let n = Rational::from(rows.len() as u64);
    let distance = |y: i64| {
        let number = |n: usize| Rational::from(n as u64);
        let below = number(rows.iter().filter(|x| **x < y).count());
        let upto = number(rows.iter().filter(|x| **x <= y).count());
        let t = &share * &n;
        (below - t.clone()).max(t - upto).max(Rational::ZERO)
    };
    let mut law = Law::new();
    for (cut, p) in by_energy((lower..=upper).map(|y| (y, &rate * &distance(y)))) {
        let (left, right): (Vec<i64>, Vec<i64>) = rows.iter().partition(|x| **x < cut);
        let left =
            many(&left, (lower, cut), &fractions[..middle], (ends.0.clone(), q.clone()), epsilon);
        let right = many(
            &right,
            (cut, upper),
            &fractions[middle + 1..],
            (q.clone(), ends.1.clone()),
            epsilon,
        );
        for (a, p_left) in &left {
            for (b, p_right) in &right {
                let answers = [a.clone(), vec![cut], b.clone()].concat();
                law.insert(answers, p * *p_left * *p_right);
            }
        }
    }
    law
}

fn fractions(text: &[&str]) -> Vec<Rational> {
    text.iter().map(|q| rational(q)).collect()
}

#[test]
fn many_quantiles_keep_the_claim_on_all_small_neighbours() {
    let wanted = fractions(&["1/4", "1/2", "3/4"]);
    // A stated range means the same under every relation, and the curve takes its time.
    let claim = Claim::of(&"2 * exponential(eps=1/2)".parse().unwrap(), AddRemove);
    for under in [AddRemove, Replace, ZeroOut] {
        let m = Quantiles::new(wanted.clone(), clamp(0, 2), &1.into(), under).unwrap();
        assert_eq!(m.spec().to_string(), "2 * exponential(eps=0.5)");
        let node = if under == AddRemove { rational("1/2") } else { rational("1/4") };
        let law =
            |rows: &[i64], node: &Rational| many(rows, (0, 2), &wanted, (0.into(), 1.into()), node);
        let mut caught = false;
        for (a, b) in pairs(2, 3, under) {
            assert!(!claim.is_broken(&law(&a, &node), &law(&b, &node), 0.0));
            let (p, q) = (law(&a, &rational("1")), law(&b, &rational("1")));
            caught |= claim.is_broken(&p, &q, 0.0);
        }
        assert!(caught, "twice or four times the rate is seen");
    }
}

#[test]
fn many_quantiles_are_drawn_by_that_law_and_in_order() {
    let wanted = fractions(&["1/5", "1/2"]);
    let rows = [0, 1, 1, 3, 3, 2];
    let data: Vec<f64> = rows.map(|x| x as f64).to_vec();
    for (under, node) in [(AddRemove, "1"), (Replace, "1/2"), (ZeroOut, "1/2")] {
        let m = Quantiles::new(wanted.clone(), clamp(0, 3), &2.into(), under).unwrap();
        let law = many(&rows, (0, 3), &wanted, (0.into(), 1.into()), &rational(node));
        let drawn = samples(&m, &data, 30_000, 90);
        assert!(drawn.iter().all(|answers| answers.is_sorted()));
        assert!(!refuted(&law, drawn));
    }
    let nine: Vec<_> = (1..10).map(|i| Rational::new(i, 10_u32).unwrap()).collect();
    let m = Quantiles::new(nine, clamp(0, 99_999), &4.into(), AddRemove).unwrap();
    assert_eq!(m.spec().to_string(), "4 * exponential(eps=1)");
    let data: Vec<f64> = (0..10_000).map(|i| f64::from(i) * 10.0).collect();
    let bound = m.rank_error(0.9999).unwrap();
    for answers in samples(&m, &data, 10, 91) {
        assert!(answers.is_sorted());
        for (i, y) in (1..).zip(&answers) {
            assert!((*y as f64 / 10.0 - 1000.0 * f64::from(i)).abs() <= bound + 1.0);
        }
    }
    assert_eq!(samples(&m, &[], 1, 92)[0].len(), 9);
    assert_eq!(samples(&m, &[f64::NAN], 1, 93)[0].len(), 9);
}

/// An end is beyond the quantile with the chance that it says, on all small data sets: exactly, from
/// the law.
#[test]
fn ends_are_on_their_side() {
    let (top, epsilon) = (6, Rational::from(3));
    for under in [AddRemove, Replace] {
        for wanted in
            [Below("1/2"), Below("9/10"), Below("1"), Above("0"), Above("1/4"), Above("1/2")]
        {
            let m = wanted.mechanism(clamp(0, top), &epsilon, under);
            for rows in data_sets(top, 4).into_iter().filter(|rows| !rows.is_empty()) {
                let (Below(q) | Above(q) | Fraction(q)) = wanted else { continue };
                let place = rational(q) * Rational::from(rows.len() as u64 - 1);
                let (floor, ceil) = (place.floor(), place.ceil());
                let at = |k: i128| rows[usize::try_from(k).unwrap()];
                let (low, high) = (at(floor.try_into().unwrap()), at(ceil.try_into().unwrap()));
                let right = |y: i64| match wanted {
                    Below(_) => y <= low,
                    Above(_) | Fraction(_) | Lowest(_) | Highest(_) => y >= high,
                };
                let law = wanted.law(&rows, (0, top), m.rate());
                let chance: f64 = (0..=top).filter(|y| right(*y)).map(|y| law[&y].lower()).sum();
                assert!(chance >= SURE - 1e-9, "{wanted:?} {rows:?}: {chance}");
            }
        }
    }
}

/// With so little epsilon that nothing can be said, an end is that of the whole interval.
#[test]
fn a_margin_beyond_reason_tells_nothing() {
    let bounds = clamp(-3, 9);
    let tiny = rational("1e-9");
    let half = rational("1/2");
    let low = Quantile::below(&half, bounds, &tiny, AddRemove, 0.99).unwrap();
    let high = Quantile::above(&half, bounds, &tiny, AddRemove, 0.99).unwrap();
    for (m, end) in [(low, -3), (high, 9)] {
        assert_eq!(samples(&m, &[1.0, 2.0, 3.0], 1, 64), [[end]]);
    }
}
