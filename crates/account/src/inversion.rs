//! From the transform of a loss to its profile.
//!
//! For c > 0 the finite part of delta(epsilon) = E(1 - e^(epsilon - L))_+ is
//!
//! delta(epsilon) = (1/2 pi) integral of M(c + iu) e^(-(c + iu) epsilon) / (z(z + 1)) du, z = c + iu.
//!
//! # The trapezoidal rule is an upper bound
//! With spacing 2 pi / P the rule gives exactly the sum over all integers k of
//! e^(ckP) delta(epsilon + kP) (Poisson summation): delta(epsilon) itself and *non-negative*
//! aliases. So the rule never underestimates, and what it overestimates is bounded by Chernoff's
//! inequality delta(x) <= M(c') e^(-c' x), with c' > c for the aliases on the right and c' < c
//! on the left. No smoothness is needed for this.
//!
//! # Where the rule ends
//! Far nodes are skipped where |phi| is proved to be negligible (`log_decay`, `leap`). Where the
//! law is too rough for that, a Gaussian pair of tiny mu = eta is composed with it, whose factor
//! e^(-eta^2 u^2/2) ends the rule. Composing only increases delta: still an upper bound. It
//! increases it by at most E[b(L - epsilon)], b(t) = eta phi(t/eta) e^(-t/2): for Black and
//! Scholes' formula in the variance, d/ds of the gap at s is e^(-t/2 - s^2/8) phi(t/s), at most
//! e^(-t/2) phi(t/eta), integrated over s from 0 to eta. The transform of b is
//! eta^2 e^(eta^2/8) e^(-z epsilon) e^(eta^2 z(z+1)/2): the same nodes without the kernel. What
//! the rule gives for it is, again, never too small, so it may be subtracted.
//!
//! # Reference
//! Alghamdi et al. 2023 (the contour formula); Poisson summation as in Abate and Whitt 1992.

use std::f64::consts::TAU;

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::{Disc, SLACK, U};
use crate::estimate::{exp, ln};
use crate::law::product::Product;
use crate::law::{BLOCK, Law, Line, Tilted};

/// Contributions below e^-DIGITS of the whole are bounded instead of computed.
const DIGITS: f64 = 38.0;

/// No inversion evaluates more nodes than this.
const MOST_NODES: u64 = 1 << 22;

/// A vertical line with the transform on it; answers delta(epsilon) for epsilon near its saddle.
#[derive(Debug)]
pub(crate) struct Contour {
    c: f64,
    eta: f64,
    spacing: f64,
    /// ln E e^(cL) with the smoothing included.
    log_moment: Enclosure,
    /// phi(u_j) times the smoothing over z(z+1); node 0 first.
    kernel: Nodes,
    /// phi(u_j) times the smoothing, times eta^2 e^(eta^2/8).
    bump: Option<Nodes>,
    /// (c', ln E e^(c'L)) for bounding aliases, with the smoothing.
    chernoff: Vec<(f64, f64)>,
}

/// Values at the nodes and what is known of their errors.
#[derive(Debug, Default)]
struct Nodes {
    /// (index, real, imaginary); skipped nodes are missing.
    values: Vec<(u64, f64, f64)>,
    /// The sum of all errors, skipped nodes included.
    error: f64,
    /// The sum of all moduli.
    modulus: f64,
}

impl Nodes {
    fn push(&mut self, index: u64, value: Disc) {
        let weight = if index == 0 { 0.5 } else { 1.0 };
        self.values.push((index, value.re * weight, value.im * weight));
        self.error += value.error;
        self.modulus += value.modulus();
    }

    /// 2 sum of Re(value e^(-iu epsilon)), node 0 counted once.
    fn transform(&self, spacing: f64, epsilon: f64) -> Enclosure {
        let angle = -spacing * epsilon;
        let step = Disc::turn_minus_one(angle, 0.0);
        let (mut index, mut re, mut im) = (u64::MAX, 1.0, 0.0);
        let (mut sum, mut turns) = (0.0, 64u32);
        for (j, a, b) in &self.values {
            if index.wrapping_add(1) == *j && turns < 64 {
                (re, im) = (
                    re + (re * step.re - im * step.im),
                    im + (re * step.im + im * step.re),
                );
                turns += 1;
            } else {
                let turn = Disc::turn_minus_one(angle * *j as f64, 0.0);
                (re, im) = (1.0 + turn.re, turn.im);
                turns = 0;
            }
            index = *j;
            sum += a * re - b * im;
        }
        // The angle u_j epsilon is known up to 3 roundings, and each of at most 64 turns adds
        // that of one step and 8u of its own; the sum of n terms adds n u of its moduli.
        let last = self.values.last().map_or(0.0, |(j, ..)| *j as f64);
        let phase = U * ((4.0 * last + 300.0) * angle.abs() + 1200.0);
        let rounding = (phase + self.values.len() as f64 * U) * self.modulus;
        let error = 2.0 * (self.error + rounding) * SLACK * SLACK;
        Enclosure::new(2.0 * sum - error, 2.0 * sum + error).unwrap_or(Enclosure::REAL)
    }
}

/// Where the integrand at a given epsilon is highest on the real axis: the best line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saddle {
    pub(crate) c: f64,
    pub(crate) epsilon: f64,
    /// An estimate of ln delta(epsilon).
    pub(crate) log_delta: f64,
    /// The second derivative of the exponent.
    curvature: f64,
}

const LEAST_C: f64 = 1e-9;
const MOST_C: f64 = 1e9;

/// The saddle of the line at c: epsilon and an estimate of ln delta there.
pub(crate) fn saddle_at(law: &Product, c: f64) -> Saddle {
    let [k, slope, curvature] = law.cumulants(c);
    let epsilon = slope - 1.0 / c - 1.0 / (c + 1.0);
    let curvature = curvature + 1.0 / (c * c) + 1.0 / ((c + 1.0) * (c + 1.0));
    let log_delta = k - c * epsilon - ln(c * (c + 1.0)) - 0.5 * ln(TAU * curvature);
    Saddle { c, epsilon, log_delta, curvature }
}

/// Finds c by bisection in ln c; `aim` falls or rises with c and is sought to be 0.
fn find_c(law: &Product, rising: impl Fn(&Saddle) -> f64) -> Saddle {
    let (mut low, mut high) = (ln(LEAST_C), ln(MOST_C));
    let mut guess = 0.0f64;
    // A few steps outward from 1 find a bracket quickly; then the false position method.
    let mut stride = 1.5;
    let value = |x: f64| {
        let v = rising(&saddle_at(law, exp(x)));
        if v.is_nan() { f64::INFINITY } else { v }
    };
    let first = value(guess);
    let up = first < 0.0;
    loop {
        let next = if up { guess + stride } else { guess - stride };
        if next > high || next < low {
            break;
        }
        if up {
            low = guess;
        } else {
            high = guess;
        }
        if (value(next) < 0.0) != up {
            if up { high = next } else { low = next }
            break;
        }
        guess = next;
        stride *= 2.0;
    }
    for _ in 0..24 {
        let middle = (low + high) / 2.0;
        if high - low < 2e-3 {
            break;
        }
        if value(middle) < 0.0 { low = middle } else { high = middle }
    }
    saddle_at(law, exp((low + high) / 2.0))
}

/// The saddle for a given epsilon.
pub(crate) fn saddle_for_epsilon(law: &Product, epsilon: f64) -> Saddle {
    find_c(law, |s| s.epsilon - epsilon)
}

/// The saddle at which delta is about e^log_delta.
pub(crate) fn saddle_for_delta(law: &Product, log_delta: f64) -> Saddle {
    find_c(law, |s| log_delta - s.log_delta)
}

/// How fine an answer is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish {
    /// The relative width of delta that smoothing may cause.
    pub(crate) tolerance: f64,
}

impl Contour {
    /// The line through a saddle.
    pub(crate) fn new(law: &Product, saddle: Saddle, finish: Finish) -> Result<Self, AccountError> {
        let c = saddle.c;
        let probe = Line { c, spacing: 1.0, reach: 1e-9, log_times: 0.0 };
        let smooth = law.tilt(probe)?;
        let natural = natural_reach(smooth.as_ref(), saddle);
        let eta = (finish.tolerance / (2.0 * c * (c + 1.0))).sqrt();
        let forced = (2.0 * (DIGITS + 4.0)).sqrt() / eta;
        let (reach, eta) = if natural <= forced { (natural, 0.0) } else { (forced, eta) };
        let period = period(law, saddle, eta);
        let spacing = TAU / period;
        if reach / spacing > 1e9 {
            return Err(too_fine());
        }
        let line = Line { c, spacing, reach, log_times: 0.0 };
        Self::walk(law, line, eta, saddle)
    }

    fn walk(law: &Product, line: Line, eta: f64, saddle: Saddle) -> Result<Self, AccountError> {
        let tilted = law.tilt(line)?;
        let log_moment = tilted.log_moment() + smoothing(line.c, eta)?;
        let mut contour = Self {
            c: line.c,
            eta,
            spacing: line.spacing,
            log_moment,
            kernel: Nodes::default(),
            bump: (eta > 0.0).then(Nodes::default),
            chernoff: Vec::new(),
        };
        let mut node = 0;
        let mut block = [Disc::ZERO; BLOCK];
        let mut computed = 0;
        loop {
            let u = node as f64 * line.spacing;
            if u > line.reach {
                contour.skip(node, None);
                break;
            }
            let leap = if node > 0 { tilted.leap(u, -DIGITS) } else { 0.0 };
            if leap > 4.0 * line.spacing {
                let landing = ((u + leap) / line.spacing * (1.0 - 1e-12)).floor();
                let end = (landing.is_finite() && landing * line.spacing < line.reach)
                    .then_some(landing as u64);
                contour.skip(node, end);
                match end {
                    Some(end) => node = end.max(node + 1),
                    None => break,
                }
                continue;
            }
            let count = if node == 0 { BLOCK } else { BLOCK };
            tilted.fill(node, &mut block[..count]);
            for (j, disc) in (node..).zip(block[..count].iter()) {
                contour.take(j, *disc)?;
            }
            node += count as u64;
            computed += count as u64;
            if computed > MOST_NODES {
                return Err(too_fine());
            }
        }
        contour.chernoff = chernoff(law, saddle, eta)?;
        Ok(contour)
    }

    /// Adds one node.
    fn take(&mut self, index: u64, minus_one: Disc) -> Result<(), AccountError> {
        let u = index as f64 * self.spacing;
        let mut phi = minus_one.plus_one();
        if self.eta > 0.0 {
            let square = Enclosure::point(self.eta)?.square();
            phi = phi.times(crate::law::gaussian::normal_minus_one(square, self.c, u).plus_one());
        }
        self.kernel.push(index, phi.times(kernel(self.c, u)));
        if let Some(bump) = &mut self.bump {
            bump.push(index, phi);
        }
        Ok(())
    }

    /// Accounts for the nodes from `from` on (up to `to`, or all) that are not computed: each
    /// has |phi| <= e^-DIGITS, by the law's own decay or by the smoothing.
    fn skip(&mut self, from: u64, to: Option<u64>) {
        let u = from.max(1) as f64 * self.spacing;
        let bound = exp(-DIGITS) * (1.0 + 1e-9);
        let count = to.map_or(f64::INFINITY, |to| (to - from) as f64);
        // sum over u_j >= u of 1/u_j^2 <= 1/u^2 + 1/(spacing u).
        let kernel = (1.0 / (u * u) + 1.0 / (self.spacing * u)).min(count / (u * u));
        self.kernel.error += bound * kernel * SLACK;
        let reach_nodes = self.reach_nodes();
        if let Some(bump) = &mut self.bump {
            // Beyond the reach the smoothing falls like e^(-eta^2 u^2/2), below e^-DIGITS there;
            // sum <= bound (1 + 1/(spacing eta^2 u)). Inside, count nodes at most.
            let rest = 1.0 + 1.0 / (self.spacing * self.eta * self.eta * u);
            let sum = if to.is_some() { count } else { rest + reach_nodes };
            bump.error += bound * sum * SLACK;
        }
    }

    fn reach_nodes(&self) -> f64 {
        (2.0 * (DIGITS + 4.0)).sqrt() / (self.eta * self.spacing) + 2.0
    }

    /// Where this line is the best one.
    pub(crate) fn c(&self) -> f64 {
        self.c
    }

    /// The finite part of delta(epsilon), from below and above.
    pub(crate) fn delta(&self, epsilon: f64) -> Result<Enclosure, AccountError> {
        let x = Enclosure::point(epsilon)?;
        let scale = (self.log_moment - Enclosure::point(self.c)? * x).exp();
        let unit = Enclosure::point(self.spacing)? / Enclosure::new(TAU.next_down(), TAU.next_up())?;
        let rule = scale * unit * self.kernel.transform(self.spacing, epsilon);
        let mut lower = rule.lower() - self.aliases(epsilon)?;
        if let Some(bump) = &self.bump {
            let square = Enclosure::point(self.eta)?.square();
            let factor = square * (square / Enclosure::point(8.0)?).exp();
            let gap = scale * unit * factor * bump.transform(self.spacing, epsilon);
            lower = (lower - gap.upper()).next_down();
        }
        let upper = rule.upper().clamp(0.0, 1.0);
        Ok(Enclosure::new(lower.next_down().clamp(0.0, upper), upper)?)
    }

    /// A bound of the sum of all aliases at epsilon.
    fn aliases(&self, epsilon: f64) -> Result<f64, AccountError> {
        let period = Enclosure::new(TAU.next_down(), TAU.next_up())? / Enclosure::point(self.spacing)?;
        let x = Enclosure::point(epsilon)?;
        let bound = |c: f64, log_moment: f64| -> Result<f64, AccountError> {
            let c = Enclosure::point(c)?;
            let ratio = (-(c - Enclosure::point(self.c)?).abs() * period).exp();
            let first = (Enclosure::point(log_moment)? - c * x).exp();
            Ok((first * ratio / (Enclosure::ONE - ratio)).upper())
        };
        let (mut left, mut right) = (bound(0.0, 0.0)?, f64::INFINITY);
        for (c, log_moment) in &self.chernoff {
            let value = bound(*c, *log_moment)?;
            if *c > self.c { right = right.min(value) } else { left = left.min(value) }
        }
        Ok((left + right).next_up())
    }
}

fn too_fine() -> AccountError {
    AccountError::TooLarge {
        what: "the work for this width".into(),
        limit: format!("{MOST_NODES} nodes; ask for a wider bracket"),
    }
}

/// ln of the smoothing's moment at c: eta^2 c(c+1)/2.
fn smoothing(c: f64, eta: f64) -> Result<Enclosure, AccountError> {
    let point = Enclosure::point;
    Ok(point(eta)?.square() * point(c)? * (point(c)? + Enclosure::ONE) * point(0.5)?)
}

/// 1/(z(z+1)) at z = c + iu, u known up to a rounding.
fn kernel(c: f64, u: f64) -> Disc {
    let (a, b) = (c, c + 1.0);
    let (p, q) = (a * a + u * u, b * b + u * u);
    let scale = 1.0 / (p * q);
    // conj(z) conj(z + 1) = (ab - u^2) - iu(a + b).
    let (re, im) = ((a * b - u * u) * scale, -u * (a + b) * scale);
    Disc { re, im, error: 16.0 * U / (p * q).sqrt() }
}

/// How far the nodes must go if the law decays by itself.
fn natural_reach(tilted: &dyn Tilted, saddle: Saddle) -> f64 {
    let mut u = (2.0 * DIGITS / saddle.curvature).sqrt();
    while tilted.log_decay(u) > -DIGITS {
        u *= 1.25;
        if u > 1e12 {
            return f64::INFINITY;
        }
    }
    u
}

/// Candidates c' for bounding aliases, on both sides of c.
fn candidates(saddle: Saddle) -> impl Iterator<Item = f64> {
    let unit = 1.0 / saddle.curvature.sqrt();
    let steps = [2.0, 4.0, 7.0, 11.0];
    let right = steps.map(|s| saddle.c + s * unit);
    let left = steps.map(|s| saddle.c - s * unit);
    right.into_iter().chain(left).filter(|c| *c > 0.0)
}

/// A period long enough that the aliases are negligible, by estimates.
fn period(law: &Product, saddle: Saddle, eta: f64) -> f64 {
    let log_moment = |c: f64| law.cumulants(c)[0] + eta * eta * c * (c + 1.0) / 2.0;
    let goal = saddle.log_delta - 28.0;
    let needed = |c: f64, k: f64| (k - c * saddle.epsilon - goal).max(0.0) / (c - saddle.c).abs();
    let mut left = needed(0.0, 0.0);
    let mut right = f64::INFINITY;
    for c in candidates(saddle) {
        let p = needed(c, log_moment(c));
        if c > saddle.c { right = right.min(p) } else { left = left.min(p) }
    }
    (left.max(right) * 1.02).max(1e-6)
}

fn chernoff(law: &Product, saddle: Saddle, eta: f64) -> Result<Vec<(f64, f64)>, AccountError> {
    candidates(saddle)
        .map(|c| Ok((c, (law.log_moment(c)? + smoothing(c, eta)?).upper())))
        .collect()
}
