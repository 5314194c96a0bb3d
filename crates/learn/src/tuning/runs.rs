use throng_numeric::{Enclosure, Rational};
use throng_sample::{Bernoulli, Entropy, Poisson, SampleError};

use crate::LearnError;

/// The law of the number of runs of a search: it is random, and stays secret.
///
/// | law | P(k) | runs on average |
/// |---|---|---|
/// | geometric, η = 1 | γ(1-γ)^(k-1), k >= 1 | 1/γ |
/// | logarithmic, η = 0 | (1-γ)^k/(k ln(1/γ)), k >= 1 | (1/γ - 1)/ln(1/γ) |
/// | truncated negative binomial, -1 < η <= 1 | ∝ (1-γ)^k Π (l+η)/(l+1), l < k, k >= 1 | η(1-γ)/(γ(1-γ^η)) |
/// | Poisson | e^-μ μ^k/k!, k >= 0 | μ |
///
/// The smaller η, the less it costs and the more the number varies: many searches run once. The
/// Poisson number varies least, and may be 0: then nothing is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs(Law);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Law {
    NegativeBinomial { eta: Rational, gamma: Rational },
    Poisson { mean: Rational },
}

/// The smallest γ, and one over the largest mean.
const RAREST: u32 = 4096;

impl Runs {
    /// The truncated negative binomial law.
    ///
    /// # Errors
    /// If η is not above -1 and at most 1, or γ is not at least 1/4096 and below 1.
    pub fn negative_binomial(eta: Rational, gamma: Rational) -> Result<Self, LearnError> {
        if eta <= -Rational::ONE || eta > Rational::ONE {
            return Err(LearnError::invalid("eta", eta, "above -1 and at most 1"));
        }
        if gamma < Rational::new(1, RAREST)? || gamma >= Rational::ONE {
            return Err(LearnError::invalid("gamma", gamma, "at least 1/4096 and below 1"));
        }
        Ok(Self(Law::NegativeBinomial { eta, gamma }))
    }

    /// The geometric law of a mean.
    ///
    /// # Errors
    /// If the mean is not from 2 to 4096.
    pub fn geometric(mean: u32) -> Result<Self, LearnError> {
        if !(2..=RAREST).contains(&mean) {
            return Err(LearnError::invalid("the mean number of runs", mean, "from 2 to 4096"));
        }
        Self::negative_binomial(Rational::ONE, Rational::new(1, mean)?)
    }

    /// The logarithmic law.
    ///
    /// # Errors
    /// If γ is not at least 1/4096 and below 1.
    pub fn logarithmic(gamma: Rational) -> Result<Self, LearnError> {
        Self::negative_binomial(Rational::ZERO, gamma)
    }

    /// The Poisson law.
    ///
    /// # Errors
    /// If the mean is not above 0 and at most 4096.
    pub fn poisson(mean: Rational) -> Result<Self, LearnError> {
        if !mean.is_positive() || mean > Rational::from(RAREST) {
            let allowed = "above 0 and at most 4096";
            return Err(LearnError::invalid("the mean number of runs", mean, allowed));
        }
        Ok(Self(Law::Poisson { mean }))
    }

    /// η and γ, if the law is a truncated negative binomial one.
    pub(super) const fn parameters(&self) -> Option<(&Rational, &Rational)> {
        match &self.0 {
            Law::NegativeBinomial { eta, gamma } => Some((eta, gamma)),
            Law::Poisson { .. } => None,
        }
    }

    /// The mean number of runs.
    ///
    /// # Errors
    /// Never for a law that was made.
    pub fn mean(&self) -> Result<Enclosure, LearnError> {
        match &self.0 {
            Law::Poisson { mean } => Ok(Enclosure::of_rational(mean)),
            Law::NegativeBinomial { eta, gamma } if *eta == Rational::ONE => {
                Ok(Enclosure::of_rational(&Rational::ONE.checked_div(gamma)?))
            }
            Law::NegativeBinomial { eta, gamma } => {
                let odds = Rational::ONE.checked_div(gamma)? - Rational::ONE;
                let (odds, fall) = (Enclosure::of_rational(&odds), Enclosure::of_rational(gamma));
                let log = fall.ln()?;
                if eta.is_zero() {
                    return Ok(odds / -log);
                }
                let eta = Enclosure::of_rational(eta);
                Ok(eta * odds / -(eta * log).expm1())
            }
        }
    }

    /// A number of runs, exactly of this law.
    ///
    /// The negative binomial one by rejection: a geometric k is kept with chance Π (l+η)/(l+1),
    /// 1 <= l < k, which is at most 1 for η <= 1.
    pub(super) fn draw(&self, entropy: &mut dyn Entropy) -> Result<u64, SampleError> {
        match &self.0 {
            Law::Poisson { mean } => Poisson::new(mean)?.draw(entropy),
            Law::NegativeBinomial { eta, gamma } => {
                let stop = Bernoulli::new(gamma)?;
                loop {
                    let mut runs = 1;
                    while !stop.draw(entropy)? {
                        runs += 1;
                    }
                    if is_kept(runs, eta, entropy)? {
                        return Ok(runs);
                    }
                }
            }
        }
    }
}

fn is_kept(runs: u64, eta: &Rational, entropy: &mut dyn Entropy) -> Result<bool, SampleError> {
    if *eta == Rational::ONE {
        return Ok(true);
    }
    for l in 1..runs {
        let chance = (Rational::from(l) + eta.clone()).checked_div(&Rational::from(l + 1))?;
        if !Bernoulli::new(&chance)?.draw(entropy)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use throng_sample::SeededEntropy;

    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_of_runs_have_their_law() {
        let laws = ["1", "0", "1/2", "-1/2"]
            .map(|eta| Runs::negative_binomial(rational(eta), rational("1/8")).unwrap());
        for (runs, seed) in laws.into_iter().zip(0..) {
            let (eta, gamma) = runs.parameters().unwrap();
            let (eta, gamma) = (eta.to_f64_nearest(), gamma.to_f64_nearest());
            // Weights relative to P(1), by their ratios.
            let mut weights = vec![1.0];
            for l in 1..400 {
                let l = f64::from(l);
                weights.push(weights.last().unwrap() * (1.0 - gamma) * (l + eta) / (l + 1.0));
            }
            let total: f64 = weights.iter().sum();
            let mean: f64 =
                weights.iter().zip(1..).map(|(w, k)| w * f64::from(k)).sum::<f64>() / total;
            let formula = runs.mean().unwrap();
            assert!((formula.lower() - mean).abs() < 1e-9 && formula.width() < 1e-9);
            let draws = 20_000_u32;
            let mut entropy = SeededEntropy::new(seed);
            let mut seen = [0_u32; 4];
            for _ in 0..draws {
                let runs = usize::try_from(runs.draw(&mut entropy).unwrap()).unwrap();
                assert!(runs >= 1);
                if let Some(count) = seen.get_mut(runs - 1) {
                    *count += 1;
                }
            }
            for (count, weight) in seen.iter().zip(&weights) {
                let (share, chance) = (f64::from(*count) / f64::from(draws), weight / total);
                let deviation = (chance * (1.0 - chance) / f64::from(draws)).sqrt();
                assert!((share - chance).abs() < 4.5 * deviation, "eta {eta}: {share} {chance}");
            }
        }
    }

    #[test]
    fn bad_laws_are_refused() {
        for (eta, gamma) in [("-1", "1/2"), ("2", "1/2"), ("0", "0"), ("0", "1"), ("0", "1/5000")] {
            assert!(Runs::negative_binomial(rational(eta), rational(gamma)).is_err());
        }
        assert!(Runs::geometric(1).is_err() && Runs::geometric(5000).is_err());
        assert!(Runs::poisson(rational("0")).is_err() && Runs::poisson(rational("-1")).is_err());
    }
}
