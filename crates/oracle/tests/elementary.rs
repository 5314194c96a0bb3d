//! Exponentials and logarithms against MPFR.

use rug::Float;
use throng_numeric::elementary::{log_add_exp, log_sub_exp, log_sum_exp};
use throng_numeric::widths::Function;
use throng_numeric::{Enclosure, NumericError};
use throng_oracle::inputs::{Random, reals};
use throng_oracle::{BITS, CASES, Comparison, exact};

type Outcome = Result<(), NumericError>;

#[test]
fn exp() -> Outcome {
    let comparison = Comparison::of(Function::Exp);
    for x in reals(1, CASES, -750.0, 712.0) {
        let (found, truth) = (Enclosure::point(x)?.exp(), exact(x).exp());
        if found.upper().is_finite() {
            comparison.check(x, found, &truth);
        } else {
            comparison.check_inside(x, found, &truth);
        }
    }
    Ok(())
}

#[test]
fn expm1() -> Outcome {
    let comparison = Comparison::of(Function::Expm1);
    for x in reals(2, CASES, -2.0, 2.0) {
        let (found, truth) = (Enclosure::point(x)?.expm1(), exact(x).exp_m1());
        if found.upper().is_finite() {
            comparison.check(x, found, &truth);
        } else {
            comparison.check_inside(x, found, &truth);
        }
    }
    Ok(())
}

#[test]
fn ln() -> Outcome {
    let comparison = Comparison::of(Function::Ln);
    for x in reals(3, CASES, 0.5, 2.0) {
        let x = x.abs();
        if x > 0.0 {
            comparison.check(x, Enclosure::point(x)?.ln()?, &exact(x).ln());
        }
    }
    Ok(())
}

#[test]
fn ln_1p() -> Outcome {
    let comparison = Comparison::of(Function::Ln1p);
    for x in reals(4, CASES, -1.0, 1.0) {
        if x > -1.0 {
            let truth = Float::with_val(2 * BITS, x).ln_1p();
            comparison.check(x, Enclosure::point(x)?.ln_1p()?, &truth);
        }
    }
    Ok(())
}

/// Enough bits for e^x of terms that differ by up to 2000.
fn exp_of(x: f64) -> Float {
    Float::with_val(4000, x).exp()
}

#[test]
fn sums() -> Outcome {
    let add = Comparison::of(Function::LogAddExp);
    let sub = Comparison::of(Function::LogSubExp);
    let mut random = Random::new(5);
    for i in 0..CASES {
        let x = random.between(-900.0, 900.0);
        let gap =
            if i % 2 == 0 { random.log_between(1e-18, 1000.0) } else { random.between(0.0, 50.0) };
        let y = x - gap;
        let (a, b) = (Enclosure::point(x)?, Enclosure::point(y)?);
        add.check((x, y), log_add_exp(a, b), &Float::with_val(4000, exp_of(x) + exp_of(y)).ln());
        if x > y {
            let truth = Float::with_val(4000, exp_of(x) - exp_of(y)).ln();
            sub.check((x, y), log_sub_exp(a, b)?, &truth);
        }
    }
    for (x, y) in [
        (f64::from_bits(1), 0.0),
        (0.0, -f64::from_bits(1)),
        (1e308, -1e308),
        (1.0, 1.0_f64.next_down()),
    ] {
        let (a, b) = (Enclosure::point(x)?, Enclosure::point(y)?);
        let gap = Float::with_val(4000, x) - y;
        let truth = Float::with_val(4000, -gap).exp_m1();
        let truth = Float::with_val(4000, -truth).ln() + x;
        sub.check((x, y), log_sub_exp(a, b)?, &truth);
    }
    Ok(())
}

#[test]
fn long_sums() -> Outcome {
    let comparison = Comparison::of(Function::LogSumExp);
    let mut random = Random::new(6);
    for i in 0..CASES {
        let shift = random.between(-1e6, 1e6);
        let terms: Vec<f64> =
            (0..i % 40 + 1).map(|_| shift + random.between(-100.0, 100.0)).collect();
        let points = terms.iter().map(|&x| Enclosure::point(x)).collect::<Result<Vec<_>, _>>()?;
        let mut sum = Float::new(BITS);
        for &x in &terms {
            sum += exact(x).exp();
        }
        comparison.check(&terms, log_sum_exp(&points)?, &sum.ln());
    }
    Ok(())
}

#[test]
fn intervals_map_to_intervals() -> Outcome {
    let mut random = Random::new(7);
    for _ in 0..1000 {
        let (a, b) = (random.between(-5.0, 5.0), random.between(-5.0, 5.0));
        let x = Enclosure::new(a.min(b), a.max(b))?;
        let inner = Float::with_val(BITS, (exact(a) + b) / 2);
        let truth = Float::with_val(BITS, &inner).exp();
        assert!(truth >= x.exp().lower() && truth <= x.exp().upper());
        if inner > 0 {
            let truth = inner.ln();
            assert!(truth >= x.ln()?.lower() && truth <= x.ln()?.upper());
        }
    }
    Ok(())
}
