//! What a mechanism is: plain data, with a text form and a JSON form.
//!
//! ```
//! use throng_account::MechanismSpec;
//! let spec: MechanismSpec =
//!     "14062 * sampled(gaussian(sigma=4/5), rate=256/60000) + laplace(scale=2)".parse()?;
//! assert_eq!(
//!     spec.to_string(),
//!     "14062 * sampled(gaussian(sigma=0.8), rate=8/1875) + laplace(scale=2)"
//! );
//! # Ok::<(), throng_account::AccountError>(())
//! ```

mod construct;
mod json;
mod neighbours;
mod template;
pub(crate) mod text;
mod validate;
pub mod vocabulary;

use throng_numeric::Rational;

pub use json::SpecDocument;
pub use template::{Hole, HoleKind, Template};
pub use text::{MAX_BRACKETS, MAX_TEXT};
pub use validate::{MAX_DEPTH, MAX_LEAVES, MAX_NUMBER_BITS, MAX_REPETITIONS, MAX_TIMES};
pub use vocabulary::vocabulary;

/// What it means that two data sets "differ in one unit".
///
/// Exhaustive on purpose: a new relation must break the build wherever it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Neighbours {
    /// One unit is there or is not.
    AddRemove,
    /// One unit's data is exchanged for other data; the number of units is public.
    Replace,
    /// One unit's contribution is replaced by nothing, but its place remains.
    ZeroOut,
}

/// A mechanism that is not made of others.
///
/// Where a leaf adds noise to a value, `sensitivity` is the norm of *one unit's contribution*
/// to that value (L2 for Gaussian noise, L1 for Laplace noise). It does not depend on the
/// relation; the relation decides how far the value can move: by the contribution under
/// [`Neighbours::AddRemove`] and [`Neighbours::ZeroOut`], by twice the contribution under
/// [`Neighbours::Replace`].
///
/// Leaves that *state* a guarantee (`Pure`, `ApproxDp`, `Gdp`, `Zcdp`, `Renyi`, `Profile`, ...)
/// state it for the relation in force.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// Normal noise of standard deviation `sigma`.
    Gaussian {
        /// The standard deviation, at least 0; 0 is no protection.
        sigma: Rational,
        /// The L2 norm of one unit's contribution, at least 0.
        sensitivity: Rational,
    },
    /// Laplace noise: density proportional to e^(-|x|/scale).
    Laplace {
        /// The scale, at least 0; 0 is no protection.
        scale: Rational,
        /// The L1 norm of one unit's contribution, at least 0.
        sensitivity: Rational,
    },
    /// Normal noise on the integers: P(k) proportional to e^(-k^2/(2 sigma^2)).
    DiscreteGaussian {
        /// The parameter sigma, at least 0; 0 is no protection.
        sigma: Rational,
        /// One unit's contribution to one integer, a whole number; or a half under
        /// [`Neighbours::Replace`], where the distance is twice that. For vectors compose the
        /// coordinates, or see [`crate::conversion::grid`].
        sensitivity: Rational,
    },
    /// Laplace noise on the integers: P(k) proportional to e^(-|k|/scale).
    DiscreteLaplace {
        /// The scale, at least 0; 0 is no protection.
        scale: Rational,
        /// The L1 norm of one unit's contribution, a whole number; or a half under
        /// [`Neighbours::Replace`], where the distance is twice that. For vectors too, see
        /// [`crate::pair::noise`].
        sensitivity: Rational,
    },
    /// The staircase mechanism for `epsilon` with step fraction `gamma` in [0, 1].
    Staircase {
        /// The fall from one step to the next, in logarithms, at least 0.
        epsilon: Rational,
        /// How much of each period is on its higher step, in [0, 1].
        gamma: Rational,
    },
    /// Uniform noise on an interval of length `width`.
    Uniform {
        /// The length of the interval, at least 0; 0 is no protection.
        width: Rational,
        /// One unit's contribution, at least 0.
        sensitivity: Rational,
    },
    /// Laplace noise conditioned on |x| <= bound.
    TruncatedLaplace {
        /// The scale before truncation, at least 0.
        scale: Rational,
        /// The largest noise, at least 0.
        bound: Rational,
        /// One unit's contribution, at least 0.
        sensitivity: Rational,
    },
    /// Normal noise conditioned on |x| <= bound.
    TruncatedGaussian {
        /// The standard deviation before truncation, at least 0.
        sigma: Rational,
        /// The largest noise, at least 0.
        bound: Rational,
        /// One unit's contribution, at least 0.
        sensitivity: Rational,
    },
    /// One bit: a 0 is reported as 1 with chance `p`, a 1 as 0 with chance `q`.
    RandomisedResponse {
        /// The chance that a 0 is reported as 1.
        p: Rational,
        /// The chance that a 1 is reported as 0.
        q: Rational,
    },
    /// One of `k` answers: the true one with chance e^eps/(e^eps + k - 1), else any other.
    KaryResponse {
        /// The number of answers, at least 2.
        k: u64,
        /// The log-ratio of the chances of a true and an untrue answer.
        epsilon: Rational,
    },
    /// Any mechanism that is (epsilon, delta)-private: leaky randomised response.
    ApproxDp {
        /// The bound on the loss, at least 0.
        epsilon: Rational,
        /// What is left over once the bound is taken off, in [0, 1].
        delta: Rational,
    },
    /// Any mechanism that is epsilon-private.
    Pure {
        /// The bound on the loss, at least 0.
        epsilon: Rational,
    },
    /// Any mechanism whose output laws are within `delta` in total variation.
    TotalVariation {
        /// The distance, in [0, 1].
        delta: Rational,
    },
    /// Selection of epsilon-bounded range, such as the exponential mechanism.
    Exponential {
        /// The width of the range of the loss, at least 0.
        epsilon: Rational,
    },
    /// Selection by permute-and-flip.
    PermuteAndFlip {
        /// The privacy parameter, at least 0.
        epsilon: Rational,
    },
    /// Selection by report-noisy-max with Laplace or exponential noise.
    NoisyMax {
        /// The privacy parameter, at least 0.
        epsilon: Rational,
    },
    /// Any mu-Gaussian-private mechanism.
    Gdp {
        /// The distance of two normals of variance 1 that are as easy to tell apart, at least 0.
        mu: Rational,
    },
    /// Any mechanism with Renyi divergence at most xi + rho a at every order a > 1.
    Zcdp {
        /// The slope in the order, at least 0.
        rho: Rational,
        /// The constant part, at least 0.
        xi: Rational,
    },
    /// Any mechanism with the given bounds (order, divergence) on its Renyi divergence.
    Renyi {
        /// Pairs (order, divergence), orders above 1 and strictly increasing.
        table: Vec<(Rational, Rational)>,
    },
    /// The Poisson mechanism: counts of rates `mu1` and `mu2` on neighbours.
    Poisson {
        /// The rate on one neighbour (under P), at least 0.
        mu1: Rational,
        /// The rate on the other (under Q), at least 0.
        mu2: Rational,
    },
    /// A Gaussian part of variance `s2` and Poisson event streams of rates (a, b).
    InfinitelyDivisible {
        /// The variance of the Gaussian part of the loss, at least 0.
        s2: Rational,
        /// The rates (a, b) of each stream under P and under Q, at least 0.
        jumps: Vec<(Rational, Rational)>,
    },
    /// Any mechanism whose trade-off curve lies above the polygon through (alpha, beta).
    Tradeoff {
        /// Pairs (false-alarm rate, miss rate): convex, non-increasing, on or below
        /// the line beta = 1 - alpha. The curve is the convex polygon through them together
        /// with the trivial bound.
        knots: Vec<(Rational, Rational)>,
    },
    /// Any mechanism that is (epsilon, delta)-private for each of the pairs.
    Profile {
        /// Pairs (epsilon, delta): epsilon strictly increasing, delta non-increasing.
        knots: Vec<(Rational, Rational)>,
    },
    /// Outcomes 0, 1, ... with these chances on the two neighbours.
    Discrete {
        /// The chances under P, of sum 1.
        p: Vec<Rational>,
        /// The chances under Q, of sum 1.
        q: Vec<Rational>,
    },
    /// The pair of `inner` seen only up to the cells between `cuts`.
    Quantised {
        /// What is seen coarsely.
        inner: Box<Leaf>,
        /// Where one cell ends and the next begins, strictly increasing.
        cuts: Vec<Rational>,
    },
    /// No protection at all.
    NonPrivate,
}

/// A mechanism: a leaf, or mechanisms put together.
///
/// Plain data: it can be stored, printed, compared. The meaning of a variant never changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MechanismSpec {
    /// A mechanism that is not made of others.
    Leaf(Leaf),
    /// All of them, on the same data, each possibly chosen after seeing the answers before.
    Composed(Vec<MechanismSpec>),
    /// The same mechanism several times.
    Repeated {
        /// How often, from 1 to 10^9.
        times: u64,
        /// What is repeated.
        inner: Box<MechanismSpec>,
    },
    /// Run on a sample that holds each unit independently with chance `rate` (Poisson sampling).
    Sampled {
        /// The chance of each unit, in [0, 1].
        rate: Rational,
        /// What runs on the sample.
        inner: Box<MechanismSpec>,
    },
    /// Run on a uniformly random set of exactly `batch` of the `population` units.
    WithoutReplacement {
        /// The size of the set, at least 1.
        batch: u64,
        /// The number of units, at least `batch`.
        population: u64,
        /// What runs on the set.
        inner: Box<MechanismSpec>,
    },
    /// A local randomiser run by each of `users`, whose reports are shuffled.
    Shuffled {
        /// How many report, at least 1.
        users: u64,
        /// The local randomiser.
        inner: Box<MechanismSpec>,
    },
    /// Each unit takes part in `chosen` of `steps` runs, chosen uniformly at random.
    Allocated {
        /// In how many runs a unit takes part, at least 1.
        chosen: u64,
        /// The number of runs, at least `chosen`.
        steps: u64,
        /// One run.
        inner: Box<MechanismSpec>,
    },
    /// The guarantee for `size` units changed together.
    Group {
        /// How many units, at least 1.
        size: u64,
        /// What the units take part in.
        inner: Box<MechanismSpec>,
    },
    /// One of them, chosen with public chances.
    Mixed(Vec<(Rational, MechanismSpec)>),
    /// One on each of disjoint parts of the data.
    Parallel(Vec<MechanismSpec>),
    /// Anything computed from the output.
    PostProcessed(Box<MechanismSpec>),
}
