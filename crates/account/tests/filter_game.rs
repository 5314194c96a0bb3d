//! Adaptive analysts against filters, with exact probabilities.
//!
//! An analyst asks randomised questions; which one, and whether to go on, depends on all answers so
//! far. Every transcript is enumerated in both worlds, and the filter's promise is checked for
//! the whole interaction.
#![allow(
    clippy::disallowed_methods,
    clippy::excessive_precision,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests compare with ordinary arithmetic and stop at the first surprise"
)]

use proptest::prelude::*;
use throng_account::conversion::{divergence, duality, gaussian};
use throng_account::filter::{Budget, Currency, Filter, Odometer};
use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Rational};

const UNDER: Neighbours = Neighbours::AddRemove;

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn of(n: u64, d: u64) -> Rational {
    Rational::new(n, d).unwrap()
}

/// A question: the chances of its answers in the two worlds.
#[derive(Clone)]
struct Question {
    p: Vec<Rational>,
    q: Vec<Rational>,
}

impl Question {
    fn spec(&self) -> MechanismSpec {
        MechanismSpec::Leaf(Leaf::Discrete { p: self.p.clone(), q: self.q.clone() })
    }

    fn two(p: Rational, q: Rational) -> Self {
        let rest = |x: &Rational| &Rational::ONE - x;
        Self { p: vec![p.clone(), rest(&p)], q: vec![q.clone(), rest(&q)] }
    }

    /// Tells everything with chance `delta`, otherwise nothing.
    fn leak(delta: Rational) -> Self {
        let rest = &Rational::ONE - &delta;
        let zero = Rational::ZERO;
        Self { p: vec![delta.clone(), rest.clone(), zero.clone()], q: vec![zero, rest, delta] }
    }
}

/// A mixing of bits, to make an arbitrary but repeatable analyst.
fn scramble(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// What the analyst asks after a transcript; `None` to stop.
fn next(seed: u64, transcript: u64, leaky: bool) -> Option<Question> {
    let bits = scramble(seed ^ scramble(transcript));
    if bits.is_multiple_of(11) {
        return None;
    }
    let (a, b) = (20 + (bits >> 8) % 60, 20 + (bits >> 16) % 60);
    Some(match (bits >> 24) % 4 {
        0 if leaky => Question::leak(of(1 + (bits >> 32) % 5, 100)),
        0 | 1 => Question::two(of(a, 100), of(100 - a, 100)),
        _ => Question::two(of(a, 100), of(b, 100)),
    })
}

/// All transcripts: their chances in both worlds, and what the state was at the end.
fn play<S: Clone>(
    seed: u64,
    leaky: bool,
    depth: u32,
    state: &S,
    charge: &impl Fn(&mut S, &MechanismSpec) -> bool,
) -> Vec<(Rational, Rational, S)> {
    let mut ended = Vec::new();
    let mut open = vec![(Rational::ONE, Rational::ONE, 1_u64, 0_u32, state.clone())];
    while let Some((p, q, transcript, steps, state)) = open.pop() {
        let mut charged = state.clone();
        let question = if steps < depth { next(seed, transcript, leaky) } else { None };
        let asked = question.filter(|question| charge(&mut charged, &question.spec()));
        let Some(question) = asked else {
            ended.push((p, q, state));
            continue;
        };
        for (i, (x, y)) in question.p.iter().zip(&question.q).enumerate() {
            let answer = u64::try_from(i).unwrap();
            open.push((&p * x, &q * y, transcript * 4 + answer, steps + 1, charged.clone()));
        }
    }
    ended
}

fn filtered(seed: u64, leaky: bool, capacity: Budget) -> (Vec<Rational>, Vec<Rational>) {
    let filter = Filter::new(capacity, UNDER).unwrap();
    let charge = |filter: &mut Filter, spec: &MechanismSpec| filter.try_charge(spec).is_ok();
    let ended = play(seed, leaky, 6, &filter, &charge);
    let (p, q): (Vec<_>, Vec<_>) = ended.into_iter().map(|(p, q, _)| (p, q)).unzip();
    assert_eq!(p.iter().fold(Rational::ZERO, |s, x| &s + x), Rational::ONE);
    (p, q)
}

fn hockey(p: &[Rational], q: &[Rational], gamma: &Rational) -> Rational {
    let gaps = p.iter().zip(q).map(|(p, q)| p - &(gamma * q));
    gaps.filter(Rational::is_positive).fold(Rational::ZERO, |s, x| &s + &x)
}

/// e^epsilon, rounded down: H at a smaller ratio is larger, so the check is strict up to rounding.
fn gamma_at(epsilon: f64) -> Rational {
    Rational::from_f64(Enclosure::point(epsilon).unwrap().exp().upper()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pure_filter(seed: u64, cap in 1_u64..20) {
        let epsilon = of(cap, 5);
        let (p, q) = filtered(seed, false, Budget::Pure { epsilon: epsilon.clone() });
        let gamma = gamma_at(epsilon.to_f64_up());
        prop_assert!(hockey(&p, &q, &gamma).is_zero() && hockey(&q, &p, &gamma).is_zero());
    }

    #[test]
    fn approximate_filter(seed: u64, cap in 1_u64..20, leak in 1_u64..20) {
        let (epsilon, delta) = (of(cap, 5), of(leak, 100));
        let budget = Budget::Approximate { epsilon: epsilon.clone(), delta: delta.clone() };
        let (p, q) = filtered(seed, true, budget);
        let gamma = gamma_at(epsilon.to_f64_up());
        prop_assert!(hockey(&p, &q, &gamma) <= delta && hockey(&q, &p, &gamma) <= delta);
    }

    #[test]
    fn zcdp_filter(seed: u64, cap in 1_u64..20) {
        let rho = of(cap, 10);
        let (p, q) = filtered(seed, false, Budget::Zcdp { rho: rho.clone(), delta: r("0") });
        for order in [1.01, 1.5, 2.0, 4.0, 16.0] {
            let order = Enclosure::point(order).unwrap();
            let bound = (order * Enclosure::of_rational(&rho)).upper();
            prop_assert!(divergence::discrete(order, &p, &q).unwrap().lower() <= bound);
            prop_assert!(divergence::discrete(order, &q, &p).unwrap().lower() <= bound);
        }
    }

    #[test]
    fn leaky_zcdp_filter(seed: u64, cap in 1_u64..20) {
        let budget = Budget::Zcdp { rho: of(cap, 10), delta: of(1, 20) };
        let (p, q) = filtered(seed, true, budget.clone());
        for delta in [0.06, 0.1, 0.2] {
            let gamma = gamma_at(budget.epsilon_at(delta).unwrap());
            let delta = Rational::from_f64(delta).unwrap();
            prop_assert!(hockey(&p, &q, &gamma) <= delta && hockey(&q, &p, &gamma) <= delta);
        }
    }

    #[test]
    fn gdp_filter(seed: u64, cap in 1_u64..20) {
        let mu_squared = of(cap, 5);
        let (p, q) = filtered(seed, false, Budget::Gdp { mu_squared: mu_squared.clone() });
        let curve = duality::polygon_of_pair(&p, &q).unwrap();
        for (a, b) in curve.corners().iter().filter(|(a, b)| a.is_positive() && b.is_positive()) {
            let mu = gaussian::mu_through(Enclosure::of_rational(a), Enclosure::of_rational(b)).unwrap();
            prop_assert!(mu.lower() <= 0.0 || mu.square().lower() <= mu_squared.to_f64_up());
        }
    }

    #[test]
    fn renyi_filter(seed: u64, cap in 1_u64..20) {
        let orders = vec![(r("3/2"), of(cap, 10)), (r("4"), of(cap, 5))];
        let (p, q) = filtered(seed, false, Budget::Renyi { orders: orders.clone() });
        for (order, bound) in orders {
            let order = Enclosure::of_rational(&order);
            prop_assert!(divergence::discrete(order, &p, &q).unwrap().lower() <= bound.to_f64_up());
            prop_assert!(divergence::discrete(order, &q, &p).unwrap().lower() <= bound.to_f64_up());
        }
    }

    #[test]
    fn odometer_at_stopping_times(seed: u64) {
        let odometer = Odometer::new(r("1/20"), r("3/10"), UNDER).unwrap();
        let charge = |o: &mut Odometer, spec: &MechanismSpec| {
            // The analyst also stops by the reading.
            o.reading().unwrap().epsilon < 1.5 && o.charge(spec).is_ok()
        };
        let mut total = Rational::ZERO;
        for (p, q, odometer) in play(seed, false, 5, &odometer, &charge) {
            let gamma = gamma_at(odometer.reading().unwrap().epsilon);
            let gap = &p - &(&gamma * &q);
            if gap.is_positive() {
                total = &total + &gap;
            }
        }
        prop_assert!(total <= r("3/10"));
    }
}

/// Each of two continuations keeps the composed curve at (ln 4, 1/6); choosing between them by the
/// first answer gives 2/9. A filter on curves would allow it; the filters here do not.
#[test]
fn composing_curves_is_not_a_filter() {
    let first = Question::two(r("2/3"), r("1/3"));
    let response = Question::two(r("3/4"), r("1/4"));
    let leak = Question::leak(r("1/6"));
    let (gamma, delta) = (r("4"), r("1/6"));
    let product = |after: [&Question; 2]| {
        let (mut p, mut q) = (Vec::new(), Vec::new());
        for (i, second) in after.into_iter().enumerate() {
            p.extend(second.p.iter().map(|x| &first.p[i] * x));
            q.extend(second.q.iter().map(|x| &first.q[i] * x));
        }
        (p, q)
    };
    for fixed in [[&response, &response], [&leak, &leak]] {
        let (p, q) = product(fixed);
        assert!(hockey(&p, &q, &gamma) <= delta && hockey(&q, &p, &gamma) <= delta);
    }
    let (p, q) = product([&response, &leak]);
    assert_eq!(hockey(&p, &q, &gamma), r("2/9"));
    // ln 4 = 1.386...; at most one of the continuations fits a sound filter, and neither branch
    // may exceed it.
    for currency in [Currency::Zcdp { leak: r("0") }, Currency::Gdp] {
        let mut filter = Filter::from_epsilon_delta(&currency, &r("1.386"), &delta, UNDER).unwrap();
        filter.try_charge(&first.spec()).unwrap();
        assert!(filter.preview(&leak.spec()).is_err());
    }
    // Pairs: the leak alone is affordable, and then nothing else is.
    let pairs = Currency::Approximate;
    let mut filter = Filter::from_epsilon_delta(&pairs, &r("1.386"), &delta, UNDER).unwrap();
    filter.try_charge(&first.spec()).unwrap();
    assert!(filter.preview(&response.spec()).is_err());
    filter.try_charge(&leak.spec()).unwrap();
    assert!(filter.preview(&leak.spec()).is_err());
    let mut filter = Filter::from_epsilon_delta(
        &Currency::Zcdp { leak: delta.clone() },
        &r("1.386"),
        &r("1/5"),
        UNDER,
    )
    .unwrap();
    filter.try_charge(&first.spec()).unwrap();
    assert!(filter.preview(&response.spec()).is_err());
}

/// A filter that forgot what was spent would be caught by these games.
#[test]
fn the_game_can_be_lost() {
    let epsilon = r("1");
    let careless = Filter::new(Budget::Pure { epsilon: epsilon.clone() }, UNDER).unwrap();
    let charge = |filter: &mut Filter, spec: &MechanismSpec| filter.preview(spec).is_ok();
    let lost = (0..20).any(|seed| {
        let ended = play(seed, false, 6, &careless, &charge);
        let (p, q): (Vec<_>, Vec<_>) = ended.into_iter().map(|(p, q, _)| (p, q)).unzip();
        hockey(&p, &q, &gamma_at(1.0)).is_positive()
    });
    assert!(lost);
}
