//! The loss between two mixtures of shifted normal laws: sampled and grouped Gaussian noise.
//!
//! In units of sigma let a(x) = phi(x) A(x) and b(x) = phi(x) B(x) with
//! A(x) = sum w_j e^(m_j x - m_j^2/2), B alike. Then L = ln A - ln B and
//!
//! M(z) = integral of phi A^(1+z) B^(-z) dx,
//!
//! by the trapezoidal rule with step h, which converges exponentially.
//!
//! # Error of the rule
//! For an integrand analytic in the strip |Im x| <= y the rule errs by at most
//! 2N/(e^(2 pi y/h) - 1), where N bounds the integral of its modulus along Im x = +-y
//! (Trefethen and Weideman 2014, theorem 5.1). Let theta_A = y max|m_j| < pi/2. Every term of A
//! turns by an angle of at most theta_A, so |A(x + iy)| lies between cos(theta_A) A(x) and A(x),
//! and |arg A| <= theta_A; likewise B. With |phi(x + iy)| = e^(y^2/2) phi(x) and z = c + iu:
//!
//! |integrand(x + iy)| <= e^(y^2/2 + u(theta_A + theta_B)) cos(theta_B)^(-c) integrand at u = 0,
//!
//! so N <= e^(...) cos(theta_B)^(-c) M(c): the error *relative to M(c)* is known in advance.
//!
//! # What is cut off
//! d/dx ln(A^(1+c) B^(-c)) lies between lambda_- and lambda_+, the extremes of
//! (1+c) m_A - c m_B. Beyond X > lambda_+ the summands fall at least as fast as
//! e^(-(x - X)(X - lambda_+)): a geometric series bounds the rest. The same on the left.

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::{SLACK, centre};
use crate::estimate::{exp, integer, ln};
use crate::law::atoms::{Smoothness, TiltedAtoms, cumulants, weigh};
use crate::law::bands::Bands;
use crate::law::minorant::Minorant;
use crate::law::{Law, Line, Tilted};

/// sum w_j e^(m_j x - m_j^2/2), with weights that add up to 1 and shifts of one sign.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mixture {
    /// (weight, shift in units of sigma).
    parts: Vec<(Enclosure, Enclosure)>,
    least: f64,
    most: f64,
}

impl Mixture {
    pub(crate) fn new(parts: Vec<(Enclosure, Enclosure)>) -> Self {
        let least = parts.iter().map(|(_, m)| m.lower()).fold(f64::INFINITY, f64::min);
        let most = parts.iter().map(|(_, m)| m.upper()).fold(f64::NEG_INFINITY, f64::max);
        Self { parts, least, most }
    }

    /// No shift at all.
    pub(crate) fn still() -> Self {
        Self::new(vec![(Enclosure::ONE, Enclosure::ZERO)])
    }

    fn reach(&self) -> f64 {
        self.least.abs().max(self.most.abs())
    }

    /// ln of the sum at x: as ln(1 + sum w (e^t - 1)), exact to the last digit near 0, unless
    /// some e^t is out of range.
    fn log(&self, x: Enclosure) -> Result<Enclosure, AccountError> {
        let half = Enclosure::point(0.5)?;
        let mut excess = Enclosure::ZERO;
        let mut top = f64::NEG_INFINITY;
        for (w, m) in &self.parts {
            let exponent = *m * x - half * m.square();
            top = top.max(exponent.upper());
            excess = excess + *w * exponent.expm1();
        }
        if top < 600.0 {
            return Ok(excess.ln_1p()?);
        }
        let scale = Enclosure::point(top)?;
        let mut sum = Enclosure::ZERO;
        for (w, m) in &self.parts {
            sum = sum + *w * (*m * x - half * m.square() - scale).exp();
        }
        Ok(scale + sum.ln()?)
    }

    /// (ln of the sum, its slope in x), estimates.
    fn estimate(&self, x: f64) -> (f64, f64) {
        let exponent = |m: f64| m * x - m * m / 2.0;
        let top = self.parts.iter().map(|(_, m)| exponent(centre(*m).0)).fold(f64::MIN, f64::max);
        let (mut sum, mut slope) = (0.0, 0.0);
        for (w, m) in &self.parts {
            let m = centre(*m).0;
            let t = centre(*w).0 * exp(exponent(m) - top);
            sum += t;
            slope += t * m;
        }
        (top + ln(sum), slope / sum)
    }

    /// An upper bound of |d ln(sum)/dx| on [from, to]: the mean shift under the weights at x,
    /// which grows with x.
    fn steepness(&self, from: f64, to: f64) -> f64 {
        let at = if self.most > 0.0 { to } else { from };
        (self.estimate(at).1.abs() * (1.0 + 1e-9) + 1e-300).min(self.reach() * SLACK)
    }
}

/// The loss ln(A/B) under the mixture A. The shifts of A and of B must have opposite signs (or
/// be zero), so that the loss is monotone in x.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shifted {
    pub(crate) above: Mixture,
    pub(crate) below: Mixture,
}

/// Above this many terms, cutting the law into cells is cheaper than its quadrature.
const MOST_WORK: f64 = 4e7;

/// One node of the rule.
#[derive(Debug, Clone, Copy)]
struct Node {
    loss: Enclosure,
    log_weight: Enclosure,
}

/// A trapezoidal rule.
#[derive(Debug, Clone, Copy)]
struct Rule {
    step: f64,
    from: i32,
    to: i32,
    /// The error relative to M(c), for every u up to the reach it was made for.
    error: f64,
}

impl Shifted {
    /// ln of A^(1+c) B^(-c), and its slope, estimates.
    fn log_factor(&self, c: f64, x: f64) -> (f64, f64) {
        let ((a, da), (b, db)) = (self.above.estimate(x), self.below.estimate(x));
        ((1.0 + c) * a - c * b, (1.0 + c) * da - c * db)
    }

    /// lambda_- and lambda_+.
    fn slopes(&self, c: f64) -> (f64, f64) {
        let (a, b) = (c * self.below.least, c * self.below.most);
        ((1.0 + c) * self.above.least - a.max(b), (1.0 + c) * self.above.most - a.min(b))
    }

    /// A step and the error it causes for all u up to `reach`: e^-digits, if possible.
    fn step(&self, c: f64, reach: f64, digits: f64) -> Result<(f64, f64), AccountError> {
        let (ra, rb) = (self.above.reach(), self.below.reach());
        let widest = 1.5 / ra.max(rb).max(1e-9);
        let growth = |y: f64| {
            let bend = if rb > 0.0 { -c * ln((y * rb).cos_estimate()) } else { 0.0 };
            y * y / 2.0 + reach * y * (ra + rb) + bend
        };
        let candidates = (1..=24u8).map(|k| f64::from(k) / 24.0 * widest.min(40.0));
        let step = |y: f64| std::f64::consts::TAU * y / (growth(y) + digits);
        let y = candidates
            .fold(widest.min(40.0) / 24.0, |best, y| if step(y) > step(best) { y } else { best });
        let h = step(y);
        Ok((h, self.rule_error(c, reach, y, h)?))
    }

    /// 2 e^(y^2/2 + u theta) cos(theta_B)^(-c) / (e^(2 pi y/h) - 1), rounded up.
    fn rule_error(&self, c: f64, reach: f64, y: f64, h: f64) -> Result<f64, AccountError> {
        let point = Enclosure::point;
        let (y, h) = (point(y)?, point(h)?);
        let theta = y * (point(self.above.reach())? + point(self.below.reach())?);
        let turn = point((y * point(self.below.reach())?).upper())?;
        // cos t >= 1 - t^2/2 + t^4/24 - t^6/720 for all t.
        let square = turn.square();
        let cosine = Enclosure::ONE - square * point(0.5)? + square * square / point(24.0)?
            - square * square * square / point(720.0)?;
        if cosine.lower() <= 0.0 {
            return Ok(f64::INFINITY);
        }
        let exponent =
            y.square() * point(0.5)? + point(reach)? * theta - point(c.max(0.0))? * cosine.ln()?;
        let tau = point(std::f64::consts::TAU.next_down())?;
        let decay = tau * y / h;
        // e^exponent/(e^decay - 1) = e^(exponent - decay)/(1 - e^-decay), within range.
        Ok((point(2.0)? * (exponent - decay).exp() / -(-decay).expm1()).upper())
    }

    /// The nodes that matter.
    fn rule(&self, c: f64, reach: f64, log_times: f64) -> Result<Rule, AccountError> {
        let digits = 44.0 + log_times;
        let (step, error) = self.step(c, reach, digits)?;
        let (low, high) = self.slopes(c);
        let log_summand = |x: f64| self.log_factor(c, x).0 - x * x / 2.0;
        let (mode, top) = self.peak(c, low, high);
        let enough = |x: f64| log_summand(x) < top - digits - 8.0;
        let mut right = mode.max(high) + 1.0;
        while !enough(right) {
            right += 0.5;
        }
        let mut left = mode.min(low) - 1.0;
        while !enough(left) {
            left -= 0.5;
        }
        let (from, to) = ((left / step).floor(), (right / step).ceil());
        Ok(Rule { step, from: integer(from), to: integer(to), error })
    }

    /// The highest summand, roughly.
    fn peak(&self, c: f64, low: f64, high: f64) -> (f64, f64) {
        let cells = 120.0;
        let width = (high - low + 2.0) / cells;
        (0..=120u16)
            .map(|k| low - 1.0 + f64::from(k) * width)
            .map(|x| (x, self.log_factor(c, x).0 - x * x / 2.0))
            .fold((0.0, f64::NEG_INFINITY), |best, at| if at.1 > best.1 { at } else { best })
    }

    /// The rule as atoms: the loss, the weight h phi(x) A(x) and its logarithm. The weight may
    /// vanish where its logarithm, and the tilted weight, do not.
    fn nodes(&self, rule: Rule) -> Result<Vec<Node>, AccountError> {
        let point = Enclosure::point;
        let h = point(rule.step)?;
        // 1/sqrt(2 pi) = 0.39894228040143267793..., between these neighbours.
        let root = Enclosure::new(0.398_942_280_401_432_64, 0.398_942_280_401_432_7)?;
        let log_norm = (h * root).ln()?;
        let half = point(0.5)?;
        (rule.from..=rule.to)
            .map(|k| {
                let x = point(f64::from(k))? * h;
                let above = self.above.log(x)?;
                let log_weight = log_norm + above - half * x.square();
                Ok(Node { loss: above - self.below.log(x)?, log_weight })
            })
            .collect()
    }

    /// What lies beyond the ends of the rule, relative to a total of the tilted summands:
    /// geometric series at both ends, on the (certified) tilted weights of the last nodes.
    fn cut(&self, c: f64, rule: Rule, first: f64, last: f64) -> f64 {
        let (low, high) = self.slopes(c);
        let side = |weight: f64, margin: f64| {
            if margin <= 0.0 {
                return f64::INFINITY;
            }
            // sum_{k>=1} e^(-k h margin) <= 1/(h margin).
            1.001 * weight / (rule.step * margin)
        };
        let right = f64::from(rule.to) * rule.step - high;
        let left = low - f64::from(rule.from) * rule.step;
        (side(first, left * (1.0 - 1e-9)) + side(last, right * (1.0 - 1e-9))) * SLACK
    }

    /// Parts of the tilted law that are uniform in the loss; see [`Bands`].
    fn bands(&self, c: f64, log_moment: Enclosure) -> Bands {
        let (low, high) = self.slopes(c);
        let (mode, _) = self.peak(c, low, high);
        let mut best = Vec::new();
        for spread in [0.5, 1.0, 1.6, 2.4] {
            for count in [1u8, 2, 4, 8] {
                let width = 2.0 * spread / f64::from(count);
                let cells = (0..count).map(|k| mode - spread + f64::from(k) * width);
                let bands: Vec<_> =
                    cells.filter_map(|x| self.band(c, log_moment, x, x + width).ok()).collect();
                best.push(bands);
            }
        }
        Bands::best_of(best)
    }

    /// The tilted law piece by piece, wherever it is not negligible.
    fn minorant(&self, c: f64, log_moment: Enclosure) -> Option<Minorant> {
        const PIECES: u8 = 96;
        let (low, high) = self.slopes(c);
        let (mode, top) = self.peak(c, low, high);
        let visible = |x: f64| self.log_factor(c, x).0 - x * x / 2.0 > top - 9.0;
        let mut from = mode;
        while visible(from) {
            from -= 0.1;
        }
        let mut to = mode;
        while visible(to) {
            to += 0.1;
        }
        let width = (to - from) / f64::from(PIECES);
        let loss = |x: f64| self.above.estimate(x).0 - self.below.estimate(x).0;
        let mut pieces = Vec::with_capacity(PIECES.into());
        for k in 0..PIECES {
            let x = from + f64::from(k) * width;
            let (mass, breadth) = self.band(c, log_moment, x, x + width).ok()?;
            let (a, b) = (loss(x), loss(x + width));
            if breadth > 0.0 {
                pieces.push((a.min(b), a.max(b), mass / breadth * (1.0 - 1e-9)));
            }
        }
        pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
        Minorant::new(&pieces)
    }

    /// (mass, width) of a uniform part between the losses at `from` and `to`: the smallest
    /// tilted density in x divided by the steepest slope of the loss.
    fn band(
        &self,
        c: f64,
        log_moment: Enclosure,
        from: f64,
        to: f64,
    ) -> Result<(f64, f64), AccountError> {
        let point = Enclosure::point;
        let logs = |x: f64| -> Result<(Enclosure, Enclosure), AccountError> {
            let (a, b) = (self.above.log(point(x)?)?, self.below.log(point(x)?)?);
            let c = point(c)?;
            Ok(((Enclosure::ONE + c) * a - c * b, a - b))
        };
        let ((f0, l0), (f1, l1)) = (logs(from)?, logs(to)?);
        // Opposite signs of the shifts make the factor monotone in x; phi is least at the end
        // that is farther from 0.
        let factor = f0.min(f1) - log_moment;
        let far = point(from.abs().max(to.abs()))?;
        let density = (factor - far.square() * point(0.5)?).exp() * point(0.398)?;
        let steepness = self.above.steepness(from, to) + self.below.steepness(from, to);
        let width = (l1 - l0).abs().lower() * (1.0 - 1e-9);
        Ok((density.lower() / steepness * width * (1.0 - 1e-9), width))
    }
}

trait CosineEstimate {
    fn cos_estimate(self) -> f64;
}

impl CosineEstimate for f64 {
    fn cos_estimate(self) -> f64 {
        let s = self * self;
        (1.0 - s / 2.0 + s * s / 24.0 - s * s * s / 720.0).max(1e-6)
    }
}

impl Law for Shifted {
    fn cumulants(&self, c: f64) -> [f64; 3] {
        // The summands peak where x equals their slope, which lies between these.
        let (low, high) = self.slopes(c);
        let (from, to) = (low - 8.0, high + 8.0);
        let h = (0.35f64).min(1.0 / (self.above.reach() + self.below.reach()).max(1e-9));
        let h = h.max((to - from) / 4000.0);
        let count = integer((to - from) / h);
        let nodes = (0..=count).map(|k| {
            let x = from + f64::from(k) * h;
            let ((a, _), (b, _)) = (self.above.estimate(x), self.below.estimate(x));
            (a - b, a - x * x / 2.0 + ln(h * 0.398_942_280_401_432_7))
        });
        let nodes: Vec<_> = nodes.collect();
        cumulants(nodes.iter().copied(), c)
    }

    fn ceiling(&self) -> f64 {
        f64::INFINITY
    }

    fn log_moment(&self, c: f64) -> Result<Enclosure, AccountError> {
        Ok(self.tilt(Line { c, spacing: 1.0, reach: 0.0, log_times: 0.0 })?.log_moment())
    }

    fn tilt(&self, line: Line) -> Result<Box<dyn Tilted>, AccountError> {
        let rule = self.rule(line.c, line.reach, line.log_times)?;
        let work = (f64::from(rule.to) - f64::from(rule.from)) * (1.0 + line.reach / line.spacing);
        if work.is_nan() || work >= MOST_WORK {
            return Err(AccountError::TooLarge {
                what: "the quadrature of a sampled Gaussian".into(),
                limit: format!("{MOST_WORK:e} terms"),
            });
        }
        let nodes = self.nodes(rule)?;
        let atoms: Vec<_> = nodes.iter().map(|node| (node.loss, node.log_weight.exp())).collect();
        let logs: Vec<_> = nodes.iter().map(|node| node.log_weight).collect();
        let [log_scale, ..] = self.cumulants(line.c);
        let ends = |i: Option<&(Enclosure, Enclosure)>| i.map_or(1.0, |(_, w)| w.upper());
        let total = self.total(rule, ends(atoms.first()), ends(atoms.last()))?;
        let mut weighed = weigh(&atoms, Some(&logs), Some(total), line.c, log_scale)?;
        let (first, last) = (weighed.weights.first(), weighed.weights.last());
        let cut =
            self.cut(line.c, rule, first.copied().unwrap_or(1.0), last.copied().unwrap_or(1.0));
        let floor = (rule.error + cut) * SLACK;
        if floor.is_nan() || floor >= 1e-6 {
            return Err(AccountError::TooLarge {
                what: "the range of a sampled Gaussian".into(),
                limit: "what its quadrature can certify".into(),
            });
        }
        // M(c) = S(c)(1 + t), |t| <= 2 floor.
        let blur = Enclosure::new(-2.0 * floor, 2.0 * floor)?;
        weighed.log_moment = weighed.log_moment + blur;
        let smoothness = if line.reach > 0.0 {
            Smoothness {
                bands: self.bands(line.c, weighed.log_moment),
                minorant: self.minorant(line.c, weighed.log_moment),
            }
        } else {
            Smoothness::NONE
        };
        Ok(Box::new(TiltedAtoms::new(&atoms, weighed, line, 3.0 * floor, smoothness)))
    }
}
impl Shifted {
    /// The sum of the rule's weights at c = 0: that of the infinite rule is 1 up to its error,
    /// and what the ends cut off is bounded as for any other c.
    fn total(&self, rule: Rule, first: f64, last: f64) -> Result<Enclosure, AccountError> {
        let y = 1.0 / self.above.reach().max(self.below.reach()).max(0.2);
        let error = self.rule_error(0.0, 0.0, y, rule.step)?;
        let cut = self.cut(0.0, rule, first, last);
        Ok(Enclosure::new((1.0 - error - cut).next_down(), (1.0 + error).next_up())?)
    }
}

/// The profile of [`Shifted`]: the loss grows (or falls) with x, so the best event is a half-line.
#[derive(Debug)]
pub(crate) struct ShiftedProfile {
    pub(crate) above: Mixture,
    pub(crate) below: Mixture,
}

impl Mixture {
    /// The chance of x > t (`right`) or x < t under the mixture.
    fn tail(&self, t: Enclosure, right: bool) -> Enclosure {
        self.parts.iter().fold(Enclosure::ZERO, |sum, (w, m)| {
            let z = if right { *m - t } else { t - *m };
            sum + *w * throng_numeric::normal::cdf(z)
        })
    }
}

impl ShiftedProfile {
    /// Any half-line bounds H from below; two that certainly enclose the best one bound it from
    /// above, as A has at most the mass of the larger and B at least that of the smaller.
    fn half_line(&self, epsilon: f64) -> Result<Enclosure, AccountError> {
        let rising = self.above.most > 0.0 || self.below.least < 0.0;
        let loss = |x: f64| {
            let (a, b) = (self.above.estimate(x).0, self.below.estimate(x).0);
            if rising { a - b } else { b - a }
        };
        let aim = if rising { epsilon } else { -epsilon };
        let (mut low, mut high) = (-1e4, 1e4);
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            if loss(middle) < aim { low = middle } else { high = middle }
        }
        let gamma = Enclosure::point(epsilon)?.exp();
        let certain = |x: f64| -> Result<Enclosure, AccountError> {
            let x = Enclosure::point(x)?;
            Ok(self.above.log(x)? - self.below.log(x)?)
        };
        let mut slack = 1e-13 * (1.0 + low.abs());
        let here = Enclosure::point((low + high) / 2.0)?;
        let lower = (self.above.tail(here, rising) - gamma * self.below.tail(here, rising)).lower();
        for _ in 0..40 {
            let (left, right) = (low - slack, high + slack);
            let (outer, inner) = if rising { (left, right) } else { (right, left) };
            let outside = certain(outer)?.upper() < epsilon || left <= -1e4 || right >= 1e4;
            if outside && certain(inner)?.lower() > epsilon {
                let larger = self.above.tail(Enclosure::point(outer)?, rising);
                let smaller = self.below.tail(Enclosure::point(inner)?, rising);
                let upper = (larger - gamma * smaller).upper().clamp(0.0, 1.0);
                return Ok(Enclosure::new(lower.clamp(0.0, upper), upper)?);
            }
            slack *= 4.0;
        }
        // The loss never reaches epsilon: then no event has P > e^epsilon Q.
        let farthest = if rising { 1e4 } else { -1e4 };
        let never = certain(farthest)?.upper() < epsilon;
        Ok(if never { Enclosure::ZERO } else { Enclosure::new(lower.clamp(0.0, 1.0), 1.0)? })
    }
}

impl crate::pair::Profile for ShiftedProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        self.half_line(epsilon).unwrap_or(Enclosure::UNIT)
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        let swapped = Self { above: self.below.clone(), below: self.above.clone() };
        swapped.half_line(epsilon).unwrap_or(Enclosure::UNIT)
    }
}
