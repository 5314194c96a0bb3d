//! The filter itself: a capacity, and charges against it.

use throng_numeric::Rational;

use super::{Budget, Currency};
use crate::{AccountError, MechanismSpec, Neighbours};

/// What a charge did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// What this charge cost.
    pub cost: Budget,
    /// All that is spent, this charge included.
    pub spent: Budget,
    /// What is left after it.
    pub left: Budget,
}

/// A privacy filter: a capacity, and what is spent of it.
///
/// # Guarantee
/// If every mechanism of an interaction was charged here before it ran, then the whole interaction
/// has the guarantee of the capacity under the relation of the filter, however the mechanisms were
/// chosen and whenever the interaction stopped. What is *spent* is a running total, not by itself a
/// guarantee at a stopping time that depends on the answers; see [`super::Odometer`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    capacity: Budget,
    spent: Budget,
    under: Neighbours,
}

impl Filter {
    /// A filter with nothing spent.
    ///
    /// # Errors
    /// If a capacity is negative, or orders are not rising and above 1.
    pub fn new(capacity: Budget, under: Neighbours) -> Result<Self, AccountError> {
        let capacity = capacity.checked()?;
        Ok(Self { spent: capacity.nothing(), capacity, under })
    }

    /// A filter with something spent already, as stored earlier.
    ///
    /// # Errors
    /// As for [`Filter::new`], or if what is spent is negative, in another currency, or more than
    /// the capacity.
    pub fn resume(
        capacity: Budget,
        spent: Budget,
        under: Neighbours,
    ) -> Result<Self, AccountError> {
        let (capacity, spent) = (capacity.checked()?, spent.checked()?);
        let left = capacity.zip(&spent, |a, b| a - b);
        if left.is_some_and(|left| !left.amounts().into_iter().any(Rational::is_negative)) {
            return Ok(Self { capacity, spent, under });
        }
        Err(AccountError::invalid("what is spent", spent, format!("at most {capacity}")))
    }

    /// The filter of the largest capacity that keeps a whole interaction (epsilon, delta)-private.
    ///
    /// # Errors
    /// As for [`Budget::for_epsilon_delta`].
    pub fn from_epsilon_delta(
        currency: &Currency,
        epsilon: &Rational,
        delta: &Rational,
        under: Neighbours,
    ) -> Result<Self, AccountError> {
        Self::new(Budget::for_epsilon_delta(currency, epsilon, delta)?, under)
    }

    /// What may be spent in all.
    #[must_use]
    pub fn capacity(&self) -> &Budget {
        &self.capacity
    }

    /// What is spent, exactly.
    #[must_use]
    pub fn spent(&self) -> &Budget {
        &self.spent
    }

    /// What is left, exactly.
    #[must_use]
    pub fn remaining(&self) -> Budget {
        // The currencies agree by construction, and spent never exceeds the capacity.
        self.capacity.zip(&self.spent, |a, b| a - b).unwrap_or_else(|| self.capacity.nothing())
    }

    /// The relation that costs are computed for.
    #[must_use]
    pub fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// What [`Filter::try_charge`] would answer; nothing is spent.
    ///
    /// # Errors
    /// [`AccountError::Exhausted`] if the capacity would be exceeded in any component; otherwise as
    /// for [`Budget::price`].
    pub fn preview(&self, spec: &MechanismSpec) -> Result<Receipt, AccountError> {
        self.preview_at(spec, None)
    }

    /// What [`Filter::try_charge_at`] would answer; nothing is spent.
    ///
    /// # Errors
    /// As for [`Filter::preview`], with the price of [`Budget::price_at`].
    pub fn preview_at(
        &self,
        spec: &MechanismSpec,
        delta: Option<&Rational>,
    ) -> Result<Receipt, AccountError> {
        let cost = self.capacity.price_at(spec, self.under, delta)?;
        let exhausted = || AccountError::Exhausted {
            asked: cost.to_string(),
            left: self.remaining().to_string(),
        };
        let spent = self.spent.zip(&cost, |a, b| a + b).ok_or_else(exhausted)?;
        let left = self.capacity.zip(&spent, |a, b| a - b).ok_or_else(exhausted)?;
        if left.amounts().into_iter().any(Rational::is_negative) {
            return Err(exhausted());
        }
        Ok(Receipt { cost, spent, left })
    }

    /// Spends the cost of a mechanism, before it runs.
    ///
    /// # Errors
    /// As for [`Filter::preview`]; then nothing is spent.
    pub fn try_charge(&mut self, spec: &MechanismSpec) -> Result<Receipt, AccountError> {
        self.try_charge_at(spec, None)
    }

    /// Spends the cost of a mechanism whose whole spec is fixed, before it runs; in a budget of pairs
    /// by its curve at this delta.
    ///
    /// # Errors
    /// As for [`Filter::preview_at`]; then nothing is spent.
    pub fn try_charge_at(
        &mut self,
        spec: &MechanismSpec,
        delta: Option<&Rational>,
    ) -> Result<Receipt, AccountError> {
        let receipt = self.preview_at(spec, delta)?;
        self.spent = receipt.spent.clone();
        Ok(receipt)
    }
}
