//! Sparse vector: exact laws of transcripts against the claims, and the published wrong variants.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use std::collections::BTreeMap;

use crate::support::exact::{EPSILONS, Law, assert_within, hockey_stick, violates};
use crate::support::{audit, loss, rational};
use throng_account::{Leaf, MechanismSpec};
use throng_mechanism::sparse_vector::{AboveThreshold, Claim, GaussianThreshold, Queries, Side};
use throng_mechanism::{Budget, MechanismError, Neighbours, Permit, Sensitive};
use throng_numeric::{Enclosure, Rational};
use throng_sample::SeededEntropy;

use Neighbours::{AddRemove, Replace};

fn point(x: f64) -> Enclosure {
    Enclosure::point(x).unwrap()
}

/// A law on the integers -reach..=reach, with the chance of what is outside.
struct Noise {
    reach: i64,
    chance: Vec<Enclosure>,
    /// P(N < t) and P(N >= t) for t = -reach, ..., reach + 1.
    below: Vec<Enclosure>,
    at_least: Vec<Enclosure>,
    outside: f64,
}

impl Noise {
    fn of(reach: i64, weight: impl Fn(i64) -> Enclosure) -> Self {
        let weights: Vec<_> = (-reach..=reach).map(weight).collect();
        let total = weights.iter().fold(Enclosure::ZERO, |sum, w| sum + *w);
        // Beyond the reach weights fall at least as fast as at it, by a factor of at least 4/5.
        let outside = 10.0 * weights[0].upper() / total.lower();
        let spread = Enclosure::new(1.0, 1.0 + outside).unwrap();
        let chance = weights.into_iter().map(|w| w / (total * spread)).collect();
        Self::with(reach, chance, outside)
    }

    fn with(reach: i64, chance: Vec<Enclosure>, outside: f64) -> Self {
        let sums = |terms: &mut dyn Iterator<Item = &Enclosure>| -> Vec<Enclosure> {
            let mut sums = vec![Enclosure::ZERO];
            for term in terms {
                sums.push(sums[sums.len() - 1] + *term);
            }
            sums
        };
        let below = sums(&mut chance.iter());
        let mut at_least = sums(&mut chance.iter().rev());
        at_least.reverse();
        Self { reach, chance, below, at_least, outside }
    }

    fn laplace(scale: f64) -> Self {
        Self::of(150, |k| (-(point(k.abs() as f64) / point(scale))).exp())
    }

    fn gaussian(sigma: f64) -> Self {
        let twice = point(2.0) * point(sigma).square();
        Self::of(60, |k| (-(point((k * k) as f64) / twice)).exp())
    }

    /// No noise.
    fn none() -> Self {
        Self::with(0, vec![Enclosure::ONE], 0.0)
    }

    fn at(&self, k: i64) -> Enclosure {
        let index = usize::try_from(k + self.reach).ok();
        index.and_then(|i| self.chance.get(i).copied()).unwrap_or(Enclosure::ZERO)
    }

    fn place(&self, t: i64) -> usize {
        usize::try_from(t.clamp(-self.reach, self.reach + 1) + self.reach).unwrap()
    }

    /// P(N >= t), up to what is outside.
    fn at_least(&self, t: i64) -> Enclosure {
        self.at_least[self.place(t)]
    }

    fn below(&self, t: i64) -> Enclosure {
        self.below[self.place(t)]
    }
}

/// The law of all answers until `above` of them were Above; true is Above.
fn transcripts(queries: &[i64], above: usize, threshold: &Noise, query: &Noise) -> Law<Vec<bool>> {
    let mut law: Law<Vec<bool>> = BTreeMap::new();
    for z in -threshold.reach..=threshold.reach {
        let mut open = vec![(Vec::new(), threshold.at(z))];
        for q in queries {
            let (up, down) = (query.at_least(z - q), query.below(z - q));
            let mut next = Vec::new();
            for (answers, chance) in open {
                if answers.iter().filter(|a| **a).count() == above {
                    next.push((answers, chance));
                    continue;
                }
                for (side, factor) in [(true, up), (false, down)] {
                    let mut longer = answers.clone();
                    longer.push(side);
                    next.push((longer, chance * factor));
                }
            }
            open = next;
        }
        for (answers, chance) in open {
            let entry = law.entry(answers).or_insert(Enclosure::ZERO);
            *entry = *entry + chance;
        }
    }
    law
}

/// All vectors with entries from a range.
fn vectors(length: usize, from: i64, to: i64) -> Vec<Vec<i64>> {
    (0..length).fold(vec![vec![]], |all, _| {
        let longer = |v: &Vec<i64>| {
            let v = v.clone();
            (from..=to).map(move |x| v.iter().copied().chain([x]).collect())
        };
        all.iter().flat_map(longer).collect()
    })
}

fn pure(epsilon: &str) -> MechanismSpec {
    MechanismSpec::leaf(Leaf::Pure { epsilon: rational(epsilon) }).unwrap()
}

fn queries(monotone: bool) -> Queries {
    let queries = Queries::moving(1, AddRemove).unwrap();
    if monotone { queries.monotone().unwrap() } else { queries }
}

fn free(spec: &MechanismSpec, under: Neighbours) -> Permit {
    let nothing = throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
    Permit::issue(spec.clone(), under, nothing)
}

#[test]
fn all_transcripts_of_all_neighbours_are_within_the_claim() {
    for (monotone, above, epsilon) in
        [(false, 1, "1"), (false, 2, "1"), (true, 1, "1"), (true, 2, "3/2"), (false, 3, "2")]
    {
        let mechanism =
            AboveThreshold::new(&rational(epsilon), queries(monotone), 0, above as u64).unwrap();
        assert_eq!(*mechanism.spec(), pure(epsilon));
        let threshold = Noise::laplace(mechanism.threshold_scale().to_f64_nearest());
        let query = Noise::laplace(mechanism.query_scale().to_f64_nearest());
        let claim = loss(mechanism.spec(), AddRemove);
        let slack = 10.0 * (threshold.outside + query.outside) + 1e-12;
        for base in [[0, 0, 0], [1, 0, -1], [-1, 2, 0]] {
            let law = transcripts(&base, above, &threshold, &query);
            let lowest = if monotone { 0 } else { -1 };
            for moved in vectors(3, lowest, 1) {
                let other: Vec<_> = base.iter().zip(&moved).map(|(q, d)| q + d).collect();
                let other = transcripts(&other, above, &threshold, &query);
                assert_within(&law, &other, &claim, slack);
            }
        }
    }
}

#[test]
fn the_monotone_scale_is_refuted_by_queries_that_are_not() {
    let monotone = AboveThreshold::split(&rational("1/4"), &rational("4"), queries(true), 0, 1);
    let monotone = monotone.unwrap();
    let threshold = Noise::laplace(monotone.threshold_scale().to_f64_nearest());
    let query = Noise::laplace(monotone.query_scale().to_f64_nearest());
    // Many falls and then one rise: the threshold must move one way, the query the other.
    let mut worst = 0.0_f64;
    for (p, q) in [(vec![1, 1, 1, -6], vec![0, 0, 0, -5]), (vec![2, 2, 2, -8], vec![1, 1, 1, -7])] {
        let (p, q) =
            (transcripts(&p, 1, &threshold, &query), transcripts(&q, 1, &threshold, &query));
        for (outcome, p) in &p {
            let ratio = p.lower() / q[outcome].upper();
            worst = worst.max(ratio.ln()).max((q[outcome].lower() / p.upper()).ln());
        }
    }
    assert!(worst > 4.3, "{worst}");
}

#[test]
fn variants_without_query_noise_or_without_scaling_are_refuted() {
    let claim = loss(&pure("1"), AddRemove);
    let threshold = Noise::laplace(2.0);
    // No noise on the queries (algorithm 5 of Lyu et al.): Below then Above cannot happen twice.
    let bare = Noise::none();
    let (p, q) = ([0, 1], [1, 0]);
    let laws = [p, q].map(|queries| transcripts(&queries, 2, &threshold, &bare));
    assert!(violates(&laws[0], &laws[1], &claim));
    assert!(hockey_stick(&laws[0], &laws[1], 50.0).lower() > 0.1);
    // Noise not scaled with the number of Above (algorithms 4 and 6): as many as are asked.
    let unscaled = Noise::laplace(4.0);
    let right = Noise::laplace(4.0 * 6.0);
    let (p, q) = ([4; 6], [3; 6].map(|x: i64| x + 2));
    let scaled = [p, q].map(|queries| transcripts(&queries, 6, &threshold, &right));
    let ratio = |laws: &[Law<Vec<bool>>; 2]| {
        let both = laws[0].iter().map(|(t, p)| (p, &laws[1][t]));
        both.map(|(p, q)| (p.lower() / q.upper()).ln().max((q.lower() / p.upper()).ln()))
            .fold(0.0, f64::max)
    };
    assert!(ratio(&scaled) < 1.0, "{}", ratio(&scaled));
    let split = |half: i64| -> [Law<Vec<bool>>; 2] {
        let low: Vec<_> = (0..8).map(|i| if i < 4 { 0 } else { half }).collect();
        let high: Vec<_> = (0..8).map(|i| if i < 4 { 1 } else { half - 1 }).collect();
        [low, high].map(|queries| transcripts(&queries, 8, &threshold, &unscaled))
    };
    assert!(ratio(&split(1)) > 1.0, "{}", ratio(&split(1)));
}

#[test]
fn a_threshold_drawn_anew_after_each_above_costs_anew() {
    // Scales for ε1 = ε2 = 1/2 and c = 4, but the threshold's noise is drawn again each time: then
    // the answers up to each Above are independent, and their losses add up.
    let (threshold, query) = (Noise::laplace(2.0), Noise::laplace(16.0));
    // Sixty Below and then an Above.
    let segment = |low: i64, high: i64| {
        (-threshold.reach..=threshold.reach).fold(Enclosure::ZERO, |sum, z| {
            let below = query.below(z - low).powi(60);
            sum + threshold.at(z) * below * query.at_least(z - high)
        })
    };
    let (p, q) = (segment(1, -20), segment(0, -19));
    let loss = (q.lower() / p.upper()).ln();
    assert!(4.0 * loss > 1.0, "{loss}");
}

#[test]
fn handing_out_the_noise_that_decided_is_refuted() {
    // Algorithm 3 of Lyu et al.: q + N is released where it is above the noisy threshold, so a
    // low value says that the threshold is low, and Below of high values beside it is impossible.
    let (threshold, query) = (Noise::laplace(2.0), Noise::laplace(4.0));
    let law = |queries: [i64; 5]| -> Law<Option<i64>> {
        let mut law = BTreeMap::new();
        for z in -40..=40 {
            let below = queries[..4].iter().fold(threshold.at(z), |p, q| p * query.below(z - q));
            for value in z..=60 {
                let entry = law.entry(Some(value)).or_insert(Enclosure::ZERO);
                *entry = *entry + below * query.at(value - queries[4]);
            }
        }
        law
    };
    let (p, q) = (law([1, 1, 1, 1, 0]), law([0, 0, 0, 0, 1]));
    let worst = p.iter().filter(|(_, p)| p.lower() > 1e-9);
    let worst = worst.map(|(v, p)| (q[v].lower() / p.upper()).ln()).fold(0.0, f64::max);
    assert!(worst > 1.05, "{worst}");
}

#[test]
fn a_session_has_the_law_that_was_enumerated() {
    let mechanism = AboveThreshold::new(&rational("2"), queries(false), 0, 2).unwrap();
    let threshold = Noise::laplace(mechanism.threshold_scale().to_f64_nearest());
    let query = Noise::laplace(mechanism.query_scale().to_f64_nearest());
    let values = [1, -2, 3, 0];
    let law = transcripts(&values, 2, &threshold, &query);
    let runs = 40_000_u32;
    let mut entropy = SeededEntropy::new(7);
    let mut counts: BTreeMap<Vec<bool>, u64> = BTreeMap::new();
    for _ in 0..runs {
        let mut session = mechanism.start(free(mechanism.spec(), AddRemove), &mut entropy).unwrap();
        let mut answers = Vec::new();
        for value in values {
            if session.is_over() {
                break;
            }
            let reply = session.ask(&Sensitive::new(value), &mut entropy).unwrap();
            answers.push(reply.value().side == Side::Above);
        }
        *counts.entry(answers).or_default() += 1;
    }
    let level = 1e-9 / (2.0 * law.len() as f64);
    for (answers, chance) in &law {
        let seen = counts.get(answers).copied().unwrap_or(0);
        let runs = u64::from(runs);
        assert!(audit::lower_bound(seen, runs, level) <= chance.upper() + 1e-9, "{answers:?}");
        assert!(audit::upper_bound(seen, runs, level) >= chance.lower() - 1e-9, "{answers:?}");
    }
}

#[test]
fn gaussian_claims_are_above_the_exact_curve() {
    for (one, two, k, monotone) in
        [("2", "3", 3, false), ("3", "2", 4, true), ("5/2", "4", 2, false), ("2", "2", 4, false)]
    {
        let build = |claim| {
            let (one, two) = (rational(one), rational(two));
            GaussianThreshold::new(&one, &two, queries(monotone), 0, k as u64, claim).unwrap()
        };
        let claims = [Claim::Profile, Claim::Zcdp, Claim::Renyi]
            .map(|claim| loss(build(claim).spec(), AddRemove));
        let threshold = Noise::gaussian(rational(one).to_f64_nearest());
        let query = Noise::gaussian(rational(two).to_f64_nearest());
        let lowest = if monotone { 0 } else { -1 };
        // The exact curve: the worst over all neighbours, in both directions, at each ε.
        let (mut curve, mut second) = ([0.0_f64; EPSILONS.len()], 0.0_f64);
        for base in [vec![0; k], vec![2; k], vec![-2; k]] {
            let law = transcripts(&base, 1, &threshold, &query);
            for moved in vectors(k, lowest, 1) {
                let other: Vec<_> = base.iter().zip(&moved).map(|(q, d)| q + d).collect();
                let other = transcripts(&other, 1, &threshold, &query);
                for (p, q) in [(&law, &other), (&other, &law)] {
                    for (worst, epsilon) in curve.iter_mut().zip(EPSILONS) {
                        *worst = worst.max(hockey_stick(p, q, epsilon).lower());
                    }
                    let sum: f64 = p.iter().map(|(t, p)| p.lower().powi(2) / q[t].upper()).sum();
                    second = second.max(sum.ln());
                }
            }
        }
        for (delta, epsilon) in curve.into_iter().zip(EPSILONS) {
            for claim in &claims {
                assert!(delta <= claim.delta(epsilon).unwrap().upper + 1e-12, "{epsilon}");
            }
        }
        // And the divergence at order 2, the first of the table.
        let MechanismSpec::Leaf(Leaf::Renyi { table }) = build(Claim::Renyi).spec().clone() else {
            panic!("another leaf")
        };
        assert!(second <= table[0].1.to_f64_up());
    }
}

#[test]
fn gaussian_noise_on_the_threshold_alone_is_refuted() {
    let build = |two: &str| {
        let (one, two) = (rational("4"), rational(two));
        GaussianThreshold::new(&one, &two, queries(false), 0, 4, Claim::Profile).unwrap()
    };
    let claim = loss(build("6").spec(), AddRemove);
    let (threshold, none) = (Noise::gaussian(4.0), Noise::none());
    let laws = [[0, 0, 0, 1], [1, 1, 1, 0]].map(|q| transcripts(&q, 1, &threshold, &none));
    let never = |law: &Law<Vec<bool>>| law[&vec![false, false, false, true]];
    assert!(never(&laws[1]).upper() == 0.0 && never(&laws[0]).lower() > 0.05);
    // At ε = 4 the claim is far below that chance.
    assert!(claim.delta(4.0).unwrap().upper < 0.05);
    assert!(violates(&laws[0], &laws[1], &claim));
}

#[test]
fn a_renyi_budget_buys_more_with_the_table_and_a_zcdp_budget_with_its_own() {
    let build = |claim| {
        let sigma = rational("60");
        GaussianThreshold::new(&sigma, &sigma, queries(true), 100, 50, claim).unwrap()
    };
    let order = rational("32");
    let price = |claim| {
        throng_account::filter::cost::renyi(build(claim).spec(), AddRemove, &order).unwrap()
    };
    assert!(price(Claim::Renyi) < price(Claim::Zcdp));
    let mut budget = Budget::zcdp(rational("1/2"), AddRemove).unwrap();
    assert!(budget.authorise(build(Claim::Zcdp).spec()).is_ok());
    assert!(budget.authorise(build(Claim::Renyi).spec()).is_err());
}

#[test]
fn accuracy_holds_as_often_as_stated() {
    let mechanism = AboveThreshold::new(&rational("1"), queries(true), 50, 1).unwrap();
    let questions = 20;
    let alpha = mechanism.accuracy(questions, 0.9).unwrap();
    let alpha = i64::try_from(alpha).unwrap();
    let mut entropy = SeededEntropy::new(3);
    let runs = 4000;
    let mut wrong = 0;
    for _ in 0..runs {
        let mut session = mechanism.start(free(mechanism.spec(), AddRemove), &mut entropy).unwrap();
        let mut failed = false;
        for _ in 0..questions {
            if session.is_over() {
                break;
            }
            let reply = session.ask(&Sensitive::new(50 - alpha - 1), &mut entropy).unwrap();
            failed |= reply.value().side == Side::Above;
        }
        wrong += u64::from(failed);
    }
    assert!(audit::lower_bound(wrong, runs, 1e-9) <= 0.1);
    assert!(wrong > 0, "a bound that never fails is far too wide");
}

#[test]
fn sessions_end_values_cost_and_parameters_are_checked() {
    let mechanism = AboveThreshold::new(&rational("1"), queries(true), 0, 1).unwrap();
    let mechanism = mechanism.with_values(&rational("1/2")).unwrap();
    assert_eq!(mechanism.spec().to_string(), "pure(eps=1) + discrete_laplace(scale=2)",);
    let mut entropy = SeededEntropy::new(1);
    let mut budget = Budget::pure(rational("2"), AddRemove).unwrap();
    let permit = budget.authorise(mechanism.spec()).unwrap();
    assert_eq!(budget.remaining().to_string(), "epsilon = 0.5");
    let mut session = mechanism.start(permit, &mut entropy).unwrap();
    for hostile in [i64::MIN, -5_000_000] {
        let reply = session.ask(&Sensitive::new(hostile), &mut entropy).unwrap();
        assert_eq!((reply.value().side, reply.value().value), (Side::Below, None));
    }
    let reply = session.ask(&Sensitive::new(i64::MAX), &mut entropy).unwrap();
    assert_eq!(reply.value().side, Side::Above);
    assert!(reply.value().value.unwrap() > 1 << 59);
    let after = session.ask(&Sensitive::new(0), &mut entropy);
    assert!(matches!(after, Err(MechanismError::Refused { .. })));

    assert!(Queries::moving(0, AddRemove).is_err());
    assert!(Queries::moving(u64::MAX, AddRemove).is_err());
    assert!(Queries::moving(1, Replace).unwrap().monotone().is_err());
    assert!(AboveThreshold::new(&rational("0"), queries(true), 0, 1).is_err());
    assert!(AboveThreshold::new(&rational("-1"), queries(true), 0, 1).is_err());
    assert!(AboveThreshold::new(&rational("1"), queries(true), i64::MIN, 1).is_err());
    assert!(AboveThreshold::new(&rational("1"), queries(true), 0, 0).is_err());
    let other = AboveThreshold::new(&rational("2"), queries(true), 0, 1).unwrap();
    assert!(other.start(free(mechanism.spec(), AddRemove), &mut entropy).is_err());
    let gaussian = |sigma: &str, k| {
        let sigma = rational(sigma);
        GaussianThreshold::new(&sigma, &sigma, queries(true), 0, k, Claim::Profile)
    };
    assert!(gaussian("1", 5).is_err() && gaussian("2", 0).is_err() && gaussian("2", 5).is_ok());
    let mechanism = gaussian("2", 2).unwrap();
    let mut session = mechanism.start(free(mechanism.spec(), AddRemove), &mut entropy).unwrap();
    for _ in 0..2 {
        assert_eq!(
            session.ask(&Sensitive::new(-100), &mut entropy).unwrap().value().side,
            Side::Below
        );
    }
    assert!(session.is_over() && session.ask(&Sensitive::new(0), &mut entropy).is_err());
}
