//! A budget in memory, for use without a ledger.

use throng_account::filter::{Budget as Amount, Currency, Filter, Receipt, cost};
use throng_account::{AccountError, MechanismSpec, Neighbours};
use throng_numeric::Rational;
use throng_sample::Entropy;

use crate::{Mechanism, MechanismError, Permit, Release, Sensitive};

/// What may be spent, kept in memory: a privacy filter that hands out permits.
///
/// # Guarantee
/// All mechanisms run with permits of one budget together have the guarantee of its capacity,
/// however each was chosen after seeing the answers of the others. The budget lives and dies with
/// the process; a ledger keeps it durably.
///
/// ```
/// use throng_mechanism::{Budget, Neighbours};
/// let mut budget = Budget::pure("1".parse()?, Neighbours::AddRemove)?;
/// let spec = "discrete_laplace(scale=4)".parse()?;
/// let permit = budget.authorise(&spec)?;
/// assert_eq!(budget.remaining().to_string(), "epsilon = 0.75");
/// # drop(permit);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Budget {
    filter: Filter,
}

impl Budget {
    /// A budget of pure epsilon.
    ///
    /// # Errors
    /// If epsilon is negative.
    pub fn pure(epsilon: Rational, under: Neighbours) -> Result<Self, MechanismError> {
        Self::of(Amount::Pure { epsilon }, under)
    }

    /// A budget of rho-zCDP.
    ///
    /// # Errors
    /// If rho is negative.
    pub fn zcdp(rho: Rational, under: Neighbours) -> Result<Self, MechanismError> {
        Self::of(Amount::Zcdp { rho, delta: Rational::ZERO }, under)
    }

    /// A budget of mu-Gaussian privacy.
    ///
    /// # Errors
    /// If mu is negative.
    pub fn gdp(mu: &Rational, under: Neighbours) -> Result<Self, MechanismError> {
        if mu.is_negative() {
            return Err(MechanismError::invalid("mu", mu, "at least 0"));
        }
        Self::of(Amount::Gdp { mu_squared: mu.square() }, under)
    }

    /// A budget of pairs (epsilon, delta), which add up.
    ///
    /// Mechanisms with a whole curve, such as Gaussian noise, have no pair of their own: they are paid for
    /// at a delta, by [`Budget::authorise_at`]; or [`Budget::converted`] turns (epsilon, delta) into
    /// zCDP or GDP.
    ///
    /// # Errors
    /// If epsilon is negative or delta not in [0, 1].
    pub fn approx(
        epsilon: Rational,
        delta: Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        if delta > Rational::ONE {
            return Err(MechanismError::invalid("delta", delta, "in [0, 1]"));
        }
        Self::of(Amount::Approximate { epsilon, delta }, under)
    }

    /// An (epsilon, delta) budget, turned into the largest capacity of a currency in which adaptive
    /// composition is proved.
    ///
    /// # Errors
    /// If epsilon or delta is out of range.
    pub fn converted(
        currency: &Currency,
        epsilon: &Rational,
        delta: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        Self::of(Amount::for_epsilon_delta(currency, epsilon, delta)?, under)
    }

    /// A budget of exactly what one mechanism costs, in the first currency that has a price for it.
    ///
    /// For a release that is not paid from anything larger: whoever makes several adds them up.
    ///
    /// # Errors
    /// If the accountant has no price for it in any currency.
    pub fn of_one<M: Mechanism + ?Sized>(mechanism: &M) -> Result<Self, MechanismError> {
        let under = mechanism.neighbours();
        Self::of(price(&mechanism.spec(), under)?, under)
    }

    /// A budget of any amount.
    ///
    /// # Errors
    /// If the amount is negative or malformed.
    pub fn of(capacity: Amount, under: Neighbours) -> Result<Self, MechanismError> {
        Ok(Self { filter: Filter::new(capacity, under)? })
    }

    /// What a mechanism would cost and leave; nothing is spent.
    ///
    /// # Errors
    /// As for [`Budget::authorise`].
    pub fn preview(&self, spec: &MechanismSpec) -> Result<Receipt, AccountError> {
        self.filter.preview(spec)
    }

    /// The same for a mechanism whose whole spec is fixed: in a budget of pairs it is priced by its
    /// whole curve, at this delta.
    ///
    /// # Errors
    /// As for [`Budget::authorise_at`].
    pub fn preview_at(
        &self,
        spec: &MechanismSpec,
        delta: Option<&Rational>,
    ) -> Result<Receipt, AccountError> {
        self.filter.preview_at(spec, delta)
    }

    /// Pays for a mechanism.
    ///
    /// # Errors
    /// [`AccountError::Exhausted`] if the budget does not cover it, and what else the accountant
    /// refuses; then nothing is spent.
    pub fn authorise(&mut self, spec: &MechanismSpec) -> Result<Permit, MechanismError> {
        self.authorise_at(spec, None)
    }

    /// Pays for a mechanism; in a budget of pairs by its whole curve, at this delta.
    ///
    /// # Errors
    /// As for [`Budget::authorise`], with the price of [`Amount::price_at`].
    pub fn authorise_at(
        &mut self,
        spec: &MechanismSpec,
        delta: Option<&Rational>,
    ) -> Result<Permit, MechanismError> {
        let receipt = self.filter.try_charge_at(spec, delta)?;
        #[expect(clippy::disallowed_methods, reason = "the charge is recorded in this budget")]
        Ok(Permit::issue(spec.clone(), self.filter.neighbours(), receipt.cost))
    }

    /// Pays for a mechanism, as it describes itself.
    ///
    /// # Errors
    /// As for [`Budget::authorise`], or if the mechanism is for another relation.
    pub fn permit<M: Mechanism + ?Sized>(
        &mut self,
        mechanism: &M,
    ) -> Result<Permit, MechanismError> {
        let (own, asked) = (self.filter.neighbours(), mechanism.neighbours());
        if own != asked {
            return Err(MechanismError::refused(
                format!("the mechanism is for {asked} and the budget for {own} neighbours"),
                "use one relation throughout",
            ));
        }
        self.authorise(&mechanism.spec())
    }

    /// Pays for a mechanism and runs it.
    ///
    /// # Errors
    /// As for [`Budget::permit`], then nothing is spent; and as for [`Mechanism::run`].
    pub fn run<M: Mechanism + ?Sized>(
        &mut self,
        mechanism: &M,
        input: &Sensitive<M::Input>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<M::Output>, MechanismError> {
        let permit = self.permit(mechanism)?;
        mechanism.run(input, permit, entropy)
    }

    /// What is spent, exactly.
    #[must_use]
    pub fn spent(&self) -> &Amount {
        self.filter.spent()
    }

    /// What is left, exactly.
    #[must_use]
    pub fn remaining(&self) -> Amount {
        self.filter.remaining()
    }

    /// What may be spent in all.
    #[must_use]
    pub fn capacity(&self) -> &Amount {
        self.filter.capacity()
    }

    /// The relation that costs are computed for.
    #[must_use]
    pub fn neighbours(&self) -> Neighbours {
        self.filter.neighbours()
    }
}

/// What a mechanism costs, in the first currency that has a price for it.
fn price(spec: &MechanismSpec, under: Neighbours) -> Result<Amount, AccountError> {
    if let Ok(epsilon) = cost::pure(spec, under) {
        return Ok(Amount::Pure { epsilon });
    }
    if let Ok(pair) = cost::approximate(spec, under) {
        return Ok(Amount::Approximate { epsilon: pair.epsilon, delta: pair.delta });
    }
    match cost::zcdp(spec, under) {
        Ok(cost) => Ok(Amount::Zcdp { rho: cost.rho, delta: cost.delta }),
        // A search has a bound at some orders only.
        Err(error) => renyi(spec, under).ok_or(error),
    }
}

/// The divergence at the first of some orders at which there is one.
fn renyi(spec: &MechanismSpec, under: Neighbours) -> Option<Amount> {
    [2, 4, 8, 16, 32, 64].into_iter().map(Rational::from).find_map(|order| {
        let divergence = cost::renyi(spec, under, &order).ok()?;
        Some(Amount::Renyi { orders: vec![(order, divergence)] })
    })
}
