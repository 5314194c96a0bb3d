//! Mixtures of textbook posteriors.

use super::window::ln_gamma;
use crate::MechanismError;

/// One textbook posterior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part {
    /// Of a chance.
    Beta {
        /// Yeses and those of the prior.
        a: f64,
        /// Noes and those of the prior.
        b: f64,
    },
    /// Of a rate.
    Gamma {
        /// The shape.
        shape: f64,
        /// The rate, one over the scale.
        rate: f64,
    },
    /// Of a mean.
    Normal {
        /// The mean.
        mean: f64,
        /// The variance.
        variance: f64,
    },
}

impl Part {
    fn is_law(self) -> bool {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match self {
            Self::Beta { a, b } => positive(a) && positive(b),
            Self::Gamma { shape, rate } => positive(shape) && positive(rate),
            Self::Normal { mean, variance } => mean.is_finite() && positive(variance),
        }
    }

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

    /// The constant of the density of t, where the parameter is `self.at(t)`, in logarithms.
    fn ln_norm(self) -> f64 {
        match self {
            Self::Beta { a, b } => ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b),
            Self::Gamma { shape, rate } => shape * ln(rate) - ln_gamma(shape),
            Self::Normal { variance, .. } => -ln(std::f64::consts::TAU * variance) / 2.0,
        }
    }

    /// ln of that density without its constant: no spikes and no ends, as all of them are
    /// log-concave in t.
    fn ln_shape(self, place: &Place) -> f64 {
        match self {
            Self::Beta { a, b } => -a * place.below - b * place.above,
            Self::Gamma { shape, rate } => shape * place.t - rate * place.exp,
            Self::Normal { mean, variance } => {
                -(place.t - mean) * (place.t - mean) / (2.0 * variance)
            }
        }
    }

    /// Itself, or the normal law that a narrow one cannot be told from.
    fn plain(self) -> Self {
        let (mean, spread) = self.shape();
        if spread < NARROW { Self::Normal { mean, variance: spread * spread } } else { self }
    }

    /// The parameter at t: t is the logarithm of odds, the logarithm, or the parameter itself.
    fn at(self, t: f64) -> f64 {
        match self {
            Self::Beta { .. } => exp(-softplus(-t)),
            Self::Gamma { .. } => exp(t),
            Self::Normal { .. } => t,
        }
    }

    /// The mean and (at least) the standard deviation of t.
    fn shape(self) -> (f64, f64) {
        // The second derivative of ln Γ is at most 1/x + 1/x², and hardly less for large x.
        let second = |x: f64| 1.0 / x + 1.0 / x / x;
        match self {
            Self::Beta { a, b } => (digamma(a) - digamma(b), (second(a) + second(b)).sqrt()),
            Self::Gamma { shape, rate } => (digamma(shape) - ln(rate), second(shape).sqrt()),
            Self::Normal { mean, variance } => (mean, variance.sqrt()),
        }
    }
}

/// A place t, with what densities need of it.
struct Place {
    t: f64,
    /// e^t.
    exp: f64,
    /// ln(1 + e^-t).
    below: f64,
    /// ln(1 + e^t).
    above: f64,
}

impl Place {
    fn at(t: f64) -> Self {
        Self { t, exp: exp(t), below: softplus(-t), above: softplus(t) }
    }
}

/// ln(1 + e^t).
fn softplus(t: f64) -> f64 {
    t.max(0.0) + ln_1p(exp(-t.abs()))
}

/// The derivative of ln Γ, to about 1e-6, for numbers above 0; NaN for others.
fn digamma(mut x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let mut shift = 0.0;
    while x < 6.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    shift + ln(x) - 0.5 / x - square * (1.0 / 12.0 - square / 120.0)
}

#[expect(clippy::disallowed_methods, reason = "after the noise: only accuracy depends on it")]
fn ln_1p(x: f64) -> f64 {
    x.ln_1p()
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
/// probability p holds the parameter with chance p, over prior, data and noise. What was computed
/// is off by about 1e-3 in p (1e-2 if two sums are behind it). The quadrature takes place where densities have no spikes (see
/// `Part::at`), so this holds for priors that have them, too.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    parts: Vec<(f64, Part)>,
}

/// Weights below this share of the largest are left out.
const NEGLIGIBLE: f64 = 1e-10;

/// Places at which a density is taken.
const PLACES: usize = 512;

/// Standard deviations to either side that are looked at: tails of log-concave densities fall at
/// least exponentially, so what is beyond has less than e^-39.
const REACH: f64 = 40.0;

/// Parts of less than this standard deviation are taken as normal: their skewness is about that.
const NARROW: f64 = 1e-3;

impl Posterior {
    /// The mixture of parts with weights e^w, up to a factor; all of one kind.
    ///
    /// Parts whose weight is not finite are left out, and those that are no laws: whose parameters
    /// are not finite, or not above 0 where they must be. Nothing is known if none is left: then the
    /// mean and the standard deviation are 0.
    pub fn mixture(parts: impl IntoIterator<Item = (f64, Part)>) -> Self {
        let proper = |(w, part): &(f64, Part)| w.is_finite() && part.is_law();
        let parts: Vec<_> = parts.into_iter().filter(proper).collect();
        let most = parts.iter().map(|(w, _)| *w).fold(f64::NEG_INFINITY, f64::max);
        let scaled = parts.into_iter().map(|(w, part)| (exp(w - most), part));
        let kept: Vec<_> = scaled.filter(|(w, _)| *w > NEGLIGIBLE).collect();
        let total: f64 = kept.iter().map(|(w, _)| *w).sum();
        Self { parts: kept.into_iter().map(|(w, part)| (w / total, part)).collect() }
    }

    /// The parts with their weights, which sum to 1.
    #[must_use]
    pub fn parts(&self) -> &[(f64, Part)] {
        &self.parts
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
        // First on all there is; then on all but a thousandth of the tails, and a cell more.
        let tail = (1.0 - probability) / 2.0;
        let wide = self.cumulated(self.reach());
        let cell = wide.first().zip(wide.get(1)).map_or(0.0, |(a, b)| b.0 - a.0);
        let (out, inner) = (tail / 1000.0, 1.0 - tail / 1000.0);
        let fine = self.cumulated((quantile(&wide, out) - cell, quantile(&wide, inner) + cell));
        let at = |t: f64| self.parts.first().map_or(t, |(_, part)| part.at(t));
        Ok(Credible {
            lower: at(quantile(&fine, tail)),
            upper: at(quantile(&fine, 1.0 - tail)),
            probability,
        })
    }

    /// Where all the mass is, for practical purposes, as a range of t.
    fn reach(&self) -> (f64, f64) {
        let ends = |(_, part): &(f64, Part)| {
            let (centre, spread) = part.shape();
            (centre - REACH * spread, centre + REACH * spread)
        };
        let wider = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
        self.parts.iter().map(ends).reduce(wider).unwrap_or((0.0, 1.0))
    }

    /// The upper ends of cells of t with the share of the mass up to there.
    fn cumulated(&self, (low, high): (f64, f64)) -> Vec<(f64, f64)> {
        let cells = f64::from(u32::try_from(PLACES).unwrap_or(1));
        let width = (high - low) / cells;
        let left = |i: usize| low + width * f64::from(u32::try_from(i).unwrap_or(0));
        let places: Vec<_> = (0..PLACES).map(|i| Place::at(left(i) + width / 2.0)).collect();
        let mut masses = vec![0.0; PLACES];
        for (weight, part) in &self.parts {
            let (centre, spread) = part.shape();
            let part = part.plain();
            let norm = part.ln_norm() + ln(weight * width);
            for (mass, place) in masses.iter_mut().zip(&places) {
                *mass += if spread >= width {
                    exp(norm + part.ln_shape(place))
                } else {
                    // Narrower than a cell: all of it is in one, or beyond all.
                    let distance = centre - place.t;
                    f64::from(-width <= 2.0 * distance && 2.0 * distance < width) * weight
                };
            }
        }
        let total: f64 = masses.iter().sum();
        let total = if total > 0.0 { total } else { 1.0 };
        let mut cumulated = vec![(low, 0.0)];
        let mut sum = 0.0;
        cumulated.extend(masses.into_iter().enumerate().map(|(i, mass)| {
            sum += mass;
            (left(i + 1), sum / total)
        }));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_law_is_left_out() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1e300];
        let mut parts = vec![(0.0, Part::Beta { a: 2.0, b: 3.0 })];
        for x in odd {
            parts.push((5.0, Part::Beta { a: x, b: 1.0 }));
            parts.push((5.0, Part::Beta { a: 1.0, b: x }));
        }
        let posterior = Posterior::mixture(parts);
        assert_eq!(posterior.parts().len(), 1);
        assert!((posterior.mean() - 0.4).abs() < 1e-12);
        let none = Posterior::mixture(odd.map(|x| (0.0, Part::Gamma { shape: x, rate: x })));
        assert!(none.parts().is_empty());
        assert!(none.credible(0.9).unwrap().lower.is_finite());
    }

    #[test]
    fn digamma_ends_whatever_it_is_asked() {
        for x in [f64::NAN, f64::NEG_INFINITY, -1e300, -1.0, 0.0] {
            assert!(digamma(x).is_nan());
        }
        // -γ and the value at 10.
        assert!((digamma(1.0) + 0.577_215_664_9).abs() < 1e-6);
        assert!((digamma(10.0) - 2.251_752_589_07).abs() < 1e-6);
        assert!(digamma(5e-324) == f64::NEG_INFINITY);
    }
}
