use super::super::RatePair;
use super::*;

fn pair(mu1: &str, mu2: &str) -> RatePair {
    RatePair::new(mu1.parse().unwrap(), mu2.parse().unwrap()).unwrap()
}

/// Everything that can be drawn, with its chance if the count is `n`.
fn law(map: &RateMap, n: u64, last: u64) -> Vec<(PoissonRelease, f64)> {
    let rate = Enclosure::of_rational(&map.rate(n));
    let mut mass = (-rate).exp();
    let mut law = Vec::new();
    for y in 0..=last {
        law.push((PoissonRelease::new(vec![y], map.clone()), mass.lower()));
        mass = mass * rate / Enclosure::of_rational(&Rational::from(y + 1));
    }
    law
}

fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} instead of {expected}");
}

/// E ĝ = g, Var ĝ = w²μ1/Δ² + wg/Δ, and the plug-in variance has that mean.
#[test]
fn the_linear_estimate_is_unbiased() {
    let map = RateMap::linear(pair("4", "9"), 2).unwrap();
    for g in [0_u32, 1, 7, 20] {
        let x = f64::from(g);
        let law = law(&map, g.into(), 260);
        let sum = |f: &dyn Fn(&PoissonRelease) -> f64| {
            law.iter().fold(0.0, |sum, (release, mass)| sum + mass * f(release))
        };
        let estimate = |r: &PoissonRelease| r.estimate(0).unwrap();
        let variance = 4.0 * 4.0 / 25.0 + 2.0 * x / 5.0;
        near(sum(&estimate), x, 1e-9);
        near(sum(&|r| (estimate(r) - x) * (estimate(r) - x)), variance, 1e-8);
        let plug_in = |r: &PoissonRelease| r.standard_deviation(0).unwrap();
        near(sum(&|r| plug_in(r) * plug_in(r)), variance, 1e-8);
    }
}

/// The exact coverage of every map at every count.
#[test]
fn intervals_cover_at_every_count() {
    let target = pair("4", "9");
    let maps = [
        RateMap::linear(target.clone(), 2).unwrap(),
        RateMap::slide(target.clone(), 2, 20).unwrap(),
        RateMap::decreasing(target.clone(), 2, 20).unwrap(),
        RateMap::hybrid(target, 2, 10).unwrap(),
    ];
    for map in maps {
        let intervals: Vec<_> = (0..=160)
            .map(|y| PoissonRelease::new(vec![y], map.clone()).interval(0, 0.9).unwrap())
            .collect();
        for n in 0..=20_u32 {
            let x = f64::from(n);
            let chances = law(&map, n.into(), 160).into_iter().map(|(_, mass)| mass);
            let covered = intervals.iter().zip(chances);
            let covered = covered.filter(|(i, _)| i.lower <= x && x <= i.upper);
            let chance = covered.fold(0.0, |sum, (_, mass)| sum + mass);
            assert!(chance >= 0.9 - 1e-9, "{n}: {chance}");
        }
    }
}

/// Root mean square errors, as simulated elsewhere: n = 0, 10, 18, 20.
#[test]
fn errors_are_as_known() {
    let linear = RateMap::linear(pair("4", "9"), 2).unwrap();
    let slide = RateMap::slide(pair("4", "9"), 2, 20).unwrap();
    let rmse = |map: &RateMap, n: u32| {
        let error = |r: &PoissonRelease| r.estimate(0).unwrap() - f64::from(n);
        let law = law(map, n.into(), 260);
        law.iter().fold(0.0, |sum, (r, mass)| sum + mass * error(r) * error(r)).sqrt()
    };
    for (n, of_linear, of_slide) in
        [(0, 0.80, 12.9), (10, 2.16, 3.4), (18, 2.80, 1.3), (20, 2.94, 0.65)]
    {
        near(rmse(&linear, n), of_linear, 0.01);
        near(rmse(&slide, n), of_slide, 0.05 * of_slide);
    }
    let near_guess = RateMap::hybrid(pair("4", "9"), 2, 10).unwrap();
    assert!(rmse(&near_guess, 10) < rmse(&linear, 10));
    assert!(rmse(&near_guess, 10) < rmse(&slide, 10));
}

#[test]
fn rates_turn_back_into_counts() {
    for map in [
        RateMap::slide(pair("400", "900"), 2, 20).unwrap(),
        RateMap::decreasing(pair("400", "900"), 2, 20).unwrap(),
        RateMap::hybrid(pair("400", "900"), 2, 12).unwrap(),
    ] {
        for n in 12..=20_u32 {
            let n = if map.rises() { n } else { 20 - n };
            let drawn = u64::try_from(map.rate(n.into()).floor()).unwrap();
            let release = PoissonRelease::new(vec![drawn], map.clone());
            near(release.estimate(0).unwrap(), f64::from(n), 0.1);
        }
    }
}

#[test]
fn extreme_draws_have_intervals() {
    let map = RateMap::linear(pair("1", "2"), 1).unwrap();
    for drawn in [0, 1, 1 << 20, 1_000_000_000_000] {
        let release = PoissonRelease::new(vec![drawn], map.clone());
        for confidence in [1e-9, 0.5, 1.0 - 1e-12] {
            let rates = release.rate_interval(0, confidence).unwrap();
            let middle = Rational::from(drawn).to_f64_nearest();
            assert!(rates.lower <= middle && middle <= rates.upper, "{rates}");
        }
    }
}
