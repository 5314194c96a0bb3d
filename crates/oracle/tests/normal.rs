//! The normal distribution against MPFR.

use rug::Float;
use throng_numeric::widths::Function;
use throng_numeric::{Enclosure, NumericError, normal};
use throng_oracle::inputs::{Random, reals};
use throng_oracle::{CASES, Comparison, truth};

type Outcome = Result<(), NumericError>;

/// Where a function has reached its limit as far as an `f64` can tell, the truth may as well
/// be taken at this distance.
const FAR: f64 = 1e6;

/// MPFR has erfc itself; it is slow, so only some of the truths are held against it.
#[test]
fn the_truth_is_true() {
    let mut random = Random::new(10);
    for _ in 0..60 {
        let x = truth::real(random.between(3.0, 30.0));
        let ratio = Float::with_val(truth::BITS, x.erfc_ref()) / truth::erfc(&x) - 1u32;
        assert!(ratio.abs() < 1e-65, "erfc({x})");
    }
}

#[test]
fn erf() -> Outcome {
    let comparison = Comparison::of(Function::Erf);
    for x in reals(11, CASES, -6.0, 6.0) {
        comparison.check(x, normal::erf(Enclosure::point(x)?), &truth::real(x).erf());
    }
    Ok(())
}

#[test]
fn erfc() -> Outcome {
    let comparison = Comparison::of(Function::Erfc);
    for x in reals(12, CASES, -6.0, 28.0) {
        comparison.check(
            x,
            normal::erfc(Enclosure::point(x)?),
            &truth::erfc(&truth::real(x.clamp(-FAR, FAR))),
        );
    }
    Ok(())
}

#[test]
fn erfcx() -> Outcome {
    let comparison = Comparison::of(Function::Erfcx);
    for x in reals(13, CASES, -27.0, 30.0) {
        let found = normal::erfcx(Enclosure::point(x)?);
        if x < -30.0 {
            assert!(found.lower() == f64::MAX && found.upper() == f64::INFINITY);
            continue;
        }
        let z = truth::real(x);
        let truth = if x >= 0.0 {
            truth::erfcx(&z)
        } else {
            Float::with_val(truth::BITS, z.square_ref()).exp() * truth::erfc(&z)
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
        comparison.check(
            x,
            normal::cdf(Enclosure::point(x)?),
            &truth::normal_cdf(x.clamp(-FAR, FAR)),
        );
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
            &truth::normal_cdf((-x).clamp(-FAR, FAR)),
        );
    }
    Ok(())
}

#[test]
fn ln_cdf() -> Outcome {
    let comparison = Comparison::of(Function::NormalLnCdf);
    for x in reals(16, CASES, -50.0, 50.0) {
        let found = normal::ln_cdf(Enclosure::point(x)?);
        let truth = truth::ln_normal_cdf(x.min(FAR));
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
        let truth = truth::normal_density(x.clamp(-FAR, FAR));
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
            truth::normal_cdf(x.lower()) <= p && truth::normal_cdf(x.upper()) >= p,
            "quantile({p:e}) is not in {x}"
        );
        assert!(allowance.admits(x), "quantile({p:e}) = {x} is {:e} wide", x.width());
    }
    Ok(())
}
