//! The gamma function, its incomplete integrals and Poisson tails against MPFR.

use rug::Float;
use throng_numeric::widths::Function;
use throng_numeric::{Enclosure, NumericError, gamma, tails};
use throng_oracle::inputs::{Random, reals};
use throng_oracle::{CASES, Comparison, truth};

/// Points per shape, for the truth about a shape is costly.
const PER_SHAPE: usize = 10;

type Outcome = Result<(), NumericError>;

#[test]
fn ln_gamma() -> Outcome {
    let comparison = Comparison::of(Function::LnGamma);
    for x in reals(21, CASES / 2, 0.0, 40.0).into_iter().chain(reals(22, CASES / 2, 0.9, 2.1)) {
        let x = x.abs();
        if x == 0.0 {
            continue;
        }
        let found = gamma::ln_gamma(Enclosure::point(x)?)?;
        if x <= 1e300 {
            comparison.check(x, found, &truth::real(x).ln_gamma());
        } else {
            comparison.check_inside(x, found, &truth::real(x).ln_gamma());
        }
    }
    Ok(())
}

/// The four comparisons of one pair of probabilities.
struct Four {
    lower: Comparison,
    upper: Comparison,
    ln_lower: Comparison,
    ln_upper: Comparison,
}

impl Four {
    fn gamma() -> Self {
        Self {
            lower: Comparison::of(Function::GammaLower),
            upper: Comparison::of(Function::GammaUpper),
            ln_lower: Comparison::of(Function::LnGammaLower),
            ln_upper: Comparison::of(Function::LnGammaUpper),
        }
    }

    fn check(&self, a: f64, x: f64) -> Outcome {
        let pair = truth::gamma(a, x);
        let (shape, point) = (Enclosure::point(a)?, Enclosure::point(x)?);
        self.lower.check((a, x), gamma::regularised_lower(shape, point)?, &pair.lower);
        self.upper.check((a, x), gamma::regularised_upper(shape, point)?, &pair.upper);
        self.ln_lower.check((a, x), gamma::ln_regularised_lower(shape, point)?, &pair.ln_lower());
        self.ln_upper.check((a, x), gamma::ln_regularised_upper(shape, point)?, &pair.ln_upper());
        Ok(())
    }
}

/// A mean at a random number of standard deviations from the shape.
fn mean_near(random: &mut Random, a: f64, deviations: f64) -> f64 {
    (a + random.between(-deviations, deviations) * a.sqrt()).abs().max(1e-3)
}

#[test]
fn incomplete_of_moderate_shape() -> Outcome {
    let (four, mut random) = (Four::gamma(), Random::new(23));
    for _ in 0..CASES / 2 / PER_SHAPE {
        let a = random.log_between(0.3, 60.0);
        for _ in 0..PER_SHAPE {
            let x = mean_near(&mut random, a, 5.0);
            four.check(a, x)?;
        }
    }
    Ok(())
}

#[test]
fn incomplete_of_any_shape() -> Outcome {
    let (four, mut random) = (Four::gamma(), Random::new(24));
    for i in 0..CASES / 2 {
        let (a, x) = match i % 8 {
            0 => (random.log_between(1e-100, 1.0), random.log_between(1e-300, 1.6)),
            1 => (random.log_between(1e-5, 1.0), random.between(0.5, 20.0)),
            2 => (random.log_between(0.1, 100.0), random.log_between(1e-300, 100.0)),
            3 if i % 64 == 3 => (random.log_between(1.0, 300.0), random.between(1.0, 900.0)),
            4 if i % 64 == 4 => {
                let a = random.log_between(100.0, 1e5);
                (a, mean_near(&mut random, a, 12.0))
            }
            _ => (random.log_between(0.5, 30.0), random.log_between(0.1, 60.0)),
        };
        four.check(a, x)?;
    }
    Ok(())
}

#[test]
fn incomplete_at_edges() -> Outcome {
    let four = Four::gamma();
    for a in [
        1e-100,
        1e-9,
        0.1,
        0.5,
        0.999,
        1.0,
        1.0_f64.next_up(),
        1.5,
        2.0,
        15.5,
        16.0,
        17.0,
        100.0,
        1e3,
        1e6,
    ] {
        for x in [
            1e-300,
            1e-20,
            0.1,
            0.5,
            1.0,
            1.5,
            1.5_f64.next_down(),
            1.6,
            2.0,
            15.0,
            16.5,
            99.0,
            101.0,
            1e3,
            3e3,
        ] {
            four.check(a, x)?;
        }
    }
    for (a, x) in [(1e9, 1e9), (1e9, 1e9 + 2e5), (1e9 + 0.5, 1e9 - 3e5), (5e7, 5e7 + 1e5)] {
        four.check(a, x)?;
    }
    Ok(())
}

#[test]
fn poisson() -> Outcome {
    let cdf = Comparison::of(Function::PoissonCdf);
    let survival = Comparison::of(Function::PoissonSurvival);
    let ln_cdf = Comparison::of(Function::LnPoissonCdf);
    let ln_survival = Comparison::of(Function::LnPoissonSurvival);
    let mut random = Random::new(25);
    for i in 0..CASES {
        let k = random.log_integer(0, if i % 100 == 0 { 100_000 } else { 60 });
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let shape = k as f64 + 1.0;
        let mean = mean_near(&mut random, shape, if i % 10 == 0 { 12.0 } else { 4.0 });
        let pair = truth::gamma(shape, mean);
        let point = Enclosure::point(mean)?;
        cdf.check((k, mean), tails::poisson_cdf(k, point)?, &pair.upper);
        survival.check((k, mean), tails::poisson_survival(k, point)?, &pair.lower);
        ln_cdf.check((k, mean), tails::ln_poisson_cdf(k, point)?, &pair.ln_upper());
        ln_survival.check((k, mean), tails::ln_poisson_survival(k, point)?, &pair.ln_lower());
    }
    Ok(())
}

/// MPFR has Γ(a, x) itself; it is slow, so only some of the truths are held against it.
#[test]
fn the_truth_is_true() {
    let mut random = Random::new(26);
    for _ in 0..300 {
        let a = random.log_between(0.01, 100.0);
        let x = mean_near(&mut random, a, 6.0);
        let whole = truth::real(a).gamma();
        let upper = truth::real(a).gamma_inc(&truth::real(x)) / whole;
        let ratio = Float::with_val(truth::BITS, upper / truth::gamma(a, x).upper) - 1u32;
        assert!(ratio.abs() < 1e-60, "Q({a}, {x})");
    }
}

/// Garwood's 95% interval for 60 events, from tables.
#[test]
fn garwood() -> Outcome {
    let p =
        gamma::regularised_lower(Enclosure::point(60.0)?, Enclosure::point(45.786_320_950_007_3)?)?;
    let q =
        gamma::regularised_upper(Enclosure::point(61.0)?, Enclosure::point(77.231_893_406_643_3)?)?;
    assert!((p.lower() - 0.025).abs() < 1e-14 && (q.lower() - 0.025).abs() < 1e-14);
    Ok(())
}
