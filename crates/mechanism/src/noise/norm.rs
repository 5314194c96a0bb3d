//! How long a vector of noise gets.
//!
//! Let Z have k independent coordinates, and w with P(‖Z‖₂ > w) <= β be wanted. Each of the bounds
//! below is proved; the smallest is returned.
//!
//! **Any law**: √k times the bound of all coordinates at once.
//!
//! **Gaussian, by its generating function.** E e^(tZ) = e^(t²σ²/2) θ(tσ²)/θ(0) with
//! θ(x) = Σ e^(-(j-x)²/(2σ²)) over integers j, whose Fourier coefficients are positive, so
//! that θ(x) <= θ(0): Z is sub-Gaussian with its σ. With g standard normal,
//! E e^(sZ²) = E e^(√(2s) g Z) <= E e^(sσ²g²) = (1 - 2sσ²)^(-1/2), as for the normal law itself, so
//! every Chernoff bound for chi-square holds: with x = ln(1/β),
//! ‖Z‖² <= σ² (k + 2√(kx) + 2x) (B. Laurent, P. Massart, 2000), which is at most
//! σ² (√k + √(2x))².
//!
//! **Gaussian of σ >= 2, by the quantile.** P(|Z| >= j) <= P(σ|N| >= j - ½) for j >= 1
//! ([`NoiseLaw::beyond`]), so |Z| <= σ|N| + ½ for a suitable N on the same space, and
//! ‖Z‖ <= σ‖N‖ + √k/2, where ‖N‖² is chi-square with k degrees of freedom.
//!
//! **Laplace, by its sum.** P(|Z| >= j) = 2r^j/(1+r) <= r^(j-½) as 2√r <= 1 + r, so
//! |Z| <= bE + ½ with E exponential, and ‖Z‖₂ <= ‖Z‖₁ <= bG + k/2 with G of the Gamma(k) law.
//!
//! **Laplace, cut off.** ‖Z‖ <= b‖E‖ + √k/2. All E are at most L = ln(2k/β) but for a chance of β/2;
//! and with M(s) = E e^(s min(E,L)²) the chance of Σ min(E,L)² > (k ln M(s) + ln(2/β))/s is at
//! most β/2 (Chernoff), for any s > 0. M(s) = ∫ e^(su²-u) du over [0, L] plus e^(sL²-L); the
//! integrand is the exponential of a convex function, hence convex, so trapezia lie above it.

use throng_numeric::search::{Tolerance, Verdict, boundary};
use throng_numeric::{Enclosure, NumericError, Rational, gamma};

use super::NoiseLaw;
use crate::MechanismError;

impl NoiseLaw {
    /// A w such that the Euclidean norm of `count` independent draws is at most w with a chance
    /// of at least 1 - beta, rounded up.
    ///
    /// # Guarantee
    /// Proved for every law, count and beta; near the exact quantile for fine Gaussian noise.
    ///
    /// # Errors
    /// If beta is not above 0 and below 1, or the count is 0.
    pub fn norm_of_all(&self, count: u64, beta: f64) -> Result<f64, MechanismError> {
        let most = self.half_width_of_all(count, beta)?;
        let k = Enclosure::of_rational(&Rational::from(count));
        let flat = Enclosure::of_rational(&Rational::from(most)) * k.sqrt()?;
        let beta = Enclosure::point(beta)?;
        let bounds = match self {
            Self::DiscreteLaplace { scale } => {
                let scale = Enclosure::of_rational(scale);
                vec![laplace_sum(scale, k, beta), laplace_cut(scale, k, beta)]
            }
            Self::DiscreteGaussian { sigma } => {
                let scale = Enclosure::of_rational(sigma);
                let fine = *sigma >= Rational::from(2);
                let quantile = fine.then(|| gaussian_quantile(scale, k, beta));
                [Some(gaussian_moments(scale, k, beta)), quantile].into_iter().flatten().collect()
            }
            Self::Staircase(_) => Vec::new(),
        };
        // A bound that could not be computed is not needed.
        Ok(bounds.into_iter().flatten().map(Enclosure::upper).fold(flat.upper(), f64::min))
    }
}

fn half() -> Enclosure {
    Enclosure::ONE / (Enclosure::ONE + Enclosure::ONE)
}

fn gaussian_moments(
    sigma: Enclosure,
    k: Enclosure,
    beta: Enclosure,
) -> Result<Enclosure, NumericError> {
    let x = -beta.ln()?;
    let middle = (k * x).sqrt()?;
    Ok(sigma * (k + (middle + middle) + (x + x)).sqrt()?)
}

fn gaussian_quantile(
    sigma: Enclosure,
    k: Enclosure,
    beta: Enclosure,
) -> Result<Enclosure, NumericError> {
    let norm = upper_gamma_quantile(k * half(), beta)?;
    Ok(sigma * (norm + norm).sqrt()? + k.sqrt()? * half())
}

fn laplace_sum(scale: Enclosure, k: Enclosure, beta: Enclosure) -> Result<Enclosure, NumericError> {
    Ok(scale * upper_gamma_quantile(k, beta)? + k * half())
}

/// An x with Q(a, x) <= beta, and hardly larger than needed. It is at most a + 2√(a t) + 2t for
/// t = ln(1/β), by the Chernoff bound for twice a chi-square variable; what is certified is the
/// returned point itself.
fn upper_gamma_quantile(a: Enclosure, beta: Enclosure) -> Result<Enclosure, NumericError> {
    if a.upper() > MANY {
        // It would take long, and the other bounds are as good.
        return Err(NumericError::TooLarge { what: "coordinates", limit: MANY.to_string() });
    }
    let t = -beta.ln()?;
    let spread = (a * t).sqrt()?;
    let far = (a + spread + spread + t + t).upper() + 1.0;
    let found = boundary(0.0, far, Tolerance::relative(1e-12), |x| {
        let tail = gamma::regularised_upper(a, Enclosure::point(x)?)?;
        Ok::<_, NumericError>(Verdict::at_most(tail, beta.lower()))
    })?;
    Enclosure::point(found.holds)
}

/// Beyond it quantiles of the Gamma law are not computed.
const MANY: f64 = 1e7;

/// Trapezia per integral.
const PIECES: u32 = 512;

fn laplace_cut(scale: Enclosure, k: Enclosure, beta: Enclosure) -> Result<Enclosure, NumericError> {
    let two = Enclosure::ONE + Enclosure::ONE;
    let log = (two / beta).ln()?;
    let cut = Enclosure::point((log + k.ln()?).upper())?;
    let mut best: Option<Enclosure> = None;
    for quarter in 1..=8 {
        let s = Enclosure::of_rational(&Rational::new(quarter, 8_u32)?) / cut;
        let s = Enclosure::point(s.lower())?;
        let square = (k * cut_moment(s, cut)?.ln()? + log) / s;
        best = Some(best.map_or(square, |least| least.min(square)));
    }
    let square = best.unwrap_or(Enclosure::ZERO);
    Ok(scale * square.sqrt()? + k.sqrt()? * half())
}

/// An upper bound on E e^(s min(E, L)²), as an enclosure of that bound.
fn cut_moment(s: Enclosure, cut: Enclosure) -> Result<Enclosure, NumericError> {
    let width = cut / Enclosure::of_rational(&Rational::from(PIECES));
    let at = |i: u32| {
        let u = width * Enclosure::of_rational(&Rational::from(i));
        (s * u.square() - u).exp()
    };
    let ends = (at(0) + at(PIECES)) * half();
    let inside = (1..PIECES).fold(ends, |sum, i| sum + at(i));
    Ok(inside * width + (s * cut.square() - cut).exp())
}
