//! Numbers from columns, with noise.

mod asked;
mod counts;
mod found;
mod numbers;

use std::borrow::Borrow;

use pyo3::prelude::*;
use throng_mechanism::{Mechanism, Sensitive};
use throng_sample::OsEntropy;

use crate::budget::pay;
use crate::error::{Answer, Raised};
use asked::Asked;
use found::{Found, Released};

/// Pays for a mechanism, durably and before anything is read; runs it once; keeps the release.
fn released<M, D>(
    asked: &Asked,
    mechanism: &M,
    data: &Sensitive<D>,
    found: impl FnOnce(M::Output) -> Found,
) -> Answer<Released>
where
    M: Mechanism,
    D: Borrow<M::Input> + ?Sized,
{
    let budget = asked.budget();
    let paid = pay(budget, mechanism, asked.label(), asked.delta())?;
    let release = mechanism.run_on(data, paid.permit, &mut OsEntropy).map_err(Raised::from)?;
    let (value, guarantee) = release.into_parts();
    let released =
        Released::new(found(value), &guarantee, paid.ticket.as_ref().map(ToString::to_string));
    if let Some(budget) = budget {
        budget.store(paid.ticket.as_ref(), &released.payload()?)?;
    }
    Ok(released)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Released>()?;
    counts::register(module)?;
    numbers::register(module)
}
