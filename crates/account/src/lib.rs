//! The accountant: every privacy notion in one currency, certified on both sides.
//!
//! A mechanism is plain data, a [`MechanismSpec`]; its privacy loss is a [`PrivacyLoss`]; every
//! other notion is read off that: ε at δ, δ at ε, the attacker's trade-off curve, Rényi
//! divergence, zCDP, Gaussian privacy, posterior beliefs. The crate is pure: no files, no clock, no
//! randomness.
//!
//! ```
//! use throng_account::{Accuracy, MechanismSpec, Neighbours, PrivacyLoss};
//!
//! // Sixty epochs of private training: each step sees each unit with chance 256/60000.
//! let spec: MechanismSpec = "14062 * sampled(gaussian(sigma=0.8), rate=256/60000)".parse()?;
//! let loss = PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default())?;
//!
//! let epsilon = loss.epsilon(1e-5)?; // the upper end is the promise
//! assert!(epsilon.upper < 4.5503 && epsilon.lower > 4.5494);
//!
//! let missed = loss.miss_rate(0.01)?; // of an attacker with 1 % false alarms; here the lower end
//! assert!(missed.lower > 0.85);
//!
//! // The smallest noise for a target; the target was checked at the value that is returned.
//! use throng_account::{Target, Template, calibrate};
//! let template = Template::parse("100 * gaussian(sigma=?)")?;
//! let target = Target::Epsilon { epsilon: 1.0, delta: 1e-6 };
//! let found = calibrate(&template, &target, Neighbours::AddRemove, Accuracy::default())?;
//! assert!(found.achieved.upper <= 1.0);
//! # Ok::<(), throng_account::AccountError>(())
//! ```
//!
//! # Modules
//! | module | what it holds |
//! |---|---|
//! | [`spec`] | mechanisms as data: text, JSON, validation, templates with a `?` |
//! | [`pair`] | dominating pairs of single mechanisms: finite ones, and profiles δ(ε) |
//! | `fold`, `component` | the one walk over a spec; the parts of a composition it leaves |
//! | `law`, `inversion` | transforms of losses; from a transform to δ(ε) |
//! | `loss`, `tradeoff` | [`PrivacyLoss`] and everything that is read off it |
//! | [`pld`] | the second engine: losses on a grid, composed by Fourier transforms |
//! | [`calibrate`](mod@calibrate) | the parameter that reaches a target |
//! | [`filter`] | budgets for analysts who choose questions after seeing answers |
//! | [`conversion`] | from one notion to another, by formula |
//! | [`classical`] | what the older composition theorems say, for comparison |
//! | [`decomposition`], [`lemma`] | what (ε, δ) means for two laws, exactly; small theorems |
//! | [`bracket`] | `[lower, upper]`, and which end is the promise |
//!
//! # Guaranteed
//! A [`Bracket`] contains the exact value for the dominating pair of the spec, with truncation,
//! discretisation and rounding included, and its promised end holds for the mechanism itself: the
//! upper end of ε, δ and divergences, the lower end of a miss rate. This holds for adaptive
//! composition: each mechanism may be chosen after the answers of those before, as long as the
//! *specs* were fixed in advance. If the specs are chosen along the way, use a [`filter`].
//!
//! # Assumed
//! That the mechanism is what its spec says: its noise has the stated law, one unit contributes at
//! most `sensitivity`, samples are drawn as stated and kept secret, and data differ as the
//! [`Neighbours`] relation says. That `f64` arithmetic rounds to nearest as IEEE 754 says.
//!
//! # Not covered
//! How a mechanism is implemented (floating-point noise, time, memory), and relations or
//! amplifications without a proof: those are refused ([`AccountError::Refused`]), never guessed.

pub mod bracket;
pub mod calibrate;
pub mod classical;
mod component;
pub mod conversion;
pub mod decomposition;
mod disc;
mod error;
mod estimate;
pub mod filter;
mod fold;
mod inversion;
mod law;
pub mod lemma;
mod loss;
pub mod pair;
pub mod pld;
pub mod spec;
mod tradeoff;

pub use bracket::Bracket;
pub use calibrate::{Calibration, Target, calibrate};
pub use error::AccountError;
pub use loss::comparison::Comparison;
pub use loss::readings::{Cell, Moments};
pub use loss::{Accuracy, Direction, PrivacyLoss};
pub use spec::{Leaf, MechanismSpec, Neighbours, SpecDocument, Template};
