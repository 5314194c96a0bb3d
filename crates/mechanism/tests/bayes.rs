//! Posteriors from noisy sums.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare with plain numbers, and may fail"
)]

use crate::support::{audit, costs_at_most, free, rational};
use throng_mechanism::bayes::{Bernoulli, Categories, NormalMean, PoissonRate};
use throng_mechanism::noise::Protection;
use throng_mechanism::{Clamp, Mechanism, Neighbours, Sensitive};
use throng_numeric::{Enclosure, Rational, beta, gamma};
use throng_sample::{Entropy, SeededEntropy};

fn pure(epsilon: &str) -> Protection {
    Protection::Pure { epsilon: rational(epsilon) }
}

/// Uniform in (0, 1).
fn uniform(entropy: &mut SeededEntropy) -> f64 {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes).unwrap();
    ((u64::from_le_bytes(bytes) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

fn normal(entropy: &mut SeededEntropy) -> f64 {
    (-2.0 * uniform(entropy).ln()).sqrt() * (std::f64::consts::TAU * uniform(entropy)).cos()
}

fn run<M: Mechanism<Input = [T]>, T, const N: usize>(
    mechanism: &M,
    data: [T; N],
    entropy: &mut SeededEntropy,
) -> M::Output {
    let data = Sensitive::new(data);
    mechanism.run(data.as_slice(), free(mechanism), entropy).unwrap().into_parts().0
}

/// Whether a chance may be p after these hits, at false alarm 1e-9.
fn plausible(hits: u64, runs: u64, p: f64) -> bool {
    let level = 0.5e-9;
    let (low, high) =
        (audit::lower_bound(hits, runs, level), audit::upper_bound(hits, runs, level));
    (low - 0.002..=high + 0.002).contains(&p)
}

const RUNS: u64 = 400;

/// The truth is drawn from the prior, so intervals of 90 % must hold it in 90 % of the runs;
/// plugging in the noisy sum is refuted (it covers some 60 %, so 400 runs cannot miss it).
#[test]
fn yes_or_no_with_public_count_is_calibrated_and_plugging_in_is_not() {
    const N: usize = 40;
    let model =
        Bernoulli::of_public_count((1.0, 1.0), &pure("1/5"), 40, Neighbours::Replace).unwrap();
    let mut entropy = SeededEntropy::new(1);
    let (mut hits, mut naive) = (0, 0);
    for _ in 0..RUNS {
        let chance = uniform(&mut entropy);
        let data: [bool; N] = std::array::from_fn(|_| uniform(&mut entropy) < chance);
        let found = run(&model, data, &mut entropy);
        let interval = found.posterior().credible(0.9).unwrap();
        hits += u64::from(interval.lower <= chance && chance <= interval.upper);
        let s = found.counts().value(0).clamp(0.0, N as f64);
        let (a, b) = (1.0 + s, 1.0 + N as f64 - s);
        let (m, sd) = (a / (a + b), (a * b / (a + b + 1.0)).sqrt() / (a + b));
        naive += u64::from((chance - m).abs() <= 1.645 * sd);
    }
    assert!(plausible(hits, RUNS, 0.9), "{hits}");
    assert!(!plausible(naive, RUNS, 0.9), "{naive}");
}

#[test]
fn yes_or_no_with_private_count_covers() {
    const N: usize = 50;
    let model = Bernoulli::new((1.0, 1.0), &pure("1/2")).unwrap();
    let mut entropy = SeededEntropy::new(2);
    let runs = 300;
    let mut hits = 0;
    for _ in 0..runs {
        let chance = uniform(&mut entropy);
        let data: [bool; N] = std::array::from_fn(|_| uniform(&mut entropy) < chance);
        let interval = run(&model, data, &mut entropy).posterior().credible(0.9).unwrap();
        hits += u64::from(interval.lower <= chance && chance <= interval.upper);
    }
    // n is fixed here, which the flat prior on n does not know: near 90 %, not exactly.
    assert!(audit::upper_bound(hits, runs, 1e-9) >= 0.88, "{hits}");
}

#[test]
fn categories_are_calibrated() {
    const N: usize = 60;
    let alphas = [1.0, 1.0, 1.0];
    let model = Categories::new(&alphas, &pure("1/2"), 60, Neighbours::Replace).unwrap();
    let mut entropy = SeededEntropy::new(3);
    let mut hits = 0;
    for _ in 0..RUNS / 2 {
        let e: [f64; 3] = std::array::from_fn(|_| -uniform(&mut entropy).ln());
        let total: f64 = e.iter().sum();
        let data: [usize; N] = std::array::from_fn(|_| {
            let u = uniform(&mut entropy) * total;
            if u < e[0] { 0 } else { 1 + usize::from(u > e[0] + e[1]) }
        });
        let found = run(&model, data, &mut entropy);
        let interval = found.posterior(1).unwrap().credible(0.9).unwrap();
        hits += u64::from(interval.lower <= e[1] / total && e[1] / total <= interval.upper);
        assert!(found.posterior(3).is_none());
    }
    assert!(plausible(hits, RUNS / 2, 0.9), "{hits}");
}

#[test]
fn rates_are_calibrated() {
    const N: usize = 30;
    let model = PoissonRate::new((1.0, 0.5), 40, &pure("1"), 30, Neighbours::Replace).unwrap();
    let mut entropy = SeededEntropy::new(4);
    let mut hits = 0;
    for _ in 0..RUNS / 2 {
        let rate = -uniform(&mut entropy).ln() / 0.5;
        let data: [i64; N] = std::array::from_fn(|_| poisson(rate, &mut entropy));
        let interval = run(&model, data, &mut entropy).posterior().credible(0.9).unwrap();
        hits += u64::from(interval.lower <= rate && rate <= interval.upper);
    }
    assert!(plausible(hits, RUNS / 2, 0.9), "{hits}");
}

/// By waiting times.
fn poisson(rate: f64, entropy: &mut SeededEntropy) -> i64 {
    let mut time = -uniform(entropy).ln();
    let mut count = 0;
    while time < rate {
        time -= uniform(entropy).ln();
        count += 1;
    }
    count
}

#[test]
fn normal_means_are_calibrated_and_plugging_in_is_not() {
    const N: usize = 30;
    let clamp = Clamp::between(&Rational::from(-12), &Rational::from(12)).unwrap();
    let protection = Protection::Gaussian { multiplier: rational("1") };
    let model =
        NormalMean::new((0.0, 4.0), 1.0, clamp, &protection, 30, Neighbours::Replace).unwrap();
    let mut entropy = SeededEntropy::new(5);
    let (mut hits, mut naive) = (0, 0);
    for _ in 0..RUNS {
        let mean = 2.0 * normal(&mut entropy);
        let data: [f64; N] = std::array::from_fn(|_| mean + normal(&mut entropy));
        let found = run(&model, data, &mut entropy);
        let interval = found.posterior().credible(0.9).unwrap();
        hits += u64::from(interval.lower <= mean && mean <= interval.upper);
        let v = 1.0 / (0.25 + N as f64);
        naive += u64::from((mean - v * found.sum().value(0)).abs() <= 1.645 * v.sqrt());
    }
    assert!(plausible(hits, RUNS, 0.9), "{hits}");
    assert!(!plausible(naive, RUNS, 0.9), "{naive}");
    assert!(NormalMean::new((0.0, 4.0), 1.0, clamp, &pure("1"), 30, Neighbours::Replace).is_err());
}

/// Without noise to speak of, the textbook: Beta(1+7, 1+3), Gamma(2+6, 1+3).
#[test]
fn with_little_noise_posteriors_are_the_textbook_ones() {
    let mut entropy = SeededEntropy::new(6);
    let data: [bool; 10] = std::array::from_fn(|i| i < 7);
    let models = [
        Bernoulli::of_public_count((1.0, 1.0), &pure("50"), 10, Neighbours::Replace).unwrap(),
        Bernoulli::new((1.0, 1.0), &pure("50")).unwrap(),
    ];
    for model in models {
        let posterior = run(&model, data, &mut entropy).posterior();
        assert!((posterior.mean() - 8.0 / 12.0).abs() < 1e-9);
        let sd = (8.0 * 4.0 / (144.0 * 13.0_f64)).sqrt();
        assert!((posterior.standard_deviation() - sd).abs() < 1e-9);
        // Quantiles of Beta(8, 4) at 5 % and 95 %.
        let interval = posterior.credible(0.9).unwrap();
        let beta = |x: f64| {
            let point = |x| throng_numeric::Enclosure::point(x).unwrap();
            throng_numeric::beta::regularised(point(8.0), point(4.0), point(x)).unwrap().lower()
        };
        assert!((beta(interval.lower) - 0.05).abs() < 1e-4, "{interval:?}");
        assert!((beta(interval.upper) - 0.95).abs() < 1e-4, "{interval:?}");
    }
    let rate = PoissonRate::new((2.0, 1.0), 5, &pure("200"), 3, Neighbours::Replace).unwrap();
    let posterior = run(&rate, [1, 2, 3], &mut entropy).posterior();
    assert!((posterior.mean() - 2.0).abs() < 1e-9);
}

#[test]
fn costs_are_those_asked_for_and_other_relations_are_refused() {
    let replace = Neighbours::Replace;
    let yes = Bernoulli::of_public_count((1.0, 1.0), &pure("1"), 9, replace).unwrap();
    let categories = Categories::new(&[1.0; 4], &pure("1"), 9, replace).unwrap();
    let rate = PoissonRate::new((1.0, 1.0), 7, &pure("1"), 9, replace).unwrap();
    let private = Bernoulli::new((1.0, 1.0), &pure("1")).unwrap();
    assert!(costs_at_most(&yes, "1") && !costs_at_most(&yes, "0.999"));
    assert!(costs_at_most(&categories, "1") && !costs_at_most(&categories, "0.999"));
    assert!(costs_at_most(&rate, "1") && !costs_at_most(&rate, "0.999"));
    assert!(costs_at_most(&private, "1") && !costs_at_most(&private, "0.999"));
    for under in [Neighbours::AddRemove, Neighbours::ZeroOut] {
        assert!(Bernoulli::of_public_count((1.0, 1.0), &pure("1"), 9, under).is_err());
        assert!(Categories::new(&[1.0; 4], &pure("1"), 9, under).is_err());
        assert!(PoissonRate::new((1.0, 1.0), 7, &pure("1"), 9, under).is_err());
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Bernoulli::new((bad, 1.0), &pure("1")).is_err());
        assert!(Categories::new(&[1.0, bad], &pure("1"), 9, replace).is_err());
    }
    assert!(Categories::new(&[1.0], &pure("1"), 9, replace).is_err());
    assert!(PoissonRate::new((1.0, 1.0), 0, &pure("1"), 9, replace).is_err());
}

#[test]
fn nothing_one_row_and_extremes_have_posteriors() {
    let mut entropy = SeededEntropy::new(7);
    let replace = Neighbours::Replace;
    let check = |posterior: &throng_mechanism::bayes::Posterior| {
        let interval = posterior.credible(0.95).unwrap();
        assert!(posterior.mean().is_finite() && posterior.standard_deviation() > 0.0);
        assert!(interval.lower < interval.upper);
        assert!(posterior.credible(1.0).is_err());
    };
    for epsilon in ["1/1000", "1", "100"] {
        let model = Bernoulli::of_public_count((0.5, 0.5), &pure(epsilon), 0, replace).unwrap();
        check(&run(&model, [], &mut entropy).posterior());
        let model = Bernoulli::new((0.5, 0.5), &pure(epsilon)).unwrap();
        check(&run(&model, [true], &mut entropy).posterior());
        let model = PoissonRate::new((0.5, 2.0), 9, &pure(epsilon), 0, replace).unwrap();
        check(&run(&model, [], &mut entropy).posterior());
        let model = PoissonRate::new((0.5, 2.0), 9, &pure(epsilon), 3, replace).unwrap();
        check(&run(&model, [i64::MIN, i64::MAX, 4], &mut entropy).posterior());
        let model = Categories::new(&[0.5, 0.5], &pure(epsilon), 2, replace).unwrap();
        let found = run(&model, [usize::MAX, 1], &mut entropy);
        check(&found.posterior(0).unwrap());
    }
}

/// The formula, term by term: with a = b = 1 all sums are equally likely beforehand.
#[test]
fn the_mixture_is_the_one_written_down() {
    let model = Bernoulli::of_public_count((1.0, 1.0), &pure("1"), 3, Neighbours::Replace).unwrap();
    let mut entropy = SeededEntropy::new(8);
    for _ in 0..50 {
        let found = run(&model, [true, true, false], &mut entropy);
        let noisy = found.counts().value(0);
        let weight = |s: f64| (-(noisy - s).abs()).exp();
        let sums = [0.0, 1.0, 2.0, 3.0];
        let total: f64 = sums.map(weight).iter().sum();
        let mean: f64 = sums.iter().map(|s| weight(*s) * (1.0 + s) / 5.0).sum::<f64>() / total;
        let square: f64 =
            sums.iter().map(|s| weight(*s) * (1.0 + s) * (2.0 + s) / 30.0).sum::<f64>() / total;
        let posterior = found.posterior();
        assert!((posterior.mean() - mean).abs() < 1e-9);
        assert!((posterior.standard_deviation() - (square - mean * mean).sqrt()).abs() < 1e-9);
    }
}

/// The posterior after no records is the prior: the mass of a credible interval, exactly.
#[test]
fn credible_intervals_of_spiky_priors_have_their_mass() {
    let point = |x: f64| Enclosure::point(x).unwrap();
    for (a, b) in [(1.0, 1.0), (0.5, 0.5), (0.1, 0.1), (0.01, 0.01), (0.05, 3.0), (2.0, 900.0)] {
        let model = Bernoulli::of_public_count((a, b), &pure("1"), 0, Neighbours::Replace).unwrap();
        let posterior = run(&model, [], &mut SeededEntropy::new(11)).posterior();
        for probability in [0.5, 0.9, 0.99] {
            let found = posterior.credible(probability).unwrap();
            let below = |x: f64| beta::regularised(point(a), point(b), point(x)).unwrap();
            let mass = below(found.upper) - below(found.lower);
            let off = mass.lower() - probability;
            // An end that is 0 or 1 as a number leaves out no more than it has to.
            let end = found.lower <= 0.0 || found.upper >= 1.0;
            assert!(off > -2e-3 && (end || off < 2e-3), "{a} {b} {probability}: {off} {found:?}");
        }
    }
    for (shape, rate) in [(1.0, 1.0), (0.5, 2.0), (0.1, 1.0), (0.01, 1.0)] {
        let model = PoissonRate::new((shape, rate), 5, &pure("1"), 0, Neighbours::Replace).unwrap();
        let posterior = run(&model, [], &mut SeededEntropy::new(11)).posterior();
        for probability in [0.5, 0.9, 0.99] {
            let found = posterior.credible(probability).unwrap();
            let below = |x: f64| gamma::regularised_lower(point(shape), point(rate * x)).unwrap();
            let mass = below(found.upper) - below(found.lower);
            let off = mass.lower() - probability;
            let end = found.lower <= 0.0;
            assert!(off > -2e-3 && (end || off < 2e-3), "{shape} {probability}: {off} {found:?}");
        }
    }
}

/// With noise far wider than what the data says, the posterior is the law of the noise (cut off at
/// 0 and n): not all sums that may be behind it are looked at, and those say more than lies
/// between them.
#[test]
fn blocks_of_sums_leave_no_gaps() {
    let (n, epsilon) = (1_000_000_000_u32, 2e-7); // scale 5e6
    let model =
        Bernoulli::of_public_count((1.0, 1.0), &pure("2e-7"), n.into(), Neighbours::Replace)
            .unwrap();
    for seed in 12..16 {
        let found = run(&model, [], &mut SeededEntropy::new(seed));
        let s = found.counts().value(0);
        let interval = found.posterior().credible(0.9).unwrap();
        // P(S > x | S >= 0), S Laplace about s.
        let tail = |x: f64| {
            let z = epsilon * (x - s);
            if z > 0.0 { 0.5 * (-z).exp() } else { 1.0 - 0.5 * z.exp() }
        };
        let share = |x: f64| tail(x * f64::from(n)) / tail(0.0);
        let mass = share(interval.lower) - share(interval.upper);
        assert!((mass - 0.9).abs() < 5e-3, "{mass} {interval:?} {s}");
    }
}

/// Two noisy counts, about 5 and 300, with noise of scale 60: the mass of the interval under the
/// mixture over *all* pairs of counts, each part taken as Beta(1 + s, 1 + f) by its logistic
/// approximation in log-odds.
#[test]
fn two_noisy_sums_have_their_mass() {
    let model = Bernoulli::new((1.0, 1.0), &pure("1/60")).unwrap();
    let data: [bool; 305] = std::array::from_fn(|i| i < 5);
    let mut entropy = SeededEntropy::new(31);
    for _ in 0..3 {
        let found = run(&model, data, &mut entropy);
        let interval = found.posterior().credible(0.9).unwrap();
        let (yes, no) = (found.counts().value(0), found.counts().value(1));
        let (mut inside, mut all) = (0.0, 0.0);
        let range = |noisy: f64| {
            let far = |x: f64| x.max(0.0) as u32;
            far(noisy - 800.0)..=far(noisy.max(0.0) + 800.0)
        };
        for s in range(yes).map(f64::from) {
            for f in range(no).map(f64::from) {
                let weight = (-((s - yes).abs() + (f - no).abs()) / 60.0).exp() / (s + f + 1.0);
                // Digamma to 1/x², trigamma to 1/x².
                let centre = |x: f64| x.ln() - 0.5 / x - 1.0 / (12.0 * x * x);
                let spread = |x: f64| 1.0 / x + 0.5 / (x * x);
                let t = |x: f64| (x / (1.0 - x)).ln() - centre(1.0 + s) + centre(1.0 + f);
                let sd = (spread(1.0 + s) + spread(1.0 + f)).sqrt();
                let below = |x: f64| 0.5 + 0.5 * (t(x) / sd * 0.85).tanh();
                all += weight;
                inside += weight * (below(interval.upper) - below(interval.lower));
            }
        }
        let mass = inside / all;
        assert!((mass - 0.9).abs() < 0.015, "{mass} {interval:?} {yes} {no}");
    }
}
