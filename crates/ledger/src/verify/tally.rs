//! A running total, and how it is written.

use std::borrow::Cow;
use std::fmt::Write;

use throng_account::filter::Budget as Amount;

use super::fraction::Fraction;
use crate::amount;
use crate::error::{LedgerError, Result};

/// An amount, in machine words if it fits.
#[derive(Debug, Clone)]
pub(super) struct Exact {
    amount: Amount,
    words: Option<Vec<Fraction>>,
}

impl Exact {
    pub(super) fn of(amount: Amount) -> Self {
        let words = amount::values(&amount).into_iter().map(Fraction::of).collect();
        Self { amount, words }
    }

    pub(super) fn amount(&self) -> &Amount {
        &self.amount
    }
}

/// A running total with its canonical text.
///
/// The totals of a million charges are mostly fractions of small numbers. They are added in machine
/// words as long as they fit, and as rationals of any size from then on: exactly either way.
#[derive(Debug)]
pub(super) struct Tally {
    /// Up to date unless there are words.
    total: Amount,
    words: Option<Vec<Fraction>>,
    labels: Vec<Cow<'static, str>>,
    text: String,
}

impl Tally {
    /// Nothing, in the currency of an amount.
    pub(super) fn nothing(like: &Amount) -> Self {
        let Exact { amount: total, words } = Exact::of(like.nothing());
        Self { text: amount::text(&total), labels: amount::labels(&total), total, words }
    }

    /// Adds a cost, exactly.
    pub(super) fn add(&mut self, cost: &Exact) -> Result<()> {
        if !amount::same_currency(&self.total, &cost.amount) {
            return Err(LedgerError::corrupt("amounts of different currencies meet"));
        }
        let sums = self.words.iter().zip(&cost.words).next().and_then(|(words, more)| {
            words.iter().zip(more).map(|(sum, number)| sum.plus(*number)).collect()
        });
        if sums.is_none() {
            self.total = amount::plus(&self.total()?, &cost.amount)?;
        }
        self.words = sums;
        self.write()
    }

    /// Brings the text up to date.
    fn write(&mut self) -> Result<()> {
        let Some(words) = &self.words else {
            self.text = amount::text(&self.total);
            return Ok(());
        };
        self.text.clear();
        let mut labels = self.labels.iter();
        for (number, label) in words.iter().zip(labels.by_ref()) {
            write!(self.text, "{label}{number}")
                .map_err(|_| LedgerError::corrupt("a total cannot be written"))?;
        }
        self.text.extend(labels.map(Cow::as_ref));
        Ok(())
    }

    /// The total.
    pub(super) fn total(&self) -> Result<Amount> {
        let Some(words) = &self.words else { return Ok(self.total.clone()) };
        let numbers = words.iter().map(|number| number.rational()).collect::<Result<_>>()?;
        amount::with_values(&self.total, numbers)
            .ok_or_else(|| LedgerError::corrupt("an amount lost a number"))
    }

    /// The canonical text of the total.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the total is within a limit.
    pub(super) fn fits(&self, limit: &Exact) -> Result<bool> {
        match (&self.words, &limit.words) {
            (Some(words), Some(most)) if amount::same_currency(&self.total, &limit.amount) => {
                Ok(words.iter().zip(most).all(|(number, most)| number.at_most(*most)))
            }
            (Some(_) | None, Some(_) | None) => Ok(amount::fits(&self.total()?, &limit.amount)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use throng_numeric::Rational;

    use super::*;

    /// Numbers that fit into words, and numbers that do not.
    fn number() -> impl Strategy<Value = Rational> {
        let part = || prop_oneof![3 => 0..20_u128, 2 => any::<u64>().prop_map(u128::from), 1 => any::<u128>()];
        (part(), part()).prop_map(|(n, d)| Rational::new(n, d.max(1)).unwrap())
    }

    fn amount(currency: u8, x: &Rational, y: &Rational) -> Amount {
        let (x, y) = (x.clone(), y.clone());
        match currency {
            0 => Amount::Pure { epsilon: x },
            1 => Amount::Approximate { epsilon: x, delta: y },
            2 => Amount::Zcdp { rho: x, delta: y },
            3 => Amount::Gdp { mu_squared: x },
            _ => Amount::Renyi {
                orders: vec![("3/2".parse().unwrap(), x), (Rational::from(4_u8), y)],
            },
        }
    }

    proptest! {
        #[test]
        fn it_is_the_sum_of_the_costs(
            currency in 0..5_u8,
            costs in prop::collection::vec((number(), number()), 0..12),
            limit in (number(), number()),
        ) {
            let limit = amount(currency, &limit.0, &limit.1);
            let mut sum = limit.nothing();
            let mut tally = Tally::nothing(&limit);
            for (x, y) in &costs {
                let cost = amount(currency, x, y);
                sum = amount::plus(&sum, &cost).unwrap();
                tally.add(&Exact::of(cost)).unwrap();
                prop_assert_eq!(tally.text(), amount::text(&sum));
                prop_assert_eq!(&tally.total().unwrap(), &sum);
                prop_assert_eq!(tally.fits(&Exact::of(limit.clone())).unwrap(), amount::fits(&sum, &limit));
            }
        }
    }

    #[test]
    fn currencies_do_not_meet() {
        let one = Rational::ONE;
        let mut tally = Tally::nothing(&amount(0, &one, &one));
        for other in 1..5 {
            let other = Exact::of(amount(other, &one, &one));
            assert!(tally.add(&other).is_err());
            assert!(!tally.fits(&other).unwrap());
        }
    }
}
