//! Connect the dots: finite pairs around profiles.
#![allow(clippy::disallowed_methods, reason = "tests compare with plain floating point")]
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use proptest::prelude::*;
use throng_account::pair::Profile;
use throng_account::pair::discrete::DiscretePair;
use throng_account::pair::discretise::discretise;
use throng_account::pair::{noise, polygon, response};
use throng_numeric::{Enclosure, Rational};

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The profile of Laplace noise, in plain numbers.
#[derive(Debug)]
struct Laplace(f64);

impl Profile for Laplace {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let x = (Enclosure::point(epsilon).unwrap() - Enclosure::point(self.0).unwrap())
            * Enclosure::point(0.5).unwrap();
        if epsilon < -self.0 {
            return -Enclosure::point(epsilon).unwrap().expm1();
        }
        (-x.expm1()).max(Enclosure::ZERO)
    }
}

/// lower <= exact <= upper on a grid, and how far they are apart, weighted by e^(tilt ε).
fn around(profile: &dyn Profile, tilt: f64, cells: usize, reach: f64) -> f64 {
    let (upper, lower) = discretise(profile, tilt, cells).unwrap();
    upper.check().unwrap();
    lower.check().unwrap();
    assert!(upper.atoms.len() <= cells + 4 && lower.atoms.len() <= cells + 4);
    let mut gap = 0.0_f64;
    for i in -1000..=1000 {
        let epsilon = reach * f64::from(i) / 1000.0;
        let exact = profile.delta(epsilon);
        let (above, below) = (upper.delta(epsilon), lower.delta(epsilon));
        assert!(above.upper() >= exact.lower(), "{epsilon}: {above} above {exact}");
        assert!(below.lower() <= exact.upper(), "{epsilon}: {below} below {exact}");
        gap = gap.max((above.upper() - below.lower()) * (tilt * epsilon).exp());
    }
    gap
}

#[test]
fn the_gap_shrinks_with_the_square_of_the_cells() {
    for tilt in [0.0, 2.0] {
        let coarse = around(&Laplace(1.0), tilt, 100, 1.5);
        let fine = around(&Laplace(1.0), tilt, 1000, 1.5);
        assert!(fine < coarse / 30.0, "{coarse} {fine}");
        assert!(fine < 1e-5);
    }
}

#[test]
fn finite_pairs_are_found_again() {
    let pairs = [
        response::pure(&r("1")).unwrap(),
        response::approx_dp(&r("0.3"), &r("1e-5")).unwrap(),
        response::tv(&r("1/10")).unwrap(),
        response::kary_response(5, &r("2")).unwrap(),
        noise::discrete_gaussian(&r("2"), &r("1"), 1e-300).unwrap(),
        polygon::discrete(&[r("0.6"), r("0.3"), r("0.1")], &[r("0.2"), r("0.3"), r("0.5")])
            .unwrap(),
    ];
    for pair in &pairs {
        for tilt in [0.0, 5.0] {
            let gap = around(pair, tilt, 600, 5.0);
            assert!(
                gap < if tilt == 0.0 { 1e-3 } else { 0.1 },
                "{} {tilt} {gap}",
                pair.atoms.len()
            );
        }
    }
    around(&DiscretePair::trivial(), 0.0, 20, 1.0);
    around(&response::nonprivate(), 0.0, 20, 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_pairs_are_enclosed(
        p in proptest::collection::vec(0_u32..50, 2..8),
        q in proptest::collection::vec(0_u32..50, 8),
        cells in 4_usize..200,
        tilt in 0.0_f64..10.0,
    ) {
        let q = &q[..p.len()];
        let (total_p, total_q) = (p.iter().sum::<u32>(), q.iter().sum::<u32>());
        prop_assume!(total_p > 0 && total_q > 0);
        let share = |x: &u32, total: u32| Rational::new(*x, total).unwrap();
        let ps: Vec<_> = p.iter().map(|x| share(x, total_p)).collect();
        let qs: Vec<_> = q.iter().map(|x| share(x, total_q)).collect();
        around(&polygon::discrete(&ps, &qs).unwrap(), tilt, cells, 5.0);
    }
}
