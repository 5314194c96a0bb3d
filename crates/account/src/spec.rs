//! What a mechanism is: plain data.

use throng_numeric::Rational;

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
    Gaussian { sigma: Rational, sensitivity: Rational },
    /// Laplace noise: density proportional to e^(-|x|/scale).
    Laplace { scale: Rational, sensitivity: Rational },
    /// Normal noise on the integers: P(k) proportional to e^(-k^2/(2 sigma^2)).
    DiscreteGaussian { sigma: Rational, sensitivity: Rational },
    /// Laplace noise on the integers: P(k) proportional to e^(-|k|/scale).
    DiscreteLaplace { scale: Rational, sensitivity: Rational },
    /// The staircase mechanism for `epsilon` with step fraction `gamma` in [0, 1].
    Staircase { epsilon: Rational, gamma: Rational },
    /// Uniform noise on an interval of length `width`.
    Uniform { width: Rational, sensitivity: Rational },
    /// Laplace noise conditioned on |x| <= bound.
    TruncatedLaplace { scale: Rational, bound: Rational, sensitivity: Rational },
    /// Normal noise conditioned on |x| <= bound.
    TruncatedGaussian { sigma: Rational, bound: Rational, sensitivity: Rational },
    /// One bit: a 0 is reported as 1 with chance `p`, a 1 as 0 with chance `q`.
    RandomisedResponse { p: Rational, q: Rational },
    /// One of `k` answers: the true one with chance e^eps/(e^eps + k - 1), else any other.
    KaryResponse { k: u64, epsilon: Rational },
    /// Any mechanism that is (epsilon, delta)-private: leaky randomised response.
    ApproxDp { epsilon: Rational, delta: Rational },
    /// Any mechanism that is epsilon-private.
    Pure { epsilon: Rational },
    /// Any mechanism whose output laws are within `delta` in total variation.
    TotalVariation { delta: Rational },
    /// Selection of epsilon-bounded range, such as the exponential mechanism.
    Exponential { epsilon: Rational },
    /// Selection by permute-and-flip.
    PermuteAndFlip { epsilon: Rational },
    /// Selection by report-noisy-max with Laplace or exponential noise.
    NoisyMax { epsilon: Rational },
    /// Any mu-Gaussian-private mechanism.
    Gdp { mu: Rational },
    /// Any mechanism with Renyi divergence at most xi + rho a at every order a > 1.
    Zcdp { rho: Rational, xi: Rational },
    /// Any mechanism with the given bounds (order, divergence) on its Renyi divergence.
    Renyi { table: Vec<(Rational, Rational)> },
    /// The Poisson mechanism: counts of rates `mu1` and `mu2` on neighbours.
    Poisson { mu1: Rational, mu2: Rational },
    /// A Gaussian part of variance `s2` and Poisson event streams of rates (a, b).
    InfinitelyDivisible { s2: Rational, jumps: Vec<(Rational, Rational)> },
    /// Any mechanism whose trade-off curve lies above the polygon through (alpha, beta).
    Tradeoff { knots: Vec<(Rational, Rational)> },
    /// Any mechanism that is (epsilon, delta)-private for each of the pairs.
    Profile { knots: Vec<(Rational, Rational)> },
    /// Outcomes 0, 1, ... with these chances on the two neighbours.
    Discrete { p: Vec<Rational>, q: Vec<Rational> },
    /// The pair of `inner` seen only up to the cells between `cuts`.
    Quantised { inner: Box<Leaf>, cuts: Vec<Rational> },
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
    Repeated { times: u64, inner: Box<MechanismSpec> },
    /// Run on a sample that holds each unit independently with chance `rate` (Poisson sampling).
    Sampled { rate: Rational, inner: Box<MechanismSpec> },
    /// Run on a uniformly random set of exactly `batch` of the `population` units.
    WithoutReplacement { batch: u64, population: u64, inner: Box<MechanismSpec> },
    /// A local randomiser run by each of `users`, whose reports are shuffled.
    Shuffled { users: u64, inner: Box<MechanismSpec> },
    /// Each unit takes part in `chosen` of `steps` runs, chosen uniformly at random.
    Allocated { chosen: u64, steps: u64, inner: Box<MechanismSpec> },
    /// The guarantee for `size` units changed together.
    Group { size: u64, inner: Box<MechanismSpec> },
    /// One of them, chosen with public chances.
    Mixed(Vec<(Rational, MechanismSpec)>),
    /// One on each of disjoint parts of the data.
    Parallel(Vec<MechanismSpec>),
    /// Anything computed from the output.
    PostProcessed(Box<MechanismSpec>),
}
