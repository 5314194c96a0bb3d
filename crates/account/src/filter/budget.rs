//! The filter itself.

use std::fmt;

use throng_numeric::{Enclosure, Rational};

use super::cost;
use crate::conversion::arithmetic::{exactly, rational_down};
use crate::conversion::zcdp::Zcdp;
use crate::conversion::{gaussian, renyi, zcdp};
use crate::{AccountError, MechanismSpec, Neighbours};

/// An amount in one currency: a capacity, what is spent, what is left, or one cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Budget {
    /// Pure epsilon.
    Pure {
        /// The loss.
        epsilon: Rational,
    },
    /// delta-approximate rho-zCDP.
    Zcdp {
        /// The divergence per order.
        rho: Rational,
        /// The chance of anything worse.
        delta: Rational,
    },
    /// Gaussian privacy.
    Gdp {
        /// μ², which adds.
        mu_squared: Rational,
    },
    /// Renyi divergence at orders fixed in advance, all of which hold.
    Renyi {
        /// (order, divergence), by rising order.
        orders: Vec<(Rational, Rational)>,
    },
}

/// Which currency to turn an (epsilon, delta) budget into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Currency {
    /// Pure epsilon; delta is not used.
    Pure,
    /// Approximate zCDP, with a part of delta set aside for mechanisms that leak.
    Zcdp {
        /// The part of delta set aside; may be 0.
        leak: Rational,
    },
    /// Gaussian privacy.
    Gdp,
    /// Renyi divergence at one order.
    Renyi {
        /// The order.
        order: Rational,
    },
}

impl Budget {
    /// The same currency, nothing of it.
    #[must_use]
    pub fn nothing(&self) -> Self {
        match self {
            Self::Pure { .. } => Self::Pure { epsilon: Rational::ZERO },
            Self::Zcdp { .. } => Self::Zcdp { rho: Rational::ZERO, delta: Rational::ZERO },
            Self::Gdp { .. } => Self::Gdp { mu_squared: Rational::ZERO },
            Self::Renyi { orders } => Self::Renyi {
                orders: orders.iter().map(|(a, _)| (a.clone(), Rational::ZERO)).collect(),
            },
        }
    }

    /// What a mechanism costs in this currency.
    ///
    /// # Errors
    /// As for the functions of [`super::cost`].
    pub fn price(&self, spec: &MechanismSpec, under: Neighbours) -> Result<Self, AccountError> {
        Ok(match self {
            Self::Pure { .. } => Self::Pure { epsilon: cost::pure(spec, under)? },
            Self::Zcdp { .. } => {
                let cost::Concentrated { rho, delta } = cost::zcdp(spec, under)?;
                Self::Zcdp { rho, delta }
            }
            Self::Gdp { .. } => Self::Gdp { mu_squared: cost::gdp(spec, under)? },
            Self::Renyi { orders } => {
                let price =
                    |(a, _): &(Rational, Rational)| Ok((a.clone(), cost::renyi(spec, under, a)?));
                Self::Renyi {
                    orders: orders.iter().map(price).collect::<Result<_, AccountError>>()?,
                }
            }
        })
    }

    /// Combines two amounts of one currency, component by component.
    fn zip(&self, other: &Self, f: impl Fn(&Rational, &Rational) -> Rational) -> Option<Self> {
        match (self, other) {
            (Self::Pure { epsilon: a }, Self::Pure { epsilon: b }) => {
                Some(Self::Pure { epsilon: f(a, b) })
            }
            (Self::Zcdp { rho: r, delta: d }, Self::Zcdp { rho, delta }) => {
                Some(Self::Zcdp { rho: f(r, rho), delta: f(d, delta) })
            }
            (Self::Gdp { mu_squared: a }, Self::Gdp { mu_squared: b }) => {
                Some(Self::Gdp { mu_squared: f(a, b) })
            }
            (Self::Renyi { orders: a }, Self::Renyi { orders: b }) if same_orders(a, b) => {
                let pairs = a.iter().zip(b);
                let orders = pairs.map(|((o, x), (_, y))| (o.clone(), f(x, y))).collect();
                Some(Self::Renyi { orders })
            }
            (Self::Pure { .. } | Self::Zcdp { .. } | Self::Gdp { .. } | Self::Renyi { .. }, _) => {
                None
            }
        }
    }

    fn amounts(&self) -> Vec<&Rational> {
        match self {
            Self::Pure { epsilon } => vec![epsilon],
            Self::Zcdp { rho, delta } => vec![rho, delta],
            Self::Gdp { mu_squared } => vec![mu_squared],
            Self::Renyi { orders } => orders.iter().map(|(_, d)| d).collect(),
        }
    }

    /// Refuses negative capacities, and orders that are not rising and above 1.
    fn checked(self) -> Result<Self, AccountError> {
        if let Some(bad) = self.amounts().into_iter().find(|x| x.is_negative()) {
            return Err(AccountError::invalid("a capacity", bad, "at least 0"));
        }
        if let Self::Renyi { orders } = &self {
            let rising = orders.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0));
            let above = orders.first().is_some_and(|(a, _)| *a > Rational::ONE);
            if !rising || !above {
                return Err(AccountError::invalid(
                    "the orders",
                    self,
                    "rising, above 1, not empty",
                ));
            }
        }
        Ok(self)
    }

    /// The largest capacity that gives (epsilon, delta), rounded down.
    ///
    /// # Guarantee
    /// A filter of this capacity makes the whole interaction (epsilon, delta)-private.
    ///
    /// # Errors
    /// If epsilon is negative, delta is not above 0 and below 1, or no capacity is enough.
    pub fn for_epsilon_delta(
        currency: &Currency,
        epsilon: &Rational,
        delta: &Rational,
    ) -> Result<Self, AccountError> {
        let target = Enclosure::of_rational(epsilon);
        let given = delta.to_f64_down();
        match currency {
            Currency::Pure => Self::Pure { epsilon: epsilon.clone() }.checked(),
            Currency::Zcdp { leak } => {
                // δ̂ = leak + (1 - leak) δ_z <= leak + δ_z.
                let rest = delta - leak;
                let rho = zcdp::largest_rho(epsilon, rest.to_f64_down())?;
                Self::Zcdp { rho, delta: leak.clone() }.checked()
            }
            Currency::Gdp => {
                // The certified mu holds at its own f64, so its exact square is the capacity.
                let mu = gaussian::mu(target, given)?.lower;
                Self::Gdp { mu_squared: Rational::from_f64(mu)?.square() }.checked()
            }
            Currency::Renyi { order } => {
                let most = renyi::largest_divergence(Enclosure::of_rational(order), target, given)?;
                let orders = vec![(order.clone(), rational_down(most)?)];
                Self::Renyi { orders }.checked()
            }
        }
    }

    /// An epsilon at which this amount is (epsilon, delta)-private, rounded up.
    ///
    /// # Errors
    /// If delta is not above what leaks anyway, or not below 1.
    pub fn epsilon_at(&self, delta: f64) -> Result<f64, AccountError> {
        match self {
            Self::Pure { epsilon } => Ok(epsilon.to_f64_up()),
            Self::Zcdp { rho, delta: leak } => {
                let rest = exactly(delta)? - Enclosure::of_rational(leak);
                let bound = Zcdp::of_rho(Enclosure::of_rational(rho))?;
                Ok(zcdp::epsilon(bound, rest.lower())?.value.upper())
            }
            Self::Gdp { mu_squared } => {
                let mu = Enclosure::of_rational(mu_squared).sqrt()?;
                Ok(gaussian::epsilon(delta, mu)?.upper)
            }
            Self::Renyi { orders } => {
                let enclose = |(a, d): &(Rational, Rational)| {
                    (Enclosure::of_rational(a), Enclosure::of_rational(d))
                };
                let table: Vec<_> = orders.iter().map(enclose).collect();
                Ok(renyi::epsilon_of_table(&table, delta)?.value.upper())
            }
        }
    }
}

fn same_orders(a: &[(Rational, Rational)], b: &[(Rational, Rational)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.0 == y.0)
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = Rational::to_f64_up;
        match self {
            Self::Pure { epsilon } => write!(f, "epsilon = {}", short(epsilon)),
            Self::Zcdp { rho, delta } => {
                write!(f, "rho = {}, delta = {}", short(rho), short(delta))
            }
            Self::Gdp { mu_squared } => write!(f, "mu^2 = {}", short(mu_squared)),
            Self::Renyi { orders } => {
                for (i, (order, d)) in orders.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}D_{order} = {}", short(d))?;
                }
                Ok(())
            }
        }
    }
}

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
        let cost = self.capacity.price(spec, self.under)?;
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
        let receipt = self.preview(spec)?;
        self.spent = receipt.spent.clone();
        Ok(receipt)
    }
}
