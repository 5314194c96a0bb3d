//! Mixtures of textbook posteriors.

use super::window::ln_gamma;
use crate::MechanismError;

/// One textbook posterior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// Of a chance.
    Beta { a: f64, b: f64 },
    /// Of a rate.
    Gamma { shape: f64, rate: f64 },
    /// Of a mean.
    Normal { mean: f64, variance: f64 },
}

impl Part {
    fn mean(self) -> f64 {
        match self {
            Self::Beta { a, b } => a / (a + b),
            Self::Gamma { shape, rate } => shape / rate,
            Self::Normal { mean, .. } => mean,
        }
    }

    fn variance(self) -> f64 {
        match self {
            Self::Beta { a, b } => (a / (a + b)) * (b / (a + b)) / (a + b + 1.0),
            Self::Gamma { shape, rate } => shape / rate / rate,
            Self::Normal { variance, .. } => variance,
        }
    }

    /// The constant of the density.
    fn ln_norm(self) -> f64 {
        match self {
            Self::Beta { a, b } => ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b),
            Self::Gamma { shape, rate } => shape * ln(rate) - ln_gamma(shape),
            Self::Normal { variance, .. } => -ln(std::f64::consts::TAU * variance) / 2.0,
        }
    }

    /// ln of the density without its constant.
    fn ln_shape(self, x: Place) -> f64 {
        match self {
            Self::Beta { a, b } => (a - 1.0) * x.ln + (b - 1.0) * x.ln_rest,
            Self::Gamma { shape, rate } => (shape - 1.0) * x.ln - rate * x.x,
            Self::Normal { mean, variance } => -(x.x - mean) * (x.x - mean) / (2.0 * variance),
        }
    }

    const fn ends(self) -> (f64, f64) {
        match self {
            Self::Beta { .. } => (0.0, 1.0),
            Self::Gamma { .. } => (0.0, f64::INFINITY),
            Self::Normal { .. } => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }
}

/// A place, with its logarithms.
#[derive(Clone, Copy)]
struct Place {
    x: f64,
    ln: f64,
    ln_rest: f64,
}

#[expect(clippy::disallowed_methods, reason = "after the noise: only accuracy depends on it")]
fn ln(x: f64) -> f64 {
    x.ln()
}

#[expect(clippy::disallowed_methods, reason = "after the noise: only accuracy depends on it")]
fn exp(x: f64) -> f64 {
    x.exp()
}

/// A credible interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Credible {
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// The posterior probability of the interval; both tails have the same.
    pub probability: f64,
}

/// What is known of a parameter after a noisy observation.
///
/// # Guarantee
/// If the parameter was drawn from the prior and the data from the model, a credible interval of
/// probability p holds the parameter with chance p, over prior, data and noise. The quadrature
/// behind it is accurate to about 1e-3 of the standard deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    parts: Vec<(f64, Part)>,
}

/// Weights below this share of the largest are left out.
const NEGLIGIBLE: f64 = 1e-10;

/// Places at which a density is taken.
const PLACES: usize = 512;

/// Standard deviations to either side that are looked at: tails fall at least exponentially, so what
/// is beyond has less than e^-12.
const REACH: f64 = 12.0;

impl Posterior {
    /// The mixture of parts with weights e^w, up to a factor.
    pub(super) fn mixture(parts: impl IntoIterator<Item = (f64, Part)>) -> Self {
        let parts: Vec<_> = parts.into_iter().filter(|(w, _)| w.is_finite()).collect();
        let most = parts.iter().map(|(w, _)| *w).fold(f64::NEG_INFINITY, f64::max);
        let scaled = parts.into_iter().map(|(w, part)| (exp(w - most), part));
        let kept: Vec<_> = scaled.filter(|(w, _)| *w > NEGLIGIBLE).collect();
        let total: f64 = kept.iter().map(|(w, _)| *w).sum();
        Self { parts: kept.into_iter().map(|(w, part)| (w / total, part)).collect() }
    }

    /// The posterior mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.parts.iter().map(|(w, part)| w * part.mean()).sum()
    }

    /// The posterior standard deviation.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        let square = |part: &Part| part.variance() + (part.mean() - mean) * (part.mean() - mean);
        self.parts.iter().map(|(w, part)| w * square(part)).sum::<f64>().sqrt()
    }

    /// The interval between the quantiles (1-p)/2 and (1+p)/2.
    ///
    /// # Errors
    /// If the probability is not above 0 and below 1.
    pub fn credible(&self, probability: f64) -> Result<Credible, MechanismError> {
        if !(probability > 0.0 && probability < 1.0) {
            let allowed = "above 0 and below 1";
            return Err(MechanismError::invalid("the probability", probability, allowed));
        }
        // First on all that matters, then on what the interval lies in.
        let tail = (1.0 - probability) / 2.0;
        let wide = self.cumulated(self.reach());
        let outer = (quantile(&wide, tail / 4.0), quantile(&wide, 1.0 - tail / 4.0));
        let (before, after) = (tail / 4.0, tail / 4.0);
        let fine = self.cumulated(outer);
        let inside = 1.0 - before - after;
        Ok(Credible {
            lower: quantile(&fine, (tail - before) / inside),
            upper: quantile(&fine, (1.0 - tail - before) / inside),
            probability,
        })
    }

    /// Where all the mass is, for practical purposes.
    fn reach(&self) -> (f64, f64) {
        let (mean, far) = (self.mean(), REACH * self.standard_deviation());
        let (first, last) = self.parts.first().map_or((0.0, 1.0), |(_, part)| part.ends());
        ((mean - far).max(first), (mean + far).min(last))
    }

    /// Cell midpoints with the share of the mass up to the upper end of each cell.
    fn cumulated(&self, (low, high): (f64, f64)) -> Vec<(f64, f64)> {
        let cells = f64::from(u32::try_from(PLACES).unwrap_or(1));
        let width = (high - low) / cells;
        let norms: Vec<_> =
            self.parts.iter().map(|(w, part)| (ln(*w) + part.ln_norm(), *part)).collect();
        let mut sum = 0.0;
        let mut ends = Vec::with_capacity(PLACES);
        for i in 0..PLACES {
            let left = low + width * f64::from(u32::try_from(i).unwrap_or(0));
            let x = left + width / 2.0;
            let place = Place {
                x,
                ln: ln(x.max(f64::MIN_POSITIVE)),
                ln_rest: ln((1.0 - x).max(f64::EPSILON)),
            };
            sum += norms.iter().map(|(w, part)| exp(w + part.ln_shape(place))).sum::<f64>();
            ends.push((left + width, sum));
        }
        let total = if sum > 0.0 { sum } else { 1.0 };
        let mut cumulated = vec![(low, 0.0)];
        cumulated.extend(ends.into_iter().map(|(x, share)| (x, share / total)));
        cumulated
    }
}

/// Where a cumulated share reaches p, linear in between.
fn quantile(cumulated: &[(f64, f64)], p: f64) -> f64 {
    let at = cumulated.partition_point(|(_, share)| *share < p).max(1);
    let last = cumulated.last().copied().unwrap_or((0.0, 1.0));
    let (right, left) = (cumulated.get(at).copied().unwrap_or(last), cumulated.get(at - 1));
    let left = left.copied().unwrap_or(right);
    let rise = right.1 - left.1;
    if rise > 0.0 { left.0 + (right.0 - left.0) * ((p - left.1) / rise) } else { right.0 }
}
