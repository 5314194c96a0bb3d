//! What charges cost, and that odd costs cannot pass.

use proptest::prelude::*;
use throng_ledger::{Amount, Charge, Charter, Depth, Digest, Ledger, Neighbours, price};
use throng_numeric::Rational;

use crate::common::{Folder, charge, charter, pure, rational};

fn pair(epsilon: &str, delta: &str) -> Amount {
    Amount::Approximate { epsilon: rational(epsilon), delta: rational(delta) }
}

#[test]
fn a_batch_in_pairs_is_priced_by_its_whole_curve() {
    let capacity = pair("10", "1/100");
    let spec = "100 * gaussian(sigma=50)".parse().unwrap();
    let delta = rational("1e-6");
    let cost = price(&capacity, &spec, Neighbours::AddRemove, Some(&delta)).unwrap();
    let Amount::Approximate { epsilon, delta: charged } = &cost else { panic!("{cost}") };
    assert_eq!(*charged, delta);
    // One Gaussian of mu = 10/50: epsilon(1e-6) = 0.83..., a tenth of what ten single pairs take.
    let whole = epsilon.to_f64_nearest();
    assert!(whole > 0.7 && whole < 0.95, "{whole}");
    // Without a delta there is no pair for Gaussian noise.
    assert!(price(&capacity, &spec, Neighbours::AddRemove, None).is_err());
}

#[test]
fn a_plain_pair_is_taken_if_it_is_no_worse() {
    let capacity = pair("10", "1/100");
    let spec = "pure(epsilon=1/3)".parse().unwrap();
    for delta in [None, Some(Rational::ZERO), Some(rational("1e-9"))] {
        let cost = price(&capacity, &spec, Neighbours::AddRemove, delta.as_ref()).unwrap();
        let Amount::Approximate { epsilon, .. } = &cost else { panic!("{cost}") };
        assert!(*epsilon <= rational("1/3"));
    }
    let plain = price(&capacity, &spec, Neighbours::AddRemove, Some(&Rational::ZERO)).unwrap();
    assert_eq!(plain, pair("1/3", "0"));
}

#[test]
fn deltas_out_of_range_and_noise_that_protects_nothing_are_refused() {
    let capacity = pair("10", "1/100");
    let spec = "gaussian(sigma=1)".parse().unwrap();
    for delta in ["-1/10", "1", "2", "0"] {
        let delta = rational(delta);
        assert!(price(&capacity, &spec, Neighbours::AddRemove, Some(&delta)).is_err(), "{delta}");
    }
    for spec in ["gaussian(sigma=0)", "laplace(scale=0)", "discrete_laplace(scale=0)"] {
        let spec = spec.parse().unwrap();
        for capacity in [pair("10", "1/100"), pure("10")] {
            let delta = Some(rational("1e-6"));
            assert!(price(&capacity, &spec, Neighbours::AddRemove, delta.as_ref()).is_err());
        }
    }
}

#[test]
fn only_what_reveals_nothing_is_free() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(1)).unwrap();
    let free = Charge { spec: "pure(epsilon=0)".parse().unwrap(), ..charge("free") };
    assert_eq!(ledger.authorise(&free).unwrap().receipt.cost, pure("0"));
    // The least positive cost is counted, not lost: smaller than every f64.
    let tiny = Charge { spec: "pure(epsilon=1e-400)".parse().unwrap(), ..charge("tiny") };
    let cost = ledger.authorise(&tiny).unwrap().receipt.cost;
    assert_eq!(cost, pure("1e-400"));
    assert_eq!(ledger.spent().unwrap(), pure("1e-400"));
    // Then a charge of exactly what was there before does not fit any more.
    assert!(ledger.authorise(&charge("a")).is_err());
}

#[test]
fn numbers_that_are_no_costs_cannot_be_written() {
    for text in ["pure(epsilon=-1)", "pure(epsilon=nan)", "pure(epsilon=inf)"] {
        let parsed = text.parse::<throng_account::MechanismSpec>();
        let priced =
            parsed.is_ok_and(|spec| price(&pure("1"), &spec, Neighbours::AddRemove, None).is_ok());
        assert!(!priced, "{text}");
    }
    // 2^63 and far beyond: a refusal, not an overflow.
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(1)).unwrap();
    for text in ["pure(epsilon=9223372036854775808)", "pure(epsilon=1e400)"] {
        let huge = Charge { spec: text.parse().unwrap(), ..charge(text) };
        assert!(ledger.authorise(&huge).is_err());
    }
    assert_eq!(ledger.spent().unwrap(), pure("0"));
}

#[test]
fn every_currency_is_kept_and_audited() {
    let currencies = [
        (pure("1"), "discrete_laplace(scale=10)"),
        (pair("1", "1/1000"), "gaussian(sigma=20)"),
        (Amount::Zcdp { rho: rational("1/2"), delta: Rational::ZERO }, "gaussian(sigma=20)"),
        (Amount::Gdp { mu_squared: rational("1/2") }, "gaussian(sigma=20)"),
        (
            Amount::Renyi {
                orders: vec![(rational("2"), rational("1")), (rational("8"), rational("3"))],
            },
            "gaussian(sigma=20)",
        ),
    ];
    for (capacity, spec) in currencies {
        let folder = Folder::new();
        let ledger =
            Ledger::create(folder.ledger(), &Charter::new(capacity, Neighbours::AddRemove, "p"))
                .unwrap();
        let asked =
            Charge { spec: spec.parse().unwrap(), ..charge("a") }.at_delta(rational("1e-6"));
        let one = ledger.authorise(&asked).unwrap().receipt;
        assert_eq!(ledger.spent().unwrap(), one.cost);
        ledger.verify(None, Depth::Prices).unwrap();
        drop(ledger);
        assert_eq!(Ledger::open(folder.ledger()).unwrap().spent().unwrap(), one.cost);
    }
}

#[test]
fn costs_with_ever_new_primes_do_not_slow_the_ledger_down() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(10_000)).unwrap();
    let primes = (3..4000_u32).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    let asked: Vec<_> = primes
        .map(|prime| Charge {
            spec: format!("pure(epsilon=1/{prime})").parse().unwrap(),
            ..charge(&prime.to_string()).by("ann")
        })
        .collect();
    drop(ledger.authorise_all(&asked).unwrap());
    let exact = asked.iter().fold(Rational::ZERO, |sum, one| {
        let throng_account::filter::Budget::Pure { epsilon } =
            price(&pure("1"), &one.spec, Neighbours::AddRemove, None).unwrap()
        else {
            panic!()
        };
        &sum + &epsilon
    });
    let Amount::Pure { epsilon: spent } = ledger.spent().unwrap() else { panic!() };
    assert!(spent >= exact && spent.to_f64_down() - exact.to_f64_up() < 1e-30);
    assert!(spent.denominator().to_string().len() < 700, "the sum stays short");
    ledger.verify(None, Depth::Prices).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// The ledger agrees with a plain sum of exact fractions, and never exceeds the budget.
    #[test]
    fn the_ledger_is_an_exact_filter(costs in prop::collection::vec((1_u32..50, 1_u32..50), 1..25)) {
        let folder = Folder::new();
        let ledger = Ledger::create(folder.ledger(), &charter(100)).unwrap();
        let mut sum = Rational::ZERO;
        for (i, (n, d)) in costs.into_iter().enumerate() {
            let cost = Rational::new(n, d).unwrap();
            let spec = format!("pure(epsilon={cost})").parse().unwrap();
            let asked = Charge::new(Digest::of(&i.to_be_bytes()), "q", spec);
            let fits = &sum + &cost <= rational("10");
            prop_assert_eq!(ledger.preview(&asked).is_ok(), fits);
            prop_assert_eq!(ledger.authorise(&asked).is_ok(), fits);
            if fits {
                sum = &sum + &cost;
            }
            prop_assert_eq!(ledger.spent().unwrap(), Amount::Pure { epsilon: sum.clone() });
        }
        ledger.verify(None, Depth::Prices).unwrap();
    }
}
