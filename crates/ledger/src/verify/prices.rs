//! Every charge is priced again.

use std::collections::HashMap;

use throng_account::filter::Budget as Amount;
use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::error::{LedgerError, Result};
use crate::record::Glance;
use crate::{amount, price};

/// Prices that were computed in this replay, by the texts of spec and delta: most charges of a
/// long ledger are of few mechanisms.
#[derive(Default)]
pub(super) struct Prices {
    known: HashMap<String, Amount>,
    /// The texts that are looked for, in one.
    key: String,
}

impl Prices {
    const MANY: usize = 4096;

    /// Refuses a charge of which less was recorded than it costs.
    pub(super) fn cover(
        &mut self,
        cost: &Amount,
        body: &Glance<'_>,
        under: Neighbours,
    ) -> Result<()> {
        let again = self.again(cost, body, under)?;
        if amount::fits(again, cost) {
            return Ok(());
        }
        Err(LedgerError::corrupt(format!("{again} is the price, and {cost} was recorded")))
    }

    /// What a charge costs in the currency of the ledger.
    fn again(&mut self, like: &Amount, body: &Glance<'_>, under: Neighbours) -> Result<&Amount> {
        let delta = body.delta.as_ref().map(|delta| delta.0.as_ref());
        // The length of the first says where the second begins.
        self.key.clear();
        self.key.extend([&body.spec.0.len().to_string(), body.spec.0.as_ref()]);
        self.key.extend([delta.map_or("", |_| "@"), delta.unwrap_or("")]);
        if !self.known.contains_key(&self.key) {
            let spec: MechanismSpec = body.spec.0.parse()?;
            let delta = delta.map(str::parse::<Rational>).transpose();
            let delta = delta.map_err(|_| LedgerError::corrupt("its delta cannot be read"))?;
            let cost = price::price(like, &spec, under, delta.as_ref())?;
            if self.known.len() >= Self::MANY {
                self.known.clear();
            }
            self.known.insert(self.key.clone(), cost);
        }
        self.known.get(&self.key).ok_or_else(|| LedgerError::corrupt("a price was lost"))
    }
}
