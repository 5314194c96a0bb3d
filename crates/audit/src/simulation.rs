//! The accountant audited: described mechanisms are acted out, and held against what is claimed of them.
//!
//! A described mechanism says what it adds, how often, to which samples. Here each part is drawn in both
//! worlds, the unit being there in world 1, and the outcome is the privacy loss of all parts together: the
//! logarithm of how much likelier what was drawn is in world 1. No test on the parts themselves can do better
//! (Neyman and Pearson), so an audit of the simulation shows what a composition is really worth, however long
//! it is, without any of the accountant's arithmetic.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::dice::{Dice, exp, real};
use crate::error::unless_given_up;
use crate::test::curve::log;
use crate::{AuditError, Outcome, Outcomes, Target, World};

/// A mechanism acted out.
///
/// ```
/// use throng_audit::simulation::Simulation;
/// use throng_audit::{Claim, Effort, Neighbours, Options, Orientation, Verdict, audit};
/// let spec = "20 * laplace(scale=10)".parse()?;
/// let mut target = Simulation::of(&spec, Neighbours::AddRemove, 1)?;
/// let claim = Claim::of_spec(&spec, Neighbours::AddRemove, Orientation::Either)?;
/// let options = Options { bounds: false, ..Options::default() };
/// let report = audit::live(&claim, &mut target, &options, Effort::Runs(2_000), &mut |_| {})?;
/// assert_eq!(report.verdict, Verdict::NotViolated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Simulation {
    part: Part,
    dice: Dice,
}

/// What is drawn, with plain numbers.
#[derive(Debug, Clone)]
enum Part {
    /// Normal noise; worlds are `mu` standard deviations apart.
    Normal { mu: f64 },
    /// Laplace noise of scale 1; worlds are this far apart.
    Laplace { distance: f64 },
    /// Laplace noise on the integers.
    Whole { scale: f64, distance: i64 },
    /// Counts with the rates of both worlds.
    Counts { rates: [f64; 2] },
    /// Finitely many outcomes with their chances in both worlds.
    Finite { chances: Vec<[f64; 2]> },
    /// On a sample that the unit is in with a chance.
    Sampled { rate: f64, inner: Box<Part> },
    /// Several times.
    Repeated { times: u64, inner: Box<Part> },
    /// All of them.
    All(Vec<Part>),
    /// One of them, by known chances.
    Mixed(Vec<(f64, Part)>),
}

/// The most draws of one run.
const MOST: u64 = 1_000_000;

impl Simulation {
    /// A mechanism acted out with seeded dice.
    ///
    /// # Errors
    /// If a part is a statement that no single pair of laws acts out (such as `zcdp`), or is described by a
    /// combinator whose worst pair is not known to be a simple one.
    pub fn of(spec: &MechanismSpec, under: Neighbours, seed: u64) -> Result<Self, AuditError> {
        spec.validate()?;
        let part = part(spec, under)?;
        if part.draws() > MOST {
            return Err(AuditError::invalid(
                "the number of draws",
                part.draws(),
                "at most 1000000",
            ));
        }
        Ok(Self { part, dice: Dice::seeded(seed) })
    }
}

impl Target for Simulation {
    fn run(&mut self, world: World, n: usize, outcomes: &mut Outcomes) -> Result<(), AuditError> {
        for _ in 0..n {
            unless_given_up()?;
            let loss = self.part.loss(world, &mut self.dice);
            outcomes.push(Outcome::Number(on_grid(loss)));
        }
        Ok(())
    }
}

/// Losses on a public grid, so that rounding tells nothing that the loss does not.
fn on_grid(loss: f64) -> f64 {
    let steps = f64::from(1 << 20);
    if loss.abs() < 1e6 { (loss * steps).round() / steps } else { loss.signum() * 1e9 }
}

impl Part {
    fn draws(&self) -> u64 {
        match self {
            Self::Repeated { times, inner } => times.saturating_mul(inner.draws()),
            Self::All(parts) => parts.iter().map(Self::draws).fold(0, u64::saturating_add),
            Self::Mixed(parts) => parts.iter().map(|(_, part)| part.draws()).max().unwrap_or(1),
            Self::Sampled { inner, .. } => inner.draws(),
            Self::Normal { .. }
            | Self::Laplace { .. }
            | Self::Whole { .. }
            | Self::Counts { .. }
            | Self::Finite { .. } => 1,
        }
    }

    /// Draws in a world: ln of the chance in world 1 over that in world 0 of what was drawn.
    fn loss(&self, world: World, dice: &mut Dice) -> f64 {
        let there = world == World::One;
        match self {
            Self::Normal { mu } => {
                let x = dice.normal(1.0) + if there { *mu } else { 0.0 };
                mu * x - mu * mu / 2.0
            }
            Self::Laplace { distance } => {
                let x = dice.laplace(1.0) + if there { *distance } else { 0.0 };
                x.abs() - (x - distance).abs()
            }
            Self::Whole { scale, distance } => {
                let x = dice.two_sided(*scale) + if there { *distance } else { 0 };
                (real(x).abs() - (real(x) - real(*distance)).abs()) / scale
            }
            Self::Counts { rates } => {
                let n = count(rates[world.index()], dice);
                real(n) * ratio(rates[1], rates[0]) - (rates[1] - rates[0])
            }
            Self::Finite { chances } => finite(chances, world, dice),
            Self::Sampled { rate, inner } => {
                // Not in the sample, the unit makes no difference: the inner draw is that of world 0.
                let inside = there && dice.coin(*rate);
                let loss = inner.loss(if inside { World::One } else { World::Zero }, dice);
                log(1.0 - rate + rate * exp(loss.min(700.0)))
            }
            Self::Repeated { times, inner } => (0..*times).map(|_| inner.loss(world, dice)).sum(),
            Self::All(parts) => parts.iter().map(|part| part.loss(world, dice)).sum(),
            Self::Mixed(parts) => {
                // Which one was used is known, and says nothing.
                let mut rest = dice.uniform();
                for (chance, part) in parts {
                    rest -= chance;
                    if rest <= 0.0 {
                        return part.loss(world, dice);
                    }
                }
                0.0
            }
        }
    }
}

/// A Poisson count: exponential waiting times until they fill the unit interval.
fn count(rate: f64, dice: &mut Dice) -> i64 {
    if rate <= 0.0 {
        return 0;
    }
    let (mut n, mut time) = (0, dice.exponential(1.0 / rate));
    while time <= 1.0 {
        n += 1;
        time += dice.exponential(1.0 / rate);
    }
    n
}

/// ln(a/b), infinite where one of them is 0.
fn ratio(a: f64, b: f64) -> f64 {
    if a == b {
        0.0
    } else if b <= 0.0 {
        f64::INFINITY
    } else if a <= 0.0 {
        f64::NEG_INFINITY
    } else {
        log(a / b)
    }
}

fn finite(chances: &[[f64; 2]], world: World, dice: &mut Dice) -> f64 {
    let mut rest = dice.uniform();
    let mut last = 0.0;
    for pair in chances {
        if pair[world.index()] > 0.0 {
            rest -= pair[world.index()];
            last = ratio(pair[1], pair[0]);
            if rest <= 0.0 {
                break;
            }
        }
    }
    last
}

fn part(spec: &MechanismSpec, under: Neighbours) -> Result<Part, AuditError> {
    let inner = |spec: &MechanismSpec| part(spec, under).map(Box::new);
    match spec {
        MechanismSpec::Leaf(leaf) => of_leaf(leaf, under),
        MechanismSpec::Composed(parts) => {
            Ok(Part::All(parts.iter().map(|spec| part(spec, under)).collect::<Result<_, _>>()?))
        }
        MechanismSpec::Repeated { times, inner: spec } => {
            Ok(Part::Repeated { times: *times, inner: inner(spec)? })
        }
        MechanismSpec::Sampled { rate, inner: spec } if under != Neighbours::Replace => {
            Ok(Part::Sampled { rate: plain(rate), inner: inner(spec)? })
        }
        MechanismSpec::Mixed(parts) => {
            let each = |(chance, spec): &(Rational, MechanismSpec)| -> Result<_, AuditError> {
                Ok((plain(chance), part(spec, under)?))
            };
            Ok(Part::Mixed(parts.iter().map(each).collect::<Result<_, _>>()?))
        }
        MechanismSpec::PostProcessed(spec) => part(spec, under),
        MechanismSpec::Sampled { .. }
        | MechanismSpec::WithoutReplacement { .. }
        | MechanismSpec::Shuffled { .. }
        | MechanismSpec::Allocated { .. }
        | MechanismSpec::Group { .. }
        | MechanismSpec::Parallel(_) => Err(unknown(&spec.to_string())),
    }
}

fn of_leaf(leaf: &Leaf, under: Neighbours) -> Result<Part, AuditError> {
    // Under replace a value moves by twice a unit's contribution.
    let moves = match under {
        Neighbours::AddRemove | Neighbours::ZeroOut => 1.0,
        Neighbours::Replace => 2.0,
    };
    let noise = |size: &Rational, sensitivity: &Rational| moves * plain(sensitivity) / plain(size);
    let flip = |epsilon: &Rational, leak: f64| {
        let e = exp(plain(epsilon));
        let (high, low) = ((1.0 - leak) * e / (1.0 + e), (1.0 - leak) / (1.0 + e));
        Part::Finite { chances: vec![[high, low], [low, high], [leak, 0.0], [0.0, leak]] }
    };
    match leaf {
        Leaf::Gaussian { sigma, sensitivity } => Ok(Part::Normal { mu: noise(sigma, sensitivity) }),
        Leaf::Gdp { mu } => Ok(Part::Normal { mu: plain(mu) }),
        Leaf::Laplace { scale, sensitivity } => {
            Ok(Part::Laplace { distance: noise(scale, sensitivity) })
        }
        Leaf::DiscreteLaplace { scale, sensitivity } => {
            let distance = crate::dice::whole(moves * plain(sensitivity));
            Ok(Part::Whole { scale: plain(scale), distance })
        }
        Leaf::RandomisedResponse { p, q } => {
            let (p, q) = (plain(p), plain(q));
            Ok(Part::Finite { chances: vec![[p, 1.0 - q], [1.0 - p, q]] })
        }
        Leaf::KaryResponse { k, epsilon } => {
            let e = exp(plain(epsilon));
            let others = real(i64::try_from(*k).unwrap_or(i64::MAX)) - 1.0;
            let (high, low) = (e / (e + others), 1.0 / (e + others));
            let rest = low * (others - 1.0);
            Ok(Part::Finite { chances: vec![[high, low], [low, high], [rest, rest]] })
        }
        Leaf::Pure { epsilon } => Ok(flip(epsilon, 0.0)),
        Leaf::ApproxDp { epsilon, delta } => Ok(flip(epsilon, plain(delta))),
        Leaf::TotalVariation { delta } => Ok(flip(&Rational::ZERO, plain(delta))),
        // Pairs (P, Q): the unit is there under P.
        Leaf::Poisson { mu1, mu2 } => Ok(Part::Counts { rates: [plain(mu2), plain(mu1)] }),
        Leaf::InfinitelyDivisible { s2, jumps } => {
            let mut parts = vec![Part::Normal { mu: plain(s2).sqrt() }];
            parts.extend(jumps.iter().map(|(a, b)| Part::Counts { rates: [plain(b), plain(a)] }));
            Ok(Part::All(parts))
        }
        Leaf::Discrete { p, q } => {
            let chances = p.iter().zip(q).map(|(p, q)| [plain(q), plain(p)]).collect();
            Ok(Part::Finite { chances })
        }
        Leaf::DiscreteGaussian { .. }
        | Leaf::Staircase { .. }
        | Leaf::Uniform { .. }
        | Leaf::TruncatedLaplace { .. }
        | Leaf::TruncatedGaussian { .. }
        | Leaf::Exponential { .. }
        | Leaf::PermuteAndFlip { .. }
        | Leaf::NoisyMax { .. }
        | Leaf::Zcdp { .. }
        | Leaf::Renyi { .. }
        | Leaf::Tradeoff { .. }
        | Leaf::Profile { .. }
        | Leaf::Quantised { .. }
        | Leaf::NonPrivate => Err(unknown(&MechanismSpec::Leaf(leaf.clone()).to_string())),
    }
}

fn unknown(what: &str) -> AuditError {
    AuditError::invalid(
        "the mechanism to act out",
        what,
        "made of gaussian, laplace, discrete_laplace, gdp, pure, approx_dp, total_variation, \
         randomized_response, kary_response, poisson, infinitely_divisible, discrete, composed, \
         repeated, sampled (not under replace), mixed, post_processed",
    )
}

fn plain(x: &Rational) -> f64 {
    x.to_f64_up()
}
