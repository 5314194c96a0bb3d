//! Every mechanism with an exact law, on all small pairs of neighbours.

use throng_account::PrivacyLoss;
use throng_audit::exact::{ExactLaw, Pair, check, neighbouring, sequences};
use throng_mechanism::contribution::Rows;
use throng_mechanism::count::{Count, Matches, Records};
use throng_mechanism::histogram::{Histogram, KeySelection, ThresholdHistogram};
use throng_mechanism::noise::Protection;
use throng_mechanism::poisson::{Effect, PoissonCounts, RateMap, RatePair};
use throng_mechanism::quantile::Quantile;
use throng_mechanism::response::{KaryResponse, RandomisedResponse};
use throng_mechanism::selection::{Exponential, NoisyMax, PermuteAndFlip, ScoreChange};
use throng_mechanism::sparse_vector::{AboveThreshold, Queries};
use throng_mechanism::sum::Sum;
use throng_mechanism::{
    AddNoise, Clamp, Grid, L1, Mechanism, Neighbours, Noise, PerCell, Sensitivity,
};

use Neighbours::{AddRemove, Replace, ZeroOut};

use super::{claimed, loss_of, rational};

/// Whether no pair breaks a claim.
fn holds<M, D>(mechanism: &M, claim: &PrivacyLoss, pairs: &[Pair<D>]) -> bool
where
    M: ExactLaw,
    D: std::borrow::Borrow<M::Input> + Clone,
{
    assert!(!pairs.is_empty());
    check(mechanism, claim, pairs).unwrap().is_none()
}

/// Whether a mechanism keeps its own claim and breaks one that is a little smaller.
fn sharp<M, D>(mechanism: &M, less: &str, pairs: &[Pair<D>])
where
    M: ExactLaw + Mechanism,
    D: std::borrow::Borrow<<M as ExactLaw>::Input> + Clone,
{
    let under = mechanism.neighbours();
    let own = loss_of(&mechanism.spec(), under);
    assert!(holds(mechanism, &own, pairs), "{}", mechanism.spec());
    let broken = !holds(mechanism, &claimed(less, under), pairs);
    assert!(broken, "{} under {under} is not told from {less}", mechanism.spec());
}

/// Score vectors whose entries differ by at most 1; all in one direction if monotone.
fn scores(length: usize, monotone: bool) -> Vec<Pair<Vec<i64>>> {
    let moves: &[i64] = if monotone { &[0, 1] } else { &[-1, 0, 1] };
    let mut pairs = Vec::new();
    for base in sequences(&[0, 1, 2], length) {
        for change in sequences(moves, length) {
            let other: Vec<i64> = base.iter().zip(&change).map(|(a, b)| a + b).collect();
            if other != base {
                pairs.push(Pair::of(base.clone(), other));
            }
        }
    }
    pairs
}

#[test]
fn noise_of_a_millionth_less_is_told() {
    let one = |under| Sensitivity::<L1>::of(1.into(), under).unwrap();
    let step = [Pair::of(vec![0], vec![1])];
    for under in [AddRemove, Replace, ZeroOut] {
        let laplace = AddNoise::new(Noise::pure(&1.into(), &one(under), Grid::WHOLE).unwrap());
        sharp(&laplace, "pure(eps=0.999999)", &step);
    }
    let lap = AddNoise::new(Noise::pure(&1.into(), &one(AddRemove), Grid::WHOLE).unwrap());
    sharp(&lap, "discrete_laplace(scale=1000001/1000000)", &step);
    // Two cells, and a distance of 3 split among them.
    let three = Sensitivity::<L1>::of(3.into(), AddRemove).unwrap();
    let wide = AddNoise::new(Noise::pure(&3.into(), &three, Grid::WHOLE).unwrap());
    let split: Vec<_> =
        [(3, 0), (2, 1), (1, -2)].map(|(a, b)| Pair::of(vec![0, 0], vec![a, b])).into();
    sharp(&wide, "pure(eps=2.999999)", &split);
    let four = PerCell::of(1, 4.into(), ZeroOut).unwrap();
    let stairs = AddNoise::new(Noise::staircase(&2.into(), &four, Grid::WHOLE).unwrap());
    sharp(&stairs, "pure(eps=1.999999)", &[Pair::of(vec![0], vec![4]), Pair::of(vec![0], vec![3])]);
}

#[test]
fn a_gaussian_curve_of_a_millionth_less_is_told() {
    let cell = PerCell::of(1, 1.into(), AddRemove).unwrap();
    for (sigma, more) in [("1", "1.000001"), ("2", "2.000002"), ("5", "5.000005")] {
        let noise = Noise::gaussian_per_cell(&rational(sigma), &cell, Grid::WHOLE).unwrap();
        let less = format!("discrete_gaussian(sigma={more})");
        sharp(&AddNoise::new(noise), &less, &[Pair::of(vec![0], vec![1])]);
    }
}

#[test]
fn counts_and_sums() {
    let count = Count::pure(Records::<u8>::default(), &rational("1/2"), AddRemove).unwrap();
    sharp(&count, "pure(eps=0.499999)", &neighbouring(AddRemove, &[0, 1], 2));
    let matches = Count::pure(Matches, &1.into(), ZeroOut).unwrap();
    sharp(&matches, "pure(eps=0.999999)", &neighbouring(ZeroOut, &[false, true], 2));
    let clamp = Clamp::new(&(-2).into(), &3.into(), Grid::WHOLE).unwrap();
    let pure = Protection::Pure { epsilon: 1.into() };
    let hostile = [f64::NAN, f64::NEG_INFINITY, -2.5, -0.0, 1.4, 3.0, f64::MAX];
    for under in [AddRemove, Replace, ZeroOut] {
        let sum = Sum::<f64>::new(clamp, &pure, under).unwrap();
        sharp(&sum, "pure(eps=0.999999)", &neighbouring(under, &hostile, 2));
    }
}

#[test]
fn responses() {
    for width in [1, 2] {
        let bits: Vec<Pair<Vec<bool>>> = sequences(&[false, true], width)
            .into_iter()
            .flat_map(|a| {
                sequences(&[false, true], width).into_iter().map(move |b| Pair::of(a.clone(), b))
            })
            .collect();
        let symmetric = RandomisedResponse::symmetric(&1.into(), width, Replace).unwrap();
        let most = format!("pure(eps={})", ["0.999999", "1.999999"][width - 1]);
        sharp(&symmetric, &most, &bits);
        let skewed = RandomisedResponse::new(&rational("1/10"), &rational("1/5"), width, Replace);
        let less = format!("{width} * pure(eps=2.079)");
        sharp(&skewed.unwrap(), &less, &bits);
    }
    let answers: Vec<_> =
        [(0, 1), (1, 2), (0, 3), (2, 9)].map(|(a, b)| Pair::of(vec![a], vec![b])).into();
    for k in [2, 3, 4] {
        let kary = KaryResponse::new(k, &1.into(), 1, Replace).unwrap();
        sharp(&kary, "pure(eps=0.999999)", &answers);
        sharp(&kary, &format!("kary_response(k={k}, eps=0.999999)"), &answers);
    }
}

#[test]
fn choices() {
    let within = ScoreChange::within(&1.into(), AddRemove).unwrap();
    let monotone = ScoreChange::monotone(&1.into(), AddRemove).unwrap();
    for (change, one_way) in [(&within, false), (&monotone, true)] {
        let pairs = scores(3, one_way);
        let m = Exponential::new(3, &1.into(), change).unwrap();
        let own = loss_of(&m.spec(), AddRemove);
        assert!(holds(&m, &own, &pairs));
        let less = claimed("exponential(eps=0.999999)", AddRemove);
        // The range is used up by two candidates of nearly even chances.
        assert!(!holds(&m, &less, &pairs));
        let m = PermuteAndFlip::new(3, &1.into(), change).unwrap();
        sharp(&m, "pure(eps=0.999999)", &{
            // The far candidate is chosen by its own coin alone.
            let mut all = pairs.clone();
            all.push(Pair::of(
                vec![40, 0, 0],
                if one_way { vec![40, 1, 0] } else { vec![39, 1, 0] },
            ));
            all
        });
        let m = NoisyMax::new(3, &1.into(), change).unwrap();
        assert!(holds(&m, &loss_of(&m.spec(), AddRemove), &pairs));
    }
}

#[test]
fn keys() {
    for under in [AddRemove, Replace] {
        let pairs = neighbouring(under, &[0_u8, 1], 3);
        let shown =
            ThresholdHistogram::<u8, _>::laplace_at(Rows, &rational("1/2"), 3, under).unwrap();
        assert!(holds(&shown, &loss_of(&shown.spec(), under), &pairs));
        let selected =
            KeySelection::<u8, _>::each(Rows, &rational("0.7"), &rational("0.05"), under).unwrap();
        assert!(holds(&selected, &loss_of(&selected.spec(), under), &pairs));
        let public = Histogram::pure([0_u8, 1], Rows, &2.into(), under).unwrap();
        sharp(&public, "pure(eps=1.999999)", &pairs);
    }
    let selected =
        KeySelection::<u8, _>::each(Rows, &rational("0.7"), &rational("0.05"), AddRemove).unwrap();
    sharp(&selected, "approx_dp(eps=0.699999, delta=0.05)", &neighbouring(AddRemove, &[0_u8], 9));
    sharp(&selected, "approx_dp(eps=0.7, delta=0.049999)", &neighbouring(AddRemove, &[0_u8], 3));
}

#[test]
fn poisson_counts() {
    let map = RateMap::linear(RatePair::new(10.into(), 11.into()).unwrap(), 1).unwrap();
    let counts = PoissonCounts::new(map, Effect::Rises { cells: 1 }, AddRemove).unwrap();
    let pairs: Vec<_> = (0..3).map(|n| Pair::with_unit_in_second(vec![n], vec![n + 1])).collect();
    sharp(&counts, "poisson(mu1=10.99999, mu2=10)", &pairs);
}

#[test]
fn sessions() {
    let queries = Queries::moving(1, AddRemove).unwrap();
    for (monotone, above) in [(false, 1), (true, 2)] {
        let queries = if monotone { queries.monotone().unwrap() } else { queries };
        let session = AboveThreshold::new(&1.into(), queries, 0, above).unwrap();
        let own = loss_of(session.spec(), AddRemove);
        let pairs: Vec<_> = scores(2, monotone)
            .into_iter()
            .map(|p| p.map(|v| v.iter().map(|x| x - 1).collect()))
            .collect::<Vec<Pair<Vec<i64>>>>();
        assert!(holds(&session, &own, &pairs));
        // Far less is refuted: two queries do not show all of it.
        assert!(!holds(&session, &claimed("pure(eps=0.3)", AddRemove), &pairs));
    }
}

#[test]
fn quantiles() {
    let clamp = Clamp::new(&0.into(), &3.into(), Grid::WHOLE).unwrap();
    for under in [AddRemove, Replace] {
        let median = Quantile::median(clamp, &1.into(), under).unwrap();
        let pairs = neighbouring(under, &[f64::NAN, 0.0, 1.0, 2.5, 9.0], 3);
        assert!(holds(&median, &loss_of(&median.spec(), under), &pairs));
        assert!(!holds(&median, &claimed("exponential(eps=0.6)", under), &pairs));
    }
}
