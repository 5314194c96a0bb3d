//! `f64` arithmetic with a direction.
//!
//! `x_down(a, b)` is at most the exact result and `x_up(a, b)` at least; both are exact
//! whenever the exact result is a `f64` that the error-free transformations below can see.
//!
//! # Why this is right
//! Rust's `+ - * /` and `sqrt` round to nearest (IEEE 754), so the exact result lies strictly
//! between the neighbours of the rounded one. It is therefore always sound to step one `f64`
//! outward; the error terms only serve to *avoid* the step when the rounded result is already
//! on the right side. Infinities: an overflowed `+inf` steps down to `f64::MAX`, which is below
//! the exact (finite, huge) result, and stays `+inf` upward. NaN never steps and is passed on.

/// a + b = s + e exactly (Knuth), unless something overflows, when e is NaN or infinite.
#[inline]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let b_part = s - a;
    let a_part = s - b_part;
    (s, (a - a_part) + (b - b_part))
}

/// Splits a = hi + lo with both halves of at most 26 bits (Veltkamp).
#[inline]
fn split(a: f64) -> (f64, f64) {
    const FACTOR: f64 = 134_217_729.0; // 2^27 + 1
    let c = FACTOR * a;
    let hi = c - (c - a);
    (hi, a - hi)
}

/// a * b = p + e exactly (Dekker), provided nothing over- or underflows on the way: it is
/// enough that |a|, |b| < 2^995, |a b| < 2^1020 and |a b| > 2^-960 (or a b = 0).
#[inline]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let (ah, al) = split(a);
    let (bh, bl) = split(b);
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

/// Where [`two_product`] is exact.
#[inline]
fn product_is_tame(a: f64, b: f64, p: f64) -> bool {
    a.abs() < 1e299 && b.abs() < 1e299 && p.abs() < 1e306 && p.abs() > 1e-288
}

/// Rounds `nearest` down given the sign of (exact - nearest).
#[inline]
fn settle_down(nearest: f64, error: f64) -> f64 {
    if error >= 0.0 && nearest < f64::INFINITY { nearest } else { nearest.next_down() }
}

/// Rounds `nearest` up given the sign of (exact - nearest).
#[inline]
fn settle_up(nearest: f64, error: f64) -> f64 {
    if error <= 0.0 && nearest > f64::NEG_INFINITY { nearest } else { nearest.next_up() }
}

/// The sign of a * b - fl(a * b), or NaN when unknown.
#[inline]
fn product_error(a: f64, b: f64, p: f64) -> f64 {
    if product_is_tame(a, b, p) { two_product(a, b).1 } else { f64::NAN }
}

/// The sign of a / b - fl(a / b), or NaN when unknown: the remainder a - q b is exact.
#[inline]
fn quotient_error(a: f64, b: f64, q: f64) -> f64 {
    if !product_is_tame(q, b, a) {
        return f64::NAN;
    }
    let (p, e) = two_product(q, b);
    let remainder = (a - p) - e;
    if b > 0.0 { remainder } else { -remainder }
}

/// At most a + b.
#[inline]
#[must_use]
pub fn add_down(a: f64, b: f64) -> f64 {
    let s = a + b;
    if s == f64::NEG_INFINITY || s.is_infinite() && (a.is_infinite() || b.is_infinite()) {
        return s;
    }
    settle_down(s, two_sum(a, b).1)
}

/// At least a + b.
#[inline]
#[must_use]
pub fn add_up(a: f64, b: f64) -> f64 {
    -add_down(-a, -b)
}

/// At most a - b.
#[inline]
#[must_use]
pub fn sub_down(a: f64, b: f64) -> f64 {
    add_down(a, -b)
}

/// At least a - b.
#[inline]
#[must_use]
pub fn sub_up(a: f64, b: f64) -> f64 {
    add_up(a, -b)
}

/// At most a * b, where 0 * anything is 0 (an infinite end of an interval is a limit, not a
/// value, so the product with an exact zero vanishes).
#[inline]
#[must_use]
pub fn mul_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let p = a * b;
    if p == f64::NEG_INFINITY || p.is_infinite() && (a.is_infinite() || b.is_infinite()) {
        return p;
    }
    settle_down(p, product_error(a, b, p))
}

/// At least a * b, where 0 * anything is 0.
#[inline]
#[must_use]
pub fn mul_up(a: f64, b: f64) -> f64 {
    -mul_down(-a, b)
}

/// At most a / b for b other than 0. Division by an infinite b is the limit 0, and
/// infinity over infinity, which has no limit, is NaN.
#[inline]
#[must_use]
pub fn div_down(a: f64, b: f64) -> f64 {
    let q = a / b;
    if q.is_nan() || q == f64::NEG_INFINITY || a.is_infinite() || a == 0.0 {
        return q;
    }
    if b.is_infinite() {
        // a / b tends to zero from the side of sign(a) sign(b): zero is below or above it.
        return if q.is_sign_positive() { 0.0 } else { -f64::from_bits(1) };
    }
    settle_down(q, quotient_error(a, b, q))
}

/// At least a / b for b other than 0.
#[inline]
#[must_use]
pub fn div_up(a: f64, b: f64) -> f64 {
    -div_down(-a, b)
}

/// At most the square root of a >= 0.
#[inline]
#[must_use]
pub fn sqrt_down(a: f64) -> f64 {
    let r = a.sqrt();
    if r == 0.0 || r.is_infinite() || r.is_nan() {
        return r;
    }
    settle_down(r, root_error(a, r))
}

/// At least the square root of a >= 0.
#[inline]
#[must_use]
pub fn sqrt_up(a: f64) -> f64 {
    let r = a.sqrt();
    if r == 0.0 || r.is_infinite() || r.is_nan() {
        return r;
    }
    settle_up(r, root_error(a, r))
}

/// The sign of sqrt(a) - r, or NaN when unknown: that of a - r^2.
#[inline]
fn root_error(a: f64, r: f64) -> f64 {
    if !product_is_tame(r, r, a) {
        return f64::NAN;
    }
    let (p, e) = two_product(r, r);
    (a - p) - e
}
