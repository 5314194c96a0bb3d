//! The parameter that reaches a target, on the safe side.

use throng_numeric::Rational;

use crate::error::unless_given_up;
use crate::estimate::{exp, ln};
use crate::filter::cost;
use crate::loss::Width;
use crate::spec::HoleKind;
use crate::{
    AccountError, Accuracy, Bracket, Direction, MechanismSpec, Neighbours, PrivacyLoss, Template,
};

/// What a calibrated mechanism must satisfy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// (epsilon, delta)-privacy.
    Epsilon {
        /// epsilon.
        epsilon: f64,
        /// delta.
        delta: f64,
    },
    /// mu-Gaussian privacy.
    Gdp {
        /// mu.
        mu: f64,
    },
    /// rho-zCDP.
    Zcdp {
        /// rho.
        rho: f64,
    },
    /// At this rate of false alarms an attacker finds at most this share of the units.
    Detection {
        /// The rate of false alarms.
        false_alarm: f64,
        /// The largest share found.
        found: f64,
    },
    /// The largest difference of any event's chances.
    Advantage {
        /// The largest advantage.
        advantage: f64,
    },
}

/// A parameter that reaches its target.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The value of the parameter, exactly as it should be used.
    pub value: Rational,
    /// The value as a short decimal; equal to `value`.
    pub text: String,
    /// The mechanism with the value in place.
    pub spec: MechanismSpec,
    /// What the mechanism achieves, in the currency of the target (for (epsilon, delta): epsilon
    /// at delta; for detection: the share found).
    pub achieved: Bracket,
}

/// Whether a larger parameter protects more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    LargerIsSafer,
    SmallerIsSafer,
}

/// How close to the boundary the answer is, relatively.
const CLOSE: f64 = 2e-7;

/// What rounding to a short decimal may give away, relatively.
const MOST_ROUNDED: f64 = 1e-6;

/// How precisely a value is looked at.
#[derive(Clone, Copy)]
enum Look {
    Rough,
    Fine,
}

/// If a rough look shows the target to be farther away than this, in the logarithm, that is enough.
const FAR: f64 = 0.05;

/// How narrow brackets are for a rough look, relatively.
const ROUGH: f64 = 1e-2;

/// What a fine look at a composition that is not smooth may be wider than the accuracy asked for. Delta changes
/// many times faster than the parameter does, and another digit takes thirty times as long.
const WIDER: f64 = 10.0;

/// Finds the value of the one `?` of a template that reaches a target: the smallest noise, or
/// the largest rate, count or epsilon.
///
/// # Guarantee
/// The target was checked, by its certified upper bound, at exactly the value returned. If the
/// guarantee is monotone in the parameter (as it is for all listed below), no value more than
/// about 4e-7 (relatively) less private reaches the target by this accounting; which, for a few steps on
/// samples and other compositions that are not smooth, knows delta up to ten times the width asked for. With the usual
/// 1e-4 that is some hundred-thousandths of the noise.
///
/// # Errors
/// If the target is out of range, no value reaches it, or the parameter is one whose effect has
/// no fixed direction.
pub fn calibrate(
    template: &Template,
    target: &Target,
    under: Neighbours,
    accuracy: Accuracy,
) -> Result<Calibration, AccountError> {
    target.check()?;
    let hole = template.hole();
    let problem = Problem {
        template,
        target,
        under,
        accuracy: accuracy.checked()?,
        sense: sense(&hole.name)?,
        most: largest(&hole.name),
    };
    let value = match hole.kind {
        HoleKind::Real => problem.real()?,
        HoleKind::Count => problem.count()?,
    };
    let spec = template.fill(&value)?;
    let loss = PrivacyLoss::of_spec(&spec, under, accuracy)?;
    let found = target.achieved(&loss)?;
    // What was asked for has been certified above, perhaps by a narrower bracket than this one.
    let achieved = Bracket { upper: found.upper.min(target.allowed()), ..found };
    Ok(Calibration { text: decimal(&value), value, spec, achieved })
}

/// Which way each parameter works.
fn sense(name: &str) -> Result<Sense, AccountError> {
    match name {
        "sigma" | "scale" | "width" | "population" | "users" | "steps" | "bound" => {
            Ok(Sense::LargerIsSafer)
        }
        "eps" | "delta" | "rate" | "mu" | "rho" | "xi" | "sensitivity" | "times" | "batch"
        | "chosen" | "size" | "s2" | "mu2" => Ok(Sense::SmallerIsSafer),
        other => Err(AccountError::refused(
            format!(
                "`{other}` cannot be calibrated: a larger value is not always more or less private"
            ),
            "put the ? at sigma, scale, rate, eps, a count, ...",
        )),
    }
}

/// The largest value a parameter may have.
fn largest(name: &str) -> f64 {
    match name {
        "rate" | "delta" => 1.0,
        _ => 1e12,
    }
}

impl Target {
    fn check(&self) -> Result<(), AccountError> {
        let chance = |name: &str, x: f64| {
            if x > 0.0 && x < 1.0 {
                Ok(())
            } else {
                Err(AccountError::invalid(name, x, "strictly between 0 and 1"))
            }
        };
        let positive = |name: &str, x: f64| {
            if x > 0.0 && x.is_finite() {
                Ok(())
            } else {
                Err(AccountError::invalid(name, x, "above 0 and finite"))
            }
        };
        match *self {
            Self::Epsilon { epsilon, delta } => {
                if !(epsilon >= 0.0 && epsilon.is_finite()) {
                    return Err(AccountError::invalid("epsilon", epsilon, "at least 0 and finite"));
                }
                if delta == 0.0 { positive("epsilon", epsilon) } else { chance("delta", delta) }
            }
            Self::Gdp { mu } => positive("mu", mu),
            Self::Zcdp { rho } => positive("rho", rho),
            Self::Detection { false_alarm, found } => {
                chance("the rate of false alarms", false_alarm)?;
                chance("the share found", found)?;
                if found <= false_alarm {
                    return Err(AccountError::invalid(
                        "the share found",
                        found,
                        "above the rate of false alarms: guessing finds that many",
                    ));
                }
                Ok(())
            }
            Self::Advantage { advantage } => chance("advantage", advantage),
        }
    }

    /// The most that a mechanism may have, in the currency of the target.
    const fn allowed(&self) -> f64 {
        match *self {
            Self::Epsilon { epsilon, .. } => epsilon,
            Self::Gdp { mu } => mu,
            Self::Zcdp { rho } => rho,
            Self::Detection { found, .. } => found,
            Self::Advantage { advantage } => advantage,
        }
    }

    /// What a mechanism achieves, in the currency of the target.
    fn achieved(&self, loss: &PrivacyLoss) -> Result<Bracket, AccountError> {
        match *self {
            Self::Epsilon { delta, .. } => loss.epsilon(delta),
            Self::Gdp { .. } => loss.gdp(),
            Self::Zcdp { .. } => loss.zcdp(),
            Self::Detection { false_alarm, .. } => {
                let miss = loss.miss_rate(false_alarm)?;
                Ok(Bracket {
                    lower: (1.0 - miss.upper).next_down().max(0.0),
                    upper: (1.0 - miss.lower).next_up().min(1.0),
                })
            }
            Self::Advantage { .. } => loss.total_variation(),
        }
    }
}

struct Problem<'a> {
    template: &'a Template,
    target: &'a Target,
    under: Neighbours,
    accuracy: Accuracy,
    sense: Sense,
    most: f64,
}

impl Problem<'_> {
    /// ln of what is achieved over what is allowed, from above: at most 0 if the target is met.
    /// What is too much work to certify counts as not met.
    fn excess(&self, value: &Rational) -> Result<f64, AccountError> {
        let spec = self.template.fill(value)?;
        // The bound of a rough look holds as well, if a finer one is too much work.
        let finer = |rough: f64| match self.certified_excess(&spec, Look::Fine) {
            Err(AccountError::TooLarge { .. }) => Ok(rough),
            seen => Ok(seen?.0),
        };
        match self.certified_excess(&spec, Look::Rough) {
            Ok((rough, Look::Rough)) if rough.abs() <= FAR => finer(rough),
            Err(AccountError::TooLarge { .. }) => Ok(f64::MAX),
            seen => Ok(seen?.0),
        }
    }

    /// The excess, and how precisely it is known.
    fn certified_excess(
        &self,
        spec: &MechanismSpec,
        look: Look,
    ) -> Result<(f64, Look), AccountError> {
        unless_given_up()?;
        let (achieved, allowed, look) = match *self.target {
            // delta at epsilon takes one evaluation, epsilon at delta many.
            Target::Epsilon { epsilon, delta } if delta > 0.0 => {
                let (loss, look) = self.loss(spec, look)?;
                let relative = loss.accuracy().width.max(1e-6);
                let width = Width { relative, absolute: delta * relative };
                let [remove, add] =
                    Direction::BOTH.map(|way| loss.delta_within(way, epsilon, width));
                (remove?.upper().max(add?.upper()), delta, look)
            }
            Target::Epsilon { epsilon, .. } => {
                let (loss, look) = self.loss(spec, look)?;
                (loss.epsilon(0.0)?.upper, epsilon, look)
            }
            Target::Gdp { mu } => (self.gdp(spec)?, mu, Look::Fine),
            Target::Zcdp { rho } => {
                let cost = cost::zcdp(spec, self.under)?;
                let private = cost.delta.is_zero();
                (if private { cost.rho.to_f64_up() } else { f64::INFINITY }, rho, Look::Fine)
            }
            Target::Detection { false_alarm, found } => {
                let (loss, look) = self.loss(spec, look)?;
                ((1.0 - loss.miss_rate(false_alarm)?.lower).next_up(), found, look)
            }
            Target::Advantage { advantage } => {
                let (loss, look) = self.loss(spec, look)?;
                (loss.total_variation()?.upper, advantage, look)
            }
        };
        // Exact comparison decides; the logarithm only steers.
        let excess = ln(achieved.max(1e-320)) - ln(allowed);
        let excess = if achieved <= allowed { excess.min(-1e-300) } else { excess.max(1e-300) };
        Ok((excess, look))
    }

    /// The loss, with brackets that suit the look; where narrow ones cost no more, as narrow as can be.
    fn loss(&self, spec: &MechanismSpec, look: Look) -> Result<(PrivacyLoss, Look), AccountError> {
        let loss = PrivacyLoss::of_spec(spec, self.under, Accuracy { width: 1e-8 })?;
        if loss.is_quick() {
            return Ok((loss, Look::Fine));
        }
        let width = match look {
            Look::Rough => ROUGH,
            Look::Fine => self.fine(),
        };
        Ok((loss.with_accuracy(Accuracy { width }), look))
    }

    /// How narrow brackets are for a fine look, relatively.
    const fn fine(&self) -> f64 {
        (WIDER * self.accuracy.width).min(ROUGH)
    }

    fn gdp(&self, spec: &MechanismSpec) -> Result<f64, AccountError> {
        let square = cost::gdp(spec, self.under)?;
        Ok(throng_numeric::Enclosure::of_rational(&square).sqrt()?.upper())
    }

    /// The direction in ln(value) that is safer: +1 or -1.
    fn safer(&self) -> f64 {
        match self.sense {
            Sense::LargerIsSafer => 1.0,
            Sense::SmallerIsSafer => -1.0,
        }
    }

    /// A bracket in ln(value): (safe, unsafe) with their excess; or the least private value
    /// that exists, if even that is safe.
    fn bracket(&self, start: f64, limits: (f64, f64)) -> Result<Bounds, AccountError> {
        let at = |x: f64| -> Result<f64, AccountError> { self.excess(&short(exp(x))?) };
        let clamp = |x: f64| x.clamp(limits.0, limits.1);
        let mut x = clamp(start);
        let mut here = at(x)?;
        let safe = here <= 0.0;
        let mut stride = 0.7 * if safe { -self.safer() } else { self.safer() };
        loop {
            let next = clamp(x + stride);
            if next == x {
                return if safe {
                    Ok(Bounds::AllSafe(x))
                } else {
                    Err(AccountError::refused(
                        format!(
                            "no value of `{}` up to {:e} reaches the target",
                            self.template.hole().name,
                            exp(x)
                        ),
                        "relax the target or change the other parameters",
                    ))
                };
            }
            let there = at(next)?;
            if (there <= 0.0) != safe {
                return Ok(if safe {
                    Bounds::Between((x, here), (next, there))
                } else {
                    Bounds::Between((next, there), (x, here))
                });
            }
            (x, here) = (next, there);
            stride *= 1.6;
        }
    }

    fn real(&self) -> Result<Rational, AccountError> {
        let limits = (ln(1e-9), ln(self.most));
        let start = if self.most <= 1.0 { ln(0.01) } else { 0.0 };
        let (mut safe, mut unsafe_) = match self.bracket(start, limits)? {
            Bounds::AllSafe(x) => return self.rounded(x, 0.0),
            Bounds::Between(safe, unsafe_) => (safe, unsafe_),
        };
        let enough = self.enough(&short(exp(safe.0))?)?;
        for step in 0..60 {
            let gap = unsafe_.0 - safe.0;
            if gap.abs() <= CLOSE || -safe.1 <= enough {
                break;
            }
            let x = between(safe, unsafe_, step, CLOSE);
            let here = self.excess(&short(exp(x))?)?;
            if here <= 0.0 { safe = (x, here) } else { unsafe_ = (x, here) }
        }
        self.rounded(safe.0, (safe.0 - unsafe_.0).abs())
    }

    /// How far below the target is close enough: a tenth of what a fine look can tell, 0 if that is anything.
    fn enough(&self, value: &Rational) -> Result<f64, AccountError> {
        let smooth = match self.target {
            Target::Gdp { .. } | Target::Zcdp { .. } => true,
            Target::Epsilon { .. } | Target::Detection { .. } | Target::Advantage { .. } => {
                matches!(self.loss(&self.template.fill(value)?, Look::Rough)?.1, Look::Fine)
            }
        };
        Ok(if smooth { 0.0 } else { 0.1 * self.fine() })
    }

    /// The shortest decimal at or beyond the safe end, checked; not farther beyond it than the other end is.
    fn rounded(&self, safe: f64, gap: f64) -> Result<Rational, AccountError> {
        let value = short(exp(safe))?;
        let up = self.sense == Sense::LargerIsSafer;
        let slack = gap.clamp(CLOSE, MOST_ROUNDED);
        for digits in 1..=12 {
            let candidate = round_to(&value, digits, up)?;
            let off = (candidate.to_f64_nearest() / value.to_f64_nearest() - 1.0).abs();
            let allowed = Rational::from_f64(self.most)?;
            if off <= slack && candidate <= allowed && self.excess(&candidate)? <= 0.0 {
                return Ok(candidate);
            }
        }
        Ok(value)
    }

    fn count(&self) -> Result<Rational, AccountError> {
        let most = self.most_count();
        let holds =
            |n: u64| -> Result<bool, AccountError> { Ok(self.excess(&Rational::from(n))? <= 0.0) };
        // `good` is on the safe side, `bad` on the other.
        let (mut good, mut bad) = match self.sense {
            Sense::SmallerIsSafer => {
                if !holds(1)? {
                    return Err(AccountError::refused(
                        "not even 1 reaches the target",
                        "relax the target or add noise",
                    ));
                }
                let mut n = 1_u64;
                loop {
                    if n == most {
                        return Ok(Rational::from(n));
                    }
                    let next = n.saturating_mul(8).min(most);
                    if !holds(next)? {
                        break (n, next);
                    }
                    n = next;
                }
            }
            Sense::LargerIsSafer => {
                let mut n = 1_u64;
                loop {
                    match self.excess(&Rational::from(n)) {
                        Ok(excess) if excess <= 0.0 => break (n, n / 8),
                        // A count below another (a population below its batch) is no answer.
                        Ok(_) | Err(AccountError::Invalid { .. }) => {}
                        Err(error) => return Err(error),
                    }
                    if n == most {
                        return Err(AccountError::refused(
                            format!("no count up to {most} reaches the target"),
                            "relax the target or add noise",
                        ));
                    }
                    n = n.saturating_mul(8).min(most);
                }
            }
        };
        while good.abs_diff(bad) > 1 {
            let middle = good.min(bad) + good.abs_diff(bad) / 2;
            let ok = match self.excess(&Rational::from(middle)) {
                Ok(excess) => excess <= 0.0,
                Err(AccountError::Invalid { .. }) => false,
                Err(error) => return Err(error),
            };
            if ok { good = middle } else { bad = middle }
        }
        Ok(Rational::from(good))
    }

    fn most_count(&self) -> u64 {
        1_000_000_000
    }
}

enum Bounds {
    AllSafe(f64),
    Between((f64, f64), (f64, f64)),
}

/// The next place to look: the secant, a little towards the safe side so that it moves too, or
/// the middle now and then.
fn between(safe: (f64, f64), unsafe_: (f64, f64), step: u32, close: f64) -> f64 {
    let gap = safe.0 - unsafe_.0;
    let secant = unsafe_.0 + gap * (unsafe_.1 / (unsafe_.1 - safe.1));
    if step.rem_euclid(5) == 4 || !secant.is_finite() {
        return unsafe_.0 + gap / 2.0;
    }
    let nudge = gap.signum() * close * 0.4 * if step.is_multiple_of(2) { 1.0 } else { -1.0 };
    let (low, high) = (safe.0.min(unsafe_.0), safe.0.max(unsafe_.0));
    (secant + nudge).clamp(low + gap.abs() * 1e-4, high - gap.abs() * 1e-4)
}

/// A number to 12 significant digits, exactly.
fn short(x: f64) -> Result<Rational, AccountError> {
    format!("{x:.11e}").parse().map_err(|_| AccountError::invalid("value", x, "a finite number"))
}

/// A positive number rounded to some significant digits, up or down.
fn round_to(value: &Rational, digits: i32, up: bool) -> Result<Rational, AccountError> {
    let text = format!("{:e}", value.to_f64_nearest());
    let exponent: i32 = text.split('e').nth(1).and_then(|e| e.parse().ok()).unwrap_or(0);
    let places = digits - 1 - exponent;
    let unit: Rational = format!("1e{}", -places)
        .parse()
        .map_err(|_| AccountError::invalid("value", value, "of ordinary size"))?;
    let scaled = value.checked_div(&unit)?;
    let whole = if up { scaled.ceil() } else { scaled.floor() };
    Ok(&Rational::from(whole) * &unit)
}

/// The shortest decimal text of a number that has one.
fn decimal(value: &Rational) -> String {
    crate::spec::text::number::print(value)
}
