//! Smooth sensitivity, propose-test-release, sample-and-aggregate.

use std::fmt;

use throng_account::MechanismSpec;
use throng_mechanism::propose_test_release::{
    LocalMedian, Outcome, ProposeTestRelease, StableMode,
};
use throng_mechanism::sample_and_aggregate::{Blockwise, Partition};
use throng_mechanism::smooth::{Median, Smooth, SmoothNoise, Smoothed, Variance};
use throng_mechanism::{Clamp, Grid, Mechanism, MechanismError, Neighbours, Run};
use throng_numeric::Rational;

use super::inputs::{REALS, lists, reals};
use super::{Case, Rows, case, clipped, inverse, number, of_noisy, of_number};

pub fn cases(epsilon: &Rational) -> Vec<Case> {
    [smooth(epsilon), tested(epsilon), blocks(epsilon)].into_iter().flatten().collect()
}

/// 0 to 8 in sixteenths.
fn eighth() -> Clamp {
    Clamp::new(&0.into(), &8.into(), Grid::new(-4).unwrap()).unwrap()
}

fn of_smoothed(smoothed: &Smoothed) -> Vec<String> {
    let mut faults = of_number("the value", smoothed.value());
    faults.extend(of_number("the half width", smoothed.worst_half_width(0.9).unwrap()));
    faults
}

fn coarse(smoothed: &Smoothed) -> i64 {
    smoothed.steps().div_euclid(64).clamp(-20, 20)
}

fn smooth(epsilon: &Rational) -> Vec<Case> {
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let median = |under| Median::new(eighth(), under);
    let student = Smooth::new(median(add), SmoothNoise::student_for(epsilon).unwrap());
    let rho = epsilon * &number("1/2");
    let log = SmoothNoise::laplace_log_normal_for(&(&rho * epsilon)).unwrap();
    let delta = number("1/100");
    let normal = SmoothNoise::gaussian_for(epsilon, &delta).unwrap();
    let variance = Variance::new(eighth(), swap).unwrap();
    let spread = Smooth::new(variance, SmoothNoise::student_for(epsilon).unwrap());
    // The median moves across the interval, or the scale of the noise falls.
    let added = || vec![[vec![8.0], vec![8.0, 0.0]], [vec![], vec![f64::NAN]]];
    let replaced = || vec![[vec![0.0], vec![8.0]], [vec![f64::NAN], vec![f64::INFINITY]]];
    let both = vec![[vec![0.0, 0.0], vec![0.0, 8.0]], [vec![4.0], vec![f64::MAX]]];
    let logs = Smooth::new(median(Neighbours::ZeroOut), log);
    let normals = Smooth::new(median(swap), normal);
    vec![
        case("Smooth", student, Rows::of(reals(), added()), coarse, of_smoothed),
        case("Smooth", logs, Rows::of(reals(), replaced()), coarse, of_smoothed)
            .called("Laplace log-normal"),
        case("Smooth", normals, Rows::of(reals(), replaced()), coarse, of_smoothed)
            .called("normal"),
        case(
            "Smooth",
            spread,
            Rows::of(reals(), both),
            |x| x.steps().div_euclid(2048).clamp(-20, 20),
            of_smoothed,
        )
        .called("variance"),
    ]
}

fn tested(epsilon: &Rational) -> Vec<Case> {
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let delta = number("1/20");
    let median = |under| LocalMedian::new(eighth(), under);
    let bound = number("1/2");
    let laplace =
        ProposeTestRelease::laplace(median(add), &bound, epsilon, &delta, epsilon).unwrap();
    let sigma = &inverse(epsilon) * &bound;
    let normal =
        ProposeTestRelease::gaussian(median(swap), &bound, epsilon, &delta, &sigma).unwrap();
    let mode = StableMode::<u64>::new(epsilon, &delta, add).unwrap();
    let swapped = StableMode::<u64>::new(epsilon, &delta, swap).unwrap();
    let read = |outcome: &Outcome<throng_mechanism::Noisy>| match outcome {
        Outcome::Released(noisy) => clipped(noisy, 0, 4, 60),
        Outcome::Refused => -100,
    };
    let faults = |outcome: &Outcome<throng_mechanism::Noisy>| match outcome {
        Outcome::Released(noisy) => of_noisy(noisy),
        Outcome::Refused => Vec::new(),
    };
    // Stable, and the value moves by the bound; or the distance of the test moves.
    let dense = |n: usize| vec![4.0; n];
    let moved = |n: usize, last: f64| [dense(n), vec![4.5; n], vec![last]].concat();
    let added = vec![
        [[dense(12), vec![4.5; 12]].concat(), moved(12, 8.0)],
        [vec![], vec![8.0]],
        [dense(3), dense(4)],
    ];
    let replaced = vec![[moved(12, 0.0), moved(12, 8.0)], [vec![f64::NAN], vec![f64::INFINITY]]];
    let votes = |yes: usize, no: usize| [vec![1; yes], vec![0; no]].concat();
    let lead = vec![[votes(3, 0), votes(4, 0)], [votes(1, 0), votes(1, 1)], [vec![], vec![9]]];
    let swing = vec![[votes(8, 0), votes(7, 1)], [votes(1, 1), votes(2, 0)]];
    let item = |outcome: &Outcome<u64>| match outcome {
        Outcome::Released(item) => i64::try_from(*item).unwrap_or(99),
        Outcome::Refused => -1,
    };
    let items = || lists(&[0_u64, 1, u64::MAX]);
    vec![
        case("ProposeTestRelease", laplace, Rows::of(reals(), added), read, faults),
        case("ProposeTestRelease", normal, Rows::of(reals(), replaced), read, faults)
            .called("Gaussian, replace"),
        case("StableMode", mode, Rows::of(items(), lead), item, |_| Vec::new()),
        case("StableMode", swapped, Rows::of(items(), swing), item, |_| Vec::new())
            .called("replace"),
    ]
}

/// A mechanism that prints nothing of itself, since it holds a closure.
struct Silent<M>(M);

impl<M> fmt::Debug for Silent<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Silent")
    }
}

impl<M: Mechanism> Mechanism for Silent<M> {
    type Input = M::Input;
    type Output = M::Output;

    fn spec(&self) -> MechanismSpec {
        self.0.spec()
    }

    fn neighbours(&self) -> Neighbours {
        self.0.neighbours()
    }

    fn answer(&self, input: &M::Input, run: &mut Run<'_>) -> Result<M::Output, MechanismError> {
        self.0.answer(input, run)
    }
}

type Row = (u64, f64);

fn largest(block: &[&Row]) -> f64 {
    block.iter().map(|row| row.1).fold(f64::NAN, f64::max)
}

fn blocks(epsilon: &Rational) -> Vec<Case> {
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let by_unit = |under| {
        let partition = Partition::by_unit(5, 3, |row: &Row| row.0).unwrap();
        Blockwise::new(partition, largest, eighth(), under).unwrap()
    };
    let by_place = || {
        let partition = Partition::<Row>::by_position(5).unwrap();
        Blockwise::new(partition, largest, eighth(), swap).unwrap()
    };
    let mean = Silent(by_unit(swap).mean_laplace(epsilon).unwrap());
    let sigma = &inverse(epsilon) * &Rational::from(8);
    let normal = Silent(by_place().mean_gaussian(&sigma).unwrap());
    let median = Silent(by_unit(add).median(epsilon).unwrap());
    let noise = SmoothNoise::student_for(epsilon).unwrap();
    let smoothed = Silent(by_place().smooth_median(noise).unwrap());
    let rows: Vec<Row> = REALS.iter().enumerate().map(|(i, x)| (i as u64, *x)).collect();
    let hostile = || lists(&rows);
    // An empty block counts as the middle, 4.
    let pair = || vec![[vec![(1, 0.0)], vec![(2, 8.0)]], [vec![(1, f64::NAN)], vec![(1, 1e300)]]];
    let added = vec![[vec![], vec![(1, 8.0)]], [vec![(1, f64::NAN)], vec![]]];
    let blocks = |xs: [f64; 5]| (0..).zip(xs).collect::<Vec<Row>>();
    let swing = || {
        let (low, high) = ([0.0, 0.0, 8.0, 8.0, 0.0], [0.0, 0.0, 8.0, 8.0, 8.0]);
        vec![
            [blocks(low), blocks(high)],
            [blocks([f64::NAN; 5]), blocks([f64::NAN, 1e9, f64::NAN, f64::NAN, f64::NAN])],
        ]
    };
    vec![
        case(
            "SampleAndAggregate",
            mean,
            Rows::of(hostile(), pair()),
            |x| clipped(x.sum(), 0, 64, 20),
            |x| {
                let mut faults = of_noisy(x.sum());
                faults.extend(of_number("the mean", x.value()));
                faults.extend(of_number("the half width", x.half_width(0.9).unwrap()));
                faults
            },
        ),
        case(
            "SampleAndAggregate",
            normal,
            Rows::of(hostile(), swing()),
            |x| clipped(x.sum(), 0, 64, 20),
            |x| of_noisy(x.sum()),
        )
        .called("Gaussian"),
        case(
            "SampleAndAggregate",
            median,
            Rows::of(hostile(), added),
            |x| x.steps() / 8,
            |x| {
                let mut faults = of_number("the rank error", x.rank_error(0.9).unwrap());
                if !(0.0..=8.0).contains(&x.value()) {
                    faults.push(format!("{} is beyond the bounds", x.value()));
                }
                faults
            },
        )
        .called("median"),
        case("SampleAndAggregate", smoothed, Rows::of(hostile(), swing()), coarse, of_smoothed)
            .called("smooth median"),
    ]
}
