//! Exact reals and their rounding against their exact laws.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support::continuous::{LaplaceLogNormal, laplace, normal, rounded, student};
use crate::support::judge::Experiment;
use crate::support::law::Law;
use crate::support::laws::{
    coin, discrete_laplace, gaussian_remainder, geometric, rational, single, spread, whole,
    without_low_bit,
};
use throng_numeric::{Enclosure, Integer, Rational};
use throng_sample::real::{Interval, LazyExponential, LazyNormal, LazyUniform};
use throng_sample::{
    RoundedLaplace, RoundedLaplaceLogNormal, RoundedNormal, RoundedStudent, SampleError,
    SeededEntropy,
};

fn small(drawn: Integer) -> i64 {
    i64::try_from(drawn).unwrap()
}

/// A value that may be astronomically large, moved to where the law has its last cell.
fn clamped(drawn: &Integer) -> i64 {
    let far = Integer::from(1_i64 << 40);
    small(drawn.clone().clamp(-&far, far))
}

/// Where the interval begins, and the same after it was refined to a hundred bits and back.
fn start(
    mut bounds: impl FnMut(usize) -> Result<Interval, SampleError>,
) -> Result<i64, SampleError> {
    let fine = bounds(100)?;
    let coarse = bounds(3)?;
    assert!(coarse.lower()? <= fine.lower()? && fine.upper()? <= coarse.upper()?);
    assert!(&coarse.to - &coarse.from == Integer::ONE && coarse.bits == 3);
    Ok(small(coarse.from))
}

/// ⌊8 U⌋ is uniform below 8, ⌊8 E⌋ is geometric of scale 8, and ⌊8 N⌋ has differences of Φ. Wrong:
/// scales off by 5 %, and the sign of N left out.
#[test]
fn reals_in_eighths() {
    let even = Law::finite(&[Enclosure::ONE / whole(8); 8]);
    Experiment { law: &even, samples: 100_000, seed: 80 }.accepts(|entropy| {
        let mut number = LazyUniform::new();
        start(|bits| number.bounds(bits, entropy))
    });

    let edges = single(0, 40);
    let law = geometric(&rational("8"), edges.clone());
    let exponential = |entropy: &mut SeededEntropy| {
        let mut number = LazyExponential::draw(entropy)?;
        start(|bits| number.bounds(bits, entropy))
    };
    let samples = 150_000;
    Experiment { law: &law, samples, seed: 81 }.accepts(exponential);
    let wrong = geometric(&rational("8.4"), edges);
    Experiment { law: &wrong, samples, seed: 81 }.rejects(&law, exponential);

    // ⌊8 N⌋ is the nearest integer to 8 N - 1/2.
    let edges = single(-20, 20);
    let law_of = |scale| rounded(&rational("-1/2"), &rational(scale), edges.clone(), normal);
    let gaussian = |entropy: &mut SeededEntropy| {
        let mut number = LazyNormal::draw(entropy)?;
        start(|bits| number.bounds(bits, entropy))
    };
    Experiment { law: &law_of("8"), samples, seed: 82 }.accepts(gaussian);
    Experiment { law: &law_of("8.4"), samples, seed: 82 }.rejects(&law_of("8"), gaussian);
    let sign = coin(normal(&Rational::ZERO));
    let positive = coin(Enclosure::ONE);
    let experiment = Experiment { law: &sign, samples: 10_000, seed: 83 };
    experiment.accepts(|entropy| gaussian(entropy).map(|x| i64::from(x >= 0)));
    experiment.rejects(&positive, |entropy| gaussian(entropy).map(|x| i64::from(x.abs() >= 0)));
}

/// Accepts the right centre and scale; rejects a scale off by `off` and a centre off by a tenth of
/// the scale.
fn tells(
    (centre, scale, off): (&str, &str, &str),
    edges: &[i64],
    (samples, seed): (u64, u64),
    below: &dyn Fn(&Rational) -> Enclosure,
    draw: &dyn Fn(&Rational, &Rational, &mut SeededEntropy) -> Result<Integer, SampleError>,
) {
    let (centre, scale) = (rational(centre), rational(scale));
    let law_of = |c: &Rational, s: &Rational| rounded(c, s, edges.to_vec(), below);
    let law = law_of(&centre, &scale);
    let experiment = Experiment { law: &law, samples, seed };
    experiment.accepts(|entropy| Ok(clamped(&draw(&centre, &scale, entropy)?)));
    let wide = &scale * &rational(off);
    experiment
        .rejects(&law_of(&centre, &wide), |entropy| Ok(clamped(&draw(&centre, &wide, entropy)?)));
    let beside = &centre + &(&scale * &rational("1/10"));
    experiment
        .rejects(&law_of(&beside, &scale), |entropy| Ok(clamped(&draw(&beside, &scale, entropy)?)));
}

#[test]
fn rounded_normal() {
    let draw = |c: &Rational, s: &Rational, entropy: &mut SeededEntropy| {
        RoundedNormal::new(c, s)?.draw(entropy)
    };
    tells(("1/3", "1/2", "1.06"), &single(-2, 3), (150_000, 84), &normal, &draw);
    tells(("-7/2", "10/3", "1.06"), &single(-15, 8), (150_000, 85), &normal, &draw);
    tells(("1e6", "1e6", "1.06"), &spread(4_000_000, 40), (150_000, 86), &normal, &draw);
}

#[test]
fn rounded_laplace() -> Result<(), SampleError> {
    let draw = |c: &Rational, s: &Rational, entropy: &mut SeededEntropy| {
        RoundedLaplace::new(c, s)?.draw(entropy)
    };
    tells(("1/3", "1/2", "1.06"), &single(-3, 4), (150_000, 87), &laplace, &draw);
    tells(("-7/2", "10/3", "1.06"), &single(-20, 12), (150_000, 88), &laplace, &draw);
    tells(("1e6", "1e6", "1.06"), &spread(6_000_000, 40), (150_000, 89), &laplace, &draw);
    // It is not the discrete law of the same scale.
    let (centre, scale) = (Rational::ZERO, Rational::ONE);
    let discrete = discrete_laplace(&scale, single(-6, 6));
    let wrong = rounded(&centre, &scale, single(-6, 6), laplace);
    let sampler = RoundedLaplace::new(&centre, &scale)?;
    let experiment = Experiment { law: &discrete, samples: 50_000, seed: 90 };
    experiment.rejects(&wrong, |entropy| sampler.draw(entropy).map(small));
    Ok(())
}

#[test]
fn rounded_student() {
    for (degrees, seed) in [(2_u32, 91), (4, 92), (16, 95)] {
        let below = |t: &Rational| student(i64::from(degrees), t);
        let draw = |c: &Rational, s: &Rational, entropy: &mut SeededEntropy| {
            RoundedStudent::new(degrees, c, s)?.draw(entropy)
        };
        let case = (40_000, seed);
        tells(("1/3", "1/2", "1.2"), &single(-4, 5), case, &below, &draw);
        tells(("-7/2", "10/3", "1.1"), &single(-25, 18), case, &below, &draw);
        // A tail of 10^10 scales, which the first cells do not see.
        tells(("5e5", "1e6", "1.1"), &spread(9_000_000, 40), case, &below, &draw);
    }
}

/// Wrong: other degrees of freedom.
#[test]
fn degrees_of_freedom_are_told_apart() -> Result<(), SampleError> {
    let (centre, scale, edges) = (rational("1/3"), rational("10"), single(-60, 60));
    let law_of = |d: i64| rounded(&centre, &scale, edges.clone(), |t| student(d, t));
    let experiment = Experiment { law: &law_of(4), samples: 100_000, seed: 96 };
    for wrong in [2_u32, 6] {
        let sampler = RoundedStudent::new(wrong, &centre, &scale)?;
        experiment.rejects(&law_of(wrong.into()), |entropy| Ok(clamped(&sampler.draw(entropy)?)));
    }
    Ok(())
}

/// By quadrature over Y. Wrong: plain Laplace noise, σ off by 20 %, and the tells of the others.
#[test]
fn rounded_laplace_log_normal() -> Result<(), SampleError> {
    let (centre, scale, sigma) = (rational("1/3"), rational("10/3"), rational("1/2"));
    let edges = vec![-20, -8, -4, -2, -1, 0, 1, 2, 4, 8, 20];
    let right = LaplaceLogNormal::new(&sigma);
    let draw = |c: &Rational, s: &Rational, entropy: &mut SeededEntropy| {
        RoundedLaplaceLogNormal::new(c, s, &rational("1/2"))?.draw(entropy)
    };
    let case = ("1/3", "10/3", "1.06");
    tells(case, &edges, (150_000, 97), &|t| right.below(t), &draw);
    let law = rounded(&centre, &scale, edges.clone(), |t| right.below(t));
    let experiment = Experiment { law: &law, samples: 100_000, seed: 98 };
    for wrong in ["0", "0.6"].map(rational) {
        let sampler = RoundedLaplaceLogNormal::new(&centre, &scale, &wrong)?;
        let off = LaplaceLogNormal::new(&wrong);
        let off = rounded(&centre, &scale, edges.clone(), |t| off.below(t));
        experiment.rejects(&off, |entropy| sampler.draw(entropy).map(small));
    }
    Ok(())
}

/// By Poisson summation the remainders of a normal variable of σ = 10^6, rounded, are as even as
/// those of the discrete law: the rounding only multiplies the ripples by sin(πj/m)/(πj/m).
/// Wrong: the lowest bit is lost.
#[test]
fn wide_noise_has_low_bits() -> Result<(), SampleError> {
    let (centre, scale) = (rational("1/3"), rational("1000000"));
    let law = gaussian_remainder(&scale.square(), 16);
    let sampler = RoundedNormal::new(&centre, &scale)?;
    let draw = |entropy: &mut SeededEntropy| sampler.draw(entropy).map(small);
    let experiment = Experiment { law: &law, samples: 100_000, seed: 99 };
    experiment.accepts(|entropy| Ok(draw(entropy)?.rem_euclid(16)));
    experiment.rejects(&without_low_bit(&law), |entropy| Ok(draw(entropy)?.rem_euclid(16) / 2 * 2));
    Ok(())
}
