//! Whether the losses of a composition lie on one lattice.

use throng_numeric::{Enclosure, Integer, Natural, Rational};

use crate::component::Part;
use crate::inversion::Grid;
use crate::law::product::count;
use crate::loss::Direction;
use crate::pair::discrete::Step;
use crate::pair::polygon::ln_rational;

/// A lattice finer than this is no help.
const FINEST: f64 = 1e-6;

/// The lattice of the composed loss, if every part has one and they fit together.
pub(crate) fn common(parts: &[Part], direction: Direction) -> Option<Grid> {
    let mut step: Option<Step> = None;
    let mut offset = Enclosure::ZERO;
    for part in parts {
        let pair = part.component.pair()?;
        let pair = match direction {
            Direction::Remove => pair,
            Direction::Add => std::sync::Arc::new(pair.swapped()),
        };
        let lattice = pair.lattice.as_ref()?;
        step = Some(match step {
            None => lattice.step.clone(),
            Some(known) => joined(&known, &lattice.step)?,
        });
        offset = offset + lattice.offset * count(part.times);
    }
    let step = match step? {
        Step::Rational(step) => Enclosure::of_rational(&step),
        Step::Log(ratio) => ln_rational(&ratio).ok()?,
    };
    (step.lower() > FINEST).then_some(Grid { step, offset })
}

/// The coarsest lattice that holds both.
fn joined(a: &Step, b: &Step) -> Option<Step> {
    match (a, b) {
        (Step::Rational(a), Step::Rational(b)) => common_divisor(a, b).map(Step::Rational),
        (Step::Log(a), Step::Log(b)) if a == b => Some(Step::Log(a.clone())),
        (Step::Log(_), Step::Log(_) | Step::Rational(_)) | (Step::Rational(_), Step::Log(_)) => {
            None
        }
    }
}

/// gcd(a/b, c/d) = gcd(ad, cb)/(bd).
fn common_divisor(x: &Rational, y: &Rational) -> Option<Rational> {
    let left = x.magnitude_of_numerator() * y.denominator().clone();
    let right = y.magnitude_of_numerator() * x.denominator().clone();
    let divisor = euclid(left, right);
    Rational::new(Integer::from(divisor), x.denominator() * y.denominator()).ok()
}

fn euclid(mut a: Natural, mut b: Natural) -> Natural {
    while !b.is_zero() {
        let rest = &a % &b;
        a = b;
        b = rest;
    }
    a
}
