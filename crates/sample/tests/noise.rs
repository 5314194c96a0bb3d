//! Geometric, discrete Laplace and discrete Gaussian noise against their exact laws.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support::judge::Experiment;
use crate::support::law::Law;
use crate::support::laws::{
    discrete_gaussian, discrete_laplace, gaussian_remainder, geometric, laplace_remainder,
    laplace_with_double_zero, rational, single, spread, without_low_bit,
};
use throng_numeric::Rational;
use throng_sample::{
    BulkNoise, DiscreteGaussian, DiscreteLaplace, Geometric, SampleError, SeededEntropy, Uniform,
};

type Draw = Box<dyn Fn(&mut SeededEntropy) -> Result<i64, SampleError>>;

fn draw_geometric(scale: &Rational) -> Draw {
    let sampler = Geometric::new(scale).unwrap();
    Box::new(move |entropy| Ok(i64::try_from(sampler.draw(entropy)?).unwrap()))
}

fn draw_laplace(scale: &Rational) -> Draw {
    let sampler = DiscreteLaplace::new(scale).unwrap();
    Box::new(move |entropy| Ok(i64::try_from(sampler.draw(entropy)?).unwrap()))
}

fn draw_gaussian(variance: &Rational) -> Draw {
    let sampler = DiscreteGaussian::new(variance).unwrap();
    Box::new(move |entropy| Ok(i64::try_from(sampler.draw(entropy)?).unwrap()))
}

/// A sampler that is right but for one added to every value.
fn shifted(draw: Draw) -> Draw {
    Box::new(move |entropy| Ok(draw(entropy)? + 1))
}

/// A discrete Laplace sampler that forgot to draw again at -0.
fn draw_with_double_zero(scale: &Rational) -> Draw {
    let (magnitude, sign) = (draw_geometric(scale), Uniform::below(2_u8).unwrap());
    Box::new(move |entropy| {
        let negative = sign.draw(entropy)?.is_zero();
        magnitude(entropy).map(|k| if negative { -k } else { k })
    })
}

/// Edges moved down by one: their cells have the probabilities of the shifted variable.
fn lowered(edges: &[i64]) -> Vec<i64> {
    edges.iter().map(|edge| edge - 1).collect()
}

/// One family: its law and its sampler.
struct Family {
    law: fn(&Rational, Vec<i64>) -> Law,
    draw: fn(&Rational) -> Draw,
}

const GEOMETRIC: Family = Family { law: geometric, draw: draw_geometric };
const LAPLACE: Family = Family { law: discrete_laplace, draw: draw_laplace };
const GAUSSIAN: Family = Family { law: discrete_gaussian, draw: draw_gaussian };

impl Family {
    /// Accepts the right parameter; rejects one off by the factor `off`.
    fn tells_parameter(&self, right: &str, off: &str, edges: &[i64], samples: u64, seed: u64) {
        let right = rational(right);
        let wrong = &right * &rational(off);
        let law = (self.law)(&right, edges.to_vec());
        let experiment = Experiment { law: &law, samples, seed };
        experiment.accepts((self.draw)(&right));
        experiment.rejects(&(self.law)(&wrong, edges.to_vec()), (self.draw)(&wrong));
    }

    /// Rejects the right sampler plus one.
    fn tells_shift(&self, right: &str, edges: &[i64], samples: u64, seed: u64) {
        let right = rational(right);
        let law = (self.law)(&right, edges.to_vec());
        let wrong = (self.law)(&right, lowered(edges));
        Experiment { law: &law, samples, seed }.rejects(&wrong, shifted((self.draw)(&right)));
    }
}

#[test]
fn geometric_noise() {
    GEOMETRIC.tells_parameter("1/3", "1.01", &single(0, 6), 4_000_000, 20);
    GEOMETRIC.tells_parameter("10/3", "1.01", &single(0, 40), 3_000_000, 21);
    GEOMETRIC.tells_shift("1/3", &single(0, 6), 1_000, 22);
    GEOMETRIC.tells_shift("10/3", &single(0, 40), 1_000, 23);
}

#[test]
fn narrow_laplace_noise() {
    LAPLACE.tells_parameter("1/3", "1.01", &single(-5, 5), 1_800_000, 24);
    LAPLACE.tells_parameter("1", "1.01", &single(-12, 12), 2_200_000, 25);
    LAPLACE.tells_shift("1/3", &single(-5, 5), 1_000, 26);
    LAPLACE.tells_shift("1", &single(-12, 12), 1_000, 27);
}

#[test]
fn wide_laplace_noise() {
    let edges = spread(10_000_000_000, 100);
    LAPLACE.tells_parameter("7000000001/7", "1.01", &edges, 2_500_000, 28);
}

/// Zero counted twice: 2/(1 + q) times as often as it should be, everything else (1 + q)/2
/// times.
#[test]
fn laplace_noise_draws_again_at_negative_zero() {
    for (seed, scale, edges, samples) in [
        (30, "1/3", single(-5, 5), 20_000),
        (31, "1", single(-12, 12), 5_000),
        (32, "10", single(-60, 60), 20_000),
    ] {
        let scale = rational(scale);
        let law = discrete_laplace(&scale, edges.clone());
        let wrong = laplace_with_double_zero(&scale, edges);
        Experiment { law: &law, samples, seed }.rejects(&wrong, draw_with_double_zero(&scale));
    }
}

/// σ off by 1 % is σ² off by 2.01 %.
#[test]
fn narrow_gaussian_noise() {
    GAUSSIAN.tells_parameter("1/9", "1.0201", &single(-3, 3), 1_000_000, 33);
    GAUSSIAN.tells_parameter("1", "1.0201", &single(-5, 5), 1_200_000, 34);
    GAUSSIAN.tells_parameter("50/3", "1.0201", &single(-20, 20), 1_400_000, 35);
    GAUSSIAN.tells_shift("1/9", &single(-3, 3), 1_000, 36);
    GAUSSIAN.tells_shift("50/3", &single(-20, 20), 10_000, 37);
}

#[test]
fn wide_gaussian_noise() {
    let edges = spread(5_000_000, 100);
    GAUSSIAN.tells_parameter("7000000000001/7", "1.0201", &edges, 1_400_000, 38);
}

/// The low bits of wide noise, which cells as wide as 10^8 do not see. Wrong: the lowest is lost.
#[test]
fn wide_noise_has_low_bits() {
    let (scale, variance) = (rational("7000000001/7"), rational("7000000000001/7"));
    let bulk = |noise: BulkNoise| -> Draw { Box::new(move |entropy| noise.draw(entropy)) };
    // At a scale of 10/3 the remainders are far from equally likely.
    let narrow = rational("10/3");
    for (seed, law, draw) in [
        (70, laplace_remainder(&scale, 16), draw_laplace(&scale)),
        (71, laplace_remainder(&narrow, 16), draw_laplace(&narrow)),
        (72, gaussian_remainder(&variance, 16), draw_gaussian(&variance)),
        (73, laplace_remainder(&scale, 16), bulk(BulkNoise::laplace(&scale).unwrap())),
        (74, gaussian_remainder(&variance, 16), bulk(BulkNoise::gaussian(&variance).unwrap())),
    ] {
        let experiment = Experiment { law: &law, samples: 500_000, seed };
        experiment.accepts(|entropy| draw(entropy).map(|x| x.rem_euclid(16)));
        let blunt = |x: i64| x.rem_euclid(16) / 2 * 2;
        experiment.rejects(&without_low_bit(&law), |entropy| draw(entropy).map(blunt));
    }
}

/// A Laplace of the same variance is not a Gaussian.
#[test]
fn gaussian_noise_is_not_laplace_noise() {
    let edges = single(-20, 20);
    let law = discrete_gaussian(&rational("50/3"), edges.clone());
    let scale = rational("2.886"); // variance 2 scale²
    let wrong = discrete_laplace(&scale, edges);
    Experiment { law: &law, samples: 20_000, seed: 39 }.rejects(&wrong, draw_laplace(&scale));
}
