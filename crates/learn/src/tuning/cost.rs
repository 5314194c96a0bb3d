//! What it costs to keep the best of a random number of runs.

use std::cell::OnceCell;

use throng_account::filter::cost;
use throng_account::{Accuracy, Leaf, MechanismSpec, Neighbours, PrivacyLoss};
use throng_numeric::{Enclosure, Rational};

use super::Runs;
use crate::LearnError;

/// The orders λ at which divergences are stated.
const ORDERS: [f64; 29] = [
    1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0,
    32.0, 40.0, 48.0, 64.0, 96.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0,
];

/// The spec of a search whose single run is, on any two neighbours, at least as private as one of
/// `bases`.
///
/// # Guarantee
/// Let Q be one run and A the search, on neighbours. With f(x) = E x^K, for a q and a q' that are the
/// chances of one event under Q and Q',
/// D_λ(A||A') <= D_λ(Q||Q') + ln(f'(q)^λ f'(q')^(1-λ))/(λ-1) (lemma 7 of the paper). From there:
///
/// * Truncated negative binomial K: f'(x) = (E K) γ^(η+1) (1-(1-γ)x)^(-η-1). If D_λ̂ <= ε̂ (λ̂ >= 1),
///   p' <= (p e^ε̂)^(1-1/λ̂) for all events, and p = 1-(1-γ)q is at least γ, so
///   ε' = ε + (1+η)(1-1/λ̂) ε̂ + (1+η) ln(1/γ)/λ̂ + ln(E K)/(λ-1) (theorem 2). If Q is ε-private,
///   λ and λ̂ to infinity: (2+η) ε.
/// * Poisson K of mean μ: f'(x) = μ e^(μ(x-1)). If p' <= e^ε̂ p + δ̂ for all events with
///   e^ε̂ <= 1 + 1/(λ-1), then the factor is at most μ e^((λ-1)μδ̂) (theorem 6). That nothing runs is an
///   outcome of its own, as likely under both: ε' = ln(e^-μ + μ e^((λ-1)(ε+μδ̂)))/(λ-1).
///
/// Each order is evaluated in enclosures and rounded up; λ̂ is the best of the same orders and 1.
///
/// # Errors
/// If no order has a finite bound, or the accountant refuses a base.
///
/// # Reference
/// N. Papernot, T. Steinke, "Hyperparameter tuning with Rényi differential privacy", 2022; for pure
/// epsilon and geometric K: J. Liu, K. Talwar, "Private selection from private candidates", 2019.
pub fn spec_of_best(
    bases: &[MechanismSpec],
    runs: &Runs,
    under: Neighbours,
) -> Result<MechanismSpec, LearnError> {
    if let (Some((eta, _)), Some(epsilon)) = (runs.parameters(), pure(bases, under)) {
        let epsilon = (Rational::from(2) + eta.clone()) * epsilon;
        return Ok(MechanismSpec::leaf(Leaf::Pure { epsilon })?);
    }
    let base = Base::of(bases, under)?;
    let mut table = Vec::new();
    for (order, divergence) in &base.curve {
        let bound = match runs.parameters() {
            Some((eta, gamma)) => {
                base.negative_binomial(*order, *divergence, (eta, gamma), runs)?
            }
            None => base.poisson(*order, *divergence, runs.mean()?)?,
        };
        if bound.is_finite() {
            table.push((Rational::from_f64(*order)?, short(bound.max(0.0))?));
        }
    }
    if table.is_empty() {
        return Err(LearnError::refused(
            "one run of the search has no finite Rényi divergence",
            "use candidates without a delta of their own: noise, not thresholds",
        ));
    }
    Ok(MechanismSpec::leaf(Leaf::Renyi { table })?)
}

/// The largest epsilon of the bases, if each has one.
fn pure(bases: &[MechanismSpec], under: Neighbours) -> Option<Rational> {
    let each = bases.iter().map(|spec| cost::pure(spec, under).ok());
    each.collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// A number of nine decimals that is not smaller.
fn short(x: f64) -> Result<Rational, LearnError> {
    let unit = Rational::from(1_000_000_000);
    Ok(Rational::from((Rational::from_f64(x)? * unit.clone()).ceil()).checked_div(&unit)?)
}

/// What is known about one run, on the worst neighbours.
struct Base {
    distinct: Vec<Single>,
    /// (λ, ε) with ε an upper end, rising.
    curve: Vec<(f64, f64)>,
}

/// One base; its curve of losses is computed if it is asked for.
struct Single {
    spec: MechanismSpec,
    under: Neighbours,
    loss: OnceCell<PrivacyLoss>,
}

impl Single {
    fn loss(&self) -> Result<&PrivacyLoss, LearnError> {
        if let Some(loss) = self.loss.get() {
            return Ok(loss);
        }
        let loss = PrivacyLoss::of_spec(&self.spec, self.under, Accuracy::default())?;
        Ok(self.loss.get_or_init(|| loss))
    }

    /// By formula where there is one; else the whole curve is integrated.
    fn renyi(&self, order: f64) -> Result<f64, LearnError> {
        if let Ok(bound) = cost::renyi(&self.spec, self.under, &Rational::from_f64(order)?) {
            return Ok(bound.to_f64_up());
        }
        Ok(self.loss()?.renyi(order).map_or(f64::INFINITY, |found| found.upper))
    }
}

impl Base {
    fn of(bases: &[MechanismSpec], under: Neighbours) -> Result<Self, LearnError> {
        let mut distinct: Vec<Single> = Vec::new();
        for spec in bases {
            if !distinct.iter().any(|other| other.spec == *spec) {
                distinct.push(Single { spec: spec.clone(), under, loss: OnceCell::new() });
            }
        }
        let mut curve = Vec::new();
        let mut least = f64::INFINITY;
        // Divergences rise with the order, so what bounds one bounds those below.
        for order in ORDERS.into_iter().rev() {
            let mut most = 0.0_f64;
            for single in &distinct {
                most = most.max(single.renyi(order)?);
            }
            least = least.min(most);
            if least.is_finite() {
                curve.push((order, least));
            }
        }
        curve.reverse();
        Ok(Self { distinct, curve })
    }

    /// ε' of theorem 2, the least over λ̂.
    fn negative_binomial(
        &self,
        order: f64,
        divergence: f64,
        (eta, gamma): (&Rational, &Rational),
        runs: &Runs,
    ) -> Result<f64, LearnError> {
        let more = Enclosure::of_rational(&(Rational::ONE + eta.clone()));
        let rare = -Enclosure::of_rational(gamma).ln()?;
        let mut least = (more * rare).upper(); // λ̂ = 1
        for (hat, bound) in &self.curve {
            let inverse = Enclosure::ONE / Enclosure::point(*hat)?;
            let rest = (Enclosure::ONE - inverse) * Enclosure::point(*bound)?;
            least = least.min((more * (rest + rare * inverse)).upper());
        }
        let often = runs.mean()?.ln()? / (Enclosure::point(order)? - Enclosure::ONE);
        Ok((Enclosure::point(divergence)? + Enclosure::point(least)? + often).upper())
    }

    /// ε' of theorem 6, with the largest ε̂ that it allows.
    fn poisson(&self, order: f64, divergence: f64, mean: Enclosure) -> Result<f64, LearnError> {
        let above = Enclosure::point(order)? - Enclosure::ONE;
        let hat = (Enclosure::ONE / above).ln_1p()?.lower().max(0.0);
        let mut delta = 0.0_f64;
        for single in &self.distinct {
            delta = delta.max(single.loss()?.delta(hat)?.upper);
        }
        let run = Enclosure::point(divergence)? + mean * Enclosure::point(delta)?;
        let some = mean.ln()? + above * run;
        let none = (-mean - some).exp();
        Ok(((some + none.ln_1p()?) / above).upper())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNDER: Neighbours = Neighbours::AddRemove;

    fn parsed(text: &str) -> MechanismSpec {
        text.parse().unwrap()
    }

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    /// The law of the best of K independent draws, from the law of one; places are ranked, the last
    /// is best. P(best <= y) = E[F(y)^K].
    fn best(law: &[f64], generating: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut below = 0.0;
        let mut found = Vec::new();
        for p in law {
            let (from, to) = (generating(below), generating(below + p));
            found.push(to - from);
            below += p;
        }
        found
    }

    #[expect(clippy::disallowed_methods, reason = "a test compares with ordinary numbers")]
    fn generating(runs: &Runs) -> impl Fn(f64) -> f64 {
        let mean = runs.mean().unwrap().lower();
        let parameters =
            runs.parameters().map(|(eta, gamma)| (eta.to_f64_nearest(), gamma.to_f64_nearest()));
        move |x: f64| match parameters {
            None => (mean * (x - 1.0)).exp(),
            Some((eta, gamma)) => {
                let rest = 1.0 - (1.0 - gamma) * x;
                if eta == 0.0 {
                    rest.ln() / gamma.ln()
                } else {
                    (rest.powf(-eta) - 1.0) / (gamma.powf(-eta) - 1.0)
                }
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a test compares with ordinary numbers")]
    fn divergence(p: &[f64], q: &[f64], order: f64) -> f64 {
        let term =
            |(p, q): (&f64, &f64)| if *p > 0.0 { p.powf(order) * q.powf(1.0 - order) } else { 0.0 };
        p.iter().zip(q).map(term).sum::<f64>().ln() / (order - 1.0)
    }

    fn laws() -> Vec<Runs> {
        let poisson = ["1/100", "1", "10"].map(|mean| Runs::poisson(rational(mean)).unwrap());
        let mut laws = Vec::from(poisson);
        for eta in ["1", "0", "-1/2"] {
            for gamma in ["1/2", "1/100"] {
                laws.push(Runs::negative_binomial(rational(eta), rational(gamma)).unwrap());
            }
        }
        laws
    }

    /// Randomised response over four ranked outcomes, with a loss of exactly ±1 each: selection from
    /// it, enumerated, against the bound.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test compares with ordinary numbers")]
    fn the_best_of_pure_runs_is_within_the_bound_and_near_it() {
        let mut nearest: f64 = 0.0;
        let e = 1.0_f64.exp();
        // All pairs of laws on three outcomes with losses 1, -1 and anything between.
        for split in [0.1, 0.5, 0.9, 0.99, 0.999] {
            let high = (1.0 - 1.0 / e) / (e - 1.0 / e); // P' of the part with loss 1
            for flip in [false, true] {
                let (a, b) = (high, 1.0 - high);
                let q = [b * split, a, b * (1.0 - split)];
                let p = [b * split / e, a * e, b * (1.0 - split) / e];
                let (p, q) = if flip { (q, p) } else { (p, q) };
                for runs in laws() {
                    let Some((eta, _)) = runs.parameters() else { continue };
                    let bound = (2.0 + eta.to_f64_nearest()) * 1.0;
                    let spec = spec_of_best(&[parsed("pure(eps=1)")], &runs, UNDER).unwrap();
                    let stated = PrivacyLoss::of_spec(&spec, UNDER, Accuracy::default()).unwrap();
                    assert!((stated.epsilon(0.0).unwrap().upper - bound).abs() < 1e-6);
                    let f = generating(&runs);
                    let (found, other) = (best(&p, &f), best(&q, &f));
                    for (p, q) in found.iter().zip(&other) {
                        let loss = (p / q).ln().abs();
                        assert!(loss <= bound + 1e-9, "{loss} {bound}");
                        nearest = nearest.max(loss / bound);
                    }
                }
            }
        }
        assert!(nearest > 0.7, "{nearest}"); // the test could fail
    }

    /// Discrete noise on a score, and the score is released: ranked by it, enumerated.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test compares with ordinary numbers")]
    fn the_best_of_noisy_scores_is_within_the_bound() {
        let sigma = 2.0_f64;
        let law = |centre: i32| -> Vec<f64> {
            let weight = |k: i32| (-f64::from(k - centre).powi(2) / (2.0 * sigma * sigma)).exp();
            let total: f64 = (-60..=60).map(weight).sum();
            (-60..=60).map(|k| weight(k) / total).collect()
        };
        let (p, q) = (law(0), law(1));
        let base = parsed("discrete_gaussian(sigma=2)");
        for runs in laws() {
            let spec = spec_of_best(std::slice::from_ref(&base), &runs, UNDER).unwrap();
            let text = spec.to_string();
            let again: MechanismSpec = text.parse().unwrap();
            assert_eq!(again, spec);
            let stated = PrivacyLoss::of_spec(&spec, UNDER, Accuracy::default()).unwrap();
            let f = generating(&runs);
            // If nothing ran, that is an outcome too.
            let none = f(0.0);
            let whole = |law: &[f64]| [vec![none], best(law, &f)].concat();
            let (found, other) = (whole(&p), whole(&q));
            for order in [1.5, 2.0, 4.0, 8.0] {
                let most = stated.renyi(order).unwrap().upper;
                for (p, q) in [(&found, &other), (&other, &found)] {
                    // Outcomes that rounding has emptied say nothing.
                    let pairs = p.iter().zip(q).filter(|(p, q)| **p > 1e-13 && **q > 1e-13);
                    let (p, q): (Vec<f64>, Vec<f64>) = pairs.map(|(p, q)| (*p, *q)).unzip();
                    let exact = divergence(&p, &q, order);
                    assert!(exact <= most + 1e-9, "{text} at {order}: {exact} {most}");
                }
            }
        }
    }

    /// Theorem 2 by hand: σ = 4, λ = λ̂ = 8, η = 1, γ = 1/10.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test compares with ordinary numbers")]
    fn the_formula_is_the_papers() {
        let runs = Runs::geometric(10).unwrap();
        let base = Base { distinct: vec![], curve: vec![(8.0, 8.0 / 32.0)] };
        let (eta, gamma) = runs.parameters().unwrap();
        let found = base.negative_binomial(8.0, 0.25, (eta, gamma), &runs).unwrap();
        let by_hand = 0.25 + 2.0 * (7.0 / 8.0) * 0.25 + 2.0 * 10_f64.ln() / 8.0 + 10_f64.ln() / 7.0;
        assert!((found - by_hand).abs() < 1e-12);
    }

    #[test]
    fn searches_among_very_private_runs_cost_about_thrice_one() {
        let spec =
            spec_of_best(&[parsed("gaussian(sigma=800)")], &Runs::geometric(10).unwrap(), UNDER);
        let of = |spec: &MechanismSpec| {
            let loss = PrivacyLoss::of_spec(spec, UNDER, Accuracy::default()).unwrap();
            loss.epsilon(1e-6).unwrap().upper
        };
        let (one, all) = (of(&parsed("gaussian(sigma=800)")), of(&spec.unwrap()));
        assert!(all < 4.0 * one, "{all} {one}");
    }

    #[test]
    fn orders_between_integers_are_bounded_by_those_above() {
        // By formula only integer orders are told apart from no sampling at all.
        let base = parsed("sampled(gaussian(sigma=1), rate=0.01)");
        let curve = Base::of(&[base], UNDER).unwrap().curve;
        let at = |order: f64| curve.iter().find(|(at, _)| *at == order).unwrap().1;
        assert!(at(1.5) <= at(2.0) && at(2.5) <= at(3.0) && at(2.5) < 0.01);
        assert!(curve.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    }

    #[test]
    fn the_worst_base_counts() {
        let runs = Runs::geometric(10).unwrap();
        let [weak, strong] = ["gaussian(sigma=2)", "gaussian(sigma=5)"].map(parsed);
        let both = spec_of_best(&[strong.clone(), weak.clone()], &runs, UNDER).unwrap();
        assert_eq!(both, spec_of_best(&[weak], &runs, UNDER).unwrap());
        assert_ne!(both, spec_of_best(&[strong], &runs, UNDER).unwrap());
        let leaky = parsed("approx_dp(eps=1, delta=1e-6)");
        assert!(spec_of_best(&[leaky], &runs, UNDER).is_err());
    }
}
