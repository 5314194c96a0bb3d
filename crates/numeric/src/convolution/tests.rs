//! Convolutions are compared with exact ones, in integers: the exact value must always lie
//! inside, and the bounds must be neither far too wide nor suspiciously tight.
#![allow(clippy::disallowed_methods, reason = "inputs of a test may be anything")]

mod tails;

use proptest::prelude::*;

use super::direct::count;
use super::*;
use crate::{Enclosure, Natural, Rational};

type Outcome<T = ()> = Result<T, NumericError>;

/// The smallest power of two that all f64 are multiples of is 2^-1074.
const PLACES: usize = 1074;

/// x / 2^-1074, an integer.
fn units(x: f64) -> Natural {
    let (bits, biased) = (x.to_bits() & ((1 << 52) - 1), x.to_bits() >> 52);
    if biased == 0 {
        return Natural::from(bits);
    }
    Natural::from(bits | 1 << 52) << usize::try_from(biased - 1).unwrap_or(0)
}

/// The exact convolution, in units of 2^-2148.
fn exact(a: &[f64], b: &[f64]) -> Vec<Natural> {
    multiply(&integers(a), &integers(b))
}

fn integers(a: &[f64]) -> Vec<Natural> {
    a.iter().map(|&x| units(x)).collect()
}

fn multiply(a: &[Natural], b: &[Natural]) -> Vec<Natural> {
    let mut c = vec![Natural::ZERO; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
        for (j, y) in b.iter().enumerate().filter(|(_, y)| !y.is_zero()) {
            c[i + j] += x * y;
        }
    }
    c
}

/// Whether an enclosure holds truth 2^-places.
fn holds(enclosure: Enclosure, truth: &Natural, places: usize) -> bool {
    let above = |end: f64| units(end) << (places - PLACES);
    above(enclosure.lower()) <= *truth
        && (enclosure.upper().is_infinite() || *truth <= above(enclosure.upper()))
}

fn as_f64(truth: &Natural, places: usize) -> f64 {
    Rational::new(truth.clone(), Natural::ONE << places).map_or(f64::NAN, |r| r.to_f64_nearest())
}

fn at(index: usize) -> u64 {
    u64::try_from(index).unwrap_or(u64::MAX)
}

/// A generator of repeatable, shapeless numbers in [0, 1).
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        count(usize::try_from(state >> 11).unwrap_or(0)) / 9_007_199_254_740_992.0
    }
}

fn normalised(mut a: Vec<f64>) -> Vec<f64> {
    let total: f64 = a.iter().sum();
    a.iter_mut().for_each(|x| *x /= total);
    a
}

/// Forces the transform whatever the length: a tilt so small that it is none.
fn by_fourier<'a>(factors: Vec<Factor<'a>>) -> Outcome<Composition<'a>> {
    Composition::new(factors)?.within(Window::Covering { outside: 1e-300 })
}

/// Every shape that has ever broken a convolution.
fn shapes(n: usize) -> Vec<Vec<f64>> {
    let mut random = noise(7);
    let of = |f: &mut dyn FnMut(usize) -> f64| normalised((0..n).map(f).collect());
    vec![
        of(&mut |_| 1.0),
        of(&mut |_| random()),
        of(&mut |j| if j == n / 3 { 1.0 } else { 0.0 }),
        of(&mut |j| if j % 2 == 0 { 1.0 } else { 0.0 }),
        of(&mut |j| (-count(j)).exp2()),
        of(&mut |j| (-(count(j) - count(n / 2)).powi(2) / count(n)).exp()),
        of(&mut |j| if j % 7 == 3 { 1e-300 } else { 1.0 }),
        of(&mut |j| 10_f64.powf(-300.0 * count(j * 37 % n) / count(n))),
        of(&mut |j| if j == 0 { 1.0 } else { 1e-320 }),
    ]
}

#[test]
fn every_entry_of_a_transform_is_enclosed_and_the_bound_is_neither_wild_nor_vain() -> Outcome {
    let (mut tightest, mut widest) = (f64::INFINITY, 0.0_f64);
    for n in [1, 2, 3, 17, 64, 130] {
        let shapes = shapes(n);
        for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            let law = by_fourier(vec![Factor::new(a, 1)?, Factor::new(b, 1)?])?.convolve()?;
            let mut worst = 0.0_f64;
            for (k, truth) in exact(a, b).iter().enumerate() {
                assert!(holds(law.mass(at(k)), truth, 2 * PLACES), "entry {k} of {a:?} * {b:?}");
                worst = worst.max((law.value(at(k)) - as_f64(truth, 2 * PLACES)).abs());
            }
            if n == 130 && worst > 1e-20 {
                let slack = law.error().0 / worst;
                (tightest, widest) = (tightest.min(slack), widest.max(slack));
            }
        }
    }
    println!("bound / observed error of a transform: {tightest:.0} to {widest:.0}");
    // The test has power: bounds a thousand times smaller would have been caught.
    assert!(tightest < 1e3, "the bound is {tightest} times the error at best");
    Ok(())
}

#[test]
fn a_long_transform_is_as_good_as_its_bound_says() -> Outcome {
    // Masses that are multiples of 2^-40 make an exact reference cheap.
    let mut random = noise(3);
    let grid = |x: f64| (x * 1_073_741_824.0).round() / 1_099_511_627_776.0;
    let a: Vec<f64> = (0..1500).map(|_| grid(random() / 0.8)).collect();
    let b: Vec<f64> =
        (0..1500).map(|j| grid((-(count(j) - 700.0).powi(2) / 2e4).exp() * 4.0)).collect();
    let law = convolve(&a, &b)?;
    let integer = |a: &[f64]| -> Vec<u128> {
        a.iter().map(|x| u128::try_from(units(*x) >> (PLACES - 40)).unwrap_or(0)).collect()
    };
    let (a, b) = (integer(&a), integer(&b));
    let mut worst = 0.0_f64;
    for k in 0..2999_usize {
        let terms = k.saturating_sub(1499)..=k.min(1499);
        let truth: u128 = terms.map(|i| a[i] * b[k - i]).sum();
        let truth = Natural::from(truth);
        let mass = law.mass(at(k));
        assert!(holds(mass, &(&truth << (PLACES - 80)), PLACES), "entry {k}");
        if mass.lower() > 0.0 {
            let middle = f64::midpoint(mass.lower(), mass.upper());
            worst = worst.max((middle - as_f64(&truth, 80)).abs());
        }
    }
    let slack = law.mass(1500).width() / 2.0 / worst;
    println!("bound / observed error at length 4096: {slack:.0}");
    assert!(slack < 1e3, "the bound is {slack} times the error");
    Ok(())
}

#[test]
fn a_direct_convolution_is_accurate_relative_to_every_entry() -> Outcome {
    for shape in shapes(40) {
        let law = convolve(&shape, &shape)?;
        for (k, truth) in exact(&shape, &shape).iter().enumerate() {
            let mass = law.mass(at(k));
            assert!(holds(mass, truth, 2 * PLACES));
            assert!(mass.width() <= 2e-14 * mass.upper() + 1e-321, "entry {k}: {mass}");
        }
    }
    Ok(())
}

#[test]
fn subnormal_and_huge_masses_are_enclosed() -> Outcome {
    let tiny = [5e-324, 3e-320, 0.0, 1e-310];
    let huge = [1e300, 2e305, 1e-300, 7e299];
    for (a, b) in [(tiny, tiny), (tiny, huge), (huge, tiny)] {
        for law in [
            convolve(&a, &b)?,
            by_fourier(vec![Factor::new(&a, 1)?, Factor::new(&b, 1)?])?.convolve()?,
            by_fourier(vec![Factor::new(&a, 1)?, Factor::new(&b, 1)?])?.tilted(1.5)?.convolve()?,
        ] {
            for (k, truth) in exact(&a, &b).iter().enumerate() {
                assert!(
                    holds(law.mass(at(k)), truth, 2 * PLACES),
                    "entry {k}: {}",
                    law.mass(at(k))
                );
            }
        }
    }
    assert!(matches!(convolve(&huge, &huge), Err(NumericError::TooLarge { .. })));
    Ok(())
}

#[test]
fn what_is_not_a_sequence_of_masses_is_refused() -> Outcome {
    assert!(matches!(convolve(&[], &[1.0]), Err(NumericError::Empty { .. })));
    assert!(matches!(convolve_all(&[]), Err(NumericError::Empty { .. })));
    for bad in [f64::NAN, f64::INFINITY, -1e-300] {
        assert!(matches!(power(&[0.5, bad], 3), Err(NumericError::OutOfDomain { .. })));
    }
    assert!(matches!(power(&[0.5, 0.5], 0), Err(NumericError::OutOfDomain { .. })));
    assert!(matches!(power(&[0.5, 0.5], 1 << 30), Err(NumericError::TooLarge { .. })));
    assert!(matches!(power(&[0.5, 0.5], u64::MAX), Err(NumericError::TooLarge { .. })));
    assert!(matches!(power(&[f64::MAX, f64::MAX], 3), Err(NumericError::TooLarge { .. })));
    let fair = Composition::new(vec![Factor::new(&[0.5, 0.5], 9)?])?;
    for ratio in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(fair.tilted(ratio).is_err());
    }
    assert!(fair.within(Window::From { start: 0, length: 0 }).is_err());
    assert!(fair.within(Window::Covering { outside: f64::NAN }).is_err());
    let law = fair.convolve()?;
    assert!(law.sum(0..3, |_| Enclosure::REAL).is_err());
    Ok(())
}

#[test]
fn a_sequence_of_zeros_gives_zeros() -> Outcome {
    let law = convolve_all(&[&[0.0, 0.0], &[0.5, 0.5], &[1.0]])?;
    assert_eq!(law.tail_from(0), Enclosure::ZERO);
    assert!(power(&[0.25, 0.75], 1)?.mass(1).is_exact());
    let law = power(&[1.0], 1_000_000)?;
    assert!(law.mass(0).contains(1.0));
    assert_eq!(law.mass(1), Enclosure::ZERO);
    Ok(())
}

#[test]
fn a_power_agrees_with_repeated_convolution_in_integers() -> Outcome {
    for (a, k) in [(vec![0.25, 0.5, 0.25], 9), (vec![0.125, 0.0, 0.0, 3.0], 13), (vec![0.1; 10], 5)]
    {
        let base = integers(&a);
        let truth = (1..k).fold(base.clone(), |c, _| multiply(&c, &base));
        let law = power(&a, at(k))?;
        for (j, truth) in truth.iter().enumerate() {
            let mass = law.mass(at(j));
            assert!(holds(mass, truth, k * PLACES), "entry {j}: {mass}");
            assert!(mass.width() <= 1e-11 * law.tail_from(0).upper());
        }
    }
    Ok(())
}

#[test]
fn windows_state_what_wraps() -> Outcome {
    // 40 dice need 241 entries; windows of 64 and less wrap more and more.
    let die = [0.0, 0.25, 0.125, 0.125, 0.25, 0.25];
    let base = integers(&die);
    let truth = (1..40).fold(base.clone(), |c, _| multiply(&c, &base));
    let throw = Composition::new(vec![Factor::new(&die, 40)?])?;
    for (start, length) in [(100, 64), (112, 32), (120, 16), (0, 64), (180, 128), (0, 8)] {
        for ratio in [1.0, 0.8, 1.3] {
            let law = throw.tilted(ratio)?.within(Window::From { start, length })?.convolve()?;
            assert!(law.outside() > 0.0);
            for (j, mass) in truth.iter().enumerate() {
                assert!(holds(law.mass(at(j)), mass, 40 * PLACES), "{start} {length} {ratio} {j}");
                let tail: Natural = truth[j..].iter().sum();
                assert!(holds(law.tail_from(at(j)), &tail, 40 * PLACES), "tail {j}");
                let head: Natural = truth[..j].iter().sum();
                assert!(holds(law.head_before(at(j)), &head, 40 * PLACES), "head {j}");
            }
        }
    }
    let law = throw.within(Window::Covering { outside: 1e-3 })?.convolve()?;
    assert!(law.outside() <= 1e-3 && law.window().end - law.window().start < 201);
    Ok(())
}

#[test]
fn many_sequences_share_one_inverse_transform() -> Outcome {
    let sequences: Vec<Vec<f64>> = (1..9).map(|n| shapes(n + 3)[n].clone()).collect();
    let borrowed: Vec<&[f64]> = sequences.iter().map(Vec::as_slice).collect();
    let law = convolve_all(&borrowed)?;
    let truth =
        sequences.iter().skip(1).fold(integers(&sequences[0]), |c, s| multiply(&c, &integers(s)));
    for (j, mass) in truth.iter().enumerate() {
        assert!(holds(law.mass(at(j)), mass, 8 * PLACES), "entry {j}");
        assert!(law.mass(at(j)).width() < 1e-12);
    }
    Ok(())
}

/// Masses of any size down to the subnormals, many of them zero.
fn masses() -> impl Strategy<Value = Vec<f64>> {
    let mass = prop_oneof![
        2 => Just(0.0),
        4 => 0.0..1.0_f64,
        2 => (-300.0..3.0_f64).prop_map(|e| 10_f64.powf(e)),
        1 => (1..1_000_u64).prop_map(f64::from_bits),
    ];
    prop::collection::vec(mass, 1..40)
}

proptest! {
    #[test]
    fn the_exact_value_is_always_inside(
        a in masses(),
        b in masses(),
        ratio in prop_oneof![Just(1.0), 0.3..3.0_f64, Just(1e-6), Just(1e9)],
        length in 1..200_usize,
        start in 0..60_u64,
    ) {
        let truth = exact(&a, &b);
        let pair = Composition::new(vec![Factor::new(&a, 1)?, Factor::new(&b, 1)?])?;
        let window = Window::From { start, length: length.max(a.len()).max(b.len()) };
        for law in [
            pair.convolve()?,
            pair.tilted(ratio)?.convolve()?,
            pair.tilted(ratio)?.within(window)?.convolve()?,
            pair.tilted(ratio)?.within(Window::Covering { outside: 1e-9 })?.convolve()?,
        ] {
            for (k, mass) in truth.iter().enumerate() {
                prop_assert!(holds(law.mass(at(k)), mass, 2 * PLACES), "mass {k}");
                let tail: Natural = truth[k..].iter().sum();
                prop_assert!(holds(law.tail_from(at(k)), &tail, 2 * PLACES), "tail {k}");
                let head: Natural = truth[..k].iter().sum();
                prop_assert!(holds(law.head_before(at(k)), &head, 2 * PLACES), "head {k}");
            }
        }
    }

    #[test]
    fn weighted_sums_enclose(a in masses(), weights in prop::collection::vec(0.0..1.0_f64, 80), ratio in 0.5..2.0_f64) {
        let law = Composition::new(vec![Factor::new(&a, 2)?])?.tilted(ratio)?.convolve()?;
        let weight = |j: u64| Enclosure::point(weights[usize::try_from(j).unwrap_or(0)]);
        let got = law.sum(1..79, |j| weight(j).unwrap_or(Enclosure::UNIT))?;
        let truth: Natural = exact(&a, &a).iter().enumerate().skip(1)
            .map(|(j, mass)| mass * units(weights[j])).sum();
        prop_assert!(holds(got, &truth, 3 * PLACES));
    }

    #[test]
    fn powers_enclose(a in prop::collection::vec(0.0..1.0_f64, 1..6), k in 1..7_usize, ratio in 0.2..5.0_f64) {
        let base = integers(&a);
        let truth = (1..k).fold(base.clone(), |c, _| multiply(&c, &base));
        let composition = Composition::new(vec![Factor::new(&a, at(k))?])?;
        for law in [composition.convolve()?, composition.tilted(ratio)?.convolve()?] {
            for (j, mass) in truth.iter().enumerate() {
                prop_assert!(holds(law.mass(at(j)), mass, k * PLACES), "entry {j}");
            }
        }
    }
}
