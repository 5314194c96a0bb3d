//! Few runs of finite pairs, written out in two halves.
//!
//! Let each run belong to one of two halves A and B, and write out the outcomes of each half: a
//! loss, the chance p under P and q under Q. Runs are independent, so
//!
//! delta(epsilon) = Σ (p_a p_b - e^epsilon q_a q_b) over all a, b with l_a + l_b > epsilon
//! = Σ_a p_a P(L_B > epsilon - l_a) - e^epsilon Σ_a q_a Q(L_B > epsilon - l_a):
//!
//! one pass through both halves, though their outcomes make a product.
//!
//! # Why its ends are right
//! An outcome contributes p (1 - e^(epsilon - l))_+, which grows with p and with l. For the
//! upper end, chances and losses of every pair are taken at their upper ends, p and q of joint
//! outcomes are rounded up and down, and outcomes of nearly equal losses are added up; so every
//! true outcome is counted with a loss at most `blur` away. We sum over all joint outcomes S whose
//! computed loss exceeds epsilon - b, b being the blur of both halves and the rounding of this
//! comparison. Then S holds whatever truly exceeds epsilon, and its other outcomes, of true loss
//! at least epsilon - 2b, were subtracted with at most p (e^2b - 1) too much: P(S)(e^2b - 1) is
//! added. For the lower end the roundings are reversed, and nothing is added: P(S) - e^epsilon
//! Q(S) is a lower bound of delta for every event S.

use throng_numeric::Enclosure;
use throng_numeric::rounding::{add_down, add_up, mul_down, mul_up, sub_down, sub_up};

use crate::component::{End, Part};
use crate::disc::U;
use crate::loss::Direction;
use crate::pair::discrete::{Atom, DiscretePair};

/// Halves are written out in no more steps than this.
const MOST_STEPS: usize = 1 << 19;

/// No more runs are written out.
const MOST_RUNS: u64 = 256;

/// Larger losses would take e^loss out of the range of numbers.
const LARGEST_LOSS: f64 = 600.0;

/// Losses nearer than this, relative to the largest of the composition, are told apart no more.
const NEARLY_EQUAL: f64 = 1e-14;

/// The finite losses of a composition, from above or from below or both.
#[derive(Debug)]
pub(crate) struct Written {
    upper: Option<Halves>,
    lower: Option<Halves>,
}

impl Written {
    /// The composition in one direction, if it can be written out; both of its ends, if the parts
    /// are exact, and else the one that is asked for.
    pub(crate) fn of(parts: &[Part], direction: Direction, end: End) -> Option<Self> {
        let exact = parts.iter().all(|part| part.component.is_exact());
        let runs = parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.times))?;
        if runs > MOST_RUNS {
            return None;
        }
        let finite = |part: &Part| Some((part.component.finite(direction, end)?, part.times));
        let pairs = parts.iter().map(finite).collect::<Option<Vec<_>>>()?;
        let made = |side: End| {
            if exact || side == end { Halves::of(&pairs, side).map(Some) } else { Some(None) }
        };
        Some(Self { upper: made(End::Upper)?, lower: made(End::Lower)? })
    }

    /// The finite part of delta(epsilon).
    pub(crate) fn delta(&self, epsilon: f64) -> Enclosure {
        let upper = self.upper.as_ref().map_or(1.0, |halves| halves.at_most(epsilon));
        let lower = self.lower.as_ref().map_or(0.0, |halves| halves.at_least(epsilon));
        Enclosure::new(lower.min(upper), upper).unwrap_or(Enclosure::UNIT)
    }
}

/// Outcomes of nearly one loss.
#[derive(Debug, Clone, Copy)]
struct Point {
    loss: f64,
    p: f64,
    q: f64,
}

/// Roundings towards one end of delta.
#[derive(Debug, Clone, Copy)]
struct Towards(End);

impl Towards {
    fn joint(self, a: &Point, b: &Point) -> Point {
        let loss = a.loss + b.loss;
        match self.0 {
            End::Upper => Point { loss, p: mul_up(a.p, b.p), q: mul_down(a.q, b.q) },
            End::Lower => Point { loss, p: mul_down(a.p, b.p), q: mul_up(a.q, b.q) },
        }
    }

    fn either(self, (p, q): (f64, f64), b: (f64, f64)) -> (f64, f64) {
        match self.0 {
            End::Upper => (add_up(p, b.0), add_down(q, b.1)),
            End::Lower => (add_down(p, b.0), add_up(q, b.1)),
        }
    }

    fn point(self, Atom { loss, p, .. }: &Atom) -> Option<Point> {
        let (loss, p) = match self.0 {
            End::Upper => (loss.upper(), p.upper()),
            End::Lower => (loss.lower(), p.lower().max(0.0)),
        };
        if !(loss.abs() <= LARGEST_LOSS && p.is_finite()) {
            return None;
        }
        let q = Enclosure::point(p).ok()? * (-Enclosure::point(loss).ok()?).exp();
        let q = match self.0 {
            End::Upper => q.lower().max(0.0),
            End::Lower => q.upper(),
        };
        Some(Point { loss, p, q })
    }
}

/// Two independent halves of a composition, seen from one end.
#[derive(Debug)]
struct Halves {
    towards: Towards,
    /// By increasing loss.
    left: Vec<Point>,
    /// By increasing loss.
    right: Vec<Point>,
    /// The chances under P and Q of the outcome with this index on the right and all after it.
    tails: Vec<(f64, f64)>,
    /// How far the loss of a joint outcome may be off, comparisons included.
    blur: f64,
}

impl Halves {
    fn of(pairs: &[(DiscretePair, u64)], end: End) -> Option<Self> {
        let towards = Towards(end);
        let mut factors = Vec::with_capacity(pairs.len());
        let mut span = 0.0;
        for (pair, times) in pairs {
            let points = pair.atoms.iter().map(|a| towards.point(a)).collect::<Option<Vec<_>>>()?;
            let farthest = points.iter().map(|point| point.loss.abs()).fold(0.0, f64::max);
            span = add_up(span, mul_up(farthest, crate::law::product::at_least(*times)));
            factors.push((points, *times));
        }
        if span > LARGEST_LOSS {
            return None;
        }
        factors.sort_by_key(|(points, _)| std::cmp::Reverse(points.len()));
        let radius = NEARLY_EQUAL * span;
        let (mut left, mut right) = (vec![UNIT], vec![UNIT]);
        let (mut steps, mut blur) = (0_usize, 8.0 * U * span);
        for points in factors.iter().flat_map(|(points, times)| (0..*times).map(move |_| points)) {
            let half = if left.len() <= right.len() { &mut left } else { &mut right };
            steps = steps.checked_add(half.len().checked_mul(points.len())?)?;
            if steps > MOST_STEPS {
                return None;
            }
            *half = joined(towards, half, points, radius);
            // One rounded addition and one sum of nearly equal losses.
            blur = add_up(blur, radius * 1.01 + 2.0 * U * span);
        }
        let mut tails = Vec::with_capacity(right.len());
        let mut tail = (0.0, 0.0);
        for point in right.iter().rev() {
            tail = towards.either(tail, (point.p, point.q));
            tails.push(tail);
        }
        tails.reverse();
        Some(Self { towards, left, right, tails, blur })
    }

    /// The chances under P and Q of joint outcomes whose computed loss exceeds a level.
    fn above(&self, level: f64) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        // As the loss on the left grows, more and more of the right is above.
        let mut first = self.right.len();
        for a in &self.left {
            while let Some(b) = first.checked_sub(1).and_then(|before| self.right.get(before))
                && a.loss + b.loss > level
            {
                first -= 1;
            }
            if let Some((p, q)) = self.tails.get(first) {
                let tail = Point { loss: 0.0, p: *p, q: *q };
                let joint = self.towards.joint(a, &tail);
                sums = self.towards.either(sums, (joint.p, joint.q));
            }
        }
        sums
    }

    /// An upper bound of delta(epsilon), if these are points towards the upper end.
    fn at_most(&self, epsilon: f64) -> f64 {
        let (p, q) = self.above(sub_down(epsilon, self.blur));
        let Ok(growth) = Enclosure::point(epsilon).map(Enclosure::exp) else { return 1.0 };
        // e^x - 1 <= x(1 + x) for x up to 1.
        let x = 2.0 * self.blur;
        let excess = if x <= 1.0 { mul_up(p, mul_up(x, add_up(1.0, x))) } else { 1.0 };
        let taken = if q > 0.0 { mul_down(growth.lower(), q) } else { 0.0 };
        add_up(sub_up(p, taken).max(0.0), excess).min(1.0)
    }

    /// A lower bound of delta(epsilon), if these are points towards the lower end.
    fn at_least(&self, epsilon: f64) -> f64 {
        let (p, q) = self.above(epsilon);
        let Ok(growth) = Enclosure::point(epsilon).map(Enclosure::exp) else { return 0.0 };
        let value = sub_down(p, mul_up(growth.upper(), q));
        if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
    }
}

const UNIT: Point = Point { loss: 0.0, p: 1.0, q: 1.0 };

/// The joint outcomes of two independent halves, those within `radius` of each other added up.
fn joined(towards: Towards, a: &[Point], b: &[Point], radius: f64) -> Vec<Point> {
    let mut all: Vec<Point> =
        a.iter().flat_map(|x| b.iter().map(move |y| towards.joint(x, y))).collect();
    all.sort_unstable_by(|x, y| x.loss.total_cmp(&y.loss));
    let mut kept: Vec<Point> = Vec::with_capacity(all.len());
    for point in all {
        match kept.last_mut() {
            Some(last) if point.loss - last.loss <= radius => {
                (last.p, last.q) = towards.either((last.p, last.q), (point.p, point.q));
            }
            _ => kept.push(point),
        }
    }
    kept
}
