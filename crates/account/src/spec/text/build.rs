//! Tree to spec.

use throng_numeric::Rational;

use super::syntax;
use super::tree::{Call, Node, Tree};
use crate::AccountError;
use crate::spec::vocabulary::{Default, Word};
use crate::spec::{Leaf, MechanismSpec};

type Pairs = Vec<(Rational, Rational)>;

/// The spec that a tree without holes describes; it is not validated yet.
pub(crate) fn spec(tree: &Tree) -> Result<MechanismSpec, AccountError> {
    let call = as_call(tree)?;
    Ok(match call.word {
        Word::Composed => MechanismSpec::Composed(call.specs("parts")?),
        Word::Parallel => MechanismSpec::Parallel(call.specs("parts")?),
        Word::Mixed => MechanismSpec::Mixed(call.chances("parts")?),
        Word::PostProcessed => MechanismSpec::PostProcessed(call.inner()?),
        Word::Repeated => {
            MechanismSpec::Repeated { times: call.count("times")?, inner: call.inner()? }
        }
        Word::Sampled => MechanismSpec::Sampled { rate: call.real("rate")?, inner: call.inner()? },
        Word::WithoutReplacement => MechanismSpec::WithoutReplacement {
            batch: call.count("batch")?,
            population: call.count("population")?,
            inner: call.inner()?,
        },
        Word::Shuffled => {
            MechanismSpec::Shuffled { users: call.count("users")?, inner: call.inner()? }
        }
        Word::Allocated => MechanismSpec::Allocated {
            chosen: call.count("chosen")?,
            steps: call.count("steps")?,
            inner: call.inner()?,
        },
        Word::Group => MechanismSpec::Group { size: call.count("size")?, inner: call.inner()? },
        Word::Gaussian
        | Word::Laplace
        | Word::DiscreteGaussian
        | Word::DiscreteLaplace
        | Word::Staircase
        | Word::Uniform
        | Word::TruncatedLaplace
        | Word::TruncatedGaussian
        | Word::RandomisedResponse
        | Word::KaryResponse
        | Word::ApproxDp
        | Word::Pure
        | Word::TotalVariation
        | Word::Exponential
        | Word::PermuteAndFlip
        | Word::NoisyMax
        | Word::Gdp
        | Word::Zcdp
        | Word::Renyi
        | Word::Poisson
        | Word::InfinitelyDivisible
        | Word::Tradeoff
        | Word::Profile
        | Word::Discrete
        | Word::Quantised
        | Word::NonPrivate => MechanismSpec::Leaf(leaf(tree)?),
    })
}

fn leaf(tree: &Tree) -> Result<Leaf, AccountError> {
    let call = as_call(tree)?;
    Ok(match call.word {
        Word::Gaussian => {
            Leaf::Gaussian { sigma: call.real("sigma")?, sensitivity: call.real("sensitivity")? }
        }
        Word::Laplace => {
            Leaf::Laplace { scale: call.real("scale")?, sensitivity: call.real("sensitivity")? }
        }
        Word::DiscreteGaussian => Leaf::DiscreteGaussian {
            sigma: call.real("sigma")?,
            sensitivity: call.real("sensitivity")?,
        },
        Word::DiscreteLaplace => Leaf::DiscreteLaplace {
            scale: call.real("scale")?,
            sensitivity: call.real("sensitivity")?,
        },
        Word::Staircase => {
            Leaf::Staircase { epsilon: call.real("eps")?, gamma: call.real("gamma")? }
        }
        Word::Uniform => {
            Leaf::Uniform { width: call.real("width")?, sensitivity: call.real("sensitivity")? }
        }
        Word::TruncatedLaplace => Leaf::TruncatedLaplace {
            scale: call.real("scale")?,
            bound: call.real("bound")?,
            sensitivity: call.real("sensitivity")?,
        },
        Word::TruncatedGaussian => Leaf::TruncatedGaussian {
            sigma: call.real("sigma")?,
            bound: call.real("bound")?,
            sensitivity: call.real("sensitivity")?,
        },
        Word::RandomisedResponse => {
            Leaf::RandomisedResponse { p: call.real("p")?, q: call.real("q")? }
        }
        Word::KaryResponse => {
            Leaf::KaryResponse { k: call.count("k")?, epsilon: call.real("eps")? }
        }
        Word::ApproxDp => Leaf::ApproxDp { epsilon: call.real("eps")?, delta: call.real("delta")? },
        Word::Pure => Leaf::Pure { epsilon: call.real("eps")? },
        Word::TotalVariation => Leaf::TotalVariation { delta: call.real("delta")? },
        Word::Exponential => Leaf::Exponential { epsilon: call.real("eps")? },
        Word::PermuteAndFlip => Leaf::PermuteAndFlip { epsilon: call.real("eps")? },
        Word::NoisyMax => Leaf::NoisyMax { epsilon: call.real("eps")? },
        Word::Gdp => Leaf::Gdp { mu: call.real("mu")? },
        Word::Zcdp => Leaf::Zcdp { rho: call.real("rho")?, xi: call.real("xi")? },
        Word::Renyi => Leaf::Renyi { table: call.pairs("table")? },
        Word::Poisson => Leaf::Poisson { mu1: call.real("mu1")?, mu2: call.real("mu2")? },
        Word::InfinitelyDivisible => {
            Leaf::InfinitelyDivisible { s2: call.real("s2")?, jumps: call.pairs("jumps")? }
        }
        Word::Tradeoff => Leaf::Tradeoff { knots: call.pairs("knots")? },
        Word::Profile => Leaf::Profile { knots: call.pairs("knots")? },
        Word::Discrete => Leaf::Discrete { p: call.reals("p")?, q: call.reals("q")? },
        Word::Quantised => {
            Leaf::Quantised { inner: Box::new(call.leaf("inner")?), cuts: call.reals("cuts")? }
        }
        Word::NonPrivate => Leaf::NonPrivate,
        Word::Composed
        | Word::Repeated
        | Word::Sampled
        | Word::WithoutReplacement
        | Word::Shuffled
        | Word::Allocated
        | Word::Group
        | Word::Mixed
        | Word::Parallel
        | Word::PostProcessed => {
            return Err(unfit(tree, "a mechanism that is not made of others"));
        }
    })
}

/// The tree was checked against the table when it was made, so this is not seen.
fn unfit(tree: &Tree, wanted: &str) -> AccountError {
    syntax(tree.column, format!("expected {wanted}, found {}", tree.name()))
}

/// The count that a number is, if it is one.
pub(crate) fn whole(number: &Rational) -> Option<u64> {
    let numerator = number.is_integer().then(|| number.numerator().clone())?;
    u64::try_from(numerator).ok()
}

fn as_call(tree: &Tree) -> Result<&Call, AccountError> {
    match &tree.node {
        Node::Call(call) => Ok(call),
        Node::Number(_) | Node::Hole | Node::List(_) | Node::Pair(_) => {
            Err(unfit(tree, "a mechanism"))
        }
    }
}

fn as_real(tree: &Tree) -> Result<Rational, AccountError> {
    match &tree.node {
        Node::Number(number) => Ok(number.clone()),
        Node::Call(_) | Node::Hole | Node::List(_) | Node::Pair(_) => Err(unfit(tree, "a number")),
    }
}

fn as_pair(tree: &Tree) -> Result<&(Tree, Tree), AccountError> {
    match &tree.node {
        Node::Pair(pair) => Ok(pair),
        Node::Number(_) | Node::Call(_) | Node::Hole | Node::List(_) => Err(unfit(tree, "a pair")),
    }
}

fn as_list(tree: &Tree) -> Result<&[Tree], AccountError> {
    match &tree.node {
        Node::List(items) => Ok(items),
        Node::Number(_) | Node::Call(_) | Node::Hole | Node::Pair(_) => Err(unfit(tree, "a list")),
    }
}

impl Call {
    /// What was given for an argument, and what stands for it otherwise.
    fn slot(&self, name: &str) -> (Option<&Tree>, Option<Default>) {
        let entry = self.word.entry();
        let place = entry.place_of(name);
        let given = place.and_then(|place| self.slots.get(place)).and_then(Option::as_ref);
        let line = place.and_then(|place| entry.arguments.get(place));
        (given, line.and_then(|line| line.default))
    }

    fn missing(&self, name: &str) -> AccountError {
        syntax(0, format!("{} needs {name}", self.word.entry().name))
    }

    fn given(&self, name: &str) -> Result<&Tree, AccountError> {
        self.slot(name).0.ok_or_else(|| self.missing(name))
    }

    fn real(&self, name: &str) -> Result<Rational, AccountError> {
        match self.slot(name) {
            (Some(tree), _) => as_real(tree),
            (None, Some(Default::Number(number))) => Ok(Rational::from(number)),
            (None, Some(Default::Same(other))) => self.given(other).and_then(as_real),
            (None, Some(Default::Empty) | None) => Err(self.missing(name)),
        }
    }

    fn count(&self, name: &str) -> Result<u64, AccountError> {
        let number = self.real(name)?;
        whole(&number).ok_or_else(|| {
            let name = format!("{}.{name}", self.word.entry().name);
            AccountError::invalid(name, super::number::print(&number), "a whole number below 2^64")
        })
    }

    fn items(&self, name: &str) -> Result<&[Tree], AccountError> {
        match self.slot(name) {
            (Some(tree), _) => as_list(tree),
            (None, Some(Default::Empty)) => Ok(&[]),
            (None, Some(Default::Number(_) | Default::Same(_)) | None) => Err(self.missing(name)),
        }
    }

    fn reals(&self, name: &str) -> Result<Vec<Rational>, AccountError> {
        self.items(name)?.iter().map(as_real).collect()
    }

    fn pairs(&self, name: &str) -> Result<Pairs, AccountError> {
        let pair = |(a, b): &(Tree, Tree)| Ok((as_real(a)?, as_real(b)?));
        self.items(name)?.iter().map(|item| as_pair(item).and_then(pair)).collect()
    }

    fn chances(&self, name: &str) -> Result<Vec<(Rational, MechanismSpec)>, AccountError> {
        let pair = |(chance, part): &(Tree, Tree)| Ok((as_real(chance)?, spec(part)?));
        self.items(name)?.iter().map(|item| as_pair(item).and_then(pair)).collect()
    }

    fn specs(&self, name: &str) -> Result<Vec<MechanismSpec>, AccountError> {
        self.items(name)?.iter().map(spec).collect()
    }

    fn leaf(&self, name: &str) -> Result<Leaf, AccountError> {
        self.given(name).and_then(leaf)
    }

    fn inner(&self) -> Result<Box<MechanismSpec>, AccountError> {
        self.given("inner").and_then(spec).map(Box::new)
    }
}
