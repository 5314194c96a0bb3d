//! The privacy loss of a mechanism, and everything that is read off it.

pub(crate) mod binomial;
pub(crate) mod closed;
pub(crate) mod comparison;
pub(crate) mod composed;
mod expanded;
mod lattice;
pub(crate) mod readings;
pub(crate) mod side;
mod written;

use std::sync::{Arc, OnceLock};

use throng_numeric::Enclosure;

use crate::component::{Component, Cut, End, Part, compose, cut_parts};
use crate::error::unless_given_up;
use crate::fold::fold;
use crate::law::product::Product;
use crate::loss::closed::{closed, profile_of};
use crate::loss::composed::Composed;
use crate::loss::side::{Answer, Side};
use crate::loss::written::Written;
use crate::pair::{Profile, Swapped, other_direction};
use crate::tradeoff::Tradeoff;
use crate::{AccountError, Bracket, MechanismSpec, Neighbours};

/// Which of two neighbouring worlds is the actual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The unit is there; the loss compares with the world without it.
    Remove,
    /// The unit is not there; the loss compares with the world with it.
    Add,
}

impl Direction {
    /// Both directions.
    pub const BOTH: [Self; 2] = [Self::Remove, Self::Add];

    /// The other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Remove => Self::Add,
            Self::Add => Self::Remove,
        }
    }
}

/// How narrow a bracket is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// The width of the bracket relative to the number itself; an aim, not a promise: what is
    /// promised is the bracket.
    pub width: f64,
}

impl Default for Accuracy {
    fn default() -> Self {
        Self { width: 1e-4 }
    }
}

impl Accuracy {
    pub(crate) fn checked(self) -> Result<Self, AccountError> {
        if self.width > 0.0 && self.width < 1.0 {
            Ok(self)
        } else {
            Err(AccountError::invalid("width", self.width, "between 0 and 1"))
        }
    }
}

/// How narrow a delta is asked for: either is enough.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Width {
    pub(crate) relative: f64,
    pub(crate) absolute: f64,
}

/// The privacy loss of a mechanism in both directions, certified from above and below.
///
/// # Guarantee
/// Every bracket it answers with contains the exact value for the dominating pair of the
/// mechanism; the upper end of an epsilon or delta (the lower end of a miss rate) holds for the
/// mechanism itself, rounding included, for adaptively chosen inputs too.
///
/// ```
/// use throng_account::{Accuracy, MechanismSpec, Neighbours, PrivacyLoss};
/// let spec: MechanismSpec = "14062 * sampled(gaussian(sigma=0.8), rate=256/60000)".parse()?;
/// let loss = PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default())?;
/// let epsilon = loss.epsilon(1e-5)?;
/// assert!(epsilon.contains(4.5498387257) && epsilon.width() < 1e-4 * epsilon.upper);
/// # Ok::<(), throng_account::AccountError>(())
/// ```
#[derive(Debug)]
pub struct PrivacyLoss {
    /// What this is the loss of; a part of a mechanism has no spec of its own.
    source: Option<(MechanismSpec, Neighbours)>,
    parts: Vec<Part>,
    accuracy: Accuracy,
    /// The two directions, ever finer; only rough pairs need more than the first.
    levels: [OnceLock<Result<Sides, AccountError>>; LEVELS],
    /// Trade-off curves: of both directions together, Remove, Add.
    curves: [OnceLock<Result<Tradeoff, AccountError>>; 3],
}

/// How often rough pairs are cut finer, four times each.
const LEVELS: usize = 4;
const FIRST_CELLS: usize = 1024;

#[derive(Debug)]
struct Sides {
    remove: Side,
    add: Side,
}

impl Sides {
    fn side(&self, direction: Direction) -> &Side {
        match direction {
            Direction::Remove => &self.remove,
            Direction::Add => &self.add,
        }
    }
}

impl PrivacyLoss {
    /// The loss of a mechanism under a relation.
    ///
    /// # Errors
    /// If a parameter is out of range, or no sound pair is known for the mechanism under this
    /// relation.
    pub fn of_spec(
        spec: &MechanismSpec,
        under: Neighbours,
        accuracy: Accuracy,
    ) -> Result<Self, AccountError> {
        spec.validate()?;
        let loss = Self::of_parts(fold(spec, under)?, accuracy)?;
        Ok(Self { source: Some((spec.clone(), under)), ..loss })
    }

    pub(crate) fn of_parts(parts: Vec<Part>, accuracy: Accuracy) -> Result<Self, AccountError> {
        let loss = Self {
            source: None,
            parts,
            accuracy: accuracy.checked()?,
            levels: Default::default(),
            curves: Default::default(),
        };
        loss.sides(0, 1.0)?;
        Ok(loss)
    }

    /// The same with another width.
    pub(crate) const fn with_accuracy(mut self, accuracy: Accuracy) -> Self {
        self.accuracy = accuracy;
        self
    }

    /// The asked width.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    fn sides(&self, level: usize, tilt: f64) -> Result<&Sides, AccountError> {
        let level = level.min(LEVELS - 1);
        let cell = self.levels.get(level).unwrap_or(&self.levels[0]);
        kept(cell, || {
            let cells = FIRST_CELLS << (2 * level);
            build(&self.parts, Cut { cells, tilt, all: level > 0 })
        })
    }

    /// Asks ever finer levels until the bracket is narrow enough. Level 0 uses the laws
    /// themselves where they have one; if that is too much work, or for rough pairs, everything
    /// is cut into cells, ever finer.
    fn refine(
        &self,
        enough: impl Fn(&Enclosure) -> bool,
        mut ask: impl FnMut(&Sides) -> Result<Enclosure, AccountError>,
        tilt: impl Fn(&Sides) -> f64,
        resort: impl Fn(&Sides) -> Result<Enclosure, AccountError>,
    ) -> Result<Enclosure, AccountError> {
        let exact = self.parts.iter().all(|part| part.component.is_exact());
        let nothing_finer = exact || self.has_closed_form();
        let mut best: Option<Enclosure> = None;
        for level in 0..LEVELS {
            unless_given_up()?;
            // Where the first level would put its line is where finer cells matter.
            let aim = if level == 0 { 1.0 } else { tilt(self.sides(0, 1.0)?).clamp(0.5, 1e6) };
            match (self.sides(level, aim).and_then(&mut ask), best) {
                (Ok(finer), None) => best = Some(finer),
                (Ok(finer), Some(known)) => best = Some(known.intersect(finer).unwrap_or(finer)),
                (Err(AccountError::TooLarge { .. }), Some(_)) => break,
                (Err(AccountError::TooLarge { .. }), None) => {
                    if !self.can_be_cut(level) {
                        break;
                    }
                }
                (Err(error), _) => return Err(error),
            }
            let done = |best: &Enclosure| enough(best) || (level == 0 && nothing_finer);
            if best.as_ref().is_some_and(done) {
                break;
            }
        }
        let found = match best {
            Some(best) => Ok(best),
            None => resort(self.sides(0, 1.0)?),
        };
        // Pairs inside may have been given up on the way, and have told nothing.
        unless_given_up()?;
        found
    }

    /// Whether many values of delta can be asked for: closed forms, and compositions that are
    /// smooth by themselves, need no smoothing.
    pub(crate) fn is_quick(&self) -> bool {
        let smooth = |part: &Part| match part.component {
            Component::Gaussian(_) => true,
            Component::Shifted { .. } => part.times > 3000,
            Component::Discrete(ref pair) => pair.lattice.is_some() && self.parts.len() == 1,
            Component::Divisible { ref s2, .. } => s2.is_positive(),
            Component::Laplace(_)
            | Component::Between { .. }
            | Component::Rough(_)
            | Component::Mixed(_)
            | Component::Swapped(_) => false,
        };
        self.has_closed_form() || self.parts.iter().any(smooth)
    }

    fn can_be_cut(&self, level: usize) -> bool {
        level + 1 < LEVELS && self.parts.iter().any(|part| part.component.can_be_cut())
    }

    fn has_closed_form(&self) -> bool {
        self.sides(0, 1.0).is_ok_and(|sides| matches!(sides.remove.upper, Answer::Closed(..)))
    }

    /// delta(epsilon) in one direction, for any real epsilon.
    ///
    /// # Errors
    /// If epsilon is NaN, or the work would be too large.
    pub fn delta_in(&self, direction: Direction, epsilon: f64) -> Result<Bracket, AccountError> {
        let width = Width { relative: self.accuracy.width, absolute: 0.0 };
        self.delta_within(direction, epsilon, width).map(ends)
    }

    pub(crate) fn delta_within(
        &self,
        direction: Direction,
        epsilon: f64,
        width: Width,
    ) -> Result<Enclosure, AccountError> {
        if epsilon.is_nan() {
            return Err(AccountError::invalid("epsilon", epsilon, "a number"));
        }
        if epsilon < 0.0 {
            let other = self.delta_within(direction.reversed(), -epsilon, width)?;
            return Ok(other_direction(epsilon.max(-1e6), other));
        }
        if epsilon > 1e9 {
            // delta does not increase.
            let delta = self.delta_within(direction, 1e9, width)?;
            return Ok(Enclosure::new(0.0, delta.upper())?);
        }
        let half = Width { relative: width.relative / 2.0, absolute: width.absolute / 2.0 };
        let enough = |delta: &Enclosure| {
            delta.width() <= (width.relative * delta.upper()).max(width.absolute)
        };
        let ask = |sides: &Sides| sides.side(direction).delta(epsilon, half);
        let tilt = |sides: &Sides| sides.side(direction).tilt_at(epsilon);
        self.refine(enough, ask, tilt, |sides| sides.side(direction).bound(epsilon))
    }

    /// The smallest delta for which the mechanism is (epsilon, delta)-private, both directions
    /// considered. epsilon may be any real number; below 0 the answer is that of the curve.
    ///
    /// # Errors
    /// If epsilon is NaN, or the work would be too large.
    pub fn delta(&self, epsilon: f64) -> Result<Bracket, AccountError> {
        let [remove, add] = Direction::BOTH.map(|direction| self.delta_in(direction, epsilon));
        Ok(remove?.max(add?))
    }

    /// The smallest epsilon >= 0 with delta(epsilon) <= delta in one direction.
    ///
    /// # Errors
    /// If delta is not in [0, 1], or the work would be too large.
    pub fn epsilon_in(&self, direction: Direction, delta: f64) -> Result<Bracket, AccountError> {
        if !(0.0..=1.0).contains(&delta) {
            return Err(AccountError::invalid("delta", delta, "between 0 and 1"));
        }
        if delta == 1.0 {
            return Ok(Bracket { lower: 0.0, upper: 0.0 });
        }
        let width = self.accuracy.width;
        let enough = |e: &Enclosure| {
            e.width() <= width * e.upper() || e.lower() == f64::INFINITY || e.upper() == 0.0
        };
        let ask = |sides: &Sides| sides.side(direction).epsilon(delta, width * 0.5);
        let tilt = |sides: &Sides| sides.side(direction).tilt_for(delta);
        let unknown = |_: &Sides| {
            Err(AccountError::TooLarge {
                what: "the work for this bracket".into(),
                limit: "what a minute allows; ask for a larger width".into(),
            })
        };
        self.refine(enough, ask, tilt, unknown).map(ends)
    }

    /// The smallest epsilon >= 0 for which the mechanism is (epsilon, delta)-private; infinite if
    /// there is none.
    ///
    /// # Errors
    /// If delta is not in [0, 1], or the work would be too large.
    pub fn epsilon(&self, delta: f64) -> Result<Bracket, AccountError> {
        let [remove, add] = Direction::BOTH.map(|direction| self.epsilon_in(direction, delta));
        Ok(remove?.max(add?))
    }

    /// The largest difference any event's chance can have between the two worlds: delta(0).
    ///
    /// # Errors
    /// If the work would be too large.
    pub fn total_variation(&self) -> Result<Bracket, AccountError> {
        self.delta(0.0)
    }
}

pub(crate) fn ends(x: Enclosure) -> Bracket {
    // Adding 0 turns -0 into 0.
    Bracket { lower: x.lower() + 0.0, upper: x.upper() + 0.0 }
}

/// What a cell keeps, made when it is asked for the first time; what was given up half-way is not
/// kept, whatever it looks like.
fn kept<T>(
    cell: &OnceLock<Result<T, AccountError>>,
    make: impl FnOnce() -> Result<T, AccountError>,
) -> Result<&T, AccountError> {
    let made = match cell.get() {
        Some(known) => known,
        None => {
            let made = make();
            unless_given_up()?;
            cell.get_or_init(|| made)
        }
    };
    made.as_ref().map_err(Clone::clone)
}

/// Both directions of a composition.
fn build(parts: &[Part], cut: Cut) -> Result<Sides, AccountError> {
    if parts.is_empty() || closed(parts)?.is_some() {
        let profile = profile_of(parts.to_vec())?;
        let law = |direction| Arc::new(law_behind(parts, direction).unwrap_or_default());
        let closed = |profile, law| Side::exact(Answer::Closed(profile, law));
        let remove = closed(Arc::clone(&profile), law(Direction::Remove));
        let symmetric = parts.iter().all(|part| part.component.is_symmetric());
        let add = if symmetric {
            remove.clone()
        } else {
            closed(closed_swapped(parts, profile)?, law(Direction::Add))
        };
        return Ok(Sides { remove, add });
    }
    let parts = cut_parts(parts, cut)?;
    let remove = side(&parts, Direction::Remove)?;
    let symmetric = parts.iter().all(|part| part.component.is_symmetric());
    let add = if symmetric { remove.clone() } else { side(&parts, Direction::Add)? };
    Ok(Sides { remove, add })
}

/// The law behind a closed form, if it has one: only for guesses.
fn law_behind(parts: &[Part], direction: Direction) -> Option<Product> {
    compose(parts, direction, End::Upper).ok().map(|(law, _)| law)
}

/// The other direction of a closed form; by a closed form of its own if there is one, which
/// keeps tiny values accurate.
fn closed_swapped(
    parts: &[Part],
    profile: Arc<dyn Profile>,
) -> Result<Arc<dyn Profile>, AccountError> {
    if let [part] = parts
        && let Some(pair) = part.component.pair()
    {
        let component = Component::Discrete(Arc::new(pair.swapped()));
        return profile_of(vec![Part { component, times: part.times }]);
    }
    Ok(Arc::new(Swapped(profile)))
}

fn side(parts: &[Part], direction: Direction) -> Result<Side, AccountError> {
    let answer = |end: End| -> Result<Answer, AccountError> {
        let (law, infinite) = compose(parts, direction, end)?;
        let grid = lattice::common(parts, direction);
        // On a lattice the inversion is short.
        let written = if grid.is_none() { Written::of(parts, direction, end) } else { None };
        let composed = Composed::new(law, grid, infinite, end).written_out(written);
        let could_be_cut = parts.iter().any(|part| part.component.can_be_cut());
        let composed = if could_be_cut { composed.or_nothing() } else { composed };
        Ok(Answer::Composed(Arc::new(composed)))
    };
    let upper = answer(End::Upper)?;
    if parts.iter().all(|part| part.component.is_exact()) {
        return Ok(Side::exact(upper));
    }
    Ok(Side { upper, lower: answer(End::Lower)? })
}
