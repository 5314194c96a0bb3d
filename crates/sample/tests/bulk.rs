//! Bulk noise against its exact law, at every kind of scale.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support::judge::Experiment;
use crate::support::law::Law;
use crate::support::laws::{
    discrete_gaussian, discrete_laplace, laplace_with_double_zero, rational, single, spread,
};
use throng_numeric::Rational;
use throng_sample::{BulkNoise, SampleError, SeededEntropy, Uniform};

/// Draws one by one from batches, so that `fill` is what is tested.
fn one_by_one(noise: BulkNoise) -> impl FnMut(&mut SeededEntropy) -> Result<i64, SampleError> {
    let (mut batch, mut used) = (vec![0; 10_007], 10_007);
    move |entropy| {
        if used == batch.len() {
            noise.fill(entropy, &mut batch)?;
            used = 0;
        }
        used += 1;
        Ok(batch[used - 1])
    }
}

/// One family: its law and its sampler.
struct Family {
    law: fn(&Rational, Vec<i64>) -> Law,
    noise: fn(&Rational) -> Result<BulkNoise, SampleError>,
}

const LAPLACE: Family = Family { law: discrete_laplace, noise: BulkNoise::laplace };
const GAUSSIAN: Family = Family { law: discrete_gaussian, noise: BulkNoise::gaussian };

impl Family {
    /// Accepts the right parameter; rejects one off by the factor `off`.
    fn check(&self, right: &str, off: &str, edges: &[i64], samples: u64, seed: u64) {
        let right = rational(right);
        let wrong = &right * &rational(off);
        let law = (self.law)(&right, edges.to_vec());
        let experiment = Experiment { law: &law, samples, seed };
        experiment.accepts(one_by_one((self.noise)(&right).unwrap()));
        let wrong_law = (self.law)(&wrong, edges.to_vec());
        experiment.rejects(&wrong_law, one_by_one((self.noise)(&wrong).unwrap()));
    }

    /// Rejects the right sampler plus one.
    fn tells_shift(&self, right: &str, edges: &[i64], samples: u64, seed: u64) {
        let right = rational(right);
        let law = (self.law)(&right, edges.to_vec());
        let wrong = (self.law)(&right, edges.iter().map(|edge| edge - 1).collect());
        let mut draw = one_by_one((self.noise)(&right).unwrap());
        Experiment { law: &law, samples, seed }
            .rejects(&wrong, |entropy| draw(entropy).map(|x| x + 1));
    }
}

#[test]
fn laplace_from_a_table() {
    LAPLACE.check("0.1", "1.05", &single(-2, 2), 10_000_000, 40);
    LAPLACE.check("1/3", "1.01", &single(-5, 5), 4_000_000, 41);
    LAPLACE.check("1", "1.01", &single(-12, 12), 4_000_000, 42);
    LAPLACE.check("10", "1.01", &single(-90, 90), 4_000_000, 43);
    LAPLACE.check("23.04", "1.01", &single(-200, 200), 4_000_000, 44);
    LAPLACE.tells_shift("10", &single(-90, 90), 100_000, 45);
}

#[test]
fn laplace_from_strips() {
    LAPLACE.check("23.05", "1.01", &single(-200, 200), 4_000_000, 46);
    LAPLACE.check("100", "1.01", &single(-300, 300), 6_000_000, 47);
    LAPLACE.check("1000", "1.01", &spread(10_000, 200), 4_000_000, 48);
    LAPLACE.check("1e6", "1.01", &spread(10_000_000, 200), 4_000_000, 49);
    LAPLACE.check("7000000001/7", "1.01", &spread(10_000_000_000, 200), 4_000_000, 50);
    LAPLACE.tells_shift("30", &single(-200, 200), 1_000_000, 51);
}

/// σ off by 1 % is σ² off by 2.01 %.
#[test]
fn gaussian_from_a_table() {
    GAUSSIAN.check("1/9", "1.0201", &single(-3, 3), 4_000_000, 52);
    GAUSSIAN.check("1", "1.0201", &single(-5, 5), 4_000_000, 53);
    GAUSSIAN.check("100", "1.0201", &single(-45, 45), 4_000_000, 54);
    GAUSSIAN.check("11785", "1.0201", &single(-400, 400), 4_000_000, 55);
    GAUSSIAN.tells_shift("100", &single(-45, 45), 200_000, 56);
}

#[test]
fn gaussian_from_strips() {
    GAUSSIAN.check("11786", "1.0201", &single(-400, 400), 4_000_000, 57);
    GAUSSIAN.check("1e6", "1.0201", &spread(4_000, 200), 4_000_000, 58);
    GAUSSIAN.check("7000000000001/7", "1.0201", &spread(4_500_000, 200), 4_000_000, 59);
    GAUSSIAN.check("1e18", "1.0201", &spread(4_500_000_000, 100), 4_000_000, 60);
    GAUSSIAN.tells_shift("11786", &single(-400, 400), 10_000_000, 61);
}

/// Strips must reject minus zero; a sampler that does not is found out.
#[test]
fn zero_is_not_drawn_twice() {
    let (scale, edges) = (rational("30"), single(-200, 200));
    let law = discrete_laplace(&scale, edges.clone());
    let wrong = laplace_with_double_zero(&scale, edges);
    let (mut draw, odds) =
        (one_by_one(BulkNoise::laplace(&scale).unwrap()), Uniform::below(2_u8).unwrap());
    // Undo the rejection: a value other than zero has to be drawn with one more chance in two
    // against it, since zero stands for both of its signs.
    let keep = |x: i64, entropy: &mut SeededEntropy| {
        Ok::<bool, SampleError>(x == 0 || odds.draw(entropy)?.is_zero())
    };
    Experiment { law: &law, samples: 100_000, seed: 62 }.rejects(&wrong, |entropy| {
        loop {
            let x = draw(entropy)?;
            if keep(x, entropy)? {
                return Ok(x);
            }
        }
    });
}
