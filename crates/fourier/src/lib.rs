//! Real Fourier transforms of power-of-two lengths, and the proof of their error.
//!
//! rustfft is generic: whoever plans a transform compiles all of its algorithms. That takes longer
//! than the rest of `throng-numeric`, so it happens here, once, and not again for every test.
//!
//! X_f = Σ_j x_j ω^{fj}, ω = e^{-2πi/N}, N = 2^L; the inverse is x_j = (1/N) Σ_f X_f ω^{-fj}.
//! u = 2^-53, γ_n = n u / (1 - n u). Norms of a spectrum are over all N frequencies, although
//! only N/2 + 1 are stored.
//!
//! # Guarantee
//! With ε = L η / (1 - L η) and η = 20 u, apart from underflow:
//!
//! 1. forward: |X̂_f - X_f| <= √2 ε ‖x‖₁ for every f, and ‖X̂ - X‖₂ <= ε ‖X‖₂ = ε √N ‖x‖₂;
//! 2. inverse: |x̂_j - x_j| <= 2 ε ‖X‖₁ / N for every j, and ‖x̂ - x‖₂ <= ε ‖x‖₂ = ε ‖X‖₂ / √N.
//!
//! # What was read
//! realfft 3.5.1 (`RealToComplexEven`, `ComplexToRealEven`) and rustfft 6.4.1 (planners and
//! algorithms for scalar, SSE4.1, AVX, NEON and WASM code). For a power of two none of the
//! planners reaches Bluestein's, Rader's or the Good-Thomas algorithm: the scalar, SSE, NEON and
//! WASM planners use `Radix4` over a butterfly of 8, 16 or 32; the AVX planner uses 8xn, 16xn,
//! 4xn and 2xn mixed radix steps over a butterfly of up to 512. All of these, and the insides of
//! the butterflies (2x2, 4x2, 4x4, 8x4, 16x32, and one split-radix step), are *levels of pairs*:
//! each of at most log₂ levels replaces numbers by sums x + w y of two, where w is ±1, ±i, or a
//! root of unity w̃ rounded as below, multiplied in by the schoolbook formula with or without
//! fused operations; eighth roots may instead be applied as (y ± i y) fl(√½). Transposes and
//! shuffles move numbers without arithmetic. **This is what the proof assumes of the crates**;
//! the workspace therefore pins realfft to 3.5 and rustfft to 6.4. It is also assumed that `sin`
//! and `cos` of the platform are within 2u (about one unit in the last place) for arguments below
//! 2π, and that arithmetic rounds to nearest.
//!
//! # Roots of unity
//! Both crates compute cos and sin of fl(c k), where c = -2π̃/len is exact but for π̃ =
//! fl(π), off by less than 0.36 u relatively, because len is a power of two; the product rounds
//! once more. The angle is below 2π, hence off by less than 2π (1.36 u + u²) < 8.6 u, and so is
//! the exact root at the rounded angle; each part is then off by 2u at most, so
//! |w̃ - w| < 8.6 u + 2√2 u < 12 u =: μ.
//!
//! # One level
//! fl(w̃ y) is off by at most (μ + √2 γ₂ (1 + μ)) |y| (Higham, Lemma 3.5; fused operations only
//! leave roundings out), or, as (y ± iy) fl(√½), by γ₃ |y|; the addition is off by u times its
//! result. In a butterfly of more than two inputs both x and y may carry a root, so a level is:
//! multiply every number by its root, then add and subtract pairs. With η' = 12 u + 2√2 u + u and
//! terms in u², below 16 u, and L - 1 levels in the complex transform within realfft:
//!
//! *Every number.* A level is off, in each number x + y, by at most η' (|x| + |y|). Let A_l be the
//! matrix of level l, and |A_l| that of absolute values: zeros and two ones in each row. The
//! product of the |A_l| is the matrix of ones, because an output depends on all 2^(L-1) inputs and
//! has just as many paths to them. By induction the error after all levels is at most
//! ((1 + η')^(L-1) - 1) ‖z‖₁, z the complex input. (In split-radix steps some paths are shorter:
//! pad them with identities.)
//!
//! *Euclidean.* The multiplication by roots is unitary and off by at most (μ + √2 γ₂ (1 + μ)) of
//! the norm; the butterflies are √2 times unitary and off by u of the norm of their result. So a
//! level is off by η' relative to the norm of the exact level, and all levels together by
//! ((1 + η')^(L-1) - 1) ‖Z‖₂ (Higham, Theorem 24.2).
//!
//! # The real level
//! realfft packs z_n = x_{2n} + i x_{2n+1}, transforms at length N/2, and unpacks with p = Z_k,
//! q = conj Z_{N/2-k}: X_k = (p + q)/2 - i ω^k (p - q)/2. Each part is a sum of three products of
//! at most four roundings each, so with s the vector of absolute values of its terms it is off by
//! γ₄ s; by Minkowski the modulus is off by at most γ₄ ½ (|p + q| + √2 |p - q|) <= γ₄ ½ √6
//! (|p|² + |q|²)^½, and the root of unity adds μ |p - q| / 2.
//!
//! *Every number.* |p|, |q| <= ‖x‖₁, so the level adds (√3 γ₄ + μ) ‖x‖₁ < η ‖x‖₁; errors e of p
//! and q pass through as at most (|1 - iω^k| + |1 + iω^k|)/2 e <= √2 e. Together at most
//! √2 ((1 + η)^L - 1) ‖x‖₁. *Euclidean.* The exact unpacking is √2 times an isometry onto the
//! full spectrum; summing the squares above over the full spectrum, the level adds at most
//! (√3 γ₄ + μ) ‖X‖₂ < η ‖X‖₂, and √3 · 4 + 12 < 19 < 20.
//!
//! *Inverse.* First p + q + i ω^-k (p - q) = 2 Z_k with p = X_k, q = conj X_{N/2-k}: off by at most
//! γ₄ √6 (|p|² + |q|²)^½ + μ |p - q|. Summed over k this is at most (√6 γ₄ + μ) ‖X‖₁, while
//! ‖2Z‖₁ <= 2 ‖X‖₁: together at most 2 ((1 + η)^L - 1) ‖X‖₁, to be divided by N. The squares sum up
//! to at most (√6 γ₄ + √2 μ)² ‖X‖₂² = (√3 γ₄ + μ)² ‖2Z‖₂². The division by N is exact.
//!
//! (1 + η)^L - 1 <= L η / (1 - L η) = ε.
//!
//! # Reference
//! N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, §3.6, §24.1.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use realfft::{ComplexToReal, FftError, RealFftPlanner, RealToComplex};

pub use realfft::num_complex::Complex;

/// η = 20 u: the relative error of one level.
const LEVEL_ERROR: f64 = 20.0 * f64::EPSILON / 2.0;

/// Up to this length, plans (tables of roots) are kept for the next call: at most about 60 MB in
/// all. Making one takes several times as long as using it.
const KEPT: usize = 1 << 20;

/// The longest transform.
pub const MAX_LENGTH: usize = 1 << 30;

static PLANNER: LazyLock<Mutex<RealFftPlanner<f64>>> =
    LazyLock::new(|| Mutex::new(RealFftPlanner::new()));

/// What does not fit a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FourierError {
    /// The length of a transform.
    #[error("length is {length}, but must be a power of two between 2 and {MAX_LENGTH}")]
    Length {
        /// What was asked for.
        length: usize,
    },
    /// The number of masses or frequencies handed over.
    #[error("{given} numbers were given to a transform that takes {taken}")]
    Input {
        /// How many were given.
        given: usize,
        /// How many it takes (masses: at most so many).
        taken: usize,
    },
}

/// Transforms of one length.
#[derive(Clone)]
pub struct Fourier {
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
    length: usize,
}

impl Fourier {
    /// For a power of two.
    ///
    /// # Errors
    /// If the length is none, or below 2 or above [`MAX_LENGTH`].
    pub fn new(length: usize) -> Result<Self, FourierError> {
        if !length.is_power_of_two() || !(2..=MAX_LENGTH).contains(&length) {
            return Err(FourierError::Length { length });
        }
        let plan = |planner: &mut RealFftPlanner<f64>| Self {
            forward: planner.plan_fft_forward(length),
            inverse: planner.plan_fft_inverse(length),
            length,
        };
        Ok(if length <= KEPT {
            // A planner whose user panicked still holds only finished plans.
            plan(&mut PLANNER.lock().unwrap_or_else(PoisonError::into_inner))
        } else {
            plan(&mut RealFftPlanner::new())
        })
    }

    /// N.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// ε of the guarantee above, rounded up: L η and 1 - L η are small multiples of 2^-51 and
    /// exact, and the quotient is rounded to nearest.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        let sum = f64::from(self.length.trailing_zeros()) * LEVEL_ERROR;
        (sum / (1.0 - sum)).next_up()
    }

    /// The first half of the spectrum of a sequence, padded with zeros: N/2 + 1 frequencies.
    ///
    /// # Errors
    /// If the sequence is longer than the transform.
    pub fn forward(&self, masses: &[f64]) -> Result<Vec<Complex<f64>>, FourierError> {
        if masses.len() > self.length {
            return Err(FourierError::Input { given: masses.len(), taken: self.length });
        }
        let mut input = vec![0.0; self.length];
        input[..masses.len()].copy_from_slice(masses);
        let mut output = self.forward.make_output_vec();
        self.forward.process(&mut input, &mut output).map_err(|error| self.refused(&error))?;
        Ok(output)
    }

    /// The sequence of a spectrum given by its first half, *times N*. The spectrum is used as
    /// working space.
    ///
    /// # Errors
    /// If there are not N/2 + 1 frequencies.
    pub fn inverse(&self, spectrum: &mut [Complex<f64>]) -> Result<Vec<f64>, FourierError> {
        let taken = self.length / 2 + 1;
        if spectrum.len() != taken {
            return Err(FourierError::Input { given: spectrum.len(), taken });
        }
        // The first and the middle frequency of a real sequence are real; what rounding has left
        // there in the imaginary part is error, and leaving it out can only help.
        for edge in [0, taken - 1] {
            spectrum[edge].im = 0.0;
        }
        let mut output = self.inverse.make_output_vec();
        self.inverse.process(spectrum, &mut output).map_err(|error| self.refused(&error))?;
        Ok(output)
    }

    /// Only lengths that do not fit together are refused, and ours do; but an error is an error.
    fn refused(&self, error: &FftError) -> FourierError {
        let given = match *error {
            FftError::InputBuffer(_, given)
            | FftError::OutputBuffer(_, given)
            | FftError::ScratchBuffer(_, given) => given,
            FftError::InputValues(..) => 0,
        };
        FourierError::Input { given, taken: self.length }
    }
}

impl std::fmt::Debug for Fourier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fourier").field("length", &self.length).finish_non_exhaustive()
    }
}
