//! Spec to tree.

use throng_numeric::Rational;

use super::tree::{Call, Node, Tree};
use crate::spec::vocabulary::Word;
use crate::spec::{Leaf, MechanismSpec};

/// The tree of a spec, with every argument written out.
pub(crate) fn spec(spec: &MechanismSpec) -> Tree {
    let inner = |inner: &MechanismSpec| self::spec(inner);
    match spec {
        MechanismSpec::Leaf(leaf) => self::leaf(leaf),
        MechanismSpec::Composed(parts) => call(Word::Composed, [list(parts, inner)]),
        MechanismSpec::Parallel(parts) => call(Word::Parallel, [list(parts, inner)]),
        MechanismSpec::Mixed(parts) => {
            call(Word::Mixed, [list(parts, |(chance, part)| pair(number(chance), inner(part)))])
        }
        MechanismSpec::PostProcessed(part) => call(Word::PostProcessed, [inner(part)]),
        MechanismSpec::Repeated { times, inner: part } => {
            call(Word::Repeated, [inner(part), count(*times)])
        }
        MechanismSpec::Sampled { rate, inner: part } => {
            call(Word::Sampled, [inner(part), number(rate)])
        }
        MechanismSpec::WithoutReplacement { batch, population, inner: part } => {
            call(Word::WithoutReplacement, [inner(part), count(*batch), count(*population)])
        }
        MechanismSpec::Shuffled { users, inner: part } => {
            call(Word::Shuffled, [inner(part), count(*users)])
        }
        MechanismSpec::Allocated { chosen, steps, inner: part } => {
            call(Word::Allocated, [inner(part), count(*steps), count(*chosen)])
        }
        MechanismSpec::Group { size, inner: part } => {
            call(Word::Group, [inner(part), count(*size)])
        }
    }
}

/// The tree of a leaf, with every argument written out.
pub(crate) fn leaf(leaf: &Leaf) -> Tree {
    match leaf {
        Leaf::Gaussian { sigma, sensitivity } => numbers(Word::Gaussian, [sigma, sensitivity]),
        Leaf::Laplace { scale, sensitivity } => numbers(Word::Laplace, [scale, sensitivity]),
        Leaf::DiscreteGaussian { sigma, sensitivity } => {
            numbers(Word::DiscreteGaussian, [sigma, sensitivity])
        }
        Leaf::DiscreteLaplace { scale, sensitivity } => {
            numbers(Word::DiscreteLaplace, [scale, sensitivity])
        }
        Leaf::Staircase { epsilon, gamma } => numbers(Word::Staircase, [epsilon, gamma]),
        Leaf::Uniform { width, sensitivity } => numbers(Word::Uniform, [width, sensitivity]),
        Leaf::TruncatedLaplace { scale, bound, sensitivity } => {
            numbers(Word::TruncatedLaplace, [scale, bound, sensitivity])
        }
        Leaf::TruncatedGaussian { sigma, bound, sensitivity } => {
            numbers(Word::TruncatedGaussian, [sigma, bound, sensitivity])
        }
        Leaf::RandomisedResponse { p, q } => numbers(Word::RandomisedResponse, [p, q]),
        Leaf::KaryResponse { k, epsilon } => call(Word::KaryResponse, [count(*k), number(epsilon)]),
        Leaf::ApproxDp { epsilon, delta } => numbers(Word::ApproxDp, [epsilon, delta]),
        Leaf::Pure { epsilon } => numbers(Word::Pure, [epsilon]),
        Leaf::TotalVariation { delta } => numbers(Word::TotalVariation, [delta]),
        Leaf::Exponential { epsilon } => numbers(Word::Exponential, [epsilon]),
        Leaf::PermuteAndFlip { epsilon } => numbers(Word::PermuteAndFlip, [epsilon]),
        Leaf::NoisyMax { epsilon } => numbers(Word::NoisyMax, [epsilon]),
        Leaf::Gdp { mu } => numbers(Word::Gdp, [mu]),
        Leaf::Zcdp { rho, xi } => numbers(Word::Zcdp, [rho, xi]),
        Leaf::Renyi { table } => call(Word::Renyi, [pairs(table)]),
        Leaf::Poisson { mu1, mu2 } => numbers(Word::Poisson, [mu1, mu2]),
        Leaf::InfinitelyDivisible { s2, jumps } => {
            call(Word::InfinitelyDivisible, [number(s2), pairs(jumps)])
        }
        Leaf::Tradeoff { knots } => call(Word::Tradeoff, [pairs(knots)]),
        Leaf::Profile { knots } => call(Word::Profile, [pairs(knots)]),
        Leaf::Discrete { p, q } => call(Word::Discrete, [list(p, number), list(q, number)]),
        Leaf::Quantised { inner, cuts } => {
            call(Word::Quantised, [self::leaf(inner), list(cuts, number)])
        }
        Leaf::NonPrivate => call(Word::NonPrivate, []),
    }
}

fn call<const N: usize>(word: Word, arguments: [Tree; N]) -> Tree {
    Node::Call(Call { word, slots: arguments.map(Some).into() }).into()
}

fn numbers<const N: usize>(word: Word, arguments: [&Rational; N]) -> Tree {
    call(word, arguments.map(number))
}

fn number(value: &Rational) -> Tree {
    Node::Number(value.clone()).into()
}

fn count(value: u64) -> Tree {
    Node::Number(Rational::from(value)).into()
}

fn pair(first: Tree, second: Tree) -> Tree {
    Node::Pair(Box::new((first, second))).into()
}

fn list<T>(items: &[T], item: impl Fn(&T) -> Tree) -> Tree {
    Node::List(items.iter().map(item).collect()).into()
}

fn pairs(items: &[(Rational, Rational)]) -> Tree {
    list(items, |(first, second)| pair(number(first), number(second)))
}
