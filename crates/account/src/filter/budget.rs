//! Amounts in the currencies that filters count in.

use std::fmt;

use throng_numeric::{Enclosure, Rational};

use super::cost;
use crate::conversion::arithmetic::{exactly, rational_down};
use crate::conversion::zcdp::Zcdp;
use crate::conversion::{gaussian, renyi, zcdp};
use crate::{AccountError, Accuracy, MechanismSpec, Neighbours, PrivacyLoss};

/// An amount in one currency: a capacity, what is spent, what is left, or one cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Budget {
    /// Pure epsilon.
    Pure {
        /// The loss.
        epsilon: Rational,
    },
    /// A pair (epsilon, delta), under basic composition.
    Approximate {
        /// The loss.
        epsilon: Rational,
        /// The chance of anything worse.
        delta: Rational,
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
    /// Pairs (epsilon, delta), for mechanisms that come with such a pair.
    Approximate,
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
            Self::Approximate { .. } => {
                Self::Approximate { epsilon: Rational::ZERO, delta: Rational::ZERO }
            }
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
            Self::Approximate { .. } => {
                let cost::Approximate { epsilon, delta } = cost::approximate(spec, under)?;
                Self::Approximate { epsilon, delta }
            }
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

    /// What a mechanism costs if its whole spec is fixed up front (a batch of queries, a training run).
    ///
    /// In a budget of pairs it is priced by its whole privacy loss curve and converted once: the cost is
    /// (ε(δ), δ) at the δ that is named, ε rounded up. If the spec has a pair of its own that is no
    /// worse in either number (pure ε needs no δ), that pair is taken. Other currencies have one price
    /// per spec, whatever the δ.
    ///
    /// # Guarantee
    /// Each charge is one mechanism, however many parts it has: its spec was fixed before it ran, so its
    /// curve bounds it for adaptively chosen inputs, and it is private with the pair returned (the
    /// upper end of the curve at a δ that is not above the one returned). Pairs that are chosen after
    /// earlier answers add up: see [`super`].
    ///
    /// # Errors
    /// As for [`Budget::price`]; if delta is not in [0, 1), or the loss at it is not finite.
    pub fn price_at(
        &self,
        spec: &MechanismSpec,
        under: Neighbours,
        delta: Option<&Rational>,
    ) -> Result<Self, AccountError> {
        let (Self::Approximate { .. }, Some(delta)) = (self, delta) else {
            return self.price(spec, under);
        };
        if delta.is_negative() || *delta >= Rational::ONE {
            let given = delta.to_f64_nearest();
            return Err(AccountError::invalid("delta", given, "at least 0 and below 1"));
        }
        match (curve_pair(spec, under, delta), self.price(spec, under)) {
            (Ok(curve), Ok(plain)) => Ok(if plain.is_within(&curve) { plain } else { curve }),
            (Ok(curve), Err(_)) => Ok(curve),
            (Err(_), Ok(plain)) => Ok(plain),
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Whether no component is above the other's.
    fn is_within(&self, other: &Self) -> bool {
        let left = other.zip(self, |whole, part| whole - part);
        left.is_some_and(|left| !left.amounts().into_iter().any(Rational::is_negative))
    }

    /// Combines two amounts of one currency, component by component.
    pub(super) fn zip(
        &self,
        other: &Self,
        f: impl Fn(&Rational, &Rational) -> Rational,
    ) -> Option<Self> {
        match (self, other) {
            (Self::Pure { epsilon: a }, Self::Pure { epsilon: b }) => {
                Some(Self::Pure { epsilon: f(a, b) })
            }
            (Self::Approximate { epsilon: e, delta: d }, Self::Approximate { epsilon, delta }) => {
                Some(Self::Approximate { epsilon: f(e, epsilon), delta: f(d, delta) })
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
            (
                Self::Pure { .. }
                | Self::Approximate { .. }
                | Self::Zcdp { .. }
                | Self::Gdp { .. }
                | Self::Renyi { .. },
                _,
            ) => None,
        }
    }

    pub(super) fn amounts(&self) -> Vec<&Rational> {
        match self {
            Self::Pure { epsilon } => vec![epsilon],
            Self::Approximate { epsilon, delta } => vec![epsilon, delta],
            Self::Zcdp { rho, delta } => vec![rho, delta],
            Self::Gdp { mu_squared } => vec![mu_squared],
            Self::Renyi { orders } => orders.iter().map(|(_, d)| d).collect(),
        }
    }

    /// Refuses negative capacities, and orders that are not rising and above 1.
    pub(super) fn checked(self) -> Result<Self, AccountError> {
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
    /// If epsilon is negative, delta is not above 0 and below 1 (pure epsilon does not look at it;
    /// pairs may also have delta = 0), or no capacity is enough.
    pub fn for_epsilon_delta(
        currency: &Currency,
        epsilon: &Rational,
        delta: &Rational,
    ) -> Result<Self, AccountError> {
        let target = Enclosure::of_rational(epsilon);
        let given = delta.to_f64_down();
        match currency {
            Currency::Pure => Self::Pure { epsilon: epsilon.clone() }.checked(),
            Currency::Approximate => {
                if *delta >= Rational::ONE {
                    return Err(AccountError::invalid("delta", delta, "at least 0 and below 1"));
                }
                Self::Approximate { epsilon: epsilon.clone(), delta: delta.clone() }.checked()
            }
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
    /// The delta is the `f64`, exactly. A pair says nothing below its own delta, and the `f64`
    /// nearest to a decimal may be below it: ask at [`Rational::to_f64_up`] of the delta.
    ///
    /// # Errors
    /// If delta is not above what leaks anyway (for a pair: below its delta), or not below 1.
    pub fn epsilon_at(&self, delta: f64) -> Result<f64, AccountError> {
        match self {
            Self::Pure { epsilon } => Ok(epsilon.to_f64_up()),
            Self::Approximate { epsilon, delta: leak } => {
                let enough = delta < 1.0 && Rational::from_f64(delta)? >= *leak;
                let wanted = || format!("at least {} and below 1", leak.to_f64_up());
                if !enough {
                    return Err(AccountError::invalid("delta", delta, wanted()));
                }
                Ok(epsilon.to_f64_up())
            }
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

/// (ε(δ), δ) of the whole curve; ε is exact as the `f64` it is certified as.
fn curve_pair(
    spec: &MechanismSpec,
    under: Neighbours,
    delta: &Rational,
) -> Result<Budget, AccountError> {
    let loss = PrivacyLoss::of_spec(spec, under, Accuracy::default())?;
    // At a delta that is not above the recorded one, epsilon is not below.
    let epsilon = loss.epsilon(delta.to_f64_down())?.upper;
    if !epsilon.is_finite() {
        return Err(AccountError::refused(
            format!("{spec} has no finite epsilon at delta = {}", delta.to_f64_nearest()),
            "give a larger delta, or use noise that protects",
        ));
    }
    let epsilon = Rational::from_f64(epsilon)?.max(Rational::ZERO);
    Ok(Budget::Approximate { epsilon, delta: delta.clone() })
}

fn same_orders(a: &[(Rational, Rational)], b: &[(Rational, Rational)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.0 == y.0)
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = Rational::to_f64_up;
        match self {
            Self::Pure { epsilon } => write!(f, "epsilon = {}", short(epsilon)),
            Self::Approximate { epsilon, delta } => {
                write!(f, "epsilon = {}, delta = {}", short(epsilon), short(delta))
            }
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
