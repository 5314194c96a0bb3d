//! How private a release shall be, and who pays.

use pyo3::prelude::*;
use throng_account::Target;
use throng_mechanism::noise::Protection;
use throng_mechanism::{Grid, Neighbours};
use throng_numeric::Rational;

use crate::budget::Budget;
use crate::error::{Answer, invalid};
use crate::number::Exact;

/// How private: epsilon, delta, mu, rho; under which relation; paid from which budget, as what.
pub(super) type Ask = (
    Option<Exact>,
    Option<Exact>,
    Option<Exact>,
    Option<Exact>,
    String,
    Option<Py<Budget>>,
    String,
);

/// One way to say how private.
enum Privacy {
    Pure(Exact),
    Approximate(Exact, Exact),
    Gdp(Exact),
    Zcdp(Exact),
}

/// What was asked for, checked.
pub(super) struct Asked {
    privacy: Privacy,
    under: Neighbours,
    budget: Option<Py<Budget>>,
    label: String,
}

const WAYS: &str = "give epsilon, epsilon with delta, gdp or zcdp";

impl Asked {
    /// That it is said in one way, in numbers that make sense.
    pub(super) fn checked(ask: Ask) -> Answer<Self> {
        let (epsilon, delta, gdp, zcdp, under, budget, label) = ask;
        let under: Neighbours = under.parse()?;
        let privacy = match (epsilon, delta, gdp, zcdp) {
            (Some(epsilon), None, None, None) => Privacy::Pure(positive("epsilon", epsilon)?),
            (Some(epsilon), Some(delta), None, None) => {
                Privacy::Approximate(positive("epsilon", epsilon)?, fraction("delta", delta)?)
            }
            (None, None, Some(mu), None) => Privacy::Gdp(positive("gdp", mu)?),
            (None, None, None, Some(rho)) => Privacy::Zcdp(positive("zcdp", rho)?),
            (None, Some(_), None, None) => {
                return Err(invalid("delta needs epsilon", "add epsilon"));
            }
            (None, None, None, None) => {
                return Err(invalid("it is not said how private the release shall be", WAYS));
            }
            _ => {
                let text = "it is said in two ways how private the release shall be";
                return Err(invalid(text, WAYS));
            }
        };
        Ok(Self { privacy, under, budget, label })
    }
}

fn positive(name: &str, number: Exact) -> Answer<Exact> {
    if number.0.is_positive() {
        return Ok(number);
    }
    Err(invalid(format!("{name} is {}, but must be above 0", number.0), "choose another"))
}

fn fraction(name: &str, number: Exact) -> Answer<Exact> {
    if number.0.is_positive() && number.0 < Rational::ONE {
        return Ok(number);
    }
    let text = format!("{name} is {}, but must be above 0 and below 1", number.0);
    Err(invalid(text, "choose another"))
}

impl Asked {
    pub(super) const fn under(&self) -> Neighbours {
        self.under
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn budget(&self) -> Option<&Budget> {
        self.budget.as_ref().map(Py::get)
    }

    /// The delta at which a budget of pairs prices a whole curve.
    pub(super) fn delta(&self) -> Option<&Rational> {
        match &self.privacy {
            Privacy::Approximate(_, delta) => Some(&delta.0),
            Privacy::Pure(_) | Privacy::Gdp(_) | Privacy::Zcdp(_) => None,
        }
    }

    /// Epsilon if it is asked for alone.
    pub(super) fn pure(&self) -> Option<&Rational> {
        match &self.privacy {
            Privacy::Pure(epsilon) => Some(&epsilon.0),
            Privacy::Approximate(..) | Privacy::Gdp(_) | Privacy::Zcdp(_) => None,
        }
    }

    /// Epsilon and delta if both are asked for.
    pub(super) fn pair(&self) -> Option<(&Rational, &Rational)> {
        match &self.privacy {
            Privacy::Approximate(epsilon, delta) => Some((&epsilon.0, &delta.0)),
            Privacy::Pure(_) | Privacy::Gdp(_) | Privacy::Zcdp(_) => None,
        }
    }

    /// Laplace noise for pure privacy, else the least Gaussian noise that reaches the target, every number on
    /// its strict side.
    pub(super) fn protection(&self) -> Protection {
        Protection::Target(match &self.privacy {
            Privacy::Pure(epsilon) => return Protection::Pure { epsilon: epsilon.0.clone() },
            Privacy::Approximate(epsilon, delta) => {
                Target::Epsilon { epsilon: epsilon.down(), delta: delta.down() }
            }
            Privacy::Gdp(mu) => Target::Gdp { mu: mu.down() },
            Privacy::Zcdp(rho) => Target::Zcdp { rho: rho.down() },
        })
    }

    /// A grid that is fine beside the noise on numbers that move this far. Which one it is matters to accuracy
    /// only, so the scale of the noise is guessed.
    pub(super) fn grid(&self, distance: &Rational) -> Answer<Grid> {
        let strength = match &self.privacy {
            Privacy::Pure(epsilon) | Privacy::Approximate(epsilon, _) => epsilon.down(),
            Privacy::Gdp(mu) => mu.down(),
            Privacy::Zcdp(rho) => (2.0 * rho.down()).sqrt(),
        };
        let strength = Rational::from_f64(strength.clamp(1e-30, 1e30)).unwrap_or(Rational::ONE);
        Ok(Grid::under(&distance.checked_div(&strength).unwrap_or(Rational::ONE))?)
    }
}
