//! Correlated noise: sensitivity by brute force, less error than independent noise, and a run that is what the
//! matrices say.
#![allow(clippy::unwrap_used, reason = "tests")]

use throng_account::{Accuracy, Neighbours, PrivacyLoss, Target};
use throng_learn::Privacy;
use throng_learn::correlated::{Bands, CorrelatedNoise, Ftrl, Gradients, Pace, Participation};
use throng_mechanism::{Budget, Mechanism, MechanismError, MechanismSpec, Run, Sensitive};
use throng_sample::SeededEntropy;

/// The matrix C, dense, from the coefficients that are documented.
fn dense(band: usize, steps: usize) -> Vec<Vec<f64>> {
    let mut column = Vec::new();
    let mut coefficient = 1.0_f64;
    for k in 1..=band {
        column.push((coefficient * 4096.0).round_ties_even() / 4096.0);
        let k = f64::from(u32::try_from(k).unwrap());
        coefficient *= (2.0 * k - 1.0) / (2.0 * k);
    }
    let entry = |row: usize, at: usize| {
        row.checked_sub(at).and_then(|k| column.get(k)).copied().unwrap_or(0.0)
    };
    (0..steps).map(|row| (0..steps).map(|at| entry(row, at)).collect()).collect()
}

/// All sets of steps that a record can take part in.
fn patterns(of: Participation) -> Vec<Vec<usize>> {
    let allowed = |set: &u32| {
        let steps: Vec<usize> = (0..of.steps()).filter(|t| set >> t & 1 == 1).collect();
        let apart = steps.windows(2).all(|pair| pair[1] - pair[0] >= of.separation());
        (apart && steps.len() <= of.times()).then_some(steps)
    };
    (0..1_u32 << of.steps()).filter_map(|set| allowed(&set)).collect()
}

#[test]
fn no_pattern_moves_the_mixture_further_than_the_first() {
    for (steps, times, separation) in
        [(9, 1, 1), (9, 3, 3), (10, 2, 4), (10, 4, 2), (8, 8, 1), (11, 3, 5)]
    {
        let of = Participation::new(steps, times, separation).unwrap();
        for band in [1, 2, 3, 5, 11] {
            let matrix = dense(band, steps);
            let most = Bands::square_root(band).unwrap().square(of).to_f64_nearest();
            let square = |pattern: &Vec<usize>| -> f64 {
                let entry = |row: &Vec<f64>| pattern.iter().map(|t| row[*t]).sum::<f64>();
                matrix.iter().map(|row| entry(row) * entry(row)).sum()
            };
            let worst = patterns(of).iter().map(square).fold(0.0, f64::max);
            assert!((worst - most).abs() < 1e-9, "{worst} {most} {of:?} {band}");
            // Signs and directions that differ from step to step do no worse.
            for pattern in patterns(of) {
                let signed = |row: &Vec<f64>| -> f64 {
                    pattern.iter().map(|t| if t % 2 == 0 { row[*t] } else { -row[*t] }).sum()
                };
                assert!(
                    matrix.iter().map(|row| signed(row) * signed(row)).sum::<f64>() <= most + 1e-9
                );
            }
        }
    }
}

#[test]
fn prefix_sums_have_less_error_than_with_independent_noise() {
    for (epochs, batches) in [(1, 64), (1, 512), (4, 32), (8, 100)] {
        let of = Participation::epochs(epochs, batches).unwrap();
        let cost = |bands: &Bands| bands.square(of).to_f64_nearest() * bands.error(of.steps());
        let independent = cost(&Bands::square_root(1).unwrap());
        let best = Bands::best(of, batches).unwrap();
        assert!(cost(&best) < 0.6 * independent, "{} {independent} {of:?}", cost(&best));
    }
}

#[test]
fn the_stated_error_is_that_of_the_dense_matrices() {
    let (band, steps) = (4, 12);
    let matrix = dense(band, steps);
    let mut error = 0.0;
    for place in 0..steps {
        // Column `place` of C^-1 by forward substitution, then its prefix sums.
        let mut solved: Vec<f64> = Vec::new();
        for (row, entries) in matrix.iter().enumerate() {
            let known: f64 = solved.iter().zip(entries).map(|(x, c)| x * c).sum();
            solved.push(f64::from(u8::from(row == place)) - known);
        }
        let mut sum = 0.0;
        error += solved
            .iter()
            .map(|x| {
                sum += x;
                sum * sum
            })
            .sum::<f64>();
    }
    assert!((Bands::square_root(band).unwrap().error(steps) - error).abs() < 1e-9);
}

/// A mechanism that runs given sums through correlated noise.
struct Stream {
    noise: CorrelatedNoise,
}

impl Mechanism for Stream {
    type Input = Vec<Vec<i64>>;
    type Output = Vec<Vec<f64>>;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(
        &self,
        sums: &Self::Input,
        run: &mut Run<'_>,
    ) -> Result<Self::Output, MechanismError> {
        let mut steps = self.noise.start(2);
        sums.iter().map(|sum| steps.step(sum.clone(), run)).collect()
    }
}

fn run<M: Mechanism>(mechanism: &M, input: M::Input, seed: u64) -> Result<M::Output, MechanismError>
where
    M::Input: Sized,
{
    let mut budget = Budget::gdp(&"50".parse().unwrap(), mechanism.neighbours()).unwrap();
    let permit = budget.permit(mechanism).unwrap();
    let mut entropy = SeededEntropy::new(seed);
    Ok(mechanism.run(&Sensitive::new(input), permit, &mut entropy)?.into_parts().0)
}

#[test]
fn a_run_is_what_the_matrices_say() {
    let (steps, band) = (20, 5);
    let of = Participation::new(steps, 2, 7).unwrap();
    let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
    let bands = Bands::square_root(band).unwrap();
    let stream = Stream { noise: CorrelatedNoise::new(bands, of, 1000, &privacy).unwrap() };
    let sums: Vec<Vec<i64>> = (0..20).map(|t| vec![t * t * 1000, 7_000_000 - t]).collect();
    let nothing = run(&stream, vec![vec![0; 2]; steps], 3).unwrap();
    let found = run(&stream, sums.clone(), 3).unwrap();
    // The same seed, the same noise: the difference is the sums, the noise C^-1 z.
    for ((found, noise), sum) in found.iter().zip(&nothing).zip(&sums) {
        for ((found, noise), sum) in found.iter().zip(noise).zip(sum) {
            assert!((found - noise - f64::from(i32::try_from(*sum).unwrap())).abs() < 1e-3);
        }
    }
    // C times the noise is on the grid, and is fresh noise of the size that was calibrated.
    let matrix = dense(band, steps);
    for row in &matrix {
        let z: f64 = row.iter().zip(&nothing).map(|(c, x)| c * x[0]).sum();
        assert!((z * 4096.0 - (z * 4096.0).round()).abs() < 1e-3, "{z}");
    }
    assert!(run(&stream, vec![vec![0; 2]; steps + 1], 3).is_err());
    assert!(run(&stream, vec![vec![0; 3]], 3).is_err());
}

#[test]
fn the_spec_reaches_the_target_under_each_relation() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let target = Target::Epsilon { epsilon: 2.0, delta: 1e-6 };
        let privacy = Privacy::new(target, under).unwrap();
        let of = Participation::epochs(3, 10).unwrap();
        let noise = CorrelatedNoise::new(Bands::best(of, 10).unwrap(), of, 5, &privacy).unwrap();
        let loss = PrivacyLoss::of_spec(noise.spec(), under, Accuracy::default()).unwrap();
        let epsilon = loss.epsilon(1e-6).unwrap();
        assert!(epsilon.upper <= 2.0 && epsilon.lower > 1.999);
    }
}

#[test]
fn records_take_part_as_often_as_the_noise_was_made_for() {
    let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
    for (steps, times, separation, fits) in
        [(100, 1, 1, false), (20, 2, 7, false), (20, 3, 7, true), (20, 9, 7, true)]
    {
        let of = Participation::new(steps, times, separation).unwrap();
        let noise = CorrelatedNoise::new(Bands::best(of, 5).unwrap(), of, 5, &privacy).unwrap();
        assert_eq!(Ftrl::new(noise).is_ok(), fits);
    }
}

#[test]
fn bad_parameters_are_refused() {
    assert!(Participation::new(0, 1, 1).is_err());
    assert!(Participation::new(1, 0, 1).is_err());
    assert!(Participation::new(1, 1, 0).is_err());
    assert!(Participation::epochs(1 << 12, 1 << 12).is_err());
    assert!(Bands::square_root(0).is_err());
    let of = Participation::new(4, 1, 1).unwrap();
    let bands = || Bands::square_root(2).unwrap();
    let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
    assert!(CorrelatedNoise::new(bands(), of, 0, &privacy).is_err());
    assert!(CorrelatedNoise::new(bands(), of, 1, &Privacy::pure(1.0).unwrap()).is_err());
}

/// The mean of numbers, by descent: each record contributes 100 times the sign of what is missing.
struct Median(Vec<f64>);

impl Gradients for Median {
    fn weights(&self) -> usize {
        1
    }

    fn records(&self) -> usize {
        self.0.len()
    }

    fn clipped_sum(&self, weights: &[f64], records: &[usize]) -> Vec<i64> {
        let sign = |record: &usize| if self.0[*record] > weights[0] { -100 } else { 100 };
        vec![records.iter().map(sign).sum()]
    }
}

struct Training {
    ftrl: Ftrl,
}

impl Mechanism for Training {
    type Input = Vec<f64>;
    type Output = f64;

    fn spec(&self) -> MechanismSpec {
        self.ftrl.noise().spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.ftrl.noise().neighbours()
    }

    fn answer(&self, input: &Vec<f64>, run: &mut Run<'_>) -> Result<f64, MechanismError> {
        let pace = Pace { rate: 1e-5, momentum: 0.0, decay: 0.5 };
        Ok(self.ftrl.train(&Median(input.clone()), pace, run)?[0])
    }
}

#[test]
fn descent_finds_a_median() {
    let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
    let of = Participation::epochs(2, 50).unwrap();
    let noise = CorrelatedNoise::new(Bands::best(of, 50).unwrap(), of, 100, &privacy).unwrap();
    let training = Training { ftrl: Ftrl::new(noise).unwrap() };
    let data: Vec<f64> = (0..20_000).map(|k| f64::from(k) / 20_000.0 + 2.0).collect();
    let found = run(&training, data, 8).unwrap();
    assert!((found - 2.5).abs() < 0.1, "{found}");
    assert!(run(&training, Vec::new(), 8).unwrap().is_finite());
}
