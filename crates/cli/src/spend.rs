//! What a query may cost, or how precise it shall be.

use clap::Args;
use throng_numeric::Rational;
use throng_query::release::Cost;

use crate::failure::Failure;
use crate::number::{self, Number};

/// What a query may cost; the policy's `[query]` if nothing is said.
#[derive(Debug, Args)]
pub(crate) struct Spend {
    /// At most this epsilon, for everything in this call together.
    #[arg(long, value_name = "E", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Number>,

    /// The chance of anything worse; private keys need one.
    #[arg(long, value_name = "D", value_parser = number::open_probability, allow_hyphen_values = true)]
    pub(crate) delta: Option<Number>,

    /// At most this rho of zero-concentrated privacy.
    #[arg(long, value_name = "RHO", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) rho: Option<Number>,

    /// At most this mu of Gaussian privacy.
    #[arg(long, value_name = "MU", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) mu: Option<Number>,

    /// As little as gives this error, such as `n: 50 @95%`: a column, or an aggregate as `throng
    /// explain` prints it; several with `;` or again.
    #[arg(long, value_name = "NAME: ERROR @LEVEL", value_delimiter = ';', value_parser = target)]
    pub(crate) error: Vec<Target>,
}

/// How precise one column shall be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    column: String,
    error: f64,
    level: f64,
}

const WAYS: &str = "give one of --epsilon (with --delta), --rho, --mu, --error";

impl Spend {
    /// The one thing asked for; nothing if the policy is to say.
    pub(crate) fn cost(&self, usual: Option<&Cost>) -> Result<Option<Cost>, Failure> {
        let exact = |number: &Number| number.exact().clone();
        let delta = self.delta.as_ref().map_or(Rational::ZERO, exact);
        let targets = (!self.error.is_empty()).then_some(&self.error);
        match (&self.epsilon, &self.rho, &self.mu, targets) {
            (Some(epsilon), None, None, None) => {
                Ok(Some(Cost::Epsilon { epsilon: exact(epsilon), delta }))
            }
            (None, Some(rho), None, None) => Ok(Some(Cost::Zcdp { rho: exact(rho), delta })),
            (None, None, Some(mu), None) => Ok(Some(Cost::Gdp { mu: exact(mu), delta })),
            (None, None, None, Some(targets)) => {
                let delta = if self.delta.is_some() { delta } else { usual_delta(usual) };
                let targets =
                    targets.iter().map(|one| (one.column.clone(), one.error, one.level)).collect();
                Ok(Some(Cost::Error { targets, delta }))
            }
            (None, None, None, None) => match (&self.delta, usual) {
                (None, _) => Ok(None),
                (Some(_), Some(usual)) => Ok(Some(with_delta(usual.clone(), delta))),
                (Some(_), None) => Err(Failure::usage("--delta needs --epsilon", WAYS)),
            },
            _ => Err(Failure::usage("it is said in two ways what the query may cost", WAYS)),
        }
    }
}

/// The delta of the policy, or none.
fn usual_delta(usual: Option<&Cost>) -> Rational {
    match usual {
        Some(
            Cost::Epsilon { delta, .. }
            | Cost::Zcdp { delta, .. }
            | Cost::Gdp { delta, .. }
            | Cost::Error { delta, .. },
        ) => delta.clone(),
        None => Rational::ZERO,
    }
}

/// The same with another delta.
fn with_delta(mut cost: Cost, new: Rational) -> Cost {
    match &mut cost {
        Cost::Epsilon { delta, .. }
        | Cost::Zcdp { delta, .. }
        | Cost::Gdp { delta, .. }
        | Cost::Error { delta, .. } => *delta = new,
    }
    cost
}

/// Reads `count: 50 @95%`; without a level it is 95 %.
pub(crate) fn target(text: &str) -> Result<Target, String> {
    const FORM: &str = "must be like `count: 50 @95%`";
    let (column, rest) = text.rsplit_once(':').ok_or(FORM)?;
    let (error, level) = rest.split_once('@').unwrap_or((rest, "95%"));
    let error = number::positive(error.trim()).map_err(|_| FORM)?.down();
    let column = column.trim().to_owned();
    if column.is_empty() || error <= 0.0 {
        return Err(FORM.to_owned());
    }
    Ok(Target { column, error, level: level_of(level.trim()).ok_or(FORM)? })
}

/// `95%` or `0.95`.
fn level_of(text: &str) -> Option<f64> {
    let number = match text.strip_suffix('%') {
        Some(percent) => number::positive(percent.trim()).ok()?.nearest() / 100.0,
        None => number::positive(text).ok()?.nearest(),
    };
    (number > 0.0 && number < 1.0).then_some(number)
}

/// Reads `column=2`.
pub(crate) fn weight(text: &str) -> Result<(String, f64), String> {
    let (column, factor) = text.rsplit_once('=').ok_or("must be like `total=2`")?;
    let factor = number::positive(factor.trim())?.nearest();
    if !(1e-9..=1e9).contains(&factor) {
        return Err("a weight must be between 1e-9 and 1e9".to_owned());
    }
    Ok((column.trim().to_owned(), factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read() {
        let wanted = Target { column: "count".to_owned(), error: 50.0, level: 0.95 };
        assert_eq!(target("count: 50 @95%").unwrap(), wanted);
        assert_eq!(target("count:50").unwrap(), wanted);
        assert_eq!(target(" a:b : 5e1 @0.95").unwrap().column, "a:b");
        for wrong in
            ["", "count", "count: x", "count: -1", ": 5", "n: 5 @100%", "n: 5 @0", "n: 5 @"]
        {
            assert!(target(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn weights_are_read() {
        assert_eq!(weight("a=b=2"), Ok(("a=b".to_owned(), 2.0)));
        for wrong in ["a", "a=", "a=0", "a=-1", "a=1e300"] {
            assert!(weight(wrong).is_err(), "{wrong}");
        }
    }
}
