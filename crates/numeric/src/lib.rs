//! Numbers that never lie.
//!
//! Everything Throng promises is a number, and every such number is either *exact*
//! ([`Rational`]) or an *enclosure* ([`Enclosure`]): a pair of `f64` between which the true
//! value is proved to lie. Nothing in this crate returns a bare floating-point estimate of a
//! quantity on which a guarantee could depend.
//!
//! | module | what it holds |
//! |---|---|
//! | [`rational`] | exact rationals, their text form, exact `f64` to rational |
//! | [`fixed`] | e^-x of a rational to any number of bits, in integers only |
//! | [`rounding`] | `f64` arithmetic with a direction: `_down` is below, `_up` is above |
//! | [`enclosure`] | outward-rounded intervals and their arithmetic |
//! | [`elementary`] | their exponentials and logarithms, sums in the logarithmic domain |
//! | [`trigonometric`] | cosine and sine of a point |
//! | [`normal`] | the normal distribution, its quantile, the error function |
//! | [`gamma`], [`beta`] | ln Γ and the regularised incomplete integrals |
//! | [`tails`] | cumulative Poisson and binomial probabilities |
//! | [`convolution`] | convolution of masses with a proved error, tails down to 1e-300 |
//! | [`search`] | monotone search whose safe end is certified |
//! | [`widths`] | one table: how wide each enclosure may be |
//! | [`patience`] | giving up on long work when whoever waits says so |
//!
//! Below them lie double-word arithmetic (`wide`), balls that carry their own rounding error
//! (`ball`), and constants written by `vectors/constants.py`. `crates/oracle` holds every
//! enclosure against MPFR; `vectors/special.csv` holds values from mpmath.

mod ball;
pub mod beta;
mod constants;
pub mod convolution;
pub mod elementary;
pub mod enclosure;
mod error;
pub mod fixed;
pub mod gamma;
mod nested;
pub mod normal;
pub mod patience;
pub mod rational;
pub mod rounding;
mod scaled;
pub mod search;
mod share;
pub mod tails;
pub mod trigonometric;
mod wide;
pub mod widths;

pub use dashu_int::{IBig as Integer, UBig as Natural};
pub use enclosure::Enclosure;
pub use error::NumericError;
pub use rational::Rational;
