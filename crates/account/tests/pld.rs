//! The grid engine against exact enumeration, published numbers and closed forms.
#![allow(clippy::disallowed_methods, reason = "tests compare with plain floating point")]
#![allow(clippy::unwrap_used, reason = "tests may fail")]
#![allow(clippy::cast_precision_loss, reason = "small counts")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng_account::Bracket;
use throng_account::pair::Profile;
use throng_account::pair::discrete::DiscretePair;
use throng_account::pair::discretise::discretise;
use throng_account::pair::normal::GaussianProfile;
use throng_account::pair::{noise, polygon, response};
use throng_account::pld::{Aim, End, Grid, Part, Pld};
use throng_numeric::{Enclosure, Rational};

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

/// Outcomes of a product, with how many paths lead to equal chances.
type Paths = BTreeMap<(Rational, Rational), u64>;

fn product(factors: &[(Vec<Rational>, Vec<Rational>, u64)]) -> Paths {
    let mut paths = Paths::from([((Rational::ONE, Rational::ONE), 1)]);
    for (p, q, times) in factors {
        for _ in 0..*times {
            let mut next = Paths::new();
            for ((a, b), count) in &paths {
                for (p, q) in p.iter().zip(q) {
                    *next.entry((a * p, b * q)).or_insert(0) += count;
                }
            }
            paths = next;
        }
    }
    paths
}

/// H_γ of the product, exactly.
fn hockey_stick(paths: &Paths, gamma: &Rational) -> Rational {
    paths.iter().fold(Rational::ZERO, |sum, ((p, q), count)| {
        let excess = p - &(gamma * q);
        if excess.is_positive() { &sum + &(&excess * &Rational::from(*count)) } else { sum }
    })
}

/// δ(ε), enclosed by exact sums at both ends of e^ε.
fn exact_delta(paths: &Paths, epsilon: f64) -> Enclosure {
    let gamma = Enclosure::point(epsilon).unwrap().exp();
    let at = |gamma: f64| hockey_stick(paths, &Rational::from_f64(gamma).unwrap());
    Enclosure::new(at(gamma.upper()).to_f64_down(), at(gamma.lower()).to_f64_up()).unwrap()
}

fn holds(bracket: Bracket, exact: Enclosure, what: &str) {
    assert!(
        bracket.lower <= exact.upper() && bracket.upper >= exact.lower(),
        "{what}: {bracket} misses {exact}"
    );
}

fn weights(length: usize) -> impl Strategy<Value = Vec<Rational>> {
    let weight = prop_oneof![4 => 1_u64..=30, 1 => Just(0), 1 => 1000_u64..=100_000];
    proptest::collection::vec(weight, length).prop_map(|mut w| {
        w[0] += 1;
        let total: u64 = w.iter().sum();
        w.into_iter().map(|w| Rational::new(w, total).unwrap()).collect()
    })
}

type Factor = (Vec<Rational>, Vec<Rational>, u64);

fn factor(most: usize, times: u64) -> impl Strategy<Value = Factor> {
    (2..=most).prop_flat_map(move |k| (weights(k), weights(k), 1..=times))
}

fn largest_loss(factors: &[Factor], pairs: &[DiscretePair]) -> f64 {
    let loss = |pair: &DiscretePair| pair.atoms.last().map_or(0.0, |atom| atom.loss.upper());
    factors.iter().zip(pairs).map(|(f, pair)| f.2 as f64 * loss(pair)).sum()
}

fn enumerated(factors: &[Factor], step: f64) {
    let paths = product(factors);
    let pairs: Vec<DiscretePair> =
        factors.iter().map(|(p, q, _)| polygon::discrete(p, q).unwrap()).collect();
    let parts: Vec<Part> =
        pairs.iter().zip(factors).map(|(pair, f)| Part::exact(pair, f.2)).collect();
    let most = largest_loss(factors, &pairs);
    let whole = Pld::on_grid(&parts, &Grid::new(step).unwrap(), (-20.0, 20.0)).unwrap();
    let cut = Pld::on_grid(&parts, &Grid::new(step).unwrap(), (-0.8, 1.1)).unwrap();
    let auto = Pld::of(&parts, Aim::Epsilon(0.5 * most), 0.1).unwrap();
    let exact = exact_delta(&paths, 0.5 * most);
    let found = auto.delta(0.5 * most).unwrap();
    holds(found, exact, &format!("auto for {factors:?}"));
    for share in [-0.5, 0.0, 0.2, 0.5, 0.8, 0.97, 0.999, 1.0, 1.2] {
        let epsilon = share * most;
        let exact = exact_delta(&paths, epsilon);
        for (pld, name) in [(&whole, "whole"), (&cut, "cut")] {
            let what = format!("{name} at {epsilon} of {factors:?}");
            let bracket = pld.delta(epsilon).unwrap();
            holds(bracket, exact, &what);
            let delta = exact.upper().clamp(1e-12, 0.5);
            let found = pld.epsilon(delta).unwrap();
            let (low, high) = (found.lower, found.upper);
            if low > 0.0 && low.is_finite() {
                assert!(exact_delta(&paths, low).upper() >= delta, "{what}: {found} for {delta}");
            }
            if high.is_finite() {
                assert!(exact_delta(&paths, high).lower() <= delta, "{what}: {found} for {delta}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn random_pairs_repeated(factor in factor(6, 4), fine in any::<bool>()) {
        enumerated(&[factor], if fine { 0.004 } else { 0.07 });
    }

    #[test]
    fn random_pairs_composed(a in factor(4, 3), b in factor(3, 3)) {
        enumerated(&[a, b], 0.013);
    }
}

#[test]
fn six_times_six_outcomes() {
    let p = ["1/100", "1/10", "1/5", "1/4", "3/10", "7/50"].map(r).to_vec();
    let q = ["9/100", "1/5", "1/5", "1/4", "1/5", "3/50"].map(r).to_vec();
    let pair = polygon::discrete(&p, &q).unwrap();
    let auto = Pld::of(&[Part::exact(&pair, 6)], Aim::Epsilon(1.5), 0.01).unwrap();
    let delta = auto.delta(1.5).unwrap();
    assert!(delta.width() <= 0.01 * delta.upper, "{delta} is wide");
    enumerated(&[(p, q, 6)], 0.004);
}

fn at(pair: &DiscretePair, times: u64, delta: f64) -> Bracket {
    let parts = [Part::exact(pair, times)];
    Pld::of(&parts, Aim::Delta(delta), 1e-6).unwrap().epsilon(delta).unwrap()
}

fn near(bracket: Bracket, value: f64, tolerance: f64) {
    assert!(
        bracket.lower >= value - tolerance && bracket.upper <= value + tolerance,
        "{bracket} is not {value}"
    );
    assert!(bracket.lower <= bracket.upper);
}

#[test]
fn lattices_are_kept() {
    let laplace = noise::discrete_laplace(&r("20"), &r("3")).unwrap();
    let gaussian = noise::discrete_gaussian(&r("10"), &r("1"), 1e-40).unwrap();
    let pure = response::pure(&r("0.1")).unwrap();
    for (pair, times, value) in
        [(&laplace, 100, 7.418_682), (&gaussian, 100, 4.886_571), (&pure, 1000, 19.344_671)]
    {
        assert!(Pld::on_lattice(&[Part::exact(pair, times)]).unwrap().is_some());
        let found = at(pair, times, 1e-6);
        near(found, value, 1e-6);
        assert!(found.width() < 1e-9, "{found}");
    }
}

#[test]
fn a_lattice_in_common() {
    // 30 times 0.1 and 20 times 0.3: steps 1/5 and 3/5.
    let a = response::pure(&r("0.1")).unwrap();
    let b = response::pure(&r("0.3")).unwrap();
    let parts = [Part::exact(&a, 30), Part::exact(&b, 20)];
    let lattice = Pld::on_lattice(&parts).unwrap().unwrap();
    let grid = Pld::on_grid(&parts, &Grid::new(1e-4).unwrap(), (-1.0, 1.0)).unwrap();
    for epsilon in [0.0, 1.0, 3.0, 6.0, 8.5] {
        let (exact, around) = (lattice.delta(epsilon).unwrap(), grid.delta(epsilon).unwrap());
        assert!(exact.width() <= 1e-9 * exact.upper);
        assert!(around.lower <= exact.upper && around.upper >= exact.lower, "{around} {exact}");
    }
}

#[test]
fn pure_off_its_lattice() {
    let pure = response::pure(&r("0.1")).unwrap();
    let pld =
        Pld::on_grid(&[Part::exact(&pure, 1000)], &Grid::new(5e-5).unwrap(), (-0.2, 0.2)).unwrap();
    let found = pld.epsilon(1e-6).unwrap();
    assert!(found.contains(19.344_671), "{found}");
    assert!(found.width() < 0.25, "{found}");
}

fn gaussian(mu: f64, cells: usize, tilt: f64) -> (DiscretePair, DiscretePair) {
    let profile = GaussianProfile::new(Enclosure::point(mu).unwrap()).unwrap();
    discretise(&profile, tilt, cells).unwrap()
}

/// δ of a Gaussian of n shifts of mu.
fn closed(mu: f64, times: f64, epsilon: f64) -> Enclosure {
    let mu = Enclosure::point(mu).unwrap() * Enclosure::point(times).unwrap().sqrt().unwrap();
    GaussianProfile::new(mu).unwrap().delta(epsilon)
}

#[test]
fn a_thousand_gaussians() {
    let (upper, lower) = gaussian(1.0 / 30.0, 6_000, 8.0);
    let parts = [Part { upper: &upper, lower: &lower, times: 1000 }];
    for (delta, value) in [(1e-12, 7.665_481), (1e-20, 10.059_342)] {
        let pld = Pld::of(&parts, Aim::Delta(delta), 1e-3).unwrap();
        let found = pld.epsilon(delta).unwrap();
        assert!(found.lower <= value + 1e-6 && found.upper >= value - 1e-6, "{found} {value}");
        assert!(found.width() < 3e-4, "{found}");
        for epsilon in [0.0, 2.0, value + 1.0] {
            let bracket = pld.delta(epsilon).unwrap();
            let exact = closed(1.0 / 30.0, 1000.0, epsilon);
            holds(bracket, exact, &format!("at {epsilon}"));
            assert!(bracket.width() < 1e-2 * bracket.upper, "{bracket} at {epsilon}");
        }
    }
}

#[test]
fn more_steps_reveal_more() {
    let pair = polygon::discrete(&["1/2", "1/3", "1/6"].map(r), &["1/4", "1/4", "1/2"].map(r));
    let pair = pair.unwrap();
    let mut last = (0.0, 0.0);
    for times in [1, 2, 3, 5, 8, 20, 100] {
        let parts = [Part::exact(&pair, times)];
        let grid = Grid::new(1e-3).unwrap();
        let delta = Pld::on_grid(&parts, &grid, (-3.0, 3.0)).unwrap().delta(1.0).unwrap();
        assert!(delta.upper >= last.0 && delta.lower >= last.1 * (1.0 - 1e-9), "{times}");
        last = (delta.upper, delta.lower);
    }
}

#[test]
fn a_trivial_pair_changes_nothing_and_order_does_not_matter() {
    let a = response::approx_dp(&r("0.3"), &r("1e-9")).unwrap();
    let b = noise::discrete_laplace(&r("7"), &r("2")).unwrap();
    let c = polygon::discrete(&["0.7", "0.3"].map(r), &["0.6", "0.4"].map(r)).unwrap();
    let trivial = DiscretePair::trivial();
    let grid = Grid::new(1e-3).unwrap();
    let delta = |parts: &[Part], epsilon: f64| {
        Pld::on_grid(parts, &grid, (-2.0, 2.0)).unwrap().delta(epsilon).unwrap()
    };
    let [a, b, c] = [Part::exact(&a, 5), Part::exact(&b, 9), Part::exact(&c, 20)];
    for epsilon in [0.0, 1.0, 3.0, 5.0] {
        let plain = delta(&[a, b, c], epsilon);
        assert_eq!(plain, delta(&[a, b, c, Part::exact(&trivial, 7)], epsilon));
        let turned = delta(&[c, a, b], epsilon);
        assert!((plain.upper - turned.upper).abs() < 1e-9 * plain.upper);
        assert!((plain.lower - turned.lower).abs() < 1e-9 * plain.upper);
        assert!(plain.lower >= 5e-9 * (1.0 - 1e-6), "the leak counts: {plain}");
    }
}

#[test]
fn infinite_losses() {
    let only = response::nonprivate();
    let pld = Pld::of(&[Part::exact(&only, 3)], Aim::Epsilon(1.0), 0.1).unwrap();
    assert_eq!(pld.delta(5.0).unwrap(), Bracket { lower: 1.0, upper: 1.0 });
    assert_eq!(pld.epsilon(0.5).unwrap().lower, f64::INFINITY);
    let leak = response::approx_dp(&r("0.5"), &r("1e-7")).unwrap();
    let pld = Pld::of(&[Part::exact(&leak, 10)], Aim::Epsilon(5.0), 1e-6).unwrap();
    let exact = 1.0 - (1.0 - 1e-7_f64).powi(10);
    near(pld.delta(5.0).unwrap(), exact, 1e-15);
    assert_eq!(pld.epsilon(9e-7).unwrap().upper, f64::INFINITY);
    assert!(pld.epsilon(1.1e-6).unwrap().upper <= 5.0);
    let nothing = DiscretePair::trivial();
    let pld = Pld::of(&[Part::exact(&nothing, 10)], Aim::Epsilon(0.0), 1e-6).unwrap();
    assert_eq!(pld.delta(0.0).unwrap(), Bracket { lower: 0.0, upper: 0.0 });
    assert_eq!(pld.epsilon(0.0).unwrap(), Bracket { lower: 0.0, upper: 0.0 });
}

#[test]
fn histogram_and_moments() {
    let pure = response::pure(&r("0.5")).unwrap();
    let pld = Pld::on_lattice(&[Part::exact(&pure, 40)]).unwrap().unwrap();
    assert_eq!(pld.pessimistic.end(), End::Pessimistic);
    let table = pld.histogram(usize::MAX).unwrap();
    assert_eq!(table.len(), 41);
    let p = 0.5_f64.exp() / (1.0 + 0.5_f64.exp());
    let mut mass = (1.0 - p).powi(40);
    for (k, (loss, bracket)) in table.iter().enumerate() {
        let k = k as f64;
        assert!((loss - (k - 20.0)).abs() < 1e-12);
        assert!(bracket.lower <= mass * (1.0 + 1e-9) + 1e-300);
        assert!(bracket.upper >= mass * (1.0 - 1e-9), "{bracket} misses {mass}");
        assert!(bracket.width() < 1e-12, "{bracket} for {mass}");
        mass *= (40.0 - k) / (k + 1.0) * p / (1.0 - p);
    }
    let total: f64 = pld.histogram(5).unwrap().iter().map(|(_, b)| b.upper).sum();
    assert!((total - 1.0).abs() < 1e-9);
    let (mean, variance) = pld.pessimistic.moments();
    assert!((mean.upper() - 40.0 * 0.5 * 0.25_f64.tanh()).abs() < 1e-10);
    assert!((variance.upper() - 40.0 * p * (1.0 - p)).abs() < 1e-10);
}

#[test]
fn nonsense_is_refused() {
    let pair = DiscretePair::trivial();
    let parts = [Part::exact(&pair, 1)];
    assert!(Pld::of(&[], Aim::Epsilon(1.0), 0.1).is_err());
    assert!(Pld::of(&[Part::exact(&pair, 0)], Aim::Epsilon(1.0), 0.1).is_err());
    assert!(Pld::of(&parts, Aim::Epsilon(f64::NAN), 0.1).is_err());
    assert!(Pld::of(&parts, Aim::Delta(0.0), 0.1).is_err());
    assert!(Pld::of(&parts, Aim::Epsilon(1.0), 0.0).is_err());
    assert!(Grid::new(0.0).is_err() && Grid::new(f64::NAN).is_err());
    assert!(Pld::on_grid(&parts, &Grid::new(1e-9).unwrap(), (-1.0, 1.0)).is_err());
    let pld = Pld::of(&parts, Aim::Epsilon(1.0), 0.1).unwrap();
    assert!(pld.delta(f64::INFINITY).is_err() && pld.epsilon(1.5).is_err());
}
