//! What a charge costs.

use throng_account::filter::Budget as Amount;
use throng_account::{Accuracy, MechanismSpec, Neighbours, PrivacyLoss};
use throng_numeric::Rational;

use crate::amount;
use crate::error::{LedgerError, Result};

/// What a mechanism costs in the currency of a capacity.
///
/// In a budget of pairs, a charge whose whole spec is fixed up front (a batch of queries, a training
/// run) is priced by its whole privacy loss curve and converted once: the cost is (ε(δ), δ) at the
/// δ that the charge names, ε rounded up. If the spec has a pair of its own that is no worse in
/// either number (pure ε needs no δ), that pair is taken. Other currencies have one price per spec.
///
/// # Guarantee
/// Whatever the analyst does, mechanisms charged against a capacity of (ε, δ) this way are together
/// (ε, δ)-private. *Proof.* Each charge is one mechanism M_i, however many parts it has: its spec
/// was fixed before it ran, so its curve bounds it for adaptively chosen inputs, and M_i is
/// (ε_i, δ_i)-private with the recorded pair (upper end of the curve at a δ that is not above the
/// recorded one). Pairs that are chosen after earlier answers add as long as the sums stay under
/// the capacity: given the first answer y the rest is (ε - ε_1, δ - δ_1)-private by induction, so
/// P_y(S) <= g(y) + δ - δ_1 with g(y) = min(1, e^(ε - ε_1) Q_y(S)) in [0, 1]; averaging over y and
/// using (ε_1, δ_1) on g gives P(S) <= e^ε Q(S) + δ. The choice of δ_i may depend on earlier
/// answers, as the whole pair may.
///
/// # Errors
/// If the accountant has no sound price, if delta is not in [0, 1), or if the loss is not finite.
pub fn price(
    capacity: &Amount,
    spec: &MechanismSpec,
    under: Neighbours,
    delta: Option<&Rational>,
) -> Result<Amount> {
    let cost = match (capacity, delta) {
        (Amount::Approximate { .. }, Some(delta)) => best_pair(capacity, spec, under, delta)?,
        (
            Amount::Approximate { .. }
            | Amount::Pure { .. }
            | Amount::Zcdp { .. }
            | Amount::Gdp { .. }
            | Amount::Renyi { .. },
            _,
        ) => capacity.price(spec, under)?,
    };
    if !amount::same_currency(capacity, &cost)
        || amount::values(&cost).iter().any(|x| x.is_negative())
    {
        return Err(LedgerError::refused("the price is not an amount", "report this as a bug"));
    }
    if amount::is_nothing(&cost) {
        free(spec, under)?;
    }
    Ok(cost)
}

/// The pair of the curve at delta, or the pair the spec has by itself if that is no worse.
fn best_pair(
    capacity: &Amount,
    spec: &MechanismSpec,
    under: Neighbours,
    delta: &Rational,
) -> Result<Amount> {
    if delta.is_negative() || *delta >= Rational::ONE {
        return Err(LedgerError::invalid(
            format!("the delta of the charge is {}", delta.to_f64_nearest()),
            "give a delta that is at least 0 and below 1",
        ));
    }
    let plain = capacity.price(spec, under);
    match (curve_pair(spec, under, delta), plain) {
        (Ok(curve), Ok(plain)) => Ok(if amount::fits(&plain, &curve) { plain } else { curve }),
        (Ok(curve), Err(_)) => Ok(curve),
        (Err(_), Ok(plain)) => Ok(plain),
        (Err(error), Err(_)) => Err(error),
    }
}

/// (ε(δ), δ) of the whole curve; ε is exact as the `f64` it is certified as.
fn curve_pair(spec: &MechanismSpec, under: Neighbours, delta: &Rational) -> Result<Amount> {
    let loss = PrivacyLoss::of_spec(spec, under, Accuracy::default())?;
    // At a delta that is not above the recorded one, epsilon is not below.
    let epsilon = loss.epsilon(delta.to_f64_down())?.upper;
    if !epsilon.is_finite() {
        return Err(LedgerError::refused(
            format!("{spec} has no finite epsilon at delta = {}", delta.to_f64_nearest()),
            "give a larger delta, or use noise that protects",
        ));
    }
    let epsilon = Rational::from_f64(epsilon)?.max(Rational::ZERO);
    Ok(Amount::Approximate { epsilon, delta: delta.clone() })
}

/// Refuses a price of nothing unless the mechanism is free by the curve as well.
///
/// Prices are rounded up, so a price of 0 is already a proof; this is a second opinion from another
/// code path, since a wrong 0 would be unlimited.
fn free(spec: &MechanismSpec, under: Neighbours) -> Result<()> {
    let loss = PrivacyLoss::of_spec(spec, under, Accuracy::default())?;
    if loss.total_variation()?.lower > 0.0 {
        return Err(LedgerError::refused(
            format!("{spec} is priced at nothing, but reveals something"),
            "report this as a bug",
        ));
    }
    Ok(())
}
