//! Noise on numbers; counts, sums, means, variances, bounds.

use throng_mechanism::bounds::Bounds;
use throng_mechanism::count::{BoundedRecords, Count, Matches, Records, Units};
use throng_mechanism::mean::{Mean, MeanEstimate};
use throng_mechanism::noise::Protection;
use throng_mechanism::parts::Scattered;
use throng_mechanism::sum::Sum;
use throng_mechanism::variance::{Variance, VarianceEstimate};
use throng_mechanism::{
    AddNoise, AddNoiseReal, Clamp, Grid, L1, L2, Neighbours, Noise, PerCell, Sensitivity,
};
use throng_numeric::Rational;

use super::inputs::{INTEGERS, MANY, integers, lists, reals};
use super::{Case, Rows, case, clipped, inverse, number, of_interval, of_noisy, of_number};

pub fn cases(epsilon: &Rational) -> Vec<Case> {
    let parts = [added(epsilon), counts(epsilon), sums(epsilon), scattered(epsilon)];
    let rest = [means(epsilon), variances(epsilon), bounds(epsilon)];
    parts.into_iter().chain(rest).flatten().collect()
}

/// 0 to 8 in sixteenths.
fn eighth() -> Clamp {
    Clamp::new(&0.into(), &8.into(), Grid::new(-4).unwrap()).unwrap()
}

fn pure(epsilon: &Rational) -> Protection {
    Protection::Pure { epsilon: epsilon.clone() }
}

fn gaussian(epsilon: &Rational) -> Protection {
    Protection::Gaussian { multiplier: inverse(epsilon) }
}

fn added(epsilon: &Rational) -> Vec<Case> {
    let l1 = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove).unwrap();
    let l2 = Sensitivity::<L2>::of(1.into(), Neighbours::Replace).unwrap();
    let four = PerCell::of(1, 4.into(), Neighbours::ZeroOut).unwrap();
    let fine = Grid::new(-8).unwrap();
    let integer = |a: i64, b: i64| Rows::of(integers(), vec![[vec![a], vec![b]]]);
    let laplace = AddNoise::new(Noise::pure(epsilon, &l1, Grid::WHOLE).unwrap());
    let normal = AddNoise::new(Noise::gaussian(&inverse(epsilon), &l2, fine).unwrap());
    let stairs = AddNoise::new(Noise::staircase(epsilon, &four, Grid::WHOLE).unwrap());
    // Staircase noise is drawn one by one: 10^5 of them take seconds.
    let few = || integers().into_iter().filter(|x| x.len() < MANY).collect();
    let stair = Rows::of(few(), vec![[vec![0], vec![4]]]);
    let real = |a: f64, b: f64| Rows::of(reals(), vec![[vec![a], vec![b]]]);
    let real_l1 = Sensitivity::<L1>::of(1.into(), Neighbours::Replace).unwrap();
    let rounded =
        |protection: &Protection| AddNoiseReal::new(protection, &real_l1, &l2, 1, fine).unwrap();
    vec![
        case("AddNoise", laplace, integer(0, 1), |x| clipped(x, 0, 1, 8), of_noisy),
        case("AddNoise", normal, integer(0, 256), |x| clipped(x, 0, 64, 20), of_noisy)
            .called("Gaussian"),
        case("AddNoise", stairs, stair, |x| clipped(x, 0, 1, 30), of_noisy).called("staircase"),
        case(
            "AddNoiseReal",
            rounded(&pure(epsilon)),
            real(0.0, 1.0),
            |x| clipped(x, 0, 64, 20),
            of_noisy,
        ),
        case(
            "AddNoiseReal",
            rounded(&gaussian(epsilon)),
            real(0.25, -0.75),
            |x| clipped(x, 0, 64, 20),
            of_noisy,
        )
        .called("Gaussian"),
    ]
}

fn counts(epsilon: &Rational) -> Vec<Case> {
    let bits = || lists(&[true, false]);
    let units = || lists(&[0_u64, 1, u64::MAX]);
    let records = Count::pure(Records::<i64>::default(), epsilon, Neighbours::AddRemove).unwrap();
    let matches = Count::gaussian(Matches, &inverse(epsilon), Neighbours::Replace).unwrap();
    let zeroed = Count::pure(Matches, epsilon, Neighbours::ZeroOut).unwrap();
    let people = Count::pure(Units::<u64>::default(), epsilon, Neighbours::AddRemove).unwrap();
    let three = BoundedRecords::<u64>::of(3).unwrap();
    let bounded = Count::pure(three, epsilon, Neighbours::Replace).unwrap();
    let integer = vec![[vec![7; 4], vec![7; 5]], [vec![], vec![i64::MIN]]];
    let bit = || vec![[vec![true, false], vec![true, true]]];
    let user = vec![[vec![1, 1, 2], vec![1, 1, 2, 3, 3, 3, 3]]];
    let rows = vec![[vec![1, 1], vec![1, 1, 3, 3, 3, 3]], [vec![1, 2], vec![1, 9, 9, 9, 9, 9]]];
    let bin = |x: &throng_mechanism::Noisy| clipped(x, 0, 1, 12);
    vec![
        case("Count", records, Rows::of(integers(), integer), bin, of_noisy),
        case("Count", matches, Rows::of(bits(), bit()), bin, of_noisy).called("Gaussian"),
        case("Count", zeroed, Rows::of(bits(), bit()), bin, of_noisy).called("zeroed out"),
        case("Count", people, Rows::of(units(), user), bin, of_noisy).called("units"),
        case("Count", bounded, Rows::of(units(), rows), bin, of_noisy).called("bounded"),
    ]
}

fn sums(epsilon: &Rational) -> Vec<Case> {
    let total = Sum::<f64>::new(eighth(), &pure(epsilon), Neighbours::AddRemove).unwrap();
    let wide = Clamp::new(&(-8).into(), &8.into(), Grid::WHOLE).unwrap();
    let whole = Sum::<i64>::new(wide, &gaussian(epsilon), Neighbours::Replace).unwrap();
    let huge = Clamp::new(&number("-1e18"), &number("1e18"), Grid::WHOLE).unwrap();
    let most = Sum::<i64>::new(huge, &pure(epsilon), Neighbours::ZeroOut).unwrap();
    let real = vec![
        [vec![1.0, 2.0], vec![1.0, 2.0, 8.0]],
        [vec![], vec![f64::NAN]],
        [vec![1.0], vec![1.0, f64::INFINITY]],
    ];
    let integer = vec![[vec![3, 8], vec![3, -8]], [vec![i64::MIN], vec![i64::MAX]]];
    let large = vec![[vec![0, 5], vec![i64::MAX, 5]]];
    vec![
        case("Sum", total, Rows::of(reals(), real), |x| clipped(x, 0, 32, 20), of_noisy),
        case("Sum", whole, Rows::of(integers(), integer), |x| clipped(x, 0, 2, 20), of_noisy)
            .called("Gaussian"),
        case(
            "Sum",
            most,
            Rows::of(integers(), large),
            |x| clipped(x, 0, 250_000_000_000_000_000, 20),
            of_noisy,
        )
        .called("huge"),
    ]
}

/// The records in four slices, two of them empty. They live as long as the tests do.
fn cut<T>(mut records: Vec<T>) -> Vec<&'static [T]> {
    let rest = records.split_off(records.len() / 3);
    vec![&[], records.leak(), &[], rest.leak()]
}

fn scattered(epsilon: &Rational) -> Vec<Case> {
    let total = Sum::<f64>::new(eighth(), &pure(epsilon), Neighbours::AddRemove).unwrap();
    let pairs = vec![
        // The record that is added moves the cut between the slices, or is the only one of all.
        [vec![1.0, 2.0], vec![1.0, 2.0, 8.0]],
        [vec![], vec![f64::NAN]],
    ];
    let rows = Rows::of(
        reals().into_iter().map(cut).collect(),
        pairs.into_iter().map(|pair| pair.map(cut)).collect(),
    );
    vec![case("Scattered", Scattered::new(total), rows, |x| clipped(x, 0, 32, 20), of_noisy)]
}

fn of_mean(mean: &MeanEstimate) -> Vec<String> {
    let mut faults = of_noisy(mean.parts());
    faults.extend(of_number("the mean", mean.value()));
    faults.extend(of_number("the number of records", mean.records()));
    faults.extend(of_interval(mean.interval(0.9).unwrap(), mean.value()));
    if !(0.0..=8.0).contains(&mean.value()) {
        faults.push(format!("{} is beyond the bounds", mean.value()));
    }
    faults
}

fn means(epsilon: &Rational) -> Vec<Case> {
    let private = Mean::<f64>::new(eighth(), &pure(epsilon)).unwrap();
    let public = |under, protection: &Protection| {
        Mean::<f64>::of_public_count(eighth(), protection, 2, under).unwrap()
    };
    let added = vec![[vec![4.0], vec![4.0, 8.0]], [vec![], vec![f64::NAN]]];
    let replaced = vec![[vec![4.0, 0.0], vec![4.0, 8.0]], [vec![4.0, f64::NAN], vec![4.0, 1e300]]];
    let zeroed = vec![[vec![4.0, f64::NAN], vec![4.0, 8.0]]];
    let bin = |x: &MeanEstimate| clipped(x.parts(), 0, 32, 20);
    let two = |x: &MeanEstimate| 100 * clipped(x.parts(), 0, 64, 8) + clipped(x.parts(), 1, 128, 3);
    vec![
        case("Mean", private, Rows::of(reals(), added), two, of_mean),
        case(
            "Mean",
            public(Neighbours::Replace, &gaussian(epsilon)),
            Rows::of(reals(), replaced),
            bin,
            of_mean,
        )
        .called("public count"),
        case(
            "Mean",
            public(Neighbours::ZeroOut, &pure(epsilon)),
            Rows::of(reals(), zeroed),
            bin,
            of_mean,
        )
        .called("zeroed out"),
    ]
}

fn of_variance(variance: &VarianceEstimate) -> Vec<String> {
    let mut faults = of_noisy(variance.parts());
    faults.extend(of_number("the variance", variance.value()));
    faults.extend(of_number("the deviation", variance.standard_deviation()));
    let interval = variance.interval(0.9).unwrap();
    faults.extend(of_interval(interval, variance.value()));
    let deviation = variance.interval_of_deviation(0.9).unwrap();
    faults.extend(of_interval(deviation, variance.standard_deviation()));
    if interval.lower < 0.0 || interval.upper > 16.0_f64.next_up().next_up() {
        faults.push(format!("{interval} is beyond all variances"));
    }
    faults
}

fn variances(epsilon: &Rational) -> Vec<Case> {
    let private = Variance::<f64>::new(eighth(), &pure(epsilon)).unwrap();
    let public = |under, protection: &Protection| {
        Variance::<f64>::of_public_count(eighth(), protection, 2, under).unwrap()
    };
    let added = vec![[vec![4.0], vec![4.0, 8.0]], [vec![], vec![f64::NAN]]];
    // v = 1 and v = -1/2: 3/2 and 3/4 apart, which is the most in L1; 1 and -1 in L2.
    let replaced = |low: f64| vec![[vec![4.0, 8.0], vec![4.0, low]], [vec![f64::NAN], vec![4.0]]];
    let unit = 1 << 18;
    let third = move |x: &VarianceEstimate| clipped(x.parts(), 2, unit, 20);
    let two = move |x: &VarianceEstimate| {
        100 * clipped(x.parts(), 0, 4 * unit, 6) + clipped(x.parts(), 1, 4 * unit, 6)
    };
    vec![
        case("Variance", private, Rows::of(reals(), added), third, of_variance),
        case(
            "Variance",
            public(Neighbours::Replace, &pure(epsilon)),
            Rows::of(reals(), replaced(2.0)),
            two,
            of_variance,
        )
        .called("public count"),
        case(
            "Variance",
            public(Neighbours::Replace, &gaussian(epsilon)),
            Rows::of(reals(), replaced(0.0)),
            two,
            of_variance,
        )
        .called("Gaussian"),
    ]
}

fn bounds(epsilon: &Rational) -> Vec<Case> {
    let found =
        |under| Bounds::<f64>::new(Grid::new(-4).unwrap(), &pure(epsilon), 1e-3, under).unwrap();
    let whole =
        Bounds::<i64>::new(Grid::WHOLE, &gaussian(epsilon), 1e-3, Neighbours::Replace).unwrap();
    let faults = |x: &throng_mechanism::bounds::BoundsEstimate| {
        let mut faults = of_noisy(x.counts());
        if x.clamp().is_some_and(|clamp| clamp.lower() > clamp.upper()) {
            faults.push("bounds cross".into());
        }
        faults
    };
    let added = vec![[vec![2.5], vec![2.5, 0.0]], [vec![], vec![f64::NAN]]];
    let integer = vec![[vec![0], vec![1]], [vec![i64::MIN], vec![i64::MAX]]];
    let mut many = integers();
    many.push(INTEGERS.iter().copied().cycle().take(MANY / 2).collect());
    vec![
        case(
            "Bounds",
            found(Neighbours::AddRemove),
            Rows::of(reals(), added),
            |x| clipped(x.counts(), 61, 1, 10),
            faults,
        ),
        case(
            "Bounds",
            whole,
            Rows::of(many, integer),
            |x| 100 * clipped(x.counts(), 61, 1, 5) + clipped(x.counts(), 62, 1, 5),
            faults,
        )
        .called("Gaussian"),
    ]
}
