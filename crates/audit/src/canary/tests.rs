#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test")]
#![allow(clippy::cast_precision_loss, reason = "small counts")]

use throng_sample::{Entropy, SeededEntropy};

use super::bound::Tail;
use super::guess::Ranking;
use super::*;
use crate::{Neighbours, Orientation};

fn claim(text: &str) -> Claim {
    Claim::parse(text, Neighbours::AddRemove, Orientation::Either).unwrap()
}

/// A uniform number above 0 and below 1.
fn uniform(entropy: &mut SeededEntropy) -> f64 {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes).unwrap();
    let bits = u64::from_le_bytes(bytes) >> 12;
    (bits as f64 + 0.5) / (1u64 << 52) as f64
}

fn normal(entropy: &mut SeededEntropy) -> f64 {
    let (u, v) = (uniform(entropy), uniform(entropy));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Independent canaries whose scores differ by mu.
fn gaussian(mu: f64, count: usize, entropy: &mut SeededEntropy) -> Vec<Canary> {
    let one = |entropy: &mut SeededEntropy| {
        let included = uniform(entropy) < 0.5;
        Canary { score: normal(entropy) + if included { mu } else { 0.0 }, included }
    };
    (0..count).map(|_| one(entropy)).collect()
}

/// P[Bin(n, q) >= v], summed.
fn binomial_tail(n: usize, q: f64, v: usize) -> f64 {
    let mut mass = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; mass.len() + 1];
        for (k, p) in mass.iter().enumerate() {
            next[k] += p * (1.0 - q);
            next[k + 1] += p * q;
        }
        mass = next;
    }
    mass[v..].iter().sum()
}

#[test]
fn for_a_single_line_it_is_the_binomial() {
    for epsilon in [0.0f64, 0.3, 1.0, 3.0] {
        let claim = claim(&format!("pure(epsilon={epsilon})"));
        let q = epsilon.exp() / (1.0 + epsilon.exp());
        for (canaries, made) in [(1, 1), (2, 2), (7, 7), (40, 40), (40, 10)] {
            for right in 0..=made {
                let truth = binomial_tail(made, q, right);
                let tail = Tail { canaries, made, right };
                let region = claim.region(World::Zero);
                let one = one_run::candidates(region)[0];
                let bounds = [certificate::bound_by(&tail, one), tail.bound(region).unwrap()];
                for bound in bounds {
                    assert!(bound >= truth * (1.0 - 1e-12), "{tail:?}: {bound} < {truth}");
                    assert!(bound <= truth * (1.0 + 1e-6) + 1e-9, "{tail:?}: {bound} > {truth}");
                }
            }
        }
    }
}

/// A run that sometimes gives all canaries away together: with chance `share` every canary is guessed
/// right with chance `good`, else with chance `poor`.
struct Moody {
    share: f64,
    good: f64,
    poor: f64,
}

impl Moody {
    /// Exactly what it guarantees to each canary: the tangents of its trade-off curve.
    fn claim(&self) -> Claim {
        let moods = [(self.share, self.good), (1.0 - self.share, self.poor)];
        let ratios = moods.map(|(_, q)| q / (1.0 - q));
        let delta = |slope: f64| -> f64 {
            let excess = |a: f64, b: f64| (a - slope * b).max(0.0);
            moods
                .map(|(p, q)| excess(p * q, p * (1.0 - q)) + excess(p * (1.0 - q), p * q))
                .iter()
                .sum()
        };
        let slopes = ratios.into_iter().chain(ratios.map(|ratio| 1.0 / ratio));
        Claim::of_lines("moody".to_owned(), slopes.map(|slope| (slope, delta(slope) + 1e-12)))
    }

    fn tail(&self, made: usize, right: usize) -> f64 {
        self.share * binomial_tail(made, self.good, right)
            + (1.0 - self.share) * binomial_tail(made, self.poor, right)
    }
}

#[test]
fn runs_that_give_all_away_together_are_covered() {
    for share in [1e-3, 0.05, 0.3] {
        for (good, poor, explained) in [(0.999, 0.5, 189), (0.95, 0.6, 180), (0.8, 0.55, 150)] {
            let moody = Moody { share, good, poor };
            let claim = moody.claim();
            for made in [1, 5, 30, 200] {
                for right in 1..=made {
                    let tail = Tail { canaries: made, made, right };
                    let (bound, truth) =
                        (tail.bound(claim.region(World::Zero)).unwrap(), moody.tail(made, right));
                    assert!(bound >= truth * (1.0 - 1e-9), "{share} {tail:?}: {bound} < {truth}");
                }
            }
            // Nor is it far off where it matters: at the number that the mood explains.
            let tail = Tail { canaries: 200, made: 200, right: explained };
            let bound = tail.bound(claim.region(World::Zero)).unwrap();
            assert!(bound < 2.5 * moody.tail(200, explained) + 1e-3, "{share} {good}: {bound}");
        }
    }
}

#[test]
fn a_curve_says_more_than_its_points() {
    let claim = claim("gdp(mu=1)");
    let region = claim.region(World::Zero);
    let tail = Tail { canaries: 100, made: 100, right: 98 };
    let pairs = one_run::candidates(region).into_iter();
    let pairs = pairs.map(|line| one_run::bound(&tail, line).unwrap()).fold(1.0, f64::min);
    let curve = certificate::bound(&tail, region);
    assert!(10.0 * curve < pairs, "{curve} {pairs}");
}

/// Rejections of a claim that holds, in repetitions with seeds of their own.
fn rejections(claim: &Claim, mu: f64, options: &Options) -> usize {
    (0..400)
        .filter(|seed| {
            let canaries = gaussian(mu, 60, &mut SeededEntropy::new(*seed));
            let tail = Ranking::of(&canaries).unwrap().right(options.guesses[0]).unwrap();
            let tail = Tail { canaries: 60, made: options.guesses[0], right: tail };
            tail.bound(claim.region(World::Zero)).unwrap() <= 1.0 - options.confidence
        })
        .count()
}

#[test]
fn true_claims_stand() {
    // Of 400 at most 20 in the mean; 47 or more have a chance below 1e-7.
    for guesses in [10, 60] {
        let options = Options { confidence: 0.95, guesses: vec![guesses], ..Options::default() };
        for mu in ["0", "1/2", "1", "2"] {
            let number = mu.parse::<throng_numeric::Rational>().unwrap().to_f64_nearest();
            let claim = claim(&if mu == "0" {
                "pure(epsilon=0)".to_owned()
            } else {
                format!("gdp(mu={mu})")
            });
            assert!(rejections(&claim, number, &options) < 47, "{mu} {guesses}");
        }
    }
}

#[test]
fn false_claims_fall_and_bounds_stay_below_the_truth() {
    let canaries = gaussian(4.0, 1000, &mut SeededEntropy::new(7));
    let options = Options { guesses: vec![500, 1000], ..Options::default() };
    let report = audit(&claim("gdp(mu=1)"), &canaries, &options).unwrap();
    assert_eq!(report.verdict, Verdict::Violated);
    assert!(report.mu_lower > 1.2 && report.mu_lower < 4.0, "{}", report.mu_lower);
    assert!(report.epsilon_lower > 2.0 && report.epsilon_lower < 20.0, "{}", report.epsilon_lower);
    let best = report.guesses.iter().map(|guess| guess.p_value).fold(1.0, f64::min);
    assert!(report.p_value >= 2.0 * best && report.p_value <= 2.1 * best);
    assert!(report.area > 0.99 && report.area < 1.0);
    assert!(report.roc.len() <= 1002 && report.roc.last() == Some(&(1.0, 1.0)));
    // What is just refuted and what is just not are next to each other.
    let just =
        |mu: f64| audit(&claim(&format!("gdp(mu={mu})")), &canaries, &options).unwrap().verdict;
    assert_eq!(just(report.mu_lower * 0.99), Verdict::Violated);
    assert_eq!(just(report.mu_lower * 1.01), Verdict::NotViolated);
}

#[test]
fn ties_and_the_order_of_the_file_help_nobody() {
    let sorted: Vec<Canary> = (0..1000).map(|i| Canary { score: 1.0, included: i < 500 }).collect();
    for guesses in [vec![], vec![10], vec![999]] {
        let options = Options { confidence: 0.5, guesses, ..Options::default() };
        let report = audit(&claim("pure(epsilon=0)"), &sorted, &options).unwrap();
        assert_eq!(report.verdict, Verdict::NotViolated);
        assert_eq!((report.epsilon_lower, report.mu_lower, report.area), (0.0, 0.0, 0.5));
    }
    // Zero and minus zero are one score.
    let zeros: Vec<Canary> = (0..100)
        .map(|i| Canary { score: if i % 2 == 0 { 0.0 } else { -0.0 }, included: i % 2 == 0 })
        .collect();
    assert_eq!(Ranking::of(&zeros).unwrap().right(100).unwrap(), 0);
    // A guess of one bit is as good as a score.
    let bits: Vec<Canary> =
        (0..100).map(|i| Canary { score: f64::from(i % 2), included: i % 2 == 1 }).collect();
    assert_eq!(Ranking::of(&bits).unwrap().right(100).unwrap(), 100);
    assert_eq!(Ranking::of(&bits).unwrap().right(7).unwrap(), 7);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let good = gaussian(1.0, 100, &mut SeededEntropy::new(1));
    let pure = claim("pure(epsilon=1)");
    let refused = |canaries: &[Canary], options: &Options| audit(&pure, canaries, options).is_err();
    let ask = Options::default();
    let mut nan = good.clone();
    nan[3].score = f64::NAN;
    let all: Vec<Canary> = good.iter().map(|c| Canary { included: true, ..*c }).collect();
    assert!(!refused(&good, &ask));
    assert!(refused(&nan, &ask) && refused(&all, &ask) && refused(&[], &ask));
    for guesses in [0, 101, usize::MAX] {
        assert!(refused(&good, &Options { guesses: vec![guesses], ..ask.clone() }));
    }
    for confidence in [0.0, 1.0, f64::NAN, -1.0] {
        assert!(refused(&good, &Options { confidence, ..ask.clone() }));
    }
    assert!(refused(&good, &Options { delta: f64::NAN, ..ask.clone() }));
    let one_way = Orientation::UnitIn(World::One);
    let sided =
        Claim::parse("sampled(gaussian(sigma=1), rate=1/2)", Neighbours::AddRemove, one_way);
    assert!(audit(&sided.unwrap(), &good, &ask).is_err());
}

#[test]
fn what_is_all_but_impossible_is_refuted() {
    for (canaries, right) in [(1000, 929), (5000, 4241), (20_000, 20_000)] {
        let tail = Tail { canaries, made: canaries, right };
        for mu in [0.0, 0.01] {
            let region = families::gaussian(mu).unwrap();
            assert!(certificate::bound(&tail, &region) < 1e-12, "{tail:?} {mu}");
        }
    }
}
