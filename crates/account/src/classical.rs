//! What the classical composition theorems would have said, side by side.
//!
//! The rows are for comparison and teaching. All of them are sound bounds except the central limit,
//! which says so. None is as good as the privacy loss distribution of the same spec.

mod bounds;
mod exact;
mod rows;
mod terms;

pub use bounds::{
    advanced, basic, heterogeneous, heterogeneous_concentrated, kov_hoeffding, kov_logarithmic,
};
pub use exact::{homogeneous_delta, homogeneous_epsilon};
pub use terms::Term;

use crate::conversion::arithmetic::open_chance;
use crate::{AccountError, MechanismSpec, Neighbours};

/// One bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The epsilon it gives at the delta asked for, rounded up; absent if it does not apply.
    pub epsilon: Option<f64>,
    /// Why it does not apply, or what to know when reading it.
    pub note: String,
}

/// What each classical bound says about a mechanism at a delta.
///
/// # Guarantee
/// Every epsilon is a certified upper bound, except in the row named "central limit".
///
/// # Errors
/// If delta is not above 0 and below 1, or a parameter of the spec is out of range. A bound that
/// does not apply is no error but a row without an epsilon.
///
/// ```
/// use throng_account::{Leaf, MechanismSpec, Neighbours, classical};
/// let answer = MechanismSpec::Leaf(Leaf::Pure { epsilon: "1/10".parse()? });
/// let spec = MechanismSpec::Repeated { times: 100, inner: Box::new(answer) };
/// let rows = classical::table(&spec, Neighbours::AddRemove, 1e-5)?;
/// let of = |name| rows.iter().find(|row| row.name == name).and_then(|row| row.epsilon);
/// assert!(of("exact, homogeneous") < of("zCDP") && of("zCDP") < of("basic composition"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn table(
    spec: &MechanismSpec,
    under: Neighbours,
    delta: f64,
) -> Result<Vec<Row>, AccountError> {
    open_chance("delta", delta)?;
    let runs = terms::runs(spec)?;
    let terms = terms::priced(&runs, under, delta);
    if let Err(error @ (AccountError::Invalid { .. } | AccountError::Numeric(_))) = &terms {
        return Err(error.clone());
    }
    let mut table = rows::of_terms(terms, delta);
    table.extend(rows::of_currencies(spec, under, delta));
    table.push(rows::central_limit(&runs, under, delta));
    Ok(table)
}
