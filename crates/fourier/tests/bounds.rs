//! What the proof assumes of the platform and of the crates, watched.
#![allow(clippy::disallowed_methods, reason = "inputs of a test may be anything")]

use std::f64::consts::{FRAC_PI_4, TAU};

use rustfft::{FftDirection, FftPlanner, FftPlannerScalar};
use throng_fourier::{Complex, Fourier, FourierError};

const UNIT: f64 = f64::EPSILON / 2.0;

#[expect(clippy::cast_precision_loss, reason = "lengths of a test are small")]
fn count(n: usize) -> f64 {
    n as f64
}

/// A sum and what rounding lost of it (Neumaier).
fn compensated(terms: impl Iterator<Item = f64>) -> (f64, f64) {
    terms.fold((0.0, 0.0), |(sum, lost), term| {
        let next = sum + term;
        let error =
            if f64::abs(sum) >= f64::abs(term) { (sum - next) + term } else { (term - next) + sum };
        (next, lost + error)
    })
}

/// e^(-2πi k/n), with the angle brought into [0, π/4] in integers first: off by less than 2u.
fn root(k: usize, n: usize) -> Complex<f64> {
    let eighth = 8 * (k % n) / n;
    let rest = 8 * (k % n) - eighth * n; // the angle is (eighth + rest / n) π/4
    let folded = if eighth.is_multiple_of(2) { rest } else { n - rest };
    let (sine, cosine) = (count(folded) / count(n) * FRAC_PI_4).sin_cos();
    let (x, y) = match eighth {
        0 => (cosine, sine),
        1 => (sine, cosine),
        2 => (-sine, cosine),
        3 => (-cosine, sine),
        4 => (-cosine, -sine),
        5 => (-sine, -cosine),
        6 => (sine, -cosine),
        _ => (cosine, -sine),
    };
    Complex::new(x, -y)
}

#[test]
fn roots_of_unity_as_the_crates_compute_them_are_within_12_units() {
    let mut worst = 0.0_f64;
    for bits in [3, 10, 16] {
        let n = 1_usize << bits;
        // As in `compute_twiddle` of both crates.
        let constant = -TAU / count(n);
        for k in 0..n {
            let angle = constant * count(k);
            worst = worst.max((Complex::new(angle.cos(), angle.sin()) - root(k, n)).norm());
        }
    }
    println!("worst root of unity: {:.1} u", worst / UNIT);
    // The reference is itself off by up to 2u.
    assert!(worst < 12.0 * UNIT && worst > UNIT, "{:.1} u", worst / UNIT);
}

/// Transforms of three spikes, whose exact spectra are known, by one planner.
fn check(
    name: &str,
    mut plan: impl FnMut(usize, FftDirection) -> std::sync::Arc<dyn rustfft::Fft<f64>>,
) {
    let mut worst = 0.0_f64;
    for bits in 1..15 {
        let n = 1_usize << bits;
        for direction in [FftDirection::Forward, FftDirection::Inverse] {
            let fft = plan(n, direction);
            for (a, b, c) in [(0, 1, n - 1), (n / 3, n / 2, 2 * n / 3), (n / 7, 3 * n / 5, n - 1)] {
                let mut data = vec![Complex::new(0.0, 0.0); n];
                for (j, mass) in [(a, 0.5), (b, 0.25), (c, 0.25)] {
                    data[j].re += mass;
                }
                fft.process(&mut data);
                for (f, value) in data.iter().enumerate() {
                    let sum = root(a * f, n) * 0.5 + (root(b * f, n) + root(c * f, n)) * 0.25;
                    let sum = if direction == FftDirection::Forward { sum } else { sum.conj() };
                    // 16 u a level, and 4 u for the reference.
                    let allowed = 16.0 * UNIT * f64::from(bits);
                    let error = (value - sum).norm() - 4.0 * UNIT;
                    assert!(error <= allowed, "{name}: length {n}, frequency {f}");
                    worst = worst.max(error / allowed);
                }
            }
        }
    }
    println!("{name}: at most {worst:.3} of the bound");
}

#[test]
fn every_planner_keeps_to_the_bound_of_its_levels() {
    let mut scalar = FftPlannerScalar::new();
    check("scalar", |n, direction| scalar.plan_fft(n, direction));
    let mut chosen = FftPlanner::new();
    check("as chosen for this machine", |n, direction| chosen.plan_fft(n, direction));
    if let Ok(mut sse) = rustfft::FftPlannerSse::new() {
        check("sse", |n, direction| sse.plan_fft(n, direction));
    }
    if let Ok(mut avx) = rustfft::FftPlannerAvx::new() {
        check("avx", |n, direction| avx.plan_fft(n, direction));
    }
    if let Ok(mut neon) = rustfft::FftPlannerNeon::new() {
        check("neon", |n, direction| neon.plan_fft(n, direction));
    }
}

/// The exact spectrum, off by a few u times the sum of the masses: every product and sum of N
/// terms is compensated.
fn spectrum(masses: &[f64]) -> Vec<Complex<f64>> {
    let n = masses.len();
    let part = |f: usize, of: fn(Complex<f64>) -> f64| {
        let (sum, lost) =
            compensated(masses.iter().enumerate().map(|(j, mass)| mass * of(root(f * j, n))));
        sum + lost
    };
    (0..=n / 2).map(|f| Complex::new(part(f, |z| z.re), part(f, |z| z.im))).collect()
}

/// Four laws of unit mass on n points.
fn laws(n: usize) -> [Vec<f64>; 4] {
    let spike = |at: usize| (0..n).map(|j| if j == at { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let bumpy = (0..n).map(|j| count(1 + j * 7919 % n) / count(n * (n + 1) / 2)).collect();
    let two = (0..n).map(|j| if j == 1 || j == n - 3 { 0.5 } else { 0.0 }).collect();
    [spike(n / 3), spike(n - 1), bumpy, two]
}

/// Observed errors of this machine's transforms as shares of their four bounds. Shares above
/// 1 disprove the bounds; shares near 0 everywhere would make this test worthless.
fn shares(n: usize) -> Result<[f64; 4], FourierError> {
    let fourier = Fourier::new(n)?;
    let epsilon = fourier.epsilon();
    let mut worst = [0.0_f64; 4];
    let mut seen = |which: usize, error: f64, bound: f64| {
        worst[which] = worst[which].max(error / bound);
    };
    for masses in laws(n) {
        let norm = masses.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut exact = spectrum(&masses);
        let full = |errors: &[f64]| {
            let all: f64 = errors.iter().map(|e| 2.0 * e * e).sum();
            let (first, last) = (errors[0], errors[n / 2]);
            (all - first * first - last * last).sqrt()
        };
        let errors: Vec<f64> = fourier
            .forward(&masses)?
            .iter()
            .zip(&exact)
            .map(|(got, exact)| (got - exact).norm())
            .collect();
        let largest = errors.iter().copied().fold(0.0, f64::max);
        seen(0, largest, std::f64::consts::SQRT_2 * epsilon);
        seen(1, full(&errors), epsilon * count(n).sqrt() * norm);

        let sizes: Vec<f64> = exact.iter().map(|z| z.norm()).collect();
        let mean = (2.0 * sizes.iter().sum::<f64>() - sizes[0] - sizes[n / 2]) / count(n);
        let back = fourier.inverse(&mut exact)?;
        let errors = back.iter().zip(&masses).map(|(got, mass)| got / count(n) - mass);
        let (largest, square) = errors
            .fold((0.0_f64, 0.0), |(largest, square), e| (largest.max(e.abs()), square + e * e));
        seen(2, largest, 2.0 * epsilon * mean);
        seen(3, square.sqrt(), epsilon * norm);
    }
    Ok(worst)
}

#[test]
fn transforms_keep_to_all_four_bounds_but_not_to_bounds_far_smaller() -> Result<(), FourierError> {
    for n in [4, 16, 64, 512, 1024] {
        let shares = shares(n)?;
        println!("length {n}: observed / bound = {shares:.4?}");
        // A bound too small by a factor of 1000 would be caught.
        assert!(shares.iter().all(|share| *share <= 1.0 && (*share > 1e-3 || n < 64)));
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<(), FourierError> {
    for length in [0, 1, 3, 12, usize::MAX, 1 << 31] {
        assert_eq!(Fourier::new(length).err(), Some(FourierError::Length { length }));
    }
    let fourier = Fourier::new(8)?;
    assert_eq!(fourier.forward(&[1.0; 9]), Err(FourierError::Input { given: 9, taken: 8 }));
    assert_eq!(fourier.inverse(&mut []), Err(FourierError::Input { given: 0, taken: 5 }));
    assert_eq!(fourier.forward(&[])?, [Complex::new(0.0, 0.0); 5]);
    Ok(())
}
