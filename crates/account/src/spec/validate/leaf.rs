//! Which leaves make sense.

use throng_numeric::Rational;

use super::number::Check;
use crate::AccountError;
use crate::spec::Leaf;
use crate::spec::text::number::print;
use crate::spec::vocabulary::Word;

type Pair = (Rational, Rational);

/// Checks one leaf, but not what is inside it.
pub(super) fn check(leaf: &Leaf) -> Result<(), AccountError> {
    match leaf {
        Leaf::Gaussian { sigma, sensitivity } => {
            nonnegative(Word::Gaussian, [("sigma", sigma), ("sensitivity", sensitivity)])
        }
        Leaf::Laplace { scale, sensitivity } => {
            nonnegative(Word::Laplace, [("scale", scale), ("sensitivity", sensitivity)])
        }
        Leaf::DiscreteGaussian { sigma, sensitivity } => {
            discrete_noise(Word::DiscreteGaussian, ("sigma", sigma), sensitivity)
        }
        Leaf::DiscreteLaplace { scale, sensitivity } => {
            discrete_noise(Word::DiscreteLaplace, ("scale", scale), sensitivity)
        }
        Leaf::Staircase { epsilon, gamma } => {
            nonnegative(Word::Staircase, [("eps", epsilon)])?;
            Check::of(Word::Staircase).chance("gamma", gamma)
        }
        Leaf::Uniform { width, sensitivity } => {
            nonnegative(Word::Uniform, [("width", width), ("sensitivity", sensitivity)])
        }
        Leaf::TruncatedLaplace { scale, bound, sensitivity } => nonnegative(
            Word::TruncatedLaplace,
            [("scale", scale), ("bound", bound), ("sensitivity", sensitivity)],
        ),
        Leaf::TruncatedGaussian { sigma, bound, sensitivity } => nonnegative(
            Word::TruncatedGaussian,
            [("sigma", sigma), ("bound", bound), ("sensitivity", sensitivity)],
        ),
        Leaf::RandomisedResponse { p, q } => {
            Check::of(Word::RandomisedResponse).chance("p", p)?;
            Check::of(Word::RandomisedResponse).chance("q", q)
        }
        Leaf::KaryResponse { k, epsilon } => {
            Check::of(Word::KaryResponse).count("k", *k, 2, u64::MAX, "at least 2")?;
            nonnegative(Word::KaryResponse, [("eps", epsilon)])
        }
        Leaf::ApproxDp { epsilon, delta } => {
            nonnegative(Word::ApproxDp, [("eps", epsilon)])?;
            Check::of(Word::ApproxDp).chance("delta", delta)
        }
        Leaf::Pure { epsilon } => nonnegative(Word::Pure, [("eps", epsilon)]),
        Leaf::TotalVariation { delta } => Check::of(Word::TotalVariation).chance("delta", delta),
        Leaf::Exponential { epsilon } => nonnegative(Word::Exponential, [("eps", epsilon)]),
        Leaf::PermuteAndFlip { epsilon } => nonnegative(Word::PermuteAndFlip, [("eps", epsilon)]),
        Leaf::NoisyMax { epsilon } => nonnegative(Word::NoisyMax, [("eps", epsilon)]),
        Leaf::Gdp { mu } => nonnegative(Word::Gdp, [("mu", mu)]),
        Leaf::Zcdp { rho, xi } => nonnegative(Word::Zcdp, [("rho", rho), ("xi", xi)]),
        Leaf::Renyi { table } => renyi(table),
        Leaf::Poisson { mu1, mu2 } => nonnegative(Word::Poisson, [("mu1", mu1), ("mu2", mu2)]),
        Leaf::InfinitelyDivisible { s2, jumps } => infinitely_divisible(s2, jumps),
        Leaf::Tradeoff { knots } => tradeoff(knots),
        Leaf::Profile { knots } => profile(knots),
        Leaf::Discrete { p, q } => discrete(p, q),
        Leaf::Quantised { inner: _, cuts } => quantised(cuts),
        Leaf::NonPrivate => Ok(()),
    }
}

/// Numbers that are at least 0.
fn nonnegative<const N: usize>(
    word: Word,
    arguments: [(&str, &Rational); N],
) -> Result<(), AccountError> {
    let check = Check::of(word);
    arguments.iter().try_for_each(|(name, value)| check.at_least_zero(name, value))
}

fn discrete_noise(
    word: Word,
    scale: (&str, &Rational),
    sensitivity: &Rational,
) -> Result<(), AccountError> {
    nonnegative(word, [scale])?;
    Check::of(word).half_whole("sensitivity", sensitivity)
}

/// An error about one pair of a list.
fn wrong(check: Check, list: &str, index: usize, pair: &Pair, allowed: &str) -> AccountError {
    let value = format!("({}, {})", print(&pair.0), print(&pair.1));
    check.wrong_item(list, index, value, allowed)
}

/// Every pair is of a reasonable size, fits, and fits its predecessor.
fn pairs(
    check: Check,
    list: &str,
    pairs: &[Pair],
    fits: impl Fn(&Pair) -> Result<(), &'static str>,
    follows: impl Fn(&Pair, &Pair) -> Result<(), &'static str>,
) -> Result<(), AccountError> {
    let mut previous: Option<&Pair> = None;
    for (index, pair) in pairs.iter().enumerate() {
        let name = format!("{list}[{index}]");
        check.size(&name, &pair.0)?;
        check.size(&name, &pair.1)?;
        let after = previous.map_or(Ok(()), |previous| follows(previous, pair));
        fits(pair).and(after).map_err(|allowed| wrong(check, list, index, pair, allowed))?;
        previous = Some(pair);
    }
    Ok(())
}

fn not_empty<T>(check: Check, list: &str, items: &[T]) -> Result<(), AccountError> {
    if items.is_empty() {
        return Err(AccountError::invalid(check.name(list), "empty", "at least one item"));
    }
    Ok(())
}

fn must(holds: bool, allowed: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(allowed) }
}

fn in_unit_interval(value: &Rational) -> bool {
    !value.is_negative() && *value <= Rational::ONE
}

fn renyi(table: &[Pair]) -> Result<(), AccountError> {
    let check = Check::of(Word::Renyi);
    not_empty(check, "table", table)?;
    let fits = |(order, divergence): &Pair| {
        must(*order > Rational::ONE, "of an order above 1")?;
        must(!divergence.is_negative(), "of a divergence at least 0")
    };
    let follows =
        |before: &Pair, this: &Pair| must(before.0 < this.0, "in strictly increasing order");
    pairs(check, "table", table, fits, follows)
}

fn infinitely_divisible(s2: &Rational, jumps: &[Pair]) -> Result<(), AccountError> {
    nonnegative(Word::InfinitelyDivisible, [("s2", s2)])?;
    let fits = |(a, b): &Pair| {
        must(!a.is_negative() && !b.is_negative(), "a pair of rates, each at least 0")
    };
    pairs(Check::of(Word::InfinitelyDivisible), "jumps", jumps, fits, |_, _| Ok(()))
}

fn profile(knots: &[Pair]) -> Result<(), AccountError> {
    let check = Check::of(Word::Profile);
    not_empty(check, "knots", knots)?;
    let fits = |(epsilon, delta): &Pair| {
        must(!epsilon.is_negative(), "of an epsilon at least 0")?;
        must(in_unit_interval(delta), "of a delta in [0, 1]")
    };
    let follows = |before: &Pair, this: &Pair| {
        must(before.0 < this.0, "of a larger epsilon than the knot before")?;
        must(before.1 >= this.1, "of a delta no larger than the knot before")
    };
    pairs(check, "knots", knots, fits, follows)
}

fn tradeoff(knots: &[Pair]) -> Result<(), AccountError> {
    let check = Check::of(Word::Tradeoff);
    not_empty(check, "knots", knots)?;
    let fits = |(alpha, beta): &Pair| {
        must(in_unit_interval(alpha), "of a false-alarm rate in [0, 1]")?;
        must(in_unit_interval(beta), "of a miss rate in [0, 1]")?;
        must(alpha + beta <= Rational::ONE, "on or below the line beta = 1 - alpha")
    };
    let follows = |before: &Pair, this: &Pair| {
        must(before.0 < this.0, "of a larger false-alarm rate than the knot before")?;
        must(before.1 >= this.1, "of a miss rate no larger than the knot before")
    };
    pairs(check, "knots", knots, fits, follows)?;
    let bent = knots.windows(3).position(|three| match three {
        [first, middle, last] => !is_convex(first, middle, last),
        _ => false,
    });
    let bent = bent.map(|index| index + 1);
    match bent.and_then(|index| Some((index, knots.get(index)?))) {
        Some((index, knot)) => {
            let allowed = "on or below the line through its neighbours";
            Err(wrong(check, "knots", index, knot, allowed))
        }
        None => Ok(()),
    }
}

/// Whether the slope does not fall at the middle; alphas are strictly increasing.
fn is_convex(first: &Pair, middle: &Pair, last: &Pair) -> bool {
    let (run, rise) = (&middle.0 - &first.0, &middle.1 - &first.1);
    let (next_run, next_rise) = (&last.0 - &middle.0, &last.1 - &middle.1);
    rise * next_run <= next_rise * run
}

fn discrete(p: &[Rational], q: &[Rational]) -> Result<(), AccountError> {
    let check = Check::of(Word::Discrete);
    check.distribution("p", p.iter())?;
    check.distribution("q", q.iter())?;
    if p.len() != q.len() {
        let (value, allowed) = (format!("of length {}", q.len()), format!("of length {}", p.len()));
        return Err(AccountError::invalid(check.name("q"), value, allowed));
    }
    Ok(())
}

fn quantised(cuts: &[Rational]) -> Result<(), AccountError> {
    let check = Check::of(Word::Quantised);
    for (index, cut) in cuts.iter().enumerate() {
        check.size(&format!("cuts[{index}]"), cut)?;
    }
    let unordered = cuts.windows(2).position(|two| two.is_sorted_by(|a, b| a >= b));
    match unordered.and_then(|index| Some((index + 1, cuts.get(index + 1)?))) {
        Some((index, cut)) => {
            Err(check.wrong_item("cuts", index, print(cut), "larger than the cut before"))
        }
        None => Ok(()),
    }
}
