//! Convolution of probability masses with a proved error.
//!
//! The law of a sum of independent lattice variables is the convolution of their laws. This
//! module convolves non-negative sequences, each any number of times, and returns a
//! [`Convolved`] from which every entry and every tail comes as an
//! [`Enclosure`].
//!
//! | file | what it holds |
//! |---|---|
//! | `direct` | short inputs: the plain sum, with a *relative* error |
//! | `throng_fourier` | real Fourier transforms, and the proof of their error |
//! | `spectrum` | products and powers of spectra, and the proof of theirs |
//! | `tilt` | exponential tilting, so that a tail is accurate relative to itself |
//! | `total` | sums of masses, tightly |
//! | `window` | outputs longer than memory: what may wrap around, bounded by Chernoff |
//! | `convolved` | the result: entries and sums as enclosures |
//!
//! # Tilting
//! A transform's error is uniform, about 1e-14 of the largest entry, so a tail of 1e-50 would
//! drown in it. Multiply entry j of each input by r^j first: convolution does not notice
//! (r^i r^j = r^(i+j)), so entry j of the result is exactly r^j times the true one. With r chosen
//! such that the tilted law sits at the tail of interest, that tail is computed where the masses
//! are large, and dividing by r^j scales the error down together with the value. *Any* r > 0 is
//! valid; [`Composition::saddle`] finds a good one.
//!
//! # Reference
//! H. U. Gerber and E. S. W. Shiu, "Option pricing by Esscher transforms", Trans. Soc. Actuaries
//! 46 (1994), for tilting; R. Grübel and R. Hermesmeier, "Computation of compound distributions
//! I: aliasing errors and exponential tilting", ASTIN Bulletin 29 (1999).

mod convolved;
mod direct;
mod spectrum;
mod tilt;
mod total;
mod window;

#[cfg(test)]
mod tests;

pub use convolved::Convolved;

use crate::{Enclosure, NumericError};
use spectrum::Spectrum;
use tilt::Tilted;

/// The longest sequence, and the longest transform, that is supported. A transform of length N
/// takes up to 70 N bytes while it is carried out.
pub const MAX_LENGTH: usize = 1 << 28;

/// The most convolutions in one composition, all repetitions counted. The proof of `spectrum`
/// lets roundings grow with this number.
pub const MAX_REPETITIONS: u64 = 1 << 31;

/// The largest index of an entry of the result. With it, no exponent of a scaled number can
/// leave 62 bits: a ratio is between 2^-1074 and 2^1024, and 1074 * 2^48 < 2^59.
pub const MAX_INDEX: u64 = 1 << 48;

/// A sequence of non-negative masses and how many times it takes part.
#[derive(Debug, Clone, Copy)]
pub struct Factor<'a> {
    masses: &'a [f64],
    times: u64,
    /// The sum of the masses.
    total: Enclosure,
}

impl<'a> Factor<'a> {
    /// A sequence that takes part `times` times. The masses need not add up to 1.
    ///
    /// # Errors
    /// If there are no masses, or one is negative, NaN or infinite; if they are too many, or add
    /// up to more than an `f64` can hold; if `times` is 0.
    pub fn new(masses: &'a [f64], times: u64) -> Result<Self, NumericError> {
        if masses.is_empty() {
            return Err(NumericError::Empty { name: "masses" });
        }
        if masses.len() > MAX_LENGTH {
            return Err(too_large("the sequence of masses", MAX_LENGTH));
        }
        if times == 0 {
            return Err(NumericError::domain("times", times, "at least 1"));
        }
        if let Some(mass) = masses.iter().find(|mass| !(mass.is_finite() && **mass >= 0.0)) {
            return Err(NumericError::domain("a mass", mass, "finite and at least 0"));
        }
        let total = total::total(masses);
        if total.upper().is_infinite() {
            return Err(too_large("the sum of the masses", f64::MAX));
        }
        Ok(Self { masses, times, total })
    }
}

fn too_large(what: &'static str, limit: impl ToString + Copy) -> NumericError {
    NumericError::TooLarge { what, limit: limit.to_string() }
}

/// Which entries of the result are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Window {
    /// All of them.
    Whole,
    /// At least `length` of them, from `start` on.
    From {
        /// The first index.
        start: u64,
        /// How many; rounded up to a power of two.
        length: usize,
    },
    /// Around the mean of the tilted law, so many that the tilted mass outside is at most this
    /// (unless even all of them fit).
    Covering {
        /// The tilted mass that may stay outside.
        outside: f64,
    },
}

/// Sequences to be convolved with one another.
///
/// ```
/// use throng_numeric::convolution::{Composition, Factor};
/// // 1000 throws of a biased coin: the chance of at least 700 heads, below 1e-60.
/// let coin = Composition::new(vec![Factor::new(&[0.75, 0.25], 1000)?])?;
/// let law = coin.tilted(coin.saddle(700)?)?.convolve()?;
/// let tail = law.tail_from(700);
/// assert!(tail.upper() < 1e-60 && tail.lower() > 0.0);
/// assert!(tail.width() < 1e-8 * tail.lower()); // eight digits of it, certified
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Composition<'a> {
    factors: Vec<Factor<'a>>,
    ratio: f64,
    window: Window,
}

impl<'a> Composition<'a> {
    /// The convolution of all factors, untilted, whole.
    ///
    /// # Errors
    /// If there is no factor, or the repetitions add up to more than [`MAX_REPETITIONS`].
    pub fn new(factors: Vec<Factor<'a>>) -> Result<Self, NumericError> {
        if factors.is_empty() {
            return Err(NumericError::Empty { name: "factors" });
        }
        let this = Self { factors, ratio: 1.0, window: Window::Whole };
        let repetitions = this.factors.iter().fold(0_u64, |sum, f| sum.saturating_add(f.times));
        if repetitions > MAX_REPETITIONS {
            return Err(too_large("the number of convolutions", MAX_REPETITIONS));
        }
        Ok(this)
    }

    /// The same, tilted: entry j of the result will be accurate relative to r^j times itself.
    ///
    /// # Errors
    /// If the ratio is not positive and finite.
    pub fn tilted(&self, ratio: f64) -> Result<Self, NumericError> {
        if !(ratio > 0.0 && ratio.is_finite()) {
            return Err(NumericError::domain("ratio", ratio, "positive and finite"));
        }
        Ok(Self { ratio, ..self.clone() })
    }

    /// The same, computed only within a window.
    ///
    /// # Errors
    /// If a window of no entries is asked for, or an outside mass that is not above 0.
    pub fn within(&self, window: Window) -> Result<Self, NumericError> {
        match window {
            Window::From { length: 0, .. } => {
                Err(NumericError::domain("the length of the window", 0, "at least 1"))
            }
            Window::Covering { outside } if outside.is_nan() || outside <= 0.0 => {
                Err(NumericError::domain("outside", outside, "above 0"))
            }
            Window::Whole | Window::From { .. } | Window::Covering { .. } => {
                Ok(Self { window, ..self.clone() })
            }
        }
    }

    /// A ratio for [`Composition::tilted`] that moves the mean of the result to `index`: the
    /// saddle point for a tail that begins there. An estimate; only quality depends on it.
    ///
    /// # Errors
    /// If a factor has no mass at all.
    pub fn saddle(&self, index: u64) -> Result<f64, NumericError> {
        tilt::saddle(&self.factors, index)
    }

    /// The index of the last entry of the result.
    fn last(&self) -> Result<u64, NumericError> {
        self.factors
            .iter()
            .try_fold(0_u64, |sum, f| {
                let reach = u64::try_from(f.masses.len() - 1).ok()?.checked_mul(f.times)?;
                sum.checked_add(reach)
            })
            .filter(|last| *last <= MAX_INDEX)
            .ok_or_else(|| too_large("the index of the last entry", MAX_INDEX))
    }

    fn repetitions(&self) -> u64 {
        self.factors.iter().map(|f| f.times).sum()
    }

    /// Carries the convolution out.
    ///
    /// # Guarantee
    /// Every enclosure the result gives holds the exact value, for the exact values of the `f64`
    /// given, whatever the ratio and the window. See `throng_fourier` for what is assumed
    /// about the transform.
    ///
    /// # Errors
    /// If the result, or its window, is longer than [`MAX_LENGTH`], or a window is shorter than
    /// one of the inputs.
    pub fn convolve(&self) -> Result<Convolved, NumericError> {
        let last = self.last()?;
        let total = Convolved::total_of(&self.factors);
        if self.factors.iter().any(|f| f.total.upper() == 0.0) {
            return Ok(Convolved::nothing(last));
        }
        if let Some(alone) = self.alone() {
            return Ok(Convolved::plain(alone.masses.to_vec(), 0.0, 0.0, alone.total));
        }
        if let Some((a, b)) = self.short_pair() {
            return direct::convolve(a, b);
        }
        let repetitions = self.repetitions();
        let tilted: Vec<Tilted> =
            self.factors.iter().map(|f| Tilted::of(f, self.ratio, repetitions)).collect();
        let place = window::place(&tilted, self.window, last)?;
        let mut spectrum = Spectrum::new(place.length, repetitions)?;
        for factor in &tilted {
            spectrum.multiply(factor)?;
        }
        let inverse = spectrum.invert(place)?;
        Ok(Convolved::of_inverse(inverse, &tilted, self.ratio, place, last, total))
    }

    fn is_plain(&self) -> bool {
        self.ratio == 1.0 && self.window == Window::Whole
    }

    /// The one sequence of a composition that is no convolution at all.
    fn alone(&self) -> Option<&Factor<'a>> {
        match self.factors.as_slice() {
            [only] if only.times == 1 && self.is_plain() => Some(only),
            _ => None,
        }
    }

    /// The two sequences of an untilted, whole convolution that is cheaper done directly.
    fn short_pair(&self) -> Option<(Factor<'a>, Factor<'a>)> {
        let pair = match self.factors.as_slice() {
            [a, b] if a.times == 1 && b.times == 1 => (*a, *b),
            [a] if a.times == 2 => (*a, *a),
            _ => return None,
        };
        (self.is_plain() && direct::is_cheaper(pair.0.masses.len(), pair.1.masses.len()))
            .then_some(pair)
    }
}

/// The convolution of two sequences.
///
/// # Errors
/// As for [`Factor::new`] and [`Composition::convolve`].
///
/// ```
/// use throng_numeric::convolution::convolve;
/// let die = [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// let two = convolve(&die, &die)?;
/// assert!(two.mass(7).contains(6.0)); // six ways to throw a seven
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
pub fn convolve(a: &[f64], b: &[f64]) -> Result<Convolved, NumericError> {
    convolve_all(&[a, b])
}

/// The convolution of several sequences, in one inverse transform.
///
/// # Errors
/// As for [`Factor::new`] and [`Composition::convolve`].
pub fn convolve_all(sequences: &[&[f64]]) -> Result<Convolved, NumericError> {
    let factors: Result<_, _> = sequences.iter().map(|masses| Factor::new(masses, 1)).collect();
    Composition::new(factors?)?.convolve()
}

/// The k-fold convolution of a sequence with itself, in one forward and one inverse transform.
///
/// # Errors
/// As for [`Factor::new`] and [`Composition::convolve`].
pub fn power(masses: &[f64], times: u64) -> Result<Convolved, NumericError> {
    Composition::new(vec![Factor::new(masses, times)?])?.convolve()
}
