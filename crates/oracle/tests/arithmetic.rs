//! Directed rounding, interval arithmetic and the integer exponential against MPFR.

use rug::ops::Pow;
use rug::{Float, Integer};
use throng_numeric::fixed::exp_neg;
use throng_numeric::rounding::{
    add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_down, sqrt_up, sub_down, sub_up,
};
use throng_numeric::widths::Function;
use throng_numeric::{Enclosure, NumericError, Rational};
use throng_oracle::inputs::{Random, edges};
use throng_oracle::{CASES, Comparison};

/// Enough for the exact sum of any two `f64`.
const EXACT: u32 = 2300;

/// Enough for the exact product of any two, and to tell a quotient or root from its rounding.
const DOUBLE: u32 = 320;

fn pairs(seed: u64) -> Vec<(f64, f64)> {
    let mut random = Random::new(seed);
    let edges = edges();
    let mut all = Vec::new();
    for i in 0..CASES {
        all.push(match i % 4 {
            0 => (random.any(), random.any()),
            1 => {
                let x = random.any();
                (x, x * random.between(-2.0, 2.0))
            }
            2 => (random.between(-10.0, 10.0), random.between(-10.0, 10.0)),
            _ => {
                let pick =
                    |bits: u64| edges[usize::try_from(bits % 500).unwrap_or(0) % edges.len()];
                (pick(random.bits()), pick(random.bits()))
            }
        });
    }
    all.retain(|(x, y)| x.is_finite() && y.is_finite());
    all
}

/// Asserts `down <= truth <= up`, one step apart at most, and one and the same if exact.
fn assert_directed(input: (f64, f64), down: f64, up: f64, truth: &Float) {
    assert!(*truth >= down && *truth <= up, "{input:?}: {truth:.30} is not in [{down:e}, {up:e}]");
    assert!(up <= down.next_up().next_up(), "{input:?}: [{down:e}, {up:e}] is wide");
}

fn check_width(comparison: &Comparison, input: (f64, f64), found: Enclosure, truth: &Float) {
    if found.lower().is_finite() && found.upper().is_finite() {
        comparison.check(input, found, truth);
    } else {
        comparison.check_inside(input, found, truth);
    }
}

#[test]
fn sums() -> Result<(), NumericError> {
    let (add, sub) = (Comparison::of(Function::Add), Comparison::of(Function::Sub));
    for (x, y) in pairs(41) {
        let sum = Float::with_val(EXACT, x) + y;
        let difference = Float::with_val(EXACT, x) - y;
        assert_directed((x, y), add_down(x, y), add_up(x, y), &sum);
        assert_directed((x, y), sub_down(x, y), sub_up(x, y), &difference);
        let (a, b) = (Enclosure::point(x)?, Enclosure::point(y)?);
        check_width(&add, (x, y), a + b, &sum);
        check_width(&sub, (x, y), a - b, &difference);
    }
    Ok(())
}

#[test]
fn products() -> Result<(), NumericError> {
    let (mul, div) = (Comparison::of(Function::Mul), Comparison::of(Function::Div));
    let square = Comparison::of(Function::Square);
    for (x, y) in pairs(42) {
        let (a, b) = (Enclosure::point(x)?, Enclosure::point(y)?);
        let product = Float::with_val(DOUBLE, x) * y;
        assert_directed((x, y), mul_down(x, y), mul_up(x, y), &product);
        check_width(&mul, (x, y), a * b, &product);
        check_width(&square, (x, x), a.square(), &(Float::with_val(DOUBLE, x) * x));
        if y != 0.0 {
            let quotient = Float::with_val(DOUBLE, x) / y;
            assert_directed((x, y), div_down(x, y), div_up(x, y), &quotient);
            check_width(&div, (x, y), a / b, &quotient);
        }
    }
    Ok(())
}

#[test]
fn roots() -> Result<(), NumericError> {
    let comparison = Comparison::of(Function::Sqrt);
    for (x, _) in pairs(43) {
        let x = x.abs();
        let truth = Float::with_val(DOUBLE, x).sqrt();
        assert_directed((x, x), sqrt_down(x), sqrt_up(x), &truth);
        comparison.check(x, Enclosure::point(x)?.sqrt()?, &truth);
    }
    Ok(())
}

#[test]
fn powers() -> Result<(), NumericError> {
    let comparison = Comparison::of(Function::Powi);
    let mut random = Random::new(44);
    for i in 0..CASES {
        let x = if i % 10 == 0 { random.any() } else { random.between(-4.0, 4.0) };
        let n = i32::try_from(random.bits() % 201).unwrap_or(0) - 100;
        if x == 0.0 {
            continue;
        }
        let truth = Float::with_val(8000, x).pow(n);
        let found = Enclosure::point(x)?.powi(n);
        let ordinary = truth.clone().abs() > 1e-290 && truth.clone().abs() < 1e290;
        // A negative power is one over the positive, which must be ordinary, too.
        if ordinary {
            comparison.check((x, n), found, &truth);
        } else {
            comparison.check_inside((x, n), found, &truth);
        }
    }
    Ok(())
}

/// Intervals with ends of all signs: the results of points inside stay inside.
#[test]
fn intervals() -> Result<(), NumericError> {
    let mut random = Random::new(45);
    for _ in 0..CASES {
        let mut interval = || {
            let (a, b) = (random.between(-3.0, 3.0), random.between(-3.0, 3.0));
            let at = random.unit();
            let (low, high) = (a.min(b), a.max(b));
            (low, high, (low + at * (high - low)).clamp(low, high))
        };
        let ((a, b, x), (c, d, y)) = (interval(), interval());
        let (p, q) = (Enclosure::new(a, b)?, Enclosure::new(c, d)?);
        let (x, y) = (Float::with_val(DOUBLE, x), Float::with_val(DOUBLE, y));
        let quotient = Float::with_val(DOUBLE, &x / &y);
        let results = [
            (p + q, Float::with_val(DOUBLE, &x + &y)),
            (p - q, Float::with_val(DOUBLE, &x - &y)),
            (p * q, Float::with_val(DOUBLE, &x * &y)),
            (p / q, quotient),
            (p.square(), Float::with_val(DOUBLE, x.square_ref())),
            (p.powi(3), Float::with_val(DOUBLE, (&x).pow(3))),
            (p.powi(4), Float::with_val(DOUBLE, (&x).pow(4))),
            (p.powi(-3), Float::with_val(DOUBLE, (&x).pow(-3))),
        ];
        for (found, truth) in results {
            assert!(truth >= found.lower() && truth <= found.upper(), "{p} {q}: {truth} {found}");
        }
    }
    Ok(())
}

#[test]
fn integer_exponential() -> Result<(), Box<dyn std::error::Error>> {
    let mut random = Random::new(46);
    for i in 0..CASES {
        let numerator = random.log_integer(0, 1 << 40);
        let denominator = random.log_integer(1, 1 << 40).max(1);
        let bits = usize::try_from(random.bits() % 300).unwrap_or(0);
        let x = Rational::new(numerator, denominator)?;
        if i % 3 == 0 && numerator / denominator > 400 {
            continue;
        }
        let found = exp_neg(&x, bits)?;
        let exponent = -(Float::with_val(1200, numerator) / denominator);
        let truth = exponent.exp() << i32::try_from(bits)?;
        let lower = Integer::from_str_radix(&found.lower.to_string(), 10)?;
        let upper = Integer::from_str_radix(&found.upper.to_string(), 10)?;
        assert!(truth >= lower && truth <= upper, "e^-{x} at {bits} bits");
        assert!(upper - lower <= 2, "e^-{x} at {bits} bits is wide");
    }
    Ok(())
}
