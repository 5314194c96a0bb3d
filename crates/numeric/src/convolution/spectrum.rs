//! Products and powers of spectra, and the proof of their error.
//!
//! The spectrum of the convolution of a_1 (k_1 times), ..., a_m (k_m times) is C = Π A_i^{k_i}.
//! We have computed Â_i with errors e_i: |e_i(f)| <= e_i := √2 ε s_i for every f, where s_i >=
//! ‖a_i‖₁, and ‖e_i‖₂ <= ρ_i := ε √N ‖a_i‖₂ (`throng_fourier`). K = Σ k_i, u = 2^-53.
//!
//! # Guarantee
//! The inverse transform ĉ of the computed product differs from the circular convolution c of the
//! sequences by at most [`Inverse::uniform`] in every entry and by at most
//! [`Inverse::euclidean`] in the Euclidean norm over all entries.
//!
//! # Proof
//! *Inherited error.* Let G_i = |Â_i| + e_i, which bounds both |Â_i| and |A_i|, and P = Π G_i^{k_i}.
//! Exchanging one factor after the other,
//! |Π Â_i^{k_i} - Π A_i^{k_i}| <= P Σ_i k_i |e_i(f)| / G_i at every frequency. Averaged over the
//! frequencies, which bounds every entry of the inverse, this is at most
//!
//! * (1/N) Σ_f P S, S = Σ_i k_i e_i / G_i, by the uniform bound on e_i; and also at most
//! * (1/N) √m (Σ_f P² Q)^½, Q = Σ_i (k_i ρ_i / G_i)², by Cauchy and Schwarz over f and i, since
//!   Σ_i Σ_f |e_i(f)|² / ρ_i² <= m.
//!
//! The smaller is used: the first wins for high powers, the second for wide inputs. The Euclidean
//! norm of the inherited error is at most ((1/N) Σ_f P² S²)^½, and also at most
//! Σ_i k_i ρ_i max_f(P/G_i) / √N, where P/G_i <= Π_l (s_l + 2 e_l)^{k_l} / (s_i + 2 e_i), because
//! G_i <= |A_i| + 2 e_i <= s_i + 2 e_i.
//!
//! *Multiplication.* A complex product is off by at most √2 γ₂ < 3u of its modulus (Higham, Lemma
//! 3.5). Computing Π Â_i^{k_i} by any bracketing, repeated squaring included, gives a product of K
//! leaves with K - 1 roundings counted with multiplicity, so it is off by at most
//! κ |Π Â_i^{k_i}| <= κ P, κ = 3 u K / (1 - 3 u K).
//!
//! *Inverse transform.* Off by at most 2 ε (1/N) Σ_f |Ĉ| in every entry and by ε ((1/N) Σ_f |Ĉ|²)^½
//! in norm (which bounds every entry too), with |Ĉ| <= (1 + κ) P.
//!
//! *Rounding of these bounds.* They are sums and products of non-negative numbers. G is computed
//! with four roundings, G^k with 5k, a sum over frequencies with at most 2^28; squares double all
//! that. With K <= 2^31 this is a relative error below 2 (5 2^31 + 2^28 + 64) 2^-53 < 2^-17 of any
//! of them, and multiplying by 1 + 2^-16 ([`INFLATION`]) covers it.
//!
//! *Underflow.* The sums s_i are at most about 1 (checked: Π (s_i + 2 e_i)^{k_i} <= 2^20), so every
//! intermediate number is below 2^60, and an operation that underflows, even one flushed to zero,
//! is off by 2^-1022 at most. Such errors are carried on by factors of at most 2^20: in a forward
//! transform fewer than 2^28 · 29 of them add up in one number; a power multiplies them by at most
//! K <= 2^31; an average over frequencies does not increase them. In all less than 2^-940
//! ([`UNDERFLOW`]). The same covers the subnormal entries lost in tilting, at most 2^28 · 2^-1074 in
//! one norm.

use throng_fourier::{Complex, Fourier};

use super::direct::count;
use super::tilt::Tilted;
use super::too_large;
use super::total::norm;
use super::window::Place;
use crate::NumericError;
use crate::rounding::{add_up, div_up, mul_up, sqrt_up, sub_down};

/// Above 1 plus the relative error of the bounds themselves.
const INFLATION: f64 = 1.0 + 1.0 / 65_536.0;

/// 2^-940, above all errors by underflow together.
pub(super) const UNDERFLOW: f64 = f64::from_bits((1023 - 940) << 52);

/// Magnitudes below this count as 0: 2^-1020, see *Underflow*.
const VANISHING: f64 = f64::from_bits(3 << 52);

/// Above √2 = 1.41421356237309504..., being 1.41421356237309514...
const SQRT_2_UP: f64 = std::f64::consts::SQRT_2;

/// What is carried along for one frequency.
#[derive(Clone, Copy)]
struct Line {
    value: Complex<f64>,
    /// P.
    magnitude: f64,
    /// S.
    uniform: f64,
    /// Q.
    square: f64,
}

/// A product of spectra with its error.
pub(super) struct Spectrum {
    fourier: Fourier,
    length: usize,
    lines: Vec<Line>,
    repetitions: f64,
    factors: f64,
    /// Π (s_i + 2 e_i)^{k_i}.
    top: f64,
    /// Σ k_i ρ_i / (s_i + 2 e_i).
    steepness: f64,
}

/// A sequence with a bound on its error.
pub(super) struct Inverse {
    pub(super) values: Vec<f64>,
    pub(super) uniform: f64,
    pub(super) euclidean: f64,
    /// At least the sum of the exact sequence.
    pub(super) total: f64,
}

impl Spectrum {
    /// The empty product, for transforms of a power-of-two length.
    pub(super) fn new(length: usize, repetitions: u64) -> Result<Self, NumericError> {
        let one = Line { value: Complex::new(1.0, 0.0), magnitude: 1.0, uniform: 0.0, square: 0.0 };
        Ok(Self {
            fourier: Fourier::new(length)?,
            length,
            lines: vec![one; length / 2 + 1],
            repetitions: real(repetitions),
            factors: 0.0,
            top: 1.0,
            steepness: 0.0,
        })
    }

    /// Multiplies by the spectrum of a factor, as many times as it takes part.
    pub(super) fn multiply(&mut self, factor: &Tilted) -> Result<(), NumericError> {
        let transform = self.fourier.forward(&factor.masses)?;
        let epsilon = self.fourier.epsilon();
        let error = mul_up(mul_up(SQRT_2_UP, epsilon), factor.total);
        let spread = mul_up(epsilon, mul_up(sqrt_up(count(self.length)), norm(&factor.masses)));
        let times = real(factor.times);
        for (line, value) in self.lines.iter_mut().zip(transform) {
            line.multiply(value, factor.times, [error, times * error, times * spread]);
        }
        let most = add_up(factor.total, add_up(error, error));
        self.top = mul_up(self.top, mul_up(power(most, factor.times), INFLATION));
        self.steepness = add_up(self.steepness, div_up(mul_up(times, spread), most));
        self.factors += 1.0;
        if self.top <= 1_048_576.0 { Ok(()) } else { Err(too_large("the total mass", 1_048_576)) }
    }

    /// Transforms back.
    pub(super) fn invert(mut self, place: Place) -> Result<Inverse, NumericError> {
        let (uniform, euclidean) = self.error();
        let mut product: Vec<Complex<f64>> = self.lines.iter().map(|line| line.value).collect();
        self.lines = Vec::new();
        let circular = self.fourier.inverse(&mut product)?;
        let shrink = count(self.length).recip(); // a power of two
        // The exact masses are not negative, so neither need ours be: moving a negative one to 0
        // brings it nearer to the exact one.
        let values = place.indices().map(|i| (circular[i] * shrink).max(0.0)).collect();
        Ok(Inverse { values, uniform, euclidean, total: self.top })
    }

    /// The two bounds of the module's guarantee.
    fn error(&self) -> (f64, f64) {
        let sums = Sums::of(&self.lines);
        let n = count(self.length);
        let product = 3.0 * f64::EPSILON / 2.0 * self.repetitions;
        let kappa = div_up(product, sub_down(1.0, product));
        let epsilon = self.fourier.epsilon() * (1.0 + kappa);
        let (mean, rms) = (sums.magnitude / n, (sums.square / n).sqrt());

        let inherited = (sums.inherited / n).min((self.factors * sums.cauchy).sqrt() / n);
        let back = (2.0 * epsilon * mean).min(epsilon * rms);
        let uniform = inherited + kappa * mean + back;

        let steep = self.top * self.steepness / n.sqrt();
        let inherited = (sums.inherited_square / n).sqrt().min(steep);
        let euclidean = inherited + (kappa + epsilon) * rms;
        // Every entry is at most the norm.
        let uniform = uniform.min(euclidean);
        let settled =
            |bound: f64, entries: f64| add_up(mul_up(bound, INFLATION), mul_up(UNDERFLOW, entries));
        (settled(uniform, 1.0), settled(euclidean, sqrt_up(n)))
    }
}

impl Line {
    /// `errors` holds e, k e and k ρ.
    fn multiply(&mut self, value: Complex<f64>, times: u64, errors: [f64; 3]) {
        let [error, uniform, spread] = errors;
        let most = (value.re * value.re + value.im * value.im).sqrt() + error;
        self.magnitude *= power(most, times);
        self.uniform += uniform / most;
        let q = spread / most;
        self.square += q * q;
        if self.magnitude < VANISHING {
            (self.magnitude, self.value) = (0.0, Complex::new(0.0, 0.0));
        } else {
            self.value *= complex_power(value, times);
        }
    }
}

/// Sums over all N frequencies; all but the first and the middle stand for two.
#[derive(Default)]
struct Sums {
    /// Σ P
    magnitude: f64,
    /// Σ P²
    square: f64,
    /// Σ P S
    inherited: f64,
    /// Σ P² S²
    inherited_square: f64,
    /// Σ P² Q
    cauchy: f64,
}

impl Sums {
    fn of(lines: &[Line]) -> Self {
        let mut sums = Self::default();
        let last = lines.len() - 1;
        for (f, line) in lines.iter().enumerate() {
            let share = if f == 0 || f == last { 1.0 } else { 2.0 };
            let (p, ps) = (line.magnitude, line.magnitude * line.uniform);
            sums.magnitude += share * p;
            sums.square += share * p * p;
            sums.inherited += share * ps;
            sums.inherited_square += share * ps * ps;
            sums.cauchy += share * p * p * line.square;
        }
        sums
    }
}

#[expect(clippy::cast_precision_loss, reason = "repetitions are at most 2^31")]
fn real(n: u64) -> f64 {
    n as f64
}

/// x^n by repeated squaring: off by at most (1 + u)^(n-1) as a factor.
fn power(x: f64, n: u64) -> f64 {
    let (mut result, mut square, mut n) = (1.0, x, n);
    while n > 0 {
        if n & 1 == 1 {
            result *= square;
        }
        square *= square;
        n >>= 1;
    }
    result
}

/// z^n by repeated squaring.
fn complex_power(z: Complex<f64>, n: u64) -> Complex<f64> {
    let (mut result, mut square, mut n) = (Complex::new(1.0, 0.0), z, n);
    while n > 1 {
        if n & 1 == 1 {
            result *= square;
        }
        square *= square;
        n >>= 1;
    }
    result * square
}
