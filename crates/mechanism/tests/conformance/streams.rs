//! Sessions: counters and sparse vectors.

use throng_mechanism::continual::{
    Estimate, MatrixCounter, MatrixSession, Stream, TreeCounter, TreeSession, WindowCounter,
    WindowSession,
};
use throng_mechanism::sparse_vector::{
    AboveThreshold, Claim, GaussianThreshold, Queries, Session, Side,
};
use throng_mechanism::{Neighbours, Sensitive};
use throng_numeric::Rational;

use super::inputs::{INTEGERS, MANY, integers};
use super::{Case, Outcome, Rows, inverse, of_interval, of_number, session};

pub fn cases(epsilon: &Rational) -> Vec<Case> {
    [trees(epsilon), matrices(epsilon), thresholds(epsilon)].into_iter().flatten().collect()
}

/// Values of 0 or 1, of which one unit moves one.
fn stream(under: Neighbours) -> Stream {
    Stream::of_steps(0, 1, under).unwrap()
}

/// The estimates that say the most about the first step.
fn read(estimates: &[Estimate], unit: f64, judged: bool, shown: String) -> Outcome {
    let mut faults = Vec::new();
    for estimate in estimates.iter().take(if judged { 20 } else { 0 }) {
        faults.extend(of_number("an estimate", estimate.value()));
        faults.extend(of_number("a deviation", estimate.standard_deviation()));
        faults.extend(of_interval(estimate.interval(0.9).unwrap(), estimate.value()));
    }
    // The first step is part of these, and of no others that are as small.
    let sum: f64 = [0, 1, 3].iter().filter_map(|at| estimates.get(*at)).map(Estimate::value).sum();
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
    let bin = ((sum / unit).floor() as i64).clamp(-20, 20);
    Outcome { bin, faults, shown }
}

/// Streams of at most so many steps; longer ones must be refused.
fn steps(most: usize) -> Rows<Vec<i64>> {
    let short = |x: &i64| vec![vec![*x], vec![*x; most.min(MANY)]];
    let mut hostile = vec![Vec::new()];
    hostile.extend(INTEGERS.iter().flat_map(short));
    let pair = [vec![0, 0, 0, 0], vec![1, 0, 0, 0]];
    let long = |x: i64| vec![x; most + 1];
    Rows::of(hostile, vec![pair]).with_misfits(vec![[long(0), long(i64::MAX)]])
}

/// Streams without an end.
fn endless() -> Rows<Vec<i64>> {
    Rows { misfits: Vec::new(), ..steps(MANY) }
}

fn trees(epsilon: &Rational) -> Vec<Case> {
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let tree = |counter: TreeCounter, most: usize, unit: f64| {
        let about = (counter.spec().clone(), counter.neighbours());
        let start = move |permit, _: &mut dyn throng_sample::Entropy| counter.start(permit);
        session(
            "TreeCounter",
            about,
            steps(most),
            start,
            move |s: &mut TreeSession, x, judged, entropy| {
                let release = s.steps(&Sensitive::new(x.to_vec()), entropy)?;
                Ok(read(release.value(), unit, judged, format!("{s:?}")))
            },
        )
    };
    let scale = &inverse(epsilon) * &Rational::from(2);
    let window = WindowCounter::laplace(&scale, stream(add), 3).unwrap();
    let about = (window.spec().clone(), window.neighbours());
    let start = move |permit, _: &mut dyn throng_sample::Entropy| window.start(permit);
    let windows = session(
        "WindowCounter",
        about,
        endless(),
        start,
        |s: &mut WindowSession, x, judged, entropy| {
            let release = s.steps(&Sensitive::new(x.to_vec()), entropy)?;
            Ok(read(release.value(), 2.0, judged, format!("{s:?}")))
        },
    );
    let one = inverse(epsilon);
    let user = Stream::of_steps(-3, 3, swap).unwrap().of_events(1).unwrap().per_user(2).unwrap();
    vec![
        tree(TreeCounter::pure(epsilon, stream(add), 4).unwrap(), 4, 3.0),
        tree(TreeCounter::gaussian(&one, stream(Neighbours::ZeroOut), 4).unwrap(), 4, 1.0)
            .called("Gaussian"),
        tree(TreeCounter::laplace(&one, user, MANY as u64).unwrap(), MANY, 4.0).called("per user"),
        windows,
    ]
}

fn matrices(epsilon: &Rational) -> Vec<Case> {
    let matrix = |counter: MatrixCounter, most: usize| {
        let about = (counter.spec().clone(), counter.neighbours());
        let start = move |permit, _: &mut dyn throng_sample::Entropy| counter.start(permit);
        session(
            "MatrixCounter",
            about,
            steps(most),
            start,
            |s: &mut MatrixSession, x, judged, entropy| {
                let release = s.steps(&Sensitive::new(x.to_vec()), entropy)?;
                Ok(read(release.value(), 1.0, judged, format!("{s:?}")))
            },
        )
    };
    let one = inverse(epsilon);
    let add = Neighbours::AddRemove;
    vec![
        matrix(MatrixCounter::new(&one, stream(add), 4, 4).unwrap(), 4),
        matrix(MatrixCounter::new(&one, stream(add), MANY as u64, 16).unwrap(), MANY)
            .called("banded"),
    ]
}

/// Asks until the session is over: how many answers there were, and what the last was.
fn ask(
    session: &mut Session,
    values: &[i64],
    _: bool,
    entropy: &mut dyn throng_sample::Entropy,
) -> Result<Outcome, throng_mechanism::MechanismError> {
    let mut bin = 0_i64;
    for value in values {
        if session.is_over() {
            break;
        }
        let reply = *session.ask(&Sensitive::new(*value), entropy)?.value();
        bin = 2 * (bin % (1 << 40)) + 1 + i64::from(reply.side == Side::Above);
        if let Some(value) = reply.value {
            bin = 32 * (bin % (1 << 40)) + value.clamp(-8, 8) + 8;
        }
    }
    Ok(Outcome { bin, faults: Vec::new(), shown: format!("{session:?}") })
}

fn thresholds(epsilon: &Rational) -> Vec<Case> {
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let counts = Queries::moving(1, add).unwrap().monotone().unwrap();
    let either = Queries::moving(1, swap).unwrap();
    let about = |mechanism: AboveThreshold, pair: [Vec<i64>; 2]| {
        let about = (mechanism.spec().clone(), mechanism.neighbours());
        let rows = Rows::of(integers(), vec![pair]);
        let start = move |permit, entropy: &mut dyn throng_sample::Entropy| {
            mechanism.start(permit, entropy)
        };
        session("AboveThreshold", about, rows, start, ask)
    };
    let half = epsilon * &"1/2".parse().unwrap();
    let monotone = AboveThreshold::new(epsilon, counts, 0, 1).unwrap();
    let swing = AboveThreshold::new(&half, either, 0, 1).unwrap().with_values(&half).unwrap();
    let sigma = &inverse(epsilon) * &Rational::from(2);
    let normal = GaussianThreshold::new(&sigma, &sigma, counts, 0, 3, Claim::Profile).unwrap();
    let normal_about = (normal.spec().clone(), normal.neighbours());
    let zcdp = GaussianThreshold::new(&sigma, &sigma, either, 0, 2, Claim::Zcdp).unwrap();
    let zcdp_about = (zcdp.spec().clone(), zcdp.neighbours());
    let rows = || Rows::of(integers(), vec![[vec![0, 0, 0], vec![1, 1, 1]]]);
    vec![
        about(monotone, [vec![0; 8], vec![1; 8]]),
        about(swing, [vec![0, 0, 0, 0, 1], vec![1, 1, 1, 1, 0]]).called("with values, replace"),
        session("GaussianThreshold", normal_about, rows(), move |p, e| normal.start(p, e), ask),
        session("GaussianThreshold", zcdp_about, rows(), move |p, e| zcdp.start(p, e), ask)
            .called("zCDP, replace"),
    ]
}
