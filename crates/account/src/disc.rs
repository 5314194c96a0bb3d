//! Complex numbers that carry a bound on their error.
//!
//! Inside a Fourier inversion every value is a sum or product of numbers of modulus about one,
//! so a plain absolute error bound beside the value is enough; no interval arithmetic is needed.

use throng_numeric::Enclosure;
use throng_numeric::trigonometric::cos_minus_one_sin;

/// Half the distance from 1 to the next number: the relative error of one rounding.
pub(crate) const U: f64 = f64::EPSILON / 2.0;

/// Error terms are sums and products of a few non-negative numbers, computed in ordinary
/// arithmetic; this factor covers the roundings of up to some thousand such operations.
pub(crate) const SLACK: f64 = 1.0 + 1e-12;

/// A disc in the complex plane that contains the true value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Disc {
    pub(crate) re: f64,
    pub(crate) im: f64,
    /// The true value is at most this far away.
    pub(crate) error: f64,
}

impl Disc {
    pub(crate) const ZERO: Self = Self { re: 0.0, im: 0.0, error: 0.0 };
    pub(crate) const ONE: Self = Self { re: 1.0, im: 0.0, error: 0.0 };

    /// e^(i angle) - 1, where the true angle is within `error` of `angle`.
    pub(crate) fn turn_minus_one(angle: f64, error: f64) -> Self {
        let (re, im, rounding) = cos_minus_one_sin(angle);
        // |e^(ia) - e^(ib)| <= |a - b|; each component is within the rounding, sqrt 2 < 1.5.
        Self { re, im, error: (1.5 * rounding + error) * SLACK }
    }

    /// A bound on the modulus of every point of the disc.
    pub(crate) fn modulus(self) -> f64 {
        (self.re.hypot(self.im) + self.error) * SLACK
    }

    /// self * other.
    pub(crate) fn times(self, other: Self) -> Self {
        let (a, b) = (self.re.hypot(self.im), other.re.hypot(other.im));
        // Each component is a sum of two products: the errors of three roundings, at most
        // 2u(|x||y|) each component, so 4u|a||b| covers the pair.
        let rounding = 4.0 * U * a * b;
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
            error: (a * other.error + b * self.error + self.error * other.error + rounding) * SLACK,
        }
    }

    /// self + other.
    pub(crate) fn plus(self, other: Self) -> Self {
        let (re, im) = (self.re + other.re, self.im + other.im);
        let rounding = 2.0 * U * re.hypot(im);
        Self { re, im, error: (self.error + other.error + rounding) * SLACK }
    }

    /// self * scale.
    pub(crate) fn scaled(self, scale: f64) -> Self {
        let (re, im) = (self.re * scale, self.im * scale);
        let error = (self.error * scale.abs() + 2.0 * U * re.hypot(im)) * SLACK;
        Self { re, im, error }
    }

    /// (1 + self)^times - 1, by squaring. Working with the distance from 1 keeps what a tiny
    /// step says even if it is taken 10^9 times.
    pub(crate) fn power_minus_one(self, times: u64) -> Self {
        let (mut result, mut square, mut n) = (Self::ZERO, self, times);
        loop {
            if n & 1 == 1 {
                result = result.join(square);
            }
            n >>= 1;
            if n == 0 {
                return result;
            }
            square = square.join(square);
        }
    }

    /// (1 + self)(1 + other) - 1 = self + other + self * other.
    pub(crate) fn join(self, other: Self) -> Self {
        let (re, im) = (
            self.re + other.re + (self.re * other.re - self.im * other.im),
            self.im + other.im + (self.re * other.im + self.im * other.re),
        );
        let (a, b) = (self.re.hypot(self.im), other.re.hypot(other.im));
        let (whole_a, whole_b) = ((1.0 + self.re).hypot(self.im), (1.0 + other.re).hypot(other.im));
        let rounding = 6.0 * U * (a + b + a * b);
        let inherited = whole_a * other.error + whole_b * self.error + self.error * other.error;
        Self { re, im, error: (inherited + rounding) * SLACK }
    }

    /// 1/self; an unbounded disc if 0 may be inside.
    pub(crate) fn inverse(self) -> Self {
        let square = self.re * self.re + self.im * self.im;
        let modulus = square.sqrt();
        let nearest = (modulus - self.error) * (1.0 - 4.0 * U);
        if nearest.is_nan() || nearest <= 0.0 {
            return Self { re: 0.0, im: 0.0, error: f64::INFINITY };
        }
        // |1/z - 1/w| = |z - w|/(|z||w|), and 4 roundings.
        let error = self.error / (nearest * modulus) + 6.0 * U / modulus;
        Self { re: self.re / square, im: -self.im / square, error: error * SLACK }
    }

    /// The disc moved by 1.
    pub(crate) fn plus_one(self) -> Self {
        self.plus(Self::ONE)
    }
}

/// A point of an enclosure near its middle and the distance to the farther end.
pub(crate) fn centre(x: Enclosure) -> (f64, f64) {
    let middle = x.lower() + (x.upper() - x.lower()) / 2.0;
    let middle = middle.clamp(x.lower(), x.upper());
    (middle, ((x.upper() - middle).max(middle - x.lower())) * SLACK)
}
