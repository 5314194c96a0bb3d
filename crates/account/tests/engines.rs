//! Two engines that share no code of composition: inversion of transforms, and the grid.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use throng_account::pair::discrete::DiscretePair;
use throng_account::pair::{counts, noise, polygon, response};
use throng_account::pld::{Aim, Part, Pld};
use throng_account::{Accuracy, Bracket, Direction, Neighbours, PrivacyLoss};
use throng_numeric::Rational;

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn overlap(a: Bracket, b: Bracket, what: &str) {
    assert!(a.lower <= a.upper && b.lower <= b.upper, "{what}: {a} {b}");
    assert!(a.lower <= b.upper && b.lower <= a.upper, "{what}: {a} and {b} are apart");
    let width = |x: Bracket| if x.upper > 0.0 { x.width() / x.upper } else { 0.0 };
    assert!(width(a) <= 1e-3, "{what}: inversion {a} is wide");
    assert!(width(b) <= 5e-2, "{what}: grid {b} is wide");
}

/// Both directions, delta at some epsilons, epsilon at some deltas.
fn agree(text: &str, parts: &[(DiscretePair, u64)], epsilons: &[f64], deltas: &[f64]) {
    let spec = text.parse().unwrap();
    let loss =
        PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy { width: 1e-6 }).unwrap();
    for direction in Direction::BOTH {
        let turned: Vec<(DiscretePair, u64)> = parts
            .iter()
            .map(|(pair, times)| match direction {
                Direction::Remove => (pair.clone(), *times),
                Direction::Add => (pair.swapped(), *times),
            })
            .collect();
        let parts: Vec<Part> = turned.iter().map(|(pair, n)| Part::exact(pair, *n)).collect();
        for epsilon in epsilons {
            let grid = Pld::of(&parts, Aim::Epsilon(*epsilon), 1e-2).unwrap();
            let what = format!("{text} {direction:?} delta({epsilon})");
            overlap(
                loss.delta_in(direction, *epsilon).unwrap(),
                grid.delta(*epsilon).unwrap(),
                &what,
            );
        }
        for delta in deltas {
            let grid = Pld::of(&parts, Aim::Delta(*delta), 1e-2).unwrap();
            let what = format!("{text} {direction:?} epsilon({delta})");
            overlap(
                loss.epsilon_in(direction, *delta).unwrap(),
                grid.epsilon(*delta).unwrap(),
                &what,
            );
        }
    }
}

#[test]
fn discrete_noise_and_responses() {
    let parts = [
        (noise::discrete_laplace(&r("5"), &r("1")).unwrap(), 50),
        (response::kary_response(4, &r("0.3")).unwrap(), 20),
    ];
    let text = "50 * discrete_laplace(scale=5) + 20 * kary_response(k=4, eps=0.3)";
    agree(text, &parts, &[0.0, 1.0, 3.0], &[1e-3, 1e-6, 1e-12]);
}

#[test]
fn lopsided_randomised_responses() {
    let parts = [(response::randomised_response(&r("1/4"), &r("1/3")).unwrap(), 200)];
    let text = "200 * randomised_response(p=1/4, q=1/3)";
    agree(text, &parts, &[60.0], &[]);
}

#[test]
fn stated_guarantees() {
    let parts = [(response::approx_dp(&r("0.2"), &r("1e-4")).unwrap(), 30)];
    agree("30 * approx_dp(eps=0.2, delta=1e-4)", &parts, &[0.5, 2.0], &[1e-2]);
}

#[test]
fn counts_of_events() {
    let parts = [(counts::poisson(&r("4"), &r("9"), 1e-30).unwrap(), 1)];
    agree("poisson(mu1=4, mu2=9)", &parts, &[0.5, 1.0, 2.0], &[1e-1, 1e-3]);
    let parts = [(counts::poisson(&r("4"), &r("5"), 1e-30).unwrap(), 12)];
    agree("12 * poisson(mu1=4, mu2=5)", &parts, &[0.5, 2.0], &[1e-3, 1e-6]);
}

#[test]
fn pairs_without_a_lattice() {
    let [p, q] = [["1/2", "1/3", "1/6"], ["1/3", "1/5", "7/15"]].map(|law| law.map(r).to_vec());
    let [u, v] = [["2/5", "3/5"], ["3/7", "4/7"]].map(|law| law.map(r).to_vec());
    let parts = [(polygon::discrete(&p, &q).unwrap(), 4), (polygon::discrete(&u, &v).unwrap(), 9)];
    let text = "4 * discrete(p=[1/2, 1/3, 1/6], q=[1/3, 1/5, 7/15]) \
                + 9 * discrete(p=[2/5, 3/5], q=[3/7, 4/7])";
    agree(text, &parts, &[3.0], &[]);
}

#[test]
fn discrete_normal_noise() {
    let parts = [(noise::discrete_gaussian(&r("10"), &r("1"), 1e-40).unwrap(), 100)];
    agree("100 * discrete_gaussian(sigma=10)", &parts, &[1.0, 4.0], &[1e-6, 1e-12]);
}

/// Too many outcomes for one list, no common lattice: written out in two halves.
#[test]
fn noise_and_pairs_without_a_lattice() {
    let [p, q] = [["1/2", "1/3", "1/6"], ["1/3", "1/5", "7/15"]].map(|law| law.map(r).to_vec());
    let parts = [
        (noise::discrete_gaussian(&r("3"), &r("1"), 1e-40).unwrap(), 2),
        (polygon::discrete(&p, &q).unwrap(), 3),
    ];
    let text = "2 * discrete_gaussian(sigma=3) \
                + 3 * discrete(p=[1/2, 1/3, 1/6], q=[1/3, 1/5, 7/15])";
    agree(text, &parts, &[0.0, 1.0, 2.5], &[1e-2, 1e-6, 1e-12]);
}
