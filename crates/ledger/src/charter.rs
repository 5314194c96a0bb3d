//! What a ledger was opened for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throng_account::Neighbours;
use throng_account::filter::{Budget as Amount, Filter, Receipt};
use throng_numeric::Rational;

use crate::error::{LedgerError, Result};
use crate::standing::{Priced, verdict, written};
use crate::{Charge, amount, price};

/// What the owner fixed when the ledger was made: how much may be spent, by whom, for what.
///
/// It is record 0 of the chain. A later change is a record of its own, see
/// [`Ledger::amend`](crate::Ledger::amend).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charter {
    /// What everybody together may spend, in the currency of all charges.
    pub capacity: Amount,
    /// (epsilon, delta) as the owner wrote it, if the capacity was made from such a pair.
    pub stated: Option<(Rational, Rational)>,
    /// The relation that costs are computed for.
    pub under: Neighbours,
    /// What single analysts may spend, inside the capacity.
    pub quotas: BTreeMap<String, Amount>,
    /// What analysts without a quota of their own may spend each; nothing said means the capacity.
    pub default_quota: Option<Amount>,
    /// The name of the policy that this is the budget of.
    pub policy: String,
}

impl Charter {
    /// A charter without quotas.
    #[must_use]
    pub fn new(capacity: Amount, under: Neighbours, policy: impl Into<String>) -> Self {
        Self {
            capacity,
            stated: None,
            under,
            quotas: BTreeMap::new(),
            default_quota: None,
            policy: policy.into(),
        }
    }

    /// The quota of an analyst, if there is one besides the capacity.
    #[must_use]
    pub fn quota(&self, analyst: &str) -> Option<&Amount> {
        self.quotas.get(analyst).or(self.default_quota.as_ref())
    }

    /// What a ledger of this charter in which nothing is recorded would say to a charge.
    ///
    /// # Errors
    /// As for [`Ledger::preview`](crate::Ledger::preview).
    pub fn preview(&self, charge: &Charge) -> Result<Receipt> {
        let nothing = self.capacity.nothing();
        let priced = Priced::new(charge, || {
            let cost = price(&nothing, &charge.spec, self.under, charge.delta.as_ref())?;
            Ok((written(&charge.spec, &cost)?, cost))
        })?;
        let own = charge.analyst.as_deref().map(|name| (name, nothing.clone()));
        Ok(verdict(self, &nothing, own, &priced)?.receipt)
    }

    /// Refuses amounts that are negative, malformed or of different currencies.
    pub(crate) fn checked(&self) -> Result<()> {
        Filter::new(self.capacity.clone(), self.under)?;
        for quota in self.quotas.values().chain(&self.default_quota) {
            if !amount::same_currency(quota, &self.capacity) {
                return Err(LedgerError::invalid(
                    format!("a quota is {quota} and the budget {}", self.capacity),
                    "state quotas in the currency of the budget",
                ));
            }
            Filter::new(quota.clone(), self.under)?;
        }
        if self.quotas.contains_key("") {
            return Err(LedgerError::invalid("a quota is for nobody", "name the analyst"));
        }
        // The text is what is stored: what cannot be read back cannot be a charter.
        let body = CharterBody::of(self);
        let again = body.charter();
        if again.as_ref().is_ok_and(|again| again == self) {
            return Ok(());
        }
        Err(LedgerError::invalid("the charter cannot be written down", "use shorter numbers"))
    }
}

/// The charter as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CharterBody {
    capacity: String,
    stated: Option<(String, String)>,
    under: Neighbours,
    quotas: BTreeMap<String, String>,
    default_quota: Option<String>,
    policy: String,
}

impl CharterBody {
    pub(crate) fn of(charter: &Charter) -> Self {
        let text = |(name, quota): (&String, &Amount)| (name.clone(), amount::text(quota));
        Self {
            capacity: amount::text(&charter.capacity),
            stated: charter.stated.as_ref().map(|(e, d)| (e.to_string(), d.to_string())),
            under: charter.under,
            quotas: charter.quotas.iter().map(text).collect(),
            default_quota: charter.default_quota.as_ref().map(amount::text),
            policy: charter.policy.clone(),
        }
    }

    pub(crate) fn charter(&self) -> Result<Charter> {
        let number = |text: &str| {
            text.parse::<Rational>()
                .map_err(|_| LedgerError::corrupt("a stated number is unreadable"))
        };
        let quota = |(name, text): (&String, &String)| Ok((name.clone(), amount::parse(text)?));
        let stated = self.stated.as_ref();
        Ok(Charter {
            capacity: amount::parse(&self.capacity)?,
            stated: stated
                .map(|(e, d)| Ok::<_, LedgerError>((number(e)?, number(d)?)))
                .transpose()?,
            under: self.under,
            quotas: self.quotas.iter().map(quota).collect::<Result<_>>()?,
            default_quota: self.default_quota.as_deref().map(amount::parse).transpose()?,
            policy: self.policy.clone(),
        })
    }
}
