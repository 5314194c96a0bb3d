//! Bayesian inference from noisy sufficient statistics.
//!
//! The data enters a conjugate model through a sum. The sum is released once, with noise; all
//! inference is post-processing of that one number, and free. But the noise is part of what was
//! observed: whoever plugs the noisy sum into the textbook formulas is surer than the data allows.
//! Here the posterior takes it into account,
//!
//! ```text
//! p(θ | s̃) = Σ w_s p(θ | s),      w_s ∝ P(s) P(noise = s̃ - s),
//! ```
//!
//! a mixture of textbook posteriors over the sums s that may be behind s̃, weighted by
//! how likely the model makes them and how likely the noise makes s̃ of them.
//!
//! | model | data | released |
//! |---|---|---|
//! | [`Bernoulli`] | yes or no | yeses; and noes, if the number of records is private |
//! | [`Categories`] | one of k | the count of each |
//! | [`PoissonRate`] | counts, clamped to [0, most] | their sum |
//! | [`NormalMean`] | numbers, clamped | their sum |
//!
//! Posteriors are computed in ordinary floating point: they come after the noise, and only
//! accuracy depends on them.

mod bernoulli;
mod categories;
pub mod given;
mod normal;
mod poisson;
mod posterior;
mod window;

pub use bernoulli::{Bernoulli, BernoulliEstimate};
pub use categories::{Categories, CategoriesEstimate};
pub use normal::{NormalMean, NormalMeanEstimate};
pub use poisson::{PoissonRate, PoissonRateEstimate};
pub use posterior::{Credible, Part, Posterior};
pub use window::ln_gamma;

use crate::{MechanismError, Neighbours};

/// The relations under which the number of records is public and every record has a value.
fn replace_only(under: Neighbours) -> Result<(), MechanismError> {
    match under {
        Neighbours::Replace => Ok(()),
        Neighbours::AddRemove | Neighbours::ZeroOut => Err(MechanismError::refused(
            format!("this model needs a public number of records, all with a value, not {under}"),
            "use replace neighbours",
        )),
    }
}

/// A parameter of a prior: finite and above 0.
fn prior(name: &str, value: f64) -> Result<f64, MechanismError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(MechanismError::invalid(name, value, "finite and above 0"))
}
