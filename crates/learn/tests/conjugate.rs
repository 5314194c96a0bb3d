//! Conjugate models.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests say what went wrong by failing")]
#![allow(clippy::disallowed_methods, reason = "tests compare with ordinary numbers")]

use throng_account::{Neighbours, Target};
use throng_learn::conjugate::{
    BetaBernoulli, BetaBernoulliModel, BetaBernoulliOptions, Credible, DirichletCategorical,
    DirichletCategoricalModel, DirichletCategoricalOptions, GammaPoisson, GammaPoissonModel,
    GammaPoissonOptions, NormalMean, NormalMeanModel, NormalMeanOptions,
};
use throng_learn::{Interval, LearnError, Learner, Matrix, Model, Privacy, Saved, Summary};
use throng_mechanism::bayes;
use throng_mechanism::noise::Protection;
use throng_mechanism::{Budget, Mechanism, Release, Sensitive};
use throng_sample::SeededEntropy;

const APPROXIMATE: Target = Target::Epsilon { epsilon: 1.0, delta: 1e-6 };
const PURE: Target = Target::Epsilon { epsilon: 1.0, delta: 0.0 };

fn targets() -> [Privacy; 4] {
    let [a, r] = [Neighbours::AddRemove, Neighbours::Replace];
    [(APPROXIMATE, a), (PURE, a), (APPROXIMATE, r), (PURE, r)]
        .map(|(target, under)| Privacy::new(target, under).unwrap())
}

fn public(privacy: &Privacy, records: u64) -> Option<u64> {
    (privacy.neighbours() == Neighbours::Replace).then_some(records)
}

fn fitted<L: Learner<Input = Matrix<f64>>>(
    learner: &L,
    column: &[f64],
    seed: u64,
) -> Result<Release<L::Output>, LearnError> {
    let rows: Vec<[f64; 1]> = column.iter().map(|x| [*x]).collect();
    let mut budget = Budget::zcdp(1000.into(), learner.neighbours()).unwrap();
    let data = Sensitive::new(Matrix::from_rows(&rows));
    learner.fit(&data, &mut budget, &mut SeededEntropy::new(seed))
}

/// Uniform numbers in (0, 1) for making data; not for privacy.
struct Die(u64);

impl Die {
    fn roll(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (f64::from(u32::try_from(self.0 >> 33).unwrap()) + 0.5) / f64::from(1_u32 << 31)
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.roll().ln()).sqrt() * (std::f64::consts::TAU * self.roll()).cos()
    }

    fn poisson(&mut self, rate: f64) -> f64 {
        let (mut count, mut left) = (0.0, self.roll());
        while left > (-rate).exp() {
            left *= self.roll();
            count += 1.0;
        }
        count
    }
}

fn covers(interval: Credible, truth: f64) -> bool {
    interval.lower <= truth && truth <= interval.upper
}

/// Parameters are drawn from the prior, data from the model: how often intervals of 80 % cover the truth.
fn covered(mut one: impl FnMut(&mut Die, u64) -> bool) -> f64 {
    let mut die = Die(20_261_116);
    let repeats = 60_u32;
    let covered = (0..repeats).filter(|i| one(&mut die, u64::from(*i))).count();
    f64::from(u32::try_from(covered).unwrap()) / f64::from(repeats)
}

/// They cover 80 %, here up to three standard deviations of the share.
fn calibrated(name: &str, one: impl FnMut(&mut Die, u64) -> bool) {
    let share = covered(one);
    assert!((share - 0.8).abs() < 0.15, "{name}: {share}");
}

/// The test above tells a posterior that knows of the noise from one that does not: few records, an epsilon of
/// 0.1, and the textbook posterior of the noisy counts.
#[test]
fn a_posterior_that_takes_noisy_counts_for_counts_is_not_calibrated() {
    let target = Target::Epsilon { epsilon: 0.1, delta: 0.0 };
    let privacy = Privacy::new(target, Neighbours::AddRemove).unwrap();
    let learner = BetaBernoulli::new(&privacy, &BetaBernoulliOptions::default()).unwrap();
    let drawn = |die: &mut Die| {
        let chance = die.roll();
        let data: Vec<f64> = (0..25).map(|_| f64::from(u8::from(die.roll() < chance))).collect();
        (chance, data)
    };
    calibrated("beta at 0.1", |die, seed| {
        let (chance, data) = drawn(die);
        let release = fitted(&learner, &data, seed).unwrap();
        covers(release.value().posterior().credible(0.8).unwrap(), chance)
    });
    let plugged = covered(|die, seed| {
        let (chance, data) = drawn(die);
        let release = fitted(&learner, &data, seed).unwrap();
        let (yes, no) = release.value().statistics();
        let (a, b) = (1.0 + yes.value().max(0.0), 1.0 + no.unwrap().value().max(0.0));
        let textbook = bayes::Posterior::mixture([(0.0, bayes::Part::Beta { a, b })]);
        covers(textbook.credible(0.8).unwrap(), chance)
    });
    assert!(plugged < 0.6, "{plugged}");
}

#[test]
fn chances_are_calibrated_under_both_relations() {
    for privacy in targets() {
        let n = 40;
        let options = BetaBernoulliOptions { a: 2.0, b: 3.0, records: public(&privacy, n) };
        let learner = BetaBernoulli::new(&privacy, &options).unwrap();
        privacy.certify(&learner.spec()).unwrap();
        calibrated("beta", |die, seed| {
            // Beta(2, 3): the second smallest of four.
            let mut four = [die.roll(), die.roll(), die.roll(), die.roll()];
            four.sort_unstable_by(f64::total_cmp);
            let chance = four[1];
            let data: Vec<f64> = (0..n).map(|_| f64::from(u8::from(die.roll() < chance))).collect();
            let release = fitted(&learner, &data, seed).unwrap();
            covers(release.value().posterior().credible(0.8).unwrap(), chance)
        });
    }
}

#[test]
fn categories_are_calibrated_under_both_relations() {
    for privacy in targets() {
        let n = 60;
        let options =
            DirichletCategoricalOptions { records: public(&privacy, n), ..Default::default() };
        let learner = DirichletCategorical::new(3, &privacy, &options).unwrap();
        privacy.certify(&learner.spec()).unwrap();
        calibrated("dirichlet", |die, seed| {
            let weights = [die.roll(), die.roll(), die.roll()].map(|u| -u.ln());
            let total: f64 = weights.iter().sum();
            let data: Vec<f64> = (0..n)
                .map(|_| {
                    let u = die.roll() * total;
                    f64::from(u8::from(u > weights[0]))
                        + f64::from(u8::from(u > weights[0] + weights[1]))
                })
                .collect();
            let release = fitted(&learner, &data, seed).unwrap();
            let predictive = release.value().predictive();
            assert!((predictive.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            covers(release.value().posterior(1).unwrap().credible(0.8).unwrap(), weights[1] / total)
        });
    }
}

#[test]
fn means_are_calibrated_under_both_relations() {
    for privacy in targets() {
        let n = 50;
        let options = NormalMeanOptions {
            mean: Some(3.0),
            deviation: Some(2.0),
            spread: Some(1.0),
            records: public(&privacy, n),
            ..Default::default()
        };
        let bounds = Interval::new(-7.0, 10.0).unwrap();
        let learner = NormalMean::new(bounds, &privacy, &options).unwrap();
        privacy.certify(&learner.spec()).unwrap();
        calibrated("normal", |die, seed| {
            let mean = 3.0 + 2.0 * die.normal();
            let data: Vec<f64> = (0..n).map(|_| mean + die.normal()).collect();
            let release = fitted(&learner, &data, seed).unwrap();
            let (posterior, next) = (release.value().posterior(), release.value().predictive());
            assert!(next.standard_deviation() > posterior.standard_deviation());
            covers(posterior.credible(0.8).unwrap(), mean)
        });
    }
}

#[test]
fn rates_are_calibrated_under_both_relations() {
    for privacy in targets() {
        let n = 50;
        let options = GammaPoissonOptions {
            shape: 2.0,
            rate: 1.0,
            records: public(&privacy, n),
            ..Default::default()
        };
        let learner = GammaPoisson::new(20, &privacy, &options).unwrap();
        privacy.certify(&learner.spec()).unwrap();
        calibrated("gamma", |die, seed| {
            let rate = -die.roll().ln() - die.roll().ln();
            let data: Vec<f64> = (0..n).map(|_| die.poisson(rate)).collect();
            let release = fitted(&learner, &data, seed).unwrap();
            covers(release.value().posterior().credible(0.8).unwrap(), rate)
        });
        let release = fitted(&learner, &[2.0; 50], 1).unwrap();
        let chances = release.value().predictive(200);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-3);
    }
}

#[test]
fn posteriors_are_those_of_the_mechanisms() {
    // With a public number of records and the same noise both know the same.
    let privacy = Privacy::new(PURE, Neighbours::Replace).unwrap();
    let protection = Protection::Pure { epsilon: 1.into() };
    let options = BetaBernoulliOptions { a: 1.5, b: 0.7, records: Some(6) };
    let ours = BetaBernoulli::new(&privacy, &options).unwrap();
    let theirs =
        bayes::Bernoulli::of_public_count((1.5, 0.7), &protection, 6, Neighbours::Replace).unwrap();
    assert_eq!(ours.spec(), theirs.spec());
    let mut budget = Budget::pure(1.into(), Neighbours::Replace).unwrap();
    let permit = budget.permit(&theirs).unwrap();
    let data = Sensitive::new([true, false, true, true, false, true]);
    let theirs = theirs.run(data.as_slice(), permit, &mut SeededEntropy::new(9)).unwrap();
    let ours = fitted(&ours, &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0], 9).unwrap();
    assert_eq!(ours.value().posterior(), theirs.value().posterior());
}

/// The formula of a normal mean, by hand: v = 1/(1/v0 + n²/(nσ² + τ²)).
#[test]
fn the_normal_posterior_is_the_closed_form() {
    let privacy = Privacy::new(APPROXIMATE, Neighbours::Replace).unwrap();
    let options = NormalMeanOptions {
        mean: Some(0.5),
        deviation: Some(2.0),
        spread: Some(1.5),
        records: Some(4),
        ..Default::default()
    };
    let learner = NormalMean::new(Interval::new(-8.0, 8.0).unwrap(), &privacy, &options).unwrap();
    let release = fitted(&learner, &[1.0, 2.0, 3.0, f64::NAN], 4).unwrap();
    let (sum, number) = release.value().statistics();
    assert!(number.is_none());
    let tau = sum.noise().standard_deviation().unwrap();
    let spread = 4.0 * 2.25 + tau * tau;
    let variance = 1.0 / (1.0 / 4.0 + 16.0 / spread);
    let mean = variance * (0.5 / 4.0 + 4.0 * sum.value() / spread);
    let posterior = release.value().posterior();
    assert!((posterior.mean() - mean).abs() < 1e-9);
    assert!((posterior.standard_deviation() - variance.sqrt()).abs() < 1e-9);
}

#[test]
fn empty_and_hostile_columns_are_fitted() {
    let nasty = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 0.0, 0.5];
    for privacy in targets() {
        for column in [&nasty[..], &[]] {
            let records = public(&privacy, u64::try_from(column.len()).unwrap());
            let options = BetaBernoulliOptions { records, ..Default::default() };
            let beta = BetaBernoulli::new(&privacy, &options).unwrap();
            let posterior = fitted(&beta, column, 1).unwrap().value().posterior();
            assert!((0.0..=1.0).contains(&posterior.mean()));
            let options = DirichletCategoricalOptions { records, ..Default::default() };
            let levels = DirichletCategorical::new(5, &privacy, &options).unwrap();
            let chances = fitted(&levels, column, 1).unwrap().value().predictive();
            assert!(chances.iter().all(|p| (0.0..=1.0).contains(p)));
            let options = NormalMeanOptions { records, ..Default::default() };
            let bounds = Interval::new(-1.0, 1.0).unwrap();
            let normal = NormalMean::new(bounds, &privacy, &options).unwrap();
            assert!(fitted(&normal, column, 1).unwrap().value().posterior().mean().is_finite());
            let options = GammaPoissonOptions { records, ..Default::default() };
            let poisson = GammaPoisson::new(9, &privacy, &options).unwrap();
            assert!(fitted(&poisson, column, 1).unwrap().value().posterior().mean() >= 0.0);
        }
    }
}

#[test]
fn bad_parameters_are_refused() {
    let [add, _, replace, _] = targets();
    let n = Some(5);
    let beta = |a, records| BetaBernoulliOptions { a, b: 1.0, records };
    assert!(BetaBernoulli::new(&add, &beta(0.0, None)).is_err());
    assert!(BetaBernoulli::new(&add, &beta(f64::NAN, None)).is_err());
    assert!(BetaBernoulli::new(&add, &beta(1.0, n)).is_err());
    assert!(BetaBernoulli::new(&replace, &beta(1.0, None)).is_err());
    assert!(BetaBernoulli::new(&replace, &beta(1.0, Some(u64::MAX))).is_err());
    let alpha = |alpha| DirichletCategoricalOptions { alpha, records: None };
    assert!(DirichletCategorical::new(1, &add, &alpha(vec![1.0])).is_err());
    assert!(DirichletCategorical::new(3, &add, &alpha(vec![1.0, 1.0])).is_err());
    assert!(DirichletCategorical::new(2, &add, &alpha(vec![1.0, -1.0])).is_err());
    let bounds = Interval::new(0.0, 1.0).unwrap();
    let spread = NormalMeanOptions { spread: Some(0.0), ..Default::default() };
    assert!(NormalMean::new(bounds, &add, &spread).is_err());
    let share = NormalMeanOptions { count_share: 100, ..Default::default() };
    assert!(NormalMean::new(bounds, &add, &share).is_err());
    let mean = NormalMeanOptions { mean: Some(f64::INFINITY), ..Default::default() };
    assert!(NormalMean::new(bounds, &add, &mean).is_err());
    assert!(GammaPoisson::new(0, &add, &GammaPoissonOptions::default()).is_err());
    // Where the number of records is public, the table has as many as declared.
    let five = BetaBernoulli::new(&replace, &beta(1.0, n)).unwrap();
    assert!(fitted(&five, &[1.0; 5], 1).is_ok() && fitted(&five, &[1.0; 4], 1).is_err());
    let beta = BetaBernoulli::new(&add, &BetaBernoulliOptions::default()).unwrap();
    let mut budget = Budget::zcdp(1000.into(), Neighbours::AddRemove).unwrap();
    let wide = Sensitive::new(Matrix::filled(3, 2, 0.0));
    assert!(beta.fit(&wide, &mut budget, &mut SeededEntropy::new(1)).is_err());
}

/// Whole counts have the noise that the law on the integers needs: at an epsilon of 8 that is far below two
/// steps.
#[test]
fn noise_on_counts_is_not_lifted_to_the_grid() {
    let target = Target::Epsilon { epsilon: 8.0, delta: 1e-6 };
    for (under, records) in [(Neighbours::AddRemove, None), (Neighbours::Replace, Some(9))] {
        let privacy = Privacy::new(target, under).unwrap();
        let options = BetaBernoulliOptions { records, ..Default::default() };
        let learner = BetaBernoulli::new(&privacy, &options).unwrap();
        privacy.certify(&learner.spec()).unwrap();
        let release = fitted(&learner, &[1.0; 9], 1).unwrap();
        let deviation = release.value().statistics().0.noise().standard_deviation().unwrap();
        assert!(deviation < 0.9, "{deviation}");
    }
}

#[test]
fn saved_numbers_of_records_are_checked() {
    let noise = r#"{"law":"laplace","size":2.0,"exponent":0}"#;
    for (records, fits) in
        [("-1", false), ("281474976710656", false), ("1e300", false), ("7", true), ("null", true)]
    {
        let text = format!(
            r#"{{"prior":[1.0,1.0],"yes":{{"steps":-3,"noise":{noise}}},"no":null,"records":{records}}}"#
        );
        let read = serde_json::from_str::<BetaBernoulliModel>(&text);
        assert_eq!(read.is_ok(), fits, "{records}");
        if let Ok(model) = read {
            assert!((0.0..=1.0).contains(&model.posterior().mean()));
        }
    }
}

#[test]
fn summaries_say_what_posteriors_do() {
    let [add, ..] = targets();
    let beta = BetaBernoulli::new(&add, &BetaBernoulliOptions::default()).unwrap();
    let release = fitted(&beta, &[1.0; 30], 3).unwrap();
    let posterior = release.value().posterior();
    let lines = release.value().summary(0.9).unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].value, posterior.mean());
    let Credible { lower, upper, .. } = posterior.credible(0.9).unwrap();
    assert_eq!(lines[0].interval, Some([lower, upper]));
    assert!(release.value().summary(1.0).is_err());
    let levels = DirichletCategorical::new(4, &add, &DirichletCategoricalOptions::default());
    let lines = fitted(&levels.unwrap(), &[1.0; 30], 3).unwrap().value().summary(0.9).unwrap();
    assert_eq!(lines.len(), 4);
    assert!(serde_json::to_string(&lines).unwrap().contains("level 3"));
}

fn kept<M: Model + Clone + PartialEq + std::fmt::Debug>(release: Release<M>) {
    let saved = Saved::of(release);
    assert_eq!(Saved::<M>::from_json(&saved.to_json().unwrap()).unwrap(), saved);
    assert_eq!(Saved::<M>::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
    assert!(saved.card().epsilon(1e-6).unwrap().upper <= 1.000_001);
}

#[test]
fn models_are_saved_and_read_again() {
    for privacy in targets() {
        let records = public(&privacy, 3);
        let column = [1.0, 0.0, 1.0];
        let options = BetaBernoulliOptions { records, ..Default::default() };
        let beta = BetaBernoulli::new(&privacy, &options).unwrap();
        kept::<BetaBernoulliModel>(fitted(&beta, &column, 2).unwrap());
        let options = DirichletCategoricalOptions { records, ..Default::default() };
        let levels = DirichletCategorical::new(20, &privacy, &options).unwrap();
        kept::<DirichletCategoricalModel>(fitted(&levels, &column, 2).unwrap());
        let options = NormalMeanOptions { records, ..Default::default() };
        let bounds = Interval::new(-1.0, 1.0).unwrap();
        let normal = NormalMean::new(bounds, &privacy, &options).unwrap();
        kept::<NormalMeanModel>(fitted(&normal, &column, 2).unwrap());
        let options = GammaPoissonOptions { records, ..Default::default() };
        let poisson = GammaPoisson::new(9, &privacy, &options).unwrap();
        kept::<GammaPoissonModel>(fitted(&poisson, &column, 2).unwrap());
    }
}
