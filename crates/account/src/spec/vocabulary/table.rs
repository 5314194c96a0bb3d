//! The table itself.

use super::{Argument, Default, Entry, Kind, Shorthand};

const SIGMA: Argument = Argument::new("sigma", Kind::Real).also(&["standard_deviation"]);
const SCALE: Argument = real("scale");
const BOUND: Argument = real("bound");
const SENSITIVITY: Argument = real("sensitivity").or(Default::Number(1));
const EPS: Argument = real("eps").also(&["epsilon"]);
const DELTA: Argument = real("delta");
const INNER: Argument = Argument::new("inner", Kind::Spec);
const PARTS: Argument = Argument::new("parts", Kind::Specs);

const fn real(name: &'static str) -> Argument {
    Argument::new(name, Kind::Real)
}

const fn count(name: &'static str) -> Argument {
    Argument::new(name, Kind::Count)
}

const fn reals(name: &'static str) -> Argument {
    Argument::new(name, Kind::Reals)
}

const fn pairs(name: &'static str) -> Argument {
    Argument::new(name, Kind::Pairs)
}

const PLAIN: Option<Shorthand> = None;
const NOISE_MULTIPLIER: Option<Shorthand> =
    Some(Shorthand { given: &["noise_multiplier"], word: Word::Gaussian, argument: "sigma" });
const STATED_EPS: Option<Shorthand> =
    Some(Shorthand { given: &["eps", "epsilon"], word: Word::Pure, argument: "eps" });

const LEAF: bool = false;
const COMBINATOR: bool = true;

macro_rules! table {
    ($($combines:ident $word:ident = $name:literal $aliases:expr, $arguments:expr, $shorthand:ident:
        $meaning:literal;)*) => {
        /// A word of the language, as the code knows it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Word { $($word),* }

        impl Word {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$word),*];

            /// The line of the table.
            pub(crate) const fn entry(self) -> &'static Entry {
                match self { $(Self::$word => {
                    const { &Entry {
                        name: $name,
                        aliases: &$aliases,
                        arguments: &$arguments,
                        meaning: $meaning,
                        combines: $combines,
                        word: Word::$word,
                        shorthand: $shorthand,
                    } }
                })* }
            }
        }
    };
}

table! {
    LEAF Gaussian = "gaussian" [], [SIGMA, SENSITIVITY], NOISE_MULTIPLIER:
        "normal noise of standard deviation sigma; noise_multiplier=z alone means sigma=z";
    LEAF Laplace = "laplace" [], [SCALE, SENSITIVITY], PLAIN:
        "Laplace noise";
    LEAF DiscreteGaussian = "discrete_gaussian" [], [SIGMA, SENSITIVITY], PLAIN:
        "normal noise on the integers";
    LEAF DiscreteLaplace = "discrete_laplace" ["geometric"], [SCALE, SENSITIVITY], PLAIN:
        "Laplace noise on the integers";
    LEAF Staircase = "staircase" [], [EPS, real("gamma")], PLAIN:
        "the staircase mechanism with step fraction gamma";
    LEAF Uniform = "uniform" [], [real("width"), SENSITIVITY], PLAIN:
        "uniform noise on an interval of length width";
    LEAF TruncatedLaplace = "truncated_laplace" [], [SCALE, BOUND, SENSITIVITY], PLAIN:
        "Laplace noise conditioned on |x| <= bound";
    LEAF TruncatedGaussian = "truncated_gaussian" [], [SIGMA, BOUND, SENSITIVITY], PLAIN:
        "normal noise conditioned on |x| <= bound";
    LEAF RandomisedResponse = "randomized_response" ["randomised_response", "rr"],
        [real("p"), real("q").or(Default::Same("p"))], STATED_EPS:
        "one bit: a 0 reported as 1 with chance p, a 1 as 0 with chance q; eps=e alone means pure(eps=e)";
    LEAF KaryResponse = "kary_response" ["kary_randomized_response", "krr"],
        [count("k"), EPS], PLAIN:
        "one of k answers: the true one e^eps times as likely as any other";
    LEAF ApproxDp = "approx_dp" ["leaky_randomized_response"], [EPS, DELTA], PLAIN:
        "any (eps, delta)-private mechanism";
    LEAF Pure = "pure" [], [EPS], PLAIN:
        "any eps-private mechanism";
    LEAF TotalVariation = "tv" [], [DELTA], PLAIN:
        "any mechanism whose output laws are within delta in total variation";
    LEAF Exponential = "exponential" ["bounded_range"], [EPS], PLAIN:
        "selection of eps-bounded range, such as the exponential mechanism";
    LEAF PermuteAndFlip = "permute_and_flip" [], [EPS], PLAIN:
        "selection by permute-and-flip";
    LEAF NoisyMax = "noisy_max" ["report_noisy_max"], [EPS], PLAIN:
        "selection by report-noisy-max with Laplace or exponential noise";
    LEAF Gdp = "gdp" [], [real("mu")], PLAIN:
        "any mu-Gaussian-private mechanism";
    LEAF Zcdp = "zcdp" [], [real("rho"), real("xi").or(Default::Number(0))], PLAIN:
        "any mechanism with Renyi divergence at most xi + rho a at every order a > 1";
    LEAF Renyi = "renyi" [], [pairs("table")], PLAIN:
        "any mechanism with these bounds (order, divergence) on its Renyi divergence";
    LEAF Poisson = "poisson" [], [real("mu1"), real("mu2")], PLAIN:
        "counts of rates mu1 and mu2 on neighbours";
    LEAF InfinitelyDivisible = "infinitely_divisible" ["id"],
        [real("s2"), pairs("jumps").or(Default::Empty)], PLAIN:
        "a Gaussian part of variance s2 and Poisson event streams of rates (a, b)";
    LEAF Tradeoff = "tradeoff" [], [pairs("knots")], PLAIN:
        "any mechanism whose trade-off curve lies above the polygon through (alpha, beta)";
    LEAF Profile = "profile" [], [pairs("knots")], PLAIN:
        "any mechanism that is (eps, delta)-private for each of the pairs";
    LEAF Discrete = "discrete" [], [reals("p"), reals("q")], PLAIN:
        "outcomes 0, 1, ... with these chances on the two neighbours";
    LEAF Quantised = "quantised" ["quantized"],
        [Argument::new("inner", Kind::Leaf), reals("cuts")], PLAIN:
        "a mechanism seen only up to the cells between the cuts";
    LEAF NonPrivate = "nonprivate" [], [], PLAIN:
        "no protection at all";
    COMBINATOR Composed = "composed" [], [PARTS], PLAIN:
        "all of them on the same data; also written a + b";
    COMBINATOR Repeated = "repeated" [], [INNER, count("times")], PLAIN:
        "the same mechanism several times; also written 3 * a";
    COMBINATOR Sampled = "sampled" [], [INNER, real("rate").also(&["q"])], PLAIN:
        "run on a sample that holds each unit independently with chance rate";
    COMBINATOR WithoutReplacement = "without_replacement" ["wor"],
        [INNER, count("batch"), count("population")], PLAIN:
        "run on a uniformly random set of exactly batch of the population units";
    COMBINATOR Shuffled = "shuffled" [], [INNER, count("users").also(&["n"])], PLAIN:
        "a local randomiser run by each of the users, whose reports are shuffled";
    COMBINATOR Allocated = "allocated" ["random_allocation"],
        [INNER, count("steps"), count("chosen").or(Default::Number(1))], PLAIN:
        "each unit takes part in chosen of steps runs, chosen uniformly at random";
    COMBINATOR Group = "group" [], [INNER, count("size")], PLAIN:
        "the guarantee for size units changed together";
    COMBINATOR Mixed = "mixed" [], [Argument::new("parts", Kind::Chances)], PLAIN:
        "one of them, chosen with public chances";
    COMBINATOR Parallel = "parallel" [], [PARTS], PLAIN:
        "one on each of disjoint parts of the data";
    COMBINATOR PostProcessed = "postprocessed" ["post_processed"], [INNER], PLAIN:
        "anything computed from the output";
}
