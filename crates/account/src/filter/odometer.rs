//! How much has been revealed so far, valid whenever one stops.

use throng_numeric::{Enclosure, Rational};

use super::cost;
use crate::conversion::zcdp::{self, Zcdp};
use crate::{AccountError, MechanismSpec, Neighbours};

/// A running meter without a capacity.
///
/// Filters of ρ-zCDP with capacities ρ_j = ρ_0 2^j, j = 0, 1, ..., run side by side, the j-th with
/// δ_j = δ 2^-(j+1). The reading is ε_j = ε(ρ_j, δ_j) of the first filter that covers all that is
/// spent.
///
/// # Guarantee
/// For every analyst and every stopping rule, and every set S of transcripts, with ε the reading at
/// the end of a transcript: Σ_j (P(S, ε = ε_j) - e^(ε_j) Q(S, ε = ε_j)) <= δ. In particular, if the
/// reading at the end never exceeds E, the interaction is (E, δ)-private; and the reading may
/// decide when to stop.
///
/// *Proof.* Let A_j be the transcripts that end with reading ε_j. Change the analyst to stop
/// before exceeding ρ_j. The changed interaction passes the j-th filter, so it is
/// (ε_j, δ_j)-private; and it gives every transcript of A_j the same probabilities, since these
/// never exceed ρ_j on the way (what is spent only grows). So P(S ∩ A_j) <= e^(ε_j) Q(S ∩ A_j) +
/// δ_j. Sum over j; Σ δ_j = δ. Transcripts that end with nothing spent read ε = 0 and have the same
/// probability in both worlds.
///
/// Mechanisms that leak with some chance are refused: their chances would count once per filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odometer {
    first: Rational,
    delta: Rational,
    spent: Rational,
    under: Neighbours,
}

/// What an odometer shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The certified epsilon, valid at stopping times.
    pub epsilon: f64,
    /// The delta it goes with, once for all readings.
    pub delta: Rational,
    /// The number of the filter that covers all that is spent.
    pub stage: u32,
    /// What is spent, exactly.
    pub rho: Rational,
}

/// 2^-1000 of delta is the last: nobody spends 2^1000 ρ_0.
const LAST_STAGE: u32 = 900;

impl Odometer {
    /// An odometer whose first filter has capacity `first`.
    ///
    /// # Errors
    /// If `first` is not above 0, or delta is not above 0 and below 1.
    pub fn new(first: Rational, delta: Rational, under: Neighbours) -> Result<Self, AccountError> {
        if !first.is_positive() {
            return Err(AccountError::invalid("the first capacity", first, "above 0"));
        }
        if !delta.is_positive() || delta >= Rational::ONE {
            return Err(AccountError::invalid("delta", delta, "above 0 and below 1"));
        }
        Ok(Self { first, delta, spent: Rational::ZERO, under })
    }

    /// Adds a mechanism, before it runs.
    ///
    /// # Errors
    /// If the mechanism is not zCDP, or leaks with some chance; then nothing changes.
    pub fn charge(&mut self, spec: &MechanismSpec) -> Result<Reading, AccountError> {
        let cost = cost::zcdp(spec, self.under)?;
        if cost.delta.is_positive() {
            return Err(AccountError::refused(
                "an odometer cannot add mechanisms that leak with some chance",
                "use a zCDP filter with a share of delta",
            ));
        }
        let changed = Self { spent: &self.spent + &cost.rho, ..self.clone() };
        let reading = changed.reading()?;
        *self = changed;
        Ok(reading)
    }

    /// What has been revealed so far.
    ///
    /// # Errors
    /// If more is spent than the last filter covers.
    pub fn reading(&self) -> Result<Reading, AccountError> {
        let (mut capacity, mut delta) = (self.first.clone(), self.delta.clone());
        let two = Rational::from(2_u8);
        for stage in 0..=LAST_STAGE {
            delta = delta.checked_div(&two)?;
            if self.spent <= capacity {
                return self.reading_at(stage, &capacity, &delta);
            }
            capacity = &capacity + &capacity;
        }
        Err(AccountError::TooLarge {
            what: "what is spent".into(),
            limit: format!("2^{LAST_STAGE} times the first capacity"),
        })
    }

    fn reading_at(
        &self,
        stage: u32,
        capacity: &Rational,
        delta: &Rational,
    ) -> Result<Reading, AccountError> {
        let epsilon = if self.spent.is_zero() {
            0.0
        } else {
            let bound = Zcdp::of_rho(Enclosure::of_rational(capacity))?;
            zcdp::epsilon(bound, delta.to_f64_down())?.value.upper()
        };
        Ok(Reading { epsilon, delta: self.delta.clone(), stage, rho: self.spent.clone() })
    }
}
