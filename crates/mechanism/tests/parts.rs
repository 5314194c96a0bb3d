//! Records in several slices give what they give in one.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "tests may fail, and numbers are small"
)]

use throng_mechanism::bounds::Bounds;
use throng_mechanism::mean::Mean;
use throng_mechanism::noise::Protection;
use throng_mechanism::parts::{InParts, Scattered};
use throng_mechanism::quantile::{Quantile, Quantiles};
use throng_mechanism::sum::Sum;
use throng_mechanism::variance::Variance;
use throng_mechanism::{Budget, Clamp, Grid, Mechanism, Neighbours, Sensitive};
use throng_sample::SeededEntropy;

/// The same noise, the same release, however the records are cut up.
fn same<M>(mechanism: &M, records: &[M::Record])
where
    M: InParts + Clone,
    M::Record: Clone,
    M::Output: PartialEq + std::fmt::Debug,
{
    let permit = || Budget::of_one(mechanism).unwrap().permit(mechanism).unwrap();
    let whole = Sensitive::new(records.to_vec());
    let one = mechanism.run_on(&whole, permit(), &mut SeededEntropy::new(5)).unwrap();
    for cut in [0, 1, records.len() / 3, records.len()] {
        let (first, second) = records.split_at(cut);
        let parts = Sensitive::new([&[], first, &[], second]);
        let scattered = Scattered::new(mechanism.clone());
        assert_eq!(scattered.spec(), mechanism.spec());
        let many = scattered.run(parts.as_slice(), permit(), &mut SeededEntropy::new(5)).unwrap();
        assert_eq!(many.value(), one.value(), "cut at {cut}");
    }
}

#[test]
fn parts_are_joined_in_effect() {
    let clamp = Clamp::between(&0.into(), &100.into()).unwrap();
    let pure = Protection::Pure { epsilon: 1.into() };
    let under = Neighbours::AddRemove;
    let whole: Vec<i64> = (0..6000).map(|i| (i * 7919) % 131 - 10).collect();
    let mut reals: Vec<f64> = whole.iter().map(|x| *x as f64 / 3.0).collect();
    reals.extend([f64::NAN, f64::INFINITY, -0.0]);
    same(&Sum::<f64>::new(clamp, &pure, under).unwrap(), &reals);
    same(&Sum::<i64>::new(clamp, &pure, under).unwrap(), &whole);
    same(&Mean::<f64>::new(clamp, &pure).unwrap(), &reals);
    same(&Mean::<i64>::new(clamp, &pure).unwrap(), &whole);
    same(&Variance::<f64>::new(clamp, &pure).unwrap(), &reals);
    same(&Bounds::<i64>::new(Grid::WHOLE, &pure, 1e-6, under).unwrap(), &whole);
    let coarse = Clamp::new(&0.into(), &100.into(), Grid::new(-3).unwrap()).unwrap();
    let epsilon = "1/100".parse().unwrap();
    same(&Quantile::median(coarse, &epsilon, under).unwrap(), &reals);
    let low = Quantile::below(&"1/4".parse().unwrap(), coarse, &epsilon, under, 0.9).unwrap();
    same(&low, &reals);
    let quarters = ["1/4", "3/4"].map(|q| q.parse().unwrap()).to_vec();
    same(&Quantiles::new(quarters, coarse, &epsilon, under).unwrap(), &reals);
}
