//! What the guarantee rests on, before noise.

use throng_account::Neighbours;
use throng_numeric::Rational;
use throng_sample::{Entropy, SeededEntropy};

use super::batch::Batch;
use super::clip::{Group, Outcome};
use super::frame::{count_weight, groups};
use super::goal::Truth;
use super::grid::{BLOCK, BOUND, INPUT, ROWS};
use super::layer::{Kind, Layer, Shape, Stage, stages};
use super::options::{Clipping, NetworkOptions, StepNoise};
use super::plan::Plan;
use super::records::Records;
use super::team::{Task, Team};
use crate::math::{exp, ln, number};
use crate::{Bounds, Classes, Classified, Interval, Matrix, Measured};

/// A source of test numbers.
struct Dice(SeededEntropy);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    fn word(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes).unwrap();
        u32::from_le_bytes(bytes)
    }

    /// In [-1, 1).
    fn number(&mut self) -> f32 {
        crate::math::single(f64::from(self.word()) / 2_147_483_648.0 - 1.0)
    }
}

fn mlp() -> Vec<Stage> {
    let layers = [
        Layer::Dense { units: 23 },
        Layer::Relu,
        Layer::Dense { units: 9 },
        Layer::Tanh,
        Layer::Dense { units: 4 },
    ];
    stages(Shape::flat(36), &layers).unwrap()
}

fn cnn(average: bool) -> Vec<Stage> {
    let pool = if average {
        Layer::AveragePool { size: 2, stride: 1 }
    } else {
        Layer::MaxPool { size: 2, stride: 1 }
    };
    let layers = [
        Layer::Convolution { filters: 5, size: 3, stride: 1, padding: 1 },
        Layer::Tanh,
        pool,
        Layer::Convolution { filters: 6, size: 2, stride: 2, padding: 0 },
        Layer::Relu,
        Layer::Dense { units: 7 },
        Layer::Relu,
        Layer::Dense { units: 4 },
    ];
    stages(Shape { height: 6, width: 6, channels: 1 }, &layers).unwrap()
}

fn all_in_one(stages: &[Stage]) -> Vec<Group> {
    let with = stages.iter().enumerate().filter(|(_, stage)| stage.parameters() > 0);
    vec![Group { stages: with.map(|(at, _)| at).collect(), square: BOUND * BOUND }]
}

fn each_by_itself(stages: &[Stage]) -> Vec<Group> {
    let all = all_in_one(stages).remove(0);
    let share = all.square / u64::try_from(all.stages.len()).unwrap();
    all.stages.into_iter().map(|at| Group { stages: vec![at], square: share }).collect()
}

fn parameters(stages: &[Stage], size: f32, dice: &mut Dice) -> Vec<f32> {
    let length = stages.iter().map(Stage::parameters).sum();
    (0..length).map(|_| size * dice.number()).collect()
}

/// Records with hostile numbers among them.
fn examples(rows: usize, hostile: bool, dice: &mut Dice) -> Classified {
    let mut features = Matrix::filled(rows, 36, 0.0);
    for x in features.values_mut() {
        *x = match (hostile, dice.word() % 9) {
            (true, 0) => f64::NAN,
            (true, 1) => f64::INFINITY,
            (true, 2) => -1e300,
            _ => f64::from(dice.number()),
        };
    }
    let labels = (0..rows).map(|_| dice.word() % 4).collect();
    Classified::new(features, labels).unwrap()
}

fn records(examples: &Classified) -> Records {
    Records::of(examples, &Bounds::same(36, -1.0, 1.0).unwrap(), Classes::new(4).unwrap())
}

fn sums(
    stages: &[Stage],
    parameters: &[f32],
    examples: &Classified,
    places: &[usize],
    groups: &[Group],
    clip: f64,
) -> Vec<i64> {
    let mut out = Vec::new();
    let mut batch = Batch::new(stages, BLOCK);
    let records = records(examples);
    batch.clipped(stages, parameters, &records, places, (groups, clip)).write(1, &mut out);
    out
}

fn bound() -> f64 {
    number(i64::try_from(BOUND).unwrap())
}

fn square(values: &[i64]) -> u128 {
    values.iter().map(|x| u128::from(x.unsigned_abs()) * u128::from(x.unsigned_abs())).sum()
}

/// Every record's contribution, alone, in integers: never above the bound, and near it when clipped.
#[test]
fn contributions_are_within_the_bound_exactly() {
    let mut dice = Dice::new(1);
    for net in [mlp(), cnn(false), cnn(true)] {
        for (groups, flat) in [(all_in_one(&net), true), (each_by_itself(&net), false)] {
            for (size, clip) in
                [(0.3, 1.0), (0.3, 1e-3), (3.0, 1.0), (30.0, 1e-6), (1e6, 1.0), (0.3, 1e6)]
            {
                let weights = parameters(&net, size, &mut dice);
                let table = examples(20, true, &mut dice);
                for row in 0..20 {
                    let own = sums(&net, &weights, &table, &[row], &groups, clip);
                    let (own, _) = own.split_at(own.len() - 1);
                    assert!(square(own) <= u128::from(BOUND * BOUND), "{size} {clip}");
                    for group in &groups {
                        let mut part = Vec::new();
                        for at in &group.stages {
                            let stage = &net[*at];
                            part.extend(&own[stage.start..stage.start + stage.parameters()]);
                        }
                        assert!(square(&part) <= u128::from(group.square));
                    }
                    if flat && clip <= 1e-3 && size < 1.0 && square(own) > 0 {
                        let norm = number(i64::try_from(square(own)).unwrap()).sqrt() / bound();
                        assert!(norm > 0.97, "clipped much closer than needed: {norm}");
                    }
                }
            }
        }
    }
}

/// One record less, anywhere in the table, moves the sums by its own contribution and nothing else.
#[test]
fn neighbours_are_at_most_the_bound_apart() {
    let mut dice = Dice::new(2);
    for net in [mlp(), cnn(false)] {
        for (hostile, rows) in [(false, 131), (true, 257), (true, 3)] {
            let weights = parameters(&net, 0.5, &mut dice);
            let table = examples(rows, hostile, &mut dice);
            let all: Vec<usize> = (0..rows).collect();
            let groups = all_in_one(&net);
            let whole = sums(&net, &weights, &table, &all, &groups, 0.7);
            for gone in [0, 1, rows / 2, rows - 1] {
                let others: Vec<usize> = all.iter().copied().filter(|row| *row != gone).collect();
                let rest = sums(&net, &weights, &table, &others, &groups, 0.7);
                let own = sums(&net, &weights, &table, &[gone], &groups, 0.7);
                let difference: Vec<i64> = whole.iter().zip(&rest).map(|(a, b)| a - b).collect();
                assert_eq!(difference, own);
                assert!(square(&own[..own.len() - 1]) <= u128::from(BOUND * BOUND));
            }
        }
    }
}

/// Order, places in chunks and other records do not matter, bit for bit.
#[test]
fn sums_do_not_depend_on_the_order() {
    let mut dice = Dice::new(3);
    for net in [mlp(), cnn(false), cnn(true)] {
        let weights = parameters(&net, 0.5, &mut dice);
        let table = examples(300, true, &mut dice);
        let groups = each_by_itself(&net);
        let forward: Vec<usize> = (0..300).collect();
        let expected = sums(&net, &weights, &table, &forward, &groups, 0.2);
        for stride in [7, 77, 299] {
            let order: Vec<usize> = (0..300).map(|row| row * stride % 300).collect();
            assert_eq!(sums(&net, &weights, &table, &order, &groups, 0.2), expected);
        }
        let mut added = vec![0; expected.len()];
        for part in forward.chunks(37) {
            let part = sums(&net, &weights, &table, part, &groups, 0.2);
            added.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
        }
        assert_eq!(added, expected);
    }
}

/// Values and deltas of a record, bit for bit, in every place of a chunk, for the shapes that people use.
#[test]
fn a_record_is_treated_alike_wherever_it_is() {
    let image = Shape { height: 28, width: 28, channels: 1 };
    let tutorial = [
        Layer::Convolution { filters: 16, size: 8, stride: 2, padding: 3 },
        Layer::Tanh,
        Layer::MaxPool { size: 2, stride: 1 },
        Layer::Convolution { filters: 32, size: 4, stride: 2, padding: 0 },
        Layer::Tanh,
        Layer::MaxPool { size: 2, stride: 1 },
        Layer::Dense { units: 32 },
        Layer::Tanh,
        Layer::Dense { units: 10 },
    ];
    let mut nets = vec![stages(image, &tutorial).unwrap(), mlp(), cnn(false)];
    assert_eq!(nets[0].iter().map(Stage::parameters).sum::<usize>(), 26_010);
    for (inputs, hidden, classes) in [
        (784, 128, 10),
        (64, 128, 10),
        (1, 1, 2),
        (3, 5, 2),
        (17, 33, 3),
        (1000, 257, 100),
        (2, 700, 7),
        (8, 16, 1),
        (100, 64, 1),
        (1, 1, 1),
    ] {
        let layers = [Layer::Dense { units: hidden }, Layer::Relu, Layer::Dense { units: classes }];
        nets.push(stages(Shape::flat(inputs), &layers).unwrap());
    }
    for net in nets {
        Batch::alike(&net).unwrap();
    }
}

/// The loss of some records, in double precision where it matters.
fn loss(net: &[Stage], weights: &[f32], records: &Records, places: &[usize]) -> f64 {
    let mut batch = Batch::new(net, BLOCK);
    records.load(places, &mut batch.chunk);
    batch.chunk.forward(net, weights);
    let outputs = net.last().unwrap().onto.len();
    let rows = batch.chunk.scores().chunks_exact(outputs).zip(records.truths(places));
    let losses = rows.map(|(scores, truth)| {
        let scores: Vec<f64> = scores.iter().map(|x| f64::from(*x)).collect();
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        match truth {
            Truth::Class(class) => {
                most + ln(scores.iter().map(|x| exp(x - most)).sum::<f64>()) - scores[class]
            }
            Truth::Number(number) => {
                let error = scores[0] - f64::from(number);
                error * error / 2.0
            }
        }
    });
    losses.sum()
}

#[test]
fn gradients_are_those_of_the_loss() {
    let mut dice = Dice::new(4);
    for net in [mlp(), cnn(false), cnn(true)] {
        let weights = parameters(&net, 0.4, &mut dice);
        let table = examples(40, false, &mut dice);
        let (records, places) = (records(&table), (0..40).collect::<Vec<_>>());
        let gradient = Batch::new(&net, BLOCK).plain(&net, &weights, &records, &places).to_vec();
        let mut worst = 0.0_f64;
        for at in (0..weights.len()).step_by(11) {
            let moved = |by: f32| {
                let mut weights = weights.clone();
                weights[at] += by;
                loss(&net, &weights, &records, &places)
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            worst = worst.max((slope - f64::from(gradient[at])).abs());
        }
        let size = f64::from(gradient.iter().fold(0.0_f32, |most, x| most.max(x.abs())));
        assert!(worst < 0.03 * size, "{worst} of {size}");
    }
}

/// Without clipping the whole numbers are the gradient, but for rounding.
#[test]
fn sums_are_the_gradient() {
    let mut dice = Dice::new(5);
    for net in [mlp(), cnn(false)] {
        let weights = parameters(&net, 0.2, &mut dice);
        let table = examples(200, false, &mut dice);
        let places: Vec<usize> = (0..200).collect();
        let clip = 8.0;
        let whole = sums(&net, &weights, &table, &places, &all_in_one(&net), clip);
        let plain =
            Batch::new(&net, BLOCK).plain(&net, &weights, &records(&table), &places).to_vec();
        assert_eq!(whole.last(), Some(&200));
        let unit = clip / bound();
        let (mut error, mut size) = (0.0, 0.0);
        for (found, expected) in whole.iter().zip(&plain) {
            let apart = number(*found) * unit - f64::from(*expected);
            error += apart * apart;
            size += f64::from(*expected) * f64::from(*expected);
        }
        assert!(error < 5e-3 * size, "{error} of {size}");
    }
}

/// Gradients far below the clip norm, of less than a step an output, are not lost in rounding.
#[test]
fn small_gradients_are_not_rounded_away() {
    let mut dice = Dice::new(7);
    let (net, clip) = (mlp(), 1000.0);
    let weights = parameters(&net, 0.2, &mut dice);
    let table = examples(2000, false, &mut dice);
    let places: Vec<usize> = (0..2000).collect();
    let whole = sums(&net, &weights, &table, &places, &all_in_one(&net), clip);
    let plain = Batch::new(&net, BLOCK).plain(&net, &weights, &records(&table), &places).to_vec();
    let (mut along, mut square) = (0.0, 0.0);
    for (found, expected) in whole.iter().zip(&plain) {
        along += number(*found) * clip / bound() * f64::from(*expected);
        square += f64::from(*expected) * f64::from(*expected);
    }
    // What the roundings of 2000 records leave is about an eighth; to the nearest, all would be 0.
    assert!((along / square - 1.0).abs() < 0.4, "{along} of {square}");
}

/// What the exactness of single precision rests on: whole numbers, small enough.
#[test]
fn chunks_are_whole_numbers_within_single_precision() {
    let mut dice = Dice::new(6);
    let net = mlp();
    let weights = parameters(&net, 1.0, &mut dice);
    let table = examples(ROWS, true, &mut dice);
    let places: Vec<usize> = (0..ROWS).collect();
    let mut batch = Batch::new(&net, BLOCK);
    let groups = all_in_one(&net);
    batch.clipped(&net, &weights, &records(&table), &places, (&groups, 0.1));
    assert!(batch.clipped.outcomes.contains(&Outcome::Scaled));
    for (at, stage) in net.iter().enumerate().filter(|(_, stage)| stage.kind == Kind::Dense) {
        let inputs = batch.chunk.on_grid(at).chunks_exact(stage.from.len());
        let deltas = batch.clipped.deltas[at].chunks_exact(stage.onto.len());
        let mut most = 0.0_f32;
        for (input, delta) in inputs.zip(deltas) {
            assert!(input.iter().all(|x| (x * INPUT).fract() == 0.0));
            assert!(delta.iter().all(|x| x.fract() == 0.0));
            let largest = |row: &[f32]| row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            most += largest(input) * INPUT * largest(delta);
        }
        assert!(most <= 16_777_216.0);
    }
}

/// With its ±w for the count, a record's vector is within the bound too.
#[test]
fn adaptive_contributions_are_within_the_bound_with_their_count() {
    let mut dice = Dice::new(7);
    let net = mlp();
    for (sigma, declared) in [("0.5", 10), ("1", 100), ("20", 100), ("1000", 1), ("1", 1 << 40)] {
        let options = NetworkOptions {
            clipping: Clipping::Adaptive { quantile: 0.5 },
            records: Some(declared),
            ..NetworkOptions::default()
        };
        let weight = count_weight(&options, &sigma.parse().unwrap());
        assert!((1..=BOUND / 4).contains(&weight));
        let own_groups = groups(&net, &options, weight);
        let weights = parameters(&net, 0.5, &mut dice);
        let table = examples(20, true, &mut dice);
        let mut near = false;
        for (row, clip) in (0..20).flat_map(|row| [(row, 1e-3), (row, 1e3)]) {
            let mut batch = Batch::new(&net, BLOCK);
            let mut out = Vec::new();
            let total =
                batch.clipped(&net, &weights, &records(&table), &[row], (&own_groups, clip));
            total.write(i64::try_from(weight).unwrap(), &mut out);
            assert_eq!(out.last().unwrap().unsigned_abs(), weight);
            let found = square(&out);
            assert!(found <= u128::from(BOUND * BOUND), "{sigma} {declared} {clip}");
            near |= found > u128::from(BOUND) * u128::from(BOUND) / 10 * 9;
        }
        assert!(near, "all contributions are short: the bound was not tried");
    }
}

/// Threads do not show, and neither does how the batch is divided among them.
#[test]
fn a_team_sums_what_one_does() {
    let mut dice = Dice::new(8);
    for net in [cnn(false), mlp()] {
        check_team(&net, &mut dice);
    }
}

fn check_team(net: &[Stage], dice: &mut Dice) {
    let weights = parameters(net, 0.5, dice);
    let table = records(&examples(300, true, dice));
    let groups = all_in_one(net);
    let task = Task {
        stages: net,
        parameters: &weights,
        records: &table,
        groups: &groups,
        clip: 0.3,
        weight: 5,
    };
    for length in [0, 1, 200, 5000] {
        let places: Vec<usize> = (0..length).map(|place| place * 7 % 300).collect();
        let sums = |most: usize| {
            let mut team = Team::new(net, most, BLOCK);
            team.clipped(task, &places);
            let mut sums = vec![7; weights.len() + 1];
            team.read(0, &mut sums);
            // The same in parts that end anywhere.
            for (start, part) in (0..).step_by(1013).zip(sums.chunks(1013)) {
                let mut again = vec![7; part.len()];
                team.read(start, &mut again);
                assert_eq!(again, part);
            }
            sums
        };
        let alone = sums(1);
        assert_eq!(alone.iter().all(|sum| *sum == 0), length == 0);
        for most in [2, 3, 7] {
            assert_eq!(sums(most), alone);
        }
    }
}

/// Over a whole run with correlated noise: Σ_t |Σ_k c_k h_(t-k)|² for the contributions of one record, in the
/// steps of its batch, with other weights in every step, is at most what the noise is made for.
#[test]
fn a_run_of_correlated_steps_moves_no_further_than_the_noise_is_made_for() {
    let mut dice = Dice::new(9);
    let net = mlp();
    let options = NetworkOptions {
        records: Some(40),
        batch: Some(10),
        steps: 11,
        noise: StepNoise::Correlated { band: 3 },
        ..NetworkOptions::default()
    };
    let length = net.iter().map(Stage::parameters).sum();
    let plan = options.noise.plan(&Rational::ONE, &options, length).unwrap();
    assert_eq!(plan.neighbours(), Neighbours::AddRemove);
    let Plan::Correlated(ftrl) = plan else { panic!("independent") };
    let (bands, of) = (ftrl.noise().bands(), ftrl.noise().participation());
    assert_eq!((of.steps(), of.separation(), of.times()), (11, 4, 3));
    let mut coefficients = vec![1.0];
    for k in 1..bands.len() {
        let k = crate::math::count(k);
        coefficients.push(coefficients.last().unwrap() * (2.0 * k - 1.0) / (2.0 * k));
    }
    let most = bands.square(of).to_f64_nearest().sqrt() * bound();
    let mut largest = 0.0_f64;
    for batch in 0..4 {
        // The same weights in all steps are the worst case, others a check that they are no worse.
        for same in [true, false] {
            let table = examples(1, false, &mut dice);
            let fixed = parameters(&net, 0.5, &mut dice);
            let contribution = |step: usize, dice: &mut Dice| {
                let weights = if same { fixed.clone() } else { parameters(&net, 0.5, dice) };
                let places: &[usize] = if step % 4 == batch { &[0] } else { &[] };
                let mut own = sums(&net, &weights, &table, places, &all_in_one(&net), 1e-3);
                own.pop();
                own
            };
            let own: Vec<Vec<i64>> = (0..11).map(|step| contribution(step, &mut dice)).collect();
            let mut total = 0.0;
            for step in 0..11_usize {
                for entry in 0..length {
                    let mixed: f64 = (0..=step)
                        .zip(own[..=step].iter().rev())
                        .map(|(k, h)| coefficients.get(k).unwrap_or(&0.0) * number(h[entry]))
                        .sum();
                    total += mixed * mixed;
                }
            }
            assert!(total.sqrt() <= most * (1.0 + 1e-3), "{} {most}", total.sqrt());
            largest = largest.max(total.sqrt());
        }
    }
    assert!(largest > 0.95 * most, "{largest} {most}: the bound was not tried");
}

/// What a network that learns a number is made of.
fn of_number() -> [Vec<Stage>; 2] {
    let flat = [Layer::Dense { units: 1 }];
    let deep = [Layer::Dense { units: 11 }, Layer::Relu, Layer::Dense { units: 1 }];
    [stages(Shape::flat(36), &flat).unwrap(), stages(Shape::flat(36), &deep).unwrap()]
}

/// Hostile rows with hostile numbers.
fn measured(rows: usize, dice: &mut Dice) -> Records {
    let features = examples(rows, true, dice).features().clone();
    let odd = [f64::INFINITY, f64::NEG_INFINITY, 1e300, -0.0, 2.0, 5e-324, f64::MAX];
    let label = |i: usize| match i % 3 {
        0 => odd[i / 3 % odd.len()],
        _ => f64::from(dice.number()),
    };
    let examples = Measured::new(features, (0..rows).map(label).collect()).unwrap();
    let bounds = Bounds::same(36, -1.0, 1.0).unwrap();
    Records::of(&examples, &bounds, Interval::new(-1.0, 2.0).unwrap())
}

/// The squared loss, however large, adds what any loss adds: a vector within the bound, for each record alone.
#[test]
fn errors_of_any_size_are_within_the_bound_exactly() {
    let mut dice = Dice::new(10);
    for net in of_number() {
        for (groups, size, clip) in [
            (all_in_one(&net), 0.3, 0.5),
            (all_in_one(&net), 1e6, 0.5),
            (all_in_one(&net), 0.3, 1e-6),
            (each_by_itself(&net), 3.0, 0.1),
            (all_in_one(&net), 0.3, 1e6),
        ] {
            let weights = parameters(&net, size, &mut dice);
            let records = measured(40, &mut dice);
            let sums = |places: &[usize]| {
                let (mut out, mut batch) = (Vec::new(), Batch::new(&net, BLOCK));
                batch.clipped(&net, &weights, &records, places, (&groups, clip)).write(1, &mut out);
                out
            };
            let mut added = vec![0; weights.len() + 1];
            for row in 0..40 {
                let own = sums(&[row]);
                assert!(square(&own[..weights.len()]) <= u128::from(BOUND * BOUND));
                added.iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
            }
            // Each adds the same in any company.
            assert_eq!(added, sums(&(0..40).collect::<Vec<_>>()));
        }
    }
}

#[test]
fn gradients_are_those_of_the_squared_loss() {
    let mut dice = Dice::new(11);
    for net in of_number() {
        let weights = parameters(&net, 0.4, &mut dice);
        let (records, places) = (measured(40, &mut dice), (0..40).collect::<Vec<_>>());
        let gradient = Batch::new(&net, BLOCK).plain(&net, &weights, &records, &places).to_vec();
        let mut worst = 0.0_f64;
        for at in (0..weights.len()).step_by(5) {
            let moved = |by: f32| {
                let mut weights = weights.clone();
                weights[at] += by;
                loss(&net, &weights, &records, &places)
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            worst = worst.max((slope - f64::from(gradient[at])).abs());
        }
        let size = f64::from(gradient.iter().fold(0.0_f32, |most, x| most.max(x.abs())));
        assert!(worst < 0.03 * size, "{worst} of {size}");
    }
}

/// NaN says nothing; what is beyond the interval counts as its ends.
#[test]
fn numbers_are_clamped_and_nan_is_left_out() {
    let range = Interval::new(-2.0, 6.0).unwrap();
    let labels = vec![-2.0, f64::NAN, 2.0, 6.0, f64::INFINITY, -1e300, 4.0];
    let examples = Measured::new(Matrix::filled(7, 1, 0.5), labels).unwrap();
    let records = Records::of(&examples, &Bounds::same(1, 0.0, 1.0).unwrap(), range);
    let found: Vec<Truth> = records.truths(&[0, 1, 2, 3, 4, 5]).collect();
    assert_eq!(records.len(), 6);
    assert_eq!(found, [-1.0, 0.0, 1.0, 1.0, -1.0, 0.5].map(Truth::Number));
}
