//! The classical bounds, and the wrong versions of them that must not come back.
#![allow(
    clippy::disallowed_methods,
    clippy::excessive_precision,
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "tests compare with ordinary arithmetic and stop at the first surprise"
)]

use throng_account::classical::{self, Row, Term};
use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Rational};

const UNDER: Neighbours = Neighbours::AddRemove;

const BASIC: &str = "basic composition";
const DRV: &str = "advanced composition (Dwork-Rothblum-Vadhan)";
const KOV_A: &str = "Kairouz-Oh-Viswanath, Hoeffding form";
const KOV_B: &str = "Kairouz-Oh-Viswanath, logarithmic form";
const KOV_LINEAR: &str = "Kairouz-Oh-Viswanath, linear form";
const HALF: &str = "heterogeneous, half squares";
const TANH: &str = "heterogeneous, tanh";
const EXACT: &str = "exact, homogeneous";
const CENTRAL: &str = "central limit";

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn e(x: f64) -> Enclosure {
    Enclosure::point(x).unwrap()
}

fn of_text(text: &str) -> Enclosure {
    Enclosure::of_rational(&r(text))
}

fn leaf(leaf: Leaf) -> MechanismSpec {
    MechanismSpec::Leaf(leaf)
}

fn repeated(times: u64, inner: MechanismSpec) -> MechanismSpec {
    MechanismSpec::Repeated { times, inner: Box::new(inner) }
}

fn pure(epsilon: &str) -> MechanismSpec {
    leaf(Leaf::Pure { epsilon: r(epsilon) })
}

fn find(rows: &[Row], name: &str) -> Option<f64> {
    rows.iter().find(|row| row.name == name).unwrap().epsilon
}

fn near(found: Option<f64>, wanted: f64) {
    let found = found.unwrap();
    assert!((found / wanted - 1.0).abs() < 1e-10, "{found} is not {wanted}");
}

#[test]
fn the_table_of_the_notes() {
    let table = [
        (
            "0.1",
            30,
            1e-6,
            [3.0, 3.194_628_301_539_8, 3.028_990_672_186_5, 2.965_566_420_311],
            2.345_887_693_008,
        ),
        (
            "0.1",
            100,
            1e-5,
            [10.0, 5.850_235_092_944_6, 5.298_109_661_766_9, 5.298_115_326_513_4],
            4.306_791_372_516_5,
        ),
        (
            "1",
            100,
            1e-5,
            [100.0, 219.813_441_967_79, 94.196_974_847_882, 98.776_938_594_819],
            79.841_322_364_965,
        ),
    ];
    for (epsilon, times, delta, bounds, exact) in table {
        let rows = classical::table(&repeated(times, pure(epsilon)), UNDER, delta).unwrap();
        for (name, wanted) in [BASIC, DRV, KOV_A, KOV_B].into_iter().zip(bounds) {
            near(find(&rows, name), wanted);
        }
        near(find(&rows, EXACT), exact);
        near(find(&rows, KOV_LINEAR), bounds[0]);
        for row in rows.iter().filter(|row| row.name != CENTRAL) {
            assert!(row.epsilon.unwrap() >= exact - 1e-9, "{row:?}");
        }
    }
    let rows = classical::table(&repeated(100, pure("0.1")), UNDER, 1e-5).unwrap();
    near(find(&rows, HALF), 5.298_525_912_188_1);
}

#[test]
fn exact_homogeneous() {
    let found = classical::homogeneous_delta(30, of_text("0.1"), e(0.0), e(1.0)).unwrap();
    assert!((found.upper() - 0.010_561_676_338_63).abs() < 1e-13 && found.width() < 1e-14);
    let leaky = classical::homogeneous_delta(30, of_text("0.1"), of_text("1e-6"), e(1.0)).unwrap();
    assert!((leaky.upper() - 0.010_591_359_057_938).abs() < 1e-13);
    // One run is the profile of randomised response: (p - e^ε' q)_+.
    let one = classical::homogeneous_delta(1, e(1.0), e(0.0), e(0.5)).unwrap();
    let p = 1.0_f64.exp() / (1.0 + 1.0_f64.exp());
    assert!((one.upper() - (p - 0.5_f64.exp() * (1.0 - p))).abs() < 1e-14);
    assert!(classical::homogeneous_epsilon(10, e(1.0), e(0.1), 0.01).unwrap().is_none());
}

#[test]
fn heterogeneous() {
    let epsilons = ["0.1", "0.2", "0.3", "0.15", "0.25", "0.4", "0.05", "0.35"];
    let spec = MechanismSpec::Composed(epsilons.into_iter().map(pure).collect());
    let rows = classical::table(&spec, UNDER, 1e-3).unwrap();
    near(find(&rows, BASIC), 1.8);
    near(find(&rows, HALF), 1.8); // the minimum matters: the other branch is 2.909
    assert!(find(&rows, TANH).unwrap() <= 1.8 + 1e-12);
    assert!(find(&rows, EXACT).is_none());
    assert!(find(&rows, "zCDP").unwrap() >= 1.691_484_014_426);
    let terms: Vec<Term> = epsilons
        .into_iter()
        .map(|x| Term { times: 1, epsilon: of_text(x), delta: e(0.0) })
        .collect();
    let second = classical::kov_hoeffding(&terms, 1e-3).unwrap().unwrap();
    assert!(second.upper() < 2.92);
}

#[test]
fn private_training() {
    let gaussian = leaf(Leaf::Gaussian { sigma: r("1"), sensitivity: r("1") });
    let step = MechanismSpec::Sampled { rate: r("1/100"), inner: Box::new(gaussian) };
    let rows = classical::table(&repeated(1000, step), UNDER, 1e-5).unwrap();
    near(find(&rows, "Renyi"), 2.107_753_075_451_58);
    // The central limit under-reports (the truth is 1.828237), and says what it is.
    let central = find(&rows, CENTRAL).unwrap();
    assert!((central - 1.6177).abs() < 1e-3);
    let note = &rows.iter().find(|row| row.name == CENTRAL).unwrap().note;
    assert!(note.contains("an estimate, not a guarantee"));
    for row in rows.iter().filter(|row| row.name != CENTRAL) {
        assert!(row.epsilon.is_none_or(|epsilon| epsilon > 1.8282), "{row:?}");
    }
}

#[test]
fn what_does_not_apply_says_why() {
    let poisson = leaf(Leaf::Poisson { mu1: r("30"), mu2: r("36") });
    let rows = classical::table(&repeated(3, poisson), UNDER, 1e-5).unwrap();
    assert!(find(&rows, "zCDP").is_none() && find(&rows, "Renyi").is_some());
    for row in &rows {
        assert!(row.epsilon.is_some() || !row.note.is_empty(), "{row:?}");
    }
    let nothing = classical::table(&leaf(Leaf::NonPrivate), UNDER, 1e-5).unwrap();
    assert!(nothing.iter().all(|row| row.epsilon.is_none()));
    let free = classical::table(&MechanismSpec::Composed(vec![]), UNDER, 1e-5).unwrap();
    assert!(free.iter().all(|row| row.epsilon == Some(0.0)), "{free:?}");
    assert!(classical::table(&pure("1"), UNDER, 0.0).is_err());
    assert!(classical::table(&pure("-1"), UNDER, 0.1).is_err());
}

#[test]
fn leaks_count_before_the_rest() {
    // Using δ instead of δ' = δ - Σδ_j would ignore the leaks; at δ = Σδ_j there is no bound.
    let leaky = leaf(Leaf::ApproxDp { epsilon: r("1/10"), delta: r("1e-7") });
    let spec = repeated(100, leaky);
    let honest = classical::table(&spec, UNDER, 2e-5).unwrap();
    let wrong = classical::table(&repeated(100, pure("1/10")), UNDER, 2e-5).unwrap();
    for name in [DRV, KOV_A, KOV_B, HALF, TANH, EXACT] {
        let applies = find(&honest, name).unwrap() > find(&wrong, name).unwrap();
        assert!(applies || name == HALF, "{name}");
    }
    let none = classical::table(&spec, UNDER, 9e-6).unwrap();
    for name in [BASIC, DRV, KOV_A, KOV_B, KOV_LINEAR, HALF, TANH, EXACT, "zCDP"] {
        assert!(find(&none, name).is_none(), "{name}");
    }
}
