//! One direction of a privacy loss, from above and from below.

use std::sync::Arc;

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::error::unless_given_up;
use crate::estimate::ln;
use crate::inversion::saddle_for_delta;
use crate::law::Law;
use crate::law::product::Product;
use crate::loss::Width;
use crate::loss::composed::Composed;
use crate::pair::Profile;

/// What answers for one end of the bracket.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// A closed form, and the law behind it, for guesses.
    Closed(Arc<dyn Profile>, Arc<Product>),
    /// An inversion.
    Composed(Arc<Composed>),
}

impl Answer {
    /// delta(epsilon) for epsilon >= 0.
    pub(crate) fn delta(&self, epsilon: f64, width: Width) -> Result<Enclosure, AccountError> {
        match self {
            Self::Closed(profile, _) => Ok(profile.delta(epsilon)),
            Self::Composed(composed) => composed.delta(epsilon, width),
        }
    }

    /// The same, for values of delta about this large; see [`Composed::focused`].
    fn focused(&self, delta: f64, relative: f64) -> Self {
        match self {
            Self::Closed(..) => self.clone(),
            Self::Composed(composed) => Self::Composed(composed.focused(delta, relative)),
        }
    }

    /// A lower bound of the chance of an infinite loss.
    fn infinite(&self) -> f64 {
        match self {
            Self::Closed(profile, _) => profile.delta(1e300).lower(),
            Self::Composed(composed) => composed.infinite().lower(),
        }
    }

    /// What the largest losses tell of epsilon; see [`Composed::top`].
    fn top(&self, delta: f64) -> Option<Enclosure> {
        match self {
            Self::Closed(..) => None,
            Self::Composed(composed) => composed.top(delta),
        }
    }

    /// A starting point for solving delta(epsilon) = delta, and how fast ln delta falls there.
    fn guess(&self, delta: f64) -> (f64, f64) {
        match self {
            Self::Closed(_, law) if law.factors.is_empty() => (1.0, 1.0),
            Self::Closed(_, law) => {
                let saddle = saddle_for_delta(law, ln(delta.max(1e-300)));
                (saddle.epsilon.min(law.ceiling()), saddle.c)
            }
            Self::Composed(composed) => composed.guess(delta),
        }
    }
}

/// One direction: `upper` bounds the mechanism, `lower` the analysis of its pair.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) upper: Answer,
    pub(crate) lower: Answer,
}

/// Which end of the bracket is solved for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Upper,
    Lower,
}

impl Side {
    /// One object for both ends.
    pub(crate) fn exact(answer: Answer) -> Self {
        Self { lower: answer.clone(), upper: answer }
    }

    fn is_exact(&self) -> bool {
        match (&self.upper, &self.lower) {
            (Answer::Closed(a, _), Answer::Closed(b, _)) => Arc::ptr_eq(a, b),
            (Answer::Composed(a), Answer::Composed(b)) => Arc::ptr_eq(a, b),
            (Answer::Closed(..), Answer::Composed(_))
            | (Answer::Composed(_), Answer::Closed(..)) => false,
        }
    }

    /// The tilt at which delta is about this large, roughly.
    pub(crate) fn tilt_for(&self, delta: f64) -> f64 {
        self.upper.guess(delta.max(1e-300)).1
    }

    /// The tilt at which epsilon is typical, roughly.
    pub(crate) fn tilt_at(&self, epsilon: f64) -> f64 {
        match &self.upper {
            Answer::Closed(..) => 1.0,
            Answer::Composed(composed) => composed.tilt_at(epsilon),
        }
    }

    /// A bound of delta(epsilon) that is always at hand; see [`Composed::bound`].
    pub(crate) fn bound(&self, epsilon: f64) -> Result<Enclosure, AccountError> {
        match &self.upper {
            Answer::Closed(profile, _) => Ok(profile.delta(epsilon)),
            Answer::Composed(composed) => composed.bound(epsilon),
        }
    }

    /// delta(epsilon) for epsilon >= 0.
    pub(crate) fn delta(&self, epsilon: f64, width: Width) -> Result<Enclosure, AccountError> {
        let upper = self.upper.delta(epsilon, width)?;
        if self.is_exact() {
            return Ok(upper);
        }
        let lower = self.lower.delta(epsilon, width)?;
        Ok(Enclosure::new(lower.lower().min(upper.upper()), upper.upper())?)
    }

    /// The smallest epsilon >= 0 with delta(epsilon) <= delta, from below and above.
    pub(crate) fn epsilon(&self, delta: f64, width: f64) -> Result<Enclosure, AccountError> {
        if let Some(top) = self.top(delta, width) {
            return Ok(top);
        }
        let upper = self.solve(delta, width, End::Upper, None)?;
        let near = (self.is_exact() && upper.is_finite()).then_some(upper);
        let lower = if upper == 0.0 { 0.0 } else { self.solve(delta, width, End::Lower, near)? };
        Ok(Enclosure::new(lower.min(upper), upper)?)
    }

    /// The epsilon of a delta if the largest losses tell it, for each end as well as a search
    /// would; at delta = 0 they always do.
    fn top(&self, delta: f64, width: f64) -> Option<Enclosure> {
        let (upper, lower) = (self.upper.top(delta)?, self.lower.top(delta)?);
        let told = |x: Enclosure| {
            delta == 0.0 || x.lower() == f64::INFINITY || x.width() <= width * x.upper()
        };
        let (most, least) = (upper.upper().max(0.0), lower.lower().max(0.0));
        if told(upper) && told(lower) { Enclosure::new(least.min(most), most).ok() } else { None }
    }

    /// End::Upper: a point where delta(epsilon) <= delta is proved; End::Lower: one where
    /// delta(epsilon) >= delta is proved (or 0). Each close to the boundary of what is proved. If
    /// one end is known the other is looked for very `near`.
    fn solve(
        &self,
        delta: f64,
        width: f64,
        end: End,
        near: Option<f64>,
    ) -> Result<f64, AccountError> {
        let answer = if end == End::Upper { &self.upper } else { &self.lower };
        let answer = answer.focused(delta, width * 1e-2);
        let (guess, rate) = answer.guess(delta);
        // An error of w in ln delta is one of w / rate in epsilon.
        let relative = (width * guess.abs().max(1e-3) * rate / 4.0).clamp(1e-11, 0.05);
        // Far from the boundary no relative accuracy is needed.
        let width = Width { relative, absolute: relative * delta };
        let value = |epsilon: f64| -> Result<f64, AccountError> {
            unless_given_up()?;
            let enclosure = answer.delta(epsilon, width)?;
            Ok(if end == End::Upper { enclosure.upper() } else { enclosure.lower() })
        };
        // At delta = 0 a lower end must show that some loss is left.
        let shown = |value: f64| value >= delta && value > 0.0;
        let holds = |value: f64| if end == End::Upper { value <= delta } else { !shown(value) };
        let (start, stride) = match near {
            Some(near) => (near, 4e-12 * near.max(1e-6)),
            None => (guess, (0.02 / rate).clamp(1e-6, 1.0)),
        };
        let Some((above, below)) = bracket(&value, holds, start, stride)? else {
            let lasting = answer.infinite() > delta;
            let lower = if lasting { f64::INFINITY } else { LARGEST_EPSILON };
            return Ok(if end == End::Upper { f64::INFINITY } else { lower });
        };
        let (above, below) = narrow(&value, holds, delta, above, below)?;
        Ok(if end == End::Upper { above.0 } else { below.0.max(0.0) })
    }
}

/// A point and the value of delta there.
type Point = (f64, f64);

/// Beyond this no epsilon is looked for.
const LARGEST_EPSILON: f64 = 1e6;

/// Two points, at the first of which the claim holds and at the second of which it does not;
/// the second is at 0 if the claim holds everywhere. None if it holds nowhere.
fn bracket(
    value: &impl Fn(f64) -> Result<f64, AccountError>,
    holds: impl Fn(f64) -> bool,
    guess: f64,
    mut stride: f64,
) -> Result<Option<(Point, Point)>, AccountError> {
    let mut point = guess.clamp(0.0, LARGEST_EPSILON);
    let mut here = (point, value(point)?);
    let falling = holds(here.1);
    loop {
        if falling && point == 0.0 {
            return Ok(Some((here, here)));
        }
        if !falling && point >= LARGEST_EPSILON {
            return Ok(None);
        }
        point =
            if falling { (point - stride).max(0.0) } else { (point + stride).min(LARGEST_EPSILON) };
        stride *= 4.0;
        let next = (point, value(point)?);
        if holds(next.1) != falling {
            return Ok(Some(if falling { (here, next) } else { (next, here) }));
        }
        here = next;
    }
}

/// Shrinks a bracket: regula falsi on ln delta, with bisection when it stalls.
fn narrow(
    value: &impl Fn(f64) -> Result<f64, AccountError>,
    holds: impl Fn(f64) -> bool,
    delta: f64,
    mut above: Point,
    mut below: Point,
) -> Result<(Point, Point), AccountError> {
    for step in 0..80 {
        let gap = above.0 - below.0;
        if gap <= 2e-12 * above.0.abs().max(1e-6) {
            break;
        }
        let (a, b) = (ln(above.1.max(1e-320)) - ln(delta), ln(below.1.max(1e-320)) - ln(delta));
        let secant = below.0 + gap * (b / (b - a));
        let usable = step % 4 != 3 && secant.is_finite() && b > a;
        // Aim a little beyond the secant, alternating, so that both ends move.
        let nudge = gap * 1e-3 * if step % 2 == 0 { 1.0 } else { -1.0 };
        let target = if usable { secant + nudge } else { below.0 + gap / 2.0 };
        let point = target.clamp(below.0 + gap * 1e-6, above.0 - gap * 1e-6);
        if point <= below.0 || point >= above.0 {
            break;
        }
        let next = (point, value(point)?);
        if holds(next.1) { above = next } else { below = next }
    }
    Ok((above, below))
}
