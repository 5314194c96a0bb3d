//! Posteriors from noisy sums.

use throng_mechanism::bayes::{Bernoulli, Categories, NormalMean, PoissonRate, Posterior};
use throng_mechanism::noise::Protection;
use throng_mechanism::{Clamp, Grid, Neighbours};
use throng_numeric::Rational;

use super::inputs::{integers, lists, reals};
use super::{Case, Rows, case, clipped, inverse, of_noisy, of_number};

/// What is wrong with a posterior of a parameter in [low, high].
fn of_posterior(posterior: &Posterior, (low, high): (f64, f64)) -> Vec<String> {
    let mut faults = of_number("the mean", posterior.mean());
    faults.extend(of_number("the deviation", posterior.standard_deviation()));
    let credible = posterior.credible(0.9).unwrap();
    if !(low <= credible.lower && credible.lower <= credible.upper && credible.upper <= high) {
        faults.push(format!("{credible:?}"));
    }
    if !(low..=high).contains(&posterior.mean()) {
        faults.push(format!("a mean of {}", posterior.mean()));
    }
    faults
}

pub fn cases(epsilon: &Rational) -> Vec<Case> {
    let pure = Protection::Pure { epsilon: epsilon.clone() };
    let normal = Protection::Gaussian { multiplier: inverse(epsilon) };
    let (own, under) = (Neighbours::AddRemove, Neighbours::Replace);
    let bits = || lists(&[true, false]);
    let private = Bernoulli::new((1.0, 1.0), &pure).unwrap();
    debug_assert_eq!(throng_mechanism::Mechanism::neighbours(&private), own);
    let public = Bernoulli::of_public_count((0.5, 2.0), &pure, 3, under).unwrap();
    let kinds = Categories::new(&[1.0, 0.5, 3.0], &pure, 4, under).unwrap();
    let rate = PoissonRate::new((1.0, 0.1), 5, &pure, 2, under).unwrap();
    let clamp = Clamp::new(&0.into(), &8.into(), Grid::new(-4).unwrap()).unwrap();
    let mean = NormalMean::new((4.0, 4.0), 1.0, clamp, &normal, 2, under).unwrap();
    let bit = vec![[vec![true, false], vec![true, false, true]]];
    let swap = vec![[vec![true, false, false], vec![true, false, true]]];
    let kind = vec![[vec![0_usize, 1, 2, 0], vec![0, 1, 2, 1]]];
    let count = vec![[vec![3, 0], vec![3, 5]], [vec![0, i64::MIN], vec![0, i64::MAX]]];
    let real = vec![[vec![4.0, 0.0], vec![4.0, 8.0]], [vec![4.0, f64::NAN], vec![4.0, 1e300]]];
    let everything = (f64::MIN, f64::MAX);
    vec![
        case(
            "Bernoulli",
            private,
            Rows::of(bits(), bit),
            |x| clipped(x.counts(), 0, 1, 10),
            |x| [of_noisy(x.counts()), of_posterior(&x.posterior(), (0.0, 1.0))].concat(),
        ),
        case(
            "Bernoulli",
            public,
            Rows::of(bits(), swap),
            |x| clipped(x.counts(), 0, 1, 10),
            |x| [of_noisy(x.counts()), of_posterior(&x.posterior(), (0.0, 1.0))].concat(),
        )
        .called("public count"),
        case(
            "Categories",
            kinds,
            Rows::of(lists(&[0_usize, 2, 3, usize::MAX]), kind),
            |x| 100 * clipped(x.counts(), 0, 1, 6) + clipped(x.counts(), 1, 1, 6),
            |x| [of_noisy(x.counts()), of_posterior(&x.posterior(1).unwrap(), (0.0, 1.0))].concat(),
        ),
        case(
            "PoissonRate",
            rate,
            Rows::of(integers(), count),
            |x| clipped(x.sum(), 0, 1, 30),
            |x| [of_noisy(x.sum()), of_posterior(&x.posterior(), (0.0, f64::MAX))].concat(),
        ),
        case(
            "NormalMean",
            mean,
            Rows::of(reals(), real),
            |x| clipped(x.sum(), 0, 32, 20),
            move |x| [of_noisy(x.sum()), of_posterior(&x.posterior(), everything)].concat(),
        ),
    ]
}
