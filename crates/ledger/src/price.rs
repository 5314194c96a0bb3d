//! What a charge costs.

use throng_account::filter::Budget as Amount;
use throng_account::{Accuracy, MechanismSpec, Neighbours, PrivacyLoss};
use throng_numeric::Rational;

use crate::amount;
use crate::error::{LedgerError, Result};

/// What a mechanism costs in the currency of a capacity.
///
/// In a budget of pairs, by the whole curve at the δ that the charge names: see [`Amount::price_at`].
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
    let cost = capacity.price_at(spec, under, delta)?;
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
