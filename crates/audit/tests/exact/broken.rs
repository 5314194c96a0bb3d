//! Broken mechanisms, given by their laws: all are refuted without sampling.

use throng_audit::AuditError;
use throng_audit::exact::{
    ExactLaw, Law, Pair, check, exponential_law, neighbouring, noise_law, threshold_law,
};
use throng_mechanism::contribution::Rows;
use throng_mechanism::histogram::ThresholdHistogram;
use throng_mechanism::{Mechanism, Neighbours, NoiseLaw};
use throng_numeric::{Enclosure, Rational};

use Neighbours::{AddRemove, Replace};

use super::{claimed, loss_of, rational};

type Stated<D, T> = Box<dyn Fn(&D) -> Result<Law<T>, AuditError>>;

fn stated<D: ?Sized, T: Ord + Clone>(
    law: impl Fn(&D) -> Result<Law<T>, AuditError> + 'static,
) -> Stated<D, T> {
    Box::new(law)
}

/// A geometric law whose tails are cut off at ±10 instead of gathered there: the end that only one
/// world reaches gives it away.
#[test]
fn a_truncated_geometric_is_not_pure() {
    let law = |value: &i64| {
        let whole = noise_law(&NoiseLaw::laplace(1.into())?, *value)?;
        let kept: Vec<_> =
            whole.iter().filter(|(k, _)| (**k - value).abs() <= 10).map(|(k, p)| (*k, p)).collect();
        let total = kept.iter().fold(Enclosure::ZERO, |sum, (_, p)| sum + *p);
        Ok(Law::of(kept.into_iter().map(|(k, p)| (k, p / total))))
    };
    let mutant: Stated<i64, i64> = stated(law);
    let found = check(&mutant, &claimed("pure(eps=1)", AddRemove), &[Pair::of(0, 1)]).unwrap();
    let found = found.unwrap();
    assert!(found.witness.delta > found.witness.claimed + 1e-6, "{found:?}");
    // Far more noise does not help: it is not pure for any epsilon.
    let loose = check(&mutant, &claimed("pure(eps=20)", AddRemove), &[Pair::of(0, 1)]).unwrap();
    assert_eq!(loose.unwrap().witness.event, [-10]);
}

#[test]
fn an_exponential_mechanism_that_misses_the_factor_two() {
    let mutant: Stated<[i64], usize> = stated(|scores: &[i64]| exponential_law(scores, &1.into()));
    let pairs = [Pair::of(vec![1, 1], vec![2, 0]), Pair::of(vec![0, 0], vec![1, 0])];
    assert!(check(&mutant, &claimed("exponential(eps=1)", AddRemove), &pairs).unwrap().is_some());
    // Scores that move one way need no factor.
    assert!(
        check(&mutant, &claimed("exponential(eps=1)", AddRemove), &pairs[1..]).unwrap().is_none()
    );
}

/// e^ε/(e^ε + k) instead of e^ε/(e^ε + k - 1), the rest shared by the k - 1 others... which then have
/// more than 1/(e^ε + k), and the claim still holds; and with k - 2, where it does not.
#[test]
fn a_wrong_denominator_in_kary_response() {
    let response = |less: i64| -> Stated<u32, u32> {
        stated(move |answer: &u32| {
            let e = Enclosure::ONE.exp();
            let others = Enclosure::of_rational(&Rational::from(4 - less));
            let hit = e / (e + others);
            let stray = (Enclosure::ONE - hit) / Enclosure::of_rational(&Rational::from(3));
            Ok(Law::of((0..4).map(|r| (r, if r == *answer { hit } else { stray }))))
        })
    };
    let pairs = [Pair::of(0, 1), Pair::of(2, 3)];
    let claim = claimed("kary_response(k=4, eps=1)", Replace);
    assert!(check(&response(2), &claim, &pairs).unwrap().is_some());
    assert!(check(&response(1), &claim, &pairs).unwrap().is_none());
    assert!(check(&response(0), &claim, &pairs).unwrap().is_none());
}

#[test]
fn a_threshold_that_is_one_too_low() {
    let good =
        ThresholdHistogram::<u8, _>::laplace_at(Rows, &rational("1/2"), 6, AddRemove).unwrap();
    let claim = loss_of(&good.spec(), AddRemove);
    let pairs = neighbouring(AddRemove, &[0_u8, 1], 2);
    assert!(check(&good, &claim, &pairs).unwrap().is_none());
    let law = good.noise().law().clone();
    let mutant: Stated<[u8], Vec<(u8, i64)>> =
        stated(move |rows: &[u8]| threshold_law(rows, &law, 5));
    let found = check(&mutant, &claim, &pairs).unwrap().unwrap();
    assert!(found.witness.claimed < 1e-4 && found.witness.delta > found.witness.claimed);
}

/// Rounding the noisy count up to 0 is fine; adding no noise to empty data is not.
#[test]
fn no_noise_where_there_is_no_data() {
    let noisy =
        |rows: &[u8]| noise_law(&NoiseLaw::laplace(2.into())?, i64::try_from(rows.len()).unwrap());
    let clamped: Stated<[u8], i64> =
        stated(move |rows: &[u8]| Ok(noisy(rows)?.mapped(|k| k.max(0))));
    let mutant: Stated<[u8], i64> =
        stated(move |rows: &[u8]| if rows.is_empty() { Ok(Law::certain(0)) } else { noisy(rows) });
    let pairs = neighbouring(AddRemove, &[0_u8], 2);
    let claim = claimed("pure(eps=1/2)", AddRemove);
    assert!(check(&clamped, &claim, &pairs).unwrap().is_none());
    let found = check(&mutant, &claim, &pairs).unwrap().unwrap();
    assert_eq!(found.pair, [vec![], vec![0]]);
    assert!(clamped.law(&[]).unwrap().total().contains(1.0));
}
