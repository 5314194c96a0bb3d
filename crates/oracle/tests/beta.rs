//! The incomplete beta function and binomial tails against MPFR.

use rug::{Integer, Rational};
use throng_numeric::widths::Function;
use throng_numeric::{Enclosure, NumericError, beta, tails};
use throng_oracle::inputs::Random;
use throng_oracle::{CASES, Comparison, truth};

/// Points per pair of shapes, for the truth about a pair is costly.
const PER_SHAPE: usize = 10;

type Outcome = Result<(), NumericError>;

struct Four {
    lower: Comparison,
    upper: Comparison,
    ln_lower: Comparison,
    ln_upper: Comparison,
}

impl Four {
    fn beta() -> Self {
        Self {
            lower: Comparison::of(Function::Beta),
            upper: Comparison::of(Function::BetaComplement),
            ln_lower: Comparison::of(Function::LnBeta),
            ln_upper: Comparison::of(Function::LnBetaComplement),
        }
    }

    fn check(&self, a: f64, b: f64, x: f64) -> Outcome {
        let pair = truth::beta(a, b, x);
        let (p, q, point) = (Enclosure::point(a)?, Enclosure::point(b)?, Enclosure::point(x)?);
        self.lower.check((a, b, x), beta::regularised(p, q, point)?, &pair.lower);
        self.upper.check((a, b, x), beta::complement(p, q, point)?, &pair.upper);
        self.ln_lower.check((a, b, x), beta::ln_regularised(p, q, point)?, &pair.ln_lower());
        self.ln_upper.check((a, b, x), beta::ln_complement(p, q, point)?, &pair.ln_upper());
        Ok(())
    }
}

/// A probability at a random number of standard deviations from the mean, inside [0.08, 0.92]
/// (the series of the truth is slow next to 1).
fn near_mean(random: &mut Random, a: f64, b: f64, deviations: f64) -> f64 {
    let (n, mean) = (a + b, a / (a + b));
    let deviation = (mean * (1.0 - mean) / (n + 1.0)).sqrt();
    (mean + random.between(-deviations, deviations) * deviation).clamp(0.08, 0.92)
}

#[test]
fn moderate_shapes() -> Outcome {
    let (four, mut random) = (Four::beta(), Random::new(31));
    for _ in 0..CASES / 2 / PER_SHAPE {
        let (a, b) = (random.log_between(0.3, 40.0), random.log_between(0.3, 40.0));
        for _ in 0..PER_SHAPE {
            let x = near_mean(&mut random, a, b, 5.0);
            four.check(a, b, x)?;
        }
    }
    Ok(())
}

/// Draws shapes, and for each some points.
fn check_shapes(seed: u64, mut draw: impl FnMut(usize, &mut Random) -> (f64, f64)) -> Outcome {
    let (four, mut random) = (Four::beta(), Random::new(seed));
    for i in 0..CASES / 2 / PER_SHAPE {
        let (a, b) = draw(i, &mut random);
        for j in 0..PER_SHAPE {
            let x = if j % 2 == 0 {
                random.between(0.1, 0.9)
            } else {
                near_mean(&mut random, a, b, 9.0)
            };
            four.check(a, b, x)?;
        }
    }
    Ok(())
}

#[test]
fn small_shapes() -> Outcome {
    check_shapes(32, |i, random| {
        let least = if i % 20 < 2 { 1e-100 } else { 1e-6 }; // the truth needs many bits below
        if i % 2 == 0 {
            (random.log_between(least, 2.0), random.log_between(0.1, 20.0))
        } else {
            (random.log_between(least, 1.0), random.log_between(least, 1.0))
        }
    })
}

#[test]
fn large_shapes() -> Outcome {
    check_shapes(35, |i, random| {
        let most = if i % 20 == 0 { 1e4 } else { 60.0 };
        (random.log_between(0.5, most), random.log_between(0.5, most))
    })
}

#[test]
fn edges() -> Outcome {
    let four = Four::beta();
    let shapes = [0.1, 0.5, 1.0, 1.0_f64.next_up(), 2.0, 15.5, 16.0, 100.0, 1e3];
    for a in shapes {
        for b in shapes {
            for x in [
                1e-300,
                1e-20,
                1e-3,
                0.002,
                0.02,
                0.1,
                0.5,
                0.5_f64.next_up(),
                0.9,
                0.99,
                0.999,
                1.0 - 1e-6,
                1.0 - 1e-10,
                1.0_f64.next_down(),
            ] {
                four.check(a, b, x)?;
            }
        }
    }
    for (a, b, x) in
        [(5e8, 5e8, 0.5), (1e6, 9e8, 1.1e-3), (2e5 + 0.25, 3e5, 0.401), (1000.0, 0.5, 0.9995)]
    {
        four.check(a, b, x)?;
    }
    Ok(())
}

#[test]
fn binomial() -> Outcome {
    let cdf = Comparison::of(Function::BinomialCdf);
    let survival = Comparison::of(Function::BinomialSurvival);
    let ln_cdf = Comparison::of(Function::LnBinomialCdf);
    let ln_survival = Comparison::of(Function::LnBinomialSurvival);
    let mut random = Random::new(33);
    for i in 0..CASES {
        let n = random.log_integer(1, if i % 100 == 0 { 20_000 } else { 60 });
        let k = random.bits() % n;
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let (a, b) = (k as f64 + 1.0, (n - k) as f64);
        let p = near_mean(&mut random, a, b, if i % 10 == 0 { 12.0 } else { 4.0 });
        let pair = truth::beta(a, b, p);
        let point = Enclosure::point(p)?;
        cdf.check((k, n, p), tails::binomial_cdf(k, n, point)?, &pair.upper);
        survival.check((k, n, p), tails::binomial_survival(k, n, point)?, &pair.lower);
        ln_cdf.check((k, n, p), tails::ln_binomial_cdf(k, n, point)?, &pair.ln_upper());
        ln_survival.check((k, n, p), tails::ln_binomial_survival(k, n, point)?, &pair.ln_lower());
    }
    Ok(())
}

/// The truth itself against exact rational sums.
#[test]
fn the_truth_is_true() {
    let mut random = Random::new(34);
    for _ in 0..200 {
        let n = u32::try_from(random.log_integer(1, 40)).unwrap_or(1);
        let k = u32::try_from(random.bits() % u64::from(n)).unwrap_or(0);
        let p = random.unit().max(1e-3);
        let chance = Rational::from_f64(p).unwrap_or_default();
        let mut sum = Rational::new();
        let mut term = Rational::from(1);
        let powers: Vec<Rational> = (0..=n)
            .map(|_| {
                let power = term.clone();
                term *= Rational::from(1) - &chance;
                power
            })
            .collect();
        let mut success = Rational::from(1);
        for j in 0..=k {
            let ways = Rational::from(Integer::from(n).binomial(j));
            sum += ways * &success * &powers[(n - j) as usize];
            success *= &chance;
        }
        let pair = truth::beta(f64::from(k) + 1.0, f64::from(n - k), p);
        let ratio = rug::Float::with_val(truth::BITS, &sum) / pair.upper - 1u32;
        assert!(ratio.abs() < 1e-70, "binomial({k}, {n}, {p})");
    }
}
