//! The parts of a composition, each a pair in the form that is easiest to compose.

use std::sync::Arc;

use throng_numeric::{Enclosure, Rational};

use crate::AccountError;
use crate::error::unless_given_up;
use crate::law::Law;
use crate::law::atoms::Atoms;
use crate::law::blend::Blend;
use crate::law::divisible::Divisible;
use crate::law::gaussian::Gaussian;
use crate::law::laplace::Laplace;
use crate::law::product::{Product, count};
use crate::law::shifted::{Mixture, Shifted};
use crate::loss::Direction;
use crate::pair::discrete::{Atom, DiscretePair};
use crate::pair::discretise::discretise;
use crate::pair::{Profile, Swapped};

/// One pair (P, Q); the other direction is (Q, P).
#[derive(Debug, Clone)]
pub(crate) enum Component {
    /// Two normal laws a distance mu apart, in standard deviations; holds mu^2.
    Gaussian(Rational),
    /// Two Laplace laws; holds shift/scale.
    Laplace(Rational),
    /// A mixture of shifted normal laws against another, and its profile.
    Shifted { with: Mixture, without: Mixture, profile: Arc<dyn Profile> },
    /// Poisson streams (rate under P, rate under Q) and a Gaussian part of this variance.
    Divisible { s2: Rational, streams: Vec<(Rational, Rational)> },
    /// Finitely many outcomes.
    Discrete(Arc<DiscretePair>),
    /// A pair (and its reverse) between finite ones, each made for its own direction.
    Between { remove: Ends, add: Ends },
    /// A pair known by its profile.
    Rough(Arc<dyn Profile>),
    /// One of several compositions, chosen by a public coin.
    Mixed(Vec<(Rational, Vec<Part>)>),
    /// The same with P and Q exchanged.
    Swapped(Box<Component>),
}

/// Two finite pairs, one that dominates and one that is dominated.
#[derive(Debug, Clone)]
pub(crate) struct Ends {
    pub(crate) upper: Arc<DiscretePair>,
    pub(crate) lower: Arc<DiscretePair>,
}

impl Ends {
    pub(crate) fn new((upper, lower): (DiscretePair, DiscretePair)) -> Self {
        Self { upper: Arc::new(upper), lower: Arc::new(lower) }
    }

    fn at(&self, end: End) -> &DiscretePair {
        match end {
            End::Upper => &self.upper,
            End::Lower => &self.lower,
        }
    }
}

/// A component and how often it is repeated.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) component: Component,
    pub(crate) times: u64,
}

/// Which end of the bracket a law is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Upper,
    Lower,
}

/// How finely rough pairs are cut: see [`discretise`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    pub(crate) cells: usize,
    pub(crate) tilt: f64,
    /// Whether continuous pairs with a law of their own are cut too.
    pub(crate) all: bool,
}

/// The loss of a component in one direction: the law of its finite part and the infinite mass.
#[derive(Debug, Clone)]
pub(crate) struct OneWay {
    pub(crate) law: Arc<dyn Law>,
    pub(crate) infinite: Enclosure,
}

impl Component {
    /// A pair between two finite ones (upper, lower).
    pub(crate) fn between((upper, lower): (DiscretePair, DiscretePair)) -> Self {
        let add = Ends::new((upper.swapped(), lower.swapped()));
        Self::Between { remove: Ends::new((upper, lower)), add }
    }

    /// Whether both ends of the bracket have the same law.
    pub(crate) fn is_exact(&self) -> bool {
        match self {
            Self::Between { .. } | Self::Rough(_) => false,
            Self::Mixed(choices) => {
                choices.iter().flat_map(|(_, parts)| parts).all(|p| p.component.is_exact())
            }
            Self::Swapped(inner) => inner.is_exact(),
            Self::Gaussian(_)
            | Self::Laplace(_)
            | Self::Shifted { .. }
            | Self::Divisible { .. }
            | Self::Discrete(_) => true,
        }
    }

    /// Whether [`Component::cut`] can make something coarser of it.
    pub(crate) fn can_be_cut(&self) -> bool {
        match self {
            Self::Shifted { .. } | Self::Rough(_) => true,
            Self::Mixed(choices) => {
                choices.iter().flat_map(|(_, parts)| parts).any(|p| p.component.can_be_cut())
            }
            Self::Swapped(inner) => inner.can_be_cut(),
            Self::Gaussian(_)
            | Self::Laplace(_)
            | Self::Divisible { .. }
            | Self::Discrete(_)
            | Self::Between { .. } => false,
        }
    }

    /// Whether (P, Q) and (Q, P) have the same loss.
    pub(crate) fn is_symmetric(&self) -> bool {
        match self {
            Self::Gaussian(_) | Self::Laplace(_) => true,
            Self::Rough(profile) => profile.is_symmetric(),
            Self::Between { remove, add } => Arc::ptr_eq(&remove.upper, &add.upper),
            Self::Discrete(pair) => pair.swapped() == **pair,
            Self::Shifted { .. } | Self::Divisible { .. } | Self::Mixed(_) | Self::Swapped(_) => {
                false
            }
        }
    }

    /// The finite pair of this component, if it has one.
    pub(crate) fn pair(&self) -> Option<Arc<DiscretePair>> {
        match self {
            Self::Discrete(pair) => Some(Arc::clone(pair)),
            Self::Swapped(inner) => inner.pair().map(|pair| Arc::new(pair.swapped())),
            Self::Gaussian(_)
            | Self::Laplace(_)
            | Self::Shifted { .. }
            | Self::Divisible { .. }
            | Self::Between { .. }
            | Self::Rough(_)
            | Self::Mixed(_) => None,
        }
    }

    /// The finite pair that answers for one end in one direction, if there is one.
    pub(crate) fn finite(&self, direction: Direction, end: End) -> Option<DiscretePair> {
        match (self, direction) {
            (Self::Discrete(pair), Direction::Remove) => Some(DiscretePair::clone(pair)),
            (Self::Discrete(pair), Direction::Add) => Some(pair.swapped()),
            (Self::Between { remove, .. }, Direction::Remove) => Some(remove.at(end).clone()),
            (Self::Between { add, .. }, Direction::Add) => Some(add.at(end).clone()),
            (Self::Swapped(inner), direction) => inner.finite(direction.reversed(), end),
            (
                Self::Gaussian(_)
                | Self::Laplace(_)
                | Self::Shifted { .. }
                | Self::Divisible { .. }
                | Self::Rough(_)
                | Self::Mixed(_),
                _,
            ) => None,
        }
    }

    /// Rough pairs become finite ones.
    pub(crate) fn cut(&self, cut: Cut) -> Result<Self, AccountError> {
        Ok(match self {
            Self::Rough(profile) | Self::Shifted { profile, .. }
                if cut.all || matches!(self, Self::Rough(_)) =>
            {
                let ends = |p: &dyn Profile| discretise(p, cut.tilt, cut.cells).map(Ends::new);
                let remove = ends(profile.as_ref())?;
                let add = if profile.is_symmetric() {
                    remove.clone()
                } else {
                    ends(&Swapped(Arc::clone(profile)))?
                };
                Self::Between { remove, add }
            }
            Self::Swapped(inner) => Self::Swapped(Box::new(inner.cut(cut)?)),
            Self::Mixed(choices) => {
                let cut_all = |parts: &Vec<Part>| cut_parts(parts, cut);
                let choices = choices
                    .iter()
                    .map(|(w, parts)| Ok((w.clone(), cut_all(parts)?)))
                    .collect::<Result<_, AccountError>>()?;
                Self::Mixed(choices)
            }
            Self::Gaussian(_)
            | Self::Laplace(_)
            | Self::Shifted { .. }
            | Self::Rough(_)
            | Self::Divisible { .. }
            | Self::Discrete(_)
            | Self::Between { .. } => self.clone(),
        })
    }

    /// The loss in one direction.
    pub(crate) fn one_way(&self, direction: Direction, end: End) -> Result<OneWay, AccountError> {
        match self {
            Self::Gaussian(square) => {
                Ok(finite(Gaussian { square: Enclosure::of_rational(square) }))
            }
            Self::Laplace(ratio) => Ok(finite(Laplace { epsilon: Enclosure::of_rational(ratio) })),
            Self::Shifted { with, without, .. } => Ok(finite(match direction {
                Direction::Remove => Shifted { above: with.clone(), below: without.clone() },
                Direction::Add => Shifted { above: without.clone(), below: with.clone() },
            })),
            Self::Divisible { s2, streams } => divisible(s2, streams, direction),
            Self::Discrete(pair) => Ok(match direction {
                Direction::Remove => discrete(pair),
                Direction::Add => discrete(&pair.swapped()),
            }),
            Self::Between { remove, add } => Ok(match direction {
                Direction::Remove => discrete(remove.at(end)),
                Direction::Add => discrete(add.at(end)),
            }),
            Self::Rough(_) => Err(AccountError::refused(
                "a pair known only by its profile has no law",
                "this is a bug; please report it",
            )),
            Self::Mixed(choices) => blend(choices, direction, end),
            Self::Swapped(inner) => inner.one_way(direction.reversed(), end),
        }
    }
}

/// Cuts every part.
///
/// A pair that is cut may be a whole composition, whose profile knows nothing where it was given up: such
/// cuts are not used.
pub(crate) fn cut_parts(parts: &[Part], cut: Cut) -> Result<Vec<Part>, AccountError> {
    parts
        .iter()
        .map(|part| {
            let component = part.component.cut(cut)?;
            unless_given_up()?;
            Ok(Part { component, times: part.times })
        })
        .collect()
}

/// The composition of parts in one direction, and its infinite mass.
pub(crate) fn compose(
    parts: &[Part],
    direction: Direction,
    end: End,
) -> Result<(Product, Enclosure), AccountError> {
    let mut factors: Vec<(Arc<dyn Law>, u64)> = Vec::new();
    // ln of the chance that no loss is infinite.
    let mut log_finite = Enclosure::ZERO;
    for part in parts {
        let OneWay { law, infinite } = part.component.one_way(direction, end)?;
        if infinite.lower() >= 1.0 {
            return Ok((Product::default(), Enclosure::ONE));
        }
        let infinite = infinite.max(Enclosure::ZERO).min(Enclosure::ONE);
        log_finite = log_finite
            + if infinite.upper() >= 1.0 {
                Enclosure::new(f64::NEG_INFINITY, 0.0)?
            } else {
                (-infinite).ln_1p()? * count(part.times)
            };
        factors.push((law, part.times));
    }
    let infinite = -log_finite.expm1();
    Ok((Product { factors }, infinite.max(Enclosure::ZERO).min(Enclosure::ONE)))
}

fn finite(law: impl Law + 'static) -> OneWay {
    OneWay { law: Arc::new(law), infinite: Enclosure::ZERO }
}

fn discrete(pair: &DiscretePair) -> OneWay {
    let infinite = pair.p_only;
    // If nothing was cut off, the finite part has mass 1 - infinite exactly.
    let mass = (infinite.width() <= 1e-15 * infinite.upper()).then(|| Enclosure::ONE - infinite);
    let atoms = pair.atoms.iter().map(|Atom { loss, p, .. }| (*loss, *p)).collect();
    OneWay { law: Arc::new(Atoms::new(atoms, mass)), infinite }
}

fn divisible(
    s2: &Rational,
    streams: &[(Rational, Rational)],
    direction: Direction,
) -> Result<OneWay, AccountError> {
    let (mut excess, mut killing) = (Rational::ZERO, Rational::ZERO);
    let mut kept = Vec::new();
    for (a, b) in streams {
        let (a, b) = match direction {
            Direction::Remove => (a, b),
            Direction::Add => (b, a),
        };
        excess = &excess + &(a - b);
        if b.is_zero() {
            killing = &killing + a;
        } else if !a.is_zero() {
            let jump = crate::pair::polygon::ln_rational(&a.checked_div(b)?)?;
            kept.push((Enclosure::of_rational(a), jump));
        }
    }
    let killing = Enclosure::of_rational(&killing);
    let law = Divisible {
        square: Enclosure::of_rational(s2),
        streams: kept,
        excess: Enclosure::of_rational(&excess),
        killing,
    };
    Ok(OneWay { law: Arc::new(law), infinite: -(-killing).expm1() })
}

fn blend(
    choices: &[(Rational, Vec<Part>)],
    direction: Direction,
    end: End,
) -> Result<OneWay, AccountError> {
    let mut infinite = Enclosure::ZERO;
    let mut parts = Vec::new();
    for (weight, inner) in choices {
        let weight = Enclosure::of_rational(weight);
        let (law, only) = compose(inner, direction, end)?;
        infinite = infinite + weight * only;
        if only.lower() < 1.0 {
            parts.push((weight, law));
        }
    }
    Ok(OneWay { law: Arc::new(Blend { parts }), infinite: infinite.min(Enclosure::ONE) })
}
