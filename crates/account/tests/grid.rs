//! Noise on the integers hidden in noise on the line, and vectors in one coordinate: the three
//! theorems of `conversion::grid` and `pair::noise`, checked in enclosures and exact numbers.
#![allow(
    clippy::unwrap_used,
    reason = "tests compare with ordinary arithmetic and stop at the first surprise"
)]

use proptest::prelude::*;
use throng_account::conversion::{gaussian, grid};
use throng_account::{Accuracy, MechanismSpec, Neighbours, PrivacyLoss};
use throng_numeric::{Enclosure, Rational, normal};

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn real(x: &Rational) -> Enclosure {
    Enclosure::of_rational(x)
}

fn loss(spec: &str) -> PrivacyLoss {
    let spec: MechanismSpec = spec.parse().unwrap();
    PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default()).unwrap()
}

/// t_0, t_1, ... with P(X >= k) = Φ(-t_k), for k up to 12σ.
fn quantiles(sigma: &Rational) -> Vec<Enclosure> {
    let double = real(&(&sigma.square() * &Rational::from(2_u32)));
    let weight = |k: u32| (-(real(&Rational::from(k)).square() / double)).exp();
    let last = u32::try_from((sigma * &Rational::from(12_u32)).ceil()).unwrap();
    let reach = u32::try_from((sigma * &Rational::from(16_u32)).ceil()).unwrap();
    // What is beyond the reach shrinks by more than this from one to the next.
    let factor = (-(real(&Rational::from(2 * reach + 3)) / double)).exp();
    let beyond = weight(reach + 1) / (Enclosure::ONE - factor);
    let mut tail = Enclosure::ZERO.hull(beyond);
    let mut tails = Vec::new(); // Σ of weights from k on, k = reach, ..., 1
    for k in (1..=reach).rev() {
        tail = tail + weight(k);
        tails.push(tail);
    }
    let total = Enclosure::ONE + tail + tail;
    tails.reverse();
    let above = |tail: &Enclosure| -normal::quantile(*tail / total).unwrap();
    let from_one: Vec<_> = tails.iter().take(usize::try_from(last).unwrap()).map(above).collect();
    let zeroth = -from_one[0]; // t_0 = -t_1
    std::iter::once(zeroth).chain(from_one).collect()
}

/// Whether every step t_(k+1) - t_k is certainly at most κ/σ (or some step certainly not).
fn steps(sigma: &Rational, kappa: &Rational) -> (bool, bool) {
    let bound = real(&kappa.checked_div(sigma).unwrap());
    let t = quantiles(sigma);
    let step = |pair: &[Enclosure]| pair[1] - pair[0];
    let all = t.windows(2).all(|pair| step(pair).upper() <= bound.lower());
    let broken = t.windows(2).any(|pair| step(pair).lower() > bound.upper());
    (all, broken)
}

#[test]
fn steps_of_the_discrete_gaussian_law() {
    for sigma in ["2", "2.5", "3", "5", "10", "100"].map(r) {
        let eta = Rational::ONE.checked_div(&(&sigma.square() * &Rational::from(4_u32))).unwrap();
        let one = Rational::ONE;
        assert_eq!(steps(&sigma, &(&one + &eta)), (true, false), "{sigma}");
        // The test sees a κ that is too small, even 1.
        assert_eq!(steps(&sigma, &one), (false, true), "{sigma}");
        assert_eq!(steps(&sigma, &(&one - &eta)), (false, true), "{sigma}");
    }
}

/// t_k >= (k - 1/2)/σ, the lemma of the proof.
#[test]
fn quantiles_of_the_discrete_gaussian_law() {
    for sigma in ["2", "3", "10"].map(r) {
        for (k, t) in (0_u32..).zip(quantiles(&sigma)).skip(1) {
            let middle = (Rational::from(k) - r("1/2")).checked_div(&sigma).unwrap();
            assert!(t.lower() >= real(&middle).upper(), "{sigma} {k}");
        }
    }
}

#[test]
fn discrete_gaussian_noise_hides_as_well_as_normal_noise() {
    let cases = [
        ("2", "discrete_gaussian(sigma=2)", 1.0),
        ("2", "discrete_gaussian(sigma=2, sensitivity=7)", 49.0),
        ("2", "discrete_gaussian(sigma=2) + discrete_gaussian(sigma=2, sensitivity=2)", 5.0),
        ("3", "4 * discrete_gaussian(sigma=3)", 4.0),
        ("10", "discrete_gaussian(sigma=10, sensitivity=25)", 625.0),
    ];
    for (sigma, spec, square) in cases {
        let deviation = real(&grid::discrete_gaussian_as_gaussian(&r(sigma)).unwrap());
        let mu = Enclosure::point(square).unwrap().sqrt().unwrap() / deviation;
        let discrete = loss(spec);
        for k in 0..60_u32 {
            let epsilon = f64::from(k) * mu.upper() / 12.0;
            let continuous = gaussian::delta(Enclosure::point(epsilon).unwrap(), mu).unwrap();
            let found = discrete.delta(epsilon).unwrap();
            assert!(found.lower <= continuous.upper(), "{spec} {epsilon} {found:?} {continuous}");
        }
    }
}

#[test]
fn deviations_and_variances() {
    let two = r("2");
    assert_eq!(grid::discrete_gaussian_as_gaussian(&two).unwrap(), r("15/8"));
    assert_eq!(grid::variance_for_gaussian(&two).unwrap(), r("289/64"));
    assert!(grid::discrete_gaussian_as_gaussian(&r("1.999")).is_err());
    assert!(grid::discrete_gaussian_of_variance(&r("3.999")).is_err());
    assert!(grid::variance_for_gaussian(&r("1.999")).is_err());
    for bad in ["0", "-1"] {
        assert!(grid::discrete_gaussian_as_gaussian(&r(bad)).is_err());
        assert!(grid::discrete_laplace_as_laplace(&r(bad), 1).is_err());
    }
    // Not even a number too large for an f64 is an error.
    let huge = r("1e400");
    let found = grid::discrete_gaussian_of_variance(&huge).unwrap();
    assert!(found.is_positive() && found.square() <= huge);
    assert_eq!(grid::discrete_laplace_as_laplace(&r("1/2"), 3).unwrap(), r("7/2"));
    assert_eq!(grid::discrete_laplace_as_laplace(&r("1/2"), 0).unwrap(), r("0"));
}

proptest! {
    #[test]
    fn deviations_from_variances_are_rounded_down(n in 4_u64..1_000_000, d in 1_u64..1000) {
        let variance = &Rational::from(4_u32) + &Rational::new(n - 4, d).unwrap();
        let found = grid::discrete_gaussian_of_variance(&variance).unwrap();
        // e <= σ - 1/(4σ) iff e² <= σ² - 1/2 + 1/(16σ²).
        let sixteenth = Rational::ONE.checked_div(&(&variance * &Rational::from(16_u32))).unwrap();
        let exact = &(&variance - &r("1/2")) + &sixteenth;
        prop_assert!(found.square() <= exact);
        prop_assert!((found * r("1.0000000000001")).square() > exact);
    }

    #[test]
    fn variances_reach_the_wanted_deviation(n in 0_u64..1_000_000, d in 1_u64..1000) {
        let wanted = &Rational::from(2_u32) + &Rational::new(n, d).unwrap();
        let variance = grid::variance_for_gaussian(&wanted).unwrap();
        let sixteenth = Rational::ONE.checked_div(&(&variance * &Rational::from(16_u32))).unwrap();
        let reached = &(&variance - &r("1/2")) + &sixteenth; // the square of σ - 1/(4σ)
        prop_assert!(reached >= wanted.square());
        prop_assert!(reached <= (wanted * r("1.01")).square());
    }
}

/// Whether Laplace noise with a shift is seen to dominate discrete Laplace noise at no ε violated.
fn laplace_dominates(scale: &Rational, shift: u64, enlarged: &Rational) -> bool {
    let discrete = loss(&format!("discrete_laplace(scale={scale}, sensitivity={shift})"));
    let continuous = loss(&format!("laplace(scale={scale}, sensitivity={enlarged})"));
    let top = Rational::from(shift).checked_div(scale).unwrap().to_f64_up();
    (-64..=70_i32).map(|k| f64::from(k) / 64.0 * top).all(|epsilon| {
        discrete.delta(epsilon).unwrap().lower <= continuous.delta(epsilon).unwrap().upper
    })
}

#[test]
fn discrete_laplace_noise_hides_as_well_as_laplace_noise() {
    for scale in ["1/4", "1/2", "1", "3/2", "3", "10"].map(r) {
        for shift in [1_u64, 2, 3, 5, 12] {
            let enlarged = grid::discrete_laplace_as_laplace(&scale, shift).unwrap();
            assert!(laplace_dominates(&scale, shift, &enlarged), "{scale} {shift}");
            // The same shift is not enough, and for larger scales hardly less is.
            assert!(!laplace_dominates(&scale, shift, &Rational::from(shift)), "{scale} {shift}");
            if scale >= r("3/2") {
                let between = (&enlarged * &r("9/10")) + (&Rational::from(shift) * &r("1/10"));
                assert!(!laplace_dominates(&scale, shift, &between), "{scale} {shift}");
            }
        }
    }
}

/// The chances of min(max(x, 0), shift) = 0, 1, ..., shift for x with chances ∝ q^|x|.
fn clipped(q: &Rational, shift: usize) -> Vec<Rational> {
    let sum = &Rational::ONE + q;
    let above = |j: usize| match j {
        0 => Rational::ONE,
        j if j > shift => Rational::ZERO,
        j => power(q, j).checked_div(&sum).unwrap(),
    };
    (0..=shift).map(|j| &above(j) - &above(j + 1)).collect()
}

fn power(q: &Rational, n: usize) -> Rational {
    (0..n).fold(Rational::ONE, |x, _| &x * q)
}

/// The worlds (moved, not moved) of independent coordinates, by the sum of the clipped outcomes.
fn coordinates(q: &Rational, shifts: &[usize]) -> (Vec<Rational>, Vec<Rational>) {
    let nothing = vec![Rational::ONE];
    let (mut moved, mut still) = (nothing.clone(), nothing);
    for shift in shifts {
        let here = clipped(q, *shift);
        let mirrored: Vec<_> = here.iter().rev().cloned().collect();
        moved = convolved(&moved, &mirrored);
        still = convolved(&still, &here);
    }
    (moved, still)
}

fn convolved(a: &[Rational], b: &[Rational]) -> Vec<Rational> {
    let mut sums = vec![Rational::ZERO; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            sums[i + j] = &sums[i + j] + &(x * y);
        }
    }
    sums
}

fn hockey(p: &[Rational], q: &[Rational], gamma: &Rational) -> Rational {
    let gaps = p.iter().zip(q).map(|(p, q)| p - &(gamma * q));
    gaps.filter(Rational::is_positive).fold(Rational::ZERO, |s, x| &s + &x)
}

/// γ at and between the likelihood ratios q^(-t), |t| <= most.
fn ratios(q: &Rational, most: usize) -> Vec<Rational> {
    let whole: Vec<_> = (0..=most).map(|t| power(q, t)).collect();
    let below = whole.iter().flat_map(|x| [x.clone(), x * &r("9/10"), x * &r("4/7")]);
    below.flat_map(|x| [Rational::ONE.checked_div(&x).unwrap(), x]).collect()
}

/// All vectors of up to three shifts up to 4, exactly: one coordinate with the sum dominates, in both
/// directions, and one with less does not.
#[test]
fn one_coordinate_dominates_vectors_of_laplace_noise() {
    for q in ["1/50", "1/4", "1/2", "9/10", "99/100"].map(r) {
        for a in 0..=4_usize {
            for b in 0..=a {
                for c in 0..=b {
                    let sum = a + b + c;
                    let (p, still) = coordinates(&q, &[a, b, c]);
                    let (one, still_one) = coordinates(&q, &[sum]);
                    // For the ratios of the vector: p/still = q^(sum - 2n), also summed by n.
                    for gamma in ratios(&q, sum) {
                        let (vector, single) =
                            (hockey(&p, &still, &gamma), hockey(&one, &still_one, &gamma));
                        assert!(vector <= single, "{q} {a} {b} {c} {gamma}");
                        assert!(hockey(&still, &p, &gamma) <= hockey(&still_one, &one, &gamma));
                    }
                    if sum > 0 {
                        let (less, still_less) = coordinates(&q, &[sum - 1]);
                        let seen = ratios(&q, sum).iter().any(|gamma| {
                            hockey(&p, &still, gamma) > hockey(&less, &still_less, gamma)
                        });
                        assert!(seen, "{q} {a} {b} {c}");
                    }
                }
            }
        }
    }
}

/// The same through the accountant, continuous noise included.
#[test]
fn composed_laplace_noise_is_below_one_coordinate() {
    for noise in ["discrete_laplace", "laplace"] {
        for scale in ["1/2", "2", "7"] {
            let leaf = |shift: u32| format!("{noise}(scale={scale}, sensitivity={shift})");
            for shifts in [vec![1, 1], vec![1, 2], vec![1, 1, 1], vec![2, 3, 1]] {
                let parts: Vec<_> = shifts.iter().map(|s| leaf(*s)).collect();
                let vector = loss(&parts.join(" + "));
                let single = loss(&leaf(shifts.iter().sum()));
                for k in 0..16_u32 {
                    let epsilon = f64::from(k) / 4.0;
                    let (inner, outer) =
                        (vector.delta(epsilon).unwrap(), single.delta(epsilon).unwrap());
                    assert!(inner.lower <= outer.upper, "{parts:?} {epsilon} {inner:?} {outer:?}");
                }
            }
        }
    }
}
