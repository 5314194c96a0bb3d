//! The normal distribution against MPFR.

use rug::Float;
use rug::float::Constant;
use throng_numeric::widths::Function;
use throng_numeric::{Enclosure, NumericError, normal};
use throng_oracle::inputs::{Random, reals};
use throng_oracle::{BITS, CASES, Comparison, exact};

type Outcome = Result<(), NumericError>;

/// More bits, for what cancels.
const MORE: u32 = 512;

fn root_of_two() -> Float {
    Float::with_val(MORE, 2).sqrt()
}

fn pi() -> Float {
    Float::with_val(MORE, Constant::Pi)
}

/// 1 - w + 3w² - 15w³ + 105w⁴ - ... for w = 1/x², which is (1 - Φ(x)) x/φ(x) to 1e-60 for x > 1e6.
fn mills_series(x: &Float) -> Float {
    let w = Float::with_val(MORE, x.square_ref()).recip();
    let mut sum = Float::with_val(MORE, 1);
    for odd in [9, 7, 5, 3, 1] {
        sum = 1 - sum * odd * &w;
    }
    sum
}

/// erfcx of x >= 0: MPFR's erfc for moderate x, the series beyond.
fn erfcx_truth(x: f64) -> Float {
    let x = Float::with_val(MORE, x);
    if x < 1e6 {
        let square = Float::with_val(MORE, x.square_ref());
        return square.exp() * x.erfc();
    }
    let scaled = Float::with_val(MORE, &x * root_of_two());
    mills_series(&scaled) / (x * pi().sqrt())
}

/// Φ(x).
fn cdf_truth(x: f64) -> Float {
    (-Float::with_val(MORE, x) / root_of_two()).erfc() / 2
}

/// ln Φ(x), for x of any size.
fn ln_cdf_truth(x: f64) -> Float {
    if x > -1e6 {
        // For large x, Φ = 1 - tail, of which only the tail has digits.
        let tail = Float::with_val(MORE, -cdf_truth(-x));
        return if x > 0.0 { tail.ln_1p() } else { cdf_truth(x).ln() };
    }
    let x = -Float::with_val(MORE, x);
    let series = mills_series(&x).ln();
    let scale = Float::with_val(MORE, &x * (pi() * 2u32).sqrt()).ln();
    series - scale - x.square() / 2
}

#[test]
fn erf() -> Outcome {
    let comparison = Comparison::of(Function::Erf);
    for x in reals(11, CASES, -6.0, 6.0) {
        comparison.check(x, normal::erf(Enclosure::point(x)?), &Float::with_val(2 * BITS, x).erf());
    }
    Ok(())
}

#[test]
fn erfc() -> Outcome {
    let comparison = Comparison::of(Function::Erfc);
    for x in reals(12, CASES, -6.0, 28.0) {
        comparison.check(x, normal::erfc(Enclosure::point(x)?), &exact(x.clamp(-1e6, 1e6)).erfc());
    }
    Ok(())
}

#[test]
fn erfcx() -> Outcome {
    let comparison = Comparison::of(Function::Erfcx);
    for x in reals(13, CASES, -27.0, 30.0) {
        let found = normal::erfcx(Enclosure::point(x)?);
        let truth = if x >= 0.0 {
            erfcx_truth(x)
        } else if x > -30.0 {
            let square = Float::with_val(MORE, Float::with_val(MORE, x).square());
            square.exp() * Float::with_val(MORE, x).erfc()
        } else {
            assert!(found.lower() == f64::MAX && found.upper() == f64::INFINITY);
            continue;
        };
        if x > -26.6 {
            comparison.check(x, found, &truth);
        } else {
            comparison.check_inside(x, found, &truth);
        }
    }
    Ok(())
}

#[test]
fn cdf() -> Outcome {
    let comparison = Comparison::of(Function::NormalCdf);
    for x in reals(14, CASES, -39.0, 9.0) {
        comparison.check(x, normal::cdf(Enclosure::point(x)?), &cdf_truth(x.clamp(-1e6, 1e6)));
    }
    Ok(())
}

#[test]
fn survival() -> Outcome {
    let comparison = Comparison::of(Function::NormalSurvival);
    for x in reals(15, CASES, -9.0, 39.0) {
        comparison.check(
            x,
            normal::survival(Enclosure::point(x)?),
            &cdf_truth((-x).clamp(-1e6, 1e6)),
        );
    }
    Ok(())
}

#[test]
fn ln_cdf() -> Outcome {
    let comparison = Comparison::of(Function::NormalLnCdf);
    for x in reals(16, CASES, -50.0, 50.0) {
        let found = normal::ln_cdf(Enclosure::point(x)?);
        let truth = ln_cdf_truth(x.min(1e6));
        if x > -1e150 {
            comparison.check(x, found, &truth);
        } else {
            comparison.check_inside(x, found, &truth);
        }
    }
    Ok(())
}

#[test]
fn density() -> Outcome {
    let comparison = Comparison::of(Function::NormalDensity);
    for x in reals(17, CASES, -39.0, 39.0) {
        let square = Float::with_val(MORE, x.clamp(-1e6, 1e6)).square();
        let truth = Float::with_val(MORE, square / -2).exp() / (pi() * 2u32).sqrt();
        comparison.check(x, normal::density(Enclosure::point(x)?), &truth);
    }
    Ok(())
}

/// Inverting the inverse: Φ(lower) <= p <= Φ(upper).
#[test]
fn quantile() -> Outcome {
    let allowance = Function::NormalQuantile.allowance();
    let mut random = Random::new(18);
    let mut probabilities: Vec<f64> = throng_oracle::inputs::edges();
    for i in 0..CASES {
        probabilities.push(match i % 5 {
            0 => random.any().abs(),
            1 => random.log_between(1e-320, 1.0),
            2 => 0.5 + random.log_between(1e-17, 0.5),
            3 => 1.0 - random.log_between(1e-17, 0.5),
            _ => random.unit(),
        });
    }
    for p in probabilities.into_iter().filter(|&p| 0.0 < p && p < 1.0) {
        let x = normal::quantile(Enclosure::point(p)?)?;
        assert!(
            cdf_truth(x.lower()) <= p && cdf_truth(x.upper()) >= p,
            "quantile({p:e}) is not in {x}"
        );
        assert!(allowance.admits(x), "quantile({p:e}) = {x} is {:e} wide", x.width());
    }
    Ok(())
}
