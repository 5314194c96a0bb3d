//! Divergences and searches on laws that are known by hand.

use throng_audit::exact::{
    Curve, Law, Pair, epsilon_lower, exponential_law, hockey_stick, neighbouring, noise_law,
    noisy_max_law, permute_and_flip_law, poisson_law, refute,
};
use throng_audit::{Orientation, World};
use throng_mechanism::noise::Staircase;
use throng_mechanism::{Neighbours, NoiseLaw};
use throng_numeric::{Enclosure, Natural, Rational};

use super::claimed;

fn law(chances: &[(i64, i64)]) -> Law<i64> {
    let part = |(p, q): (i64, i64)| {
        Enclosure::of_rational(&Rational::from(p).checked_div(&Rational::from(q)).unwrap())
    };
    Law::of((0..).zip(chances.iter().map(|c| part(*c))))
}

#[test]
fn divergences_are_those_computed_by_hand() {
    let (p, q) = (law(&[(3, 4), (1, 4)]), law(&[(1, 4), (3, 4)]));
    assert!(hockey_stick(&p, &q, 0.0).unwrap().contains(0.5));
    // 3/4 - e^ε/4 at e^ε = 2.
    let half = hockey_stick(&p, &q, std::f64::consts::LN_2).unwrap();
    assert!(half.contains(0.25) && half.width() < 1e-14);
    let none = hockey_stick(&p, &q, 1.2).unwrap();
    assert!(none.lower() == 0.0 && none.upper() < 1e-14);
    let three = epsilon_lower([&p, &q], 0.0).unwrap();
    let log = Enclosure::point(3.0).unwrap().ln().unwrap();
    assert!(three <= log.upper() && three > log.lower() - 1e-12, "{three}");
    let alone = law(&[(1, 1), (0, 1)]);
    assert_eq!(epsilon_lower([&alone, &law(&[(0, 1), (1, 1)])], 0.9).unwrap(), f64::INFINITY);
    assert_eq!(epsilon_lower([&p, &p], 0.0).unwrap(), 0.0);
    assert!(hockey_stick(&p, &q, f64::NAN).is_err());
    // e^ε beyond all numbers.
    assert!(hockey_stick(&p, &q, 1e5).unwrap().lower() == 0.0);
    assert!(hockey_stick(&alone, &law(&[(0, 1), (1, 1)]), 1e5).unwrap().lower() > 0.99);
}

#[test]
fn what_is_left_out_is_never_evidence() {
    let some = |x: f64| Enclosure::point(x).unwrap();
    let p = Law::cut([(0, some(0.5)), (1, some(0.25))], some(0.25));
    let q = Law::cut([(0, some(0.25))], some(0.75));
    // 0 has 1/4 more; 1 may have all that is missing.
    assert!(hockey_stick(&p, &q, 0.0).unwrap().lower() <= 0.0);
    assert!(hockey_stick(&p, &q, 0.0).unwrap().upper() >= 0.75);
    assert_eq!(epsilon_lower([&p, &q], 0.0).unwrap(), 0.0);
}

#[test]
fn each_direction_is_held_to_its_own_curve() {
    // With the unit a mark is shown with chance 1/4, which proves that the unit is there.
    let without = law(&[(1, 1), (0, 1)]);
    let with = law(&[(3, 4), (1, 4)]);
    let text = "discrete(p=[0.75, 0.25], q=[1, 0])";
    let claim = claimed(text, Neighbours::AddRemove);
    let curve = Curve::of(&claim);
    let held =
        |laws: [&Law<i64>; 2], orientation| refute(&curve, laws, orientation).unwrap().is_none();
    assert!(held([&without, &with], Orientation::UnitIn(World::One)));
    assert!(held([&with, &without], Orientation::UnitIn(World::Zero)));
    assert!(held([&without, &with], Orientation::Either));
    assert!(!held([&without, &with], Orientation::UnitIn(World::Zero)));
}

#[test]
fn all_small_pairs_are_listed_once() {
    let counts = |under| neighbouring(under, &['a', 'b', 'c'], 2).len();
    // Others: none or one of three; then one of three more, an exchange, or a, which is nothing.
    assert_eq!(counts(Neighbours::AddRemove), 4 * 3);
    assert_eq!(counts(Neighbours::Replace), 4 * 3);
    assert_eq!(counts(Neighbours::ZeroOut), 4 * 2);
    let first = &neighbouring(Neighbours::AddRemove, &[7], 1)[0];
    assert_eq!(*first, Pair::with_unit_in_second(vec![], vec![7]));
}

#[test]
fn laws_are_the_known_ones_and_add_up() {
    let scores = [3, 2, 0];
    let half = Rational::new(1, 2_u32).unwrap();
    let near = |law: &Law<usize>, known: [f64; 3]| {
        let each =
            (0..3).zip(known).all(|(i, p)| (law.chance(&i).unwrap().lower() - p).abs() < 1e-13);
        each && law.total().contains(1.0) && law.total().width() < 1e-13
    };
    let chosen = exponential_law(&scores, &half).unwrap();
    assert!(near(&chosen, [0.546_549_387_266_18, 0.331_498_960_424_092, 0.121_951_652_309_729]));
    let flipped = permute_and_flip_law(&scores, &half).unwrap();
    assert!(near(
        &flipped,
        [0.630_281_351_148_339, 0.280_709_449_316_881, 0.089_009_199_534_779_5]
    ));
    let laws = [
        NoiseLaw::laplace(3.into()),
        NoiseLaw::gaussian(half.clone()),
        NoiseLaw::gaussian(40.into()),
        Staircase::of_least_error(1.into(), 5).map(NoiseLaw::Staircase),
    ];
    for law in laws.map(Result::unwrap) {
        let listed = noise_law(&law, -7).unwrap();
        assert!(listed.total().contains(1.0) && listed.total().width() < 1e-11, "{law:?}");
        // Symmetric about the value, and P(|Z| >= 2) is that of the law.
        assert_eq!(listed.chance(&-9), listed.chance(&-5));
        let far = listed.iter().filter(|(k, _)| (**k + 7).abs() >= 2);
        let far = far.fold(listed.left_out(), |sum, (_, p)| sum + p);
        assert!(far.intersect(law.beyond(&Natural::from(2_u64)).unwrap()).is_ok(), "{law:?}");
        let largest = noisy_max_law(&[0, 0], &law).unwrap();
        assert!(largest.chance(&0).unwrap().lower() > 0.5 && largest.total().contains(1.0));
    }
    assert!(poisson_law(&half).unwrap().total().contains(1.0));
    assert!(poisson_law(&Rational::ZERO).unwrap().chance(&0).unwrap().contains(1.0));
    assert!(poisson_law(&(-1).into()).is_err());
    assert!(noise_law(&NoiseLaw::laplace(1_000_000_000.into()).unwrap(), 0).is_err());
    assert!(noise_law(&NoiseLaw::laplace(1.into()).unwrap(), i64::MIN).is_err());
    assert!(permute_and_flip_law(&[], &half).is_err() && exponential_law(&[], &half).is_err());
    let many = (0..40).map(|_| law(&[(1, 2), (1, 2)]));
    assert!(Law::product(many).is_err());
}
